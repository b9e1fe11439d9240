//! The event loop: from before the window is open until after it is closed, and how it went.

use super::open_window::{Next, OpenWindow};
use super::pane::Pane;
use super::placement::Placement;
use super::startup::{POLL, Startup};
use super::{ViewerOptions, ViewerReport};
use crate::error::{Error, Result};
use crate::system::xlib;
use raw_window_handle::HasDisplayHandle;
use starlings::vk::Messages;
use std::io::{Cursor, Write};
use std::sync::Arc;
use std::time::Instant;
use winit::application::ApplicationHandler;
use winit::dpi::{LogicalSize, PhysicalPosition};
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow};
use winit::window::{Fullscreen, Icon, Window, WindowId};

/// How far a window is.
enum Phase {
    Unopened,
    /// Something makes its flock.
    Starting(Box<Startup>),
    Open(Box<OpenWindow>),
    Closed,
}

/// The application, before, while and after its window is open.
pub struct App {
    options: ViewerOptions,
    phase: Phase,
    messages: Option<Arc<Messages>>,
    report: ViewerReport,
    failure: Option<Error>,
}

impl App {
    pub fn new(options: ViewerOptions) -> Self {
        App { options, phase: Phase::Unopened, messages: None, report: ViewerReport::default(), failure: None }
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
        let Phase::Open(mut window) = std::mem::replace(&mut self.phase, Phase::Closed) else { return };
        if let (Some(path), Some(placement)) = (&self.options.remembered, window.placement())
            && let Err(error) = placement.write(path)
        {
            tracing::debug!("{error}");
        }
        for ended in window.end_outputs() {
            match ended {
                Ok(None) => {}
                // If stderr is closed, the file is there all the same.
                Ok(Some(notice)) => drop(writeln!(std::io::stderr(), "starlings: {notice}")),
                Err(error) => drop(self.failure.get_or_insert(error)),
            }
        }
        match window.report() {
            Ok(report) => self.report = report,
            Err(error) => drop(self.failure.get_or_insert(error)),
        }
    }

    /// Begins to make the flock that `pane` shows.
    fn start(&mut self, pane: &Pane) -> Result<Startup> {
        let instance = pane.instance(self.options.validation, self.options.renderdoc)?;
        self.messages = instance.validating().then(|| instance.messages().clone());
        Startup::begin(pane, pane.size(), &instance, &self.options, false, None)
    }

    /// Draws frames as a window does, but without one, until they are enough.
    pub fn run_headless(&mut self) {
        let pane = Pane::Headless((self.options.width, self.options.height));
        if let Err(error) = self.start(&pane).and_then(|startup| self.run_frames(startup)) {
            self.failure = Some(error);
        }
        self.close();
    }

    fn run_frames(&mut self, startup: Startup) -> Result<()> {
        self.phase = Phase::Open(Box::new(OpenWindow::new(startup)?));
        let Phase::Open(window) = &mut self.phase else { return Ok(()) };
        while !self.options.is_stopped() && window.redraw().or_else(|error| window.recover(error))? == Next::Go {}
        Ok(())
    }

    /// Shows another message, or the flock if it is made by now.
    fn poll(&mut self) -> Result<Next> {
        let Phase::Starting(startup) = &mut self.phase else { return Ok(Next::Go) };
        startup.poll()?;
        if startup.is_done()
            && let Phase::Starting(startup) = std::mem::replace(&mut self.phase, Phase::Closed)
        {
            self.phase = Phase::Open(Box::new(OpenWindow::new(*startup)?));
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

/// Edge of a window at most, in pixels: the X protocol has signed numbers of 16 bits.
const MOST_PIXELS: f64 = 32_767.0;

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
    let (mut width, mut height) = before.map_or((options.width, options.height), |before| before.size);
    let monitors = event_loop.primary_monitor().into_iter().chain(event_loop.available_monitors());
    let scale = monitors.map(|monitor| monitor.scale_factor()).next().unwrap_or(1.0);
    let most = ((MOST_PIXELS / scale) as u32).max(1);
    if width > most || height > most {
        if before.is_none() {
            let accepted = format!("at most {most}x{most} points, which this display scales by {scale}");
            return Err(Error::flag("size", format!("{width}x{height}"), accepted));
        }
        // It was another display.
        (width, height) = (width.min(most), height.min(most));
    }
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
    let window =
        opened.map_err(|e| starlings::Error::Window { operation: "opening a window", reason: e.to_string() })?;
    Ok(Arc::new(window))
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
        if !matches!(self.phase, Phase::Unopened) || self.failure.is_some() {
            return;
        }
        let before = placement_before(event_loop, &self.options);
        let window = match open_window(event_loop, &self.options, before) {
            Ok(window) => window,
            Err(error) => return self.note(event_loop, Err(error)),
        };
        match Pane::on(&window).and_then(|pane| self.start(&pane)) {
            Ok(mut startup) => {
                startup.position = before.and_then(|before| before.position);
                self.phase = Phase::Starting(Box::new(startup));
            }
            Err(error) => {
                // Drivers tell of a window that is gone in many ways, or not at all. If it is, this panics, which `run`
                // takes for its end.
                window.inner_size();
                self.note(event_loop, Err(error));
            }
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let went = match &mut self.phase {
            Phase::Starting(startup) => startup.on_event(&event),
            Phase::Open(window) => window.on_event(event),
            Phase::Unopened | Phase::Closed => return,
        };
        self.note(event_loop, went);
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        if xlib::is_lost() {
            tracing::warn!("the X server has ended, or has closed this window");
        }
        if self.options.is_stopped() || xlib::is_lost() {
            event_loop.exit();
        }
        if matches!(self.phase, Phase::Starting(_)) {
            event_loop.set_control_flow(ControlFlow::WaitUntil(Instant::now() + POLL));
            let went = self.poll();
            self.note(event_loop, went);
        }
        if let Phase::Open(window) = &mut self.phase {
            event_loop.set_control_flow(window.before_waiting());
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
