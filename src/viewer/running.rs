//! An open window: which event does what, when to draw, and when to wait.

use super::breaking::Breaking;
use super::capturing::Capturing;
use super::clock::Clock;
use super::controls::widgets::grouped;
use super::controls::{Mode, Overlay};
use super::delay::Delay;
use super::filming::Film;
use super::input::FlightKeys;
use super::mouse::Mouse;
use super::numbers::Numbers;
use super::opening::Opening;
use super::pane::Pane;
use super::placing::Placement;
use super::profile::Profile;
use super::rig::Rig;
use super::session::Session;
use super::thrift::{Thrift, boids_at_first, most_offered};
use super::touch::Touch;
use super::trends::Trends;
use super::watching::Watching;
use super::{ViewerOptions, ViewerReport};
use crate::error::Result;
use crate::flock::{PRESETS, memory};
use crate::render::Camera;
use crate::vk::heap::Heap;
use crate::vk::{Instance, Spread};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};
use winit::event_loop::ControlFlow;
use winit::keyboard::ModifiersState;

/// How often numbers are updated and a hidden window is checked.
pub const TICK: Duration = Duration::from_millis(500);

/// Width of a window, in points, from which the panel is shown at first.
const WIDE: f64 = 640.0;

/// How long messages stay that matter, and the first one.
pub const NOTICE_TIME: Duration = Duration::from_secs(4);
const HINT_TIME: Duration = Duration::from_secs(8);

/// The first message.
const HINT: &str = "H: controls   Space: pause   drag: orbit   wheel: zoom   Esc: quit";

/// Whether to go on.
pub enum Next {
    Go,
    Quit,
}

/// An open window.
pub struct Running {
    pub(super) session: Session,
    /// The instance that the window was opened with, to go back to.
    pub(super) intact: Arc<Instance>,
    /// Settings and look are those of now.
    pub(super) options: ViewerOptions,
    pub(super) overlay: Overlay,
    /// Some while the frame is being broken.
    pub(super) breaking: Option<Breaking>,
    pub(super) numbers: Numbers,
    pub(super) clock: Clock,
    pub(super) rig: Rig,
    pub(super) pane: Pane,
    /// Place and scale of the window as it last said itself, and whether it fills the screen: one that was destroyed cannot be asked.
    pub(super) position: Option<(i32, i32)>,
    pub(super) scale: f64,
    pub(super) fills: bool,
    /// The window system reports the window as occluded.
    pub(super) occluded: bool,
    /// The window reports itself as minimized.
    pub(super) minimised: bool,
    /// The last frame found nothing to draw to.
    pub(super) idle: bool,
    /// Something was asked for that the next frame shows.
    pub(super) look_again: bool,
    pub(super) mouse: Mouse,
    pub(super) keys: FlightKeys,
    pub(super) held: ModifiersState,
    pub(super) screenshot_wanted: bool,
    pub(super) capturing: Capturing,
    /// While the window is recorded.
    pub(super) film: Option<Film>,
    pub(super) watching: Watching,
    pub(super) trends: Trends,
    pub(super) profile: Profile,
    /// Whether the search is drawn over the flock.
    pub(super) diagram: bool,
    /// The pass whose times are plotted.
    pub(super) pinned: Option<&'static str>,
    pub(super) thrift: Thrift,
    pub(super) touch: Touch,
    #[cfg(feature = "reload")]
    pub(super) shaders: crate::vk::reload::Watch,
    /// Once something was copied.
    pub(super) clipboard: Option<arboard::Clipboard>,
    /// The most boids that the device holds with these settings.
    pub(super) most_boids: u32,
    /// Boids that the preset starts with on it.
    pub(super) usual_boids: u32,
    pub(super) notice_since: Instant,
    pub(super) last_frame: Instant,
    pub(super) last_trend: Instant,
    pub(super) last_tick: Instant,
    heap: Heap,
    pub(super) delay: Delay,
    pub(super) frames_since_tick: u32,
    pub(super) simulated_since_tick: f64,
    /// Swapchains of the last frame: with another one the controls are laid out anew.
    pub(super) swapchains: u64,
    /// The end of the last frame of a benchmark, and the times of those before.
    pub(super) timed: Option<Instant>,
    pub(super) frame_times: Vec<f64>,
    /// Milliseconds for the controls, of frames that show them as they were and of frames that change them.
    pub(super) panel_times: [VecDeque<f64>; 2],
    /// The next frame is the first with controls that have changed.
    pub(super) laid_out: bool,
    /// Frames in which the controls changed.
    pub(super) layouts: u64,
    /// The range of colors in the legend.
    pub(super) color_range: Option<[f32; 2]>,
    pub(super) frames: u64,
    /// How many there were when the device was last lost.
    pub(super) lost_at: Option<u64>,
    pub(super) steps: u64,
}

impl Running {
    /// Shows the flock that `opening` has made, once it is done.
    pub fn new(opening: Opening) -> Result<Self> {
        let (pane, options) = (opening.pane.clone(), opening.options.clone());
        let (position, scale) = (opening.position, opening.scale);
        let session = Session::new(opening)?;
        let settings = &options.settings;
        let (width, height) = pane.size();
        let aspect = width.max(1) as f32 / height.max(1) as f32;
        let now = Instant::now();
        let numbers = Numbers { device: session.device.info().name.clone(), rate: 1.0, ..Numbers::default() };
        // The panel would hide the flock.
        let wide = f64::from(session.window_size().0) >= WIDE * scale;
        let mode = match wide {
            _ if options.benchmark => Mode::Nothing,
            true => Mode::Panel,
            false => Mode::Line,
        };
        let mut running = Running {
            overlay: Overlay::new(&pane, session.device.info().max_image_size, mode),
            intact: session.instance.clone(),
            options: options.clone(),
            breaking: None,
            session,
            numbers,
            clock: Clock::new(settings.time_step),
            rig: Rig::new(options.camera.unwrap_or_else(|| Camera::of(settings, aspect)), settings, aspect),
            pane,
            position,
            scale,
            fills: false,
            occluded: false,
            minimised: false,
            idle: false,
            look_again: true,
            mouse: Mouse::default(),
            keys: FlightKeys::default(),
            held: ModifiersState::empty(),
            screenshot_wanted: false,
            capturing: Capturing { frame: options.capture, ..Capturing::default() },
            film: None,
            watching: Watching::new(options.stats_every, options.first_step()),
            trends: Trends::default(),
            profile: Profile::default(),
            diagram: false,
            pinned: None,
            clipboard: None,
            touch: Touch::new(&settings.points),
            #[cfg(feature = "reload")]
            shaders: crate::vk::reload::Watch::default(),
            thrift: Thrift::new(!options.full_quality, !options.count_is_given),
            most_boids: 0,
            usual_boids: 0,
            notice_since: now,
            last_frame: now,
            last_trend: now,
            last_tick: now,
            heap: Heap::default(),
            delay: Delay::default(),
            frames_since_tick: 0,
            simulated_since_tick: 0.0,
            swapchains: 0,
            timed: None,
            frame_times: Vec::new(),
            panel_times: Default::default(),
            layouts: 0,
            laid_out: false,
            color_range: None,
            frames: 0,
            lost_at: None,
            steps: 0,
        };
        running.settings_changed();
        running.look_at_window();
        running.show_title();
        if !running.options.benchmark {
            running.greet();
        }
        Ok(running)
    }

    /// Says what the keys are, for a while.
    fn greet(&mut self) {
        let mut hint = HINT.to_owned();
        if self.session.block() > 1 {
            let boids = grouped(self.options.settings.boids.into());
            hint = format!(
                "a software driver: {boids} boids in a coarse picture (--full-quality for the fine one)\n{hint}"
            );
        }
        self.overlay.say(hint, HINT_TIME);
    }

    /// Updates what follows from the settings.
    pub(super) fn settings_changed(&mut self) {
        let settings = &self.options.settings;
        (self.numbers.preset, self.numbers.boids) = (settings.preset, settings.boids);
        let device = self.session.device.info();
        self.most_boids = most_offered(device, memory::most_boids(device, settings));
        self.usual_boids = self.boids_of_preset(settings.preset);
        self.profile.clear();
    }

    /// Boids that a window begins with by this preset, unless the user says how many.
    pub(super) fn boids_of_preset(&self, name: &str) -> u32 {
        let preset = PRESETS.iter().find(|preset| preset.name == name).unwrap_or(&PRESETS[0]);
        let boids = preset.settings().boids;
        if self.options.full_quality { boids } else { boids_at_first(self.session.device.info(), boids) }
    }

    /// Width of the picture over its height.
    pub(super) fn aspect(&self) -> f32 {
        let (width, height) = self.session.size().unwrap_or((self.options.width, self.options.height));
        width.max(1) as f32 / height.max(1) as f32
    }

    /// Where the window is and how large, to come back to; none while it fills a screen.
    pub fn placement(&self) -> Option<Placement> {
        let (width, height) = self.session.window_size();
        let points = |pixels: u32| (f64::from(pixels) / self.scale).round() as u32;
        (!self.fills).then_some(Placement { size: (points(width), points(height)), position: self.position })
    }

    /// The report, after all frames are done.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] when the device is lost.
    pub fn report(&mut self) -> Result<ViewerReport> {
        self.watching.see(self.session.last_order()?);
        Ok(ViewerReport {
            device: self.numbers.device.clone(),
            frames: self.frames,
            steps: self.steps,
            swapchains: self.session.swapchains,
            captures: self.capturing.paths.clone(),
            frame_times: std::mem::take(&mut self.frame_times),
            panel_times: std::mem::take(&mut self.panel_times).map(|times| Spread::of(&Vec::from(times)).median),
            layouts: self.layouts,
            input_delay: self.delay.summary(),
            order: std::mem::take(&mut self.watching.kept),
        })
    }

    /// Requests the next frame, or waits while the window is hidden or nothing moves in it.
    pub fn before_waiting(&mut self) -> ControlFlow {
        let due = self.last_tick.elapsed() >= TICK;
        let mut until = Instant::now() + TICK;
        let waits = if self.hidden() || self.idle {
            if due {
                self.tick();
            }
            // Not every system reports that a window is visible again, or asks for the picture of one that it hides.
            !due
        } else {
            until = self.overlay.due().unwrap_or(until).min(until);
            !self.is_lively()
        };
        if !waits {
            self.pane.request_redraw();
        }
        ControlFlow::WaitUntil(until)
    }

    /// Whether the next frame differs from the last one.
    pub(super) fn is_lively(&self) -> bool {
        let moving =
            !self.clock.is_at_rest() || self.rig.is_moving() || self.keys.flight(self.held).way != glam::Vec3::ZERO;
        moving
            || self.look_again
            || self.touch.is_held()
            || self.screenshot_wanted
            || self.overlay.is_due()
            || self.breaking.is_some()
    }

    /// Updates the numbers.
    pub(super) fn tick(&mut self) {
        let seconds = self.last_tick.elapsed().as_secs_f64();
        self.last_tick = Instant::now();
        self.numbers.fps = f64::from(std::mem::take(&mut self.frames_since_tick)) / seconds;
        self.numbers.reached = std::mem::take(&mut self.simulated_since_tick) / seconds;
        self.numbers.step = self.session.stepping.flock.step();
        // Only single frames are read here, and were taken: samples of passes would pile up.
        self.session.slots.timings_mut().clear();
        self.heap.tidy();
        if self.notice_since.elapsed() >= NOTICE_TIME {
            self.numbers.notice = None;
        }
        self.overlay.count();
        self.look_at_window();
        self.show_title();
    }

    pub(super) fn hidden(&self) -> bool {
        self.occluded || self.minimised
    }

    /// Asks the window whether it is minimized: not every system sends an event.
    pub(super) fn look_at_window(&mut self) {
        if let Some(minimised) = self.pane.is_minimized() {
            self.minimised = minimised;
        }
        self.fills = self.pane.fills_screen();
    }

    pub(super) fn show_title(&mut self) {
        (self.numbers.paused, self.numbers.recording) = (self.clock.paused(), self.film.is_some());
        self.pane.set_title(&self.numbers.title(self.breaking.as_ref().map(Breaking::left_out)));
    }
}
