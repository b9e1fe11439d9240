//! The observer, which measures a flock: its buffers, its kernels, and one method for each of its passes.
//!
//! A flock without an observer has none of these, and its steps have none of these passes.

use super::buffers::{Buffers, OBSERVED, ORDER_RECORD, Part};
use super::order::{Observed, OrderMeans, OrderParameters};
use super::settings::Settings;
use super::state::{State, StepSlot};
use super::steppers::{Interface, Kernel, most_in_range, read, write};
use crate::error::Result;
use crate::limits::{ORDER_GROUPS, WORKGROUP_SIZE};
use crate::vk::{Buffer, Device, Recorder};
use std::sync::Arc;

/// Measures a flock.
pub struct Observer {
    observe: Kernel,
    /// Adds up the flock, in up to [`ORDER_GROUPS`] parts.
    pub order_reduce: Kernel,
    /// Turns the sums of the parts into means.
    pub order_mean: Kernel,
    /// Sums the flock's rotation around its center, in as many parts.
    pub milling_reduce: Kernel,
    /// Turns those sums into a mean, and writes all means for the host.
    pub milling_mean: Kernel,
    /// One for each frame in flight.
    records: Vec<Buffers>,
    pub(super) buffers: Buffers,
}

impl Observer {
    /// Creates it for a flock of `settings` with these buffers, for `slots` frames in flight.
    ///
    /// # Errors
    /// The error of creating an object.
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
        let record = |_| Buffers::new(device, settings, &[Part::Record], false);
        let records = (0..slots).map(record).collect::<Result<Vec<_>>>()?;
        let seen: Vec<_> = records.iter().map(|record| vec![&state.buffers, stepper, &buffers, record]).collect();
        let interface = Interface::new(device, "observer", &state.ring, &seen, false)?;
        let search = settings.search;
        let observe_constants = [most_in_range(device, settings)];
        let observe = interface.pipeline_for_slices(&format!("observe_{}", search.stem()), &observe_constants)?;
        let observe_groups = settings.boids.div_ceil(search.workgroup()).into();
        let observed = [&[read("sorted_position_vx")], search.info().reads, &[write("observed")]];
        let groups = u64::from(settings.boids.div_ceil(WORKGROUP_SIZE)).min(ORDER_GROUPS.into());
        let [position, velocity] = [read("sorted_position_vx"), read("sorted_velocity_yz")];
        let reduced = [position, velocity, read("observed"), write("order_partials")];
        let averaged = [position, read("order_partials"), write("order_means")];
        let turning = [position, velocity, read("order_means"), write("milling_partials")];
        let recorded = [read("order_means"), read("milling_partials"), write("order_record")];
        Ok(Observer {
            observe: interface.pass("observe", observe, observe_groups, &observed),
            order_reduce: interface.kernel("order_reduce", groups, &[&reduced])?,
            order_mean: interface.kernel("order_mean", 1, &[&averaged])?,
            milling_reduce: interface.kernel("milling_reduce", groups, &[&turning])?,
            milling_mean: interface.kernel("milling_mean", 1, &[&recorded])?,
            records,
            buffers,
        })
    }

    /// Neighborhood of each boid in the last observed step, in the order of the state: one [`Observed`] per boid.
    pub fn observed(&self) -> &Buffer {
        &self.buffers[OBSERVED]
    }

    /// The order parameters of the last step observed in frame slot `slot`. The device must be done with that frame.
    pub(super) fn order(&self, settings: &Settings, slot: usize) -> OrderParameters {
        let means: Vec<OrderMeans> = self.records[slot][ORDER_RECORD].read(0, 1);
        OrderParameters::of(settings, &means[0])
    }

    /// Counts the neighbors of every boid and measures the distance to the nearest, in dispatches as long as those of `steer`.
    pub fn observe(&self, rec: &mut Recorder<'_>, step: StepSlot, groups_at_once: u64) {
        self.observe.record_in_slices(rec, step, groups_at_once);
    }
}
