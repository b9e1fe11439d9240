//! The CPU engine against the twins in double precision, and with one thread against many.

#[path = "../common/mod.rs"]
mod common;
mod drawing;
mod flocking;

use common::kinds;
use common::obstacles::{Meetings, among_all, least_distance, stay_outside};
use common::perceived;
use common::placements::{self, Placement};
use common::slopes::{self, Stepping};
use common::torus::{self, Lie};
use common::twin::{self, SAMPLES, TOLERANCE, distances};
use glam::Vec3;
use starlings::cpu::{Ahead, Engine, Threads};
use starlings::flock::layout::MovementWeights;
use starlings::flock::{BoidState, EngineKind, Law, PRESETS, Search, Settings, Walls, spawn};
use starlings::reference::outcomes;
use starlings::reference::{self, Ordered};
use std::time::{Duration, Instant};

/// Around the eight boids of a vector, several of them, the boids of a thread, and a large prime-like number.
const SIZES: &[u32] = &[1, 2, 7, 8, 9, 31, 33, 255, 257, 1023, 10_007];

/// Of these, one on each side of what the engine treats in a way of its own.
const FEW_SIZES: &[u32] = &[1, 7, 9, 33, 257, 1_023];

const PLACEMENTS: [Placement; 5] =
    [Placement::Uniform, Placement::OneCell, Placement::OnePerCell, Placement::OnBorders, Placement::Outside];

fn engine(settings: &Settings, search: Search, threads: Threads, start: &BoidState) -> Engine {
    let settings = Settings { search, ..settings.clone() };
    let mut engine = Engine::new(&settings, threads).expect("valid settings");
    engine.set_state_at(start, 0);
    engine
}

/// The engine's flock from that state.
fn stepping(settings: &Settings, start: &BoidState) -> Stepping<'static> {
    let mut engine = engine(settings, EngineKind::Cpu.searches()[0], Threads::All, start);
    Box::new(move |steps| {
        engine.advance(steps);
        engine.state()
    })
}

/// `got`, in the order of `start`.
fn in_order_of(start: &BoidState, got: &BoidState) -> BoidState {
    let mut place_of = vec![usize::MAX; start.len()];
    got.id.iter().enumerate().for_each(|(place, &id)| place_of[id as usize] = place);
    let places = start.id.iter().map(|&id| place_of[id as usize]);
    BoidState {
        position: places.clone().map(|place| got.position[place]).collect(),
        velocity: places.map(|place| got.velocity[place]).collect(),
        id: start.id.clone(),
    }
}

fn steers_like_the_twin(placement: Placement, sizes: &[u32]) {
    for row in PRESETS {
        for &boids in sizes {
            let settings = placements::settings(row.name, boids, placement);
            let start = placements::place(&settings, placement);
            for search in EngineKind::Cpu.searches() {
                let mut engine = engine(&settings, search, Threads::All, &start);
                engine.advance(1);
                let after = in_order_of(&start, &engine.state());
                let (velocity, position) = distances(&settings, &start, &after);
                let case = format!("{} by {search} {placement:?} {boids}", row.name);
                assert!(velocity < TOLERANCE, "{case}: velocity off by {velocity:e}");
                assert!(position < 1e-6, "{case}: position off by {position:e}");
            }
        }
    }
}

#[test]
#[ignore = "long: flights of every law with every obstacle"]
fn no_boid_of_the_engine_ends_a_step_inside_an_obstacle() {
    stay_outside(stepping);
}

#[test]
fn flocks_steer_like_their_twins() {
    PLACEMENTS.into_iter().for_each(|placement| steers_like_the_twin(placement, FEW_SIZES));
}

#[test]
#[ignore = "long: every size"]
fn flocks_of_every_size_steer_like_their_twins() {
    for placement in PLACEMENTS {
        // In one cell, or outside the grid, the work is quadratic.
        let is_dense = [Placement::OneCell, Placement::Outside].contains(&placement);
        steers_like_the_twin(placement, if is_dense { &SIZES[..10] } else { SIZES });
    }
}

/// The sampled boids have the neighbors that all pairs give them, within each of the radii; for a boid on the border,
/// rounding may decide.
#[test]
fn neighbors_are_exact() {
    neighbors_are_exact_at(FEW_SIZES);
}

#[test]
#[ignore = "long: every size"]
fn neighbors_are_exact_at_every_size() {
    neighbors_are_exact_at(SIZES);
}

/// On a torus, in worlds with one, two, three and more rows.
#[test]
fn neighbors_on_a_torus_are_exact() {
    for (boids, length) in
        [1, 2, 7, 8, 9, 1_000].into_iter().flat_map(|boids| [2.01, 2.4, 3.1, 7.7].map(|l| (boids, l)))
    {
        for (lie, search) in
            torus::LIES.into_iter().flat_map(|lie| EngineKind::Cpu.searches().into_iter().map(move |by| (lie, by)))
        {
            let (settings, state) = torus::flock(boids, length, lie);
            let mut engine = engine(&settings, search, Threads::All, &state);
            engine.set_state_at(&state, 1);
            engine.advance(1);
            torus::check(
                &format!("{boids} boids, {length} radii, {lie:?}, by {search}"),
                &settings,
                &state,
                &engine.state(),
            );
        }
    }
}

/// Fields of view, and the nearest few.
#[test]
fn boids_perceive_those_of_all_pairs() {
    for ((view_angle, nearest), boids) in perceived::WAYS.into_iter().flat_map(|way| [1, 2, 9, 500].map(|b| (way, b))) {
        for (lie, search) in
            torus::LIES.into_iter().flat_map(|lie| EngineKind::Cpu.searches().into_iter().map(move |by| (lie, by)))
        {
            for is_lattice in [false, true] {
                let (settings, state) = perceived::flock(boids, lie, is_lattice);
                let settings = Settings { view_angle, nearest, ..settings };
                let check = |(settings, state): &(Settings, BoidState)| {
                    let mut engine = engine(settings, search, Threads::All, state);
                    engine.advance(1);
                    let radius = settings.rules.reach();
                    let case = format!("{boids} boids, {lie:?}, {view_angle} degrees, {nearest} nearest, by {search}");
                    perceived::check(&format!("{case}, radius {radius}"), settings, state, &engine.state());
                };
                if [3, 7].contains(&nearest) {
                    WITHOUT_RADIUS
                        .iter()
                        .for_each(|walls| check(&perceived::without_radius(&settings, &state, *walls)));
                }
                check(&(settings, state));
            }
        }
    }
}

/// A torus, and no end.
const WITHOUT_RADIUS: [Walls; 2] = [Walls::Wrap, Walls::None];

#[test]
#[ignore = "long: a large flock"]
fn the_nearest_of_many_are_those_of_all_pairs_however_far() {
    for (lie, walls) in [Lie::Uniform, Lie::Line, Lie::Plane, Lie::Collapsed]
        .into_iter()
        .flat_map(|lie| WITHOUT_RADIUS.map(|walls| (lie, walls)))
    {
        let (settings, state) = perceived::flock(65_537, lie, false);
        let settings = Settings { nearest: 7, ..settings };
        let (settings, state) = perceived::without_radius(&settings, &state, walls);
        let mut engine = engine(&settings, Search::SortedGrid, Threads::All, &state);
        engine.advance(1);
        perceived::check(&format!("65,537 boids, {lie:?}, {walls}"), &settings, &state, &engine.state());
    }
}

/// Kinds, and who hunts whom.
#[test]
fn kinds_feel_for_each_other_and_hunt_as_all_pairs_say() {
    for ((view_angle, nearest), boids) in
        [(180.0, 0), (120.0, 3)].into_iter().flat_map(|w| [1, 2, 9, 500].map(|b| (w, b)))
    {
        for (lie, search) in
            torus::LIES.into_iter().flat_map(|lie| EngineKind::Cpu.searches().into_iter().map(move |by| (lie, by)))
        {
            let stepped = |settings: &Settings, state: &BoidState| {
                let mut engine = engine(settings, search, Threads::All, state);
                engine.advance(1);
                engine.state()
            };
            let (settings, state) = perceived::flock(boids, lie, false);
            let settings = kinds::three(Settings { view_angle, nearest, ..settings });
            let case = format!("{boids} boids, {lie:?}, {nearest} nearest, by {search}");
            perceived::check(&case, &settings, &state, &stepped(&settings, &state));
            let (settings, state) = kinds::hunt(boids, lie);
            kinds::check_hunt(&case, &settings, &state, &stepped(&settings, &state), 1);
        }
    }
}

#[test]
fn laws_of_kinds_are_their_twins() {
    for (row, search) in PRESETS.iter().flat_map(|row| EngineKind::Cpu.searches().into_iter().map(move |s| (row, s))) {
        for walls in [Walls::Wrap, Walls::Push] {
            let settings = Settings { walls, ..placements::settings(row.name, 500, Placement::Uniform) };
            let settings = kinds::all(row, settings);
            let start = spawn(&settings);
            let mut engine = engine(&settings, search, Threads::All, &start);
            engine.advance(1);
            let (velocity, _) = distances(&settings, &start, &engine.state().by_id());
            assert!(velocity < TOLERANCE, "{} by {search}, {walls}: velocity off by {velocity:e}", row.name);
        }
    }
}

#[test]
#[ignore = "long: a large flock"]
fn neighbors_of_many_on_a_torus_are_exact() {
    for lie in torus::LIES {
        let (settings, state) = torus::flock(65_537, 9.3, lie);
        let mut engine = engine(&settings, Search::SortedGrid, Threads::All, &state);
        engine.set_state_at(&state, 1);
        engine.advance(1);
        torus::check(&format!("65,537 boids, {lie:?}"), &settings, &state, &engine.state());
    }
}

fn neighbors_are_exact_at(sizes: &[u32]) {
    use rayon::prelude::*;
    let placements = [Placement::Uniform, Placement::OneCell, Placement::OnBorders, Placement::Outside];
    for (placement, &boids) in placements.iter().flat_map(|placement| sizes.iter().map(move |boids| (placement, boids)))
    {
        if boids > 1_023 && *placement != Placement::Uniform {
            continue;
        }
        let settings = Settings { law: Law::Probe, ..placements::settings("reynolds", boids, *placement) };
        let mut start = placements::place(&settings, *placement);
        // Where others are, too.
        for i in (0..start.len() / 8 * 8).step_by(8) {
            start.position[i + 1] = start.position[i];
        }
        let params = settings.step_params(1);
        for search in EngineKind::Cpu.searches() {
            let mut engine = engine(&settings, search, Threads::All, &start);
            engine.set_state_at(&start, 1);
            engine.advance(1);
            let counted = in_order_of(&start, &engine.state());
            (0..start.len()).into_par_iter().step_by(1 + start.len() / SAMPLES).for_each(|i| {
                let near = outcomes::near(&params, &start, i);
                if outcomes::borderline(&params, &near).len() > 8 {
                    return; // Coincident boids on a border double the outcomes: too many for the reference to try.
                }
                let all = twin::outcomes_near(&settings, &params, &start, i, &near);
                let got = counted.velocity[i].as_dvec3();
                assert!(
                    all.iter().any(|want| want.velocity == got),
                    "{search} {placement:?} {boids}: boid {i} has {got}, not {}",
                    all[0].velocity
                );
            });
        }
    }
}

#[test]
fn one_thread_and_all_lead_to_the_same_bits() {
    for row in PRESETS {
        for (boids, search) in [(10_007, Search::SortedGrid), (1_023, Search::AllPairs)] {
            let settings = placements::settings(row.name, boids, Placement::Uniform);
            let start = placements::place(&settings, Placement::Uniform);
            let [one, all] = [Threads::One, Threads::All].map(|threads| {
                let mut engine = engine(&settings, search, threads, &start);
                engine.advance(3);
                engine.state()
            });
            assert_eq!(one, all, "{} by {search}", row.name);
        }
    }
}

/// All states are read before any is written. Of two boids each is the other's only neighbor, so sums have one order,
/// and both must get the same bits in either order.
#[test]
fn nobody_sees_what_another_has_become() {
    for row in PRESETS {
        for search in EngineKind::Cpu.searches() {
            let settings = placements::settings(row.name, 2, Placement::Uniform);
            let mut start = placements::place(&settings, Placement::Uniform);
            let apart = 0.4 * settings.rules.separation_radius;
            start.position[1] = start.position[0] + glam::Vec3::new(0.0, 0.1, 1.0) * apart;
            let mut turned = start.clone();
            turned.position.reverse();
            turned.velocity.reverse();
            turned.id.reverse();
            let [a, b] = [&start, &turned].map(|start| {
                let mut engine = engine(&settings, search, Threads::One, start);
                engine.advance(1);
                engine.state().by_id()
            });
            assert_eq!(a, b, "{} by {search}", row.name);
            if settings.law == Law::Bounce {
                continue; // Its boids ignore neighbors.
            }
            let mut alone = engine(&settings, search, Threads::One, &start);
            let mut far = start.clone();
            far.position[1] = settings.world.center - settings.world.half_size * 100.0;
            alone.set_state_at(&far, 0);
            alone.advance(1);
            assert_ne!(alone.state().by_id().velocity[0], a.velocity[0], "{} by {search}", row.name);
        }
    }
}

#[test]
fn ten_steps_are_ten_steps_of_the_twin() {
    for row in PRESETS {
        for search in EngineKind::Cpu.searches() {
            let settings = Settings { search, ..placements::settings(row.name, 1_000, Placement::Uniform) };
            let mut want = placements::place(&settings, Placement::Uniform);
            let mut engine = engine(&settings, search, Threads::All, &want);
            engine.advance(10);
            for step in 0..10 {
                reference::step(&settings, &mut want, step);
            }
            let (got, want) = (engine.state().by_id(), want.by_id());
            assert_eq!(got.id, want.id);
            for i in 0..got.len() {
                let apart = got.position[i].distance(want.position[i]);
                assert!(apart < 1e-3, "{} by {search} boid {i} is {apart} away from its twin", row.name);
            }
        }
    }
}

/// As `bad_boids_harm_nobody_beyond_their_neighbors` of the kernels; here a NaN boid is not even a neighbor.
#[test]
fn bad_boids_harm_nobody() {
    for row in PRESETS {
        for search in EngineKind::Cpu.searches() {
            let settings = placements::settings(row.name, 500, Placement::Uniform);
            let mut state = placements::place(&settings, Placement::Uniform);
            for (i, far) in [1e15, -1e15, 1e25, -1e25].into_iter().enumerate() {
                state.position[i] = glam::Vec3::splat(far);
                state.position[4 + i][i % 3] = far;
            }
            let run = |state: &BoidState| {
                let mut engine = engine(&settings, search, Threads::All, state);
                engine.advance(5);
                engine.state().by_id()
            };
            let far = run(&state);
            assert!(far.position.iter().chain(&far.velocity).all(|v| v.is_finite()), "{} by {search}", row.name);
            state.position[3] = glam::Vec3::NAN;
            state.position[4].x = f32::INFINITY;
            state.velocity[5] = glam::Vec3::NAN;
            let bad = run(&state);
            assert_eq!(bad.id, state.id);
            let lost = bad.position.iter().filter(|position| !position.is_finite()).count();
            assert!(lost <= 100, "{} by {search}: {lost} became no number", row.name);
        }
    }
}

#[test]
fn a_search_that_only_kernels_have_is_refused() {
    let settings = Settings::preset("reynolds").expect("a known preset");
    let message = Engine::new(&settings, Threads::All).err().expect("quantized-grid is the default").to_string();
    assert_eq!(message, "search is quantized-grid; accepted is sorted-grid or all-pairs with engine cpu");
}

/// A flock with every influence.
fn influenced(preset: &str, boids: u32) -> Settings {
    let settings = placements::settings(preset, boids, Placement::Uniform);
    let current = Vec3::new(0.0, 3.0, -2.0);
    Settings { leader: Some(5), targets: 4, current, walls: Walls::Push, influenced: 0.5, ..settings }
}

#[test]
fn influences_are_the_twins() {
    for (row, search) in PRESETS.iter().flat_map(|row| EngineKind::Cpu.searches().into_iter().map(move |s| (row, s))) {
        let settings = influenced(row.name, 1_023);
        let start = placements::place(&settings, Placement::Uniform);
        let stepped = |settings: &Settings| {
            let mut engine = engine(settings, search, Threads::All, &start);
            engine.advance(1);
            let mut want = start.clone();
            reference::step(&Settings { search, ..settings.clone() }, &mut want, 0);
            (engine.state().by_id(), want.by_id())
        };
        let (got, want) = stepped(&settings);
        let (_, plain) = stepped(&Settings { leader: None, targets: 0, current: Vec3::ZERO, ..settings.clone() });
        let changed = (0..got.len()).filter(|&i| want.velocity[i] != plain.velocity[i]).count();
        // Half of the flock, except for targets in the law's own formula.
        assert!((400..=1_023).contains(&changed), "{} by {search}: {changed} are influenced", row.name);
        for i in 0..got.len() {
            let off = got.velocity[i].distance(want.velocity[i]) / (1.0 + want.velocity[i].length());
            assert!(off < 2e-5, "{} by {search}: boid {i} is {off} off", row.name);
        }
    }
}

/// The boids' own weights replace those of the settings.
#[test]
fn each_boid_has_weights_of_its_own() {
    for (row, search) in PRESETS.iter().flat_map(|row| EngineKind::Cpu.searches().into_iter().map(move |s| (row, s))) {
        let settings = influenced(row.name, 1_023);
        let start = placements::place(&settings, Placement::Uniform);
        let mut engine = engine(&settings, search, Threads::All, &start);
        engine.set_movement_weights(&(0..1_023).map(own_weights).collect::<Vec<_>>());
        engine.advance(1);
        let got = in_order_of(&start, &engine.state());
        let all = Ordered::of(&Settings { search: Search::AllPairs, ..settings.clone() }, &start);
        let want = reference::steer::steer_weighted(&settings, &settings.step_params(0), &all, own_weights);
        for (i, want) in want.iter().enumerate() {
            let off = got.velocity[i].as_dvec3().distance(want.velocity) / (1.0 + want.velocity.length());
            assert!(off < 2e-5, "{} by {search}: boid {i} is {off} off", row.name);
        }
    }
}

#[test]
fn boids_meet_obstacles_as_the_twins_do() {
    for (row, search) in PRESETS.iter().flat_map(|row| EngineKind::Cpu.searches().into_iter().map(move |of| (row, of)))
    {
        let settings = among_all(row.settings().with_plane(false).with_boids(1_003));
        let (mut meetings, mut before, case) =
            (Meetings::default(), spawn(&settings), format!("{} by {search}", row.name));
        let mut engine = engine(&settings, search, Threads::All, &before);
        for step in 0..6 {
            engine.advance(1);
            let after = engine.state().by_id();
            meetings.compare(&settings, (&before, step), &after, &case);
            assert!(least_distance(&settings, &after) >= 0.0, "{case}: a boid is inside");
            before = after;
        }
        meetings.assert_enough(&case);
    }
}

#[test]
fn no_boid_lands_inside_by_rounding() {
    slopes::none_lands_inside(5_000, stepping);
}

#[test]
#[ignore = "long: four times as many boids, all of them neighbors"]
fn none_of_many_boids_lands_inside_by_rounding() {
    slopes::none_lands_inside(20_000, stepping);
}

#[test]
fn boids_inside_a_slanted_section_come_out() {
    slopes::those_inside_come_out(stepping);
}

/// The walls are applied once, with or without influences: a negligible influence changes a boid by rounding only.
#[test]
fn a_leader_of_no_weight_changes_nobody_at_a_wall() {
    for (row, search) in PRESETS.iter().flat_map(|row| EngineKind::Cpu.searches().into_iter().map(move |s| (row, s))) {
        let settings = Settings { walls: Walls::Bounce, seed: 34, ..row.settings().with_boids(300).with_density(20.0) };
        let start = starlings::flock::spawn(&settings);
        let [plain, led] = [None, Some(5)].map(|leader| {
            let settings = Settings { leader, leader_weight: 1e-6, ..settings.clone() };
            let mut engine = engine(&settings, search, Threads::All, &start);
            engine.advance(2);
            engine.state().by_id()
        });
        for i in 0..300 {
            let off = plain.position[i].distance(led.position[i]) / (1.0 + plain.position[i].length());
            assert!(off < 1e-6, "{} by {search}: boid {i} is {off} off", row.name);
        }
    }
}

/// Three weights that differ between boids, some of them zero and some negative.
fn own_weights(id: u32) -> MovementWeights {
    let weight = |period: u32| (id % period) as f32 * 0.5;
    MovementWeights { target: weight(3), leader: -weight(5), current: weight(2), speed: 1.0 }
}

#[test]
fn steps_are_timed_where_they_are_taken() {
    let settings = Settings::preset("reynolds").expect("a preset").with_boids(2_000);
    let settings = Settings { search: EngineKind::Cpu.searches()[0], ..settings };
    let mut ahead = Ahead::new(Engine::new(&settings, Threads::One).expect("valid settings")).expect("a thread");
    assert!(ahead.taken().is_none(), "none were scheduled");
    let begun = Instant::now();
    ahead.schedule(3, false).expect("it runs");
    assert_eq!(ahead.collect().expect("it runs").step(), 3);
    let (steps, time) = ahead.taken().expect("some were taken");
    assert!(steps == 3 && time > Duration::ZERO && time <= begun.elapsed(), "{steps} in {time:?}");
    assert!(ahead.taken().is_none(), "returned once");
}
