//! The damage of a missing dependency as the specification allows it, replayed on the host: the same each time, and
//! without a device.
//!
//! The frames' journals say what may overlap without the dependency, or with a bit less in its masks ([`Schedule`]). At
//! one moment, in the middle of a few frames, the replayer then chooses one of the executions that the specification
//! allows ([`Execution`]): a pass that nothing delays runs before what it should wait for, one that nothing waits for
//! runs late, or a pass reads what memory held before a write that is not visible to it. All other passes are lucky.
//! Their [`Twins`] replay them to the end of the frames, and the result is compared with that of the intact order. Of
//! all such executions the worst is reported.
//!
//! A pass without a twin is followed by the uses that it declares: what it writes is a mark of what it has read, and
//! two marks are the same or not. Whole passes are moved; a device may mix their workgroups.

mod corruption;
mod executions;
mod memory;

use crate::between::faulty;
use crate::{DependencyEntry, Fault, HOST, Hazard, Journal, Operation, PRESENT, Resource, Schedule};
use corruption::corruption;
pub use corruption::{Corruption, Element, PARTS, Part};
use executions::executions;
pub use executions::{Description, Execution};
pub use memory::{Content, Memory, Reads};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Frames that are replayed.
pub const FRAMES: usize = 4;

/// The frame with the bad moment.
const MOMENT: usize = 2;

/// What each pass computes, on the host, and what it means when that is wrong.
pub trait Twins {
    /// The damage after the last frame.
    type Damage: Clone + Default;

    /// The words that the pass leaves in the resources it writes, given what it reads; none for a pass without a twin,
    /// or one that reads what has no words.
    fn play(&self, operation: &Operation, reads: &Reads<'_>) -> Option<Vec<(Resource, Vec<u32>)>>;

    /// The elements of a resource.
    fn element(&self, resource: Resource) -> Element;

    /// How memory differs from that of the `intact` frames.
    fn damage(&self, broken: &Memory, intact: &Memory) -> Self::Damage;

    /// How bad that is: of several executions the worst is reported.
    fn severity(damage: &Self::Damage) -> u64;
}

/// Frames of one kind, ready to be replayed with any fault.
pub struct Replayer<T: Twins> {
    journals: Vec<Journal>,
    twins: T,
    /// Memory before the first frame that a bad moment may reach.
    start: Memory,
    intact: Run,
    /// Executions that were replayed: many faults allow the same.
    known: RefCell<HashMap<Execution, Replay<T::Damage>>>,
}

/// The worst execution with a fault.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay<D> {
    /// What happens, in words.
    pub what: String,
    /// The same in short: of several buffers, their number.
    pub short: String,
    /// What was corrupt at that moment.
    pub corrupt: Vec<Corruption>,
    /// The damage after the last frame.
    pub damage: D,
    /// Results that the display or the host took, and that differ from the intact ones.
    pub results: usize,
    /// How many executions were replayed.
    pub tried: usize,
    /// Passes that read something wrong, and have no twin.
    pub untwinned: BTreeSet<&'static str>,
}

/// By an operation's place and a resource.
type Contents = BTreeMap<(usize, Resource), Content>;

/// One execution.
#[derive(Clone, Default)]
struct Run {
    memory: Memory,
    /// What each operation found.
    found: Contents,
    /// What each operation left.
    left: Contents,
    /// What each operation wrote over.
    before: Contents,
    marked: BTreeSet<usize>,
}

impl Run {
    fn found(&self) -> &Contents {
        &self.found
    }

    fn left(&self) -> &Contents {
        &self.left
    }
}

impl<T: Twins> Replayer<T> {
    /// Frames with these journals, [`FRAMES`] of one kind in sequence, which find this memory when they start.
    ///
    /// # Panics
    /// When there are fewer or more.
    pub fn new(journals: Vec<Journal>, start: Memory, twins: T) -> Replayer<T> {
        assert_eq!(journals.len(), FRAMES, "the frames that are replayed");
        let schedule = Schedule::of(&journals);
        let mut player = Replayer { journals, twins, start, intact: Run::default(), known: RefCell::default() };
        let order: Vec<usize> = (0..schedule.operations.len()).collect();
        let first = order.iter().take_while(|&&at| schedule.operations[at].frame < MOMENT - 1).count();
        player.start = player.run(&schedule, &order[..first], None).memory;
        player.intact = player.run(&schedule, &order[first..], None);
        player
    }

    /// Every dependency of these frames, in order, each once.
    pub fn dependencies(&self) -> Vec<&DependencyEntry> {
        let mut known = BTreeSet::new();
        self.journals[MOMENT].dependencies().filter(|dependency| known.insert(dependency.name)).collect()
    }

    /// The frames' journals.
    pub fn journals(&self) -> &[Journal] {
        &self.journals
    }

    /// What each pass computes.
    pub fn twins(&self) -> &T {
        &self.twins
    }

    /// Memory after the intact frames.
    pub fn memory(&self) -> &Memory {
        &self.intact.memory
    }

    /// The worst that the specification allows with this fault in every frame; none if nothing is out of order.
    pub fn replay(&self, fault: &Fault) -> Option<Replay<T::Damage>> {
        let frames: Vec<Journal> = self.journals.iter().map(|journal| faulty(journal, fault)).collect();
        let schedule = Schedule::of(&frames);
        if schedule.conflicts.is_empty() {
            return None;
        }
        let executions = executions(&schedule, MOMENT);
        let replays = executions.iter().map(|execution| {
            let known = self.known.borrow().get(execution).cloned();
            let replay = known.unwrap_or_else(|| self.execute(&schedule, execution));
            self.known.borrow_mut().entry(execution.clone()).or_insert(replay).clone()
        });
        let severity = |replay: &Replay<T::Damage>| {
            let corrupt: usize = replay.corrupt.iter().map(|of| of.elements.map_or(1, |(corrupt, _)| corrupt)).sum();
            (T::severity(&replay.damage), replay.results, corrupt)
        };
        // Of several equally bad ones, the first.
        let worst = replays.reduce(|a, b| if severity(&b) > severity(&a) { b } else { a });
        let worst = worst.unwrap_or_else(|| undefined(&schedule));
        Some(Replay { tried: executions.len(), ..worst })
    }

    fn execute(&self, schedule: &Schedule, execution: &Execution) -> Replay<T::Damage> {
        let operations = &schedule.operations;
        let from = operations.iter().position(|operation| operation.frame == MOMENT - 1).unwrap_or(0);
        let run = match execution {
            Execution::Reordered { order, .. } => self.run(schedule, &order[from..], None),
            _ => self.run(schedule, &(from..operations.len()).collect::<Vec<_>>(), Some(execution)),
        };
        let mut corrupt = Vec::new();
        // What an operation found or left, and what one of the intact frames did.
        let mut compare = |side: fn(&Run) -> &Contents, resource, at: usize, intact: usize| {
            let contents = side(&run).get(&(at, resource)).zip(side(&self.intact).get(&(intact, resource)));
            if let Some((is, should)) = contents.filter(|(is, should)| is != should) {
                let (name, is_before) = (operations[at].name, operations[at].frame < MOMENT);
                corrupt.push(corruption((resource, self.twins.element(resource)), (name, is_before), is, should));
            }
        };
        match execution {
            Execution::StaleRead { reader, unseen } => {
                unseen.keys().for_each(|&resource| compare(Run::found, resource, *reader, *reader));
            }
            Execution::EarlyRead { reader, resource, .. } => compare(Run::found, *resource, *reader, *reader),
            Execution::Reordered { conflict, moved: (a, b), .. } => {
                let (first, then) = (*a.min(b), *a.max(b));
                match conflict.hazard {
                    Hazard::Raw => compare(Run::found, conflict.resource, then, then),
                    Hazard::War => compare(Run::found, conflict.resource, first, first),
                    // The write of the first, which is now the last, remains.
                    _ => compare(Run::left, conflict.resource, first, then),
                }
            }
        }
        let taken = |at: &usize| [PRESENT, HOST].contains(&operations[*at].name);
        let differs = |at: &usize| {
            let reads = operations[*at].uses.iter().map(|of| (*at, of.resource));
            reads.clone().any(|key| run.found.get(&key) != self.intact.found.get(&key))
        };
        let results = (from..operations.len()).filter(|at| taken(at) && differs(at)).count();
        let followed = run.marked.iter().filter(|at| !taken(at) && differs(at)).map(|&at| operations[at].name);
        Replay {
            what: Description(execution, schedule).to_string(),
            short: format!("{:#}", Description(execution, schedule)),
            corrupt,
            damage: self.twins.damage(&run.memory, &self.intact.memory),
            results,
            tried: 0,
            untwinned: followed.collect(),
        }
    }

    /// Executes operations in this order.
    fn run(&self, schedule: &Schedule, order: &[usize], execution: Option<&Execution>) -> Run {
        let mut run = Run { memory: self.start.clone(), ..Run::default() };
        for &at in order {
            let operation = &schedule.operations[at];
            let mut found = BTreeMap::new();
            for of in &operation.uses {
                let other = match execution {
                    Some(Execution::StaleRead { reader, unseen }) if *reader == at => {
                        unseen.get(&of.resource).and_then(|writer| run.before.get(&(*writer, of.resource)))
                    }
                    Some(Execution::EarlyRead { reader, resource, writer })
                        if (*reader, *resource) == (at, of.resource) =>
                    {
                        self.intact.left.get(&(*writer, of.resource))
                    }
                    _ => None,
                };
                if of.reads() {
                    let content = other.cloned().unwrap_or_else(|| run.memory.get(of.resource));
                    run.found.insert((at, of.resource), content.clone());
                    found.insert(of.resource, content);
                }
            }
            let written: BTreeSet<Resource> =
                operation.uses.iter().filter(|of| of.writes()).map(|of| of.resource).collect();
            for &resource in &written {
                run.before.insert((at, resource), run.memory.get(resource));
            }
            match self.twins.play(operation, &Reads { found: &found, memory: &run.memory }) {
                Some(played) => {
                    played.into_iter().for_each(|(resource, words)| run.memory.set(resource, Content::of(words)));
                }
                None => {
                    run.marked.insert(at);
                    for &resource in &written {
                        let mark = Content::mark((operation.name, operation.frame, resource, &found));
                        run.memory.set(resource, mark);
                    }
                }
            }
            for &resource in &written {
                run.left.insert((at, resource), run.memory.get(resource));
            }
        }
        run
    }
}

/// Where no pass reads too early and none can run elsewhere: two writes of which the second need not find the first, or
/// an image in the wrong layout, or one whose layout changes too early. No contents can be told.
fn undefined<D: Default>(schedule: &Schedule) -> Replay<D> {
    let conflicts = schedule.conflicts.iter().map(|placed| &placed.conflict);
    let clearest = conflicts.min_by_key(|conflict| (!conflict.direct, conflict.across_frames));
    let placed = schedule.conflicts.iter().all(|of| of.from.is_some() && of.to.is_some());
    let then = if placed { "in order, not visible" } else { "undefined" };
    let what = clearest.map_or_else(String::new, |conflict| format!("{conflict}: {then}"));
    let images = schedule.conflicts.iter().any(|of| of.from.is_none() || of.to.is_none());
    Replay {
        short: what.clone(),
        what,
        corrupt: Vec::new(),
        damage: D::default(),
        results: usize::from(images),
        tried: 0,
        untwinned: BTreeSet::new(),
    }
}
