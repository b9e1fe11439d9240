//! Everything a user may choose about a flock, and the check of it.
//!
//! [`Settings`] is plain data. [`Settings::validate`] is the one gate: what it accepts, the grid, the kernels
//! and the CPU twins handle without a further check.

mod tunables;
mod validate;

pub use tunables::{TUNABLES, Tunable};

use super::cursor::{self, Waypoint};
use super::engine::EngineKind;
use super::grid;
use super::law::Law;
use super::layout::{Grid, NO_LEADER, Rules, SquaredRadii, StepParams, World};
use super::preset::Preset;
use super::search::Search;
use super::spawn::SpawnShape;
use super::targets;
use super::walls::Walls;
use crate::error::Result;
use glam::Vec3;

/// The largest flock: indices and their sums stay far from the end of 32 bits.
pub const MAX_BOIDS: u32 = 1 << 30;

/// The shortest and the longest accepted length, in world units. Their squares and quotients are ordinary
/// single-precision numbers, which the grid's rounding argument relies on.
pub const LENGTHS: (f32, f32) = (1e-6, 1e6);

/// All that determines a flock's course: the same settings give the same start and the same laws.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// What a boid does with its neighbors.
    pub law: Law,
    /// Where it is stepped. Changes the time a step takes, not where the boids fly.
    pub engine: EngineKind,
    /// How a boid finds its neighbors; one of the engine's searches. Changes the time a step takes, not where the boids fly.
    pub search: Search,
    /// The preset these settings began as.
    pub preset: &'static str,
    /// Boids in the flock.
    pub boids: u32,
    /// Seed of every random choice.
    pub seed: u64,
    /// Simulated seconds in a step.
    pub time_step: f32,
    /// Whether the flock stays in the plane through the middle of the world, with no height: positions keep the
    /// center's y, to the bit. [`Settings::on_plane`] flattens the world with it.
    pub plane: bool,
    /// The box that holds the flock; on a plane, half its height is 0.
    pub world: World,
    /// What happens at its walls.
    pub walls: Walls,
    /// Where boids start.
    pub spawn: SpawnShape,
    /// Speed at the start, in world units per second, of laws without a constant speed.
    pub spawn_speed: f32,
    /// Places that the cursor goes through in runs without a mouse, in the order of their times; none lets it circle: see
    /// [`cursor`].
    pub cursor: Vec<Waypoint>,
    /// Constants of the rules. `search_radius` is derived: see [`Settings::search_radius`].
    pub rules: Rules,
    /// The boid that others follow.
    pub leader: Option<u32>,
    /// How much they follow it.
    pub leader_weight: f32,
    /// The current that boids go with, in world units per second; zero for none.
    pub current: Vec3,
    /// How much they go with it.
    pub current_weight: f32,
    /// Share of the flock that targets, leader and current influence.
    pub influenced: f32,
    /// Targets that attract the flock, at most [`MAX_TARGETS`](crate::limits::MAX_TARGETS).
    pub targets: u32,
    /// Simulated seconds after which the targets are drawn anew.
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

    /// The same flock with another count of boids: the density stays, the world follows.
    #[must_use]
    pub fn with_boids(mut self, boids: u32) -> Settings {
        let density = self.density();
        self.boids = boids;
        self.with_density(density)
    }

    /// The same flock at another density, in boids per cubic world unit, or per square one on a plane: the world becomes a
    /// cube, or a square, that holds the count at that density.
    #[must_use]
    pub fn with_density(self, density: f32) -> Settings {
        let size = f64::from(self.boids.max(1)) / f64::from(density);
        let edge = if self.plane { size.sqrt() } else { size.cbrt() };
        self.with_world_size(edge as f32)
    }

    /// The same flock on a plane, as dense as its preset says.
    ///
    /// # Panics
    /// When the settings began as no preset.
    #[must_use]
    pub fn on_plane(self) -> Settings {
        self.with_plane(true)
    }

    /// The same flock on a plane or not; where that changes, as dense as its preset says.
    ///
    /// # Panics
    /// When the settings began as no preset.
    #[must_use]
    pub fn with_plane(mut self, plane: bool) -> Settings {
        if self.plane == plane {
            return self;
        }
        self.plane = plane;
        let preset = Preset::named(self.preset).expect("settings begin as a preset");
        self.with_density(if plane { preset.plane_density } else { preset.density })
    }

    /// The same flock in a cube of another edge, in world units, or in a square on a plane. The pull of a target at half the edge stays
    /// what it was, so `target_weight` of a law whose pull grows with the distance follows; the spheres drawn at the targets keep their share of the cube.
    #[must_use]
    pub fn with_world_size(mut self, edge: f32) -> Settings {
        let half_size = Vec3::splat(edge * 0.5);
        self.target_radius *= half_size.x / self.world.half_size.max_element();
        if self.law == Law::Heading {
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

    /// The distance within which any rule looks, in world units: the largest of the three radii.
    pub fn search_radius(&self) -> f32 {
        let rules = &self.rules;
        rules.separation_radius.max(rules.alignment_radius).max(rules.cohesion_radius)
    }

    /// Neighbors within the search radius that a boid of a uniform flock has, away from the walls.
    pub fn mean_neighbors(&self) -> f32 {
        let radius = self.search_radius();
        let reach = if self.plane { radius.powi(2) } else { 4.0 / 3.0 * radius.powi(3) };
        self.density() * std::f32::consts::PI * reach
    }

    /// The neighbor grid of these settings.
    pub fn grid(&self) -> Grid {
        grid::fit(&self.world, self.search_radius(), self.boids, self.search.info().columns)
    }

    /// What the kernels read in step number `step`, which counts from 0.
    pub fn step_params(&self, step: u32) -> StepParams {
        let rules = Rules { search_radius: self.search_radius(), ..self.rules };
        let grid = self.grid();
        StepParams {
            boid_count: self.boids,
            step,
            time_step: self.time_step,
            target_count: self.targets,
            grid,
            world: self.world,
            walls: self.walls_met() as u32,
            rules,
            squared_radii: SquaredRadii::of(&rules),
            chords: grid::chords(&grid, rules.search_radius),
            cursor: cursor::at_step(self, step),
            leader: self.leader.unwrap_or(NO_LEADER),
            current: self.current_met(),
            targets: targets::at_step(self, step),
        }
    }

    /// What happens at the walls of the world. [`Law::Probe`] moves nobody, so there it is nothing.
    pub fn walls_met(&self) -> Walls {
        if self.law == Law::Probe { Walls::None } else { self.walls }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_world_follows_the_count() {
        let small = Settings::preset("reynolds").expect("a known preset").with_boids(1_000);
        let large = Settings::preset("reynolds").expect("a known preset").with_boids(8_000);
        assert!((large.world.half_size.x / small.world.half_size.x - 2.0).abs() < 1e-5);
        assert_eq!(small.search_radius(), large.search_radius());
        assert!((15.0..35.0).contains(&small.mean_neighbors()), "{}", small.mean_neighbors());
    }
}
