//! Everything a user may choose about a flock, and the check of it.
//!
//! [`Settings`] is plain data. [`Settings::validate`] is the one gate: what it accepts, the grid, the kernels
//! and the CPU twins handle without a further check.

use super::cursor::{self, Waypoint};
use super::engine::EngineKind;
use super::grid;
use super::heeded::NO_LEADER;
use super::law::{Law, Radii};
use super::layout::{Grid, Rules, SquaredRadii, StepParams, World};
use super::preset::Preset;
use super::search::Search;
use super::spawn::SpawnShape;
use super::targets;
use super::walls::Walls;
use crate::error::{Error, Result};
use crate::limits::MAX_TARGETS;
use glam::Vec3;
use std::cmp::Ordering;

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
    /// Share of the flock that heeds targets, leader and current, by a law that knows nothing of them.
    pub heed: f32,
    /// Targets that attract the flock, at most [`MAX_TARGETS`].
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
    /// [`Error::Setting`] for an unknown name, with the nearest known one offered.
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
        if self.law == Law::CountingSort {
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
        StepParams {
            boid_count: self.boids,
            step,
            time_step: self.time_step,
            target_count: self.targets,
            grid: self.grid(),
            world: self.world,
            walls: self.walls_met() as u32,
            rules,
            squared_radii: SquaredRadii::of(&rules),
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

    /// Checks every setting.
    ///
    /// # Errors
    /// [`Error::Setting`] names the first setting that cannot be used, its value and what is accepted.
    pub fn validate(&self) -> Result<()> {
        count("--boids", self.boids, 1, MAX_BOIDS)?;
        count("--targets", self.targets, 0, MAX_TARGETS)?;
        for tunable in TUNABLES {
            tunable.check(self)?;
        }
        for (axis, center, half_size) in [
            ("x", self.world.center.x, self.world.half_size.x),
            ("y", self.world.center.y, self.world.half_size.y),
            ("z", self.world.center.z, self.world.half_size.z),
        ] {
            let (least, most) = LENGTHS;
            number(&format!("--world-center ({axis})"), center, -most, most, "world units")?;
            // The user gives the edge; half of it is stored.
            if axis != "y" || !self.plane || half_size != 0.0 {
                number(&format!("--world-size ({axis})"), 2.0 * half_size, least, most, "world units")?;
            }
        }
        if self.plane && self.world.half_size.y != 0.0 {
            let value = (2.0 * self.world.half_size.y).to_string();
            let accepted = "0: a plane has no height".into();
            return Err(Error::Setting { name: "--world-size (y)".into(), value, accepted });
        }
        if self.walls == Walls::Push && self.law != Law::Probe && !self.law.pushes() {
            let accepted = format!("bounce, wrap or none: {} has no force for walls", self.law);
            return Err(Error::Setting { name: "--walls".into(), value: "push".into(), accepted });
        }
        if let Some(leader) = self.leader.filter(|&leader| leader >= self.boids) {
            let accepted = format!("a boid's number from 0 to {}", self.boids - 1);
            return Err(Error::Setting { name: "--leader".into(), value: leader.to_string(), accepted });
        }
        for part in self.current.to_array() {
            number("--current", part, -LENGTHS.1, LENGTHS.1, "world units per second")?;
        }
        for pair in self.cursor.windows(2) {
            if pair[1].seconds.partial_cmp(&pair[0].seconds) != Some(Ordering::Greater) {
                let value = pair[1].seconds.to_string();
                let accepted = format!("a time after {}, that of the waypoint before, in seconds", pair[0].seconds);
                return Err(Error::Setting { name: "--cursor (time)".into(), value, accepted });
            }
        }
        for Waypoint { seconds, position } in &self.cursor {
            number("--cursor (time)", *seconds, 0.0, LENGTHS.1, "seconds")?;
            for place in position.to_array() {
                number("--cursor", place, -LENGTHS.1, LENGTHS.1, "world units")?;
            }
        }
        self.check_radii()
    }

    /// Checks that radii which the law does not tell apart are the same.
    fn check_radii(&self) -> Result<()> {
        let rules = &self.rules;
        let same = |name: &str, other: f32, radius: f32, of: &str| {
            if other == radius {
                return Ok(());
            }
            let accepted = format!("{radius}, the {of} radius: {} has one radius for both", self.law);
            Err(Error::Setting { name: name.into(), value: other.to_string(), accepted })
        };
        match self.law.info().radii {
            Radii::One => {
                same("--alignment-radius", rules.alignment_radius, rules.separation_radius, "separation")?;
                same("--cohesion-radius", rules.cohesion_radius, rules.separation_radius, "separation")
            }
            Radii::Two => same("--cohesion-radius", rules.cohesion_radius, rules.alignment_radius, "alignment"),
            Radii::Three => Ok(()),
        }
    }
}

/// A setting that is one number, by the name under which users know it.
#[derive(Clone, Copy, Debug)]
pub struct Tunable {
    /// The command line's name, e.g. `--separation-radius`.
    pub name: &'static str,
    /// What it is, in one sentence without a full stop.
    pub about: &'static str,
    /// Its unit, empty for plain numbers.
    pub unit: &'static str,
    /// The least value accepted.
    pub least: f32,
    /// The greatest value accepted.
    pub most: f32,
    /// Where it is kept.
    pub field: fn(&mut Settings) -> &mut f32,
    /// Its value.
    pub value: fn(&Settings) -> f32,
}

impl Tunable {
    /// What is accepted for it, with its unit.
    pub fn accepted(&self) -> String {
        accepted(f32::NAN, self.least, self.most, self.unit)
    }

    /// Both ends of what is accepted for it, with its unit.
    pub fn range(&self) -> String {
        accepted(f32::INFINITY, self.least, self.most, self.unit)
    }

    /// Fails unless the setting's value is finite and in range.
    fn check(&self, settings: &Settings) -> Result<()> {
        number(self.name, (self.value)(settings), self.least, self.most, self.unit)
    }
}

/// Rows of [`TUNABLES`]: name, meaning, unit, accepted range, field.
macro_rules! tunables {
    ($($name:literal, $about:literal, $unit:literal, $least:expr, $most:expr, $($field:ident).+;)*) => {
        &[$(Tunable {
            name: $name,
            about: $about,
            unit: $unit,
            least: $least,
            most: $most,
            field: |settings| &mut settings.$($field).+,
            value: |settings| settings.$($field).+,
        }),*]
    };
}

/// Every setting that is one number. Names and meanings are what users see in `--help` and in the panels.
pub const TUNABLES: &[Tunable] = tunables! {
    "--separation-radius", "Distance within which a neighbor repels",
        "world units", LENGTHS.0, LENGTHS.1, rules.separation_radius;
    "--alignment-radius", "Distance within which a neighbor's heading counts",
        "world units", LENGTHS.0, LENGTHS.1, rules.alignment_radius;
    "--cohesion-radius", "Distance within which a neighbor attracts",
        "world units", LENGTHS.0, LENGTHS.1, rules.cohesion_radius;
    "--separation-weight", "Strength of separation",
        "", -1e6, 1e6, rules.separation_weight;
    "--alignment-weight", "Strength of alignment",
        "", -1e6, 1e6, rules.alignment_weight;
    "--cohesion-weight", "Strength of cohesion",
        "", -1e6, 1e6, rules.cohesion_weight;
    "--target-weight", "Strength of the pull towards the nearest target",
        "", -1e6, 1e6, rules.target_weight;
    "--wall-weight", "Strength of the push back into the world",
        "world units per second squared", 0.0, 1e6, rules.wall_weight;
    "--move-speed", "Speed of laws with a constant speed",
        "world units per second", LENGTHS.0, LENGTHS.1, rules.move_speed;
    "--max-speed", "Upper limit of the speed",
        "world units per second", LENGTHS.0, LENGTHS.1, rules.max_speed;
    "--max-force", "Upper limit of a steering force",
        "world units per second squared", LENGTHS.0, LENGTHS.1, rules.max_force;
    "--turn-rate", "How fast a heading turns into the force",
        "per second", 0.0, 1e6, rules.turn_rate;
    "--blend", "Share of the wanted velocity in the new one, at each step",
        "", 0.0, 1.0, rules.blend;
    "--cursor-distance", "Distance beyond which the cursor attracts, and within which it repels",
        "world units", LENGTHS.0, LENGTHS.1, rules.cursor_distance;
    "--cursor-attraction", "Strength of the cursor's attraction, which grows with the distance",
        "", -1e6, 1e6, rules.cursor_attraction;
    "--cursor-repulsion", "Strength of the cursor's repulsion",
        "", -1e6, 1e6, rules.cursor_repulsion;
    "--leader-weight", "How much boids follow the leader",
        "", -1e6, 1e6, leader_weight;
    "--current-weight", "How much boids go with the current",
        "", -1e6, 1e6, current_weight;
    "--heed", "Share of the flock that heeds targets, leader and current",
        "", 0.0, 1.0, heed;
    "--spawn-speed", "Speed at the start",
        "world units per second", 0.0, LENGTHS.1, spawn_speed;
    "--time-step", "Simulated time in a step",
        "seconds", 1e-6, 1.0, time_step;
    "--target-period", "Simulated time after which the targets are drawn anew",
        "seconds", 1e-3, 1e6, target_period;
    "--target-radius", "Radius of the sphere drawn at a target",
        "world units", LENGTHS.0, LENGTHS.1, target_radius;
};

fn count(name: &str, value: u32, least: u32, most: u32) -> Result<()> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    let accepted = format!("a whole number from {least} to {most}");
    Err(Error::Setting { name: name.into(), value: value.to_string(), accepted })
}

fn number(name: &str, value: f32, least: f32, most: f32, unit: &str) -> Result<()> {
    // NaN is in no range.
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(Error::Setting { name: name.into(), value: value.to_string(), accepted: accepted(value, least, most, unit) })
}

/// What is accepted in place of `value`. The least value matters only to those who came near it.
fn accepted(value: f32, least: f32, most: f32, unit: &str) -> String {
    let range = if least > 0.0 && (value.is_nan() || value <= 0.0) {
        "a number above 0".to_owned()
    } else {
        format!("a number from {least} to {most}")
    };
    match unit {
        "" => range,
        rate if rate.starts_with("per ") => format!("{range}, {rate}"),
        unit => format!("{range}, in {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        Settings::preset("reynolds").expect("a known preset")
    }

    #[test]
    fn each_number_is_checked_under_its_own_name() {
        for tunable in TUNABLES {
            for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, tunable.most * 1.01] {
                let mut settings = settings();
                *(tunable.field)(&mut settings) = bad;
                let message = settings.validate().expect_err("out of range").to_string();
                assert!(message.starts_with(&format!("{} is ", tunable.name)), "{message}");
            }
        }
    }

    #[test]
    fn messages_say_what_is_accepted() {
        let mut settings = settings();
        settings.rules.separation_radius = -2.0;
        assert_eq!(
            settings.validate().expect_err("negative").to_string(),
            "--separation-radius is -2; accepted is a number above 0, in world units"
        );
        let settings = Settings { boids: 0, ..self::settings() };
        assert_eq!(
            settings.validate().expect_err("no boids").to_string(),
            "--boids is 0; accepted is a whole number from 1 to 1073741824"
        );
        let mut settings = self::settings();
        settings.world.half_size.y = f32::NAN;
        assert_eq!(
            settings.validate().expect_err("no world").to_string(),
            "--world-size (y) is NaN; accepted is a number above 0, in world units"
        );
    }

    #[test]
    fn a_law_with_one_radius_refuses_three() {
        let mut settings = Settings::preset("counting-sort").expect("a known preset");
        settings.rules.cohesion_radius = 3.0;
        let message = settings.validate().expect_err("two radii").to_string();
        assert!(message.starts_with("--cohesion-radius is 3; accepted is 1.75, the separation radius"), "{message}");
        settings.with_radius(3.0).validate().expect("one radius");
        let mut settings = Settings::preset("cursor").expect("a known preset");
        settings.rules.separation_radius = 3.0;
        settings.validate().expect("separation has a radius of its own");
        settings.rules.alignment_radius = 20.0;
        let message = settings.validate().expect_err("alignment and cohesion share one").to_string();
        assert!(message.starts_with("--cohesion-radius is 30; accepted is 20, the alignment radius"), "{message}");
    }

    #[test]
    fn only_a_law_with_a_force_for_it_has_walls_that_push() {
        let mut settings = Settings { walls: Walls::Push, ..settings() };
        settings.validate().expect("reynolds pushes");
        settings.law = Law::Bounce;
        settings.rules.separation_radius = settings.rules.cohesion_radius;
        assert_eq!(
            settings.validate().expect_err("no force").to_string(),
            "--walls is push; accepted is bounce, wrap or none: bounce has no force for walls"
        );
    }

    #[test]
    fn a_plane_has_no_height_and_its_density_is_per_area() {
        let flat = settings().with_boids(1_000).on_plane();
        flat.validate().expect("valid settings");
        assert_eq!(flat.world.half_size.y, 0.0);
        assert!((flat.density() - 2.0).abs() < 1e-3 && flat.grid().dims.y == 1, "{flat:?}");
        assert!((flat.clone().with_boids(4_000).world.half_size.x / flat.world.half_size.x - 2.0).abs() < 1e-5);
        let mut high = flat;
        high.world.half_size.y = 1.0;
        assert_eq!(
            high.validate().expect_err("a height").to_string(),
            "--world-size (y) is 2; accepted is 0: a plane has no height"
        );
    }

    #[test]
    fn the_world_follows_the_count() {
        let small = settings().with_boids(1_000);
        let large = settings().with_boids(8_000);
        assert!((large.world.half_size.x / small.world.half_size.x - 2.0).abs() < 1e-5);
        assert_eq!(small.search_radius(), large.search_radius());
        assert!((15.0..35.0).contains(&small.mean_neighbors()), "{}", small.mean_neighbors());
    }
}
