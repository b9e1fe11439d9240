//! Obstacles for tests.

use super::meshes::{model, signed_distance};
use super::slopes::Stepping;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use starlings::flock::obstacles::Obstacle;
use starlings::flock::{BoidState, PRESETS, Settings, Walls, spawn};

/// An obstacle of each kind, about as large as `unit`, around the origin.
pub fn kinds(unit: f32) -> Vec<Obstacle> {
    let v = |x: f32, y: f32, z: f32| Vec3::new(x, y, z) * unit;
    vec![
        Obstacle::Sphere { center: v(0.3, 0.1, 0.0), radius: 0.4 * unit },
        Obstacle::Box { center: v(-0.3, 0.0, 0.2), size: v(0.5, 0.9, 0.3) },
        Obstacle::Capsule { from: v(-0.5, -0.3, -0.4), to: v(0.4, 0.5, 0.3), radius: 0.15 * unit },
        Obstacle::Torus { center: v(0.0, 0.1, 0.0), axis: v(0.2, 1.0, 0.3), ring: 0.5 * unit, tube: 0.15 * unit },
        Obstacle::Plane { point: v(0.0, -0.4, 0.0), normal: v(0.1, 1.0, 0.0) },
        Obstacle::Mesh { center: v(0.1, -0.2, 0.3), size: unit, turn: 30.0, model: model(true, 24) },
        Obstacle::Mesh { center: v(-0.2, 0.1, 0.0), size: 0.9 * unit, turn: -200.0, model: model(false, 17) },
    ]
}

/// The flock of `settings` among obstacles of all kinds, small enough to leave room, and with steps long enough that
/// many boids meet one in a few.
pub fn among_all(settings: Settings) -> Settings {
    let edge = settings.world.half_size.x;
    let mut obstacles: Vec<Obstacle> = Vec::new();
    for (k, kind) in kinds(0.4 * edge).into_iter().enumerate() {
        let away = Vec3::new((k as f32).sin(), 0.3 * (k as f32).cos(), (k as f32).cos()) * 0.6 * edge;
        obstacles.push(kind.moved(if k == 4 { Vec3::NEG_Y * 0.6 * edge } else { away }));
    }
    let time_step = 0.05 * edge / settings.full_speed();
    Settings { obstacles, time_step, ..settings }
}

/// The distance from the obstacles of the boid that is nearest to one, in world units: to the surface of a closed mesh
/// itself, and of an open one, which has no inside, to where boids may not be.
pub fn least_distance(settings: &Settings, state: &BoidState) -> f64 {
    least_below(f64::INFINITY, settings, state)
}

/// [`least_distance`], or `known` if that is less. The volume of a mesh never tells too large a distance, so that few
/// boids need a look at each triangle.
fn least_below(known: f64, settings: &Settings, state: &BoidState) -> f64 {
    let distance = |obstacle: &Obstacle, place: DVec3| match (obstacle, obstacle.distance(place)) {
        (Obstacle::Mesh { center, size, turn, model }, bound) if model.mesh().is_closed() && bound < known => {
            let own = glam::DQuat::from_rotation_y(-f64::from(*turn).to_radians()) * (place - center.as_dvec3());
            f64::from(*size) * signed_distance(model.mesh(), own / f64::from(*size))
        }
        (_, distance) => distance,
    };
    let solid: Vec<Obstacle> = settings.solid_obstacles(0).map(|obstacle| obstacle.into_owned()).collect();
    let places = state.position.par_iter().map(|place| place.as_dvec3());
    places.flat_map_iter(|place| solid.iter().map(move |of| distance(of, place))).reduce(|| known, f64::min)
}

/// Every law with each kind of obstacle, walls and three time steps: no boid is inside after any of `STEPS` steps (60)
/// of `BOIDS` boids (500), looked at after each `EVERY` steps (1). Prints the least distance. `start` makes a flock of
/// such settings, from that state. `PRESET` names the one preset to try, `KIND` numbers the one obstacle of [`kinds`]
/// and `TIME_STEP` (0 to 2) the one time step, so that processes can share the work of a long run.
pub fn stay_outside<'a>(mut start: impl FnMut(&Settings, &BoidState) -> Stepping<'a>) {
    let number_of = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u32>().expect("a number"));
    let [steps, boids, every] =
        [("STEPS", 60), ("BOIDS", 500), ("EVERY", 1)].map(|(name, usual)| number_of(name).unwrap_or(usual));
    let (mut least_of_all, mut cases) = (f64::INFINITY, 0);
    let only = std::env::var("PRESET").ok();
    let [only_kind, only_time_step] = ["KIND", "TIME_STEP"].map(number_of);
    for row in PRESETS.iter().filter(|row| only.as_deref().is_none_or(|name| name == row.name)) {
        let plain = row.settings().with_plane(false).with_boids(boids);
        let kinds = (0..).zip(kinds(plain.world.half_size.x));
        for (k, obstacle) in kinds.filter(|(k, _)| only_kind.is_none_or(|kind| kind == *k)) {
            let factors = (0..).zip([1.0, 8.0, 60.0]);
            for (j, factor) in factors.filter(|(j, _)| only_time_step.is_none_or(|time_step| time_step == *j)) {
                let walls = [Walls::Push, Walls::Bounce, Walls::Wrap, Walls::None][(k + j) as usize % 4];
                let mut settings = Settings { obstacles: vec![obstacle.clone()], walls, ..plain.clone() };
                settings.time_step = (settings.time_step * factor).min(1.0);
                let spawned = spawn(&settings);
                let at_first = least_distance(&settings, &spawned);
                assert!(at_first > 0.0, "{} starts inside {obstacle}", row.name);
                let (mut advanced, mut least) = (start(&settings, &spawned), f64::INFINITY);
                for _ in 0..steps / every {
                    least = least_below(least, &settings, &advanced(every));
                }
                assert!(least >= 0.0, "{} and {obstacle}, walls {walls}, x{factor}: {least:e} inside", row.name);
                (least_of_all, cases) = (least_of_all.min(least), cases + 1);
            }
        }
    }
    assert!(cases > 0, "no preset is {only:?}, no kind {only_kind:?}, or no time step {only_time_step:?}");
    println!("{cases} flocks of {boids} boids, {steps} steps: the least distance from an obstacle is {least_of_all:e}");
}

/// How boids met obstacles in one step, on a device or an engine, and how the twin says they did.
#[derive(Debug, Default)]
pub struct Meetings {
    pub met: u32,
    pub off: u32,
}

impl Meetings {
    /// Compares the boids after a step from `start` with the twin's; all in the order of identity. Where a boid is on
    /// the brink of meeting an obstacle, rounding decides, and it may be a gap off: such are few, and no farther off.
    pub fn compare(&mut self, settings: &Settings, (start, step): (&BoidState, u32), got: &BoidState, case: &str) {
        let gap = settings.time_step * settings.full_speed() / 8.0;
        let (mut want, mut without) = (start.clone(), start.clone());
        starlings::reference::step(settings, &mut want, step);
        starlings::reference::step(&Settings { obstacles: Vec::new(), ..settings.clone() }, &mut without, step);
        let (want, without) = (want.by_id(), without.by_id());
        for i in 0..got.len() {
            let off = got.position[i].distance(want.position[i]);
            assert!(off < 2.0 * gap, "{case}: boid {i} is {off} off in step {step}");
            self.off += u32::from(off > 1e-5 * settings.world.half_size.x);
            self.met += u32::from(want.position[i].distance(without.position[i]) > 0.01 * gap);
        }
    }

    pub fn assert_enough(&self, case: &str) {
        assert!(self.met > 100, "{case}: only {} meet an obstacle", self.met);
        assert!(self.off * 200 <= self.met, "{case}: {} of {} are off", self.off, self.met);
    }
}
