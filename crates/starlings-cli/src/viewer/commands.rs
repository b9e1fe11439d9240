//! What keys, buttons and controls change in an open window.

use super::breaking::{Breaking, Choice};
use super::building::Then;
use super::camera::Around;
use super::controls::{Draft, FileRequest, Requests, title};
use super::influences::Influences;
use super::keys::Command;
use super::mouse::{Click, ndc};
use super::open_window::{NOTICE_TIME, Next, OpenWindow};
use super::{Opened, ViewerOptions, is_refusal, looks, obstacles, outputs};
use crate::error::{Error, Result};
use crate::export::Checkpoint;
use crate::sync::{FrameKind, FrameSpec};
use starlings::flock::grid::cell_of;
use starlings::flock::settings::{Paths, TUNABLES};
use starlings::flock::{BoidState, Settings};
use starlings::render::canvas::COARSE;
use starlings::render::look::Coloring;
use starlings::render::{Look, cells};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

impl OpenWindow {
    pub(super) fn obey(&mut self, command: Command) -> Result<Next> {
        match command {
            Command::Pause => {
                self.pace.clock.toggle_pause();
                self.notify(if self.pace.clock.paused() { "paused" } else { "going on" });
            }
            Command::Step => {
                self.pace.clock.single_step();
                self.notify("one step");
            }
            Command::Slower | Command::Faster => {
                self.pace.clock.change_rate(if command == Command::Faster { 2.0 } else { 0.5 });
                self.notify(format!("time {}×", self.pace.clock.rate()));
            }
            Command::Reset => self.reset("started over")?,
            Command::Reseed => {
                let (settings, look) = self.chosen();
                let (seed, look) = (settings.seed.wrapping_add(1), look.clone());
                let settings = Settings { seed, ..settings.clone() };
                self.choose(settings, look)?;
            }
            Command::Fullscreen => self.window.pane.toggle_fullscreen(),
            // Taken after the next frame, when all resources exist.
            Command::Screenshot => self.outputs.wants_picture = true,
            Command::Record => {
                let went = match self.outputs.is_recording() {
                    true => Ok(self.end_recording()),
                    false => self.outputs.begin_recording(&self.session),
                };
                self.tell(went);
            }
            Command::Capture => self.outputs.captures.next = true,
            Command::Panel => self.controls.overlay.set_next_mode(),
            Command::Frame => self.frame_flock()?,
            Command::Orbit => {
                let turns = self.input.camera.toggle_orbit();
                self.notify(if turns { "turning" } else { "no longer turning" });
            }
            Command::Pose => self.set_pose(),
            Command::Path => self.toggle_path(),
            Command::Look(side) => {
                self.input.camera.look_from(side);
                self.notify(format!("seen from the {}", side.name()));
            }
            Command::Shape => self.change_look(|look, _| {
                look.shape = look.shape.next();
                look.model = None;
            })?,
            Command::Color => self.change_look(looks::next_color)?,
            Command::Backdrop => self.change_look(|look, _| *look = look.clone().before(look.backdrop.next()))?,
            Command::Trail => self.change_look(looks::next_trail)?,
            Command::Diagram => {
                self.controls.diagram = !self.controls.diagram;
                self.notify(if self.controls.diagram { "the search over the flock" } else { "the flock alone" });
            }
            Command::Predator => self.toggle_predator(),
            Command::Obstacle => self.toggle_obstacle()?,
            Command::Break if self.options.settings.engine.is_cpu() => {
                self.announce("only steps on the GPU can be broken".into());
            }
            Command::Break => {
                let (settings, look) = self.chosen();
                let (settings, look) = (settings.clone(), look.clone());
                if self.is_built(&settings, &look, Then::Break) {
                    self.toggle_breaking()?;
                }
            }
            Command::BreakNext | Command::BreakPrevious => {
                let forward = command == Command::BreakNext;
                if let Some(choice) = self.breaking.as_ref().map(|breaking| breaking.next(forward)) {
                    self.leave_out(choice)?;
                }
            }
            Command::Back => {
                if self.step_back() == Next::Quit {
                    return Ok(Next::Quit);
                }
            }
            Command::Undo => self.go_back(true)?,
            Command::Redo => self.go_back(false)?,
            Command::Quit => return Ok(Next::Quit),
        }
        self.window.is_dirty = true;
        self.show_title();
        Ok(Next::Go)
    }

    /// Leaves the full screen, or ends a recording; where there is neither, the window is left, if this was asked for a
    /// moment ago.
    fn step_back(&mut self) -> Next {
        if self.window.pane.is_fullscreen() {
            self.window.pane.toggle_fullscreen();
        } else if self.outputs.is_recording() {
            let ended = self.end_recording();
            self.tell(Ok(ended));
        } else if self.left_at.is_some_and(|at| at.elapsed() < NOTICE_TIME) {
            return Next::Quit;
        } else {
            self.left_at = Some(Instant::now());
            self.remark("Esc again quits".into());
        }
        Next::Go
    }

    /// Does what the user asks of the controls.
    pub(super) fn grant(&mut self, requests: Requests) -> Result<Next> {
        if let Some(choice) = requests.choice {
            self.leave_out(choice)?;
        }
        if let Some(name) = requests.preset {
            self.start_preset(name)?;
        } else if let Some(draft) = requests.draft {
            self.apply(draft)?;
        }
        if let Some(camera) = requests.pose {
            self.input.camera.look_as(camera);
        }
        if let Some(request) = requests.file {
            self.handle_file(request)?;
        }
        for command in requests.commands {
            if self.obey(command)? == Next::Quit {
                return Ok(Next::Quit);
            }
        }
        Ok(Next::Go)
    }

    fn apply(&mut self, draft: Draft) -> Result<()> {
        (self.controls.pinned, self.controls.diagram) = (draft.pinned, draft.diagram);
        self.director.path = draft.path;
        self.pace.throttle.allowed = draft.throttles;
        let block = if draft.coarse { COARSE } else { 1 };
        if block != self.session.drawing.block {
            self.session.set_block(block);
            self.pace.throttle.picture_chosen();
        }
        if draft.settings.boids != self.options.settings.boids {
            self.pace.throttle.count_chosen();
        }
        self.choose(draft.settings, draft.look)?;
        self.controls.overlay.renew();
        Ok(())
    }

    /// The user changes settings and look to these, which can be undone.
    fn choose(&mut self, settings: Settings, look: Look) -> Result<()> {
        let before = self.chosen();
        if before != (&settings, &look) {
            let before = (before.0.clone(), before.1.clone());
            if before.0 != settings {
                self.take_over();
            }
            self.history.note(|| before, Instant::now());
        }
        self.change(settings, look)
    }

    /// Goes back to what was chosen before the last change, or to what was undone.
    fn go_back(&mut self, undoes: bool) -> Result<()> {
        let (settings, look) = self.chosen();
        let now = (settings.clone(), look.clone());
        let chosen = if undoes { self.history.undo(|| now) } else { self.history.redo(|| now) };
        let Some((settings, look)) = chosen else {
            self.notify(if undoes { "nothing to undo" } else { "nothing to do again" });
            return Ok(());
        };
        if settings.boids != self.options.settings.boids {
            self.pace.throttle.count_chosen();
        }
        self.notify(if undoes { "undone" } else { "done again" });
        self.take_over();
        // The pointer and a predator are where they are.
        let (chosen, paths) = (self.chosen().0.clone(), settings.paths.obstacles.clone());
        let Settings { points, predator, cursor, paths: Paths { points: ways, .. }, .. } = chosen;
        let paths = Paths { points: ways, obstacles: paths };
        self.change(Settings { points, predator, cursor, paths, ..settings }, look)
    }

    /// Goes on with these settings and this look: at once, or once there are kernels for them.
    pub(super) fn change(&mut self, settings: Settings, look: Look) -> Result<()> {
        let look = look.fitted(&settings);
        if self.chosen() == (&settings, &look) || !self.is_built(&settings, &look, Then::Change) {
            return Ok(());
        }
        self.change_to(settings, look)
    }

    /// The same at once. What is not accepted is said, and left as it is.
    pub(super) fn change_to(&mut self, settings: Settings, look: Look) -> Result<()> {
        let seed = settings.seed;
        let is_another = seed != self.options.settings.seed;
        if settings != self.options.settings {
            self.change_settings(settings)?;
        }
        let look = look.fitted(&self.options.settings);
        if look != self.options.look {
            self.try_look(look)?;
        }
        if is_another && self.options.settings.seed == seed {
            self.reset(&format!("started over with seed {seed}"))?;
        }
        Ok(())
    }

    fn reset(&mut self, notice: &str) -> Result<()> {
        self.take_over();
        self.session.reset(&self.options)?;
        self.restarted();
        self.input.camera.go_home(&self.options.settings);
        self.notify(notice);
        Ok(())
    }

    /// Resets what counts the flock's steps, after the flock was reset.
    fn restarted(&mut self) {
        self.pace.clock.restart();
        self.measurements.restart();
        self.controls.trends.clear();
    }

    /// Goes on with other settings. Where that cannot be, a message says why, and nothing has changed.
    pub(super) fn change_settings(&mut self, settings: Settings) -> Result<()> {
        let look = self.options.look.clone().fitted(&settings);
        let options = ViewerOptions { settings, look: look.clone(), ..self.options.clone() };
        if let Err(error) = self.session.change(&options) {
            return self.refused(error);
        }
        for tunable in TUNABLES {
            let value = (tunable.value)(&options.settings);
            if value != (tunable.value)(&self.options.settings) {
                tracing::info!("{} is {value} from step {} on", tunable.setting.name(), self.session.flock.step());
            }
        }
        let before = std::mem::replace(&mut self.options, options).look;
        self.settings_changed();
        if look == before { Ok(()) } else { self.try_look(look) }
    }

    /// Goes on with settings that `change` has changed. False where that cannot be: a message says why, and nothing has
    /// changed.
    pub(super) fn with_settings(&mut self, change: impl FnOnce(&mut Settings)) -> Result<bool> {
        let (settings, look) = self.chosen();
        let (mut settings, look) = (settings.clone(), look.clone());
        change(&mut settings);
        if let Err(error) = settings.validate() {
            return self.refused(error.into()).map(|()| false);
        }
        self.take_over();
        let before = self.chosen();
        let before = (before.0.clone(), before.1.clone());
        self.history.note(|| before, Instant::now());
        if self.is_built(&settings, &look, Then::Change) { self.adjust(settings) } else { Ok(true) }
    }

    /// Goes on with settings that differ in nothing that the panel derives from them, as [`OpenWindow::with_settings`].
    pub(super) fn adjust(&mut self, settings: Settings) -> Result<bool> {
        let before = std::mem::replace(&mut self.options.settings, settings);
        match self.session.change(&self.options) {
            Ok(()) => Ok(true),
            Err(error) => {
                self.options.settings = before;
                self.refused(error).map(|()| false)
            }
        }
    }

    fn start_preset(&mut self, name: &str) -> Result<()> {
        // As many as if the window had been opened with it.
        let boids = self.controls.boids_of(name, &self.options, self.session.device.info());
        let mut settings = Settings::preset(name)?;
        if boids != settings.boids {
            settings = settings.with_boids(boids);
        }
        let opened = Opened { look: Look::of(&settings), settings, camera: None, step: 0, flight: None };
        self.ask_start(opened, title(name))
    }

    /// Spawns another flock in place of this one, once there are kernels for it, and says `notice`.
    fn ask_start(&mut self, opened: Opened, notice: &str) -> Result<()> {
        let (settings, look) = (opened.settings.clone(), opened.look.clone());
        let then = Then::Start(Box::new(opened.clone()), notice.to_owned());
        if self.is_built(&settings, &look, then) { self.start(opened, notice) } else { Ok(()) }
    }

    /// Spawns another flock in place of this one, and says `notice`. Where that cannot be, a message says why, and
    /// nothing has changed.
    pub(super) fn start(&mut self, opened: Opened, notice: &str) -> Result<()> {
        let Opened { settings, look, camera, step, flight } = opened;
        let options =
            ViewerOptions { settings, look, camera, start_step: step, flight, resume: None, ..self.options.clone() };
        if let Err(error) = self.session.start(&options) {
            return self.refused(error);
        }
        self.replay = None;
        self.options = options;
        self.history.clear();
        self.pace.throttle.count_chosen();
        self.influences = Influences::new(&self.options.settings);
        self.input.camera = self.session.camera(&self.options, self.aspect(), self.room())?;
        self.settings_changed();
        self.restarted();
        self.notify(notice);
        Ok(())
    }

    /// Shows an error that leaves the window as it was; returns any other.
    pub(super) fn refused(&mut self, error: Error) -> Result<()> {
        if !is_refusal(&error) {
            return Err(error);
        }
        self.announce(error.to_string());
        Ok(())
    }

    fn change_look(&mut self, change: looks::Change) -> Result<()> {
        let (settings, look) = self.chosen();
        let (settings, mut look) = (settings.clone(), look.clone());
        change(&mut look, &settings);
        self.choose(settings, look)?;
        let Look { shape, color, backdrop, trail, .. } = *self.chosen().1;
        self.notify(format!("{shape}, color {color}, {backdrop}, trail {trail} s"));
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
        let Some(size) = self.session.display.size() else { return };
        let settings = &self.options.settings;
        let place = self.input.place(settings, size);
        self.take_over();
        let said = self.influences.toggle_predator(place);
        self.notify(said);
    }

    /// Places a ball where the mouse points, or takes away the obstacle that is there.
    fn toggle_obstacle(&mut self) -> Result<()> {
        let Some(size) = self.session.display.size() else { return Ok(()) };
        let (settings, camera) = (self.chosen().0, self.input.camera.shown());
        let step = self.session.flock.on_device.step();
        let (at, place) = (self.input.obstacle_near(settings, step, size), self.input.place(settings, size));
        let mut said = String::new();
        if self.with_settings(|settings| said = obstacles::toggle(settings, at, place, &camera))? {
            self.notify(said);
        }
        Ok(())
    }

    /// Moves an obstacle along a picture of that height, by pixels to the right and down.
    pub(super) fn drag_obstacle(&mut self, at: usize, pixels: [f32; 2], height: u32) -> Result<()> {
        let camera = self.input.camera.shown();
        let step = self.session.flock.on_device.step();
        match obstacles::dragged(&self.options.settings, (at, step), pixels, (&camera, height)) {
            Some(moved) => {
                let to = |settings: &mut Settings| {
                    if let Some(place) = settings.obstacles.get_mut(at) {
                        *place = moved;
                    }
                    // It stays where the hand has put it.
                    if let Some(path) = settings.paths.obstacles.get_mut(at) {
                        path.clear();
                    }
                };
                self.with_settings(to).map(drop)
            }
            None => Ok(()),
        }
    }

    /// Shows where the flock is.
    pub(super) fn frame_flock(&mut self) -> Result<()> {
        let boid_length = self.options.look.boid_length;
        if let Some(flock) = Around::of(&self.session.flock.on_device.state()?.position, boid_length) {
            self.input.camera.frame(flock);
            self.notify("the whole flock");
        }
        Ok(())
    }

    /// Picks the cell of the clicked boid, if the coloring shows a cell; or follows the boid that was clicked twice.
    pub(super) fn clicked(&mut self, Click { at, double }: Click) -> Result<()> {
        let Some(size) = self.session.display.size() else { return Ok(()) };
        if !double && self.options.look.color != Coloring::Cell {
            return Ok(());
        }
        let camera = self.input.camera.shown();
        let ray = camera.ray(ndc(at, size), self.aspect());
        let state = self.session.flock.on_device.state()?;
        let picked = looks::pick(&state.position, camera.eye(), ray);
        if double {
            let picked = picked.map(|boid| state.id[boid]);
            self.input.camera.followed = None;
            if let Some(id) = picked {
                self.input.camera.follow_near(id, self.options.look.boid_length);
            }
            let what = picked.map(|id| format!("following boid {id}"));
            self.notify(what.unwrap_or_else(|| "no boid there to follow".into()));
        } else if let Some(boid) = picked {
            let cell = cell_of(&cells(&self.options.settings), state.position[boid]);
            let (settings, look) = self.chosen();
            let (settings, look) = (settings.clone(), Look { cell, ..look.clone() });
            self.change(settings, look)?;
        }
        Ok(())
    }

    /// Goes to a robust device, where invalid data is harmless and frames may be broken, or back to the normal one. The
    /// flock goes on, unless a frame was broken: then it may be damaged, and starts over.
    pub(super) fn toggle_breaking(&mut self) -> Result<()> {
        let is_damaged = self.breaking.as_ref().is_some_and(|breaking| breaking.left_out().is_some());
        self.measurements.see(self.session.last_order()?);
        let kept = if is_damaged { None } else { Some(self.session.flock.newest()?) };
        self.go_on_with(kept, self.breaking.is_none())
    }

    /// Goes on with another device, on which frames may be broken or not, from the state `kept` after so many steps;
    /// without one, from the start.
    ///
    /// # Errors
    /// What that device could not make; then the window is as it was.
    pub(super) fn go_on_with(&mut self, kept: Option<(BoidState, u32)>, breaking: bool) -> Result<()> {
        let step = kept.as_ref().map(|(_, step)| *step);
        let flight = match &self.session.flight {
            Ok(flight) if !flight.is_changed() && !self.options.settings.states.is_on() => Ok(flight.clone()),
            Ok(_) => Err("it went on on another device"),
            Err(reason) => Err(*reason),
        };
        // The slow device has been given fewer boids already.
        let mut options = ViewerOptions { count_is_given: true, flight: None, ..self.options.clone() };
        if let Some((state, step)) = kept {
            let checkpoint = Checkpoint { state, step, replayable: false, config: String::new() };
            (options.resume, options.start_step) = (Some(Arc::new(checkpoint)), step);
        }
        self.reopen(&options, breaking)?;
        match step {
            Some(step) => {
                self.session.flight = flight;
                self.measurements.go_on(step);
            }
            None => self.measurements.restart(),
        }
        self.pace.clock.restart();
        self.controls.trends.clear();
        self.controls.overlay.renew();
        Ok(())
    }

    /// Makes the flock of `options` on another device, on which frames may be broken or not.
    fn reopen(&mut self, options: &ViewerOptions, breaking: bool) -> Result<()> {
        // Its studio is of the device that goes.
        let ended = self.end_recording();
        self.tell(Ok(ended));
        self.session = self.session.reopened(options, breaking)?;
        if breaking != self.breaking.is_some() {
            self.controls.overlay.make_room(breaking);
            let of_window = FrameSpec::new(&options.settings, FrameKind::Windowed);
            let spec = FrameSpec { look: options.look.clone(), ..of_window };
            self.breaking = breaking.then(|| Breaking::of(&spec));
        }
        Ok(())
    }

    /// Leaves out a dependency, or none, and resets the flock, which may be damaged.
    fn leave_out(&mut self, choice: Choice) -> Result<()> {
        let Some(breaking) = &mut self.breaking else { return Ok(()) };
        breaking.choose(choice);
        breaking.study(&self.options.settings);
        self.session.leave_out(breaking.left_out().into_iter(), &self.options)?;
        self.restarted();
        self.controls.overlay.renew();
        self.show_title();
        Ok(())
    }

    /// Does what the user asks of a file. What goes wrong with it is said, and the window goes on.
    pub(super) fn handle_file(&mut self, request: FileRequest) -> Result<()> {
        let Some(documents) = self.options.documents.clone() else { return Ok(()) };
        let (settings, look, camera) =
            (&self.options.settings, &self.options.look, self.input.camera.shown().settled());
        match request {
            FileRequest::Save(path) => {
                let saved = outputs::save(&path, &documents.toml(settings, look, &camera));
                self.tell(saved.map(|path| Some(format!("wrote {}", path.display()))));
            }
            FileRequest::SavePath(path) => {
                let saved = outputs::save(&path, &self.director.path.text());
                self.tell(saved.map(|path| Some(format!("wrote {}", path.display()))));
            }
            FileRequest::Open(path) => match documents.open(&path) {
                Ok(opened) => self.ask_start(opened, &format!("opened {}", path.display()))?,
                Err(error) => self.announce(error.to_string()),
            },
            FileRequest::CopyCommandLine => {
                let step = self.session.flock.on_device.step();
                let (line, omitted) = match self.session.flown() {
                    Ok((flight, _)) if flight.is_changed() => {
                        // No command line has room for it.
                        let text = self.session.memory(&self.options, &camera, false).unwrap_or_default();
                        match outputs::save(Path::new(&format!("starlings-{step}.toml")), &text) {
                            Ok(path) => (documents.opening(&path), String::new()),
                            Err(error) => return self.refused(error),
                        }
                    }
                    Ok(_) => (documents.command_line(settings, look, &camera, step), String::new()),
                    Err(reason) => {
                        let line = documents.command_line(settings, look, &camera, 0);
                        (line, format!(" (from the start, not this flock: {reason})"))
                    }
                };
                match self.outputs.copy(&line) {
                    Ok(()) => self.announce(format!("copied: {line}{omitted}")),
                    Err(error) => self.announce(format!("{line} (not copied: {error})")),
                }
            }
        }
        Ok(())
    }
}
