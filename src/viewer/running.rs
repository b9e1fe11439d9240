//! An open window: which event does what, when to draw, and when to wait.

use super::breaking::{Breaking, Choice};
use super::capturing::Capturing;
use super::clock::Clock;
use super::input::{Command, command, wheel_steps};
use super::mouse::{Mouse, ndc};
use super::numbers::Numbers;
use super::panels::Overlay;
use super::session::{Drawn, Plan, Session};
use super::watching::Watching;
use super::{ViewerOptions, ViewerReport, looks};
use crate::error::{Error, Result};
use crate::render::look::Coloring;
use crate::render::{Camera, Look, cells};
use crate::vk::{Instance, Messages};
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};
use winit::dpi::PhysicalPosition;
use winit::event::{ElementState, MouseButton, WindowEvent};
use winit::event_loop::ControlFlow;
use winit::window::{Fullscreen, Window};

/// How often numbers are updated and a hidden window is checked.
const TICK: Duration = Duration::from_millis(500);

/// How long a notice stays.
const NOTICE_TIME: Duration = Duration::from_secs(4);

/// Whether to go on.
pub enum Next {
    Go,
    Quit,
}

/// An open window.
pub struct Running {
    session: Session,
    /// The instance that the window was opened with, to go back to.
    intact: Arc<Instance>,
    options: ViewerOptions,
    overlay: Overlay,
    /// Some while the frame is being broken.
    breaking: Option<Breaking>,
    numbers: Numbers,
    clock: Clock,
    camera: Camera,
    window: Arc<Window>,
    /// The window system reports the window as occluded.
    occluded: bool,
    /// The window reports itself as minimized.
    minimised: bool,
    /// The last frame found nothing to draw to.
    idle: bool,
    mouse: Mouse,
    screenshot_wanted: bool,
    capturing: Capturing,
    watching: Watching,
    notice_since: Instant,
    last_frame: Instant,
    last_tick: Instant,
    frames_since_tick: u32,
    frames: u64,
    steps: u64,
}

impl Running {
    /// Shows a flock in `window`.
    pub fn new(window: Arc<Window>, options: &ViewerOptions, messages: &mut Option<Arc<Messages>>) -> Result<Self> {
        let session = Session::new(&window, options, messages)?;
        let settings = &options.settings;
        let aspect = options.width.max(1) as f32 / options.height.max(1) as f32;
        let now = Instant::now();
        let numbers = Numbers {
            preset: settings.preset,
            boids: settings.boids,
            device: session.device.info().name.clone(),
            ..Numbers::default()
        };
        let mut running = Running {
            overlay: Overlay::new(&window, session.device.info().max_image_size),
            intact: session.instance.clone(),
            options: options.clone(),
            breaking: None,
            session,
            numbers,
            clock: Clock::new(settings.time_step),
            camera: options.camera.unwrap_or_else(|| Camera::of(settings, aspect)),
            window,
            occluded: false,
            minimised: false,
            idle: false,
            mouse: Mouse::default(),
            screenshot_wanted: false,
            capturing: Capturing { frame: options.capture, ..Capturing::default() },
            watching: Watching::new(options.stats_every, options.first_step()),
            notice_since: now,
            last_frame: now,
            last_tick: now,
            frames_since_tick: 0,
            frames: 0,
            steps: 0,
        };
        running.show_title();
        Ok(running)
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

    pub fn on_event(&mut self, event: WindowEvent) -> Result<Next> {
        let for_panel = self.overlay.on_event(&self.window, &event);
        match event {
            WindowEvent::CloseRequested | WindowEvent::Destroyed => return Ok(Next::Quit),
            WindowEvent::Resized(size) => {
                self.session.resized(size.into());
                self.idle = false;
            }
            WindowEvent::Occluded(occluded) => self.occluded = occluded,
            WindowEvent::Focused(_) => self.look_at_window(),
            WindowEvent::RedrawRequested => return self.redraw(),
            WindowEvent::KeyboardInput { event, is_synthetic: false, .. } if event.state == ElementState::Pressed => {
                if let Some(command) = command(&event.logical_key, event.physical_key, event.repeat) {
                    return self.obey(command);
                }
            }
            WindowEvent::MouseInput { state, button: MouseButton::Left, .. } => {
                if let Some(place) = self.mouse.button(state == ElementState::Pressed && !for_panel) {
                    self.pick_cell(place)?;
                }
            }
            WindowEvent::CursorMoved { position, .. } => {
                if let Some([right, down]) = self.mouse.moved(position) {
                    self.camera.orbit(right, down);
                }
            }
            WindowEvent::MouseWheel { delta, .. } if !for_panel => self.camera.zoom(wheel_steps(delta)),
            _ => {}
        }
        Ok(Next::Go)
    }

    fn obey(&mut self, command: Command) -> Result<Next> {
        match command {
            Command::Pause => self.clock.toggle_pause(),
            Command::Step => self.clock.single_step(),
            Command::Reset => {
                self.session.stepping.reset()?;
                self.restarted();
            }
            Command::Fullscreen => {
                let wanted = self.window.fullscreen().is_none().then_some(Fullscreen::Borderless(None));
                self.window.set_fullscreen(wanted);
            }
            // Taken after the next frame, when all resources exist.
            Command::Screenshot => self.screenshot_wanted = true,
            Command::Capture => self.capturing.next = true,
            Command::Panel => self.overlay.open = !self.overlay.open,
            Command::Shape => self.change_look(|look, _| look.shape = look.shape.next())?,
            Command::Color => self.change_look(looks::next_color)?,
            Command::Backdrop => self.change_look(|look, _| *look = look.before(look.backdrop.next()))?,
            Command::Trail => self.change_look(looks::next_trail)?,
            Command::Break if self.options.settings.engine.is_cpu() => {
                self.notify("only steps on the GPU can be broken".into());
            }
            Command::Break => self.toggle_breaking()?,
            Command::BreakNext | Command::BreakPrevious => {
                let forward = command == Command::BreakNext;
                if let Some(choice) = self.breaking.as_ref().map(|breaking| breaking.next(forward)) {
                    self.leave_out(choice)?;
                }
            }
            Command::Quit => return Ok(Next::Quit),
        }
        self.show_title();
        Ok(Next::Go)
    }

    fn redraw(&mut self) -> Result<Next> {
        if self.last_tick.elapsed() >= TICK {
            self.count_damage()?;
            self.tick();
        }
        if self.hidden() {
            return Ok(Next::Go);
        }
        let (true, Some(size)) = (self.session.prepare()?, self.session.size()) else {
            self.idle = true;
            return Ok(Next::Go);
        };
        self.numbers.step = self.session.stepping.flock.step();
        self.numbers.paused = self.clock.paused();
        self.numbers.order = self.watching.latest;
        self.numbers.fullest = self.session.stepping.flock.known_crowding().map(|crowding| crowding.fullest);
        self.numbers.look = self.session.look();
        let (panels, choice) = self.overlay.picture(&self.window, size, &self.numbers, self.breaking.as_ref());
        self.session.set_panels(panels)?;
        if let Some(choice) = choice {
            self.leave_out(choice)?;
        }
        let recording = match self.capturing.begin(self.session.instance.capture(), self.frames + 1) {
            Ok(recording) => recording,
            // The run was for this capture.
            Err(error) if self.options.capture == Some(self.frames + 1) => return Err(error),
            Err(error) => {
                self.notify(error.to_string());
                None
            }
        };
        self.lead();
        let (clock, last_frame, camera) = (&mut self.clock, &mut self.last_frame, self.camera);
        let (watching, panel, before) = (&mut self.watching, self.overlay.open, self.session.stepping.step());
        let mut steps = 0;
        let drawn = self.session.draw(|| {
            let now = Instant::now();
            let observed;
            (steps, observed) = watching.plan(before, clock.advance(now - *last_frame), panel);
            *last_frame = now;
            Plan { steps, extrapolate: clock.extrapolate(), camera, observed }
        })?;
        self.watching.see(self.session.stepping.take_order());
        self.steps += u64::from(steps);
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
        if drawn == Drawn::Shown {
            self.frames += 1;
            self.frames_since_tick += 1;
        }
        if std::mem::take(&mut self.screenshot_wanted) {
            let path = self.session.photograph(self.camera, &self.options);
            self.tell(path.map(|path| path.map(|path| format!("wrote {}", path.display()))));
        }
        let done = self.options.exit_after.is_some_and(|frames| self.frames >= frames);
        Ok(if done { Next::Quit } else { Next::Go })
    }

    /// Puts the flock's cursor where the mouse points.
    fn lead(&mut self) {
        let settings = &self.options.settings;
        let Some(size) = self.session.size().filter(|_| settings.law.follows_cursor()) else { return };
        if let Some(place) = self.mouse.place(&self.camera, size, &settings.world) {
            tracing::debug!("the cursor is at {place}");
            self.session.stepping.flock.set_cursor(Some(place));
        }
    }

    /// Recreates everything on a robust device, where invalid data is harmless, or on the normal one.
    fn toggle_breaking(&mut self) -> Result<()> {
        let breaking = self.breaking.is_none();
        self.session = self.session.reopened(&self.options, &self.intact, breaking)?;
        // The new device has none of the panel's textures.
        let open = self.overlay.open || breaking;
        self.overlay = Overlay::new(&self.window, self.session.device.info().max_image_size);
        self.overlay.open = open;
        self.breaking = breaking.then(Breaking::default);
        self.restarted();
        Ok(())
    }

    /// Resets what counts the flock's steps, after the flock was reset.
    fn restarted(&mut self) {
        self.clock.restart();
        self.watching.restart();
    }

    /// Leaves out a dependency, or none, and resets the flock, which may be damaged.
    fn leave_out(&mut self, choice: Choice) -> Result<()> {
        let Some(breaking) = &mut self.breaking else { return Ok(()) };
        breaking.choose(choice);
        self.session.leave_out(breaking.left_out().into_iter())?;
        self.restarted();
        self.show_title();
        Ok(())
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

    /// Requests the next frame, or waits while the window is hidden.
    pub fn before_waiting(&mut self) -> ControlFlow {
        let (waits, due) = (self.hidden() || self.idle, self.last_tick.elapsed() >= TICK);
        if waits && due {
            self.tick();
        }
        // Not every system reports that a window is visible again, or asks for the picture of one that it hides.
        if !waits || due {
            self.window.request_redraw();
        }
        ControlFlow::WaitUntil(Instant::now() + TICK)
    }

    /// Updates the numbers.
    fn tick(&mut self) {
        let seconds = self.last_tick.elapsed().as_secs_f64();
        self.last_tick = Instant::now();
        self.numbers.fps = f64::from(std::mem::take(&mut self.frames_since_tick)) / seconds;
        let timings = self.session.slots.timings_mut();
        let passes = timings.statistics();
        if !passes.is_empty() {
            self.numbers.passes = passes;
            timings.clear();
        }
        if self.notice_since.elapsed() >= NOTICE_TIME {
            self.numbers.notice = None;
        }
        self.watching.renew();
        self.look_at_window();
        self.show_title();
    }

    fn hidden(&self) -> bool {
        self.occluded || self.minimised
    }

    /// Asks the window whether it is minimized: not every system sends an event.
    fn look_at_window(&mut self) {
        if let Some(minimised) = self.window.is_minimized() {
            self.minimised = minimised;
        }
    }

    fn show_title(&mut self) {
        self.numbers.paused = self.clock.paused();
        self.window.set_title(&self.numbers.title(self.breaking.as_ref().map(Breaking::left_out)));
    }

    /// Shows a result whose failure must not close the window.
    fn tell(&mut self, went: Result<Option<String>>) {
        match went {
            Ok(Some(notice)) => self.notify(notice),
            Ok(None) => {}
            Err(error) => self.notify(error.to_string()),
        }
    }

    /// Changes the look. If it does not fit on the device, a notice says so and the window stays open.
    fn change_look(&mut self, change: looks::Change) -> Result<()> {
        let Some(mut look) = self.session.look() else { return Ok(()) };
        change(&mut look, self.session.stepping.flock.settings());
        match self.session.set_look(look) {
            Err(error @ (Error::TooLarge { .. } | Error::Allocation { .. })) => self.notify(error.to_string()),
            other => other?,
        }
        Ok(())
    }

    /// Picks the cell of the clicked boid, if the coloring shows a cell.
    fn pick_cell(&mut self, at: PhysicalPosition<f64>) -> Result<()> {
        let (Some(size), Some(look)) = (self.session.size(), self.session.look()) else { return Ok(()) };
        if look.color != Coloring::Cell {
            return Ok(());
        }
        let ray = self.camera.ray(ndc(at, size), size.0 as f32 / size.1 as f32);
        let flock = &self.session.stepping.flock;
        let cells = cells(flock.settings());
        match looks::pick(&cells, &flock.state()?.position, self.camera.eye(), ray) {
            Some(cell) => self.session.set_look(Look { cell, ..look }),
            None => Ok(()),
        }
    }

    /// Shows a notice on stderr, in the title and in the panel.
    fn notify(&mut self, notice: String) {
        // If stderr is closed, the title still shows it.
        let _ = writeln!(std::io::stderr(), "starlings: {notice}");
        self.numbers.notice = Some(notice);
        self.notice_since = Instant::now();
        self.show_title();
    }
}
