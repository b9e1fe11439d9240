//! Values that are known before a kernel runs, and those that belong to one invocation.

use super::module::{Instruction, Module, is_between};
use super::ranges::{Range, computed, is_computed};
use spirv::{BuiltIn, Decoration, Op, StorageClass};

/// How deep an expression is followed.
const DEPTH: usize = 24;

/// Storage whose contents no invocation changes.
const KNOWN: [StorageClass; 3] = [StorageClass::Input, StorageClass::Uniform, StorageClass::PushConstant];

/// Conversions, arithmetic, comparisons and operations on bits.
fn is_arithmetic(op: Op) -> bool {
    is_between(op, Op::ConvertFToU, Op::BitCount)
}

impl Module {
    /// The value of `id`, if it follows from constants.
    pub fn constant(&self, id: u32) -> Option<u64> {
        self.constant_within(id, DEPTH)
    }

    fn constant_within(&self, id: u32, depth: usize) -> Option<u64> {
        let (depth, Instruction { op, words }) = (depth.checked_sub(1)?, self.of(id)?);
        let given =
            || self.decorations.get(&(id, Decoration::SpecId)).and_then(|&spec| self.constants.get(spec as usize));
        match *op {
            Op::ConstantTrue => Some(1),
            Op::ConstantFalse => Some(0),
            Op::Constant => Some(words[2..].iter().rev().fold(0, |all, &word| all << 32 | u64::from(word))),
            Op::SpecConstantTrue => Some(given().map_or(1, |&value| value.min(1).into())),
            Op::SpecConstantFalse => Some(given().map_or(0, |&value| value.min(1).into())),
            Op::SpecConstant => Some(u64::from(given().copied().unwrap_or(words[2]))),
            Op::SpecConstantOp => self.computed(Op::from_u32(words[2])?, &words[3..], self.bits_of(id), depth),
            Op::CopyObject => self.constant_within(words[2], depth),
            Op::Phi => self.joined(*self.by_id.get(id as usize)?, &words[2..], depth),
            op if words.len() > 2 => self.computed(op, &words[2..], self.bits_of(id), depth),
            _ => None,
        }
    }

    /// The value that all ways that can be taken to a block bring, if it is the same constant.
    fn joined(&self, at: usize, incoming: &[u32], depth: usize) -> Option<u64> {
        let block = self.block_of.get(&at)?;
        let mut joined = None;
        for from in incoming.chunks_exact(2) {
            let before = *self.labels.get(&from[1])?;
            if *self.reached.get(before)? && self.blocks[before].next.contains(block) {
                let value = self.constant_within(from[0], depth)?;
                if *joined.get_or_insert(value) != value {
                    return None;
                }
            }
        }
        joined
    }

    /// The result of an operation, of so many bits, if these operands are enough to know it.
    fn computed(&self, op: Op, operands: &[u32], bits: u32, depth: usize) -> Option<u64> {
        if !is_computed(op) {
            return None;
        }
        let range = |&id: &u32| match self.constant_within(id, depth) {
            Some(value) => Range::of(value),
            None => Range::of_bits(self.bits_of(id)),
        };
        let operands: Vec<Range> = operands.iter().map(range).collect();
        computed(op, &operands, bits).value()
    }

    /// A text that is the same for values that are equal within one invocation, at any time unless it names an id.
    pub fn key(&self, id: u32) -> String {
        self.key_within(id, DEPTH)
    }

    fn key_within(&self, id: u32, depth: usize) -> String {
        let named = || format!("%{id}");
        if let Some(value) = self.constant(id) {
            return value.to_string();
        }
        let (Some(depth), Some(Instruction { op, words })) = (depth.checked_sub(1), self.of(id)) else {
            return named();
        };
        match *op {
            Op::Load => match self.path(words[2]) {
                Some((base, indices)) if self.class(base).is_some_and(|class| KNOWN.contains(&class)) => {
                    let of = self
                        .decorations
                        .get(&(base, Decoration::BuiltIn))
                        .map_or(format!("u{base}"), |of| format!("in{of}"));
                    indices.iter().fold(of, |all, &index| format!("{all}.{}", self.key_within(index, depth)))
                }
                // So no two invocations read the same at their own places.
                Some((base, indices)) if self.distinct.contains(&base) => match indices[..] {
                    [_, place] => format!("identity({})", self.key_within(place, depth)),
                    _ => named(),
                },
                _ => named(),
            },
            // An induction variable: where it starts, and its stride.
            Op::Phi if words.len() == 6 => {
                let stride = |id: u32| {
                    let next = self.of(id).filter(|next| next.op == Op::IAdd)?;
                    (next.words[2] == words[1]).then(|| self.constant(next.words[3])).flatten()
                };
                let starting = |start: u32, next: u32| {
                    stride(next).map(|stride| format!("each({},{stride})", self.key_within(start, depth)))
                };
                starting(words[2], words[4]).or_else(|| starting(words[4], words[2])).unwrap_or_else(named)
            }
            Op::Phi | Op::Variable => named(),
            // Arithmetic, conversions and parts of vectors.
            op if words.len() > 2 && (is_between(op, Op::VectorShuffle, Op::CopyObject) || is_arithmetic(op)) => {
                // The index of a part of a vector is no id.
                let operand = |(at, &word): (usize, &u32)| match op {
                    Op::CompositeExtract if at > 0 => format!("#{word}"),
                    _ => self.key_within(word, depth),
                };
                let operands: Vec<String> = words[2..].iter().enumerate().map(operand).collect();
                format!("{op:?}({})", operands.join(","))
            }
            _ => named(),
        }
    }

    /// Whether an index is, modulo the size of the workgroup, the number of the invocation: then no other invocation of
    /// the workgroup has such an index at any time.
    pub fn is_own_in_workgroup(&self, index: u32) -> bool {
        let size = u64::from(self.local_size().iter().product::<u32>());
        size.is_power_of_two() && self.is_congruent(index, true, size, &mut Vec::new())
    }

    /// Whether a value is congruent to the number of the invocation, or to zero, modulo `size`. `assumed` are the
    /// loops' variables of which that is to be shown.
    fn is_congruent(&self, id: u32, to_own: bool, size: u64, assumed: &mut Vec<(u32, bool)>) -> bool {
        if let Some(value) = self.constant(id) {
            return !to_own && value % size == 0;
        }
        let Some(Instruction { op, words }) = self.of(id) else { return false };
        let mut is = |at: usize, to_own: bool| self.is_congruent(words[at], to_own, size, assumed);
        match *op {
            Op::Load => to_own && self.key(id) == format!("in{}", BuiltIn::LocalInvocationIndex as u32),
            Op::IAdd if to_own => is(2, true) && is(3, false) || is(2, false) && is(3, true),
            Op::IAdd => is(2, false) && is(3, false),
            Op::ISub => is(2, to_own) && is(3, false),
            Op::IMul => !to_own && (is(2, false) || is(3, false)),
            // Of the lower bits, at least those of the number.
            Op::BitwiseAnd => self.constant(words[3]).is_some_and(|mask| (mask + 1) % size == 0) && is(2, to_own),
            Op::CopyObject => is(2, to_own),
            Op::Select => is(3, to_own) && is(4, to_own),
            Op::Phi => {
                assumed.contains(&(id, to_own)) || {
                    assumed.push((id, to_own));
                    words[2..].chunks_exact(2).all(|from| self.is_congruent(from[0], to_own, size, assumed))
                }
            }
            _ => false,
        }
    }

    /// The storage class of a variable.
    pub fn class(&self, variable: u32) -> Option<StorageClass> {
        let found = self.of(variable).filter(|found| found.op == Op::Variable)?;
        StorageClass::from_u32(found.words[2])
    }

    /// The variable or the computed pointer that a pointer is derived from, with the indices on the way.
    pub fn path(&self, pointer: u32) -> Option<(u32, Vec<u32>)> {
        let (mut at, mut indices) = (pointer, Vec::new());
        loop {
            let Instruction { op, words } = self.of(at)?;
            match *op {
                Op::AccessChain | Op::InBoundsAccessChain => {
                    indices.splice(0..0, words[3..].iter().copied());
                    at = words[2];
                }
                Op::CopyObject => at = words[2],
                _ => return Some((at, indices)),
            }
        }
    }
}
