//! The accesses of a kernel to buffers, sampled images and shared variables.

use super::module::{Instruction, Module, op};
use std::collections::{BTreeMap, BTreeSet};

/// What is accessed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Memory {
    /// A buffer or a sampled image, by the name that passes use.
    Resource(String),
    /// A variable that a workgroup shares.
    Shared(String),
}

/// How it is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Load,
    Store,
    Atomic,
}

/// One instruction that accesses memory.
#[derive(Clone, Debug)]
pub struct Access {
    pub memory: Memory,
    pub kind: Kind,
    /// The element, as a text that is equal for equal elements: see `Module::key`. Empty for what has one element.
    pub key: String,
    /// Whether no other invocation of the workgroup accesses this element of a shared variable.
    pub own: bool,
    /// The place of the instruction.
    pub(super) at: usize,
}

/// A kernel with the values of its specialization constants.
pub struct Kernel {
    pub(super) module: Module,
    /// Its accesses that these constants do not exclude, in order.
    pub accesses: Vec<Access>,
}

const UNIFORM_CONSTANT: u32 = 0;
const UNIFORM: u32 = 2;
const WORKGROUP: u32 = 4;
const PUSH_CONSTANT: u32 = 9;
const STORAGE_BUFFER: u32 = 12;

impl Kernel {
    /// Decodes a module. `array` names the array whose address is at a place in the push constants.
    ///
    /// # Errors
    /// What of it cannot be analyzed.
    pub fn read(words: &[u32], constants: &[u32], array: fn(u32) -> Option<&'static str>) -> Result<Kernel, String> {
        let module = Module::read(words, constants)?;
        let reachable = module.reachable();
        let mut accesses = Vec::new();
        for block in module.blocks.iter().zip(reachable).filter(|(_, reached)| *reached).map(|(block, _)| block) {
            for at in block.body.clone() {
                let Instruction { code, words } = &module.all[at];
                let (kind, pointer) = match *code {
                    op::LOAD => (Kind::Load, words[2]),
                    op::STORE => (Kind::Store, words[0]),
                    op::ATOMIC_STORE => (Kind::Atomic, words[0]),
                    op::ATOMIC_LOAD..=op::ATOMIC_XOR | 5614 | 5615 | 6035 => (Kind::Atomic, words[2]),
                    _ => continue,
                };
                accesses.extend(module.access(kind, pointer, at, array)?);
            }
        }
        Ok(Kernel { module, accesses })
    }

    /// Each buffer and image that it accesses, with whether it reads and writes it.
    pub fn uses(&self) -> BTreeMap<&str, (bool, bool)> {
        let mut uses = BTreeMap::new();
        for Access { memory, kind, .. } in &self.accesses {
            if let Memory::Resource(name) = memory {
                let (reads, writes): &mut (bool, bool) = uses.entry(name.as_str()).or_default();
                *reads |= *kind != Kind::Store;
                *writes |= *kind != Kind::Load;
            }
        }
        uses
    }
}

impl Module {
    fn access(
        &self,
        kind: Kind,
        pointer: u32,
        at: usize,
        array: fn(u32) -> Option<&'static str>,
    ) -> Result<Option<Access>, String> {
        let unknown = || format!("it accesses memory that is not found: %{pointer}");
        let (base, indices) = self.path(pointer).ok_or_else(unknown)?;
        let first = |from: usize| indices.get(from).map(|&index| self.key(index)).unwrap_or_default();
        let (memory, key) = match self.class(base) {
            Some(STORAGE_BUFFER) => (Memory::Resource(self.first_member(base).ok_or_else(unknown)?), first(1)),
            Some(UNIFORM) => (Memory::Resource(self.parameters(base).to_owned()), String::new()),
            Some(UNIFORM_CONSTANT) => {
                (Memory::Resource(self.names.get(&base).cloned().ok_or_else(unknown)?), String::new())
            }
            Some(WORKGROUP) => (Memory::Shared(self.names.get(&base).cloned().ok_or_else(unknown)?), first(0)),
            Some(_) => return Ok(None),
            None => {
                let mut places = BTreeSet::new();
                self.addresses(base, &mut places, &mut BTreeSet::new());
                let names: Vec<&str> = places.iter().filter_map(|&place| array(place)).collect();
                let [name] = names[..] else { return Err(unknown()) };
                (Memory::Resource(name.to_owned()), self.key(base))
            }
        };
        let own = matches!(memory, Memory::Shared(_))
            && indices.first().is_some_and(|&index| self.is_own_in_workgroup(index));
        Ok(Some(Access { memory, kind, key, own, at }))
    }

    /// The structure that a variable is of.
    fn structure(&self, variable: u32) -> Option<u32> {
        let pointer = self.of(self.of(variable)?.words[0])?;
        (pointer.code == op::TYPE_POINTER).then(|| pointer.words[2])
    }

    pub(super) fn first_member(&self, variable: u32) -> Option<String> {
        self.members.get(&(self.structure(variable)?, 0)).cloned()
    }

    /// Parameters of a step, or of a scene.
    fn parameters(&self, variable: u32) -> &'static str {
        let block = self.structure(variable).and_then(|block| self.of(block)).filter(|of| of.code == op::TYPE_STRUCT);
        let first = block.and_then(|block| block.words.get(1)).and_then(|member| self.names.get(member));
        if first.is_some_and(|name| name == "StepParams") { "step_params" } else { "scene_params" }
    }

    /// Places in the list of addresses that a computed pointer is derived from.
    fn addresses(&self, id: u32, places: &mut BTreeSet<u32>, seen: &mut BTreeSet<u32>) {
        let Some(Instruction { code, words }) = self.of(id).filter(|_| seen.insert(id)) else { return };
        match *code {
            op::LOAD => {
                if let Some((base, indices)) = self.path(words[2])
                    && self.class(base) == Some(PUSH_CONSTANT)
                    && let Some(place) = indices.get(1).and_then(|&index| self.constant(index))
                {
                    places.insert(place as u32);
                }
            }
            _ => words.iter().skip(2).for_each(|&operand| self.addresses(operand, places, seen)),
        }
    }
}
