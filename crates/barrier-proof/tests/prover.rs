//! The prover itself: correct journals are accepted, and each kind of fault is found. Needs no device.

use barrier_proof::host::{check_host, check_orders, check_plan};
use barrier_proof::{
    Access, Bytes, DependencyEntry, HostEvent, Journal, JournalEntry, MaskBit, Masks, PassEntry, PlannedFrame,
    Resource, Stage, Use, check, sites, width, widths,
};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::panic::Location;

const COMPUTE: Stage = Stage::COMPUTE_SHADER;
const READ: Access = Access::SHADER_STORAGE_READ;
const WRITE: Access = Access::SHADER_STORAGE_WRITE;
const A: Resource = Resource::new("a");
const B: Resource = Resource::new("b");
const BUFFERS: [Resource; 4] = [A, B, Resource::new("c"), Resource::new("d")];
const PASSES: [&str; 12] = ["p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11"];

fn pass(name: &'static str, uses: &[Use]) -> JournalEntry {
    JournalEntry::Pass(PassEntry { name, uses: uses.to_vec(), dispatches: 1, ..PassEntry::default() })
}

fn masks(src_stage: Stage, src_access: Access, dst_stage: Stage, dst_access: Access) -> Masks {
    Masks { src_stage, src_access, dst_stage, dst_access }
}

#[track_caller]
fn barrier(name: &'static str, masks: Masks) -> JournalEntry {
    let site = Some(Location::caller());
    JournalEntry::Dependency(DependencyEntry { name, masks, site, ..DependencyEntry::default() })
}

fn journal(entries: Vec<JournalEntry>) -> Journal {
    Journal { entries, ..Journal::default() }
}

/// Ways to write the same dependency, all correct.
#[derive(Clone, Copy, Debug)]
enum Form {
    Exact,
    Everything,
    ReadsAndWrites,
    Chain(Stage),
    TwoCommands,
}

fn form() -> impl Strategy<Value = Form> {
    prop_oneof![
        Just(Form::Exact),
        Just(Form::Everything),
        Just(Form::ReadsAndWrites),
        prop_oneof![Just(Stage::CLEAR), Just(Stage::COPY), Just(Stage::FRAGMENT_SHADER)].prop_map(Form::Chain),
        Just(Form::TwoCommands),
    ]
}

fn an_access() -> impl Strategy<Value = Use> {
    let buffer = prop::sample::select(&BUFFERS[..]);
    (buffer, 0..9u32).prop_map(|(buffer, kind)| match kind {
        0 => Use::read(COMPUTE, buffer),
        1 => Use::write(COMPUTE, buffer),
        2 => Use::read_write(COMPUTE, buffer),
        3 => Use::clear(buffer),
        4 => Use::copy_from(buffer),
        5 => Use::copy_to(buffer),
        6 => Use::read(Stage::VERTEX_SHADER, buffer),
        7 => Use::read_write(Stage::FRAGMENT_SHADER, buffer),
        _ => Use::indirect(buffer),
    })
}

/// The stages and accesses of uses.
fn all(uses: &[Use]) -> (Stage, Access) {
    uses.iter().fold((Stage::NONE, Access::NONE), |(stage, access), of| (stage | of.stage, access | of.access))
}

/// Barriers from all earlier uses to those of the next pass: one for each resource, in the given form.
fn ordered(before: &[Use], next: &[Use], form: Form) -> Vec<JournalEntry> {
    let mut entries = Vec::new();
    let resources: BTreeSet<Resource> = next.iter().map(|of| of.resource).collect();
    for resource in resources {
        let of = |uses: &[Use]| uses.iter().copied().filter(|of| of.resource == resource).collect::<Vec<_>>();
        let (earlier, later) = (of(before), of(next));
        if earlier.is_empty() {
            continue;
        }
        let ((src_stage, src_access), (dst_stage, dst_access)) = (all(&earlier), all(&later));
        let memory = Access::MEMORY_READ | Access::MEMORY_WRITE;
        entries.extend(match form {
            Form::Exact => vec![barrier("exact", masks(src_stage, src_access, dst_stage, dst_access))],
            Form::Everything => {
                vec![barrier("wide", masks(Stage::ALL_COMMANDS, memory, Stage::ALL_COMMANDS, memory))]
            }
            Form::ReadsAndWrites => vec![barrier("memory", masks(src_stage, memory, dst_stage, memory))],
            Form::Chain(by) => vec![
                barrier("first", masks(src_stage, src_access, by, Access::NONE)),
                barrier("second", masks(by, Access::NONE, dst_stage, dst_access)),
            ],
            Form::TwoCommands => vec![
                barrier("execution", masks(src_stage, Access::NONE, dst_stage, Access::NONE)),
                barrier("memory", masks(src_stage, src_access, dst_stage, dst_access)),
            ],
        });
    }
    entries
}

/// Random frames: ten times as many with `RANDOM_CASES=10`.
fn cases() -> u32 {
    1_000 * std::env::var("RANDOM_CASES").map_or(1, |times| times.parse::<u32>().expect("a factor"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    /// Journals that are correct by construction: before each pass, all earlier accesses to what it uses are made
    /// visible to it.
    #[test]
    fn no_correct_frame_is_rejected(
        passes in prop::collection::vec((prop::collection::vec(an_access(), 1..4), form()), 1..PASSES.len()),
        cut in 0..PASSES.len(),
    ) {
        let (mut frames, mut before) = (vec![Vec::new()], Vec::new());
        for (at, (uses, form)) in passes.iter().enumerate() {
            if at == cut {
                frames.push(Vec::new());
            }
            let frame = frames.last_mut().expect("it has a frame");
            frame.extend(ordered(&before, uses, *form));
            frame.push(pass(PASSES[at], uses));
            before.extend(uses);
        }
        let frames: Vec<Journal> = frames.into_iter().map(journal).collect();
        let conflicts = check(&frames);
        prop_assert!(conflicts.is_empty(), "{conflicts:#?}");
    }
}

fn write_then_read(masks: Masks) -> Vec<Journal> {
    vec![journal(vec![
        pass("writer", &[Use::write(COMPUTE, A)]),
        barrier("dependency", masks),
        pass("reader", &[Use::read(COMPUTE, A)]),
    ])]
}

fn read_then_write(masks: Masks) -> Vec<Journal> {
    vec![journal(vec![
        pass("reader", &[Use::read(Stage::FRAGMENT_SHADER, A)]),
        barrier("dependency", masks),
        pass("writer", &[Use::clear(A)]),
    ])]
}

#[test]
fn masks_that_are_wider_than_needed_are_correct_and_are_found() {
    let memory = Access::MEMORY_READ | Access::MEMORY_WRITE;
    let all = Stage::ALL_COMMANDS;
    let exact = masks(COMPUTE, WRITE, COMPUTE, READ);
    for wide in [
        masks(all, memory, all, memory),
        masks(all, Access::MEMORY_WRITE, all, Access::MEMORY_READ),
        masks(COMPUTE | Stage::COLOR_ATTACHMENT_OUTPUT, WRITE, COMPUTE, READ),
        masks(COMPUTE, WRITE, COMPUTE | Stage::ALL_GRAPHICS, READ),
        masks(COMPUTE, WRITE | READ, COMPUTE, READ),
        masks(COMPUTE, Access::SHADER_WRITE, COMPUTE, READ),
        masks(COMPUTE, WRITE, COMPUTE, Access::SHADER_READ),
        masks(COMPUTE | Stage::ALL_TRANSFER, WRITE, COMPUTE, READ),
        masks(COMPUTE, WRITE, COMPUTE, READ | Access::UNIFORM_READ),
    ] {
        let frames = write_then_read(wide);
        assert!(check(&frames).is_empty(), "{wide:?}");
        let width = widths(&[frames]).remove(0);
        assert!(!width.is_exact() && width.needed == exact, "{wide:?}: {width:?}");
    }
    let order = |from, to| masks(from, Access::NONE, to, Access::NONE);
    let enough = order(Stage::FRAGMENT_SHADER, Stage::CLEAR);
    for wide in [
        order(Stage::COLOR_ATTACHMENT_OUTPUT, Stage::CLEAR),
        order(Stage::LATE_FRAGMENT_TESTS, Stage::CLEAR),
        order(Stage::ALL_GRAPHICS, Stage::CLEAR),
        order(Stage::BOTTOM_OF_PIPE, Stage::CLEAR),
        order(Stage::FRAGMENT_SHADER, Stage::ALL_TRANSFER),
        order(Stage::FRAGMENT_SHADER, Stage::TOP_OF_PIPE),
        order(Stage::FRAGMENT_SHADER, Stage::CLEAR | Stage::DRAW_INDIRECT),
    ] {
        let frames = read_then_write(wide);
        assert!(check(&frames).is_empty(), "{wide:?}");
        let width = widths(&[frames]).remove(0);
        assert!(!width.is_exact() && width.needed == enough, "{wide:?}: {width:?}");
    }
    for exact in [widths(&[write_then_read(exact)]), widths(&[read_then_write(enough)])] {
        assert!(exact[0].is_exact());
        assert_eq!(exact[0].decided_by.len(), exact[0].needed.bits().len(), "a conflict for each bit");
    }
    assert_eq!(
        width::excess(&widths(&[read_then_write(order(Stage::ALL_GRAPHICS, Stage::CLEAR))])[0]),
        [MaskBit::SourceStage(Stage::ALL_GRAPHICS)]
    );
}

/// Twenty masks for a write and a read, or a read and a write, that are not sufficient.
#[test]
fn masks_that_are_not_sufficient_are_found() {
    let all = Stage::ALL_COMMANDS;
    let none = Access::NONE;
    for wrong in [
        masks(Stage::NONE, none, Stage::NONE, none),
        masks(Stage::COPY, none, COMPUTE, READ),
        masks(Stage::FRAGMENT_SHADER, WRITE, COMPUTE, READ),
        masks(Stage::TOP_OF_PIPE, none, COMPUTE, READ),
        masks(COMPUTE, none, COMPUTE, READ),
        masks(COMPUTE, READ, COMPUTE, READ),
        masks(COMPUTE, Access::TRANSFER_WRITE, COMPUTE, READ),
        masks(COMPUTE, Access::MEMORY_READ, COMPUTE, READ),
        masks(COMPUTE, WRITE, Stage::NONE, none),
        masks(COMPUTE, WRITE, COMPUTE, none),
        masks(COMPUTE, WRITE, COMPUTE, WRITE),
        masks(COMPUTE, WRITE, COMPUTE, Access::UNIFORM_READ),
        masks(COMPUTE, WRITE, COMPUTE, Access::MEMORY_WRITE),
        masks(COMPUTE, WRITE, Stage::DRAW_INDIRECT, READ),
        masks(COMPUTE, WRITE, Stage::ALL_GRAPHICS, READ),
        masks(COMPUTE, WRITE, Stage::HOST, Access::HOST_READ),
        masks(COMPUTE, WRITE, Stage::BOTTOM_OF_PIPE, none),
        masks(all, none, all, none),
        masks(Stage::ALL_GRAPHICS, Access::MEMORY_WRITE, all, Access::MEMORY_READ),
    ] {
        assert!(!check(&write_then_read(wrong)).is_empty(), "{wrong:?}");
    }
    let order = |from, to| masks(from, none, to, none);
    for wrong in [
        order(Stage::VERTEX_SHADER, Stage::CLEAR),
        order(Stage::ALL_TRANSFER, Stage::CLEAR),
        order(Stage::FRAGMENT_SHADER, Stage::COPY),
        order(Stage::FRAGMENT_SHADER, Stage::BOTTOM_OF_PIPE),
        order(Stage::HOST, Stage::CLEAR),
    ] {
        assert!(!check(&read_then_write(wrong)).is_empty(), "{wrong:?}");
    }
}

#[test]
fn the_same_dependency_twice_is_found() {
    let exact = || barrier("dependency", masks(COMPUTE, WRITE, COMPUTE, READ));
    let (writer, reader) = (pass("writer", &[Use::write(COMPUTE, A)]), pass("reader", &[Use::read(COMPUTE, A)]));
    let spare = |entries: Vec<JournalEntry>| {
        let frames = [journal(entries)];
        let all: BTreeSet<_> = sites(&frames[0]).into_iter().collect();
        all.difference(&sites::needed(&frames, &BTreeSet::new())).count()
    };
    assert_eq!(spare(vec![writer.clone(), exact(), reader.clone()]), 0);
    // By one line, and by two.
    assert_eq!(spare(vec![writer.clone(), exact(), exact(), reader.clone()]), 2);
    let again = barrier("dependency", masks(COMPUTE, WRITE, COMPUTE, READ));
    let between = pass("between", &[Use::read(COMPUTE, B)]);
    assert_eq!(spare(vec![writer, exact(), between, again, reader]), 2);
}

const SLOTS: u64 = 2;

/// What is wrong with the host.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    NoFenceWait,
    OnePartOfTheRing,
    OneCommandBuffer,
    OneFence,
    OneAcquireSemaphore,
    PresentSemaphoreOfSlot,
    ReadTooEarly,
    WriteAfterSubmission,
}

/// Frames of a window with three images.
fn host(fault: Fault, frames: u64) -> Vec<HostEvent> {
    let bytes = |name: &str, part: u64| Bytes { buffer: 9, name: name.to_owned(), from: 64 * part, to: 64 * part + 64 };
    let mut events = Vec::new();
    for frame in 0..frames {
        let (slot, image) = (frame % SLOTS, frame % 3);
        let own = |base: u64, shared: Fault| if fault == shared { base } else { base + slot };
        let (commands, fence) = (own(100, Fault::OneCommandBuffer), own(200, Fault::OneFence));
        let acquired = own(300, Fault::OneAcquireSemaphore);
        let drawn = 400 + if fault == Fault::PresentSemaphoreOfSlot { slot } else { image };
        let ring = bytes("step_params", if fault == Fault::OnePartOfTheRing { 0 } else { slot });
        let results = bytes("results", 4 + slot);
        if frame >= SLOTS && fault != Fault::NoFenceWait {
            events.push(HostEvent::Wait { fence });
        }
        if frame >= SLOTS && fault != Fault::ReadTooEarly {
            events.push(HostEvent::Read(results.clone()));
        }
        events.push(HostEvent::Acquire { image: image as u32, semaphore: acquired });
        let write = HostEvent::Write(ring.clone());
        let late = fault == Fault::WriteAfterSubmission;
        if !late {
            events.push(write.clone());
        }
        events.push(HostEvent::Begin { commands });
        events.push(HostEvent::End { commands, reads: vec![ring], writes: vec![results.clone()] });
        events.push(HostEvent::Submit { commands, fence, wait: Some(acquired), signal: Some(drawn) });
        if late {
            events.push(write);
        }
        if fault == Fault::ReadTooEarly {
            events.push(HostEvent::Read(results));
        }
        events.push(HostEvent::Present { image: image as u32, semaphore: drawn });
    }
    events
}

/// What the same frames use, by slot and image.
fn plan(fault: Fault) -> Vec<Vec<PlannedFrame>> {
    let frame = |slot: u64, image: u64| {
        let drawn = 400 + if fault == Fault::PresentSemaphoreOfSlot { slot } else { image };
        let (commands, fence, acquired) = (100 + slot, 200 + slot, 300 + slot);
        PlannedFrame { image: image as u32, commands, fence, acquired, drawn, presented: drawn }
    };
    (0..SLOTS).map(|slot| (0..3).map(|image| frame(slot, image)).collect()).collect()
}

#[test]
fn faults_of_the_host_are_found() {
    let intact = host(Fault::None, 12);
    assert_eq!((check_host(&intact, &[]), check_orders(&plan(Fault::None))), (BTreeSet::new(), BTreeSet::new()));
    assert!(check_plan(&intact, &plan(Fault::None)).is_empty());
    assert!(!check_plan(&host(Fault::PresentSemaphoreOfSlot, 12), &plan(Fault::None)).is_empty());
    for (fault, said) in [
        (Fault::NoFenceWait, "records a command buffer that the device may still execute"),
        (Fault::NoFenceWait, "the host writes step_params"),
        (Fault::OnePartOfTheRing, "the host writes step_params"),
        (Fault::OneCommandBuffer, "records a command buffer that the device may still execute"),
        (Fault::OneFence, "a fence is submitted"),
        (Fault::OneAcquireSemaphore, "acquiring an image signals a semaphore"),
        (Fault::ReadTooEarly, "the host reads results"),
        (Fault::WriteAfterSubmission, "the host writes step_params"),
    ] {
        let found = check_host(&host(fault, 12), &[]);
        assert!(found.iter().any(|finding| finding.contains(said)), "{fault:?}: {found:#?}");
    }
    // The fence of a later submission tells that earlier ones are done, but their own fences stay signaled until they
    // are reset.
    let submit = |fence| HostEvent::Submit { commands: fence, fence, wait: None, signal: None };
    let wait = |fence| HostEvent::Wait { fence };
    let in_any_order = [submit(1), submit(2), wait(2), wait(1), submit(1), submit(2)];
    assert_eq!(check_host(&in_any_order, &[]), BTreeSet::new());
    assert!(!check_host(&[submit(1), submit(2), wait(2), submit(1)], &[]).is_empty(), "it is still signaled");
    // One that is found signaled tells the same without being reset: of its own submission, and not of a later one.
    let bytes = |fence| Bytes { buffer: fence, name: format!("results {fence}"), from: 0, to: 64 };
    let write = |fence| HostEvent::End { commands: fence, reads: Vec::new(), writes: vec![bytes(fence)] };
    let found = |then: &[HostEvent]| {
        let mut events = vec![write(1), submit(1), write(2), submit(2)];
        events.extend(then.iter().cloned());
        check_host(&events, &[]).into_iter().collect::<Vec<_>>()
    };
    let (seen, read) = (HostEvent::Signaled { fence: 1 }, |fence| HostEvent::Read(bytes(fence)));
    assert_eq!(found(&[seen.clone(), read(1), seen.clone(), wait(1), submit(1)]), Vec::<String>::new());
    let early = |of| vec![format!("the host reads results {of} where a submission in flight writes it")];
    assert_eq!((found(&[read(1), seen.clone()]), found(&[seen.clone(), read(2)])), (early(1), early(2)));
    assert_eq!(found(&[seen, submit(1)]).len(), 1, "it is still signaled");
    // As many frames as slots show nothing; and some errors show only in another order of images.
    assert!(check_host(&host(Fault::NoFenceWait, SLOTS), &[]).is_empty());
    let by_slot = check_orders(&plan(Fault::PresentSemaphoreOfSlot));
    assert!(by_slot.iter().any(|finding| finding.contains("a submission signals a semaphore")), "{by_slot:#?}");
    let other =
        plan(Fault::None).into_iter().map(|slot| slot.into_iter().map(|of| PlannedFrame { presented: 7, ..of }));
    assert!(!check_orders(&other.map(Iterator::collect).collect::<Vec<_>>()).is_empty(), "another semaphore");
}
