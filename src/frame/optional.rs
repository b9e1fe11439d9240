//! What only some flocks and looks record: a leader, states, observations, trails, counts of values, obstacles, a copy
//! of the boids, and the first use of a texture. The default frame has a line where each belongs.

use super::words::*;
use crate::flock::Stepper;
use barrier_proof::Dependency;

/// Before the steps of a frame that draws over its picture: the previous frame has drawn from what this one overwrites.
pub(super) fn before_steps(rec: &mut Recorder<'_>, scene: &Scene) {
    if scene.draws_over() {
        barrier!(rec, "overlay-to-frame", [War, PreviousFrame], [SAMPLES, STATE, TRAIL_HISTORY, TRAIL_LIST],
            (FRAGMENT_SHADER, NONE) => (COMPUTE_SHADER, NONE), relies_on ["cull-to-upload", "compose-to-clear"],
            "The previous frame's trails are drawn from the state, the history and the list that compute shaders of \
            this frame write: some would lead to places of this frame. They are read in stages logically earlier than \
            fragment shading, so the first scope includes them. Trails and cells also look up samples, which this \
            frame clears after it has waited for compute shaders.");
    }
    trails(rec, scene, 0);
}

/// The flock's positions after `after` steps of the frame for trails, if the look has any: every few steps.
pub(super) fn trails(rec: &mut Recorder<'_>, scene: &Scene, after: usize) {
    let Some(recording) = scene.recording(after) else { return };
    barrier!(rec, "steer-to-trail", [Raw, Waw], [POSITION_VX, BOID_ID, TRAIL_HISTORY],
        (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ | SHADER_STORAGE_WRITE),
        "trail_record stores the positions that steer wrote, reads the last moment, and overwrites the oldest: a trail \
        would have a place twice, or jump.");
    scene.trail_record(rec, recording);
}

/// The search for the leader's position, and the observation of the flock, before `steer`. Observing is independent of
/// steering: both only read the sorted copy.
pub(super) fn before_steer(rec: &mut Recorder<'_>, flock: &Flock, steering: &Steering, step: StepSlot) {
    if let Some(find_leader) = &steering.find_leader {
        find_leader.record(rec, step, uses![read SORTED_POSITION_VX SORTED_BOID_ID, write LEADER_POSITION]);
        barrier!(rec, "leader-to-steer", [Raw], [LEADER_POSITION],
            (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ),
            "steer reads where the leader was before the step: boids would follow to where it was earlier. (The \
            previous step's steer has read it before it is overwritten, because dependencies before this one wait for \
            all earlier compute shaders.)");
    }
    if let Some(observer) = flock.observer_in(step) {
        observer.observe(rec, step, steering.groups_at_once(), uses![read SORTED_POSITION_VX, write OBSERVED]);
    }
}

/// The transitions of the boids' states after `steer`, and the order parameters of the flock before the step.
pub(super) fn after_steer(rec: &mut Recorder<'_>, flock: &Flock, step: StepSlot) {
    let transition = flock.transition_in(step);
    if let Some(transition) = transition {
        barrier!(rec, "steer-to-transition", [Raw, Waw, PreviousFrame], [STATE, BEHAVIOR, OBSERVED],
            (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ | SHADER_STORAGE_WRITE),
            "transition reads how steer moved each boid, puts back those that perch, and replaces the state that the \
            transition before it wrote: they would change by an old state. The order parameters, which come next, read \
            what was observed before steer.");
        transition.record(rec, step, uses![read BOID_ID SORTED_POSITION_VX SORTED_VELOCITY_YZ, read_write BEHAVIOR]);
    }
    let Some(observer) = flock.order_in(step) else { return };
    if transition.is_none() {
        barrier!(rec, "observe-to-order", [Raw], [OBSERVED],
            (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ),
            "The sums read the neighborhood of each boid: some would be of an earlier step. The sorted copy is already \
            visible to compute shaders.");
    }
    order(rec, observer, step);
}

/// The order parameters of the flock before an observed step: sums and means, then, with the center of mass known, sums
/// and mean of the rotation around it.
fn order(rec: &mut Recorder<'_>, observer: &crate::flock::Observer, step: StepSlot) {
    let sums = uses![read SORTED_POSITION_VX SORTED_VELOCITY_YZ OBSERVED, write ORDER_PARTIALS];
    observer.order_reduce.record(rec, step, sums);
    barrier!(rec, "order-to-mean", [Raw], [ORDER_PARTIALS],
        (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ),
        "One workgroup adds up the sums of the others: some would be old.");
    observer.order_mean.record(rec, step, uses![read SORTED_POSITION_VX ORDER_PARTIALS, write ORDER_MEANS]);
    barrier!(rec, "mean-to-milling", [Raw], [ORDER_MEANS],
        (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ),
        "Milling is measured about the center of mass, which is one of the means: it would be about an old one.");
    let turns = uses![read SORTED_POSITION_VX SORTED_VELOCITY_YZ ORDER_MEANS, write MILLING_PARTIALS];
    observer.milling_reduce.record(rec, step, turns);
    barrier!(rec, "milling-to-mean", [Raw], [MILLING_PARTIALS],
        (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ),
        "Again, one workgroup adds up the sums of the others: some would be old. The means are already visible to it.");
    observer.milling_mean.record(rec, step, uses![read ORDER_MEANS MILLING_PARTIALS, write ORDER_RECORD]);
    barrier!(rec, "order-to-host", [Raw, Host], [ORDER_RECORD],
        (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (HOST, HOST_READ),
        "The host reads the record after the frame's fence, which orders the two but makes nothing visible to the \
        host: it would read an old one. Each frame in flight has its own record, so no pass waits before it writes \
        one.");
    rec.host_reads(ORDER_RECORD);
}

/// What is independent of `cull` and, after it, `mirror`: each writes other buffers, and the dependencies before `cull`
/// have made visible what it reads.
pub(super) fn before_cull(rec: &mut Recorder<'_>, picture: &Picture<'_>) {
    if picture.scene.values().is_some() {
        picture.value_histogram(rec);
        barrier!(rec, "values-to-host", [Raw, Host], [VALUE_COUNTS],
            (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (HOST, HOST_READ),
            "The host reads the counts after the frame's fence, which orders the two but makes nothing visible to the \
            host: it would read old ones. Each frame in flight has its own counts, so no pass waits before it writes \
            them.");
        rec.host_reads(VALUE_COUNTS);
    }
    picture.trail_cull(rec);
    if let Some(image) = picture.scene.skin_to_fill(picture.slot) {
        image_barrier!(rec, "start-to-skin", [Layout], image,
            (NONE, NONE, UNDEFINED) => (COPY, TRANSFER_WRITE, TRANSFER_DST_OPTIMAL),
            "A new texture has the layout UNDEFINED and no earlier access, so there is nothing to wait for.");
        picture.scene.skin_upload(rec);
        image_barrier!(rec, "skin-to-draw", [Layout, Raw, PreviousFrame], image,
            (COPY, TRANSFER_WRITE, TRANSFER_DST_OPTIMAL) =>
            (FRAGMENT_SHADER, SHADER_SAMPLED_READ, SHADER_READ_ONLY_OPTIMAL),
            "The fragment shader samples the texture, in this and later frames: fish would have holes. Vertex shading \
            need not wait.");
    }
}

/// Targets and obstacles, which are put into the same samples as what was drawn before them; and the second round of a
/// device without 64-bit atomics.
pub(super) fn after_draw(rec: &mut Recorder<'_>, picture: &Picture<'_>) {
    let scene = picture.scene;
    if scene.has_targets() {
        draw_to_scenery(rec);
        picture.draw_targets(
            rec,
            uses![indirect DRAW_COMMANDS, indices MESH_INDICES, vertices MESH_VERTICES,
            fragment_read_write SAMPLES],
        );
    }
    for draw in scene.obstacle_draws() {
        draw_to_scenery(rec);
        picture.draw_obstacles(rec, draw, uses![fragment_read_write SAMPLES]);
    }
    if scene.rounds().len() > picture.round + 1 {
        two_rounds::colors(rec, picture);
    }
}

/// `dependency` of those who read samples. Looks that draw trails or a cell over the picture look samples up, too.
#[track_caller]
pub(super) fn barrier_of_samples(rec: &mut Recorder<'_>, picture: &Picture<'_>, dependency: Dependency) {
    let over = if picture.scene.draws_over() { Stage::FRAGMENT_SHADER } else { Stage::NONE };
    rec.barrier(Dependency { dst_stage: dependency.dst_stage | over, ..dependency });
}

fn draw_to_scenery(rec: &mut Recorder<'_>) {
    barrier!(rec, "draw-to-scenery", [Raw, Waw], [SAMPLES],
        (FRAGMENT_SHADER, SHADER_STORAGE_WRITE) => (FRAGMENT_SHADER, SHADER_STORAGE_READ | SHADER_STORAGE_WRITE),
        "Targets and obstacles are put into the same samples as what was drawn before them: what is behind might be \
        seen. Rasterization orders accesses to attachments, but not those to buffers.");
}

/// The copy of the boids for a window that looks for some of them, after the pixels are copied: `compose-to-copy` has
/// made the boids visible to copies, too.
pub(super) fn boid_copy(rec: &mut Recorder<'_>, flock: &Flock, view: &FrameView<'_>) {
    let Some(copy) = view.boids else { return };
    copy.record(rec, flock);
    let to_host = dependency!("boids-to-host", [Raw, Host], [BOID_COPY],
        (COPY, TRANSFER_WRITE) => (HOST, HOST_READ),
        "The host looks for boids in the copy after the frame's fence, which makes nothing visible to it: it would \
        find old ones. Each frame in flight has its own copy, so no pass waits before it writes one.");
    let to_steps = dependency!("boids-to-steps", [War, PreviousFrame], [STATE],
        (COPY, NONE) => (COMPUTE_SHADER, NONE),
        "The next frame's steps overwrite what is copied here (steer does, or the upload from a CPU engine): the copy \
        would have boids of two steps.");
    let writer = if let Stepper::Uploaded(_) = flock.stepper() { Stage::COPY } else { Stage::COMPUTE_SHADER };
    rec.barriers(&[to_host, Dependency { dst_stage: writer, ..to_steps }]);
    rec.host_reads(BOID_COPY);
}
