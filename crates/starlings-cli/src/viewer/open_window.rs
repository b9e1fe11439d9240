//! An open window: what it consists of, when it draws and when it waits, and what it says.

use super::breaking::Breaking;
use super::building::Buildings;
use super::camera::Room;
use super::clock::Clock;
use super::controls::{Controls, Mode, Overlay, grouped};
use super::director::Director;
use super::history::History;
use super::influences::Influences;
use super::input::{Input, aspect};
use super::measurements::Measurements;
use super::numbers::Numbers;
use super::outputs::Outputs;
use super::pace::{Pace, TICK};
use super::pane::WindowState;
use super::placement::Placement;
use super::replay::{self, Left};
use super::session::Session;
use super::startup::Startup;
use super::tally::Tally;
use super::throttle::Throttle;
use super::{ViewerOptions, ViewerReport};
use crate::error::{Result, plain, printable};
use crate::system::heap::Heap;
use std::io::Write;
use std::time::{Duration, Instant};
use winit::event_loop::ControlFlow;

/// Width of a window, in points, from which the panel is shown at first.
const WIDE: f64 = 640.0;

/// The same of its height: lower ones would have a panel of a few rows.
const HIGH: f64 = 420.0;

/// How long messages stay: of keys, those that matter, and the first one.
const BRIEF: Duration = Duration::from_millis(1_500);
pub const NOTICE_TIME: Duration = Duration::from_secs(4);
const HINT_TIME: Duration = Duration::from_secs(8);

/// The first message.
const HINT: &str = "H: controls   Space: pause   drag: orbit   wheel: zoom   Esc twice: quit";

/// The part that the panels of `overlay` leave of a picture of so many pixels, `scale` of them to a point.
fn room(overlay: &Overlay, (width, height): (u32, u32), scale: f64, breaking: bool) -> Room {
    let points = |pixels: u32| pixels.max(1) as f32 / scale as f32;
    let [left, right, bottom] = overlay.taken(breaking);
    Room::beside([left / points(width), right / points(width), bottom / points(height)])
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Go,
    Quit,
}

pub struct OpenWindow {
    pub(super) session: Session,
    /// Settings and look are those of now.
    pub(super) options: ViewerOptions,
    pub(super) window: WindowState,
    pub(super) input: Input,
    pub(super) pace: Pace,
    pub(super) controls: Controls,
    /// Some while the frame is being broken.
    pub(super) breaking: Option<Breaking>,
    pub(super) buildings: Buildings,
    pub(super) director: Director,
    pub(super) history: History,
    pub(super) influences: Influences,
    pub(super) measurements: Measurements,
    pub(super) outputs: Outputs,
    /// What is left of a flight that is flown again.
    pub(super) replay: Option<Left>,
    pub(super) tally: Tally,
    /// When the user last asked to leave.
    pub(super) left_at: Option<Instant>,
    heap: Heap,
    #[cfg(feature = "reload")]
    shaders: starlings::shaders::reload::Watch,
}

impl OpenWindow {
    /// Shows the flock that `startup` has made, once it is done.
    pub fn new(startup: Startup) -> Result<Self> {
        let options = startup.options.clone();
        let window = WindowState::new(&startup.display.pane, startup.position, startup.scale);
        let session = Session::new(startup)?;
        let settings = &options.settings;
        let aspect = aspect(window.pane.size());
        // The panel would hide the flock.
        let (width, height) = session.display.window_size;
        let has_room = f64::from(width) >= WIDE * window.scale && f64::from(height) >= HIGH * window.scale;
        let mode = match has_room {
            _ if options.benchmark || options.kiosk => Mode::Nothing,
            true => Mode::Panel,
            false => Mode::Line,
        };
        let overlay = Overlay::new(&window.pane, session.device.info().max_image_size, mode);
        let room = room(&overlay, session.display.window_size, window.scale, false);
        let camera = session.camera(&options, aspect, room)?;
        let throttle = Throttle::new(!options.full_quality, !options.count_is_given);
        let mut window = OpenWindow {
            controls: Controls::new(overlay),
            input: Input::new(camera),
            pace: Pace::new(Clock::new(settings.time_step), throttle),
            breaking: None,
            buildings: Buildings::with(settings, &options.look),
            history: History::default(),
            director: Director::new(options.path.clone(), options.kiosk),
            influences: Influences::new(settings),
            replay: replay::left(&options, session.flock.step()),
            measurements: Measurements::new(options.stats_every, options.first_step()),
            outputs: Outputs::new(options.capture),
            tally: Tally::default(),
            left_at: None,
            heap: Heap::default(),
            #[cfg(feature = "reload")]
            shaders: starlings::shaders::reload::Watch::default(),
            session,
            window,
            options,
        };
        window.settings_changed();
        window.show_title();
        if window.options.kiosk {
            if let Some(window) = window.window.pane.window() {
                window.set_cursor_visible(false);
            }
        } else if !window.options.benchmark {
            window.greet();
        }
        Ok(window)
    }

    /// Says what the keys are, for a while.
    fn greet(&mut self) {
        let mut hint = HINT.to_owned();
        if self.session.drawing.block > 1 {
            let boids = grouped(self.options.settings.boids.into());
            hint = format!(
                "a software driver: {boids} boids in a coarse picture (--full-quality for the fine one)\n{hint}"
            );
        }
        self.controls.overlay.say(hint, HINT_TIME);
    }

    /// Updates what follows from the settings.
    pub(super) fn settings_changed(&mut self) {
        self.pace.clock.set_time_step(self.options.settings.time_step);
        self.controls.settings_changed(&self.options, self.session.device.info());
    }

    /// Width of the picture over its height.
    pub(super) fn aspect(&self) -> f32 {
        aspect(self.session.display.size().unwrap_or((self.options.width, self.options.height)))
    }

    /// The part of the picture that no panel covers.
    pub(super) fn room(&self) -> Room {
        let size = self.session.display.size().unwrap_or(self.session.display.window_size);
        room(&self.controls.overlay, size, self.window.scale, self.breaking.is_some())
    }

    /// Where the window is and how large, to come back to; none while it fills a screen.
    pub fn placement(&self) -> Option<Placement> {
        self.window.placement(self.session.display.window_size)
    }

    /// The report, after all frames are done.
    pub fn report(&mut self) -> Result<ViewerReport> {
        self.measurements.see(self.session.last_order()?);
        let watch = self.session.device.watch();
        Ok(ViewerReport {
            watched: watch.planted().map(|_| watch.seen()),
            device: self.session.device.info().name.clone(),
            swapchains: self.session.display.swapchains,
            order: std::mem::take(&mut self.measurements.kept),
            ..std::mem::take(&mut self.tally.report)
        })
    }

    /// What a video remembers that ends now, if one is being recorded.
    fn video_memory(&self) -> Option<String> {
        let camera = self.input.camera.shown().settled();
        if self.outputs.is_recording() { self.session.memory(&self.options, &camera, true) } else { None }
    }

    /// Ends a recording, if there is one. Returns what to say.
    pub(super) fn end_recording(&mut self) -> Option<String> {
        let memory = self.video_memory();
        self.outputs.end_recording(memory)
    }

    /// Completes what is being written. Returns what to say of it.
    pub fn end_outputs(&mut self) -> [Result<Option<String>>; 2] {
        // In slow frames, F12 and Esc are handled before the same frame.
        let memory = self.video_memory();
        [self.take_picture(self.input.camera.shown()), self.outputs.end_recordings(memory)]
    }

    /// Requests the next frame, or waits while the window is hidden or nothing moves in it.
    pub fn before_waiting(&mut self) -> ControlFlow {
        // At rest no frame does it.
        if self.controls.forget_notice() {
            self.show_title();
        }
        let due = self.pace.is_tick_due();
        let mut until = Instant::now() + TICK;
        let waits = if self.window.is_hidden() || self.window.is_idle {
            if due {
                self.tick();
            }
            // Not every system reports that a window is visible again, or asks for the picture of one that it hides.
            !due
        } else {
            until = self.controls.overlay.due().unwrap_or(until).min(until);
            !self.is_lively()
        };
        if let (false, Some(window)) = (waits, self.window.pane.window()) {
            window.request_redraw();
        }
        ControlFlow::WaitUntil(until)
    }

    /// Whether the next frame differs from the last one.
    pub(super) fn is_lively(&self) -> bool {
        !self.pace.clock.is_at_rest()
            || self.input.is_moving()
            || self.window.is_dirty
            || self.influences.is_held()
            || self.outputs.wants_picture
            || self.controls.overlay.is_due()
            || self.breaking.is_some()
            || self.buildings.is_busy()
    }

    /// What is done twice a second.
    pub(super) fn tick(&mut self) {
        self.pace.tick();
        let completed = self.outputs.completed();
        self.tell(Ok(completed));
        // Only single frames are read here, and were taken: samples of passes would pile up.
        self.session.slots.timings_mut().clear();
        self.heap.tidy();
        self.controls.overlay.renew();
        self.window.ask();
        self.show_title();
    }

    /// Goes on with shaders whose files have changed; where they cannot be compiled, a message says why, and the ones
    /// before go on.
    #[cfg(feature = "reload")]
    pub(super) fn renew_shaders(&mut self) -> Result<()> {
        match self.shaders.renew() {
            None | Some(Ok(0)) => {}
            Some(Ok(count)) => match self.session.make_anew(&self.options) {
                Ok(()) => {
                    self.session.flight = Err("its shaders were changed");
                    self.notify(format!("{count} shaders compiled again"));
                }
                Err(error) => self.refused(error)?,
            },
            Some(Err(message)) => self.announce(message.trim_end().to_owned()),
        }
        Ok(())
    }

    pub(super) fn show_title(&mut self) {
        let numbers = Numbers::of(&self.options, &self.session, &self.pace, self.outputs.is_recording());
        let left_out = self.breaking.as_ref().map(Breaking::left_out);
        if let Some(window) = self.window.pane.window() {
            window.set_title(&numbers.title(left_out, self.buildings.word().or(self.controls.notice())));
        }
    }

    /// Shows a result whose failure must not close the window.
    pub(super) fn tell(&mut self, went: Result<Option<String>>) {
        match went {
            Ok(Some(notice)) => self.announce(notice),
            Ok(None) => {}
            Err(error) => self.announce(error.to_string()),
        }
    }

    /// Shows briefly what a key has done.
    pub(super) fn notify(&mut self, notice: impl Into<String>) {
        self.controls.overlay.say(notice.into(), BRIEF);
    }

    /// Shows a message on stderr, in the title and over the picture.
    pub(super) fn announce(&mut self, notice: String) {
        let notice = plain(&printable(&notice));
        // If stderr is closed, the title still shows it.
        let _ = writeln!(std::io::stderr(), "starlings: {notice}");
        self.remark(notice);
    }

    /// Shows a message in the title and over the picture.
    pub(super) fn remark(&mut self, notice: String) {
        self.controls.remark(notice);
        self.show_title();
    }
}
