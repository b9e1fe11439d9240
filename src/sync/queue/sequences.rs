//! Where a dependency is needed: between frames with a step, as most are, between steps of a frame, or between frames without one.

use super::{Queue, step};
use crate::sync::{Between, FrameSpec, Rehearsal, arrows};
use crate::vk::{Device, Instance, Journal};

/// Boids in frames that are recorded for this: no more are needed for every pass to occur.
const MOST_BOIDS: u32 = 8_000;

/// Where a dependency that is left out is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Among {
    /// Between two frames of one kind, or in one of them.
    Frames,
    /// Only between two steps of a frame: between two frames, others do its work.
    Steps,
    /// Only between frames without a step: in others, the passes of a step do its work.
    Stepless,
}

/// What each dependency prevents, in two of each in a row.
pub struct Known(Vec<(Among, Queue, Between)>);

impl Known {
    /// All that is known of a frame like that of `queue`, and of others of this kind.
    pub fn of(queue: Queue, spec: Option<&FrameSpec>) -> Known {
        let others = spec.and_then(rehearsed).unwrap_or_default();
        let step = others.first().and_then(step::alone).map(|step| (Among::Steps, Queue::new(&step)));
        let stepless = others.get(1).map(|frame| (Among::Stepless, Queue::new(frame)));
        let all = [Some((Among::Frames, queue)), step, stepless].into_iter().flatten();
        Known(all.map(|(among, queue)| (among, queue.clone(), queue.between())).collect())
    }

    /// The queue without this dependency, where it is missing first; the first one, without a word on what it orders, if nowhere.
    pub fn without(&self, name: &'static str) -> (Queue, Among) {
        let missing = |(among, queue, between): &(Among, Queue, Between)| {
            let arrows = arrows(queue.frame(), between.get(name).into_iter().flatten(), name);
            (!arrows.is_empty()).then(|| (queue.without(name, &arrows), *among))
        };
        let unneeded = || (self.0[0].1.without(name, &[]), Among::Frames);
        self.0.iter().find_map(missing).unwrap_or_else(unneeded)
    }
}

/// Such frames with two steps and with none; none if they cannot be recorded on paper.
fn rehearsed(spec: &FrameSpec) -> Option<Vec<Journal>> {
    let boids = spec.settings.boids.min(MOST_BOIDS);
    let spec = FrameSpec { settings: spec.settings.clone().with_boids(boids), ..spec.clone() };
    let device = Device::new(&Instance::paper().ok()?, None, None).ok()?;
    Rehearsal::new(&device, &spec, None).ok()?.journals(&[2, 0], &[]).ok()
}
