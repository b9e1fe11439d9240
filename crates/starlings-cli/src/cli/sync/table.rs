//! The frame for a terminal: in the order it is recorded, with what each pass touches and what each dependency orders.

use super::frame::Frame;
use super::names;
use crate::cli::output::broken;
use crate::sync::{Arrow, HOST, PRESENT};
use starlings::vk::{DependencyEntry, JournalEntry, PassEntry};
use std::fmt::Write as _;

/// Characters in a line.
const WIDTH: usize = 114;

/// Where the columns begin: the name, the stage, the access and the resources.
const COLUMNS: [usize; 4] = [0, 26, 52, 85];

pub fn table(frame: &Frame) -> String {
    let mut table = Table(String::new());
    let (passes, dependencies) = (frame.journal.passes().count(), frame.journal.dependencies().count());
    table.line(&format!("{}: {passes} passes and {dependencies} dependencies, in order.", frame.title()));
    table.line("Stages and accesses are the specification's. `(before)` marks a pass of the previous frame or step.");
    table.line("A `+` marks a dependency that shares a command with the one above it.");
    table.line("");
    table.row(["PASS", "STAGE", "ACCESS", "RESOURCES"].map(|head| vec![head.to_owned()]));
    table.row(["  | dependency", "from, then to", "from, then to", "guarded"].map(|head| vec![head.to_owned()]));
    for entry in &frame.journal.entries {
        match entry {
            JournalEntry::Pass(pass) => table.pass(pass),
            JournalEntry::Dependency(dependency) => {
                table.dependency(frame, dependency);
            }
            JournalEntry::Acquire { image, stage } => {
                table.line("");
                let [wait, image] = ["semaphore wait", image.name()].map(|text| vec![text.to_owned()]);
                table.row([vec!["acquire".to_owned()], names::stages(*stage), wait, image]);
            }
            JournalEntry::Present { image } => table.outside(PRESENT, "display", image.name()),
            JournalEntry::HostRead { buffer } => table.outside(HOST, "HOST", buffer.name()),
        }
    }
    table.0.trim_end().to_owned()
}

struct Table(String);

impl Table {
    fn line(&mut self, text: &str) {
        self.0.push_str(text.trim_end());
        self.0.push('\n');
    }

    /// Cells beside each other, each of several lines; resources are wrapped.
    fn row(&mut self, mut cells: [Vec<String>; 4]) {
        cells[3] = wrap(&cells[3].join(", "), WIDTH - COLUMNS[3]);
        let lines = cells.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..lines {
            let mut text = String::new();
            for (cell, column) in cells.iter().zip(COLUMNS) {
                if let Some(cell) = cell.get(line) {
                    let gap = column.saturating_sub(text.chars().count());
                    let _ = write!(text, "{:gap$}{cell}", "");
                }
            }
            self.line(&text);
        }
    }

    fn pass(&mut self, pass: &PassEntry) {
        self.line("");
        // Resources that are touched in the same way share a row.
        let mut groups: Vec<(_, _, Vec<&str>)> = Vec::new();
        for of in &pass.uses {
            match groups.iter_mut().find(|(stage, access, _)| (*stage, *access) == (of.stage, of.access)) {
                Some((.., resources)) => resources.push(of.resource.name()),
                None => groups.push((of.stage, of.access, vec![of.resource.name()])),
            }
        }
        for (at, (stage, access, resources)) in groups.into_iter().enumerate() {
            let name = if at == 0 { vec![pass.name.to_owned()] } else { Vec::new() };
            let resources = resources.into_iter().map(str::to_owned).collect();
            self.row([name, names::stages(stage), names::accesses(access), resources]);
        }
    }

    fn outside(&mut self, name: &str, stage: &str, resource: &str) {
        self.line("");
        self.row([name, stage, "reads", resource].map(|text| vec![text.to_owned()]));
    }

    fn dependency(&mut self, frame: &Frame, dependency: &DependencyEntry) {
        let masks = &dependency.masks;
        let hazards: Vec<String> = dependency.hazards.iter().map(ToString::to_string).collect();
        let sign = if dependency.same_command { '+' } else { '|' };
        let mut name = vec![format!("  {sign} {}", dependency.name)];
        name.extend(wrap(&hazards.join(", "), COLUMNS[1] - 7).into_iter().map(|line| format!("  |   {line}")));
        let (mut stages, mut accesses) = (names::stages(masks.src_stage), names::accesses(masks.src_access));
        // The second halves of both columns begin in one line.
        let lines = stages.len().max(accesses.len());
        stages.resize(lines, String::new());
        accesses.resize(lines, String::new());
        let to = |(at, name): (usize, String)| format!("{}{name}", if at == 0 { "→ " } else { "  " });
        stages.extend(names::stages(masks.dst_stage).into_iter().enumerate().map(to));
        accesses.extend(names::accesses(masks.dst_access).into_iter().enumerate().map(to));
        let guarded = frame.guards(dependency);
        let guards = wrap(&guarded.join(", "), WIDTH - COLUMNS[3]);
        let height = [&name, &stages, &accesses, &guards].map(Vec::len).into_iter().max().unwrap_or(0);
        name.resize(height, "  |".to_owned());
        self.line("  |");
        self.row([name, stages, accesses, guarded.into_iter().map(str::to_owned).collect()]);
        let layouts = dependency.layouts.map(|(old, new)| format!("layout {old:?} → {new:?}"));
        let others = frame.relies_on(dependency);
        let leans = (!others.is_empty()).then(|| format!("relies on {}", others.join(", ")));
        let parties = parties(&frame.arrows(dependency.name));
        for text in layouts.into_iter().chain(parties).chain(leans).chain([dependency.reason.to_owned()]) {
            for line in wrap(&text, WIDTH - COLUMNS[1]) {
                self.row([vec!["  |".to_owned()], vec![line], Vec::new(), Vec::new()]);
            }
        }
    }
}

/// `draw_boids (before) → steer, cull`, a line for each producer.
fn parties(arrows: &[Arrow]) -> Vec<String> {
    let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
    for arrow in arrows {
        let producer = format!("{}{}", arrow.from, if arrow.from_before { " (before)" } else { "" });
        match lines.iter_mut().find(|(known, _)| *known == producer) {
            Some((_, consumers)) => consumers.push(arrow.to),
            None => lines.push((producer, vec![arrow.to])),
        }
    }
    lines.into_iter().map(|(producer, consumers)| format!("{producer} → {}", consumers.join(", "))).collect()
}

/// Breaks a text between words.
fn wrap(text: &str, width: usize) -> Vec<String> {
    broken(text, 0, width).lines().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_wrapped_between_words() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("a-word-too-long b", 4), ["a-word-too-long", "b"]);
        assert!(wrap("", 4).is_empty());
    }
}
