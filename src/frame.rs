//! The frame, from top to bottom.
//!
//! [`record_steps`] and [`record_frame`] list the passes in order and, between them, the dependencies, each with the hazards
//! that it resolves and its reason. Nothing is inferred: `starlings sync` prints these fields, and `starlings sync prove` checks
//! that each bit of the masks is needed. A write-after-read hazard needs only an execution dependency, so both accesses are `NONE`.
//!
//! This file has the default stepper and the picture. Other steppers have a file each under `frame/`; outputs are in
//! `frame/output.rs`, optional parts in `frame/optional.rs`.
//!
//! All work goes to one queue. There, the first scope of a barrier includes all commands earlier in submission order, also those
//! of earlier submissions: so the first barriers of a step order it after the previous frame, without semaphores or host waits.

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

/// Records simulation steps, and makes the crowding that they measured visible to the host.
pub fn record_steps(rec: &mut Recorder<'_>, flock: &Flock, steps: &[StepSlot]) {
    for &step in steps {
        record_step(rec, flock, step);
    }
    hand_over_crowding(rec, flock, steps);
}

/// Records one simulation step by the flock's stepper, or uploads the state that the CPU engine has computed. If the step's order
/// parameters are requested, they are those of the flock before it.
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
        reason: "The previous step's scan reads the counts that are cleared here.",
    });
    sorted.grid_clear(rec);

    // In one command, so that neither relies on the other.
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
            reason: "The atomics read the zeros and overwrite them.",
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
            reason: "The previous step moved the boids.",
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
        reason: "Each block continues from the sum of the blocks before it.",
    });
    sorted.scan.downsweep.record(rec, step);

    rec.barrier(Dependency {
        name: "downsweep-to-list",
        hazards: &[Hazard::Raw],
        guards: &["cell_starts"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "A boid's place in the list is its cell's start plus its rank.",
    });
    sorted.sort_list.record(rec, step);

    rec.barrier(Dependency {
        name: "list-to-scatter",
        hazards: &[Hazard::Raw],
        guards: &["cell_members"],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "A boid's place is its cell's start plus the number of boids there with a lower id.",
    });
    sorted.sort_scatter(rec, step);

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
        reason: "steer reads neighbors from the sorted copy, and overwrites the state that the scatter reads.",
    });
    let steering = &sorted.steering;
    record_leader(rec, steering, step);
    if let Some(observer) = flock.observer_in(step) {
        // Independent of steer: both only read the sorted copy.
        observer.observe(rec, step, steering.groups_at_once());
    }
    steering.steer(rec, step);
}

/// After the steps of a submission: makes the crowding visible to the host, if the stepper measures it.
fn hand_over_crowding(rec: &mut Recorder<'_>, flock: &Flock, steps: &[StepSlot]) {
    if let (Stepper::CountingSorted(_), false) = (flock.stepper(), steps.is_empty()) {
        rec.barrier(Dependency {
            name: "crowding-to-host",
            hazards: &[Hazard::Raw, Hazard::Host],
            guards: &["crowding"],
            relies_on: &["downsweep-to-list"],
            src_stage: Stage::COMPUTE_SHADER,
            src_access: Access::NONE,
            dst_stage: Stage::HOST,
            dst_access: Access::HOST_READ,
            reason: "After the fence of these steps, the host reads the crowding, to decide into how many dispatches to split \
                     the next steps. downsweep-to-list has made the scan's writes available, but visible only to shaders. \
                     Each step in flight has its own entry.",
        });
        rec.host_reads("crowding");
    }
}

/// Records one frame: its simulation steps, then the picture of the resulting state.
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
            // For colors by neighbors:
            "observed",
            // For trails:
            "trail_history",
            "trail_list",
            "trail_commands",
        ],
        relies_on: &["cull-to-upload"],
        src_stage: Stage::VERTEX_SHADER,
        src_access: Access::NONE,
        dst_stage: Stage::COMPUTE_SHADER | Stage::CLEAR,
        dst_access: Access::NONE,
        reason: "The previous frame draws from the state, the list of visible boids and the draw commands that this frame \
                 writes. It fetches the commands in a stage logically earlier than vertex shading, so the first scope \
                 includes that stage. Compute shaders are named for steps that do not begin with a fill.",
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
        // upload-to-cull has already made the state visible.
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
            reason: "cull reads the state that steer wrote. (For its shadows it also reads cell_starts, which \
                     downsweep-to-list has already made visible to compute shaders.)",
        };
        // In one command, so that neither relies on the other.
        rec.barriers(&[steer_to_cull, reset_to_cull]);
    }
    scene.cull(rec, slot);
    // Independent of cull: each has its own list and draw commands.
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
            // For colors by neighbors:
            "observed",
            // For trails:
            "trail_history",
            "trail_list",
            "trail_commands",
        ],
        relies_on: &["upload-to-cull"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::DRAW_INDIRECT | Stage::VERTEX_SHADER,
        dst_access: Access::INDIRECT_COMMAND_READ | Access::SHADER_STORAGE_READ,
        reason: "The device fetches the draw commands; the vertex shader looks up the boid of each instance, and reads the \
                 state that steer wrote.",
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
        reason: "The previous frame's contents are discarded, but the memory is the same.",
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
        reason: "As color-to-draw. Depth is tested and written before the fragment shader if possible, else after it, so both \
                 stages are named.",
    });
    record_arrival(rec, target, view.output);
    rec.rendering(target, |rec| {
        // Rasterization order applies, so attachments need no dependency between the draws of one rendering.
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
            reason: "Panels are blended over the resolved picture in a separate rendering, because they need neither \
                     multisampling nor depth. Accesses to a color attachment are ordered only within one rendering.",
        });
        panels.draw(rec, target);
    }

    record_departure(rec, target, view.output);
}
