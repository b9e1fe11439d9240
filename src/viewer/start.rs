//! The steps before a window's first frame.

use super::ViewerOptions;
use super::session::Session;
use crate::error::Result;
use crate::frame::record_steps;
use crate::recording::{host_write, record};
use crate::vk::RecordOptions;
use std::sync::atomic::Ordering;

/// Goes on from the checkpoint, if there is one, and takes the steps up to [`ViewerOptions::start_step`] without drawing, as
/// many in a submission as one may have. Ends early once the window is to close.
pub fn fast_forward(session: &mut Session, options: &ViewerOptions) -> Result<()> {
    if let Some(checkpoint) = &options.resume {
        session.stepping.resume(&checkpoint.state, checkpoint.step)?;
    }
    let stopped = || options.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
    while session.stepping.step() < options.start_step && !stopped() {
        let left = options.start_step - session.stepping.step();
        if session.stepping.advance_on_cpu(left)? {
            continue;
        }
        let index = session.slots.next_index();
        let slot = session.slots.next()?;
        let flock = &mut session.stepping.flock;
        let count = left.min(flock.steps_at_once());
        let steps = host_write(|| flock.prepare_steps(index, count));
        record(slot, RecordOptions::default(), |rec| record_steps(rec, flock, &steps))?;
        slot.submit(None)?;
    }
    Ok(())
}
