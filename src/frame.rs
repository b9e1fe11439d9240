//! The frame, from top to bottom.
//!
//! [`record_steps`] and [`record_frame`] are straight lines: every pass, and between the passes every
//! dependency with the hazards it resolves and the reason for it. Nothing here is inferred, and nothing is said
//! twice: `starlings sync` prints these very fields, and `starlings sync prove` shows that each bit of them is
//! needed. A write-after-read hazard needs execution order only, so both its accesses are `NONE`.
//!
//! All work goes to one queue. There, the first scope of a barrier holds every command earlier in submission
//! order, those of earlier submissions too: this is how the first barriers of a step order it after the
//! frame before, with no semaphore and no wait on the host.

use crate::flock::search::GridKind;
use crate::flock::{Flock, Observation, Settings, StepSlot, exchanged_strides, merged_blocks};
use crate::render::{Scene, SceneSlot};
use crate::vk::{
    Access, Attachments, Buffer, Dependency, Hazard, ImageDependency, Layout, Panels, Pass, Recorder, Stage, Use,
};

/// Records simulation steps, and hands over to the host how crowded they found the flock.
pub fn record_steps(rec: &mut Recorder<'_>, flock: &Flock, steps: &[StepSlot]) {
    for &step in steps {
        record_step(rec, flock, step);
    }
    hand_over_crowding(rec, flock, steps);
}

/// Behind the steps of a submission: hands over to the host how crowded they found the flock, if they have looked.
fn hand_over_crowding(rec: &mut Recorder<'_>, flock: &Flock, steps: &[StepSlot]) {
    let Settings { search, engine, .. } = flock.settings();
    if !steps.is_empty() && search.grid() == GridKind::CountingSorted && !engine.is_cpu() {
        rec.barrier(Dependency {
            name: "crowding-to-host",
            hazards: &[Hazard::Raw, Hazard::Host],
            guards: &["crowding"],
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

/// Records one simulation step, by what the flock's search needs; or brings over the one that the processor has taken. If a
/// step's order parameters are asked for, they are those of the flock before it.
fn record_step(rec: &mut Recorder<'_>, flock: &Flock, step: StepSlot) {
    if flock.settings().engine.is_cpu() {
        return record_uploaded_step(rec, flock, step);
    }
    match flock.settings().search.grid() {
        GridKind::CountingSorted => record_counting_sorted_step(rec, flock, step),
        GridKind::BitonicSorted => record_bitonic_sorted_step(rec, flock, step),
        GridKind::None => record_unsorted_step(rec, flock, step),
    }
    if flock.settings().heeds() {
        record_following(rec, flock, step);
    }
    if step.observation() == Some(Observation::Order) {
        record_order(rec, flock, step);
    }
}

/// Records what boids heed besides their law. `find_leader` stands beside `steer`, since both only read the sorted copy.
fn record_following(rec: &mut Recorder<'_>, flock: &Flock, step: StepSlot) {
    rec.barrier(Dependency {
        name: "steer-to-follow",
        hazards: &[Hazard::Raw, Hazard::Waw],
        guards: &["position_vx", "velocity_yz", "boid_id", "leader_position"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
        reason: "What boids heed changes, in place, where the law has put them; and the leader has to be found first.",
    });
    flock.follow(rec, step);
}

/// Records a step whose search needs the flock in cell order: bin, scan, sort, steer.
fn record_counting_sorted_step(rec: &mut Recorder<'_>, flock: &Flock, step: StepSlot) {
    rec.barrier(Dependency {
        name: "downsweep-to-clear",
        hazards: &[Hazard::War, Hazard::PreviousFrame],
        guards: &["cell_counts"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::NONE,
        dst_stage: Stage::CLEAR,
        dst_access: Access::NONE,
        reason: "The scan of the step before has read the counts that are wiped now.",
    });
    flock.grid_clear(rec);

    // In one command, so that neither leans on what the other makes visible.
    rec.barriers(&[
        Dependency {
            name: "clear-to-count",
            hazards: &[Hazard::Raw, Hazard::Waw],
            guards: &["cell_counts"],
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
            src_stage: Stage::COMPUTE_SHADER,
            src_access: Access::SHADER_STORAGE_WRITE,
            dst_stage: Stage::COMPUTE_SHADER,
            dst_access: Access::SHADER_STORAGE_READ,
            reason: "The boids have moved in the step before.",
        },
    ]);
    flock.grid_count(rec, step);

    rec.barrier(Dependency {
        name: "count-to-reduce",
        hazards: &[Hazard::Raw],
        guards: &["cell_counts"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "The scan reads the counts that the atomics wrote.",
    });
    flock.scan_reduce(rec, step);

    rec.barrier(Dependency {
        name: "reduce-to-spine",
        hazards: &[Hazard::Raw, Hazard::Waw],
        guards: &["block_sums"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
        reason: "The spine scans the block sums in place.",
    });
    flock.scan_spine(rec, step);

    rec.barrier(Dependency {
        name: "spine-to-downsweep",
        hazards: &[Hazard::Raw],
        guards: &["block_sums"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "Each block goes on from the sum of the blocks before it.",
    });
    flock.scan_downsweep(rec, step);

    rec.barrier(Dependency {
        name: "downsweep-to-scatter",
        hazards: &[Hazard::Raw],
        guards: &["cell_starts"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "A boid's place is its cell's start plus its rank.",
    });
    flock.sort_scatter(rec, step);

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
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "Neighbors are read from the sorted copy; and the scatter has read the state that steer writes anew.",
    });
    if step.observation().is_some() {
        // Needs nothing of steer, nor steer of it: both only read what was sorted.
        flock.observe(rec, step);
    }
    if flock.settings().heeds() {
        flock.find_leader(rec, step);
    }
    flock.steer(rec, step);
}

/// Records a step whose search needs the flock in cell order, by a bitonic sort: pair, sort, mark, gather, steer.
fn record_bitonic_sorted_step(rec: &mut Recorder<'_>, flock: &Flock, step: StepSlot) {
    rec.barrier(Dependency {
        name: "steer-to-pairs",
        hazards: &[Hazard::Raw, Hazard::PreviousFrame],
        guards: &["position_vx"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "The boids have moved in the step before.",
    });
    flock.pair_cells(rec, step);

    rec.barrier(Dependency {
        name: "pairs-to-local",
        hazards: &[Hazard::Raw, Hazard::Waw],
        guards: &["cell_pairs"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
        reason: "The pairs are sorted in place.",
    });
    flock.bitonic_local(rec, step);

    for block in merged_blocks(flock.settings().boids) {
        for stride in exchanged_strides(block) {
            rec.barrier(Dependency {
                name: "sorted-to-exchange",
                hazards: &[Hazard::Raw, Hazard::Waw],
                guards: &["cell_pairs"],
                src_stage: Stage::COMPUTE_SHADER,
                src_access: Access::SHADER_STORAGE_WRITE,
                dst_stage: Stage::COMPUTE_SHADER,
                dst_access: Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
                reason: "Each stage of the sort compares, in place, pairs that other workgroups have just put there.",
            });
            flock.bitonic_exchange(rec, step, block, stride);
        }
        rec.barrier(Dependency {
            name: "exchange-to-merge",
            hazards: &[Hazard::Raw, Hazard::Waw],
            guards: &["cell_pairs"],
            src_stage: Stage::COMPUTE_SHADER,
            src_access: Access::SHADER_STORAGE_WRITE,
            dst_stage: Stage::COMPUTE_SHADER,
            dst_access: Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
            reason: "From here on a workgroup's pairs stay within its block, and the other stages go without barriers.",
        });
        flock.bitonic_merge(rec, step);
    }

    rec.barrier(Dependency {
        name: "steer-to-ranges",
        hazards: &[Hazard::War, Hazard::PreviousFrame],
        guards: &["cell_ranges"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::NONE,
        dst_stage: Stage::CLEAR,
        dst_access: Access::NONE,
        reason: "steer of the step before has looked up the cells that are marked as empty now.",
    });
    flock.ranges_clear(rec);

    rec.barrier(Dependency {
        name: "clear-to-ranges",
        hazards: &[Hazard::Waw],
        guards: &["cell_ranges"],
        src_stage: Stage::CLEAR,
        src_access: Access::TRANSFER_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_WRITE,
        reason: "Cells in use overwrite the mark.",
    });
    rec.barrier(Dependency {
        name: "sort-to-gather",
        hazards: &[Hazard::Raw],
        guards: &["cell_pairs"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "Ranges and gathering read the sorted pairs.",
    });
    flock.pair_ranges(rec, step);
    // Needs nothing of pair_ranges: both only read the pairs.
    flock.pair_gather(rec, step);

    rec.barrier(Dependency {
        name: "gather-to-steer",
        hazards: &[Hazard::Raw, Hazard::War],
        guards: &[
            "sorted_position_vx",
            "sorted_velocity_yz",
            "sorted_boid_id",
            "cell_ranges",
            "position_vx",
            "velocity_yz",
            "boid_id",
        ],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "Neighbors are read from the sorted copy, cell by cell; and the gather has read the state that steer \
                 writes anew.",
    });
    if step.observation().is_some() {
        flock.observe(rec, step);
    }
    if flock.settings().heeds() {
        flock.find_leader(rec, step);
    }
    flock.steer(rec, step);
}

/// Records a step whose search needs no order: copy, steer.
fn record_unsorted_step(rec: &mut Recorder<'_>, flock: &Flock, step: StepSlot) {
    rec.barrier(Dependency {
        name: "steer-to-copy",
        hazards: &[Hazard::Raw, Hazard::War, Hazard::PreviousFrame],
        guards: &[
            "position_vx",
            "velocity_yz",
            "boid_id",
            "sorted_position_vx",
            "sorted_velocity_yz",
            "sorted_boid_id",
            "leader_position",
        ],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COPY,
        dst_access: Access::TRANSFER_READ,
        reason: "The boids have moved in the step before; and it has read the copy that is written anew.",
    });
    flock.state_copy(rec);

    rec.barrier(Dependency {
        name: "copy-to-steer",
        hazards: &[Hazard::Raw, Hazard::War, Hazard::PreviousFrame],
        guards: &[
            "sorted_position_vx",
            "sorted_velocity_yz",
            "sorted_boid_id",
            "position_vx",
            "velocity_yz",
            "boid_id",
            "leader_position",
        ],
        src_stage: Stage::COPY,
        src_access: Access::TRANSFER_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "Neighbors are read from the copy; and the copy has read the state that steer writes anew. With \
                 steer-to-copy it also keeps find_leader behind those who follow in the step before.",
    });
    if step.observation().is_some() {
        flock.observe(rec, step);
    }
    if flock.settings().heeds() {
        flock.find_leader(rec, step);
    }
    flock.steer(rec, step);
}

/// Records the order parameters of the flock before a step that has just been observed: sum it up, take means, and once the
/// center of mass is known, the same again for how the flock turns around it.
fn record_order(rec: &mut Recorder<'_>, flock: &Flock, step: StepSlot) {
    rec.barrier(Dependency {
        name: "observe-to-order",
        hazards: &[Hazard::Raw],
        guards: &["observed"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "The sums read what was seen of each boid. The sorted copy was made visible to compute shaders before.",
    });
    flock.order_reduce(rec, step);

    rec.barrier(Dependency {
        name: "order-to-mean",
        hazards: &[Hazard::Raw],
        guards: &["order_partials"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "One workgroup adds up what the others left.",
    });
    flock.order_mean(rec, step);

    rec.barrier(Dependency {
        name: "mean-to-milling",
        hazards: &[Hazard::Raw],
        guards: &["order_means"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "How the flock turns is seen from its center, which is one of the means.",
    });
    flock.milling_reduce(rec, step);

    rec.barrier(Dependency {
        name: "milling-to-mean",
        hazards: &[Hazard::Raw],
        guards: &["milling_partials"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "Again, one workgroup adds up what the others left. The means are visible to it already.",
    });
    flock.milling_mean(rec, step);

    rec.barrier(Dependency {
        name: "order-to-host",
        hazards: &[Hazard::Raw, Hazard::Host],
        guards: &["order_record"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::HOST,
        dst_access: Access::HOST_READ,
        reason: "The host reads the record once it has waited for the frame's fence, which orders the two but makes nothing \
                 visible to the host. Each frame in flight has a record of its own, so nobody waits before writing one.",
    });
    rec.host_reads("order_record");
}

/// Records the arrival of a step that the processor has taken. The host has written it before the submission, which makes
/// it visible to all that the device does; a frame brings over one state, however many steps led to it.
fn record_uploaded_step(rec: &mut Recorder<'_>, flock: &Flock, step: StepSlot) {
    rec.barrier(Dependency {
        name: "cull-to-upload",
        hazards: &[Hazard::War, Hazard::PreviousFrame],
        guards: &["position_vx", "velocity_yz", "boid_id", "cell_starts"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::NONE,
        dst_stage: Stage::COPY,
        dst_access: Access::NONE,
        reason: "The frame before has culled by the state and the cells that are replaced now. It has drawn the state as well, \
                 but draw-to-frame makes compute shaders wait for that, and the copy waits for them.",
    });
    flock.state_upload(rec, step);

    rec.barrier(Dependency {
        name: "upload-to-cull",
        hazards: &[Hazard::Raw, Hazard::PreviousFrame],
        guards: &["position_vx", "velocity_yz", "boid_id", "cell_starts"],
        src_stage: Stage::COPY,
        src_access: Access::TRANSFER_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ,
        reason: "cull reads the state, and for its shadows the cells, where they were copied to, in this frame and in later ones \
                 that bring nothing new. (The vertex shader reads the \
                 state, too. The copy's writes are available from here on, and cull-to-draw makes them visible to it.)",
    });
}

/// What a frame shows, and where it ends up.
#[derive(Clone, Copy)]
pub struct FrameView<'a> {
    /// What draws the flock.
    pub scene: &'a Scene,
    /// The parameters of this frame.
    pub slot: SceneSlot,
    /// What it is drawn to.
    pub attachments: Attachments,
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

/// The stage in which a submission waits for the image it acquired: nothing touches the image before the resolve,
/// which writes it as a color attachment.
pub const ACQUIRE_STAGE: Stage = Stage::COLOR_ATTACHMENT_OUTPUT;

/// Records one frame: its simulation steps, then the picture of the state they lead to.
pub fn record_frame(rec: &mut Recorder<'_>, flock: &Flock, steps: &[StepSlot], view: &FrameView<'_>) {
    let (scene, slot, target) = (view.scene, view.slot, &view.attachments);

    rec.barrier(Dependency {
        name: "draw-to-frame",
        hazards: &[Hazard::War, Hazard::PreviousFrame],
        guards: scene.drawn(),
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
        guards: if scene.trails().is_some() { &["draw_commands", "trail_commands"] } else { &["draw_commands"] },
        src_stage: Stage::CLEAR,
        src_access: Access::TRANSFER_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
        reason: "The atomics add to the counts that were just reset.",
    };
    if flock.settings().engine.is_cpu() {
        // Whatever brought the state has made it visible already.
        rec.barrier(reset_to_cull);
    } else {
        let steer_to_cull = Dependency {
            name: "steer-to-cull",
            hazards: &[Hazard::Raw],
            guards: &["position_vx", "velocity_yz", "boid_id"],
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
        guards: scene.drawn(),
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
        src_stage: Stage::EARLY_FRAGMENT_TESTS | Stage::LATE_FRAGMENT_TESTS,
        src_access: Access::DEPTH_STENCIL_ATTACHMENT_WRITE,
        old_layout: Layout::UNDEFINED,
        dst_stage: Stage::EARLY_FRAGMENT_TESTS | Stage::LATE_FRAGMENT_TESTS,
        dst_access: Access::DEPTH_STENCIL_ATTACHMENT_READ | Access::DEPTH_STENCIL_ATTACHMENT_WRITE,
        new_layout: Layout::DEPTH_ATTACHMENT_OPTIMAL,
        reason: "As color-to-draw. Depth is tested and written before the fragment shader where that is possible, and \
                 after it where not, so both stages take part.",
    });
    match view.output {
        Output::Display => {
            rec.acquires(target.resolve, ACQUIRE_STAGE);
            rec.image_barrier(ImageDependency {
                name: "acquire-to-resolve",
                hazards: &[Hazard::Layout, Hazard::War, Hazard::Display],
                image: target.resolve,
                src_stage: Stage::COLOR_ATTACHMENT_OUTPUT,
                src_access: Access::NONE,
                old_layout: Layout::UNDEFINED,
                dst_stage: Stage::COLOR_ATTACHMENT_OUTPUT,
                dst_access: Access::COLOR_ATTACHMENT_WRITE,
                new_layout: Layout::COLOR_ATTACHMENT_OPTIMAL,
                reason: "The acquire semaphore is waited for at this very stage, and the first scope names it, so the \
                         layout changes only once the display has let go of the image.",
            });
        }
        Output::Host(_) => rec.image_barrier(ImageDependency {
            name: "copy-to-resolve",
            hazards: &[Hazard::Layout, Hazard::War, Hazard::PreviousFrame],
            image: target.resolve,
            src_stage: Stage::COPY,
            src_access: Access::NONE,
            old_layout: Layout::UNDEFINED,
            dst_stage: Stage::COLOR_ATTACHMENT_OUTPUT,
            dst_access: Access::COLOR_ATTACHMENT_WRITE,
            new_layout: Layout::COLOR_ATTACHMENT_OPTIMAL,
            reason: "The frame before has been copied out of the picture.",
        }),
    }
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

    match view.output {
        Output::Display => {
            rec.image_barrier(ImageDependency {
                name: "resolve-to-present",
                hazards: &[Hazard::Layout, Hazard::Waw, Hazard::Display],
                image: target.resolve,
                src_stage: Stage::COLOR_ATTACHMENT_OUTPUT,
                src_access: Access::COLOR_ATTACHMENT_WRITE,
                old_layout: Layout::COLOR_ATTACHMENT_OPTIMAL,
                dst_stage: Stage::COLOR_ATTACHMENT_OUTPUT,
                dst_access: Access::NONE,
                new_layout: Layout::PRESENT_SRC_KHR,
                reason: "The resolved picture, or the panels over it, goes to the display. Presentation waits for a \
                         semaphore, which makes all writes visible to it; the stage named here is one that the \
                         semaphore's signal waits for, and so leads from the change of layout to it. (The specification \
                         has a note that no stage need be named. Older validation layers insist.)",
            });
            rec.presents(target.resolve);
        }
        Output::Host(buffer) => {
            rec.image_barrier(ImageDependency {
                name: "resolve-to-copy",
                hazards: &[Hazard::Layout, Hazard::Raw],
                image: target.resolve,
                src_stage: Stage::COLOR_ATTACHMENT_OUTPUT,
                src_access: Access::COLOR_ATTACHMENT_WRITE,
                old_layout: Layout::COLOR_ATTACHMENT_OPTIMAL,
                dst_stage: Stage::COPY,
                dst_access: Access::TRANSFER_READ,
                new_layout: Layout::TRANSFER_SRC_OPTIMAL,
                reason: "The copy reads what the resolve wrote.",
            });
            rec.pass(&COPY_TO_HOST, |rec| {
                rec.copy_image_to_buffer(target.resolve, target.width, target.height, buffer);
            });
            rec.barrier(Dependency {
                name: "copy-to-host",
                hazards: &[Hazard::Raw, Hazard::Host],
                guards: &["picture_bytes"],
                src_stage: Stage::COPY,
                src_access: Access::TRANSFER_WRITE,
                dst_stage: Stage::HOST,
                dst_access: Access::HOST_READ,
                reason: "The host reads the bytes once it has waited for the frame's fence. The fence alone orders the two, \
                         but does not make the bytes visible to the host.",
            });
            rec.host_reads("picture_bytes");
        }
    }
}

/// Records, for its trails, where the flock is after so many steps of the frame: every few steps, if the look has any.
fn record_trails(rec: &mut Recorder<'_>, scene: &Scene, after: usize) {
    let Some(recording) = scene.recording(after) else { return };
    rec.barrier(Dependency {
        name: "steer-to-trail",
        hazards: &[Hazard::Raw, Hazard::Waw],
        guards: &["position_vx", "boid_id", "trail_history"],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::COMPUTE_SHADER,
        dst_access: Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
        reason: "It records where steer has moved the boids, next to what was recorded before: of that it reads the last \
                 moment, and writes over the oldest.",
    });
    scene.trail_record(rec, recording);
}

const COPY_TO_HOST: Pass<'_> = Pass {
    name: "copy_to_host",
    stage: Stage::COPY,
    uses: &[Use::copy_from_image("picture"), Use::copy_to("picture_bytes")],
};
