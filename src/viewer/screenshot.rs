//! F12: the flock as the window shows it, in a PNG file.

use crate::error::Result;
use crate::export::{Existing, OutputFile, parameters, write_png};
use crate::flock::Flock;
use crate::offscreen::{Shot, Studio};
use crate::render::{Camera, Scene};
use crate::vk::{Device, RecordOptions};
use std::path::PathBuf;
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
    let path = PathBuf::from(format!("starlings-{}.png", flock.step()));
    let mut file = OutputFile::create(&path, Existing::Number)?;
    let mut studio = Studio::like(device, flock, scene, width, height)?;
    let shot = Shot { camera, steps: 0, options: RecordOptions::default() };
    let (pixels, _) = studio.draw(flock, &shot)?;
    let comment = serde_json::Value::Object(parameters(flock.settings())).to_string();
    write_png(&mut file, (width, height), &pixels, &comment)?;
    Ok(file.commit()?.path)
}
