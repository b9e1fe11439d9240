//! One invocation of a kernel, executed on ranges of values.

use super::dispatches::Found;
use super::module::{BUILT_IN, Instruction, op};
use super::plan::{Plan, SUBGROUP_SIZE, Value, pointer};
use super::ranges::{Range, computed};
use crate::flock::grid::MAX_CELLS;
use crate::vk::Dispatch;

/// Most instructions that one invocation may execute: a loop whose end is not known is given up.
const MOST_INSTRUCTIONS: u32 = 10_000_000;

/// Members of the step's parameters that have a limit, and are not just any number.
const LIMITS: [(&str, u64); 1] = [("cell_count", MAX_CELLS as u64)];

const INPUT: u32 = 1;
const UNIFORM: u32 = 2;
const WORKGROUP: u32 = 4;
const PUSH_CONSTANT: u32 = 9;

const ANYTHING: Value = [Range::of_bits(64); 4];

/// Which invocation it is.
pub struct Place {
    pub group: [u32; 2],
    pub groups: [u32; 2],
    pub local: u32,
    /// Invocations of a workgroup.
    pub size: u32,
    pub subgroup: u32,
}

impl Place {
    /// Of all invocations of the dispatch.
    fn number(&self) -> u64 {
        let [x, y] = self.group.map(u64::from);
        (y * u64::from(self.groups[0]) + x) * u64::from(self.size) + u64::from(self.local)
    }

    /// The value of a built-in variable.
    fn built_in(&self, number: u32) -> Value {
        let Place { group: [x, y], groups: [columns, rows], local, size, subgroup } = *self;
        let of = |values: [u32; 3]| values.map(|value| Range::of(value.into()));
        let [a, b, c] = match number {
            24 => of([columns, rows, 1]),
            25 => of([size, 1, 1]),
            26 => of([x, y, 0]),
            27 => of([local, 0, 0]),
            28 => of([x * size + local, y, 0]),
            29 => of([local, 0, 0]),
            SUBGROUP_SIZE => of([subgroup, 0, 0]),
            38 => of([size / subgroup, 0, 0]),
            40 => of([local / subgroup, 0, 0]),
            41 => of([local % subgroup, 0, 0]),
            _ => return ANYTHING,
        };
        [a, b, c, Range::of(0)]
    }
}

/// A way that arrives at a block.
struct Arrival {
    block: usize,
    phis: Vec<(u32, Value)>,
    phase: Range,
}

/// One invocation, executed.
pub struct Invocation<'a> {
    plan: &'a Plan<'a>,
    dispatch: &'a Dispatch,
    place: Place,
    /// Of each id; none if nothing is known.
    values: Vec<Option<Value>>,
    /// Barriers crossed.
    phase: Range,
    left: u32,
    found: Vec<Found>,
}

impl<'a> Invocation<'a> {
    /// The accesses that the plan asks for.
    ///
    /// # Errors
    /// What of the kernel cannot be executed.
    pub fn execute(plan: &'a Plan<'a>, dispatch: &'a Dispatch, place: Place) -> Result<Vec<Found>, String> {
        let mut invocation = Invocation {
            plan,
            dispatch,
            place,
            values: plan.constants.clone(),
            phase: Range::of(0),
            left: MOST_INSTRUCTIONS,
            found: Vec::new(),
        };
        invocation.run(0, &[])?;
        Ok(invocation.found)
    }

    /// Executes from a block on, whose phis have their values, until all ways have returned or arrived at one of `stops`.
    fn run(&mut self, mut block: usize, stops: &[usize]) -> Result<Vec<Arrival>, String> {
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
    fn block(&mut self, block: usize, stops: &[usize]) -> Result<Next, String> {
        let module = self.plan.module;
        let body = module.blocks[block].body.clone();
        self.left = self.left.checked_sub(body.len() as u32).ok_or("a loop of it has no known end")?;
        for at in body {
            let Instruction { code, words } = &module.all[at];
            let target =
                |word: usize| module.labels.get(&words[word]).copied().ok_or("a branch leads nowhere".to_owned());
            match *code {
                op::PHI => {}
                op::BRANCH => return self.go(block, target(0)?, stops),
                op::BRANCH_CONDITIONAL => match self.value(words[0])[0].value() {
                    Some(truth) => return self.go(block, target(if truth != 0 { 1 } else { 2 })?, stops),
                    None => {
                        let merge = self.selection_merge(block);
                        let stops: Vec<usize> = stops.iter().copied().chain(merge).collect();
                        return self.both(block, words[0], [target(1)?, target(2)?], &stops).map(Next::Arrived);
                    }
                },
                op::SWITCH => {
                    let value = self.value(words[0])[0].value().ok_or("a value from memory selects a case of it")?;
                    let case = words[2..].chunks_exact(2).position(|case| u64::from(case[0]) == value);
                    return self.go(block, target(case.map_or(1, |case| 2 * case + 3))?, stops);
                }
                op::RETURN | op::UNREACHABLE => return Ok(Next::Arrived(Vec::new())),
                op::CONTROL_BARRIER if self.plan.left_out != Some(at) => {
                    self.phase = Range { low: self.phase.low + 1, high: self.phase.high + 1 };
                }
                _ => self.perform(at),
            }
        }
        Err("a block of it has no end".into())
    }

    /// From one block to the next, or to a stop.
    fn go(&mut self, from: usize, to: usize, stops: &[usize]) -> Result<Next, String> {
        let arrival = Arrival { block: to, phis: self.phis(from, to), phase: self.phase };
        if stops.contains(&to) {
            return Ok(Next::Arrived(vec![arrival]));
        }
        self.assign(arrival.phis);
        Ok(Next::Block(to))
    }

    /// Both ways of a branch that is not decided. Neither sees a value of the other, for a value is used only where its block was passed.
    fn both(&mut self, from: usize, condition: u32, to: [usize; 2], stops: &[usize]) -> Result<Vec<Arrival>, String> {
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
    fn repeat(&mut self, header: usize, merge: usize, stops: &[usize]) -> Result<Vec<Arrival>, String> {
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
        let inside = self.plan.blocks_of_loop(header).into_iter().flat_map(|block| module.blocks[block].body.clone());
        inside.filter_map(|at| module.result(at)).for_each(|id| self.values[id as usize] = None);
    }

    /// The values of a block's phis, for those who come from another.
    fn phis(&self, from: usize, to: usize) -> Vec<(u32, Value)> {
        let module = self.plan.module;
        let of = |at: usize| {
            let Instruction { code, words } = &module.all[at];
            let come = |way: &&[u32]| *code == op::PHI && module.labels.get(&way[1]) == Some(&from);
            words.get(2..)?.chunks_exact(2).find(come).map(|way| (words[1], self.value(way[0])))
        };
        let first = module.blocks[to].body.clone().take_while(|&at| matches!(module.all[at].code, op::PHI | op::LINE));
        first.filter_map(of).collect()
    }

    /// Narrows the first number of a comparison to those with this result; returns its range before.
    fn narrow(&mut self, condition: u32, truth: bool) -> Option<(u32, Range)> {
        let Instruction { code, words } = self.plan.module.of(condition)?;
        if *code == 168 {
            return self.narrow(words[2], !truth);
        }
        let (id, other) = (words[2], self.value(*words.get(3)?)[0]);
        let before = self.value(id)[0];
        let range = match (*code, truth) {
            (176, true) | (174, false) => Range { high: before.high.min(other.high.saturating_sub(1)), ..before },
            (178, true) | (172, false) => Range { high: before.high.min(other.high), ..before },
            (176, false) | (174, true) => Range { low: before.low.max(other.low), ..before },
            (178, false) | (172, true) => Range { low: before.low.max(other.low.saturating_add(1)), ..before },
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
        let merge = |at: usize| {
            (self.plan.module.all[at].code == op::SELECTION_MERGE).then(|| self.plan.module.all[at].words[0])
        };
        body.filter_map(merge).next().and_then(|label| self.plan.module.labels.get(&label).copied())
    }

    fn value(&self, id: u32) -> Value {
        self.values[id as usize].unwrap_or_else(|| [Range::of_bits(self.plan.shapes[id as usize].bits); 4])
    }

    /// An instruction that is no branch.
    fn perform(&mut self, at: usize) {
        let module = self.plan.module;
        let Instruction { code, words } = &module.all[at];
        self.access(at);
        let Some(id) = module.result(at).filter(|&id| self.plan.needed[id as usize]) else { return };
        let (parts, bits) =
            (|id: u32| self.plan.shapes[id as usize].parts, |id: u32| self.plan.shapes[id as usize].bits);
        let value = match *code {
            op::LOAD => self.loaded(words[2]),
            80 => {
                let mut all = ANYTHING;
                let simple = words.len() <= 6 && words[2..].iter().all(|&part| parts(part) == 1);
                if simple {
                    all.iter_mut().zip(&words[2..]).for_each(|(part, &id)| *part = self.value(id)[0]);
                }
                Some(all)
            }
            81 if words.len() == 4 && parts(words[2]) > 1 => Some([self.value(words[2])[words[3] as usize]; 4]),
            // Two halves of an address.
            124 if parts(words[2]) == 2 && bits(words[1]) == 64 => {
                let [low, high, ..] = self.value(words[2]);
                let whole = high.value().zip(low.value()).map(|(high, low)| Range::of(high << 32 | low));
                Some([whole.unwrap_or(Range::of_bits(64)); 4])
            }
            113 | 117 | 120 | 124 | 128 | 130 | 132 | 134 | 137 | 164..=191 | 194..=200 => {
                let mut operands = [ANYTHING; 3];
                operands.iter_mut().zip(&words[2..]).for_each(|(operand, &id)| *operand = self.value(id));
                let count = words.len() - 2;
                let bits = bits(words[1]);
                let result =
                    |part: usize| computed(*code, &operands.map(|operand| operand[part])[..count.min(3)], bits);
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
        let Some((memory, kind)) = self.plan.asked[at] else { return };
        let Instruction { code, words } = &self.plan.module.all[at];
        let Some((base, indices)) = self.plan.module.path(pointer(*code, words)) else { return };
        let index = match self.plan.module.class(base) {
            None => Some(base),
            Some(WORKGROUP) => indices.first().copied(),
            Some(_) => indices.get(1).copied(),
        };
        let element = index.map_or(Range::of(0), |index| self.value(index)[0]);
        self.found.push(Found { memory, phase: self.phase, element, kind, by: self.place.number() });
    }

    /// What is read there, if it is known.
    fn loaded(&self, pointer: u32) -> Option<Value> {
        let module = self.plan.module;
        let (base, indices) = module.path(pointer)?;
        match module.class(base)? {
            INPUT => {
                let value = self.place.built_in(*module.decorations.get(&(base, BUILT_IN))?);
                match indices[..] {
                    [] => Some(value),
                    [part] => Some([value[module.constant(part)? as usize]; 4]),
                    _ => None,
                }
            }
            UNIFORM => {
                let (name, _) = module.member(base, &indices)?;
                let limit = LIMITS.iter().find(|(limited, _)| *limited == name)?.1;
                Some([Range { low: 0, high: limit }; 4])
            }
            PUSH_CONSTANT => {
                let first = module.member(base, &indices)?.1 as usize / 4;
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
