//! Elements of panels: colors, rows, headings, plots and the background.

use crate::viewer::influences::{Marker, MarkerKind};
use egui::{
    Align2, Color32, ComboBox, CornerRadius, CursorIcon, FontId, Frame, InnerResponse, Margin, PointerButton, Pos2,
    Rect, Response, RichText, Sense, Slider, Stroke, TextStyle, TextWrapMode, Ui, Visuals,
};
use starlings::flock::named::Named;

pub const INK: Color32 = Color32::from_rgb(232, 234, 240);
pub const FAINT: Color32 = Color32::from_rgb(150, 158, 174);
pub const ACCENT: Color32 = Color32::from_rgb(255, 190, 120);

/// Behind panels: nearly opaque, so that text is read on bright backdrops too.
const GLASS: Color32 = Color32::from_rgba_premultiplied(11, 13, 20, 252);

/// Behind plots, and the rails of sliders.
const HOLLOW: Color32 = Color32::from_rgb(34, 38, 50);

/// Height of a row, in points.
pub const ROW: f32 = 17.0;

/// Width of lists, in points.
pub const LIST: f32 = 130.0;

/// Width of the names of what can be set, in points.
const NAME: f32 = 112.0;

/// Height of a plot, in points.
const PLOT: f32 = 30.0;

/// Points beside the panels, at least, for a banner there.
const LEAST_BANNER: f32 = 240.0;

/// Radius of the ring around the boid that is followed, in points.
const FOLLOWED: f32 = 26.0;

/// The colors of sliders, buttons and lists.
pub fn visuals() -> Visuals {
    let mut visuals = Visuals::dark();
    visuals.override_text_color = Some(INK);
    visuals.window_fill = Color32::from_rgb(14, 17, 26);
    visuals.selection.bg_fill = Color32::from_rgb(120, 78, 34);
    visuals.selection.stroke = Stroke::new(1.0, ACCENT);
    visuals.slider_trailing_fill = true;
    for widget in [&mut visuals.widgets.inactive, &mut visuals.widgets.open] {
        (widget.bg_fill, widget.weak_bg_fill) = (HOLLOW, HOLLOW);
    }
    visuals
}

/// Of names, and of numbers.
pub fn fonts() -> [FontId; 2] {
    [FontId::proportional(13.0), FontId::monospace(12.5)]
}

/// A heading above rows.
pub fn heading(ui: &mut Ui, text: &str) {
    ui.add_space(8.0);
    ui.label(RichText::new(text).size(11.0).color(FAINT));
}

/// The background of panels.
pub fn glass() -> Frame {
    Frame::new()
        .fill(GLASS)
        .stroke(Stroke::new(1.0, Color32::from_rgba_unmultiplied(255, 255, 255, 18)))
        .corner_radius(CornerRadius::same(8))
        .inner_margin(Margin::symmetric(14, 10))
}

/// A name at the left edge, and its value at the right.
pub fn row(ui: &mut Ui, name: &str, value: &str) -> Response {
    let (area, response) = ui.allocate_exact_size(egui::vec2(ui.available_width(), ROW - 2.0), Sense::hover());
    let [proportional, monospace] = fonts();
    ui.painter().text(area.left_center(), Align2::LEFT_CENTER, name, proportional, INK);
    ui.painter().text(area.right_center(), Align2::RIGHT_CENTER, value, monospace, INK);
    response
}

/// A name of fixed width, and what is set beside it.
pub fn named<R>(ui: &mut Ui, name: &str, add: impl FnOnce(&mut Ui) -> R) -> InnerResponse<R> {
    ui.horizontal(|ui| {
        caption(ui, name, false);
        add(ui)
    })
}

/// The name itself, which is marked and can be clicked, or not.
fn caption(ui: &mut Ui, name: &str, marked: bool) -> Response {
    let size = egui::vec2(NAME, ui.spacing().interact_size.y);
    let (area, response) = ui.allocate_exact_size(size, if marked { Sense::click() } else { Sense::hover() });
    let text = egui::WidgetText::from(name).into_galley(ui, Some(TextWrapMode::Truncate), NAME, TextStyle::Body);
    let elided = text.elided;
    let color = if marked { ACCENT } else { INK };
    ui.painter().galley_with_override_text_color(
        area.left_center() - egui::vec2(0.0, 0.5 * text.size().y),
        text,
        color,
    );
    let response = if marked { response.on_hover_cursor(CursorIcon::PointingHand) } else { response };
    if elided { response.on_hover_text(name) } else { response }
}

/// The same for what has been changed or not: restored by a click on its name, or a double click beside it. Returns
/// whether it is to be restored.
pub fn restorable(
    ui: &mut Ui,
    (name, is_changed): (&str, bool),
    about: impl FnOnce() -> String,
    add: impl FnOnce(&mut Ui),
) -> bool {
    let restores = if is_changed { ". Click: as in the preset" } else { "" };
    let told = |ui: &mut Ui| drop(ui.label(format!("{}{restores}", about())));
    let row = ui.horizontal(|ui| {
        let name = caption(ui, name, is_changed);
        add(ui);
        name
    });
    let (clicked, area) = (row.inner.clicked(), row.response.rect);
    // A name that can be clicked is over its row.
    let hovered = if is_changed { row.inner } else { row.response };
    hovered.on_hover_ui(told);
    clicked
        || ui.input(|input| {
            let at = input.pointer.interact_pos();
            input.pointer.button_double_clicked(PointerButton::Primary) && at.is_some_and(|at| area.contains(at))
        })
}

/// A slider whose value is restored to `usual`. A number that is typed counts once it is done.
pub fn slid<T: Copy + PartialEq>(
    ui: &mut Ui,
    (name, about): (&str, &str),
    (value, usual): (&mut T, T),
    slider: impl FnOnce(&mut T) -> Slider<'_>,
) {
    let is_changed = *value != usual;
    let added = |ui: &mut Ui| drop(ui.add(slider(value).update_while_editing(false)));
    if restorable(ui, (name, is_changed), || about.to_owned(), added) {
        *value = usual;
    }
}

/// A list of named values, of which those that suit can be chosen.
pub fn choice<T: Copy + PartialEq>(
    ui: &mut Ui,
    name: &str,
    value: &mut T,
    rows: &[Named<T>],
    suits: impl Fn(T) -> bool,
) {
    let text = rows.iter().find(|row| row.value == *value).map_or("", |row| row.name);
    named(ui, name, |ui| {
        ComboBox::from_id_salt(name).width(LIST).selected_text(text).show_ui(ui, |ui| {
            for row in rows.iter().filter(|row| suits(row.value)) {
                ui.selectable_value(value, row.value, row.name).on_hover_text(row.about);
            }
        });
    });
}

/// A whole number with thousands separators.
pub fn grouped(number: u64) -> String {
    indicatif::HumanCount(number).to_string()
}

/// Points joined by a line, in a box from 0 to `most`.
pub fn plot(ui: &mut Ui, points: &[[f64; 2]], most: f64) {
    let (area, _) = ui.allocate_exact_size(egui::vec2(ui.available_width(), PLOT), Sense::hover());
    ui.painter().rect_filled(area, 2.0, HOLLOW);
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return };
    let share = |value: f64, from: f64, to: f64| if to > from { ((value - from) / (to - from)) as f32 } else { 0.5 };
    let inner = area.shrink(2.0);
    let place = |[x, y]: &[f64; 2]| {
        let (x, y) = (share(*x, first[0], last[0]), share(*y, 0.0, most).clamp(0.0, 1.0));
        Pos2::new(inner.left() + x * inner.width(), inner.bottom() - y * inner.height())
    };
    ui.painter().line(points.iter().map(place).collect(), Stroke::new(1.2, ACCENT));
}

/// A row with a bar behind it that takes a share of the width. Returns whether it was clicked.
pub fn bar(ui: &mut Ui, name: &str, value: &str, share: f32, chosen: bool) -> bool {
    let (area, response) = ui.allocate_exact_size(egui::vec2(ui.available_width(), ROW), Sense::click());
    let filled = Rect::from_min_size(area.min, egui::vec2(area.width() * share.clamp(0.0, 1.0), ROW - 2.0));
    let fill = if chosen || response.hovered() { ACCENT.gamma_multiply(0.45) } else { ACCENT.gamma_multiply(0.22) };
    ui.painter().rect_filled(filled, 2.0, fill);
    let color = if chosen { ACCENT } else { INK };
    let [proportional, monospace] = fonts();
    let middle = area.center().y - 1.0;
    ui.painter().text(Pos2::new(area.left() + 4.0, middle), Align2::LEFT_CENTER, name, proportional, color);
    ui.painter().text(Pos2::new(area.right() - 2.0, middle), Align2::RIGHT_CENTER, value, monospace, color);
    response.clicked()
}

/// Rings around points that act on the flock, as far as they reach, and around the boid that is followed.
pub fn rings(context: &egui::Context, markers: &[Marker]) {
    let painter = context.layer_painter(egui::LayerId::background());
    let scale = context.pixels_per_point();
    for marker in markers {
        let at = Pos2::from(marker.at) / scale;
        let (reach, color) = match marker.kind {
            MarkerKind::Attracts(reach) => (reach / scale, ACCENT),
            MarkerKind::Repels(reach) => (reach / scale, Color32::from_rgb(255, 110, 90)),
            MarkerKind::Followed => {
                // Seen on light and on dark.
                painter.circle_stroke(at, FOLLOWED, Stroke::new(3.5, Color32::from_black_alpha(110)));
                painter.circle_stroke(at, FOLLOWED, Stroke::new(1.5, INK));
                continue;
            }
        };
        painter.circle_stroke(at, reach, Stroke::new(1.0, color.gamma_multiply(0.5)));
        painter.circle_filled(at, (0.12 * reach).clamp(3.0, 14.0), color.gamma_multiply(0.9));
    }
}

/// A line at the top, between what is taken on the left and on the right.
pub fn banner(context: &egui::Context, text: &str, [left, right, _]: [f32; 3]) {
    let room = context.content_rect().width() - left - right;
    let x = if room < LEAST_BANNER { 0.0 } else { 0.5 * (left - right) };
    let area = egui::Area::new("banner".into()).anchor(Align2::CENTER_TOP, [x, 12.0]).interactable(false);
    area.order(egui::Order::Foreground).show(context, |ui| {
        ui.set_max_width(if room < LEAST_BANNER { context.content_rect().width() } else { room } - 40.0);
        glass().show(ui, |ui| ui.label(RichText::new(text).color(ACCENT)));
    });
}

/// A frame around what has the focus of the keyboard, as far as it is in view.
pub fn mark_focus(context: &egui::Context) {
    let focused = context.memory(|memory| memory.focused()).and_then(|id| context.read_response(id));
    let Some(seen) = focused.filter(|focused| focused.interact_rect.is_positive()) else { return };
    let painter = context.layer_painter(egui::LayerId::new(egui::Order::Foreground, egui::Id::new("focus")));
    painter.rect_stroke(seen.interact_rect.expand(1.0), 3.0, Stroke::new(1.5, ACCENT), egui::StrokeKind::Outside);
    if seen.gained_focus() {
        // The panel scrolls to it.
        context.request_repaint();
    }
}

/// Panels without a window, for tests.
#[cfg(test)]
pub mod trial {
    use super::*;
    use egui::{Event, Modifiers, Shape};

    /// All that is written by what `add` lays out.
    pub fn texts(add: impl FnMut(&mut Ui)) -> Vec<String> {
        places(&egui::Context::default(), &[], add).into_iter().map(|(text, _)| text).collect()
    }

    pub fn click_once(name: &str, add: impl FnMut(&mut Ui)) {
        click(name, &[true, false], add);
    }

    pub fn click_twice(name: &str, add: impl FnMut(&mut Ui)) {
        click(name, &[true, false, true, false], add);
    }

    fn click(name: &str, presses: &[bool], mut add: impl FnMut(&mut Ui)) {
        let context = egui::Context::default();
        let found = places(&context, &[], &mut add).into_iter().find(|(text, _)| text == name);
        let pos = found.unwrap_or_else(|| panic!("no {name}")).1 + egui::vec2(3.0, 5.0);
        places(&context, &[Event::PointerMoved(pos)], &mut add);
        for &pressed in presses {
            let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
            places(&context, &[Event::PointerButton { pos, button, pressed, modifiers }], &mut add);
        }
    }

    /// What is written, and where, after `events`.
    fn places(context: &egui::Context, events: &[Event], mut add: impl FnMut(&mut Ui)) -> Vec<(String, Pos2)> {
        fn collect(shape: &Shape, found: &mut Vec<(String, Pos2)>) {
            match shape {
                Shape::Text(text) => found.push((text.galley.text().to_owned(), text.pos)),
                Shape::Vec(shapes) => shapes.iter().for_each(|shape| collect(shape, found)),
                _ => {}
            }
        }
        let screen_rect = Some(Rect::from_min_size(Pos2::ZERO, egui::vec2(284.0, 5_000.0)));
        let input = egui::RawInput { screen_rect, events: events.to_vec(), ..egui::RawInput::default() };
        let mut output = context.run_ui(input, |ui| add(ui));
        output.textures_delta.clear();
        let mut found = Vec::new();
        output.shapes.iter().for_each(|clipped| collect(&clipped.shape, &mut found));
        found
    }
}
