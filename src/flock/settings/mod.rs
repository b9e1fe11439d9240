//! Everything a user may choose about a flock, and the check of it.
//!
//! [`Settings`] is plain data. [`Settings::validate`] is the only check: the grid, the kernels and the CPU twins rely
//! on it.

pub(super) mod tunables;
mod validate;

pub use super::paths::{Paths, Waypoint};
pub(in crate::flock) use tunables::number as check_number;
pub use tunables::{TUNABLES, Tunable, Unit, in_unit};

use super::engine::EngineKind;
use super::grid;
use super::kinds::{Feeling, Kind, Speeds};
use super::law::Law;
use super::layout::{Grid, Point, Rules, World};
use super::manners::NoiseForm;
use super::obstacles::Obstacle;
use super::preset::Preset;
use super::search::Search;
use super::spawn_shape::SpawnShape;
use super::states::States;
use super::walls::Walls;
use crate::error::Result;
use glam::Vec3;
use std::f64::consts::PI;
use std::sync::Arc;

/// The largest flock: indices and their sums stay far from the end of 32 bits.
pub const MAX_BOIDS: u32 = 1 << 30;

/// The shortest and the longest accepted length, in world units. Their squares and quotients are ordinary
/// single-precision numbers, which the grid's rounding argument relies on.
pub const LENGTHS: (f32, f32) = (1e-6, 1e6);

/// All settings of a flock: the same settings give the same start and the same laws. Functions that take them may panic
/// for those that [`Settings::validate`] refuses, and for the name of a preset that there is not.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// What a boid does with its neighbors.
    pub law: Law,
    /// The engine. It affects the time of a step, not the motion, except by rounding.
    pub engine: EngineKind,
    /// The search; one of the engine's searches. It affects the time of a step, not the motion, except by rounding.
    pub search: Search,
    /// The preset that these settings started from.
    pub preset: &'static str,
    /// Boids in the flock.
    pub boids: u32,
    /// Seed of every random choice.
    pub seed: u64,
    /// Simulated seconds in a step.
    pub time_step: f32,
    /// Whether the flock stays in the plane through the world's center: positions keep the center's y exactly.
    /// [`Settings::on_plane`] also flattens the world.
    pub plane: bool,
    /// The box that holds the flock; on a plane, half its height is 0.
    pub world: World,
    /// What happens at its walls.
    pub walls: Walls,
    /// Where boids start.
    pub spawn: SpawnShape,
    /// Speed at the start, in world units per second, of laws without a constant speed.
    pub spawn_speed: f32,
    /// The cursor's path in runs without a mouse, ordered by time. If empty, it circles: see [`cursor`](super::cursor).
    pub cursor: Vec<Waypoint>,
    /// Constants of the rules. `search_radius` is derived: see [`Settings::search_radius`].
    pub rules: Rules,
    /// The boid that others follow.
    pub leader: Option<u32>,
    /// Strength of the pull towards it.
    pub leader_weight: f32,
    /// The current that carries boids, in world units per second; zero for none.
    pub current: Vec3,
    /// Strength of the current.
    pub current_weight: f32,
    /// The way of a predator that boids flee from, ordered by time, as that of the cursor. If empty, there is none.
    pub predator: Vec<Waypoint>,
    /// Points that attract or repel, at most [`MAX_POINTS`](crate::limits::MAX_POINTS), a predator included.
    pub points: Vec<Point>,
    /// Solid obstacles, at most [`MAX_OBSTACLES`](crate::limits::MAX_OBSTACLES).
    pub obstacles: Vec<Obstacle>,
    /// Where points and obstacles go.
    pub paths: Paths,
    /// How far ahead a boid sees an obstacle, in world units.
    pub obstacle_distance: f32,
    /// Strength of the steering away from obstacles.
    pub obstacle_weight: f32,
    /// Angle between a boid's direction and the edge of its field of view, in degrees; 180 for all around.
    pub view_angle: f32,
    /// Distance within which a neighbor counts on all sides, in view or not, in world units.
    pub felt_distance: f32,
    /// Neighbors of a boid, at most: the nearest within the radius, of equally near ones those of the lowest ids; 0 for
    /// no limit. With a limit, radii may be infinite.
    pub nearest: u32,
    /// Lower limit of the speed, in world units per second, of laws without a constant speed; 0 for none.
    pub min_speed: f32,
    /// Upper limit of a boid's turn, in degrees per second; 0 for none.
    pub max_turn: f32,
    /// Strength of the noise in a boid's direction, from 0 for none: see [`NoiseForm`].
    pub noise: f32,
    /// What the noise does.
    pub noise_form: NoiseForm,
    /// Kinds of boids, at most [`MAX_KINDS`](crate::limits::MAX_KINDS); empty where all are alike.
    pub kinds: Vec<Kind>,
    /// What boids of a kind feel for those of another, where that is not the usual: see [`kinds`](super::kinds).
    pub feelings: Vec<Feeling>,
    /// A factor of the speeds of each boid, if they differ.
    pub speeds: Option<Speeds>,
    /// Whether each boid has a state, and which ones there are.
    pub states: States,
    /// Share of the flock that targets, leader and current influence.
    pub influenced: f32,
    /// A factor for each boid, by identity, from 0 on, in place of that share: targets, leader and current influence it
    /// so much.
    pub weights: Option<Arc<[f32]>>,
    /// Targets that attract the flock, at most [`MAX_TARGETS`](crate::limits::MAX_TARGETS).
    pub targets: u32,
    /// Simulated seconds after which the targets move.
    pub target_period: f32,
    /// Radius of the sphere drawn at a target, in world units.
    pub target_radius: f32,
}

impl Settings {
    /// The settings of a preset, with its own count of boids. [`Settings::with_boids`] changes the count.
    ///
    /// # Errors
    /// [`crate::Error::Setting`] for an unknown name, with the nearest known one offered.
    pub fn preset(name: &str) -> Result<Settings> {
        Ok(Preset::named(name)?.settings())
    }

    /// The same flock with another count of boids: the density is kept, and the world scales.
    #[must_use]
    pub fn with_boids(mut self, boids: u32) -> Settings {
        let density = self.density();
        self.boids = boids;
        self.with_density(density)
    }

    /// The same flock at another density, in boids per cubic world unit, or per square one on a plane: the world
    /// becomes a cube, or a square, that holds the count at that density.
    #[must_use]
    pub fn with_density(self, density: f32) -> Settings {
        let size = f64::from(self.boids.max(1)) / f64::from(density);
        let edge = if self.plane { size.sqrt() } else { size.cbrt() };
        self.with_world_size(edge as f32)
    }

    /// The same flock on a plane, at its preset's density.
    ///
    /// # Panics
    /// When the settings did not start from a preset.
    #[must_use]
    pub fn on_plane(self) -> Settings {
        self.with_plane(true)
    }

    /// The same flock on a plane or not; if that changes, at its preset's density.
    ///
    /// # Panics
    /// When the settings did not start from a preset.
    #[must_use]
    pub fn with_plane(mut self, plane: bool) -> Settings {
        if self.plane == plane {
            return self;
        }
        self.plane = plane;
        let preset = Preset::named(self.preset).expect("settings begin as a preset");
        self.with_density(if plane { preset.plane_density } else { preset.density })
    }

    /// The same flock in a cube of another edge, in world units, or in a square on a plane. The pull of a target at
    /// half the edge is kept: `target_weight` scales if the pull grows with the distance. So do the targets' spheres.
    #[must_use]
    pub fn with_world_size(mut self, edge: f32) -> Settings {
        let half_size = Vec3::splat(edge * 0.5);
        let radius = self.target_radius * half_size.x / self.world.half_size.max_element();
        // In the smallest worlds the spheres stay as large as a radius must be. NaN stays, to be refused.
        self.target_radius = if radius < LENGTHS.0 { LENGTHS.0 } else { radius };
        if self.law.has_own_targets() {
            self.rules.target_weight *= self.world.half_size.max_element() / half_size.x;
        }
        self.world.half_size = if self.plane { half_size.with_y(0.0) } else { half_size };
        self
    }

    /// The same flock with one radius for separation, alignment and cohesion.
    #[must_use]
    pub fn with_radius(mut self, radius: f32) -> Settings {
        self.rules.separation_radius = radius;
        self.rules.alignment_radius = radius;
        self.rules.cohesion_radius = radius;
        self
    }

    /// Boids per cubic world unit, or per square one on a plane.
    pub fn density(&self) -> f32 {
        let size = self.world.half_size.as_dvec3() * 2.0;
        let height = if self.plane { 1.0 } else { size.y };
        (f64::from(self.boids) / (size.x * height * size.z)) as f32
    }

    /// Whether the nearest few count wherever they are: some radius is infinite.
    pub fn has_no_radius(&self) -> bool {
        self.rules.reach() == f32::INFINITY
    }

    /// The distance within which a search looks, in world units: the largest of the three radii. Without a radius, one
    /// within which of a uniform flock about one boid in ten thousand finds fewer than the nearest few, and looks
    /// farther: there its count of neighbors, whose deviation is its root, is (√few + 2)² on average.
    pub fn search_radius(&self) -> f32 {
        if !self.has_no_radius() {
            return self.rules.reach();
        }
        let mean = (f64::from(self.nearest.max(1)).sqrt() + 2.0).powi(2);
        let size = mean / (PI * f64::from(self.density()));
        let radius = if self.plane { size.sqrt() } else { (0.75 * size).cbrt() };
        // On a torus, no farther than images are.
        let periods = self.torus().map(|torus| torus.period());
        let shortest = periods.map_or(f64::INFINITY, |p| p.x.min(p.z).min(if self.plane { p.x } else { p.y }));
        radius.clamp(LENGTHS.0.into(), LENGTHS.1.into()).min(0.499_999 * shortest) as f32
    }

    /// Mean count of neighbors within the search radius in a uniform flock, away from the walls.
    pub fn mean_neighbors(&self) -> f32 {
        let radius = self.search_radius();
        let reach = if self.plane { radius.powi(2) } else { 4.0 / 3.0 * radius.powi(3) };
        self.density() * PI as f32 * reach
    }

    /// The neighbor grid of these settings.
    pub fn grid(&self) -> Grid {
        let columns = self.search.info().columns;
        grid::fit(&self.world, self.search_radius(), self.boids, columns, self.torus().is_some())
    }

    /// Whether kernels of such a flock may access arrays by address, where descriptors do not reach. Those of states do
    /// not.
    pub fn can_be_by_address(&self) -> bool {
        self.search.info().by_address && !self.states.is_on()
    }

    /// World units per second for one unit of the velocity slot.
    pub fn speed_scale(&self) -> f32 {
        if self.law.info().uses_heading { self.rules.move_speed } else { 1.0 }
    }

    /// The maximum speed of a boid, in world units per second.
    pub fn full_speed(&self) -> f32 {
        let usual = if self.law.info().uses_heading { self.rules.move_speed } else { self.rules.max_speed };
        usual * self.largest_own_speed()
    }

    /// What happens at the walls of the world. Under [`Law::Probe`] boids do not move, so it is nothing, but they see
    /// each other through walls that wrap.
    pub fn walls_met(&self) -> Walls {
        if self.law == Law::Probe && self.walls != Walls::Wrap { Walls::None } else { self.walls }
    }
}

#[cfg(test)]
mod tests {
    use super::super::preset::PRESETS;
    use super::*;

    #[test]
    fn every_preset_is_valid_at_every_count() {
        for preset in PRESETS {
            for boids in [1, 100, 4_000_000, 1 << 30] {
                // A torus of few is too short.
                let settings = Settings { walls: Walls::None, ..preset.settings().with_plane(false).with_boids(boids) };
                settings.validate().expect("a preset is valid");
                assert!((settings.density() / preset.density - 1.0).abs() < 1e-3, "{}", settings.density());
                let distance = if settings.law.has_own_targets() { settings.world.half_size.x } else { 1.0 };
                let pull = settings.rules.target_weight * distance;
                assert!((pull - (preset.start)().rules.target_weight).abs() < 1e-3, "{pull}");
                let flat = settings.on_plane();
                flat.validate().expect("so it is on a plane");
                assert!((flat.density() / preset.plane_density - 1.0).abs() < 1e-3, "{}", flat.density());
            }
        }
    }

    #[test]
    fn every_preset_is_valid_in_the_smallest_and_the_largest_world() {
        for preset in PRESETS {
            for edge in [LENGTHS.0, 10.0 * LENGTHS.0, LENGTHS.1] {
                let settings = Settings { walls: Walls::None, ..preset.settings().with_world_size(edge) };
                settings.validate().expect("an edge that is accepted");
            }
        }
    }

    #[test]
    fn the_world_follows_the_count() {
        let small = Settings::preset("reynolds").expect("a known preset").with_boids(1_000);
        let large = Settings::preset("reynolds").expect("a known preset").with_boids(8_000);
        assert!((large.world.half_size.x / small.world.half_size.x - 2.0).abs() < 1e-5);
        assert_eq!(small.search_radius(), large.search_radius());
        assert!((15.0..35.0).contains(&small.mean_neighbors()), "{}", small.mean_neighbors());
    }
}
