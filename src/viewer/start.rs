//! The steps before a window's first frame.

use super::ViewerOptions;
use super::stepping::Stepping;
use crate::error::Result;
use crate::frame::record_steps;
use crate::recording::{host_write, record};
use crate::vk::{FrameSlots, RecordOptions};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// How far it is, for another thread, which may end it.
#[derive(Debug, Default)]
pub struct Progress {
    step: AtomicU32,
    cancelled: AtomicBool,
}

impl Progress {
    /// The step that was reached; 0 before the first.
    pub fn step(&self) -> u32 {
        self.step.load(Ordering::Relaxed)
    }

    /// No further step is wanted.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

/// Goes on from the checkpoint, if there is one, and takes the steps up to [`ViewerOptions::start_step`] without drawing, as
/// many in a submission as one may have. Ends early once the window is to close.
pub fn fast_forward(
    stepping: &mut Stepping,
    slots: &mut FrameSlots,
    options: &ViewerOptions,
    progress: &Progress,
) -> Result<()> {
    if let Some(checkpoint) = &options.resume {
        stepping.resume(&checkpoint.state, checkpoint.step)?;
    }
    let closing = || options.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
    while stepping.step() < options.start_step && !closing() && !progress.cancelled.load(Ordering::Relaxed) {
        let left = options.start_step - stepping.step();
        if !stepping.advance_on_cpu(left)? {
            let index = slots.next_index();
            let slot = slots.next()?;
            let flock = &mut stepping.flock;
            let count = left.min(flock.steps_at_once());
            let steps = host_write(|| flock.prepare_steps(index, count));
            record(slot, RecordOptions::default(), |rec| record_steps(rec, flock, &steps))?;
            slot.submit(None)?;
        }
        progress.step.store(stepping.step(), Ordering::Relaxed);
    }
    Ok(())
}
