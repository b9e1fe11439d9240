//! Where everything is in a picture of the queue: lanes from top to bottom, columns from left to right.

use super::{Column, Queue};
use crate::stages::{self, DISPLAY};
use crate::{DependencyEntry, Stage};

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

/// Scopes are shaded of so many lit dependencies: those of a long chain would shade everything.
const SHADED: usize = 2;

/// Sizes in the units of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measures {
    /// Left of the columns, where the lanes have their names.
    pub left: f32,
    /// Above the lanes.
    pub top: f32,
    /// Right of the columns.
    pub right: f32,
    /// Height of a lane.
    pub lane: f32,
    /// Width of the column of a pass.
    pub pass: f32,
    /// Width of the column of a barrier.
    pub barrier: f32,
    /// What each further barrier of the same command adds to that.
    pub further: f32,
    /// Between a pass and the edges of its column and its lane.
    pub inset: [f32; 2],
    /// Between the box of what may begin earlier and the edges of its column and its lane.
    pub slide: [f32; 2],
}

/// A rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f32,
    /// Upper edge.
    pub y: f32,
    /// From left to right.
    pub width: f32,
    /// From top to bottom.
    pub height: f32,
}

/// A stage that something shown uses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lane {
    /// The stage, or the display.
    pub stage: Stage,
    /// Its upper edge.
    pub y: f32,
}

/// A pass in one of its lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Its place among the operations.
    pub operation: usize,
    /// Its lane, from the top.
    pub lane: usize,
    /// Where it is.
    pub rect: Rect,
    /// Whether what is lit orders it.
    pub is_end: bool,
    /// Whether it belongs to the previous frame.
    pub is_before: bool,
}

/// A command with barriers.
#[derive(Clone, Debug)]
pub struct Line<'a> {
    /// Where its line is.
    pub x: f32,
    /// Left edge and width of its column.
    pub column: (f32, f32),
    /// Whether one of them is lit.
    pub lit: bool,
    /// The barriers.
    pub barriers: Vec<Barrier<'a>>,
}

/// A barrier of a command.
#[derive(Clone, Debug)]
pub struct Barrier<'a> {
    /// The dependency.
    pub dependency: &'a DependencyEntry,
    /// Whether it is lit.
    pub lit: bool,
    /// Middles of the lanes that it waits for, by the stages of its mask alone.
    pub waits_for: Vec<f32>,
    /// Middles of the lanes that wait for it, likewise.
    pub delays: Vec<f32>,
}

/// A scope of a lit dependency, in one lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scope {
    /// Whether it is the first scope: what the dependency waits for, with logically earlier stages. Else what waits for
    /// it, with later ones.
    pub is_first: bool,
    /// Where it is.
    pub rect: Rect,
}

/// Where everything is.
#[derive(Clone, Debug)]
pub struct Layout<'a> {
    /// From top to bottom.
    pub lanes: Vec<Lane>,
    /// Below the last lane.
    pub bottom: f32,
    /// Of all columns, and what is left and right of them.
    pub width: f32,
    /// Shaded.
    pub scopes: Vec<Scope>,
    /// From left to right.
    pub lines: Vec<Line<'a>>,
    /// From left to right, and from top to bottom.
    pub passes: Vec<Block>,
    /// Where an operation may run without the dependency, in one of its lanes: from where it may begin to where it
    /// begins now.
    pub slides: Vec<(usize, Rect)>,
}

impl Queue {
    /// Where everything is in a picture of these measures.
    pub fn layout(&self, measures: &Measures) -> Layout<'_> {
        let columns = self.columns();
        let stages_of_lanes = self.lanes(&columns);
        let lanes: &[Stage] = &stages_of_lanes;
        let Measures { left, top, lane, .. } = *measures;
        let y = |at: usize| top + lane * at as f32;
        let (mut x, mut edges) = (left, Vec::new());
        for column in &columns {
            edges.push(x);
            x += width(column, measures);
        }
        let (right, bottom) = (x, y(lanes.len()));
        let reached = |scope: Stage| (0..lanes.len()).filter(move |&at| scope.intersects(lanes[at]));
        let middles = |scope: Stage| reached(scope).map(|at| y(at) + lane / 2.0).collect::<Vec<f32>>();
        let is_lit = |name: &&str| self.lit.chain.contains(name);
        let (mut scopes, mut lines, mut passes) = (Vec::new(), Vec::new(), Vec::new());
        for (column, &edge) in columns.iter().zip(&edges) {
            match column {
                Column::Barriers(all) => {
                    let x = edge + measures.barrier / 2.0;
                    let line = Line {
                        x,
                        column: (edge, width(column, measures)),
                        lit: all.iter().any(|of| is_lit(&of.name)),
                        barriers: all
                            .iter()
                            .map(|&dependency| Barrier {
                                dependency,
                                lit: is_lit(&dependency.name),
                                waits_for: middles(stages::single(dependency.masks.src_stage)),
                                delays: middles(stages::single(dependency.masks.dst_stage)),
                            })
                            .collect(),
                    };
                    for of in all.iter().filter(|of| self.lit.chain.iter().take(SHADED).any(|name| *name == of.name)) {
                        let first = reached(stages::and_earlier(of.masks.src_stage));
                        scopes.extend(first.map(|at| (true, at, left, x)));
                        let second = reached(stages::and_later(of.masks.dst_stage));
                        scopes.extend(second.map(|at| (false, at, x, right)));
                    }
                    lines.push(line);
                }
                Column::Operation(operation) => {
                    let [across, down] = measures.inset;
                    passes.extend(reached(self.stages(*operation)).map(|at| Block {
                        operation: *operation,
                        lane: at,
                        rect: Rect {
                            x: edge + across,
                            y: y(at) + down,
                            width: measures.pass - 2.0 * across,
                            height: lane - 2.0 * down,
                        },
                        is_end: self.lit.waits.iter().any(|of| [of.first, of.then].contains(operation)),
                        is_before: self.crosses() && self.operations()[*operation].frame == 0,
                    }));
                }
            }
        }
        let scopes = scopes
            .into_iter()
            .map(|(is_first, at, x, end)| Scope { is_first, rect: Rect { x, y: y(at), width: end - x, height: lane } });
        let edge_of = |operation: usize| {
            columns.iter().position(|of| matches!(of, Column::Operation(at) if *at == operation)).map(|at| edges[at])
        };
        let [across, down] = measures.slide;
        let mut slides: Vec<(usize, Rect)> = Vec::new();
        for of in self.lit.waits.iter().filter(|of| self.lit.left_out && of.begins != of.then) {
            let (Some(from), Some(to)) = (edge_of(of.begins), edge_of(of.then)) else { continue };
            for at in reached(self.stages(of.then)) {
                let x = from + across;
                let rect = Rect { x, y: y(at) + down, width: to - x, height: lane - 2.0 * down };
                // Two passes that it waits for may let it begin at the same place.
                if !slides.contains(&(of.then, rect)) {
                    slides.push((of.then, rect));
                }
            }
        }
        Layout {
            bottom,
            width: right + measures.right,
            scopes: scopes.collect(),
            lines,
            passes,
            slides,
            lanes: lanes.iter().enumerate().map(|(at, &stage)| Lane { stage, y: y(at) }).collect(),
        }
    }

    /// These measures with columns of passes and lanes such that the picture takes this room, as far as the least and
    /// the most of each allow.
    pub fn fitted(&self, measures: Measures, room: [f32; 2], pass: [f32; 2], lane: [f32; 2]) -> Measures {
        let columns = self.columns();
        let passes = columns.iter().filter(|column| matches!(column, Column::Operation(_))).count();
        let others = columns.iter().filter(|column| matches!(column, Column::Barriers(_)));
        let [across, down] = [
            room[0] - measures.left - measures.right - others.map(|column| width(column, &measures)).sum::<f32>(),
            room[1] - measures.top,
        ];
        let share = |room: f32, among: usize, [least, most]: [f32; 2]| (room / among.max(1) as f32).clamp(least, most);
        Measures { pass: share(across, passes, pass), lane: share(down, self.lanes(&columns).len(), lane), ..measures }
    }

    /// The lanes that these columns need.
    fn lanes(&self, columns: &[Column<'_>]) -> Vec<Stage> {
        let mut used = Stage::NONE;
        for column in columns {
            match column {
                Column::Operation(at) => used |= self.stages(*at),
                Column::Barriers(all) => {
                    for of in all.iter().filter(|of| self.lit.chain.contains(&of.name)) {
                        used |= stages::single(of.masks.src_stage) | stages::single(of.masks.dst_stage);
                    }
                }
            }
        }
        LANES.into_iter().filter(|lane| used.intersects(*lane)).collect()
    }
}

fn width(column: &Column<'_>, measures: &Measures) -> f32 {
    match column {
        Column::Operation(_) => measures.pass,
        Column::Barriers(all) => measures.barrier + measures.further * (all.len() - 1) as f32,
    }
}
