//! The lights a scene can stand in.

use super::layout::Palette;
use glam::{Vec3, vec3};

impl Palette {
    /// A low sun over a calm sea. Boids have the base color of the flock it is modelled on, (0, 0.66, 0.73).
    pub fn dusk() -> Self {
        Palette {
            sun_direction: vec3(0.72, 0.10, -0.68).normalize(),
            sun_color: vec3(2.3, 1.25, 0.70),
            zenith: vec3(0.020, 0.060, 0.170),
            horizon: vec3(0.24, 0.19, 0.27),
            glow: vec3(0.95, 0.36, 0.10),
            water: vec3(0.004, 0.016, 0.034),
            boid: BOID,
            boid_accent: vec3(0.02, 0.30, 0.62),
            target: TARGET,
        }
    }

    /// A clear morning with the sun high.
    pub fn day() -> Self {
        Palette {
            sun_direction: vec3(0.45, 0.70, -0.35).normalize(),
            sun_color: vec3(1.7, 1.55, 1.3),
            zenith: vec3(0.05, 0.16, 0.45),
            horizon: vec3(0.42, 0.54, 0.66),
            glow: vec3(0.30, 0.27, 0.20),
            water: vec3(0.01, 0.06, 0.10),
            boid: BOID,
            boid_accent: vec3(0.02, 0.35, 0.70),
            target: TARGET,
        }
    }
}

const BOID: Vec3 = vec3(0.0, 0.66, 0.73);
const TARGET: Vec3 = vec3(0.95, 0.20, 0.015);
