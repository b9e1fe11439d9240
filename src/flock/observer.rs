//! What looks at a flock and puts it into numbers: its buffers, its kernels, and one method for each of its passes.
//!
//! A flock that nobody observes has none of this, and its steps have none of these passes.

use super::buffers::{Buffers, OBSERVED, ORDER_RECORD, Part};
use super::order::{Observed, OrderMeans, OrderParameters};
use super::settings::Settings;
use super::state::{State, StepSlot};
use super::steppers::{COMPUTE, Interface, PARAMS, most_in_range};
use crate::error::Result;
use crate::limits::{ORDER_GROUPS, WORKGROUP_SIZE};
use crate::vk::{Buffer, ComputePipeline, Device, Pass, Recorder, Use, uses};
use std::sync::Arc;

/// What looks at a flock.
pub struct Observer {
    observe: ComputePipeline,
    observe_uses: Vec<Use>,
    observe_groups: u64,
    order_reduce: ComputePipeline,
    order_mean: ComputePipeline,
    milling_reduce: ComputePipeline,
    milling_mean: ComputePipeline,
    order_groups: u64,
    /// One for each frame in flight, which differ in the record.
    frames: Vec<(Interface, Buffers)>,
    pub(super) buffers: Buffers,
}

impl Observer {
    /// Builds it for a flock of `settings` with these buffers, for `slots` frames in flight.
    ///
    /// # Errors
    /// What the device could not make.
    pub(super) fn new(
        device: &Arc<Device>,
        settings: &Settings,
        state: &State,
        stepper: &Buffers,
        slots: usize,
    ) -> Result<Observer> {
        let buffers = Buffers::new(device, settings, &[Part::Observed], false)?;
        // Before the first observation there are no neighbors.
        let boids = settings.boids as usize;
        buffers[OBSERVED].upload_with(0, boids, |_, piece: &mut [Observed]| piece.fill(Observed::default()))?;
        let frame = |_| {
            let record = Buffers::new(device, settings, &[Part::Record], false)?;
            let seen = [&state.buffers, stepper, &buffers, &record];
            Ok((Interface::new(device, "observer", state, &seen, false)?, record))
        };
        let frames = (0..slots).map(frame).collect::<Result<Vec<_>>>()?;
        let interface = &frames[0].0;
        let kernel = |name| interface.kernel(name, &[]);
        let groups = |workgroup| u64::from(settings.boids.div_ceil(workgroup));
        let search = settings.search.info();
        Ok(Observer {
            observe: interface.kernel_for_slices(
                &format!("observe_{}", settings.search.stem()),
                &[most_in_range(device, settings)],
            )?,
            observe_uses: [OBSERVE_READ, search.reads, OBSERVE_WRITTEN].concat(),
            observe_groups: groups(settings.search.workgroup()),
            order_reduce: kernel("order_reduce")?,
            order_mean: kernel("order_mean")?,
            milling_reduce: kernel("milling_reduce")?,
            milling_mean: kernel("milling_mean")?,
            order_groups: groups(WORKGROUP_SIZE).min(ORDER_GROUPS.into()),
            frames,
            buffers,
        })
    }

    /// Neighborhood of each boid in the last step that was observed, in the order of the state. [`Observed`] a boid.
    pub fn observed(&self) -> &Buffer {
        &self.buffers[OBSERVED]
    }

    /// The order parameters that the last step observed in frame slot `slot` left. The device must be done with that frame.
    pub(super) fn order(&self, settings: &Settings, slot: usize) -> OrderParameters {
        let means: Vec<OrderMeans> = self.frames[slot].1[ORDER_RECORD].read(0, 1);
        OrderParameters::of(settings, &means[0])
    }

    /// Counts the neighbors of every boid and measures the distance to the nearest, in dispatches as long as those of `steer`.
    pub fn observe(&self, rec: &mut Recorder<'_>, step: StepSlot, groups_at_once: u64) {
        let pass = Pass { name: "observe", stage: COMPUTE, uses: &self.observe_uses };
        rec.pass(&pass, |rec| {
            self.interface(step).bind(rec, &self.observe, step);
            rec.dispatch_in_slices(self.observe_groups, groups_at_once);
        });
    }

    /// Adds up the flock, in up to [`ORDER_GROUPS`] parts.
    pub fn order_reduce(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.interface(step).dispatch(rec, &ORDER_REDUCE, &self.order_reduce, step, self.order_groups);
    }

    /// Turns the sums of the parts into means.
    pub fn order_mean(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.interface(step).dispatch(rec, &ORDER_MEAN, &self.order_mean, step, 1);
    }

    /// Adds up how the flock turns around its center, in as many parts.
    pub fn milling_reduce(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.interface(step).dispatch(rec, &MILLING_REDUCE, &self.milling_reduce, step, self.order_groups);
    }

    /// Turns those sums into a mean, and hands all means to the host.
    pub fn milling_mean(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.interface(step).dispatch(rec, &MILLING_MEAN, &self.milling_mean, step, 1);
    }

    fn interface(&self, step: StepSlot) -> &Interface {
        &self.frames[step.frame_slot].0
    }
}

/// What every `observe` reads besides what its search does.
const OBSERVE_READ: &[Use] = uses![PARAMS, &[Use::read(COMPUTE, "sorted_position_vx")]];
const OBSERVE_WRITTEN: &[Use] = &[Use::write(COMPUTE, "observed")];

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
