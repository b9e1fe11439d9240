//! The sections of the flock: its size and engine, its law, its world, and the influences on it.

use super::widgets::{FAINT, LIST, choice, grouped, named, restorable, slid};
use super::{Draft, Wishes};
use crate::flock::engine::ENGINES;
use crate::flock::law::{MOTION_SETTINGS, Radii};
use crate::flock::settings::{TUNABLES, Tunable, Unit};
use crate::flock::states::STATES;
use crate::flock::walls::WALLS;
use crate::flock::{PRESETS, Setting, Settings};
use crate::limits::MAX_TARGETS;
use egui::{ComboBox, RichText, Slider, SliderClamping, Ui};
use std::ops::RangeInclusive;

/// The count of boids is at most the first of `boids`, and restored to the second.
pub fn section(ui: &mut Ui, dragged: &mut Option<u32>, draft: &mut Draft, boids: [u32; 2], wishes: &mut Wishes) {
    let [most, usual] = boids;
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
    let mut held = false;
    let slider = |ui: &mut Ui| {
        let format = |value: f64, _: RangeInclusive<usize>| grouped(value as u64);
        let slider = Slider::new(&mut boids, 1..=most.max(settings.boids)).logarithmic(true).custom_formatter(format);
        held = ui.add(slider.custom_parser(|text| text.replace([',', '_'], "").parse().ok())).dragged();
    };
    if restorable(ui, "boids", || "Another count takes another flock".to_owned(), slider) {
        boids = usual;
    }
    *dragged = (boids != settings.boids).then_some(boids);
    if !held && let Some(boids) = dragged.take() {
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
    let slider = slider.max_decimals(4).suffix(Unit::Length.symbol());
    let about = || "Longest edge of the world, in world units; the others keep their share of it".to_owned();
    if restorable(ui, "world size", about, |ui| drop(ui.add(slider))) {
        *settings = settings.clone().with_world_size(usual);
    } else if edge != size(settings) {
        *settings = resized(settings, edge);
    }
    choice(ui, "walls", &mut settings.walls, WALLS, |_| true);
    let mut plane = settings.plane;
    ui.checkbox(&mut plane, "on a plane").on_hover_text("Every law in two dimensions");
    *settings = settings.clone().with_plane(plane);
    sliders(ui, settings, original, |setting| {
        matches!(setting, Setting::TimeStep | Setting::SpawnSpeed | Setting::WallWeight)
    });
}

/// The same flock in a world whose longest edge is `edge`, and whose others are in proportion.
fn resized(settings: &Settings, edge: f32) -> Settings {
    let half_size = settings.world.half_size * (edge / (2.0 * settings.world.half_size.max_element()));
    let mut settings = settings.clone().with_world_size(edge);
    settings.world.half_size = half_size;
    settings
}

pub fn influences(ui: &mut Ui, settings: &mut Settings, original: &Settings) {
    let (value, about) = ((&mut settings.targets, original.targets), "Places that draw boids, one after the other");
    slid(ui, ("targets", about), value, |value| Slider::new(value, 0..=MAX_TARGETS));
    let mut led = settings.leader.is_some();
    let about = || "One boid that the others follow".to_owned();
    if restorable(ui, "leader", about, |ui| drop(ui.checkbox(&mut led, ""))) {
        settings.leader = original.leader;
    } else {
        settings.leader = led.then(|| settings.leader.unwrap_or(0));
    }
    let last = settings.boids - 1;
    if let Some(leader) = &mut settings.leader {
        let usual = original.leader.unwrap_or(0);
        slid(ui, ("number of the leader", "Which boid it is"), (leader, usual), |value| Slider::new(value, 0..=last));
    }
    let most = 2.0 * settings.full_speed();
    for (axis, name) in ["current, x", "current, y", "current, z"].into_iter().enumerate() {
        let value = (&mut settings.current[axis], original.current[axis]);
        slid(ui, (name, "A wind that carries boids along, in world units per second"), value, |value| {
            let slider = Slider::new(value, -most..=most).clamping(SliderClamping::Never);
            slider.max_decimals(2).suffix(Unit::Speed.symbol())
        });
    }
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
        ui.add(slider.max_decimals(4).suffix(tunable.unit.symbol()));
    };
    if restorable(ui, &name, about, added) {
        *(tunable.field)(settings) = original;
    }
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
    use super::super::widgets::trial::{click_twice, texts};
    use super::*;
    use crate::render::Look;

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
    fn numbers_have_their_units_beside_them() {
        let settings = Settings::preset("reynolds").expect("a preset");
        let mut changed = Settings { current: glam::Vec3::X, ..settings.clone() };
        let shown = texts(|ui| {
            law(ui, &mut changed, &settings);
            world(ui, &mut changed, &settings);
            influences(ui, &mut changed, &settings);
        });
        for unit in [" u", " u/s", " u/s²", " s"] {
            let is_number = |two: &[String]| two[0].parse::<f32>().is_ok() && two[1] == unit;
            assert!(shown.windows(2).any(is_number), "no number in{unit}: {shown:?}");
        }
    }

    #[test]
    fn a_resized_world_keeps_its_proportions() {
        let mut settings = Settings::preset("reynolds").expect("a preset").with_world_size(40.0);
        settings.world.half_size = glam::Vec3::new(20.0, 5.0, 10.0);
        let resized = resized(&settings, 60.0);
        assert_eq!(resized.world.half_size, glam::Vec3::new(30.0, 7.5, 15.0));
        let flat = super::resized(&settings.with_plane(true), 60.0);
        assert_eq!((flat.world.half_size.y, flat.world.half_size.max_element()), (0.0, 30.0));
    }

    #[test]
    fn every_influence_is_restored_by_a_double_click() {
        let original = Settings::preset("counting-sort").expect("a preset");
        let changed = Settings { targets: 7, leader: Some(3), current: glam::Vec3::ONE, ..original.clone() };
        let mut settings = changed.clone();
        for name in ["targets", "number of the leader", "leader", "current, x", "current, y", "current, z"] {
            click_twice(name, |ui| influences(ui, &mut settings, &original));
            assert_eq!(
                settings.leader,
                if name == "number of the leader" { Some(0) } else { settings.leader },
                "{name}"
            );
        }
        assert_eq!(settings, original);
        let look = Look::of(&original);
        let settings = original.clone().with_boids(77);
        let mut draft = Draft { settings, look, pinned: None, diagram: false, coarse: false, saves: true };
        let (mut dragged, mut wishes) = (None, Wishes::default());
        click_twice("boids", |ui| section(ui, &mut dragged, &mut draft, [1 << 20, 3_000], &mut wishes));
        assert_eq!(draft.settings.boids, 3_000);
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
