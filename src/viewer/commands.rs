//! What keys, buttons and controls change in an open window.

use super::breaking::{Breaking, Choice};
use super::controls::widgets::grouped;
use super::controls::{Draft, Wishes};
use super::input::Command;
use super::looks;
use super::mouse::{Click, ndc};
use super::rig::bounds;
use super::running::{NOTICE_TIME, Next, Running};
use super::start::{Progress, fast_forward};
use super::thrift::Saving;
use super::touch::Touch;
use super::{Opened, ViewerOptions};
use crate::error::{Error, Result};
use crate::flock::Settings;
use crate::flock::settings::TUNABLES;
use crate::render::canvas::COARSE;
use crate::render::look::Coloring;
use crate::render::{Camera, Look, cells};
use std::io::Write;
use std::time::{Duration, Instant};

/// How long the messages of keys stay.
const BRIEF: Duration = Duration::from_millis(1_500);

impl Running {
    pub(super) fn obey(&mut self, command: Command) -> Result<Next> {
        match command {
            Command::Pause => {
                self.clock.toggle_pause();
                self.notify(if self.clock.paused() { "paused" } else { "going on" });
            }
            Command::Step => {
                self.clock.single_step();
                self.notify("one step");
            }
            Command::Slower | Command::Faster => {
                self.clock.change_rate(if command == Command::Faster { 2.0 } else { 0.5 });
                self.numbers.rate = self.clock.rate();
                self.notify(&format!("time {}×", self.clock.rate()));
            }
            Command::Reset => self.reset("started over")?,
            Command::Reseed => {
                let seed = self.options.settings.seed.wrapping_add(1);
                self.change_settings(Settings { seed, ..self.options.settings.clone() })?;
                self.reset(&format!("started over with seed {seed}"))?;
            }
            Command::Fullscreen => self.pane.toggle_fullscreen(),
            // Taken after the next frame, when all resources exist.
            Command::Screenshot => self.screenshot_wanted = true,
            Command::Record => self.toggle_film(),
            Command::Capture => self.capturing.next = true,
            Command::Panel => self.overlay.set_mode(self.overlay.mode().next()),
            Command::Frame => self.frame_flock()?,
            Command::Orbit => {
                self.rig.orbiting = !self.rig.orbiting;
                self.notify(if self.rig.orbiting { "turning" } else { "no longer turning" });
            }
            Command::Look(side) => {
                self.rig.look_from(side);
                self.notify(&format!("seen from the {}", side.name()));
            }
            Command::Shape => self.change_look(|look, _| {
                look.shape = look.shape.next();
                look.model = None;
            })?,
            Command::Color => self.change_look(looks::next_color)?,
            Command::Backdrop => self.change_look(|look, _| *look = look.clone().before(look.backdrop.next()))?,
            Command::Trail => self.change_look(looks::next_trail)?,
            Command::Diagram => {
                self.diagram = !self.diagram;
                self.notify(if self.diagram { "the search over the flock" } else { "the flock alone" });
            }
            Command::Predator => self.toggle_predator(),
            Command::Obstacle => self.toggle_obstacle()?,
            Command::Break if self.options.settings.engine.is_cpu() => {
                self.announce("only steps on the GPU can be broken".into());
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
        self.look_again = true;
        self.show_title();
        Ok(Next::Go)
    }

    /// Does what the user wants of the controls.
    pub(super) fn grant(&mut self, wishes: Wishes) -> Result<Next> {
        if let Some(choice) = wishes.choice {
            self.leave_out(choice)?;
        }
        if let Some(name) = wishes.preset {
            self.start_preset(name)?;
        } else if let Some(Draft { settings, look, pinned, diagram, coarse, saves }) = wishes.draft {
            (self.pinned, self.diagram, self.thrift.allowed) = (pinned, diagram, saves);
            self.session.set_block(if coarse { COARSE } else { 1 });
            if settings != self.options.settings {
                self.change_settings(settings)?;
            }
            let look = looks::fitting(look, &self.options.settings);
            if look != self.options.look {
                self.try_look(look)?;
            }
            self.overlay.renew();
        }
        if let Some(wish) = wishes.file {
            self.handle_file(wish)?;
        }
        for command in wishes.commands {
            if let Next::Quit = self.obey(command)? {
                return Ok(Next::Quit);
            }
        }
        Ok(Next::Go)
    }

    fn reset(&mut self, notice: &str) -> Result<()> {
        self.session.reset()?;
        self.restarted();
        self.rig.go_home(&self.options.settings, self.aspect());
        self.notify(notice);
        Ok(())
    }

    /// Goes on with other settings. Where that cannot be, a message says why, and nothing has changed.
    fn change_settings(&mut self, settings: Settings) -> Result<()> {
        let look = looks::fitting(self.options.look.clone(), &settings);
        let options = super::ViewerOptions { settings, look: look.clone(), ..self.options.clone() };
        match self.session.change(&options) {
            Ok(()) => {
                for tunable in TUNABLES {
                    let value = (tunable.value)(&options.settings);
                    if value != (tunable.value)(&self.options.settings) {
                        tracing::info!(
                            "{} is {value} from step {} on",
                            tunable.setting.name(),
                            self.session.stepping.step()
                        );
                    }
                }
                self.clock.set_time_step(options.settings.time_step);
                let before = std::mem::replace(&mut self.options, options).look;
                self.settings_changed();
                if look == before { Ok(()) } else { self.try_look(look) }
            }
            Err(error) => self.refused(error),
        }
    }

    fn start_preset(&mut self, name: &str) -> Result<()> {
        // As many as if the window had been opened with it.
        let (mut settings, boids) = (Settings::preset(name)?, self.boids_of_preset(name));
        if boids != settings.boids {
            settings = settings.with_boids(boids);
        }
        let opened = Opened { look: Look::of(&settings), settings, camera: None, step: 0 };
        self.start(opened, name)
    }

    /// Spawns another flock in place of this one, and says `notice`. Where that cannot be, a message says why, and nothing has changed.
    pub(super) fn start(&mut self, opened: Opened, notice: &str) -> Result<()> {
        let Opened { settings, look, camera, step } = opened;
        let options =
            super::ViewerOptions { settings, look, camera, start_step: step, resume: None, ..self.options.clone() };
        let session = &mut self.session;
        let started = session
            .replace(&options, None)
            .and_then(|()| fast_forward(&mut session.stepping, &mut session.slots, &options, &Progress::default()));
        if let Err(error) = started {
            return self.refused(error);
        }
        self.options = options;
        let (settings, aspect) = (&self.options.settings, self.aspect());
        self.clock.set_time_step(settings.time_step);
        self.touch = Touch::new(&settings.points);
        self.rig.jump(camera.unwrap_or_else(|| Camera::of(settings, aspect)), settings, aspect);
        self.settings_changed();
        self.restarted();
        self.notify(notice);
        Ok(())
    }

    /// Draws cheaper frames if they have been slow for a while, and says so.
    pub(super) fn save(&mut self) -> Result<()> {
        if self.clock.paused() || self.hidden() || self.breaking.is_some() {
            self.thrift.restart();
            return Ok(());
        }
        let (fps, boids) = (self.numbers.fps, self.options.settings.boids);
        match self.thrift.watch(fps, self.session.block(), boids) {
            None => {}
            Some(Saving::CoarserPicture) => {
                self.session.set_block(COARSE);
                self.remark(format!("{fps:.0} frames a second: a coarser picture (--full-quality keeps the fine one)"));
            }
            Some(Saving::FewerBoids(left)) => {
                self.change_settings(self.options.settings.clone().with_boids(left))?;
                let (boids, left) = (grouped(boids.into()), grouped(left.into()));
                self.remark(format!("{fps:.0} frames a second: {left} of {boids} boids (--full-quality keeps all)"));
            }
        }
        Ok(())
    }

    /// Shows an error that leaves the window as it was; returns any other.
    pub(super) fn refused(&mut self, error: Error) -> Result<()> {
        match error {
            Error::Setting { .. } | Error::TooLarge { .. } | Error::Allocation { .. } => {
                self.announce(error.to_string());
                Ok(())
            }
            other => Err(other),
        }
    }

    fn change_look(&mut self, change: looks::Change) -> Result<()> {
        let mut look = self.options.look.clone();
        change(&mut look, &self.options.settings);
        self.try_look(look)?;
        let Look { shape, color, backdrop, trail, .. } = self.options.look;
        self.notify(&format!("{shape}, color {color}, {backdrop}, trail {trail} s"));
        Ok(())
    }

    /// Changes the look. If it does not fit on the device, a message says so and the window stays as it is.
    fn try_look(&mut self, look: Look) -> Result<()> {
        match self.session.set_look(look.clone()) {
            Ok(()) => {
                self.options.look = look;
                Ok(())
            }
            Err(error) => self.refused(error),
        }
    }

    /// Drops a predator where the mouse points, or takes it away.
    fn toggle_predator(&mut self) {
        let Some(size) = self.session.size() else { return };
        let (camera, settings) = (self.rig.camera(), &self.options.settings);
        let place = self.mouse.place_at_depth(&camera, size, &settings.world);
        let said = self.touch.toggle_predator(place, settings, &camera);
        self.notify(said);
    }

    /// Shows where the flock is.
    fn frame_flock(&mut self) -> Result<()> {
        let aspect = self.aspect();
        if let Some(bounds) = bounds(&self.session.stepping.flock.state()?.position) {
            self.rig.frame(bounds, aspect);
            self.notify("the whole flock");
        }
        Ok(())
    }

    /// Picks the cell of the clicked boid, if the coloring shows a cell; or follows the boid that was clicked twice.
    pub(super) fn clicked(&mut self, Click { at, double }: Click) -> Result<()> {
        let Some(size) = self.session.size() else { return Ok(()) };
        let cells_shown = self.options.look.color == Coloring::Cell;
        if !double && !cells_shown {
            return Ok(());
        }
        let camera = self.rig.camera();
        let ray = camera.ray(ndc(at, size), self.aspect());
        let state = self.session.stepping.flock.state()?;
        let picked = looks::pick(&state.position, camera.eye(), ray);
        if double {
            self.rig.followed = picked.map(|boid| state.id[boid]);
            let what = self.rig.followed.map(|id| format!("following boid {id}"));
            self.notify(&what.unwrap_or_else(|| "no boid there to follow".into()));
        } else if let Some(boid) = picked {
            let cells = cells(&self.options.settings);
            let cell = crate::flock::grid::cell_of(&cells, state.position[boid]);
            self.try_look(Look { cell, ..self.options.look.clone() })?;
        }
        Ok(())
    }

    /// Recreates everything on a robust device, where invalid data is harmless, or on the normal one.
    fn toggle_breaking(&mut self) -> Result<()> {
        let breaking = self.breaking.is_none();
        self.reopen(&self.options.clone(), breaking)?;
        self.restarted();
        Ok(())
    }

    /// Makes the flock of `options` on another device, on which frames may be broken or not.
    pub(super) fn reopen(&mut self, options: &ViewerOptions, breaking: bool) -> Result<()> {
        // Its studio is of the device that goes.
        let ended = self.end_film();
        self.tell(ended);
        self.session = self.session.reopened(options, &self.intact, breaking)?;
        self.numbers.device.clone_from(&self.session.device.info().name);
        if breaking != self.breaking.is_some() {
            self.overlay.make_room(breaking);
            self.breaking = breaking.then(Breaking::default);
        }
        Ok(())
    }

    /// Leaves out a dependency, or none, and resets the flock, which may be damaged.
    fn leave_out(&mut self, choice: Choice) -> Result<()> {
        let Some(breaking) = &mut self.breaking else { return Ok(()) };
        breaking.choose(choice);
        breaking.study(&self.options.settings);
        self.session.leave_out(breaking.left_out().into_iter())?;
        self.restarted();
        self.overlay.renew();
        self.show_title();
        Ok(())
    }

    /// Resets what counts the flock's steps, after the flock was reset.
    fn restarted(&mut self) {
        self.clock.restart();
        self.watching.restart();
        self.trends.clear();
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
    pub(super) fn notify(&mut self, notice: &str) {
        self.overlay.say(notice.to_owned(), BRIEF);
        self.numbers.step = self.session.stepping.flock.step();
    }

    /// Shows a message on stderr, in the title and over the picture.
    pub(super) fn announce(&mut self, notice: String) {
        // If stderr is closed, the title still shows it.
        let _ = writeln!(std::io::stderr(), "starlings: {notice}");
        self.remark(notice);
    }

    /// Shows a message in the title and over the picture.
    pub(super) fn remark(&mut self, notice: String) {
        self.overlay.say(notice.clone(), NOTICE_TIME);
        self.numbers.notice = Some(notice);
        self.notice_since = Instant::now();
        self.show_title();
    }
}
