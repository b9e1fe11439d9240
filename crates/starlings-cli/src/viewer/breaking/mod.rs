//! Breaking the frame on purpose: the dependency that is left out, the damage counted since on the device and played on
//! the host, and what shows them: a panel, and the queue over time in a strip at the bottom. They are shown only on a
//! robust device, where invalid data is harmless. `B` switches to that device and back.

mod drawn;
mod findings;
mod strip;
mod study;

use super::controls::widgets::{ACCENT, FAINT, INK, ROW, glass};
use crate::damage::Counts;
use crate::sync::FrameSpec;
use crate::sync::queue::repetition;
use egui::style::ScrollStyle;
use egui::{Align, Align2, Button, Context, Id, Layout, RichText, ScrollArea, Ui};
use starlings::flock::{Observation, Settings};
use starlings::vk::{DependencyEntry, Journal};
use std::time::{Duration, Instant};
use study::Study;

/// Width of the panel, in points.
const WIDTH: f32 = 264.0;

/// How long a frame stays that is shown over time, when others come: in some frames, more is recorded than in most.
const HOLD: Duration = Duration::from_secs(1);

/// Between the panel and the edges of the window, in points.
const MARGIN: f32 = 12.0;

/// What is left out, and the damage.
#[derive(Default)]
pub struct Breaking {
    /// Every dependency of the window's frame, in order. Empty until a frame was recorded.
    known: Vec<DependencyEntry>,
    /// Names in the order of the fullest frame of the window, whichever frames it has recorded so far.
    order: Vec<&'static str>,
    left_out: Option<usize>,
    looks: u32,
    hurt: u32,
    worst: Counts,
    study: Study,
    /// What happens in the frame that is shown over time, and when such a frame was last recorded.
    shown: Vec<&'static str>,
    shown_since: Option<Instant>,
    /// Whether that frame has a step.
    shows_step: bool,
}

/// What to leave out: a dependency by its place in the frame, or none.
pub type Choice = Option<usize>;

impl Breaking {
    /// For frames of `spec`: its dependencies are listed in the order of such a frame with all that may be in it,
    /// played without a device.
    pub fn of(spec: &FrameSpec) -> Breaking {
        // A few boids are enough.
        let leader = spec.settings.leader.map(|_| 0);
        let settings = Settings { weights: None, speeds: None, leader, ..spec.settings.clone() };
        let settings = settings.with_boids(64);
        let look = spec.look.clone().fitted(&settings);
        let fullest = FrameSpec { settings, look, observed: Some(Observation::Order), followed: true, ..spec.clone() };
        let mut breaking = Breaking::default();
        match fullest.journals(&[0, 3, 3]) {
            Ok(journals) => {
                let mut place = 0;
                // From a full frame to those with less.
                for one in journals.iter().rev().flat_map(Journal::dependencies) {
                    place = match breaking.order.iter().position(|name| *name == one.name) {
                        Some(at) => at + 1,
                        None => {
                            breaking.order.insert(place, one.name);
                            place + 1
                        }
                    };
                }
            }
            // Then they are listed as they come.
            Err(error) => tracing::debug!("the order of the dependencies is not known: {error}"),
        }
        breaking
    }

    /// Where a dependency that is not listed yet belongs, that was recorded after the one before `place`.
    fn place_of(&self, name: &str, place: usize) -> usize {
        let rank = |name: &str| self.order.iter().position(|ranked| *ranked == name);
        let Some(of) = rank(name) else { return place };
        self.known.iter().position(|known| rank(known.name).is_some_and(|known| known > of)).unwrap_or(self.known.len())
    }

    /// Takes the dependencies from a frame's journal; some are not in every frame. One that is recorded in every step
    /// is listed once. A frame of so many steps is the one that is shown over time, unless one that looks like the
    /// shown one came a moment ago. One without steps is shown only as long as there was no other.
    pub fn learn(&mut self, journal: &Journal, steps: u32, spec: impl FnOnce() -> FrameSpec) {
        let mut place = 0;
        for one in journal.dependencies() {
            place = match self.known.iter().position(|known| known.name == one.name) {
                Some(at) => at + 1,
                None => {
                    let place = self.place_of(one.name, place);
                    self.known.insert(place, DependencyEntry { omitted: false, ..one.clone() });
                    self.left_out = self.left_out.map(|at| at + usize::from(at >= place));
                    place + 1
                }
            };
        }
        if steps == 0 && self.shows_step {
            return;
        }
        let names = repetition::names(journal);
        let is_first_step = steps > 0 && !self.shows_step;
        if names == self.shown {
            self.shown_since = Some(Instant::now());
            self.shows_step |= steps > 0;
        } else if is_first_step || self.shown_since.is_none_or(|seen| seen.elapsed() >= HOLD) {
            self.study.frame(repetition::only_one(journal), spec());
            (self.shown, self.shown_since, self.shows_step) = (names, Some(Instant::now()), steps > 0);
        }
    }

    pub fn left_out(&self) -> Option<&'static str> {
        self.left_out.map(|at| self.known[at].name)
    }

    /// Changes what is left out, and resets the counts.
    pub fn choose(&mut self, choice: Choice) {
        self.left_out = choice.filter(|&at| at < self.known.len());
        (self.looks, self.hurt, self.worst) = Default::default();
    }

    /// Has it found out what is allowed without the dependency, in a flock of `settings`; again when they have changed.
    pub fn study(&mut self, settings: &Settings) {
        if let Some(name) = self.left_out() {
            self.study.left_out(name, settings);
        }
    }

    /// Takes what was found out. Whether there is something new to show.
    pub fn arrive(&mut self) -> bool {
        self.study.arrive()
    }

    /// The choice after this one, or before it; beyond the last and before the first it is none.
    pub fn next(&self, forward: bool) -> Choice {
        let places = self.known.len() + 1;
        let at = self.left_out.map_or(0, |at| at + 1);
        (at + if forward { 1 } else { places - 1 }).rem_euclid(places).checked_sub(1)
    }

    /// Adds the counts of one check of the flock.
    pub fn note(&mut self, counts: &Counts) {
        self.looks += 1;
        self.hurt += u32::from(counts.certain() > 0);
        self.worst = self.worst.most(counts);
    }

    /// Lays out the panel and the strip. Returns the user's choice, if it is another.
    pub fn panel(&self, context: &Context) -> Option<Choice> {
        let outcome = self.left_out().and_then(|name| self.study.outcome(name));
        let left_out = self.left_out();
        let (queue, is_known) = (self.study.queue(left_out), left_out.is_none_or(|name| self.study.knows(name)));
        let strip = strip::Strip { queue, is_known, left_out, outcome, fault: self.study.fault() };
        let name = strip.show(context);
        let mut chosen = name.and_then(|name| self.known.iter().position(|known| known.name == name)).map(Some);
        let room = context.content_rect().height() - height(context) - 2.0 * MARGIN;
        let area = egui::Area::new("breaking".into()).anchor(Align2::RIGHT_TOP, [-MARGIN, MARGIN]).movable(false);
        area.show(context, |ui| {
            glass().show(ui, |ui| {
                ui.set_width(WIDTH);
                ui.spacing_mut().scroll = scroll();
                ui.label(RichText::new("Leave out a dependency").size(15.0).strong().color(ACCENT));
                // The proportional font lacks the arrows.
                ui.label(RichText::new("↑ ↓ or click: choose    B: restore").monospace().size(11.0).color(FAINT));
                ui.add_space(6.0);
                let room = room - ui.min_rect().height() - glass().inner_margin.sum().y;
                let list = if self.left_out.is_some() { 0.2 * room } else { room - 2.0 * ROW };
                let list =
                    ScrollArea::vertical().id_salt("list").max_height(list.max(2.0 * ROW)).show(ui, |ui| self.list(ui));
                chosen = chosen.or(list.inner);
                let Some(at) = self.left_out else {
                    return whole(ui, "Nothing is left out: the frame is intact.");
                };
                let rest = (room - list.inner_rect.height() - 0.5 * ROW).max(ROW);
                ScrollArea::vertical().id_salt("findings").max_height(rest).min_scrolled_height(rest).show(ui, |ui| {
                    ui.set_width(WIDTH - 10.0);
                    self.findings(ui, &self.known[at]);
                });
            });
        });
        chosen
    }

    fn list(&self, ui: &mut Ui) -> Option<Choice> {
        ui.set_width(WIDTH - 10.0);
        // Rows touch, so that each click is on one.
        ui.spacing_mut().item_spacing.y = 0.0;
        let marked = Id::new("the marked dependency");
        let before = ui.data(|data| data.get_temp::<Choice>(marked));
        let mut chosen = None;
        let mut line = |ui: &mut Ui, choice: Choice, name: &str| {
            let is_it = self.left_out == choice;
            let text = RichText::new(name).monospace().color(if is_it { ACCENT } else { INK });
            let row = ui.add(Button::selectable(is_it, text).min_size(egui::vec2(0.0, ROW)));
            if is_it && before != Some(choice) {
                // A choice by key may be out of view. Otherwise the user scrolls.
                row.scroll_to_me(None);
            }
            if row.clicked() && !is_it {
                chosen = Some(choice);
            }
        };
        ui.with_layout(Layout::top_down_justified(Align::LEFT), |ui| {
            line(ui, None, "none");
            for (at, dependency) in self.known.iter().enumerate() {
                line(ui, Some(at), dependency.name);
            }
        });
        ui.data_mut(|data| data.insert_temp(marked, self.left_out));
        chosen
    }

    fn findings(&self, ui: &mut Ui, dependency: &DependencyEntry) {
        findings::reason(ui, dependency);
        // What has happened comes before what may.
        let counted = |ui: &mut Ui| findings::counted(ui, (self.looks, self.hurt), &self.worst);
        if self.hurt > 0 {
            counted(ui);
        }
        findings::played(ui, self.study.outcome(dependency.name));
        if self.hurt == 0 {
            counted(ui);
        }
    }
}

/// Height of what is shown at the bottom of a window, in points.
pub fn height(context: &Context) -> f32 {
    strip::height(context) + MARGIN
}

/// Width of what is shown on the right of a window, in points.
pub fn width() -> f32 {
    WIDTH + glass().inner_margin.sum().x + 2.0 + MARGIN
}

/// Scroll bars that are seen also where nothing points at them: much is out of view.
fn scroll() -> ScrollStyle {
    ScrollStyle {
        foreground_color: true,
        dormant_background_opacity: 0.2,
        dormant_handle_opacity: 0.35,
        ..ScrollStyle::thin()
    }
}

fn whole(ui: &mut Ui, text: &str) {
    ui.add(egui::Label::new(RichText::new(text).color(INK)).wrap());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::FrameKind;
    use egui::{Event, Modifiers, Pos2, Rect};
    use starlings::flock::buffers::CELL_COUNTS;
    use starlings::vk::{Access, Hazard, JournalEntry, Masks, Stage};

    fn known(name: &'static str) -> DependencyEntry {
        DependencyEntry {
            name,
            hazards: &[Hazard::Raw],
            guards: vec![CELL_COUNTS],
            relies_on: &[],
            masks: Masks {
                src_stage: Stage::CLEAR,
                src_access: Access::TRANSFER_WRITE,
                dst_stage: Stage::COMPUTE_SHADER,
                dst_access: Access::SHADER_STORAGE_READ,
            },
            layouts: None,
            reason: "For a test.",
            same_command: false,
            omitted: false,
            site: None,
        }
    }

    fn journal(names: &[&'static str]) -> Journal {
        let entries = names.iter().map(|name| JournalEntry::Dependency(known(name))).collect();
        Journal { entries, ..Journal::default() }
    }

    fn learn(breaking: &mut Breaking, names: &[&'static str]) {
        let spec = || FrameSpec::new(&Settings::preset("reynolds").expect("a known preset"), FrameKind::Windowed);
        breaking.learn(&journal(names), 0, spec);
    }

    #[test]
    fn choices_go_round_and_forget_what_was_counted() {
        let mut breaking = Breaking::default();
        assert_eq!((breaking.next(true), breaking.next(false)), (None, None));
        learn(&mut breaking, &["b"]);
        learn(&mut breaking, &["a", "b", "a"]);
        learn(&mut breaking, &["b"]);
        let mut seen = Vec::new();
        for _ in 0..4 {
            breaking.choose(breaking.next(true));
            seen.push(breaking.left_out());
        }
        assert_eq!(seen, [Some("a"), Some("b"), None, Some("a")]);
        breaking.choose(breaking.next(false));
        assert_eq!(breaking.left_out(), None);
        breaking.choose(breaking.next(false));
        assert_eq!(breaking.left_out(), Some("b"));

        breaking.note(&Counts { lost: 3, ..Counts::default() });
        breaking.note(&Counts { lost: 1, doubled: 2, ..Counts::default() });
        breaking.note(&Counts::default());
        assert_eq!((breaking.looks, breaking.hurt, breaking.worst.lost, breaking.worst.doubled), (3, 2, 3, 2));
        breaking.choose(Some(0));
        assert_eq!((breaking.looks, breaking.hurt, breaking.worst), (0, 0, Counts::default()));
    }

    #[test]
    fn the_order_of_the_list_does_not_depend_on_the_frames_seen() {
        let settings = Settings::preset("reynolds").expect("a known preset").with_boids(60);
        let spec = FrameSpec::new(&settings, FrameKind::Windowed);
        let frames = spec.journals(&[0, 1, 3]).expect("journals");
        let listed = |seen: &[usize]| {
            let mut breaking = Breaking::of(&spec);
            assert!(breaking.order.len() > 20, "{:?}", breaking.order);
            for &at in seen {
                breaking.learn(&frames[at], [0, 1, 3][at], || spec.clone());
            }
            breaking.known.iter().map(|known| known.name).collect::<Vec<_>>()
        };
        let wanted = listed(&[2, 1, 0]);
        for seen in [[0, 1, 2], [1, 0, 2], [0, 2, 1]] {
            assert_eq!(listed(&seen), wanted, "{seen:?}");
        }
    }

    /// A panel in a window, with the wheel turned and clicks in it.
    struct Trial(Context, Breaking);

    impl Trial {
        /// Lets so many layouts pass.
        fn pass(&self, layouts: u32) {
            (0..layouts).for_each(|_| assert_eq!(self.lay_out(Vec::new()), None));
        }

        fn lay_out(&self, events: Vec<Event>) -> Option<Choice> {
            let mut chosen = None;
            let screen_rect = Some(Rect::from_min_size(Pos2::ZERO, egui::vec2(900.0, 500.0)));
            let input = egui::RawInput { screen_rect, events, ..egui::RawInput::default() };
            let mut output = self.0.run_ui(input, |ui| chosen = chosen.or(self.1.panel(ui.ctx())));
            output.textures_delta.clear();
            chosen
        }

        /// What a click there chooses.
        fn click(&self, pos: Pos2) -> Option<Choice> {
            let press = |pressed| Event::PointerButton {
                pos,
                button: egui::PointerButton::Primary,
                pressed,
                modifiers: Modifiers::NONE,
            };
            self.lay_out(vec![Event::PointerMoved(pos)]);
            let pressed = self.lay_out(vec![press(true)]);
            pressed.or(self.lay_out(vec![press(false)]))
        }
    }

    #[test]
    fn every_row_is_reached_by_the_mouse_and_each_point_of_the_list_is_on_one() {
        let names: Vec<&'static str> =
            (0..24).map(|number| &*Box::leak(format!("dependency-{number:02}").into_boxed_str())).collect();
        let mut breaking = Breaking::default();
        learn(&mut breaking, &names);
        breaking.choose(Some(0));
        let trial = Trial(Context::default(), breaking);
        trial.pass(3);
        let panel = trial.0.memory(|memory| memory.area_rect(Id::new("breaking"))).expect("it is shown");
        let x = panel.left() + 60.0;
        // The first place that chooses something, and from there on each.
        let y = |row: u32| panel.top() + 40.0 + row as f32;
        let first = (0..60).find(|&row| trial.click(Pos2::new(x, y(row))).is_some()).expect("a row");
        let chosen: Vec<Choice> = (first..first + 2 * ROW as u32)
            // A click on the row that is marked chooses nothing.
            .map(|row| trial.click(Pos2::new(x, y(row))).unwrap_or(Some(0)))
            .collect();
        assert!(chosen.windows(2).all(|two| two[0] <= two[1]), "{chosen:?}");
        let mut reached: Vec<Choice> = chosen;
        let over = Pos2::new(x, y(first + 6));
        for _ in 0..60 {
            let wheel = Event::MouseWheel {
                unit: egui::MouseWheelUnit::Point,
                delta: egui::vec2(0.0, -ROW),
                phase: egui::TouchPhase::Move,
                modifiers: Modifiers::NONE,
            };
            trial.lay_out(vec![Event::PointerMoved(over), wheel]);
            trial.pass(20);
            reached.extend(trial.click(over));
        }
        reached.extend((first..first + 4 * ROW as u32).filter_map(|row| trial.click(Pos2::new(x, y(row)))));
        assert!(reached.contains(&Some(23)), "the last of the list: {reached:?}");
        assert!(trial.1.known.iter().enumerate().skip(3).all(|(at, _)| reached.contains(&Some(at))), "{reached:?}");
    }

    /// Lays it out, and returns where the panel and the strip are then.
    fn laid_out(context: &Context, breaking: &Breaking, size: [f32; 2]) -> [egui::Rect; 2] {
        let screen_rect = Some(egui::Rect::from_min_size(egui::Pos2::ZERO, size.into()));
        // The first time an area is laid out, it is where it would be without an anchor.
        for _ in 0..3 {
            let input = egui::RawInput { screen_rect, ..egui::RawInput::default() };
            let mut output = context.run_ui(input, |ui| assert_eq!(breaking.panel(ui.ctx()), None));
            assert!(!output.shapes.is_empty());
            output.textures_delta.clear();
        }
        ["breaking", "queue"]
            .map(|name| context.memory(|memory| memory.area_rect(egui::Id::new(name))).expect("it is shown"))
    }

    #[test]
    fn panel_and_strip_have_room_beside_each_other() {
        let settings = Settings::preset("reynolds").expect("a known preset").with_boids(60);
        let spec = FrameSpec::new(&settings, FrameKind::Windowed);
        let journals = spec.journals(&[0, 3]).expect("journals");
        let mut breaking = Breaking::default();
        for name in [None, Some("steer-to-count"), Some("cull-to-draw")] {
            // At first nothing is known of the frame; one without a step is replaced at once by one with some, and not
            // again.
            breaking.choose(name.and_then(|name| breaking.known.iter().position(|known| known.name == name)));
            assert_eq!(breaking.left_out(), name);
            let context = Context::default();
            laid_out(&context, &breaking, [1280.0, 720.0]);
            for (journal, steps) in [(&journals[0], 0), (&journals[1], 3), (&journals[0], 0)] {
                breaking.learn(journal, steps, || spec.clone());
            }
            assert_eq!((breaking.left_out(), breaking.shows_step), (name, true));
            breaking.study(&settings);
            let begun = Instant::now();
            while breaking.study.queue(None).is_none()
                || name.is_some_and(|name| breaking.study.outcome(name).is_none())
            {
                assert!(begun.elapsed() < Duration::from_secs(60), "no answer");
                breaking.arrive();
                std::thread::sleep(Duration::from_millis(5));
            }
            let steers = |(queue, _): (crate::sync::queue::Queue, crate::sync::queue::Sequence)| {
                queue.frame().passes().filter(|of| of.name == "steer").count()
            };
            assert_eq!(breaking.study.queue(name).map(steers), Some(1));
            for size in [[1280.0, 720.0], [640.0, 360.0], [3840.0, 2160.0], [160.0, 120.0]] {
                for folded in [true, false] {
                    context.data_mut(|data| data.insert_temp(strip::folded(), folded));
                    let [panel, strip] = laid_out(&context, &breaking, size);
                    let window = egui::Rect::from_min_size(egui::Pos2::ZERO, size.into());
                    let least = size == [160.0, 120.0];
                    assert!(
                        least || window.contains_rect(panel) && window.contains_rect(strip),
                        "{size:?}: {panel}, {strip}"
                    );
                    assert!(least || panel.bottom() < strip.top(), "{size:?}, {folded}: {panel} over {strip}");
                }
            }
        }
    }
}
