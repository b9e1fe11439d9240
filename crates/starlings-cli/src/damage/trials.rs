//! Trials on a device: the same steps with and without a fault, from the same state.

use super::Damage;
use super::audit::{Counts, all};
use crate::panels::Panels;
use crate::sync::{Drawing, Images};
use starlings::flock::{BoidState, Flock, Settings};
use starlings::frame::{record, record_steps};
use starlings::limits::DRAW_NEAR;
use starlings::render::Look;
use starlings::render::canvas::picture;
use starlings::render::layout::{DrawCommand, VisibleBoid};
use starlings::vk::{DependencyEntry, Device, Fault, FrameSlot, FrameSlots, Journal, RecordOptions};
use starlings::{Error, Result};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Steps of a trial, at most.
pub const MAX_STEPS_PER_TRIAL: u32 = 16;

/// A boid has strayed if it is farther from its place in the intact run than this part of the search radius.
pub const TOLERANCE: f32 = 1e-3;

/// The part of the frame that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Simulation steps.
    Step,
    /// Whole frames: a step and a picture each.
    Frame,
}

/// A dependency that can be left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Breakable {
    /// Its entry in the journal.
    pub dependency: DependencyEntry,
    /// The part that has it: a dependency of a step runs without pictures.
    pub part: Part,
}

/// A flock for trials, and what draws it.
pub struct Trials {
    // Dropped before what its submissions use.
    slots: FrameSlots,
    drawing: Drawing,
    flock: Flock,
    steps_per_trial: u32,
}

/// Results of a run.
struct Flight {
    state: BoidState,
    shown: Option<Shown>,
}

/// Results of the frames of a run.
struct Shown {
    draws: Vec<DrawCommand>,
    list: Vec<VisibleBoid>,
    pictures: Vec<Vec<u8>>,
}

impl Trials {
    /// Spawns the flock of `settings` on `device` for trials of `steps_per_trial` steps, from 1 to
    /// [`MAX_STEPS_PER_TRIAL`], with pictures of `size` pixels.
    ///
    /// # Errors
    /// [`Error::NoDevice`] for a device that was not opened with robust access; otherwise as [`Flock::new`] and
    /// [`Scene::new`](starlings::render::Scene::new).
    pub fn new(device: &Arc<Device>, settings: &Settings, steps_per_trial: u32, size: (u32, u32)) -> Result<Self> {
        if !device.is_robust() {
            return Err(Error::NoDevice(format!("{} was opened without robust buffer access", device.info().name)));
        }
        let steps_per_trial = steps_per_trial.clamp(1, MAX_STEPS_PER_TRIAL);
        // Each step's parameters have their own slot, because each step may be part of another frame.
        let frames = steps_per_trial as usize;
        let flock = Flock::new(device, settings, frames)?;
        let mut trials = Trials {
            slots: FrameSlots::new(device, "trial", 1, true)?,
            drawing: drawing(&flock, frames, size)?,
            flock,
            steps_per_trial,
        };
        trials.settle()?;
        Ok(trials)
    }

    /// Runs `steps` steps in trials, each with the dependency `omit` left out, and counts the errors. With `None`, runs
    /// the intact twin, whose pictures may differ by chance. `go_on` receives the count of finished steps, and stops
    /// the run by an error.
    pub fn run<E: From<Error>>(
        &mut self,
        part: Part,
        omit: Option<&str>,
        steps: u32,
        mut go_on: impl FnMut(u32) -> Result<(), E>,
    ) -> Result<Damage, E> {
        self.settle()?;
        let settings = self.flock.settings().clone();
        // World units that a velocity slot of length 1 moves a boid in a step.
        let reach = settings.time_step * settings.speed_scale();
        let tolerance = TOLERANCE * settings.rules.search_radius;
        let mut damage = Damage::default();
        let mut start = self.flock.state()?;
        let mut left = steps;
        while left > 0 {
            let count = left.min(self.steps_per_trial);
            left -= count;
            let mut counts = Counts::default();
            let step = self.flock.step();
            // Both runs start from it in the same order of storage, which matters to steps that do not sort by
            // identity.
            self.flock.set_state_at(&start, step)?;
            let broken = self.fly(part, omit, count)?;
            counts.grid_of(&self.flock)?;
            self.flock.set_state_at(&start, step)?;
            let intact = self.fly(part, None, count)?;
            compare(&mut counts, &broken, &intact, reach, tolerance);
            damage.trials.push(counts);
            start = intact.state;
            go_on(count)?;
        }
        Ok(damage)
    }

    /// Every dependency of a frame with panels but no display, in order. One that occurs several times is listed once,
    /// because it is left out everywhere at once.
    pub fn dependencies(&mut self) -> Result<Vec<Breakable>> {
        let step: Vec<_> = self.journal(Part::Step)?.dependencies().map(|dependency| dependency.name).collect();
        let frame = self.journal(Part::Frame)?;
        let part = |name| if step.contains(&name) { Part::Step } else { Part::Frame };
        let known =
            |dependency: &DependencyEntry| Breakable { dependency: dependency.clone(), part: part(dependency.name) };
        let mut seen = BTreeSet::new();
        let mut found: Vec<_> =
            frame.dependencies().filter(|dependency| seen.insert(dependency.name)).map(known).collect();
        found.sort_by_key(|dependency| dependency.part == Part::Frame);
        Ok(found)
    }

    fn journal(&mut self, part: Part) -> Result<Journal> {
        let step = self.flock.step();
        let journal = self.record(part, RecordOptions { journal: true, faults: &[] }, 1)?.1;
        // It is not submitted, so the step was not taken.
        self.flock.set_step(step);
        Ok(journal.unwrap_or_default())
    }

    /// The flock.
    pub fn flock(&self) -> &Flock {
        &self.flock
    }

    /// Resets the flock and runs intact frames, which write every buffer: without a dependency, a pass may then read
    /// old data, but not unwritten memory.
    fn settle(&mut self) -> Result<()> {
        self.flock.reset()?;
        self.fly(Part::Frame, None, self.steps_per_trial)?;
        self.flock.reset()
    }

    /// Records `count` steps, as one submission.
    fn record(
        &mut self,
        part: Part,
        options: RecordOptions<'_>,
        count: u32,
    ) -> Result<(&mut FrameSlot, Option<Journal>)> {
        let slot = self.slots.next()?;
        let journal = record(slot, options, |rec| {
            for frame in 0..count as usize {
                let steps = self.flock.prepare_steps(frame, 1);
                match part {
                    Part::Step => record_steps(rec, &self.flock, &steps),
                    Part::Frame => self.drawing.record(rec, (frame, 0), &self.flock, &steps),
                }
            }
        })?;
        Ok((slot, journal))
    }

    /// Runs `count` steps in one submission, and downloads the results.
    fn fly(&mut self, part: Part, omit: Option<&str>, count: u32) -> Result<Flight> {
        let faults: Vec<Fault> = omit.map(|name| Fault::Omit(name.to_owned())).into_iter().collect();
        let (slot, _) = self.record(part, RecordOptions { journal: false, faults: &faults }, count)?;
        slot.submit(None)?;
        self.slots.wait_all()?;
        Ok(Flight {
            state: self.flock.state()?,
            shown: match part {
                Part::Step => None,
                Part::Frame => Some(shown(&self.drawing, count as usize)?),
            },
        })
    }
}

/// Draws the pictures of a trial, one per step. Panels dim their lower half, so that wrong blending is visible.
fn drawing(flock: &Flock, frames: usize, (width, height): (u32, u32)) -> Result<Drawing> {
    let device = flock.device();
    let image = Images::Picture(picture(device, width, height)?);
    let lower = egui::Rect::from_min_max(egui::pos2(0.0, 0.5 * height as f32), egui::pos2(width as f32, height as f32));
    let panels = Panels::showing(device, image.format(), frames, (width, height), |ui| {
        ui.ctx().debug_painter().rect_filled(lower, 0.0, egui::Color32::from_black_alpha(120));
    })?;
    Drawing::new(flock, Look::of(flock.settings()), image, (width, height), frames, Some(panels))
}

/// Downloads the results of the last frames.
fn shown(drawing: &Drawing, frames: usize) -> Result<Shown> {
    Ok(Shown {
        draws: all(drawing.scene.draw_commands())?,
        list: all(drawing.scene.visible_boids())?,
        pictures: drawing.bytes[..frames].iter().map(|bytes| bytes.read(0, bytes.size() as usize)).collect(),
    })
}

fn compare(counts: &mut Counts, broken: &Flight, intact: &Flight, reach: f32, tolerance: f32) {
    let there = counts.state(&broken.state);
    let here = Counts::default().state(&intact.state);
    counts.difference((&broken.state, &there), (&intact.state, &here), reach, tolerance);
    let boids = broken.state.len() as u32;
    if let (Some(broken), Some(intact)) = (&broken.shown, &intact.shown) {
        let [there, here] = [broken, intact].map(|shown| &shown.draws[DRAW_NEAR as usize]);
        counts.draw(there, here, &broken.list, boids);
        for (broken, intact) in broken.pictures.iter().zip(&intact.pictures) {
            counts.picture(broken, intact);
        }
    }
}
