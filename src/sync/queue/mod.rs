//! The frame over time: its passes in submission order, the barriers between them, and, of a dependency or of two passes, what waits
//! for what and what may begin earlier without it.
//!
//! A [`Queue`] says what is shown; a [`Layout`] says where, in the units of a picture. `starlings sync --format svg` and the window draw
//! the same layout.

mod layout;
mod sequences;
pub mod step;

pub use layout::{Barrier, Block, Lane, Layout, Line, Measures, Rect, Scope};
pub use sequences::{Among, Known};

use super::between::{between, faulty};
use super::{Act, Arrow, Between, Overlaps, chain, names};
use crate::vk::{DependencyEntry, Fault, Journal, JournalEntry, Stage};
use std::sync::Arc;

/// A column of the picture: an act by its place, or the barriers of a command.
#[derive(Clone, Debug)]
pub enum Column<'a> {
    /// A pass, the display or the host.
    Act(usize),
    /// Barriers of one command.
    Barriers(Vec<&'a DependencyEntry>),
}

/// Two acts of which the second waits for the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// Place of the first.
    pub first: usize,
    /// Place of the second.
    pub then: usize,
    /// Place of the earliest act that the second may run beside without the dependency; `then` if it still waits, by others.
    pub begins: usize,
}

/// What is lit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lit {
    /// Dependencies, in the order in which they wait for each other.
    pub chain: Vec<&'static str>,
    /// Whether the chain is a single dependency that is left out.
    pub left_out: bool,
    /// What is ordered by it.
    pub orders: Vec<Order>,
}

/// What of the frames is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// The last frame.
    Frame,
    /// The last frame, and what comes before it from an act on.
    From(usize),
    /// From an act to another.
    Between(usize, usize),
}

/// Frames in sequence, as submitted.
struct Frames {
    journals: Vec<Journal>,
    overlaps: Overlaps,
}

/// A frame over time.
#[derive(Clone)]
pub struct Queue {
    frames: Arc<Frames>,
    part: Part,
    /// What is lit.
    pub lit: Lit,
}

impl Queue {
    /// The whole frame; of passes of the previous one, those that `of` a dependency or two passes concern can be shown too.
    pub fn new(frame: &Journal) -> Queue {
        let journals = vec![frame.clone(), frame.clone()];
        let overlaps = Overlaps::of(&journals);
        Queue { frames: Arc::new(Frames { journals, overlaps }), part: Part::Frame, lit: Lit::default() }
    }

    /// The acts of the previous frame, and of this one.
    pub fn acts(&self) -> &[Act] {
        &self.frames.overlaps.acts
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
    pub fn lighting(&self, name: &'static str) -> Queue {
        let lit = Lit { chain: vec![name], left_out: true, orders: Vec::new() };
        Queue { frames: self.frames.clone(), part: Part::Frame, lit }
    }

    /// With nothing lit.
    pub fn plain(&self) -> Queue {
        Queue { frames: self.frames.clone(), part: Part::Frame, lit: Lit::default() }
    }

    /// With the dependency `name` left out, which stands between the passes of these arrows; passes of the previous frame are shown
    /// from the first that it concerns.
    pub fn without(&self, name: &'static str, arrows: &[Arrow]) -> Queue {
        let fault = Fault::Omit(name.to_owned());
        let broken: Vec<Journal> = self.frames.journals.iter().map(|frame| faulty(frame, &fault)).collect();
        let broken = Overlaps::of(&broken);
        let order = |arrow: &Arrow| {
            let (first, then) = self.ends(arrow.from, arrow.to, arrow.from_before);
            let begins = (first..then).rev().take_while(|&at| !broken.waits(then, at)).last().unwrap_or(then);
            Order { first, then, begins }
        };
        let orders: Vec<Order> = arrows.iter().map(order).collect();
        let earliest = orders.iter().map(|order| order.first).min().filter(|&at| self.acts()[at].frame == 0);
        let lit = Lit { chain: vec![name], left_out: true, orders };
        Queue { frames: self.frames.clone(), part: earliest.map_or(Part::Frame, Part::From), lit }
    }

    /// With the chain lit by which the pass `to` waits for the pass `from`; none if it does not wait.
    pub fn chained(&self, from: &str, to: &str) -> Option<Queue> {
        let place = |name| self.acts().iter().position(|act| act.name == name);
        let (first, then) = self.ends(from, to, place(from) >= place(to));
        let chain = chain(&self.frames.journals, first, then)?;
        let lit = Lit { chain, left_out: false, orders: vec![Order { first, then, begins: then }] };
        Some(Queue { frames: self.frames.clone(), part: Part::Between(first, then), lit })
    }

    /// Only what lies between the two acts of one order: within a frame, if there is such a one.
    pub fn cut(mut self) -> Queue {
        let acts = &self.frames.overlaps.acts;
        let orders = self.lit.orders.iter().copied();
        if let Some(of) = orders.min_by_key(|of| acts[of.then].frame - acts[of.first].frame) {
            self.part = Part::Between(of.first, of.then);
            self.lit.orders = vec![of];
        }
        self
    }

    /// Places of two passes in sequence; `before` if the first belongs to the previous frame or step.
    fn ends(&self, from: &str, to: &str, before: bool) -> (usize, usize) {
        let acts = self.acts();
        let mut all = (0..acts.len()).filter(|&at| acts[at].frame == 1 && acts[at].name == to);
        let then = if before { all.next() } else { all.next_back() }.unwrap_or(0);
        (acts[..then].iter().rposition(|act| act.name == from).unwrap_or(0), then)
    }

    /// Whether passes of the previous frame are shown, too.
    pub fn crosses(&self) -> bool {
        match self.part {
            Part::Frame => false,
            Part::From(_) => true,
            Part::Between(first, then) => self.acts()[first].frame < self.acts()[then].frame,
        }
    }

    fn shows_act(&self, frame: usize, at: usize) -> bool {
        match self.part {
            Part::Frame => frame == 1,
            Part::From(first) => at >= first,
            Part::Between(first, then) => (first..=then).contains(&at),
        }
    }

    /// Whether barriers before the act at this place are shown.
    fn shows_barriers(&self, frame: usize, at: usize) -> bool {
        self.shows_act(frame, at) && !matches!(self.part, Part::From(first) | Part::Between(first, _) if at == first)
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
                        if self.shows_act(frame, at) && at < self.acts().len() {
                            columns.push(Column::Act(at));
                        }
                        at += 1;
                    }
                    _ => {}
                }
            }
        }
        columns
    }

    /// The stages in which an act accesses what some act of the shown frames writes.
    fn stages(&self, at: usize) -> Stage {
        let written = |resource: &str| {
            self.acts().iter().flat_map(|act| &act.uses).any(|of| of.resource == resource && of.writes())
        };
        let uses = self.acts()[at].uses.iter().filter(|of| written(of.resource));
        uses.fold(Stage::NONE, |all, of| all | of.stage)
    }

    /// The two acts of the first order and what is between them, in words.
    pub fn title(&self) -> Option<String> {
        let of = self.lit.orders.first()?;
        Some(format!("{}, by {}", self.named(of), self.lit.chain.join(", ")))
    }

    /// Two acts in words.
    pub fn named(&self, of: &Order) -> String {
        let [first, then] = [of.first, of.then].map(|at| &self.acts()[at]);
        let before = if first.frame < then.frame { " of the previous frame" } else { "" };
        format!("{}{before} → {}", first.name, then.name)
    }

    /// What may happen without the dependency, in words.
    pub fn told(&self, of: &Order) -> String {
        let [first, then, begins] = [of.first, of.then, of.begins].map(|at| self.acts()[at].name);
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
