//! The flock's buffers, and how kernels find them.

use super::MAX_STEPS_PER_SUBMISSION;
use crate::error::Result;
use crate::flock::layout::{ArrayAddresses, Crowding, MovementWeights, StepParams};
use crate::flock::memory::Sizes;
use crate::flock::settings::Settings;
use crate::limits::{
    BINDING_BLOCK_CROWDING, BINDING_BLOCK_SUMS, BINDING_BOID_ID, BINDING_CELL_COUNTS, BINDING_CELL_RANK,
    BINDING_CELL_STARTS, BINDING_CROWDING, BINDING_LEADER_POSITION, BINDING_MOVEMENT_WEIGHTS, BINDING_OBSERVED,
    BINDING_POSITION_VX, BINDING_SORTED_BOID_ID, BINDING_SORTED_POSITION_VX, BINDING_SORTED_QUANTIZED,
    BINDING_SORTED_VELOCITY_YZ, BINDING_STEP_PARAMS, BINDING_VELOCITY_YZ, CROWDING_REPORTS,
};
use crate::vk::{Binding, Buffer, BufferInfo, BufferUsage, Device, MemoryLocation, Resource, SetLayout, ShaderStages};
use std::sync::Arc;

/// The flock's buffers, in the order of their bindings.
pub struct FlockBuffers {
    /// [`StepParams`] of the steps in flight.
    pub(super) step_params: Buffer,
    /// xyz: position; w: x velocity. `vec4` a boid.
    pub position_vx: Buffer,
    /// y and z velocity. `vec2` a boid.
    pub velocity_yz: Buffer,
    /// Identity. `uint` a boid.
    pub boid_id: Buffer,
    /// `position_vx` in cell order.
    pub sorted_position_vx: Buffer,
    /// `velocity_yz` in cell order.
    pub sorted_velocity_yz: Buffer,
    /// `boid_id` in cell order.
    pub sorted_boid_id: Buffer,
    /// Positions in seven bits an axis, in cell order: what one search tests first. `uint` a boid.
    pub sorted_quantized: Buffer,
    /// Place of each boid among those of its cell. `uint` a boid.
    pub cell_rank: Buffer,
    /// Boids in each cell. `uint` a cell.
    pub cell_counts: Buffer,
    /// Exclusive prefix sum of the counts, and the count of boids behind the last. `uint` a cell and one.
    pub cell_starts: Buffer,
    /// Boids in each block of the scan. `uint` a block.
    pub block_sums: Buffer,
    /// How crowded the cells of each block are. [`Crowding`] a block.
    pub block_crowding: Buffer,
    /// How crowded all cells were in the steps last taken, for the host. [`Crowding`] a step.
    pub crowding: Buffer,
    /// [`MovementWeights`] of each boid, by identity. Of a flock without influences one, which nobody reads: the kernels name
    /// this and the next all the same.
    pub(super) movement_weights: Buffer,
    /// Where the leader was before the step. `vec4`.
    pub(super) leader_position: Buffer,
}

impl FlockBuffers {
    pub(super) fn new(device: &Arc<Device>, settings: &Settings, params_per_step: u64, wide: bool) -> Result<Self> {
        let sizes = Sizes::of(settings);
        let mut both_ways = BufferUsage::STORAGE_BUFFER | BufferUsage::TRANSFER_SRC | BufferUsage::TRANSFER_DST;
        if wide {
            both_ways |= BufferUsage::SHADER_DEVICE_ADDRESS;
        }
        let storage = |name, size| {
            Buffer::new(device, &BufferInfo { name, size, usage: both_ways, location: MemoryLocation::GpuOnly })
        };
        let params = BufferInfo {
            name: "step_params",
            size: params_per_step * u64::from(MAX_STEPS_PER_SUBMISSION),
            usage: BufferUsage::UNIFORM_BUFFER,
            location: MemoryLocation::CpuToGpu,
        };
        let crowding = BufferInfo {
            name: "crowding",
            size: u64::from(CROWDING_REPORTS) * size_of::<Crowding>() as u64,
            usage: BufferUsage::STORAGE_BUFFER,
            location: MemoryLocation::GpuToCpu,
        };
        Ok(FlockBuffers {
            step_params: Buffer::new(device, &params)?,
            position_vx: storage("position_vx", sizes.position_vx)?,
            velocity_yz: storage("velocity_yz", sizes.velocity_yz)?,
            boid_id: storage("boid_id", sizes.word)?,
            sorted_position_vx: storage("sorted_position_vx", sizes.position_vx)?,
            sorted_velocity_yz: storage("sorted_velocity_yz", sizes.velocity_yz)?,
            sorted_boid_id: storage("sorted_boid_id", sizes.word)?,
            sorted_quantized: storage("sorted_quantized", sizes.sorted_quantized)?,
            cell_rank: storage("cell_rank", sizes.word)?,
            cell_counts: storage("cell_counts", sizes.cell_counts)?,
            cell_starts: storage("cell_starts", sizes.cell_starts)?,
            block_sums: storage("block_sums", sizes.block_sums)?,
            block_crowding: storage("block_crowding", sizes.block_crowding)?,
            crowding: Buffer::new(device, &crowding)?,
            movement_weights: storage(
                "movement_weights",
                sizes.movement_weights.max(size_of::<MovementWeights>() as u64),
            )?,
            leader_position: storage("leader_position", size_of::<[f32; 4]>() as u64)?,
        })
    }

    pub(super) fn addresses(&self) -> ArrayAddresses {
        ArrayAddresses {
            position_vx: self.position_vx.address(),
            velocity_yz: self.velocity_yz.address(),
            boid_id: self.boid_id.address(),
            sorted_position_vx: self.sorted_position_vx.address(),
            sorted_velocity_yz: self.sorted_velocity_yz.address(),
            sorted_boid_id: self.sorted_boid_id.address(),
            sorted_quantized: self.sorted_quantized.address(),
            cell_rank: self.cell_rank.address(),
            cell_counts: self.cell_counts.address(),
            cell_starts: self.cell_starts.address(),
            block_sums: self.block_sums.address(),
            movement_weights: self.movement_weights.address(),
            leader_position: self.leader_position.address(),
        }
    }

    pub(super) fn resources(&self) -> [Resource<'_>; 16] {
        let params = size_of::<StepParams>() as u64;
        [
            Resource { binding: BINDING_STEP_PARAMS, buffer: &self.step_params, range: params },
            Resource::whole(BINDING_POSITION_VX, &self.position_vx),
            Resource::whole(BINDING_VELOCITY_YZ, &self.velocity_yz),
            Resource::whole(BINDING_BOID_ID, &self.boid_id),
            Resource::whole(BINDING_SORTED_POSITION_VX, &self.sorted_position_vx),
            Resource::whole(BINDING_SORTED_VELOCITY_YZ, &self.sorted_velocity_yz),
            Resource::whole(BINDING_SORTED_BOID_ID, &self.sorted_boid_id),
            Resource::whole(BINDING_CELL_RANK, &self.cell_rank),
            Resource::whole(BINDING_CELL_COUNTS, &self.cell_counts),
            Resource::whole(BINDING_CELL_STARTS, &self.cell_starts),
            Resource::whole(BINDING_BLOCK_SUMS, &self.block_sums),
            Resource::whole(BINDING_SORTED_QUANTIZED, &self.sorted_quantized),
            Resource::whole(BINDING_BLOCK_CROWDING, &self.block_crowding),
            Resource::whole(BINDING_CROWDING, &self.crowding),
            Resource::whole(BINDING_MOVEMENT_WEIGHTS, &self.movement_weights),
            Resource::whole(BINDING_LEADER_POSITION, &self.leader_position),
        ]
    }
}

pub(super) fn set_layout(device: &Arc<Device>) -> Result<SetLayout> {
    let params = Binding::dynamic_uniform(BINDING_STEP_PARAMS, ShaderStages::COMPUTE);
    let storage =
        (BINDING_POSITION_VX..=BINDING_SORTED_QUANTIZED).map(|index| Binding::storage(index, ShaderStages::COMPUTE));
    // Bound only while somebody observes the flock.
    let observed = Binding::storage(BINDING_OBSERVED, ShaderStages::COMPUTE);
    let others = [BINDING_BLOCK_CROWDING, BINDING_CROWDING, BINDING_MOVEMENT_WEIGHTS, BINDING_LEADER_POSITION];
    let others = others.map(|index| Binding::storage(index, ShaderStages::COMPUTE));
    let bindings: Vec<Binding> = std::iter::once(params).chain(storage).chain(others).chain([observed]).collect();
    SetLayout::new(device, "flock", &bindings)
}
