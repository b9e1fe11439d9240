//! Pictures and films of a script's flock.

use super::devices::{device, here, noted};
use super::{Flags, ScriptedFlock};
use crate::cli::output::existing;
use crate::cli::render::{Samples, aspect};
use crate::export::{VideoFile, VideoFormat};
use crate::running::Running;
use crate::{Error, Result};
use starlings::flock::Flock;
use starlings::limits::SAMPLES;
use starlings::offscreen::{Offscreen, Shot, Studio};
use starlings::render::look::Coloring;
use starlings::render::{Camera, Look, canvas};
use starlings::vk::RecordOptions;
use std::path::{Path, PathBuf};

/// How a flock is to be seen.
#[derive(Clone, Debug)]
pub struct Shown {
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Samples for each pixel: 4 times a square.
    pub samples: u32,
    /// Whether to see it from its edge instead of from afar.
    pub near: bool,
    /// Flags of look and camera, over those of the flock.
    pub flags: Flags,
}

/// A picture: four sRGB bytes a pixel, rows from the top.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// The bytes.
    pub rgba: Vec<u8>,
}

/// A film to be made.
#[derive(Clone, Debug)]
pub struct Film<'a> {
    /// Its file, whose name ends in the format.
    pub path: &'a Path,
    /// How many frames.
    pub frames: u32,
    /// Steps for each of them.
    pub every: u32,
    /// Whether to replace a file.
    pub force: bool,
}

/// A studio, and what it was made for.
pub struct Painter {
    look: Look,
    drawn: (u32, u32),
    studio: Studio,
}

/// What a picture of `shown` takes.
struct Seen {
    look: Look,
    camera: Camera,
    samples: Samples,
}

impl ScriptedFlock {
    /// A picture of the flock as it is.
    pub fn render(&mut self, shown: &Shown) -> Result<Picture> {
        here()?;
        let Seen { look, camera, samples } = self.seen(shown)?;
        let drawn = self.drawn_size(shown.size, samples)?;
        let mut painter = self.painter.take().filter(|painter| painter.look == look && painter.drawn == drawn);
        let settings = self.request.settings.clone();
        let shot = still(camera);
        let pixels = match &mut *self.running {
            Running::Device(simulation) => {
                let flock = simulation.flock_mut();
                let mut painter = match painter.take() {
                    Some(painter) => painter,
                    None => noted(paint(flock, look, drawn))?,
                };
                let drawn = painter.studio.draw(flock, &shot);
                let pixels = noted(drawn)?.0;
                *self.painter = Some(painter);
                pixels
            }
            Running::Cpu(engine) => {
                let device = device(&self.place)?;
                let mut offscreen = Offscreen::with_look(&device, &settings, look, drawn.0, drawn.1)?;
                offscreen.resume(&engine.state(), engine.step())?;
                noted(offscreen.draw(&shot))?.0
            }
        };
        Ok(Picture { size: shown.size, rgba: samples.mean(pixels, shown.size.0) })
    }

    /// Flies the flock on and films it: each frame after `film.every` more steps, shown as long as these are. Returns
    /// the name of the file, which ends in `.y4m` where there is no program `ffmpeg`. After each frame, `ask` is asked
    /// whether to go on.
    ///
    /// # Errors
    /// As [`ScriptedFlock::render`]; [`Error::Interrupted`], [`Error::Output`] and [`Error::Exists`], without a file.
    pub fn film(&mut self, film: &Film<'_>, shown: &Shown, ask: &mut dyn FnMut(u32) -> bool) -> Result<PathBuf> {
        here()?;
        let format = film.path.extension().and_then(|extension| VideoFormat::named(extension.to_str()?));
        let format = format.ok_or_else(|| {
            let accepted = "a file ending in .mp4, .webm, .gif or .y4m";
            Error::flag("path", format!("'{}'", film.path.display()), accepted)
        })?;
        if film.every == 0 || film.frames == 0 {
            let name = if film.every == 0 { "every" } else { "frames" };
            return Err(Error::flag(name, 0, "a whole number from 1"));
        }
        let Seen { look, camera, samples } = self.seen(shown)?;
        let drawn = self.drawn_size(shown.size, samples)?;
        let settings = self.request.settings.clone();
        let seconds = settings.time_step * film.every as f32;
        let (mut video, path) = VideoFile::open(film.path, existing(film.force), format, shown.size, seconds)?;
        // It would hold the memory of a second one.
        *self.painter = None;
        let leaves_trails = look.trail > 0.0;
        let mut push = |done, pixels| {
            video.push(&samples.mean(pixels, shown.size.0))?;
            if ask(done) { Ok(()) } else { Err(Error::Interrupted) }
        };
        match &mut *self.running {
            Running::Device(simulation) => {
                let mut painter = noted(paint(simulation.flock_mut(), look, drawn))?;
                painter.studio.follow_colors();
                for done in 1..=film.frames {
                    // Trails have a point for each frame that is drawn.
                    let unseen = if leaves_trails { 0 } else { film.every - 1 };
                    noted(simulation.advance(unseen).and_then(|()| simulation.wait()))?;
                    let (mut pixels, mut left) = (Vec::new(), film.every - unseen);
                    while left > 0 {
                        let steps = left.min(simulation.flock().steps_at_once());
                        let shot = Shot { steps, ..still(camera) };
                        pixels = noted(painter.studio.draw(simulation.flock_mut(), &shot))?.0;
                        left -= steps;
                    }
                    push(done, pixels)?;
                }
            }
            Running::Cpu(engine) => {
                let device = device(&self.place)?;
                let mut offscreen = Offscreen::with_look(&device, &settings, look, drawn.0, drawn.1)?;
                offscreen.resume(&engine.state(), engine.step())?;
                offscreen.follow_colors();
                let went = (1..=film.frames).try_for_each(|done| {
                    let (mut pixels, mut left) = (Vec::new(), film.every);
                    while left > 0 {
                        let steps = left.min(offscreen.steps_at_once());
                        pixels = noted(offscreen.draw(&Shot { steps, ..still(camera) }))?.0;
                        left -= steps;
                    }
                    push(done, pixels)
                });
                // Whatever ended it, the flock has flown so far.
                engine.resume(&offscreen.flock().state()?, offscreen.flock().step());
                went?;
            }
        }
        video.finish(false)?;
        Ok(path)
    }

    fn seen(&self, shown: &Shown) -> Result<Seen> {
        let samples = Samples::of(shown.samples).ok_or_else(|| {
            let accepted = format!("{SAMPLES} times a square: {SAMPLES}, 16, 36, 64, and so on to 1024");
            Error::flag("samples", shown.samples, accepted)
        })?;
        let (width, height) = shown.size;
        if width == 0 || height == 0 {
            return Err(Error::flag("size", format!("{width}x{height}"), "a width and a height from 1, in pixels"));
        }
        let (look, viewpoint) = self.look(&shown.flags)?;
        if look.color == Coloring::Neighbors && !self.running.shows_neighbors() {
            let accepted = "any other in this picture: neighbors are counted in the steps after color is set";
            return Err(Error::flag("color", "'neighbors'", accepted));
        }
        let settings = &self.request.settings;
        let said = viewpoint.camera(settings, aspect(shown.size))?;
        let mut camera = said.unwrap_or_else(|| Camera::of(settings, aspect(shown.size)));
        if shown.near {
            let vertical_fov = camera.vertical_fov;
            let positions = noted(self.running.positions())?;
            camera = Camera { vertical_fov, ..Camera::near(&positions, look.boid_length) };
        }
        Ok(Seen { look, camera: camera.settled(), samples })
    }

    fn drawn_size(&self, size: (u32, u32), samples: Samples) -> Result<(u32, u32)> {
        let device = match &*self.running {
            Running::Device(simulation) => simulation.flock().device().clone(),
            Running::Cpu(_) => device(&self.place)?,
        };
        let drawn = samples.drawn(size, device.info())?;
        canvas::check(device.info(), &self.request.settings, drawn.0, drawn.1)?;
        Ok(drawn)
    }
}

fn still(camera: Camera) -> Shot<'static> {
    Shot { camera, steps: 0, options: RecordOptions::default() }
}

fn paint(flock: &Flock, look: Look, drawn: (u32, u32)) -> starlings::Result<Painter> {
    let studio = Studio::with_look(flock.device(), flock, look.clone(), drawn.0, drawn.1)?;
    Ok(Painter { look, drawn, studio })
}
