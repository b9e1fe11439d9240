//! How long the device takes for frames, as the host sees it: for devices that measure no times.

use super::stepped_flock::FRAMES_IN_FLIGHT;
use std::time::{Duration, Instant};

/// Shorter waits are those for a frame that is done already.
const LEAST_WAIT: Duration = Duration::from_millis(1);

/// A frame that the device has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// Steps that the device took in it.
    pub steps: u32,
    /// How long it took: nothing if it was done before the host waited for it, so that the device has time left.
    pub time: Duration,
}

/// When the frames in flight were submitted, and when the last one was done.
#[derive(Debug, Default)]
pub struct FrameWaits {
    submitted: [Option<Instant>; FRAMES_IN_FLIGHT],
    /// None where the host has not waited for it.
    last_done: Option<Instant>,
    /// The last frame that was done, until it is taken.
    done: Option<Done>,
}

impl FrameWaits {
    /// The frame in slot `index` was submitted.
    pub fn submitted(&mut self, index: usize, at: Instant) {
        self.submitted[index] = Some(at);
    }

    /// The frame in slot `index`, if there was one, with so many steps is done `now`; the host has waited for it since
    /// it `asked`.
    pub fn done(&mut self, index: usize, steps: u32, asked: Instant, now: Instant) {
        self.done = None;
        let Some(submitted) = self.submitted[index].take() else { return };
        // The device draws one frame after the other.
        let begun = self.last_done.map_or(submitted, |done| done.max(submitted));
        let waited = now - asked >= LEAST_WAIT;
        self.last_done = waited.then_some(now);
        self.done = Some(Done { steps, time: if waited { now - begun } else { Duration::ZERO } });
    }

    /// The last frame that was done, once.
    pub fn take(&mut self) -> Option<Done> {
        self.done.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_takes_from_the_end_of_the_one_before_to_its_own() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut waits = FrameWaits::default();
        let mut took = |submitted: &[(usize, u64)], index, asked, now| {
            submitted.iter().for_each(|(index, ms)| waits.submitted(*index, at(*ms)));
            waits.done(index, 3, at(asked), at(now));
            waits.take().map(|done| done.time.as_millis())
        };
        assert_eq!(took(&[], 0, 0, 0), None, "no frame is in flight");
        assert_eq!(took(&[(0, 0), (1, 2)], 0, 3, 40), Some(40));
        assert_eq!(took(&[(0, 41)], 1, 42, 90), Some(50), "not since it was submitted");
        assert_eq!(took(&[], 0, 120, 120), Some(0), "done while nobody waited");
        assert_eq!(took(&[(1, 121)], 1, 130, 150), Some(29), "from when it was submitted");
    }
}
