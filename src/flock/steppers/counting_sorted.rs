//! Steps whose search wants the flock in cell order, by a counting sort: clear, count, scan, scatter, steer.

use super::interface::Interface;
use super::steering::{COMPUTE, PARAMS, SORTED_WRITTEN, STATE_READ, Steering};
use crate::error::Result;
use crate::flock::buffers::{Buffers, CELL_COUNTS, CROWDING, Part};
use crate::flock::layout::Crowding;
use crate::flock::settings::Settings;
use crate::flock::state::{State, StepSlot};
use crate::limits::{CROWDING_REPORTS, SCAN_BLOCK, WORKGROUP_SIZE};
use crate::vk::{ComputePipeline, Device, Pass, Recorder, Stage, Use, uses};
use std::sync::Arc;

/// Steps by a counting sort.
pub struct CountingSorted {
    grid_count: ComputePipeline,
    scan_reduce: ComputePipeline,
    scan_spine: ComputePipeline,
    scan_downsweep: ComputePipeline,
    sort_scatter: ComputePipeline,
    scatter_uses: Vec<Use>,
    pub(super) steering: Steering,
    pub(super) buffers: Buffers,
    boid_groups: u64,
    scan_blocks: u64,
    /// The last step in each frame slot, whose crowding has not been read yet.
    unread: Vec<Option<u32>>,
}

impl CountingSorted {
    /// Builds it for the flock of `settings` whose state is `state`, for `slots` frames in flight.
    ///
    /// # Errors
    /// What the device could not make.
    pub fn new(
        device: &Arc<Device>,
        settings: &Settings,
        state: &State,
        slots: usize,
        by_address: bool,
    ) -> Result<CountingSorted> {
        let parts = [Part::Sorted, Part::Counted, Part::Quantized, Part::Influences];
        let buffers = Buffers::new(device, settings, &parts, by_address)?;
        let interface = Interface::new(device, "counting sorted", state, &[&state.buffers, &buffers], by_address)?;
        let kernel = |name| interface.kernel(name, &[]);
        let quantized = settings.search.info().quantized;
        Ok(CountingSorted {
            grid_count: kernel("grid_count")?,
            scan_reduce: kernel("scan_reduce")?,
            scan_spine: kernel("scan_spine")?,
            scan_downsweep: kernel("scan_downsweep")?,
            sort_scatter: interface.kernel("sort_scatter", &[quantized.into()])?,
            scatter_uses: [SCATTER, if quantized { QUANTIZED_WRITTEN } else { &[] }].concat(),
            steering: Steering::new(device, settings, interface)?,
            buffers,
            boid_groups: u64::from(settings.boids.div_ceil(WORKGROUP_SIZE)),
            scan_blocks: u64::from(settings.grid().cell_count.div_ceil(SCAN_BLOCK)),
            unread: vec![None; slots],
        })
    }

    /// Sets every cell's count to zero.
    pub fn grid_clear(&self, rec: &mut Recorder<'_>) {
        rec.pass(&GRID_CLEAR, |rec| rec.fill_buffer(&self.buffers[CELL_COUNTS], 0));
    }

    /// Counts the boids of every cell; the count before a boid's own addition is its rank in the cell.
    pub fn grid_count(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.steering.interface.dispatch(rec, &GRID_COUNT, &self.grid_count, step, self.boid_groups);
    }

    /// Adds up the counts of each block of cells.
    pub fn scan_reduce(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.steering.interface.dispatch(rec, &SCAN_REDUCE, &self.scan_reduce, step, self.scan_blocks);
    }

    /// Turns the block sums into their exclusive prefix sum, in one workgroup.
    pub fn scan_spine(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.steering.interface.dispatch(rec, &SCAN_SPINE, &self.scan_spine, step, 1);
    }

    /// Scans each block of counts on from its block's start, and tells the host how crowded the cells are.
    pub fn scan_downsweep(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.steering.interface.dispatch(rec, &SCAN_DOWNSWEEP, &self.scan_downsweep, step, 1 + self.scan_blocks);
    }

    /// Moves every boid to the place `cell_starts[cell] + cell_rank`.
    pub fn sort_scatter(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        let pass = Pass { name: "sort_scatter", stage: COMPUTE, uses: &self.scatter_uses };
        self.steering.interface.dispatch(rec, &pass, &self.sort_scatter, step, self.boid_groups);
    }

    /// What looks at neighbors and moves the boids.
    pub fn steering(&self) -> &Steering {
        &self.steering
    }

    /// Whether its kernels find their arrays by address, because a descriptor does not reach all of them.
    pub(in crate::flock) fn is_by_address(&self) -> bool {
        self.steering.interface.is_by_address()
    }

    /// Reads what the last step in frame slot `slot`, which the device is done with, says of the crowding.
    pub(in crate::flock) fn read_crowding(&mut self, slot: usize) {
        if let Some(step) = self.unread[slot].take() {
            let place = u64::from(step % CROWDING_REPORTS) * size_of::<Crowding>() as u64;
            self.steering.pace.note(self.buffers[CROWDING].read(place, 1)[0], step);
        }
    }

    /// Reads what every frame slot says, oldest first. The device must be done with all of them.
    pub(in crate::flock) fn read_all_crowding(&mut self) {
        let mut slots: Vec<usize> = (0..self.unread.len()).filter(|&slot| self.unread[slot].is_some()).collect();
        slots.sort_by_key(|&slot| self.unread[slot]);
        slots.into_iter().for_each(|slot| self.read_crowding(slot));
    }

    /// Takes note that `step` is the last of the steps in frame slot `slot`.
    pub(in crate::flock) fn expect_crowding(&mut self, slot: usize, step: u32) {
        self.unread[slot] = Some(step);
    }

    /// Takes note that the flock is in another state than the steps in flight leave.
    pub(in crate::flock) fn forget_crowding(&mut self) {
        self.unread.fill(None);
    }
}

const GRID_CLEAR: Pass<'_> = Pass { name: "grid_clear", stage: Stage::CLEAR, uses: &[Use::clear("cell_counts")] };

const GRID_COUNT: Pass<'_> = Pass {
    name: "grid_count",
    stage: COMPUTE,
    uses: &[
        Use::uniform(COMPUTE, "step_params"),
        Use::read(COMPUTE, "position_vx"),
        Use::write(COMPUTE, "cell_rank"),
        Use::read_write(COMPUTE, "cell_counts"),
    ],
};

pub(crate) const SCAN_REDUCE: Pass<'_> = Pass {
    name: "scan_reduce",
    stage: COMPUTE,
    uses: &[
        Use::uniform(COMPUTE, "step_params"),
        Use::read(COMPUTE, "cell_counts"),
        Use::write(COMPUTE, "block_sums"),
        Use::write(COMPUTE, "block_crowding"),
    ],
};

pub(crate) const SCAN_SPINE: Pass<'_> = Pass {
    name: "scan_spine",
    stage: COMPUTE,
    uses: &[Use::uniform(COMPUTE, "step_params"), Use::read_write(COMPUTE, "block_sums")],
};

pub(crate) const SCAN_DOWNSWEEP: Pass<'_> = Pass {
    name: "scan_downsweep",
    stage: COMPUTE,
    uses: &[
        Use::uniform(COMPUTE, "step_params"),
        Use::read(COMPUTE, "cell_counts"),
        Use::read(COMPUTE, "block_sums"),
        Use::read(COMPUTE, "block_crowding"),
        Use::write(COMPUTE, "cell_starts"),
        Use::write(COMPUTE, "crowding"),
    ],
};

/// What `sort_scatter` does for every search.
const SCATTER: &[Use] =
    uses![PARAMS, STATE_READ, &[Use::read(COMPUTE, "cell_rank"), Use::read(COMPUTE, "cell_starts")], SORTED_WRITTEN,];

/// What it writes besides, for a search that asks for it.
const QUANTIZED_WRITTEN: &[Use] = &[Use::write(COMPUTE, "sorted_quantized")];
