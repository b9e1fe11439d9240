//! The word in a window that is starting.

use super::widgets::{ACCENT, glass};
use crate::vk::PanelPicture;
use egui::{Align2, Context, Pos2, RawInput, Rect, RichText, Vec2};

/// `text` in the middle of a window of that many pixels, `scale` of them to a point.
pub fn picture(text: &str, (width, height): (u32, u32), scale: f32) -> PanelPicture {
    let context = Context::default();
    let size = Vec2::new(width as f32, height as f32) / scale;
    let screen_rect = Some(Rect::from_min_size(Pos2::ZERO, size));
    let mut input = RawInput { screen_rect, ..RawInput::default() };
    input.viewports.entry(input.viewport_id).or_default().native_pixels_per_point = Some(scale);
    let area = || egui::Area::new("word".into()).anchor(Align2::CENTER_CENTER, Vec2::ZERO).fade_in(false);
    let lay_out = |context: &Context| {
        area().show(context, |ui| glass().show(ui, |ui| ui.label(RichText::new(text).size(15.0).color(ACCENT))));
    };
    // An area knows only after its first layout how large it is, and so where its middle is.
    let first = context.run_ui(input.clone(), |ui| lay_out(ui.ctx()));
    let mut output = context.run_ui(input, |ui| lay_out(ui.ctx()));
    let mut textures = first.textures_delta;
    textures.append(std::mem::take(&mut output.textures_delta));
    let primitives = context.tessellate(output.shapes, output.pixels_per_point);
    PanelPicture { primitives, textures, pixels_per_point: output.pixels_per_point }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_is_in_the_middle_at_any_scale() {
        for (size, scale) in [((1280, 720), 1.0), ((640, 360), 1.0), ((1280, 720), 2.0), ((3, 2), 3.0)] {
            let mut picture = picture("starting: compiling the kernels ...", size, scale);
            picture.textures.set.clear();
            assert_eq!(picture.pixels_per_point, scale);
            let egui::epaint::Primitive::Mesh(mesh) = &picture.primitives[0].primitive else { panic!("no mesh") };
            let middle = mesh.calc_bounds().center() * scale;
            let wanted = Pos2::new(size.0 as f32, size.1 as f32) / 2.0;
            if size.0 > 100 {
                assert!((middle - wanted).length() < 8.0, "{middle} in {size:?}");
            }
        }
    }
}
