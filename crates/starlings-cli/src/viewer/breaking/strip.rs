//! The queue over time, in a strip at the bottom of the window: the layout that `starlings sync --format svg` draws, to
//! point at.

use super::drawn::Drawn;
use super::study::Outcome;
use super::{MARGIN, scroll};
use crate::damage::replay::Corruption;
use crate::sync::names;
use crate::sync::queue::{Layout, Measures, Queue, Sequence, Wait};
use crate::viewer::controls::widgets::{ACCENT, FAINT, INK, glass};
use egui::{
    Align2, Color32, Context, CursorIcon, FontId, Id, Label, Pos2, Rect, RichText, ScrollArea, Sense, Ui, Vec2,
};

/// Sizes in points; passes and lanes are fitted to the window.
pub const MEASURES: Measures = Measures {
    left: 2.0,
    top: 15.0,
    right: 6.0,
    lane: 14.0,
    pass: 60.0,
    barrier: 11.0,
    further: 9.0,
    inset: [1.0, 1.5],
    slide: [0.0, 0.5],
};

/// Least and most of the column of a pass, and of a lane.
const PASS: [f32; 2] = [72.0, 110.0];
const LANE: [f32; 2] = [10.0, 20.0];

/// Width of the names of lanes.
const NAMES: f32 = 126.0;

/// Least and most of names in the picture.
const TEXT: [f32; 2] = [7.5, 11.0];

/// Height of the line above the picture.
const HEAD: f32 = 18.0;

/// Height of its scroll bar.
const BAR: f32 = 6.0;

/// Share of the window's height, and the least, for every lane that there is, and the most, in points.
const SHARE: f32 = 0.27;
const HEIGHT: [f32; 2] = [132.0, 216.0];

/// Windows lower than this have it folded at first.
const LOW: f32 = 480.0;

/// Behind all else.
pub const BEHIND: Color32 = Color32::from_rgb(11, 13, 20);

pub struct Strip<'a> {
    /// None until it is known.
    pub queue: Option<(Queue, Sequence)>,
    /// Whether it is known what the dependency orders.
    pub is_known: bool,
    pub left_out: Option<&'static str>,
    pub outcome: Option<&'a Outcome>,
    /// Why nothing more will be known, if that is so.
    pub fault: Option<&'a str>,
}

/// Where it is kept whether it is folded.
pub fn folded() -> Id {
    Id::new("queue is folded")
}

fn fold(context: &Context) -> bool {
    let folded = context.data(|data| data.get_temp(folded()));
    folded.unwrap_or_else(|| context.content_rect().height() < LOW)
}

/// Its height, without the space below it.
pub fn height(context: &Context) -> f32 {
    let frame = glass().inner_margin.sum().y;
    if fold(context) { HEAD + frame } else { picture(context) + HEAD + frame }
}

fn picture(context: &Context) -> f32 {
    (SHARE * context.content_rect().height()).clamp(HEIGHT[0], HEIGHT[1])
}

impl Strip<'_> {
    /// Lays it out. Returns the dependency of a barrier that was clicked, if it is another.
    pub fn show(&self, context: &Context) -> Option<&'static str> {
        let mut clicked = None;
        let area = egui::Area::new("queue".into()).anchor(Align2::LEFT_BOTTOM, [MARGIN, -MARGIN]).movable(false);
        area.show(context, |ui| {
            // Opaque: what is faint here would be lost among boids.
            let frame = glass().fill(BEHIND);
            let width = context.content_rect().width() - 2.0 * MARGIN - frame.inner_margin.sum().x;
            frame.show(ui, |ui| {
                ui.set_width(width);
                self.head(ui);
                if fold(context) {
                    return;
                }
                let height = picture(context);
                let Some((queue, _)) = &self.queue else {
                    let why = self.fault.map_or("...".to_owned(), |fault| format!("not known: {fault}"));
                    ui.add_sized([width, height], Label::new(RichText::new(why).color(FAINT)));
                    return;
                };
                let room = [width - NAMES, height - BAR];
                let measures = queue.fitted(MEASURES, room, PASS, LANE);
                let layout = queue.layout(&measures);
                ui.allocate_ui(Vec2::new(width, height), |ui| {
                    ui.set_min_height(height);
                    let corner = ui.min_rect().min;
                    lanes(ui, &layout, corner);
                    let rest = Rect::from_min_max(corner + Vec2::new(NAMES, 0.0), corner + Vec2::new(width, height));
                    ui.scope_builder(egui::UiBuilder::new().max_rect(rest), |ui| {
                        ui.style_mut().always_scroll_the_only_direction = true;
                        ui.spacing_mut().scroll = scroll();
                        ScrollArea::horizontal().id_salt("queue").show(ui, |ui| {
                            let size = Vec2::new(layout.width, layout.bottom);
                            let (area, _) = ui.allocate_exact_size(size, Sense::hover());
                            let drawn = Drawn { strip: self, queue, layout: &layout, corner: area.min };
                            clicked = drawn.show(ui);
                        });
                    });
                });
            });
        });
        clicked.filter(|name| self.left_out != Some(*name))
    }

    /// The line above the picture: a click on its name folds it.
    fn head(&self, ui: &mut Ui) {
        ui.horizontal(|ui| {
            let is_folded = fold(ui.ctx());
            let name = format!("{} Queue", if is_folded { "+" } else { "−" });
            let name = Label::new(RichText::new(name).strong().color(ACCENT)).sense(Sense::click());
            let name = ui.add(name).on_hover_cursor(CursorIcon::PointingHand);
            if name.on_hover_text(if is_folded { "show the frame over time" } else { "hide it" }).clicked() {
                ui.data_mut(|data| data.insert_temp(folded(), !is_folded));
            }
            let (short, long) = self.caption();
            let short = Label::new(RichText::new(short).size(11.5).color(INK)).truncate();
            ui.add(short).on_hover_ui(|ui| {
                ui.set_max_width(480.0);
                for line in long {
                    ui.label(line);
                }
            });
        });
    }

    /// What the picture says, in a line, and in several.
    fn caption(&self) -> (String, Vec<String>) {
        let Some((queue, among)) = &self.queue else { return (String::new(), Vec::new()) };
        let Some(name) = self.left_out else {
            let hint =
                "Left to right: submission order. A line is a barrier: click it to leave it out. A box is a pass.";
            return (hint.into(), vec![hint.into()]);
        };
        if !self.is_known {
            let why = self.fault.map_or("...".to_owned(), |fault| format!("not known: {fault}"));
            return (format!("{name}: {why}"), Vec::new());
        }
        let Some(first) = clearest(queue) else {
            return (format!("{name}: in such frames, others do its work"), Vec::new());
        };
        // The proportional font lacks the arrow.
        let told = |of: &Wait| {
            let told = format!("{}. {}", queue.caption(of).replace(" → ", ", then "), queue.explanation(of));
            match among {
                Sequence::Frames => told,
                Sequence::Steps => {
                    format!("Between two steps of a frame: {}", told.replace("previous frame", "previous step"))
                }
                Sequence::Stepless => format!("In frames without a step: {told}"),
            }
        };
        (told(first), queue.lit.waits.iter().map(told).collect())
    }

    /// What a pass belongs to that is not of this frame or step.
    pub fn before(&self) -> &'static str {
        match self.queue {
            Some((_, Sequence::Steps)) => " of the previous step",
            _ => " of the previous frame",
        }
    }

    /// What is wrong at a pass of this frame or the one before, as played.
    pub fn wrong_at(&self, pass: &str, is_before: bool) -> Vec<&Corruption> {
        let Some(Outcome::Replayed(_, scene)) = self.outcome else { return Vec::new() };
        let Some((.., played)) = &scene.worst else { return Vec::new() };
        // One of the previous frame is marked in this one, where that is not shown.
        let crosses = self.queue.as_ref().is_some_and(|(queue, _)| queue.crosses());
        let is_there = |wrong: &&Corruption| wrong.pass == pass && (wrong.is_before && crosses) == is_before;
        played.corrupt.iter().filter(is_there).collect()
    }
}

/// The order that says most: one without which something slides, if there is one.
pub fn clearest(queue: &Queue) -> Option<&Wait> {
    let orders = &queue.lit.waits;
    orders.iter().find(|of| of.begins != of.then).or(orders.first())
}

/// The names of the lanes, which stay while the rest is scrolled.
fn lanes(ui: &Ui, layout: &Layout<'_>, corner: Pos2) {
    for (at, lane) in layout.lanes.iter().enumerate() {
        let height = layout.lanes.get(at + 1).map_or(layout.bottom, |next| next.y) - lane.y;
        let rect = Rect::from_min_size(corner + Vec2::new(0.0, lane.y), Vec2::new(NAMES - 4.0, height));
        let name = names::lane(lane.stage);
        fitted(ui, rect, (rect.left_center(), rect.width()), &name, FAINT);
        ui.interact(rect, ui.id().with(("lane", at)), Sense::hover()).on_hover_text(name);
    }
}

/// A text at a place, as large as so much room allows.
pub fn fitted(ui: &Ui, clip: Rect, (left, room): (Pos2, f32), text: &str, color: Color32) {
    // What is written is lower than its line, but for accents.
    let clip = clip.expand2(Vec2::new(0.0, 2.0));
    let painter = ui.painter().with_clip_rect(clip.intersect(ui.clip_rect()));
    let laid = |size| painter.layout_no_wrap(text.into(), FontId::proportional(size), color);
    let mut galley = laid(TEXT[1]);
    if galley.size().x > room {
        galley = laid((TEXT[1] * room / galley.size().x).max(TEXT[0]));
    }
    painter.galley(left - Vec2::new(0.0, galley.size().y / 2.0), galley, color);
}
