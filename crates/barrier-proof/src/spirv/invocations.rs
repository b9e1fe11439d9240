//! One invocation of a kernel, executed on ranges of values.

use super::dispatches::Found;
use super::invocation_id::InvocationId;
use super::module::Instruction;
use super::plan::{ANYTHING, Plan, Value};
use super::ranges::{Range, computed, is_computed};
use crate::kernels::Modules;
use crate::{Dispatch, Error};
use spirv::{BuiltIn, Decoration, Op, StorageClass};
use std::collections::BTreeSet;

/// Most instructions that one invocation may execute: a loop whose end is not known is given up.
const MOST_INSTRUCTIONS: u32 = 1_000_000;

/// A way that arrives at a block.
struct Arrival {
    block: usize,
    phis: Vec<(u32, Value)>,
    phase: Phase,
}

/// One invocation, executed.
pub struct Invocation<'a> {
    plan: &'a Plan<'a>,
    dispatch: &'a Dispatch,
    modules: &'a dyn Modules,
    id: InvocationId,
    /// Of each id; none if nothing is known.
    values: Vec<Option<Value>>,
    /// Barriers crossed.
    phase: Phase,
    left: u32,
    executed: Executed,
}

/// What an invocation does.
#[derive(Default)]
pub struct Executed {
    /// Its accesses that the plan asks for.
    pub accesses: Vec<Found>,
    /// The barriers that it crosses, by place, in order.
    pub crossed: Vec<usize>,
    /// Blocks whose branches it was not known to take one way.
    pub undecided: BTreeSet<usize>,
}

/// How many barriers were crossed that order shared variables, and that order buffers.
#[derive(Clone, Copy)]
struct Phase {
    shared: Range,
    buffers: Range,
}

impl Phase {
    fn join(self, other: Phase) -> Phase {
        Phase { shared: self.shared.join(other.shared), buffers: self.buffers.join(other.buffers) }
    }
}

impl<'a> Invocation<'a> {
    /// The accesses that the plan asks for.
    ///
    /// # Errors
    /// What of the kernel cannot be executed.
    pub fn execute(
        plan: &'a Plan<'a>,
        (dispatch, modules): (&'a Dispatch, &'a dyn Modules),
        id: InvocationId,
    ) -> Result<Executed, Error> {
        let mut invocation = Invocation {
            plan,
            dispatch,
            modules,
            id,
            values: plan.constants.clone(),
            phase: Phase { shared: Range::of(0), buffers: Range::of(0) },
            left: MOST_INSTRUCTIONS,
            executed: Executed::default(),
        };
        invocation.run(0, &[])?;
        Ok(invocation.executed)
    }

    /// Executes from a block on, whose phis have their values, until all ways have returned or arrived at one of
    /// `stops`.
    fn run(&mut self, mut block: usize, stops: &[usize]) -> Result<Vec<Arrival>, Error> {
        let mut outward = Vec::new();
        loop {
            let merge = self.plan.module.blocks[block].merge;
            let arrivals = match merge {
                Some(merge) if self.plan.skipped[block] => {
                    vec![Arrival { block: merge, phis: Vec::new(), phase: self.phase }]
                }
                Some(merge) => self.repeat(block, merge, stops)?,
                None => match self.block(block, stops)? {
                    Next::Block(next) => {
                        block = next;
                        continue;
                    }
                    Next::Arrived(arrivals) => arrivals,
                },
            };
            let merge = merge.or_else(|| self.selection_merge(block)).filter(|merge| !stops.contains(merge));
            let (here, out): (Vec<_>, Vec<_>) = arrivals.into_iter().partition(|arrival| Some(arrival.block) == merge);
            outward.extend(out);
            match (merge, self.enter(here)) {
                (Some(merge), true) => block = merge,
                _ => return Ok(outward),
            }
        }
    }

    /// Executes one block.
    fn block(&mut self, block: usize, stops: &[usize]) -> Result<Next, Error> {
        let module = self.plan.module;
        let body = module.blocks[block].body.clone();
        self.left = self.left.checked_sub(body.len() as u32).ok_or(Error::Loop)?;
        for at in body {
            let Instruction { op, words } = &module.all[at];
            let target = |word: usize| module.labels.get(&words[word]).copied().ok_or(Error::Branch);
            match *op {
                Op::Phi => {}
                Op::Branch => return self.go(block, target(0)?, stops),
                Op::BranchConditional => match self.value(words[0])[0].value() {
                    Some(truth) => return self.go(block, target(if truth != 0 { 1 } else { 2 })?, stops),
                    None => {
                        self.executed.undecided.insert(block);
                        let merge = self.selection_merge(block);
                        let stops: Vec<usize> = stops.iter().copied().chain(merge).collect();
                        return self.both(block, words[0], [target(1)?, target(2)?], &stops).map(Next::Arrived);
                    }
                },
                Op::Switch => {
                    let value = self.value(words[0])[0].value().ok_or(Error::Switch)?;
                    let case = words[2..].chunks_exact(2).position(|case| u64::from(case[0]) == value);
                    return self.go(block, target(case.map_or(1, |case| 2 * case + 3))?, stops);
                }
                Op::Return | Op::Unreachable => return Ok(Next::Arrived(Vec::new())),
                Op::ControlBarrier => {
                    let ordered = self.plan.orders[at].unwrap_or_default();
                    let next = |of: Range| Range { low: of.low + 1, high: of.high + 1 };
                    let Phase { shared, buffers } = self.phase;
                    self.phase = Phase {
                        shared: if ordered.shared { next(shared) } else { shared },
                        buffers: if ordered.buffers { next(buffers) } else { buffers },
                    };
                    self.executed.crossed.push(at);
                }
                _ => self.perform(at, block),
            }
        }
        Err(Error::Block)
    }

    /// From one block to the next, or to a stop.
    fn go(&mut self, from: usize, to: usize, stops: &[usize]) -> Result<Next, Error> {
        let arrival = Arrival { block: to, phis: self.phis(from, to), phase: self.phase };
        if stops.contains(&to) {
            return Ok(Next::Arrived(vec![arrival]));
        }
        self.assign(arrival.phis);
        Ok(Next::Block(to))
    }

    /// Both ways of a branch that is not decided. Neither sees a value of the other, for a value is used only where its
    /// block was passed.
    fn both(&mut self, from: usize, condition: u32, to: [usize; 2], stops: &[usize]) -> Result<Vec<Arrival>, Error> {
        let (phase, mut arrivals) = (self.phase, Vec::new());
        let mut left: Option<(u32, Range)> = None;
        for (to, truth) in to.into_iter().zip([true, false]) {
            self.phase = phase;
            let narrowed = self.narrow(condition, truth);
            let mine = match self.go(from, to, stops)? {
                Next::Arrived(mine) => mine,
                Next::Block(next) => self.run(next, stops)?,
            };
            if let Some((id, before)) = narrowed {
                let after = self.value(id)[0];
                self.limit(id, before);
                if !mine.is_empty() {
                    left = Some((id, left.map_or(after, |(_, other)| after.join(other))));
                }
            }
            arrivals.extend(mine);
        }
        // What both know of the value that decided, or the only one that goes on.
        if let Some((id, range)) = left {
            self.limit(id, range);
        }
        Ok(arrivals)
    }

    fn assign(&mut self, phis: Vec<(u32, Value)>) {
        phis.into_iter().for_each(|(id, value)| self.values[id as usize] = Some(value));
    }

    fn limit(&mut self, id: u32, range: Range) {
        self.values[id as usize] = Some([range; 4]);
    }

    /// A loop, round by round, to the ways that leave it.
    fn repeat(&mut self, header: usize, merge: usize, stops: &[usize]) -> Result<Vec<Arrival>, Error> {
        let inner: Vec<usize> = stops.iter().copied().chain([header, merge]).collect();
        let (mut left, mut ways) = (Vec::new(), 0);
        loop {
            let arrivals = match self.block(header, &inner)? {
                Next::Arrived(arrivals) => {
                    // Of a selection that begins in the header itself.
                    let selection = self.selection_merge(header).filter(|merge| !inner.contains(merge));
                    let (here, mut out): (Vec<_>, Vec<_>) =
                        arrivals.into_iter().partition(|arrival| Some(arrival.block) == selection);
                    if self.enter(here) {
                        out.extend(self.run(selection.unwrap_or(merge), &inner)?);
                    }
                    out
                }
                Next::Block(next) => self.run(next, &inner)?,
            };
            let (again, out): (Vec<_>, Vec<_>) = arrivals.into_iter().partition(|arrival| arrival.block == header);
            ways += usize::from(!out.is_empty());
            left.extend(out);
            if !self.enter(again) {
                break;
            }
        }
        if ways > 1 {
            // Left in one of several rounds: nothing is known of what the last has computed.
            self.forget(header);
        }
        Ok(left)
    }

    /// Joins the ways that arrive at one block; whether there is one.
    fn enter(&mut self, arrivals: Vec<Arrival>) -> bool {
        let mut arrivals = arrivals.into_iter();
        let Some(mut all) = arrivals.next() else { return false };
        for Arrival { phis, phase, .. } in arrivals {
            all.phase = all.phase.join(phase);
            for ((_, known), (_, other)) in all.phis.iter_mut().zip(phis) {
                *known = std::array::from_fn(|part| known[part].join(other[part]));
            }
        }
        self.phase = all.phase;
        self.assign(all.phis);
        true
    }

    /// Drops the values that a loop has computed.
    fn forget(&mut self, header: usize) {
        let module = self.plan.module;
        let inside = module.blocks_of_loop(header).into_iter().flat_map(|block| module.blocks[block].body.clone());
        inside.filter_map(|at| module.result(at)).for_each(|id| self.values[id as usize] = None);
    }

    /// The values of a block's phis, for those who come from another.
    fn phis(&self, from: usize, to: usize) -> Vec<(u32, Value)> {
        let module = self.plan.module;
        let of = |at: usize| {
            let Instruction { op, words } = &module.all[at];
            let come = |way: &&[u32]| *op == Op::Phi && module.labels.get(&way[1]) == Some(&from);
            words.get(2..)?.chunks_exact(2).find(come).map(|way| (words[1], self.value(way[0])))
        };
        let first = module.blocks[to].body.clone().take_while(|&at| matches!(module.all[at].op, Op::Phi | Op::Line));
        first.filter_map(of).collect()
    }

    /// Narrows the first number of a comparison to those with this result; returns its range before.
    fn narrow(&mut self, condition: u32, truth: bool) -> Option<(u32, Range)> {
        let Instruction { op, words } = self.plan.module.of(condition)?;
        if *op == Op::LogicalNot {
            return self.narrow(words[2], !truth);
        }
        let (id, other) = (words[2], self.value(*words.get(3)?)[0]);
        let before = self.value(id)[0];
        let range = match (*op, truth) {
            (Op::ULessThan, true) | (Op::UGreaterThanEqual, false) => {
                Range { high: before.high.min(other.high.saturating_sub(1)), ..before }
            }
            (Op::ULessThanEqual, true) | (Op::UGreaterThan, false) => {
                Range { high: before.high.min(other.high), ..before }
            }
            (Op::ULessThan, false) | (Op::UGreaterThanEqual, true) => {
                Range { low: before.low.max(other.low), ..before }
            }
            (Op::ULessThanEqual, false) | (Op::UGreaterThan, true) => {
                Range { low: before.low.max(other.low.saturating_add(1)), ..before }
            }
            _ => return None,
        };
        if range.low <= range.high {
            self.limit(id, range);
        }
        Some((id, before))
    }

    /// The block after a selection that begins at the end of this one.
    fn selection_merge(&self, block: usize) -> Option<usize> {
        let body = self.plan.module.blocks[block].body.clone();
        let merge =
            |at: usize| (self.plan.module.all[at].op == Op::SelectionMerge).then(|| self.plan.module.all[at].words[0]);
        body.filter_map(merge).next().and_then(|label| self.plan.module.labels.get(&label).copied())
    }

    fn value(&self, id: u32) -> Value {
        self.values[id as usize].unwrap_or_else(|| [Range::of_bits(self.plan.shapes[id as usize].bits); 4])
    }

    /// An instruction that is no branch.
    fn perform(&mut self, at: usize, block: usize) {
        let module = self.plan.module;
        let Instruction { op, words } = &module.all[at];
        self.access(at);
        let Some(id) = module.result(at).filter(|&id| self.plan.needed[id as usize]) else { return };
        let (parts, bits) =
            (|id: u32| self.plan.shapes[id as usize].parts, |id: u32| self.plan.shapes[id as usize].bits);
        let value = match *op {
            Op::Load => self.loaded(words[2]),
            // Where all of a subgroup are, it is the first.
            Op::GroupNonUniformElect if self.plan.common[block] => {
                Some([Range::of(u64::from(self.id.local.is_multiple_of(self.id.subgroup))); 4])
            }
            Op::CompositeConstruct => {
                let mut all = ANYTHING;
                let simple = words.len() <= 6 && words[2..].iter().all(|&part| parts(part) == 1);
                if simple {
                    all.iter_mut().zip(&words[2..]).for_each(|(part, &id)| *part = self.value(id)[0]);
                }
                Some(all)
            }
            Op::CompositeExtract if words.len() == 4 && parts(words[2]) > 1 => {
                Some([self.value(words[2])[words[3] as usize]; 4])
            }
            // Two halves of an address.
            Op::Bitcast if parts(words[2]) == 2 && bits(words[1]) == 64 => {
                let [low, high, ..] = self.value(words[2]);
                let whole = high.value().zip(low.value()).map(|(high, low)| Range::of(high << 32 | low));
                Some([whole.unwrap_or(Range::of_bits(64)); 4])
            }
            op if is_computed(op) => {
                let mut operands = [ANYTHING; 3];
                operands.iter_mut().zip(&words[2..]).for_each(|(operand, &id)| *operand = self.value(id));
                let count = words.len() - 2;
                let bits = bits(words[1]);
                let result = |part: usize| computed(op, &operands.map(|operand| operand[part])[..count.min(3)], bits);
                match parts(words[1]) {
                    1 => Some([result(0); 4]),
                    _ => Some(std::array::from_fn(result)),
                }
            }
            _ => None,
        };
        self.values[id as usize] = value;
    }

    /// Notes the access of an instruction, if it is one of those that are looked for.
    fn access(&mut self, at: usize) {
        let Some((memory, kind, reach)) = self.plan.asked[at] else { return };
        let instruction = &self.plan.module.all[at];
        let path = self.plan.module.path(instruction.words[instruction.pointer_word()]);
        let Some((base, indices)) = path else { return };
        let (index, phase) = match self.plan.module.class(base) {
            None => (Some(base), self.phase.buffers),
            Some(StorageClass::Workgroup) => (indices.first().copied(), self.phase.shared),
            Some(_) => (indices.get(1).copied(), self.phase.buffers),
        };
        let element = index.map_or(Range::of(0), |index| self.value(index)[0]);
        self.executed.accesses.push(Found { memory, phase, element, kind, reach, by: self.id.number() });
    }

    /// What is read there, if it is known.
    fn loaded(&self, pointer: u32) -> Option<Value> {
        let module = self.plan.module;
        let (base, indices) = module.path(pointer)?;
        match module.class(base)? {
            StorageClass::Input => {
                let which = *module.decorations.get(&(base, Decoration::BuiltIn))?;
                let value = self.id.built_in(BuiltIn::from_u32(which)?);
                match indices[..] {
                    [] => Some(value),
                    [part] => Some([value[module.constant(part)? as usize]; 4]),
                    _ => None,
                }
            }
            StorageClass::Uniform | StorageClass::StorageBuffer => {
                let (name, _) = module.member(base, &indices)?;
                Some([Range { low: 0, high: self.modules.limit(name)? }; 4])
            }
            StorageClass::PushConstant => {
                let first = module.member(base, &indices)?.1? as usize / 4;
                let word =
                    |at: usize| self.dispatch.push.get(at).map_or(Range::of_bits(32), |&word| Range::of(word.into()));
                Some(std::array::from_fn(|part| word(first + part)))
            }
            _ => None,
        }
    }
}

/// After a block.
enum Next {
    Block(usize),
    Arrived(Vec<Arrival>),
}
