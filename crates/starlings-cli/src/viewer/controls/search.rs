//! The search over the flock: its lines, and what they say.

use super::widgets::{ACCENT, INK, glass};
use crate::viewer::diagram::{Diagram, Kind};
use egui::{Align2, Color32, Context, Pos2, RichText, Shape, Stroke};

/// The color of what is searched.
const SEARCHED: Color32 = Color32::from_rgb(70, 225, 245);

/// Around light lines, for bright backdrops.
const EDGE: Color32 = Color32::from_rgba_premultiplied(0, 0, 0, 110);

/// Draws it; its words stand above a strip of that height at the bottom: at the left, from `left` on, if the right is
/// taken.
pub fn show(context: &Context, diagram: &Diagram, left: Option<f32>, strip: f32) {
    let painter = context.layer_painter(egui::LayerId::background());
    // Asked for once: the painter holds a lock that this would wait for.
    let scale = context.pixels_per_point();
    let point = |at: [f32; 2]| Pos2::from(at) / scale;
    let strokes = |kind: Kind| match kind {
        Kind::Border => (0.75, Color32::from_white_alpha(100)),
        Kind::Outline => (1.0, Color32::from_white_alpha(170)),
        Kind::Searched => (1.0, SEARCHED.gamma_multiply(0.8)),
        Kind::Neighbor => (1.25, ACCENT),
    };
    let line = |ends: [[f32; 2]; 2], stroke: Stroke| Shape::line_segment(ends.map(point), stroke);
    let edges = diagram.lines.iter().filter(|it| it.kind != Kind::Border);
    painter.extend(edges.map(|it| line(it.ends, Stroke::new(strokes(it.kind).0 + 1.25, EDGE))));
    let kinds = [Kind::Border, Kind::Outline, Kind::Searched, Kind::Neighbor];
    for kind in kinds {
        let lines = diagram.lines.iter().filter(|it| it.kind == kind);
        painter.extend(lines.map(|it| line(it.ends, Stroke::from(strokes(kind)))));
    }
    for neighbor in diagram.lines.iter().filter(|it| it.kind == Kind::Neighbor) {
        painter.circle_filled(point(neighbor.ends[1]), 2.0, ACCENT);
    }
    if let Some((middle, radius)) = diagram.ring {
        let radius = radius / scale;
        painter.circle_stroke(point(middle), radius, Stroke::new(2.5, EDGE));
        painter.circle_stroke(point(middle), radius, Stroke::new(1.25, ACCENT));
        painter.circle_filled(point(middle), 3.5, ACCENT);
    }
    let (corner, x) = left.map_or((Align2::RIGHT_BOTTOM, -12.0), |left| (Align2::LEFT_BOTTOM, left + 12.0));
    let area = egui::Area::new("search".into()).anchor(corner, [x, -12.0 - strip]).interactable(false);
    area.show(context, |ui| {
        glass().inner_margin(egui::Margin::symmetric(10, 6)).show(ui, |ui| {
            for text in &diagram.text {
                ui.add(egui::Label::new(RichText::new(text).size(12.0).color(INK)).extend());
            }
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use starlings::flock::Settings;
    use starlings::render::Camera;

    #[test]
    fn it_is_laid_out() {
        let settings = Settings::preset("reynolds").expect("a known preset");
        let diagram = Diagram::of(&settings, &Camera::of(&settings, 1.6), (1280, 800), None);
        let context = Context::default();
        let mut output = context.run_ui(egui::RawInput::default(), |ui| show(ui.ctx(), &diagram, None, 0.0));
        assert!(output.shapes.len() > diagram.lines.len(), "{} shapes", output.shapes.len());
        output.textures_delta.clear();
    }
}
