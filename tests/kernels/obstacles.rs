//! Obstacles on the device: against the twin, and that no boid ends a step inside.

use crate::common;
use crate::common::obstacles::{Meetings, among_all, kinds, least_distance};
use starlings::flock::search::SEARCHES;
use starlings::flock::{PRESETS, Settings, Walls, spawn};

#[test]
fn boids_meet_obstacles_as_the_twins_do() {
    let Some(device) = common::device() else { return };
    for (row, info) in PRESETS.iter().flat_map(|row| SEARCHES.iter().map(move |info| (row, info))) {
        let settings = Settings { search: info.search, ..among_all(row.settings().with_boids(1_003)) };
        let mut simulation = common::simulation(&device, &settings, None);
        let mut state = || {
            simulation.advance(1).and_then(|()| simulation.wait()).expect("the step runs");
            simulation.flock().state().expect("the state comes back").by_id()
        };
        let (mut meetings, mut before, case) =
            (Meetings::default(), spawn(&settings), format!("{} by {}", row.name, info.name));
        for step in 0..6 {
            let after = state();
            meetings.compare(&settings, (&before, step), &after, &case);
            before = after;
        }
        meetings.assert_enough(&case);
    }
}

/// Every law with each kind of obstacle, walls and three time steps: `STEPS` steps (60) of `BOIDS` boids (500), looked at after each
/// `EVERY` steps (1). Prints the least distance.
#[test]
fn no_boid_ends_a_step_inside_an_obstacle() {
    let Some(device) = common::device() else { return };
    let number = |name: &str, usual: u32| std::env::var(name).map_or(usual, |text| text.parse().expect("a number"));
    let (steps, boids, every) = (number("STEPS", 60), number("BOIDS", 500), number("EVERY", 1));
    let (mut least_of_all, mut cases) = (f64::INFINITY, 0);
    for row in PRESETS {
        let plain = row.settings().with_boids(boids);
        for (k, obstacle) in kinds(plain.world.half_size.x).into_iter().enumerate() {
            for (j, factor) in [1.0, 8.0, 60.0].into_iter().enumerate() {
                let walls = [Walls::Push, Walls::Bounce, Walls::Wrap, Walls::None][(k + j) % 4];
                let mut settings = Settings { obstacles: vec![obstacle], walls, ..plain.clone() };
                settings.time_step = (settings.time_step * factor).min(1.0);
                let start = least_distance(&settings, &spawn(&settings));
                assert!(start > 0.0, "{} starts inside {obstacle}", row.name);
                let mut simulation = common::simulation(&device, &settings, None);
                let mut least = f64::INFINITY;
                for _ in 0..steps / every {
                    simulation.advance(every).and_then(|()| simulation.wait()).expect("the steps run");
                    least = least
                        .min(least_distance(&settings, &simulation.flock().state().expect("the state comes back")));
                }
                assert!(least >= 0.0, "{} and {obstacle}, walls {walls}, x{factor}: {least:e} inside", row.name);
                (least_of_all, cases) = (least_of_all.min(least), cases + 1);
            }
        }
    }
    println!("{cases} flocks of {boids} boids, {steps} steps: the least distance from an obstacle is {least_of_all:e}");
}
