//! The sections of the flock: its size and engine, its law, its world, and the influences on it.

use super::widgets::{FAINT, LIST, choice, grouped, named};
use super::{Draft, Wishes};
use crate::flock::engine::ENGINES;
use crate::flock::law::{MOTION_SETTINGS, Radii};
use crate::flock::settings::{TUNABLES, Tunable};
use crate::flock::states::STATES;
use crate::flock::walls::WALLS;
use crate::flock::{PRESETS, Setting, Settings};
use crate::limits::MAX_TARGETS;
use egui::{ComboBox, DragValue, PointerButton, RichText, Slider, SliderClamping, Ui};
use std::ops::RangeInclusive;

pub fn section(ui: &mut Ui, dragged: &mut Option<u32>, draft: &mut Draft, most_boids: u32, wishes: &mut Wishes) {
    let settings = &mut draft.settings;
    named(ui, "preset", |ui| {
        ComboBox::from_id_salt("preset").width(LIST).selected_text(settings.preset).show_ui(ui, |ui| {
            for preset in PRESETS {
                if ui
                    .selectable_label(settings.preset == preset.name, preset.name)
                    .on_hover_text(preset.about)
                    .clicked()
                {
                    wishes.preset = Some(preset.name);
                }
            }
        });
    });
    // Applied when it is let go: another count takes another flock.
    let mut boids = dragged.unwrap_or(settings.boids);
    let slider = named(ui, "boids", |ui| {
        let format = |value: f64, _: RangeInclusive<usize>| grouped(value as u64);
        ui.add(
            Slider::new(&mut boids, 1..=most_boids.max(settings.boids))
                .logarithmic(true)
                .custom_formatter(format)
                .custom_parser(|text| text.replace([',', '_'], "").parse().ok()),
        )
    });
    *dragged = (boids != settings.boids).then_some(boids);
    if !slider.inner.dragged()
        && let Some(boids) = dragged.take()
    {
        *settings = settings.clone().with_boids(boids);
    }
    let mut engine = settings.engine;
    choice(ui, "engine", &mut engine, ENGINES, |_| true);
    if engine != settings.engine {
        let searches = engine.searches();
        settings.search = if searches.contains(&settings.search) { settings.search } else { searches[0] };
        settings.engine = engine;
    }
    named(ui, "search", |ui| {
        ComboBox::from_id_salt("search").width(LIST).selected_text(settings.search.info().name).show_ui(ui, |ui| {
            for search in settings.engine.searches() {
                ui.selectable_value(&mut settings.search, search, search.info().name)
                    .on_hover_text(search.info().sentence);
            }
        });
    });
    let engine = settings.engine;
    choice(ui, "states", &mut settings.states, STATES, |states| states.check(engine).is_ok());
}

/// What the law itself reads.
pub fn law(ui: &mut Ui, settings: &mut Settings, original: &Settings) {
    ui.label(RichText::new(settings.law.info().sentence).size(11.0).color(FAINT));
    let is_of_law = |setting: Setting| {
        let shared = MOTION_SETTINGS.contains(&setting) && setting != Setting::MaxForce;
        !shared && !matches!(setting, Setting::TimeStep | Setting::SpawnSpeed | Setting::TargetRadius)
    };
    sliders(ui, settings, original, is_of_law);
}

pub fn world(ui: &mut Ui, settings: &mut Settings, original: &Settings) {
    let size = |settings: &Settings| 2.0 * settings.world.half_size.max_element();
    let (mut edge, usual) = (size(settings), size(original));
    let range = usual / 8.0..=usual * 8.0;
    let slider = Slider::new(&mut edge, range).logarithmic(true).clamping(SliderClamping::Never);
    if restorable(ui, "world size", || "Edge of the world, in world units".to_owned(), |ui| drop(ui.add(slider))) {
        edge = usual;
    }
    if edge != size(settings) {
        *settings = settings.clone().with_world_size(edge);
    }
    choice(ui, "walls", &mut settings.walls, WALLS, |_| true);
    let mut plane = settings.plane;
    ui.checkbox(&mut plane, "on a plane").on_hover_text("Every law in two dimensions");
    *settings = settings.clone().with_plane(plane);
    sliders(ui, settings, original, |setting| {
        matches!(setting, Setting::TimeStep | Setting::SpawnSpeed | Setting::WallWeight)
    });
}

pub fn influences(ui: &mut Ui, settings: &mut Settings, original: &Settings) {
    named(ui, "targets", |ui| {
        ui.add(Slider::new(&mut settings.targets, 0..=MAX_TARGETS));
    });
    named(ui, "leader", |ui| {
        let mut led = settings.leader.is_some();
        ui.checkbox(&mut led, "");
        settings.leader = led.then(|| settings.leader.unwrap_or(0));
        if let Some(leader) = &mut settings.leader {
            ui.add(DragValue::new(leader).range(0..=settings.boids - 1));
        }
    });
    named(ui, "current", |ui| {
        for (axis, name) in ["x ", "y ", "z "].into_iter().enumerate() {
            ui.add(DragValue::new(&mut settings.current[axis]).speed(0.02).max_decimals(2).prefix(name));
        }
    });
    let is_other = |setting: Setting| {
        let elsewhere = matches!(setting, Setting::MaxForce | Setting::WallWeight) || is_of_obstacles(setting);
        let shared = MOTION_SETTINGS.contains(&setting) && !elsewhere;
        shared || setting == Setting::TargetRadius
    };
    let targets = settings.targets;
    sliders(ui, settings, original, |setting| {
        let of_targets = matches!(setting, Setting::TargetWeight | Setting::TargetPeriod | Setting::TargetRadius);
        is_other(setting) && (targets > 0 || !of_targets)
    });
}

fn is_of_obstacles(setting: Setting) -> bool {
    matches!(setting, Setting::ObstacleDistance | Setting::ObstacleWeight)
}

/// The numbers of all obstacles.
pub fn obstacle_sliders(ui: &mut Ui, settings: &mut Settings, original: &Settings) {
    sliders(ui, settings, original, is_of_obstacles);
}

/// A slider for each number that these settings read and that is `wanted`.
fn sliders(ui: &mut Ui, settings: &mut Settings, original: &Settings, wanted: impl Fn(Setting) -> bool) {
    for tunable in TUNABLES.iter().filter(|tunable| wanted(tunable.setting)) {
        if settings.reads(tunable.setting) && !is_tied(tunable.setting, settings) {
            slider(ui, tunable, settings, (tunable.value)(original));
        }
    }
    tie(settings);
}

fn slider(ui: &mut Ui, tunable: &Tunable, settings: &mut Settings, original: f32) {
    let name = label(tunable.setting, settings);
    let unit = tunable.unit.name();
    let about = || {
        let unit_follows = if unit.is_empty() { "" } else { ", in " };
        format!("{}{unit_follows}{unit}. Accepted: {}", tunable.setting.about(), tunable.range())
    };
    let (range, logarithmic) = range(tunable, original);
    let value = (tunable.field)(settings);
    let added = |ui: &mut Ui| {
        let slider = Slider::new(value, range).logarithmic(logarithmic).clamping(SliderClamping::Never);
        ui.add(slider.max_decimals(4));
    };
    if restorable(ui, &name, about, added) {
        *(tunable.field)(settings) = original;
    }
}

/// A row that a double click restores: returns whether there was one.
fn restorable(ui: &mut Ui, name: &str, about: impl FnOnce() -> String, add: impl FnOnce(&mut Ui)) -> bool {
    let told = |ui: &mut Ui| drop(ui.label(format!("{}. Double click: as in the preset", about())));
    let row = named(ui, name, add).response.on_hover_ui(told).rect;
    ui.input(|input| {
        let at = input.pointer.interact_pos();
        input.pointer.button_double_clicked(PointerButton::Primary) && at.is_some_and(|at| row.contains(at))
    })
}

/// The range of a slider around the preset's value, and whether it is logarithmic.
fn range(tunable: &Tunable, original: f32) -> (RangeInclusive<f32>, bool) {
    let Tunable { least, most, .. } = *tunable;
    if most - least <= 1.0 {
        return (least..=most, least > 0.0);
    }
    match original {
        0.0 => (least.max(0.0)..=most.min(10.0), false),
        value if least > 0.0 => (least.max(value / 10.0)..=most.min(value * 10.0), true),
        value if value > 0.0 => (0.0..=most.min(value * 4.0), false),
        value => (least.max(value * 4.0)..=0.0, false),
    }
}

/// Whether the law takes this radius from another one.
fn is_tied(setting: Setting, settings: &Settings) -> bool {
    match settings.law.info().radii {
        Radii::One => matches!(setting, Setting::AlignmentRadius | Setting::CohesionRadius),
        Radii::Two => setting == Setting::CohesionRadius,
        Radii::Three => false,
    }
}

fn tie(settings: &mut Settings) {
    let rules = &mut settings.rules;
    match settings.law.info().radii {
        Radii::One => {
            (rules.alignment_radius, rules.cohesion_radius) = (rules.separation_radius, rules.separation_radius)
        }
        Radii::Two => rules.cohesion_radius = rules.alignment_radius,
        Radii::Three => {}
    }
}

fn label(setting: Setting, settings: &Settings) -> String {
    match (settings.law.info().radii, setting) {
        (Radii::One, Setting::SeparationRadius) => "radius".to_owned(),
        (Radii::Two, Setting::AlignmentRadius) => "alignment and cohesion radius".to_owned(),
        _ => setting.name().replace('_', " "),
    }
}

/// The preset of `settings`, with as many boids in a world of the same size: what numbers are restored to.
pub fn original(settings: &Settings) -> Settings {
    let preset = PRESETS.iter().find(|preset| preset.name == settings.preset).unwrap_or(&PRESETS[0]);
    preset.settings().with_plane(settings.plane).with_boids(settings.boids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sliders_have_the_presets_value_and_only_accepted_ones() {
        for preset in PRESETS {
            let settings = preset.settings();
            for tunable in TUNABLES {
                let value = (tunable.value)(&original(&settings));
                let (range, _) = range(tunable, value);
                assert!(range.contains(&value), "{} {value} {range:?}", tunable.setting.name());
                assert!(range.start() < range.end(), "{}", tunable.setting.name());
                for end in [*range.start(), *range.end()] {
                    tunable.check_value(end).expect("within what is accepted");
                }
            }
        }
    }

    #[test]
    fn tied_radii_stay_valid() {
        for preset in PRESETS {
            let mut settings = preset.settings();
            settings.rules.separation_radius *= 1.5;
            settings.rules.alignment_radius *= 1.5;
            tie(&mut settings);
            settings.validate().expect("radii that the law accepts");
        }
    }
}
