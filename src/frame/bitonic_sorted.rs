//! Steps of a flock in cell order by a bitonic sort: pair, sort, mark, gather, steer.

use super::words::*;

pub(super) fn step(rec: &mut Recorder<'_>, flock: &Flock, sorted: &BitonicSorted, step: StepSlot) {
    barrier!(rec, "steer-to-pairs", [Raw, PreviousFrame], [POSITION_VX],
        (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ),
        "The previous step moved the boids: they would be paired with cells that they have left.");
    sorted.pair_cells.record(rec, step, uses![read POSITION_VX, write CELL_PAIRS]);
    barrier!(rec, "pairs-to-local", [Raw, Waw], [CELL_PAIRS],
        (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ | SHADER_STORAGE_WRITE),
        "The pairs are sorted in place: old ones would be sorted, and new ones overwrite the result.");
    sorted.bitonic_local.record(rec, step, uses![read_write CELL_PAIRS]);
    for block in merged_blocks(flock.settings().boids) {
        for stride in exchanged_strides(block) {
            barrier!(rec, "sorted-to-exchange", [Raw, Waw], [CELL_PAIRS],
                (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ | SHADER_STORAGE_WRITE),
                "Each stage compares, in place, pairs that other workgroups have just written: some would be lost, \
                others doubled.");
            sorted.bitonic_exchange(rec, step, (block, stride), uses![read_write CELL_PAIRS]);
        }
        // From here on, a workgroup's pairs stay within its block, so the other stages of the merge share a dispatch.
        barrier!(rec, "exchange-to-merge", [Raw, Waw], [CELL_PAIRS],
            (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ | SHADER_STORAGE_WRITE),
            "The merge goes on, in place, with pairs that other workgroups have exchanged: some would be lost, others \
            doubled.");
        sorted.bitonic_merge.record(rec, step, uses![read_write CELL_PAIRS]);
    }
    barrier!(rec, "steer-to-ranges", [War, PreviousFrame], [CELL_RANGES], (COMPUTE_SHADER, NONE) => (CLEAR, NONE),
        "The previous step's steer reads the cells that are marked as empty here: it would find nobody in them.");
    sorted.ranges_clear(rec, uses![clear CELL_RANGES]);
    barrier!(rec, "clear-to-ranges", [Waw], [CELL_RANGES],
        (CLEAR, TRANSFER_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_WRITE),
        "Cells in use overwrite the mark: a mark that comes later would empty them.");
    barrier!(rec, "sort-to-gather", [Raw], [CELL_PAIRS],
        (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ),
        "pair_ranges and pair_gather read the sorted pairs: cells would begin where they do not, and boids would be \
        lost.");
    sorted.pair_ranges.record(rec, step, uses![read CELL_PAIRS, write CELL_RANGES]);
    // Independent of pair_ranges: both only read the pairs.
    sorted.pair_gather.record(rec, step, uses![read CELL_PAIRS STATE, write SORTED]);
    barrier!(rec, "gather-to-steer", [Raw, War], [SORTED, CELL_RANGES, STATE],
        (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ),
        "steer reads neighbors from the sorted copy, and overwrites the state that the gather reads: boids would be \
        lost or doubled.");
    optional::before_steer(rec, flock, &sorted.steering, step);
    sorted.steering.steer(rec, step, uses![read SORTED CELL_RANGES, write STATE]);
}
