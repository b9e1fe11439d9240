//! The window: event loop, input, the panel, and the frames shown in it.
//!
//! [`run`] opens a window and returns when it is closed. The simulation goes on in fixed steps, whatever the rate of
//! the display; two frames are in flight, paced by their fences.

mod app;
mod boid_finder;
mod breaking;
mod building;
mod camera;
mod clock;
mod commands;
mod controls;
mod diagram;
mod director;
mod display;
mod documents;
mod drawing;
mod environment;
mod events;
mod frame;
mod frame_waits;
mod history;
mod influences;
mod input;
mod keys;
mod looks;
mod measurements;
mod mouse;
mod neighborhood;
mod numbers;
mod obstacles;
mod open_window;
mod outputs;
mod pace;
mod pane;
mod placement;
mod profile;
mod recovery;
mod replay;
mod session;
mod startup;
mod stepped_flock;
mod tally;
mod throttle;
mod trends;
mod video;

pub use controls::grouped;
pub use documents::{Documents, Opened};
pub use placement::state_file;

use crate::camera_path::CameraPath;
use crate::error::{Error, Result};
use crate::export::Checkpoint;
use crate::flight::Flight;
use crate::panics;
use crate::system::heap;
use starlings::Cancel;
use starlings::flock::{OrderParameters, Settings};
use starlings::render::{Camera, Look};
use starlings::vk::{Fault, Seen, Validation};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use winit::event_loop::EventLoop;

/// What to show, and how.
#[derive(Clone, Debug)]
pub struct ViewerOptions {
    /// The flock of the first frame.
    pub settings: Settings,
    /// What it is drawn like at first.
    pub look: Look,
    /// The camera at first; none for [`Camera::of`].
    pub camera: Option<Camera>,
    /// The way that the camera goes from the start of the flock on, until the user moves it.
    pub path: Option<CameraPath>,
    /// Whether nobody is to be seen at the controls: without them, on a tour, and closed by any key.
    pub kiosk: bool,
    /// Steps that are taken before the first frame, without drawing.
    pub start_step: u32,
    /// The flight that those are of, if settings are changed in it. What it has left, the window flies, unless the user
    /// does something else.
    pub flight: Option<Arc<Flight>>,
    /// The state to go on from, instead of the start; of as many boids as `settings` say. A reset leads to the start.
    pub resume: Option<Arc<Checkpoint>>,
    /// How files and command lines say what is shown; none if pictures are not to remember it.
    pub documents: Option<Arc<dyn Documents + Send + Sync>>,
    /// The device to use: an index, a UUID or part of a name. None for the best one.
    pub gpu: Option<String>,
    /// Whether to load the validation layer. If it reports a message, [`run`] fails.
    pub validation: Validation,
    /// Width of the window at the start, in points: pixels on a display that does not scale.
    pub width: u32,
    /// Height of the window at the start, in points.
    pub height: u32,
    /// The file that remembers place and size of the window, in place of `width` and `height`. None keeps nothing.
    pub remembered: Option<PathBuf>,
    /// Whether to fill the screen from the start.
    pub fullscreen: bool,
    /// Whether to do without a window: frames go to a surface of the driver's that nobody sees.
    pub headless: bool,
    /// Whether never to draw a coarser picture or fewer boids, however slow the device is.
    pub full_quality: bool,
    /// Whether the user has said how many boids there are to be: otherwise a slow device may have fewer.
    pub count_is_given: bool,
    /// Whether to wait for the display between frames. Without, frames follow each other as fast as they can.
    pub vsync: bool,
    /// Whether to time frames, for [`ViewerReport::frame_times`]: one step each, without controls. The first 30 are not
    /// timed, and not counted in `exit_after`.
    pub benchmark: bool,
    /// Frames after which the window closes by itself.
    pub exit_after: Option<u64>,
    /// Faults to build into the frame's synchronization, to show what a dependency is for.
    pub faults: Vec<Fault>,
    /// Whether to judge all that is submitted: see [`DeviceOptions::watch`](starlings::vk::DeviceOptions::watch).
    pub watch: Option<Vec<Fault>>,
    /// Whether to load RenderDoc, which then captures frames on request.
    pub renderdoc: bool,
    /// The frame to capture, counted from 1; needs `renderdoc`.
    pub capture: Option<u64>,
    /// Steps between samples of the order parameters, for [`ViewerReport::order`].
    pub stats_every: Option<u32>,
    /// Closes the window, within half a second, once this is requested.
    pub stop: Cancel,
}

impl ViewerOptions {
    /// A window of 1280 by 720 pixels on the best device, with the flock as its preset is drawn.
    pub fn new(settings: Settings) -> Self {
        ViewerOptions {
            look: Look::of(&settings),
            settings,
            camera: None,
            path: None,
            kiosk: false,
            start_step: 0,
            flight: None,
            resume: None,
            documents: None,
            gpu: None,
            validation: Validation::Off,
            width: 1280,
            height: 720,
            remembered: None,
            fullscreen: false,
            headless: false,
            full_quality: false,
            count_is_given: true,
            vsync: true,
            benchmark: false,
            exit_after: None,
            faults: Vec::new(),
            watch: None,
            renderdoc: false,
            capture: None,
            stats_every: None,
            stop: Cancel::default(),
        }
    }

    /// Whether the window is to close.
    fn is_stopped(&self) -> bool {
        self.stop.is_requested()
    }

    /// The settings that the flock begins with.
    fn first(&self) -> &Settings {
        self.flight.as_ref().map_or(&self.settings, |flight| flight.first())
    }

    /// The steps that have led to the flock of the first frame.
    fn first_step(&self) -> u32 {
        self.resume.as_ref().map_or(0, |checkpoint| checkpoint.step).max(self.start_step)
    }
}

/// What happened while the window was open.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ViewerReport {
    /// Name of the device.
    pub device: String,
    /// Frames shown.
    pub frames: u64,
    /// Steps simulated, those before a reset included.
    pub steps: u64,
    /// Swapchains created, including the first.
    pub swapchains: u64,
    /// What RenderDoc captured, in this order.
    pub captures: Vec<PathBuf>,
    /// Milliseconds from the end of one frame to that of the next, if [`ViewerOptions::benchmark`].
    pub frame_times: Vec<f64>,
    /// Frames for which the controls were laid out anew.
    pub layouts: u64,
    /// Most frames handed to the display from an input to the one that shows it, that one included; 0 if there was no
    /// input.
    pub input_delay: u64,
    /// Order parameters every [`ViewerOptions::stats_every`] steps, if requested. They restart with the flock.
    pub order: Vec<OrderParameters>,
    /// What was judged, if [`ViewerOptions::watch`].
    pub watched: Option<Seen>,
}

/// Opens a window on a flock and returns when it is closed. To be called on the main thread, once. With glibc it sets
/// `M_TRIM_THRESHOLD` of the process to 2 MiB, so that memory that drivers free goes back to the system.
///
/// # Errors
/// [`Error::NoDisplay`] where no window can be opened, [`starlings::Error::NoDevice`] where none is wanted and the
/// driver has no surface without one; [`Error::Validation`] when the validation layer is loaded and reported a message;
/// otherwise as [`starlings::flock::Flock::new`] and [`starlings::render::Scene::new`], or [`starlings::Error::Window`]
/// when the window system fails.
pub fn run(options: ViewerOptions) -> Result<ViewerReport> {
    options.settings.validate()?;
    heap::give_back_ends();
    if options.headless {
        let mut app = app::App::new(options);
        app.run_headless();
        return app.finish();
    }
    let event_loop = open_display(options.renderdoc)?;
    let mut app = app::App::new(options);
    let ended = match catch_unwind(AssertUnwindSafe(|| event_loop.run_app(&mut app))) {
        Ok(ended) => ended.map_err(|error| error.to_string()),
        Err(panic) => match panic.downcast::<String>() {
            Ok(text) if is_of_lost_window(&text) => Err(*text),
            Ok(text) => resume_unwind(text),
            Err(panic) => resume_unwind(panic),
        },
    };
    let report = app.finish()?;
    match ended {
        Err(reason) if is_of_lost_window(&reason) => {
            tracing::warn!("another program has destroyed the window, or closed the connection to the X server");
        }
        Err(reason) => return Err(starlings::Error::Window { operation: "running the event loop", reason }.into()),
        Ok(()) => {}
    }
    Ok(report)
}

/// Whether winit 0.30 has failed, or panicked, with `text` because another program destroyed the window: where it asks
/// the X server about the window; or in any call after the server has closed the connection, which is what killing a
/// window does.
fn is_of_lost_window(text: &str) -> bool {
    [
        "error_kind: Drawable",
        "error_kind: Window",
        "Failed to destroy input context",
        "BadDrawable",
        "BadWindow",
        "IoError(Custom { kind: Other, error: UnknownError })",
    ]
    .iter()
    .any(|sign| text.contains(sign))
}

/// Whether `error` leaves the window as it was: what was asked for does not suit, or is too large for the device.
fn is_refusal(error: &Error) -> bool {
    use starlings::Error as Engine;
    matches!(error, Error::Engine(Engine::Setting { .. } | Engine::TooLarge { .. } | Engine::Allocation { .. }))
}

fn open_display(renderdoc: bool) -> Result<EventLoop<()>> {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let asks = cfg!(all(unix, not(target_os = "macos")));
    if asks && !["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"].into_iter().any(set) {
        return Err(Error::NoDisplay("neither DISPLAY nor WAYLAND_DISPLAY is set".into()));
    }
    let mut builder = EventLoop::builder();
    #[cfg(all(unix, not(target_os = "macos")))]
    if asks && set("DISPLAY") {
        // winit would not try X11 where this is set.
        let stale = crate::machine::display::stale_wayland();
        if let Some(reason) = &stale {
            tracing::warn!("there is no Wayland display {reason}; trying X11");
            winit::platform::x11::EventLoopBuilderExtX11::with_x11(&mut builder);
        }
        environment::check()?;
        if stale.is_some() || renderdoc || !(set("WAYLAND_DISPLAY") || set("WAYLAND_SOCKET")) {
            environment::check_server()?;
        }
    }
    #[cfg(all(unix, not(target_os = "macos")))]
    if renderdoc || std::env::var_os("ENABLE_VULKAN_RENDERDOC_CAPTURE").is_some() {
        // RenderDoc cannot capture Wayland windows. Most Wayland desktops show X11 windows, too.
        if !set("DISPLAY") {
            return Err(starlings::Error::NoRenderDoc(
                "it cannot capture Wayland windows, and DISPLAY is not set".into(),
            )
            .into());
        }
        winit::platform::x11::EventLoopBuilderExtX11::with_x11(&mut builder);
    }
    // winit panics where an extension or a library is missing.
    let built = panics::of_library(|| builder.build()).map_err(Error::NoDisplay)?;
    built.map_err(|e| {
        // winit prefixes its source location to the system's message.
        let text = e.to_string();
        Error::NoDisplay(text.rsplit(": ").next().unwrap_or(&text).to_owned())
    })
}
