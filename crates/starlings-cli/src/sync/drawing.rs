//! Draws the pictures of recorded frames, into a swapchain, a stand-in for one, or a picture for the host.

use crate::panels::Panels;
use starlings::Result;
use starlings::flock::{Flock, StepSlot};
use starlings::frame::{BoidCopy, FrameView, Output, Overlay, record_frame};
use starlings::render::canvas::{Canvas, PICTURE_FORMAT, picture, picture_bytes};
use starlings::render::resources::PICTURE;
use starlings::render::{Camera, Look, Scene, View};
use starlings::vk::{Buffer, Device, Format, Image, ImageRef, Recorder, SWAPCHAIN_IMAGE, Swapchain, Target};
use std::sync::Arc;

/// Draws the pictures of frames.
pub struct Drawing {
    /// What draws the flock.
    pub scene: Scene,
    canvas: Canvas,
    camera: Camera,
    images: Images,
    panels: Option<Panels>,
    /// Copies for the host, one for each frame in flight: of the picture, and of the boids if some are looked for.
    pub bytes: Vec<Buffer>,
    /// Copies of the boids.
    pub boids: Vec<BoidCopy>,
    size: (u32, u32),
}

/// Images that a frame's picture goes to.
pub enum Images {
    /// Images of a swapchain.
    Swapchain(Swapchain),
    /// An image in place of a swapchain's: frames can be recorded, but not submitted.
    StandIn(Image),
    /// An image that is copied to the host.
    Picture(Image),
}

impl Drawing {
    /// Draws `flock`, and `panels` over it, into `images` of `size` pixels.
    pub fn new(
        flock: &Flock,
        look: Look,
        images: Images,
        size: (u32, u32),
        slots: usize,
        panels: Option<Panels>,
    ) -> Result<Drawing> {
        let (device, format) = (flock.device(), images.format());
        let copies = if let Images::Picture(_) = images { slots } else { 0 };
        Ok(Drawing {
            scene: Scene::with_look(device, flock, look, format, slots)?,
            canvas: Canvas::new(device, size.0, size.1)?,
            camera: Camera::fit(&flock.settings().world, size.0 as f32 / size.1 as f32),
            bytes: (0..copies).map(|_| picture_bytes(device, size.0, size.1)).collect::<Result<_>>()?,
            boids: Vec::new(),
            images,
            panels,
            size,
        })
    }

    /// The swapchain, if its images are drawn to.
    pub fn swapchain(&self) -> Option<&Swapchain> {
        match &self.images {
            Images::Swapchain(swapchain) => Some(swapchain),
            _ => None,
        }
    }

    /// What frames of slot `index` leave for the host.
    pub fn for_host(&self, index: usize) -> impl Iterator<Item = &Buffer> {
        self.bytes.get(index).into_iter().chain(self.boids.get(index).into_iter().flat_map(|copy| &copy.arrays))
    }

    /// Recreates the images of a picture.
    pub fn renew(&mut self, device: &Arc<Device>) -> Result<()> {
        self.scene.renew()?;
        if let Images::StandIn(image) | Images::Picture(image) = &mut self.images {
            *image = picture(device, self.size.0, self.size.1)?;
        }
        Ok(())
    }

    /// Records the frame of slot `index`: its steps, and a picture into image `image` of a swapchain, if there is one.
    pub fn record(&mut self, rec: &mut Recorder<'_>, (index, image): (usize, u32), flock: &Flock, steps: &[StepSlot]) {
        let (width, height) = self.size;
        let view = View::of(self.camera, width, height);
        let view = FrameView {
            slot: self.scene.prepare(index, flock, steps, &view),
            scene: &self.scene,
            canvas: &self.canvas,
            target: Target { image: self.images.image(image), width, height },
            overlay: self.panels.as_ref().map(|panels| (panels as &dyn Overlay, index)),
            boids: self.boids.get(index),
            output: self.bytes.get(index).map_or(Output::Display, Output::Host),
        };
        record_frame(rec, flock, steps, &view);
    }
}

impl Images {
    /// The format of the images.
    pub fn format(&self) -> Format {
        match self {
            Images::Swapchain(swapchain) => swapchain.format(),
            _ => PICTURE_FORMAT,
        }
    }

    fn image(&self, index: u32) -> ImageRef {
        match self {
            Images::Swapchain(swapchain) => swapchain.image(index),
            Images::StandIn(image) => image.reference(SWAPCHAIN_IMAGE),
            Images::Picture(image) => image.reference(PICTURE),
        }
    }
}
