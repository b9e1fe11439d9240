//! The sections of the flock: its size and engine, its law, its world, and the influences on it.

use super::widgets::{FAINT, LIST, choice, grouped, named, restorable, slid};
use super::{BoidCounts, Draft, Requests};
use crate::viewer::diagram::short;
use egui::{ComboBox, DragValue, RichText, Slider, SliderClamping, Ui};
use starlings::flock::engine::ENGINES;
use starlings::flock::kinds::{Feeling, Kind};
use starlings::flock::law::{MOTION_SETTINGS, Radii};
use starlings::flock::manners::NOISE_FORMS;
use starlings::flock::settings::{TUNABLES, Tunable, Unit};
use starlings::flock::states::STATES;
use starlings::flock::walls::WALLS;
use starlings::flock::{PRESETS, Setting, Settings};
use starlings::limits::{MAX_NEAREST, MAX_TARGETS};
use std::ops::RangeInclusive;

pub fn section(ui: &mut Ui, dragged: &mut Option<u32>, draft: &mut Draft, boids: BoidCounts, requests: &mut Requests) {
    let BoidCounts { most, usual } = boids;
    let settings = &mut draft.settings;
    let (usual_settings, title) = (original(settings), title(settings.preset));
    let differing = differences(settings, &usual_settings);
    named(ui, "preset", |ui| {
        ComboBox::from_id_salt("preset").width(LIST).selected_text(title).show_ui(ui, |ui| {
            for preset in PRESETS {
                let about = format!("{} Its author's name for it: {}.", preset.about, preset.name);
                if ui.selectable_label(settings.preset == preset.name, preset.title).on_hover_text(about).clicked() {
                    requests.preset = Some(preset.name);
                }
            }
        });
        if differing > 0 {
            let numbers = if differing == 1 { "The number that differs" } else { "All numbers that differ" };
            let about = format!("{numbers} from the preset, {differing} of them, as it has them");
            if ui.small_button("×").on_hover_text(about).clicked() {
                *settings = restored(settings, usual_settings);
            }
        }
    });
    // Applied when it is let go: another count takes another flock.
    let mut boids = dragged.unwrap_or(settings.boids);
    let mut held = false;
    let slider = |ui: &mut Ui| {
        let format = |value: f64, _: RangeInclusive<usize>| grouped(value as u64);
        let slider = Slider::new(&mut boids, 1..=most.max(settings.boids)).logarithmic(true).custom_formatter(format);
        let slider = slider.custom_parser(|text| text.replace([',', '_'], "").parse().ok());
        held = ui.add(slider.update_while_editing(false)).dragged();
    };
    let about = || {
        let [most, usual] = [most, usual].map(|count| grouped(count.into()));
        format!("Another count takes another flock. Up to {most} here; {usual} in the preset on this device")
    };
    if restorable(ui, ("boids", settings.boids != usual), about, slider) {
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
    named(ui, "seed", |ui| {
        let seed = DragValue::new(&mut settings.seed).speed(0.0).update_while_editing(false);
        ui.add(seed)
            .on_hover_text("Of every random choice: another number starts another flock. Shift R: the next one");
    });
}

/// What the law itself reads.
pub fn law(ui: &mut Ui, settings: &mut Settings, original: &Settings) {
    ui.label(RichText::new(settings.law.info().sentence).size(11.0).color(FAINT));
    let is_of_law = |setting: Setting| {
        let shared = MOTION_SETTINGS.contains(&setting) && setting != Setting::MaxForce;
        !shared && !matches!(setting, Setting::TimeStep | Setting::SpawnSpeed | Setting::TargetRadius)
    };
    sliders(ui, settings, original, is_of_law);
    let value = (&mut settings.nearest, original.nearest);
    slid(ui, ("nearest", Setting::Nearest.about()), value, |value| Slider::new(value, 0..=MAX_NEAREST));
    if settings.reads_noise_form() {
        choice(ui, "noise form", &mut settings.noise_form, NOISE_FORMS, |_| true);
    }
}

pub fn world(ui: &mut Ui, settings: &mut Settings, original: &Settings) {
    let size = |settings: &Settings| 2.0 * settings.world.half_size.max_element();
    let (mut edge, usual) = (size(settings), size(original));
    let range = usual / 8.0..=usual * 8.0;
    let slider = Slider::new(&mut edge, range).logarithmic(true).clamping(SliderClamping::Never);
    let slider = slider.max_decimals(4).suffix(Unit::Length.symbol());
    let about = || "Longest edge of the world, in world units; the others keep their share of it".to_owned();
    let is_changed = size(settings) != usual;
    let slider = slider.update_while_editing(false);
    if restorable(ui, ("world size", is_changed), about, |ui| drop(ui.add(slider))) {
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
pub fn resized(settings: &Settings, edge: f32) -> Settings {
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
    let is_changed = led != original.leader.is_some();
    if restorable(ui, ("leader", is_changed), about, |ui| drop(ui.checkbox(&mut led, ""))) {
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

/// Of each kind how fast and how large it is, how its hunters hunt, and what it feels for others where that was given.
pub fn kinds(ui: &mut Ui, settings: &mut Settings) {
    let (reach, fear) = (2.0 * settings.search_radius(), 2.0 * settings.rules.max_force);
    let number = |ui: &mut Ui, (name, about): (String, &str), (value, usual): (&mut f32, f32), logarithmic: bool| {
        let range = if logarithmic { 0.1 * usual..=10.0 * usual } else { -4.0 * usual..=4.0 * usual };
        slid(ui, (&name, about), (value, usual), |value| {
            Slider::new(value, range).logarithmic(logarithmic).clamping(SliderClamping::Never).max_decimals(3)
        });
    };
    for Kind { name, speed, size, hunts, .. } in &mut settings.kinds {
        number(ui, (format!("{name}: speed"), "Factor of its speeds"), (speed, 1.0), true);
        number(ui, (format!("{name}: size"), "Factor of its size in the picture"), (size, 1.0), true);
        let Some(hunt) = hunts else { continue };
        number(ui, (format!("{name}: chase"), "Strength of the pull towards its prey"), (&mut hunt.chase, 1.0), true);
        let about_fear = "Acceleration of its prey right beside it, in world units per second squared";
        for (what, value, usual, about) in [
            ("reach", &mut hunt.reach, reach, "How far it is feared, in world units"),
            ("fear", &mut hunt.fear, fear, about_fear),
        ] {
            let mut shown = value.unwrap_or(usual);
            number(ui, (format!("{name}: {what}"), about), (&mut shown, usual), true);
            // Where nothing was said, it follows the radius and the force.
            *value = value.filter(|_| shown == usual).or((shown != usual).then_some(shown));
        }
    }
    for Feeling { of, toward, weights } in &mut settings.feelings {
        for (rule, weight) in ["separation", "alignment", "cohesion"].into_iter().zip(weights) {
            let about = "Factor of what such a neighbor adds to the rule: below 0 it is turned around";
            number(ui, (format!("{of} for {toward}: {rule}"), about), (weight, 1.0), false);
        }
    }
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
    let (range, logarithmic) = range(tunable, original);
    let about = || {
        let unit = tunable.unit.name();
        let unit_follows = if unit.is_empty() { "" } else { ", in " };
        let [least, most, usual] = [*range.start(), *range.end(), original].map(short);
        let about = tunable.setting.about();
        format!("{about}{unit_follows}{unit}. Usually {least} to {most}; {usual} in the preset")
    };
    let value = (tunable.field)(settings);
    let is_changed = *value != original;
    let slider_range = range.clone();
    let added = |ui: &mut Ui| {
        let slider = Slider::new(value, slider_range).logarithmic(logarithmic).clamping(SliderClamping::Never);
        ui.add(slider.max_decimals(4).suffix(tunable.unit.symbol()).update_while_editing(false));
    };
    if restorable(ui, (&name, is_changed), about, added) {
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
        0.0 if tunable.unit == Unit::Turning => (0.0..=720.0, false),
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

/// The name of a preset for people.
pub fn title(preset: &str) -> &'static str {
    PRESETS.iter().find(|known| known.name == preset).map_or("", |preset| preset.title)
}

/// How many numbers of the law, the world and the influences differ from those of the preset.
fn differences(settings: &Settings, original: &Settings) -> usize {
    let restored = restored(settings, original.clone());
    let numbers = TUNABLES.iter().filter(|row| (row.value)(settings) != (row.value)(&restored)).count();
    let axes = (0..3).filter(|&axis| settings.current[axis] != restored.current[axis]).count();
    let others = [
        settings.world != restored.world,
        settings.walls != restored.walls,
        settings.targets != restored.targets,
        settings.leader != restored.leader,
    ];
    numbers + axes + others.into_iter().filter(|differs| *differs).count()
}

/// The preset of `settings`, with what is no number of it as in `settings`.
fn restored(settings: &Settings, original: Settings) -> Settings {
    let Settings { engine, search, seed, cursor, points, obstacles, states, weights, spawn, .. } = settings.clone();
    let Settings { kinds, feelings, speeds, .. } = settings.clone();
    let kept = Settings { kinds, feelings, speeds, ..original };
    Settings { engine, search, seed, cursor, points, obstacles, states, weights, spawn, ..kept }
}

/// The preset of `settings`, with as many boids in a world of the same size: what numbers are restored to.
pub fn original(settings: &Settings) -> Settings {
    let preset = PRESETS.iter().find(|preset| preset.name == settings.preset).unwrap_or(&PRESETS[0]);
    preset.settings().with_plane(settings.plane).with_boids(settings.boids)
}

#[cfg(test)]
mod tests {
    use super::super::widgets::trial::{click_once, click_twice, texts};
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
        (changed.nearest, changed.rules.alignment_radius) = (7, f32::INFINITY);
        assert!(texts(|ui| law(ui, &mut changed, &settings)).iter().any(|text| text == "inf"), "no radius");
        assert_eq!(changed.rules.alignment_radius, f32::INFINITY, "a slider leaves it");
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
        let mut draft = Draft::of(original.with_boids(77));
        let boids = BoidCounts { most: 1 << 20, usual: 3_000 };
        let (mut dragged, mut requests) = (None, Requests::default());
        click_twice("boids", |ui| section(ui, &mut dragged, &mut draft, boids, &mut requests));
        assert_eq!(draft.settings.boids, 3_000);
    }

    #[test]
    fn what_is_changed_is_counted_and_restored_by_a_click() {
        for preset in PRESETS {
            let usual = original(&preset.settings().with_boids(500));
            assert_eq!(differences(&usual, &usual), 0, "{}", preset.name);
        }
        let usual = Settings::preset("counting-sort").expect("a preset").with_boids(500);
        let mut settings = usual.clone();
        settings.rules.alignment_weight *= 2.0;
        (settings.targets, settings.current.y, settings.seed) = (3, 1.0, 77);
        assert_eq!(differences(&settings, &usual), 3);
        click_once("current, y", |ui| influences(ui, &mut settings, &usual));
        assert_eq!((settings.current.y, settings.targets), (0.0, 3), "that one alone");
        let mut draft = Draft::of(settings);
        let (mut dragged, mut requests) = (None, Requests::default());
        let boids = BoidCounts { most: 1 << 20, usual: 3_000 };
        click_once("×", |ui| section(ui, &mut dragged, &mut draft, boids, &mut requests));
        assert_eq!(draft.settings, Settings { seed: 77, ..usual }, "all of them");
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
