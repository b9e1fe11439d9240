//! What takes other kernels than the window has: they are built beside it, and the flock goes on as it was meanwhile.
//!
//! A thread draws a few boids with the new kernels on a device of its own. After that the driver has them, and the
//! window's own device gets them at once.

use super::Opened;
use super::open_window::OpenWindow;
use crate::cache_folder;
use crate::error::Result;
use starlings::flock::Settings;
use starlings::offscreen::{Offscreen, Shot};
use starlings::render::{Camera, Look};
use starlings::vk::{Device, DeviceOptions, Instance, RecordOptions};
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

/// Boids that are drawn with new kernels.
const BOIDS: u32 = 256;

/// Width and height of that picture, in pixels.
const SIZE: u32 = 64;

/// What follows once kernels are there.
pub enum Then {
    /// The flock goes on with the settings and the look that are wanted by then.
    Change,
    /// Another flock starts, and that is said.
    Start(Box<Opened>, String),
    /// Frames may be broken from then on, or no longer.
    Break,
}

/// Kernels that are being built.
struct Building {
    kernels: Kernels,
    wanted: (Settings, Look),
    then: Then,
    thread: Option<JoinHandle<()>>,
}

impl Building {
    fn is_done(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }
}

impl Drop for Building {
    fn drop(&mut self) {
        // A driver at work outlives no process.
        drop(self.thread.take().map(JoinHandle::join));
    }
}

/// What tells the kernels of a flock and its picture apart, on a robust device or not.
type Kernels = String;

fn kernels(settings: &Settings, look: &Look, robust: bool) -> Kernels {
    let meshes = settings.obstacles.iter().any(|obstacle| obstacle.is_mesh());
    let of_flock = (settings.law, settings.engine, settings.search, settings.plane, settings.walls_met());
    let with = (settings.influences(), settings.states, settings.obstacles.is_empty(), meshes);
    let model = look.model.as_ref().map(|model| model.file().to_owned());
    let of_look = (look.shape, look.color, look.backdrop, look.trail > 0.0, model, look.color_range.is_some());
    format!("{of_flock:?} {with:?} {of_look:?} {robust}")
}

/// The kernels that the driver has, and those that it is given.
#[derive(Default)]
pub struct Buildings {
    known: HashSet<Kernels>,
    now: Option<Building>,
}

impl Buildings {
    /// Those of the flock that the window starts with.
    pub fn with(settings: &Settings, look: &Look) -> Buildings {
        Buildings { known: HashSet::from([kernels(settings, look, false)]), now: None }
    }

    /// Whether something is being built.
    pub fn is_busy(&self) -> bool {
        self.now.is_some()
    }

    pub fn wanted(&self) -> Option<(&Settings, &Look)> {
        self.now.as_ref().map(|building| (&building.wanted.0, &building.wanted.1))
    }

    /// The settings that are waited for, to be changed.
    fn wanted_settings(&mut self) -> Option<&mut Settings> {
        self.now.as_mut().map(|building| &mut building.wanted.0)
    }

    /// What is being built, in a few words.
    pub fn word(&self) -> Option<&'static str> {
        self.now.as_ref().map(|building| match building.then {
            Then::Change => "building what you have chosen; the flock goes on as it was",
            Then::Start(..) => "building another flock; this one goes on",
            Then::Break => "building a frame that may be broken; this one goes on",
        })
    }
}

/// Draws a few boids on a device like that of the window.
fn rehearse(instance: &Arc<Instance>, gpu: &str, (settings, look): (Settings, Look), robust: bool) -> Result<()> {
    let folder = cache_folder();
    let device = Device::with_options(
        instance,
        &DeviceOptions { wanted: Some(gpu), pipeline_cache: folder.as_deref(), robust, ..DeviceOptions::default() },
    )?;
    let (weights, speeds, leader) = (None, None, settings.leader.map(|_| 0));
    let settings = Settings { weights, speeds, leader, ..settings }.with_boids(BOIDS);
    let look = look.fitted(&settings);
    let camera = Camera::of(&settings, 1.0);
    let mut offscreen = Offscreen::with_look(&device, &settings, look, SIZE, SIZE)?;
    offscreen.draw(&Shot { camera, steps: 1, options: RecordOptions::default() })?;
    Ok(())
}

impl OpenWindow {
    /// Settings and look as the user has chosen them, whether they are shown yet or not.
    pub(super) fn chosen(&self) -> (&Settings, &Look) {
        self.buildings.wanted().unwrap_or((&self.options.settings, &self.options.look))
    }

    /// Whether `then` can follow at once with these settings and this look. If not, kernels for them are being built,
    /// and it follows when they are there.
    pub(super) fn is_built(&mut self, settings: &Settings, look: &Look, then: Then) -> bool {
        let robust = matches!(then, Then::Break) != self.breaking.is_some();
        let kernels = kernels(settings, look, robust);
        let wanted = (settings.clone(), look.clone());
        if let Some(building) = &mut self.buildings.now {
            // One after the other: what is wanted then is known then.
            building.wanted = wanted;
            building.then = match (std::mem::replace(&mut building.then, Then::Change), then) {
                (Then::Break, Then::Break) => Then::Change,
                (waiting, Then::Change) => waiting,
                (_, then) => then,
            };
            return false;
        }
        if self.options.benchmark || self.options.headless || self.buildings.known.contains(&kernels) {
            return true;
        }
        self.build(kernels, wanted, then, robust);
        false
    }

    /// Changes what acts on the flock from the next step on, and on the one that is waited for.
    pub(super) fn lead(&mut self, mut lead: impl FnMut(&mut Settings)) -> Result<()> {
        if let Some(wanted) = self.buildings.wanted_settings() {
            lead(wanted);
        }
        let (mut settings, look) = (self.options.settings.clone(), self.options.look.clone());
        lead(&mut settings);
        if settings == self.options.settings {
            return Ok(());
        }
        let kernels = kernels(&settings, &look, self.breaking.is_some());
        let is_there = match self.buildings.is_busy() {
            true => self.buildings.known.contains(&kernels),
            false => self.is_built(&settings, &look, Then::Change),
        };
        if is_there { self.adjust(settings).map(drop) } else { Ok(()) }
    }

    fn build(&mut self, kernels: Kernels, wanted: (Settings, Look), then: Then, robust: bool) {
        let (instance, gpu) = (self.session.display.instance.clone(), self.session.device.info().uuid.to_string());
        let of_thread = wanted.clone();
        let work = move || {
            // What fails here fails again in the window, which says so.
            match catch_unwind(AssertUnwindSafe(|| rehearse(&instance, &gpu, of_thread, robust))) {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::debug!("not built beside the window: {error}"),
                Err(_) => tracing::debug!("not built beside the window"),
            }
        };
        let thread = thread::Builder::new().name("building".into()).spawn(work).ok();
        self.buildings.now = Some(Building { kernels, wanted, then, thread });
        self.controls.overlay.renew();
        self.show_title();
    }

    /// Goes on with what was built, if that is done.
    pub(super) fn take_built(&mut self) -> Result<()> {
        let Some(mut building) = self.buildings.now.take_if(|building| building.is_done()) else { return Ok(()) };
        self.buildings.known.insert(std::mem::take(&mut building.kernels));
        let then = std::mem::replace(&mut building.then, Then::Change);
        let (settings, look) = building.wanted.clone();
        let robust = matches!(then, Then::Break) != self.breaking.is_some();
        let kernels = kernels(&settings, &look, robust);
        if !self.buildings.known.contains(&kernels) {
            // The user has chosen something else meanwhile.
            self.build(kernels, (settings, look), then, robust);
            return Ok(());
        }
        drop(building);
        self.controls.overlay.renew();
        match then {
            Then::Change => self.change_to(settings, look)?,
            Then::Start(opened, notice) => self.start(Opened { settings, look, ..*opened }, &notice)?,
            Then::Break => {
                self.toggle_breaking()?;
                self.change(settings, look)?;
            }
        }
        self.window.is_dirty = true;
        self.show_title();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use starlings::flock::Search;
    use starlings::render::look::{Coloring, Shape};

    #[test]
    fn kernels_differ_by_what_is_built_and_not_by_numbers() {
        let settings = Settings::preset("reynolds").expect("a known preset");
        let look = Look::of(&settings);
        let of = |settings: &Settings, look: &Look| kernels(settings, look, false);
        let same = of(&settings, &look);
        let mut numbers = settings.clone().with_boids(77);
        numbers.rules.alignment_weight = 9.0;
        assert_eq!(of(&numbers, &Look { trail: 0.0, ..look.clone() }), same);
        assert_ne!(kernels(&settings, &look, true), same);
        for other in [
            Settings { search: Search::AllPairs, ..settings.clone() },
            Settings { targets: 3, ..settings.clone() },
            Settings { plane: true, ..settings.clone() },
        ] {
            assert_ne!(of(&other, &look), same);
        }
        for other in [
            Look { shape: Shape::Dart, ..look.clone() },
            Look { color: Coloring::Speed, ..look.clone() },
            Look { trail: 1.0, ..look.clone() },
        ] {
            assert_ne!(of(&settings, &other), same);
        }
    }
}
