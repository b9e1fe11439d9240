//! The panel: a summary, and sections that are folded until they are wanted. Beside it the one line that replaces it.

use super::widgets::{ACCENT, FAINT, INK, ROW, glass, grouped};
use super::{Draft, Shown, Wishes, counters, files, flock, look, obstacles, profile, trends};
use crate::viewer::input::{Command, KEYS};
use crate::viewer::numbers::Numbers;
use egui::{Align, CollapsingHeader, Context, Layout, Pos2, RichText, ScrollArea, Sense, Ui};

/// Width of the panel, in points.
const WIDTH: f32 = 300.0;

/// Between the panel and the edges of the window, in points.
const MARGIN: f32 = 10.0;

/// Where the panel ends at most, in points from the left.
pub fn right_edge() -> f32 {
    MARGIN + WIDTH + 2.0 * (glass().inner_margin.leftf() + 1.0)
}

/// What the panel keeps between layouts.
pub struct State {
    /// The count of boids while its slider is dragged.
    pub boids: Option<u32>,
    /// Whether the section of order parameters is unfolded.
    pub shows_trends: bool,
    /// Whether any section is unfolded.
    pub is_unfolded: bool,
    /// Where the counters of the summary end.
    pub ends: [Pos2; 4],
    /// The name in the section of files.
    file_name: String,
    /// Whether sections are unfolded at first.
    unfolded: bool,
}

impl Default for State {
    fn default() -> State {
        State {
            boids: None,
            shows_trends: false,
            is_unfolded: false,
            ends: [Pos2::ZERO; 4],
            file_name: "starlings.toml".into(),
            unfolded: false,
        }
    }
}

impl State {
    /// With all sections unfolded at first, or none.
    #[cfg(test)]
    pub fn unfolded(unfolded: bool) -> State {
        State { unfolded, ..State::default() }
    }

    pub fn show(&mut self, context: &Context, draft: &mut Draft, shown: &Shown<'_>, wishes: &mut Wishes) {
        egui::Area::new("panel".into()).fixed_pos([MARGIN, MARGIN]).movable(false).show(context, |ui| {
            glass().show(ui, |ui| {
                let frame = 2.0 * (MARGIN + glass().inner_margin.topf() + 1.0);
                ui.set_width(WIDTH.min(context.content_rect().width() - frame - 8.0));
                let room = context.content_rect().height() - frame;
                self.ends = summary(ui, shown.numbers, wishes);
                let rest = room - ui.min_rect().height();
                let rest = rest.max(3.0 * ROW);
                // The area would stay as high as it was.
                ScrollArea::vertical().max_height(rest).min_scrolled_height(rest).show(ui, |ui| {
                    self.sections(ui, draft, shown, wishes);
                });
            });
        });
    }

    fn sections(&mut self, ui: &mut Ui, draft: &mut Draft, shown: &Shown<'_>, wishes: &mut Wishes) {
        // Beside the scroll bar.
        ui.set_width(ui.available_width() - 10.0);
        let original = flock::original(&draft.settings);
        let (unfolded, recording) = (self.unfolded, shown.numbers.recording);
        let mut any = false;
        let mut fold = |ui: &mut Ui, name, contents: &mut dyn FnMut(&mut Ui)| {
            let unfolded = fold(ui, name, unfolded, contents);
            any |= unfolded;
            unfolded
        };
        let boids = [shown.most_boids, shown.usual_boids];
        fold(ui, "Flock", &mut |ui| flock::section(ui, &mut self.boids, draft, boids, wishes));
        fold(ui, "Law", &mut |ui| flock::law(ui, &mut draft.settings, &original));
        fold(ui, "World and time step", &mut |ui| flock::world(ui, &mut draft.settings, &original));
        fold(ui, "Influences", &mut |ui| flock::influences(ui, &mut draft.settings, &original));
        fold(ui, "Obstacles", &mut |ui| obstacles::section(ui, &mut draft.settings, &original));
        fold(ui, "Look", &mut |ui| look::section(ui, draft, shown.color_range));
        self.shows_trends = fold(ui, "Order parameters", &mut |ui| trends::section(ui, shown.trends));
        fold(ui, "GPU time", &mut |ui| profile::section(ui, shown.profile, draft));
        fold(ui, "Files", &mut |ui| files::section(ui, &mut self.file_name, recording, wishes));
        fold(ui, "Keys and mouse", &mut keys);
        self.is_unfolded = any;
    }
}

/// A section that can be folded. Returns whether it is unfolded.
fn fold(ui: &mut Ui, name: &str, unfolded: bool, contents: &mut dyn FnMut(&mut Ui)) -> bool {
    let header = CollapsingHeader::new(RichText::new(name).color(INK)).id_salt(name).default_open(unfolded);
    header.show_unindented(ui, |ui| if_seen(ui, name, contents)).body_returned.is_some()
}

/// Lays out `contents` if they are in view, or else leaves as much room as they took last. Where something is being typed or dragged, it
/// may be out of view, too: then all are laid out.
fn if_seen(ui: &mut Ui, name: &str, contents: &mut dyn FnMut(&mut Ui)) {
    let id = ui.id().with((name, "size"));
    let in_use = ui.memory(|memory| memory.focused().is_some()) || ui.ctx().dragged_id().is_some();
    let size = ui.data(|data| data.get_temp::<egui::Vec2>(id)).filter(|_| !in_use);
    if let Some(size) = size.filter(|size| !ui.is_rect_visible(egui::Rect::from_min_size(ui.cursor().min, *size))) {
        ui.allocate_exact_size(size, Sense::hover());
        return;
    }
    contents(ui);
    let size = ui.min_size();
    ui.data_mut(|data| data.insert_temp(id, size));
}

/// Returns where its counters end.
fn summary(ui: &mut Ui, numbers: &Numbers, wishes: &mut Wishes) -> [Pos2; 4] {
    ui.horizontal(|ui| {
        ui.label(RichText::new(numbers.preset).size(15.0).strong().color(ACCENT));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.label(RichText::new(if numbers.paused { "paused" } else { "" }).color(FAINT));
            ui.label(RichText::new(if numbers.recording { "recording" } else { "" }).color(ACCENT));
        });
    });
    ui.add(egui::Label::new(RichText::new(&numbers.device).size(11.0).color(FAINT)).truncate());
    ui.add_space(3.0);
    let ends = counters::show(ui, numbers);
    ui.horizontal(|ui| {
        let mut button = |ui: &mut Ui, text: &str, about: &str, command| {
            if ui.button(text).on_hover_text(about).clicked() {
                wishes.commands.push(command);
            }
        };
        button(ui, if numbers.paused { "Resume" } else { "Pause" }, "Space", Command::Pause);
        button(ui, "Step", "Right arrow", Command::Step);
        button(ui, "Reset", "R", Command::Reset);
        button(ui, "½×", "[", Command::Slower);
        button(ui, "2×", "]", Command::Faster);
    });
    ui.add_space(2.0);
    ends
}

fn keys(ui: &mut Ui) {
    egui::Grid::new("keys").num_columns(2).spacing([10.0, 2.0]).min_row_height(ROW - 2.0).show(ui, |ui| {
        for (key, meaning) in KEYS {
            ui.label(RichText::new(*key).color(ACCENT));
            ui.label(RichText::new(*meaning).color(INK));
            ui.end_row();
        }
    });
}

/// One line of numbers instead of the panel.
pub fn line(context: &Context, numbers: &Numbers) {
    egui::Area::new("line".into()).fixed_pos([MARGIN, MARGIN]).interactable(false).show(context, |ui| {
        glass().inner_margin(egui::Margin::symmetric(10, 4)).show(ui, |ui| {
            let boids = grouped(numbers.boids.into());
            let pace = if numbers.paused { "paused".to_owned() } else { format!("{:.0} fps", numbers.fps) };
            let recording = if numbers.recording { " · recording" } else { "" };
            let text = format!("{} · {boids} boids · {pace} · time {}{recording}", numbers.preset, numbers.time());
            ui.add(egui::Label::new(RichText::new(text).color(INK)).extend());
        });
    });
}

#[cfg(test)]
mod tests {
    use super::super::widgets::row;
    use super::super::{Draft, Shown, Wishes};
    use super::*;
    use crate::flock::{OrderParameters, PRESETS};
    use crate::render::Look;
    use crate::viewer::profile::Profile;
    use crate::viewer::trends::Trends;
    use crate::vk::FrameTimes;

    /// Sections out of view take no time, but their room.
    #[test]
    fn a_section_out_of_view_keeps_its_place() {
        let context = Context::default();
        let mut heights = Vec::new();
        let mut laid_out = [0; 3];
        for (offset, expected) in [(0.0, [1, 1, 1]), (0.0, [2, 1, 1]), (1_350.0, [2, 1, 2])] {
            let size = egui::vec2(300.0, 200.0);
            let input = egui::RawInput {
                screen_rect: Some(egui::Rect::from_min_size(egui::Pos2::ZERO, size)),
                ..egui::RawInput::default()
            };
            let mut output = context.run_ui(input, |ui| {
                let area = ScrollArea::vertical().vertical_scroll_offset(offset).show(ui, |ui| {
                    for (at, name) in ["a", "b", "c"].into_iter().enumerate() {
                        let shown = fold(ui, name, true, &mut |ui| {
                            laid_out[at] += 1;
                            (0..30).for_each(|number| row(ui, "number", &number.to_string()));
                        });
                        assert!(shown, "{name} is unfolded, in view or not");
                    }
                });
                heights.push(area.content_size.y);
            });
            output.textures_delta.clear();
            assert_eq!(laid_out, expected, "scrolled by {offset}");
        }
        assert!(heights[0] > 1_500.0 && heights.iter().all(|height| *height == heights[0]), "{heights:?}");
    }

    #[test]
    fn keys_are_written_with_letters_that_the_font_has() {
        let context = Context::default();
        context.run_ui(egui::RawInput::default(), |_| {}).textures_delta.clear();
        let font = egui::FontId::proportional(13.0);
        for (key, meaning) in KEYS {
            let has = |text: &str| context.fonts_mut(|fonts| fonts.has_glyphs(&font, text));
            assert!(has(key) && has(meaning), "{key}: {meaning}");
        }
    }

    /// Lays out every section unfolded, which changes nothing by itself.
    #[test]
    fn the_panel_lays_out_without_a_window_and_changes_nothing() {
        for preset in PRESETS {
            let context = Context::default();
            let settings = preset.settings();
            let order = OrderParameters::of(&settings, &crate::flock::order::OrderMeans::default());
            let numbers = Numbers { preset: preset.name, boids: settings.boids, paused: true, ..Numbers::default() };
            let (mut profile, mut trends) = (Profile::default(), Trends::default());
            profile.see([FrameTimes { passes: vec![("cull", 0.4), ("steer", 0.3)], whole: 1.0 }].into_iter());
            trends.see(&[order, order]);
            let shown = Shown::of(&numbers, &profile, &trends);
            let original =
                Draft { look: Look::of(&settings), settings, pinned: None, diagram: false, coarse: false, saves: true };
            let (mut draft, mut wishes) = (original.clone(), Wishes::default());
            let mut state = State::unfolded(true);
            for _ in 0..3 {
                let input = egui::RawInput {
                    screen_rect: Some(egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(640.0, 5_000.0))),
                    ..egui::RawInput::default()
                };
                let mut output = context.run_ui(input, |ui| {
                    state.show(ui.ctx(), &mut draft, &shown, &mut wishes);
                    line(ui.ctx(), &numbers);
                });
                assert!(!output.shapes.is_empty());
                output.textures_delta.clear();
            }
            let area = context.memory(|memory| memory.area_rect(egui::Id::new("panel"))).expect("it is shown");
            assert!(area.right() <= right_edge(), "{}: nothing widens it: {area}", preset.name);
            assert_eq!(draft, original);
            assert!(state.shows_trends, "sections were unfolded");
            assert!(wishes.preset.is_none() && wishes.commands.is_empty());
        }
    }
}
