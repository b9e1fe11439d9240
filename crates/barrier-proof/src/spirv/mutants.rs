//! Modules with one attribute of a barrier or an atomic changed: what the masks of a barrier between commands are to
//! those, scope and semantics are to these.

use super::accesses::{Kernel, Kind, Memory};
use super::module::{Instruction, Module};
use super::scopes::Reach;
use spirv::{MemorySemantics, Op, Scope};

/// A module with one change.
pub struct Mutant {
    /// What was changed: a barrier or an atomic.
    pub place: String,
    /// The change.
    pub change: String,
    /// The barrier, counted from 1 on, whose flow was changed.
    pub divergent: Option<usize>,
    /// Why the change may make no difference.
    pub explained: Option<&'static str>,
    /// The words of the changed module.
    pub words: Vec<u32>,
}

/// Semantics of which each is removed, by their names in the specification.
const SEMANTICS: [(MemorySemantics, &str); 8] = [
    (MemorySemantics::ACQUIRE, "Acquire"),
    (MemorySemantics::RELEASE, "Release"),
    (MemorySemantics::ACQUIRE_RELEASE, "AcquireRelease"),
    (MemorySemantics::SEQUENTIALLY_CONSISTENT, "SequentiallyConsistent"),
    (MemorySemantics::UNIFORM_MEMORY, "UniformMemory"),
    (MemorySemantics::WORKGROUP_MEMORY, "WorkgroupMemory"),
    (MemorySemantics::IMAGE_MEMORY, "ImageMemory"),
    (MemorySemantics::OUTPUT_MEMORY, "OutputMemory"),
];

/// Scopes below the device's, from the widest on.
const LOWER: [(Scope, Reach, &str); 2] =
    [(Scope::Workgroup, Reach::Workgroup, "Workgroup"), (Scope::Subgroup, Reach::Subgroup, "Subgroup")];

impl Kernel {
    /// Each barrier left out, each of its scopes lowered, each of its semantics removed, and it moved into a branch;
    /// each atomic with each lower scope and without each of its semantics.
    pub fn mutants(&self) -> Vec<Mutant> {
        let (module, mut mutants) = (&self.module, Vec::new());
        for (at, nth) in self.barriers.keys().copied().zip(1..) {
            let words = &module.all[at].words;
            let mut add = |change: String, divergent, explained, words| {
                let place = format!("barrier() {nth}");
                mutants.push(Mutant { place, change, divergent, explained, words });
            };
            add("left out".to_owned(), None, None, module.edited(|edit| edit.remove(at)));
            for (word, what) in [(0, "execution"), (1, "memory")] {
                for (scope, reach, name) in LOWER.into_iter().filter(|of| of.1 < module.reach(words[word])) {
                    // The workgroup is as far as a barrier can reach.
                    if reach < Reach::Workgroup {
                        let none = word == 1 && module.semantics(words[2]).is_empty();
                        let explained = none.then_some("without semantics, a barrier has no memory scope");
                        let words = module.edited(|edit| edit.set(at, word, scope as u32));
                        add(format!("{what} scope {name}"), None, explained, words);
                    }
                }
            }
            for (change, words) in module.without_semantics(at, 2) {
                add(change, None, None, words);
            }
            add("in a branch".to_owned(), Some(nth), None, module.edited(|edit| edit.branched(at)));
        }
        let atomics = self.accesses.iter().filter(|access| access.kind == Kind::Atomic);
        for (access, nth) in atomics.zip(1..) {
            let scope = module.all[access.at].pointer_word() + 1;
            let mut add = |change: String, explained, words| {
                let place = format!("atomic {nth}, on {}", access.memory);
                mutants.push(Mutant { place, change, divergent: None, explained, words });
            };
            for (lower, reach, name) in LOWER.into_iter().filter(|of| of.1 < access.reach) {
                let explained = match (&access.memory, reach) {
                    (Memory::Shared(_), Reach::Workgroup) => Some("only one workgroup has the variable"),
                    _ if access.alone.is_some() => Some("no other invocation accesses the element"),
                    _ => None,
                };
                let words = module.edited(|edit| edit.set(access.at, scope, lower as u32));
                add(format!("scope {name}"), explained, words);
            }
            for (change, words) in module.without_semantics(access.at, scope + 1) {
                add(change, Some("what an atomic orders besides itself is not followed"), words);
            }
        }
        mutants
    }
}

impl Module {
    /// Without each bit of the semantics that this word of an instruction names.
    fn without_semantics(&self, at: usize, word: usize) -> Vec<(String, Vec<u32>)> {
        let all = self.semantics(self.all[at].words[word]);
        let named = SEMANTICS.iter().filter(|(bit, _)| all.contains(*bit));
        let without = |&(bit, name): &(MemorySemantics, &str)| {
            (format!("- semantics {name}"), self.edited(|edit| edit.set(at, word, all.difference(bit).bits())))
        };
        named.map(without).collect()
    }

    fn edited(&self, change: impl FnOnce(&mut Edit<'_>)) -> Vec<u32> {
        let mut edit = Edit { module: self, bound: self.header[3], all: self.all.clone(), declared: Vec::new() };
        change(&mut edit);
        let Edit { bound, mut all, declared, .. } = edit;
        let functions = all.iter().position(|of| of.op == Op::Function).unwrap_or(all.len());
        all.splice(functions..functions, declared);
        let mut words = self.header.clone();
        words[3] = bound;
        for Instruction { op, words: operands } in all {
            words.push((operands.len() as u32 + 1) << 16 | op as u32);
            words.extend(operands);
        }
        words
    }
}

/// A module that is being changed.
struct Edit<'a> {
    module: &'a Module,
    bound: u32,
    all: Vec<Instruction>,
    /// Types and constants that are added to it.
    declared: Vec<Instruction>,
}

impl Edit<'_> {
    fn id(&mut self) -> u32 {
        self.bound += 1;
        self.bound - 1
    }

    fn remove(&mut self, at: usize) {
        self.all.remove(at);
    }

    /// A constant of the type of another.
    fn constant(&mut self, like: u32, value: u32) -> u32 {
        let (id, of_type) = (self.id(), self.module.of(like).map_or(0, |like| like.words[0]));
        self.declared.push(Instruction { op: Op::Constant, words: vec![of_type, id, value] });
        id
    }

    /// Gives an instruction another constant.
    fn set(&mut self, at: usize, word: usize, value: u32) {
        let id = self.constant(self.all[at].words[word], value);
        self.all[at].words[word] = id;
    }

    /// Lets only one invocation of each subgroup execute an instruction.
    fn branched(&mut self, at: usize) {
        let scope = self.constant(self.all[at].words[0], Scope::Subgroup as u32);
        let truths = self.all.iter().find(|of| of.op == Op::TypeBool).map(|of| of.words[0]);
        let truths = truths.unwrap_or_else(|| {
            let id = self.id();
            self.declared.insert(0, Instruction { op: Op::TypeBool, words: vec![id] });
            id
        });
        let body = self.module.blocks[self.module.block_of[&at]].body.clone();
        let block = self.all[body.start - 1].words[0];
        let [elected, then, merge, begin] = std::array::from_fn(|_| self.id());
        // What comes from the block comes from its last part.
        for instruction in self.all.iter_mut().filter(|of| of.op == Op::Phi) {
            instruction.words[2..].chunks_exact_mut(2).filter(|way| way[1] == block).for_each(|way| way[1] = merge);
        }
        let of = |op, words: &[u32]| Instruction { op, words: words.to_vec() };
        let barrier = self.all[at].clone();
        let branch = [
            of(Op::GroupNonUniformElect, &[truths, elected, scope]),
            of(Op::SelectionMerge, &[merge, 0]),
            of(Op::BranchConditional, &[elected, then, merge]),
            of(Op::Label, &[then]),
            barrier,
            of(Op::Branch, &[merge]),
            of(Op::Label, &[merge]),
        ];
        self.all.splice(at..=at, branch);
        // A loop begins before: its first block keeps only what says so.
        let end = body.end + 6;
        if let Some(loops) = (body.start..end).find(|&at| self.all[at].op == Op::LoopMerge) {
            let says = self.all.remove(loops);
            let phis = (body.start..end).find(|&at| !matches!(self.all[at].op, Op::Phi | Op::Line));
            let head = phis.unwrap_or(body.start);
            self.all.splice(head..head, [says, of(Op::Branch, &[begin]), of(Op::Label, &[begin])]);
        }
    }
}
