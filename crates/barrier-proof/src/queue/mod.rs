//! The frame over time: its passes in submission order, the barriers between them, and, of a dependency or of two
//! passes, what waits for what and what may begin earlier without it.
//!
//! A [`Queue`] says what is shown; a [`Layout`] says where, in the units of a picture.

mod layout;
pub mod repetition;
mod sequences;

pub use layout::{Barrier, Block, Lane, Layout, Line, Measures, Rect, Scope};
pub use sequences::{Sequence, Sequences};

use crate::between::faulty;
use crate::{
    Arrow, Between, DependencyEntry, Fault, Journal, JournalEntry, Operation, Resource, Schedule, Stage, between,
    chain, names,
};
use std::sync::Arc;

/// A column of the picture: an operation by its place, or the barriers of a command.
#[derive(Clone, Debug)]
pub enum Column<'a> {
    /// A pass, the display or the host.
    Operation(usize),
    /// Barriers of one command.
    Barriers(Vec<&'a DependencyEntry>),
}

/// Two operations of which the second waits for the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Place of the first.
    pub first: usize,
    /// Place of the second.
    pub then: usize,
    /// Place of the earliest operation that the second may run beside without the dependency; `then` if it still waits,
    /// by others.
    pub begins: usize,
}

/// What is lit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Highlight {
    /// Dependencies, in the order in which they wait for each other.
    pub chain: Vec<&'static str>,
    /// Whether the chain is a single dependency that is left out.
    pub left_out: bool,
    /// What is ordered by it.
    pub waits: Vec<Wait>,
}

/// What of the frames is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// The last frame.
    Frame,
    /// The last frame, and what comes before it from an operation on.
    From(usize),
    /// From an operation to another.
    Between(usize, usize),
}

/// Frames in sequence, as submitted.
struct Frames {
    journals: Vec<Journal>,
    schedule: Schedule,
}

/// A frame over time.
#[derive(Clone)]
pub struct Queue {
    frames: Arc<Frames>,
    part: Part,
    /// What is lit.
    pub lit: Highlight,
}

impl Queue {
    /// The whole frame; of passes of the previous one, those that `of` a dependency or two passes concern can be shown
    /// too.
    pub fn new(frame: &Journal) -> Queue {
        let journals = vec![frame.clone(), frame.clone()];
        let schedule = Schedule::of(&journals);
        Queue { frames: Arc::new(Frames { journals, schedule }), part: Part::Frame, lit: Highlight::default() }
    }

    /// The operations of the previous frame, and of this one.
    pub fn operations(&self) -> &[Operation] {
        &self.frames.schedule.operations
    }

    /// The frame.
    pub fn frame(&self) -> &Journal {
        &self.frames.journals[1]
    }

    /// Its dependency `name`.
    pub fn dependency(&self, name: &str) -> Option<&DependencyEntry> {
        self.frame().dependencies().find(|of| of.name == name)
    }

    /// The conflicts that each dependency prevents in two such frames.
    pub fn between(&self) -> Between {
        between(&self.frames.journals)
    }

    /// With one dependency lit, and nothing said about what it orders.
    pub fn highlighting(&self, name: &'static str) -> Queue {
        let lit = Highlight { chain: vec![name], left_out: true, waits: Vec::new() };
        Queue { frames: self.frames.clone(), part: Part::Frame, lit }
    }

    /// With nothing lit.
    pub fn plain(&self) -> Queue {
        Queue { frames: self.frames.clone(), part: Part::Frame, lit: Highlight::default() }
    }

    /// With the dependency `name` left out, which stands between the passes of these arrows; passes of the previous
    /// frame are shown from the first that it concerns.
    pub fn without(&self, name: &'static str, arrows: &[Arrow]) -> Queue {
        let fault = Fault::Omit(name.to_owned());
        let broken: Vec<Journal> = self.frames.journals.iter().map(|frame| faulty(frame, &fault)).collect();
        let broken = Schedule::of(&broken);
        let wait = |arrow: &Arrow| {
            let (first, then) = self.ends(arrow.from, arrow.to, arrow.from_before);
            let begins = (first..then).rev().take_while(|&at| !broken.waits(then, at)).last().unwrap_or(then);
            Wait { first, then, begins }
        };
        let waits: Vec<Wait> = arrows.iter().map(wait).collect();
        let earliest = waits.iter().map(|wait| wait.first).min().filter(|&at| self.operations()[at].frame == 0);
        let lit = Highlight { chain: vec![name], left_out: true, waits };
        Queue { frames: self.frames.clone(), part: earliest.map_or(Part::Frame, Part::From), lit }
    }

    /// With the chain lit by which the pass `to` waits for the pass `from`; none if it does not wait.
    pub fn chained(&self, from: &str, to: &str) -> Option<Queue> {
        let place = |name| self.operations().iter().position(|operation| operation.name == name);
        let (first, then) = self.ends(from, to, place(from) >= place(to));
        let chain = chain(&self.frames.journals, first, then)?;
        let lit = Highlight { chain, left_out: false, waits: vec![Wait { first, then, begins: then }] };
        Some(Queue { frames: self.frames.clone(), part: Part::Between(first, then), lit })
    }

    /// Only what lies between the two operations of one wait: within a frame, if there is such a one.
    pub fn cut(mut self) -> Queue {
        let operations = &self.frames.schedule.operations;
        let waits = self.lit.waits.iter().copied();
        if let Some(of) = waits.min_by_key(|of| operations[of.then].frame - operations[of.first].frame) {
            self.part = Part::Between(of.first, of.then);
            self.lit.waits = vec![of];
        }
        self
    }

    /// Places of two passes in sequence; `before` if the first belongs to the previous frame or step.
    fn ends(&self, from: &str, to: &str, before: bool) -> (usize, usize) {
        let operations = self.operations();
        let mut all = (0..operations.len()).filter(|&at| operations[at].frame == 1 && operations[at].name == to);
        let then = if before { all.next() } else { all.next_back() }.unwrap_or(0);
        (operations[..then].iter().rposition(|operation| operation.name == from).unwrap_or(0), then)
    }

    /// Whether passes of the previous frame are shown, too.
    pub fn crosses(&self) -> bool {
        match self.part {
            Part::Frame => false,
            Part::From(_) => true,
            Part::Between(first, then) => self.operations()[first].frame < self.operations()[then].frame,
        }
    }

    fn shows_operation(&self, frame: usize, at: usize) -> bool {
        match self.part {
            Part::Frame => frame == 1,
            Part::From(first) => at >= first,
            Part::Between(first, then) => (first..=then).contains(&at),
        }
    }

    /// Whether barriers before the operation at this place are shown.
    fn shows_barriers(&self, frame: usize, at: usize) -> bool {
        self.shows_operation(frame, at)
            && !matches!(self.part, Part::From(first) | Part::Between(first, _) if at == first)
    }

    /// What is shown, from left to right.
    fn columns(&self) -> Vec<Column<'_>> {
        let (mut columns, mut at) = (Vec::new(), 0);
        for (frame, journal) in self.frames.journals.iter().enumerate() {
            for entry in &journal.entries {
                match entry {
                    JournalEntry::Dependency(dependency) if self.shows_barriers(frame, at) => {
                        match columns.last_mut() {
                            Some(Column::Barriers(all)) if dependency.same_command => all.push(dependency),
                            _ => columns.push(Column::Barriers(vec![dependency])),
                        }
                    }
                    JournalEntry::Pass(_) | JournalEntry::Present { .. } | JournalEntry::HostRead { .. } => {
                        if self.shows_operation(frame, at) && at < self.operations().len() {
                            columns.push(Column::Operation(at));
                        }
                        at += 1;
                    }
                    _ => {}
                }
            }
        }
        columns
    }

    /// The stages in which an operation accesses what some operation of the shown frames writes.
    fn stages(&self, at: usize) -> Stage {
        let written = |resource: Resource| {
            self.operations()
                .iter()
                .flat_map(|operation| &operation.uses)
                .any(|of| of.resource == resource && of.writes())
        };
        let uses = self.operations()[at].uses.iter().filter(|of| written(of.resource));
        uses.fold(Stage::NONE, |all, of| all | of.stage)
    }

    /// The two operations of the first wait and what is between them, in words.
    pub fn title(&self) -> Option<String> {
        let of = self.lit.waits.first()?;
        Some(format!("{}, by {}", self.caption(of), self.lit.chain.join(", ")))
    }

    /// Two operations in words.
    pub fn caption(&self, of: &Wait) -> String {
        let [first, then] = [of.first, of.then].map(|at| &self.operations()[at]);
        let before = if first.frame < then.frame { " of the previous frame" } else { "" };
        format!("{}{before} → {}", first.name, then.name)
    }

    /// What may happen without the dependency, in words.
    pub fn explanation(&self, of: &Wait) -> String {
        let [first, then, begins] = [of.first, of.then, of.begins].map(|at| self.operations()[at].name);
        match of.begins == of.then {
            true => format!("Without it {then} still waits, by others; but it need not see what {first} wrote."),
            false => format!("Without it {then} may run anywhere in the dashed line, as early as {begins}."),
        }
    }

    /// The scopes of what is lit, each in two lines.
    pub fn scopes(&self) -> Vec<String> {
        let known = self.lit.chain.iter().filter_map(|name| self.dependency(name));
        let lines = known.flat_map(|barrier| {
            let (from, to) = names::scopes(&barrier.masks);
            let name = barrier.name;
            [format!("{name}: from {from}"), format!("{:>width$} to {to}", "", width = name.len() + 3)]
        });
        lines.collect()
    }
}
