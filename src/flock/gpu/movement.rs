//! What boids heed besides their law, on the device: weights of each boid, and where their leader is.
//!
//! A flock that heeds nothing has none of this, and its steps have none of these passes.

use super::passes::COMPUTE;
use super::{Flock, StepSlot};
use crate::error::Result;
use crate::flock::layout::MovementWeights;
use crate::flock::settings::Settings;
use crate::limits::{BINDING_LEADER_POSITION, BINDING_MOVEMENT_WEIGHTS};
use crate::vk::{
    Binding, Buffer, BufferInfo, BufferUsage, ComputePipeline, DescriptorSet, Device, MemoryLocation, Pass, Recorder,
    Resource, SetLayout, ShaderStages, Use,
};
use std::sync::Arc;

/// What boids heed besides their law.
pub struct Movement {
    find_leader: ComputePipeline,
    follow: ComputePipeline,
    set: DescriptorSet,
    /// [`MovementWeights`] of each boid, by identity.
    weights: Buffer,
    // Bound by the set.
    _leader_position: Buffer,
}

impl Movement {
    /// Builds it for a flock of `settings`, whose own buffers are bound as `flock` says.
    pub(super) fn new(device: &Arc<Device>, settings: &Settings, flock: &SetLayout) -> Result<Self> {
        let usage = BufferUsage::STORAGE_BUFFER | BufferUsage::TRANSFER_SRC | BufferUsage::TRANSFER_DST;
        let storage =
            |name, size| Buffer::new(device, &BufferInfo { name, size, usage, location: MemoryLocation::GpuOnly });
        let weights = storage("movement_weights", u64::from(settings.boids) * size_of::<MovementWeights>() as u64)?;
        let leader_position = storage("leader_position", size_of::<[f32; 4]>() as u64)?;
        let bindings =
            [BINDING_MOVEMENT_WEIGHTS, BINDING_LEADER_POSITION].map(|b| Binding::storage(b, ShaderStages::COMPUTE));
        let layout = SetLayout::new(device, "movement", &bindings)?;
        let resources = [
            Resource::whole(BINDING_MOVEMENT_WEIGHTS, &weights),
            Resource::whole(BINDING_LEADER_POSITION, &leader_position),
        ];
        let set = DescriptorSet::new(device, "movement", &layout, &resources)?;
        let constants = [0, settings.walls_met() as u32];
        let kernel = |name, constants| ComputePipeline::specialized(device, name, &[flock, &layout], 0, constants);
        let (find_leader, follow) = (kernel("find_leader", &[])?, kernel("follow", &constants)?);
        let movement = Movement { find_leader, follow, set, weights, _leader_position: leader_position };
        movement.upload((0..settings.boids).map(|id| settings.movement_weights(id)).collect())?;
        Ok(movement)
    }

    fn upload(&self, weights: Vec<MovementWeights>) -> Result<()> {
        self.weights.upload(0, &weights)
    }
}

impl Flock {
    /// Gives every boid weights of its own for what it heeds besides its law; entry `i` is boid `i`'s. Waits for the
    /// device. Kernels read them; of a flock that the processor steps,
    /// [`Engine::set_movement_weights`](crate::cpu::Engine::set_movement_weights) sets what counts.
    ///
    /// # Errors
    /// What the upload could not do.
    ///
    /// # Panics
    /// When there is not one entry for each boid, or the flock's settings have nothing to heed
    /// ([`Settings::heeds`]).
    pub fn set_movement_weights(&mut self, weights: &[MovementWeights]) -> Result<()> {
        assert_eq!(weights.len(), self.settings.boids as usize, "weights of all boids");
        self.device.wait_idle()?;
        self.movement().upload(weights.to_vec())
    }

    /// Finds where the leader is.
    pub fn find_leader(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.movement_kernel(rec, &FIND_LEADER, &self.movement().find_leader, step);
    }

    /// Adds what boids heed besides their law.
    pub fn follow(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.movement_kernel(rec, &FOLLOW, &self.movement().follow, step);
    }

    fn movement(&self) -> &Movement {
        self.movement.as_ref().expect("settings with something to heed")
    }

    fn movement_kernel(&self, rec: &mut Recorder<'_>, pass: &Pass<'_>, pipeline: &ComputePipeline, step: StepSlot) {
        rec.pass(pass, |rec| {
            rec.bind_compute(pipeline, &[&self.set, &self.movement().set], &[step.0]);
            rec.dispatch(self.boid_groups());
        });
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

const FOLLOW: Pass<'_> = Pass {
    name: "follow",
    stage: COMPUTE,
    uses: &[
        Use::uniform(COMPUTE, "step_params"),
        Use::read(COMPUTE, "sorted_position_vx"),
        Use::read(COMPUTE, "boid_id"),
        Use::read(COMPUTE, "movement_weights"),
        Use::read(COMPUTE, "leader_position"),
        Use::read_write(COMPUTE, "position_vx"),
        Use::read_write(COMPUTE, "velocity_yz"),
    ],
};
