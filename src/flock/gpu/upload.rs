//! The state of a flock that the processor steps, on its way to the device.
//!
//! The host writes it into a ring with a part for each frame in flight, and the frame begins by copying that part to where
//! `steer` would have left it. Whatever draws a flock reads the same buffers either way.

use super::{Flock, StepSlot};
use crate::error::Result;
use crate::flock::memory::Sizes;
use crate::flock::settings::Settings;
use crate::vk::{Buffer, BufferInfo, BufferUsage, Device, MemoryLocation, Pass, Recorder, Stage, Use};
use glam::Vec3;
use std::sync::Arc;

/// Boids that are put into the ring at a time.
const BLOCK: usize = 4_096;

/// A state in the lists of whoever steps the flock.
pub trait HostState {
    /// Position, velocity slot and identity of boid `i`.
    fn boid(&self, i: usize) -> (Vec3, Vec3, u32);

    /// First boid of each cell, and the count of boids at the end. Not asked for where there are no cells.
    fn cell_starts(&self) -> &[u32];
}

/// The ring, and where each buffer lies in a part of it.
pub struct StateUpload {
    ring: Buffer,
    sizes: Sizes,
    cells: bool,
}

impl StateUpload {
    /// A ring of `slots` parts for a flock of `settings`.
    ///
    /// # Errors
    /// What the device could not make.
    pub(super) fn new(device: &Arc<Device>, settings: &Settings, slots: usize) -> Result<StateUpload> {
        let sizes = Sizes::of(settings);
        let cells = settings.engine.brings_cells(settings.search);
        let info = BufferInfo {
            name: "uploaded_state",
            size: sizes.upload * slots as u64,
            usage: BufferUsage::TRANSFER_SRC,
            location: MemoryLocation::CpuToGpu,
        };
        Ok(StateUpload { ring: Buffer::new(device, &info)?, sizes, cells })
    }

    fn write(&mut self, slot: usize, boids: usize, state: &impl HostState) {
        let first = slot as u64 * self.sizes.upload;
        let velocity_yz = first + self.sizes.position_vx;
        let boid_id = velocity_yz + self.sizes.velocity_yz;
        for begin in (0..boids).step_by(BLOCK) {
            let block: Vec<_> = (begin..boids.min(begin + BLOCK)).map(|i| state.boid(i)).collect();
            let at = begin as u64;
            let all: Vec<[f32; 4]> = block.iter().map(|(p, v, _)| p.extend(v.x).to_array()).collect();
            self.ring.write(first + 16 * at, &all);
            let all: Vec<[f32; 2]> = block.iter().map(|(_, v, _)| [v.y, v.z]).collect();
            self.ring.write(velocity_yz + 8 * at, &all);
            let all: Vec<u32> = block.iter().map(|(_, _, id)| *id).collect();
            self.ring.write(boid_id + 4 * at, &all);
        }
        if self.cells {
            self.ring.write(boid_id + self.sizes.word, state.cell_starts());
        }
    }
}

impl Flock {
    /// Writes the state that the processor has come to after `step` steps for frame slot `slot`, which the device is done
    /// with.
    ///
    /// # Panics
    /// When the flock's engine is the GPU, and when the state has not as many boids and cells as the flock.
    pub fn prepare_upload(&mut self, slot: usize, step: u32, state: &impl HostState) -> StepSlot {
        let boids = self.settings.boids as usize;
        let upload = self.upload.as_mut().expect("the flock of an engine on the processor");
        if upload.cells {
            assert_eq!(state.cell_starts().len(), self.grid.cell_count as usize + 1, "the starts of all cells");
        }
        self.step = step;
        upload.write(slot, boids, state);
        StepSlot(slot as u32, None)
    }

    /// Copies the state that the processor has come to, and the cells it lies in where there are any, to where the kernels
    /// leave theirs.
    pub fn state_upload(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        let upload = self.upload.as_ref().expect("the flock of an engine on the processor");
        let pass = if upload.cells { &STATE_UPLOAD } else { &STATE_UPLOAD_UNSORTED };
        let cells = upload.cells.then_some(&self.buffers.cell_starts);
        let buffers = [&self.buffers.position_vx, &self.buffers.velocity_yz, &self.buffers.boid_id];
        rec.pass(pass, |rec| {
            let mut from = u64::from(step.0) * upload.sizes.upload;
            for to in buffers.into_iter().chain(cells) {
                rec.copy_buffer(&upload.ring, from, to, 0, to.size());
                from += to.size();
            }
        });
    }
}

const STATE_UPLOAD: Pass<'_> = Pass {
    name: "state_upload",
    stage: Stage::COPY,
    uses: &[
        Use::copy_from("uploaded_state"),
        Use::copy_to("position_vx"),
        Use::copy_to("velocity_yz"),
        Use::copy_to("boid_id"),
        Use::copy_to("cell_starts"),
    ],
};

/// Of a flock that lies in no cells.
const STATE_UPLOAD_UNSORTED: Pass<'_> = Pass {
    uses: &[
        Use::copy_from("uploaded_state"),
        Use::copy_to("position_vx"),
        Use::copy_to("velocity_yz"),
        Use::copy_to("boid_id"),
    ],
    ..STATE_UPLOAD
};
