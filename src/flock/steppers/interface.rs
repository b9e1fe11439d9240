//! The interface of kernels to a flock: a descriptor set, and addresses of arrays that exceed a descriptor's range, or
//! the parts that many flocks have of each array.

use crate::error::Result;
use crate::flock::buffers::{Addresses, Buffers, CROWDING, EACH_PARAMS, STEP_PARAMS, addresses};
use crate::flock::layout::{Crowding, Parts, StepParams, crowding_entry};
use crate::flock::state::{StepSlot, UniformRing};
use crate::limits::{BINDING_STEP_PARAMS, PARTS};
use crate::shaders::module;
use crate::vk::{
    Binding, ComputePipeline, Descriptor, DescriptorSet, Device, Pass, PipelineFlags, Recorder, SetLayout,
    ShaderModule, ShaderStages, Stage, Use, Uses, uses,
};
use std::sync::Arc;

const COMPUTE: Stage = Stage::COMPUTE_SHADER;

/// The resources of the kernels of a stepper or of an observer.
pub struct Interface {
    layout: SetLayout,
    /// One for all frames in flight, or one for each.
    sets: Vec<DescriptorSet>,
    arrays: Arrays,
    device: Arc<Device>,
}

/// How kernels find their arrays: see `glsl/include/array.glsl`.
#[derive(Clone, Copy)]
enum Arrays {
    ByDescriptor,
    ByAddress(Addresses),
    /// A part of each for each flock.
    OfMany(u32, Parts),
}

impl Arrays {
    /// The end of the names of kernels that find them so, and the bytes of their push constants.
    fn build(&self) -> (&'static str, usize) {
        match self {
            Arrays::ByDescriptor => ("", 0),
            Arrays::ByAddress(addresses) => ("_by_address", size_of_val(addresses)),
            Arrays::OfMany(_, parts) => ("_many", size_of_val(parts)),
        }
    }
}

impl Interface {
    /// Binds the step parameters and, at the bindings of their rows, the buffers `seen`: the same for all frames in
    /// flight, or others for each. `flocks` are stepped at once.
    ///
    /// # Errors
    /// The error of creating an object.
    pub fn new(
        device: &Arc<Device>,
        name: &str,
        params: &UniformRing,
        seen: &[Vec<&Buffers>],
        (flocks, by_address): (usize, bool),
    ) -> Result<Arc<Interface>> {
        let bindings: Vec<Binding> = resources(params, &seen[0]).iter().map(|resource| resource.binding).collect();
        let layout = SetLayout::new(device, name, &bindings)?;
        let set = |buffers: &Vec<&Buffers>| {
            // A buffer beyond a descriptor's range is not bound: kernels that access arrays by address do not use its
            // descriptor.
            let mut resources = resources(params, buffers);
            resources.retain(|resource| resource.range <= device.info().reach(false));
            DescriptorSet::new(device, name, &layout, &resources)
        };
        let sets = seen.iter().map(set).collect::<Result<_>>()?;
        let arrays = match flocks {
            1 if by_address => Arrays::ByAddress(addresses(seen[0].iter().copied())),
            1 => Arrays::ByDescriptor,
            _ => {
                let mut parts = Parts { step: 0, bytes: [0; PARTS as usize] };
                for (row, buffer) in seen[0].iter().flat_map(|buffers| buffers.iter()) {
                    let part = parts.bytes.get_mut(row.binding as usize);
                    part.into_iter().for_each(|bytes| *bytes = (buffer.size() / flocks as u64) as u32);
                }
                Arrays::OfMany(flocks as u32, parts)
            }
        };
        Ok(Arc::new(Interface { layout, sets, arrays, device: device.clone() }))
    }

    /// The kernel `name`, for `groups` workgroups.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] naming the kernel.
    pub fn kernel(self: &Arc<Self>, name: &'static str, groups: u64) -> Result<Kernel> {
        Ok(self.pass(name, self.pipeline(name, &[])?, groups, Uses::default()))
    }

    /// The pass `name` of a kernel that was made by another method, and the uses of it that depend on the flock's
    /// settings.
    pub fn pass(self: &Arc<Self>, name: &'static str, pipeline: ComputePipeline, groups: u64, set: Uses) -> Kernel {
        Kernel { name, pipeline, set: (*set).into(), groups, interface: self.clone() }
    }

    /// The kernel `name`, specialized by `constants`, in the build that accesses its arrays as this interface does.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] naming the kernel.
    pub fn pipeline(&self, name: &str, constants: &[u32]) -> Result<ComputePipeline> {
        ComputePipeline::new(&self.device, &self.module(name), &[&self.layout], self.push_bytes(), constants)
    }

    /// The same, for a kernel that may be dispatched in slices.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] naming the kernel.
    pub fn pipeline_for_slices(&self, name: &str, constants: &[u32]) -> Result<ComputePipeline> {
        let (module, sets, flags) = (self.module(name), [&self.layout], PipelineFlags::DISPATCH_BASE);
        ComputePipeline::with_flags(&self.device, &module, &sets, self.push_bytes(), constants, flags)
    }

    /// The same, for a kernel with its own push constant of `bytes` bytes.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] naming the kernel.
    pub fn pipeline_with_push(&self, name: &str, bytes: usize) -> Result<ComputePipeline> {
        ComputePipeline::new(&self.device, &module(&self.device, name), &[&self.layout], bytes as u32, &[])
    }

    fn module(&self, name: &str) -> ShaderModule {
        module(&self.device, &format!("{name}{}", self.arrays.build().0))
    }

    /// Flocks that are stepped at once.
    fn flocks(&self) -> u32 {
        if let Arrays::OfMany(flocks, _) = self.arrays { flocks } else { 1 }
    }

    fn push_bytes(&self) -> u32 {
        self.arrays.build().1 as u32
    }
}

fn resources<'a>(params: &'a UniformRing, seen: &[&'a Buffers]) -> Vec<Descriptor<'a>> {
    let stages = ShaderStages::COMPUTE;
    let params = Descriptor::dynamic_uniform::<StepParams>(BINDING_STEP_PARAMS, stages, &params.buffer);
    let rows = seen.iter().flat_map(|buffers| buffers.iter());
    std::iter::once(params).chain(rows.map(|(row, buffer)| Descriptor::storage(row.binding, stages, buffer))).collect()
}

/// A kernel and its pass.
pub struct Kernel {
    name: &'static str,
    pipeline: ComputePipeline,
    /// Uses that only some settings have, besides those of every flock.
    set: Box<[Use]>,
    groups: u64,
    interface: Arc<Interface>,
}

impl Kernel {
    /// Records the pass, which `uses` buffers and reads the step parameters.
    pub fn record(&self, rec: &mut Recorder<'_>, step: StepSlot, uses: Uses) {
        let flocks = self.interface.flocks();
        self.record_with(rec, step, uses, |rec, _| rec.dispatch_for_each(self.groups, flocks));
    }

    /// The same, with at most `groups_at_once` workgroups per dispatch. The pipeline must be for slices.
    pub(in crate::flock) fn record_in_slices(
        &self,
        rec: &mut Recorder<'_>,
        step: StepSlot,
        groups_at_once: u64,
        uses: Uses,
    ) {
        match self.interface.flocks() {
            1 => self.record_with(rec, step, uses, |rec, _| rec.dispatch_in_slices(self.groups, groups_at_once)),
            // So few that none are needed: see `many::batches`.
            _ => self.record(rec, step, uses),
        }
    }

    /// The same, but `dispatch` records the dispatches after the kernel is bound.
    pub(super) fn record_with(
        &self,
        rec: &mut Recorder<'_>,
        step: StepSlot,
        uses: Uses,
        dispatch: impl FnOnce(&mut Recorder<'_>, &ComputePipeline),
    ) {
        let (Interface { sets, arrays, .. }, pipeline) = (&*self.interface, &self.pipeline);
        let params = match arrays {
            Arrays::OfMany(..) => uses![read EACH_PARAMS],
            _ => uses![uniform STEP_PARAMS],
        };
        let uses = params.and(&uses).and(&self.set);
        // Kernels number the step by those before it.
        let entry = crowding_entry(step.step.wrapping_sub(1));
        rec.writes_entry(CROWDING, entry, entry + size_of::<Crowding>() as u64);
        rec.pass(&Pass { name: self.name, stage: COMPUTE, uses: &uses }, |rec| {
            rec.bind_compute(pipeline, &[&sets[step.frame_slot % sets.len()]], &[step.offset]);
            match arrays {
                Arrays::ByDescriptor => {}
                Arrays::ByAddress(addresses) => rec.push_compute(pipeline, addresses),
                // Before it.
                Arrays::OfMany(_, parts) => rec.push_compute(pipeline, &Parts { step: step.step - 1, ..*parts }),
            }
            dispatch(rec, pipeline);
        });
    }
}
