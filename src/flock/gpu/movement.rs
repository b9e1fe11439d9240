//! The influences on boids besides their law, on the device: the weights of each boid, and where the leader is.

use super::passes::COMPUTE;
use super::{Flock, StepSlot};
use crate::error::Result;
use crate::flock::layout::MovementWeights;
use crate::vk::{Pass, Recorder, Use};

impl Flock {
    /// Gives every boid weights of its own for the influences on the flock; entry `i` is boid `i`'s. Waits for the
    /// device. Kernels read them; of a flock that the processor steps,
    /// [`Engine::set_movement_weights`](crate::cpu::Engine::set_movement_weights) sets what counts.
    ///
    /// # Errors
    /// What the upload could not do.
    ///
    /// # Panics
    /// When there is not one entry for each boid, or the flock's settings have no influences
    /// ([`Settings::influences`](crate::flock::Settings::influences)).
    pub fn set_movement_weights(&mut self, weights: &[MovementWeights]) -> Result<()> {
        assert!(self.settings.influences() != 0, "settings with influences");
        assert_eq!(weights.len(), self.settings.boids as usize, "weights of all boids");
        self.device.wait_idle()?;
        self.buffers.movement_weights.upload(0, weights)
    }

    /// The weights that the settings say.
    pub(super) fn weigh(&mut self) -> Result<()> {
        let weights: Vec<_> = (0..self.settings.boids).map(|id| self.settings.movement_weights(id)).collect();
        self.set_movement_weights(&weights)
    }

    /// Finds where the leader is. Only a flock with a leader has that pass.
    pub fn find_leader(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        if let Some(find_leader) = &self.find_leader {
            self.kernel(rec, &FIND_LEADER, find_leader, step, self.boid_groups());
        }
    }
}

const FIND_LEADER: Pass<'_> = Pass {
    name: "find_leader",
    stage: COMPUTE,
    uses: &[
        Use::uniform(COMPUTE, "step_params"),
        Use::read(COMPUTE, "sorted_position_vx"),
        Use::read(COMPUTE, "sorted_boid_id"),
        Use::write(COMPUTE, "leader_position"),
    ],
};

/// What `steer` reads besides, of a flock with influences.
pub(super) const WEIGHTS_READ: Use = Use::read(COMPUTE, "movement_weights");
/// Of one with a leader.
pub(super) const LEADER_READ: Use = Use::read(COMPUTE, "leader_position");
