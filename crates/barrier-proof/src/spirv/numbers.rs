//! Elements that belong to one invocation: which indices are different for different invocations.
//!
//! An index is *injective* if it is computed from the number of an invocation by steps that keep different numbers
//! different: adding or exclusive-or with what is the same for all, a product with an odd number, a wider type. `x >>
//! 20` is no such step. What is not shown so is left to [`dispatches`](super::dispatches), which compute it.

use super::flow::Deciders;
use super::module::{Instruction, Module};
use spirv::{BuiltIn, Op, StorageClass};

/// How deep an index is followed.
const DEPTH: u32 = 24;

/// A number that only one of several has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Of an invocation in its dispatch.
    Invocation,
    /// Of an invocation in its workgroup.
    Local,
    /// Of a subgroup in its workgroup.
    Subgroup,
    /// Of a workgroup in its dispatch.
    Workgroup,
}

/// Who executes an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Single {
    /// Any number of invocations.
    No,
    /// Those of at most one subgroup of a workgroup.
    OneSubgroup,
    /// At most one of a subgroup.
    Subgroup,
    /// At most one of a workgroup.
    Workgroup,
    /// At most one of a dispatch.
    Dispatch,
}

/// Who is left by two conditions.
fn both(a: (Single, String), b: (Single, String)) -> (Single, String) {
    let (low, high) = if a.0 <= b.0 { (a, b) } else { (b, a) };
    match (low.0, high.0) {
        (Single::OneSubgroup, Single::Subgroup) => (Single::Workgroup, String::new()),
        _ => high,
    }
}

impl Module {
    /// Whether no other invocation that may execute the access with this index has the same index: of the workgroup
    /// for a shared variable, of the dispatch for a buffer. If so, along how many dimensions of a dispatch that holds.
    pub fn is_own(&self, index: Option<u32>, shared: bool, single: Single) -> Option<u32> {
        let of = |number| index.and_then(|index| self.injective(index, number, DEPTH));
        match (single, shared) {
            (Single::Dispatch, _) | (Single::Workgroup, true) => Some(3),
            (Single::Workgroup, false) => of(Number::Workgroup).or_else(|| of(Number::Invocation)),
            (Single::Subgroup, true) => of(Number::Subgroup).or_else(|| of(Number::Local)),
            (Single::OneSubgroup | Single::No, true) => of(Number::Local),
            (_, false) => of(Number::Invocation),
        }
    }

    /// Who executes what is in this block, and a text that is the same for the same one.
    pub fn single(&self, deciders: &Deciders, block: usize) -> (Single, String) {
        let (mut block, mut single) = (block, (Single::No, String::new()));
        for _ in 0..DEPTH {
            let Some((branch, way)) = deciders.only(block).filter(|&(branch, _)| branch != block) else { break };
            let last = self.blocks[branch].body.clone().next_back();
            if let Some(Instruction { op: Op::BranchConditional, words }) = last.map(|at| &self.all[at])
                && words[1] != words[2]
            {
                let truth = self.labels.get(&words[1]) == Some(&way);
                single = both(single, self.selects(words[0], truth, DEPTH));
            }
            block = branch;
        }
        single
    }

    /// Who finds that a condition has this value.
    fn selects(&self, condition: u32, truth: bool, depth: u32) -> (Single, String) {
        let nobody = || (Single::No, String::new());
        let (Some(depth), Some(Instruction { op, words })) = (depth.checked_sub(1), self.of(condition)) else {
            return nobody();
        };
        match (*op, truth) {
            (Op::GroupNonUniformElect, true) => (Single::Subgroup, String::new()),
            (Op::LogicalNot, _) => self.selects(words[2], !truth, depth),
            (Op::LogicalAnd, true) | (Op::LogicalOr, false) => {
                both(self.selects(words[2], truth, depth), self.selects(words[3], truth, depth))
            }
            // As a short circuit leaves it: on the way past the second condition, the first has decided.
            (Op::Phi, _) => {
                let here = self.by_id.get(condition as usize).and_then(|at| self.block_of.get(at));
                let mut open = words[2..].chunks_exact(2).filter(|way| {
                    let known = self.on_way(way[0], way[1], here);
                    known.is_none_or(|known| known == truth)
                });
                match (open.next(), open.next()) {
                    (Some(way), None) => self.selects(way[0], truth, depth),
                    _ => nobody(),
                }
            }
            (Op::IEqual, true) | (Op::INotEqual, false) => {
                let (a, b) = (words[2], words[3]);
                let one = |of: u32, other: u32| {
                    let single = match self.is_same(other) {
                        // Along one dimension it would be one for each row of workgroups.
                        true if self.injective(of, Number::Invocation, depth).is_some_and(|rank| rank > 1) => {
                            Single::Dispatch
                        }
                        true if self.injective(of, Number::Local, depth).is_some() => Single::Workgroup,
                        true if self.injective(of, Number::Subgroup, depth).is_some() => Single::OneSubgroup,
                        _ => return nobody(),
                    };
                    (single, format!("{} == {}", self.key(of), self.key(other)))
                };
                one(a, b).max(one(b, a))
            }
            _ => nobody(),
        }
    }

    /// The truth of a condition on the way from the block of this label to another block, if it decides about that.
    fn on_way(&self, condition: u32, from: u32, to: Option<&usize>) -> Option<bool> {
        if let Some(constant) = self.constant(condition) {
            return Some(constant != 0);
        }
        let body = self.blocks[*self.labels.get(&from)?].body.clone();
        let Instruction { op, words } = &self.all[body.last()?];
        if *op != Op::BranchConditional || words[0] != condition {
            return None;
        }
        let [yes, no] = [1, 2].map(|word| self.labels.get(&words[word]) == to);
        (yes != no).then_some(yes)
    }

    /// Whether a value is the same for all invocations of a dispatch.
    fn is_same(&self, id: u32) -> bool {
        let key = self.key(id);
        !["%", "each(", "identity(", "in"].iter().any(|part| key.contains(part))
    }

    /// Whether different numbers give different values of `id`, and along how many dimensions of a dispatch.
    fn injective(&self, id: u32, of: Number, depth: u32) -> Option<u32> {
        let depth = depth.checked_sub(1)?;
        if let Some(rank) = self.number(id, of) {
            return Some(rank);
        }
        let Instruction { op, words } = self.of(id)?;
        let next = |at: usize| self.injective(words[at], of, depth);
        let with_same = || match (self.is_same(words[2]), self.is_same(words[3])) {
            (false, true) => next(2),
            (true, false) => next(3),
            _ => None,
        };
        match *op {
            Op::CopyObject | Op::Not | Op::Bitcast | Op::ConvertUToPtr | Op::ConvertPtrToU | Op::SNegate => next(2),
            Op::UConvert if self.bits_of(words[2]) <= self.bits_of(id) => next(2),
            Op::IAdd => with_same().or_else(|| match (self.is_part(words[2]), self.is_part(words[3])) {
                // Nobody else has this number in another part.
                (true, false) => next(3).map(|rank| if rank == 2 { 3 } else { rank }),
                (false, true) => next(2).map(|rank| if rank == 2 { 3 } else { rank }),
                _ => None,
            }),
            Op::ISub | Op::BitwiseXor => with_same(),
            Op::IMul => {
                let factor = self.constant(words[2]).or_else(|| self.constant(words[3]))?;
                (factor % 2 == 1 || self.is_widened(words[2], words[3], factor)).then(with_same)?
            }
            Op::ShiftLeftLogical => {
                let by = self.constant(words[3])?;
                self.is_widened(words[2], words[3], 1 << by.min(63)).then(|| next(2))?
            }
            Op::Load => {
                let (base, indices) = self.path(words[2])?;
                match indices[..] {
                    _ if self.distinct.contains(&id) => self.injective(base, of, depth),
                    [_, place] if self.distinct.contains(&base) => self.injective(place, of, depth),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether a value is the number of a workgroup along z.
    fn is_z(&self, id: u32) -> bool {
        self.keeps_to_parts && self.built_in_part(id) == Some((BuiltIn::WorkgroupId, 2))
    }

    /// Whether a value is where the part of that number begins.
    fn is_part(&self, id: u32) -> bool {
        let product = self.of(id).filter(|of| of.op == Op::IMul);
        product.is_some_and(|of| {
            let [a, b] = [of.words[2], of.words[3]];
            self.is_z(a) && self.is_same(b) || self.is_z(b) && self.is_same(a)
        })
    }

    /// Whether an index is in the part of that number.
    pub fn is_in_part(&self, index: u32) -> bool {
        let sum = self.of(index).filter(|of| of.op == Op::IAdd);
        let parts = |of: &Instruction| self.is_part(of.words[2]) || self.is_part(of.words[3]);
        self.is_z(index) || self.is_part(index) || sum.is_some_and(parts)
    }

    /// Whether one of two factors is a number of 32 bits in 64, and the other so small that the product fits.
    fn is_widened(&self, a: u32, b: u32, factor: u64) -> bool {
        let wide = |mut id: u32| {
            while let Some(of) = self.of(id).filter(|of| matches!(of.op, Op::Bitcast | Op::CopyObject)) {
                id = of.words[2];
            }
            let converted = self.of(id).filter(|of| of.op == Op::UConvert && self.bits_of(id) == 64);
            converted.is_some_and(|of| self.bits_of(of.words[2]) <= 32)
        };
        (1..=1 << 32).contains(&factor) && (wide(a) || wide(b))
    }

    /// Whether a value is this number itself, and along how many dimensions of a dispatch.
    fn number(&self, id: u32, of: Number) -> Option<u32> {
        let size = self.local_size();
        let part = |built_in, axis| (self.built_in_part(id) == Some((built_in, axis))).then_some(());
        let flat = || (size[1] == 1 && size[2] == 1).then_some(());
        match of {
            Number::Local => part(BuiltIn::LocalInvocationIndex, 0)
                .or_else(|| flat().and(part(BuiltIn::LocalInvocationId, 0)))
                .map(|()| 3),
            Number::Subgroup => part(BuiltIn::SubgroupId, 0).map(|()| 3),
            Number::Workgroup => part(BuiltIn::WorkgroupId, 0).map(|()| 1).or_else(|| self.folded(id)),
            Number::Invocation => flat()
                .and(part(BuiltIn::GlobalInvocationId, 0))
                .map(|()| 1)
                .or_else(|| self.in_workgroups(id, size.iter().product())),
        }
    }

    /// `WorkgroupId.y * NumWorkgroups.x + WorkgroupId.x`.
    fn folded(&self, id: u32) -> Option<u32> {
        let sum = self.of(id).filter(|of| of.op == Op::IAdd)?;
        let is = |id: u32, built_in, axis| self.built_in_part(id) == Some((built_in, axis));
        let rows = |id: u32| {
            let product = self.of(id).filter(|of| of.op == Op::IMul);
            let both = |a, b| is(a, BuiltIn::WorkgroupId, 1) && is(b, BuiltIn::NumWorkgroups, 0);
            product.is_some_and(|of| both(of.words[2], of.words[3]) || both(of.words[3], of.words[2]))
        };
        let found = |rest, column| rows(rest) && is(column, BuiltIn::WorkgroupId, 0);
        (found(sum.words[2], sum.words[3]) || found(sum.words[3], sum.words[2])).then_some(2)
    }

    /// A workgroup's number times the size of a workgroup, plus the number of the invocation in it.
    fn in_workgroups(&self, id: u32, size: u32) -> Option<u32> {
        let sum = self.of(id).filter(|of| of.op == Op::IAdd)?;
        let first = |id: u32| {
            let Instruction { op, words } = self.of(id)?;
            let (group, factor) = match *op {
                Op::IMul => self
                    .constant(words[3])
                    .map(|factor| (words[2], factor))
                    .or_else(|| Some((words[3], self.constant(words[2])?)))?,
                Op::ShiftLeftLogical => (words[2], 1 << self.constant(words[3])?.min(63)),
                _ => return None,
            };
            (factor == u64::from(size)).then(|| self.number(group, Number::Workgroup))?
        };
        let found = |a: u32, b: u32| self.number(b, Number::Local).and(first(a));
        found(sum.words[2], sum.words[3]).or_else(|| found(sum.words[3], sum.words[2]))
    }

    /// The built-in variable, and the part of it, that a value is read from.
    fn built_in_part(&self, id: u32) -> Option<(BuiltIn, u32)> {
        let Instruction { op, words } = self.of(id)?;
        match *op {
            Op::Load => {
                let (base, indices) = self.path(words[2])?;
                if self.class(base)? != StorageClass::Input {
                    return None;
                }
                let which = self.decorations.get(&(base, spirv::Decoration::BuiltIn)).copied()?;
                let axis = match indices[..] {
                    [] => 0,
                    [axis] => self.constant(axis)? as u32,
                    _ => return None,
                };
                Some((BuiltIn::from_u32(which)?, axis))
            }
            Op::CompositeExtract if words.len() == 4 => {
                let (built_in, _) = self.built_in_part(words[2])?;
                Some((built_in, words[3]))
            }
            Op::CopyObject => self.built_in_part(words[2]),
            _ => None,
        }
    }
}
