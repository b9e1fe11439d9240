//! The picture of a window: what draws the flock, the canvas that it is drawn on, and the panels over it.

use super::display::Display;
use super::stepped_flock::{FRAMES_IN_FLIGHT, SteppedFlock};
use crate::error::Result;
use crate::panels::{PanelPicture, Panels};
use starlings::render::canvas::Canvas;
use starlings::render::{Look, Scene};
use starlings::vk::{Device, Format};
use std::sync::Arc;

pub struct Drawing {
    pub scene: Scene,
    /// Of the images that it draws to.
    format: Format,
    /// Scenes so far, and changes of their look.
    pub scenes: u64,
    /// Of the swapchain's size; none before there was one.
    pub canvas: Option<Canvas>,
    /// Swapchains that there were when it was made.
    swapchains: u64,
    /// Pixels along an edge of a block of the canvas.
    pub block: u32,
    pub panels: Panels,
    pub shows_panels: bool,
    device: Arc<Device>,
}

impl Drawing {
    /// On a canvas of blocks of so many pixels along an edge.
    pub fn new(device: &Arc<Device>, (scene, format): (Scene, Format), panels: Panels, block: u32) -> Drawing {
        let (device, canvas) = (device.clone(), None);
        Drawing { scene, format, scenes: 0, canvas, swapchains: 0, block, panels, shows_panels: false, device }
    }

    /// Another scene for `flock`, drawn like `look`.
    pub fn scene_of(&self, flock: &SteppedFlock, look: &Look) -> Result<Scene> {
        Ok(Scene::with_look(&self.device, &flock.on_device, look.clone(), self.format, FRAMES_IN_FLIGHT)?)
    }

    /// Draws by this scene from the next frame on. The device must be idle.
    pub fn set_scene(&mut self, scene: Scene) {
        self.scene = scene;
        self.scenes += 1;
    }

    /// Draws `flock` like this from the next frame on.
    pub fn set_look(&mut self, flock: &SteppedFlock, look: Look) -> Result<()> {
        self.scene.set_look(&flock.on_device, look)?;
        self.scenes += 1;
        Ok(())
    }

    /// Whether colors that stand for amounts are those of the flock as it is, or do not depend on it.
    pub fn has_settled_colors(&self) -> bool {
        self.scene.values().is_none_or(|values| values.fit.is_settled())
    }

    /// What the panels show from the next frame on; none hides them.
    pub fn set_panels(&mut self, picture: Option<PanelPicture>) -> Result<()> {
        self.shows_panels = picture.is_some();
        picture.map_or(Ok(()), |picture| Ok(self.panels.set_picture(picture)?))
    }

    /// Makes what depends on the swapchain, if `display` has made another: the device is idle since. False while there
    /// is none.
    pub fn fit(&mut self, display: &Display, flock: &SteppedFlock) -> Result<bool> {
        let (Some((width, height)), Some(format)) = (display.size(), display.format()) else { return Ok(false) };
        if self.canvas.is_none() || self.swapchains != display.swapchains {
            self.canvas = Some(Canvas::in_blocks(&self.device, width, height, self.block)?);
            if format != self.format {
                let look = self.scene.look().clone();
                self.set_scene(Scene::with_look(&self.device, &flock.on_device, look, format, FRAMES_IN_FLIGHT)?);
                self.panels = self.panels.on_device(&self.device, format)?;
                self.format = format;
            }
            self.swapchains = display.swapchains;
        }
        Ok(true)
    }
}
