//! Steps whose search needs no order: copy, steer.

use super::interface::Interface;
use super::steering::Steering;
use crate::error::Result;
use crate::flock::buffers::{
    BOID_ID, Buffers, POSITION_VX, Part, SORTED_BOID_ID, SORTED_POSITION_VX, SORTED_VELOCITY_YZ, VELOCITY_YZ,
};
use crate::flock::settings::Settings;
use crate::flock::state::State;
use crate::vk::{Device, Pass, Recorder, Stage, Uses};
use std::sync::Arc;

/// Steps without a sort.
pub struct Unsorted {
    /// Visits neighbors and moves the boids.
    pub steering: Steering,
}

impl Unsorted {
    /// Creates it for the flock of `settings` whose state is `state`.
    ///
    /// # Errors
    /// The error of creating an object.
    pub fn new(device: &Arc<Device>, settings: &Settings, state: &State) -> Result<Unsorted> {
        let buffers = Buffers::new(
            device,
            std::slice::from_ref(settings),
            &[Part::Sorted, Part::Influences, Part::Leaders],
            false,
        )?;
        let interface = Interface::new(device, "unsorted", &state.ring, &[vec![&state.buffers, &buffers]], (1, false))?;
        Ok(Unsorted { steering: Steering::new(device, settings, &interface, buffers)? })
    }

    /// Copies the state, unsorted, to where `steer` reads it.
    pub fn state_copy(&self, rec: &mut Recorder<'_>, state: &State, uses: Uses) {
        let copies = [(POSITION_VX, SORTED_POSITION_VX), (VELOCITY_YZ, SORTED_VELOCITY_YZ), (BOID_ID, SORTED_BOID_ID)];
        rec.pass(&Pass { name: "state_copy", stage: Stage::COPY, uses: &uses }, |rec| {
            for (from, to) in copies {
                let from = &state.buffers[from];
                rec.copy_buffer(from, 0, &self.steering.buffers[to], 0, from.size());
            }
        });
    }
}
