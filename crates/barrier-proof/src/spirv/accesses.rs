//! The accesses of a kernel to buffers, sampled images and shared variables.

use super::flow::Deciders;
use super::module::{Instruction, Module};
use super::numbers::Single;
use super::plan::operands;
use super::scopes::{Ordered, Reach};
use crate::kernels::Modules;
use crate::{Error, Resource};
use spirv::{Decoration, Op, StorageClass};
use std::collections::{BTreeMap, BTreeSet};

/// What is accessed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Memory {
    /// A buffer or a sampled image.
    Resource(Resource),
    /// A variable that a workgroup shares.
    Shared(String),
}

/// A variable of a module that a descriptor is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable<'a> {
    /// Its descriptor set and binding.
    pub binding: (u32, u32),
    /// Its name; empty without one.
    pub name: &'a str,
    /// The name of the structure that it is of.
    pub block: &'a str,
    /// The name of its first member, if it is of a structure.
    pub member: &'a str,
    /// Members of that structure's first member, if that is of a structure too.
    pub inner: &'a str,
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
    /// How far the scope of an atomic reaches.
    pub reach: Reach,
    /// The element, as a text that is equal for equal elements: see `Module::key`. Empty for what has one element.
    pub key: String,
    /// Of a shared variable: whether no other invocation of the workgroup accesses this element at any time.
    pub own: bool,
    /// Whether different invocations have different elements: along how many dimensions of a dispatch.
    pub(super) by_number: Option<u32>,
    /// The same of those invocations that may execute it at once.
    pub(super) alone: Option<u32>,
    /// Whether the element is in the part of a workgroup's number along z.
    pub(super) in_part: bool,
    /// Who executes it.
    pub(super) single: (Single, String),
    /// The place of the instruction.
    pub(super) at: usize,
}

impl Access {
    /// Whether it is to a variable that a workgroup shares.
    pub fn is_shared(&self) -> bool {
        matches!(self.memory, Memory::Shared(_))
    }

    /// Whether its element is computed from the number of the invocation, constants and parameters alone.
    pub(super) fn is_known(&self) -> bool {
        !self.key.contains('%') && !self.key.contains("identity(")
    }
}

/// A kernel with the values of its specialization constants.
pub struct Kernel {
    pub(super) module: Module,
    /// Its accesses that these constants do not exclude, in order.
    pub accesses: Vec<Access>,
    /// Each of its `barrier()`s that these constants do not exclude, by place, and what it orders.
    pub(super) barriers: BTreeMap<usize, Ordered>,
    /// Those that the invocations of a workgroup may reach differently, with the blocks whose branches decide.
    pub(super) doubtful: BTreeMap<usize, BTreeSet<usize>>,
}

impl Kernel {
    /// Decodes a module, one of `modules`.
    ///
    /// # Errors
    /// What of it cannot be analyzed.
    pub fn read(words: &[u32], constants: &[u32], modules: &dyn Modules) -> Result<Kernel, Error> {
        let mut module = Module::read(words, constants)?;
        module.keeps_to_parts = modules.keeps_to_parts();
        let variables = module.all.iter().filter(|of| of.op == Op::Variable).map(|of| of.words[1]);
        let distinct = |id: &u32| modules.resource(&module.variable(*id)).is_some_and(|of| modules.is_distinct(of));
        module.distinct =
            variables.filter(|&id| module.class(id) == Some(StorageClass::StorageBuffer)).filter(distinct).collect();
        let loads = module.all.iter().filter(|of| of.op == Op::Load);
        let by_address = |of: &&Instruction| {
            let base = module.path(of.words[2]).map(|(base, _)| base).filter(|&base| module.class(base).is_none());
            let array = base.and_then(|base| module.addressed(base, modules));
            array.is_some_and(|array| modules.is_distinct(array))
        };
        let distinct: Vec<u32> = loads.filter(by_address).map(|of| of.words[1]).collect();
        module.distinct.extend(distinct);
        let deciders = Deciders::new(&module);
        let (mut accesses, mut barriers) = (Vec::new(), BTreeMap::new());
        for (number, block) in module.blocks.iter().enumerate().filter(|(number, _)| module.reached[*number]) {
            let single = module.single(&deciders, number);
            for at in block.body.clone() {
                let instruction = &module.all[at];
                let kind = match instruction.op {
                    Op::Load => Kind::Load,
                    Op::Store => Kind::Store,
                    Op::ImageWrite => return Err(Error::StorageImage),
                    Op::ControlBarrier => {
                        barriers.insert(at, module.ordered(at));
                        continue;
                    }
                    _ if instruction.is_atomic() => Kind::Atomic,
                    _ => continue,
                };
                accesses.extend(module.access(kind, at, &single, modules)?);
            }
        }
        let places: Vec<usize> = barriers.keys().copied().collect();
        let doubtful = module.doubtful(&places, &deciders, &accesses);
        Ok(Kernel { module, accesses, barriers, doubtful })
    }

    /// Each buffer and image that it accesses, with whether it reads and writes it.
    pub fn uses(&self) -> BTreeMap<Resource, (bool, bool)> {
        let mut uses = BTreeMap::new();
        for Access { memory, kind, .. } in &self.accesses {
            if let Memory::Resource(name) = memory {
                let (reads, writes): &mut (bool, bool) = uses.entry(*name).or_default();
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
        at: usize,
        single: &(Single, String),
        modules: &dyn Modules,
    ) -> Result<Option<Access>, Error> {
        let instruction = &self.all[at];
        let (word, words) = (instruction.pointer_word(), &instruction.words);
        let pointer = words[word];
        let unknown = Error::Memory(pointer);
        let (base, indices) = self.path(pointer).ok_or(unknown)?;
        let (memory, element) = match self.class(base) {
            Some(class @ (StorageClass::StorageBuffer | StorageClass::Uniform | StorageClass::UniformConstant)) => {
                let resource = modules.resource(&self.variable(base)).ok_or(unknown)?;
                let element = indices.get(1).filter(|_| class == StorageClass::StorageBuffer).copied();
                (Memory::Resource(resource), element)
            }
            Some(StorageClass::Workgroup) => {
                // Without debug information it has no name.
                let name = self.names.get(&base).cloned().unwrap_or_else(|| format!("shared variable {base}"));
                (Memory::Shared(name), indices.first().copied())
            }
            Some(_) => return Ok(None),
            None => (Memory::Resource(self.addressed(base, modules).ok_or(unknown)?), Some(base)),
        };
        let shared = matches!(memory, Memory::Shared(_));
        Ok(Some(Access {
            memory,
            kind,
            reach: if kind == Kind::Atomic { self.reach(words[word + 1]) } else { Reach::Invocation },
            key: element.map(|index| self.key(index)).unwrap_or_default(),
            own: shared && element.is_some_and(|index| self.is_own_in_workgroup(index)),
            by_number: self.is_own(element, shared, Single::No),
            alone: self.is_own(element, shared, single.0),
            in_part: element.is_some_and(|index| self.is_in_part(index)),
            single: single.clone(),
            at,
        }))
    }

    /// The array that a computed pointer leads to.
    fn addressed(&self, pointer: u32, modules: &dyn Modules) -> Option<Resource> {
        let mut places = BTreeSet::new();
        self.addresses(pointer, &mut places, &mut BTreeSet::new());
        let names: Vec<Resource> = places.iter().filter_map(|&place| modules.array(place)).collect();
        let [name] = names[..] else { return None };
        Some(name)
    }

    /// What is known of a variable that a descriptor is bound to.
    fn variable(&self, id: u32) -> Variable<'_> {
        let pointer = self.of(id).and_then(|variable| self.of(variable.words[0]));
        let block = pointer.filter(|of| of.op == Op::TypePointer).map_or(0, |pointer| pointer.words[2]);
        let inner = self.of(block).filter(|of| of.op == Op::TypeStruct).and_then(|of| of.words.get(1).copied());
        let decoration = |what| self.decorations.get(&(id, what)).copied().unwrap_or_default();
        let named = |id| self.names.get(&id).map_or("", String::as_str);
        Variable {
            binding: (decoration(Decoration::DescriptorSet), decoration(Decoration::Binding)),
            name: named(id),
            block: named(block),
            member: self.members.get(&(block, 0)).map_or("", String::as_str),
            inner: inner.map_or("", named),
        }
    }

    /// Places in the list of addresses that a computed pointer is derived from.
    fn addresses(&self, id: u32, places: &mut BTreeSet<u32>, seen: &mut BTreeSet<u32>) {
        let Some(Instruction { op, words }) = self.of(id).filter(|_| seen.insert(id)) else { return };
        match *op {
            Op::Load => {
                if let Some((base, indices)) = self.path(words[2])
                    && self.class(base) == Some(StorageClass::PushConstant)
                    && let Some(place) = indices.get(1).and_then(|&index| self.constant(index))
                {
                    places.insert(place as u32);
                }
            }
            _ => operands(*op, words).iter().for_each(|&operand| self.addresses(operand, places, seen)),
        }
    }
}
