//! The picture of the queue over time on the screen: what it shows, and what it says where it is pointed at.

use super::findings::{WARNING, amount};
use super::strip::{BEHIND, MEASURES, Strip, clearest, fitted};
use crate::sync::names;
use crate::sync::queue::{Barrier, Block, Layout, Line, Queue, Rect as Place};
use crate::viewer::controls::widgets::{ACCENT, FAINT, INK};
use egui::{
    Align, Align2, Color32, CursorIcon, FontId, Id, Painter, Pos2, Rect, RichText, Sense, Shape, Stroke, StrokeKind,
    Ui, Vec2,
};

/// Shown beside what is scrolled to, in points.
const ASIDE: f32 = 30.0;

const FIRST: Color32 = Color32::from_rgb(52, 120, 220);
const SECOND: Color32 = Color32::from_rgb(225, 135, 52);
const BOX: Color32 = Color32::from_rgb(44, 50, 66);
const END: Color32 = Color32::from_rgb(112, 84, 28);

/// A layout on the screen.
pub struct Drawn<'a> {
    pub strip: &'a Strip<'a>,
    pub queue: &'a Queue,
    pub layout: &'a Layout<'a>,
    /// Its upper left corner.
    pub corner: Pos2,
}

impl Drawn<'_> {
    /// Draws it. Returns the dependency of a barrier that was clicked.
    pub fn show(&self, ui: &mut Ui) -> Option<&'static str> {
        let painter = ui.painter().clone();
        self.shade(&painter);
        for line in &self.layout.lines {
            self.line(&painter, line);
        }
        for (at, pass) in self.layout.passes.iter().enumerate() {
            self.pass(ui, at, pass);
        }
        for (_, rect) in &self.layout.slides {
            slide(&painter, self.rect(rect));
        }
        // Names of what is lit are over all else.
        for line in self.layout.lines.iter().filter(|line| line.lit) {
            self.name(&painter, line);
        }
        self.scroll(ui);
        let mut clicked = None;
        for (at, line) in self.layout.lines.iter().enumerate() {
            clicked = self.point_at(ui, at, line).or(clicked);
        }
        clicked
    }

    fn at(&self, x: f32, y: f32) -> Pos2 {
        self.corner + Vec2::new(x, y)
    }

    fn rect(&self, place: &Place) -> Rect {
        Rect::from_min_size(self.at(place.x, place.y), Vec2::new(place.width, place.height))
    }

    fn shade(&self, painter: &Painter) {
        for scope in &self.layout.scopes {
            let color = if scope.is_first { FIRST } else { SECOND };
            painter.rect_filled(self.rect(&scope.rect), 0.0, color.gamma_multiply(0.3));
        }
        let edges = self.layout.lanes.iter().map(|lane| lane.y).chain([self.layout.bottom]);
        let stroke = Stroke::new(0.5, FAINT.gamma_multiply(0.35));
        for y in edges {
            painter.line_segment([self.at(0.0, y), self.at(self.layout.width, y)], stroke);
        }
    }

    fn line(&self, painter: &Painter, line: &Line<'_>) {
        let (top, bottom) = (MEASURES.top / 2.0, self.layout.bottom);
        let stroke = match line.lit {
            true => Stroke::new(2.0, WARNING),
            false => Stroke::new(1.0, FAINT.gamma_multiply(0.6)),
        };
        painter.line_segment([self.at(line.x, top), self.at(line.x, bottom)], stroke);
        let last = self.handle(line, line.barriers.len() - 1);
        painter.line_segment([self.at(line.x, top), last], Stroke::new(1.0, FAINT.gamma_multiply(0.6)));
        for (nth, barrier) in line.barriers.iter().enumerate() {
            let color = if barrier.lit { WARNING } else { FAINT };
            painter.circle(self.handle(line, nth), 3.0, color, Stroke::NONE);
            // Those of all lines would be in each other's way.
            if barrier.lit {
                for y in &barrier.waits_for {
                    painter.circle_filled(self.at(line.x - 4.0, *y), 2.6, WARNING);
                }
                for y in &barrier.delays {
                    let [x, y] = [line.x + 2.0, *y];
                    let points = vec![self.at(x, y - 3.5), self.at(x + 5.0, y), self.at(x, y + 3.5)];
                    painter.add(Shape::convex_polygon(points, WARNING, Stroke::NONE));
                }
            }
        }
    }

    /// Where the barrier of that place in its command is pointed at.
    fn handle(&self, line: &Line<'_>, nth: usize) -> Pos2 {
        self.at(line.x + MEASURES.further * nth as f32, MEASURES.top / 2.0)
    }

    fn name(&self, painter: &Painter, line: &Line<'_>) {
        for (nth, barrier) in line.barriers.iter().enumerate().filter(|(_, barrier)| barrier.lit) {
            let font = FontId::monospace(10.0);
            let text = painter.layout_no_wrap(barrier.dependency.name.into(), font, WARNING);
            let (handle, size) = (self.handle(line, nth), text.size());
            // Left of the line where there is no room at its right.
            let fits = handle.x + 8.0 + size.x < self.at(self.layout.width, 0.0).x;
            let left = if fits { handle.x + 6.0 } else { handle.x - 6.0 - size.x };
            let place = Rect::from_min_size(Pos2::new(left, handle.y - size.y / 2.0), size);
            painter.rect_filled(place.expand2(Vec2::new(2.0, 0.0)), 2.0, BEHIND);
            painter.galley(place.min, text, WARNING);
        }
    }

    fn pass(&self, ui: &Ui, at: usize, pass: &Block) {
        let (rect, operation) = (self.rect(&pass.rect), &self.queue.operations()[pass.operation]);
        let wrong = self.strip.wrong_at(operation.name, pass.is_before);
        let (fill, edge) = match (pass.is_end, wrong.is_empty()) {
            (_, false) => (Color32::from_rgb(104, 28, 38), WARNING),
            (true, true) => (END, ACCENT),
            (false, true) => (BOX, FAINT.gamma_multiply(0.7)),
        };
        let faded = if pass.is_before { 0.6 } else { 1.0 };
        let painter = ui.painter();
        painter.rect_filled(rect, 2.0, fill.gamma_multiply(faded));
        if pass.is_before {
            dashed(painter, rect, Stroke::new(1.0, edge));
        } else {
            painter.rect_stroke(rect, 2.0, Stroke::new(1.0, edge), StrokeKind::Inside);
        }
        let room = rect.width() - 4.0 - if wrong.is_empty() { 0.0 } else { 10.0 };
        let left = rect.left_center() + Vec2::new(2.5, 0.0);
        fitted(ui, rect, (left, room), operation.name, INK.gamma_multiply(faded.max(0.8)));
        if !wrong.is_empty() {
            let badge = rect.right_center() - Vec2::new(6.5, 0.0);
            let radius = (rect.height() / 2.0).min(5.0);
            painter.circle_filled(badge, radius, WARNING);
            painter.text(badge, Align2::CENTER_CENTER, "!", FontId::proportional(1.9 * radius), Color32::BLACK);
        }
        let hover = ui.interact(rect, ui.id().with(("pass", at)), Sense::hover());
        hover.on_hover_ui(|ui| {
            ui.set_max_width(460.0);
            let before = if pass.is_before { self.strip.before() } else { "" };
            ui.label(RichText::new(format!("{}{before}", operation.name)).strong().color(ACCENT));
            for of in &operation.uses {
                let [stage, access] =
                    [names::stages(of.stage), names::accesses(of.access)].map(|names| names.join("|"));
                ui.label(RichText::new(format!("{}: {stage} {access}", of.resource)).monospace().size(10.5));
            }
            for wrong in wrong {
                let text = format!("{}: {} elements wrong, as played on the host", wrong.resource, amount(wrong));
                ui.label(RichText::new(text).color(WARNING));
            }
        });
    }

    /// Scrolls to what is lit, from the first pass that it orders to the last, once after it was chosen; to the
    /// beginning if nothing is.
    fn scroll(&self, ui: &Ui) {
        let id = Id::new("queue was scrolled to");
        let of = (self.strip.left_out, self.queue.lit.waits.len());
        if ui.data(|data| data.get_temp(id)) == Some(of) {
            return;
        }
        ui.data_mut(|data| data.insert_temp(id, of));
        let place = |of| self.layout.passes.iter().find(|block| block.operation == of).map(|block| block.rect);
        let ends = clearest(self.queue).map(|of| [of.first, of.begins, of.then].map(place));
        let ends = ends.into_iter().flatten().flatten().flat_map(|rect| [rect.x, rect.x + rect.width]);
        // The last is that of this frame.
        let line = self.layout.lines.iter().rfind(|line| line.lit).map(|line| line.x);
        let range = ends.chain(line).map(|x| (x, x)).reduce(|all, one| (all.0.min(one.0), all.1.max(one.1)));
        let (left, right) = range.unwrap_or((ASIDE, ASIDE));
        let places = self.at(left - ASIDE, 0.0).x..=self.at(right + ASIDE, 0.0).x;
        let height = self.at(0.0, 0.0).y..=self.at(0.0, self.layout.bottom).y;
        // Where not all has room, the end of it.
        let fits = places.end() - places.start() < ui.clip_rect().width();
        let align = if fits { Align::Center } else { Align::Max };
        ui.scroll_to_rect(Rect::from_x_y_ranges(places, height), Some(align));
    }

    /// What the barriers of a line say, and which of them was clicked.
    fn point_at(&self, ui: &Ui, at: usize, line: &Line<'_>) -> Option<&'static str> {
        let (mut left, right) = (line.column.0, line.column.0 + line.column.1);
        let mut clicked = None;
        for (nth, barrier) in line.barriers.iter().enumerate() {
            let is_last = nth + 1 == line.barriers.len();
            let end = if is_last { right } else { line.x + MEASURES.further * (nth as f32 + 0.5) };
            let rect = Rect::from_min_max(self.at(left, 0.0), self.at(end, self.layout.bottom));
            left = end;
            let response = ui.interact(rect, ui.id().with(("barrier", at, nth)), Sense::click());
            if response.hovered() {
                let stroke = Stroke::new(1.0, INK);
                ui.painter().circle_stroke(self.handle(line, nth), 5.0, stroke);
            }
            if response.clicked() {
                clicked = Some(barrier.dependency.name);
            }
            response.on_hover_cursor(CursorIcon::PointingHand).on_hover_ui(|ui| tell(ui, barrier));
        }
        clicked
    }
}

/// A barrier's name, masks and reason.
fn tell(ui: &mut Ui, barrier: &Barrier<'_>) {
    ui.set_max_width(460.0);
    let of = barrier.dependency;
    let hazards: Vec<String> = of.hazards.iter().map(ToString::to_string).collect();
    ui.label(RichText::new(format!("{}  ({})", of.name, hazards.join(", "))).strong().color(ACCENT));
    let (first, second) = names::scopes(&of.masks);
    for (color, words, scope) in [(FIRST, "from", first), (SECOND, "to", second)] {
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(format!("{words:>4}")).monospace().size(10.5).color(color));
            ui.label(RichText::new(scope).monospace().size(10.5));
        });
    }
    ui.label(of.reason);
}

/// Where a pass may run: an outline with an arrow to its earliest place.
fn slide(painter: &Painter, rect: Rect) {
    painter.rect_filled(rect, 2.0, WARNING.gamma_multiply(0.13));
    dashed(painter, rect, Stroke::new(1.4, WARNING));
    let (tip, half) = (rect.left_center() - Vec2::new(3.0, 0.0), 4.0);
    let points = vec![tip, tip + Vec2::new(7.0, -half), tip + Vec2::new(7.0, half)];
    painter.add(Shape::convex_polygon(points, WARNING, Stroke::NONE));
}

fn dashed(painter: &Painter, rect: Rect, stroke: Stroke) {
    let corners = [rect.left_top(), rect.right_top(), rect.right_bottom(), rect.left_bottom(), rect.left_top()];
    painter.extend(Shape::dashed_line(&corners, stroke, 5.0, 3.0));
}
