//! The flock's state on the host, and its state at the start.

use super::grid::{cell_id, cell_of};
use super::layout::{Crowding, World};
use super::random::{self, Stream};
use super::search::GridKind;
use super::settings::Settings;
use super::spawn_shape::SpawnShape;
use super::torus::Torus;
use glam::Vec3;
use rayon::prelude::*;
use std::borrow::Cow;

/// A flock's state: entry `i` of each list belongs to one boid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoidState {
    /// Positions, in world units.
    pub position: Vec<Vec3>,
    /// The velocity slot: velocities in world units per second, or unit headings for a law that has
    /// [`uses_heading`](super::law::LawInfo::uses_heading), times the factors of the boids' own speeds.
    pub velocity: Vec<Vec3>,
    /// Identities: a permutation of `0..boids`. A boid keeps its own when sorting moves it.
    pub id: Vec<u32>,
}

/// Where a boid is along each axis, in world units, whose state was not finite: so far that it touches nobody, and yet
/// its square is finite. The same in `glsl/include/motion.glsl`.
pub const FAR: f32 = 1e18;

impl BoidState {
    /// Boids in the flock.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Whether there are no boids.
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }

    /// Removes all boids, and keeps the room for them.
    pub fn clear(&mut self) {
        self.position.clear();
        self.velocity.clear();
        self.id.clear();
    }

    /// Velocities in world units per second, for any law.
    pub fn velocities(&self, settings: &Settings) -> Vec<Vec3> {
        let scale = settings.speed_scale();
        self.velocity.iter().map(|&v| v * scale).collect()
    }

    /// The same flock, with boid `i` in place `i`.
    #[must_use]
    pub fn by_id(&self) -> BoidState {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.par_sort_unstable_by_key(|&i| self.id[i as usize]);
        self.in_order(&order)
    }

    /// The same flock, with boid `order[i]` in place `i`.
    #[must_use]
    pub fn in_order(&self, order: &[u32]) -> BoidState {
        let pick = |list: &[Vec3]| order.iter().map(|&i| list[i as usize]).collect();
        let id = order.iter().map(|&i| self.id[i as usize]).collect();
        BoidState { position: pick(&self.position), velocity: pick(&self.velocity), id }
    }

    /// How many boids are not finite: their state is not, or was not and they were put at [`FAR`].
    pub fn non_finite(&self) -> usize {
        (0..self.len()).filter(|&i| self.contained(i).0.x >= FAR).count()
    }

    fn is_finite(&self, i: usize) -> bool {
        self.position[i].is_finite() && self.velocity[i].is_finite()
    }

    /// Position and velocity slot of the boid in place `i`. One that is not finite is put far away, at rest, as a step
    /// would leave it.
    pub fn contained(&self, i: usize) -> (Vec3, Vec3) {
        match self.is_finite(i) {
            true => (self.position[i], self.velocity[i]),
            false => (Vec3::splat(FAR), Vec3::ZERO),
        }
    }

    /// Position of the boid in place `i`, as [`BoidState::contained`]; within the world, on a torus.
    pub fn placed(&self, i: usize, torus: Option<Torus>) -> Vec3 {
        let position = self.contained(i).0;
        torus.filter(|_| position.x < FAR).map_or(position, |torus| torus.place(position))
    }

    /// The same flock by identity, copied only if it is in another order. Steps that keep the order of boids, or of
    /// those within a cell, start from this one: so they lead to the same bits, however `self` is ordered.
    pub fn to_start_from(&self) -> Cow<'_, BoidState> {
        if self.id.is_sorted() { Cow::Borrowed(self) } else { Cow::Owned(self.by_id()) }
    }
}

/// A state for a flock to start from.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// The state of every boid.
    pub state: &'a BoidState,
    /// Steps that led to it.
    pub step: u32,
    /// Crowding of the cells, if known: counting a billion boids takes long.
    pub crowding: Option<Crowding>,
}

/// The flock at the start: positions as [`Settings::spawn`] says; directions uniform on the sphere, or on the circle on
/// a plane, at `spawn_speed` for laws that keep a velocity. Depends only on the settings.
pub fn spawn(settings: &Settings) -> BoidState {
    match starting_order(settings) {
        Some(order) => in_order(settings, order.par_iter().copied()),
        None => in_order(settings, (0..settings.boids).into_par_iter()),
    }
}

fn in_order(settings: &Settings, ids: impl IndexedParallelIterator<Item = u32> + Clone) -> BoidState {
    BoidState {
        position: ids.clone().map(|i| position_at_start(settings, i)).collect(),
        velocity: ids.clone().map(|i| velocity_at_start(settings, i)).collect(),
        id: ids.collect(),
    }
}

/// Flocks of more boids start in the order of their cells.
const ORDERED_ABOVE: u32 = 1 << 27;

/// The identities in the order of the boids at the start; `None` if they are in order of identity.
///
/// Every step sorts the boids; after the first they are nearly sorted. The first step of an unsorted flock scatters
/// boids over arrays of many gigabytes, which exceeds a device's address translation cache: on an NVIDIA H200 it takes
/// 27 s with 2^29 boids and 94 s with 2^30, while later steps take a fraction of a second.
pub fn starting_order(settings: &Settings) -> Option<Vec<u32>> {
    let sorted = settings.search.grid() == GridKind::CountingSorted;
    (sorted && settings.boids > ORDERED_ABOVE).then(|| by_cell(settings))
}

/// The identities, ordered by the cells in which boids start, and by number within a cell.
fn by_cell(settings: &Settings) -> Vec<u32> {
    let grid = settings.grid();
    let cell = |i: u32| cell_id(&grid, cell_of(&grid, position_at_start(settings, i)));
    let mut keys: Vec<u64> =
        (0..settings.boids).into_par_iter().map(|i| u64::from(cell(i)) << 32 | u64::from(i)).collect();
    keys.par_sort_unstable();
    keys.into_par_iter().map(|key| key as u32).collect()
}

/// Places that are tried for a boid whose place lies inside an obstacle. Where all of them do, its first step moves it.
const TRIES: u64 = 64;

/// Position of boid `i` at the start, in world units: outside of obstacles.
pub fn position_at_start(settings: &Settings, i: u32) -> Vec3 {
    let mut places = (0..TRIES).map(|draw| place_at_start(settings, i, draw));
    let first = places.next().expect("a place");
    if settings.obstacles.is_empty() || settings.obstacle_distance_at(first) > 0.0 {
        return first;
    }
    places.find(|&place| settings.obstacle_distance_at(place) > 0.0).unwrap_or(first)
}

/// Balls of a cloud. Each has half the size of the world, its middle in the inner half.
pub const CLOUD_BALLS: u64 = 7;

fn place_at_start(settings: &Settings, i: u32, draw: u64) -> Vec3 {
    let World { center, half_size } = settings.world;
    // A ball takes several draws.
    let index = u64::from(i) + (draw << 32);
    match settings.spawn {
        SpawnShape::Box => center + half_size * random::in_cube(settings.seed, Stream::Position, index, 0),
        SpawnShape::FlatBall => {
            let radius = half_size.x.min(half_size.z);
            center + (random::in_ball(settings.seed, Stream::Position, index) * radius).with_y(0.0)
        }
        SpawnShape::Cloud => {
            let seed = settings.seed;
            let ball = random::bits(seed, Stream::Cloud, index, 0) % CLOUD_BALLS;
            // The last indexes, which no boid has.
            let middle = random::in_ball(seed, Stream::Cloud, u64::MAX - ball);
            let points = [Stream::Position, Stream::Cloud].map(|stream| random::in_ball(seed, stream, index));
            center + half_size * (0.5 * middle + 0.25 * (points[0] + points[1]))
        }
    }
}

/// The velocity slot of boid `i` at the start: see [`BoidState::velocity`].
pub fn velocity_at_start(settings: &Settings, i: u32) -> Vec3 {
    let usual = if settings.law.info().uses_heading { 1.0 } else { settings.spawn_speed };
    let speed = usual * settings.own_speed(i);
    let direction = random::direction(settings.seed, Stream::Direction, u64::from(i));
    speed * if settings.plane { flat(direction) } else { direction }
}

/// The direction in the plane: uniform on the circle, if `direction` is uniform on the sphere.
fn flat(direction: Vec3) -> Vec3 {
    direction.with_y(0.0).try_normalize().unwrap_or(Vec3::X)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_fixes_the_flock() {
        let settings = Settings::preset("reynolds").expect("a known preset").with_boids(5_000);
        let flock = spawn(&settings);
        assert_eq!(flock, spawn(&settings));
        assert_ne!(flock, spawn(&Settings { seed: 2, ..settings.clone() }));
        assert_eq!(flock.len(), 5_000);
        for (p, v) in flock.position.iter().zip(&flock.velocity) {
            assert!((*p - settings.world.center).abs().cmple(settings.world.half_size).all());
            assert!((v.length() - 2.0).abs() < 1e-5, "half of max_speed 4");
        }
    }

    #[test]
    fn headings_are_unit_vectors_and_velocities_follow() {
        let settings = Settings::preset("counting-sort").expect("a known preset").with_boids(100);
        let flock = spawn(&settings);
        for (h, v) in flock.velocity.iter().zip(flock.velocities(&settings)) {
            assert!((h.length() - 1.0).abs() < 1e-6);
            assert!((v.length() - settings.rules.move_speed).abs() < 1e-4);
        }
    }

    #[test]
    fn a_flat_ball_is_flat_and_round() {
        let mut settings = Settings::preset("cursor").expect("a known preset").with_boids(2_000).with_world_size(200.0);
        settings.world.center = Vec3::new(1.0, 7.0, -2.0);
        let flock = spawn(&settings);
        let mut within = 0;
        for (p, v) in flock.position.iter().zip(&flock.velocity) {
            let from_center = *p - settings.world.center;
            assert_eq!(p.y, 7.0);
            assert!(from_center.length() <= 100.0001, "{from_center}");
            assert!((v.length() - 10.0).abs() < 1e-4);
            within += u32::from(from_center.length() < 50.0);
        }
        // Of a ball, 1 - (3/4)^(3/2) lies within half its radius of an axis: 35 %; of an even disk it would be 25 %.
        assert!((640..760).contains(&within), "{within}");
    }

    #[test]
    fn a_cloud_is_soft_and_within_the_world() {
        let mut settings = Settings::preset("reynolds").expect("a known preset").with_boids(20_000);
        settings.spawn = SpawnShape::Cloud;
        let World { center, half_size } = settings.world;
        let flock = spawn(&settings);
        let from_middle: Vec<f32> = flock.position.iter().map(|p| ((*p - center) / half_size).length()).collect();
        assert!(from_middle.iter().all(|&at| at <= 1.0));
        // The mean of two points of a ball is seldom near its edge: of the whole cloud a hundredth is outside of 0.85.
        assert!(from_middle.iter().filter(|&&at| at > 0.85).count() < 200);
        let cells = crate::flock::crowding::count(&settings.grid(), flock.len(), |i| flock.position[i]);
        assert!(cells.fullest < 100, "no boids at one place: {cells:?}");
        assert_ne!(flock, spawn(&Settings { seed: 2, ..settings }));
    }

    #[test]
    fn on_a_plane_everything_is_flat() {
        for preset in super::super::PRESETS {
            let mut settings = preset.settings().with_boids(500).on_plane();
            settings.world.center.y = 0.3;
            let flock = spawn(&settings);
            assert!(flock.position.iter().all(|p| p.y == 0.3) && flock.velocity.iter().all(|v| v.y == 0.0));
        }
    }

    #[test]
    fn by_id_undoes_a_shuffle() {
        let settings = Settings::preset("reynolds").expect("a known preset").with_boids(50);
        let flock = spawn(&settings);
        let mut shuffled = flock.clone();
        shuffled.position.reverse();
        shuffled.velocity.reverse();
        shuffled.id.reverse();
        assert_eq!(shuffled.by_id(), flock);
    }

    #[test]
    fn a_flock_in_the_order_of_its_cells_is_the_same_flock() {
        let settings = Settings::preset("reynolds").expect("a known preset").with_boids(5_000);
        assert_eq!(starting_order(&settings), None, "a small flock starts by identity");
        let ordered = in_order(&settings, by_cell(&settings).par_iter().copied());
        let grid = settings.grid();
        assert!(ordered.position.is_sorted_by_key(|&position| cell_id(&grid, cell_of(&grid, position))));
        assert_ne!(ordered.id, spawn(&settings).id);
        assert_eq!(ordered.by_id(), spawn(&settings));
    }
}
