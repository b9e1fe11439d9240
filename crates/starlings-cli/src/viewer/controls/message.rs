//! Messages over the picture: what has just happened, in a line at the bottom, and what a window does that is starting.

use super::widgets::{ACCENT, glass};
use crate::panels::PanelPicture;
use egui::{Align2, Context, Pos2, RawInput, Rect, RichText, Vec2};
use std::time::{Duration, Instant};

/// How long a message fades.
const FADE: Duration = Duration::from_millis(400);

/// Between two layouts of one that fades.
const FADE_STEP: Duration = Duration::from_millis(40);

/// Points beside the panel, at least, for a message there.
const LEAST_ROOM: f32 = 240.0;

#[derive(Default)]
pub struct Message(Option<(String, Instant)>);

impl Message {
    /// Shows `text` for `time`, instead of what was shown.
    pub fn say(&mut self, text: String, time: Duration) {
        self.0 = Some((text, Instant::now() + time));
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Removes one whose time is over.
    pub fn forget_old(&mut self) {
        self.0.take_if(|(_, end)| *end <= Instant::now());
    }

    /// When the shown line will look different, if ever.
    pub fn until_change(&self) -> Option<Duration> {
        let (_, end) = self.0.as_ref()?;
        let left = end.saturating_duration_since(Instant::now());
        Some(left.saturating_sub(FADE).max(FADE_STEP))
    }

    /// Shows it beside what takes so many points on the left, where there is room for it, and above what takes so many
    /// at the bottom.
    pub fn show(&self, context: &Context, [taken, bottom]: [f32; 2]) {
        let Some((text, end)) = &self.0 else { return };
        let left = end.saturating_duration_since(Instant::now());
        let opacity = (left.as_secs_f32() / FADE.as_secs_f32()).min(1.0);
        let width = context.content_rect().width();
        let taken = if width - taken < LEAST_ROOM { 0.0 } else { taken };
        let place = [taken / 2.0, -14.0 - bottom];
        let area = egui::Area::new("message".into()).anchor(Align2::CENTER_BOTTOM, place).interactable(false);
        // Over the panel, also after that was clicked.
        let area = area.order(egui::Order::Foreground);
        area.show(context, |ui| {
            ui.set_opacity(opacity);
            ui.set_max_width(width - taken - 40.0);
            glass().show(ui, |ui| ui.label(RichText::new(text).color(ACCENT)));
        });
    }
}

/// `text` in the middle of a window of that many pixels, `scale` of them to a point.
pub fn startup_message(text: &str, (width, height): (u32, u32), scale: f32) -> PanelPicture {
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
    fn a_message_goes_by_itself() {
        let mut message = Message::default();
        assert_eq!((message.is_empty(), message.until_change()), (true, None));
        message.say("first".into(), Duration::from_secs(60));
        message.forget_old();
        assert!(!message.is_empty() && message.until_change() > Some(Duration::from_secs(50)));
        message.say("second".into(), Duration::ZERO);
        assert_eq!(message.until_change(), Some(FADE_STEP));
        message.forget_old();
        assert!(message.is_empty());
    }

    #[test]
    fn the_word_is_in_the_middle_at_any_scale() {
        for (size, scale) in [((1280, 720), 1.0), ((640, 360), 1.0), ((1280, 720), 2.0), ((3, 2), 3.0)] {
            let mut picture = startup_message("starting: compiling the kernels ...", size, scale);
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
