//! How long the device takes for frames, as the host sees it: for devices that measure no times.

use super::stepping::FRAMES_IN_FLIGHT;
use std::time::{Duration, Instant};

/// Shorter waits are those for a frame that is done already.
const LEAST_WAIT: Duration = Duration::from_millis(1);

/// A frame that the device has done.
pub struct Done {
    /// Steps that the device took in it.
    pub steps: u32,
    /// How long it took, as [`Waits::done`] says.
    pub time: Duration,
}

/// When the frames in flight were submitted, and when the last one was done.
#[derive(Debug, Default)]
pub struct Waits {
    submitted: [Option<Instant>; FRAMES_IN_FLIGHT],
    /// None where the host has not waited for it.
    last_done: Option<Instant>,
}

impl Waits {
    /// The frame in slot `index` was submitted.
    pub fn submitted(&mut self, index: usize, at: Instant) {
        self.submitted[index] = Some(at);
    }

    /// The frame in slot `index` is done `now`; the host has waited for it since it `asked`. Returns how long the device took for it,
    /// which is nothing if it was done before: then the device has time left. None if there was no frame.
    pub fn done(&mut self, index: usize, asked: Instant, now: Instant) -> Option<Duration> {
        let submitted = self.submitted[index].take()?;
        // The device draws one frame after the other.
        let begun = self.last_done.map_or(submitted, |done| done.max(submitted));
        let waited = now - asked >= LEAST_WAIT;
        self.last_done = waited.then_some(now);
        Some(if waited { now - begun } else { Duration::ZERO })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_takes_from_the_end_of_the_one_before_to_its_own() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut waits = Waits::default();
        assert_eq!(waits.done(0, at(0), at(0)), None, "no frame is in flight");
        waits.submitted(0, at(0));
        waits.submitted(1, at(2));
        assert_eq!(waits.done(0, at(3), at(40)), Some(Duration::from_millis(40)));
        waits.submitted(0, at(41));
        assert_eq!(waits.done(1, at(42), at(90)), Some(Duration::from_millis(50)), "not since it was submitted");
        assert_eq!(waits.done(0, at(120), at(120)), Some(Duration::ZERO), "done while nobody waited");
        waits.submitted(1, at(121));
        assert_eq!(waits.done(1, at(130), at(150)), Some(Duration::from_millis(29)), "from when it was submitted");
    }
}
