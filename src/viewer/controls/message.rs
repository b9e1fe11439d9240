//! What has just happened, in a line at the bottom: whether or not the panel is open.

use super::widgets::{ACCENT, glass};
use egui::{Align2, Context, RichText};
use std::time::{Duration, Instant};

/// How long a message fades.
const FADE: Duration = Duration::from_millis(400);

/// Between two layouts of one that fades.
const FADE_STEP: Duration = Duration::from_millis(40);

/// Points beside the panel, at least, for a message there.
const LEAST_ROOM: f32 = 240.0;

/// The last message.
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

    /// Shows it beside what takes so many points on the left, where there is room for it, and above what takes so many at the bottom.
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
}
