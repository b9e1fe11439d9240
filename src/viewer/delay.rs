//! How long input waits for the frame that shows it.

use crate::vk::Spread;
use std::collections::VecDeque;
use std::time::Instant;

/// Times that are kept.
const MOST_KEPT: usize = 1024;

/// The oldest input that no frame has shown yet, and how long such input has waited.
#[derive(Debug, Default)]
pub struct Delay {
    /// When it came, and after how many frames.
    waiting: Option<(Instant, u64)>,
    most_frames: u64,
    times: VecDeque<f64>,
}

impl Delay {
    /// Input came after so many frames.
    pub fn came(&mut self, at: Instant, frames: u64) {
        self.waiting.get_or_insert((at, frames));
    }

    /// The frame of this number, counted from one, was handed to the display: it shows all input that came before it was recorded.
    pub fn shown(&mut self, frame: u64) {
        let Some((at, frames)) = self.waiting.take() else { return };
        self.most_frames = self.most_frames.max(frame - frames);
        if self.times.len() == MOST_KEPT {
            self.times.pop_front();
        }
        self.times.push_back(at.elapsed().as_secs_f64() * 1e3);
    }

    /// Most frames handed to the display from an input to the one that shows it, that one included, and median milliseconds until then.
    /// Zeros if there was none.
    pub fn summary(&self) -> (u64, f64) {
        (self.most_frames, Spread::of(self.times.iter().copied().collect::<Vec<_>>().as_slice()).median)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_oldest_input_that_waits_counts() {
        let mut delay = Delay::default();
        delay.shown(1);
        assert_eq!(delay.summary().0, 0, "there was no input");
        let before = Instant::now() - Duration::from_millis(500);
        delay.came(before, 1);
        delay.came(Instant::now(), 2);
        delay.shown(3);
        delay.shown(4);
        let (frames, ms) = delay.summary();
        assert!(frames == 2 && (500.0..600.0).contains(&ms), "{frames} frames, {ms} ms");
    }
}
