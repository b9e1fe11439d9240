//! What a window does that has lost its device: it goes on with another one, from the last snapshot of the flock.

use super::open_window::{Next, OpenWindow};
use crate::error::{Error, Result};
use starlings::flock::{BoidState, Flock};
use starlings::frame::BoidCopy;
use starlings::vk::Device;
use std::sync::Arc;

/// Frames from one snapshot to the next.
const EVERY: u32 = 60;

/// The largest flock that is copied: 28 bytes a boid, twice, are 235 MB.
pub const MOST_BOIDS: u32 = 1 << 22;

/// Copies of one flock on the host, made now and then.
#[derive(Default)]
pub struct Snapshots {
    /// What frames write: what it holds is not defined once the device is lost.
    copy: Option<BoidCopy>,
    /// There is no room for copies.
    is_off: bool,
    /// Frames until the next is due.
    wait: u32,
    /// The frame in flight that makes one: its slot, and the flock's step after it; none if that is not wanted any
    /// more.
    in_flight: Option<(usize, Option<u32>)>,
    /// The last state that has arrived, in the order of storage, and its step.
    kept: Option<(BoidState, u32)>,
}

impl Snapshots {
    /// The copy that the next frame is to write, if one is due of `flock` as it will be then.
    ///
    /// # Errors
    /// What the device could not make, other than for lack of memory: then there are no copies.
    pub fn due(&mut self, device: &Arc<Device>, flock: &Flock) -> Result<Option<&BoidCopy>> {
        let boids = flock.settings().boids;
        if self.is_off || self.in_flight.is_some() || device.is_robust() || boids > MOST_BOIDS {
            return Ok(None);
        }
        let is_old = self.kept.as_ref().is_none_or(|(_, step)| *step != flock.step());
        self.wait = self.wait.saturating_sub(1);
        if self.wait > 0 || !is_old {
            return Ok(None);
        }
        if self.copy.is_none() {
            match BoidCopy::new(device, boids) {
                Err(error) if error.is_out_of_memory() => {
                    tracing::warn!("the window will start over if it loses its device: {error}");
                    self.is_off = true;
                    return Ok(None);
                }
                made => self.copy = Some(made?),
            }
        }
        Ok(self.copy.as_ref())
    }

    /// The frame that writes the copy was submitted in slot `index`; the flock is at `step` after it.
    pub fn submitted(&mut self, index: usize, step: u32) {
        (self.in_flight, self.wait) = (Some((index, Some(step))), EVERY);
    }

    /// The frame of slot `index` is done.
    pub fn arrive(&mut self, index: usize) {
        let Some((_, Some(step))) = self.in_flight.take_if(|(slot, _)| *slot == index) else { return };
        let Some(BoidCopy { arrays: [positions, velocities, ids] }) = &self.copy else { return };
        let (state, kept_step) = self.kept.get_or_insert_default();
        state.clear();
        positions.read_with(|piece| state.extend_position_vx(piece));
        velocities.read_with(|piece| state.set_velocity_yz(0, piece));
        ids.read_with(|piece| state.extend_id(piece));
        *kept_step = step;
    }

    /// The flock was started over: no copy so far is of it. The one in flight is still written.
    pub fn forget(&mut self) {
        (self.kept, self.wait) = (None, 0);
        self.in_flight = self.in_flight.map(|(slot, _)| (slot, None));
    }

    pub fn last(&self) -> Option<&BoidState> {
        self.kept.as_ref().map(|(state, _)| state)
    }

    /// The last state that has arrived, and its step.
    pub fn take(&mut self) -> Option<(BoidState, u32)> {
        self.kept.take()
    }
}

impl OpenWindow {
    /// Goes on, after `error`, with another device and the last state that the host has; without one, from the start.
    /// Returns other errors, and that of a device that was lost before it showed a frame.
    pub(super) fn recover(&mut self, error: Error) -> Result<Next> {
        if !error.is_device_lost() || self.options.benchmark || !self.tally.lost() {
            return Err(error);
        }
        // Also what a CPU engine has measured ahead of the frames.
        self.measurements.see(self.session.flock.last_order().unwrap_or_default());
        // A frame that was being broken may have damaged its flock.
        let kept = self.session.kept().filter(|_| self.breaking.is_none());
        let step = kept.as_ref().map(|(_, step)| *step);
        if let Err(second) = self.go_on_with(kept, false) {
            tracing::debug!("no other device: {second}");
            return Err(error);
        }
        self.announce(match step {
            Some(step) => format!("{error}; going on from step {step}"),
            None => format!("{error}; starting over"),
        });
        self.window.is_dirty = true;
        Ok(Next::Go)
    }
}
