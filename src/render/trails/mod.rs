//! Trails: where each boid was at a few moments of the last seconds, on the device.
//!
//! Seconds are simulated. Moments are chosen by step number, not by frame, so with the GPU engine trails do not depend
//! on the frame rate. Memory is bounded: at most [`SEGMENTS`] and two moments of 16 bytes per boid.

mod moments;

pub use moments::{Moments, Recording, SEGMENTS, Sampling, check, period};

use crate::error::Result;
use crate::flock::Flock;
use crate::flock::buffers::{BOID_ID, POSITION_VX, VELOCITY_YZ};
use crate::limits::{
    BINDING_BOID_ID, BINDING_POSITION_VX, BINDING_SCENE_PARAMS, BINDING_TRAIL_COMMANDS, BINDING_TRAIL_HISTORY,
    BINDING_TRAIL_LIST, BINDING_VELOCITY_YZ, WORKGROUP_SIZE,
};
use crate::render::layout::{DrawCommand, SceneParams, TrailStep};
use crate::render::resources::{SCENE_PARAMS, TRAIL_COMMANDS, TRAIL_HISTORY, TRAIL_INDICES, TRAIL_LIST};
use crate::shaders::module;
use crate::vk::{
    Buffer, BufferInfo, BufferUsage, ComputePipeline, Descriptor, DescriptorSet, Device, MemoryLocation, Pass,
    Recorder, SetLayout, ShaderStages, Stage, Use,
};
use bytemuck::Zeroable;
use std::sync::Arc;

/// Trails on a device.
pub struct Trails {
    /// Which moments there are.
    pub moments: Moments,
    /// The shape of the descriptor set that `trail.vert` sees.
    pub layout: SetLayout,
    /// That set.
    pub set: DescriptorSet,
    record: ComputePipeline,
    cull: ComputePipeline,
    /// Where each boid was.
    pub history: Arc<Buffer>,
    /// Boids whose trails the last frame drew.
    pub list: Buffer,
    /// The arguments of its draw.
    pub commands: Buffer,
    /// The triangles of a ribbon.
    pub indices: Buffer,
    reset: DrawCommand,
    groups: u64,
}

impl Trails {
    /// Makes room for trails of `seconds` of `flock`, drawn with parameters from `scene_params`.
    ///
    /// # Errors
    /// As [`check`], or what the device could not make.
    pub fn new(
        device: &Arc<Device>,
        flock: &Flock,
        (seconds, full_speed): (f32, f32),
        scene_params: &Buffer,
    ) -> Result<Trails> {
        let settings = flock.settings();
        check(device.info(), settings, seconds)?;
        let sampling = Sampling::of(settings, seconds);
        let moments = Moments::new(settings, seconds, full_speed);
        let history = storage(device, TRAIL_HISTORY.name(), sampling.bytes(settings.boids), BufferUsage::empty())?;
        Self::with_history(device, flock, scene_params, moments, Arc::new(history))
    }

    /// The same trails once more, for another scene of the same flock that takes no steps.
    ///
    /// # Errors
    /// What the device could not make.
    pub fn share(&self, device: &Arc<Device>, flock: &Flock, scene_params: &Buffer) -> Result<Trails> {
        Self::with_history(device, flock, scene_params, self.moments.clone(), self.history.clone())
    }

    fn with_history(
        device: &Arc<Device>,
        flock: &Flock,
        scene_params: &Buffer,
        moments: Moments,
        history: Arc<Buffer>,
    ) -> Result<Trails> {
        let boids = u64::from(flock.settings().boids);
        let list = storage(device, TRAIL_LIST.name(), 4 * boids, BufferUsage::empty())?;
        let commands =
            storage(device, TRAIL_COMMANDS.name(), size_of::<DrawCommand>() as u64, BufferUsage::INDIRECT_BUFFER)?;
        let state = flock.buffers();
        let (compute, vertex) = (ShaderStages::COMPUTE, ShaderStages::VERTEX);
        let (both, all) = (compute | vertex, compute | vertex | ShaderStages::FRAGMENT);
        let resources = [
            Descriptor::dynamic_uniform::<SceneParams>(BINDING_SCENE_PARAMS, all, scene_params),
            Descriptor::storage(BINDING_POSITION_VX, both, &state[POSITION_VX]),
            Descriptor::storage(BINDING_VELOCITY_YZ, both, &state[VELOCITY_YZ]),
            Descriptor::storage(BINDING_BOID_ID, both, &state[BOID_ID]),
            Descriptor::storage(BINDING_TRAIL_LIST, both, &list),
            Descriptor::storage(BINDING_TRAIL_COMMANDS, compute, &commands),
            Descriptor::storage(BINDING_TRAIL_HISTORY, both, &history),
        ];
        let (layout, set) = DescriptorSet::with_layout(device, "trails", &resources)?;
        let indices = ribbon(moments.sampling.slots + 1);
        Ok(Trails {
            record: ComputePipeline::new(
                device,
                &module(device, "trail_record"),
                &[&layout],
                size_of::<TrailStep>() as u32,
                &[],
            )?,
            cull: ComputePipeline::new(device, &module(device, "trail_cull"), &[&layout], 0, &[])?,
            reset: DrawCommand { index_count: indices.len() as u32, ..Zeroable::zeroed() },
            indices: Buffer::with_data(device, TRAIL_INDICES.name(), BufferUsage::INDEX_BUFFER, &indices)?,
            groups: boids.div_ceil(WORKGROUP_SIZE.into()),
            moments,
            layout,
            set,
            history,
            list,
            commands,
        })
    }

    /// Records where every boid is.
    pub fn record(&self, rec: &mut Recorder<'_>, step: &TrailStep) {
        rec.pass(&TRAIL_RECORD, |rec| {
            // The set has a dynamic offset, which this kernel does not use.
            rec.bind_compute(&self.record, &[&self.set], &[0]);
            rec.push_compute(&self.record, step);
            rec.dispatch(self.groups);
        });
    }

    /// Sets the draw to no trails.
    pub fn reset(&self, rec: &mut Recorder<'_>) {
        rec.pass(&TRAIL_RESET, |rec| rec.update_buffer(&self.commands, 0, &[self.reset]));
    }

    /// Lists the trails that may be seen. `offset` is where the frame's parameters lie.
    pub fn cull(&self, rec: &mut Recorder<'_>, offset: u32) {
        rec.pass(&TRAIL_CULL, |rec| {
            rec.bind_compute(&self.cull, &[&self.set], &[offset]);
            rec.dispatch(self.groups);
        });
    }
}

const COMPUTE: Stage = Stage::COMPUTE_SHADER;

const TRAIL_RECORD: Pass<'_> = Pass {
    name: "trail_record",
    stage: COMPUTE,
    uses: &[Use::read(COMPUTE, POSITION_VX), Use::read(COMPUTE, BOID_ID), Use::read_write(COMPUTE, TRAIL_HISTORY)],
};

const TRAIL_RESET: Pass<'_> = Pass { name: "trail_reset", stage: Stage::CLEAR, uses: &[Use::clear(TRAIL_COMMANDS)] };

const TRAIL_CULL: Pass<'_> = Pass {
    name: "trail_cull",
    stage: COMPUTE,
    uses: &[
        Use::uniform(COMPUTE, SCENE_PARAMS),
        Use::read(COMPUTE, POSITION_VX),
        Use::read(COMPUTE, VELOCITY_YZ),
        Use::write(COMPUTE, TRAIL_LIST),
        Use::read_write(COMPUTE, TRAIL_COMMANDS),
    ],
};

/// Two triangles between each place of a ribbon and the next, each place having two vertices.
fn ribbon(places: u32) -> Vec<u32> {
    (0..places - 1).flat_map(|place| [0, 1, 2, 2, 1, 3].map(|corner| 2 * place + corner)).collect()
}

fn storage(device: &Arc<Device>, name: &str, size: u64, more: BufferUsage) -> Result<Buffer> {
    let usage = BufferUsage::STORAGE_BUFFER | BufferUsage::TRANSFER_SRC | BufferUsage::TRANSFER_DST | more;
    Buffer::new(device, &BufferInfo { name, size, usage, location: MemoryLocation::GpuOnly })
}
