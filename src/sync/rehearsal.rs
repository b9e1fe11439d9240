//! Frames that are recorded, and flown if wanted, to look at their synchronization.

use super::frames::{FrameKind, FrameSpec};
use crate::cpu::{self, Engine};
use crate::error::{Error, Result};
use crate::flock::{Flock, MAX_STEPS_PER_SUBMISSION, Observation, StepSlot};
use crate::frame::{ACQUIRE_STAGE, AFTER_STEPS, BEFORE_STEPS, FrameView, Output, record_frame, record_steps};
use crate::render::attachments::{Multisampled, PICTURE_FORMAT, picture, picture_bytes};
use crate::render::{Camera, Look, Scene, View};
use crate::vk::{
    self, Acquired, Buffer, Device, Fault, Format, FrameSlots, Image, ImageRef, Journal, Panels, Pass, RecordOptions,
    Recorder, Surface, Swapchain, Use,
};
use std::sync::Arc;

/// Frames in flight at once.
pub const IN_FLIGHT: usize = 3;

/// Pixels of the picture: enough for every draw to cover some.
const SIZE: (u32, u32) = (64, 48);

/// A flock, and everything that frames of one kind need.
pub struct Rehearsal {
    // Before what its submissions use.
    slots: FrameSlots,
    kind: FrameKind,
    /// Of frames that hold a picture.
    drawing: Option<Drawing>,
    flock: Flock,
    observation: Option<Observation>,
    /// Where the processor steps the flock.
    engine: Option<Engine>,
}

/// What draws the pictures, and where they end up.
struct Drawing {
    scene: Scene,
    multisampled: Multisampled,
    camera: Camera,
    images: Images,
    /// Over windowed frames.
    panels: Option<Panels>,
    /// Copies of the others for the host, one for each frame in flight.
    bytes: Vec<Buffer>,
}

enum Images {
    /// Of a swapchain.
    Swapchain(Swapchain),
    /// An image of that name. Where it stands for a swapchain's, frames can be recorded, not flown.
    Plain(Image, &'static str),
}

impl Rehearsal {
    /// Spawns the flock of `frame` on `device`. Windowed frames can be flown when there is a `surface`; without, they are
    /// recorded only. So are embedded ones: the passes of the other program stand in the journal, with no commands in them.
    ///
    /// # Errors
    /// As [`Flock::new`] and [`Scene::new`].
    pub fn new(device: &Arc<Device>, frame: &FrameSpec, surface: Option<&Surface>) -> Result<Rehearsal> {
        let FrameSpec { kind, settings, look, observed } = frame;
        let mut flock = Flock::new(device, settings, IN_FLIGHT)?;
        if kind.draws() {
            look.observe(&mut flock, IN_FLIGHT)?;
        }
        if *observed {
            flock.start_observing(IN_FLIGHT)?;
        }
        let drawing = kind.draws().then(|| Drawing::new(device, &flock, *look, *kind, surface)).transpose()?;
        let slots = FrameSlots::new(device, "rehearsal", IN_FLIGHT, false)?;
        let observation = observed.then_some(Observation::Order);
        Ok(Rehearsal { slots, kind: *kind, drawing, flock, observation, engine: Engine::of(settings)? })
    }

    /// Whether frames of this kind can be flown here, not only recorded.
    pub fn can_fly(&self) -> bool {
        match self.kind {
            FrameKind::Step | FrameKind::Offscreen => true,
            FrameKind::Embedded => false,
            FrameKind::Windowed => self.drawing.as_ref().and_then(Drawing::swapchain).is_some(),
        }
    }

    /// Records frames of so many steps each, the first of them with what only the first frame of a scene does, without
    /// flying them.
    ///
    /// # Errors
    /// [`Error::Vulkan`] when the device is out of memory.
    pub fn journals(&mut self, steps: &[u32], faults: &[Fault]) -> Result<Vec<Journal>> {
        self.renew()?;
        steps.iter().map(|&steps| self.journal(steps, faults)).collect()
    }

    /// Records a frame of `steps` steps without flying it.
    ///
    /// # Errors
    /// [`Error::Vulkan`] when the device is out of memory.
    ///
    /// # Panics
    /// When `steps` is over [`MAX_STEPS_PER_SUBMISSION`].
    pub fn journal(&mut self, steps: u32, faults: &[Fault]) -> Result<Journal> {
        assert!(steps <= MAX_STEPS_PER_SUBMISSION, "at most {MAX_STEPS_PER_SUBMISSION} steps fit");
        let before = self.flock.step();
        let journal = self.frame(steps, faults, false);
        // Never submitted, so the steps were not taken.
        self.flock.set_step(before);
        journal
    }

    /// Flies a frame for each entry of `steps`, with as many steps, and waits only after the last. At most
    /// [`IN_FLIGHT`] frames are in flight.
    ///
    /// # Errors
    /// [`Error::Vulkan`] when the device is lost or out of memory; [`Error::NoDisplay`] where such frames can only be
    /// recorded.
    pub fn fly(&mut self, steps: &[u32], faults: &[Fault]) -> Result<Vec<Journal>> {
        if self.kind == FrameKind::Windowed && !self.can_fly() {
            return Err(Error::NoDisplay("the driver has no swapchain without a window".into()));
        }
        // With images of its own, no flight finds them in the layout in which another left them.
        self.renew()?;
        let journals = steps.iter().map(|&steps| self.frame(steps, faults, true)).collect::<Result<_>>()?;
        self.slots.wait_all()?;
        Ok(journals)
    }

    /// Records a frame of `steps` steps, and submits it if it is `flown`.
    fn frame(&mut self, steps: u32, faults: &[Fault], flown: bool) -> Result<Journal> {
        let index = self.slots.next_index();
        let slot = self.slots.next()?;
        let image = match self.drawing.as_ref().and_then(Drawing::swapchain) {
            Some(swapchain) if flown => match slot.acquire(swapchain)? {
                Acquired::Image { index, .. } => index,
                _ => return Err(Error::NoDisplay("the swapchain without a window hands out no image".into())),
            },
            _ => 0,
        };
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
            _ if !flown => {}
            None => slot.submit(None)?,
            Some(swapchain) => {
                slot.submit(Some((swapchain, image, ACQUIRE_STAGE)))?;
                swapchain.present(image)?;
            }
        }
        Ok(journal)
    }

    /// Makes the images of a picture anew.
    fn renew(&mut self) -> Result<()> {
        let Some(drawing) = &mut self.drawing else { return Ok(()) };
        let device = self.flock.device();
        drawing.scene.renew()?;
        drawing.multisampled = Multisampled::new(device, drawing.images.format(), SIZE.0, SIZE.1)?;
        if let Images::Plain(image, _) = &mut drawing.images {
            *image = picture(device, SIZE.0, SIZE.1)?;
        }
        Ok(())
    }
}

/// What another program does with the state, as far as the steps are concerned.
const EMBEDDER_COMPUTE: Pass<'_> =
    Pass { name: "embedder_compute", stage: vk::Stage::COMPUTE_SHADER, uses: &reads(vk::Stage::COMPUTE_SHADER) };

/// The same in a vertex shader.
const EMBEDDER_DRAW: Pass<'_> =
    Pass { name: "embedder_draw", stage: vk::Stage::VERTEX_SHADER, uses: &reads(vk::Stage::VERTEX_SHADER) };

const fn reads(stage: vk::Stage) -> [Use; 3] {
    [Use::read(stage, "position_vx"), Use::read(stage, "velocity_yz"), Use::read(stage, "boid_id")]
}

impl Drawing {
    fn new(
        device: &Arc<Device>,
        flock: &Flock,
        look: Look,
        kind: FrameKind,
        surface: Option<&Surface>,
    ) -> Result<Drawing> {
        let windowed = kind == FrameKind::Windowed;
        let swapchain = match surface {
            Some(surface) if windowed => Swapchain::new(device, surface, SIZE, false, None)?,
            _ => None,
        };
        let name = if windowed { "swapchain_image" } else { "picture" };
        let images = match swapchain {
            Some(swapchain) => Images::Swapchain(swapchain),
            None => Images::Plain(picture(device, SIZE.0, SIZE.1)?, name),
        };
        let format = images.format();
        // They show something, so that they read their vertices and textures.
        let panels = || Panels::showing(device, format, IN_FLIGHT, SIZE, |ui| drop(ui.label("starlings")));
        let copies = if windowed { 0 } else { IN_FLIGHT };
        Ok(Drawing {
            scene: Scene::with_look(device, flock, look, format, IN_FLIGHT)?,
            multisampled: Multisampled::new(device, format, SIZE.0, SIZE.1)?,
            camera: Camera::fit(&flock.settings().world, SIZE.0 as f32 / SIZE.1 as f32),
            panels: windowed.then(panels).transpose()?,
            bytes: (0..copies).map(|_| picture_bytes(device, SIZE.0, SIZE.1)).collect::<Result<_>>()?,
            images,
        })
    }

    fn swapchain(&self) -> Option<&Swapchain> {
        match &self.images {
            Images::Swapchain(swapchain) => Some(swapchain),
            Images::Plain(..) => None,
        }
    }

    fn record(&mut self, rec: &mut Recorder<'_>, (index, image): (usize, u32), flock: &Flock, steps: &[StepSlot]) {
        let view = View { camera: self.camera, width: SIZE.0, height: SIZE.1, extrapolate: 0.0 };
        let view = FrameView {
            slot: self.scene.prepare(index, flock, steps, &view),
            scene: &self.scene,
            attachments: self.multisampled.attachments(self.images.image(image)),
            panels: self.panels.as_ref(),
            output: self.bytes.get(index).map_or(Output::Display, Output::Host),
        };
        record_frame(rec, flock, steps, &view);
    }
}

impl Images {
    fn format(&self) -> Format {
        match self {
            Images::Swapchain(swapchain) => swapchain.format(),
            Images::Plain(..) => PICTURE_FORMAT,
        }
    }

    fn image(&self, index: u32) -> ImageRef {
        match self {
            Images::Swapchain(swapchain) => swapchain.image(index),
            Images::Plain(image, name) => image.reference(name),
        }
    }
}
