//! What the user has changed, to be undone and done again.

use starlings::flock::Settings;
use starlings::render::Look;
use std::time::{Duration, Instant};

/// Changes that are kept.
const MOST: usize = 200;

/// Changes that follow each other within this time are one: a drag changes a number in each frame.
const TOGETHER: Duration = Duration::from_millis(500);

pub type Chosen = (Settings, Look);

/// Changes that can be undone, and those that were.
#[derive(Default)]
pub struct History {
    done: Vec<Chosen>,
    undone: Vec<Chosen>,
    /// When the last change came.
    last: Option<Instant>,
}

impl History {
    /// The user changes what was `before`.
    pub fn note(&mut self, before: impl FnOnce() -> Chosen, now: Instant) {
        let goes_on = self.last.is_some_and(|last| now - last < TOGETHER);
        self.last = Some(now);
        self.undone.clear();
        if !goes_on {
            self.done.push(before());
            let extra = self.done.len().saturating_sub(MOST);
            self.done.drain(..extra);
        }
    }

    /// What was before the last change, in place of what is `now`; none if nothing was changed.
    pub fn undo(&mut self, now: impl FnOnce() -> Chosen) -> Option<Chosen> {
        let before = self.done.pop()?;
        self.undone.push(now());
        self.last = None;
        Some(before)
    }

    /// What was undone last, in place of what is `now`.
    pub fn redo(&mut self, now: impl FnOnce() -> Chosen) -> Option<Chosen> {
        let again = self.undone.pop()?;
        self.done.push(now());
        self.last = None;
        Some(again)
    }

    /// Another flock starts: changes of the one before are not of it.
    pub fn clear(&mut self) {
        *self = History::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_undone_and_done_again_one_by_one() {
        let settings = Settings::preset("reynolds").expect("a known preset");
        let of = |seed: u64| (Settings { seed, ..settings.clone() }, Look::of(&settings));
        let (mut history, start) = (History::default(), Instant::now());
        let at = |ms: u64| start + Duration::from_millis(ms);
        // The second and third are of one drag.
        for (before, ms) in [(1, 0), (2, 1_000), (3, 1_100), (4, 1_590), (5, 9_000)] {
            history.note(|| of(before), at(ms));
        }
        let mut now = of(6);
        let mut seen = Vec::new();
        while let Some(before) = history.undo(|| now.clone()) {
            now = before;
            seen.push(now.0.seed);
        }
        assert_eq!(seen, [5, 2, 1]);
        for wanted in [2, 5, 6] {
            now = history.redo(|| now.clone()).expect("it was undone");
            assert_eq!(now.0.seed, wanted);
        }
        assert!(history.redo(|| of(0)).is_none());
        history.undo(|| of(6));
        history.note(|| of(7), at(20_000));
        assert!(history.redo(|| of(0)).is_none(), "another change was made since");
        for k in 0..1_000 {
            history.note(|| of(k), at(30_000 + 1_000 * k));
        }
        assert_eq!(history.done.len(), MOST);
    }
}
