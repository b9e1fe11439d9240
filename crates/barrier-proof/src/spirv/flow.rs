//! Which values, and which ways through a kernel, are the same for all invocations of a workgroup.
//!
//! All invocations of a workgroup have to execute a `barrier()` alike: the same one, as often. It is shown by *control
//! dependence*: a branch decides whether a block is executed if the block is always executed after one of its ways, and
//! not after another. A value *varies* if it is computed from the number of an invocation, from memory that others
//! change, or by a subgroup, and if it comes from several ways of a branch whose condition varies, or out of a loop
//! with such an end.

use super::accesses::{Access, Kind, Memory};
use super::module::{Instruction, Module, is_between};
use spirv::{BuiltIn, Decoration, Op, StorageClass};
use std::collections::{BTreeMap, BTreeSet};

/// A set of blocks.
#[derive(Clone, PartialEq, Eq)]
struct Blocks(Vec<u64>);

impl Blocks {
    fn none(count: usize) -> Blocks {
        Blocks(vec![0; count.div_ceil(64)])
    }

    fn all(count: usize) -> Blocks {
        Blocks(vec![u64::MAX; count.div_ceil(64)])
    }

    fn has(&self, block: usize) -> bool {
        self.0[block / 64] >> (block % 64) & 1 != 0
    }

    fn add(&mut self, block: usize) {
        self.0[block / 64] |= 1 << (block % 64);
    }

    fn unite(&mut self, other: &Blocks) {
        self.0.iter_mut().zip(&other.0).for_each(|(all, more)| *all |= more);
    }

    fn intersect(&mut self, other: &Blocks) {
        self.0.iter_mut().zip(&other.0).for_each(|(all, more)| *all &= more);
    }

    /// Its blocks, in order.
    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.0.len() * 64).filter(|&block| self.has(block))
    }
}

/// Which branches decide about each block.
pub struct Deciders {
    /// Of each block: the branch blocks that decide about it directly, and on which of their ways it follows.
    direct: Vec<BTreeSet<(usize, usize)>>,
    /// Of each block: all branch blocks that decide about it.
    all: Vec<Blocks>,
}

impl Deciders {
    /// For the reachable blocks of a module.
    pub fn new(module: &Module) -> Deciders {
        let (blocks, count) = (&module.blocks, module.blocks.len());
        // Blocks that are always executed after each, itself included.
        let mut after = vec![Blocks::all(count); count];
        for (block, of) in after.iter_mut().enumerate().filter(|(block, _)| blocks[*block].next.is_empty()) {
            let leaves = blocks[block].body.clone().any(|at| module.all[at].op == Op::Unreachable);
            if !leaves {
                *of = Blocks::none(count);
                of.add(block);
            }
        }
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for block in (0..count).rev().filter(|&block| module.reached[block] && !blocks[block].next.is_empty()) {
                let mut all = Blocks::all(count);
                blocks[block].next.iter().for_each(|&next| all.intersect(&after[next]));
                all.add(block);
                if all != after[block] {
                    (after[block], changed) = (all, true);
                }
            }
        }
        let mut direct = vec![BTreeSet::new(); count];
        for branch in (0..count).filter(|&block| module.reached[block] && blocks[block].next.len() > 1) {
            for &next in &blocks[branch].next {
                for block in after[next].iter().filter(|&block| block < count && module.reached[block]) {
                    if block == branch || !after[branch].has(block) {
                        direct[block].insert((branch, next));
                    }
                }
            }
        }
        let mut all = vec![Blocks::none(count); count];
        direct.iter().zip(&mut all).for_each(|(direct, all)| direct.iter().for_each(|&(branch, _)| all.add(branch)));
        changed = true;
        while std::mem::take(&mut changed) {
            for block in 0..count {
                let mut more = all[block].clone();
                all[block].iter().for_each(|branch| more.unite(&all[branch]));
                if more != all[block] {
                    (all[block], changed) = (more, true);
                }
            }
        }
        Deciders { direct, all }
    }

    /// The only branch that decides directly about a block, and on which way it follows.
    pub fn only(&self, block: usize) -> Option<(usize, usize)> {
        let mut direct = self.direct[block].iter();
        direct.next().copied().filter(|_| direct.next().is_none())
    }
}

/// Invocations that execute a block together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Together {
    Subgroup,
    Workgroup,
}

/// What varies among invocations.
struct Flow<'a> {
    module: &'a Module,
    among: Together,
    deciders: &'a Deciders,
    /// Accesses to buffers, images and shared variables, by their place.
    accesses: BTreeMap<usize, &'a Access>,
    written: BTreeSet<&'a Memory>,
    /// Whether each id varies.
    varies: Vec<bool>,
    /// Blocks that end in a branch whose condition varies.
    branches: Blocks,
    /// The blocks of each loop, and whether invocations may leave it in different rounds.
    loops: Vec<(BTreeSet<usize>, bool)>,
}

impl Module {
    /// The branches that invocations may take differently, by their blocks.
    fn varying_branches(&self, among: Together, deciders: &Deciders, accesses: &[Access]) -> Blocks {
        let headers = (0..self.blocks.len()).filter(|&block| self.blocks[block].merge.is_some() && self.reached[block]);
        let mut flow = Flow {
            module: self,
            among,
            deciders,
            accesses: accesses.iter().map(|access| (access.at, access)).collect(),
            written: accesses.iter().filter(|of| of.kind != Kind::Load).map(|of| &of.memory).collect(),
            varies: vec![false; self.by_id.len()],
            branches: Blocks::none(self.blocks.len()),
            loops: headers.map(|header| (self.blocks_of_loop(header), false)).collect(),
        };
        while flow.go_on() {}
        flow.branches
    }

    /// Of each of these barriers that invocations of one workgroup may reach differently: the blocks whose branches
    /// decide about it and vary.
    pub fn doubtful(
        &self,
        barriers: &[usize],
        deciders: &Deciders,
        accesses: &[Access],
    ) -> BTreeMap<usize, BTreeSet<usize>> {
        let mut doubtful = BTreeMap::new();
        if !barriers.is_empty() {
            let varying = self.varying_branches(Together::Workgroup, deciders, accesses);
            for &at in barriers {
                let decide = &deciders.all[self.block_of[&at]];
                let found: BTreeSet<usize> = decide.iter().filter(|&branch| varying.has(branch)).collect();
                if !found.is_empty() {
                    doubtful.insert(at, found);
                }
            }
        }
        doubtful
    }

    /// The blocks that all invocations of a subgroup execute together.
    pub fn common_blocks(&self, accesses: &[Access]) -> Vec<bool> {
        let deciders = Deciders::new(self);
        let varying = self.varying_branches(Together::Subgroup, &deciders, accesses);
        let common = |of: &Blocks| !of.iter().any(|branch| varying.has(branch));
        deciders.all.iter().map(common).collect()
    }

    /// The blocks of the loop that begins with this one.
    pub fn blocks_of_loop(&self, header: usize) -> BTreeSet<usize> {
        let (mut seen, mut open) = (BTreeSet::new(), vec![header]);
        while let Some(block) = open.pop() {
            if Some(block) != self.blocks[header].merge && seen.insert(block) {
                open.extend(&self.blocks[block].next);
            }
        }
        seen
    }
}

impl Flow<'_> {
    /// One round; whether something new varies.
    fn go_on(&mut self) -> bool {
        let (module, mut changed) = (self.module, false);
        for block in (0..module.blocks.len()).filter(|&block| module.reached[block]) {
            for at in module.blocks[block].body.clone() {
                let Instruction { op, words } = &module.all[at];
                let found = match *op {
                    Op::BranchConditional | Op::Switch => {
                        let branches = module.blocks[block].next.len() > 1 && !self.branches.has(block);
                        if branches && self.of_use(words[0], block) {
                            self.branches.add(block);
                            changed = true;
                        }
                        None
                    }
                    Op::Store => self.stored(words, block),
                    _ => module.result(at).filter(|_| self.computed(at, block)),
                };
                if let Some(id) = found.filter(|&id| !self.varies[id as usize]) {
                    self.varies[id as usize] = true;
                    changed = true;
                }
            }
        }
        for (inside, varies) in self.loops.iter_mut().filter(|(_, varies)| !varies) {
            let leaves = |block: &usize| module.blocks[*block].next.iter().any(|next| !inside.contains(next));
            *varies = inside.iter().any(|block| self.branches.has(*block) && leaves(block));
            changed |= *varies;
        }
        changed
    }

    /// Whether a value varies where it is used in this block.
    fn of_use(&self, id: u32, block: usize) -> bool {
        let escapes = |(inside, varies): &(BTreeSet<usize>, bool)| {
            let made = self.module.by_id.get(id as usize).and_then(|at| self.module.block_of.get(at));
            *varies && !inside.contains(&block) && made.is_some_and(|made| inside.contains(made))
        };
        self.varies.get(id as usize) == Some(&true) || self.loops.iter().any(escapes)
    }

    /// A variable of the invocation that varies after a store.
    fn stored(&self, words: &[u32], block: usize) -> Option<u32> {
        let (base, indices) = self.module.path(words[0])?;
        let own = matches!(self.module.class(base), Some(StorageClass::Function | StorageClass::Private));
        let decided = self.deciders.all[block].iter().any(|branch| self.branches.has(branch));
        let varies = decided || indices.iter().chain([&words[1]]).any(|&id| self.of_use(id, block));
        (own && varies).then_some(base)
    }

    fn computed(&self, at: usize, block: usize) -> bool {
        let Instruction { op, words } = &self.module.all[at];
        let any = |ids: &[u32]| ids.iter().any(|&id| self.of_use(id, block));
        match *op {
            Op::Load => self.loaded(at, block),
            Op::Phi => {
                let from = |way: &[u32]| (way[0], self.module.labels[&way[1]]);
                let ways = words[2..].chunks_exact(2).map(from).filter(|&(_, before)| self.module.reached[before]);
                ways.into_iter().any(|(id, before)| {
                    let mut decide = self.deciders.all[before].iter();
                    self.of_use(id, before)
                        || decide.any(|branch| self.branches.has(branch) && !self.deciders.all[block].has(branch))
                })
            }
            // What all of a subgroup find alike, if they are together.
            Op::GroupNonUniformAll
            | Op::GroupNonUniformAny
            | Op::GroupNonUniformAllEqual
            | Op::GroupNonUniformBroadcast
            | Op::GroupNonUniformBroadcastFirst
            | Op::GroupNonUniformBallot => {
                let mut decide = self.deciders.all[block].iter();
                self.among == Together::Workgroup || decide.any(|branch| self.branches.has(branch))
            }
            op if is_between(op, Op::GroupNonUniformElect, Op::GroupNonUniformQuadSwap) => true,
            op if is_between(op, Op::SubgroupBallotKHR, Op::SubgroupReadInvocationKHR) => true,
            op if is_between(op, Op::GroupAll, Op::GroupSMax) => true,
            _ if self.module.all[at].is_atomic() => true,
            Op::CompositeExtract => any(&words[2..3]),
            Op::CompositeInsert | Op::VectorShuffle => any(&words[2..4]),
            Op::ExtInst => any(&words[4..]),
            _ => words.get(2..).is_some_and(any),
        }
    }

    fn loaded(&self, at: usize, block: usize) -> bool {
        let words = &self.module.all[at].words;
        let Some((base, indices)) = self.module.path(words[2]) else { return true };
        if indices.iter().chain([&base]).any(|&id| self.of_use(id, block)) {
            return true;
        }
        if let Some(access) = self.accesses.get(&at) {
            // Without a race, all read the same of a shared variable between two barriers.
            return matches!(access.memory, Memory::Resource(_)) && self.written.contains(&access.memory);
        }
        match self.module.class(base) {
            Some(StorageClass::Input) => {
                let which = self.module.decorations.get(&(base, Decoration::BuiltIn)).copied();
                let which = which.and_then(BuiltIn::from_u32);
                let of_subgroup = self.among == Together::Subgroup && which == Some(BuiltIn::SubgroupId);
                !of_subgroup
                    && !matches!(
                        which,
                        Some(
                            BuiltIn::WorkgroupId
                                | BuiltIn::NumWorkgroups
                                | BuiltIn::WorkgroupSize
                                | BuiltIn::SubgroupSize
                                | BuiltIn::NumSubgroups
                        )
                    )
            }
            Some(StorageClass::Uniform | StorageClass::PushConstant | StorageClass::UniformConstant) => false,
            // Of the invocation itself: known by its stores.
            Some(StorageClass::Function | StorageClass::Private) => false,
            _ => true,
        }
    }
}
