//! Frames that are recorded, and optionally run, to analyze their synchronization.

use super::drawing::{Drawing, Images};
use super::frames::{FrameKind, FrameSpec};
use crate::panels::Panels;
use barrier_proof::{Frame, Rehearsal as Rehearse};
use starlings::cpu::{self, Engine};
use starlings::flock::buffers::{BOID_ID, POSITION_VX, VELOCITY_YZ};
use starlings::flock::{Flock, MAX_STEPS_PER_SUBMISSION, Observation};
use starlings::frame::{ACQUIRE_STAGE, AFTER_STEPS, BEFORE_STEPS, BoidCopy, record_steps};
use starlings::render::Look;
use starlings::render::canvas::picture;
use starlings::vk::{
    self, Acquired, Device, Fault, FrameSlots, Instance, Journal, Message, Pass, PlannedFrame, RecordOptions, Surface,
    Swapchain, Use, Watch,
};
use starlings::{Error, Result};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Frames in flight at once.
pub const IN_FLIGHT: usize = 3;

/// Pixels of the picture: enough for each draw to cover some.
const SIZE: (u32, u32) = (64, 48);

/// A flock, and what frames of one kind need.
pub struct Rehearsal {
    // Dropped before what its submissions use.
    slots: FrameSlots,
    kind: FrameKind,
    /// For frames with a picture.
    drawing: Option<Drawing>,
    flock: Flock,
    observation: Option<Observation>,
    /// For a flock that the CPU steps.
    engine: Option<Engine>,
    /// Slots whose last frame has left results for the host.
    reused: BTreeSet<usize>,
}

impl Rehearsal {
    /// Spawns the flock of `frame` on `device`. Windowed frames can run only with a `surface`; without one, they are
    /// only recorded. So are embedded ones: the passes of the other program are noted in the journal, without commands.
    pub fn new(device: &Arc<Device>, frame: &FrameSpec, surface: Option<&Surface>) -> Result<Rehearsal> {
        let FrameSpec { kind, settings, look, observed, followed, flocks } = frame;
        let mut flock = Flock::many(device, &vec![settings.clone(); *flocks], IN_FLIGHT)?;
        if kind.draws() {
            look.observe(&mut flock, IN_FLIGHT)?;
        }
        if observed.is_some() {
            flock.start_observing(IN_FLIGHT)?;
        }
        let mut drawing = kind.draws().then(|| drawing(&flock, look.clone(), *kind, surface)).transpose()?;
        if let Some(drawing) = drawing.as_mut().filter(|_| *followed) {
            let copy = |_| BoidCopy::new(device, settings.boids);
            drawing.boids = (0..IN_FLIGHT).map(copy).collect::<Result<_>>()?;
        }
        let slots = FrameSlots::new(device, "rehearsal", IN_FLIGHT, true)?;
        Ok(Rehearsal {
            slots,
            kind: *kind,
            drawing,
            flock,
            observation: *observed,
            engine: Engine::of(settings)?,
            reused: BTreeSet::new(),
        })
    }

    /// Records a frame of `steps` steps, and submits it if it is `ran`.
    fn frame(&mut self, steps: u32, faults: &[Fault], ran: bool) -> Result<Journal> {
        let index = self.slots.next_index();
        let slot = self.slots.next()?;
        let image = match self.drawing.as_ref().and_then(Drawing::swapchain) {
            Some(swapchain) if ran => match slot.acquire(swapchain)? {
                Acquired::Image { index, .. } => index,
                _ => return Err(Error::NoDevice("no display: the swapchain without a window gives no image".into())),
            },
            _ => 0,
        };
        if ran && self.reused.contains(&index) {
            // As programs do, before the slot's next frame.
            self.observation.filter(|what| *what == Observation::Order).map(|_| self.flock.orders(index));
            self.drawing
                .iter()
                .flat_map(|drawing| drawing.for_host(index))
                .for_each(|bytes| drop(bytes.read::<u8>(0, 4)));
        }
        if ran {
            self.reused.insert(index);
        }
        let (engine, flock) = (self.engine.as_mut(), &mut self.flock);
        let steps = cpu::prepare(engine, flock, index, steps, self.observation);
        let mut rec = slot.begin(RecordOptions { journal: true, faults })?;
        match &mut self.drawing {
            Some(drawing) => drawing.record(&mut rec, (index, image), flock, &steps),
            None if self.kind == FrameKind::Embedded => {
                rec.barrier(BEFORE_STEPS);
                record_steps(&mut rec, flock, &steps);
                rec.barrier(AFTER_STEPS);
                rec.pass(&EMBEDDER_COMPUTE, |_| {});
                rec.pass(&EMBEDDER_DRAW, |_| {});
            }
            None => record_steps(&mut rec, flock, &steps),
        }
        let journal = rec.finish()?.unwrap_or_default();
        match self.drawing.as_ref().and_then(Drawing::swapchain) {
            _ if !ran => {}
            None => slot.submit(None)?,
            Some(swapchain) => {
                slot.submit(Some((swapchain, image, ACQUIRE_STAGE)))?;
                swapchain.present(image)?;
            }
        }
        Ok(journal)
    }

    fn renew(&mut self) -> Result<()> {
        self.drawing.as_mut().map_or(Ok(()), |drawing| drawing.renew(self.flock.device()))
    }
}

impl FrameSpec {
    /// Frames like this with these counts of steps, the first ones of a program, recorded with the null driver.
    pub fn journals(&self, steps: &[u32]) -> Result<Vec<Journal>> {
        let device = Device::new(&Instance::null()?, None, None)?;
        Rehearsal::new(&device, self, None)?.journals(steps, &[])
    }
}

impl Frame for FrameSpec {
    type Class = FrameKind;

    fn class(&self) -> FrameKind {
        self.kind
    }
}

impl Rehearse for Rehearsal {
    type Frame = FrameSpec;
    type Error = Error;

    const COUNTED: &'static str = "steps";
    const SHAPES: &'static [u32] = &[0, 1, 2, 3];
    const SEQUENCE: &'static [u32] = &[2, 0, 1];
    const LONG_SEQUENCE: &'static [u32] = &[2, 0, 1, 3, 1, 2, 0, 3, 1, 2, 0, 1];

    fn can_run(&self) -> bool {
        match self.kind {
            FrameKind::Step | FrameKind::Offscreen => true,
            FrameKind::Embedded => false,
            FrameKind::Windowed => self.drawing.as_ref().and_then(Drawing::swapchain).is_some(),
        }
    }

    /// The first includes the work of a scene's first frame.
    fn journals(&mut self, steps: &[u32], faults: &[Fault]) -> Result<Vec<Journal>> {
        self.renew()?;
        steps.iter().map(|&steps| self.journal(steps, faults)).collect()
    }

    /// # Panics
    /// When `steps` is over [`MAX_STEPS_PER_SUBMISSION`].
    fn journal(&mut self, steps: u32, faults: &[Fault]) -> Result<Journal> {
        assert!(steps <= MAX_STEPS_PER_SUBMISSION, "at most {MAX_STEPS_PER_SUBMISSION} steps fit");
        let before = self.flock.step();
        let journal = self.frame(steps, faults, false);
        // It is not submitted, so the steps were not taken.
        self.flock.set_step(before);
        journal
    }

    /// At most [`IN_FLIGHT`] are in flight.
    fn run(&mut self, steps: &[u32], faults: &[Fault]) -> Result<Vec<Journal>> {
        if self.kind == FrameKind::Windowed && !self.can_run() {
            return Err(Error::NoDevice("no display: the driver has no swapchain without a window".into()));
        }
        // With new images, a run does not find them in the layout that the previous run left.
        self.renew()?;
        let journals = steps.iter().map(|&steps| self.frame(steps, faults, true)).collect::<Result<_>>()?;
        self.slots.wait_all()?;
        Ok(journals)
    }

    fn with_messages<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> (T, Vec<Message>) {
        let messages = self.flock.device().instance().messages().clone();
        messages.take();
        messages.expect(true);
        let done = work(self);
        messages.expect(false);
        (done, messages.take())
    }

    fn watch(&self) -> &Watch {
        self.flock.device().watch()
    }

    fn plan(&self) -> Vec<Vec<PlannedFrame>> {
        let swapchain = self.drawing.as_ref().and_then(Drawing::swapchain);
        swapchain.map(|swapchain| self.slots.plan(swapchain)).unwrap_or_default()
    }
}

/// The accesses of another program to the state.
const EMBEDDER_COMPUTE: Pass<'_> =
    Pass { name: "embedder_compute", stage: vk::Stage::COMPUTE_SHADER, uses: &reads(vk::Stage::COMPUTE_SHADER) };

/// The same in a vertex shader.
const EMBEDDER_DRAW: Pass<'_> =
    Pass { name: "embedder_draw", stage: vk::Stage::VERTEX_SHADER, uses: &reads(vk::Stage::VERTEX_SHADER) };

const fn reads(stage: vk::Stage) -> [Use; 3] {
    [Use::read(stage, POSITION_VX), Use::read(stage, VELOCITY_YZ), Use::read(stage, BOID_ID)]
}

/// Draws the pictures of `flock` in frames of kind `kind`.
fn drawing(flock: &Flock, look: Look, kind: FrameKind, surface: Option<&Surface>) -> Result<Drawing> {
    let device = flock.device();
    let image = || picture(device, SIZE.0, SIZE.1);
    if kind == FrameKind::Offscreen {
        return Drawing::new(flock, look, Images::Picture(image()?), SIZE, IN_FLIGHT, None);
    }
    let swapchain = surface.map(|surface| Swapchain::new(device, surface, SIZE, false, None)).transpose()?;
    let images = match swapchain.flatten() {
        Some(swapchain) => Images::Swapchain(swapchain),
        None => Images::StandIn(image()?),
    };
    // Not empty, so that the pass reads vertices and textures.
    let panels = Panels::showing(device, images.format(), IN_FLIGHT, SIZE, |ui| drop(ui.label("starlings")))?;
    Drawing::new(flock, look, images, SIZE, IN_FLIGHT, Some(panels))
}
