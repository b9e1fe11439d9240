//! Values that are known before a kernel runs, and those that belong to one invocation.

use super::module::{BUILT_IN, Instruction, Module, SPEC_ID, op};

/// How deep an expression is followed.
const DEPTH: usize = 24;

const LOCAL_INVOCATION_INDEX: u32 = 29;
const GLOBAL_INVOCATION_ID: u32 = 28;

impl Module {
    /// The value of `id`, if it follows from constants.
    pub fn constant(&self, id: u32) -> Option<u64> {
        self.constant_within(id, DEPTH)
    }

    fn constant_within(&self, id: u32, depth: usize) -> Option<u64> {
        let (depth, Instruction { code, words }) = (depth.checked_sub(1)?, self.of(id)?);
        let given = || self.decorations.get(&(id, SPEC_ID)).and_then(|&spec| self.constants.get(spec as usize));
        match *code {
            op::CONSTANT_TRUE => Some(1),
            op::CONSTANT_FALSE => Some(0),
            op::CONSTANT => Some(words[2..].iter().rev().fold(0, |all, &word| all << 32 | u64::from(word))),
            op::SPEC_TRUE => Some(given().map_or(1, |&value| value.min(1).into())),
            op::SPEC_FALSE => Some(given().map_or(0, |&value| value.min(1).into())),
            op::SPEC_CONSTANT => Some(u64::from(given().copied().unwrap_or(words[2]))),
            op::SPEC_OP => self.computed(words[2] as u16, &words[3..], depth),
            op::COPY_OBJECT => self.constant_within(words[2], depth),
            op::PHI => self.joined(*self.by_id.get(id as usize)?, &words[2..], depth),
            code if words.len() > 2 => self.computed(code, &words[2..], depth),
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

    /// The result of an operation on unsigned numbers and truth values, by its opcode.
    fn computed(&self, code: u16, operands: &[u32], depth: usize) -> Option<u64> {
        let value = |at: usize| operands.get(at).and_then(|&id| self.constant_within(id, depth));
        let both = || Some((value(0)?, value(1)?));
        let either = |decides: u64| value(0) == Some(decides) || value(1) == Some(decides);
        let truth = |is: bool| Some(u64::from(is));
        match code {
            128 => both().map(|(a, b)| (a + b) & 0xffff_ffff),
            132 => both().map(|(a, b)| a.wrapping_mul(b) & 0xffff_ffff),
            134 => both().and_then(|(a, b)| a.checked_div(b)),
            164 | 170 => both().and_then(|(a, b)| truth(a == b)),
            165 | 171 => both().and_then(|(a, b)| truth(a != b)),
            166 if either(1) => Some(1),
            167 if either(0) => Some(0),
            166 => both().map(|(a, b)| a | b),
            167 => both().map(|(a, b)| a & b),
            168 => value(0).and_then(|a| truth(a == 0)),
            169 => value(if value(0)? != 0 { 1 } else { 2 }),
            172 => both().and_then(|(a, b)| truth(a > b)),
            174 => both().and_then(|(a, b)| truth(a >= b)),
            176 => both().and_then(|(a, b)| truth(a < b)),
            178 => both().and_then(|(a, b)| truth(a <= b)),
            197 => both().map(|(a, b)| a | b),
            199 if either(0) => Some(0),
            199 => both().map(|(a, b)| a & b),
            _ => None,
        }
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
        let (Some(depth), Some(Instruction { code, words })) = (depth.checked_sub(1), self.of(id)) else {
            return named();
        };
        match *code {
            op::LOAD => match self.path(words[2]) {
                Some((base, indices)) if self.class(base).is_some_and(|class| [1, 2, 9].contains(&class)) => {
                    let of = self.decorations.get(&(base, BUILT_IN)).map_or(format!("u{base}"), |of| format!("in{of}"));
                    indices.iter().fold(of, |all, &index| format!("{all}.{}", self.key_within(index, depth)))
                }
                // Identities are a permutation of the boids, so no two invocations read the same at their own places. No kernel
                // that reads them writes them.
                Some((base, indices)) if self.first_member(base).as_deref() == Some("boid_id") => match indices[..] {
                    [_, place] => format!("identity({})", self.key_within(place, depth)),
                    _ => named(),
                },
                _ => named(),
            },
            // An induction variable: where it starts, and its stride.
            op::PHI if words.len() == 6 => {
                let stride = |id: u32| {
                    let next = self.of(id).filter(|next| next.code == op::I_ADD)?;
                    (next.words[2] == words[1]).then(|| self.constant(next.words[3])).flatten()
                };
                let starting = |start: u32, next: u32| {
                    stride(next).map(|stride| format!("each({},{stride})", self.key_within(start, depth)))
                };
                starting(words[2], words[4]).or_else(|| starting(words[4], words[2])).unwrap_or_else(named)
            }
            op::PHI | op::VARIABLE => named(),
            // Arithmetic, conversions and parts of vectors.
            79..=83 | 109..=206 if words.len() > 2 => {
                // The index of a part of a vector is no id.
                let operand = |(at, &word): (usize, &u32)| match *code {
                    81 if at > 0 => format!("#{word}"),
                    _ => self.key_within(word, depth),
                };
                let operands: Vec<String> = words[2..].iter().enumerate().map(operand).collect();
                format!("{code}({})", operands.join(","))
            }
            _ => named(),
        }
    }

    /// Whether an index is, modulo the size of the workgroup, the number of the invocation: then no other invocation of the workgroup
    /// has such an index at any time.
    pub fn is_own_in_workgroup(&self, index: u32) -> bool {
        let size = self.workgroup();
        size.is_power_of_two() && self.is_congruent(index, true, size, &mut Vec::new())
    }

    /// Whether a value is congruent to the number of the invocation, or to zero, modulo `size`. `assumed` are the loops' variables of
    /// which that is to be shown.
    fn is_congruent(&self, id: u32, to_own: bool, size: u64, assumed: &mut Vec<(u32, bool)>) -> bool {
        if let Some(value) = self.constant(id) {
            return !to_own && value % size == 0;
        }
        let Some(Instruction { code, words }) = self.of(id) else { return false };
        let mut is = |at: usize, to_own: bool| self.is_congruent(words[at], to_own, size, assumed);
        match *code {
            op::LOAD => to_own && self.key(id) == format!("in{LOCAL_INVOCATION_INDEX}"),
            op::I_ADD if to_own => is(2, true) && is(3, false) || is(2, false) && is(3, true),
            op::I_ADD => is(2, false) && is(3, false),
            op::I_SUB => is(2, to_own) && is(3, false),
            op::I_MUL => !to_own && (is(2, false) || is(3, false)),
            // Of the lower bits, at least those of the number.
            op::BITWISE_AND => self.constant(words[3]).is_some_and(|mask| (mask + 1) % size == 0) && is(2, to_own),
            op::COPY_OBJECT => is(2, to_own),
            op::SELECT => is(3, to_own) && is(4, to_own),
            op::PHI => {
                assumed.contains(&(id, to_own)) || {
                    assumed.push((id, to_own));
                    words[2..].chunks_exact(2).all(|from| self.is_congruent(from[0], to_own, size, assumed))
                }
            }
            _ => false,
        }
    }

    /// Whether a key is computed from the number of the invocation, constants and parameters alone.
    pub fn is_of_invocation(key: &str) -> bool {
        let numbers = [LOCAL_INVOCATION_INDEX, GLOBAL_INVOCATION_ID];
        !key.contains('%') && !key.contains("each(") && numbers.iter().any(|of| key.contains(&format!("in{of}")))
    }

    /// The storage class of a variable.
    pub fn class(&self, variable: u32) -> Option<u32> {
        self.of(variable).filter(|found| found.code == op::VARIABLE).map(|found| found.words[2])
    }

    /// The variable or the computed pointer that a pointer is derived from, with the indices on the way.
    pub fn path(&self, pointer: u32) -> Option<(u32, Vec<u32>)> {
        let (mut at, mut indices) = (pointer, Vec::new());
        loop {
            let Instruction { code, words } = self.of(at)?;
            match *code {
                op::ACCESS_CHAIN | op::IN_BOUNDS_ACCESS_CHAIN => {
                    indices.splice(0..0, words[3..].iter().copied());
                    at = words[2];
                }
                op::COPY_OBJECT => at = words[2],
                _ => return Some((at, indices)),
            }
        }
    }
}
