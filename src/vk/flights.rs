//! The submissions in flight, and what is known of them when the device is lost.

use ash::vk;

/// A pass with timestamps, and its step if it belongs to one.
#[derive(Clone, Copy)]
pub(super) struct TimedPass {
    pub name: &'static str,
    pub step: Option<u32>,
}

/// A submission that was not waited for yet.
pub(super) struct Flight {
    pub submission: u64,
    /// The timestamps of its passes.
    pub pool: vk::QueryPool,
    pub passes: Vec<TimedPass>,
}

/// The submissions in flight, oldest first, and what is known of earlier ones.
#[derive(Default)]
pub(super) struct Flights {
    flying: Vec<Flight>,
    /// Empty lists of earlier ones, to use again.
    spare: Vec<Vec<TimedPass>>,
    /// The last pass that finished.
    last: Option<TimedPass>,
    /// The last step that was recorded.
    pub recorded: Option<u32>,
}

impl Flights {
    pub fn depart(&mut self, submission: u64, pool: vk::QueryPool, timed: &[TimedPass]) {
        let mut passes = self.spare.pop().unwrap_or_default();
        passes.extend_from_slice(timed);
        self.flying.push(Flight { submission, pool, passes });
    }

    /// The submission was waited for, or will never be.
    pub fn land(&mut self, submission: u64, waited: bool) {
        if let Some(at) = self.flying.iter().position(|flight| flight.submission == submission) {
            let Flight { mut passes, .. } = self.flying.remove(at);
            if waited {
                self.last = passes.last().copied().or(self.last);
            }
            passes.clear();
            self.spare.push(passes);
        }
    }

    /// What is known, if `finished` counts the passes of a flight that have finished.
    pub fn describe(&self, finished: impl Fn(&Flight) -> usize) -> String {
        let seen = self.flying.iter().rev().find_map(|flight| flight.passes.get(..finished(flight))?.last().copied());
        match (seen.or(self.last), self.recorded) {
            (Some(TimedPass { name, step: Some(step) }), _) => {
                format!("; the last pass that finished is {name} of step {step}")
            }
            (Some(TimedPass { name, step: None }), _) => format!("; the last pass that finished is {name}"),
            (None, Some(step)) => format!("; the last step that was recorded is step {step}"),
            (None, None) => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_pass_that_finished_is_named() {
        let mut flights = Flights::default();
        assert_eq!(flights.describe(|_| 0), "");
        flights.recorded = Some(4);
        assert_eq!(flights.describe(|_| 0), "; the last step that was recorded is step 4");
        for submission in 1..4 {
            let passes = ["bin", "steer"].map(|name| TimedPass { name, step: Some(submission as u32) });
            flights.depart(submission, vk::QueryPool::null(), &passes);
        }
        assert_eq!(flights.describe(|_| 0), "; the last step that was recorded is step 4");
        flights.land(1, true);
        assert_eq!(flights.describe(|_| 0), "; the last pass that finished is steer of step 1");
        let second = |flight: &Flight| usize::from(flight.submission == 2);
        assert_eq!(flights.describe(second), "; the last pass that finished is bin of step 2");
        flights.land(2, false);
        assert_eq!(flights.describe(second), "; the last pass that finished is steer of step 1");
        assert_eq!(flights.describe(|flight| flight.passes.len()), "; the last pass that finished is steer of step 3");
    }
}
