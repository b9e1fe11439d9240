//! Presets: a law with constants that flock well, at a density that does not change with the count.
//!
//! The rules' constants are in world units and the world grows with the count, so a hundred boids and four million
//! behave alike: the mean number of neighbors in a uniform flock is `density * 4/3 * pi * search_radius³`, whatever the
//! count. One constant must nevertheless scale with the world: the pull of a target grows with its distance, so its
//! strength is given at half the box's edge.

use super::engine::EngineKind;
use super::law::Law;
use super::layout::{Rules, World};
use super::manners::NoiseForm;
use super::named::find;
use super::paths::Paths;
use super::search::Search;
use super::settings::Settings;
use super::spawn_shape::SpawnShape;
use super::states::States;
use super::walls::Walls;
use crate::error::Result;
use glam::Vec3;

/// A named starting point.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// The name that flags and files have, after its author.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it shows, in one sentence.
    pub about: &'static str,
    /// Which of its constants are its author's, and which are chosen here, in one sentence.
    pub constants: &'static str,
    /// Boids per cubic world unit at the start.
    pub density: f32,
    /// Boids per square world unit at the start, on a plane.
    pub plane_density: f32,
    /// Its settings in a world of two units: `target_weight` is the pull of a target at half the box's edge.
    pub(super) start: fn() -> Settings,
}

/// Constants that no law reads: a preset states those of its own law.
const UNUSED: Rules = Rules {
    separation_radius: 1.75,
    alignment_radius: 1.75,
    cohesion_radius: 1.75,
    search_radius: 1.75,
    separation_weight: 0.0,
    alignment_weight: 0.0,
    cohesion_weight: 0.0,
    target_weight: 1.0,
    wall_weight: 0.0,
    move_speed: 4.0,
    max_speed: 4.0,
    max_force: 1.0,
    turn_rate: 3.0,
    blend: 1.0,
    cursor_distance: 15.0,
    cursor_attraction: 0.0,
    cursor_repulsion: 0.0,
    own_weight: 0.0,
};

/// What most presets have.
fn usual() -> Settings {
    Settings {
        law: Law::Bounce,
        engine: EngineKind::Gpu,
        search: Search::QuantizedGrid,
        preset: "",
        boids: 1,
        seed: 1,
        time_step: 1.0 / 60.0,
        world: World { center: Vec3::ZERO, half_size: Vec3::ONE },
        rules: UNUSED,
        plane: false,
        walls: Walls::None,
        spawn: SpawnShape::Box,
        spawn_speed: 2.0,
        cursor: Vec::new(),
        leader: None,
        leader_weight: 1.0,
        current: Vec3::ZERO,
        current_weight: 1.0,
        predator: Vec::new(),
        points: Vec::new(),
        obstacles: Vec::new(),
        paths: Paths::default(),
        obstacle_distance: 0.0,
        obstacle_weight: 4.0,
        view_angle: 180.0,
        felt_distance: 0.0,
        nearest: 0,
        min_speed: 0.0,
        max_turn: 0.0,
        noise: 0.0,
        noise_form: NoiseForm::Angular,
        kinds: Vec::new(),
        feelings: Vec::new(),
        speeds: None,
        states: States::None,
        influenced: 1.0,
        weights: None,
        targets: 0,
        target_period: 5.0,
        target_radius: 0.016,
    }
}

/// Every preset.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "counting-sort",
        title: "Swarm after targets",
        about: "A heading flock at constant speed after 16 targets, drawn at dusk; its author's is teal, by day.",
        constants: "count and period of the targets and the steepest heading are the author's; radius, weights and \
            speeds, which the text does not give, are chosen here.",
        density: 1.0,
        plane_density: 2.0,
        start: || Settings {
            law: Law::Heading,
            boids: 102_400,
            spawn: SpawnShape::Cloud,
            targets: 16,
            rules: Rules {
                separation_weight: 10.0,
                alignment_weight: 1.0,
                cohesion_weight: 0.4,
                target_weight: 0.5,
                wall_weight: 12.0,
                move_speed: 4.0,
                max_force: 6.0,
                turn_rate: 6.0,
                ..UNUSED
            },
            ..usual()
        },
    },
    Preset {
        name: "three-radius",
        title: "School of fish",
        about: "A fish school by three averages, each with its own radius, in a walled box.",
        constants: "radii, weights, limits and the box, which the text does not give, are chosen here, for a school \
            that neither disperses nor collapses.",
        density: 0.5,
        plane_density: 1.0,
        start: || Settings {
            law: Law::ThreeRadius,
            search: Search::Tiles,
            boids: 4_096,
            walls: Walls::Push,
            spawn: SpawnShape::Cloud,
            spawn_speed: 2.5,
            rules: Rules {
                separation_radius: 1.0,
                alignment_radius: 2.0,
                cohesion_radius: 2.0,
                separation_weight: 20.0,
                alignment_weight: 2.0,
                cohesion_weight: 1.0,
                wall_weight: 20.0,
                max_speed: 5.0,
                max_force: 10.0,
                ..UNUSED
            },
            ..usual()
        },
    },
    Preset {
        name: "cursor",
        title: "Planes at the pointer",
        about: "A small flock that follows the cursor and avoids it at close range.",
        constants: "all are the author's, except those of walls that push and of other influences.",
        density: 100.0 / 8e6,
        plane_density: 100.0 / 4e4,
        start: || Settings {
            law: Law::Cursor,
            engine: EngineKind::CpuSerial,
            search: Search::AllPairs,
            boids: 100,
            spawn: SpawnShape::FlatBall,
            spawn_speed: 10.0,
            rules: Rules {
                separation_radius: 5.0,
                alignment_radius: 30.0,
                cohesion_radius: 30.0,
                separation_weight: 0.5,
                alignment_weight: 0.01,
                cohesion_weight: 0.15,
                wall_weight: 90.0,
                max_speed: 30.0,
                max_force: 30.0,
                blend: 0.25,
                cursor_distance: 15.0,
                cursor_attraction: 0.01,
                cursor_repulsion: 0.75,
                ..UNUSED
            },
            ..usual()
        },
    },
    Preset {
        name: "reynolds",
        title: "Reynolds' flock",
        about: "Reynolds' steering with three radii in a walled box.",
        constants: "radii, weights, limits and the box, which the text does not give, are chosen here, for two dozen \
            neighbors per boid.",
        density: 1.0,
        plane_density: 2.0,
        start: || Settings {
            law: Law::Reynolds,
            boids: 65_536,
            walls: Walls::Push,
            spawn: SpawnShape::Cloud,
            rules: Rules {
                separation_radius: 1.0,
                separation_weight: 2.0,
                alignment_weight: 1.0,
                cohesion_weight: 0.75,
                wall_weight: 12.0,
                max_speed: 4.0,
                max_force: 6.0,
                ..UNUSED
            },
            ..usual()
        },
    },
    Preset {
        name: "bitonic",
        title: "Bouncing particles",
        about: "Particles that bounce off the walls of a cube, to look at their cells.",
        constants: "cells as wide as the search radius are the author's; count, radius and speed are chosen here.",
        density: 1.0,
        plane_density: 1.0,
        start: || Settings {
            law: Law::Bounce,
            search: Search::BitonicGrid,
            boids: 20_000,
            walls: Walls::Bounce,
            spawn_speed: 3.0,
            rules: Rules {
                separation_radius: 3.0,
                alignment_radius: 3.0,
                cohesion_radius: 3.0,
                wall_weight: 9.0,
                move_speed: 3.0,
                max_force: 4.5,
                ..UNUSED
            },
            ..usual()
        },
    },
    Preset {
        name: "vicsek",
        title: "Vicsek's particles",
        about: "Each takes the mean direction of all around it, with noise: order comes and goes with the noise.",
        constants: "all are the authors', where a step is their unit of time: 1.8 world units per second are 0.03 a \
            step. Their figure has 40 to 10,000 boids, and noise from 0 to 5.",
        density: 4.0,
        plane_density: 4.0,
        start: || Settings {
            law: Law::Zones,
            boids: 4_000,
            plane: true,
            walls: Walls::Wrap,
            noise: 1.0,
            rules: Rules {
                separation_radius: 0.5,
                alignment_radius: 1.0,
                cohesion_radius: 1.0,
                alignment_weight: 1.0,
                own_weight: 1.0,
                wall_weight: 10.0,
                move_speed: 1.8,
                max_force: 10.0,
                ..UNUSED
            },
            ..usual()
        },
    },
    Preset {
        name: "couzin",
        title: "Couzin's schools",
        about: "Zones of repulsion, orientation and attraction: a swarm, a torus or a school, by the width of the \
            second.",
        constants: "all are the authors' but the start, and the noise, which is uniform in a cone: its mean square is \
            that of theirs. The widths are those of a torus.",
        density: 0.01,
        plane_density: 0.1,
        start: || Settings {
            law: Law::Zones,
            boids: 100,
            time_step: 0.1,
            view_angle: 135.0,
            felt_distance: 1.0,
            max_turn: 40.0,
            noise: 0.141_421_36,
            rules: Rules {
                separation_radius: 1.0,
                alignment_radius: 2.0,
                cohesion_radius: 16.0,
                separation_weight: 1.0,
                alignment_weight: 1.0,
                cohesion_weight: 1.0,
                wall_weight: 10.0,
                move_speed: 3.0,
                max_force: 10.0,
                ..UNUSED
            },
            ..usual()
        },
    },
];

impl Preset {
    /// The preset of that name.
    ///
    /// # Errors
    /// [`crate::Error::Setting`] for an unknown name, with the nearest known one offered.
    pub fn named(name: &str) -> Result<&'static Preset> {
        find("preset", PRESETS, |preset| preset.name, name)
    }

    /// The settings of this preset, with its own count of boids.
    pub fn settings(&self) -> Settings {
        let start = (self.start)();
        let rules = start.rules;
        let obstacle_distance = 2.0 * rules.alignment_radius.max(rules.cohesion_radius);
        let density = if start.plane { self.plane_density } else { self.density };
        Settings { preset: self.name, obstacle_distance, ..start }.with_density(density)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_law_has_a_preset() {
        for law in crate::flock::law::LAWS {
            assert!(PRESETS.iter().any(|preset| preset.settings().law == law.law), "{}", law.name);
        }
    }
}
