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
    stage: Stage,
    flock: Flock,
    observation: Option<Observation>,
    /// Where the processor steps the flock.
    engine: Option<Engine>,
}

/// Where the frames end up.
enum Stage {
    Step,
    Embedded,
    Offscreen { drawing: Drawing, picture: Image, bytes: Vec<Buffer> },
    Windowed { drawing: Drawing, panels: Box<Panels>, images: Images },
}

/// The images that stand for a window's.
enum Images {
    /// Of a swapchain.
    Swapchain(Swapchain),
    /// Of nobody: such frames can be recorded, not flown.
    Plain(Image),
}

struct Drawing {
    scene: Scene,
    multisampled: Multisampled,
    camera: Camera,
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
        let stage = match kind {
            FrameKind::Step => Stage::Step,
            FrameKind::Embedded => Stage::Embedded,
            FrameKind::Offscreen => Stage::Offscreen {
                drawing: Drawing::new(device, &flock, *look, PICTURE_FORMAT)?,
                picture: picture(device, SIZE.0, SIZE.1)?,
                bytes: (0..IN_FLIGHT).map(|_| picture_bytes(device, SIZE.0, SIZE.1)).collect::<Result<_>>()?,
            },
            FrameKind::Windowed => {
                let swapchain = match surface {
                    Some(surface) => Swapchain::new(device, surface, SIZE, false, None)?,
                    None => None,
                };
                let images = match swapchain {
                    Some(swapchain) => Images::Swapchain(swapchain),
                    None => Images::Plain(picture(device, SIZE.0, SIZE.1)?),
                };
                let format = images.format();
                Stage::Windowed {
                    drawing: Drawing::new(device, &flock, *look, format)?,
                    panels: Box::new(some_panel(device, format)?),
                    images,
                }
            }
        };
        let slots = FrameSlots::new(device, "rehearsal", IN_FLIGHT, false)?;
        let observation = observed.then_some(Observation::Order);
        Ok(Rehearsal { slots, stage, flock, observation, engine: Engine::of(settings)? })
    }

    /// Whether frames of this kind can be flown here, not only recorded.
    pub fn can_fly(&self) -> bool {
        !matches!(self.stage, Stage::Embedded | Stage::Windowed { images: Images::Plain(_), .. })
    }

    /// Records frames of so many steps each, the first of them with what only the first frame of a scene does, without
    /// flying them.
    ///
    /// # Errors
    /// [`Error::Vulkan`] when the device is out of memory.
    pub fn journals(&mut self, steps: &[u32], faults: &[Fault]) -> Result<Vec<Journal>> {
        self.stage.renew(self.flock.device())?;
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
        let index = self.slots.next_index();
        let slot = self.slots.next()?;
        let (engine, flock) = (self.engine.as_mut(), &mut self.flock);
        let prepared = cpu::prepare(engine, flock, index, steps, self.observation);
        let mut rec = slot.begin(RecordOptions { journal: true, faults })?;
        self.stage.record(&mut rec, index, 0, &self.flock, &prepared);
        // Never submitted, so the steps were not taken.
        self.flock.set_step(before);
        Ok(rec.finish()?.unwrap_or_default())
    }

    /// Flies a frame for each entry of `steps`, with as many steps, and waits only after the last. At most
    /// [`IN_FLIGHT`] frames are in flight.
    ///
    /// # Errors
    /// [`Error::Vulkan`] when the device is lost or out of memory; [`Error::NoDisplay`] where such frames can only be
    /// recorded.
    pub fn fly(&mut self, steps: &[u32], faults: &[Fault]) -> Result<Vec<Journal>> {
        // With images of its own, no flight finds them in the layout in which another left them.
        self.stage.renew(self.flock.device())?;
        let mut journals = Vec::new();
        for &steps in steps {
            let index = self.slots.next_index();
            let slot = self.slots.next()?;
            let image = match &self.stage {
                Stage::Windowed { images: Images::Swapchain(swapchain), .. } => match slot.acquire(swapchain)? {
                    Acquired::Image { index, .. } => index,
                    _ => return Err(Error::NoDisplay("the swapchain without a window hands out no image".into())),
                },
                Stage::Windowed { images: Images::Plain(_), .. } => {
                    return Err(Error::NoDisplay("the driver has no swapchain without a window".into()));
                }
                _ => 0,
            };
            let (engine, flock) = (self.engine.as_mut(), &mut self.flock);
            let prepared = cpu::prepare(engine, flock, index, steps, self.observation);
            let mut rec = slot.begin(RecordOptions { journal: true, faults })?;
            self.stage.record(&mut rec, index, image, &self.flock, &prepared);
            journals.extend(rec.finish()?);
            match &self.stage {
                Stage::Windowed { images: Images::Swapchain(swapchain), .. } => {
                    slot.submit(Some((swapchain, image, ACQUIRE_STAGE)))?;
                    swapchain.present(image)?;
                }
                _ => slot.submit(None)?,
            }
        }
        self.slots.wait_all()?;
        Ok(journals)
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

impl Stage {
    fn renew(&mut self, device: &Arc<Device>) -> Result<()> {
        match self {
            Stage::Step | Stage::Embedded => {}
            Stage::Offscreen { drawing, picture, .. } => {
                drawing.scene.renew()?;
                drawing.multisampled = Multisampled::new(device, PICTURE_FORMAT, SIZE.0, SIZE.1)?;
                *picture = crate::render::attachments::picture(device, SIZE.0, SIZE.1)?;
            }
            Stage::Windowed { drawing, images, .. } => {
                drawing.scene.renew()?;
                drawing.multisampled = Multisampled::new(device, images.format(), SIZE.0, SIZE.1)?;
            }
        }
        Ok(())
    }

    fn record(&mut self, rec: &mut Recorder<'_>, index: usize, image: u32, flock: &Flock, steps: &[StepSlot]) {
        match self {
            Stage::Step => record_steps(rec, flock, steps),
            Stage::Embedded => {
                rec.barrier(BEFORE_STEPS);
                record_steps(rec, flock, steps);
                rec.barrier(AFTER_STEPS);
                rec.pass(&EMBEDDER_COMPUTE, |_| {});
                rec.pass(&EMBEDDER_DRAW, |_| {});
            }
            Stage::Offscreen { drawing, picture, bytes } => {
                let resolve = picture.reference("picture");
                drawing.record(rec, index, flock, steps, (resolve, Output::Host(&bytes[index]), None));
            }
            Stage::Windowed { drawing, panels, images } => {
                let resolve = images.image(image);
                drawing.record(rec, index, flock, steps, (resolve, Output::Display, Some(panels)));
            }
        }
    }
}

impl Drawing {
    fn new(device: &Arc<Device>, flock: &Flock, look: Look, format: Format) -> Result<Drawing> {
        Ok(Drawing {
            scene: Scene::with_look(device, flock, look, format, IN_FLIGHT)?,
            multisampled: Multisampled::new(device, format, SIZE.0, SIZE.1)?,
            camera: Camera::fit(&flock.settings().world, SIZE.0 as f32 / SIZE.1 as f32),
        })
    }

    fn record(
        &mut self,
        rec: &mut Recorder<'_>,
        index: usize,
        flock: &Flock,
        steps: &[StepSlot],
        (resolve, output, panels): (ImageRef, Output<'_>, Option<&Panels>),
    ) {
        let view = View { camera: self.camera, width: SIZE.0, height: SIZE.1, extrapolate: 0.0 };
        let slot = self.scene.prepare(index, flock, steps, &view);
        let attachments = self.multisampled.attachments(resolve);
        record_frame(rec, flock, steps, &FrameView { scene: &self.scene, slot, attachments, panels, output });
    }
}

impl Images {
    fn format(&self) -> Format {
        match self {
            Images::Swapchain(swapchain) => swapchain.format(),
            Images::Plain(_) => PICTURE_FORMAT,
        }
    }

    fn image(&self, index: u32) -> ImageRef {
        match self {
            Images::Swapchain(swapchain) => swapchain.image(index),
            Images::Plain(image) => image.reference("swapchain_image"),
        }
    }
}

/// Panels that show something, so that they read their vertices and textures.
fn some_panel(device: &Arc<Device>, format: Format) -> Result<Panels> {
    Panels::showing(device, format, IN_FLIGHT, SIZE, |ui| drop(ui.label("starlings")))
}
