//! The state of every boid on the device, and the ring of step parameters.

use super::buffers::{BOID_ID, Buffers, POSITION_VX, Part, STEP_PARAMS, VELOCITY_YZ, row};
use super::layout::StepParams;
use super::settings::Settings;
use super::spawn::BoidState;
use crate::error::Result;
use crate::vk::{Buffer, BufferInfo, BufferUsage, Device, MemoryLocation};
use arrayvec::ArrayVec;
use bytemuck::Pod;
use glam::Vec3;
use rayon::prelude::*;
use std::sync::Arc;

/// Steps in one submission, at most: the room for their parameters.
pub const MAX_STEPS_PER_SUBMISSION: u32 = 16;

/// What to observe of a flock in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observation {
    /// The neighborhood of each boid, in `observed`.
    Neighborhoods,
    /// The same, and the order parameters of the flock before the step, for the host.
    Order,
}

/// A step that a frame is to record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepSlot {
    /// The frame in flight that it belongs to.
    pub(super) frame_slot: usize,
    /// Its number, from 1.
    pub(super) step: u32,
    /// Offset of its parameters in the ring: a dynamic offset. Unused if the CPU has taken the step.
    pub(super) offset: u32,
    /// What to observe in it.
    pub(super) observation: Option<Observation>,
}

/// Those of one submission.
pub type Steps = ArrayVec<StepSlot, { MAX_STEPS_PER_SUBMISSION as usize }>;

/// Parameters in a uniform buffer: an entry for each frame in flight, or for each of its steps.
pub struct UniformRing {
    /// The buffer.
    pub buffer: Buffer,
    stride: u64,
}

impl UniformRing {
    /// Room for `entries` entries of `bytes` bytes.
    ///
    /// # Errors
    /// The error of creating an object.
    pub fn new(device: &Arc<Device>, name: &str, bytes: usize, entries: usize) -> Result<UniformRing> {
        let stride = (bytes as u64).next_multiple_of(device.info().uniform_alignment);
        let (usage, location) = (BufferUsage::UNIFORM_BUFFER, MemoryLocation::CpuToGpu);
        let info = BufferInfo { name, size: stride * entries as u64, usage, location };
        Ok(UniformRing { buffer: Buffer::new(device, &info)?, stride })
    }

    /// Writes an entry that the device is done with. Returns its dynamic offset.
    pub fn write<T: Pod>(&mut self, entry: usize, params: &T) -> u32 {
        let offset = entry as u64 * self.stride;
        self.buffer.write(offset, std::slice::from_ref(params));
        offset as u32
    }
}

/// The state of every boid on the device.
pub struct State {
    /// The buffers of [`Part::State`], [`Part::Cells`], [`Part::Behavior`], [`Part::Volumes`] and [`Part::Many`].
    pub buffers: Buffers,
    /// The parameters of [`MAX_STEPS_PER_SUBMISSION`] steps for each frame in flight.
    pub ring: UniformRing,
    pub(super) slots: usize,
}

impl State {
    /// Room for the state of a flock, or of flocks that are stepped at once, for `slots` frames in flight.
    ///
    /// # Errors
    /// The error of creating an object.
    pub fn new(device: &Arc<Device>, each: &[Settings], slots: usize, by_address: bool) -> Result<State> {
        let parts = [Part::State, Part::Cells, Part::Behavior, Part::Volumes, Part::Many];
        // The last is of many flocks only.
        let parts = if each.len() > 1 { &parts[..] } else { &parts[..4] };
        let buffers = Buffers::new(device, each, parts, by_address)?;
        let entries = slots * MAX_STEPS_PER_SUBMISSION as usize;
        Ok(State {
            buffers,
            ring: UniformRing::new(device, STEP_PARAMS.name(), size_of::<StepParams>(), entries)?,
            slots,
        })
    }

    /// Fails for a frame slot that the flock was not made for.
    ///
    /// # Panics
    /// In that case.
    pub fn check_slot(&self, slot: usize) {
        let slots = self.slots;
        assert!(slot < slots, "frame slot {slot} of a flock that was made for {slots} frames in flight");
    }

    /// Writes the state of each of `boids` boids directly into the staging buffer: a flock may be too large for a
    /// second copy.
    ///
    /// # Errors
    /// The error of the upload.
    pub fn upload(
        &self,
        boids: usize,
        position: impl Fn(usize) -> Vec3 + Sync,
        velocity: impl Fn(usize) -> Vec3 + Sync,
        id: impl Fn(usize) -> u32 + Sync,
    ) -> Result<()> {
        self.buffers[POSITION_VX].upload_with(0, boids, |first, piece: &mut [[f32; 4]]| {
            fill(first, piece, |i| position(i).extend(velocity(i).x).to_array());
        })?;
        self.buffers[VELOCITY_YZ].upload_with(0, boids, |first, piece: &mut [[f32; 2]]| {
            fill(first, piece, |i| [velocity(i).y, velocity(i).z]);
        })?;
        self.buffers[BOID_ID].upload_with(0, boids, |first, piece: &mut [u32]| fill(first, piece, &id))
    }

    /// Position and velocity slot of the boid `id` among `boids`; those of another one if it is missing after a broken
    /// frame.
    ///
    /// # Errors
    /// The error of the download.
    pub fn download_boid(&self, boids: usize, id: u32) -> Result<(Vec3, Vec3)> {
        let (mut done, mut place) = (0, 0);
        self.buffers[BOID_ID].download_with(0, boids, |piece: &[u32]| {
            place = piece.par_iter().position_any(|&other| other == id).map_or(place, |found| done + found);
            done += piece.len();
        })?;
        let at = |buffer| place as u64 * row(buffer).element;
        let p = self.buffers[POSITION_VX].download::<[f32; 4]>(at(POSITION_VX), 1)?[0];
        let yz = self.buffers[VELOCITY_YZ].download::<[f32; 2]>(at(VELOCITY_YZ), 1)?[0];
        Ok((Vec3::new(p[0], p[1], p[2]), Vec3::new(p[3], yz[0], yz[1])))
    }

    /// The positions of `boids` boids, each in the place of its identity; zero where one is missing after a broken
    /// frame.
    ///
    /// # Errors
    /// The error of the download.
    pub fn download_positions(&self, boids: usize) -> Result<Vec<Vec3>> {
        let (id, mut positions) = (self.download_ids(boids)?, vec![Vec3::ZERO; boids]);
        let mut done = 0;
        self.buffers[POSITION_VX].download_with(0, boids, |piece: &[[f32; 4]]| {
            put(&id[done..], piece, &mut positions, |place, p| *place = Vec3::new(p[0], p[1], p[2]));
            done += piece.len();
        })?;
        Ok(positions)
    }

    /// The velocity slots of `boids` boids, likewise.
    ///
    /// # Errors
    /// The error of the download.
    pub fn download_velocities(&self, boids: usize) -> Result<Vec<Vec3>> {
        let (id, mut velocities) = (self.download_ids(boids)?, vec![Vec3::ZERO; boids]);
        let mut done = 0;
        self.buffers[POSITION_VX].download_with(0, boids, |piece: &[[f32; 4]]| {
            put(&id[done..], piece, &mut velocities, |place, p| place.x = p[3]);
            done += piece.len();
        })?;
        done = 0;
        self.buffers[VELOCITY_YZ].download_with(0, boids, |piece: &[[f32; 2]]| {
            put(&id[done..], piece, &mut velocities, |place, yz| (place.y, place.z) = (yz[0], yz[1]));
            done += piece.len();
        })?;
        Ok(velocities)
    }

    fn download_ids(&self, boids: usize) -> Result<Vec<u32>> {
        let mut ids = Vec::with_capacity(boids);
        self.buffers[BOID_ID].download_with(0, boids, |piece| ids.par_extend(piece))?;
        Ok(ids)
    }

    /// The state of `boids` boids, in the order of the last sort.
    ///
    /// # Errors
    /// The error of the download.
    pub fn download(&self, boids: usize) -> Result<BoidState> {
        let (position, velocity) = (Vec::with_capacity(boids), Vec::with_capacity(boids));
        let mut state = BoidState { position, velocity, id: Vec::with_capacity(boids) };
        // Directly from the staging buffer: a flock may be billions of bytes.
        self.buffers[POSITION_VX].download_with(0, boids, |piece| state.extend_position_vx(piece))?;
        let mut done = 0;
        self.buffers[VELOCITY_YZ].download_with(0, boids, |piece| {
            state.set_velocity_yz(done, piece);
            done += piece.len();
        })?;
        self.buffers[BOID_ID].download_with(0, boids, |piece| state.extend_id(piece))?;
        Ok(state)
    }
}

/// From the arrays of the device, on all cores.
impl BoidState {
    /// Appends boids as `position_vx` has them: the rest of their velocities is to follow.
    pub fn extend_position_vx(&mut self, piece: &[[f32; 4]]) {
        self.position.par_extend(piece.par_iter().map(|p| Vec3::new(p[0], p[1], p[2])));
        self.velocity.par_extend(piece.par_iter().map(|p| Vec3::new(p[3], 0.0, 0.0)));
    }

    /// The rest of the velocities of boids in it, from place `first` on, as `velocity_yz` has it.
    pub fn set_velocity_yz(&mut self, first: usize, piece: &[[f32; 2]]) {
        let now = &mut self.velocity[first..][..piece.len()];
        now.par_iter_mut().zip(piece).for_each(|(v, yz)| (v.y, v.z) = (yz[0], yz[1]));
    }

    /// Appends the identities of boids in it.
    pub fn extend_id(&mut self, piece: &[u32]) {
        self.id.par_extend(piece);
    }
}

/// Writes each value of `piece` to the place that its identity names, if there is one.
fn put<T: Copy>(ids: &[u32], piece: &[T], places: &mut [Vec3], write: impl Fn(&mut Vec3, T)) {
    for (&id, &value) in ids.iter().zip(piece) {
        if let Some(place) = places.get_mut(id as usize) {
            write(place, value);
        }
    }
}

/// Writes values from `first` on into `piece`, on all cores.
fn fill<T: Send>(first: usize, piece: &mut [T], value: impl Fn(usize) -> T + Sync) {
    piece.par_iter_mut().enumerate().for_each(|(k, place)| *place = value(first + k));
}

impl StepSlot {
    /// Its number: the count of steps taken with it.
    pub fn step(&self) -> u32 {
        self.step
    }

    /// What to observe of the flock in this step, if anything.
    pub fn observation(&self) -> Option<Observation> {
        self.observation
    }
}
