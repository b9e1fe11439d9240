//! A copy of the boids for the host, in frames of a window that looks for some of them.

use crate::error::Result;
use crate::flock::Flock;
use crate::flock::buffers::{self, BOID_ID, POSITION_VX, STATE, VELOCITY_YZ};
use crate::vk::{Buffer, BufferInfo, BufferUsage, Device, MemoryLocation, Pass, Recorder, Resource, Stage, uses};
use std::sync::Arc;

/// The copy of the boids for the host.
pub const BOID_COPY: Resource = Resource::new("boid_copy");

/// Room on the host for the boids of one frame in flight.
pub struct BoidCopy {
    /// Of `position_vx`, `velocity_yz` and `boid_id`, as [`STATE`] has them. Boids have no fixed place in these arrays.
    pub arrays: [Buffer; 3],
}

impl BoidCopy {
    /// For a flock of so many boids.
    ///
    /// # Errors
    /// What the device could not make.
    pub fn new(device: &Arc<Device>, boids: u32) -> Result<BoidCopy> {
        let (usage, location) = (BufferUsage::TRANSFER_DST, MemoryLocation::GpuToCpu);
        let array = |buffer| {
            Buffer::new(
                device,
                &BufferInfo {
                    name: BOID_COPY.name(),
                    size: buffers::row(buffer).element * u64::from(boids),
                    usage,
                    location,
                },
            )
        };
        Ok(BoidCopy { arrays: [array(POSITION_VX)?, array(VELOCITY_YZ)?, array(BOID_ID)?] })
    }
}

impl BoidCopy {
    /// Copies the boids.
    pub(super) fn record(&self, rec: &mut Recorder<'_>, flock: &Flock) {
        let uses = uses![copy_from STATE, copy_to BOID_COPY];
        rec.pass(&Pass { name: "copy_boids", stage: Stage::COPY, uses: &uses }, |rec| {
            for (buffer, array) in STATE.0.iter().zip(&self.arrays) {
                rec.copy_buffer(&flock.buffers()[*buffer], 0, array, 0, array.size());
            }
        });
    }
}
