//! Defects of one dispatch, found by executing its invocations on ranges of values.
//!
//! [`races`](super::races) knows an element only by the way in which it is computed. Where that does not show that
//! invocations keep apart, the dispatch is executed: with its workgroups, push constants and specialization constants,
//! at every width that a subgroup can have; every other value that a kernel reads from memory may be any number. A
//! branch that such a value decides is taken both ways. So what is found holds whatever the buffers contain, for
//! dispatches of this size. Barriers that not all invocations are shown to reach are followed in the same way.

use super::accesses::{Kernel, Kind, Memory};
use super::invocation_id::{InvocationId, of_index};
use super::invocations::{Executed, Invocation};
use super::plan::Plan;
use super::races::{Defect, Race};
use super::ranges::Range;
use super::scopes::Reach;
use crate::kernels::Modules;
use crate::{Dispatch, Error};
use std::collections::BTreeSet;

/// Widths that a subgroup can have.
const SUBGROUP_SIZES: [u32; 6] = [4, 8, 16, 32, 64, 128];

/// An access to a memory of a list, by an invocation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    pub memory: usize,
    /// Barriers that were crossed before, of those that order this memory.
    pub phase: Range,
    pub element: Range,
    pub kind: Kind,
    /// How far an atomic reaches.
    pub reach: Reach,
    pub by: u64,
}

impl Kernel {
    /// Defects of this dispatch on the memory in `of`, and of barriers: for each width of a subgroup, until there is
    /// one.
    ///
    /// # Errors
    /// Why the kernel cannot be executed so.
    pub fn defects_of(
        &self,
        (dispatch, modules): (&Dispatch, &dyn Modules),
        of: &[Memory],
    ) -> Result<BTreeSet<Defect>, Error> {
        let plan = Plan::new(self, of);
        let (mut groups, size) = (dispatch.groups, self.module.local_size());
        let mut accesses = self.accesses.iter().filter(|access| !access.is_shared() && of.contains(&access.memory));
        if self.module.keeps_to_parts && accesses.all(|access| access.in_part) {
            // What holds in one part holds in each.
            groups[2] = 1;
        }
        let invocations: u32 = size.iter().product();
        let fit = SUBGROUP_SIZES.into_iter().enumerate().filter(|&(at, width)| at == 0 || width <= invocations);
        let widths = fit.take(if plan.by_subgroup() { SUBGROUP_SIZES.len() } else { 1 });
        for (_, subgroup) in widths {
            let (mut of_buffers, mut defects) = (Vec::new(), BTreeSet::new());
            for group in 0..groups.iter().product() {
                let (mut of_group, mut all) = (Vec::new(), Vec::new());
                for local in 0..invocations {
                    let id = InvocationId { group: of_index(group, groups), groups, local, size, subgroup };
                    let mut executed = Invocation::execute(&plan, (dispatch, modules), id)?;
                    of_group.append(&mut executed.accesses);
                    all.push(executed);
                }
                // Nothing orders two workgroups.
                let is_buffer = |found: &&Found| matches!(of[found.memory], Memory::Resource(_));
                let by_group = |found: &Found| Found { phase: Range::of(0), by: group.into(), ..*found };
                of_buffers.extend(of_group.iter().filter(is_buffer).map(by_group));
                defects.extend(self.divergent(&all));
                defects.extend(unwritten(&of_group, of));
                defects.extend(among(of_group, of, Reach::Workgroup));
            }
            defects.extend(among(of_buffers, of, Reach::Device));
            if !defects.is_empty() {
                return Ok(defects);
            }
        }
        Ok(BTreeSet::new())
    }

    /// The barriers that these invocations, all of one workgroup, do not reach alike, or may not.
    fn divergent(&self, all: &[Executed]) -> BTreeSet<Defect> {
        let mut divergent = BTreeSet::new();
        for (at, branches) in &self.doubtful {
            let crossed = |of: &Executed| of.crossed.iter().filter(|other| *other == at).count();
            let first = all.first().map_or(0, crossed);
            if all.iter().any(|of| crossed(of) != first || !of.undecided.is_disjoint(branches)) {
                let nth = self.barriers.keys().position(|other| other == at).map_or(0, |at| at + 1);
                divergent.insert(Defect::Divergent(nth));
            }
        }
        divergent
    }
}

/// The shared variables of which an element is read that no invocation of the workgroup writes before.
fn unwritten(found: &[Found], of: &[Memory]) -> BTreeSet<Defect> {
    let mut written: Vec<&Found> = found.iter().filter(|access| access.kind != Kind::Load).collect();
    written.sort_unstable_by_key(|access| (access.memory, access.element));
    let exact = written.iter().all(|access| access.element.value().is_some());
    let is_written = |read: &Found| {
        let meets = |write: &&Found| {
            write.memory == read.memory && write.element.meets(read.element) && write.phase.low <= read.phase.high
        };
        let key = |write: &&Found| (write.memory, write.element) < (read.memory, read.element);
        let from = if exact { written.partition_point(key) } else { 0 };
        let mut rest = written[from..].iter().copied();
        match exact {
            true => {
                rest.take_while(|write| (write.memory, write.element) == (read.memory, read.element)).any(|w| meets(&w))
            }
            false => rest.any(|write| meets(&write)),
        }
    };
    let shared = |access: &&Found| matches!(of[access.memory], Memory::Shared(_)) && access.element.value().is_some();
    let reads = found.iter().filter(|access| access.kind == Kind::Load).filter(shared);
    let missing: BTreeSet<usize> = reads.filter(|read| !is_written(read)).map(|read| read.memory).collect();
    missing.into_iter().map(|memory| Defect::Unwritten(of[memory].clone())).collect()
}

/// The races among these accesses, where atomics that reach as `far` are in no race with each other. Two writes to one
/// element count where it is known to be the same.
fn among(mut found: Vec<Found>, of: &[Memory], far: Reach) -> BTreeSet<Defect> {
    found.sort_unstable();
    // Of several by one and of many by several, two tell as much as all.
    let same = |a: &Found, b: &Found| Found { by: 0, ..*a } == Found { by: 0, ..*b };
    let mut kept: Vec<Found> = Vec::new();
    for access in found {
        let last = kept.len().checked_sub(2).map(|at| [kept[at], kept[at + 1]]);
        if kept.last() != Some(&access) && !last.is_some_and(|last| last.iter().all(|other| same(other, &access))) {
            kept.push(access);
        }
    }
    // They are sorted by memory, phase and element: what follows is compared as long as it can meet.
    let exact = kept.iter().all(|access| access.phase.value().is_some() && access.element.value().is_some());
    let mut races = BTreeSet::new();
    for (at, first) in kept.iter().enumerate() {
        for next in &kept[at + 1..] {
            let together = first.phase.meets(next.phase) && first.element.meets(next.element);
            if next.memory != first.memory || (exact && !together) {
                break;
            }
            let harmless = match (first.kind, next.kind) {
                (Kind::Load, Kind::Load) => true,
                (Kind::Atomic, Kind::Atomic) => first.reach.min(next.reach) >= far,
                (Kind::Store, Kind::Store) => first.element != next.element || first.element.value().is_none(),
                _ => false,
            };
            if together && !harmless && first.by != next.by {
                let (memory, kinds) = (of[first.memory].clone(), [first.kind, next.kind]);
                let race = Race { memory, first: kinds[0].min(kinds[1]), next: kinds[0].max(kinds[1]) };
                races.insert(Defect::Race(race));
            }
        }
    }
    races
}
