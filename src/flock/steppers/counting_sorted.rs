//! Steps whose search needs the flock in cell order, by a counting sort: clear, count, scan, scatter, steer.

use super::interface::{Interface, Kernel, SORTED, STATE, read, read_write, write};
use super::steering::Steering;
use crate::error::Result;
use crate::flock::buffers::{Buffers, CELL_COUNTS, CROWDING, Part};
use crate::flock::layout::Crowding;
use crate::flock::settings::Settings;
use crate::flock::state::State;
use crate::limits::{CROWDING_REPORTS, SCAN_BLOCK, WORKGROUP_SIZE};
use crate::vk::{Device, Pass, Recorder, Stage, Use};
use std::sync::Arc;

/// Steps by a counting sort.
pub struct CountingSorted {
    /// Counts the boids of every cell; the count before a boid's own addition is its rank in the cell.
    pub grid_count: Kernel,
    /// Turns the counts into the starts of the cells.
    pub scan: ScanKernels,
    /// Moves every boid to the place `cell_starts[cell] + cell_rank`.
    pub sort_scatter: Kernel,
    /// Visits neighbors and moves the boids.
    pub steering: Steering,
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

impl ScanKernels {
    /// Creates them for `cells` cells.
    ///
    /// # Errors
    /// The error of creating an object.
    pub(crate) fn new(interface: &Arc<Interface>, cells: u32) -> Result<ScanKernels> {
        let blocks = u64::from(cells.div_ceil(SCAN_BLOCK));
        let reduced = [read("cell_counts"), write("block_sums"), write("block_crowding")];
        let sums = [read("cell_counts"), read("block_sums"), read("block_crowding")];
        let swept = [write("cell_starts"), write("crowding")];
        Ok(ScanKernels {
            reduce: interface.kernel("scan_reduce", blocks, &[&reduced])?,
            spine: interface.kernel("scan_spine", 1, &[&[read_write("block_sums")]])?,
            downsweep: interface.kernel("scan_downsweep", 1 + blocks, &[&sums, &swept])?,
        })
    }
}

impl CountingSorted {
    /// Creates it for the flock of `settings` whose state is `state`, for `slots` frames in flight.
    ///
    /// # Errors
    /// The error of creating an object.
    pub fn new(
        device: &Arc<Device>,
        settings: &Settings,
        state: &State,
        slots: usize,
        by_address: bool,
    ) -> Result<CountingSorted> {
        let parts = [Part::Sorted, Part::Counted, Part::Quantized, Part::Influences];
        let buffers = Buffers::new(device, settings, &parts, by_address)?;
        let seen = [vec![&state.buffers, &buffers]];
        let interface = Interface::new(device, "counting sorted", &state.ring, &seen, by_address)?;
        let boid_groups = settings.boids.div_ceil(WORKGROUP_SIZE).into();
        let counted = [read("position_vx"), write("cell_rank"), read_write("cell_counts")];
        let quantized = settings.search.info().quantized;
        let written: &[Use] = if quantized { &[write("sorted_quantized")] } else { &[] };
        let scattered: [&[Use]; 4] =
            [&STATE.map(read), &[read("cell_rank"), read("cell_starts")], &SORTED.map(write), written];
        let scatter = interface.pipeline("sort_scatter", &[quantized.into()])?;
        Ok(CountingSorted {
            grid_count: interface.kernel("grid_count", boid_groups, &[&counted])?,
            scan: ScanKernels::new(&interface, settings.grid().cell_count)?,
            sort_scatter: interface.pass("sort_scatter", scatter, boid_groups, &scattered),
            steering: Steering::new(device, settings, &interface, buffers)?,
            by_address,
            unread: vec![None; slots],
        })
    }

    /// Sets every cell's count to zero.
    pub fn grid_clear(&self, rec: &mut Recorder<'_>) {
        rec.pass(&GRID_CLEAR, |rec| rec.fill_buffer(&self.steering.buffers[CELL_COUNTS], 0));
    }

    /// Reads the crowding of the last step in frame slot `slot`, which the device is done with.
    pub(in crate::flock) fn read_crowding(&mut self, slot: usize) {
        if let Some(step) = self.unread[slot].take() {
            let place = u64::from(step % CROWDING_REPORTS) * size_of::<Crowding>() as u64;
            self.steering.pace.note(self.steering.buffers[CROWDING].read(place, 1)[0], step);
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

const GRID_CLEAR: Pass<'_> = Pass { name: "grid_clear", stage: Stage::CLEAR, uses: &[Use::clear("cell_counts")] };
