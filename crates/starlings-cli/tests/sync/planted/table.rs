//! The faults, and the kinds of frames that they are planted into.

use super::finder::Finder;
use ash::vk;
use starlings::Settings;
use starlings::flock::buffers::{CELL_STARTS, VELOCITY_YZ};
use starlings::flock::search::Search;
use starlings::flock::{EngineKind, Observation};
use starlings::vk::{Access, DependencyEntry, Hazard, Journal, JournalEntry, Layout, PassEntry, Stage, Use};
use starlings_cli::sync::{FrameKind, FrameSpec};

/// What is done to the frames.
pub type Change = fn(&mut Journal);

fn named(journal: &mut Journal, name: &str, change: impl Fn(&mut DependencyEntry)) {
    for entry in &mut journal.entries {
        if let JournalEntry::Dependency(dependency) = entry
            && dependency.name == name
        {
            change(dependency);
        }
    }
}

fn omit(journal: &mut Journal, name: &str) {
    named(journal, name, |dependency| dependency.omitted = true);
}

fn uses(journal: &mut Journal, name: &str, change: impl Fn(&mut Vec<Use>)) {
    for entry in &mut journal.entries {
        if let JournalEntry::Pass(PassEntry { name: of, uses, .. }) = entry
            && *of == name
        {
            change(uses);
        }
    }
}

fn is(entry: &JournalEntry, name: &str) -> bool {
    match entry {
        JournalEntry::Dependency(dependency) => dependency.name == name,
        JournalEntry::Pass(pass) => pass.name == name,
        _ => false,
    }
}

/// Moves each entry of this name by so many places.
fn shift(journal: &mut Journal, name: &str, by: isize) {
    let places: Vec<usize> = (0..journal.entries.len()).filter(|&at| is(&journal.entries[at], name)).collect();
    for at in places {
        let to = at.saturating_add_signed(by).min(journal.entries.len() - 1);
        let entry = journal.entries.remove(at);
        journal.entries.insert(to, entry);
    }
}

const COMPUTE: Stage = Stage::COMPUTE_SHADER;
const STORAGE: Access = Access::SHADER_STORAGE_READ;

/// Kinds of frames, what is planted, how, what finds it, and what the finding says.
pub const PLANTED: &[(Frames, &str, Change, Finder, &str)] = &[
    (
        WINDOW,
        "a wider stage of the same draw",
        |j| named(j, "draw-to-compose", |d| d.masks.src_stage |= Stage::COLOR_ATTACHMENT_OUTPUT),
        Finder::Width,
        "draw-to-compose",
    ),
    (
        WINDOW,
        "the same barrier twice under one name",
        |j| {
            let at = j.entries.iter().position(|entry| is(entry, "compose-to-copy")).expect("it is there");
            j.entries.insert(at, j.entries[at].clone());
        },
        Finder::Places,
        "compose-to-copy",
    ),
    (
        STEPS,
        "ALL_COMMANDS and MEMORY_READ",
        |j| {
            named(j, "count-to-reduce", |d| {
                (d.masks.src_stage, d.masks.src_access) = (Stage::ALL_COMMANDS, Access::MEMORY_WRITE);
                (d.masks.dst_stage, d.masks.dst_access) = (Stage::ALL_COMMANDS, Access::MEMORY_READ);
            })
        },
        Finder::Width,
        "count-to-reduce",
    ),
    (
        WINDOW,
        "ALL_GRAPHICS",
        |j| named(j, "draw-to-compose", |d| d.masks.src_stage |= Stage::ALL_GRAPHICS),
        Finder::Width,
        "draw-to-compose",
    ),
    (
        STEPS,
        "a use that is not declared",
        |j| uses(j, "sort_list", |u| u.retain(|of| of.resource != "cell_rank")),
        Finder::Kernels,
        "sort_list reads cell_rank",
    ),
    (
        BITONIC,
        "a dependency between sort and exchange left out",
        |j| omit(j, "sorted-to-exchange"),
        Finder::Checker,
        "cell_pairs",
    ),
    (
        BITONIC,
        "a dependency between exchange and merge left out",
        |j| omit(j, "exchange-to-merge"),
        Finder::Checker,
        "cell_pairs",
    ),
    (
        STEPS,
        "a wrong stage before",
        |j| named(j, "reduce-to-spine", |d| d.masks.src_stage = Stage::COPY),
        Finder::Checker,
        "block_sums",
    ),
    (
        STEPS,
        "a wrong access after",
        |j| named(j, "list-to-scatter", |d| d.masks.dst_access = Access::UNIFORM_READ),
        Finder::Checker,
        "RAW on cell_members",
    ),
    (
        STEPS,
        "scopes exchanged",
        |j| {
            named(j, "clear-to-count", |d| {
                let m = d.masks;
                (d.masks.src_stage, d.masks.src_access) = (m.dst_stage, m.dst_access);
                (d.masks.dst_stage, d.masks.dst_access) = (m.src_stage, m.src_access);
            })
        },
        Finder::Checker,
        "RAW on cell_counts",
    ),
    (
        STEPS,
        "a barrier before its producer",
        |j| shift(j, "spine-to-downsweep", -1),
        Finder::Checker,
        "RAW on block_sums: scan_spine",
    ),
    (
        STEPS,
        "a barrier after its consumer",
        |j| shift(j, "count-to-reduce", 1),
        Finder::Checker,
        "RAW on cell_counts: grid_count → scan_reduce",
    ),
    (
        STEPS,
        "the wrong hazard",
        |j| named(j, "count-to-reduce", |d| d.hazards = &[Hazard::War]),
        Finder::Said,
        "count-to-reduce says",
    ),
    (
        STEPS,
        "the wrong resource",
        |j| named(j, "count-to-reduce", |d| d.guards = vec![CELL_STARTS]),
        Finder::Said,
        "count-to-reduce says",
    ),
    (
        STEPS,
        "a name in relies_on left out",
        |j| named(j, "crowding-to-host", |d| d.relies_on = &[]),
        Finder::Reliance,
        "crowding-to-host alone",
    ),
    (
        WINDOW,
        "a use that no kernel has",
        |j| uses(j, "compose", |u| u.push(Use::read(COMPUTE, VELOCITY_YZ))),
        Finder::Kernels,
        "declares that it reads velocity_yz",
    ),
    (
        STEPS,
        "a write declared as a read",
        |j| {
            uses(j, "steer", |u| {
                u.iter_mut().filter(|of| of.resource == "velocity_yz").for_each(|of| of.access = STORAGE);
            })
        },
        Finder::Kernels,
        "writes velocity_yz",
    ),
    (
        STEPS,
        "the kernel of another pass",
        |j| {
            j.bound
                .iter_mut()
                .filter(|of| of.pass == "scan_reduce")
                .for_each(|of| of.shader.module = "scan_spine".into());
        },
        Finder::Kernels,
        "scan_spine",
    ),
    (
        WINDOW,
        "contents dropped by a transition from UNDEFINED",
        |j| {
            named(j, "copy-to-overlay", |d| {
                d.layouts = d.layouts.map(|(_, new)| (Layout::UNDEFINED, new));
            })
        },
        Finder::Checker,
        "copy-to-overlay → panels",
    ),
    (
        WINDOW,
        "a rendering that does not load the picture that it draws over",
        |j| {
            for entry in &mut j.entries {
                if let JournalEntry::Pass(pass) = entry {
                    pass.attachments.iter_mut().for_each(|of| of.load = vk::AttachmentLoadOp::DONT_CARE);
                }
            }
        },
        Finder::Checker,
        "layout on swapchain_image: panels → panels",
    ),
    (
        WINDOW,
        "a rendering that does not store what it draws",
        |j| {
            for entry in &mut j.entries {
                if let JournalEntry::Pass(pass) = entry {
                    pass.attachments.iter_mut().for_each(|of| of.store = vk::AttachmentStoreOp::DONT_CARE);
                }
            }
        },
        Finder::Checker,
        "layout on swapchain_image: panels → present",
    ),
    (
        WINDOW,
        "the wrong layout",
        |j| {
            named(j, "copy-to-overlay", |d| {
                d.layouts = d.layouts.map(|(old, _)| (old, Layout::GENERAL));
            })
        },
        Finder::Checker,
        "swapchain_image",
    ),
    (WINDOW, "no transition to the display", |j| omit(j, "picture-to-present"), Finder::Checker, "→ present"),
    (
        WINDOW,
        "a semaphore waited for too late",
        |j| {
            for entry in &mut j.entries {
                if let JournalEntry::Acquire { stage, .. } = entry {
                    *stage = Stage::COLOR_ATTACHMENT_OUTPUT;
                }
            }
        },
        Finder::Checker,
        "swapchain_image",
    ),
    (
        WINDOW,
        "a transition that does not wait for the semaphore",
        |j| named(j, "acquire-to-copy", |d| d.masks.src_stage = Stage::NONE),
        Finder::Checker,
        "acquire-to-copy",
    ),
    (
        WINDOW,
        "an indirect draw that does not wait for its arguments",
        |j| named(j, "cull-to-draw", |d| d.masks.dst_stage &= !Stage::DRAW_INDIRECT),
        Finder::Checker,
        "RAW on draw_commands",
    ),
    (
        PICTURE,
        "bytes that are not made visible to the host",
        |j| omit(j, "copy-to-host"),
        Finder::Checker,
        "RAW on picture_bytes: copy_to_host → host",
    ),
    (
        PICTURE,
        "ALL_COMMANDS for the host",
        |j| named(j, "copy-to-host", |d| d.masks.dst_stage = Stage::ALL_COMMANDS),
        Finder::Checker,
        "RAW on picture_bytes",
    ),
    (WINDOW, "the samples cleared after the cull", |j| shift(j, "samples_clear", 3), Finder::Checker, "samples"),
    (
        OBSERVED,
        "sums that do not wait for the observation",
        |j| omit(j, "observe-to-order"),
        Finder::Checker,
        "RAW on observed",
    ),
    (
        CPU,
        "an upload that is not made available",
        |j| named(j, "upload-to-cull", |d| d.masks.src_access = Access::NONE),
        Finder::Checker,
        "RAW on position_vx",
    ),
];

/// A kind of frame.
pub type Frames = fn() -> FrameSpec;

pub fn spec(kind: FrameKind, engine: EngineKind, search: Search, boids: u32) -> FrameSpec {
    let preset = Settings::preset("counting-sort").expect("a known preset").with_boids(boids);
    FrameSpec::new(&Settings { engine, search, ..preset }, kind)
}

pub const STEPS: Frames = || spec(FrameKind::Step, EngineKind::Gpu, Search::QuantizedGrid, 500);
pub const WINDOW: Frames = || spec(FrameKind::Windowed, EngineKind::Gpu, Search::QuantizedGrid, 500);
pub const PICTURE: Frames = || spec(FrameKind::Offscreen, EngineKind::Gpu, Search::QuantizedGrid, 500);
pub const BITONIC: Frames = || spec(FrameKind::Step, EngineKind::Gpu, Search::BitonicGrid, 5_000);
pub const OBSERVED: Frames = || FrameSpec { observed: Some(Observation::Order), ..STEPS() };
pub const CPU: Frames = || spec(FrameKind::Windowed, EngineKind::Cpu, EngineKind::Cpu.searches()[0], 500);
