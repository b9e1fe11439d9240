//! A copy of the boids for the host, in frames of a window that looks for some of them.

use crate::error::Result;
use crate::flock::buffers::{BOID_ID, BufferRow, POSITION_VX, VELOCITY_YZ};
use crate::flock::{Flock, Stepper};
use crate::vk::{
    Access, Buffer, BufferInfo, BufferUsage, Dependency, Device, Hazard, MemoryLocation, Pass, Recorder, Stage, Use,
};
use std::sync::Arc;

/// What is copied of every boid: boids have no fixed place in these arrays.
const ROWS: [&BufferRow; 3] = [POSITION_VX, VELOCITY_YZ, BOID_ID];

/// Room on the host for the boids of one frame in flight.
pub struct BoidCopy {
    /// Of `position_vx`, `velocity_yz` and `boid_id`.
    pub arrays: [Buffer; 3],
}

impl BoidCopy {
    /// For a flock of so many boids.
    ///
    /// # Errors
    /// What the device could not make.
    pub fn new(device: &Arc<Device>, boids: u32) -> Result<BoidCopy> {
        let (usage, location) = (BufferUsage::TRANSFER_DST, MemoryLocation::GpuToCpu);
        let array = |row: &BufferRow| {
            Buffer::new(
                device,
                &BufferInfo { name: "boid_copy", size: row.element * u64::from(boids), usage, location },
            )
        };
        let [positions, velocities, ids] = ROWS;
        Ok(BoidCopy { arrays: [array(positions)?, array(velocities)?, array(ids)?] })
    }
}

/// Records the copy, after the picture's pixels are copied: `compose-to-copy` has made the boids visible to copies, too.
pub(super) fn record_boid_copy(rec: &mut Recorder<'_>, flock: &Flock, copy: &BoidCopy) {
    rec.pass(&COPY_BOIDS, |rec| {
        for (row, array) in ROWS.into_iter().zip(&copy.arrays) {
            rec.copy_buffer(&flock.buffers()[row], 0, array, 0, array.size());
        }
    });

    let writer = if let Stepper::Uploaded(_) = flock.stepper() { Stage::COPY } else { Stage::COMPUTE_SHADER };
    // In one command, so that neither relies on the other.
    rec.barriers(&[
        Dependency {
            name: "boids-to-host",
            hazards: &[Hazard::Raw, Hazard::Host],
            guards: &["boid_copy"],
            relies_on: &[],
            src_stage: Stage::COPY,
            src_access: Access::TRANSFER_WRITE,
            dst_stage: Stage::HOST,
            dst_access: Access::HOST_READ,
            reason: "The host looks for boids in the copy after the frame's fence, which makes nothing visible to it. Each frame in \
                     flight has its own copy, so no pass waits before it writes one.",
        },
        Dependency {
            name: "boids-to-steps",
            hazards: &[Hazard::War, Hazard::PreviousFrame],
            guards: &["position_vx", "velocity_yz", "boid_id"],
            relies_on: &[],
            src_stage: Stage::COPY,
            src_access: Access::NONE,
            dst_stage: writer,
            dst_access: Access::NONE,
            reason: "The next frame's steps overwrite what is copied here: steer does, or the upload from a CPU engine.",
        },
    ]);
    rec.host_reads("boid_copy");
}

const COPY_BOIDS: Pass<'_> = Pass {
    name: "copy_boids",
    stage: Stage::COPY,
    uses: &[
        Use::copy_from("position_vx"),
        Use::copy_from("velocity_yz"),
        Use::copy_from("boid_id"),
        Use::copy_to("boid_copy"),
    ],
};
