//! What a window does that has lost its device: it goes on with another one.

use super::ViewerOptions;
use super::running::{Next, Running};
use crate::error::{Error, Result};
use crate::export::Checkpoint;
use std::sync::Arc;

impl Running {
    /// Goes on, after `error`, with another device and the last state that the host has; without one, from the start. Returns other
    /// errors, and that of a device that was lost before it showed a frame.
    pub(super) fn recover(&mut self, error: Error) -> Result<Next> {
        if !error.is_device_lost() || self.options.benchmark || self.lost_at == Some(self.frames) {
            return Err(error);
        }
        self.lost_at = Some(self.frames);
        // Also what a CPU engine has measured ahead of the frames.
        self.watching.see(self.session.stepping.last_order().unwrap_or_default());
        // A frame that was being broken may have damaged its flock.
        let kept = self.session.kept().filter(|_| self.breaking.is_none());
        let (step, changed) = (kept.as_ref().map(|(_, step)| *step), self.session.changed);
        let mut options = ViewerOptions { count_is_given: true, ..self.options.clone() };
        if let Some((state, step)) = kept {
            let checkpoint = Checkpoint { state, step, replayable: false, config: String::new() };
            (options.resume, options.start_step) = (Some(Arc::new(checkpoint)), step);
        }
        if let Err(second) = self.reopen(&options, false) {
            tracing::debug!("no other device: {second}");
            return Err(error);
        }
        self.overlay.renew();
        self.clock.restart();
        self.trends.clear();
        match step {
            Some(step) => {
                self.session.changed = changed;
                self.watching.go_on(step);
                self.announce(format!("{error}; going on from step {step}"));
            }
            None => {
                self.watching.restart();
                self.announce(format!("{error}; starting over"));
            }
        }
        self.look_again = true;
        Ok(Next::Go)
    }
}
