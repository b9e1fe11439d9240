//! F12: the flock as the window shows it, in a PNG file.

use crate::error::Result;
use crate::export::{Existing, Memory, OutputFile, parameters_of_picture, write_png};
use starlings::flock::Flock;
use starlings::offscreen::{Shot, Studio};
use starlings::render::{Camera, Scene};
use starlings::vk::{Device, RecordOptions};
use std::path::PathBuf;
use std::sync::Arc;

/// Draws the flock again as `scene` does, without the panel, to a new file in the current folder. Returns the file's
/// name. Waits for the device. The picture has `memory`.
pub fn take(
    device: &Arc<Device>,
    flock: &mut Flock,
    scene: &Scene,
    (camera, (width, height)): (Camera, (u32, u32)),
    memory: Option<&Memory>,
) -> Result<PathBuf> {
    let path = PathBuf::from(format!("starlings-{}.png", flock.step()));
    let mut file = OutputFile::create(&path, Existing::Number)?;
    let mut studio = Studio::like(device, flock, scene, width, height)?;
    let shot = Shot { camera, steps: 0, options: RecordOptions::default() };
    let (pixels, _) = studio.draw(flock, &shot)?;
    let settings = flock.settings();
    let comment = parameters_of_picture(settings, studio.color_range());
    write_png(&mut file, (width, height), &pixels, &comment, memory)?;
    Ok(file.commit()?.path)
}
