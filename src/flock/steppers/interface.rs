//! The interface of kernels to a flock: a descriptor set, and addresses of arrays that exceed a descriptor's range.

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

/// The state, as the previous step left it, and then as this one does.
pub const STATE: [&str; 3] = ["position_vx", "velocity_yz", "boid_id"];

/// The state before this step, in the order of its search.
pub const SORTED: [&str; 3] = ["sorted_position_vx", "sorted_velocity_yz", "sorted_boid_id"];

/// A kernel's read of this buffer.
pub const fn read(buffer: &'static str) -> Use {
    Use::read(COMPUTE, buffer)
}

/// A kernel's write of this buffer.
pub const fn write(buffer: &'static str) -> Use {
    Use::write(COMPUTE, buffer)
}

/// A kernel's read and write of this buffer.
pub const fn read_write(buffer: &'static str) -> Use {
    Use::read_write(COMPUTE, buffer)
}

/// The resources of the kernels of a stepper or of an observer.
pub struct Interface {
    layout: SetLayout,
    /// One for all frames in flight, or one for each.
    sets: Vec<DescriptorSet>,
    /// For kernels that access their arrays by these: see `glsl/include/array.glsl`.
    addresses: Option<Addresses>,
    device: Arc<Device>,
}

impl Interface {
    /// Binds the step parameters and, at the bindings of their rows, the buffers `seen`: the same for all frames in flight, or others
    /// for each.
    ///
    /// # Errors
    /// The error of creating an object.
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
            // A buffer beyond a descriptor's range is not bound: kernels that access arrays by address do not use its descriptor.
            let mut resources = resources(params, buffers);
            resources.retain(|resource| resource.range <= device.info().reach(false));
            DescriptorSet::new(device, name, &layout, &resources)
        };
        let sets = seen.iter().map(set).collect::<Result<_>>()?;
        let addresses = by_address.then(|| addresses(seen[0].iter().copied()));
        Ok(Arc::new(Interface { layout, sets, addresses, device: device.clone() }))
    }

    /// The kernel `name` and its pass: `groups` workgroups, which `touch` buffers and read the step parameters.
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

    /// The kernel `name`, specialized by `constants`, in the build that accesses its arrays as this interface does.
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

    /// The same, for a kernel with its own push constant of `bytes` bytes.
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

    /// The same, with at most `groups_at_once` workgroups per dispatch. The pipeline must be for slices.
    pub(in crate::flock) fn record_in_slices(&self, rec: &mut Recorder<'_>, step: StepSlot, groups_at_once: u64) {
        self.record_with(rec, step, |rec, _| rec.dispatch_in_slices(self.groups, groups_at_once));
    }

    /// The same, but `dispatch` records the dispatches after the kernel is bound.
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
