//! The twin of `shelter.glsl`: light that obstacles leave.

use crate::laws::V3;
use crate::laws::lanes::Double;
use crate::laws::obstacles::nearest_surface;
use crate::limits::SHADOW_LOOKS;
use crate::render::layout::SceneParams;
use glam::{Vec2, Vec3, vec2};

/// Share of the sun's and of the sky's light that obstacles leave at `position`; `first` is where its way begins, in world units.
pub fn light_past_obstacles(params: &SceneParams, position: Vec3, first: f32) -> Vec2 {
    if params.obstacle_count == 0 {
        return Vec2::ONE;
    }
    let sun = open_towards(params, position, params.palette.sun_direction, first, 16.0);
    vec2(sun, 0.3 + 0.7 * open_towards(params, position, Vec3::Y, first, 2.0))
}

fn open_towards(params: &SceneParams, position: Vec3, direction: Vec3, first: f32, sharpness: f32) -> f32 {
    let obstacles = &params.obstacles[..params.obstacle_count as usize];
    let (mut share, mut way) = (1.0f32, first);
    for _ in 0..SHADOW_LOOKS {
        let place = (position + direction * way).as_dvec3();
        let distance = nearest_surface(obstacles, V3::<Double>::from(place)).distance.0 as f32;
        share = share.min(0.5 + 0.5 * sharpness * distance / way).max(0.0);
        way += distance.abs().max(first);
    }
    share * share * (3.0 - 2.0 * share)
}
