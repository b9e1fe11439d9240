//! The device resources of a window: flock, picture, display and frames.

use super::ViewerOptions;
use super::boid_finder::{BoidFinder, Wanted};
use super::camera::{Around, CameraMotion, Room};
use super::display::{Display, Outcome};
use super::drawing::Drawing;
use super::frame_waits::FrameWaits;
use super::neighborhood::Neighborhood;
use super::recovery::{MOST_BOIDS, Snapshots};
use super::startup::{Made, Startup};
use super::stepped_flock::{FRAMES_IN_FLIGHT, SteppedFlock};
use crate::damage::Counts;
use crate::error::{Error, Result};
use crate::export::{Existing, Memory, OutputFile, parameters_of_picture, write_png};
use crate::flight::Flight;
use crate::machine::watched;
use glam::Vec3;
use starlings::flock::{BoidState, OrderParameters};
use starlings::frame::{FrameView, OpenFrame, Output, Overlay, record_frame};
use starlings::offscreen::{Shot, Studio};
use starlings::render::{Camera, Look, View, canvas};
use starlings::vk::{Device, Fault, FrameSlots, Instance, Journal, RecordOptions, Validation};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// The largest flock of a CPU engine that is looked at twice a second.
const MOST_BOIDS_ON_CPU: u32 = 1 << 17;

/// What a frame shows. Requested only after an image is acquired, so that no step is lost.
pub struct Plan {
    /// Simulation steps to take first.
    pub steps: u32,
    /// Simulated seconds that positions run ahead by.
    pub extrapolate: f32,
    pub camera: Camera,
    /// Real seconds since the frame before.
    pub elapsed: f32,
    /// Whether the last of the steps is observed, for the order parameters of the flock before it.
    pub observed: bool,
}

/// All Vulkan objects of a window. Fields are dropped in this order, while the device is idle.
pub struct Session {
    /// While boids are looked for.
    finder: Option<BoidFinder>,
    /// What is left of the flock if the device is lost.
    snapshots: Snapshots,
    pub drawing: Drawing,
    pub display: Display,
    /// The frames in flight, with their GPU times.
    pub slots: FrameSlots,
    pub waits: FrameWaits,
    pub flock: SteppedFlock,
    /// The flight of the flock, or why steps and changes alone do not lead to it.
    pub flight: std::result::Result<Flight, &'static str>,
    faults: Vec<Fault>,
    /// What the last frame recorded; kept on robust devices.
    pub journal: Option<Journal>,
    /// The instance that the window was opened with, to go back to from a robust device.
    intact: Arc<Instance>,
    pub device: Arc<Device>,
}

impl Session {
    /// Takes over what `startup` has made, once it is done.
    pub fn new(mut startup: Startup) -> Result<Self> {
        let Made { slots, scene, flock } = startup.finish()?;
        let Startup { device, options, panels, format, display, .. } = startup;
        let software = !options.full_quality && device.info().is_software();
        Ok(Session {
            finder: None,
            snapshots: Snapshots::default(),
            drawing: Drawing::new(&device, (scene, format), panels, if software { canvas::COARSE } else { 1 }),
            slots,
            waits: FrameWaits::default(),
            flight: flight_of(&options, &flock),
            flock,
            faults: options.faults,
            journal: None,
            intact: display.instance.clone(),
            display,
            device,
        })
    }

    /// A new session for the same window, on a `robust` device or not. Drop this session before the new one draws.
    pub fn reopened(&self, options: &ViewerOptions, robust: bool) -> Result<Self> {
        let Display { pane, window_size, swapchains, .. } = &self.display;
        let instance = match robust && self.intact.validating() {
            // The layer would report the intended faults, and the program would end with an error.
            true => pane.instance(Validation::Off, false)?,
            false => self.intact.clone(),
        };
        let startup = Startup::begin(pane, *window_size, &instance, options, robust, Some(&self.drawing.panels))?;
        let mut session = Self::new(startup)?;
        session.intact = self.intact.clone();
        session.set_block(self.drawing.block);
        session.display.swapchains = *swapchains;
        Ok(session)
    }

    /// The camera at the start of `options`, whose picture has a free part: on all of the flock, unless it is given, or
    /// times are to be compared.
    pub fn camera(&self, options: &ViewerOptions, aspect: f32, room: Room) -> Result<CameraMotion> {
        let settings = &options.settings;
        let of_world = Camera::of(settings, aspect);
        if options.camera.is_some() || options.benchmark {
            return Ok(CameraMotion::new(options.camera.unwrap_or(of_world), settings, aspect));
        }
        // A flock that follows the pointer would move with the camera, and the camera with it.
        let is_kept = settings.boids <= MOST_BOIDS && !settings.law.follows_cursor();
        let state = is_kept.then(|| self.flock.on_device.state()).transpose()?;
        let flock = state.and_then(|state| Around::of(&state.position, options.look.boid_length));
        Ok(CameraMotion::framing(of_world, flock, settings, aspect, room))
    }

    /// Where the flock was, not long ago, if that is known.
    pub fn seen(&mut self) -> Option<Around> {
        let boid_length = self.drawing.scene.look().boid_length;
        if self.flock.is_on_cpu() {
            let is_small = self.flock.settings().boids <= MOST_BOIDS_ON_CPU;
            let (state, _) = is_small.then(|| self.flock.on_cpu()).flatten()?;
            return Around::of(&state.position, boid_length);
        }
        Around::of(&self.snapshots.last()?.position, boid_length)
    }

    /// The last state that the host has, in the order of storage, and its step: what is left if the device is lost.
    pub fn kept(&mut self) -> Option<(BoidState, u32)> {
        self.flock.on_cpu().or_else(|| self.snapshots.take())
    }

    /// Goes on with `options.settings`: in place, or as another flock that has the boids of this one. Where it cannot,
    /// the error leaves everything as it was.
    pub fn change(&mut self, options: &ViewerOptions) -> Result<()> {
        let (step, in_place) = (self.flock.step(), self.flock.adjust(&options.settings)?);
        if !in_place {
            self.make_anew(options)?;
        }
        if let Ok(flight) = &mut self.flight
            && !flight.note(step, &options.settings, in_place)
        {
            self.flight = Err("it has more changes than a flight has room for");
        }
        Ok(())
    }

    /// Goes on as another flock that has the boids of this one. Where it cannot, the error leaves everything as it was.
    pub fn make_anew(&mut self, options: &ViewerOptions) -> Result<()> {
        self.check_canvas(options)?;
        let flock = self.flock.anew(&options.settings, options)?;
        self.replace(flock, options)
    }

    /// Starts the flock of `options` in place of this one, and takes its first steps. Where it cannot, the error leaves
    /// everything as it was.
    pub fn start(&mut self, options: &ViewerOptions) -> Result<()> {
        self.check_canvas(options)?;
        let mut flock = SteppedFlock::new(&self.device, options.first(), options, None)?;
        flock.fast_forward(&mut self.slots, options, |_| false)?;
        let flight = flight_of(options, &flock);
        self.replace(flock, options)?;
        self.flight = flight;
        Ok(())
    }

    fn check_canvas(&self, options: &ViewerOptions) -> Result<()> {
        let (width, height) = self.display.window_size;
        Ok(canvas::check(self.device.info(), &options.settings, width, height)?)
    }

    /// Shows `flock` in place of this one, with the look of `options`.
    fn replace(&mut self, flock: SteppedFlock, options: &ViewerOptions) -> Result<()> {
        let scene = self.drawing.scene_of(&flock, &options.look.clone().fitted(flock.settings()))?;
        self.device.wait_idle()?;
        (self.finder, self.snapshots) = (None, Snapshots::default());
        self.drawing.set_scene(scene);
        self.flock = flock;
        Ok(())
    }

    /// Leaves these dependencies out from the next frame on, and resets the flock.
    pub fn leave_out(&mut self, names: impl Iterator<Item = &'static str>, options: &ViewerOptions) -> Result<()> {
        self.faults = names.map(|name| Fault::Omit(name.to_owned())).collect();
        self.reset(options)
    }

    /// Starts the flock over.
    pub fn reset(&mut self, options: &ViewerOptions) -> Result<()> {
        if self.flight.as_ref().is_ok_and(|flight| !flight.is_changed()) {
            self.snapshots.forget();
            return self.flock.reset();
        }
        // Made as a run makes it that starts with these settings: its buffers may be longer after changes.
        self.start(&ViewerOptions { flight: None, start_step: 0, resume: None, ..options.clone() })
    }

    /// Draws the flock like this from the next frame on.
    pub fn set_look(&mut self, look: Look) -> Result<()> {
        look.observe(&mut self.flock.on_device, FRAMES_IN_FLIGHT)?;
        self.drawing.set_look(&self.flock, look)
    }

    /// Draws blocks of so many pixels along an edge from the next frame on.
    pub fn set_block(&mut self, block: u32) {
        if std::mem::replace(&mut self.drawing.block, block) != block {
            self.display.renew();
        }
    }

    /// Place and velocity slot of each of these boids now, as far as they have been seen, and looks for them again in
    /// the next frame.
    pub fn find(&mut self, wanted: Wanted) -> Result<Vec<Option<(Vec3, Vec3)>>> {
        if wanted.ids.is_empty() {
            return Ok(Vec::new());
        }
        let settings = self.flock.settings();
        let finder = match self.finder.take() {
            Some(finder) => finder,
            None => BoidFinder::new(&self.device, settings.boids)?,
        };
        let finder = self.finder.insert(finder);
        let ids = wanted.ids.clone();
        finder.request(wanted, &self.slots, settings)?;
        Ok(ids.iter().map(|&id| finder.boid(id, self.flock.on_device.step(), settings)).collect())
    }

    /// The neighborhood of boid `id`, if it was found last.
    pub fn neighborhood(&self, id: u32) -> Option<&Neighborhood> {
        self.finder.as_ref()?.neighborhood().filter(|found| found.id == id)
    }

    /// The flight to the flock that is shown, and its steps; or why there is none.
    pub fn flown(&self) -> std::result::Result<(&Flight, u32), &'static str> {
        match &self.flight {
            _ if !self.faults.is_empty() => Err("a dependency is left out"),
            Ok(flight) => Ok((flight, self.flock.on_device.step())),
            Err(reason) => Err(reason),
        }
    }

    /// What a file remembers of the flock that is shown, as `options` say it, seen by `camera`; a video in any case, if
    /// there is a flight to it.
    pub fn memory(&self, options: &ViewerOptions, camera: &Camera, video: bool) -> Option<String> {
        let (documents, look) = (options.documents.as_deref()?, self.drawing.scene.look());
        match self.flown() {
            Ok(flown) => Some(documents.flight(flown, look, camera, video)),
            Err(_) if video => None,
            Err(_) => Some(documents.toml(self.flock.on_device.settings(), look, camera)),
        }
    }

    /// F12: draws the flock again, without the panel, to a new file in the current folder. Returns its name, or none if
    /// nothing is shown. Waits for the device.
    pub fn photograph(&mut self, camera: Camera, options: &ViewerOptions) -> Result<Option<PathBuf>> {
        let Some(size) = self.display.size() else { return Ok(None) };
        // As the picture remembers it.
        let camera = camera.settled();
        let step = self.flown().is_ok().then_some(self.flock.on_device.step());
        let memory = self.memory(options, &camera, false).map(|config| Memory { config, step, samples: None });
        let flock = &mut self.flock.on_device;
        let path = PathBuf::from(format!("starlings-{}.png", flock.step()));
        let mut file = OutputFile::create(&path, Existing::Number)?;
        let mut studio = Studio::like(&self.device, flock, &self.drawing.scene, size.0, size.1)?;
        let (pixels, _) = studio.draw(flock, &Shot { camera, steps: 0, options: RecordOptions::default() })?;
        let comment = parameters_of_picture(flock.settings(), studio.color_range());
        write_png(&mut file, size, &pixels, &comment, memory.as_ref())?;
        Ok(Some(file.commit()?.path))
    }

    /// Checks the flock for damage that shows without an intact twin. Waits for the device. None before the first step,
    /// when nothing is counted or sorted yet.
    pub fn audit(&self) -> Result<Option<Counts>> {
        if self.flock.on_device.step() == 0 {
            return Ok(None);
        }
        let mut counts = Counts::default();
        counts.flock(&self.flock.on_device)?;
        Ok(Some(counts))
    }

    /// The order parameters that have arrived since they were last taken, once all frames are done and shown.
    pub fn last_order(&mut self) -> Result<Vec<OrderParameters>> {
        self.slots.wait_all()?;
        self.device.wait_idle()?;
        // From the oldest frame to the newest.
        for index in (0..FRAMES_IN_FLIGHT).map(|ahead| (self.slots.next_index() + ahead) % FRAMES_IN_FLIGHT) {
            self.flock.arrive(index);
            if let Some(finder) = &mut self.finder {
                finder.arrive(index, self.flock.settings());
            }
        }
        watched(&self.device)?;
        self.flock.last_order()
    }

    /// Makes swapchain and canvas if there are none that fit. False while the window has no area.
    pub fn prepare(&mut self) -> Result<bool> {
        Ok(self.display.prepare()? && self.drawing.fit(&self.display, &self.flock)?)
    }

    /// Draws one frame and hands it to the display. `plan` is told how many steps it may take.
    pub fn draw(&mut self, plan: impl FnOnce(u32) -> Plan) -> Result<Outcome> {
        if !self.prepare()? {
            return Ok(Outcome::Hidden);
        }
        self.frame(plan).or_else(|error| self.display.recover(error).map(|()| Outcome::Again))
    }

    fn frame(&mut self, plan: impl FnOnce(u32) -> Plan) -> Result<Outcome> {
        let Drawing { scene, canvas: Some(canvas), panels, shows_panels, .. } = &mut self.drawing else {
            return Ok(Outcome::Hidden);
        };
        let asked = Instant::now();
        let mut frame = OpenFrame::begin(&mut self.slots)?;
        let (index, flock) = (frame.index(), &mut self.flock);
        let steps = flock.arrive(index);
        self.waits.done(index, steps, asked, Instant::now());
        if let Some(finder) = &mut self.finder {
            finder.arrive(index, flock.settings());
        }
        self.snapshots.arrive(index);
        let acquired = match self.display.acquire(&frame)? {
            Ok(acquired) => acquired,
            Err(outcome) => return Ok(outcome),
        };
        let plan = plan(flock.most());
        let (width, height) = (acquired.target.width, acquired.target.height);
        let (steps, scene_slot) = frame.write(|index| {
            if *shows_panels {
                panels.prepare(index, (width, height))?;
            }
            let steps = flock.prepare(index, plan.steps, plan.observed)?;
            let (block, elapsed) = (canvas.block, Some(plan.elapsed));
            let view = View { extrapolate: plan.extrapolate, block, elapsed, ..View::of(plan.camera, width, height) };
            let scene_slot = scene.prepare(index, &flock.on_device, &steps, &view);
            Ok::<_, Error>((steps, scene_slot))
        })?;
        // The host has the state of a CPU engine anyway.
        let snapshot = match flock.is_on_cpu() {
            true => None,
            false => self.snapshots.due(&self.device, &flock.on_device)?,
        };
        let has_snapshot = snapshot.is_some();
        let view = FrameView {
            scene,
            slot: scene_slot,
            canvas,
            target: acquired.target,
            overlay: shows_panels.then_some((&*panels as &dyn Overlay, index)),
            boids: snapshot.or_else(|| self.finder.as_ref().and_then(BoidFinder::copy)),
            output: Output::Display,
        };
        let options = RecordOptions { journal: self.device.is_robust(), faults: &self.faults };
        self.journal = frame.record(options, |rec| record_frame(rec, &flock.on_device, &steps, &view))?;
        let _frame = self.display.submit(frame, &acquired)?;
        self.waits.submitted(index, Instant::now());
        flock.submitted(index, &steps);
        let step = flock.on_device.step();
        match &mut self.finder {
            _ if has_snapshot => self.snapshots.submitted(index, step),
            Some(finder) => finder.submitted(index, step),
            None => {}
        }
        self.display.present(&acquired)
    }
}

/// The flight of `options` as far as `flock` is.
fn flight_of(options: &ViewerOptions, flock: &SteppedFlock) -> std::result::Result<Flight, &'static str> {
    let begun_at_start = options.resume.as_ref().is_none_or(|checkpoint| checkpoint.replayable);
    let flight = options.flight.as_ref().map(|flight| flight.up_to(flock.step()));
    let flight = flight.unwrap_or_else(|| Flight::new(flock.settings().clone()));
    if begun_at_start { Ok(flight) } else { Err("it went on from a checkpoint of other settings") }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Nothing may be in use when fields are dropped. What fails here has been reported before, by `last_order`.
        let _ = self.device.wait_idle();
    }
}
