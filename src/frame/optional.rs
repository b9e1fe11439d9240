//! What only some frames have: a leader, order parameters, trails, counts of values, and the first use of a texture.

use crate::flock::steppers::Steering;
use crate::flock::{Flock, Observer, StepSlot};
use crate::render::{Scene, SceneSlot};
use crate::vk::{Access, Dependency, Hazard, ImageDependency, Layout, Recorder, Stage};

/// Records the search for the leader's position before the step, which `steer` reads; nothing for a flock without a leader.
pub(super) fn record_leader(rec: &mut Recorder<'_>, steering: &Steering, step: StepSlot) {
    let Some(find_leader) = &steering.find_leader else { return };
    find_leader.record(rec, step);

    rec.barrier(Dependency {
        name: "leader-to-steer",
        hazards: &[Hazard::Raw],
        guards: &["leader_position"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "steer reads where the leader was before the step. (The previous step's steer has read it before it is \
                 overwritten, because dependencies before this one wait for all earlier compute shaders.)",
    });
}

/// Records the transitions of the boids' states after `steer`, if the step has any. Whether it has.
pub(super) fn record_transition(rec: &mut Recorder<'_>, flock: &Flock, step: StepSlot) -> bool {
    let Some(transition) = flock.transition_in(step) else { return false };
    rec.barrier(Dependency {
        name: "steer-to-transition",
        hazards: &[Hazard::Raw, Hazard::Waw, Hazard::PreviousFrame],
        guards: &["position_vx", "velocity_yz", "boid_id", "behavior", "observed"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
        reason: "transition reads how steer moved each boid, puts back those that perch, and replaces the state that the \
                 transition before it wrote. The order parameters, which come next, read what was observed before steer.",
    });
    transition.record(rec, step);
    true
}

/// Records the order parameters of the flock before an observed step: sums and means, then, with the center of mass known, sums
/// and mean of the rotation around it.
///
/// If states have `changed` since the observation, the dependency before that has made the neighborhoods visible.
pub(super) fn record_order(rec: &mut Recorder<'_>, observer: &Observer, step: StepSlot, changed: bool) {
    if !changed {
        rec.barrier(Dependency {
            name: "observe-to-order",
            hazards: &[Hazard::Raw],
            guards: &["observed"],
            relies_on: &[],
            src_stage: Stage::COMPUTE_SHADER,
            src_access: Access::SHADER_STORAGE_WRITE,
            dst_stage: Stage::COMPUTE_SHADER,
            dst_access: Access::SHADER_STORAGE_READ,
            reason: "The sums read the neighborhood of each boid. The sorted copy is already visible to compute shaders.",
        });
    }
    observer.order_reduce.record(rec, step);

    rec.barrier(Dependency {
        name: "order-to-mean",
        hazards: &[Hazard::Raw],
        guards: &["order_partials"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "One workgroup adds up the sums of the others.",
    });
    observer.order_mean.record(rec, step);

    rec.barrier(Dependency {
        name: "mean-to-milling",
        hazards: &[Hazard::Raw],
        guards: &["order_means"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "Milling is measured about the center of mass, which is one of the means.",
    });
    observer.milling_reduce.record(rec, step);

    rec.barrier(Dependency {
        name: "milling-to-mean",
        hazards: &[Hazard::Raw],
        guards: &["milling_partials"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "Again, one workgroup adds up the sums of the others. The means are already visible to it.",
    });
    observer.milling_mean.record(rec, step);

    rec.barrier(Dependency {
        name: "order-to-host",
        hazards: &[Hazard::Raw, Hazard::Host],
        guards: &["order_record"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::HOST,
        dst_access: Access::HOST_READ,
        reason: "The host reads the record after the frame's fence, which orders the two but makes nothing visible to the \
                 host. Each frame in flight has its own record, so no pass waits before it writes one.",
    });
    rec.host_reads("order_record");
}

/// Before the steps of a frame that draws over its picture: the previous frame has drawn from what this one overwrites.
pub(super) fn record_before_overlay(rec: &mut Recorder<'_>, scene: &Scene) {
    if !scene.draws_over() {
        return;
    }
    rec.barrier(Dependency {
        name: "overlay-to-frame",
        hazards: &[Hazard::War, Hazard::PreviousFrame],
        guards: &["samples", "position_vx", "velocity_yz", "boid_id", "trail_history", "trail_list"],
        relies_on: &["cull-to-upload", "compose-to-clear"],
        src_stage: Stage::FRAGMENT_SHADER,
        src_access: Access::NONE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::NONE,
        reason: "The previous frame's trails are drawn from the state, the history and the list that compute shaders of this frame \
                 write. They are read in stages logically earlier than fragment shading, so the first scope includes them. \
                 Trails and cells also look up samples, which this frame clears after it has waited for compute shaders.",
    });
}

/// Records the flock's positions after `after` steps of the frame for trails, if the look has any: every few steps.
pub(super) fn record_trails(rec: &mut Recorder<'_>, scene: &Scene, after: usize) {
    let Some(recording) = scene.recording(after) else { return };
    rec.barrier(Dependency {
        name: "steer-to-trail",
        hazards: &[Hazard::Raw, Hazard::Waw],
        guards: &["position_vx", "boid_id", "trail_history"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
        reason: "trail_record stores the positions that steer wrote, next to earlier ones: it reads the last moment, and \
                 overwrites the oldest.",
    });
    scene.trail_record(rec, recording);
}

/// Records the count of the values that colors show, if their range is fitted to the flock.
///
/// The dependencies before `cull` have made visible what it reads.
pub(super) fn record_values(rec: &mut Recorder<'_>, scene: &Scene, slot: SceneSlot) {
    if scene.values().is_none() {
        return;
    }
    scene.value_histogram(rec, slot);

    rec.barrier(Dependency {
        name: "values-to-host",
        hazards: &[Hazard::Raw, Hazard::Host],
        guards: &["value_counts"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::HOST,
        dst_access: Access::HOST_READ,
        reason: "The host reads the counts after the frame's fence, which orders the two but makes nothing visible to the host. \
                 Each frame in flight has its own counts, so no pass waits before it writes them.",
    });
    rec.host_reads("value_counts");
}

/// Records the filling of the texture of fish, in the first frame that draws them.
pub(super) fn record_skin(rec: &mut Recorder<'_>, scene: &Scene, slot: SceneSlot) {
    let Some(image) = scene.skin_to_fill(slot) else { return };
    rec.image_barrier(ImageDependency {
        name: "start-to-skin",
        hazards: &[Hazard::Layout],
        image,
        relies_on: &[],
        src_stage: Stage::NONE,
        src_access: Access::NONE,
        old_layout: Layout::UNDEFINED,
        dst_stage: Stage::COPY,
        dst_access: Access::TRANSFER_WRITE,
        new_layout: Layout::TRANSFER_DST_OPTIMAL,
        reason: "A new texture has the layout UNDEFINED and no earlier access, so there is nothing to wait for.",
    });
    scene.skin_upload(rec);
    rec.image_barrier(ImageDependency {
        name: "skin-to-draw",
        hazards: &[Hazard::Layout, Hazard::Raw, Hazard::PreviousFrame],
        image,
        relies_on: &[],
        src_stage: Stage::COPY,
        src_access: Access::TRANSFER_WRITE,
        old_layout: Layout::TRANSFER_DST_OPTIMAL,
        dst_stage: Stage::FRAGMENT_SHADER,
        dst_access: Access::SHADER_SAMPLED_READ,
        new_layout: Layout::SHADER_READ_ONLY_OPTIMAL,
        reason: "The fragment shader samples the texture, in this and later frames. Vertex shading need not wait.",
    });
}
