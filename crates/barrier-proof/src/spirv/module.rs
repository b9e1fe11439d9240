//! A decoded module with one function, which is what the optimizer leaves.

use crate::Error;
use spirv::{Decoration, ExecutionMode, MemoryModel, Op};
use std::collections::{HashMap, HashSet};

/// An instruction and its operands.
#[derive(Clone)]
pub struct Instruction {
    pub op: Op,
    pub words: Vec<u32>,
}

/// A basic block.
pub struct Block {
    /// Its instructions, without the label.
    pub body: std::ops::Range<usize>,
    /// Blocks that may follow, by their place.
    pub next: Vec<usize>,
    /// The block after the loop that this one begins.
    pub merge: Option<usize>,
}

/// A module, specialized by `constants`.
pub struct Module {
    /// The words before its instructions.
    pub header: Vec<u32>,
    pub all: Vec<Instruction>,
    /// The instruction that defines each id; `usize::MAX` for none.
    pub by_id: Vec<usize>,
    pub names: HashMap<u32, String>,
    /// Names of the members of structures.
    pub members: HashMap<(u32, u32), String>,
    /// Where the members of structures begin, in bytes.
    pub offsets: HashMap<(u32, u32), u32>,
    /// The decorations of each id that are needed: its specialization constant or its built-in variable.
    pub decorations: HashMap<(u32, Decoration), u32>,
    pub constants: Vec<u32>,
    /// The blocks of its function, the first one first.
    pub blocks: Vec<Block>,
    /// The block of each instruction of the function.
    pub block_of: HashMap<usize, usize>,
    /// The block of each label.
    pub labels: HashMap<u32, usize>,
    /// Whether each block can be reached, as far as that is known.
    pub reached: Vec<bool>,
    /// Variables whose elements are all different, and are not written; and loads by an address from such an array.
    pub distinct: HashSet<u32>,
    /// Whether workgroups of different numbers along z have parts of each array to themselves.
    pub keeps_to_parts: bool,
}

/// The word of the header that all ids are below.
const BOUND: usize = 3;

impl Module {
    /// Decodes these words.
    ///
    /// # Errors
    /// What of them cannot be analyzed.
    pub fn read(words: &[u32], constants: &[u32]) -> Result<Module, Error> {
        let mut all = Vec::new();
        let mut at = 5;
        while at < words.len() {
            let (count, code) = ((words[at] >> 16) as usize, words[at] & 0xffff);
            if count == 0 || at + count > words.len() {
                return Err(Error::CutOff);
            }
            let op = Op::from_u32(code).ok_or(Error::Instruction(code))?;
            all.push(Instruction { op, words: words[at + 1..at + count].to_vec() });
            at += count;
        }
        let is_vulkan = |of: &Instruction| of.words.get(1) == Some(&(MemoryModel::Vulkan as u32));
        if all.iter().any(|of| of.op == Op::MemoryModel && is_vulkan(of)) {
            return Err(Error::MemoryModel);
        }
        let mut module = Module {
            header: words.get(..5).ok_or(Error::CutOff)?.to_vec(),
            by_id: vec![usize::MAX; *words.get(BOUND).ok_or(Error::CutOff)? as usize],
            names: HashMap::new(),
            members: HashMap::new(),
            offsets: HashMap::new(),
            decorations: HashMap::new(),
            constants: constants.to_vec(),
            blocks: Vec::new(),
            block_of: HashMap::new(),
            labels: HashMap::new(),
            reached: Vec::new(),
            distinct: HashSet::new(),
            keeps_to_parts: false,
            all,
        };
        module.index();
        let ends_with = |op: Op| module.all.last().is_some_and(|last| last.op == op);
        if !ends_with(Op::FunctionEnd) || !module.all.iter().any(|instruction| instruction.op == Op::Label) {
            return Err(Error::CutOff);
        }
        if module.all.iter().filter(|instruction| instruction.op == Op::Function).count() != 1 {
            return Err(Error::Functions);
        }
        // A constant branch may make a later value constant, if only one way leads there.
        let mut left = usize::MAX;
        loop {
            module.find_blocks()?;
            module.reached = module.reachable();
            let count = module.reached.iter().filter(|reached| **reached).count();
            if std::mem::replace(&mut left, count) == count {
                return Ok(module);
            }
        }
    }

    fn index(&mut self) {
        for (at, Instruction { op, words }) in self.all.iter().enumerate() {
            match *op {
                Op::Name => drop(self.names.insert(words[0], text(&words[1..]))),
                Op::MemberName => drop(self.members.insert((words[0], words[1]), text(&words[2..]))),
                Op::MemberDecorate if words[2] == Decoration::Offset as u32 => {
                    self.offsets.insert((words[0], words[1]), words[3]);
                }
                Op::Decorate if words.len() > 2 => {
                    let what = Decoration::from_u32(words[1]);
                    self.decorations.extend(what.map(|what| ((words[0], what), words[2])));
                }
                op => {
                    if let Some(place) = result(op, words).and_then(|id| self.by_id.get_mut(id as usize)) {
                        *place = at;
                    }
                }
            }
        }
    }

    fn find_blocks(&mut self) -> Result<(), Error> {
        let mut labels = HashMap::new();
        let mut starts = Vec::new();
        for (at, instruction) in self.all.iter().enumerate() {
            if instruction.op == Op::Label {
                labels.insert(instruction.words[0], starts.len());
                starts.push(at + 1);
            }
        }
        let place = |label: &u32| labels.get(label).copied().ok_or(Error::Branch);
        let (mut blocks, mut block_of) = (Vec::new(), HashMap::new());
        for (number, &start) in starts.iter().enumerate() {
            let end = starts.get(number + 1).map_or(self.all.len(), |next| next - 1);
            let (mut next, mut merge) = (Vec::new(), None);
            for at in start..end {
                block_of.insert(at, number);
                let Instruction { op, words } = &self.all[at];
                match *op {
                    Op::LoopMerge => merge = Some(place(&words[0])?),
                    Op::Branch => next.push(place(&words[0])?),
                    Op::BranchConditional => match self.constant(words[0]) {
                        Some(condition) => next.push(place(&words[if condition != 0 { 1 } else { 2 }])?),
                        None => next.extend([place(&words[1])?, place(&words[2])?]),
                    },
                    // Selectors of 32 bits.
                    Op::Switch => {
                        let cases = words[2..].chunks_exact(2);
                        match self.constant(words[0]) {
                            Some(value) => {
                                let case = cases.clone().find(|case| u64::from(case[0]) == value);
                                next.push(place(case.map_or(&words[1], |case| &case[1]))?);
                            }
                            None => {
                                next.push(place(&words[1])?);
                                for case in cases {
                                    next.push(place(&case[1])?);
                                }
                            }
                        }
                    }
                    _ => {}
                }
            }
            blocks.push(Block { body: start..end, next, merge });
        }
        (self.blocks, self.labels, self.block_of) = (blocks, labels, block_of);
        Ok(())
    }

    /// The instruction that defines `id`.
    pub fn of(&self, id: u32) -> Option<&Instruction> {
        self.all.get(*self.by_id.get(id as usize)?)
    }

    /// The id that an instruction defines.
    pub fn result(&self, at: usize) -> Option<u32> {
        let Instruction { op, words } = &self.all[at];
        result(*op, words)
    }

    /// The type of a value, or the type itself.
    fn type_of(&self, id: u32) -> Option<&Instruction> {
        let is_type = |found: &&Instruction| is_type(found.op);
        self.of(id).filter(is_type).or_else(|| self.of(self.of(id)?.words[0]).filter(is_type))
    }

    /// Bits of a number, of a vector's parts, or of a pointer.
    pub fn bits_of(&self, id: u32) -> u32 {
        match self.type_of(id) {
            Some(Instruction { op: Op::TypeBool, .. }) => 1,
            Some(Instruction { op: Op::TypeInt | Op::TypeFloat, words }) => words[1],
            Some(Instruction { op: Op::TypeVector, words }) => self.bits_of(words[1]),
            _ => 64,
        }
    }

    /// Parts of a vector; 1 for a number or a pointer, and 0 for anything else.
    pub fn parts_of(&self, id: u32) -> u32 {
        match self.type_of(id) {
            Some(Instruction { op: Op::TypeVector, words }) => words[2],
            Some(Instruction { op: Op::TypeBool | Op::TypeInt | Op::TypeFloat | Op::TypePointer, .. }) => 1,
            _ => 0,
        }
    }

    /// The name of what is found by these indices from a variable, and where it begins, in bytes, if they are known.
    pub fn member(&self, variable: u32, indices: &[u32]) -> Option<(&str, Option<u32>)> {
        let mut at = self.of(self.of(variable)?.words[0])?.words[2];
        let (mut name, mut offset) = ("", Some(0));
        for &index in indices {
            let index = self.constant(index).map(|index| index as u32);
            let Instruction { op, words } = self.of(at)?;
            let more = if *op == Op::TypeStruct {
                let member = (at, index?);
                name = self.members.get(&member)?;
                at = words[1 + member.1 as usize];
                Some(*self.offsets.get(&member)?)
            } else {
                let stride = self.decorations.get(&(at, Decoration::ArrayStride)).copied();
                let stride = stride.unwrap_or(self.bits_of(at) / 8);
                at = words[1];
                index.map(|index| index * stride)
            };
            offset = offset.zip(more).map(|(offset, more)| offset + more);
        }
        Some((name, offset))
    }

    /// Invocations of a workgroup along each axis; none if it is no kernel.
    pub fn local_size(&self) -> [u32; 3] {
        let mode = |words: &[u32]| words.get(1).and_then(|&mode| ExecutionMode::from_u32(mode));
        let size = self.all.iter().find_map(|Instruction { op, words }| match (*op, mode(words)) {
            (Op::ExecutionMode, Some(ExecutionMode::LocalSize)) => words[2..].try_into().ok(),
            (Op::ExecutionModeId, Some(ExecutionMode::LocalSizeId)) => {
                let of = |axis: usize| words.get(2 + axis).and_then(|&id| self.constant(id)).unwrap_or_default() as u32;
                Some([of(0), of(1), of(2)])
            }
            _ => None,
        });
        size.unwrap_or_default()
    }

    /// The blocks that can be reached with these constants.
    pub fn reachable(&self) -> Vec<bool> {
        let mut seen = vec![false; self.blocks.len()];
        let mut open = vec![0];
        while let Some(block) = open.pop() {
            if !std::mem::replace(&mut seen[block], true) {
                open.extend(&self.blocks[block].next);
            }
        }
        seen
    }
}

/// Whether an instruction declares a type.
fn is_type(op: Op) -> bool {
    is_between(op, Op::TypeVoid, Op::TypeForwardPointer)
}

/// Whether an operation is one of those from the first to the last, in the order of the specification.
pub fn is_between(op: Op, first: Op, last: Op) -> bool {
    (first as u32..=last as u32).contains(&(op as u32))
}

/// The id that an instruction defines.
fn result(op: Op, words: &[u32]) -> Option<u32> {
    match op as u32 {
        // Debug information, modes, decorations, stores, barriers and branches.
        0..=4 | 8 | 10 | 14..=17 | 56 | 62..=64 | 71..=75 | 99 | 218..=221 | 224 | 225 | 228 => None,
        246 | 247 | 249..=257 | 317 | 319 | 330 | 331 | 332 | 4416 | 5380 | 5632 | 5633 => None,
        // Those without a type.
        7 | 11 | 19..=39 | 248 | 322 | 327 | 4472 | 5341 => words.first().copied(),
        _ => words.get(1).copied(),
    }
}

fn text(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
