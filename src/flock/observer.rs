//! The observer, which measures a flock: its buffers, its kernels, and one method for each of its passes.
//!
//! A flock without an observer has none of these, and its steps have none of these passes.

use super::buffers::{Buffers, OBSERVED, ORDER_RECORD, Part, SORTED_BOID_ID, SORTED_VELOCITY_YZ};
use super::order::{Observed, OrderMeans, OrderParameters};
use super::settings::Settings;
use super::state::{State, StepSlot};
use super::steppers::{Interface, Kernel, most_in_range};
use crate::error::{Error, Result};
use crate::limits::{MANNER_VIEW, ORDER_GROUPS, WORKGROUP_SIZE};
use crate::vk::{Buffer, Device, Recorder, Uses, uses};
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
    /// Creates it for a flock, or for flocks that are stepped at once, with these buffers, for `slots` frames in
    /// flight.
    ///
    /// # Errors
    /// The error of creating an object.
    pub(super) fn new(
        device: &Arc<Device>,
        each: &[Settings],
        state: &State,
        stepper: &Buffers,
        slots: usize,
    ) -> Result<Observer> {
        let settings = &each[0];
        let buffers = Buffers::new(device, each, &[Part::Observed], false)?;
        // Before the first observation there are no neighbors.
        let boids = buffers[OBSERVED].size() as usize / size_of::<Observed>();
        buffers[OBSERVED].upload_with(0, boids, |_, piece: &mut [Observed]| piece.fill(Observed::default()))?;
        let record = |_| Buffers::new(device, each, &[Part::Record], false);
        let records = (0..slots).map(record).collect::<Result<Vec<_>>>()?;
        let seen: Vec<_> = records.iter().map(|record| vec![&state.buffers, stepper, &buffers, record]).collect();
        let interface = Interface::new(device, "observer", &state.ring, &seen, (each.len(), false))?;
        let search = settings.search;
        let (most, walls) = (most_in_range(device, settings), settings.walls_met() as u32);
        let constants = [most, walls, 0, settings.manners(), settings.nearest, settings.kinds_felt()];
        let observe = interface.pipeline_for_slices(&format!("observe_{}", search.stem()), &constants)?;
        let ids = (settings.nearest > 0 || settings.kinds_felt() > 0).then_some(SORTED_BOID_ID);
        let velocities = (settings.manners() & MANNER_VIEW != 0).then_some(SORTED_VELOCITY_YZ);
        let observe_groups = settings.boids.div_ceil(WORKGROUP_SIZE).into();
        let groups = u64::from(settings.boids.div_ceil(WORKGROUP_SIZE)).min(ORDER_GROUPS.into());
        let measured_from =
            |name| Ok::<_, Error>(interface.pass(name, interface.pipeline(name, &constants)?, groups, Uses::default()));
        Ok(Observer {
            observe: interface.pass(
                "observe",
                observe,
                observe_groups,
                uses![read ids velocities].and(search.info().reads),
            ),
            order_reduce: measured_from("order_reduce")?,
            order_mean: interface.kernel("order_mean", 1)?,
            milling_reduce: measured_from("milling_reduce")?,
            milling_mean: interface.kernel("milling_mean", 1)?,
            records,
            buffers,
        })
    }

    /// Neighborhood of each boid in the last observed step, in the order of the state: one [`Observed`] per boid.
    pub fn observed(&self) -> &Buffer {
        &self.buffers[OBSERVED]
    }

    /// The order parameters of each flock in the last step observed in frame slot `slot`. The device must be done with
    /// that frame.
    pub(super) fn orders(&self, each: &[&Settings], slot: usize) -> Vec<OrderParameters> {
        let means: Vec<OrderMeans> = self.records[slot][ORDER_RECORD].read(0, each.len());
        each.iter().zip(&means).map(|(settings, means)| OrderParameters::of(settings, means)).collect()
    }

    /// Counts the neighbors of every boid and measures the distance to the nearest, in dispatches as long as those of
    /// `steer`.
    pub fn observe(&self, rec: &mut Recorder<'_>, step: StepSlot, groups_at_once: u64, uses: Uses) {
        self.observe.record_in_slices(rec, step, groups_at_once, uses);
    }
}
