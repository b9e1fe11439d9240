//! The schedule of a queue: the passes of frames in sequence, which of them wait for which, and where two meet that
//! should not.

use super::checker::each_conflict;
use super::events::{Event, NO_PASS, flatten};
use super::layouts::layouts;
use crate::{Conflict, Journal, Stage, Use, stages};
use std::collections::BTreeSet;

/// A pass of one of the frames; also the display or the host, where it takes a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// Its name.
    pub name: &'static str,
    /// The frame, from 0.
    pub frame: usize,
    /// Its accesses, each of one kind in one stage; those that read come first.
    pub uses: Vec<Use>,
}

/// A conflict, and the two operations that meet in it; none for a dependency that changes a layout.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedConflict {
    /// The conflict.
    pub conflict: Conflict,
    /// Place of the first operation.
    pub from: Option<usize>,
    /// Place of the second.
    pub to: Option<usize>,
}

/// The operations of frames in sequence, in submission order.
pub struct Schedule {
    /// The operations.
    pub operations: Vec<Operation>,
    /// Every conflict of two operations.
    pub conflicts: Vec<PlacedConflict>,
    /// For each operation, the later ones that wait for some stage of it in some stage.
    waiting: Vec<BTreeSet<usize>>,
}

impl Schedule {
    /// Those of these frames, submitted in sequence without a wait between them.
    pub fn of(frames: &[Journal]) -> Schedule {
        let events = flatten(frames);
        let (mut operations, mut places): (Vec<Operation>, Vec<usize>) = (Vec::new(), Vec::new());
        for event in &events {
            let Event::Access(access) = event else { continue };
            let (name, place) = access.pass;
            if places.last() != Some(&place) {
                places.push(place);
                operations.push(Operation { name, frame: access.frame, uses: Vec::new() });
            }
            operations.last_mut().expect("one was pushed").uses.push(access.single);
        }
        let operation = |place: usize| (place != NO_PASS).then(|| places.partition_point(|known| *known < place));
        let mut conflicts: Vec<PlacedConflict> = Vec::new();
        each_conflict(frames, &events, |from, to, conflict| {
            let placed = PlacedConflict { conflict, from: operation(from), to: operation(to) };
            if !conflicts.contains(&placed) {
                conflicts.push(placed);
            }
        });
        conflicts.extend(layouts(&events).into_iter().map(|conflict| PlacedConflict {
            conflict,
            from: None,
            to: None,
        }));
        let waiting = (0..operations.len()).map(|of| waiting(&events, &operations, &places, of)).collect();
        Schedule { operations, conflicts, waiting }
    }

    /// Whether some stage of the later operation waits for some stage of the earlier one, by a chain of dependencies.
    pub fn waits(&self, later: usize, earlier: usize) -> bool {
        self.waiting[earlier].contains(&later)
    }
}

fn waiting(events: &[Event], operations: &[Operation], places: &[usize], of: usize) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let own: BTreeSet<u64> = operations[of].uses.iter().map(|single| single.stage.as_raw()).collect();
    for stage in own.into_iter().map(Stage::from_raw) {
        let mut after = Stage::NONE;
        for event in &events[places[of]..] {
            match event {
                Event::Barriers(barriers) => {
                    let reached = stage | after;
                    for barrier in barriers {
                        if stages::and_earlier(barrier.masks.src_stage).intersects(reached) {
                            after |= stages::and_later(barrier.masks.dst_stage);
                        }
                    }
                }
                Event::Access(then) if after.intersects(then.single.stage) => {
                    found.insert(places.partition_point(|known| *known < then.pass.1));
                }
                Event::Access(_) | Event::Dropped { .. } => {}
            }
        }
    }
    found
}

/// The dependencies by which the operation at `to` waits for the one at `from`, in order: the first such chain that is
/// complete. None if it does not wait. Semaphores and fences have no name.
pub fn chain(frames: &[Journal], from: usize, to: usize) -> Option<Vec<&'static str>> {
    let events = flatten(frames);
    let mut places: Vec<usize> = Vec::new();
    for event in &events {
        if let Event::Access(access) = event
            && places.last() != Some(&access.pass.1)
        {
            places.push(access.pass.1);
        }
    }
    let of = |at: usize| {
        let end = places.get(at + 1).copied().unwrap_or(events.len());
        events[places[at]..end].iter().filter_map(|event| match event {
            Event::Access(access) => Some(access.single.stage),
            Event::Barriers(_) | Event::Dropped { .. } => None,
        })
    };
    let wanted = of(to).fold(Stage::NONE, |all, stage| all | stage);
    // What is delayed so far, and by which chain.
    let mut reached: Vec<(Stage, Vec<&'static str>)> = of(from).map(|stage| (stage, Vec::new())).collect();
    let mut after = Stage::NONE;
    for event in &events[places[from]..places[to]] {
        let Event::Barriers(barriers) = event else { continue };
        let before = reached.clone();
        for barrier in barriers {
            let scope = stages::and_earlier(barrier.masks.src_stage);
            let Some((_, known)) = before.iter().find(|(stage, _)| scope.intersects(*stage)) else { continue };
            let new = stages::and_later(barrier.masks.dst_stage) & !after;
            if new == Stage::NONE {
                continue;
            }
            let mut chain = known.clone();
            chain.push(barrier.name);
            if new.intersects(wanted) {
                return Some(chain);
            }
            after |= new;
            reached.push((new, chain));
        }
    }
    None
}
