//! F12: the flock as the window shows it, in a PNG file.

use super::Documents;
use crate::error::Result;
use crate::export::{Existing, Memory, OutputFile, parameters_of_picture, write_png};
use crate::flock::Flock;
use crate::offscreen::{Shot, Studio};
use crate::render::{Camera, Scene};
use crate::vk::{Device, RecordOptions};
use std::path::PathBuf;
use std::sync::Arc;

/// Draws the flock again as `scene` does, without the panel, to a new file in the current folder. Returns the file's name.
/// Waits for the device. The picture remembers the flock in the syntax of `documents`; with its step, if steps alone lead to it.
pub fn take(
    device: &Arc<Device>,
    flock: &mut Flock,
    scene: &Scene,
    (camera, (width, height)): (Camera, (u32, u32)),
    documents: Option<&dyn Documents>,
    replayable: bool,
) -> Result<PathBuf> {
    let path = PathBuf::from(format!("starlings-{}.png", flock.step()));
    let mut file = OutputFile::create(&path, Existing::Number)?;
    let mut studio = Studio::like(device, flock, scene, width, height)?;
    // As the picture remembers it.
    let camera = camera.settled();
    let shot = Shot { camera, steps: 0, options: RecordOptions::default() };
    let (pixels, _) = studio.draw(flock, &shot)?;
    let settings = flock.settings();
    let comment = parameters_of_picture(settings, studio.color_range());
    let memory = documents.map(|documents| Memory {
        config: documents.toml(settings, scene.look(), &camera),
        step: replayable.then(|| flock.step()),
        samples: None,
    });
    write_png(&mut file, (width, height), &pixels, &comment, memory.as_ref())?;
    Ok(file.commit()?.path)
}
