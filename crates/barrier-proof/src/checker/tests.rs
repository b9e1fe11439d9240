//! Each rule of the checker, on the shortest journal that shows it.

use super::*;
use crate::{DependencyEntry, Layout, Masks, PassEntry};

const BUFFER: Resource = Resource::new("buffer");
const IMAGE: Resource = Resource::new("image");
const BYTES: Resource = Resource::new("bytes");

const COMPUTE: Stage = Stage::COMPUTE_SHADER;
const STORAGE_WRITE: Access = Access::SHADER_STORAGE_WRITE;
const STORAGE_READ: Access = Access::SHADER_STORAGE_READ;

fn journal(entries: Vec<JournalEntry>) -> Journal {
    Journal { entries, ..Journal::default() }
}

fn pass(name: &'static str, uses: &[Use]) -> JournalEntry {
    JournalEntry::Pass(PassEntry { name, uses: uses.to_vec(), dispatches: 1, ..PassEntry::default() })
}

fn barrier(source: (Stage, Access), destination: (Stage, Access)) -> JournalEntry {
    let masks =
        Masks { src_stage: source.0, src_access: source.1, dst_stage: destination.0, dst_access: destination.1 };
    JournalEntry::Dependency(DependencyEntry { name: "barrier", masks, ..DependencyEntry::default() })
}

/// A barrier with a layout transition of the image.
fn transition(layouts: (Layout, Layout), of: JournalEntry) -> JournalEntry {
    let JournalEntry::Dependency(entry) = of else { unreachable!("it is one") };
    let (guards, layouts) = (vec![IMAGE], Some(layouts));
    JournalEntry::Dependency(DependencyEntry { name: "transition", guards, layouts, ..entry })
}

fn hazards(entries: Vec<JournalEntry>) -> Vec<Hazard> {
    check(&[journal(entries)]).into_iter().map(|conflict| conflict.hazard).collect()
}

fn writer() -> JournalEntry {
    pass("writer", &[Use::write(COMPUTE, BUFFER)])
}

fn reader() -> JournalEntry {
    pass("reader", &[Use::read(COMPUTE, BUFFER)])
}

#[test]
fn a_read_after_a_write_needs_all_four_masks() {
    let full = ((COMPUTE, STORAGE_WRITE), (COMPUTE, STORAGE_READ));
    let none = (Stage::NONE, Access::NONE);
    let with = |(source, destination)| hazards(vec![writer(), barrier(source, destination), reader()]);
    assert_eq!(with(full), []);
    assert_eq!(with((none, full.1)), [Hazard::Raw]);
    assert_eq!(with(((COMPUTE, Access::NONE), full.1)), [Hazard::Raw]);
    assert_eq!(with(((COMPUTE, STORAGE_READ), full.1)), [Hazard::Raw]);
    assert_eq!(with((full.0, none)), [Hazard::Raw]);
    assert_eq!(with((full.0, (COMPUTE, Access::NONE))), [Hazard::Raw]);
    assert_eq!(with((full.0, (Stage::VERTEX_SHADER, STORAGE_READ))), [Hazard::Raw]);
    // DRAW_INDIRECT is logically earlier than the read, so the read waits; but nothing is made visible to it.
    assert_eq!(with((full.0, (Stage::DRAW_INDIRECT, STORAGE_READ))), [Hazard::Raw]);
    assert_eq!(hazards(vec![writer(), reader()]), [Hazard::Raw]);
    assert_eq!(hazards(vec![reader(), reader()]), []);
}

#[test]
fn a_write_after_a_read_needs_order_only() {
    let order = barrier((COMPUTE, Access::NONE), (COMPUTE, Access::NONE));
    assert_eq!(hazards(vec![reader(), order, writer()]), []);
    assert_eq!(hazards(vec![reader(), writer()]), [Hazard::War]);
    let elsewhere = barrier((Stage::COPY, Access::NONE), (COMPUTE, Access::NONE));
    assert_eq!(hazards(vec![reader(), elsewhere, writer()]), [Hazard::War]);
}

#[test]
fn a_write_right_after_a_write_needs_to_see_it() {
    let again = || pass("again", &[Use::write(COMPUTE, BUFFER)]);
    let with = |access| hazards(vec![writer(), barrier((COMPUTE, STORAGE_WRITE), (COMPUTE, access)), again()]);
    assert_eq!(with(STORAGE_WRITE), []);
    assert_eq!(with(STORAGE_READ), [Hazard::Waw]);
    // If a reader between them sees the first write, order after the reader is sufficient.
    let seen = barrier((COMPUTE, STORAGE_WRITE), (COMPUTE, STORAGE_READ));
    let order = barrier((COMPUTE, Access::NONE), (COMPUTE, Access::NONE));
    assert_eq!(hazards(vec![writer(), seen, reader(), order, again()]), []);
}

#[test]
fn dependencies_make_chains_unless_they_are_in_one_command() {
    let first = || barrier((COMPUTE, STORAGE_WRITE), (Stage::CLEAR, Access::NONE));
    let second = || barrier((Stage::CLEAR, Access::NONE), (COMPUTE, STORAGE_READ));
    assert_eq!(hazards(vec![writer(), first(), second(), reader()]), []);
    assert_eq!(hazards(vec![writer(), second(), first(), reader()]), [Hazard::Raw]);
    let JournalEntry::Dependency(entry) = second() else { unreachable!("it is one") };
    let same_command = JournalEntry::Dependency(DependencyEntry { same_command: true, ..entry });
    assert_eq!(hazards(vec![writer(), first(), same_command, reader()]), [Hazard::Raw]);
    // The chain is broken: nothing connects CLEAR with COPY.
    let broken = barrier((Stage::COPY, Access::NONE), (COMPUTE, STORAGE_READ));
    assert_eq!(hazards(vec![writer(), first(), broken, reader()]), [Hazard::Raw]);
}

#[test]
fn a_barrier_for_an_image_orders_all_but_remembers_the_image_only() {
    let layouts = (Layout::UNDEFINED, Layout::TRANSFER_SRC_OPTIMAL);
    let full = || transition(layouts, barrier((COMPUTE, STORAGE_WRITE), (COMPUTE, STORAGE_READ)));
    assert_eq!(hazards(vec![writer(), full(), reader()]), [Hazard::Raw]);
    assert_eq!(hazards(vec![reader(), full(), writer()]), []);
}

#[test]
fn images_have_to_lie_in_the_layout_wanted() {
    let draw = || pass("draw", &[Use::color_write(IMAGE)]);
    let copy = || pass("copy", &[Use::copy_from_image(IMAGE)]);
    let color = (Stage::COLOR_ATTACHMENT_OUTPUT, Access::COLOR_ATTACHMENT_WRITE);
    let to_draw = || {
        let layouts = (Layout::UNDEFINED, Layout::COLOR_ATTACHMENT_OPTIMAL);
        transition(layouts, barrier((Stage::COPY, Access::NONE), color))
    };
    let to_copy = |old| {
        let layouts = (old, Layout::TRANSFER_SRC_OPTIMAL);
        transition(layouts, barrier(color, (Stage::COPY, Access::TRANSFER_READ)))
    };
    let right = to_copy(Layout::COLOR_ATTACHMENT_OPTIMAL);
    assert_eq!(hazards(vec![to_draw(), draw(), right.clone(), copy(), to_draw(), draw()]), []);
    assert_eq!(hazards(vec![draw()]), [Hazard::Layout]);
    assert_eq!(hazards(vec![to_draw(), draw(), to_copy(Layout::GENERAL), copy()]), [Hazard::Layout]);
    // From UNDEFINED, it drops what was drawn.
    assert_eq!(hazards(vec![to_draw(), draw(), to_copy(Layout::UNDEFINED), copy()]), [Hazard::Layout]);
    // The transition itself must come after the write, and before the read.
    let early = transition(
        (Layout::COLOR_ATTACHMENT_OPTIMAL, Layout::TRANSFER_SRC_OPTIMAL),
        barrier((Stage::NONE, Access::NONE), (Stage::COPY, Access::TRANSFER_READ)),
    );
    assert!(hazards(vec![to_draw(), draw(), early, copy()]).contains(&Hazard::Waw));
}

#[test]
fn the_host_and_the_display_wait_but_the_host_sees_nothing_by_itself() {
    let copy = || pass("copy", &[Use::copy_to(BYTES)]);
    let read = || JournalEntry::HostRead { buffer: BYTES };
    let to_host = || barrier((Stage::COPY, Access::TRANSFER_WRITE), (Stage::HOST, Access::HOST_READ));
    assert_eq!(hazards(vec![copy(), to_host(), read()]), []);
    assert_eq!(hazards(vec![copy(), read()]), [Hazard::Raw]);
    // Each frame has its own bytes.
    let frame = journal(vec![copy(), to_host(), read()]);
    assert!(check(&[frame.clone(), frame]).is_empty());
    let draw = pass("draw", &[Use::color_write(IMAGE)]);
    assert_eq!(hazards(vec![draw, JournalEntry::Present { image: IMAGE }]), [Hazard::Layout, Hazard::Layout]);
}

#[test]
fn conflicts_reach_from_frame_to_frame() {
    let frame = journal(vec![writer()]);
    let found = check(&[frame.clone(), frame]);
    let conflict = found.first().expect("the writers race");
    assert_eq!(found.len(), 1);
    assert!(conflict.across_frames && conflict.direct);
    assert_eq!(conflict.to_string(), "WAW on buffer: writer of the previous frame → writer");
}

/// A transition of the image that waits for nothing, and that only `to` waits for.
fn to_layout(old: Layout, new: Layout, to: (Stage, Access)) -> JournalEntry {
    transition((old, new), barrier((Stage::NONE, Access::NONE), to))
}

#[test]
fn layout_transitions_of_an_image_are_in_order() {
    let (dst, src) = (Layout::TRANSFER_DST_OPTIMAL, Layout::TRANSFER_SRC_OPTIMAL);
    let nothing = (Stage::NONE, Access::NONE);
    let read = (Stage::COPY, Access::TRANSFER_READ);
    let copy = || pass("copy", &[Use::copy_from_image(IMAGE)]);
    let first = to_layout(Layout::UNDEFINED, dst, nothing);
    assert_eq!(hazards(vec![first.clone(), to_layout(dst, src, read), copy()]), []);
    // What is before the first one is before what is after the second.
    let fill = || pass("fill", &[Use::copy_to_image(IMAGE)]);
    let after_copy = transition((src, dst), barrier((Stage::COPY, Access::NONE), nothing));
    let start = to_layout(Layout::UNDEFINED, src, read);
    let again = to_layout(dst, Layout::GENERAL, nothing);
    let last = to_layout(Layout::GENERAL, dst, (Stage::COPY, Access::TRANSFER_WRITE));
    assert_eq!(hazards(vec![start.clone(), copy(), after_copy, again, last, fill()]), []);
    // Only transitions are in order: nothing makes the copy wait for this one, nor this one for the copy.
    assert_eq!(hazards(vec![to_layout(Layout::UNDEFINED, src, nothing), copy()]), [Hazard::Raw]);
    assert_eq!(hazards(vec![start, copy(), to_layout(src, dst, nothing)]), [Hazard::War]);
}

#[test]
fn a_barrier_with_two_equal_layouts_is_no_transition() {
    let src = Layout::TRANSFER_SRC_OPTIMAL;
    let read = (Stage::COPY, Access::TRANSFER_READ);
    let copy = || pass("copy", &[Use::copy_from_image(IMAGE)]);
    let start = || to_layout(Layout::UNDEFINED, src, read);
    let same = |layout| to_layout(layout, layout, read);
    assert_eq!(hazards(vec![start(), copy(), same(src), copy()]), []);
    assert_eq!(hazards(vec![start(), same(Layout::GENERAL), copy()]), [], "the layouts are ignored");
    // It is still a dependency, for the memory of its image.
    let write = (Stage::COPY, Access::TRANSFER_WRITE);
    let dst = Layout::TRANSFER_DST_OPTIMAL;
    let fill = || pass("fill", &[Use::copy_to_image(IMAGE)]);
    let between = |masks| transition((dst, dst), masks);
    let start = || to_layout(Layout::UNDEFINED, dst, write);
    assert_eq!(
        hazards(vec![start(), fill(), between(barrier(write, write)), pass("again", &[Use::copy_to_image(IMAGE)])]),
        []
    );
    assert_eq!(
        hazards(vec![writer(), between(barrier((COMPUTE, STORAGE_WRITE), (COMPUTE, STORAGE_READ))), reader()]),
        [Hazard::Raw]
    );
}

#[test]
fn a_layout_transition_is_visible_to_each_stage_that_its_mask_stands_for() {
    let src = Layout::TRANSFER_SRC_OPTIMAL;
    let copy = || pass("copy", &[Use::copy_from_image(IMAGE)]);
    for stage in [Stage::COPY, Stage::ALL_TRANSFER, Stage::ALL_COMMANDS] {
        let start = to_layout(Layout::UNDEFINED, src, (stage, Access::MEMORY_READ));
        assert_eq!(hazards(vec![start, copy()]), [], "{stage:?}");
    }
    let start = to_layout(Layout::UNDEFINED, src, (Stage::ALL_GRAPHICS, Access::MEMORY_READ));
    assert_eq!(hazards(vec![start, copy()]), [Hazard::Raw]);
}

#[test]
fn parts_that_do_not_meet_need_no_order() {
    let fill = |name, from, to| pass(name, &[Use::clear(BUFFER).within(from, to)]);
    assert_eq!(hazards(vec![fill("left", 0, 128), fill("right", 128, 256)]), []);
    assert_eq!(hazards(vec![fill("left", 0, 129), fill("right", 128, 256)]), [Hazard::Waw]);
    // The reader needs both; a write of one half is not what it finds in the other.
    assert_eq!(hazards(vec![fill("left", 0, 128), fill("right", 128, 256), reader()]), [Hazard::Raw, Hazard::Raw]);
    let order = |access| barrier((Stage::CLEAR, Access::TRANSFER_WRITE), (Stage::CLEAR, access));
    let seen = barrier((Stage::CLEAR, Access::TRANSFER_WRITE), (COMPUTE, STORAGE_READ));
    let halves = vec![fill("whole", 0, 256), order(Access::NONE), fill("right", 128, 256), seen, reader()];
    assert_eq!(hazards(halves), [Hazard::Waw], "the fill of a part needs to see what it overwrites");
}

#[test]
fn the_transition_to_the_display_needs_no_second_scope() {
    let acquire = JournalEntry::Acquire { image: IMAGE, stage: Stage::COPY };
    let first = transition(
        (Layout::UNDEFINED, Layout::TRANSFER_DST_OPTIMAL),
        barrier((Stage::COPY, Access::NONE), (Stage::COPY, Access::TRANSFER_WRITE)),
    );
    let frame = |source: (Stage, Access), second| {
        let last = transition((Layout::TRANSFER_DST_OPTIMAL, Layout::PRESENT_SRC_KHR), barrier(source, second));
        let (copy, present) = (pass("copy", &[Use::copy_to_image(IMAGE)]), JournalEntry::Present { image: IMAGE });
        journal(vec![acquire.clone(), first.clone(), copy, last, present])
    };
    let found = |source, stage| {
        let frame = frame(source, (stage, Access::NONE));
        check(&[frame.clone(), frame]).into_iter().map(|conflict| conflict.hazard).collect::<Vec<_>>()
    };
    let copied = (Stage::COPY, Access::TRANSFER_WRITE);
    for stage in [Stage::NONE, Stage::BOTTOM_OF_PIPE, Stage::COPY, Stage::ALL_COMMANDS] {
        assert_eq!(found(copied, stage), [], "{stage:?}");
    }
    assert_eq!(found((Stage::NONE, Access::NONE), Stage::NONE), [Hazard::Waw]);
}

#[test]
fn an_attachment_that_is_not_loaded_or_stored_loses_its_contents() {
    use ash::vk::{AttachmentLoadOp as Load, AttachmentStoreOp as Store};
    let drawn = |load, store, blends: bool| {
        let mut entries = vec![
            transition(
                (Layout::UNDEFINED, Layout::TRANSFER_DST_OPTIMAL),
                barrier(TOP, (Stage::COPY, Access::TRANSFER_WRITE)),
            ),
            pass("copy", &[Use::copy_to_image(IMAGE)]),
            transition(
                (Layout::TRANSFER_DST_OPTIMAL, Layout::COLOR_ATTACHMENT_OPTIMAL),
                barrier((Stage::COPY, Access::TRANSFER_WRITE), (Stage::COLOR_ATTACHMENT_OUTPUT, BLEND)),
            ),
        ];
        let reads = blends.then_some(Use::color_read(IMAGE));
        entries.push(JournalEntry::Pass(PassEntry {
            name: "draw",
            uses: reads.into_iter().chain([Use::color_write(IMAGE)]).collect(),
            rendering: Some(1),
            attachments: vec![crate::Attachment { image: IMAGE, load, store }],
            dispatches: 0,
        }));
        entries.push(transition(
            (Layout::COLOR_ATTACHMENT_OPTIMAL, Layout::TRANSFER_SRC_OPTIMAL),
            barrier((Stage::COLOR_ATTACHMENT_OUTPUT, BLEND), (Stage::COPY, Access::TRANSFER_READ)),
        ));
        entries.push(pass("fetch", &[Use::copy_from_image(IMAGE)]));
        let found = check(&[journal(entries)]);
        found.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    const TOP: (Stage, Access) = (Stage::NONE, Access::NONE);
    let none: [String; 0] = [];
    assert_eq!(drawn(Load::LOAD, Store::STORE, true), none);
    assert_eq!(drawn(Load::DONT_CARE, Store::STORE, false), none, "all of it is drawn over");
    assert_eq!(drawn(Load::DONT_CARE, Store::STORE, true), ["layout on image: draw → draw"]);
    assert_eq!(drawn(Load::LOAD, Store::DONT_CARE, true), ["layout on image: draw → fetch"]);
}

/// Blending.
const BLEND: Access =
    Access::from_raw(Access::COLOR_ATTACHMENT_READ.as_raw() | Access::COLOR_ATTACHMENT_WRITE.as_raw());
