//! What of a kernel has to be executed to know where some of its accesses go.

use super::accesses::{Kernel, Kind, Memory};
use super::module::{BUILT_IN, Instruction, Module, op};
use super::ranges::Range;
use std::collections::BTreeSet;

/// Up to four numbers: a vector's, or one.
pub type Value = [Range; 4];

pub const SUBGROUP_SIZE: u32 = 36;

/// Of a value: the bits of each part of it, and how many there are.
#[derive(Clone, Copy)]
pub struct Shape {
    pub bits: u32,
    pub parts: u32,
}

/// A kernel, prepared for its execution.
pub struct Plan<'a> {
    pub module: &'a Module,
    /// A barrier that is left out.
    pub left_out: Option<usize>,
    /// The memory that each instruction accesses, if it is one of those that are asked for, by its place in their list.
    pub asked: Vec<Option<(usize, Kind)>>,
    /// Of each id.
    pub shapes: Vec<Shape>,
    /// Of each id: its value, if it is constant.
    pub constants: Vec<Option<Value>>,
    /// Whether each id decides where an access or a branch goes.
    pub needed: Vec<bool>,
    /// Of each block that begins a loop, whether that can be left out.
    pub skipped: Vec<bool>,
}

impl<'a> Plan<'a> {
    /// For the accesses to the memory in `of`.
    pub fn new(kernel: &'a Kernel, of: &[Memory], left_out: Option<usize>) -> Plan<'a> {
        let module = &kernel.module;
        let mut asked = vec![None; module.all.len()];
        for access in &kernel.accesses {
            asked[access.at] =
                of.iter().position(|memory| *memory == access.memory).map(|memory| (memory, access.kind));
        }
        let ids = 0..module.by_id.len() as u32;
        let constants = ids.clone().map(|id| Some([Range::of(module.constant(id)?); 4])).collect();
        let shapes = ids.map(|id| Shape { bits: module.bits_of(id), parts: module.parts_of(id) }).collect();
        let (needed, skipped) = (vec![false; module.by_id.len()], vec![false; module.blocks.len()]);
        let mut plan = Plan { module, left_out, asked, shapes, constants, needed, skipped };
        plan.find_needed();
        plan.skipped = (0..module.blocks.len()).map(|header| plan.can_skip(header)).collect();
        plan
    }

    /// Whether it asks for the width of a subgroup.
    pub fn by_subgroup(&self) -> bool {
        self.module.decorations.iter().any(|(&(_, what), &of)| what == BUILT_IN && of == SUBGROUP_SIZE)
    }

    /// The blocks of the loop that begins with this one.
    pub fn blocks_of_loop(&self, header: usize) -> BTreeSet<usize> {
        let blocks = &self.module.blocks;
        let (mut seen, mut open) = (BTreeSet::new(), vec![header]);
        while let Some(block) = open.pop() {
            if Some(block) != blocks[header].merge && seen.insert(block) {
                open.extend(&blocks[block].next);
            }
        }
        seen
    }

    /// What an instruction needs to know for the accesses and branches.
    fn uses(&self, at: usize) -> Vec<u32> {
        let Instruction { code, words } = &self.module.all[at];
        if self.asked[at].is_some() {
            let path = self.module.path(pointer(*code, words));
            return path.into_iter().flat_map(|(base, indices)| indices.into_iter().chain([base])).collect();
        }
        match *code {
            op::BRANCH_CONDITIONAL | op::SWITCH => vec![words[0]],
            op::LOAD => Vec::new(),
            // Some operands are numbers and not ids: to take them for ids too does no harm.
            _ if self.module.result(at).and_then(|id| self.needed.get(id as usize)) == Some(&true) => {
                words.iter().skip(2).copied().collect()
            }
            _ => Vec::new(),
        }
    }

    fn find_needed(&mut self) {
        let mut open: Vec<u32> = (0..self.module.all.len()).flat_map(|at| self.uses(at)).collect();
        while let Some(id) = open.pop() {
            if self.needed.get(id as usize) == Some(&false) {
                self.needed[id as usize] = true;
                open.extend(self.uses(self.module.by_id[id as usize].min(self.module.all.len() - 1)));
            }
        }
    }

    /// Whether a loop begins with this block that has none of the accesses, no barrier and no end, and nothing that is needed after it.
    fn can_skip(&self, header: usize) -> bool {
        let module = self.module;
        if module.blocks[header].merge.is_none() {
            return false;
        }
        let inside = self.blocks_of_loop(header);
        let mut instructions = inside.iter().flat_map(|&block| module.blocks[block].body.clone());
        let idle = |at: usize| {
            let leaves = matches!(module.all[at].code, op::CONTROL_BARRIER | op::RETURN | op::UNREACHABLE);
            !leaves && self.asked[at].is_none()
        };
        if !instructions.clone().all(idle) {
            return false;
        }
        let computed: BTreeSet<u32> = instructions.by_ref().filter_map(|at| module.result(at)).collect();
        let outside = module.blocks.iter().enumerate().filter(|(block, _)| !inside.contains(block));
        let mut outside = outside.flat_map(|(_, block)| block.body.clone());
        !outside.any(|at| self.uses(at).iter().any(|id| computed.contains(id)))
    }
}

/// The pointer of an access.
pub fn pointer(code: u16, words: &[u32]) -> u32 {
    words[if matches!(code, op::STORE | op::ATOMIC_STORE) { 0 } else { 2 }]
}
