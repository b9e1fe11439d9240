//! A flight that is flown again in an open window, until the user does something else.

use super::ViewerOptions;
use super::influences::Influences;
use super::open_window::OpenWindow;
use crate::error::Result;
use crate::flight::{Course, Flight};
use std::sync::Arc;

/// What a flight has left.
pub type Left = Course<Arc<Flight>>;

/// What the flight of `options` has left after `step` steps, if anything.
pub fn left(options: &ViewerOptions, step: u32) -> Option<Left> {
    let mut course = Course::of(options.flight.clone()?);
    while course.due(step).is_some() {}
    course.stop().is_some().then_some(course)
}

impl OpenWindow {
    /// Goes on with what is due in the flight. Returns the steps until something is due again.
    pub(super) fn fly(&mut self) -> Result<u32> {
        let step = self.session.flock.step();
        while let Some(course) = &mut self.replay {
            let Some(settings) = course.due(step).cloned() else { break };
            self.influences = Influences::new(&settings);
            let look = self.options.look.clone();
            self.change_to(settings, look)?;
        }
        let stop = self.replay.as_ref().map(Course::stop);
        if stop == Some(None) {
            self.replay = None;
            self.notify("the end of the flight");
        }
        Ok(stop.flatten().map_or(u32::MAX, |stop| stop - step))
    }

    /// The user does something, or another flock starts: the flight that was flown again is over.
    pub(super) fn take_over(&mut self) {
        if self.replay.take().is_some() {
            self.remark("the flight is yours from here on".into());
        }
    }
}
