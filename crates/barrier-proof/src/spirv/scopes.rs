//! The scopes and semantics of barriers and atomics: whom they order, and which memory.
//!
//! A control barrier makes the invocations in its *execution scope* wait for each other. It orders their accesses to a
//! kind of memory if it also acquires and releases, in a *memory scope* that includes them, and its semantics name that
//! kind's storage. Two atomics are no data race if the scope of each includes the other's invocation (appendix "Memory
//! Model", "Data-Race").

use super::module::{Instruction, Module};
use spirv::{MemorySemantics, Op, Scope};

/// How far a scope reaches. One queue is all of the device here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reach {
    Invocation,
    Subgroup,
    Workgroup,
    Device,
}

/// The memory whose accesses a control barrier orders among the invocations of a workgroup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ordered {
    /// Variables that a workgroup shares.
    pub shared: bool,
    /// Buffers.
    pub buffers: bool,
}

impl Module {
    /// How far the scope reaches that this id is the value of; not at all if it is not known.
    pub fn reach(&self, scope: u32) -> Reach {
        match self.constant(scope).and_then(|value| Scope::from_u32(value as u32)) {
            Some(Scope::CrossDevice | Scope::Device | Scope::QueueFamily) => Reach::Device,
            Some(Scope::Workgroup) => Reach::Workgroup,
            Some(Scope::Subgroup) => Reach::Subgroup,
            _ => Reach::Invocation,
        }
    }

    /// The semantics that this id is the value of.
    pub fn semantics(&self, id: u32) -> MemorySemantics {
        MemorySemantics::from_bits_truncate(self.constant(id).unwrap_or_default() as u32)
    }

    /// What the control barrier at this place orders. A memory barrier directly before it releases for it, and one
    /// directly after it acquires for it.
    pub fn ordered(&self, at: usize) -> Ordered {
        let words = &self.all[at].words;
        if self.reach(words[0]) < Reach::Workgroup {
            return Ordered::default();
        }
        let body = self.block_of.get(&at).map_or(at..at + 1, |&block| self.blocks[block].body.clone());
        let own = (self.reach(words[1]), self.semantics(words[2]));
        let before = self.fences((body.start..at).rev());
        let after = self.fences(at + 1..body.end);
        let storage = |memory: MemorySemantics| {
            let does = |fences: &[(Reach, MemorySemantics)], one: MemorySemantics| {
                let any = one | MemorySemantics::ACQUIRE_RELEASE | MemorySemantics::SEQUENTIALLY_CONSISTENT;
                let does = |&(reach, of): &(Reach, MemorySemantics)| {
                    reach >= Reach::Workgroup && of.intersects(any) && of.contains(memory)
                };
                fences.iter().chain([&own]).any(does)
            };
            does(&before, MemorySemantics::RELEASE) && does(&after, MemorySemantics::ACQUIRE)
        };
        Ordered {
            shared: storage(MemorySemantics::WORKGROUP_MEMORY),
            buffers: storage(MemorySemantics::UNIFORM_MEMORY),
        }
    }

    /// The memory barriers at these places, as far as no access stands before them.
    fn fences(&self, places: impl Iterator<Item = usize>) -> Vec<(Reach, MemorySemantics)> {
        let all = places.map(|at| &self.all[at]).take_while(|of| !of.accesses() && of.op != Op::ControlBarrier);
        let fence = all.filter(|of| of.op == Op::MemoryBarrier);
        fence.map(|of| (self.reach(of.words[0]), self.semantics(of.words[1]))).collect()
    }
}

impl Instruction {
    /// Whether it is an atomic operation.
    pub fn is_atomic(&self) -> bool {
        let of_floats = matches!(self.op, Op::AtomicFMinEXT | Op::AtomicFMaxEXT | Op::AtomicFAddEXT);
        of_floats || super::module::is_between(self.op, Op::AtomicLoad, Op::AtomicXor)
    }

    /// Whether it accesses memory.
    pub fn accesses(&self) -> bool {
        matches!(self.op, Op::Load | Op::Store | Op::ImageWrite) || self.is_atomic()
    }

    /// The place among its words of its pointer.
    pub fn pointer_word(&self) -> usize {
        if matches!(self.op, Op::Store | Op::AtomicStore) { 0 } else { 2 }
    }
}
