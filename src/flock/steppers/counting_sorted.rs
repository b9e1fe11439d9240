//! Steps whose search needs the flock in cell order, by a counting sort: clear, count, scan, list, scatter, steer.

use super::interface::{Interface, Kernel};
use super::steering::Steering;
use crate::error::Result;
use crate::flock::buffers::{Buffers, CELL_COUNTS, CELL_RANK, CROWDING, Counts, Part, SORTED_QUANTIZED};
use crate::flock::layout::crowding_entry;
use crate::flock::settings::Settings;
use crate::flock::state::{State, StepSlot};
use crate::limits::{LIST_ITEMS_PER_INVOCATION, SCAN_BLOCK, WORKGROUP_SIZE};
use crate::vk::{Device, Pass, Recorder, Resource, Stage, Uses, uses};
use std::sync::Arc;

/// Steps by a counting sort.
pub struct CountingSorted {
    /// Counts the boids of every cell; the count before a boid's own addition is its rank there.
    pub grid_count: Kernel,
    /// Turns the counts into the starts of the cells.
    pub scan: ScanKernels,
    /// Lists the identities of the boids of each cell, each at the place `cell_starts[cell] + rank`.
    pub sort_list: Kernel,
    sort_scatter: Kernel,
    /// Visits neighbors and moves the boids.
    pub steering: Steering,
    /// The quantized positions, if the search tests them first.
    pub quantized: Option<Resource>,
    /// Whether its kernels access arrays by address, because they exceed a descriptor's range.
    pub(in crate::flock) by_address: bool,
    /// The last step in each frame slot, if its crowding has not been read yet.
    unread: Vec<Option<u32>>,
}

/// The exclusive prefix sum of the counts, in three passes.
pub struct ScanKernels {
    /// Adds up the counts of each block of cells.
    pub reduce: Kernel,
    /// Turns the block sums into their exclusive prefix sum, in one workgroup.
    pub spine: Kernel,
    /// Scans each block of counts from its block's start, and writes the crowding for the host.
    pub downsweep: Kernel,
}

impl CountingSorted {
    /// Creates it for the flock, or the flocks that are stepped at once, whose state is `state`, for `slots` frames in
    /// flight.
    ///
    /// # Errors
    /// The error of creating an object.
    pub fn new(
        device: &Arc<Device>,
        each: &[Settings],
        state: &State,
        slots: usize,
        by_address: bool,
    ) -> Result<CountingSorted> {
        let settings = &each[0];
        let parts = [Part::Sorted, Part::Counted, Part::Quantized, Part::Influences, Part::Leaders];
        let buffers = Buffers::new(device, each, &parts, by_address)?;
        let seen = [vec![&state.buffers, &buffers]];
        let interface = Interface::new(device, "counting sorted", &state.ring, &seen, (each.len(), by_address))?;
        let boid_groups = settings.boids.div_ceil(WORKGROUP_SIZE).into();
        let quantized = settings.search.info().quantized;
        let list_groups = settings.boids.div_ceil(WORKGROUP_SIZE * LIST_ITEMS_PER_INVOCATION).into();
        let blocks = Counts::of_each(each).cells.div_ceil(SCAN_BLOCK.into());
        let most = most_compared(device, settings);
        let ranked = if most > 0 { uses![read CELL_RANK] } else { Uses::default() };
        let scatter = interface.pipeline_for_slices("sort_scatter", &[most, quantized.into()])?;
        Ok(CountingSorted {
            grid_count: interface.kernel("grid_count", boid_groups)?,
            scan: ScanKernels {
                reduce: interface.kernel("scan_reduce", blocks)?,
                spine: interface.kernel("scan_spine", 1)?,
                downsweep: interface.kernel("scan_downsweep", 1 + blocks)?,
            },
            sort_list: interface.kernel("sort_list", list_groups)?,
            sort_scatter: interface.pass("sort_scatter", scatter, boid_groups, ranked),
            steering: Steering::new(device, settings, &interface, buffers)?,
            quantized: quantized.then_some(SORTED_QUANTIZED),
            by_address,
            unread: vec![None; slots],
        })
    }

    /// Sets every cell's count to zero.
    pub fn grid_clear(&self, rec: &mut Recorder<'_>, uses: Uses) {
        let pass = Pass { name: "grid_clear", stage: Stage::CLEAR, uses: &uses };
        rec.pass(&pass, |rec| rec.fill_buffer(&self.steering.buffers[CELL_COUNTS], 0));
    }

    /// Moves every boid to its place in cell order, by identity within a cell.
    pub fn sort_scatter(&self, rec: &mut Recorder<'_>, step: StepSlot, uses: Uses) {
        // A boid is compared with all of its cell, which `steer` then visits: where that needs slices, this does too.
        self.sort_scatter.record_in_slices(rec, step, self.steering.groups_at_once(), uses);
    }

    /// Reads the crowding of the last step in frame slot `slot`, which the device is done with.
    pub(in crate::flock) fn read_crowding(&mut self, slot: usize) {
        if let Some(step) = self.unread[slot].take() {
            self.steering.pace.note(self.steering.buffers[CROWDING].read_one(crowding_entry(step)), step);
        }
    }

    /// Reads the crowding of every frame slot, oldest first. The device must be done with all of them.
    pub(in crate::flock) fn read_all_crowding(&mut self) {
        let mut slots: Vec<usize> = (0..self.unread.len()).filter(|&slot| self.unread[slot].is_some()).collect();
        slots.sort_by_key(|&slot| self.unread[slot]);
        slots.into_iter().for_each(|slot| self.read_crowding(slot));
    }

    /// Notes that `step` is the last of the steps in frame slot `slot`.
    pub(in crate::flock) fn expect_crowding(&mut self, slot: usize, step: u32) {
        self.unread[slot] = Some(step);
    }

    /// Notes that the state was replaced, so crowding from the steps in flight is not used.
    pub(in crate::flock) fn forget_crowding(&mut self) {
        self.unread.fill(None);
    }
}

/// Boids of a cell that `sort_scatter` puts in order, at most, on a robust device, so that a step over invalid data
/// ends; 0, for no limit, on others. A cell with more keeps the order of the ranks. In an intact flock only one that
/// has collapsed has such a cell.
fn most_compared(device: &Device, settings: &Settings) -> u32 {
    if device.is_robust() { settings.boids.min(1 << 16) } else { 0 }
}
