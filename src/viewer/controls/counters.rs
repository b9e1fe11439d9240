//! Numbers of the panel that change while all else in it stays: they are replaced in the shapes of the last layout.
//!
//! That takes a third of the time of another layout. Each of their characters is a text of its own, which egui keeps from one layout to the
//! next, so none is shaped, and the font's texture has them all.

use super::widgets::{INK, fonts, grouped, name_at_left};
use crate::viewer::numbers::Numbers;
use egui::epaint::ClippedShape;
use egui::{Align2, ClippedPrimitive, Context, Pos2, Shape, Ui};

/// Of which characters they consist.
const CHARACTERS: &str = "0123456789,.× of";

const NAMES: [&str; 4] = ["boids", "step", "frames per second", "time"];

fn values(numbers: &Numbers) -> [String; 4] {
    [grouped(numbers.boids.into()), grouped(numbers.step.into()), format!("{:.0}", numbers.fps), numbers.time()]
}

/// Lays them out. Returns the middle of the right edge of each.
pub fn show(ui: &mut Ui, numbers: &Numbers) -> [Pos2; 4] {
    let [_, font] = fonts();
    for character in CHARACTERS.chars() {
        // egui forgets a text that a layout was without.
        drop(ui.painter().layout_no_wrap(character.into(), font.clone(), INK));
    }
    let values = values(numbers);
    let rows = [0, 1, 2, 3].map(|at| {
        let row = name_at_left(ui, NAMES[at]);
        ui.painter().add(characters(ui.ctx(), row.rect.right_center(), &values[at]));
        row
    });
    let ends = rows.each_ref().map(|row| row.rect.right_center());
    let [.., time] = rows;
    time.on_hover_text("Simulated seconds in a real one. \"0.13× of 1×\": the machine takes too long for each frame");
    ends
}

/// The text `value` that ends at `right`.
fn characters(context: &Context, mut right: Pos2, value: &str) -> Shape {
    let [_, font] = fonts();
    context.fonts_mut(|fonts| {
        let shapes = value.chars().rev().map(|character| {
            let text = fonts.layout_no_wrap(character.into(), font.clone(), INK);
            let place = Align2::RIGHT_CENTER.anchor_size(right, text.size());
            right.x = place.left();
            Shape::galley(place.min, text, INK)
        });
        Shape::Vec(shapes.collect())
    })
}

/// What the last layout drew.
pub struct LastLayout {
    pub shapes: Vec<ClippedShape>,
    pub pixels_per_point: f32,
    /// The numbers in it, and where the counters among them end.
    pub numbers: Numbers,
    pub ends: [Pos2; 4],
}

impl LastLayout {
    /// The triangles with `numbers` instead, or none if these differ by more than counters.
    pub fn with(&mut self, context: &Context, numbers: &Numbers) -> Option<Vec<ClippedPrimitive>> {
        let rest = |numbers: &Numbers| (numbers.preset, numbers.paused, numbers.recording);
        if rest(numbers) != rest(&self.numbers) || numbers.device != self.numbers.device {
            return None;
        }
        for ((old, new), end) in values(&self.numbers).iter().zip(&values(numbers)).zip(self.ends) {
            if old != new {
                let old = characters(context, end, old);
                let shown = self.shapes.iter_mut().find(|clipped| clipped.shape == old)?;
                shown.shape = characters(context, end, new);
            }
        }
        self.numbers = numbers.clone();
        Some(context.tessellate(self.shapes.clone(), self.pixels_per_point))
    }
}

#[cfg(test)]
mod tests {
    use super::super::widgets::trial::triangles;
    use super::*;

    fn laid_out(context: &Context, numbers: &Numbers) -> LastLayout {
        let mut ends = [Pos2::ZERO; 4];
        let mut output = context.run_ui(egui::RawInput::default(), |ui| ends = show(ui, numbers));
        output.textures_delta.clear();
        let (shapes, pixels_per_point) = (output.shapes, output.pixels_per_point);
        LastLayout { shapes, pixels_per_point, numbers: numbers.clone(), ends }
    }

    #[test]
    fn replaced_counters_are_those_of_another_layout() {
        let context = Context::default();
        let old = Numbers { boids: 3_000, step: 987, fps: 9.4, rate: 1.0, reached: 0.123, ..Numbers::default() };
        let new = Numbers { boids: 3_000, step: 1_024_576, fps: 60.0, reached: 1.0, ..old.clone() };
        let mut last = laid_out(&context, &old);
        let before = last.with(&context, &old).expect("nothing else has changed");
        let replaced = last.with(&context, &new).expect("only counters have changed");
        let again = laid_out(&context, &new);
        let anew = context.tessellate(again.shapes, again.pixels_per_point);
        let [before, replaced, anew] = [before, replaced, anew].map(triangles);
        assert!(before != replaced && replaced == anew);
        assert!(last.with(&context, &Numbers { paused: true, ..new }).is_none(), "a button has another name then");
    }

    #[test]
    fn counters_consist_of_what_is_kept() {
        let held_up = Numbers { boids: 1_234_567_890, rate: 0.125, reached: 0.0, ..Numbers::default() };
        let all = values(&held_up).concat();
        assert!(all.contains(" of ") && all.chars().all(|character| CHARACTERS.contains(character)), "{all}");
    }
}
