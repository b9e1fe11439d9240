//! The panel: a summary, and sections that are folded until they are wanted. Beside it the one line that replaces it.

use super::widgets::{ACCENT, FAINT, INK, ROW, glass, grouped, plot, row};
use super::{Contents, Draft, Requests, camera, files, flock, look, obstacles, profile};
use crate::viewer::keys::{Command, KEYS};
use crate::viewer::numbers::Numbers;
use crate::viewer::trends::{TRENDS, Trends};
use egui::{Align, CollapsingHeader, Context, Id, Layout, RichText, ScrollArea, Ui};

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
    /// The name in the section of files.
    file_name: String,
    /// Whether sections are unfolded at first.
    unfolded: bool,
    /// What had the focus of the keyboard when it was last scrolled to.
    focused: Option<Id>,
}

impl Default for State {
    fn default() -> State {
        State { boids: None, shows_trends: false, file_name: "starlings.toml".into(), unfolded: false, focused: None }
    }
}

impl State {
    /// With all sections unfolded at first, or none.
    #[cfg(test)]
    pub fn unfolded(unfolded: bool) -> State {
        State { unfolded, ..State::default() }
    }

    pub fn show(&mut self, context: &Context, draft: &mut Draft, contents: &Contents<'_>, requests: &mut Requests) {
        egui::Area::new("panel".into()).fixed_pos([MARGIN, MARGIN]).movable(false).show(context, |ui| {
            glass().show(ui, |ui| {
                let frame = 2.0 * (MARGIN + glass().inner_margin.topf() + 1.0);
                ui.set_width(WIDTH.min(context.content_rect().width() - frame - 8.0));
                let room = context.content_rect().height() - frame;
                summary(ui, &contents.numbers, requests);
                let rest = room - ui.min_rect().height();
                let rest = rest.max(3.0 * ROW);
                // The area would stay as high as it was.
                ScrollArea::vertical().max_height(rest).min_scrolled_height(rest).show(ui, |ui| {
                    self.sections(ui, draft, contents, requests);
                });
            });
        });
    }

    fn sections(&mut self, ui: &mut Ui, draft: &mut Draft, contents: &Contents<'_>, requests: &mut Requests) {
        let focused = ui.memory(|memory| memory.focused());
        if std::mem::replace(&mut self.focused, focused) != focused
            && let Some(seen) = focused.and_then(|id| ui.ctx().read_response(id))
        {
            ui.scroll_to_rect(seen.rect, None);
        }
        // Beside the scroll bar.
        ui.set_width(ui.available_width() - 10.0);
        let original = flock::original(&draft.settings);
        let (unfolded, recording) = (self.unfolded, contents.numbers.recording);
        let fold = |ui: &mut Ui, name, contents: &mut dyn FnMut(&mut Ui)| fold(ui, name, unfolded, contents);
        let boids = contents.boids;
        fold(ui, "Flock", &mut |ui| flock::section(ui, &mut self.boids, draft, boids, requests));
        fold(ui, "Law", &mut |ui| flock::law(ui, &mut draft.settings, &original));
        fold(ui, "World and time step", &mut |ui| flock::world(ui, &mut draft.settings, &original));
        fold(ui, "Influences", &mut |ui| flock::influences(ui, &mut draft.settings, &original));
        if !draft.settings.kinds.is_empty() {
            fold(ui, "Kinds", &mut |ui| flock::kinds(ui, &mut draft.settings));
        }
        fold(ui, "Obstacles", &mut |ui| obstacles::section(ui, &mut draft.settings, &original));
        fold(ui, "Look", &mut |ui| look::section(ui, draft, contents.color_range));
        self.shows_trends = fold(ui, "Order parameters", &mut |ui| trends(ui, contents.trends));
        fold(ui, "GPU time", &mut |ui| profile::section(ui, contents.profile, draft));
        fold(ui, "Files", &mut |ui| files::section(ui, &mut self.file_name, recording, requests));
        fold(ui, "Keys and mouse", &mut keys);
        fold(ui, "Camera", &mut |ui| camera::section(ui, draft, contents.plays_path, requests));
    }
}

/// The section of order parameters: each number, and its course.
fn trends(ui: &mut Ui, trends: &Trends) {
    for trend in TRENDS {
        let (newest, points) = trends.of(trend);
        row(ui, trend.name, &newest.map_or("-".to_owned(), |value| format!("{value:.*}", trend.digits)));
        let most = points.iter().map(|[_, value]| *value).fold(f64::MIN_POSITIVE, f64::max);
        plot(ui, &points, trend.most.unwrap_or(1.1 * most));
    }
    ui.label(RichText::new("over the last steps, oldest at the left").size(11.0).color(FAINT));
}

/// A section that can be folded. Returns whether it is unfolded.
fn fold(ui: &mut Ui, name: &str, unfolded: bool, contents: &mut dyn FnMut(&mut Ui)) -> bool {
    let header = CollapsingHeader::new(RichText::new(name).color(INK)).id_salt(name).default_open(unfolded);
    header.show_unindented(ui, contents).body_returned.is_some()
}

fn summary(ui: &mut Ui, numbers: &Numbers<'_>, requests: &mut Requests) {
    ui.horizontal(|ui| {
        let name = ui.label(RichText::new(flock::title(numbers.preset)).size(15.0).strong().color(ACCENT));
        name.on_hover_text(format!("The preset {}", numbers.preset));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.label(RichText::new(if numbers.paused { "paused" } else { "" }).color(FAINT));
            ui.label(RichText::new(if numbers.recording { "recording" } else { "" }).color(ACCENT));
        });
    });
    ui.add(egui::Label::new(RichText::new(numbers.device).size(11.0).color(FAINT)).truncate());
    ui.add_space(3.0);
    let boids = row(ui, "boids", &numbers.count());
    boids.on_hover_text("\"750 of 3,000\": the machine is too slow for the others, which come back when there is time");
    row(ui, "step", &grouped(numbers.step.into()));
    row(ui, "frames per second", &format!("{:.0}", numbers.fps));
    let time = row(ui, "time", &numbers.time());
    time.on_hover_text("Simulated seconds in a real one. \"0.13× of 1×\": the machine takes too long for each frame");
    ui.horizontal(|ui| {
        let mut button = |ui: &mut Ui, text: &str, about: &str, command| {
            if ui.button(text).on_hover_text(about).clicked() {
                requests.commands.push(command);
            }
        };
        button(ui, if numbers.paused { "Resume" } else { "Pause" }, "Space", Command::Pause);
        button(ui, "Step", "Right arrow", Command::Step);
        button(ui, "Reset", "R", Command::Reset);
        button(ui, "½×", "[", Command::Slower);
        button(ui, "2×", "]", Command::Faster);
    });
    ui.add_space(2.0);
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
pub fn line(context: &Context, numbers: &Numbers<'_>) {
    egui::Area::new("line".into()).fixed_pos([MARGIN, MARGIN]).interactable(false).show(context, |ui| {
        glass().inner_margin(egui::Margin::symmetric(10, 4)).show(ui, |ui| {
            let boids = numbers.count();
            let pace = if numbers.paused { "paused".to_owned() } else { format!("{:.0} fps", numbers.fps) };
            let recording = if numbers.recording { " · recording" } else { "" };
            let text = format!(
                "{} · {boids} boids · {pace} · time {}{recording}",
                flock::title(numbers.preset),
                numbers.time()
            );
            ui.add(egui::Label::new(RichText::new(text).color(INK)).extend());
        });
    });
}

#[cfg(test)]
mod tests {
    use super::super::{Contents, Draft, Requests};
    use super::*;
    use crate::viewer::profile::Profile;
    use starlings::flock::{OrderParameters, PRESETS};
    use starlings::vk::FrameTimes;

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
            let order = OrderParameters::of(&settings, &starlings::flock::order::OrderMeans::default());
            let numbers = Numbers { preset: preset.name, boids: settings.boids, paused: true, ..Numbers::default() };
            let (mut profile, mut trends) = (Profile::default(), Trends::default());
            profile.see([FrameTimes { passes: vec![("cull", 0.4), ("steer", 0.3)], whole: 1.0 }].into_iter());
            trends.see(&[order, order]);
            let contents = Contents::of(numbers.clone(), &profile, &trends);
            let original = Draft::of(settings);
            let (mut draft, mut requests) = (original.clone(), Requests::default());
            let mut state = State::unfolded(true);
            for _ in 0..3 {
                let input = egui::RawInput {
                    screen_rect: Some(egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(640.0, 5_000.0))),
                    ..egui::RawInput::default()
                };
                let mut output = context.run_ui(input, |ui| {
                    state.show(ui.ctx(), &mut draft, &contents, &mut requests);
                    line(ui.ctx(), &numbers);
                });
                assert!(!output.shapes.is_empty());
                output.textures_delta.clear();
            }
            let area = context.memory(|memory| memory.area_rect(egui::Id::new("panel"))).expect("it is shown");
            assert!(area.right() <= right_edge(), "{}: nothing widens it: {area}", preset.name);
            assert_eq!(draft, original);
            assert!(state.shows_trends, "sections were unfolded");
            assert!(requests.preset.is_none() && requests.commands.is_empty());
        }
    }
}
