//! How fast time goes on in the flock and in its window.

use super::clock::Clock;
use super::throttle::Throttle;
use std::time::{Duration, Instant};

/// How often numbers are updated and a hidden window is checked.
pub const TICK: Duration = Duration::from_millis(500);

/// The flock's clock, and what has come of it.
pub struct Pace {
    pub clock: Clock,
    pub throttle: Throttle,
    last_frame: Instant,
    last_tick: Instant,
    frames_since_tick: u32,
    simulated_since_tick: f64,
    /// Frames a second, between the last two ticks.
    pub fps: f64,
    /// Simulated seconds in a real one, between the last two ticks.
    pub reached: f64,
}

impl Pace {
    /// At the first frame.
    pub fn new(clock: Clock, throttle: Throttle) -> Pace {
        let now = Instant::now();
        Pace {
            clock,
            throttle,
            last_frame: now,
            last_tick: now,
            frames_since_tick: 0,
            simulated_since_tick: 0.0,
            fps: 0.0,
            reached: 0.0,
        }
    }

    /// How long the last frame was ago, at `now`.
    pub fn elapsed(&self, now: Instant) -> Duration {
        now - self.last_frame
    }

    /// Seconds of the flock in a frame of that length.
    pub fn seconds(&self, elapsed: Duration) -> f32 {
        if self.clock.paused() { 0.0 } else { elapsed.as_secs_f32().min(0.1) * self.clock.rate() as f32 }
    }

    /// The steps of the frame that is drawn `now`, and the simulated seconds by which its picture runs ahead of them. A
    /// frame of a `stride` takes that many, however long it takes.
    pub fn begin_frame(&mut self, now: Instant, stride: Option<u32>) -> (u32, f32) {
        let elapsed = self.elapsed(now);
        self.last_frame = now;
        match stride {
            Some(stride) => (stride, 0.0),
            None => (self.clock.advance(elapsed), self.clock.extrapolate()),
        }
    }

    /// A frame was drawn, with so many simulated seconds.
    pub fn end_frame(&mut self, simulated: f64, shown: bool) {
        self.simulated_since_tick += simulated;
        self.frames_since_tick += u32::from(shown);
    }

    /// Whether the numbers are to be updated.
    pub fn is_tick_due(&self) -> bool {
        self.last_tick.elapsed() >= TICK
    }

    /// Updates the numbers.
    pub fn tick(&mut self) {
        let seconds = self.last_tick.elapsed().as_secs_f64();
        self.last_tick = Instant::now();
        self.fps = f64::from(std::mem::take(&mut self.frames_since_tick)) / seconds;
        self.reached = std::mem::take(&mut self.simulated_since_tick) / seconds;
    }
}
