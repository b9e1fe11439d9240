//! What changes in an open session: the flock and its settings, its look, and how finely it is drawn.

use super::keeping::Keeping;
use super::neighborhood::Neighborhood;
use super::reading::{Reading, Wanted};
use super::session::Session;
use super::stepping::{FRAMES_IN_FLIGHT, Stepping};
use super::{Documents, ViewerOptions, screenshot};
use crate::error::Result;
use crate::flock::Start;
use crate::render::{Camera, Look, Scene, canvas};
use crate::vk::Fault;
use glam::Vec3;
use std::path::PathBuf;

impl Session {
    /// Goes on with `options.settings`: in place, or as another flock that has the boids of this one. Where it cannot, the error leaves
    /// everything as it was.
    pub fn change(&mut self, options: &ViewerOptions) -> Result<()> {
        let settings = &options.settings;
        if self.stepping.adjust(settings)? {
            self.changed = true;
            return Ok(());
        }
        self.make_anew(options)
    }

    /// Goes on as another flock that has the boids of this one. Where it cannot, the error leaves everything as it was.
    pub fn make_anew(&mut self, options: &ViewerOptions) -> Result<()> {
        let (state, step) = self.stepping.newest()?;
        let state = state.carried_over(self.stepping.flock.settings(), &options.settings);
        self.replace(options, Some(&Start { state: &state, step, crowding: None }))
    }

    /// Spawns another flock in place of this one, or lets it continue from `start`. Where it cannot, the error leaves everything as it was.
    pub fn replace(&mut self, options: &ViewerOptions, start: Option<&Start<'_>>) -> Result<()> {
        canvas::check(self.device.info(), &options.settings, self.window_size.0, self.window_size.1)?;
        let stepping = Stepping::new(&self.device, options, start)?;
        let scene = match &self.drawing {
            Some(drawing) => {
                let (look, format) = (options.look.clone(), drawing.format);
                Some(Scene::with_look(&self.device, &stepping.flock, look, format, FRAMES_IN_FLIGHT)?)
            }
            None => None,
        };
        self.device.wait_idle()?;
        (self.reading, self.keeping) = (None, Keeping::default());
        if let (Some(drawing), Some(scene)) = (&mut self.drawing, scene) {
            drawing.scene = scene;
            self.scenes += 1;
        }
        (self.stepping, self.look, self.changed) = (stepping, options.look.clone(), start.is_some());
        Ok(())
    }

    /// Leaves these dependencies out from the next frame on, and resets the flock.
    pub fn leave_out(&mut self, names: impl Iterator<Item = &'static str>) -> Result<()> {
        self.faults = names.map(|name| Fault::Omit(name.to_owned())).collect();
        self.reset()
    }

    /// Place and velocity slot of each of these boids now, as far as they have been seen, and looks for them again in the next frame.
    pub fn look_for(&mut self, wanted: Wanted) -> Result<Vec<Option<(Vec3, Vec3)>>> {
        if wanted.ids.is_empty() {
            return Ok(Vec::new());
        }
        let (device, flock) = (&self.device, &self.stepping.flock);
        let reading = match self.reading.take() {
            Some(reading) => reading,
            None => Reading::new(device, flock.settings().boids)?,
        };
        let reading = self.reading.insert(reading);
        let ids = wanted.ids.clone();
        reading.look_for(wanted, &self.slots, flock.settings())?;
        Ok(ids.iter().map(|&id| reading.boid(id, flock.step(), flock.settings())).collect())
    }

    /// The neighborhood of boid `id`, if it was found last.
    pub fn neighborhood(&self, id: u32) -> Option<&Neighborhood> {
        self.reading.as_ref()?.neighborhood().filter(|seen| seen.id == id)
    }

    /// Starts the flock over.
    pub fn reset(&mut self) -> Result<()> {
        self.changed = false;
        self.keeping.forget();
        self.stepping.reset()
    }

    /// Draws the flock like this from the next frame on.
    pub fn set_look(&mut self, look: Look) -> Result<()> {
        look.observe(&mut self.stepping.flock, FRAMES_IN_FLIGHT)?;
        if let Some(drawing) = &mut self.drawing {
            drawing.scene.set_look(&self.stepping.flock, look.clone())?;
            self.scenes += 1;
        }
        self.look = look;
        Ok(())
    }

    /// The values of the first and of the last color, if colors stand for amounts.
    pub fn color_range(&self) -> Option<[f32; 2]> {
        self.drawing.as_ref()?.scene.color_range()
    }

    /// Whether these are those of the flock as it is, or do not depend on it.
    pub fn has_settled_colors(&self) -> bool {
        let values = self.drawing.as_ref().and_then(|drawing| drawing.scene.values());
        values.is_none_or(|values| values.fit.is_settled())
    }

    /// Draws the flock again to a file in the current folder. Returns its name, or none if nothing is shown.
    pub fn photograph(&mut self, camera: Camera, options: &ViewerOptions) -> Result<Option<PathBuf>> {
        let (Some(size), Some(drawing)) = (self.size(), &self.drawing) else { return Ok(None) };
        let documents = options.documents.as_deref().map(|documents| documents as &dyn Documents);
        let replayable = self.is_replayable(options);
        let (device, flock) = (&self.device, &mut self.stepping.flock);
        screenshot::take(device, flock, &drawing.scene, (camera, size), documents, replayable).map(Some)
    }

    /// Pixels along an edge of a block.
    pub fn block(&self) -> u32 {
        self.block
    }

    /// Draws blocks of so many pixels along an edge from the next frame on.
    pub fn set_block(&mut self, block: u32) {
        self.stale |= self.block != block;
        self.block = block;
    }

    /// Whether steps alone lead from the start of `options` to the flock as it is.
    pub fn is_replayable(&self, options: &ViewerOptions) -> bool {
        let begun_at_start = options.resume.as_ref().is_none_or(|checkpoint| checkpoint.replayable);
        begun_at_start && !self.changed && self.faults.is_empty() && self.stepping.flock.cursor().is_none()
    }
}
