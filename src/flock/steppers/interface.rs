//! What kernels see of a flock: its descriptor set, and the addresses of arrays that a descriptor does not reach all of.

use crate::error::Result;
use crate::flock::buffers::{Addresses, Buffers, addresses};
use crate::flock::layout::StepParams;
use crate::flock::state::{StepSlot, UniformRing};
use crate::limits::BINDING_STEP_PARAMS;
use crate::vk::{
    Binding, ComputePipeline, DescriptorSet, Device, Pass, PipelineFlags, Recorder, Resource, SetLayout, ShaderStages,
    Stage, Use,
};
use std::sync::Arc;

const COMPUTE: Stage = Stage::COMPUTE_SHADER;

/// The state as the step before has left it, and as this one leaves it.
pub const STATE: [&str; 3] = ["position_vx", "velocity_yz", "boid_id"];

/// The state before this step, in the order that its search wants.
pub const SORTED: [&str; 3] = ["sorted_position_vx", "sorted_velocity_yz", "sorted_boid_id"];

/// That a kernel reads this buffer.
pub const fn read(buffer: &'static str) -> Use {
    Use::read(COMPUTE, buffer)
}

/// That a kernel writes it.
pub const fn write(buffer: &'static str) -> Use {
    Use::write(COMPUTE, buffer)
}

/// That a kernel does both.
pub const fn read_write(buffer: &'static str) -> Use {
    Use::read_write(COMPUTE, buffer)
}

/// What the kernels of a stepper or of an observer see.
pub struct Interface {
    layout: SetLayout,
    /// One for all frames in flight, or one for each.
    sets: Vec<DescriptorSet>,
    /// For kernels that find their arrays by these: see `glsl/include/array.glsl`.
    addresses: Option<Addresses>,
    device: Arc<Device>,
}

impl Interface {
    /// Binds the parameters of steps, and at the bindings of their rows the buffers `seen`: the same ones by all frames in
    /// flight, or others by each.
    ///
    /// # Errors
    /// What the device could not make.
    pub fn new(
        device: &Arc<Device>,
        name: &str,
        params: &UniformRing,
        seen: &[Vec<&Buffers>],
        by_address: bool,
    ) -> Result<Arc<Interface>> {
        let bindings: Vec<Binding> = resources(params, &seen[0]).iter().map(|resource| resource.binding).collect();
        let layout = SetLayout::new(device, name, &bindings)?;
        let set = |buffers: &Vec<&Buffers>| {
            // A buffer beyond a descriptor's reach has none. Kernels that find arrays by address use none of an array.
            let mut resources = resources(params, buffers);
            resources.retain(|resource| resource.range <= device.info().reach(false));
            DescriptorSet::new(device, name, &layout, &resources)
        };
        let sets = seen.iter().map(set).collect::<Result<_>>()?;
        let addresses = by_address.then(|| addresses(seen[0].iter().copied()));
        Ok(Arc::new(Interface { layout, sets, addresses, device: device.clone() }))
    }

    /// The kernel `name` and its pass: so many workgroups, which `touch` buffers besides reading the parameters of the step.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] naming the kernel.
    pub fn kernel(self: &Arc<Self>, name: &'static str, groups: u64, touch: &[&[Use]]) -> Result<Kernel> {
        Ok(self.pass(name, self.pipeline(name, &[])?, groups, touch))
    }

    /// The pass `name` of a kernel that was made by another method.
    pub fn pass(
        self: &Arc<Self>,
        name: &'static str,
        pipeline: ComputePipeline,
        groups: u64,
        touch: &[&[Use]],
    ) -> Kernel {
        let uses = [&[Use::uniform(COMPUTE, "step_params")], &touch.concat()[..]].concat();
        Kernel { name, pipeline, uses, groups, interface: self.clone() }
    }

    /// The kernel `name`, specialized by `constants`, in the build that finds its arrays as this interface does.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] naming the kernel.
    pub fn pipeline(&self, name: &str, constants: &[u32]) -> Result<ComputePipeline> {
        ComputePipeline::new(&self.device, &self.built(name), &[&self.layout], self.push_bytes(), constants)
    }

    /// The same, for a kernel that may be dispatched in slices.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] naming the kernel.
    pub fn pipeline_for_slices(&self, name: &str, constants: &[u32]) -> Result<ComputePipeline> {
        let (name, sets, flags) = (self.built(name), [&self.layout], PipelineFlags::DISPATCH_BASE);
        ComputePipeline::with_flags(&self.device, &name, &sets, self.push_bytes(), constants, flags)
    }

    /// The same for a kernel with a push constant of its own, of so many bytes.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] naming the kernel.
    pub fn pipeline_with_push(&self, name: &str, bytes: usize) -> Result<ComputePipeline> {
        ComputePipeline::new(&self.device, name, &[&self.layout], bytes as u32, &[])
    }

    fn built(&self, name: &str) -> String {
        if self.addresses.is_some() { format!("{name}_by_address") } else { name.to_owned() }
    }

    fn push_bytes(&self) -> u32 {
        if self.addresses.is_some() { size_of::<Addresses>() as u32 } else { 0 }
    }
}

fn resources<'a>(params: &'a UniformRing, seen: &[&'a Buffers]) -> Vec<Resource<'a>> {
    let stages = ShaderStages::COMPUTE;
    let params = Resource::dynamic_uniform::<StepParams>(BINDING_STEP_PARAMS, stages, &params.buffer);
    let rows = seen.iter().flat_map(|buffers| buffers.iter());
    std::iter::once(params).chain(rows.map(|(row, buffer)| Resource::storage(row.binding, stages, buffer))).collect()
}

/// A kernel and its pass.
pub struct Kernel {
    name: &'static str,
    pipeline: ComputePipeline,
    uses: Vec<Use>,
    groups: u64,
    interface: Arc<Interface>,
}

impl Kernel {
    /// Records the pass.
    pub fn record(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.record_with(rec, step, |rec, _| rec.dispatch(self.groups));
    }

    /// The same with so many workgroups in one dispatch, at most. The pipeline was made for slices.
    pub(in crate::flock) fn record_in_slices(&self, rec: &mut Recorder<'_>, step: StepSlot, groups_at_once: u64) {
        self.record_with(rec, step, |rec, _| rec.dispatch_in_slices(self.groups, groups_at_once));
    }

    /// The same, but what is dispatched once the kernel is bound is up to `dispatch`.
    pub(super) fn record_with(
        &self,
        rec: &mut Recorder<'_>,
        step: StepSlot,
        dispatch: impl FnOnce(&mut Recorder<'_>, &ComputePipeline),
    ) {
        let (Interface { sets, addresses, .. }, pipeline) = (&*self.interface, &self.pipeline);
        rec.pass(&Pass { name: self.name, stage: COMPUTE, uses: &self.uses }, |rec| {
            rec.bind_compute(pipeline, &[&sets[step.frame_slot % sets.len()]], &[step.offset]);
            if let Some(addresses) = addresses {
                rec.push_compute(pipeline, addresses);
            }
            dispatch(rec, pipeline);
        });
    }
}
