//! The clock that turns real time into steps of fixed length.

use std::time::Duration;

/// Most steps of a frame. A slow frame drops the rest: the flock then runs slower
/// than real time instead of making the next frame slower still.
pub const MAX_STEPS_PER_FRAME: u32 = 4;

/// Decides how many steps a frame takes, whatever the rate of the display.
#[derive(Clone, Debug)]
pub struct Clock {
    /// Seconds per step, both simulated and real.
    time_step: f64,
    /// Real seconds not yet covered by a step, less than one step.
    ahead: f64,
    paused: bool,
    /// Steps asked for one by one.
    single: u32,
}

impl Clock {
    /// A running clock with steps of `time_step` seconds.
    pub fn new(time_step: f32) -> Self {
        Clock { time_step: f64::from(time_step), ahead: 0.0, paused: false, single: 0 }
    }

    /// Whether it is paused.
    pub fn paused(&self) -> bool {
        self.paused
    }

    /// Pauses or resumes.
    pub fn toggle_pause(&mut self) {
        self.paused = !self.paused;
        self.single = 0;
        self.ahead = 0.0;
    }

    /// Stops, and asks for one step in the next frame.
    pub fn single_step(&mut self) {
        self.paused = true;
        self.ahead = 0.0;
        self.single = (self.single + 1).min(MAX_STEPS_PER_FRAME);
    }

    /// Drops pending time and steps: after a reset the first step comes a full time step later.
    pub fn restart(&mut self) {
        self.ahead = 0.0;
        self.single = 0;
    }

    /// The steps of a frame that comes `elapsed` after the one before.
    pub fn advance(&mut self, elapsed: Duration) -> u32 {
        if self.paused {
            return std::mem::take(&mut self.single);
        }
        self.ahead += elapsed.as_secs_f64();
        let owed = (self.ahead / self.time_step).floor();
        // Rounding may make this slightly negative.
        self.ahead = (self.ahead - owed * self.time_step).max(0.0);
        // The cast saturates: after a long sleep the count exceeds 32 bits.
        (owed as u32).min(MAX_STEPS_PER_FRAME)
    }

    /// Simulated seconds since the last step, which the picture runs ahead by. 0 while paused.
    pub fn extrapolate(&self) -> f32 {
        if self.paused { 0.0 } else { self.ahead.min(self.time_step) as f32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STEP: f32 = 1.0 / 60.0;

    fn millis(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn any_display_rate_gives_the_same_number_of_steps() {
        for rate in [30.0, 59.94, 60.0, 75.0, 144.0, 500.0] {
            let mut clock = Clock::new(STEP);
            let frame = Duration::from_secs_f64(1.0 / rate);
            let steps: u32 = (0..(10.0 * rate) as u32).map(|_| clock.advance(frame)).sum();
            assert!((598..=600).contains(&steps), "{steps} steps at {rate} Hz");
        }
    }

    #[test]
    fn a_backlog_is_dropped() {
        let mut clock = Clock::new(STEP);
        assert_eq!(clock.advance(Duration::from_secs(3_600 * 24 * 365 * 10)), MAX_STEPS_PER_FRAME);
        assert!(clock.advance(millis(17)) <= 2, "nothing is owed from before");
    }

    #[test]
    fn a_paused_clock_steps_only_when_told() {
        let mut clock = Clock::new(STEP);
        clock.advance(millis(10));
        assert!(clock.extrapolate() > 0.0);
        clock.toggle_pause();
        assert_eq!((clock.advance(millis(500)), clock.extrapolate()), (0, 0.0));
        clock.single_step();
        assert_eq!((clock.advance(millis(500)), clock.advance(millis(500))), (1, 0));
        clock.toggle_pause();
        assert_eq!(clock.advance(millis(17)), 1, "what passed while paused is not made up for");
    }

    #[test]
    fn a_single_step_stops_a_running_clock() {
        let mut clock = Clock::new(STEP);
        clock.single_step();
        assert!(clock.paused());
        assert_eq!(clock.advance(millis(100)), 1);
        assert_eq!(clock.advance(millis(100)), 0);
    }

    proptest! {
        #[test]
        fn the_picture_runs_ahead_by_less_than_a_step(
            step in 1e-6f32..1.0, frames in proptest::collection::vec(0u64..10_000_000_000, 1..50),
        ) {
            let mut clock = Clock::new(step);
            for nanos in frames {
                prop_assert!(clock.advance(Duration::from_nanos(nanos)) <= MAX_STEPS_PER_FRAME);
                prop_assert!((0.0..=step).contains(&clock.extrapolate()));
            }
        }
    }
}
