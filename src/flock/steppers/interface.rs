//! What kernels see of a flock: its descriptor set, and the addresses of arrays that a descriptor does not reach all of.

use crate::error::Result;
use crate::flock::buffers::{Addresses, Buffers, addresses};
use crate::flock::layout::StepParams;
use crate::flock::state::{State, StepSlot};
use crate::limits::BINDING_STEP_PARAMS;
use crate::vk::{Binding, ComputePipeline, DescriptorSet, Device, Pass, Recorder, Resource, SetLayout, ShaderStages};
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
        let rows: Vec<_> = buffers.iter().flat_map(|buffers| buffers.iter()).collect();
        let storage = rows.iter().map(|(row, _)| Binding::storage(row.binding, ShaderStages::COMPUTE));
        let params = Binding::dynamic_uniform(BINDING_STEP_PARAMS, ShaderStages::COMPUTE);
        let bindings: Vec<Binding> = std::iter::once(params).chain(storage).collect();
        let layout = SetLayout::new(device, name, &bindings)?;
        // A buffer beyond a descriptor's reach has none. Kernels that find arrays by address use none of an array.
        let reach = device.info().reach(false);
        let resources: Vec<Resource<'_>> = rows
            .iter()
            .map(|(row, buffer)| Resource::whole(row.binding, buffer))
            .filter(|resource| resource.range <= reach)
            .chain([Resource {
                binding: BINDING_STEP_PARAMS,
                buffer: state.ring.buffer(),
                range: size_of::<StepParams>() as u64,
            }])
            .collect();
        let set = DescriptorSet::new(device, name, &layout, &resources)?;
        let addresses = by_address.then(|| addresses(buffers.iter().copied()));
        Ok(Interface { layout, set, addresses, device: device.clone() })
    }

    /// The kernel `name`, specialized by `constants`, in the build that finds its arrays as this interface does.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] naming the kernel.
    pub fn kernel(&self, name: &str, constants: &[u32]) -> Result<ComputePipeline> {
        ComputePipeline::specialized(&self.device, &self.built(name), &[&self.layout], self.push_bytes(), constants)
    }

    /// The same, for a kernel that may be dispatched in slices.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] naming the kernel.
    pub fn kernel_for_slices(&self, name: &str, constants: &[u32]) -> Result<ComputePipeline> {
        ComputePipeline::for_slices(&self.device, &self.built(name), &[&self.layout], self.push_bytes(), constants)
    }

    /// The same for a kernel with a push constant of its own, of so many bytes.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] naming the kernel.
    pub fn kernel_with_push(&self, name: &str, bytes: usize) -> Result<ComputePipeline> {
        ComputePipeline::new(&self.device, name, &[&self.layout], bytes as u32)
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
