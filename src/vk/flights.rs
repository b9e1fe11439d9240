//! What the device was doing when it was lost, for the message: the last pass that finished, as its timestamps show.

use super::device::Device;
use super::timestamps::TimedPass;
use crate::error::Error;
use ash::vk;
use std::sync::{MutexGuard, PoisonError};

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
    /// The last pass that finished.
    last: Option<TimedPass>,
    /// The last step that was recorded.
    pub recorded: Option<u32>,
}

impl Flights {
    pub fn depart(&mut self, flight: Flight) {
        self.flying.push(flight);
    }

    /// The submission was waited for, or will never be.
    pub fn land(&mut self, submission: u64, waited: bool) {
        if let Some(at) = self.flying.iter().position(|flight| flight.submission == submission) {
            let flight = self.flying.remove(at);
            if waited {
                self.last = flight.passes.last().copied().or(self.last);
            }
        }
    }

    /// What is known, if `finished` counts the passes of a flight that have finished.
    fn tell(&self, finished: impl Fn(&Flight) -> usize) -> String {
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

impl Device {
    pub(super) fn flights(&self) -> MutexGuard<'_, Flights> {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The error of the Vulkan call `operation` for `object`. If the device was lost, it also says what is known of when.
    pub(super) fn failed(&self, operation: &'static str, object: &str) -> impl FnOnce(vk::Result) -> Error {
        move |result| {
            let mut error = Error::vulkan(operation, object)(result);
            if let (Error::Vulkan { after, .. }, vk::Result::ERROR_DEVICE_LOST) = (&mut error, result) {
                *after = self.flights().tell(|flight| self.finished(flight));
            }
            error
        }
    }

    /// How many passes of a flight have finished, without waiting.
    fn finished(&self, flight: &Flight) -> usize {
        // Each with a second word that says whether it has arrived.
        let mut stamps = vec![[0u64; 2]; 2 * flight.passes.len()];
        if stamps.is_empty() {
            return 0;
        }
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WITH_AVAILABILITY;
        // SAFETY: the pool lives until its flight has landed. Queries that were not written fail the call, and say so.
        let _ = unsafe { self.raw.get_query_pool_results(flight.pool, 0, &mut stamps, flags) };
        stamps.chunks_exact(2).take_while(|pair| pair[1][1] != 0).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_pass_that_finished_is_named() {
        let flight = |submission, names: &[&'static str]| Flight {
            submission,
            pool: vk::QueryPool::null(),
            passes: names.iter().map(|name| TimedPass { name, step: Some(submission as u32) }).collect(),
        };
        let mut flights = Flights::default();
        assert_eq!(flights.tell(|_| 0), "");
        flights.recorded = Some(4);
        assert_eq!(flights.tell(|_| 0), "; the last step that was recorded is step 4");
        for submission in 1..4 {
            flights.depart(flight(submission, &["bin", "steer"]));
        }
        assert_eq!(flights.tell(|_| 0), "; the last step that was recorded is step 4");
        flights.land(1, true);
        assert_eq!(flights.tell(|_| 0), "; the last pass that finished is steer of step 1");
        let second = |flight: &Flight| usize::from(flight.submission == 2);
        assert_eq!(flights.tell(second), "; the last pass that finished is bin of step 2");
        flights.land(2, false);
        assert_eq!(flights.tell(second), "; the last pass that finished is steer of step 1");
        assert_eq!(flights.tell(|flight| flight.passes.len()), "; the last pass that finished is steer of step 3");
    }
}
