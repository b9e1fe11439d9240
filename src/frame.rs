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
mod boid_copy;
mod embedded;
mod optional;
mod output;
mod unsorted;
mod uploaded;

use crate::flock::steppers::CountingSorted;
use crate::flock::{Flock, StepSlot, Stepper};
use crate::render::{Canvas, Scene};
use crate::vk::{Access, Dependency, Hazard, Recorder, Stage};
use bitonic_sorted::record_bitonic_sorted_step;
pub use boid_copy::BoidCopy;
pub use embedded::{AFTER_STEPS, BEFORE_STEPS};
use optional::{
    record_before_overlay, record_leader, record_order, record_skin, record_trails, record_transition, record_values,
};
use output::record_output;
pub use output::{ACQUIRE_STAGE, FrameView, Output, record_starting_frame};
use unsorted::record_unsorted_step;
use uploaded::record_uploaded_step;

/// Records simulation steps, and makes the crowding that they measured visible to the host.
pub fn record_steps(rec: &mut Recorder<'_>, flock: &Flock, steps: &[StepSlot]) {
    for &step in steps {
        rec.in_step(step.step());
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
    let changed = record_transition(rec, flock, step);
    if let Some(observer) = flock.order_in(step) {
        record_order(rec, observer, step, changed);
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
    let (scene, slot, canvas) = (view.scene, view.slot, view.canvas);

    record_before_overlay(rec, scene);
    let uploaded = matches!(flock.stepper(), Stepper::Uploaded(_));
    if uploaded {
        // Before the upload: after it, the dependencies of the clear would chain with that of the upload, and do its work.
        record_clear(rec, scene, canvas);
    }
    record_trails(rec, scene, 0);
    for (index, &step) in steps.iter().enumerate() {
        record_step(rec, flock, step);
        record_trails(rec, scene, index + 1);
    }
    hand_over_crowding(rec, flock, steps);

    if !uploaded {
        record_clear(rec, scene, canvas);
    }

    let clear_to_cull = Dependency {
        name: "clear-to-cull",
        hazards: &[Hazard::Raw, Hazard::Waw],
        guards: &["samples", "mirror", "draw_commands", "trail_commands"],
        relies_on: &[],
        src_stage: Stage::CLEAR,
        src_access: Access::TRANSFER_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
        reason: "cull puts boids into the samples that were just cleared, and its atomics add to the counts that were just reset.",
    };
    if uploaded {
        // upload-to-cull has already made the state visible.
        rec.barrier(clear_to_cull);
    } else {
        let steer_to_cull = Dependency {
            name: "steer-to-cull",
            hazards: &[Hazard::Raw],
            guards: &["position_vx", "velocity_yz", "boid_id", "behavior"],
            relies_on: &[],
            src_stage: Stage::COMPUTE_SHADER,
            src_access: Access::SHADER_STORAGE_WRITE,
            dst_stage: Stage::COMPUTE_SHADER,
            dst_access: Access::SHADER_STORAGE_READ,
            reason: "cull reads the state that steer and transition wrote. (For its shadows it also reads cell_starts, which \
                     downsweep-to-list has already made visible to compute shaders.)",
        };
        // In one command, so that neither relies on the other.
        rec.barriers(&[steer_to_cull, clear_to_cull]);
    }
    // Independent of cull, as are trail_cull and, after it, mirror: each writes other buffers.
    record_values(rec, scene, slot);
    scene.trail_cull(rec, slot);
    record_skin(rec, scene, slot);

    // One round, or two on a device without 64-bit atomics: see glsl/include/samples.glsl.
    let (rounds, mirrors) = (scene.rounds(), scene.mirrors());
    for round in rounds.clone() {
        if round > 0 {
            rec.barrier(Dependency {
                name: "depths-to-colors",
                hazards: &[Hazard::Raw, Hazard::War, Hazard::Waw],
                guards: &["samples", "draw_commands", "visible_boids"],
                relies_on: &["cull-to-draw"],
                src_stage: Stage::FRAGMENT_SHADER,
                src_access: Access::SHADER_STORAGE_WRITE,
                dst_stage: Stage::COMPUTE_SHADER,
                dst_access: Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
                reason: "The second round finds colors at the depths that the first has found, and looks up whether the list is \
                         full. cull-to-draw has made the first cull's writes available.",
            });
        }
        scene.cull(rec, canvas, slot, round);
        if round == rounds.start {
            scene.mirror(rec, canvas, slot);
        }

        rec.barrier(Dependency {
            name: "cull-to-draw",
            hazards: &[Hazard::Raw, Hazard::Waw],
            guards: &[
                "visible_boids",
                "draw_commands",
                "samples",
                // For trails:
                "position_vx",
                "velocity_yz",
                "boid_id",
                "trail_history",
                "trail_list",
                "trail_commands",
                // For compose:
                "mirror",
            ],
            relies_on: match (rounds.len() > 1, mirrors) {
                (false, false) => &["upload-to-cull"],
                (true, false) => &["upload-to-cull", "depths-to-colors"],
                (false, true) => &["upload-to-cull", "draw-to-compose"],
                (true, true) => &["upload-to-cull", "depths-to-colors", "draw-to-compose"],
            },
            src_stage: Stage::COMPUTE_SHADER,
            src_access: Access::SHADER_STORAGE_WRITE,
            dst_stage: Stage::DRAW_INDIRECT | Stage::VERTEX_SHADER | Stage::FRAGMENT_SHADER,
            dst_access: Access::INDIRECT_COMMAND_READ | Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
            reason: "The device fetches the draw commands; the vertex shader looks up the boid of each instance; the fragment \
                     shader puts surfaces into samples that cull has put others into.",
        });
        rec.rasterizing(canvas.blocks(), |rec| scene.draw_boids(rec, canvas, slot, round));
        for part in scene.scenery() {
            rec.barrier(Dependency {
                name: "draw-to-scenery",
                hazards: &[Hazard::Raw, Hazard::Waw],
                guards: &["samples"],
                relies_on: &[],
                src_stage: Stage::FRAGMENT_SHADER,
                src_access: Access::SHADER_STORAGE_WRITE,
                dst_stage: Stage::FRAGMENT_SHADER,
                dst_access: Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
                reason: "Targets and obstacles are put into the same samples as what was drawn before them. Rasterization orders \
                         accesses to attachments, but not those to buffers.",
            });
            rec.rasterizing(canvas.blocks(), |rec| scene.draw_scenery(rec, canvas, slot, (part, round)));
        }
    }

    rec.barrier(Dependency {
        name: "draw-to-compose",
        hazards: &[Hazard::Raw, Hazard::War, Hazard::PreviousFrame],
        guards: &["samples", "visible_boids", "mirror"],
        relies_on: if mirrors { &["cull-to-draw"] } else { &[] },
        src_stage: Stage::FRAGMENT_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        // Trails and cells look samples up, too.
        dst_stage: if scene.draws_over() { Stage::COMPUTE_SHADER | Stage::FRAGMENT_SHADER } else { Stage::COMPUTE_SHADER },
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "A pixel is composed of samples that the draws wrote, and of the mirror image, whose writes cull-to-draw has made \
                 available. The next frame's cull, which is a compute shader too, \
                 overwrites the list that the vertex shader reads.",
    });
    rec.barrier(Dependency {
        name: "copy-to-compose",
        hazards: &[Hazard::War, Hazard::PreviousFrame],
        guards: &["pixels"],
        relies_on: &[],
        src_stage: Stage::COPY,
        src_access: Access::NONE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::NONE,
        reason: "The previous frame copies the pixels that are overwritten here.",
    });
    scene.compose(rec, canvas, slot);

    record_output(rec, flock, view);
}

/// Empties the samples, and sets the draws to no instances.
fn record_clear(rec: &mut Recorder<'_>, scene: &Scene, canvas: &Canvas) {
    rec.barrier(Dependency {
        name: "compose-to-clear",
        hazards: &[Hazard::War, Hazard::PreviousFrame],
        guards: &["samples", "mirror", "draw_commands", "trail_commands"],
        relies_on: &["overlay-to-frame"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::NONE,
        dst_stage: Stage::CLEAR,
        dst_access: Access::NONE,
        reason: "The previous frame's compose reads the samples that are cleared here, and its draws read the commands that are \
                 reset. They do that in a stage logically earlier than compute shading too, so the first scope includes it.",
    });
    scene.samples_clear(rec, canvas);
    scene.draw_reset(rec);
    scene.trail_reset(rec);
}
