//! The event loop: from before the window is open until after it is closed, and how it went.

use super::opening::{GLANCE, Opening};
use super::pane::Pane;
use super::placing::Placement;
use super::running::{Next, Running};
use super::{ViewerOptions, ViewerReport};
use crate::error::{Error, Result};
use crate::vk::{Messages, xlib};
use raw_window_handle::HasDisplayHandle;
use std::io::{Cursor, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;
use winit::application::ApplicationHandler;
use winit::dpi::{LogicalSize, PhysicalPosition};
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow};
use winit::window::{Fullscreen, Icon, Window, WindowId};

/// The application, before, while and after its window is open.
pub struct App {
    options: ViewerOptions,
    /// While the window is starting.
    opening: Option<Opening>,
    running: Option<Running>,
    messages: Option<Arc<Messages>>,
    report: ViewerReport,
    failure: Option<Error>,
}

impl App {
    pub fn new(options: ViewerOptions) -> Self {
        App { options, opening: None, running: None, messages: None, report: ViewerReport::default(), failure: None }
    }

    /// The report. All Vulkan objects are destroyed first, so that every validation message counts.
    pub fn finish(mut self) -> Result<ViewerReport> {
        self.close();
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        match self.messages.map_or(0, |messages| messages.count()) {
            0 => Ok(self.report),
            count => Err(Error::Validation(count)),
        }
    }

    fn close(&mut self) {
        self.opening = None;
        if let Some(mut running) = self.running.take() {
            if let (Some(path), Some(placement)) = (&self.options.remembered, running.placement())
                && let Err(error) = placement.write(path)
            {
                tracing::debug!("{error}");
            }
            // In slow frames, F12 and Esc are handled before the same frame.
            let camera = running.rig.camera();
            for ended in [running.take_screenshot(camera), running.end_film()] {
                match ended {
                    Ok(None) => {}
                    // If stderr is closed, the file is there all the same.
                    Ok(Some(notice)) => drop(writeln!(std::io::stderr(), "starlings: {notice}")),
                    Err(error) => drop(self.failure.get_or_insert(error)),
                }
            }
            match running.report() {
                Ok(report) => self.report = report,
                Err(error) => drop(self.failure.get_or_insert(error)),
            }
        }
    }

    /// Begins to open the flock in `pane`.
    fn open(&mut self, pane: &Pane) -> Result<Opening> {
        let instance = pane.instance(self.options.validation, self.options.renderdoc)?;
        self.messages = instance.validating().then(|| instance.messages().clone());
        Opening::begin(pane, pane.size(), &instance, &self.options, false, None)
    }

    /// Draws frames as a window does, but without one, until they are enough.
    pub fn run_headless(&mut self) {
        let pane = Pane::Headless((self.options.width, self.options.height));
        if let Err(error) = self.open(&pane).and_then(|opening| self.run_frames(opening)) {
            self.failure = Some(error);
        }
        self.close();
    }

    fn run_frames(&mut self, opening: Opening) -> Result<()> {
        let running = self.running.insert(Running::new(opening)?);
        let stopped = || self.options.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        while !stopped() && matches!(running.redraw().or_else(|error| running.recover(error))?, Next::Go) {}
        Ok(())
    }

    /// Shows the flock, if it is made by now.
    fn show_flock(&mut self) -> Result<Next> {
        if let Some(opening) = self.opening.take_if(|opening| opening.is_done()) {
            self.running = Some(Running::new(opening)?);
        }
        Ok(Next::Go)
    }

    /// Ends the event loop if something has quit or failed.
    fn note(&mut self, event_loop: &ActiveEventLoop, went: Result<Next>) {
        match went {
            Ok(Next::Go) => {}
            Ok(Next::Quit) => event_loop.exit(),
            // Lost, and lost again at once: somebody else has closed the window.
            Err(error) if error.is_surface_lost() => {
                tracing::warn!("{error}; the window is gone");
                event_loop.exit();
            }
            Err(error) => {
                self.failure.get_or_insert(error);
                event_loop.exit();
            }
        }
    }
}

/// Where the last window was, if that is to be remembered, on the displays that there are now.
fn placement_before(event_loop: &ActiveEventLoop, options: &ViewerOptions) -> Option<Placement> {
    let displays: Vec<_> =
        event_loop.available_monitors().map(|display| (display.position(), display.size())).collect();
    Some(Placement::read(options.remembered.as_deref()?)?.seen_on(&displays))
}

fn open_window(
    event_loop: &ActiveEventLoop,
    options: &ViewerOptions,
    before: Option<Placement>,
) -> Result<Arc<Window>> {
    let (width, height) = before.map_or((options.width, options.height), |before| before.size);
    let mut attributes = Window::default_attributes();
    if let Some((x, y)) = before.and_then(|before| before.position) {
        attributes = attributes.with_position(PhysicalPosition::new(x, y));
    }
    let attributes = attributes
        .with_title("starlings: starting")
        .with_window_icon(icon())
        .with_inner_size(LogicalSize::new(width, height))
        .with_fullscreen(options.fullscreen.then_some(Fullscreen::Borderless(None)));
    #[cfg(all(unix, not(target_os = "macos")))]
    let attributes = {
        use winit::platform::{wayland::WindowAttributesExtWayland, x11::WindowAttributesExtX11};
        let attributes = WindowAttributesExtX11::with_name(attributes, "starlings", "starlings");
        WindowAttributesExtWayland::with_name(attributes, "starlings", "starlings")
    };
    if let Ok(display) = event_loop.display_handle() {
        xlib::survive(display.as_raw());
    }
    let opened = event_loop.create_window(attributes);
    opened.map(Arc::new).map_err(|e| Error::Window { operation: "opening a window", reason: e.to_string() })
}

/// The program's icon, drawn by itself. (Wayland has none: there it is that of the desktop file.)
fn icon() -> Option<Icon> {
    let mut reader = png::Decoder::new(Cursor::new(ICON)).read_info().ok()?;
    let mut rgb = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut rgb).ok()?;
    let rgba = rgb.chunks_exact(3).flat_map(|pixel| [pixel[0], pixel[1], pixel[2], 255]).collect();
    Icon::from_rgba(rgba, info.width, info.height).ok()
}

const ICON: &[u8] = include_bytes!("../../data/icon.png");

impl ApplicationHandler for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.opening.is_some() || self.running.is_some() || self.failure.is_some() {
            return;
        }
        let before = placement_before(event_loop, &self.options);
        let window = match open_window(event_loop, &self.options, before) {
            Ok(window) => window,
            Err(error) => return self.note(event_loop, Err(error)),
        };
        match Pane::on(&window).and_then(|pane| self.open(&pane)) {
            Ok(opening) => self.opening.insert(opening).position = before.and_then(|before| before.position),
            Err(error) => {
                // Drivers tell of a window that is gone in many ways, or not at all. If it is, this panics, which `run` takes for its end.
                window.inner_size();
                self.note(event_loop, Err(error));
            }
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let went = match (&mut self.opening, &mut self.running) {
            (Some(opening), _) => opening.on_event(&event),
            (None, Some(running)) => running.on_event(event),
            (None, None) => return,
        };
        self.note(event_loop, went);
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let stop = self.options.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        if xlib::is_lost() {
            tracing::warn!("the X server has ended, or has closed this window");
        }
        if stop || xlib::is_lost() {
            event_loop.exit();
        }
        if let Some(opening) = &mut self.opening {
            event_loop.set_control_flow(ControlFlow::WaitUntil(Instant::now() + GLANCE));
            let went = opening.glance().map(|()| Next::Go);
            self.note(event_loop, went);
            let went = self.show_flock();
            self.note(event_loop, went);
        }
        if let Some(running) = &mut self.running {
            event_loop.set_control_flow(running.before_waiting());
        }
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        // The window must be closed while its display is still connected.
        self.close();
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_icon_is_one() {
        assert!(super::icon().is_some());
    }
}
