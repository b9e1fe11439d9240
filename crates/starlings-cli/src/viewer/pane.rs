//! Where frames are shown: a window, or a surface of the driver's that nobody sees.

use super::placement::Placement;
use crate::error::{Error, Result};
use crate::system::presented::PresentedWindow;
use raw_window_handle::HasDisplayHandle;
use starlings::vk::{Instance, InstanceOptions, Surface, Validation};
use std::sync::Arc;
use winit::window::{Fullscreen, Window};

/// A window, or none.
#[derive(Clone)]
pub enum Pane {
    Window(Arc<PresentedWindow<Window>>),
    /// No window, of so many pixels.
    Headless((u32, u32)),
}

impl Pane {
    /// On a window that is open.
    pub fn on(window: &Arc<Window>) -> Result<Pane> {
        // The X server answers this once it has made the window.
        window.inner_size();
        Ok(Pane::Window(Arc::new(PresentedWindow::new(window.clone())?)))
    }

    /// An instance whose devices can present to it.
    pub fn instance(&self, validation: Validation, capture: bool) -> Result<Arc<Instance>> {
        let display = match self {
            Pane::Window(presented) => {
                Some(presented.display_handle().map_err(|e| Error::NoDisplay(e.to_string()))?.as_raw())
            }
            Pane::Headless(_) => None,
        };
        Ok(Instance::new(&InstanceOptions { validation, display, capture })?)
    }

    /// The surface that frames are presented to.
    ///
    /// # Errors
    /// [`starlings::Error::NoDevice`] where the driver has none without a window.
    pub fn surface(&self, instance: &Arc<Instance>) -> Result<Surface> {
        match self {
            Pane::Window(presented) => Ok(Surface::new(instance, presented)?),
            Pane::Headless(_) => Ok(Surface::headless(instance)?
                .ok_or_else(|| starlings::Error::NoDevice("this driver lacks VK_EXT_headless_surface".into()))?),
        }
    }

    pub fn window(&self) -> Option<&Window> {
        match self {
            Pane::Window(presented) => Some(&presented.window),
            Pane::Headless(_) => None,
        }
    }

    /// In pixels.
    pub fn size(&self) -> (u32, u32) {
        match self {
            Pane::Window(presented) => presented.window.inner_size().into(),
            Pane::Headless(size) => *size,
        }
    }

    /// Pixels in a point.
    pub fn scale(&self) -> f64 {
        self.window().map_or(1.0, Window::scale_factor)
    }

    /// Whether it was asked to fill the screen.
    pub fn is_fullscreen(&self) -> bool {
        self.window().is_some_and(|window| window.fullscreen().is_some())
    }

    /// Fills the screen, or no longer.
    pub fn toggle_fullscreen(&self) {
        if let Some(window) = self.window() {
            window.set_fullscreen(window.fullscreen().is_none().then_some(Fullscreen::Borderless(None)));
        }
    }
}

/// A window as it last said itself: one that was destroyed cannot be asked.
pub struct WindowState {
    pub pane: Pane,
    /// Of its frame, in pixels.
    pub position: Option<(i32, i32)>,
    /// Pixels in a point. Under X11, winit 0.30 goes on to say an old number when it is asked.
    pub scale: f64,
    /// Whether it fills the screen, or most of it.
    fills: bool,
    /// The window system reports it as occluded.
    pub occluded: bool,
    /// It reports itself as minimized.
    minimized: bool,
    /// The last frame found nothing to draw to.
    pub is_idle: bool,
    /// Something was asked for that the next frame shows.
    pub is_dirty: bool,
}

impl WindowState {
    /// Of a window with its first frame to come.
    pub fn new(pane: &Pane, position: Option<(i32, i32)>, scale: f64) -> WindowState {
        let mut state = WindowState {
            pane: pane.clone(),
            position,
            scale,
            fills: false,
            occluded: false,
            minimized: false,
            is_idle: false,
            is_dirty: true,
        };
        state.ask();
        state
    }

    pub fn is_hidden(&self) -> bool {
        self.occluded || self.minimized
    }

    /// Draws again, whatever the last frame found.
    pub fn wake(&mut self) {
        (self.is_idle, self.is_dirty) = (false, true);
    }

    /// Asks the window whether it is minimized, or fills a screen: not every system sends an event.
    pub fn ask(&mut self) {
        if let Some(window) = self.pane.window() {
            self.minimized = window.is_minimized().unwrap_or(self.minimized);
            self.fills = window.fullscreen().is_some() || window.is_maximized();
        }
    }

    /// Where it is and how large, of so many pixels; none while it fills a screen.
    pub fn placement(&self, (width, height): (u32, u32)) -> Option<Placement> {
        let points = |pixels: u32| (f64::from(pixels) / self.scale).round() as u32;
        (!self.fills).then_some(Placement { size: (points(width), points(height)), position: self.position })
    }
}
