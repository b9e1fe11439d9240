//! The sequence of frames in which a dependency is needed: between frames with a step, as most are, between steps of a
//! frame, or between frames without one.

use super::{Queue, repetition};
use crate::{Between, Journal, arrows};

/// The sequence in which a dependency that is left out is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sequence {
    /// Between two frames of one kind, or in one of them.
    Frames,
    /// Only between two steps of a frame: between two frames, others do its work.
    Steps,
    /// Only between frames without a step: in others, the passes of a step do its work.
    Stepless,
}

/// What each dependency prevents, in two of each in a row.
pub struct Sequences(Vec<(Sequence, Queue, Between)>);

impl Sequences {
    /// All that is known of the frame of `queue`, and of `others` of its kind, if there are any: one with two steps,
    /// and one with none.
    pub fn of(queue: Queue, others: &[Journal]) -> Sequences {
        let step = others.first().and_then(repetition::alone).map(|step| (Sequence::Steps, Queue::new(&step)));
        let stepless = others.get(1).map(|frame| (Sequence::Stepless, Queue::new(frame)));
        let all = [Some((Sequence::Frames, queue)), step, stepless].into_iter().flatten();
        Sequences(all.map(|(sequence, queue)| (sequence, queue.clone(), queue.between())).collect())
    }

    /// The queue without this dependency, where it is missing first; the first one, without a word on what it orders,
    /// if nowhere.
    pub fn without(&self, name: &'static str) -> (Queue, Sequence) {
        let missing = |(sequence, queue, between): &(Sequence, Queue, Between)| {
            let arrows = arrows(queue.frame(), between.get(name).into_iter().flatten(), name);
            (!arrows.is_empty()).then(|| (queue.without(name, &arrows), *sequence))
        };
        let unneeded = || (self.0[0].1.without(name, &[]), Sequence::Frames);
        self.0.iter().find_map(missing).unwrap_or_else(unneeded)
    }
}
