//! The table of faults and judges, kept by its cells: each fault is planted, and what the table says finds it does, or
//! does not where it says that nothing looks for it.

mod kernels;

use ash::vk::{AttachmentLoadOp, AttachmentStoreOp};
use barrier_proof::host::check_host;
use barrier_proof::sight::{Judge, SIGHT};
use barrier_proof::{
    Access, Attachment, Bytes, DependencyEntry, HostEvent, Journal, JournalEntry, Layout, Masks, PassEntry, Resource,
    Stage, Use, Watch, between, check, reliance, widths,
};
use kernels::Own;

const A: Resource = Resource::new("a");
const B: Resource = Resource::new("b");
const COMPUTE: Stage = Stage::COMPUTE_SHADER;
const WRITE: Access = Access::SHADER_STORAGE_WRITE;
const READ: Access = Access::SHADER_STORAGE_READ;
const BLEND: Access =
    Access::from_raw(Access::COLOR_ATTACHMENT_READ.as_raw() | Access::COLOR_ATTACHMENT_WRITE.as_raw());

fn pass(name: &'static str, uses: &[Use]) -> JournalEntry {
    JournalEntry::Pass(PassEntry { name, uses: uses.to_vec(), ..PassEntry::default() })
}

fn barrier(name: &'static str, (src_stage, src_access): (Stage, Access), to: (Stage, Access)) -> JournalEntry {
    let masks = Masks { src_stage, src_access, dst_stage: to.0, dst_access: to.1 };
    JournalEntry::Dependency(DependencyEntry { name, masks, guards: vec![A], ..DependencyEntry::default() })
}

fn transition(from: (Stage, Access, Layout), to: (Stage, Access, Layout)) -> JournalEntry {
    let JournalEntry::Dependency(entry) = barrier("transition", (from.0, from.1), (to.0, to.1)) else { unreachable!() };
    JournalEntry::Dependency(DependencyEntry { layouts: Some((from.2, to.2)), ..entry })
}

fn frame(entries: Vec<JournalEntry>) -> Vec<Journal> {
    vec![Journal { entries, ..Journal::default() }]
}

fn conflicts(entries: Vec<JournalEntry>) -> Vec<String> {
    check(&frame(entries)).iter().map(ToString::to_string).collect()
}

/// A kernel writes, and another reads, with this between.
fn between_two(entry: Option<JournalEntry>) -> Vec<JournalEntry> {
    [Some(pass("writer", &[Use::write(COMPUTE, A)])), entry, Some(pass("reader", &[Use::read(COMPUTE, A)]))]
        .into_iter()
        .flatten()
        .collect()
}

/// A picture that is copied into an image and drawn over.
fn drawn_over(old: Layout, load: AttachmentLoadOp) -> Vec<String> {
    let copied = (Stage::COPY, Access::TRANSFER_WRITE);
    let draw = PassEntry {
        name: "draw",
        uses: vec![Use::color_read(A), Use::color_write(A)],
        rendering: Some(1),
        attachments: vec![Attachment { image: A, load, store: AttachmentStoreOp::STORE }],
        ..PassEntry::default()
    };
    conflicts(vec![
        transition((Stage::NONE, Access::NONE, Layout::UNDEFINED), (copied.0, copied.1, Layout::TRANSFER_DST_OPTIMAL)),
        pass("copy", &[Use::copy_to_image(A)]),
        transition(
            (copied.0, copied.1, old),
            (Stage::COLOR_ATTACHMENT_OUTPUT, BLEND, Layout::COLOR_ATTACHMENT_OPTIMAL),
        ),
        JournalEntry::Pass(draw),
    ])
}

fn bytes(buffer: u64, name: &str) -> Bytes {
    Bytes { buffer, name: name.to_owned(), from: 0, to: 64 }
}

fn submitted(then: HostEvent) -> Vec<String> {
    let (commands, fence) = (1, 2);
    let events = [
        HostEvent::Begin { commands },
        HostEvent::End { commands, reads: vec![bytes(3, "parameters")], writes: vec![bytes(4, "timestamps")] },
        HostEvent::Submit { commands, fence, wait: None, signal: None },
        then,
    ];
    check_host(&events, &[]).into_iter().collect()
}

fn kernel(name: &str) -> Vec<String> {
    Own::read().check(name, [4, 1, 1]).0
}

/// What a judge says of a planted fault, and what it says of the same without it.
fn planted(fault: &str, judge: Judge) -> Option<(Vec<String>, Vec<String>)> {
    use AttachmentLoadOp as Load;
    let enough = || barrier("order", (COMPUTE, WRITE), (COMPUTE, READ));
    let kernels = |wrong, right| Some((kernel(wrong), kernel(right)));
    match (fault, judge) {
        ("a hazard between commands, of one frame or of several in flight", Judge::Checker) => {
            Some((conflicts(between_two(None)), conflicts(between_two(Some(enough())))))
        }
        ("an image in a layout that its access does not allow", _) => {
            Some((drawn_over(Layout::GENERAL, Load::LOAD), drawn_over(Layout::TRANSFER_DST_OPTIMAL, Load::LOAD)))
        }
        ("contents dropped by a transition, or by a rendering that does not load or store them", _) => {
            let both =
                [drawn_over(Layout::UNDEFINED, Load::LOAD), drawn_over(Layout::TRANSFER_DST_OPTIMAL, Load::DONT_CARE)];
            assert!(both.iter().all(|found| !found.is_empty()), "{both:#?}");
            Some((both.concat(), drawn_over(Layout::TRANSFER_DST_OPTIMAL, Load::LOAD)))
        }
        ("a copy that is not made visible to the host", _) => {
            let copy = |to| {
                let order = barrier("order", (Stage::COPY, Access::TRANSFER_WRITE), to);
                conflicts(vec![pass("copy", &[Use::copy_to(A)]), order, JournalEntry::HostRead { buffer: A }])
            };
            Some((copy((Stage::ALL_COMMANDS, Access::MEMORY_READ)), copy((Stage::HOST, Access::HOST_READ))))
        }
        ("a dependency, or a bit of its masks, that is not needed", _) => {
            // Left out, it leaves no conflict: a mutant that survives.
            let survives = |entries: Vec<JournalEntry>| {
                let without = barrier_proof::without(&frame(entries), &["second"]);
                if check(&without).is_empty() { vec!["second survives".to_owned()] } else { Vec::new() }
            };
            let second = || barrier("second", (COMPUTE, WRITE), (COMPUTE, READ));
            let mut twice = between_two(Some(enough()));
            twice.insert(1, second());
            Some((survives(twice), survives(between_two(Some(second())))))
        }
        ("a mask that is wider than needed", _) => {
            let wide = |stage| {
                let entries = between_two(Some(barrier("order", (stage, WRITE), (COMPUTE, READ))));
                let wide = widths(&[frame(entries)]);
                wide.iter().filter(|width| !width.is_exact()).map(|width| width.name.to_owned()).collect::<Vec<_>>()
            };
            Some((wide(Stage::ALL_COMMANDS), wide(COMPUTE)))
        }
        ("a dependency that relies on another one that it does not name", _) => {
            let chained = |relies_on: &'static [&'static str]| {
                let link = |name, from, to| {
                    let JournalEntry::Dependency(entry) = barrier(name, from, to) else { unreachable!() };
                    JournalEntry::Dependency(DependencyEntry { relies_on, ..entry })
                };
                let frames = frame(vec![
                    pass("writer", &[Use::write(COMPUTE, A)]),
                    link("first", (COMPUTE, WRITE), (Stage::COPY, Access::NONE)),
                    link("second", (Stage::COPY, Access::NONE), (COMPUTE, READ)),
                    pass("reader", &[Use::read(COMPUTE, A)]),
                ]);
                let found = reliance(&frames, &between(&frames)).unnamed;
                found.into_iter().map(|(name, conflict)| format!("{name}: {conflict}")).collect::<Vec<_>>()
            };
            Some((chained(&[]), chained(&["first", "second"])))
        }
        ("a command buffer, fence or semaphore that is used too early", _) => {
            Some((submitted(HostEvent::Begin { commands: 1 }), submitted(HostEvent::Begin { commands: 9 })))
        }
        ("mapped memory or timestamps that the host accesses while a submission may", _) => {
            let too_early =
                [HostEvent::Write(bytes(3, "parameters")), HostEvent::Read(bytes(4, "timestamps"))].map(submitted);
            assert!(too_early.iter().all(|found| !found.is_empty()), "{too_early:#?}");
            Some((too_early.concat(), submitted(HostEvent::Read(bytes(3, "parameters")))))
        }
        ("two resources that are bound to the same memory", _) => {
            let bound = |second: u64| {
                let watch = Watch::default();
                watch.bound(bytes(1, "a"));
                watch.bound(Bytes { from: second, to: second + 64, ..bytes(1, "b") });
                watch.aliases()
            };
            Some((bound(63), bound(64)))
        }
        ("an access of a shader that its pass does not declare", _) => {
            let own = Own::read();
            Some((own.undeclared("ok_exchange"), own.check("ok_exchange", [4, 1, 1]).0))
        }
        ("a race of invocations on elements that are computed from their numbers", _) => {
            kernels("shifted", "ok_xor_twice")
        }
        ("a scope or semantics of a barrier() or an atomic that is too weak", _) => {
            kernels("memory_of_a_subgroup", "ok_exchange")
        }
        ("a barrier() that not all invocations of a workgroup reach", _) => {
            kernels("early_return", "ok_workgroup_returns")
        }
        ("an attribute of a barrier() that is not needed", _) => {
            let survive = |name| {
                let mutants = Own::read().check(name, [4, 1, 1]).1;
                mutants.iter().filter(|of| of.survived()).map(|of| format!("{of:?}")).collect::<Vec<_>>()
            };
            Some((survive("needless_barrier"), survive("ok_exchange")))
        }
        _ => None,
    }
}

#[test]
fn each_cell_of_the_table_is_planted_and_found() {
    // What the layer finds takes a device: `tests/pingpong.rs` plants it.
    let cells = SIGHT.iter().flat_map(|of| of.judges.iter().map(|judge| (of.fault, *judge)));
    for (fault, judge) in cells.filter(|(_, judge)| *judge != Judge::Layer) {
        let (wrong, right) = planted(fault, judge).unwrap_or_else(|| panic!("nobody plants {fault:?} for {judge}"));
        assert!(!wrong.is_empty(), "{judge} does not find {fault}");
        assert_eq!(right, Vec::<String>::new(), "{judge} finds {fault} where there is none");
        eprintln!("{judge}: {fault}: {}", wrong[0]);
    }
}

#[test]
fn what_is_not_looked_for_is_not_found() {
    let kernels = [
        ("two writes to elements of which memory decides, as after a sort", "unseen_scatter"),
        ("a result that is right for one width of subgroups only, without a race", "unseen_sum_at_16"),
        ("an element beyond the end of an array", "unseen_beyond_the_end"),
        ("an invocation that waits for another one by looking at memory", "unseen_spin"),
    ];
    for (fault, name) in kernels {
        assert!(SIGHT.iter().any(|of| of.fault == fault && of.judges.is_empty()), "{fault}");
        assert_eq!(kernel(name), Vec::<String>::new(), "{fault} is found: the table should say so");
    }
    // A pass whose commands copy B too, and which does not say so, has the journal of one that does not.
    assert_eq!(
        conflicts(vec![pass("copy", &[Use::copy_to(A)]), pass("read", &[Use::read(COMPUTE, B)])]),
        Vec::<String>::new()
    );
}
