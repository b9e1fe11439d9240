//! F12: the flock as the window shows it, in a PNG file.

use crate::error::Result;
use crate::export::{Existing, OutputFile, parameters, write_png};
use crate::flock::Flock;
use crate::offscreen::{Shot, Studio};
use crate::render::{Camera, Scene};
use crate::vk::{Device, RecordOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Draws the flock again as `scene` does, without the panel, to a new file in the current folder. Returns the file's name.
/// Waits for the device.
pub fn take(
    device: &Arc<Device>,
    flock: &mut Flock,
    scene: &Scene,
    camera: Camera,
    (width, height): (u32, u32),
) -> Result<PathBuf> {
    let path = free_name(&format!("starlings-{}", flock.step()));
    let mut file = OutputFile::create(&path, Existing::Keep)?;
    let mut studio = Studio::like(device, flock, scene, width, height)?;
    let shot = Shot { camera, steps: 0, options: RecordOptions::default() };
    let (pixels, _) = studio.draw(flock, &shot)?;
    let comment = serde_json::Value::Object(parameters(flock.settings())).to_string();
    write_png(&mut file, (width, height), &pixels, &comment)?;
    file.commit()?;
    Ok(path)
}

/// `<stem>.png`, or the first of `<stem>-2.png`, `<stem>-3.png` and so on that does not exist.
pub fn free_name(stem: &str) -> PathBuf {
    let first = PathBuf::from(format!("{stem}.png"));
    let others = (2..).map(|number| format!("{stem}-{number}.png").into());
    let free = |path: &PathBuf| Path::symlink_metadata(path).is_err();
    std::iter::once(first).chain(others).find(free).expect("there are more numbers than files")
}
