//! Steps whose search needs the flock in cell order, by a bitonic sort: pair, sort, mark, gather, steer.

use super::interface::{Interface, Kernel};
use super::steering::Steering;
use crate::error::Result;
use crate::flock::buffers::{Buffers, CELL_RANGES, Part};
use crate::flock::layout::BitonicStage;
use crate::flock::settings::Settings;
use crate::flock::state::{State, StepSlot};
use crate::limits::{BITONIC_BLOCK, WORKGROUP_SIZE};
use crate::vk::{Device, Pass, Recorder, Stage, Uses};
use std::sync::Arc;

/// Begin and end of a cell without boids.
pub const EMPTY_CELL: u32 = u32::MAX;

/// Steps by a bitonic sort.
pub struct BitonicSorted {
    /// Pairs each boid with its cell.
    pub pair_cells: Kernel,
    /// Sorts each block of pairs.
    pub bitonic_local: Kernel,
    bitonic_exchange: Kernel,
    /// The last stages of a merge.
    pub bitonic_merge: Kernel,
    /// Finds begin and end of every non-empty cell.
    pub pair_ranges: Kernel,
    /// Gathers every boid to its place in cell order.
    pub pair_gather: Kernel,
    /// Visits neighbors and moves the boids.
    pub steering: Steering,
    boids: u32,
}

impl BitonicSorted {
    /// Creates it for the flock of `settings` whose state is `state`.
    ///
    /// # Errors
    /// The error of creating an object.
    pub fn new(device: &Arc<Device>, settings: &Settings, state: &State) -> Result<BitonicSorted> {
        let parts = [Part::Sorted, Part::Paired, Part::Influences, Part::Leaders];
        let buffers = Buffers::new(device, std::slice::from_ref(settings), &parts, false)?;
        let seen = [vec![&state.buffers, &buffers]];
        let interface = Interface::new(device, "bitonic sorted", &state.ring, &seen, (1, false))?;
        let boid_groups = settings.boids.div_ceil(WORKGROUP_SIZE).into();
        let blocks = settings.boids.div_ceil(BITONIC_BLOCK).into();
        let exchange = interface.pipeline_with_push("bitonic_exchange", size_of::<BitonicStage>())?;
        Ok(BitonicSorted {
            pair_cells: interface.kernel("pair_cells", boid_groups)?,
            bitonic_local: interface.kernel("bitonic_local", blocks)?,
            bitonic_exchange: interface.pass("bitonic_exchange", exchange, 0, Uses::default()),
            bitonic_merge: interface.kernel("bitonic_merge", blocks)?,
            pair_ranges: interface.kernel("pair_ranges", boid_groups)?,
            pair_gather: interface.kernel("pair_gather", boid_groups)?,
            steering: Steering::new(device, settings, &interface, buffers)?,
            boids: settings.boids,
        })
    }

    /// One stage of merging blocks of `block` pairs; `stride` 0 is the first one, which mirrors.
    pub fn bitonic_exchange(&self, rec: &mut Recorder<'_>, step: StepSlot, (block, stride): (u32, u32), uses: Uses) {
        // A comparison for every two places of the blocks that contain pairs.
        let places = u64::from(self.boids.div_ceil(block)) * u64::from(block);
        self.bitonic_exchange.record_with(rec, step, uses, |rec, pipeline| {
            rec.push_compute(pipeline, &BitonicStage { block, stride });
            rec.dispatch((places / 2).div_ceil(WORKGROUP_SIZE.into()));
        });
    }

    /// Marks every cell as empty.
    pub fn ranges_clear(&self, rec: &mut Recorder<'_>, uses: Uses) {
        let pass = Pass { name: "ranges_clear", stage: Stage::CLEAR, uses: &uses };
        rec.pass(&pass, |rec| rec.fill_buffer(&self.steering.buffers[CELL_RANGES], EMPTY_CELL));
    }
}

/// Lengths of the blocks that are merged after `bitonic_local` has sorted blocks of [`BITONIC_BLOCK`] pairs.
pub fn merged_blocks(pairs: u32) -> impl Iterator<Item = u32> {
    // The last one has all pairs. In 64 bits, because the next length may not fit into 32.
    let mut block = u64::from(BITONIC_BLOCK);
    std::iter::from_fn(move || {
        let more = block < u64::from(pairs);
        block *= 2;
        more.then_some(block as u32)
    })
}

/// Strides of the stages of a merge that need a dispatch of their own: 0 is the first one, which mirrors.
pub fn exchanged_strides(block: u32) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(block / 4), |stride| Some(stride / 2))
        .take_while(|stride| *stride >= BITONIC_BLOCK)
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .chain([0])
        .rev()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merges_lead_from_blocks_to_all_pairs() {
        assert_eq!(merged_blocks(1).count(), 0);
        assert_eq!(merged_blocks(2_048).count(), 0);
        assert_eq!(merged_blocks(2_049).collect::<Vec<_>>(), [4_096]);
        assert_eq!(merged_blocks(10_000).collect::<Vec<_>>(), [4_096, 8_192, 16_384]);
        assert_eq!(merged_blocks(1 << 30).last(), Some(1 << 30));
        assert_eq!(exchanged_strides(4_096).collect::<Vec<_>>(), [0]);
        assert_eq!(exchanged_strides(16_384).collect::<Vec<_>>(), [0, 4_096, 2_048]);
        let stages: usize = merged_blocks(1 << 20).map(|block| exchanged_strides(block).count()).sum();
        assert_eq!(stages, 45, "as bitonic_exchange.comp says");
    }
}
