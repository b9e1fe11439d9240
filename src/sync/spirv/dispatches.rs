//! Races of one dispatch, found by executing its invocations on ranges of values.
//!
//! [`races`](super::races) knows an element only by the way in which it is computed. Where that does not show that invocations keep
//! apart, the dispatch is executed: with its workgroups, push constants and specialization constants; every other value that a kernel
//! reads from memory may be any number. A branch that such a value decides is taken both ways. So what is found holds
//! whatever the buffers contain, for dispatches of this size.

use super::accesses::{Kernel, Kind, Memory};
use super::invocations::{Invocation, Place};
use super::plan::Plan;
use super::races::Race;
use super::ranges::Range;
use crate::vk::Dispatch;
use std::collections::BTreeSet;

/// Widths that a subgroup can have.
const SUBGROUP_SIZES: [u32; 6] = [4, 8, 16, 32, 64, 128];

/// An access to a memory of a list, by an invocation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    pub memory: usize,
    /// Barriers that were crossed before.
    pub phase: Range,
    pub element: Range,
    pub kind: Kind,
    pub by: u64,
}

impl Kernel {
    /// Races of this dispatch on the memory in `of`, without the barrier at `left_out`: for each width of a subgroup, until there is one.
    ///
    /// # Errors
    /// Why the kernel cannot be executed so.
    pub fn races_of(
        &self,
        dispatch: &Dispatch,
        of: &[Memory],
        left_out: Option<usize>,
    ) -> Result<BTreeSet<Race>, String> {
        let plan = Plan::new(self, of, left_out);
        let ([columns, rows], size) = (dispatch.groups, self.module.workgroup() as u32);
        let widths = SUBGROUP_SIZES.into_iter().filter(|&width| width <= size);
        for subgroup in widths.take(if plan.by_subgroup() { SUBGROUP_SIZES.len() } else { 1 }) {
            let (mut of_buffers, mut races) = (Vec::new(), BTreeSet::new());
            for group in 0..columns * rows {
                let mut of_group = Vec::new();
                for local in 0..size {
                    let (group, groups) = ([group % columns, group / columns], [columns, rows]);
                    let place = Place { group, groups, local, size, subgroup };
                    for found in Invocation::execute(&plan, dispatch, place)? {
                        match of[found.memory] {
                            Memory::Shared(_) => of_group.push(found),
                            // No barrier() orders accesses to a buffer.
                            Memory::Resource(_) => of_buffers.push(Found { phase: Range::of(0), ..found }),
                        }
                    }
                }
                races.extend(among(of_group, of));
            }
            races.extend(among(of_buffers, of));
            if !races.is_empty() {
                return Ok(races);
            }
        }
        Ok(BTreeSet::new())
    }
}

/// The races among these accesses. Two writes to one element count where it is known to be the same.
fn among(mut found: Vec<Found>, of: &[Memory]) -> BTreeSet<Race> {
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
                (Kind::Load, Kind::Load) | (Kind::Atomic, Kind::Atomic) => true,
                (Kind::Store, Kind::Store) => first.element != next.element || first.element.value().is_none(),
                _ => false,
            };
            if together && !harmless && first.by != next.by {
                let (memory, kinds) = (of[first.memory].clone(), [first.kind, next.kind]);
                races.insert(Race { memory, first: kinds[0].min(kinds[1]), next: kinds[0].max(kinds[1]) });
            }
        }
    }
    races
}
