//! The state of every boid on the device, and the ring that the parameters of steps lie in.

use super::buffers::{BOID_ID, Buffers, POSITION_VX, Part, VELOCITY_YZ};
use super::layout::StepParams;
use super::settings::Settings;
use super::spawn::BoidState;
use crate::error::Result;
use crate::vk::{Buffer, BufferInfo, BufferUsage, Device, MemoryLocation};
use glam::Vec3;
use rayon::prelude::*;
use std::sync::Arc;

/// Steps that one submission can hold: the room for their parameters.
pub const MAX_STEPS_PER_SUBMISSION: u32 = 16;

/// What is to be seen of a flock in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observation {
    /// The neighborhood of each boid, in `observed`.
    Neighborhoods,
    /// Besides, the order parameters of the flock before the step, for the host.
    Order,
}

/// A step that a frame is to record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepSlot {
    /// The frame in flight that it belongs to.
    pub(super) frame_slot: usize,
    /// Where its parameters lie in the ring: a dynamic offset. Of no use where the processor has taken the step.
    pub(super) offset: u32,
    /// What is to be seen in it.
    pub(super) observation: Option<Observation>,
}

/// The ring of step parameters: so many for each frame in flight.
pub struct ParamsRing {
    buffer: Buffer,
    stride: u64,
}

impl ParamsRing {
    fn new(device: &Arc<Device>, slots: usize) -> Result<ParamsRing> {
        let stride = (size_of::<StepParams>() as u64).next_multiple_of(device.info().uniform_alignment);
        let info = BufferInfo {
            name: "step_params",
            size: stride * slots as u64 * u64::from(MAX_STEPS_PER_SUBMISSION),
            usage: BufferUsage::UNIFORM_BUFFER,
            location: MemoryLocation::CpuToGpu,
        };
        Ok(ParamsRing { buffer: Buffer::new(device, &info)?, stride })
    }

    /// The buffer.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Writes the parameters of step number `index` of the frame in `frame_slot`, which the device is done with. Returns where
    /// they lie: a dynamic offset.
    pub(super) fn write(&mut self, frame_slot: usize, index: u32, params: &StepParams) -> u32 {
        let place = frame_slot as u64 * u64::from(MAX_STEPS_PER_SUBMISSION) + u64::from(index);
        self.buffer.write(place * self.stride, std::slice::from_ref(params));
        (place * self.stride) as u32
    }
}

/// The state of every boid on the device.
pub struct State {
    /// The buffers of [`Part::State`] and [`Part::Cells`].
    pub buffers: Buffers,
    /// What steps read besides.
    pub ring: ParamsRing,
}

impl State {
    /// Room for the state of a flock of `settings`, for `slots` frames in flight.
    ///
    /// # Errors
    /// What the device could not make.
    pub fn new(device: &Arc<Device>, settings: &Settings, slots: usize, by_address: bool) -> Result<State> {
        let buffers = Buffers::new(device, settings, &[Part::State, Part::Cells], by_address)?;
        Ok(State { buffers, ring: ParamsRing::new(device, slots)? })
    }

    /// Writes what each of `boids` boids is to have straight into the staging buffer: a flock may be too large for a second
    /// copy of it.
    ///
    /// # Errors
    /// What the upload could not do.
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

    /// The state of `boids` boids, in the order of the last sort.
    ///
    /// # Errors
    /// What the download could not do.
    pub fn download(&self, boids: usize) -> Result<BoidState> {
        let all = || Vec::with_capacity(boids);
        let (mut position, mut velocity, mut id) = (all(), all(), Vec::with_capacity(boids));
        // On all cores, and from the staging buffer to where it stays: a flock may be billions of bytes.
        self.buffers[POSITION_VX].download_with(0, boids, |piece: &[[f32; 4]]| {
            position.par_extend(piece.par_iter().map(|p| Vec3::new(p[0], p[1], p[2])));
            velocity.par_extend(piece.par_iter().map(|p| Vec3::new(p[3], 0.0, 0.0)));
        })?;
        let mut done = 0;
        self.buffers[VELOCITY_YZ].download_with(0, boids, |piece: &[[f32; 2]]| {
            let now = &mut velocity[done..][..piece.len()];
            now.par_iter_mut().zip(piece).for_each(|(v, yz)| (v.y, v.z) = (yz[0], yz[1]));
            done += piece.len();
        })?;
        self.buffers[BOID_ID].download_with(0, boids, |piece: &[u32]| id.par_extend(piece))?;
        Ok(BoidState { position, velocity, id })
    }
}

/// Writes values `first` and on into `piece`, on all cores.
fn fill<T: Send>(first: usize, piece: &mut [T], value: impl Fn(usize) -> T + Sync) {
    piece.par_iter_mut().enumerate().for_each(|(k, place)| *place = value(first + k));
}

impl StepSlot {
    /// What is to be seen of the flock in this step, if anything.
    pub fn observation(&self) -> Option<Observation> {
        self.observation
    }
}
