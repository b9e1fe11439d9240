//! Breaking the frame on purpose: the dependency that is left out, the damage counted since, and the panel for both. The
//! panel is shown only on a robust device, where invalid data is harmless. `B` switches to that device and back.

use super::controls::widgets::{ACCENT, FAINT, INK, ROW, glass, grouped, heading, row};
use crate::damage::Counts;
use crate::vk::{DependencyEntry, Journal};
use egui::{Align2, Context, RichText, ScrollArea, Ui};
use std::collections::BTreeSet;

/// Width of the panel, in points.
const WIDTH: f32 = 264.0;

/// Height of all but the list of names, in points, with a dependency left out.
const BELOW: f32 = 345.0;

/// What is left out, and the damage.
#[derive(Default)]
pub struct Breaking {
    /// Every dependency of the window's frame, in order. Empty until a frame was recorded.
    known: Vec<DependencyEntry>,
    left_out: Option<usize>,
    looks: u32,
    hurt: u32,
    worst: Counts,
}

/// What to leave out: a dependency by its place in the frame, or none.
pub type Choice = Option<usize>;

impl Breaking {
    /// Takes the dependencies from a frame's journal, unless an earlier one had more: a frame without
    /// steps lacks theirs. One that is recorded in every step is listed once.
    pub fn learn(&mut self, journal: &Journal) {
        let mut names = BTreeSet::new();
        let known: Vec<_> = journal.dependencies().filter(|one| names.insert(one.name)).cloned().collect();
        if known.len() > self.known.len() {
            self.known = known;
        }
    }

    /// The name of what is left out.
    pub fn left_out(&self) -> Option<&'static str> {
        self.left_out.map(|at| self.known[at].name)
    }

    /// Changes what is left out, and resets the counts.
    pub fn choose(&mut self, choice: Choice) {
        let known = std::mem::take(&mut self.known);
        *self = Breaking { left_out: choice.filter(|&at| at < known.len()), known, ..Breaking::default() };
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

    /// Lays the panel out. Returns the user's choice, if it is another.
    pub fn panel(&self, context: &Context) -> Option<Choice> {
        let mut chosen = None;
        let area = egui::Area::new("breaking".into()).anchor(Align2::RIGHT_TOP, [-12.0, 12.0]).movable(false);
        area.show(context, |ui| {
            glass().show(ui, |ui| {
                ui.set_width(WIDTH);
                ui.label(RichText::new("Leave out a dependency").size(15.0).strong().color(ACCENT));
                // The proportional font lacks the arrows.
                ui.label(RichText::new("↑ ↓ or click: choose    B: restore").monospace().size(11.0).color(FAINT));
                ui.add_space(6.0);
                let room = context.content_rect().height() - BELOW;
                ScrollArea::vertical().max_height(room.max(3.0 * ROW)).show(ui, |ui| chosen = self.list(ui));
                match self.left_out {
                    None => whole(ui, "Nothing is left out: the frame is intact."),
                    Some(at) => self.findings(ui, &self.known[at]),
                }
            });
        });
        chosen
    }

    fn list(&self, ui: &mut Ui) -> Option<Choice> {
        ui.set_width(WIDTH);
        ui.visuals_mut().widgets.inactive.bg_fill = FAINT.gamma_multiply(0.35);
        let mut chosen = None;
        let mut line = |ui: &mut Ui, choice: Choice, name: &str| {
            let is_it = self.left_out == choice;
            let text = RichText::new(name).monospace().color(if is_it { ACCENT } else { INK });
            let clicked = ui.radio(is_it, text);
            if is_it {
                // A choice by key may be out of view.
                clicked.scroll_to_me(None);
            }
            if clicked.clicked() && !is_it {
                chosen = Some(choice);
            }
        };
        line(ui, None, "none");
        for (at, dependency) in self.known.iter().enumerate() {
            line(ui, Some(at), dependency.name);
        }
        chosen
    }

    fn findings(&self, ui: &mut Ui, dependency: &DependencyEntry) {
        let hazards: Vec<String> = dependency.hazards.iter().map(|hazard| hazard.to_string()).collect();
        heading(ui, &hazards.join(", "));
        whole(ui, dependency.reason);
        heading(ui, "Largest counts, updated twice a second");
        row(ui, "boids miscounted", &grouped(self.worst.miscounted));
        row(ui, "cells that start after the next", &grouped(self.worst.falling));
        row(ui, "cells with a wrong range", &grouped(self.worst.misfitting));
        row(ui, "boids lost", &grouped(self.worst.lost));
        row(ui, "boids doubled", &grouped(self.worst.doubled));
        row(ui, "boids not finite", &grouped(self.worst.non_finite));
        ui.add_space(6.0);
        let verdict = match (self.looks, self.hurt) {
            (0, _) => "Not counted yet.".to_owned(),
            (_, 0) => "No damage to the flock; the picture is not checked. The frame is \
                       incorrect all the same."
                .to_owned(),
            (looks, hurt) => format!("Damage in {} of {} checks.", grouped(hurt.into()), grouped(looks.into())),
        };
        ui.label(RichText::new(verdict).color(ACCENT));
    }
}

fn whole(ui: &mut Ui, text: &str) {
    ui.add(egui::Label::new(RichText::new(text).color(INK)).wrap());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vk::{Access, Hazard, JournalEntry, Masks, Stage};

    fn known(name: &'static str) -> DependencyEntry {
        DependencyEntry {
            name,
            hazards: &[Hazard::Raw],
            guards: vec!["cell_counts"],
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

    #[test]
    fn choices_go_round_and_forget_what_was_counted() {
        let mut breaking = Breaking::default();
        assert_eq!((breaking.next(true), breaking.next(false)), (None, None));
        breaking.learn(&journal(&["b"]));
        breaking.learn(&journal(&["a", "b", "a"]));
        breaking.learn(&journal(&["b"]));
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
    fn the_panel_lays_out_without_a_window() {
        let context = Context::default();
        let mut breaking = Breaking::default();
        breaking.learn(&journal(&["a", "b"]));
        for choice in [None, Some(1)] {
            breaking.choose(choice);
            let mut output = context.run_ui(egui::RawInput::default(), |ui| {
                assert_eq!(breaking.panel(ui.ctx()), None);
            });
            assert!(!output.shapes.is_empty());
            output.textures_delta.clear();
        }
    }
}
