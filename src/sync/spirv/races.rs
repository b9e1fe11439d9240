//! Accesses of different invocations of one dispatch to the same memory, with nothing between them that orders them.
//!
//! `barrier()` orders the invocations of a workgroup, and makes their accesses to *shared* variables visible; for buffers it would need
//! memory semantics that no kernel here gives it. So two accesses to a shared variable are in order if each way through the kernel
//! from one to the other crosses a `barrier()`, and two accesses to a buffer never are.
//!
//! No order is needed between two reads, two atomics, or accesses of an invocation to elements that no other accesses: those at its own
//! number, or from there on in strides of the workgroup. For other elements the analysis does not know whether they are the same, and
//! reports them if one access reads and the other writes: then [`dispatches`](super::dispatches) decides. It does not report two writes
//! to a buffer that nothing reads in the dispatch: that no two invocations write the same place is shown by comparing results with the
//! twins'.

use super::accesses::{Access, Kernel, Kind, Memory};
use super::module::{Instruction, Module, op};
use std::collections::BTreeSet;
use std::fmt;

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

impl fmt::Display for Race {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = |kind: Kind| match kind {
            Kind::Load => "reads",
            Kind::Store => "writes",
            Kind::Atomic => "atomically changes",
        };
        let (Memory::Resource(name) | Memory::Shared(name)) = &self.memory;
        write!(f, "one invocation {} {name} and another {} it", said(self.first), said(self.next))
    }
}

impl Kernel {
    /// Races on buffers within one dispatch.
    pub fn races_on_buffers(&self) -> BTreeSet<Race> {
        let mut races = BTreeSet::new();
        let buffers = || self.accesses.iter().filter(|access| matches!(access.memory, Memory::Resource(_)));
        for first in buffers() {
            for next in buffers().filter(|next| next.memory == first.memory) {
                let kinds = (first.kind.min(next.kind), first.kind.max(next.kind));
                let mixed = !matches!(
                    kinds,
                    (Kind::Load, Kind::Load) | (Kind::Store, Kind::Store) | (Kind::Atomic, Kind::Atomic)
                );
                if mixed && !(first.key == next.key && Module::is_of_invocation(&first.key)) {
                    races.insert(Race { memory: first.memory.clone(), first: kinds.0, next: kinds.1 });
                }
            }
        }
        races
    }

    /// Places of `barrier()` in the kernel.
    pub fn barriers(&self) -> Vec<usize> {
        let is_barrier = |at: &usize| self.module.all[*at].code == op::CONTROL_BARRIER;
        let reachable = self.module.reachable();
        let blocks = self.module.blocks.iter().zip(reachable).filter(|(_, reached)| *reached);
        blocks.flat_map(|(block, _)| block.body.clone()).filter(is_barrier).collect()
    }

    /// Races on shared variables, without the barrier at `left_out`.
    pub fn races_on_shared(&self, left_out: Option<usize>) -> BTreeSet<Race> {
        let mut races = BTreeSet::new();
        for first in self.accesses.iter().filter(|access| matches!(access.memory, Memory::Shared(_))) {
            for next in self.followers(first, left_out).into_iter().filter(|next| next.memory == first.memory) {
                let harmless =
                    matches!((first.kind, next.kind), (Kind::Load, Kind::Load) | (Kind::Atomic, Kind::Atomic));
                let own = first.own && next.own;
                if !harmless && !own && !self.same_invocation(first, next) {
                    let memory = first.memory.clone();
                    races.insert(Race { memory, first: first.kind, next: next.kind });
                }
            }
        }
        races
    }

    /// Whether both are one store: a shared variable that all write is written by one invocation, as after
    /// `gl_LocalInvocationIndex == 0`, which is not checked here.
    fn same_invocation(&self, first: &Access, next: &Access) -> bool {
        first.at == next.at && first.kind == Kind::Store
    }

    /// The accesses after `first` without a barrier between.
    fn followers(&self, first: &Access, left_out: Option<usize>) -> Vec<&Access> {
        let module = &self.module;
        let block = module.block_of[&first.at];
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        let mut open = vec![(block, first.at + 1)];
        while let Some((block, start)) = open.pop() {
            let mut crossed = false;
            for at in start..module.blocks[block].body.end {
                let Instruction { code, .. } = &module.all[at];
                if *code == op::CONTROL_BARRIER && Some(at) != left_out {
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
