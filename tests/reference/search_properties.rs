//! Every search gives the neighbor sets of all pairs, for random and special placements.

use glam::Vec3;
use proptest::prelude::*;
use starlings::flock::layout::{Grid, World};
use starlings::flock::manners::{Perception, Sought};
use starlings::flock::random::{self, Stream};
use starlings::flock::search::SEARCHES;
use starlings::flock::{BoidState, PRESETS, Search, Torus, grid, quanta};
use starlings::laws::closest::{Nearest, closest};
use starlings::reference::{Ordered, step_with};

/// Where a boid is placed; the vector is in [-1, 1]³.
#[derive(Clone, Debug)]
enum Place {
    /// Anywhere in the box.
    Inside(Vec3),
    /// In a thousandth of the box.
    Clump(Vec3),
    /// At the position of the previous boid.
    Coincident,
    /// On a corner of a cell, as exactly as single precision allows, or a few representable numbers beside it.
    Border(Vec3, i32),
    /// Anywhere in a box four times as wide.
    Outside(Vec3),
    /// Thousands of boxes away.
    FarAway(Vec3),
    /// At the search radius from the previous boid, along one axis, plus or minus a few representable numbers.
    AtRadius(usize, i32),
}

#[derive(Clone, Debug)]
struct Case {
    world: World,
    radius: f32,
    places: Vec<Place>,
}

fn unit() -> impl Strategy<Value = Vec3> {
    [-1.0f32..=1.0, -1.0f32..=1.0, -1.0f32..=1.0].prop_map(Vec3::from)
}

/// Lengths of any accepted magnitude.
fn length(least: f32, most: f32) -> impl Strategy<Value = f32> {
    (least.log10()..=most.log10()).prop_map(|exponent| 10f32.powf(exponent))
}

fn place() -> impl Strategy<Value = Place> {
    prop_oneof![
        3 => unit().prop_map(Place::Inside),
        2 => unit().prop_map(Place::Clump),
        1 => Just(Place::Coincident),
        2 => (unit(), -3i32..=3).prop_map(|(v, ulps)| Place::Border(v, ulps)),
        1 => unit().prop_map(Place::Outside),
        1 => unit().prop_map(Place::FarAway),
        2 => (0usize..3, -3i32..=3).prop_map(|(axis, ulps)| Place::AtRadius(axis, ulps)),
    ]
}

fn case() -> impl Strategy<Value = Case> {
    let center =
        prop_oneof![3 => Just(Vec3::ZERO), 1 => unit().prop_map(|v| v * 100.0), 1 => unit().prop_map(|v| v * 1e6)];
    // Boxes of any shape; radii from a hundredth of the box to ten boxes, and of any accepted length.
    let half_size = prop_oneof![
        3 => length(0.5, 50.0).prop_map(Vec3::splat),
        2 => [length(1e-3, 1e3), length(1e-3, 1e3), length(1e-3, 1e3)].prop_map(Vec3::from),
        1 => [length(1e-6, 4e5), length(1e-6, 4e5), length(1e-6, 4e5)].prop_map(Vec3::from),
    ];
    let radius =
        prop_oneof![3 => length(0.02, 10.0).prop_map(|r| (true, r)), 1 => length(1e-6, 1e6).prop_map(|r| (false, r))];
    (center, half_size, radius, proptest::collection::vec(place(), 1..120)).prop_map(
        |(center, half_size, (relative, radius), places)| {
            let scale = if relative { half_size.max_element() } else { 1.0 };
            Case { world: World { center, half_size }, radius: (radius * scale).clamp(1e-6, 1e6), places }
        },
    )
}

/// More rows than a world of any other case has: around the numbers at which cells become wider.
fn case_of_many_rows() -> impl Strategy<Value = Case> {
    let places = proptest::collection::vec(place(), 1..120);
    (unit(), length(1e-3, 1e3), 450f32..1300.0, any::<bool>(), places).prop_map(
        |(center, radius, rows, upright, places)| {
            let (long, short) = (0.5 * radius * rows, 1.5 * radius);
            let half_size = if upright { Vec3::new(short, long, short) } else { Vec3::new(short, short, long) };
            Case { world: World { center: center * half_size, half_size }, radius, places }
        },
    )
}

fn nudge(x: f32, ulps: i32) -> f32 {
    (0..ulps.abs()).fold(x, |x, _| if ulps > 0 { x.next_up() } else { x.next_down() })
}

fn positions(case: &Case, grid: &Grid) -> Vec<Vec3> {
    let World { center, half_size } = case.world;
    let mut list: Vec<Vec3> = Vec::new();
    for place in &case.places {
        let last = list.last().copied().unwrap_or(center);
        list.push(match *place {
            Place::Inside(v) => center + half_size * v,
            Place::Clump(v) => center + half_size * v * 1e-3,
            Place::Coincident => last,
            Place::Border(v, ulps) => {
                let cell = ((v * 0.5 + 0.5) * grid.dims.as_vec3()).round();
                (grid.origin + cell * grid.cell_size).map(|x| nudge(x, ulps))
            }
            Place::Outside(v) => center + half_size * v * 4.0,
            Place::FarAway(v) => center + half_size * v * 4e3,
            Place::AtRadius(axis, ulps) => {
                let mut p = last;
                p[axis] = nudge(p[axis] + case.radius, ulps);
                p
            }
        });
    }
    list
}

/// Whether any arithmetic that a device may use could find `b` within the radius of `a`: exact, or single precision
/// with or without fused multiply-add.
fn accepted(a: Vec3, b: Vec3, radius: f32) -> bool {
    let offset = b - a;
    let squared = radius * radius;
    let separate = offset.x * offset.x + offset.y * offset.y + offset.z * offset.z;
    let fused = offset.z.mul_add(offset.z, offset.y.mul_add(offset.y, offset.x * offset.x));
    let fused_back = offset.x.mul_add(offset.x, offset.y.mul_add(offset.y, offset.z * offset.z));
    let exact = a.as_dvec3().distance_squared(b.as_dvec3());
    separate <= squared || fused <= squared || fused_back <= squared || exact <= f64::from(radius).powi(2)
}

fn finds_each_neighbor_once(ordered: &Ordered) -> Result<(), TestCaseError> {
    let Ordered { flock: sorted, radius, grid, perception, .. } = ordered;
    let torus = perception.torus();
    for (i, &a) in sorted.position.iter().enumerate() {
        prop_assert_eq!(
            ordered.closest(Sought::ANYBODY, i),
            closest(None, sorted, *perception, Sought::ANYBODY, i),
            "closest to {} in {:?}",
            a,
            grid
        );
        let few = |cells| {
            let mut nearest = Nearest::none(sorted, *perception, Sought::ANYBODY, i, 5);
            nearest.look_around(Sought::ANYBODY, cells);
            nearest.found
        };
        if i % 8 == 0 {
            prop_assert_eq!(few(ordered.cells()), few(None), "nearest to {} in {:?}", a, grid);
        }
        let mut found = vec![0; sorted.len()];
        ordered.candidates(a, |range| found[range].iter_mut().for_each(|times| *times += 1));
        for (times, &b) in found.into_iter().zip(&sorted.position) {
            prop_assert!(times <= 1, "{} found {} times from {}", b, times, a);
            // From `a`, the nearest image of `b` on a torus.
            let image = torus.map_or(b, |torus| a + torus.way(a, b));
            prop_assert!(
                times == 1 || !accepted(a, b, *radius) && !accepted(a, image, *radius),
                "{} lost from {} in {:?}",
                b,
                a,
                grid
            );
        }
    }
    Ok(())
}

/// The first test of the quantized search must reject most candidates: of boids in a cube four radii wide it passes
/// less than an eighth more than there are neighbors.
#[test]
fn quantized_positions_rule_out_nearly_all_that_are_too_far() {
    let grid = grid::fit(
        &World { center: Vec3::splat(3.0), half_size: Vec3::splat(20.0) },
        2.0,
        1_000,
        grid::X_SUBDIVISION,
        false,
    );
    let scale = quanta::quanta(&grid, 2.0);
    let at = |i: u32| random::in_cube(7, Stream::Position, i.into(), 0);
    let (mut neighbors, mut passed) = (0, 0);
    for i in 0..200_000 {
        let (a, offset) = (Vec3::splat(3.0) + 15.0 * at(2 * i), 4.0 * at(2 * i + 1));
        let (looking, candidate) =
            (quanta::quantized_self(&grid, &scale, a), quanta::quantized(&grid, &scale, a + offset));
        passed += u32::from(quanta::may_be_near(&scale, looking, candidate));
        neighbors += u32::from(offset.length() <= 2.0);
    }
    assert!(neighbors > 10_000 && passed >= neighbors, "{passed} for {neighbors}");
    assert!(f64::from(passed) < 1.125 * f64::from(neighbors), "{passed} for {neighbors}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::cases::cases(300)))]

    /// The law's comparison then accepts the same neighbors with every search.
    #[test]
    fn no_neighbor_is_lost_and_none_is_found_twice(case in prop_oneof![5 => case(), 1 => case_of_many_rows()]) {
        for info in SEARCHES {
            let grid = grid::fit(&case.world, case.radius, case.places.len() as u32, info.columns, false);
            let position = positions(&case, &grid);
            let state = BoidState {
                velocity: position.clone(),
                id: (0..position.len() as u32).collect(),
                position,
            };
            let ordered = Ordered::new(info.search, grid, case.radius, Perception::all(None), &state);
            finds_each_neighbor_once(&ordered)?;
        }
    }
}

/// A world whose walls wrap, of any shape and at least twice as long as the radius, and boids in it.
fn case_on_a_torus() -> impl Strategy<Value = Case> {
    let length = prop_oneof![2 => Just(1.0f32), 2 => 1.0f32..2.0, 2 => 2.0f32..8.0, 1 => 8.0f32..600.0];
    let half_size = [length.clone(), length.clone(), length];
    let places = proptest::collection::vec(place(), 1..120);
    (half_size, length_of_radius(), unit(), any::<bool>(), places).prop_map(
        |(halves, radius, center, centered, places)| {
            let half_size = Vec3::from(halves) * radius;
            let center = if centered { Vec3::ZERO } else { center * half_size * 2.0 };
            Case { world: World { center, half_size }, radius, places }
        },
    )
}

fn length_of_radius() -> impl Strategy<Value = f32> {
    length(1e-3, 1e3)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::cases::cases(300)))]

    /// On a torus too, through every wall, edge and corner.
    #[test]
    fn on_a_torus_no_neighbor_is_lost_and_none_is_found_twice(case in case_on_a_torus()) {
        let torus = Torus::of(&case.world);
        // The least radius that rounding of the walls leaves room for.
        let radius = case.radius.min((torus.period().min_element() * 0.5) as f32);
        for info in SEARCHES {
            let grid = grid::fit(&case.world, radius, case.places.len() as u32, info.columns, true);
            let position: Vec<Vec3> = positions(&case, &grid).into_iter().map(|place| torus.place(place)).collect();
            let state = BoidState {
                velocity: position.clone(),
                id: (0..position.len() as u32).collect(),
                position,
            };
            let ordered = Ordered::new(info.search, grid, radius, Perception::all(Some(torus)), &state);
            finds_each_neighbor_once(&ordered)?;
        }
    }
}

#[test]
fn all_searches_move_the_flock_alike() {
    for row in PRESETS {
        let settings = row.settings().with_boids(3000);
        let start = starlings::flock::spawn(&settings);
        let mut by_pairs = start.clone();
        step_with(&settings, &mut by_pairs, 0, Search::AllPairs);
        for info in SEARCHES {
            let mut moved = start.clone();
            step_with(&settings, &mut moved, 0, info.search);
            let moved = moved.by_id();
            for i in 0..moved.len() {
                // The order of summation differs, so the last bits may differ.
                assert!(moved.position[i].distance(by_pairs.position[i]) < 1e-5, "{} {} {i}", row.name, info.name);
                assert!(moved.velocity[i].distance(by_pairs.velocity[i]) < 1e-5, "{} {} {i}", row.name, info.name);
            }
        }
    }
}

#[test]
fn nan_boids_have_no_neighbors_and_are_none() {
    let settings = PRESETS[0].settings().with_boids(50);
    let mut state = starlings::flock::spawn(&settings);
    state.position[7] = Vec3::NAN;
    state.position[8] = Vec3::new(f32::INFINITY, 0.0, f32::NEG_INFINITY);
    let mut without = state.clone();
    for list in [&mut without.position, &mut without.velocity] {
        list.drain(7..9);
    }
    without.id.truncate(48);
    step_with(&settings, &mut state, 0, Search::SortedGrid);
    let mut fewer = settings.clone();
    fewer.boids = 48;
    step_with(&fewer, &mut without, 0, Search::AllPairs);
    let mut state = state.by_id();
    state.position.drain(7..9);
    for (a, b) in state.position.iter().zip(&without.position) {
        assert!(a.distance(*b) < 1e-5);
    }
}
