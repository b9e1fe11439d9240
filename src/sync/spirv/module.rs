//! A decoded module with one function, which is what the optimizer leaves.

use std::collections::HashMap;

/// Opcodes by the specification's names.
pub mod op {
    pub const NAME: u16 = 5;
    pub const MEMBER_NAME: u16 = 6;
    pub const LINE: u16 = 8;
    pub const EXECUTION_MODE: u16 = 16;
    pub const TYPE_BOOL: u16 = 20;
    pub const TYPE_INT: u16 = 21;
    pub const TYPE_FLOAT: u16 = 22;
    pub const TYPE_VECTOR: u16 = 23;
    pub const TYPE_STRUCT: u16 = 30;
    pub const TYPE_POINTER: u16 = 32;
    pub const CONSTANT_TRUE: u16 = 41;
    pub const CONSTANT_FALSE: u16 = 42;
    pub const CONSTANT: u16 = 43;
    pub const SPEC_TRUE: u16 = 48;
    pub const SPEC_FALSE: u16 = 49;
    pub const SPEC_CONSTANT: u16 = 50;
    pub const SPEC_OP: u16 = 52;
    pub const FUNCTION: u16 = 54;
    pub const VARIABLE: u16 = 59;
    pub const LOAD: u16 = 61;
    pub const STORE: u16 = 62;
    pub const ACCESS_CHAIN: u16 = 65;
    pub const IN_BOUNDS_ACCESS_CHAIN: u16 = 66;
    pub const DECORATE: u16 = 71;
    pub const MEMBER_DECORATE: u16 = 72;
    pub const COPY_OBJECT: u16 = 83;
    pub const I_ADD: u16 = 128;
    pub const I_SUB: u16 = 130;
    pub const I_MUL: u16 = 132;
    pub const SELECT: u16 = 169;
    pub const BITWISE_AND: u16 = 199;
    pub const CONTROL_BARRIER: u16 = 224;
    pub const ATOMIC_LOAD: u16 = 227;
    pub const ATOMIC_STORE: u16 = 228;
    pub const ATOMIC_XOR: u16 = 242;
    pub const PHI: u16 = 245;
    pub const LOOP_MERGE: u16 = 246;
    pub const SELECTION_MERGE: u16 = 247;
    pub const LABEL: u16 = 248;
    pub const BRANCH: u16 = 249;
    pub const BRANCH_CONDITIONAL: u16 = 250;
    pub const SWITCH: u16 = 251;
    pub const RETURN: u16 = 253;
    pub const UNREACHABLE: u16 = 255;
    pub const EXECUTION_MODE_ID: u16 = 331;
}

/// An instruction and its operands.
pub struct Instruction {
    pub code: u16,
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
    pub all: Vec<Instruction>,
    /// The instruction that defines each id; `usize::MAX` for none.
    pub by_id: Vec<usize>,
    pub names: HashMap<u32, String>,
    /// Names of the members of structures.
    pub members: HashMap<(u32, u32), String>,
    /// Where the members of structures begin, in bytes.
    pub offsets: HashMap<(u32, u32), u32>,
    /// The decorations of each id that are needed: its specialization constant or its built-in variable.
    pub decorations: HashMap<(u32, u32), u32>,
    pub constants: Vec<u32>,
    /// The blocks of its function, the first one first.
    pub blocks: Vec<Block>,
    /// The block of each instruction of the function.
    pub block_of: HashMap<usize, usize>,
    /// The block of each label.
    pub labels: HashMap<u32, usize>,
    /// Whether each block can be reached, as far as that is known.
    pub reached: Vec<bool>,
}

pub const SPEC_ID: u32 = 1;
pub const BUILT_IN: u32 = 11;
const ARRAY_STRIDE: u32 = 6;
/// The word of the header that all ids are below.
const BOUND: usize = 3;
const OFFSET: u32 = 35;

impl Module {
    /// Decodes these words.
    ///
    /// # Errors
    /// What of them cannot be analyzed.
    pub fn read(words: &[u32], constants: &[u32]) -> Result<Module, String> {
        let mut all = Vec::new();
        let mut at = 5;
        while at < words.len() {
            let (count, code) = ((words[at] >> 16) as usize, words[at] as u16);
            if count == 0 || at + count > words.len() {
                return Err("its SPIR-V is cut off".into());
            }
            all.push(Instruction { code, words: words[at + 1..at + count].to_vec() });
            at += count;
        }
        let mut module = Module {
            by_id: vec![usize::MAX; *words.get(BOUND).ok_or("its SPIR-V is cut off")? as usize],
            names: HashMap::new(),
            members: HashMap::new(),
            offsets: HashMap::new(),
            decorations: HashMap::new(),
            constants: constants.to_vec(),
            blocks: Vec::new(),
            block_of: HashMap::new(),
            labels: HashMap::new(),
            reached: Vec::new(),
            all,
        };
        module.index();
        if module.all.iter().filter(|instruction| instruction.code == op::FUNCTION).count() != 1 {
            return Err("it has a function that was not inlined".into());
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
        for (at, Instruction { code, words }) in self.all.iter().enumerate() {
            match *code {
                op::NAME => drop(self.names.insert(words[0], text(&words[1..]))),
                op::MEMBER_NAME => drop(self.members.insert((words[0], words[1]), text(&words[2..]))),
                op::MEMBER_DECORATE if words[2] == OFFSET => drop(self.offsets.insert((words[0], words[1]), words[3])),
                op::DECORATE if words.len() > 2 => drop(self.decorations.insert((words[0], words[1]), words[2])),
                code => {
                    if let Some(place) = result(code, words).and_then(|id| self.by_id.get_mut(id as usize)) {
                        *place = at;
                    }
                }
            }
        }
    }

    fn find_blocks(&mut self) -> Result<(), String> {
        let mut labels = HashMap::new();
        let mut starts = Vec::new();
        for (at, instruction) in self.all.iter().enumerate() {
            if instruction.code == op::LABEL {
                labels.insert(instruction.words[0], starts.len());
                starts.push(at + 1);
            }
        }
        let place = |label: &u32| labels.get(label).copied().ok_or("a branch leads nowhere".to_owned());
        let (mut blocks, mut block_of) = (Vec::new(), HashMap::new());
        for (number, &start) in starts.iter().enumerate() {
            let end = starts.get(number + 1).map_or(self.all.len(), |next| next - 1);
            let (mut next, mut merge) = (Vec::new(), None);
            for at in start..end {
                block_of.insert(at, number);
                let Instruction { code, words } = &self.all[at];
                match *code {
                    op::LOOP_MERGE => merge = Some(place(&words[0])?),
                    op::BRANCH => next.push(place(&words[0])?),
                    op::BRANCH_CONDITIONAL => match self.constant(words[0]) {
                        Some(condition) => next.push(place(&words[if condition != 0 { 1 } else { 2 }])?),
                        None => next.extend([place(&words[1])?, place(&words[2])?]),
                    },
                    // Selectors of 32 bits.
                    op::SWITCH => {
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
        let Instruction { code, words } = &self.all[at];
        result(*code, words)
    }

    /// The type of a value, or the type itself.
    fn type_of(&self, id: u32) -> Option<&Instruction> {
        let is_type = |found: &&Instruction| (19..=39).contains(&found.code);
        self.of(id).filter(is_type).or_else(|| self.of(self.of(id)?.words[0]).filter(is_type))
    }

    /// Bits of a number, of a vector's parts, or of a pointer.
    pub fn bits_of(&self, id: u32) -> u32 {
        match self.type_of(id) {
            Some(Instruction { code: op::TYPE_BOOL, .. }) => 1,
            Some(Instruction { code: op::TYPE_INT | op::TYPE_FLOAT, words }) => words[1],
            Some(Instruction { code: op::TYPE_VECTOR, words }) => self.bits_of(words[1]),
            _ => 64,
        }
    }

    /// Parts of a vector; 1 for a number or a pointer, and 0 for anything else.
    pub fn parts_of(&self, id: u32) -> u32 {
        match self.type_of(id) {
            Some(Instruction { code: op::TYPE_VECTOR, words }) => words[2],
            Some(Instruction { code: op::TYPE_BOOL | op::TYPE_INT | op::TYPE_FLOAT | op::TYPE_POINTER, .. }) => 1,
            _ => 0,
        }
    }

    /// The name of what is found by these indices from a variable, and where it begins, in bytes; none where an index is not known.
    pub fn member(&self, variable: u32, indices: &[u32]) -> Option<(&str, u32)> {
        let mut at = self.of(self.of(variable)?.words[0])?.words[2];
        let (mut name, mut offset) = ("", 0);
        for &index in indices {
            let index = self.constant(index)? as u32;
            let Instruction { code, words } = self.of(at)?;
            if *code == op::TYPE_STRUCT {
                name = self.members.get(&(at, index))?;
                offset += self.offsets.get(&(at, index))?;
                at = words[1 + index as usize];
            } else {
                let stride = self.decorations.get(&(at, ARRAY_STRIDE)).copied();
                offset += index * stride.unwrap_or(self.bits_of(at) / 8);
                at = words[1];
            }
        }
        Some((name, offset))
    }

    /// Invocations of a workgroup; 0 if it has none.
    pub fn workgroup(&self) -> u64 {
        const LOCAL_SIZE: u32 = 17;
        const LOCAL_SIZE_ID: u32 = 38;
        let size = self.all.iter().find_map(|Instruction { code, words }| match (*code, words.get(1)) {
            (op::EXECUTION_MODE, Some(&LOCAL_SIZE)) => Some(words[2..].iter().map(|&size| u64::from(size)).product()),
            (op::EXECUTION_MODE_ID, Some(&LOCAL_SIZE_ID)) => {
                words[2..].iter().map(|&id| self.constant(id)).product::<Option<u64>>()
            }
            _ => None,
        });
        size.unwrap_or(0)
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

/// The id that an instruction defines.
fn result(code: u16, words: &[u32]) -> Option<u32> {
    match code {
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
