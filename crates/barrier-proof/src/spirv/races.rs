//! Accesses of different invocations of one dispatch to the same memory, with nothing between them that orders them,
//! and barriers that not all invocations reach.
//!
//! `barrier()` orders the invocations of a workgroup, for the memory that [its semantics name](super::scopes). So two
//! accesses to a shared variable are in order if each way through the kernel from one to the other crosses a
//! `barrier()` that orders shared variables. Two accesses to a buffer are taken as never in order here:
//! [`dispatches`](super::dispatches) knows those of one workgroup.
//!
//! No order is needed between two reads, between two atomics whose scopes include both invocations, and between
//! accesses to [elements that no two of the invocations](super::numbers) have. For other elements the analysis does not
//! know whether they are the same, and reports them: then `dispatches` decides. It does not report two writes to
//! elements of which memory decides, as after a sort: that no two invocations write the same place is shown by
//! comparing results with the twins'.

use super::accesses::{Access, Kernel, Kind, Memory};
use super::module::Instruction;
use super::numbers::Single;
use super::scopes::Reach;
use spirv::Op;
use std::collections::BTreeSet;
use std::fmt;

/// What is wrong, or may be, in one dispatch of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Defect {
    /// Two accesses that nothing orders.
    Race(Race),
    /// A `barrier()`, counted from 1 on, that the invocations of a workgroup do not all reach, or not as often.
    Divergent(usize),
    /// An element of this memory that is read, and that nothing has written.
    Unwritten(Memory),
}

/// Two accesses that nothing orders.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Race {
    /// What both access.
    pub memory: Memory,
    /// How the first accesses it.
    pub first: Kind,
    /// How the next accesses it.
    pub next: Kind,
}

impl Defect {
    /// The memory that it is about.
    pub(crate) fn memory(&self) -> Option<&Memory> {
        match self {
            Defect::Race(race) => Some(&race.memory),
            Defect::Unwritten(memory) => Some(memory),
            Defect::Divergent(_) => None,
        }
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Memory::Resource(resource) => resource.name(),
            Memory::Shared(name) => name,
        })
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Defect::Race(race) => write!(f, "{race} in the same dispatch"),
            Defect::Divergent(nth) => {
                write!(f, "not all invocations of a workgroup reach its barrier() number {nth}, or not as often")
            }
            Defect::Unwritten(memory) => write!(f, "an invocation reads an element of {memory} that none has written"),
        }
    }
}

impl fmt::Display for Race {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = |kind: Kind| match kind {
            Kind::Load => "reads",
            Kind::Store => "writes",
            Kind::Atomic => "atomically changes",
        };
        write!(f, "one invocation {} {} and another {} it", said(self.first), self.memory, said(self.next))?;
        match (self.first, self.next) {
            (Kind::Atomic, Kind::Atomic) => write!(f, ", in a scope that does not include both,"),
            _ => Ok(()),
        }
    }
}

impl Access {
    /// Whether this and another access of a different invocation need an order, if their elements may be the same.
    fn conflicts(&self, next: &Access) -> bool {
        let same = self.at == next.at;
        match (self.kind, next.kind) {
            (Kind::Load, Kind::Load) => false,
            (Kind::Atomic, Kind::Atomic) => {
                let needed = if self.is_shared() { Reach::Workgroup } else { Reach::Device };
                self.reach.min(next.reach) < needed
            }
            (Kind::Store, Kind::Store) if same || !self.is_shared() => self.is_known() && next.is_known(),
            _ => true,
        }
    }

    /// Whether this access and another one, of different invocations, have different elements: then along how many
    /// dimensions of a dispatch that holds.
    fn apart(&self, next: &Access) -> Option<u32> {
        let least = |a: Option<u32>, b: Option<u32>| a.zip(b).map(|(a, b)| a.min(b));
        let (same_element, same_one) = (self.key == next.key, self.single == next.single && !self.single.1.is_empty());
        let enough = if self.is_shared() { Single::Workgroup } else { Single::Dispatch };
        let by_guard = match () {
            () if self.own && next.own => Some(3),
            () if self.at == next.at => self.alone,
            // One and the same invocation.
            () if same_one && self.single.0 >= enough => Some(3),
            () if same_one && same_element && self.single.0 == Single::Workgroup => least(self.alone, next.alone),
            () => None,
        };
        by_guard.max(least(self.by_number, next.by_number).filter(|_| same_element))
    }
}

impl Kernel {
    /// What may be wrong with it, whatever its dispatches are.
    pub fn defects(&self) -> BTreeSet<Defect> {
        let nth = |at: &usize| self.barriers.keys().position(|other| other == at).map_or(0, |at| at + 1);
        let divergent = self.doubtful.keys().map(|at| Defect::Divergent(nth(at)));
        self.races_on_buffers().into_iter().chain(self.races_on_shared()).map(Defect::Race).chain(divergent).collect()
    }

    /// Whether all invocations of a workgroup are shown to reach this one of its `barrier()`s alike.
    pub fn is_common(&self, nth: usize) -> bool {
        self.barriers.keys().nth(nth - 1).is_some_and(|at| !self.doubtful.contains_key(at))
    }

    /// What its barriers and atomics order: two changes of one of them with the same effects have the same defects.
    pub fn effects(&self) -> Vec<u32> {
        let of_barriers = self.barriers.values().map(|of| u32::from(of.shared) | u32::from(of.buffers) << 1);
        let atomics = self.accesses.iter().filter(|access| access.kind == Kind::Atomic);
        let divergent = self.doubtful.len() as u32;
        let some = of_barriers.filter(|of| *of > 0);
        some.chain([u32::MAX, divergent]).chain(atomics.map(|access| access.reach as u32)).collect()
    }

    /// Along how many dimensions of a dispatch invocations may be numbered, so that their elements are shown to differ.
    pub fn dimensions(&self) -> u32 {
        let mut least = 3;
        self.each_pair(|first, next| {
            if let Some(rank) = first.apart(next) {
                least = least.min(rank);
            }
        });
        least
    }

    /// Calls `found` with each pair of accesses to one buffer that conflict.
    fn each_pair<'a>(&'a self, mut found: impl FnMut(&'a Access, &'a Access)) {
        for (at, first) in self.accesses.iter().enumerate().filter(|(_, first)| !first.is_shared()) {
            for next in self.accesses[at..].iter().filter(|next| next.memory == first.memory) {
                if first.conflicts(next) {
                    found(first, next);
                }
            }
        }
    }

    /// Races on buffers within one dispatch.
    pub fn races_on_buffers(&self) -> BTreeSet<Race> {
        let mut races = BTreeSet::new();
        self.each_pair(|first, next| {
            if first.apart(next).is_none() {
                let (memory, kinds) = (first.memory.clone(), [first.kind, next.kind]);
                races.insert(Race { memory, first: kinds[0].min(kinds[1]), next: kinds[0].max(kinds[1]) });
            }
        });
        races
    }

    /// Races on shared variables.
    pub fn races_on_shared(&self) -> BTreeSet<Race> {
        let mut races = BTreeSet::new();
        for first in self.accesses.iter().filter(|access| access.is_shared()) {
            // Others may execute the same instruction meanwhile.
            for next in self.followers(first).into_iter().chain([first]).filter(|next| next.memory == first.memory) {
                if first.conflicts(next) && first.apart(next).is_none() {
                    races.insert(Race { memory: first.memory.clone(), first: first.kind, next: next.kind });
                }
            }
        }
        races
    }

    /// The accesses after `first` without a barrier between.
    fn followers(&self, first: &Access) -> Vec<&Access> {
        let module = &self.module;
        let block = module.block_of[&first.at];
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        let mut open = vec![(block, first.at + 1)];
        while let Some((block, start)) = open.pop() {
            let mut crossed = false;
            for at in start..module.blocks[block].body.end {
                let Instruction { op, .. } = &module.all[at];
                if *op == Op::ControlBarrier && self.barriers.get(&at).is_some_and(|of| of.shared) {
                    crossed = true;
                    break;
                }
                found.extend(self.accesses.iter().filter(|access| access.at == at));
            }
            if !crossed {
                let next = module.blocks[block].next.iter().filter(|next| seen.insert(**next));
                open.extend(next.map(|&next| (next, module.blocks[next].body.start)));
            }
        }
        found
    }
}
