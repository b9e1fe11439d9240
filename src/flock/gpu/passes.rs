//! The passes of a step that sorts by counting or not at all: one method for each, and what each reads and writes.

use super::movement::{LEADER_READ, WEIGHTS_READ};
use super::{Flock, StepSlot};
use crate::flock::search::Search;
use crate::limits::{INFLUENCE_LEADER, SCAN_BLOCK, WORKGROUP_SIZE};
use crate::vk::{ComputePipeline, DescriptorSet, Pass, Recorder, Stage, Use, uses};

impl Flock {
    /// Copies the state as it is, for a search that needs no order, to where `steer` reads it.
    pub fn state_copy(&self, rec: &mut Recorder<'_>) {
        let buffers = &self.buffers;
        rec.pass(&STATE_COPY, |rec| {
            rec.copy_buffer(&buffers.position_vx, 0, &buffers.sorted_position_vx, 0, buffers.position_vx.size());
            rec.copy_buffer(&buffers.velocity_yz, 0, &buffers.sorted_velocity_yz, 0, buffers.velocity_yz.size());
            rec.copy_buffer(&buffers.boid_id, 0, &buffers.sorted_boid_id, 0, buffers.boid_id.size());
        });
    }

    /// Sets every cell's count to zero.
    pub fn grid_clear(&self, rec: &mut Recorder<'_>) {
        rec.pass(&GRID_CLEAR, |rec| rec.fill_buffer(&self.buffers.cell_counts, 0));
    }

    /// Counts the boids of every cell; the count before a boid's own addition is its rank in the cell.
    pub fn grid_count(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.kernel(rec, &GRID_COUNT, &self.grid_count, step, self.boid_groups());
    }

    /// Adds up the counts of each block of cells.
    pub fn scan_reduce(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.kernel(rec, &SCAN_REDUCE, &self.scan_reduce, step, self.scan_blocks());
    }

    /// Turns the block sums into their exclusive prefix sum, in one workgroup.
    pub fn scan_spine(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.kernel(rec, &SCAN_SPINE, &self.scan_spine, step, 1);
    }

    /// Scans each block of counts on from its block's start, and tells the host how crowded the cells are.
    pub fn scan_downsweep(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.kernel(rec, &SCAN_DOWNSWEEP, &self.scan_downsweep, step, 1 + self.scan_blocks());
    }

    /// Moves every boid to the place `cell_starts[cell] + cell_rank`.
    pub fn sort_scatter(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.kernel(rec, &SORT_SCATTER, &self.sort_scatter, step, self.boid_groups());
    }

    /// Visits the neighbors of every boid, and moves it as the law says.
    pub fn steer(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        let pass = match self.settings.search {
            Search::QuantizedGrid => &STEER_QUANTIZED,
            Search::SortedGrid | Search::Rows9 | Search::Cells27 => &STEER,
            Search::BitonicGrid => &STEER_IN_RANGES,
            Search::Tiles | Search::AllPairs => &STEER_UNSORTED,
        };
        let groups = u64::from(self.settings.boids.div_ceil(self.settings.search.workgroup()));
        let sets: Vec<&DescriptorSet> =
            std::iter::once(&self.set).chain(self.bitonic.as_ref().map(|grid| &grid.set)).collect();
        let influences = self.settings.influences();
        let weights = (influences != 0).then_some(WEIGHTS_READ);
        let leader = (influences & INFLUENCE_LEADER != 0).then_some(LEADER_READ);
        let uses: Vec<Use> = pass.uses.iter().copied().chain(weights).chain(leader).collect();
        rec.pass(&Pass { uses: &uses, ..*pass }, |rec| {
            self.bind(rec, &self.steer, &sets, step);
            rec.dispatch_in_slices(groups, self.groups_at_once);
        });
    }

    pub(super) fn kernel(
        &self,
        rec: &mut Recorder<'_>,
        pass: &Pass<'_>,
        pipeline: &ComputePipeline,
        step: StepSlot,
        groups: u64,
    ) {
        rec.pass(pass, |rec| {
            self.bind(rec, pipeline, &[&self.set], step);
            rec.dispatch(groups);
        });
    }

    pub(super) fn bind(
        &self,
        rec: &mut Recorder<'_>,
        pipeline: &ComputePipeline,
        sets: &[&DescriptorSet],
        step: StepSlot,
    ) {
        rec.bind_compute(pipeline, sets, &[step.0]);
        if let Some(addresses) = &self.addresses {
            rec.push_compute(pipeline, addresses);
        }
    }

    pub(super) fn boid_groups(&self) -> u64 {
        u64::from(self.settings.boids.div_ceil(WORKGROUP_SIZE))
    }

    pub(super) fn scan_blocks(&self) -> u64 {
        u64::from(self.grid.cell_count.div_ceil(SCAN_BLOCK))
    }
}

pub(super) const COMPUTE: Stage = Stage::COMPUTE_SHADER;
pub(super) const PARAMS: &[Use] = &[Use::uniform(COMPUTE, "step_params")];
/// The state before the step, in the order of the last.
pub(super) const STATE_READ: &[Use] =
    &[Use::read(COMPUTE, "position_vx"), Use::read(COMPUTE, "velocity_yz"), Use::read(COMPUTE, "boid_id")];
/// The state after it.
pub(super) const STATE_WRITTEN: &[Use] =
    &[Use::write(COMPUTE, "position_vx"), Use::write(COMPUTE, "velocity_yz"), Use::write(COMPUTE, "boid_id")];
/// The state before it in the order of this one's sort.
pub(super) const SORTED_WRITTEN: &[Use] = &[
    Use::write(COMPUTE, "sorted_position_vx"),
    Use::write(COMPUTE, "sorted_velocity_yz"),
    Use::write(COMPUTE, "sorted_boid_id"),
];
pub(super) const SORTED_READ: &[Use] = &[
    Use::read(COMPUTE, "sorted_position_vx"),
    Use::read(COMPUTE, "sorted_velocity_yz"),
    Use::read(COMPUTE, "sorted_boid_id"),
];

const STATE_COPY: Pass<'_> = Pass {
    name: "state_copy",
    stage: Stage::COPY,
    uses: &[
        Use::copy_from("position_vx"),
        Use::copy_from("velocity_yz"),
        Use::copy_from("boid_id"),
        Use::copy_to("sorted_position_vx"),
        Use::copy_to("sorted_velocity_yz"),
        Use::copy_to("sorted_boid_id"),
    ],
};

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

const SORT_SCATTER: Pass<'_> = Pass {
    name: "sort_scatter",
    stage: COMPUTE,
    uses: uses![
        PARAMS,
        STATE_READ,
        &[Use::read(COMPUTE, "cell_rank"), Use::read(COMPUTE, "cell_starts")],
        SORTED_WRITTEN,
        &[Use::write(COMPUTE, "sorted_quantized")],
    ],
};

const STEER: Pass<'_> = Pass {
    name: "steer",
    stage: COMPUTE,
    uses: uses![PARAMS, SORTED_READ, &[Use::read(COMPUTE, "cell_starts")], STATE_WRITTEN],
};

/// `steer` with the search that looks at quantized positions first.
const STEER_QUANTIZED: Pass<'_> = Pass {
    uses: uses![
        PARAMS,
        SORTED_READ,
        &[Use::read(COMPUTE, "sorted_quantized"), Use::read(COMPUTE, "cell_starts")],
        STATE_WRITTEN,
    ],
    ..STEER
};

/// `steer` with a search in the cells' ranges.
const STEER_IN_RANGES: Pass<'_> =
    Pass { uses: uses![PARAMS, SORTED_READ, &[Use::read(COMPUTE, "cell_ranges")], STATE_WRITTEN], ..STEER };

/// `steer` with a search that looks into no cells.
const STEER_UNSORTED: Pass<'_> = Pass { uses: uses![PARAMS, SORTED_READ, STATE_WRITTEN], ..STEER };
