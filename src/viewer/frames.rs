//! A frame of an open window: what comes before it, the frame, and what follows.

use super::breaking::Breaking;
use super::controls::{Draft, Picture, Shown};
use super::cpu_time;
use super::filming::Film;
use super::running::{Next, Running, TICK};
use super::session::{Drawn, Plan};
use super::waits::Done;
use crate::error::Result;
use crate::render::Camera;
use crate::sync::{FrameKind, FrameSpec};
use std::time::{Duration, Instant};

/// Between two measurements of order parameters that are shown.
const TREND: Duration = Duration::from_millis(100);

/// Times for the controls that are kept.
const MOST_KEPT: usize = 1024;

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Frames of a benchmark before those that are timed.
const WARM_UP: u64 = 30;

impl Running {
    pub(super) fn redraw(&mut self) -> Result<Next> {
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
        let elapsed = now - self.last_frame;
        let prey = self.find_boids(elapsed)?;
        self.rig.flight = self.keys.flight(self.held);
        let camera = self.rig.advance(elapsed);
        self.touch_flock(elapsed, prey)?;
        let timed = self.options.benchmark;
        // A recording has all steps of its frames, and the same number in each, however long they take.
        let filmed = self.film.as_ref().filter(|_| !self.clock.paused()).map(Film::stride);
        let stride = if timed { Some(1) } else { filmed };
        let (clock, last_frame) = (&mut self.clock, &mut self.last_frame);
        let (watching, trends, before) =
            (&mut self.watching, self.overlay.shows_trends(), self.session.stepping.step());
        let mut steps = 0;
        let drawn = self.session.draw(|most| {
            let observed;
            let (due, ahead) = match stride {
                Some(stride) => (stride, 0.0),
                None => (clock.advance(now - *last_frame), clock.extrapolate()),
            };
            (steps, observed) = watching.plan(before, due.min(most), trends);
            *last_frame = now;
            Plan { steps, extrapolate: ahead, camera, elapsed: elapsed.as_secs_f32(), observed }
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
        if let (Some(breaking), Some(journal)) = (&mut self.breaking, &self.session.journal) {
            let spec = || FrameSpec {
                look: self.options.look.clone(),
                ..FrameSpec::new(&self.options.settings, FrameKind::Windowed)
            };
            breaking.learn(journal, steps, spec);
        }
        if self.breaking.as_mut().is_some_and(Breaking::arrive) {
            self.overlay.renew();
        }
        match drawn {
            Drawn::Shown => {
                self.frames += 1;
                self.delay.shown(self.frames);
                self.frames_since_tick += 1;
                if timed {
                    self.time_frame();
                }
            }
            Drawn::Again | Drawn::Hidden => self.look_again = true,
        }
        self.follow_colors();
        if drawn == Drawn::Shown {
            self.shoot(camera)?;
        }
        let taken = self.take_screenshot(camera);
        self.tell(taken);
        if self.last_tick.elapsed() >= TICK
            && let Next::Quit = self.refresh(size)?
        {
            return Ok(Next::Quit);
        }
        let warm_up = if timed { WARM_UP } else { 0 };
        let done = self.options.exit_after.is_some_and(|frames| self.frames >= warm_up + frames);
        Ok(if done { Next::Quit } else { Next::Go })
    }

    /// Takes the picture that was asked for, if one was. Returns what to say.
    pub(super) fn take_screenshot(&mut self, camera: Camera) -> Result<Option<String>> {
        if !std::mem::take(&mut self.screenshot_wanted) {
            return Ok(None);
        }
        let path = self.session.photograph(camera, &self.options)?;
        Ok(path.map(|path| format!("wrote {}", path.display())))
    }

    /// What is done twice a second, for the next frame: the display waits for none of it.
    fn refresh(&mut self, size: (u32, u32)) -> Result<Next> {
        #[cfg(feature = "reload")]
        self.renew_shaders()?;
        self.count_damage()?;
        self.tick();
        self.save()?;
        self.look_again = true;
        self.lay_out(size)
    }

    /// Notes how long the frame has taken that is done now.
    fn time_frame(&mut self) {
        let now = Instant::now();
        let before = self.timed.replace(now);
        if let Some(before) = before.filter(|_| self.frames > WARM_UP) {
            self.frame_times.push(ms(now - before));
        }
    }

    /// Lays out the controls, if they have changed, and does what the user wants of them.
    pub(super) fn lay_out(&mut self, size: (u32, u32)) -> Result<Next> {
        if self.swapchains != self.session.swapchains {
            self.swapchains = self.session.swapchains;
            self.overlay.renew();
        }
        (self.numbers.paused, self.numbers.recording) = (self.clock.paused(), self.film.is_some());
        let draft = || Draft {
            settings: self.options.settings.clone(),
            look: self.options.look.clone(),
            pinned: self.pinned,
            diagram: self.diagram,
            coarse: self.session.block() > 1,
            saves: self.thrift.allowed,
        };
        let shown = Shown {
            numbers: &self.numbers,
            profile: &self.profile,
            trends: &self.trends,
            breaking: self.breaking.as_ref(),
            most_boids: self.most_boids,
            usual_boids: self.usual_boids,
            markers: self.markers(size),
            diagram: self.diagram(size),
            color_range: self.session.color_range(),
        };
        let color_range = shown.color_range;
        let begun = cpu_time::of_this_thread();
        let (picture, wishes) = self.overlay.picture(&self.pane, (size, self.scale as f32), draft, &shown);
        if matches!(picture, Picture::New(_)) {
            (self.laid_out, self.color_range) = (true, color_range);
        }
        match picture {
            Picture::Same => {}
            Picture::Hidden => self.session.set_panels(None)?,
            Picture::New(picture) => self.session.set_panels(Some(picture))?,
        }
        self.session.panel_time += cpu_time::of_this_thread() - begun;
        self.grant(wishes)
    }

    /// Draws on until colors are those of the flock as it is, also at rest; then their legend is laid out anew. (While the flock moves,
    /// each tick does that.)
    fn follow_colors(&mut self) {
        if !self.session.has_settled_colors() {
            self.look_again = true;
        } else if self.session.color_range() != self.color_range {
            self.overlay.renew();
        }
    }

    /// Notes how long the last frame has taken, and how much time has passed in the flock.
    fn note_times(&mut self, steps: u32) {
        self.steps += u64::from(steps);
        self.simulated_since_tick += f64::from(steps) * f64::from(self.options.settings.time_step);
        let panels = std::mem::take(&mut self.session.panel_time);
        self.profile.see_panels(panels);
        let laid_out = std::mem::take(&mut self.laid_out);
        self.layouts += u64::from(laid_out);
        let times = &mut self.panel_times[usize::from(laid_out)];
        if times.len() == MOST_KEPT {
            times.pop_front();
        }
        times.push_back(ms(panels));
        let timed = self.profile.see(self.session.slots.timings_mut().take_frames());
        let done = self.session.done.take();
        if let Some((steps, time)) = self.session.stepping.taken_on_cpu() {
            // While the picture was drawn.
            self.clock.note_steps(steps, ms(time), self.profile.last_frame());
        } else if let Some(Done { steps, time }) = done.filter(|done| done.steps > 0) {
            let (whole, of_steps) = match timed {
                true => (self.profile.last_frame(), self.profile.last_steps()),
                false => (ms(time), ms(time)),
            };
            self.clock.note_steps(steps, of_steps, whole - of_steps);
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
        if let Some(breaking) = &mut self.breaking {
            // They may have been changed.
            breaking.study(&self.options.settings);
        }
        Ok(())
    }
}
