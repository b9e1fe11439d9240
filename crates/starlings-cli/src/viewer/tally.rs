//! What an open window counts for its report.

use super::ViewerReport;
use std::time::Instant;

/// Frames of a benchmark before those that are timed.
pub const WARM_UP: u64 = 30;

/// The counts so far.
#[derive(Default)]
pub struct Tally {
    pub report: ViewerReport,
    /// Frames that there were when the oldest input came that no frame has shown yet.
    input_at: Option<u64>,
    /// The end of the last frame of a benchmark.
    last_end: Option<Instant>,
    /// Frames that there were when the device was last lost.
    lost_at: Option<u64>,
}

impl Tally {
    /// The user has done something that a frame is to show.
    pub fn input(&mut self) {
        self.input_at.get_or_insert(self.report.frames);
    }

    /// A frame was shown, one of a benchmark or not: with all input that came before it was recorded.
    pub fn shown(&mut self, benchmark: bool) {
        let report = &mut self.report;
        report.frames += 1;
        if let Some(before) = self.input_at.take() {
            report.input_delay = report.input_delay.max(report.frames - before);
        }
        if benchmark {
            let now = Instant::now();
            let before = self.last_end.replace(now).filter(|_| report.frames > WARM_UP);
            report.frame_times.extend(before.map(|before| (now - before).as_secs_f64() * 1e3));
        }
    }

    /// The device is lost. Whether it had shown a frame.
    pub fn lost(&mut self) -> bool {
        self.lost_at.replace(self.report.frames) != Some(self.report.frames)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_input_that_waits_counts() {
        let mut tally = Tally::default();
        tally.shown(false);
        assert_eq!(tally.report.input_delay, 0, "there was no input");
        tally.input();
        tally.input();
        (0..2).for_each(|_| tally.shown(false));
        assert_eq!(tally.report.input_delay, 1);
    }
}
