//! Compares what the layer says of a journal with what the checker finds in it, and explains the differences.

use super::plan::{Entry, IMAGE, PASSES};
use super::stage::Rehearsal;
use starlings::vk::{DependencyEntry, Hazard, Journal, JournalEntry, Messages, Stage};
use starlings_cli::sync::blind::prevented_by;
use starlings_cli::sync::{BlindSpot, Conflict, Report, blind_spot, check};
use std::collections::BTreeSet;

/// A known difference. `docs/synchronization/layer.md` lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// The checker finds what the layer does not report.
    Blind(BlindSpot),
    /// The checker wants a layout transition in order by a stage; the layer lets `ALL_COMMANDS` do.
    AllCommands,
    /// The layer takes the layout that a command buffer first names as the one that the image has there, also if it has
    /// another.
    FirstLayout,
}

impl Class {
    /// All of them.
    pub fn all() -> Vec<Class> {
        let blind = BlindSpot::ALL.into_iter().map(Class::Blind);
        blind.chain([Class::AllCommands, Class::FirstLayout]).collect()
    }

    /// Its name in the documentation.
    pub fn name(self) -> &'static str {
        match self {
            Class::Blind(spot) => spot.name(),
            Class::AllCommands => "all-commands",
            Class::FirstLayout => "first-layout",
        }
    }
}

/// Submissions without a wait between them, and the checker's conflicts.
type Row = (Vec<Journal>, BTreeSet<Conflict>);

/// What both say of a journal.
pub struct Comparison {
    rows: Vec<Row>,
    reports: Vec<Report>,
}

impl Comparison {
    /// Submits what `entries` say.
    pub fn of(stage: &mut Rehearsal, messages: &Messages, entries: &[Entry]) -> Comparison {
        messages.take();
        let rows = stage.play(entries);
        let reports = messages.take().iter().map(Report::read).collect();
        let with_conflicts = |row: Vec<Journal>| {
            let found = check(&row);
            (row, found)
        };
        Comparison { rows: rows.into_iter().map(with_conflicts).collect(), reports }
    }

    /// Conflicts that both report.
    pub fn agreed(&self) -> usize {
        self.rows.iter().flat_map(|row| &row.1).filter(|conflict| self.is_reported(conflict)).count()
    }

    /// What only one of the two says: who says what, and its class if there is one.
    pub fn differences(&self) -> Vec<(String, Option<Class>)> {
        let confirmed = |report: &Report| self.conflicts().any(|(_, conflict)| says(report, conflict));
        let layer = self.reports.iter().filter(|report| !confirmed(report));
        let checker = self.conflicts().filter(|(_, conflict)| !self.is_reported(conflict));
        let layer = layer.map(|report| (format!("only the layer: {report}"), self.class_of_report(report)));
        let checker = checker
            .map(|(row, conflict)| (format!("only the checker: {conflict}"), self.class_of_conflict(row, conflict)));
        layer.chain(checker).collect()
    }

    fn conflicts(&self) -> impl Iterator<Item = (&Row, &Conflict)> {
        self.rows.iter().flat_map(|row| row.1.iter().map(move |conflict| (row, conflict)))
    }

    fn is_reported(&self, conflict: &Conflict) -> bool {
        self.reports.iter().any(|report| says(report, conflict))
    }

    fn class_of_conflict(&self, (frames, found): &Row, conflict: &Conflict) -> Option<Class> {
        if let Some(spot) = blind_spot(conflict, frames, found, &self.reports) {
            return Some(Class::Blind(spot));
        }
        if prevented_by(conflict, frames, with_stages_of_transitions) {
            return Some(Class::AllCommands);
        }
        let graphics = |dependency: &mut DependencyEntry| {
            with_stages_of_transitions(dependency);
            let masks = &mut dependency.masks;
            for mask in [&mut masks.src_stage, &mut masks.dst_stage] {
                if mask.intersects(Stage::ALL_GRAPHICS) {
                    *mask |= Stage::ALL_COMMANDS;
                }
            }
        };
        prevented_by(conflict, frames, graphics).then_some(Class::Blind(BlindSpot::AllGraphics))
    }

    fn class_of_report(&self, report: &Report) -> Option<Class> {
        let pass = report.parties()[1]?;
        // The first in the same command buffer that needs a layout.
        let frame = self.rows.iter().flat_map(|row| &row.0).find(|frame| frame.passes().any(|of| of.name == pass))?;
        let first = frame.entries.iter().find_map(|entry| match entry {
            JournalEntry::Pass(of) if of.uses.iter().any(|of| of.resource == IMAGE) => Some(of.name),
            JournalEntry::Dependency(of) if of.layouts.is_some_and(|(old, new)| old != new) => Some(of.name),
            _ => None,
        })?;
        let astray = |(_, of): (&Row, &Conflict)| of.hazard == Hazard::Layout && of.consumer == first;
        (report.hazard == Some(Hazard::Layout) && pass != first && self.conflicts().any(astray))
            .then_some(Class::FirstLayout)
    }
}

/// Whether the layer reports this conflict, and names each of its parties that is a pass.
fn says(report: &Report, conflict: &Conflict) -> bool {
    let named = |(pass, party): (Option<&str>, &str)| pass.is_some() || !PASSES.contains(&party);
    let parties = report.parties().into_iter().zip([conflict.producer, conflict.consumer]);
    report.says(conflict) && (conflict.hazard == Hazard::Layout || parties.into_iter().all(named))
}

/// As if layout transitions ran in a stage, one that `ALL_COMMANDS` includes, and no other mask.
fn with_stages_of_transitions(dependency: &mut DependencyEntry) {
    let changes = dependency.layouts.is_some_and(|(old, new)| old != new);
    let masks = &mut dependency.masks;
    for mask in [&mut masks.src_stage, &mut masks.dst_stage] {
        if mask.intersects(Stage::ALL_TRANSFER) {
            *mask = (*mask & !Stage::ALL_TRANSFER) | Stage::COPY | Stage::CLEAR;
        }
        if changes {
            *mask |= Stage::RESOLVE;
        }
    }
}
