//! The frame, from top to bottom.
//!
//! [`record_step`] and [`record_frame`] are straight lines: every pass, and between the passes every
//! dependency with the hazard it resolves. Nothing here is inferred. The comments read *hazard: producer →
//! consumer*; a write-after-read hazard needs execution order only, so both its accesses are `NONE`.
//!
//! All work goes to one queue. There, the first scope of a barrier holds every command earlier in submission
//! order, those of earlier submissions too: this is how the first barriers of a step order it after the
//! frame before, with no semaphore and no wait on the host.

use crate::flock::search::GridKind;
use crate::flock::{Flock, StepSlot};
use crate::render::{Scene, SceneSlot};
use crate::vk::{Access, Attachments, Buffer, Dependency, ImageDependency, Layout, Panels, Pass, Recorder, Stage};

/// Records one simulation step, by what the flock's search needs.
pub fn record_step(rec: &mut Recorder<'_>, flock: &Flock, step: StepSlot) {
    match flock.settings().search.grid() {
        GridKind::CountingSorted => record_counting_sorted_step(rec, flock, step),
        GridKind::None => record_unsorted_step(rec, flock, step),
    }
}

/// Records a step whose search needs the flock in cell order: bin, scan, sort, steer.
fn record_counting_sorted_step(rec: &mut Recorder<'_>, flock: &Flock, step: StepSlot) {
    // WAR: scan_downsweep of the step before → grid_clear. It has read the counts that are wiped now.
    rec.barrier(Dependency {
        name: "downsweep-to-clear",
        guards: &["cell_counts"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::NONE,
        dst_stage: Stage::CLEAR,
        dst_access: Access::NONE,
    });
    flock.grid_clear(rec);

    // RAW and WAW: grid_clear → grid_count. The atomics read the zeros and write over them.
    rec.barrier(Dependency {
        name: "clear-to-count",
        guards: &["cell_counts"],
        src_stage: Stage::CLEAR,
        src_access: Access::TRANSFER_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
    });
    // RAW: steer of the step before → grid_count. The boids have moved.
    rec.barrier(Dependency {
        name: "steer-to-count",
        guards: &["position_vx", "velocity_yz", "boid_id"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
    });
    flock.grid_count(rec, step);

    // RAW: grid_count → scan_reduce. The scan reads the counts that the atomics wrote.
    rec.barrier(Dependency {
        name: "count-to-reduce",
        guards: &["cell_counts", "cell_rank"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
    });
    flock.scan_reduce(rec, step);

    // RAW and WAW: scan_reduce → scan_spine. The spine scans the block sums in place.
    rec.barrier(Dependency {
        name: "reduce-to-spine",
        guards: &["block_sums"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
    });
    flock.scan_spine(rec, step);

    // RAW: scan_spine → scan_downsweep. Each block goes on from the sum of the blocks before it.
    rec.barrier(Dependency {
        name: "spine-to-downsweep",
        guards: &["block_sums"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
    });
    flock.scan_downsweep(rec, step);

    // RAW: scan_downsweep → sort_scatter. A boid's place is its cell's start plus its rank.
    rec.barrier(Dependency {
        name: "downsweep-to-scatter",
        guards: &["cell_starts"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
    });
    flock.sort_scatter(rec, step);

    // RAW: sort_scatter → steer. Neighbors are read from the sorted copy. The same execution order resolves
    // the WAR hazard on the state, which the scatter has read and steer writes anew.
    rec.barrier(Dependency {
        name: "scatter-to-steer",
        guards: &["sorted_position_vx", "sorted_velocity_yz", "sorted_boid_id"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
    });
    flock.steer(rec, step);
}

/// Records a step whose search needs no order: copy, steer.
fn record_unsorted_step(rec: &mut Recorder<'_>, flock: &Flock, step: StepSlot) {
    // RAW: steer of the step before → state_copy. The boids have moved. The same execution order resolves the WAR
    // hazard on the copy, which that steer has read and which is written anew.
    rec.barrier(Dependency {
        name: "steer-to-copy",
        guards: &["position_vx", "velocity_yz", "boid_id"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COPY,
        dst_access: Access::TRANSFER_READ,
    });
    flock.state_copy(rec);

    // RAW: state_copy → steer. Neighbors are read from the copy, so that no boid reads what another has written. The
    // same execution order resolves the WAR hazard on the state, which has been copied and is written anew.
    rec.barrier(Dependency {
        name: "copy-to-steer",
        guards: &["sorted_position_vx", "sorted_velocity_yz", "sorted_boid_id"],
        src_stage: Stage::COPY,
        src_access: Access::TRANSFER_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
    });
    flock.steer(rec, step);
}

/// What a frame shows, and where it ends up.
#[derive(Clone, Copy)]
pub struct FrameView<'a> {
    /// What draws the flock.
    pub scene: &'a Scene,
    /// The parameters of this frame.
    pub slot: SceneSlot,
    /// What it is drawn to.
    pub attachments: Attachments<'a>,
    /// What is drawn over the picture, if anything.
    pub panels: Option<&'a Panels>,
    /// Where the resolved picture goes.
    pub output: Output<'a>,
}

/// Where the resolved picture goes.
#[derive(Clone, Copy)]
pub enum Output<'a> {
    /// To the window it was acquired from.
    Display,
    /// Into a host-visible buffer, four bytes a pixel.
    Host(&'a Buffer),
}

/// Records one frame: its simulation steps, then the picture of the state they lead to.
pub fn record_frame(rec: &mut Recorder<'_>, flock: &Flock, steps: &[StepSlot], view: &FrameView<'_>) {
    let (scene, slot, target) = (view.scene, view.slot, &view.attachments);

    // WAR: draw_boids of the frame before → steer, draw_reset, cull. It has read the state, the list of visible
    // boids and the draw commands that this frame writes.
    rec.barrier(Dependency {
        name: "draw-to-frame",
        guards: &["position_vx", "velocity_yz", "boid_id", "visible_boids", "draw_commands"],
        src_stage: Stage::DRAW_INDIRECT | Stage::VERTEX_SHADER,
        src_access: Access::NONE,
        dst_stage: Stage::COMPUTE_SHADER | Stage::CLEAR,
        dst_access: Access::NONE,
    });
    for &step in steps {
        record_step(rec, flock, step);
    }

    scene.draw_reset(rec);

    // RAW: steer → cull, draw_boids. Both read the state where steer wrote it. (For its shadows cull also reads
    // cell_starts, which downsweep-to-scatter has already made visible to compute shaders.)
    rec.barrier(Dependency {
        name: "steer-to-draw",
        guards: &["position_vx", "velocity_yz", "boid_id"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER | Stage::VERTEX_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
    });
    // RAW and WAW: draw_reset → cull. The atomics add to the counts that were just reset.
    rec.barrier(Dependency {
        name: "reset-to-cull",
        guards: &["draw_commands"],
        src_stage: Stage::CLEAR,
        src_access: Access::TRANSFER_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
    });
    scene.cull(rec, slot);

    // RAW: cull → draw_boids, draw_targets. The device fetches its own draw commands; the vertex shader looks up
    // which boid an instance is.
    rec.barrier(Dependency {
        name: "cull-to-draw",
        guards: &["draw_commands", "visible_boids"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::DRAW_INDIRECT | Stage::VERTEX_SHADER,
        dst_access: Access::INDIRECT_COMMAND_READ | Access::SHADER_STORAGE_READ,
    });
    // Layout, and WAW: the draws of the frame before → these. The contents are dropped, the memory is the same.
    rec.image_barrier(ImageDependency {
        name: "color-to-draw",
        image: target.color,
        src_stage: Stage::COLOR_ATTACHMENT_OUTPUT,
        src_access: Access::COLOR_ATTACHMENT_WRITE,
        old_layout: Layout::UNDEFINED,
        dst_stage: Stage::COLOR_ATTACHMENT_OUTPUT,
        dst_access: Access::COLOR_ATTACHMENT_READ | Access::COLOR_ATTACHMENT_WRITE,
        new_layout: Layout::COLOR_ATTACHMENT_OPTIMAL,
    });
    // Layout, and WAW: as above. Depth is tested and written before the fragment shader where that is possible, and
    // after it where not, so both stages take part.
    rec.image_barrier(ImageDependency {
        name: "depth-to-draw",
        image: target.depth,
        src_stage: Stage::EARLY_FRAGMENT_TESTS | Stage::LATE_FRAGMENT_TESTS,
        src_access: Access::DEPTH_STENCIL_ATTACHMENT_WRITE,
        old_layout: Layout::UNDEFINED,
        dst_stage: Stage::EARLY_FRAGMENT_TESTS | Stage::LATE_FRAGMENT_TESTS,
        dst_access: Access::DEPTH_STENCIL_ATTACHMENT_READ | Access::DEPTH_STENCIL_ATTACHMENT_WRITE,
        new_layout: Layout::DEPTH_ATTACHMENT_OPTIMAL,
    });
    match view.output {
        // Layout: the display → the resolve. The acquire semaphore is waited for at this very stage, and the barrier's
        // first scope names it, so the layout changes only once the display has let go of the image.
        Output::Display => rec.image_barrier(ImageDependency {
            name: "acquire-to-resolve",
            image: target.resolve,
            src_stage: Stage::COLOR_ATTACHMENT_OUTPUT,
            src_access: Access::NONE,
            old_layout: Layout::UNDEFINED,
            dst_stage: Stage::COLOR_ATTACHMENT_OUTPUT,
            dst_access: Access::COLOR_ATTACHMENT_WRITE,
            new_layout: Layout::COLOR_ATTACHMENT_OPTIMAL,
        }),
        // Layout, and WAR: copy_to_host of the frame before → the resolve.
        Output::Host(_) => rec.image_barrier(ImageDependency {
            name: "copy-to-resolve",
            image: target.resolve,
            src_stage: Stage::COPY,
            src_access: Access::NONE,
            old_layout: Layout::UNDEFINED,
            dst_stage: Stage::COLOR_ATTACHMENT_OUTPUT,
            dst_access: Access::COLOR_ATTACHMENT_WRITE,
            new_layout: Layout::COLOR_ATTACHMENT_OPTIMAL,
        }),
    }
    rec.rendering(target, |rec| {
        // Primitives are drawn in order, so attachments need no dependency between the draws of one rendering.
        scene.draw_boids(rec, slot);
        scene.draw_targets(rec, slot);
        scene.draw_sky(rec, slot);
    });

    if let Some(panels) = view.panels {
        // RAW and WAW: the resolve → panels. They are blended over the resolved picture, in a rendering of their own
        // because they need neither samples nor depth. The layout stays. Order among color attachments is implied only
        // within one rendering; between two it takes this.
        rec.barrier(Dependency {
            name: "resolve-to-panels",
            guards: &["swapchain_image"],
            src_stage: Stage::COLOR_ATTACHMENT_OUTPUT,
            src_access: Access::COLOR_ATTACHMENT_WRITE,
            dst_stage: Stage::COLOR_ATTACHMENT_OUTPUT,
            dst_access: Access::COLOR_ATTACHMENT_READ | Access::COLOR_ATTACHMENT_WRITE,
        });
        rec.rendering_over(target, |rec| panels.draw(rec, target.width, target.height));
    }

    match view.output {
        // Layout: the resolve, or the panels over it → the display. Presentation waits for a semaphore, which makes all
        // writes visible to it; the stage named here is one that the semaphore's signal waits for.
        Output::Display => rec.image_barrier(ImageDependency {
            name: "resolve-to-present",
            image: target.resolve,
            src_stage: Stage::COLOR_ATTACHMENT_OUTPUT,
            src_access: Access::COLOR_ATTACHMENT_WRITE,
            old_layout: Layout::COLOR_ATTACHMENT_OPTIMAL,
            dst_stage: Stage::COLOR_ATTACHMENT_OUTPUT,
            dst_access: Access::NONE,
            new_layout: Layout::PRESENT_SRC_KHR,
        }),
        Output::Host(buffer) => {
            // RAW and layout: the resolve → copy_to_host.
            rec.image_barrier(ImageDependency {
                name: "resolve-to-copy",
                image: target.resolve,
                src_stage: Stage::COLOR_ATTACHMENT_OUTPUT,
                src_access: Access::COLOR_ATTACHMENT_WRITE,
                old_layout: Layout::COLOR_ATTACHMENT_OPTIMAL,
                dst_stage: Stage::COPY,
                dst_access: Access::TRANSFER_READ,
                new_layout: Layout::TRANSFER_SRC_OPTIMAL,
            });
            rec.pass(&COPY_TO_HOST, |rec| {
                rec.copy_image_to_buffer(target.resolve, target.width, target.height, buffer);
            });
            // RAW: copy_to_host → the host, once it has waited for the frame's fence. The fence alone orders the two, but
            // does not make the bytes visible to the host.
            rec.barrier(Dependency {
                name: "copy-to-host",
                guards: &["picture_bytes"],
                src_stage: Stage::COPY,
                src_access: Access::TRANSFER_WRITE,
                dst_stage: Stage::HOST,
                dst_access: Access::HOST_READ,
            });
        }
    }
}

const COPY_TO_HOST: Pass =
    Pass { name: "copy_to_host", stage: Stage::COPY, reads: &["picture"], writes: &["picture_bytes"] };
