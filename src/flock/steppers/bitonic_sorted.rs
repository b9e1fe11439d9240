//! Steps whose search wants the flock in cell order, by a bitonic sort: pair, sort, mark, gather, steer.

use super::interface::Interface;
use super::steering::{COMPUTE, PARAMS, SORTED_WRITTEN, STATE_READ, Steering};
use crate::error::Result;
use crate::flock::buffers::{Buffers, CELL_RANGES, Part};
use crate::flock::layout::BitonicStage;
use crate::flock::settings::Settings;
use crate::flock::state::{State, StepSlot};
use crate::limits::{BITONIC_BLOCK, WORKGROUP_SIZE};
use crate::vk::{ComputePipeline, Device, Pass, Recorder, Stage, Use, uses};
use std::sync::Arc;

/// Begin and end of a cell without boids.
pub const EMPTY_CELL: u32 = u32::MAX;

/// Steps by a bitonic sort.
pub struct BitonicSorted {
    pair_cells: ComputePipeline,
    bitonic_local: ComputePipeline,
    bitonic_exchange: ComputePipeline,
    bitonic_merge: ComputePipeline,
    pair_ranges: ComputePipeline,
    pair_gather: ComputePipeline,
    pub(super) steering: Steering,
    pub(super) buffers: Buffers,
    boids: u32,
}

impl BitonicSorted {
    /// Builds it for the flock of `settings` whose state is `state`.
    ///
    /// # Errors
    /// What the device could not make.
    pub fn new(device: &Arc<Device>, settings: &Settings, state: &State) -> Result<BitonicSorted> {
        let parts = [Part::Sorted, Part::Paired, Part::Influences];
        let buffers = Buffers::new(device, settings, &parts, false)?;
        let interface = Interface::new(device, "bitonic sorted", state, &[&state.buffers, &buffers], false)?;
        let kernel = |name| interface.kernel(name, &[]);
        Ok(BitonicSorted {
            pair_cells: kernel("pair_cells")?,
            bitonic_local: kernel("bitonic_local")?,
            bitonic_exchange: interface.kernel_with_push("bitonic_exchange", size_of::<BitonicStage>())?,
            bitonic_merge: kernel("bitonic_merge")?,
            pair_ranges: kernel("pair_ranges")?,
            pair_gather: kernel("pair_gather")?,
            steering: Steering::new(device, settings, interface)?,
            buffers,
            boids: settings.boids,
        })
    }

    /// Pairs each boid with its cell.
    pub fn pair_cells(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.steering.interface.dispatch(rec, &PAIR_CELLS, &self.pair_cells, step, self.boid_groups());
    }

    /// Sorts each block of pairs.
    pub fn bitonic_local(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.steering.interface.dispatch(rec, &BITONIC_LOCAL, &self.bitonic_local, step, self.blocks());
    }

    /// One stage of merging blocks of `block` pairs; `stride` 0 is the mirrored first one.
    pub fn bitonic_exchange(&self, rec: &mut Recorder<'_>, step: StepSlot, block: u32, stride: u32) {
        // A comparison for every two places of the blocks that hold a pair.
        let places = u64::from(self.boids.div_ceil(block)) * u64::from(block);
        rec.pass(&BITONIC_EXCHANGE, |rec| {
            self.steering.interface.bind(rec, &self.bitonic_exchange, step);
            rec.push_compute(&self.bitonic_exchange, &BitonicStage { block, stride });
            rec.dispatch((places / 2).div_ceil(WORKGROUP_SIZE.into()));
        });
    }

    /// The last stages of a merge.
    pub fn bitonic_merge(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.steering.interface.dispatch(rec, &BITONIC_MERGE, &self.bitonic_merge, step, self.blocks());
    }

    /// Marks every cell as empty.
    pub fn ranges_clear(&self, rec: &mut Recorder<'_>) {
        rec.pass(&RANGES_CLEAR, |rec| rec.fill_buffer(&self.buffers[CELL_RANGES], EMPTY_CELL));
    }

    /// Finds begin and end of every cell that is not empty.
    pub fn pair_ranges(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.steering.interface.dispatch(rec, &PAIR_RANGES, &self.pair_ranges, step, self.boid_groups());
    }

    /// Fetches every boid to its place in cell order.
    pub fn pair_gather(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.steering.interface.dispatch(rec, &PAIR_GATHER, &self.pair_gather, step, self.boid_groups());
    }

    /// What looks at neighbors and moves the boids.
    pub fn steering(&self) -> &Steering {
        &self.steering
    }

    fn boid_groups(&self) -> u64 {
        self.boids.div_ceil(WORKGROUP_SIZE).into()
    }

    fn blocks(&self) -> u64 {
        self.boids.div_ceil(BITONIC_BLOCK).into()
    }
}

/// Lengths of the blocks that are merged after `bitonic_local` has sorted blocks of [`BITONIC_BLOCK`] pairs.
pub fn merged_blocks(pairs: u32) -> impl Iterator<Item = u32> {
    // The last one holds all pairs. In 64 bits, since the length behind it may not fit into 32.
    let mut block = u64::from(BITONIC_BLOCK);
    std::iter::from_fn(move || {
        let more = block < u64::from(pairs);
        block *= 2;
        more.then_some(block as u32)
    })
}

/// Strides of the stages of a merge that need a dispatch of their own: 0 stands for the mirrored first one.
pub fn exchanged_strides(block: u32) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(block / 4), |stride| Some(stride / 2))
        .take_while(|stride| *stride >= BITONIC_BLOCK)
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .chain([0])
        .rev()
}

const PAIR_CELLS: Pass<'_> = Pass {
    name: "pair_cells",
    stage: COMPUTE,
    uses: &[Use::uniform(COMPUTE, "step_params"), Use::read(COMPUTE, "position_vx"), Use::write(COMPUTE, "cell_pairs")],
};

const BITONIC_LOCAL: Pass<'_> = Pass {
    name: "bitonic_local",
    stage: COMPUTE,
    uses: &[Use::uniform(COMPUTE, "step_params"), Use::read_write(COMPUTE, "cell_pairs")],
};

const BITONIC_EXCHANGE: Pass<'_> = Pass { name: "bitonic_exchange", ..BITONIC_LOCAL };

const BITONIC_MERGE: Pass<'_> = Pass { name: "bitonic_merge", ..BITONIC_LOCAL };

const RANGES_CLEAR: Pass<'_> = Pass { name: "ranges_clear", stage: Stage::CLEAR, uses: &[Use::clear("cell_ranges")] };

const PAIR_RANGES: Pass<'_> = Pass {
    name: "pair_ranges",
    stage: COMPUTE,
    uses: &[Use::uniform(COMPUTE, "step_params"), Use::read(COMPUTE, "cell_pairs"), Use::write(COMPUTE, "cell_ranges")],
};

const PAIR_GATHER: Pass<'_> = Pass {
    name: "pair_gather",
    stage: COMPUTE,
    uses: uses![PARAMS, &[Use::read(COMPUTE, "cell_pairs")], STATE_READ, SORTED_WRITTEN],
};

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
