//! A frame of an open window: what comes before it, the frame, and what follows.

use super::boid_finder::Wanted;
use super::controls::{Contents, Controls, Draft, Picture};
use super::diagram::Diagram;
use super::display::Outcome;
use super::frame_waits::Done;
use super::influences::markers;
use super::mouse::Drag;
use super::numbers::Numbers;
use super::open_window::{Next, OpenWindow};
use super::session::Plan;
use super::tally::WARM_UP;
use crate::error::Result;
use crate::sync::{FrameKind, FrameSpec};
use glam::Vec3;
use starlings::flock::settings::Waypoint;
use starlings::render::Camera;
use std::time::{Duration, Instant};

impl OpenWindow {
    pub(super) fn redraw(&mut self) -> Result<Next> {
        if self.window.is_hidden() {
            return Ok(Next::Go);
        }
        let (true, Some(size)) = (self.session.prepare()?, self.session.display.size()) else {
            self.window.is_idle = true;
            return Ok(Next::Go);
        };
        self.window.is_dirty = false;
        self.take_built()?;
        if self.lay_out(size)? == Next::Quit {
            return Ok(Next::Quit);
        }
        let number = self.tally.report.frames + 1;
        let capture = match self.outputs.captures.begin(self.session.display.instance.capture(), number) {
            Ok(capture) => capture,
            // The run was for this capture.
            Err(error) if self.options.capture == Some(number) => return Err(error),
            Err(error) => {
                self.announce(error.to_string());
                None
            }
        };
        let elapsed = self.pace.elapsed(Instant::now());
        let prey = self.find_boids(elapsed)?;
        if !self.options.benchmark {
            self.input.camera.set_room(self.room(), self.aspect());
            self.direct(elapsed)?;
        }
        let camera = self.input.advance(elapsed);
        let free = self.fly()?;
        self.influence(size, elapsed, prey)?;
        let (outcome, steps) = self.draw(camera, free)?;
        if let Some(capture) = capture {
            let captured = self.outputs.captures.end(capture, number, outcome);
            self.tally.report.captures.extend(captured.as_ref().ok().cloned().flatten());
            self.tell(captured.map(|path| path.map(|path| format!("captured {}", path.display()))));
        }
        self.note_times();
        self.study_damage(steps);
        self.window.is_idle = outcome == Outcome::Hidden;
        self.window.is_dirty |= outcome != Outcome::Shown;
        self.follow_colors();
        if outcome == Outcome::Shown {
            self.tally.shown(self.options.benchmark);
            if let Some(ended) = self.outputs.record_frame(&mut self.session, camera)? {
                self.announce(ended);
            }
        }
        let taken = self.take_picture(camera);
        self.tell(taken);
        if self.pace.is_tick_due() && self.refresh(size)? == Next::Quit {
            return Ok(Next::Quit);
        }
        let warm_up = if self.options.benchmark { WARM_UP } else { 0 };
        let done = self.options.exit_after.is_some_and(|frames| self.tally.report.frames >= warm_up + frames);
        Ok(if done { Next::Quit } else { Next::Go })
    }

    /// Draws the frame, seen by `camera`, with at most `free` steps. Returns how it went, and the steps in it.
    fn draw(&mut self, camera: Camera, free: u32) -> Result<(Outcome, u32)> {
        // A recording has all steps of its frames, and the same number in each, however long they take.
        let recorded = self.outputs.stride().filter(|_| !self.pace.clock.paused());
        let stride = if self.options.benchmark { Some(1) } else { recorded };
        let (now, before) = (Instant::now(), self.session.flock.step());
        let (measurements, pace, trends) =
            (&mut self.measurements, &mut self.pace, self.controls.overlay.shows_trends());
        let mut taken = 0;
        let outcome = self.session.draw(|most| {
            let elapsed = pace.elapsed(now).as_secs_f32();
            let (due, extrapolate) = pace.begin_frame(now, stride);
            let (steps, observed) = measurements.plan(before, due.min(most).min(free), trends);
            taken = steps;
            Plan { steps, extrapolate, camera, elapsed, observed }
        })?;
        let simulated = f64::from(taken) * f64::from(self.options.settings.time_step);
        self.pace.end_frame(simulated, outcome == Outcome::Shown);
        self.tally.report.steps += u64::from(taken);
        let order = self.session.flock.take_order();
        self.controls.trends.see(&order);
        self.measurements.see(order);
        Ok((outcome, taken))
    }

    /// Takes the picture that was asked for, if one was. Returns what to say.
    pub(super) fn take_picture(&mut self, camera: Camera) -> Result<Option<String>> {
        if !std::mem::take(&mut self.outputs.wants_picture) {
            return Ok(None);
        }
        let path = self.session.photograph(camera, &self.options)?;
        Ok(path.map(|path| format!("wrote {}", path.display())))
    }

    /// What is done twice a second, for the next frame: the display waits for none of it.
    fn refresh(&mut self, size: (u32, u32)) -> Result<Next> {
        #[cfg(feature = "reload")]
        self.renew_shaders()?;
        if let Some(breaking) = &mut self.breaking {
            if breaking.left_out().is_some()
                && let Some(counts) = self.session.audit()?
            {
                breaking.note(&counts);
            }
            // They may have been changed.
            breaking.study(&self.options.settings);
        }
        self.tick();
        if self.input.camera.keeps_flock()
            && let Some(flock) = self.session.seen()
        {
            self.input.camera.see(flock);
        }
        self.throttle()?;
        self.window.is_dirty = true;
        self.lay_out(size)
    }

    /// Lays out the controls, if they have changed, and does what the user asks of them.
    pub(super) fn lay_out(&mut self, size: (u32, u32)) -> Result<Next> {
        let (camera, scale) = (self.input.camera.shown(), self.window.scale as f32);
        let diagram = self.controls.diagram.then(|| self.diagram(&camera, size));
        self.controls.show_on(self.session.display.swapchains);
        let points = self.options.settings.points_at(self.session.flock.on_device.step());
        let (options, session, pace, director) = (&self.options, &self.session, &self.pace, &self.director);
        let Controls { overlay, profile, trends, pinned, diagram: shows_diagram, boids, .. } = &mut self.controls;
        let (settings, look) = self.buildings.wanted().unwrap_or((&options.settings, &options.look));
        let draft = || Draft {
            settings: settings.clone(),
            look: look.clone(),
            path: director.path.clone(),
            pinned: *pinned,
            diagram: *shows_diagram,
            coarse: session.drawing.block > 1,
            throttles: pace.throttle.allowed,
        };
        let contents = Contents {
            numbers: Numbers::of(options, session, pace, self.outputs.is_recording()),
            profile,
            trends,
            breaking: self.breaking.as_ref(),
            boids: *boids,
            markers: markers(&points, &camera, size, self.input.camera.tracked()),
            diagram,
            building: self.buildings.word(),
            plays_path: director.is_playing(),
            color_range: session.drawing.scene.color_range(),
        };
        let color_range = contents.color_range;
        let (picture, requests) = overlay.picture(&self.window.pane, (size, scale), draft, &contents);
        match picture {
            Picture::Same => {}
            Picture::Hidden => self.session.drawing.set_panels(None)?,
            Picture::New(picture) => {
                self.controls.color_range = color_range;
                self.tally.report.layouts += 1;
                self.session.drawing.set_panels(Some(picture))?;
            }
        }
        self.grant(requests)
    }

    /// The search over a picture of that size.
    fn diagram(&self, camera: &Camera, size: (u32, u32)) -> Diagram {
        let (settings, step) = (&self.options.settings, self.session.flock.on_device.step());
        let found = self.input.camera.followed.and_then(|id| self.session.neighborhood(id));
        let ago = |step_then: u32| step.saturating_sub(step_then) as f32 * settings.time_step;
        let found = found.map(|found| (found, ago(found.step) + self.pace.clock.extrapolate()));
        Diagram::of(settings, camera, size, found)
    }

    /// Draws on until colors are those of the flock as it is, also at rest; then their legend is laid out anew. (While
    /// the flock moves, each tick does that.)
    fn follow_colors(&mut self) {
        if !self.session.drawing.has_settled_colors() {
            self.window.is_dirty = true;
        } else if self.session.drawing.scene.color_range() != self.controls.color_range {
            self.controls.overlay.renew();
        }
    }

    /// Notes how long the last frame has taken.
    fn note_times(&mut self) {
        let timed = self.controls.profile.see(self.session.slots.timings_mut().take_frames());
        let (profile, clock) = (&self.controls.profile, &mut self.pace.clock);
        let done = self.session.waits.take();
        if let Some((steps, time)) = self.session.flock.taken_on_cpu() {
            // While the picture was drawn.
            clock.note_steps(steps, ms(time), profile.last_frame());
        } else if let Some(Done { steps, time }) = done.filter(|done| done.steps > 0) {
            let (whole, of_steps) = match timed {
                true => (profile.last_frame(), profile.last_steps()),
                false => (ms(time), ms(time)),
            };
            clock.note_steps(steps, of_steps, whole - of_steps);
        }
        if self.controls.overlay.shows_trends() && self.measurements.renew_if_old() {
            self.controls.overlay.renew();
        }
    }

    /// Shows the frame of so many steps that was recorded to those who break it, and what was found out about it.
    fn study_damage(&mut self, steps: u32) {
        let Some(breaking) = &mut self.breaking else { return };
        if let Some(journal) = &self.session.journal {
            let spec = || FrameSpec {
                look: self.options.look.clone(),
                ..FrameSpec::new(&self.options.settings, FrameKind::Windowed)
            };
            breaking.learn(journal, steps, spec);
        }
        if breaking.arrive() {
            self.controls.overlay.renew();
        }
    }

    /// Looks for the boid that the camera follows, and for the predator's prey. Moves the camera along with the first,
    /// and returns where the second is.
    fn find_boids(&mut self, elapsed: Duration) -> Result<Option<Vec3>> {
        let (boids, scale) = (self.options.settings.boids, self.options.settings.speed_scale());
        let followed = self.input.camera.followed.filter(|&id| id < boids);
        let prey = self.influences.prey(self.pace.seconds(elapsed), boids);
        let neighbors = self.controls.diagram && followed.is_some();
        let wanted = Wanted { neighbors, ids: followed.into_iter().chain(prey).collect() };
        let found = match self.session.find(wanted) {
            Ok(found) => found,
            Err(error) => {
                // Without room for it the window goes on.
                self.input.camera.followed = None;
                self.influences.without_predator();
                return self.refused(error).map(|()| None);
            }
        };
        if let (Some(_), Some(&Some((place, velocity)))) = (followed, found.first()) {
            self.input.camera.follow(place + velocity * scale * self.pace.clock.extrapolate());
        }
        // A copy is in flight that shows the neighborhood of now.
        let step = self.session.flock.on_device.step();
        let is_old = |id: u32| self.session.neighborhood(id).is_none_or(|found| found.step != step);
        self.window.is_dirty |= self.controls.diagram && followed.is_some_and(is_old);
        Ok(prey.and_then(|_| found.last().copied().flatten()).map(|(place, _)| place))
    }

    /// Lets mouse and predator act on the flock, `elapsed` after the last frame.
    fn influence(&mut self, size: (u32, u32), elapsed: Duration, prey: Option<Vec3>) -> Result<()> {
        let (camera, settings) = (self.input.camera.shown(), &self.options.settings);
        let sign = match self.input.mouse.drag() {
            Some(Drag::Attract) => Some(1.0),
            Some(Drag::Repel) => Some(-1.0),
            _ => None,
        };
        self.influences.hold(sign.map(|sign| (self.input.place(settings, size), sign)));
        if self.influences.is_held() {
            self.take_over();
        }
        // Until then, it is the flight that leads.
        if self.replay.is_some() {
            return Ok(());
        }
        let settings = &self.options.settings;
        if let Some(place) = prey {
            self.influences.chase(place, self.pace.seconds(elapsed), settings.full_speed());
        }
        let follows = settings.law.follows_cursor();
        let cursor = if follows { self.input.mouse.place(&camera, size, &settings.world) } else { None };
        let cursor = cursor.filter(|place| place.is_finite());
        let mut influences = std::mem::take(&mut self.influences);
        let went = self.lead(|settings| {
            influences.act(settings, &camera);
            if let Some(position) = cursor {
                settings.cursor = vec![Waypoint { seconds: 0.0, position }];
            }
        });
        self.influences = influences;
        went
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
