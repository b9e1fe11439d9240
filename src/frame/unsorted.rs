//! Steps of a flock whose search needs no order: copy, steer.

use super::words::*;

/// Records one step.
pub(super) fn step(rec: &mut Recorder<'_>, flock: &Flock, unsorted: &Unsorted, step: StepSlot) {
    barrier!(rec, "steer-to-copy", [Raw, War, PreviousFrame], [STATE, SORTED, LEADER_POSITION],
        (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COPY, TRANSFER_READ), relies_on ["copy-to-steer"],
        "The previous step moved the boids, and reads the copy that is overwritten here: neighbors would be from two steps.");
    unsorted.state_copy(rec, flock.state_on_device(), uses![copy_from STATE, copy_to SORTED]);
    barrier!(rec, "copy-to-steer", [Raw, War, PreviousFrame], [SORTED, STATE, LEADER_POSITION],
        (COPY, TRANSFER_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ), relies_on ["steer-to-copy"],
        "steer reads neighbors from the copy, and overwrites the state that is copied: boids would be copied after they have moved. With \
         steer-to-copy this also orders find_leader after the previous step's steer, which reads where the leader was.");
    optional::before_steer(rec, flock, &unsorted.steering, step);
    unsorted.steering.steer(rec, step, uses![read SORTED, write STATE]);
}
