//! The frame, from top to bottom.
//!
//! [`record_steps`] and [`record_frame`] are straight lines: every pass, and between the passes every
//! dependency with the hazards it resolves and the reason for it. Nothing here is inferred, and nothing is said
//! twice: `starlings sync` prints these very fields, and `starlings sync prove` shows that each bit of them is
//! needed. A write-after-read hazard needs execution order only, so both its accesses are `NONE`.
//!
//! Here stand the step of the default stepper and the picture. The other steppers have a file each under `frame/`, where the
//! picture ends up is said in `frame/output.rs`, and what only some frames hold in `frame/optional.rs`: in the same form, and
//! called where they take their place.
//!
//! All work goes to one queue. There, the first scope of a barrier holds every command earlier in submission
//! order, those of earlier submissions too: this is how the first barriers of a step order it after the
//! frame before, with no semaphore and no wait on the host.

mod bitonic_sorted;
mod embedded;
mod optional;
mod output;
mod unsorted;
mod uploaded;

use crate::flock::steppers::CountingSorted;
use crate::flock::{Flock, StepSlot, Stepper};
use crate::vk::{Access, Dependency, Hazard, ImageDependency, Layout, Recorder, Stage};
use bitonic_sorted::record_bitonic_sorted_step;
pub use embedded::{AFTER_STEPS, BEFORE_STEPS};
use optional::{record_leader, record_order, record_trails};
pub use output::{ACQUIRE_STAGE, FrameView, Output};
use output::{record_arrival, record_departure};
use unsorted::record_unsorted_step;
use uploaded::record_uploaded_step;

/// Records simulation steps, and hands over to the host how crowded they found the flock.
pub fn record_steps(rec: &mut Recorder<'_>, flock: &Flock, steps: &[StepSlot]) {
    for &step in steps {
        record_step(rec, flock, step);
    }
    hand_over_crowding(rec, flock, steps);
}

/// Records one simulation step, as the flock's stepper takes it; or brings over the one that the processor has taken. If a
/// step's order parameters are asked for, they are those of the flock before it.
fn record_step(rec: &mut Recorder<'_>, flock: &Flock, step: StepSlot) {
    match flock.stepper() {
        Stepper::CountingSorted(sorted) => record_counting_sorted_step(rec, flock, sorted, step),
        Stepper::BitonicSorted(sorted) => record_bitonic_sorted_step(rec, flock, sorted, step),
        Stepper::Unsorted(unsorted) => record_unsorted_step(rec, flock, unsorted, step),
        Stepper::Uploaded(uploaded) => record_uploaded_step(rec, flock, uploaded, step),
    }
    if let Some(observer) = flock.order_in(step) {
        record_order(rec, observer, step);
    }
}

/// Records a step whose search needs the flock in cell order: bin, scan, sort, steer.
fn record_counting_sorted_step(rec: &mut Recorder<'_>, flock: &Flock, sorted: &CountingSorted, step: StepSlot) {
    rec.barrier(Dependency {
        name: "downsweep-to-clear",
        hazards: &[Hazard::War, Hazard::PreviousFrame],
        guards: &["cell_counts"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::NONE,
        dst_stage: Stage::CLEAR,
        dst_access: Access::NONE,
        reason: "The scan of the step before has read the counts that are wiped now.",
    });
    sorted.grid_clear(rec);

    // In one command, so that neither leans on what the other makes visible.
    rec.barriers(&[
        Dependency {
            name: "clear-to-count",
            hazards: &[Hazard::Raw, Hazard::Waw],
            guards: &["cell_counts"],
            relies_on: &[],
            src_stage: Stage::CLEAR,
            src_access: Access::TRANSFER_WRITE,
            dst_stage: Stage::COMPUTE_SHADER,
            dst_access: Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
            reason: "The atomics read the zeros and write over them.",
        },
        Dependency {
            name: "steer-to-count",
            hazards: &[Hazard::Raw, Hazard::PreviousFrame],
            guards: &["position_vx"],
            relies_on: &[],
            src_stage: Stage::COMPUTE_SHADER,
            src_access: Access::SHADER_STORAGE_WRITE,
            dst_stage: Stage::COMPUTE_SHADER,
            dst_access: Access::SHADER_STORAGE_READ,
            reason: "The boids have moved in the step before.",
        },
    ]);
    sorted.grid_count.record(rec, step);

    rec.barrier(Dependency {
        name: "count-to-reduce",
        hazards: &[Hazard::Raw],
        guards: &["cell_counts"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "The scan reads the counts that the atomics wrote.",
    });
    sorted.scan.reduce.record(rec, step);

    rec.barrier(Dependency {
        name: "reduce-to-spine",
        hazards: &[Hazard::Raw, Hazard::Waw],
        guards: &["block_sums"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
        reason: "The spine scans the block sums in place.",
    });
    sorted.scan.spine.record(rec, step);

    rec.barrier(Dependency {
        name: "spine-to-downsweep",
        hazards: &[Hazard::Raw],
        guards: &["block_sums"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "Each block goes on from the sum of the blocks before it.",
    });
    sorted.scan.downsweep.record(rec, step);

    rec.barrier(Dependency {
        name: "downsweep-to-scatter",
        hazards: &[Hazard::Raw],
        guards: &["cell_starts"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "A boid's place is its cell's start plus its rank.",
    });
    sorted.sort_scatter.record(rec, step);

    rec.barrier(Dependency {
        name: "scatter-to-steer",
        hazards: &[Hazard::Raw, Hazard::War],
        guards: &[
            "sorted_position_vx",
            "sorted_velocity_yz",
            "sorted_boid_id",
            "sorted_quantized",
            "position_vx",
            "velocity_yz",
            "boid_id",
        ],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "Neighbors are read from the sorted copy; and the scatter has read the state that steer writes anew.",
    });
    let steering = &sorted.steering;
    record_leader(rec, steering, step);
    if let Some(observer) = flock.observer_in(step) {
        // Needs nothing of steer, nor steer of it: both only read what was sorted.
        observer.observe(rec, step, steering.groups_at_once());
    }
    steering.steer(rec, step);
}

/// Behind the steps of a submission: hands over to the host how crowded they found the flock, if they have looked.
fn hand_over_crowding(rec: &mut Recorder<'_>, flock: &Flock, steps: &[StepSlot]) {
    if let (Stepper::CountingSorted(_), false) = (flock.stepper(), steps.is_empty()) {
        rec.barrier(Dependency {
            name: "crowding-to-host",
            hazards: &[Hazard::Raw, Hazard::Host],
            guards: &["crowding"],
            relies_on: &["downsweep-to-scatter"],
            src_stage: Stage::COMPUTE_SHADER,
            src_access: Access::NONE,
            dst_stage: Stage::HOST,
            dst_access: Access::HOST_READ,
            reason: "Once it has waited for the fence of these steps, the host reads how crowded the cells were, to know into \
                     how many dispatches to cut the next ones. What the scan wrote is available since \
                     downsweep-to-scatter, but visible to shaders only. Each step in flight has an entry of its own.",
        });
        rec.host_reads("crowding");
    }
}

/// Records one frame: its simulation steps, then the picture of the state they lead to.
pub fn record_frame(rec: &mut Recorder<'_>, flock: &Flock, steps: &[StepSlot], view: &FrameView<'_>) {
    let (scene, slot, target) = (view.scene, view.slot, &view.attachments);

    rec.barrier(Dependency {
        name: "draw-to-frame",
        hazards: &[Hazard::War, Hazard::PreviousFrame],
        guards: &[
            "position_vx",
            "velocity_yz",
            "boid_id",
            "visible_boids",
            "draw_commands",
            // Colors that tell of neighbors:
            "observed",
            // Trails:
            "trail_history",
            "trail_list",
            "trail_commands",
        ],
        relies_on: &["cull-to-upload"],
        src_stage: Stage::VERTEX_SHADER,
        src_access: Access::NONE,
        dst_stage: Stage::COMPUTE_SHADER | Stage::CLEAR,
        dst_access: Access::NONE,
        reason: "The frame before has drawn from the state, the list of visible boids and the draw commands that this \
                 frame writes. It has fetched the commands in a stage logically earlier than vertex shading, which the \
                 first scope therefore holds too. Compute shaders are named for steps that do not begin with a fill.",
    });
    record_trails(rec, scene, 0);
    for (index, &step) in steps.iter().enumerate() {
        record_step(rec, flock, step);
        record_trails(rec, scene, index + 1);
    }
    hand_over_crowding(rec, flock, steps);

    scene.draw_reset(rec, flock);
    scene.trail_reset(rec);

    let reset_to_cull = Dependency {
        name: "reset-to-cull",
        hazards: &[Hazard::Raw, Hazard::Waw],
        guards: &["draw_commands", "trail_commands"],
        relies_on: &[],
        src_stage: Stage::CLEAR,
        src_access: Access::TRANSFER_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
        reason: "The atomics add to the counts that were just reset.",
    };
    if let Stepper::Uploaded(_) = flock.stepper() {
        // Whatever brought the state has made it visible already.
        rec.barrier(reset_to_cull);
    } else {
        let steer_to_cull = Dependency {
            name: "steer-to-cull",
            hazards: &[Hazard::Raw],
            guards: &["position_vx", "velocity_yz", "boid_id"],
            relies_on: &[],
            src_stage: Stage::COMPUTE_SHADER,
            src_access: Access::SHADER_STORAGE_WRITE,
            dst_stage: Stage::COMPUTE_SHADER,
            dst_access: Access::SHADER_STORAGE_READ,
            reason: "cull reads the state where steer wrote it. (For its shadows it also reads cell_starts, which \
                     downsweep-to-scatter has already made visible to compute shaders.)",
        };
        // In one command, so that neither leans on the other.
        rec.barriers(&[steer_to_cull, reset_to_cull]);
    }
    scene.cull(rec, slot);
    // Needs nothing of cull, nor cull of it: each has a list and draws of its own.
    scene.trail_cull(rec, slot);

    rec.barrier(Dependency {
        name: "cull-to-draw",
        hazards: &[Hazard::Raw],
        guards: &[
            "position_vx",
            "velocity_yz",
            "boid_id",
            "visible_boids",
            "draw_commands",
            // Colors that tell of neighbors:
            "observed",
            // Trails:
            "trail_history",
            "trail_list",
            "trail_commands",
        ],
        relies_on: &["upload-to-cull"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::DRAW_INDIRECT | Stage::VERTEX_SHADER,
        dst_access: Access::INDIRECT_COMMAND_READ | Access::SHADER_STORAGE_READ,
        reason: "The device fetches its own draw commands; the vertex shader looks up which boid an instance is, and \
                 reads its state where steer wrote it.",
    });
    if let Some(image) = scene.skin_to_fill(slot) {
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
            reason: "A new texture lies in no layout. Nobody has touched it before this first frame of its, so there is \
                     nothing to wait for.",
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
            reason: "The fragment shader samples what was copied, in this frame and in all later ones. Vertices need not \
                     wait for it.",
        });
    }
    rec.image_barrier(ImageDependency {
        name: "color-to-draw",
        hazards: &[Hazard::Layout, Hazard::Waw, Hazard::PreviousFrame],
        image: target.color,
        relies_on: &[],
        src_stage: Stage::COLOR_ATTACHMENT_OUTPUT,
        src_access: Access::COLOR_ATTACHMENT_WRITE,
        old_layout: Layout::UNDEFINED,
        dst_stage: Stage::COLOR_ATTACHMENT_OUTPUT,
        dst_access: Access::COLOR_ATTACHMENT_READ | Access::COLOR_ATTACHMENT_WRITE,
        new_layout: Layout::COLOR_ATTACHMENT_OPTIMAL,
        reason: "The contents of the frame before are dropped, but the memory is the same.",
    });
    rec.image_barrier(ImageDependency {
        name: "depth-to-draw",
        hazards: &[Hazard::Layout, Hazard::Waw, Hazard::PreviousFrame],
        image: target.depth,
        relies_on: &[],
        src_stage: Stage::EARLY_FRAGMENT_TESTS | Stage::LATE_FRAGMENT_TESTS,
        src_access: Access::DEPTH_STENCIL_ATTACHMENT_WRITE,
        old_layout: Layout::UNDEFINED,
        dst_stage: Stage::EARLY_FRAGMENT_TESTS | Stage::LATE_FRAGMENT_TESTS,
        dst_access: Access::DEPTH_STENCIL_ATTACHMENT_READ | Access::DEPTH_STENCIL_ATTACHMENT_WRITE,
        new_layout: Layout::DEPTH_ATTACHMENT_OPTIMAL,
        reason: "As color-to-draw. Depth is tested and written before the fragment shader where that is possible, and \
                 after it where not, so both stages take part.",
    });
    record_arrival(rec, target, view.output);
    rec.rendering(target, |rec| {
        // Primitives are drawn in order, so attachments need no dependency between the draws of one rendering.
        scene.draw_boids(rec, slot);
        scene.draw_targets(rec, slot);
        scene.draw_sky(rec, slot);
        scene.draw_cell(rec, slot);
        scene.draw_trails(rec, slot);
    });

    if let Some(panels) = view.panels {
        rec.barrier(Dependency {
            name: "resolve-to-panels",
            hazards: &[Hazard::Raw, Hazard::Waw],
            guards: &["swapchain_image"],
            relies_on: &[],
            src_stage: Stage::COLOR_ATTACHMENT_OUTPUT,
            src_access: Access::COLOR_ATTACHMENT_WRITE,
            dst_stage: Stage::COLOR_ATTACHMENT_OUTPUT,
            dst_access: Access::COLOR_ATTACHMENT_READ | Access::COLOR_ATTACHMENT_WRITE,
            reason: "Panels are blended over the resolved picture, in a rendering of their own because they need neither \
                     samples nor depth. Order among color attachments is implied only within one rendering; between two \
                     it takes this.",
        });
        panels.draw(rec, target);
    }

    record_departure(rec, target, view.output);
}
