//! The clock that turns real time into steps of fixed length.

use starlings::flock::MAX_STEPS_PER_SUBMISSION;
use std::time::Duration;

/// Real milliseconds that the steps of a frame may take, or as many as the rest of it: what a frame owes beyond them is
/// dropped, so that the flock runs slower instead of input waiting.
const BUDGET_MS: f64 = 25.0;

/// The least and greatest factors on time.
const RATES: (f64, f64) = (1.0 / 64.0, 64.0);

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
    /// Simulated seconds in a real one.
    rate: f64,
    /// Real milliseconds of a step, and of a frame without steps, as far as known.
    step_ms: f64,
    rest_ms: f64,
}

impl Clock {
    /// A running clock with steps of `time_step` seconds.
    pub fn new(time_step: f32) -> Self {
        Clock {
            time_step: f64::from(time_step),
            ahead: 0.0,
            paused: false,
            single: 0,
            rate: 1.0,
            step_ms: 0.0,
            rest_ms: 0.0,
        }
    }

    /// Changes the length of a step.
    pub fn set_time_step(&mut self, time_step: f32) {
        self.time_step = f64::from(time_step);
    }

    /// Simulated seconds in a real one.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Changes that by a factor.
    pub fn change_rate(&mut self, factor: f64) {
        self.rate = (self.rate * factor).clamp(RATES.0, RATES.1);
    }

    /// Notes how long the steps of a frame took all together, and the rest of that frame, in milliseconds.
    pub fn note_steps(&mut self, steps: u32, ms: f64, rest_ms: f64) {
        let blend = |old: &mut f64, new: f64| *old = if *old == 0.0 { new } else { 0.8 * *old + 0.2 * new };
        blend(&mut self.step_ms, ms / f64::from(steps));
        blend(&mut self.rest_ms, rest_ms);
        // A picture that took long once, as the first does while a driver compiles, is no reason for many steps.
        self.rest_ms = self.rest_ms.min(rest_ms);
    }

    /// Most steps of a frame: as many as fit into its budget.
    fn most(&self) -> u32 {
        // The cast saturates: nothing is known of a step yet, or it takes no time.
        ((self.rest_ms.max(BUDGET_MS) / self.step_ms) as u32).clamp(1, MAX_STEPS_PER_SUBMISSION)
    }

    pub fn paused(&self) -> bool {
        self.paused
    }

    /// Whether no step will come by itself.
    pub fn is_at_rest(&self) -> bool {
        self.paused && self.single == 0
    }

    pub fn toggle_pause(&mut self) {
        self.paused = !self.paused;
        self.single = 0;
        self.ahead = 0.0;
    }

    /// Stops, and asks for one step in the next frame.
    pub fn single_step(&mut self) {
        self.paused = true;
        self.ahead = 0.0;
        self.single = (self.single + 1).min(self.most());
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
        self.ahead += elapsed.as_secs_f64() * self.rate;
        let owed = (self.ahead / self.time_step).floor();
        // Rounding may make this slightly negative.
        self.ahead = (self.ahead - owed * self.time_step).max(0.0);
        // The cast saturates: after a long sleep the count exceeds 32 bits.
        (owed as u32).min(self.most())
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
        assert_eq!(clock.advance(Duration::from_secs(3_600 * 24 * 365 * 10)), MAX_STEPS_PER_SUBMISSION);
        assert!(clock.advance(millis(17)) <= 2, "nothing is owed from before");
    }

    #[test]
    fn steps_that_take_long_are_few_but_at_least_one() {
        let mut clock = Clock::new(STEP);
        clock.note_steps(2, BUDGET_MS, 1.0);
        assert_eq!(clock.advance(millis(500)), 2);
        (0..50).for_each(|_| clock.note_steps(1, 1_000.0, 1.0));
        assert_eq!(clock.advance(millis(500)), 1);
        (0..50).for_each(|_| clock.note_steps(3, 300.0, 301.0));
        assert_eq!(clock.advance(millis(500)), 3, "as long as the picture");
        (0..50).for_each(|_| clock.note_steps(3, 0.0, 0.0));
        assert_eq!(clock.advance(millis(500)), MAX_STEPS_PER_SUBMISSION, "they take no time");
    }

    #[test]
    fn time_runs_at_its_rate() {
        let mut clock = Clock::new(STEP);
        let frame = Duration::from_secs_f64(1.0 / 60.0);
        let steps = |clock: &mut Clock| (0..120).map(|_| clock.advance(frame)).sum::<u32>();
        assert!((119..=120).contains(&steps(&mut clock)));
        clock.change_rate(0.25);
        assert!((29..=30).contains(&steps(&mut clock)), "a quarter");
        clock.change_rate(8.0);
        assert!((238..=241).contains(&steps(&mut clock)), "double");
        clock.change_rate(1e9);
        assert_eq!(clock.rate(), RATES.1);
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
        clock.single_step();
        assert!(clock.paused(), "a single step stops a running clock");
    }

    proptest! {
        #[test]
        fn the_picture_runs_ahead_by_less_than_a_step(
            step in 1e-6f32..1.0, frames in proptest::collection::vec(0u64..10_000_000_000, 1..50),
        ) {
            let mut clock = Clock::new(step);
            for nanos in frames {
                prop_assert!(clock.advance(Duration::from_nanos(nanos)) <= MAX_STEPS_PER_SUBMISSION);
                prop_assert!((0.0..=step).contains(&clock.extrapolate()));
            }
        }
    }
}
