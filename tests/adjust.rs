//! A running flock whose settings change goes on, bit for bit, like one that starts with them from its state: what a
//! slider of the window changes is what a restart would.

mod common;

use glam::Vec3;
use rayon::prelude::*;
use starlings::cpu::{Engine, Threads};
use starlings::flock::obstacles::Obstacle;
use starlings::flock::search::{GridKind, SEARCHES};
use starlings::flock::settings::TUNABLES;
use starlings::flock::{BoidState, EngineKind, PRESETS, Preset, Search, Settings, Start, Walls};
use starlings::simulation::Simulation;
use starlings::vk::Device;
use std::sync::Arc;

/// Steps before the change.
const STEPS: u32 = 10;

/// Steps after it, before the two flocks are compared: in the long tests enough for targets to move on.
const LATER: u32 = 100;
const SOON: u32 = 10;

/// Settings that differ from `base` in one number each, and in its world.
fn changes(base: &Settings) -> Vec<(&'static str, Settings)> {
    let mut all = Vec::new();
    for tunable in TUNABLES.iter().filter(|tunable| base.reads(tunable.setting)) {
        let mut settings = base.clone();
        let value = (tunable.field)(&mut settings);
        *value = if *value == 0.0 { 0.7 } else { *value * 0.8 };
        let (changed, rules) = (*value, &mut settings.rules);
        // Some laws have one radius for several rules.
        if tunable.setting.name().ends_with("_radius") && tunable.setting.name() != "target_radius" {
            let all = [&mut rules.separation_radius, &mut rules.alignment_radius, &mut rules.cohesion_radius];
            all.into_iter().for_each(|radius| *radius = changed);
        }
        all.push((tunable.setting.name(), settings));
    }
    all.push(("a larger world", base.clone().with_world_size(2.2 * base.world.half_size.x)));
    all.push(("a smaller world", base.clone().with_world_size(1.9 * base.world.half_size.x)));
    all.push(("fewer targets", Settings { targets: base.targets / 2, ..base.clone() }));
    if let Some(obstacle) = base.obstacles.first() {
        let moved = vec![obstacle.clone().moved(Vec3::splat(0.3)), obstacle.clone()];
        all.push(("an obstacle moved and another", Settings { obstacles: moved, ..base.clone() }));
    }
    all
}

fn bits(state: &BoidState) -> Vec<[u32; 6]> {
    let state = state.by_id();
    let words = |(p, v): (&Vec3, &Vec3)| [p.x, p.y, p.z, v.x, v.y, v.z].map(f32::to_bits);
    state.position.iter().zip(&state.velocity).map(words).collect()
}

fn state(flock: &mut Simulation) -> BoidState {
    flock.flock().state().expect("the state comes back")
}

/// Whether the change was made in place.
fn goes_on_alike(device: &Arc<Device>, (base, changed): (&Settings, &Settings), later: u32, case: &str) -> bool {
    let mut flock = Simulation::new(device, base).expect("a small flock fits");
    flock.advance(STEPS).expect("steps");
    let before = state(&mut flock);
    if base.search.grid() != GridKind::CountingSorted {
        // Sums go by the order of storage, which a restart does not keep: let both start in its order.
        flock.flock_mut().set_state(&before).expect("the state goes up");
    }
    let adjusted = flock.flock_mut().adjust(changed).expect("valid settings");
    if !adjusted {
        assert_eq!(flock.flock().settings(), base, "{case}: nothing has changed");
        return false;
    }
    flock.advance(later).expect("steps");
    let start = Start { state: &before, step: STEPS, crowding: None };
    let mut restarted = Simulation::starting_from(device, changed, &start).expect("a small flock fits");
    restarted.advance(later).expect("steps");
    let (got, wanted) = (bits(&state(&mut flock)), bits(&state(&mut restarted)));
    let differing = got.iter().zip(&wanted).filter(|(a, b)| a != b).count();
    assert_eq!(differing, 0, "{case}: boids with other bits");
    true
}

/// Of these presets and searches, for `later` steps; unless `again`, without what an earlier preset has changed too.
fn changes_in_place(presets: &[Preset], searches: &[Search], later: u32, again: bool) {
    let mut cases = Vec::new();
    for &search in searches {
        let mut seen = Vec::new();
        for row in presets {
            let base = Settings { engine: EngineKind::Gpu, search, ..row.settings().with_boids(300) };
            // All that counts for no law alone: a leader, targets, a current, an obstacle and walls that push.
            let obstacles = vec![Obstacle::Sphere { center: Vec3::ONE, radius: 2.0 }];
            let base =
                Settings { leader: Some(5), targets: 4, current: Vec3::X, walls: Walls::Push, obstacles, ..base };
            // From 0 on these take other kernels.
            let base = Settings { noise: 0.2, max_turn: 400.0, min_speed: 0.5, view_angle: 140.0, ..base };
            let mut changed = changes(&base);
            changed.retain(|(name, _)| again || !seen.contains(name));
            seen.extend(changed.iter().map(|(name, _)| *name));
            cases.push((format!("{} by {search}", row.name), base, changed));
        }
    }
    let check = |(case, base, changed): &(String, Settings, Vec<(&str, Settings)>)| {
        let Some(device) = common::device() else { return };
        let in_place = |name: &str, changed| goes_on_alike(&device, (base, changed), later, &format!("{case}, {name}"));
        let rebuilt = changed.iter().filter(|(name, changed)| !in_place(name, changed)).map(|(name, _)| *name);
        let rebuilt: Vec<&str> = rebuilt.collect();
        // Only a finer grid may need longer buffers.
        assert!(rebuilt.len() <= 5, "{case}: {rebuilt:?} are not in place");
        for name in ["time_step", "a smaller world", "an obstacle moved and another"] {
            assert!(!rebuilt.contains(&name), "{case}: {name} is not in place");
        }
    };
    common::on_all_cores(|| cases.par_iter().for_each(check));
}

/// One search of each kind of grid.
const KINDS: [Search; 3] = [Search::QuantizedGrid, Search::BitonicGrid, Search::AllPairs];

#[test]
fn what_changes_in_place_is_what_a_restart_changes() {
    changes_in_place(PRESETS, &KINDS[..1], SOON, false);
    changes_in_place(&PRESETS[..1], &KINDS[1..], SOON, false);
}

#[test]
#[ignore = "long: every preset with every kind of grid, for many steps"]
fn what_changes_in_place_is_what_a_restart_changes_for_long() {
    changes_in_place(PRESETS, &KINDS, LATER, true);
}

#[test]
fn other_kernels_and_other_boids_are_left_to_a_restart() {
    let Some(device) = common::device() else { return };
    let base = Settings::preset("reynolds").expect("a known preset").with_boids(700);
    let mut flock = Simulation::new(&device, &base).expect("a small flock fits");
    for changed in [
        base.clone().with_boids(800),
        base.clone().on_plane(),
        Settings { walls: Walls::Wrap, ..base.clone() },
        Settings { leader: Some(3), ..base.clone() },
        Settings { noise: 0.1, ..base.clone() },
        Settings { nearest: 7, ..base.clone() },
        Settings { obstacles: vec![Obstacle::Sphere { center: Vec3::ONE, radius: 2.0 }], ..base.clone() },
        Settings { search: SEARCHES[1].search, ..base.clone() },
    ] {
        assert!(!flock.flock_mut().adjust(&changed).expect("valid settings"), "{changed:?}");
    }
    // A mesh is moved in place, but not another one added.
    let at = |x: f32, is_closed: bool| {
        let model = common::meshes::model(is_closed, 5);
        Obstacle::Mesh { center: Vec3::X * x, size: 2.0, turn: 0.0, model }
    };
    let with_mesh = Settings { obstacles: vec![at(0.0, true)], ..base.clone() };
    assert!(!flock.flock_mut().adjust(&with_mesh).expect("valid settings"));
    let mut among = Simulation::new(&device, &with_mesh).expect("a small flock fits");
    let moved = Settings { obstacles: vec![at(1.0, true), at(-3.0, true)], ..base.clone() };
    assert!(among.flock_mut().adjust(&moved).expect("valid settings"));
    let another = Settings { obstacles: vec![at(1.0, true), at(-3.0, false)], ..base.clone() };
    assert!(!among.flock_mut().adjust(&another).expect("valid settings"));
    let unread = vec![Obstacle::parse("mesh:0,0,0,1,0,rock.obj").expect("an obstacle")];
    let error = among.flock_mut().adjust(&Settings { obstacles: unread, ..base.clone() }).expect_err("not read");
    assert!(error.to_string().starts_with("obstacle (a mesh) is rock.obj; accepted is"), "{error}");
    let nonsense = Settings { time_step: f32::NAN, ..base.clone() };
    flock.flock_mut().adjust(&nonsense).expect_err("settings are checked");
    assert_eq!(flock.flock().settings(), &base);
}

fn cpu_engine_goes_on(later: u32) {
    for row in PRESETS {
        let base = row.settings().with_boids(200);
        let base = Settings { search: EngineKind::Cpu.searches()[0], ..base };
        let obstacles = vec![Obstacle::Sphere { center: Vec3::ONE, radius: 2.0 }];
        let base = Settings { leader: Some(5), targets: 4, current: Vec3::X, obstacles, ..base };
        for (name, changed) in changes(&base) {
            let mut engine = Engine::new(&base, Threads::One).expect("valid settings");
            engine.advance(STEPS);
            let before = engine.state();
            // In the order of storage that a restart has.
            engine.set_state_at(&before, STEPS);
            engine.adjust(&changed).expect("valid settings");
            engine.advance(later);
            let mut restarted = Engine::new(&changed, Threads::One).expect("valid settings");
            restarted.set_state_at(&before, STEPS);
            restarted.advance(later);
            assert_eq!(bits(&engine.state()), bits(&restarted.state()), "{}, {name}", row.name);
        }
    }
}

#[test]
fn the_cpu_engine_goes_on_alike() {
    cpu_engine_goes_on(SOON);
}

#[test]
#[ignore = "long: many steps"]
fn the_cpu_engine_goes_on_alike_for_long() {
    cpu_engine_goes_on(LATER);
}
