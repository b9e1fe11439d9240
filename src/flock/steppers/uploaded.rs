//! Steps that the CPU takes: the upload of their results.
//!
//! The host writes each state into a ring with a part for each frame in flight, and the frame starts by copying that
//! part to the buffers that `steer` writes otherwise. Drawing reads the same buffers either way.

use crate::error::Result;
use crate::flock::buffers::{BOID_ID, CELL_STARTS, Counts, POSITION_VX, UPLOADED_STATE, VELOCITY_YZ, row};
use crate::flock::settings::Settings;
use crate::flock::state::{State, StepSlot};
use crate::vk::{Buffer, BufferInfo, BufferUsage, Device, MemoryLocation, Pass, Recorder, Resource, Stage, Uses};
use glam::Vec3;
use std::sync::Arc;

/// Boids that are written into the ring at a time.
const BLOCK: usize = 4_096;

/// A state as the engine that steps the flock keeps it.
pub trait HostState {
    /// Position, velocity slot and identity of boid `i`.
    fn boid(&self, i: usize) -> (Vec3, Vec3, u32);

    /// First boid of each cell, and the count of boids at the end. Not called without cells.
    fn cell_starts(&self) -> &[u32];
}

/// The ring, and the place of each buffer in a part of it.
pub struct Uploaded {
    ring: Buffer,
    part: u64,
    boids: usize,
    /// Count of cell starts in an upload; 0 for a flock without cells.
    cell_starts: usize,
}

/// Bytes of one part of the ring, for the flock of `settings`.
pub fn upload_size(settings: &Settings) -> u64 {
    let many = Counts::of(settings);
    let cells = if brings_cells(settings) { row(CELL_STARTS).bytes(settings, &many) } else { 0 };
    [POSITION_VX, VELOCITY_YZ, BOID_ID].map(|buffer| row(buffer).element * many.boids).iter().sum::<u64>() + cells
}

/// Whether the starts of its cells are uploaded.
fn brings_cells(settings: &Settings) -> bool {
    row(CELL_STARTS).part.is_needed(settings)
}

impl Uploaded {
    /// A ring of `slots` parts for a flock of `settings`.
    ///
    /// # Errors
    /// The error of creating an object.
    pub(super) fn new(device: &Arc<Device>, settings: &Settings, slots: usize) -> Result<Uploaded> {
        let part = upload_size(settings);
        let info = BufferInfo {
            name: UPLOADED_STATE.name(),
            size: part * slots as u64,
            usage: BufferUsage::TRANSFER_SRC,
            location: MemoryLocation::CpuToGpu,
        };
        let cell_starts = if brings_cells(settings) { settings.grid().cell_count as usize + 1 } else { 0 };
        Ok(Uploaded { ring: Buffer::new(device, &info)?, part, boids: settings.boids as usize, cell_starts })
    }

    /// Writes `state` for frame slot `slot`, which the device is done with.
    ///
    /// # Panics
    /// When it does not have as many cells as the flock.
    pub(in crate::flock) fn write(&mut self, slot: usize, state: &impl HostState) {
        let first = slot as u64 * self.part;
        let velocity_yz = first + row(POSITION_VX).element * self.boids as u64;
        let boid_id = velocity_yz + row(VELOCITY_YZ).element * self.boids as u64;
        for begin in (0..self.boids).step_by(BLOCK) {
            let block: Vec<_> = (begin..self.boids.min(begin + BLOCK)).map(|i| state.boid(i)).collect();
            let at = begin as u64;
            let all: Vec<[f32; 4]> = block.iter().map(|(p, v, _)| p.extend(v.x).to_array()).collect();
            self.ring.write(first + 16 * at, &all);
            let all: Vec<[f32; 2]> = block.iter().map(|(_, v, _)| [v.y, v.z]).collect();
            self.ring.write(velocity_yz + 8 * at, &all);
            let all: Vec<u32> = block.iter().map(|(_, _, id)| *id).collect();
            self.ring.write(boid_id + 4 * at, &all);
        }
        if self.cell_starts > 0 {
            assert_eq!(state.cell_starts().len(), self.cell_starts, "the starts of all cells");
            self.ring.write(boid_id + row(BOID_ID).element * self.boids as u64, state.cell_starts());
        }
    }

    /// The starts of its cells, if they are uploaded.
    pub fn cells(&self) -> Option<Resource> {
        (self.cell_starts > 0).then_some(CELL_STARTS)
    }

    /// Copies the CPU engine's state, and its cells if there are any, to the buffers of the kernels' results.
    pub fn state_upload(&self, rec: &mut Recorder<'_>, state: &State, step: StepSlot, uses: Uses) {
        let cells = self.cells().map(|cells| (cells, self.cell_starts));
        let pass = Pass { name: "state_upload", stage: Stage::COPY, uses: &uses };
        let boids = [POSITION_VX, VELOCITY_YZ, BOID_ID].map(|buffer| (buffer, self.boids));
        rec.pass(&pass, |rec| {
            let mut from = step.frame_slot as u64 * self.part;
            for (buffer, count) in boids.into_iter().chain(cells) {
                let bytes = row(buffer).element * count as u64;
                rec.copy_buffer(&self.ring, from, &state.buffers[buffer], 0, bytes);
                from += bytes;
            }
        });
    }
}
