//! The frame over time, as a picture in SVG: a lane for each stage, passes from left to right in submission order,
//! barriers between them.
//!
//! Of two passes, or of the passes that a dependency orders, it shows only what lies between them: the chain of barriers
//! by which the
//! second waits for the first, the scopes of each, and, dashed, where the second may begin when the dependency is left out.

use super::frame::Frame;
use super::names;
use crate::cli::failure::Failure;
use starlings::sync::between::faulty;
use starlings::sync::{Act, Overlaps, chain};
use starlings::vk::stages::{self, DISPLAY};
use starlings::vk::{DependencyEntry, Fault, Journal, JournalEntry, Stage};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Lanes from top to bottom.
const LANES: [Stage; 11] = [
    Stage::CLEAR,
    Stage::COMPUTE_SHADER,
    Stage::DRAW_INDIRECT,
    Stage::INDEX_INPUT,
    Stage::VERTEX_ATTRIBUTE_INPUT,
    Stage::VERTEX_SHADER,
    Stage::FRAGMENT_SHADER,
    Stage::COLOR_ATTACHMENT_OUTPUT,
    Stage::COPY,
    Stage::HOST,
    DISPLAY,
];

/// Units of the picture.
const LEFT: usize = 200;
const TOP: usize = 170;
const LANE: usize = 40;
const PASS: usize = 124;
const BARRIER: usize = 34;

/// What is shown.
pub struct Shown<'a> {
    pub dependency: Option<&'a str>,
    pub from: Option<&'a str>,
    pub to: Option<&'a str>,
}

/// A column: an act by its place, or the barriers of a command.
enum Column<'a> {
    Act(usize),
    Barriers(Vec<&'a DependencyEntry>),
}

/// Two acts, the chain between them, and the dependency that is left out.
struct Between {
    first: usize,
    then: usize,
    chain: Vec<&'static str>,
    left_out: Option<&'static str>,
    /// The place of the first act for which the second does not wait without it.
    begins: usize,
}

/// The picture of `frame`, or of a part of two such frames in sequence.
///
/// # Errors
/// [`Failure::Flag`] for a name that is not in the frame, or two passes of which the second does not wait for the first.
pub fn svg(frame: &Frame, shown: &Shown<'_>) -> Result<String, Failure> {
    let whole = shown.dependency.is_none() && shown.from.is_none();
    let frames = vec![frame.journal.clone(); if whole { 1 } else { 2 }];
    let overlaps = Overlaps::of(&frames);
    let between = match whole {
        true => None,
        false => Some(between(frame, &frames, &overlaps, shown)?),
    };
    let columns = columns(&frames, &overlaps, between.as_ref());
    Ok(Picture::new(frame, &overlaps, &columns, between).draw())
}

fn between(frame: &Frame, frames: &[Journal], overlaps: &Overlaps, shown: &Shown<'_>) -> Result<Between, Failure> {
    let acts = &overlaps.acts;
    let names: BTreeSet<&str> = acts.iter().map(|act| act.name).collect();
    let known = |flag: &str, name: &str| match names.contains(name) {
        true => Ok(()),
        false => {
            let names: Vec<&str> = names.iter().copied().collect();
            Err(Failure::flag(flag, name, format!("a pass of this frame: {}", names.join(", "))))
        }
    };
    let (from, to, before) = match (shown.dependency, shown.from, shown.to) {
        (Some(name), ..) => {
            let arrows = frame.arrows(name);
            let Some(arrow) = arrows.iter().min_by_key(|arrow| arrow.from_before) else {
                let all: BTreeSet<&str> = frame.journal.dependencies().map(|of| of.name).collect();
                let all: Vec<&str> = all.into_iter().filter(|name| !frame.arrows(name).is_empty()).collect();
                return Err(Failure::flag("dependency", name, format!("one of this frame: {}", all.join(", "))));
            };
            (arrow.from, arrow.to, arrow.from_before)
        }
        (None, Some(from), Some(to)) => {
            known("from", from)?;
            known("to", to)?;
            let place = |name| acts.iter().position(|act| act.name == name);
            (from, to, place(from) >= place(to))
        }
        _ => return Err(Failure::Usage("--from and --to are given together".into())),
    };
    let then = acts.iter().rposition(|act| act.name == to && (act.frame == 1)).unwrap_or(0);
    let then = if before { acts.iter().position(|act| act.name == to && act.frame == 1).unwrap_or(then) } else { then };
    let first = acts[..then].iter().rposition(|act| act.name == from).unwrap_or(0);
    let left_out = frame.journal.dependencies().map(|of| of.name).find(|name| Some(*name) == shown.dependency);
    let found = chain(frames, first, then);
    if found.is_none() && left_out.is_none() {
        return Err(Failure::flag("to", to, format!("a pass that waits for {from}; this one does not")));
    }
    let begins = left_out.map_or(then, |name| {
        let broken: Vec<Journal> = frames.iter().map(|frame| faulty(frame, &Fault::Omit(name.to_owned()))).collect();
        let broken = Overlaps::of(&broken);
        (first..then).rev().take_while(|&at| !broken.waits(then, at)).last().unwrap_or(then)
    });
    let chain = left_out.map_or_else(|| found.unwrap_or_default(), |name| vec![name]);
    Ok(Between { first, then, chain, left_out, begins })
}

fn columns<'a>(frames: &'a [Journal], overlaps: &Overlaps, between: Option<&Between>) -> Vec<Column<'a>> {
    let (mut columns, mut at) = (Vec::new(), 0);
    let shown = |at: usize| between.is_none_or(|of| (of.first..=of.then).contains(&at));
    for entry in frames.iter().flat_map(|frame| &frame.entries) {
        match entry {
            JournalEntry::Dependency(dependency) if between.is_none_or(|of| at > of.first && at <= of.then) => {
                match columns.last_mut() {
                    Some(Column::Barriers(all)) if dependency.same_command => all.push(dependency),
                    _ => columns.push(Column::Barriers(vec![dependency])),
                }
            }
            JournalEntry::Pass(_) | JournalEntry::Present { .. } | JournalEntry::HostRead { .. } => {
                if shown(at) && at < overlaps.acts.len() {
                    columns.push(Column::Act(at));
                }
                at += 1;
            }
            _ => {}
        }
    }
    columns
}

struct Picture<'a> {
    frame: &'a Frame,
    overlaps: &'a Overlaps,
    columns: &'a [Column<'a>],
    between: Option<Between>,
    lanes: Vec<Stage>,
    width: usize,
    text: String,
}

impl<'a> Picture<'a> {
    fn new(frame: &'a Frame, overlaps: &'a Overlaps, columns: &'a [Column<'a>], between: Option<Between>) -> Self {
        let mut used = Stage::NONE;
        for column in columns {
            match column {
                Column::Act(at) => used |= stages_of(overlaps, *at),
                Column::Barriers(all) => {
                    for of in all.iter().filter(|of| between.as_ref().is_some_and(|lit| lit.chain.contains(&of.name))) {
                        used |= stages::single(of.masks.src_stage) | stages::single(of.masks.dst_stage);
                    }
                }
            }
        }
        let lanes = LANES.into_iter().filter(|lane| used.intersects(*lane)).collect();
        let width = |column: &Column<'_>| if let Column::Act(_) = column { PASS } else { BARRIER };
        let width = LEFT + columns.iter().map(width).sum::<usize>() + 20;
        Picture { frame, overlaps, columns, between, lanes, width, text: String::new() }
    }

    fn bottom(&self) -> usize {
        TOP + LANE * self.lanes.len()
    }

    fn lane(&self, at: usize) -> usize {
        TOP + LANE * at
    }

    /// Left edge of each column.
    fn edges(&self) -> Vec<usize> {
        let mut x = LEFT;
        let mut edges = Vec::new();
        for column in self.columns {
            edges.push(x);
            x += if let Column::Act(_) = column { PASS } else { BARRIER };
        }
        edges
    }

    fn column_of(&self, act: usize) -> Option<usize> {
        self.columns.iter().position(|column| matches!(column, Column::Act(at) if *at == act))
    }

    fn draw(mut self) -> String {
        let notes = self.notes();
        let (width, height) = (self.width.max(880), self.bottom() + 30 + 18 * notes.len());
        let _ = writeln!(
            self.text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             font-family=\"monospace\" font-size=\"12\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>"
        );
        let title = self.title();
        self.label(16, 26, "#222222", "font-size=\"15\"", &title);
        self.draw_scopes();
        self.draw_lanes();
        self.draw_barriers();
        self.draw_passes();
        self.draw_ghost();
        for (at, note) in notes.iter().enumerate() {
            self.label(16, self.bottom() + 34 + 18 * at, "#444444", "", note);
        }
        self.text.push_str("</svg>");
        self.text
    }

    fn title(&self) -> String {
        match &self.between {
            None => self.frame.title(),
            Some(of) => {
                let [first, then] = [of.first, of.then].map(|at| &self.overlaps.acts[at]);
                let before = if first.frame < then.frame { " of the previous frame" } else { "" };
                format!("{}{before} → {}, by {}", first.name, then.name, of.chain.join(", "))
            }
        }
    }

    fn label(&mut self, x: usize, y: usize, color: &str, more: &str, text: &str) {
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(self.text, "<text x=\"{x}\" y=\"{y}\" fill=\"{color}\" {more}>{text}</text>");
    }

    fn rect(&mut self, (x, y): (usize, usize), (width, height): (usize, usize), style: &str) {
        let _ = writeln!(self.text, "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {style}/>");
    }

    /// Lanes that a barrier delays, or that it waits for.
    fn reached(&self, scope: Stage) -> Vec<usize> {
        (0..self.lanes.len()).filter(|&at| scope.intersects(self.lanes[at])).collect()
    }

    fn lit(&self, name: &str) -> bool {
        self.between.as_ref().is_some_and(|of| of.chain.contains(&name))
    }

    fn draw_scopes(&mut self) {
        let Some(of) = &self.between else { return };
        // A long chain would shade everything.
        let shaded: Vec<&'static str> = of.chain.iter().copied().take(2).collect();
        let edges = self.edges();
        for (at, column) in self.columns.iter().enumerate() {
            let Column::Barriers(all) = column else { continue };
            for barrier in all.iter().filter(|barrier| shaded.contains(&barrier.name)) {
                let x = edges[at] + BARRIER / 2;
                for lane in self.reached(stages::and_earlier(barrier.masks.src_stage)) {
                    self.rect((LEFT, self.lane(lane)), (x - LEFT, LANE), "fill=\"#2a7de1\" fill-opacity=\"0.14\"");
                }
                let right = self.width - 20;
                for lane in self.reached(stages::and_later(barrier.masks.dst_stage)) {
                    self.rect((x, self.lane(lane)), (right - x, LANE), "fill=\"#e17d2a\" fill-opacity=\"0.16\"");
                }
            }
        }
    }

    fn draw_lanes(&mut self) {
        for at in 0..=self.lanes.len() {
            let (y, right) = (self.lane(at), self.width - 20);
            let _ = writeln!(self.text, "<path d=\"M16 {y}H{right}\" stroke=\"#dddddd\"/>");
        }
        for (at, lane) in self.lanes.clone().into_iter().enumerate() {
            let name = if lane == DISPLAY { "display".to_owned() } else { names::stages(lane).join("") };
            self.label(16, self.lane(at) + 25, "#444444", "font-size=\"11\"", &name);
        }
    }

    fn draw_barriers(&mut self) {
        let edges = self.edges();
        for (at, column) in self.columns.iter().enumerate() {
            let Column::Barriers(all) = column else { continue };
            let x = edges[at] + BARRIER / 2;
            let (top, bottom) = (TOP - 6, self.bottom());
            let lit = all.iter().any(|barrier| self.lit(barrier.name));
            let (color, wide) = if lit { ("#c02050", 3) } else { ("#999999", 1) };
            let _ = writeln!(self.text, "<path d=\"M{x} {top}V{bottom}\" stroke=\"{color}\" stroke-width=\"{wide}\"/>");
            for (nth, barrier) in all.iter().enumerate() {
                let color = if self.lit(barrier.name) || !lit { color } else { "#999999" };
                let x = x + 4 + 18 * nth;
                let turned = format!("font-size=\"11\" transform=\"rotate(-50 {x} {})\"", top - 4);
                self.label(x, top - 4, color, &turned, barrier.name);
                // What it waits for, and what waits for it.
                for lane in self.reached(stages::single(barrier.masks.src_stage)) {
                    let (x, y) = (x - 4 - 18 * nth, self.lane(lane) + LANE / 2);
                    let _ = writeln!(self.text, "<circle cx=\"{}\" cy=\"{y}\" r=\"4\" fill=\"{color}\"/>", x - 6);
                }
                for lane in self.reached(stages::single(barrier.masks.dst_stage)) {
                    let (x, y) = (x - 4 - 18 * nth + 3, self.lane(lane) + LANE / 2);
                    let _ = writeln!(self.text, "<path d=\"M{x} {}l8 5l-8 5z\" fill=\"{color}\"/>", y - 5);
                }
            }
        }
    }

    fn draw_passes(&mut self) {
        let edges = self.edges();
        for (at, column) in self.columns.iter().enumerate() {
            let Column::Act(act) = column else { continue };
            let Act { name, frame, .. } = &self.overlaps.acts[*act];
            let ends = self.between.as_ref().is_some_and(|of| [of.first, of.then].contains(act));
            let fill = if ends { "#fff3c4" } else { "#f4f4f4" };
            let stroke = if ends { "#806000" } else { "#888888" };
            let dashed =
                if self.between.is_some() && *frame == 0 && self.crosses() { " stroke-dasharray=\"4 2\"" } else { "" };
            for lane in self.reached(stages_of(self.overlaps, *act)) {
                let place = (edges[at] + 3, self.lane(lane) + 7);
                self.rect(
                    place,
                    (PASS - 6, LANE - 14),
                    &format!("rx=\"4\" fill=\"{fill}\" stroke=\"{stroke}\"{dashed}"),
                );
                self.label(place.0 + 6, place.1 + 17, "#222222", "", name);
            }
        }
    }

    /// Whether passes of the previous frame are shown too.
    fn crosses(&self) -> bool {
        self.between.as_ref().is_some_and(|of| self.overlaps.acts[of.first].frame < self.overlaps.acts[of.then].frame)
    }

    /// Where the second pass may begin without the dependency.
    fn draw_ghost(&mut self) {
        let Some(of) = &self.between else { return };
        let (Some(from), Some(to)) = (self.column_of(of.begins), self.column_of(of.then)) else { return };
        if of.left_out.is_none() || of.begins == of.then {
            return;
        }
        let (then, edges) = (of.then, self.edges());
        for lane in self.reached(stages_of(self.overlaps, then)) {
            let (x, y) = (edges[from] + 1, self.lane(lane) + 3);
            self.rect(
                (x, y),
                (edges[to] - x, LANE - 6),
                "rx=\"4\" fill=\"none\" stroke=\"#c02050\" stroke-width=\"2\" stroke-dasharray=\"6 3\"",
            );
        }
    }

    /// Lines below the picture.
    fn notes(&self) -> Vec<String> {
        let Some(of) = &self.between else {
            return vec![
                "Left to right: submission order. A line is a barrier: dots are stages that it waits for, triangles stages that wait for it.".into(),
            ];
        };
        let mut notes = vec![
            "Blue: the first scope of a lit barrier. Orange: its second scope, with logically later stages.".to_owned(),
        ];
        for name in &of.chain {
            let Some(barrier) = self.frame.journal.dependencies().find(|barrier| barrier.name == *name) else {
                continue;
            };
            let masks = &barrier.masks;
            let scope =
                |stage, access| format!("{} {}", names::stages(stage).join("|"), names::accesses(access).join("|"));
            let (from, to) = (scope(masks.src_stage, masks.src_access), scope(masks.dst_stage, masks.dst_access));
            notes.push(format!("{name}: from {from}"));
            notes.push(format!("{:>width$} to {to}", "", width = name.len() + 3));
        }
        if of.left_out.is_some() {
            let acts = &self.overlaps.acts;
            let then = acts[of.then].name;
            notes.push(match of.begins == of.then {
                true => format!(
                    "Without it {then} still waits, by others; but it need not see what {} wrote.",
                    acts[of.first].name
                ),
                false => format!(
                    "Without it {then} may run anywhere in the dashed line, as early as {}.",
                    acts[of.begins].name
                ),
            });
        }
        notes
    }
}

/// The stages in which an act accesses what some act writes.
fn stages_of(overlaps: &Overlaps, at: usize) -> Stage {
    let written = |resource: &str| {
        overlaps.acts.iter().flat_map(|act| &act.uses).any(|of| of.resource == resource && of.writes())
    };
    let uses = overlaps.acts[at].uses.iter().filter(|of| written(of.resource));
    uses.fold(Stage::NONE, |all, of| all | of.stage)
}
