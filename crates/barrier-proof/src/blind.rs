//! What synchronization validation does not report, although the checker finds it: classes, each with the condition
//! under which it occurs. `docs/synchronization/layer.md` says of each what the specification requires.

use crate::{
    Conflict, DependencyEntry, Hazard, Journal, JournalEntry, Layout, Report, Resource, Stage, Use, chain, check,
};
use std::collections::BTreeSet;

/// Why the layer does not report a conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlindSpot {
    /// The conflict follows from a closer one: the layer compares with the latest accesses only.
    Farther,
    /// The layer reports one of the reads that a write meets.
    OtherRead,
    /// The layer knows an access that reads and writes as a write, and reports it as one.
    AsWrite,
    /// The same, and the write is in order, so the layer does not report the read that is not.
    UnseenRead,
    /// The layer takes `ALL_GRAPHICS` for all stages of a queue for graphics, also those of copies, clears and
    /// dispatches.
    AllGraphics,
    /// The layer takes what one read saw as visible to all reads that are in order after it.
    LaterRead,
    /// The layer does not know that a transition from `UNDEFINED` drops what an image holds.
    DroppedContents,
}

impl BlindSpot {
    /// All of them.
    pub const ALL: [BlindSpot; 7] = [
        BlindSpot::Farther,
        BlindSpot::OtherRead,
        BlindSpot::AsWrite,
        BlindSpot::UnseenRead,
        BlindSpot::AllGraphics,
        BlindSpot::LaterRead,
        BlindSpot::DroppedContents,
    ];

    /// Its name, as in the documentation.
    pub fn name(self) -> &'static str {
        match self {
            BlindSpot::Farther => "farther",
            BlindSpot::OtherRead => "other-read",
            BlindSpot::AsWrite => "as-write",
            BlindSpot::UnseenRead => "unseen-read",
            BlindSpot::AllGraphics => "all-graphics",
            BlindSpot::LaterRead => "later-read",
            BlindSpot::DroppedContents => "dropped-contents",
        }
    }
}

/// An access of a resource: by a pass, or by a layout transition.
struct Visit {
    name: &'static str,
    /// Its place among the passes; none for a transition.
    place: Option<usize>,
    reads: bool,
    writes: bool,
}

/// Why the layer, which has said `reports` of these frames, does not report `conflict`, one of those that the checker
/// `found`. No two passes or dependencies of the frames may have the same name. None for a reason that is not known.
pub fn blind_spot(
    conflict: &Conflict,
    frames: &[Journal],
    found: &BTreeSet<Conflict>,
    reports: &[Report],
) -> Option<BlindSpot> {
    if conflict.hazard == Hazard::Layout {
        return is_of_dropped_contents(conflict, frames).then_some(BlindSpot::DroppedContents);
    }
    let visits = visits(frames, conflict.resource);
    let at = |name: &str| visits.iter().position(|visit| visit.name == name);
    let (from, to) = (at(conflict.producer)?, at(conflict.consumer)?);
    let (first, last, between) = (&visits[from], &visits[to], &visits[from + 1..to]);
    let said = |hazard, producer| {
        let like = Conflict { hazard, producer, ..conflict.clone() };
        reports.iter().any(|report| report.says(&like))
    };
    // As the layer has it: of an access that reads and writes, it knows the write.
    let read_only = conflict.hazard == Hazard::War && !first.writes;
    let hidden = between.iter().any(|visit| !read_only || visit.writes);
    let closer = |other: &&Conflict| {
        let places = at(other.producer).zip(at(other.consumer));
        let within = places.is_some_and(|(a, b)| from <= a && b <= to && (a, b) != (from, to));
        other.resource == conflict.resource && other.hazard != Hazard::Layout && within
    };
    if hidden && found.iter().any(|other| closer(&other)) {
        return Some(BlindSpot::Farther);
    }
    if first.writes && last.writes && conflict.hazard != Hazard::Waw && said(Hazard::Waw, conflict.producer) {
        return Some(BlindSpot::AsWrite);
    }
    let other = |visit: &Visit| visit.name != conflict.producer && said(Hazard::War, visit.name);
    if conflict.hazard == Hazard::War && visits[..to].iter().any(other) {
        return Some(BlindSpot::OtherRead);
    }
    if prevented_by(conflict, frames, with_all_graphics_for_all) {
        return Some(BlindSpot::AllGraphics);
    }
    let as_the_layer_has_it = changed(frames, with_all_graphics_for_all);
    let before = |visit: &Visit| {
        let places = visit.place.zip(last.place);
        visit.reads && places.is_some_and(|(from, to)| chain(&as_the_layer_has_it, from, to).is_some())
    };
    match conflict.hazard {
        Hazard::Raw if last.writes => Some(BlindSpot::UnseenRead),
        Hazard::Raw if between.iter().any(before) => Some(BlindSpot::LaterRead),
        _ => None,
    }
}

/// Whether a reader finds the layout that it needs, after the conflict's producer: a transition from `UNDEFINED`.
fn is_of_dropped_contents(conflict: &Conflict, frames: &[Journal]) -> bool {
    let (mut layout, mut dropped) = (Layout::UNDEFINED, false);
    for entry in frames.iter().flat_map(|journal| &journal.entries) {
        match entry {
            JournalEntry::Dependency(of) if of.guards.first() == Some(&conflict.resource) && !of.omitted => {
                let Some((old, new)) = of.layouts.filter(|(old, new)| old != new) else { continue };
                layout = new;
                dropped |= of.name == conflict.producer && old == Layout::UNDEFINED;
            }
            JournalEntry::Pass(pass) if pass.name == conflict.consumer => {
                let finds = |of: &Use| of.resource == conflict.resource && of.layout == Some(layout) && of.reads();
                return dropped && pass.uses.iter().any(finds);
            }
            _ => {}
        }
    }
    false
}

/// Whether the frames with other dependencies do not have the conflict.
pub fn prevented_by(conflict: &Conflict, frames: &[Journal], change: impl Fn(&mut DependencyEntry)) -> bool {
    let same = |other: &Conflict| Conflict { direct: conflict.direct, ..other.clone() } == *conflict;
    !check(&changed(frames, change)).iter().any(same)
}

fn changed(frames: &[Journal], change: impl Fn(&mut DependencyEntry)) -> Vec<Journal> {
    frames.iter().map(|frame| frame.changed(&change)).collect()
}

fn with_all_graphics_for_all(dependency: &mut DependencyEntry) {
    let masks = &mut dependency.masks;
    for mask in [&mut masks.src_stage, &mut masks.dst_stage] {
        if mask.intersects(Stage::ALL_GRAPHICS) {
            *mask |= Stage::ALL_TRANSFER | Stage::COMPUTE_SHADER;
        }
    }
}

/// What accesses the resource, in order.
fn visits(frames: &[Journal], resource: Resource) -> Vec<Visit> {
    let mut visits = Vec::new();
    let mut passes = 0;
    for entry in frames.iter().flat_map(|journal| &journal.entries) {
        match entry {
            JournalEntry::Pass(pass) => {
                let uses: Vec<&Use> = pass.uses.iter().filter(|of| of.resource == resource).collect();
                if !uses.is_empty() {
                    let (reads, writes) = (uses.iter().any(|of| of.reads()), uses.iter().any(|of| of.writes()));
                    visits.push(Visit { name: pass.name, place: Some(passes), reads, writes });
                }
                passes += usize::from(!pass.uses.is_empty());
            }
            JournalEntry::Present { .. } | JournalEntry::HostRead { .. } => passes += 1,
            JournalEntry::Acquire { .. } => {}
            JournalEntry::Dependency(dependency) => {
                let (image, changes) =
                    (dependency.guards.first(), dependency.layouts.is_some_and(|(old, new)| old != new));
                if changes && image == Some(&resource) && !dependency.omitted {
                    visits.push(Visit { name: dependency.name, place: None, reads: true, writes: true });
                }
            }
        }
    }
    visits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Access, Masks, PassEntry};

    const BUFFER: Resource = Resource::new("buffer");
    const COMPUTE: Stage = Stage::COMPUTE_SHADER;
    const WRITE: Access = Access::SHADER_STORAGE_WRITE;

    fn pass(name: &'static str, of: Use) -> JournalEntry {
        JournalEntry::Pass(PassEntry { name, uses: vec![of], dispatches: 1, ..PassEntry::default() })
    }

    fn barrier(src_stage: Stage, src_access: Access, dst_stage: Stage, dst_access: Access) -> JournalEntry {
        let masks = Masks { src_stage, src_access, dst_stage, dst_access };
        JournalEntry::Dependency(DependencyEntry { name: "barrier", masks, ..DependencyEntry::default() })
    }

    /// The class of each conflict of a journal of which the layer says nothing.
    fn classes(entries: Vec<JournalEntry>) -> Vec<Option<BlindSpot>> {
        let frames = [Journal { entries, ..Journal::default() }];
        let found = check(&frames);
        found.iter().map(|conflict| blind_spot(conflict, &frames, &found, &[])).collect()
    }

    #[test]
    fn each_class_needs_its_condition() {
        let write = || pass("write", Use::write(COMPUTE, BUFFER));
        let read = || pass("read", Use::read(COMPUTE, BUFFER));
        let parameters = || pass("parameters", Use::uniform(COMPUTE, BUFFER));
        // The layer reports these.
        assert_eq!(classes(vec![write(), read()]), [None]);
        assert_eq!(classes(vec![read(), write()]), [None]);
        let seen = || barrier(COMPUTE, WRITE, COMPUTE, Access::UNIFORM_READ);
        let order = || barrier(COMPUTE, Access::NONE, COMPUTE, Access::NONE);
        assert_eq!(classes(vec![write(), seen(), parameters(), order(), read()]), [Some(BlindSpot::LaterRead)]);
        assert_eq!(classes(vec![write(), seen(), parameters(), read()]), [None], "nothing orders the two reads");
        let in_place = || pass("in_place", Use::read_write(COMPUTE, BUFFER));
        assert_eq!(
            classes(vec![write(), barrier(COMPUTE, WRITE, COMPUTE, WRITE), in_place()]),
            [Some(BlindSpot::UnseenRead)]
        );
        let wide = |stage| barrier(COMPUTE, Access::NONE, stage, Access::NONE);
        let clear = || pass("clear", Use::clear(BUFFER));
        assert_eq!(classes(vec![read(), wide(Stage::ALL_GRAPHICS), clear()]), [Some(BlindSpot::AllGraphics)]);
        assert_eq!(classes(vec![read(), wide(Stage::FRAGMENT_SHADER), clear()]), [None]);
        // Clear to read, in order of conflicts; then write to clear, and write to read, which is farther.
        assert_eq!(classes(vec![write(), clear(), read()]), [None, Some(BlindSpot::Farther), None]);
    }
}
