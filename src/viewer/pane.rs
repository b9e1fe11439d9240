//! Where frames are shown: a window, or a surface of the driver's that nobody sees.

use crate::error::{Error, Result};
use crate::vk::{Instance, InstanceOptions, PresentedWindow, Surface, Validation};
use raw_window_handle::HasDisplayHandle;
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
    ///
    /// # Errors
    /// [`Error::Window`] when the X server refuses another connection.
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
        Instance::new(&InstanceOptions { validation, display, capture })
    }

    /// The surface that frames are presented to.
    ///
    /// # Errors
    /// [`Error::NoDevice`] where the driver has none without a window.
    pub fn surface(&self, instance: &Arc<Instance>) -> Result<Surface> {
        match self {
            Pane::Window(presented) => Surface::new(instance, presented),
            Pane::Headless(_) => Surface::headless(instance)?
                .ok_or_else(|| Error::NoDevice("this driver lacks VK_EXT_headless_surface".into())),
        }
    }

    /// The window, if there is one.
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

    pub fn set_title(&self, title: &str) {
        if let Some(window) = self.window() {
            window.set_title(title);
        }
    }

    pub fn request_redraw(&self) {
        if let Some(window) = self.window() {
            window.request_redraw();
        }
    }

    /// To be called before a frame is presented.
    pub fn pre_present_notify(&self) {
        if let Some(window) = self.window() {
            window.pre_present_notify();
        }
    }

    pub fn is_minimized(&self) -> Option<bool> {
        self.window().and_then(Window::is_minimized)
    }

    /// Whether it fills a screen, or most of it.
    pub fn fills_screen(&self) -> bool {
        self.window().is_some_and(|window| window.fullscreen().is_some() || window.is_maximized())
    }

    /// Fills the screen, or no longer.
    pub fn toggle_fullscreen(&self) {
        if let Some(window) = self.window() {
            window.set_fullscreen(window.fullscreen().is_none().then_some(Fullscreen::Borderless(None)));
        }
    }
}
