//! Steps of a flock whose search needs no order: copy, steer.

use super::words::*;
use barrier_proof::{Access, Dependency};

pub(super) fn step(rec: &mut Recorder<'_>, flock: &Flock, unsorted: &Unsorted, step: StepSlot) {
    barrier!(rec, "steer-to-copy", [Raw, Waw, War, PreviousFrame], [STATE, SORTED, LEADER_POSITION, OBSERVED],
        (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COPY, TRANSFER_READ), relies_on ["copy-to-steer"],
        "The previous step moved the boids, and reads the copy that is overwritten here: neighbors would be from two \
        steps.");
    unsorted.state_copy(rec, flock.state_on_device(), uses![copy_from STATE, copy_to SORTED]);
    let to_steer = dependency!("copy-to-steer", [Raw, Waw, War, PreviousFrame],
        [SORTED, STATE, LEADER_POSITION, OBSERVED],
        (COPY, TRANSFER_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ), relies_on ["steer-to-copy"],
        "steer reads neighbors from the copy, and overwrites the state that is copied: boids would be copied after \
         they have moved. With steer-to-copy this also orders find_leader after the previous step's steer, which reads \
         where the leader was, and observe after that of a step whose observation nobody has read.");
    let overwrites = if flock.observer_in(step).is_some() { Access::SHADER_STORAGE_WRITE } else { Access::NONE };
    rec.barrier(Dependency { dst_access: to_steer.dst_access | overwrites, ..to_steer });
    optional::before_steer(rec, flock, &unsorted.steering, step);
    unsorted.steering.steer(rec, step, uses![read SORTED, write STATE]);
}
