//! What looks at a flock and puts it into numbers: its buffers, its kernels, and one method for each of its passes.
//!
//! A flock that nobody observes has none of this, and its steps have none of these passes.

use super::passes::{COMPUTE, PARAMS};
use super::{Flock, StepSlot, memory};
use crate::error::Result;
use crate::flock::order::{Observed, OrderMeans, OrderParameters, OrderSums};
use crate::flock::search::Search;
use crate::limits::{
    BINDING_MILLING_PARTIALS, BINDING_OBSERVED, BINDING_ORDER_MEANS, BINDING_ORDER_PARTIALS, BINDING_ORDER_RECORD,
    ORDER_GROUPS, WORKGROUP_SIZE,
};
use crate::vk::{
    Binding, Buffer, BufferInfo, BufferUsage, ComputePipeline, DescriptorSet, Device, MemoryLocation, Pass, Recorder,
    Resource, SetLayout, ShaderStages, Use, uses,
};
use std::sync::Arc;

/// What is to be seen of a flock in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observation {
    /// The neighborhood of each boid, in `observed`.
    Neighborhoods,
    /// Besides, the order parameters of the flock before the step, for the host.
    Order,
}

/// What looks at a flock.
pub struct Observer {
    observe: ComputePipeline,
    order_reduce: ComputePipeline,
    order_mean: ComputePipeline,
    milling_reduce: ComputePipeline,
    milling_mean: ComputePipeline,
    /// One for each frame in flight, which differ in the record.
    sets: Vec<DescriptorSet>,
    records: Vec<Buffer>,
    /// Neighborhood of each boid in the last step that was observed, in the order of the state. [`Observed`] a boid.
    pub observed: Buffer,
    // Bound by the sets.
    _order_partials: Buffer,
    _order_means: Buffer,
    _milling_partials: Buffer,
}

impl Observer {
    /// Builds it for `flock`, for `slots` frames in flight.
    fn new(flock: &Flock, slots: usize) -> Result<Self> {
        let device = &flock.device;
        let storage = |name, size, location| {
            let usage = BufferUsage::STORAGE_BUFFER | BufferUsage::TRANSFER_SRC | BufferUsage::TRANSFER_DST;
            Buffer::new(device, &BufferInfo { name, size, usage, location })
        };
        let (boids, partials) = (u64::from(flock.settings.boids), u64::from(ORDER_GROUPS));
        let observed = storage("observed", boids * size_of::<Observed>() as u64, MemoryLocation::GpuOnly)?;
        let order_partials =
            storage("order_partials", partials * size_of::<OrderSums>() as u64, MemoryLocation::GpuOnly)?;
        let milling_partials =
            storage("milling_partials", partials * size_of::<[f32; 4]>() as u64, MemoryLocation::GpuOnly)?;
        let means = size_of::<OrderMeans>() as u64;
        let order_means = storage("order_means", means, MemoryLocation::GpuOnly)?;
        let records: Vec<Buffer> =
            (0..slots).map(|_| storage("order_record", means, MemoryLocation::GpuToCpu)).collect::<Result<_>>()?;
        let layout = set_layout(device)?;
        let set = |record: &Buffer| {
            let resources = [
                Resource::whole(BINDING_ORDER_PARTIALS, &order_partials),
                Resource::whole(BINDING_ORDER_MEANS, &order_means),
                Resource::whole(BINDING_MILLING_PARTIALS, &milling_partials),
                Resource::whole(BINDING_ORDER_RECORD, record),
            ];
            DescriptorSet::new(device, "order", &layout, &resources)
        };
        let sets = records.iter().map(set).collect::<Result<_>>()?;
        let of_flock = super::buffers::set_layout(device)?;
        let kernel = |name| ComputePipeline::new(device, name, &[&of_flock, &layout], 0);
        let bitonic = flock.bitonic.as_ref().map(|grid| &grid.layout);
        let layouts: Vec<&SetLayout> = std::iter::once(&of_flock).chain(bitonic).collect();
        let observe = format!("observe_{}", flock.settings.search.stem());
        Ok(Observer {
            observe: ComputePipeline::for_slices(
                device,
                &observe,
                &layouts,
                0,
                &[super::most_in_range(device, &flock.settings)],
            )?,
            order_reduce: kernel("order_reduce")?,
            order_mean: kernel("order_mean")?,
            milling_reduce: kernel("milling_reduce")?,
            milling_mean: kernel("milling_mean")?,
            sets,
            records,
            observed,
            _order_partials: order_partials,
            _order_means: order_means,
            _milling_partials: milling_partials,
        })
    }
}

impl Flock {
    /// Makes what it takes to observe this flock, for `slots` frames in flight, unless that is there already. Waits for the
    /// device.
    ///
    /// # Errors
    /// [`crate::Error::TooLarge`] for a flock that descriptors do not reach all of, or what the device could not make.
    pub fn start_observing(&mut self, slots: usize) -> Result<()> {
        if self.observer.is_some() {
            return Ok(());
        }
        memory::check_observed(self.device.info(), &self.settings)?;
        let observer = Observer::new(self, slots)?;
        // Before the first observation there are no neighbors.
        let boids = self.settings.boids as usize;
        observer.observed.upload_with(0, boids, |_, piece: &mut [Observed]| piece.fill(Observed::default()))?;
        self.device.wait_idle()?;
        let mut resources = self.buffers.resources().to_vec();
        resources.push(Resource::whole(BINDING_OBSERVED, &observer.observed));
        self.set = DescriptorSet::new(&self.device, "flock", &super::buffers::set_layout(&self.device)?, &resources)?;
        self.observer = Some(observer);
        Ok(())
    }

    /// Observes the neighborhood of each boid in the last step of every frame from now on, for a picture that shows it; or no
    /// longer.
    ///
    /// # Errors
    /// As [`Flock::start_observing`].
    pub fn show_neighborhoods(&mut self, shown: bool, slots: usize) -> Result<()> {
        if shown {
            self.start_observing(slots)?;
        }
        self.shows_neighborhoods = shown;
        Ok(())
    }

    /// What observes this flock, if anything does.
    pub fn observer(&self) -> Option<&Observer> {
        self.observer.as_ref()
    }

    /// As [`Flock::prepare_steps`], and the last of the steps, if there are any, is to be observed.
    ///
    /// # Panics
    /// When `count` is over [`MAX_STEPS_PER_SUBMISSION`](super::MAX_STEPS_PER_SUBMISSION).
    pub fn prepare_observed_steps(&mut self, slot: usize, count: u32, what: Observation) -> Vec<StepSlot> {
        let mut steps = self.prepare_steps(slot, count);
        if let Some(last) = steps.last_mut() {
            last.1 = Some((what, slot));
        }
        steps
    }

    /// The order parameters that the last step observed in frame slot `slot` left. The device must be done with that frame.
    ///
    /// # Panics
    /// When the flock is not observed.
    pub fn order(&self, slot: usize) -> OrderParameters {
        let means: Vec<OrderMeans> = self.seen().records[slot].read(0, 1);
        OrderParameters::of(&self.settings, &means[0])
    }

    /// Counts the neighbors of every boid and measures the distance to the nearest.
    pub fn observe(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        let pass = match self.settings.search {
            Search::QuantizedGrid => &OBSERVE_QUANTIZED,
            Search::SortedGrid | Search::Rows9 | Search::Cells27 => &OBSERVE,
            Search::BitonicGrid => &OBSERVE_IN_RANGES,
            Search::Tiles | Search::AllPairs => &OBSERVE_UNSORTED,
        };
        let groups = u64::from(self.settings.boids.div_ceil(self.settings.search.workgroup()));
        let bitonic = self.bitonic.as_ref().map(|grid| &grid.set);
        let sets: Vec<&DescriptorSet> = std::iter::once(&self.set).chain(bitonic).collect();
        rec.pass(pass, |rec| {
            rec.bind_compute(&self.seen().observe, &sets, &[step.0]);
            rec.dispatch_in_slices(groups, self.groups_at_once);
        });
    }

    /// Adds up the flock, in up to [`ORDER_GROUPS`] parts.
    pub fn order_reduce(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.order_kernel(rec, &ORDER_REDUCE, |seen| &seen.order_reduce, step, self.order_groups());
    }

    /// Turns the sums of the parts into means.
    pub fn order_mean(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.order_kernel(rec, &ORDER_MEAN, |seen| &seen.order_mean, step, 1);
    }

    /// Adds up how the flock turns around its center, in as many parts.
    pub fn milling_reduce(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.order_kernel(rec, &MILLING_REDUCE, |seen| &seen.milling_reduce, step, self.order_groups());
    }

    /// Turns those sums into a mean, and hands all means to the host.
    pub fn milling_mean(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.order_kernel(rec, &MILLING_MEAN, |seen| &seen.milling_mean, step, 1);
    }

    fn order_groups(&self) -> u64 {
        u64::from(self.settings.boids.div_ceil(WORKGROUP_SIZE).min(ORDER_GROUPS))
    }

    fn seen(&self) -> &Observer {
        self.observer.as_ref().expect("start_observing comes before anything is to be seen")
    }

    fn order_kernel(
        &self,
        rec: &mut Recorder<'_>,
        pass: &Pass<'_>,
        pipeline: fn(&Observer) -> &ComputePipeline,
        step: StepSlot,
        groups: u64,
    ) {
        let observer = self.seen();
        let (_, slot) = step.1.expect("the frame asks the step first");
        rec.pass(pass, |rec| {
            rec.bind_compute(pipeline(observer), &[&self.set, &observer.sets[slot]], &[step.0]);
            rec.dispatch(groups);
        });
    }
}

impl StepSlot {
    /// What is to be seen of the flock in this step, if anything.
    pub fn observation(&self) -> Option<Observation> {
        self.1.map(|(what, _)| what)
    }
}

fn set_layout(device: &Arc<Device>) -> Result<SetLayout> {
    let bindings = [BINDING_ORDER_PARTIALS, BINDING_ORDER_MEANS, BINDING_MILLING_PARTIALS, BINDING_ORDER_RECORD];
    SetLayout::new(device, "order", &bindings.map(|binding| Binding::storage(binding, ShaderStages::COMPUTE)))
}

/// What every search of `observe` reads besides what it finds boids by.
const POSITIONS: &[Use] = &[Use::read(COMPUTE, "sorted_position_vx")];
const OBSERVED: &[Use] = &[Use::write(COMPUTE, "observed")];

const OBSERVE: Pass<'_> = Pass {
    name: "observe",
    stage: COMPUTE,
    uses: uses![PARAMS, POSITIONS, &[Use::read(COMPUTE, "cell_starts")], OBSERVED],
};

/// `observe` with the search that looks at quantized positions first.
const OBSERVE_QUANTIZED: Pass<'_> = Pass {
    uses: uses![
        PARAMS,
        POSITIONS,
        &[Use::read(COMPUTE, "sorted_quantized"), Use::read(COMPUTE, "cell_starts")],
        OBSERVED,
    ],
    ..OBSERVE
};

/// `observe` with a search in the cells' ranges.
const OBSERVE_IN_RANGES: Pass<'_> =
    Pass { uses: uses![PARAMS, POSITIONS, &[Use::read(COMPUTE, "cell_ranges")], OBSERVED], ..OBSERVE };

/// `observe` with a search that looks into no cells.
const OBSERVE_UNSORTED: Pass<'_> = Pass { uses: uses![PARAMS, POSITIONS, OBSERVED], ..OBSERVE };

const ORDER_REDUCE: Pass<'_> = Pass {
    name: "order_reduce",
    stage: COMPUTE,
    uses: &[
        Use::uniform(COMPUTE, "step_params"),
        Use::read(COMPUTE, "sorted_position_vx"),
        Use::read(COMPUTE, "sorted_velocity_yz"),
        Use::read(COMPUTE, "observed"),
        Use::write(COMPUTE, "order_partials"),
    ],
};

const ORDER_MEAN: Pass<'_> = Pass {
    name: "order_mean",
    stage: COMPUTE,
    uses: &[
        Use::uniform(COMPUTE, "step_params"),
        Use::read(COMPUTE, "sorted_position_vx"),
        Use::read(COMPUTE, "order_partials"),
        Use::write(COMPUTE, "order_means"),
    ],
};

const MILLING_REDUCE: Pass<'_> = Pass {
    name: "milling_reduce",
    stage: COMPUTE,
    uses: &[
        Use::uniform(COMPUTE, "step_params"),
        Use::read(COMPUTE, "sorted_position_vx"),
        Use::read(COMPUTE, "sorted_velocity_yz"),
        Use::read(COMPUTE, "order_means"),
        Use::write(COMPUTE, "milling_partials"),
    ],
};

const MILLING_MEAN: Pass<'_> = Pass {
    name: "milling_mean",
    stage: COMPUTE,
    uses: &[
        Use::uniform(COMPUTE, "step_params"),
        Use::read(COMPUTE, "order_means"),
        Use::read(COMPUTE, "milling_partials"),
        Use::write(COMPUTE, "order_record"),
    ],
};
