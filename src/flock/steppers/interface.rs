//! What kernels see of a flock: its descriptor set, and the addresses of arrays that a descriptor does not reach all of.

use crate::error::Result;
use crate::flock::buffers::{Addresses, Buffers, addresses};
use crate::flock::layout::StepParams;
use crate::flock::state::{State, StepSlot};
use crate::limits::BINDING_STEP_PARAMS;
use crate::vk::{
    Binding, ComputePipeline, DescriptorSet, Device, Pass, PipelineFlags, Recorder, Resource, SetLayout, ShaderStages,
};
use std::sync::Arc;

/// What the kernels of a stepper or of an observer see.
pub struct Interface {
    layout: SetLayout,
    set: DescriptorSet,
    /// For kernels that find their arrays by these: see `glsl/include/array.glsl`.
    addresses: Option<Addresses>,
    device: Arc<Device>,
}

impl Interface {
    /// Binds the parameters of steps, and `buffers` at the bindings of their rows.
    ///
    /// # Errors
    /// What the device could not make.
    pub fn new(
        device: &Arc<Device>,
        name: &str,
        state: &State,
        buffers: &[&Buffers],
        by_address: bool,
    ) -> Result<Interface> {
        let rows = buffers.iter().flat_map(|buffers| buffers.iter());
        let params =
            Resource::dynamic_uniform::<StepParams>(BINDING_STEP_PARAMS, ShaderStages::COMPUTE, state.ring.buffer());
        let storages = rows.map(|(row, buffer)| Resource::storage(row.binding, ShaderStages::COMPUTE, buffer));
        let mut resources: Vec<Resource<'_>> = std::iter::once(params).chain(storages).collect();
        let bindings: Vec<Binding> = resources.iter().map(|resource| resource.binding).collect();
        let layout = SetLayout::new(device, name, &bindings)?;
        // A buffer beyond a descriptor's reach has none. Kernels that find arrays by address use none of an array.
        resources.retain(|resource| resource.range <= device.info().reach(false));
        let set = DescriptorSet::new(device, name, &layout, &resources)?;
        let addresses = by_address.then(|| addresses(buffers.iter().copied()));
        Ok(Interface { layout, set, addresses, device: device.clone() })
    }

    /// The kernel `name`, specialized by `constants`, in the build that finds its arrays as this interface does.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] naming the kernel.
    pub fn kernel(&self, name: &str, constants: &[u32]) -> Result<ComputePipeline> {
        ComputePipeline::new(&self.device, &self.built(name), &[&self.layout], self.push_bytes(), constants)
    }

    /// The same, for a kernel that may be dispatched in slices.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] naming the kernel.
    pub fn kernel_for_slices(&self, name: &str, constants: &[u32]) -> Result<ComputePipeline> {
        let (name, sets, flags) = (self.built(name), [&self.layout], PipelineFlags::DISPATCH_BASE);
        ComputePipeline::with_flags(&self.device, &name, &sets, self.push_bytes(), constants, flags)
    }

    /// The same for a kernel with a push constant of its own, of so many bytes.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] naming the kernel.
    pub fn kernel_with_push(&self, name: &str, bytes: usize) -> Result<ComputePipeline> {
        ComputePipeline::new(&self.device, name, &[&self.layout], bytes as u32, &[])
    }

    fn built(&self, name: &str) -> String {
        if self.addresses.is_some() { format!("{name}_by_address") } else { name.to_owned() }
    }

    fn push_bytes(&self) -> u32 {
        if self.addresses.is_some() { size_of::<Addresses>() as u32 } else { 0 }
    }

    /// Whether kernels find their arrays by address.
    pub fn is_by_address(&self) -> bool {
        self.addresses.is_some()
    }

    /// Binds a kernel for `step`.
    pub fn bind(&self, rec: &mut Recorder<'_>, pipeline: &ComputePipeline, step: StepSlot) {
        rec.bind_compute(pipeline, &[&self.set], &[step.offset]);
        if let Some(addresses) = &self.addresses {
            rec.push_compute(pipeline, addresses);
        }
    }

    /// Records `pass`: so many workgroups of a kernel.
    pub fn dispatch(
        &self,
        rec: &mut Recorder<'_>,
        pass: &Pass<'_>,
        pipeline: &ComputePipeline,
        step: StepSlot,
        groups: u64,
    ) {
        rec.pass(pass, |rec| {
            self.bind(rec, pipeline, step);
            rec.dispatch(groups);
        });
    }
}
