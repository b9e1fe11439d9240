//! The frame over time, as a picture in SVG: a lane for each stage, passes from left to right in submission order,
//! barriers between them.
//!
//! Of two passes, or of the passes that a dependency orders, it shows only what lies between them: the chain of
//! barriers by which the second waits for the first, the scopes of each, and, dashed, where the second may begin when
//! the dependency is left out.

use super::frame::Frame;
use super::names;
use crate::sync::queue::{Layout, Measures, Queue, Rect, Sequence, sequences};
use crate::{Error, Result};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Sizes in units of the picture.
const MEASURES: Measures = Measures {
    left: 200.0,
    top: 170.0,
    right: 20.0,
    lane: 40.0,
    pass: 124.0,
    barrier: 34.0,
    further: 0.0,
    inset: [3.0, 7.0],
    slide: [1.0, 3.0],
};

/// From the left edge.
const MARGIN: f32 = 16.0;

pub struct Shown<'a> {
    pub dependency: Option<&'a str>,
    pub from: Option<&'a str>,
    pub to: Option<&'a str>,
}

/// The picture of `frame`, or of a part of two such frames in sequence.
///
/// # Errors
/// [`starlings::Error::Setting`] for a name that is not in the frame, or two passes of which the second does not wait
/// for the first.
pub fn svg(frame: &Frame, shown: &Shown<'_>) -> Result<String> {
    let (queue, among) = queue(frame, shown)?;
    let layout = queue.layout(&MEASURES);
    let notes: Vec<String> = notes(&queue).into_iter().chain(note_of(among).map(str::to_owned)).collect();
    let mut title = queue.title().unwrap_or_else(|| frame.title());
    if among == Sequence::Steps {
        title = title.replace(" of the previous frame", " of the previous step");
    }
    Ok(Picture { queue: &queue, layout: &layout, text: String::new() }.draw(&title, &notes))
}

/// What is shown, and of which frames.
fn queue(frame: &Frame, shown: &Shown<'_>) -> Result<(Queue, Sequence)> {
    let queue = Queue::new(&frame.journal);
    let names: BTreeSet<&str> = queue.operations().iter().map(|act| act.name).collect();
    let known = |flag: &str, name: &str| match names.contains(name) {
        true => Ok(()),
        false => {
            let names: Vec<&str> = names.iter().copied().collect();
            Err(Error::flag(flag, name, format!("a pass of this frame: {}", names.join(", "))))
        }
    };
    match (shown.dependency, shown.from, shown.to) {
        (None, None, _) => Ok((queue, Sequence::Frames)),
        (Some(name), ..) => {
            let known = sequences(queue.clone(), Some(&frame.spec));
            let missing = queue.dependency(name).map(|of| known.without(of.name));
            let Some((queue, among)) = missing.filter(|(queue, _)| !queue.lit.waits.is_empty()) else {
                let all: BTreeSet<&str> = frame.journal.dependencies().map(|of| of.name).collect();
                let all: Vec<&str> = all.into_iter().filter(|name| !frame.arrows(name).is_empty()).collect();
                return Err(Error::flag("dependency", name, format!("one of this frame: {}", all.join(", "))));
            };
            Ok((queue.cut(), among))
        }
        (None, Some(from), Some(to)) => {
            known("from", from)?;
            known("to", to)?;
            let waits = || Error::flag("to", to, format!("a pass that waits for {from}; this one does not"));
            queue.chained(from, to).map(|queue| (queue, Sequence::Frames)).ok_or_else(waits)
        }
        _ => Err(Error::Input("--from and --to are given together".into())),
    }
}

/// Of which frames a picture is, if not of two like the one that was asked for.
fn note_of(among: Sequence) -> Option<&'static str> {
    match among {
        Sequence::Frames => None,
        Sequence::Steps => Some("Two steps of one frame: between two frames, others do the work of this dependency."),
        Sequence::Stepless => {
            Some("Two frames without a step: in others, the passes of a step do the work of this dependency.")
        }
    }
}

/// Lines below the picture.
fn notes(queue: &Queue) -> Vec<String> {
    let Some(order) = queue.lit.waits.first() else {
        return vec![
            "Left to right: submission order. A line is a barrier: dots are stages that it waits for, triangles \
                stages that wait for it."
                .into(),
        ];
    };
    let mut notes = vec![
        "Blue: the first scope of a lit barrier. Orange: its second scope, with logically later stages.".to_owned(),
    ];
    notes.extend(queue.scopes());
    notes.extend(queue.lit.left_out.then(|| queue.explanation(order)));
    notes
}

struct Picture<'a> {
    queue: &'a Queue,
    layout: &'a Layout<'a>,
    text: String,
}

impl Picture<'_> {
    fn draw(mut self, title: &str, notes: &[String]) -> String {
        let bottom = self.layout.bottom;
        let (width, height) = (self.layout.width.max(880.0), bottom + 30.0 + 18.0 * notes.len() as f32);
        let _ = writeln!(
            self.text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
                height=\"{height}\" \
             font-family=\"monospace\" font-size=\"12\">\n<rect width=\"{width}\" height=\"{height}\" \
                 fill=\"#ffffff\"/>"
        );
        self.label(MARGIN, 26.0, "#222222", "font-size=\"15\"", title);
        self.draw_scopes();
        self.draw_lanes();
        self.draw_barriers();
        self.draw_passes();
        for (_, rect) in &self.layout.slides {
            let style = "rx=\"4\" fill=\"none\" stroke=\"#c02050\" stroke-width=\"2\" stroke-dasharray=\"6 3\"";
            self.rect(rect, style);
        }
        for (at, note) in notes.iter().enumerate() {
            self.label(MARGIN, bottom + 34.0 + 18.0 * at as f32, "#444444", "", note);
        }
        self.text.push_str("</svg>");
        self.text
    }

    fn label(&mut self, x: f32, y: f32, color: &str, more: &str, text: &str) {
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(self.text, "<text x=\"{x}\" y=\"{y}\" fill=\"{color}\" {more}>{text}</text>");
    }

    fn rect(&mut self, rect: &Rect, style: &str) {
        let Rect { x, y, width, height } = rect;
        let _ = writeln!(self.text, "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {style}/>");
    }

    fn draw_scopes(&mut self) {
        for scope in &self.layout.scopes {
            self.rect(
                &scope.rect,
                match scope.is_first {
                    true => "fill=\"#2a7de1\" fill-opacity=\"0.14\"",
                    false => "fill=\"#e17d2a\" fill-opacity=\"0.16\"",
                },
            );
        }
    }

    fn draw_lanes(&mut self) {
        let right = self.layout.width - MEASURES.right;
        for y in self.layout.lanes.iter().map(|lane| lane.y).chain([self.layout.bottom]) {
            let _ = writeln!(self.text, "<path d=\"M{MARGIN} {y}H{right}\" stroke=\"#dddddd\"/>");
        }
        for lane in &self.layout.lanes {
            self.label(MARGIN, lane.y + 25.0, "#444444", "font-size=\"11\"", &names::lane(lane.stage));
        }
    }

    fn draw_barriers(&mut self) {
        for line in &self.layout.lines {
            let (x, top, bottom) = (line.x, MEASURES.top - 6.0, self.layout.bottom);
            let (color, wide) = if line.lit { ("#c02050", 3) } else { ("#999999", 1) };
            let _ = writeln!(self.text, "<path d=\"M{x} {top}V{bottom}\" stroke=\"{color}\" stroke-width=\"{wide}\"/>");
            for (nth, barrier) in line.barriers.iter().enumerate() {
                let color = if barrier.lit || !line.lit { color } else { "#999999" };
                let name_x = x + 4.0 + 18.0 * nth as f32;
                let turned = format!("font-size=\"11\" transform=\"rotate(-50 {name_x} {})\"", top - 4.0);
                self.label(name_x, top - 4.0, color, &turned, barrier.dependency.name);
                for y in &barrier.waits_for {
                    let _ = writeln!(self.text, "<circle cx=\"{}\" cy=\"{y}\" r=\"4\" fill=\"{color}\"/>", x - 6.0);
                }
                for y in &barrier.delays {
                    let (x, y) = (x + 3.0, y - 5.0);
                    let _ = writeln!(self.text, "<path d=\"M{x} {y}l8 5l-8 5z\" fill=\"{color}\"/>");
                }
            }
        }
    }

    fn draw_passes(&mut self) {
        for pass in &self.layout.passes {
            let [fill, stroke] = if pass.is_end { ["#fff3c4", "#806000"] } else { ["#f4f4f4", "#888888"] };
            let dashed = if pass.is_before { " stroke-dasharray=\"4 2\"" } else { "" };
            self.rect(&pass.rect, &format!("rx=\"4\" fill=\"{fill}\" stroke=\"{stroke}\"{dashed}"));
            let name = self.queue.operations()[pass.operation].name;
            self.label(pass.rect.x + 6.0, pass.rect.y + 17.0, "#222222", "", name);
        }
    }
}
