//! An open window: which event does what, when to draw, and when to wait.

use super::breaking::Breaking;
use super::capturing::Capturing;
use super::clock::Clock;
use super::controls::widgets::grouped;
use super::controls::{Draft, Mode, Overlay, Picture, Shown};
use super::input::FlightKeys;
use super::mouse::Mouse;
use super::numbers::Numbers;
use super::profile::Profile;
use super::rig::Rig;
use super::session::{Drawn, Plan, Session};
use super::start::fast_forward;
use super::thrift::{Thrift, most_offered};
use super::touch::Touch;
use super::trends::Trends;
use super::watching::Watching;
use super::{ViewerOptions, ViewerReport};
use crate::error::Result;
use crate::flock::memory;
use crate::render::Camera;
use crate::vk::{Instance, Messages};
use std::sync::Arc;
use std::time::{Duration, Instant};
use winit::event_loop::ControlFlow;
use winit::keyboard::ModifiersState;
use winit::window::Window;

/// How often numbers are updated and a hidden window is checked.
const TICK: Duration = Duration::from_millis(500);

/// Width of a window, in points, from which the panel is shown at first.
const WIDE: f64 = 640.0;

/// How long messages stay that matter, and the first one.
pub const NOTICE_TIME: Duration = Duration::from_secs(4);
const HINT_TIME: Duration = Duration::from_secs(8);

/// The first message.
const HINT: &str = "H: controls   Space: pause   drag: orbit   wheel: zoom   Esc: quit";

/// Between two measurements of order parameters that are shown.
const TREND: Duration = Duration::from_millis(100);

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
    pub(super) window: Arc<Window>,
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
    pub(super) watching: Watching,
    pub(super) trends: Trends,
    pub(super) profile: Profile,
    /// The pass whose times are plotted.
    pub(super) pinned: Option<&'static str>,
    pub(super) thrift: Thrift,
    pub(super) touch: Touch,
    /// Once something was copied.
    pub(super) clipboard: Option<arboard::Clipboard>,
    /// The most boids that the device holds with these settings.
    pub(super) most_boids: u32,
    pub(super) notice_since: Instant,
    pub(super) last_frame: Instant,
    pub(super) last_trend: Instant,
    pub(super) last_tick: Instant,
    pub(super) frames_since_tick: u32,
    pub(super) simulated_since_tick: f64,
    /// Swapchains of the last frame: with another one the controls are laid out anew.
    pub(super) swapchains: u64,
    pub(super) frames: u64,
    pub(super) steps: u64,
}

impl Running {
    /// Shows a flock in `window`.
    pub fn new(window: Arc<Window>, options: &ViewerOptions, messages: &mut Option<Arc<Messages>>) -> Result<Self> {
        let mut session = Session::new(&window, options, messages)?;
        fast_forward(&mut session, options)?;
        let settings = session.stepping.flock.settings().clone();
        // A slow device may have been given fewer boids.
        let options = &ViewerOptions { settings, ..options.clone() };
        let settings = &options.settings;
        let aspect = options.width.max(1) as f32 / options.height.max(1) as f32;
        let now = Instant::now();
        let numbers = Numbers { device: session.device.info().name.clone(), rate: 1.0, ..Numbers::default() };
        // The panel would hide the flock.
        let wide = f64::from(session.window_size().0) >= WIDE * window.scale_factor();
        let mode = if wide { Mode::Panel } else { Mode::Line };
        let mut running = Running {
            overlay: Overlay::new(&window, session.device.info().max_image_size, mode),
            intact: session.instance.clone(),
            options: options.clone(),
            breaking: None,
            session,
            numbers,
            clock: Clock::new(settings.time_step),
            rig: Rig::new(options.camera.unwrap_or_else(|| Camera::of(settings, aspect)), settings, aspect),
            window,
            occluded: false,
            minimised: false,
            idle: false,
            look_again: true,
            mouse: Mouse::default(),
            keys: FlightKeys::default(),
            held: ModifiersState::empty(),
            screenshot_wanted: false,
            capturing: Capturing { frame: options.capture, ..Capturing::default() },
            watching: Watching::new(options.stats_every, options.first_step()),
            trends: Trends::default(),
            profile: Profile::default(),
            pinned: None,
            clipboard: None,
            touch: Touch::new(&settings.points),
            thrift: Thrift::new(!options.full_quality, !options.count_is_given),
            most_boids: 0,
            notice_since: now,
            last_frame: now,
            last_trend: now,
            last_tick: now,
            frames_since_tick: 0,
            simulated_since_tick: 0.0,
            swapchains: 0,
            frames: 0,
            steps: 0,
        };
        running.settings_changed();
        let mut hint = HINT.to_owned();
        if running.session.block() > 1 {
            let boids = grouped(running.options.settings.boids.into());
            hint = format!(
                "a software driver: {boids} boids in a coarse picture (--full-quality for the fine one)\n{hint}"
            );
        }
        running.overlay.say(hint, HINT_TIME);
        running.show_title();
        Ok(running)
    }

    /// Updates what follows from the settings.
    pub(super) fn settings_changed(&mut self) {
        let settings = &self.options.settings;
        (self.numbers.preset, self.numbers.boids) = (settings.preset, settings.boids);
        let device = self.session.device.info();
        self.most_boids = most_offered(device, memory::most_boids(device, settings));
        self.profile.clear();
    }

    /// Width of the picture over its height.
    pub(super) fn aspect(&self) -> f32 {
        let (width, height) = self.session.size().unwrap_or((self.options.width, self.options.height));
        width.max(1) as f32 / height.max(1) as f32
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
            order: std::mem::take(&mut self.watching.kept),
        })
    }

    pub(super) fn redraw(&mut self) -> Result<Next> {
        if self.last_tick.elapsed() >= TICK {
            self.count_damage()?;
            self.tick();
            self.save()?;
        }
        if self.hidden() {
            return Ok(Next::Go);
        }
        let (true, Some(size)) = (self.session.prepare()?, self.session.size()) else {
            self.idle = true;
            return Ok(Next::Go);
        };
        self.look_again = false;
        if let Next::Quit = self.lay_out(size)? {
            return Ok(Next::Quit);
        }
        let recording = match self.capturing.begin(self.session.instance.capture(), self.frames + 1) {
            Ok(recording) => recording,
            // The run was for this capture.
            Err(error) if self.options.capture == Some(self.frames + 1) => return Err(error),
            Err(error) => {
                self.announce(error.to_string());
                None
            }
        };
        self.lead();
        let now = Instant::now();
        let camera = self.move_camera(now)?;
        self.touch_flock(now - self.last_frame)?;
        let (clock, last_frame) = (&mut self.clock, &mut self.last_frame);
        let (watching, trends, before) =
            (&mut self.watching, self.overlay.shows_trends(), self.session.stepping.step());
        let mut steps = 0;
        let drawn = self.session.draw(|| {
            let observed;
            (steps, observed) = watching.plan(before, clock.advance(now - *last_frame), trends);
            *last_frame = now;
            Plan { steps, extrapolate: clock.extrapolate(), camera, observed }
        })?;
        let order = self.session.stepping.take_order();
        self.trends.see(&order);
        self.watching.see(order);
        self.note_times(steps);
        if let Some(recording) = recording {
            let captured = self.capturing.end(recording, self.frames + 1, drawn);
            self.tell(captured);
        }
        self.idle = drawn == Drawn::Hidden;
        if let (Some(breaking), Some(journal)) = (&mut self.breaking, &self.session.journal)
            && breaking.left_out().is_none()
        {
            breaking.learn(journal);
        }
        match drawn {
            Drawn::Shown => {
                self.frames += 1;
                self.frames_since_tick += 1;
            }
            Drawn::Again | Drawn::Hidden => self.look_again = true,
        }
        if std::mem::take(&mut self.screenshot_wanted) {
            let path = self.session.photograph(camera, &self.options);
            self.tell(path.map(|path| path.map(|path| format!("wrote {}", path.display()))));
        }
        let done = self.options.exit_after.is_some_and(|frames| self.frames >= frames);
        Ok(if done { Next::Quit } else { Next::Go })
    }

    /// Lays out the controls, if they have changed, and does what the user wants of them.
    fn lay_out(&mut self, size: (u32, u32)) -> Result<Next> {
        if self.swapchains != self.session.swapchains {
            self.swapchains = self.session.swapchains;
            self.overlay.renew();
        }
        self.numbers.paused = self.clock.paused();
        let draft = || Draft {
            settings: self.options.settings.clone(),
            look: self.options.look,
            pinned: self.pinned,
            coarse: self.session.block() > 1,
            saves: self.thrift.allowed,
        };
        let shown = Shown {
            numbers: &self.numbers,
            profile: &self.profile,
            trends: &self.trends,
            breaking: self.breaking.as_ref(),
            most_boids: self.most_boids,
            markers: self.markers(size),
        };
        let (picture, wishes) = self.overlay.picture(&self.window, size, draft, &shown);
        match picture {
            Picture::Same => {}
            Picture::Hidden => self.session.set_panels(None)?,
            Picture::New(picture) => self.session.set_panels(Some(picture))?,
        }
        self.grant(wishes)
    }

    /// Where the camera is in the frame at `now`.
    fn move_camera(&mut self, now: Instant) -> Result<Camera> {
        if let Some(id) = self.rig.followed.filter(|&id| id < self.options.settings.boids) {
            let (place, velocity) = self.session.stepping.flock.boid(id)?;
            self.rig.follow(place + velocity * self.options.settings.speed_scale() * self.clock.extrapolate());
        }
        self.rig.flight = self.keys.flight(self.held);
        Ok(self.rig.advance(now - self.last_frame))
    }

    /// Notes how long the last frame has taken, and how much time has passed in the flock.
    fn note_times(&mut self, steps: u32) {
        self.steps += u64::from(steps);
        self.simulated_since_tick += f64::from(steps) * f64::from(self.options.settings.time_step);
        self.profile.see(self.session.slots.timings_mut().take_frames());
        if steps > 0 && self.profile.last_steps() > 0.0 {
            let (whole, of_steps) = (self.profile.last_frame(), self.profile.last_steps());
            self.clock.note_step(of_steps / f64::from(steps), whole - of_steps);
        }
        if self.overlay.shows_trends() && self.last_trend.elapsed() >= TREND {
            self.last_trend = Instant::now();
            self.watching.renew();
            self.overlay.renew();
        }
    }

    fn count_damage(&mut self) -> Result<()> {
        if let Some(breaking) = &mut self.breaking
            && breaking.left_out().is_some()
            && let Some(counts) = self.session.audit()?
        {
            breaking.note(&counts);
        }
        Ok(())
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
            self.window.request_redraw();
        }
        ControlFlow::WaitUntil(until)
    }

    /// Whether the next frame differs from the last one.
    fn is_lively(&self) -> bool {
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
    fn tick(&mut self) {
        let seconds = self.last_tick.elapsed().as_secs_f64();
        self.last_tick = Instant::now();
        self.numbers.fps = f64::from(std::mem::take(&mut self.frames_since_tick)) / seconds;
        self.numbers.reached = std::mem::take(&mut self.simulated_since_tick) / seconds;
        self.numbers.step = self.session.stepping.flock.step();
        // Only single frames are read here, and were taken: samples of passes would pile up.
        self.session.slots.timings_mut().clear();
        if self.notice_since.elapsed() >= NOTICE_TIME {
            self.numbers.notice = None;
        }
        self.overlay.renew();
        self.look_at_window();
        self.show_title();
    }

    pub(super) fn hidden(&self) -> bool {
        self.occluded || self.minimised
    }

    /// Asks the window whether it is minimized: not every system sends an event.
    pub(super) fn look_at_window(&mut self) {
        if let Some(minimised) = self.window.is_minimized() {
            self.minimised = minimised;
        }
    }

    pub(super) fn show_title(&mut self) {
        self.numbers.paused = self.clock.paused();
        self.window.set_title(&self.numbers.title(self.breaking.as_ref().map(Breaking::left_out)));
    }
}
