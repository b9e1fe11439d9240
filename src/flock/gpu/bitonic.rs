//! The grid that a bitonic sort fills: its buffers, its kernels, and one method for each of its passes.
//!
//! Its buffers have a descriptor set of their own, so that flocks with another search know nothing of them.

use super::passes::{COMPUTE, PARAMS, SORTED_WRITTEN, STATE_READ};
use super::{Flock, StepSlot};
use crate::error::Result;
use crate::flock::layout::BitonicStage;
use crate::flock::memory::Sizes;
use crate::flock::settings::Settings;
use crate::limits::{BINDING_CELL_PAIRS, BINDING_CELL_RANGES, BITONIC_BLOCK, WORKGROUP_SIZE};
use crate::vk::{
    Binding, Buffer, BufferInfo, BufferUsage, ComputePipeline, DescriptorSet, Device, MemoryLocation, Pass, Recorder,
    Resource, SetLayout, ShaderStages, Stage, Use, uses,
};
use std::sync::Arc;

/// Begin and end of a cell without boids.
pub const EMPTY_CELL: u32 = u32::MAX;

/// A bitonic-sorted grid on a device.
pub struct BitonicGrid {
    pair_cells: ComputePipeline,
    bitonic_local: ComputePipeline,
    bitonic_exchange: ComputePipeline,
    bitonic_merge: ComputePipeline,
    pair_ranges: ComputePipeline,
    pair_gather: ComputePipeline,
    /// Shape of `set`, which the steering kernel sees as well.
    pub(super) layout: SetLayout,
    pub(super) set: DescriptorSet,
    /// Cell and place of each boid. Two `uint` a boid.
    pub cell_pairs: Buffer,
    /// First boid of each cell and the one behind its last. Two `uint` a cell.
    pub cell_ranges: Buffer,
}

impl BitonicGrid {
    /// Builds it for a flock of `settings`, whose own buffers are bound as `flock` says.
    pub(super) fn new(device: &Arc<Device>, settings: &Settings, flock: &SetLayout) -> Result<Self> {
        let sizes = Sizes::of(settings);
        let usage = BufferUsage::STORAGE_BUFFER | BufferUsage::TRANSFER_SRC | BufferUsage::TRANSFER_DST;
        let storage =
            |name, size| Buffer::new(device, &BufferInfo { name, size, usage, location: MemoryLocation::GpuOnly });
        let cell_pairs = storage("cell_pairs", sizes.cell_pairs)?;
        let cell_ranges = storage("cell_ranges", sizes.cell_ranges)?;
        let bindings = [BINDING_CELL_PAIRS, BINDING_CELL_RANGES].map(|b| Binding::storage(b, ShaderStages::COMPUTE));
        let layout = SetLayout::new(device, "bitonic", &bindings)?;
        let resources =
            [Resource::whole(BINDING_CELL_PAIRS, &cell_pairs), Resource::whole(BINDING_CELL_RANGES, &cell_ranges)];
        let set = DescriptorSet::new(device, "bitonic", &layout, &resources)?;
        let kernel = |name, push_bytes| ComputePipeline::new(device, name, &[flock, &layout], push_bytes);
        Ok(BitonicGrid {
            pair_cells: kernel("pair_cells", 0)?,
            bitonic_local: kernel("bitonic_local", 0)?,
            bitonic_exchange: kernel("bitonic_exchange", size_of::<BitonicStage>() as u32)?,
            bitonic_merge: kernel("bitonic_merge", 0)?,
            pair_ranges: kernel("pair_ranges", 0)?,
            pair_gather: kernel("pair_gather", 0)?,
            layout,
            set,
            cell_pairs,
            cell_ranges,
        })
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

impl Flock {
    /// Pairs each boid with its cell.
    pub fn pair_cells(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        let groups = self.boid_groups();
        self.bitonic_kernel(rec, &PAIR_CELLS, |grid| &grid.pair_cells, step, groups, None);
    }

    /// Sorts each block of pairs.
    pub fn bitonic_local(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        let groups = u64::from(self.settings.boids.div_ceil(BITONIC_BLOCK));
        self.bitonic_kernel(rec, &BITONIC_LOCAL, |grid| &grid.bitonic_local, step, groups, None);
    }

    /// One stage of merging blocks of `block` pairs; `stride` 0 is the mirrored first one.
    pub fn bitonic_exchange(&self, rec: &mut Recorder<'_>, step: StepSlot, block: u32, stride: u32) {
        // A comparison for every two places of the blocks that hold a pair.
        let places = u64::from(self.settings.boids.div_ceil(block)) * u64::from(block);
        let groups = (places / 2).div_ceil(WORKGROUP_SIZE.into());
        let stage = Some(BitonicStage { block, stride });
        self.bitonic_kernel(rec, &BITONIC_EXCHANGE, |grid| &grid.bitonic_exchange, step, groups, stage);
    }

    /// The last stages of a merge.
    pub fn bitonic_merge(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        let groups = u64::from(self.settings.boids.div_ceil(BITONIC_BLOCK));
        self.bitonic_kernel(rec, &BITONIC_MERGE, |grid| &grid.bitonic_merge, step, groups, None);
    }

    /// Marks every cell as empty.
    pub fn ranges_clear(&self, rec: &mut Recorder<'_>) {
        rec.pass(&RANGES_CLEAR, |rec| rec.fill_buffer(&self.bitonic().cell_ranges, EMPTY_CELL));
    }

    /// Finds begin and end of every cell that is not empty.
    pub fn pair_ranges(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        let groups = self.boid_groups();
        self.bitonic_kernel(rec, &PAIR_RANGES, |grid| &grid.pair_ranges, step, groups, None);
    }

    /// Fetches every boid to its place in cell order.
    pub fn pair_gather(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        let groups = self.boid_groups();
        self.bitonic_kernel(rec, &PAIR_GATHER, |grid| &grid.pair_gather, step, groups, None);
    }

    /// Its bitonic-sorted grid.
    ///
    /// # Panics
    /// When the flock's search has another: the frame asks the search first.
    pub fn bitonic(&self) -> &BitonicGrid {
        self.bitonic.as_ref().expect("a search on a bitonic-sorted grid")
    }

    fn bitonic_kernel(
        &self,
        rec: &mut Recorder<'_>,
        pass: &Pass<'_>,
        pipeline: fn(&BitonicGrid) -> &ComputePipeline,
        step: StepSlot,
        groups: u64,
        stage: Option<BitonicStage>,
    ) {
        let grid = self.bitonic();
        rec.pass(pass, |rec| {
            rec.bind_compute(pipeline(grid), &[&self.set, &grid.set], &[step.0]);
            if let Some(stage) = stage {
                rec.push_compute(pipeline(grid), &stage);
            }
            rec.dispatch(groups);
        });
    }
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
