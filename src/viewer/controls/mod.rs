//! The controls in the window: what is shown and how fast it runs, and what can be changed while it runs.
//!
//! [`Overlay`] lays out a [`Draft`] of what can be changed, and the window applies what the user has made of it. Laid out anew only
//! when something has changed, and not for counters alone: most frames show the same triangles again.

mod counters;
mod files;
mod flock;
mod look;
mod message;
mod obstacles;
mod panel;
mod profile;
mod search;
mod trends;
pub mod widgets;
pub mod word;

use super::breaking::{self, Breaking, Choice};
use super::diagram::Diagram;
use super::input::Command;
use super::numbers::Numbers;
use super::pane::Pane;
use super::profile::Profile;
use super::trends::Trends;
use crate::flock::Settings;
use crate::render::Look;
use crate::vk::PanelPicture;
use counters::LastLayout;
use egui::{Context, FontId, TextStyle, TexturesDelta};
use message::Message;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use widgets::ROW;
pub use widgets::grouped;
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

/// What can be changed: the window applies what differs afterwards.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    pub settings: Settings,
    pub look: Look,
    /// The pass whose times are plotted.
    pub pinned: Option<&'static str>,
    /// Whether the search is drawn over the flock.
    pub diagram: bool,
    /// Whether blocks of pixels share their samples.
    pub coarse: bool,
    /// Whether slow frames may become cheaper by themselves.
    pub saves: bool,
}

/// What the user wants of one layout.
#[derive(Debug, Default)]
pub struct Wishes {
    /// The draft, if it was changed.
    pub draft: Option<Draft>,
    /// A preset to start instead.
    pub preset: Option<&'static str>,
    /// The dependency to leave out, if the choice was changed.
    pub choice: Option<Choice>,
    /// What is to be done with a file.
    pub file: Option<FileWish>,
    /// Buttons that stand for keys.
    pub commands: Vec<Command>,
}

/// What is to be done with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileWish {
    /// Save a config file of this name, or one like it if there is one.
    Save(PathBuf),
    Open(PathBuf),
    /// Copy the command line that leads to what is shown.
    CopyCommandLine,
}

/// What is shown.
pub struct Shown<'a> {
    pub numbers: &'a Numbers,
    pub profile: &'a Profile,
    pub trends: &'a Trends,
    pub breaking: Option<&'a Breaking>,
    /// The most boids that the device holds, with these settings.
    pub most_boids: u32,
    /// Boids that the preset starts with on this device.
    pub usual_boids: u32,
    pub markers: Vec<Marker>,
    /// What is drawn over the flock, if anything.
    pub diagram: Option<Diagram>,
    /// The values of the first and of the last color, if colors stand for amounts.
    pub color_range: Option<[f32; 2]>,
}

#[cfg(test)]
impl<'a> Shown<'a> {
    /// Numbers, and nothing over the flock.
    fn of(numbers: &'a Numbers, profile: &'a Profile, trends: &'a Trends) -> Shown<'a> {
        Shown {
            numbers,
            profile,
            trends,
            breaking: None,
            most_boids: 1 << 20,
            usual_boids: 3_000,
            markers: Vec::new(),
            diagram: None,
            color_range: None,
        }
    }
}

/// A ring around a point that acts on the flock.
pub struct Marker {
    /// Pixels from the left and from the top.
    pub at: [f32; 2],
    /// Pixels.
    pub reach: f32,
    pub attracts: bool,
}

/// What becomes of the triangles on the device.
pub enum Picture {
    Hidden,
    /// They stay as they are.
    Same,
    New(PanelPicture),
}

/// The controls in their window.
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
    /// Counters have.
    counted: bool,
    /// The last layout, if nothing in it changes by itself but counters.
    last: Option<LastLayout>,
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
    // egui takes a press of over 0.8 s for no click, and counts from frame to frame: slow frames would lose short clicks, too.
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
            counted: false,
            last: None,
            due: None,
            size: (0, 0),
            opened: Instant::now(),
        }
    }

    /// Makes room for the panel of a frame that is broken, by one line in place of the controls; or brings back what was shown before,
    /// unless the user has chosen something else since.
    pub fn make_room(&mut self, breaking: bool) {
        if breaking {
            (self.mode_of_intact, self.mode) =
                (self.mode, if self.mode == Mode::Panel { Mode::Line } else { self.mode });
        } else if self.mode == Mode::Line {
            self.mode = self.mode_of_intact;
        }
        self.changed = true;
    }

    pub fn mode(&self) -> Mode {
        self.mode
    }

    pub fn set_mode(&mut self, mode: Mode) {
        (self.mode, self.changed) = (mode, true);
    }

    /// Whether order parameters are shown.
    pub fn shows_trends(&self) -> bool {
        self.mode == Mode::Panel && self.panel.shows_trends
    }

    /// Something shown has changed.
    pub fn renew(&mut self) {
        self.changed |= self.mode != Mode::Nothing;
    }

    /// Numbers have changed, perhaps only counters.
    pub fn count(&mut self) {
        self.counted |= self.mode != Mode::Nothing;
    }

    /// Shows a message for a few seconds, whatever else is shown.
    pub fn say(&mut self, text: String, time: Duration) {
        self.message.say(text, time);
        self.changed = true;
    }

    /// Whether the next frame differs from the last one.
    pub fn is_due(&self) -> bool {
        self.counted || self.is_layout_due()
    }

    fn is_layout_due(&self) -> bool {
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
        let response = state.on_window_event(window, event);
        if !self.takes_input {
            // Nothing is there to read them, and the mouse sends many.
            state.egui_input_mut().events.clear();
            return false;
        }
        self.changed |= response.repaint;
        response.consumed
    }

    /// Lays out the controls in a window of that many pixels, so many in a point, if something has changed. Returns what the user wants.
    pub fn picture(
        &mut self,
        pane: &Pane,
        ((width, height), scale): ((u32, u32), f32),
        draft: impl FnOnce() -> Draft,
        shown: &Shown<'_>,
    ) -> (Picture, Wishes) {
        let mut wishes = Wishes::default();
        self.message.forget_old();
        self.takes_input = self.mode == Mode::Panel || shown.breaking.is_some();
        let (marked, was_marked) = (!shown.markers.is_empty() || shown.diagram.is_some(), self.marked);
        self.marked = marked;
        self.changed |= marked || was_marked;
        if self.mode == Mode::Nothing && self.message.is_empty() && shown.breaking.is_none() && !marked {
            (self.changed, self.counted, self.due) = (false, false, None);
            return (Picture::Hidden, wishes);
        }
        let resized = std::mem::replace(&mut self.size, (width, height)) != (width, height);
        let counted = std::mem::take(&mut self.counted);
        let context = self.context.clone();
        if !resized && !self.is_layout_due() {
            if !counted {
                return (Picture::Same, wishes);
            }
            if let Some(last) = &mut self.last
                && let Some(primitives) = last.with(&context, shown.numbers)
            {
                let (textures, pixels_per_point) = (TexturesDelta::default(), last.pixels_per_point);
                return (Picture::New(PanelPicture { primitives, textures, pixels_per_point }), wishes);
            }
        }
        // Not by `take_egui_input`, which asks the window for its size: winit panics where another program has destroyed it.
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
                Mode::Panel => self.panel.show(context, &mut edited, shown, &mut wishes),
                Mode::Line => panel::line(context, shown.numbers),
                Mode::Nothing => {}
            }
            let strip = if shown.breaking.is_some() { breaking::height(context) } else { 0.0 };
            if let Some(diagram) = &shown.diagram {
                search::show(context, diagram, strip);
            }
            widgets::rings(context, &shown.markers);
            let panel = if self.mode == Mode::Panel { panel::right_edge() } else { 0.0 };
            self.message.show(context, [panel, strip]);
            wishes.choice = wishes.choice.or(shown.breaking.and_then(|breaking| breaking.panel(context)));
        });
        wishes.draft = (edited != draft).then_some(edited);
        let delay = output.viewport_output.values().map(|viewport| viewport.repaint_delay).min();
        let delay = delay.into_iter().chain(self.message.until_change()).min().unwrap_or(Duration::MAX);
        (self.changed, self.due) = (false, Instant::now().checked_add(delay));
        if let (Some(state), Some(window)) = (&mut self.state, pane.window()) {
            state.handle_platform_output(window, output.platform_output);
        }
        let (textures, pixels_per_point) = (output.textures_delta, output.pixels_per_point);
        let counts = self.mode == Mode::Panel && !self.panel.is_unfolded && shown.breaking.is_none();
        self.last = counts.then(|| LastLayout {
            shapes: output.shapes.clone(),
            pixels_per_point,
            numbers: shown.numbers.clone(),
            ends: self.panel.ends,
        });
        let primitives = context.tessellate(output.shapes, pixels_per_point);
        (Picture::New(PanelPicture { primitives, textures, pixels_per_point }), wishes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flock::OrderParameters;
    use crate::viewer::cpu_time;
    use egui::Mesh;
    use widgets::trial::triangles;

    /// A window without a display, in which nothing but numbers changes.
    struct Quiet {
        overlay: Overlay,
        draft: Draft,
        profile: Profile,
        trends: Trends,
    }

    impl Quiet {
        const PANE: Pane = Pane::Headless((640, 840));

        fn new(unfolded: bool) -> Quiet {
            let settings = Settings::preset("reynolds").expect("a preset");
            let order = OrderParameters::of(&settings, &crate::flock::order::OrderMeans::default());
            let (profile, mut trends) = (Profile::default(), Trends::default());
            trends.see(&[order, order]);
            let look = Look::of(&settings);
            let draft = Draft { look, settings, pinned: None, diagram: false, coarse: false, saves: true };
            let mut overlay = Overlay::new(&Self::PANE, 4_096, Mode::Panel);
            overlay.panel = panel::State::unfolded(unfolded);
            Quiet { overlay, draft, profile, trends }
        }

        fn picture(&mut self, numbers: &Numbers) -> PanelPicture {
            let shown = Shown::of(numbers, &self.profile, &self.trends);
            let (picture, _) = self.overlay.picture(&Self::PANE, ((640, 840), 1.0), || self.draft.clone(), &shown);
            let Picture::New(mut picture) = picture else { panic!("it has changed") };
            picture.textures.clear();
            picture
        }

        fn triangles(&mut self, numbers: &Numbers) -> Vec<Mesh> {
            triangles(self.picture(numbers).primitives)
        }
    }

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

    #[test]
    fn whatever_numbers_have_changed_the_picture_is_that_of_another_layout() {
        let before = Numbers { preset: "reynolds", boids: 200, step: 99, fps: 58.0, rate: 1.0, ..Numbers::default() };
        let later = Numbers { step: 1_024, fps: 9.0, reached: 0.4, ..before.clone() };
        let paused = Numbers { paused: true, ..later.clone() };
        for unfolded in [false, true] {
            let mut quiet = Quiet::new(unfolded);
            let mut last = quiet.triangles(&before);
            // The panel fades in.
            let begun = Instant::now();
            while quiet.overlay.is_due() {
                assert!(begun.elapsed() < Duration::from_secs(20), "it comes to rest");
                last = quiet.triangles(&before);
            }
            for numbers in [&later, &paused, &before] {
                quiet.overlay.count();
                let counted = quiet.triangles(numbers);
                assert!(counted != last, "they are shown");
                quiet.overlay.renew();
                last = quiet.triangles(numbers);
                assert!(counted == last, "{numbers:?}, unfolded: {unfolded}");
            }
        }
    }

    /// Prints the CPU's time for a layout and its triangles; docs/performance.md says how to read it.
    #[test]
    #[ignore = "a measurement, of an optimized build"]
    fn the_time_of_a_layout() {
        // At once one after the other; as frames of a display come; and as a software driver that draws them leaves the caches.
        let (frame, mib) = (Duration::from_millis(16), 16 << 20);
        let cases = [(2_000, Duration::ZERO, 0), (300, frame, 0), (300, frame, mib)];
        let kinds = [("counters alone", false), ("folded", false), ("unfolded", true)];
        for ((kind, unfolded), (layouts, pause, written)) in
            kinds.into_iter().flat_map(|kind| cases.map(|case| (kind, case)))
        {
            let mut quiet = Quiet::new(unfolded);
            let mut times = Vec::new();
            for step in 0..layouts {
                let (fps, reached) = (30.0 + f64::from(step % 31), f64::from(step % 29) / 30.0);
                let step = 1_000 + 137 * step;
                let numbers =
                    Numbers { preset: "reynolds", boids: 200, step, fps, rate: 1.0, reached, ..Numbers::default() };
                if kind == "counters alone" {
                    quiet.overlay.count()
                } else {
                    quiet.overlay.renew()
                }
                std::thread::sleep(pause);
                std::hint::black_box(vec![step as u8; written]);
                let begun = cpu_time::of_this_thread();
                quiet.picture(&numbers);
                times.push((cpu_time::of_this_thread() - begun).as_secs_f64() * 1e3);
            }
            times.sort_by(f64::total_cmp);
            let [least, median] = [times[0], times[times.len() / 2]];
            println!(
                "{kind}, every {pause:?}, {written} bytes written before: {median:.3} ms in the median of {layouts}, {least:.3} at least"
            );
        }
    }
}
