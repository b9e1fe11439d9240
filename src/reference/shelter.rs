//! The twin of `shelter.glsl`: light that obstacles leave.

use crate::flock::obstacles::Obstacle;
use crate::laws::V3;
use crate::laws::lanes::Double;
use crate::laws::obstacles::{Solids, nearest_surface};
use crate::limits::SHADOW_LOOKS;
use crate::render::layout::SceneParams;
use glam::{Vec2, Vec3, vec2};

/// Share of the sun's and of the sky's light that `obstacles`, those of `params`, leave at `position`; `first` is where
/// its way begins, in world units.
pub fn light_past_obstacles(params: &SceneParams, obstacles: &[Obstacle], position: Vec3, first: f32) -> Vec2 {
    if obstacles.is_empty() {
        return Vec2::ONE;
    }
    let solids = Solids::new(&params.obstacles, obstacles);
    let sun = open_towards(solids, position, params.palette.sun_direction, first, 16.0);
    vec2(sun, 0.3 + 0.7 * open_towards(solids, position, Vec3::Y, first, 2.0))
}

fn open_towards(solids: Solids<'_>, position: Vec3, direction: Vec3, first: f32, sharpness: f32) -> f32 {
    let (mut share, mut way) = (1.0f32, first);
    for _ in 0..SHADOW_LOOKS {
        let place = (position + direction * way).as_dvec3();
        let distance = nearest_surface(solids, V3::<Double>::from(place)).distance.0 as f32;
        share = share.min(0.5 + 0.5 * sharpness * distance / way).max(0.0);
        way += distance.abs().max(first);
    }
    share * share * (3.0 - 2.0 * share)
}
