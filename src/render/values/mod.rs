//! The values that colors show, counted on the device: a ramp of colors is fitted to the flock's 5th to 95th
//! percentile.
//!
//! A frame counts the boids after its steps, in up to [`VALUE_GROUPS`] parts, and the host adds them up before the next
//! frame of the same slot. So the range of a picture is that of an earlier one; what is to fit its own flock is drawn a
//! second time.

mod range;

pub use range::{Counts, Fit, PERCENTILES, values_per_unit};

use super::look::Coloring;
use crate::error::Result;
use crate::flock::Flock;
use crate::flock::buffers::{Addresses, OBSERVED, POSITION_VX, VELOCITY_YZ};
use crate::limits::{BINDING_OBSERVED, BINDING_VALUE_COUNTS, VALUE_GROUPS, VALUE_PART, WORKGROUP_SIZE};
use crate::render::resources::{SCENE_PARAMS, VALUE_COUNTS};
use crate::shaders::module;
use crate::vk::{
    Buffer, BufferInfo, BufferUsage, ComputePipeline, Descriptor, DescriptorSet, Device, MemoryLocation, Pass,
    Recorder, SetLayout, ShaderStages, Stage, Use,
};
use std::sync::Arc;

/// Counts the values of a flock.
pub struct Values {
    pipeline: ComputePipeline,
    slots: Vec<Slot>,
    color: Coloring,
    groups: u32,
    /// The range that follows from the counts.
    pub fit: Fit,
}

/// Of a frame in flight.
struct Slot {
    counts: Buffer,
    set: DescriptorSet,
    /// What its last frame has counted, until that is read: the step of the flock, and how values are told apart.
    counted: Option<(u32, f32)>,
}

impl Values {
    /// Counts the values of `flock` that `color` shows, by kernels that see the set of layout `scene`, too.
    ///
    /// # Errors
    /// What the device could not make.
    ///
    /// # Panics
    /// For colors by neighbors, when the flock is not observed.
    pub fn new(
        device: &Arc<Device>,
        flock: &Flock,
        color: Coloring,
        scene: &SetLayout,
        slots: usize,
    ) -> Result<Values> {
        let observed = color == Coloring::Neighbors;
        let observer = observed.then(|| flock.observer().expect("Look::observe comes before a scene with this look"));
        let groups = flock.settings().boids.div_ceil(WORKGROUP_SIZE).min(VALUE_GROUPS);
        let size = 4 * u64::from(groups * VALUE_PART);
        let (usage, location) = (BufferUsage::STORAGE_BUFFER, MemoryLocation::GpuToCpu);
        let slot = |_| {
            let counts = Buffer::new(device, &BufferInfo { name: VALUE_COUNTS.name(), size, usage, location })?;
            let storage = |binding, buffer| Descriptor::storage(binding, ShaderStages::COMPUTE, buffer);
            let seen = observer.map(|observer| storage(BINDING_OBSERVED, observer.observed()));
            let resources: Vec<_> = std::iter::once(storage(BINDING_VALUE_COUNTS, &counts)).chain(seen).collect();
            let (layout, set) = DescriptorSet::with_layout(device, "values", &resources)?;
            Ok((layout, Slot { set, counts, counted: None }))
        };
        let (mut layouts, slots): (Vec<_>, Vec<_>) =
            (0..slots).map(slot).collect::<Result<Vec<_>>>()?.into_iter().unzip();
        let layout = layouts.pop().expect("there is a frame in flight");
        let by_address = if flock.is_by_address() { "_by_address" } else { "" };
        let name = format!("value_histogram{by_address}{}", if observed { "_observed" } else { "" });
        let push_bytes = if flock.is_by_address() { size_of::<Addresses>() as u32 } else { 0 };
        let pipeline = ComputePipeline::new(device, &module(device, &name), &[scene, &layout], push_bytes, &[])?;
        let fit = Fit::new(color, flock.settings());
        Ok(Values { pipeline, slots, color, groups, fit })
    }

    /// Before the next frame of `slot`, which the device is done with and which counts `flock`: takes over the range of
    /// what the slot's last frame has counted, within so many `seconds`, or at once.
    pub fn prepare(&mut self, slot: usize, flock: &Flock, seconds: Option<f32>) {
        self.arrive(slot, flock);
        self.fit.advance(seconds);
        self.fit.drawn = flock.step();
        self.slots[slot].counted = Some((flock.step(), values_per_unit(self.color, flock.settings())));
    }

    /// Takes over the range of what the last frame of `slot` has counted, at once. Whether that changed it.
    pub fn refit(&mut self, slot: usize, flock: &Flock) -> bool {
        let before = self.fit.range();
        self.arrive(slot, flock);
        self.fit.advance(None);
        self.fit.range() != before
    }

    fn arrive(&mut self, slot: usize, flock: &Flock) {
        if let Some((step, per_unit)) = self.slots[slot].counted.take() {
            self.fit.arrive(&self.counts(slot, per_unit), flock.settings(), step);
        }
    }

    /// What the last frame of `slot` has counted, whose bins were as `per_unit` says. The device must be done with it.
    pub fn counts(&self, slot: usize, per_unit: f32) -> Counts {
        let words = (self.groups * VALUE_PART) as usize;
        Counts::of_parts(&self.slots[slot].counts.read(0, words), per_unit)
    }

    /// Counts the boids. `scene` is the set of the picture's passes, `offset` that of the frame's parameters.
    pub fn record(
        &self,
        rec: &mut Recorder<'_>,
        slot: usize,
        (scene, offset): (&DescriptorSet, u32),
        addresses: Option<&Addresses>,
    ) {
        let uses = if self.color == Coloring::Neighbors { NEIGHBORS } else { SPEEDS };
        rec.pass(&Pass { name: "value_histogram", stage: COMPUTE, uses }, |rec| {
            rec.bind_compute(&self.pipeline, &[scene, &self.slots[slot].set], &[offset]);
            if let Some(addresses) = addresses {
                rec.push_compute(&self.pipeline, addresses);
            }
            rec.dispatch(self.groups.into());
        });
    }
}

const COMPUTE: Stage = Stage::COMPUTE_SHADER;

const SPEEDS: &[Use] = &[
    Use::uniform(COMPUTE, SCENE_PARAMS),
    Use::read(COMPUTE, POSITION_VX),
    Use::read(COMPUTE, VELOCITY_YZ),
    Use::write(COMPUTE, VALUE_COUNTS),
];

const NEIGHBORS: &[Use] = &[
    Use::uniform(COMPUTE, SCENE_PARAMS),
    Use::read(COMPUTE, POSITION_VX),
    Use::read(COMPUTE, OBSERVED),
    Use::write(COMPUTE, VALUE_COUNTS),
];
