//! Obstacles on the device: against the twin, and that no boid ends a step inside.

use crate::common;
use crate::common::obstacles::{Meetings, among_all, least_distance, stay_outside};
use crate::common::slopes::{self, Stepping};
use glam::{Vec3, Vec3Swizzles};
use starlings::flock::obstacles::Obstacle;
use starlings::flock::search::SearchInfo;
use starlings::flock::{BoidState, PRESETS, Preset, Settings, SpawnShape, Walls, spawn};
use starlings::mesh::{Mesh, Model};
use starlings::vk::Device;
use std::sync::Arc;

#[test]
fn boids_meet_obstacles_as_the_twins_do() {
    boids_meet_obstacles_as_their_twins(crate::laws());
}

/// By one law: the subgroup operations among obstacles are the same for all.
#[test]
fn boids_of_one_law_meet_obstacles_as_their_twins_do() {
    boids_meet_obstacles_as_their_twins(crate::laws().filter(|(row, _)| row.name == "reynolds"));
}

fn boids_meet_obstacles_as_their_twins(pairs: impl Iterator<Item = (&'static Preset, &'static SearchInfo)>) {
    let Some(device) = common::device() else { return };
    for (row, info) in pairs {
        let settings =
            Settings { search: info.search, ..among_all(row.settings().with_plane(false).with_boids(1_003)) };
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

/// A sheet of two triangles divides the world. Whatever the law and the time step, no boid comes to its other side.
#[test]
fn no_boid_passes_through_a_sheet() {
    let Some(device) = common::device() else { return };
    let v = Vec3::new;
    let [a, b, c, d] = [v(0.0, -1.0, -1.0), v(0.0, 1.0, -1.0), v(0.0, 1.0, 1.0), v(0.0, -1.0, 1.0)];
    let sheet = Mesh::new(vec![[a, b, c], [a, c, d]]).expect("a mesh");
    let model = Model::of("sheet.obj", &sheet, 31).expect("a model");
    for (row, factor) in PRESETS.iter().flat_map(|row| [1.0, 60.0].map(|factor| (row, factor))) {
        let plain = row.settings().with_boids(501);
        let size = 4.0 * plain.world.half_size.max_element();
        let sheet = Obstacle::Mesh { center: plain.world.center, size, turn: 0.0, model: model.clone() };
        // Without sight, boids meet it head-on.
        let mut settings = Settings { obstacles: vec![sheet], obstacle_weight: 0.0, walls: Walls::Bounce, ..plain };
        settings.time_step = (settings.time_step * factor).min(1.0);
        let side = |place: &Vec3| place.x > settings.world.center.x;
        let sides: Vec<bool> = spawn(&settings).by_id().position.iter().map(side).collect();
        assert!(sides.contains(&true) && sides.contains(&false), "boids on both sides");
        let mut simulation = common::simulation(&device, &settings, None);
        let mut nearest = f64::INFINITY;
        for _ in 0..20 {
            simulation.advance(4).and_then(|()| simulation.wait()).expect("the steps run");
            let state = simulation.flock().state().expect("the state comes back").by_id();
            let now: Vec<bool> = state.position.iter().map(side).collect();
            assert!(now == sides, "{}, x{factor}: a boid has passed through", row.name);
            nearest = nearest.min(least_distance(&settings, &state));
        }
        assert!((0.0..0.1 * f64::from(size)).contains(&nearest), "{}: none came near, {nearest}", row.name);
    }
}

/// In a flat world boids meet the section of a mesh, and stay in the plane.
#[test]
fn a_flat_flock_meets_the_section_of_a_mesh_as_the_twin_does() {
    let Some(device) = common::device() else { return };
    for row in PRESETS {
        let settings = among_all(row.settings().with_boids(1_003).on_plane());
        let obstacles: Vec<Obstacle> =
            settings.obstacles.iter().filter(|obstacle| obstacle.is_mesh()).cloned().collect();
        let settings = Settings { obstacles, ..settings };
        let mut simulation = common::simulation(&device, &settings, None);
        let (mut meetings, mut before) = (Meetings::default(), spawn(&settings));
        for step in 0..6 {
            simulation.advance(1).and_then(|()| simulation.wait()).expect("the step runs");
            let after = simulation.flock().state().expect("the state comes back").by_id();
            meetings.compare(&settings, (&before, step), &after, row.name);
            assert!(after.position.iter().all(|place| place.y == settings.world.center.y), "{}: not flat", row.name);
            before = after;
        }
        assert!(meetings.met > 20 && meetings.off * 20 <= meetings.met, "{}: {meetings:?}", row.name);
    }
}

/// The device's flock from that state.
fn stepping(device: &Arc<Device>, settings: &Settings, start: &BoidState) -> Stepping<'static> {
    let mut simulation = common::simulation(device, settings, None);
    simulation.flock_mut().set_state(start).expect("the state goes up");
    Box::new(move |steps| {
        simulation.advance(steps).and_then(|()| simulation.wait()).expect("the step runs");
        simulation.flock().state().expect("the state comes back")
    })
}

#[test]
fn no_boid_lands_inside_by_rounding() {
    let Some(device) = common::device() else { return };
    slopes::none_lands_inside(10_000, |settings, start| stepping(&device, settings, start));
}

#[test]
fn boids_inside_a_slanted_section_come_out() {
    let Some(device) = common::device() else { return };
    slopes::those_inside_come_out(|settings, start| stepping(&device, settings, start));
}

/// Of the boids between x = `from` and x = `to`, in world units, the share that is closer than `RADIUS` to the x axis.
#[derive(Default)]
struct Middle {
    all: u32,
    near: u32,
}

impl Middle {
    fn look(&mut self, state: &BoidState, (from, to): (f32, f32)) {
        for place in state.position.iter().filter(|place| (from..to).contains(&place.x)) {
            self.all += 1;
            self.near += u32::from(place.yz().length() < RADIUS);
        }
    }

    fn share(&self) -> f64 {
        f64::from(self.near) / f64::from(self.all)
    }
}

/// The radius of the sphere, in world units, around the origin.
const RADIUS: f32 = 3.0;

/// Many steps of whole flocks: one driver takes them.
mod long {
    use super::*;

    #[test]
    #[ignore = "long: twice as many boids"]
    fn none_of_many_boids_lands_inside_by_rounding() {
        let Some(device) = common::device() else { return };
        slopes::none_lands_inside(20_000, |settings, start| stepping(&device, settings, start));
    }

    #[test]
    #[ignore = "long: flights of every law with every obstacle"]
    fn no_boid_ends_a_step_inside_an_obstacle() {
        let Some(device) = common::device() else { return };
        stay_outside(|settings, start| stepping(&device, settings, start));
    }

    #[test]
    #[ignore = "long: each law by each search"]
    fn boids_meet_obstacles_as_the_twins_do_by_each_search() {
        boids_meet_obstacles_as_their_twins(crate::laws_by_searches());
    }

    /// A current carries a flock along the x axis. Where there is a sphere on it, hardly a boid is near the axis beside
    /// the sphere, and behind it most are again; without it the share stays the same.
    #[test]
    #[ignore = "long: a flight of hundreds of steps"]
    fn a_flock_parts_around_a_sphere_and_closes_behind_it() {
        let Some(device) = common::device() else { return };
        let sphere = Obstacle::Sphere { center: Vec3::ZERO, radius: RADIUS };
        let shares = [vec![], vec![sphere]].map(|obstacles| {
            let mut settings = Settings::preset("reynolds").expect("a preset of ours").with_boids(600);
            settings = settings.with_world_size(10.0);
            (settings.world.center, settings.spawn) = (Vec3::new(-20.0, 0.0, 0.0), SpawnShape::Box);
            (settings.walls, settings.obstacles) = (Walls::None, obstacles);
            (settings.current, settings.current_weight) = (Vec3::new(3.0, 0.0, 0.0), 2.0);
            (settings.rules.cohesion_radius, settings.rules.cohesion_weight) = (5.0, 1.0);
            let mut simulation = common::simulation(&device, &settings, None);
            let mut middles = [(); 3].map(|()| Middle::default());
            for _ in 0..150 {
                simulation.advance(10).and_then(|()| simulation.wait()).expect("the steps run");
                let state = simulation.flock().state().expect("the state comes back");
                let spans = [(-3.0, -2.0), (-0.5, 0.5), (3.0, 5.0)].map(|(from, to)| (from * RADIUS, to * RADIUS));
                middles.iter_mut().zip(spans).for_each(|(middle, span)| middle.look(&state, span));
            }
            assert!(middles.iter().all(|middle| middle.all > 1_000), "most boids pass all three");
            middles.map(|middle| middle.share())
        });
        println!(
            "share near the axis before, beside and behind: {:.3?} without the sphere, {:.3?} with it",
            shares[0], shares[1]
        );
        let [[before, beside, behind], [before_it, beside_it, behind_it]] = shares;
        assert!((beside / before - 1.0).abs() < 0.05 && (behind / before - 1.0).abs() < 0.05, "{shares:?}");
        assert!(
            (before_it / before - 1.0).abs() < 0.05 && beside_it < 0.25 * before && behind_it > 0.75 * before,
            "{shares:?}"
        );
    }
}
