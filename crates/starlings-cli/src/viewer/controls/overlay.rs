//! The layout of the controls: anew only when something has changed, so that most frames show the same triangles again.

use super::message::Message;
use super::widgets::{self, ROW};
use super::{Contents, Draft, Requests, panel, search};
use crate::panels::PanelPicture;
use crate::viewer::breaking;
use crate::viewer::pane::Pane;
use egui::{Context, FontId, Popup, TextStyle};
use std::time::{Duration, Instant};
use winit::event::WindowEvent;

/// How much of the controls is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    #[default]
    Panel,
    /// One line of numbers.
    Line,
    /// Nothing but messages.
    Nothing,
}

impl Mode {
    pub fn next(self) -> Mode {
        match self {
            Mode::Panel => Mode::Line,
            Mode::Line => Mode::Nothing,
            Mode::Nothing => Mode::Panel,
        }
    }
}

/// What becomes of the triangles on the device.
pub enum Picture {
    Hidden,
    /// They stay as they are.
    Same,
    New(PanelPicture),
}

pub struct Overlay {
    context: Context,
    /// None without a window.
    state: Option<egui_winit::State>,
    mode: Mode,
    /// What is shown again when the frame is mended.
    mode_of_intact: Mode,
    message: Message,
    panel: panel::State,
    /// Something is shown that reads mouse and keys.
    takes_input: bool,
    /// The last layout had rings around points, or the search.
    marked: bool,
    /// Something has changed since the last layout.
    changed: bool,
    /// When egui wants another layout, for example while something fades.
    due: Option<Instant>,
    size: (u32, u32),
    opened: Instant,
}

/// A context of egui with the sizes, colors and habits of the controls.
fn context() -> Context {
    let context = Context::default();
    context.all_styles_mut(|style| {
        style.text_styles.insert(TextStyle::Body, FontId::proportional(13.0));
        style.text_styles.insert(TextStyle::Button, FontId::proportional(13.0));
        style.text_styles.insert(TextStyle::Monospace, FontId::monospace(12.5));
        style.interaction.selectable_labels = false;
        style.spacing.item_spacing = egui::vec2(8.0, 2.0);
        style.spacing.interact_size.y = ROW - 2.0;
        style.spacing.slider_width = 84.0;
        style.animation_time = 0.08;
        // Where there is more to see, also without the mouse over it.
        style.spacing.scroll.dormant_handle_opacity = 0.5;
    });
    context.set_visuals(widgets::visuals());
    // egui takes a press of over 0.8 s for no click, and counts from frame to frame: slow frames would lose short
    // clicks, too.
    context.options_mut(|options| options.input_options.max_click_duration = f64::INFINITY);
    context
}

impl Overlay {
    pub fn new(pane: &Pane, max_texture_side: u32, mode: Mode) -> Self {
        let context = context();
        let state = pane.window().map(|window| {
            let (viewport, side) = (context.viewport_id(), Some(max_texture_side as usize));
            egui_winit::State::new(context.clone(), viewport, window, Some(pane.scale() as f32), None, side)
        });
        Overlay {
            context,
            state,
            mode,
            mode_of_intact: mode,
            message: Message::default(),
            panel: panel::State::default(),
            takes_input: false,
            marked: false,
            changed: true,
            due: None,
            size: (0, 0),
            opened: Instant::now(),
        }
    }

    /// Makes room for the panel of a frame that is broken, by one line in place of the controls; or brings back what
    /// was shown before, unless the user has chosen something else since.
    pub fn make_room(&mut self, breaking: bool) {
        if breaking {
            (self.mode_of_intact, self.mode) =
                (self.mode, if self.mode == Mode::Panel { Mode::Line } else { self.mode });
        } else if self.mode == Mode::Line {
            self.mode = self.mode_of_intact;
        }
        self.changed = true;
    }

    /// Shows the panel, one line, or nothing, in turn.
    pub fn set_next_mode(&mut self) {
        (self.mode, self.changed) = (self.mode.next(), true);
    }

    /// Points that are taken on the left, on the right and at the bottom, where a frame is broken or not.
    pub fn taken(&self, breaking: bool) -> [f32; 3] {
        let left = if self.mode == Mode::Panel { panel::right_edge() } else { 0.0 };
        let [right, bottom] = if breaking { [breaking::width(), breaking::height(&self.context)] } else { [0.0; 2] };
        [left, right, bottom]
    }

    /// Whether order parameters are contents.
    pub fn shows_trends(&self) -> bool {
        self.mode == Mode::Panel && self.panel.shows_trends
    }

    /// Something shown has changed.
    pub fn renew(&mut self) {
        self.changed |= self.mode != Mode::Nothing;
    }

    /// Shows a message for a few seconds, whatever else is contents.
    pub fn say(&mut self, text: String, time: Duration) {
        self.message.say(text, time);
        self.changed = true;
    }

    /// Whether the next frame differs from the last one.
    pub fn is_due(&self) -> bool {
        self.changed || self.due.is_some_and(|due| due <= Instant::now())
    }

    /// When it does without another event, if ever.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Passes an event to the controls. True if they consumed it.
    pub fn on_event(&mut self, pane: &Pane, event: &WindowEvent) -> bool {
        let (Some(state), Some(window)) = (&mut self.state, pane.window()) else { return false };
        if *event == WindowEvent::RedrawRequested {
            // egui would want to be laid out for each frame.
            return false;
        }
        // An open list closes by Esc.
        let opened = Popup::is_any_open(&self.context) && matches!(event, WindowEvent::KeyboardInput { .. });
        let response = state.on_window_event(window, event);
        if !self.takes_input {
            // Nothing is there to read them, and the mouse sends many.
            state.egui_input_mut().events.clear();
            return false;
        }
        self.changed |= response.repaint;
        response.consumed || opened
    }

    /// Whether a text is being written in the controls.
    pub fn is_written_in(&self) -> bool {
        self.takes_input && self.context.text_edit_focused()
    }

    /// Lays out the controls in a window of that many pixels, so many in a point, if something has changed. Returns
    /// what the user asks for.
    pub fn picture(
        &mut self,
        pane: &Pane,
        ((width, height), scale): ((u32, u32), f32),
        draft: impl FnOnce() -> Draft,
        contents: &Contents<'_>,
    ) -> (Picture, Requests) {
        let mut requests = Requests::default();
        self.message.forget_old();
        self.takes_input = self.mode == Mode::Panel || contents.breaking.is_some();
        let (marked, was_marked) = (!contents.markers.is_empty() || contents.diagram.is_some(), self.marked);
        self.marked = marked;
        self.changed |= marked || was_marked;
        let is_told = !self.message.is_empty() || contents.building.is_some();
        if self.mode == Mode::Nothing && !is_told && contents.breaking.is_none() && !marked {
            (self.changed, self.due) = (false, None);
            return (Picture::Hidden, requests);
        }
        let resized = std::mem::replace(&mut self.size, (width, height)) != (width, height);
        if !resized && !self.is_due() {
            return (Picture::Same, requests);
        }
        let context = self.context.clone();
        // Not by `take_egui_input`, which asks the window for its size: winit panics where another program has
        // destroyed it.
        let size = egui::vec2(width as f32, height as f32) / (scale * context.zoom_factor());
        let mut none = egui::RawInput::default();
        let input = self.state.as_mut().map_or(&mut none, egui_winit::State::egui_input_mut);
        input.time = Some(self.opened.elapsed().as_secs_f64());
        input.screen_rect = Some(egui::Rect::from_min_size(egui::Pos2::ZERO, size));
        input.viewports.entry(input.viewport_id).or_default().native_pixels_per_point = Some(scale);
        let input = input.take();
        let draft = draft();
        let mut edited = draft.clone();
        let output = context.run_ui(input, |ui| {
            let context = ui.ctx();
            match self.mode {
                Mode::Panel => self.panel.show(context, &mut edited, contents, &mut requests),
                Mode::Line => panel::line(context, &contents.numbers),
                Mode::Nothing => {}
            }
            let strip = if contents.breaking.is_some() { breaking::height(context) } else { 0.0 };
            let panel = if self.mode == Mode::Panel { panel::right_edge() } else { 0.0 };
            if let Some(diagram) = &contents.diagram {
                search::show(context, diagram, contents.breaking.is_some().then_some(panel), strip);
            }
            widgets::rings(context, &contents.markers);
            self.message.show(context, [panel, strip]);
            if let Some(word) = contents.building {
                widgets::banner(context, word, self.taken(contents.breaking.is_some()));
            }
            widgets::mark_focus(context);
            requests.choice = requests.choice.or(contents.breaking.and_then(|breaking| breaking.panel(context)));
        });
        requests.draft = (edited != draft).then_some(edited);
        let delay = output.viewport_output.values().map(|viewport| viewport.repaint_delay).min();
        let delay = delay.into_iter().chain(self.message.until_change()).min().unwrap_or(Duration::MAX);
        (self.changed, self.due) = (false, Instant::now().checked_add(delay));
        if let (Some(state), Some(window)) = (&mut self.state, pane.window()) {
            state.handle_platform_output(window, output.platform_output);
        }
        let (textures, pixels_per_point) = (output.textures_delta, output.pixels_per_point);
        let primitives = context.tessellate(output.shapes, pixels_per_point);
        (Picture::New(PanelPicture { primitives, textures, pixels_per_point }), requests)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    /// Pressed in one layout, released in another three seconds later.
    #[test]
    fn a_button_that_is_held_for_long_is_clicked() {
        let (context, mut clicks, mut place) = (context(), 0, egui::Pos2::ZERO);
        for (time, pressed) in [(0.0, None), (1.0, Some(true)), (4.0, Some(false))] {
            let press = |pressed| egui::Event::PointerButton {
                pos: place,
                button: egui::PointerButton::Primary,
                pressed,
                modifiers: egui::Modifiers::NONE,
            };
            let events = [egui::Event::PointerMoved(place)].into_iter().chain(pressed.map(press)).collect();
            let input = egui::RawInput { time: Some(time), events, ..egui::RawInput::default() };
            let mut output = context.run_ui(input, |ui| {
                let button = ui.button("a button");
                place = button.rect.center();
                clicks += u32::from(button.clicked());
            });
            output.textures_delta.clear();
        }
        assert_eq!(clicks, 1);
    }
}
