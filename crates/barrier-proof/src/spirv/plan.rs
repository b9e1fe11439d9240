//! What of a kernel has to be executed to know where some of its accesses go.

use super::accesses::{Kernel, Kind, Memory};
use super::module::{Instruction, Module};
use super::ranges::Range;
use super::scopes::{Ordered, Reach};
use spirv::{BuiltIn, Decoration, Op};
use std::collections::BTreeSet;

/// Up to four numbers: a vector's, or one.
pub type Value = [Range; 4];

/// A value of which nothing is known.
pub const ANYTHING: Value = [Range::of_bits(64); 4];

/// Of a value: the bits of each part of it, and how many there are.
#[derive(Clone, Copy)]
pub struct Shape {
    pub bits: u32,
    pub parts: u32,
}

/// A kernel, prepared for its execution.
pub struct Plan<'a> {
    pub module: &'a Module,
    /// The memory that each instruction accesses, if it is one of those that are asked for, by its place in their list;
    /// and how far it reaches, if it is an atomic.
    pub asked: Vec<Option<(usize, Kind, Reach)>>,
    /// What each instruction orders, if it is a `barrier()`.
    pub orders: Vec<Option<Ordered>>,
    /// Blocks that all invocations of a subgroup execute together.
    pub common: Vec<bool>,
    /// Of each id.
    pub shapes: Vec<Shape>,
    /// Of each id: its value, if it is constant.
    pub constants: Vec<Option<Value>>,
    /// Whether each id decides where an access or a branch goes.
    pub needed: Vec<bool>,
    /// Of each block that begins a loop, whether that can be left out.
    pub skipped: Vec<bool>,
}

/// The ids among the operands of an instruction with a result. A number among them, such as the size of a workgroup,
/// could be that of another instruction. Those of operations of subgroups are not told apart: below 4, they are ids of
/// types and extensions.
pub fn operands(op: Op, words: &[u32]) -> &[u32] {
    let of = match op {
        Op::Constant | Op::SpecConstant => 2..2,
        Op::CompositeExtract => 2..3,
        Op::CompositeInsert | Op::VectorShuffle => 2..4,
        Op::ExtInst => 4..words.len(),
        _ => 2..words.len(),
    };
    words.get(of).unwrap_or_default()
}

impl<'a> Plan<'a> {
    /// For the accesses to the memory in `of`.
    pub fn new(kernel: &'a Kernel, of: &[Memory]) -> Plan<'a> {
        let module = &kernel.module;
        let mut asked = vec![None; module.all.len()];
        for access in &kernel.accesses {
            let memory = of.iter().position(|memory| *memory == access.memory);
            asked[access.at] = memory.map(|memory| (memory, access.kind, access.reach));
        }
        let mut orders = vec![None; module.all.len()];
        kernel.barriers.iter().for_each(|(&at, of)| orders[at] = Some(*of));
        let ids = 0..module.by_id.len() as u32;
        let constants = ids.clone().map(|id| Some([Range::of(module.constant(id)?); 4])).collect();
        let shapes = ids.map(|id| Shape { bits: module.bits_of(id), parts: module.parts_of(id) }).collect();
        let (needed, skipped) = (vec![false; module.by_id.len()], vec![false; module.blocks.len()]);
        let common = module.common_blocks(&kernel.accesses);
        let mut plan = Plan { module, asked, orders, common, shapes, constants, needed, skipped };
        plan.find_needed();
        plan.skipped = (0..module.blocks.len()).map(|header| plan.can_skip(header)).collect();
        plan
    }

    /// Whether it depends on the width of a subgroup.
    pub fn by_subgroup(&self) -> bool {
        const OF_SUBGROUPS: [BuiltIn; 4] =
            [BuiltIn::SubgroupSize, BuiltIn::NumSubgroups, BuiltIn::SubgroupId, BuiltIn::SubgroupLocalInvocationId];
        let named = |of: u32| BuiltIn::from_u32(of).is_some_and(|of| OF_SUBGROUPS.contains(&of));
        let decorated = &self.module.decorations;
        decorated.iter().any(|(&(_, what), &of)| what == Decoration::BuiltIn && named(of))
            || self.module.all.iter().any(|of| of.op == Op::GroupNonUniformElect)
    }

    /// What an instruction needs to know for the accesses and branches.
    fn uses(&self, at: usize) -> Vec<u32> {
        let Instruction { op, words } = &self.module.all[at];
        if self.asked[at].is_some() {
            let path = self.module.path(words[self.module.all[at].pointer_word()]);
            return path.into_iter().flat_map(|(base, indices)| indices.into_iter().chain([base])).collect();
        }
        match *op {
            Op::BranchConditional | Op::Switch => vec![words[0]],
            Op::Load => Vec::new(),
            _ if self.module.result(at).and_then(|id| self.needed.get(id as usize)) == Some(&true) => {
                operands(*op, words).to_vec()
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

    /// Whether a loop begins with this block that has none of the accesses, no barrier and no end, and nothing that is
    /// needed after it.
    fn can_skip(&self, header: usize) -> bool {
        let module = self.module;
        if module.blocks[header].merge.is_none() {
            return false;
        }
        let inside = module.blocks_of_loop(header);
        let mut instructions = inside.iter().flat_map(|&block| module.blocks[block].body.clone());
        let idle = |at: usize| {
            let leaves = matches!(module.all[at].op, Op::ControlBarrier | Op::Return | Op::Unreachable);
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
