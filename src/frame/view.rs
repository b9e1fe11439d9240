//! What a frame draws, and its output.

use super::BoidCopy;
use crate::render::{Canvas, Picture, Scene, SceneSlot};
use crate::vk::{Access, Buffer, Layout, Pass, Recorder, Stage, Target, Uses};

/// What a frame draws, and its output.
#[derive(Clone, Copy)]
pub struct FrameView<'a> {
    /// What draws the flock.
    pub scene: &'a Scene,
    /// The parameters of this frame.
    pub slot: SceneSlot,
    /// Where the picture is made.
    pub canvas: &'a Canvas,
    /// The image that it goes to, as large as the canvas.
    pub target: Target,
    /// What is drawn over the picture last, if anything, and the frame slot that it was prepared for.
    pub overlay: Option<(&'a dyn Overlay, usize)>,
    /// Where the boids are copied to, in a window that looks for some of them.
    pub boids: Option<&'a BoidCopy>,
    /// Where the image goes.
    pub output: Output<'a>,
}

/// Draws over a frame's picture, as the panels of a window do.
pub trait Overlay {
    /// Records a pass that draws what was prepared for frame slot `slot` over the picture in `over`, inside a rendering
    /// of it.
    fn draw(&self, rec: &mut Recorder<'_>, slot: usize, over: &Target);
}

/// Where the image goes.
#[derive(Clone, Copy)]
pub enum Output<'a> {
    /// To the window it was acquired from.
    Display,
    /// Into a host-visible buffer, four bytes a pixel.
    Host(&'a Buffer),
    /// To the program that embeds the frame, in an image of its own.
    Image(ImageUse),
}

/// How a program uses the image that frames draw to, of a format with four bytes a pixel and with the usage
/// `TRANSFER_DST`, and also `COLOR_ATTACHMENT` where trails or a cell are drawn. What was in the image is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageUse {
    /// The stages in which it is used between two frames.
    pub stage: Stage,
    /// The accesses of its reads there.
    pub access: Access,
    /// The layout that it has there.
    pub layout: Layout,
}

impl<'a> FrameView<'a> {
    /// Its picture, for the passes.
    pub(super) fn picture(&self) -> Picture<'a> {
        Picture { scene: self.scene, canvas: self.canvas, slot: self.slot, round: 0 }
    }

    /// Whether anything is drawn over the composed picture.
    pub(super) fn draws_over(&self) -> bool {
        self.scene.draws_over() || self.overlay.is_some()
    }

    /// Copies the pixels into the image.
    pub(super) fn copy_to_image(&self, rec: &mut Recorder<'_>, uses: Uses) {
        copy_to_image(rec, &self.canvas.pixels, &self.target, uses);
    }

    /// Draws trails, a cell's edges and the overlay. Rasterization order applies, so the attachment needs no dependency
    /// between the draws of one rendering.
    pub(super) fn draw_overlay(&self, rec: &mut Recorder<'_>) {
        rec.rendering_over(&self.target, |rec| {
            self.picture().draw_trails(rec, &self.target);
            self.picture().draw_cell(rec, &self.target);
            if let Some((overlay, slot)) = self.overlay {
                overlay.draw(rec, slot, &self.target);
            }
        });
    }
}

pub(super) fn copy_to_image(rec: &mut Recorder<'_>, pixels: &Buffer, target: &Target, uses: Uses) {
    let &Target { image, width, height } = target;
    rec.pass(&Pass { name: "copy_to_image", stage: Stage::COPY, uses: &uses }, |rec| {
        rec.copy_buffer_to_whole_image(pixels, image, width, height);
    });
}
