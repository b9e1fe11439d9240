//! The device resources of a window: flock, scene, swapchain, panels and frames.

use super::ViewerOptions;
use super::cpu_time;
use super::keeping::Keeping;
use super::opening::{Made, Opening};
use super::pane::Pane;
use super::reading::Reading;
use super::stepping::{FRAMES_IN_FLIGHT, Stepping};
use super::waits::{Done, Waits};
use crate::damage::Counts;
use crate::error::{Error, Result};
use crate::flock::{BoidState, OrderParameters};
use crate::frame::{ACQUIRE_STAGE, FrameView, Output, record_frame};
use crate::recording::{host_write, record};
use crate::render::canvas::{COARSE, Canvas};
use crate::render::{Camera, Look, Scene, View};
use crate::vk::{
    Acquired, Device, Fault, Format, FrameSlots, Instance, Journal, PanelPicture, Panels, Presented, RecordOptions,
    Surface, Swapchain, Target, Validation, timeline,
};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Frames in a row that the window may have changed under: many more than while it is resized by hand.
const MOST_OUT_OF_DATE: u32 = 30;

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

/// The result of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawn {
    /// It was presented.
    Shown,
    /// The window changed under it: try again.
    Again,
    /// The window has no area, or the display does not hand out images: try again later.
    Hidden,
}

/// All Vulkan objects of a window. Fields are dropped in this order, while the device is idle.
pub struct Session {
    /// While boids are looked for.
    pub(super) reading: Option<Reading>,
    /// What is left of the flock if the device is lost.
    pub(super) keeping: Keeping,
    screen: Option<Screen>,
    pub(super) drawing: Option<Drawing>,
    pub(super) show_panels: bool,
    /// The frames in flight, with their GPU times.
    pub slots: FrameSlots,
    pub stepping: Stepping,
    /// Settings were changed since the flock began: its start and its settings alone do not lead to it.
    pub(super) changed: bool,
    pub device: Arc<Device>,
    pub(super) surface: Option<Surface>,
    pub instance: Arc<Instance>,
    pub(super) pane: Pane,
    /// Of the window, as it last said itself: one that was destroyed cannot be asked.
    pub(super) window_size: (u32, u32),
    pub(super) vsync: bool,
    /// Pixels along an edge of a block of the canvas.
    pub(super) block: u32,
    /// What the flock is drawn like.
    pub(super) look: Look,
    pub(super) faults: Vec<Fault>,
    /// What the last frame recorded; kept on robust devices.
    pub journal: Option<Journal>,
    /// The swapchain no longer fits the window.
    pub(super) stale: bool,
    /// The driver reports even a new swapchain as suboptimal, so recreating it is useless.
    pub(super) stays_suboptimal: bool,
    pub(super) surface_was_lost: bool,
    /// Frames in a row that the window was reported to have changed under.
    pub(super) out_of_date: u32,
    pub swapchains: u64,
    /// What the last frame has found done, until it is taken.
    pub(super) done: Option<Done>,
    waits: Waits,
    /// The CPU's time for panels, until it is taken.
    pub(super) panel_time: Duration,
    /// Scenes so far, and changes of their look.
    pub(super) scenes: u64,
}

/// Recreated for every size of the window.
struct Screen {
    swapchain: Swapchain,
    canvas: Canvas,
}

/// Recreated when the window's format changes.
pub struct Drawing {
    pub(super) format: Format,
    pub(super) scene: Scene,
    panels: Panels,
}

impl Session {
    /// Takes over what `opening` has made, once it is done.
    pub fn new(mut opening: Opening) -> Result<Self> {
        let Made { slots, scene, stepping } = opening.finish()?;
        let Opening { device, options, swapchain, panels, format, surface, instance, pane, .. } = opening;
        let block = if !options.full_quality && device.info().is_software() { COARSE } else { 1 };
        let screen = match swapchain {
            Some(swapchain) => {
                let (width, height) = swapchain.size();
                Some(Screen { canvas: Canvas::in_blocks(&device, width, height, block)?, swapchain })
            }
            None => None,
        };
        Ok(Session {
            stale: screen.is_none(),
            reading: None,
            keeping: Keeping::default(),
            screen,
            drawing: Some(Drawing { format, scene, panels }),
            show_panels: false,
            slots,
            stepping,
            changed: false,
            block,
            device,
            surface,
            instance,
            pane,
            window_size: opening.window_size,
            vsync: options.vsync,
            look: options.look,
            faults: options.faults.clone(),
            journal: None,
            stays_suboptimal: false,
            surface_was_lost: false,
            out_of_date: 0,
            swapchains: opening.swapchains,
            done: None,
            waits: Waits::default(),
            panel_time: Duration::ZERO,
            scenes: 0,
        })
    }

    /// A new session for the same window, on a `robust` device or not. Drop this session before the new one draws.
    pub fn reopened(&self, options: &ViewerOptions, intact: &Arc<Instance>, robust: bool) -> Result<Self> {
        let instance = match robust && intact.validating() {
            // The layer would report the intended faults, and the program would end with an error.
            true => self.pane.instance(Validation::Off, false)?,
            false => intact.clone(),
        };
        let panels = self.drawing.as_ref().map(|drawing| &drawing.panels);
        let opening = Opening::begin(&self.pane, self.window_size, &instance, options, robust, panels)?;
        let mut session = Self::new(opening)?;
        session.set_block(self.block);
        session.swapchains = self.swapchains;
        Ok(session)
    }

    /// The last state that the host has, in the order of storage, and its step: what is left if the device is lost.
    pub fn kept(&mut self) -> Option<(BoidState, u32)> {
        self.stepping.on_cpu().or_else(|| self.keeping.take())
    }

    /// Checks the flock for damage that shows without an intact twin. Waits for the device. None before the first step, when
    /// nothing is counted or sorted yet.
    pub fn audit(&self) -> Result<Option<Counts>> {
        if self.stepping.flock.step() == 0 {
            return Ok(None);
        }
        let mut counts = Counts::default();
        counts.flock(&self.stepping.flock)?;
        Ok(Some(counts))
    }

    /// The order parameters that have arrived since they were last taken, once all frames are done and shown.
    pub fn last_order(&mut self) -> Result<Vec<OrderParameters>> {
        self.slots.wait_all()?;
        self.device.wait_idle()?;
        // From the oldest frame to the newest.
        for index in (0..FRAMES_IN_FLIGHT).map(|ahead| (self.slots.next_index() + ahead) % FRAMES_IN_FLIGHT) {
            self.stepping.arrive(index);
            if let Some(reading) = &mut self.reading {
                reading.arrive(index, self.stepping.flock.settings());
            }
        }
        self.stepping.last_order()
    }

    /// Of the window, in pixels.
    pub fn window_size(&self) -> (u32, u32) {
        self.window_size
    }

    /// Width and height of the frames, in pixels; none while the window has no area.
    pub fn size(&self) -> Option<(u32, u32)> {
        self.screen.as_ref().map(|screen| screen.swapchain.size())
    }

    /// The window was resized: the next frame recreates the swapchain.
    pub fn resized(&mut self, size: (u32, u32)) {
        self.window_size = size;
        self.stale = true;
        self.stays_suboptimal = false;
    }

    /// What the panels show from the next frame on; none hides them.
    pub fn set_panels(&mut self, picture: Option<PanelPicture>) -> Result<()> {
        self.show_panels = picture.is_some();
        match (picture, &mut self.drawing) {
            (Some(picture), Some(drawing)) => drawing.panels.set_picture(picture),
            _ => Ok(()),
        }
    }

    /// Makes the swapchain if there is none that fits. False while the window has no area.
    pub fn prepare(&mut self) -> Result<bool> {
        if self.stale || self.screen.is_none() {
            match self.rebuild() {
                Err(error) => self.recover(error)?,
                Ok(()) => self.stale = false,
            }
        }
        Ok(self.screen.is_some())
    }

    /// Draws one frame and hands it to the display. `plan` is told how many steps it may take.
    pub fn draw(&mut self, plan: impl FnOnce(u32) -> Plan) -> Result<Drawn> {
        if !self.prepare()? {
            return Ok(Drawn::Hidden);
        }
        match self.frame(plan) {
            Ok(drawn) => {
                self.surface_was_lost &= drawn != Drawn::Shown;
                Ok(drawn)
            }
            Err(error) => self.recover(error).map(|()| Drawn::Again),
        }
    }

    fn frame(&mut self, plan: impl FnOnce(u32) -> Plan) -> Result<Drawn> {
        let (Some(screen), Some(drawing)) = (&self.screen, &mut self.drawing) else { return Ok(Drawn::Hidden) };
        let _frame = tracing::trace_span!(target: timeline::TARGET, "frame").entered();
        let index = self.slots.next_index();
        let asked = Instant::now();
        let slot = self.slots.next()?;
        let time = self.waits.done(index, asked, Instant::now());
        let steps = self.stepping.arrive(index);
        self.done = time.map(|time| Done { steps, time });
        if let Some(reading) = &mut self.reading {
            reading.arrive(index, self.stepping.flock.settings());
        }
        self.keeping.arrive(index);
        let (image, mut suboptimal) = match slot.acquire(&screen.swapchain)? {
            Acquired::Image { index, suboptimal } => (index, suboptimal),
            Acquired::NotYet => return Ok(Drawn::Hidden),
            Acquired::OutOfDate => return self.again("vkAcquireNextImageKHR"),
        };
        let plan = plan(self.stepping.most());
        let (width, height) = screen.swapchain.size();
        let (steps, scene_slot) = host_write(|| {
            if self.show_panels {
                let begun = cpu_time::of_this_thread();
                drawing.panels.prepare(index, (width, height))?;
                self.panel_time += cpu_time::of_this_thread() - begun;
            }
            let steps = self.stepping.prepare(index, plan.steps, plan.observed)?;
            let view = View {
                extrapolate: plan.extrapolate,
                block: screen.canvas.block,
                elapsed: Some(plan.elapsed),
                ..View::of(plan.camera, width, height)
            };
            let scene_slot = drawing.scene.prepare(index, &self.stepping.flock, &steps, &view);
            Ok::<_, Error>((steps, scene_slot))
        })?;
        let kept = match self.stepping.is_on_cpu() {
            true => None,
            false => self.keeping.due(&self.device, &self.stepping.flock)?,
        };
        let keeps = kept.is_some();
        let view = FrameView {
            scene: &drawing.scene,
            slot: scene_slot,
            canvas: &screen.canvas,
            target: Target { image: screen.swapchain.image(image), width, height },
            panels: self.show_panels.then_some((&drawing.panels, index)),
            boids: kept.or_else(|| self.reading.as_ref().and_then(Reading::copy)),
            output: Output::Display,
        };
        let options = RecordOptions { journal: self.device.is_robust(), faults: &self.faults };
        self.journal = record(slot, options, |rec| record_frame(rec, &self.stepping.flock, &steps, &view))?;
        slot.submit(Some((&screen.swapchain, image, ACQUIRE_STAGE)))?;
        self.waits.submitted(index, Instant::now());
        self.stepping.submitted(index, &steps);
        let step = self.stepping.flock.step();
        match &mut self.reading {
            _ if keeps => self.keeping.submitted(index, step),
            Some(reading) => reading.submitted(index, step),
            None => {}
        }
        self.pane.pre_present_notify();
        match screen.swapchain.present(image)? {
            Presented::Shown => {}
            Presented::Suboptimal => suboptimal = true,
            Presented::OutOfDate => return self.again("vkQueuePresentKHR"),
        }
        self.out_of_date = 0;
        if !suboptimal {
            self.stays_suboptimal = false;
        } else if !self.stays_suboptimal {
            self.stale = true;
            self.stays_suboptimal = true;
        }
        Ok(Drawn::Shown)
    }

    /// The window has changed under this frame, says `operation`. One that always has would keep the program busy for nothing.
    fn again(&mut self, operation: &'static str) -> Result<Drawn> {
        self.stale = true;
        self.out_of_date += 1;
        match self.out_of_date < MOST_OUT_OF_DATE {
            true => Ok(Drawn::Again),
            false => Err(Error::out_of_date(operation)),
        }
    }

    /// Makes the swapchain for the window's present size, and what depends on it.
    fn rebuild(&mut self) -> Result<()> {
        self.device.wait_idle()?;
        let surface = match self.surface.take() {
            Some(surface) => surface,
            // It was lost: a window that another program has destroyed gets no new one, whatever error the driver calls that.
            None => self.pane.surface(&self.instance).map_err(|error| {
                tracing::warn!("{error}");
                Error::surface_lost("making another surface")
            })?,
        };
        let old = self.screen.take().map(|screen| screen.swapchain);
        let made = Swapchain::new(&self.device, &surface, self.window_size, self.vsync, old);
        self.surface = Some(surface);
        let Some(swapchain) = made? else { return Ok(()) };
        self.swapchains += 1;
        let (width, height) = swapchain.size();
        let format = swapchain.format();
        let canvas = Canvas::in_blocks(&self.device, width, height, self.block)?;
        let scene =
            || Scene::with_look(&self.device, &self.stepping.flock, self.look.clone(), format, FRAMES_IN_FLIGHT);
        self.scenes += 1;
        self.drawing = Some(match self.drawing.take() {
            Some(drawing) if drawing.format == format => drawing,
            Some(drawing) => Drawing { format, scene: scene()?, panels: drawing.panels.with_format(format)? },
            None => {
                let panels = Panels::new(&self.device, format, FRAMES_IN_FLIGHT)?;
                Drawing { format, scene: scene()?, panels }
            }
        });
        self.screen = Some(Screen { swapchain, canvas });
        Ok(())
    }

    /// Recreates a lost surface, unless the last one was lost before it showed a frame. Returns other errors.
    fn recover(&mut self, error: Error) -> Result<()> {
        if !error.is_surface_lost() || self.surface_was_lost {
            return Err(error);
        }
        tracing::warn!("{error}; recreating the surface");
        self.surface_was_lost = true;
        self.device.wait_idle()?;
        // In this order: a swapchain must be destroyed before its surface.
        self.screen = None;
        self.surface = None;
        self.stale = true;
        Ok(())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Nothing may be in use when fields are dropped. What fails here has been reported before, by `last_order`.
        let _ = self.device.wait_idle();
    }
}
