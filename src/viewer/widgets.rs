//! Elements of panels: colors, rows, headings and the background.

use egui::{Align, Color32, CornerRadius, Frame, Layout, Margin, RichText, Stroke, Ui};

pub const INK: Color32 = Color32::from_rgb(232, 234, 240);
pub const FAINT: Color32 = Color32::from_rgb(150, 158, 174);
pub const ACCENT: Color32 = Color32::from_rgb(255, 190, 120);

/// Height of a row, in points.
pub const ROW: f32 = 17.0;

/// A heading above rows.
pub fn heading(ui: &mut Ui, text: &str) {
    ui.add_space(8.0);
    ui.label(RichText::new(text).size(11.0).color(FAINT));
}

/// The background of panels.
pub fn glass() -> Frame {
    Frame::new()
        .fill(Color32::from_rgba_unmultiplied(10, 12, 20, 236))
        .stroke(Stroke::new(1.0, Color32::from_rgba_unmultiplied(255, 255, 255, 18)))
        .corner_radius(CornerRadius::same(8))
        .inner_margin(Margin::symmetric(14, 12))
}

/// A name at the left edge, and its value at the right.
pub fn row(ui: &mut Ui, name: &str, value: &str) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(name).color(INK));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.label(RichText::new(value).monospace().color(INK));
        });
    });
}

/// A whole number with thousands separators.
pub fn grouped(number: u64) -> String {
    indicatif::HumanCount(number).to_string()
}
