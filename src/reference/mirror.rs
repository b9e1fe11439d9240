//! The twin of `mirror.comp`: how much of its mirror image in the sea the flock covers.

use super::cull::{hash, unit_float};
use crate::flock::BoidState;
use crate::limits::{MIRROR_HEIGHT, MIRROR_UNIT, MIRROR_WIDTH};
use crate::render::layout::SceneParams;
use glam::{Vec2, vec2};

/// The texels of the image, row by row from the horizon up.
pub fn mirror(params: &SceneParams, state: &BoidState) -> Vec<u32> {
    let size = vec2(MIRROR_WIDTH as f32, MIRROR_HEIGHT as f32);
    let eye = params.eye.with_y(2.0 * params.sea - params.eye.y);
    let mut mirror = vec![0; (MIRROR_WIDTH * MIRROR_HEIGHT) as usize];
    for boid in (0..state.len()).step_by(params.mirror_stride as usize) {
        let position = state.position[boid] + state.velocity[boid] * (params.speed_scale * params.extrapolate);
        let offset = position - eye;
        let along = offset.dot(params.mirror_forward);
        let boid_length = params.length_of(state.id[boid]);
        if along.is_nan() || along <= 2.0 * boid_length || position.y < params.sea {
            continue;
        }
        let right = 0.5 + 0.5 * offset.dot(params.mirror_right) / along;
        let place = size * vec2(right, offset.y * params.mirror_rise / along);
        let texel = size * vec2(0.5 * params.mirror_right.length(), params.mirror_rise);
        let texels = texel * (boid_length / along);
        let stretched = params.boid_scale.element_product().powf(2.0 / 3.0);
        let covered = 0.15 * stretched * texels.element_product() * params.mirror_stride as f32;
        let span = (0.5 * texels + 0.5).clamp(Vec2::ONE, Vec2::splat(4.0)).floor();
        let amount = (covered / span.element_product()).min(16.0) * MIRROR_UNIT as f32;
        let count = (amount + unit_float(hash(state.id[boid]))) as u32;
        let corner = (place - 0.5 * span + 0.5).floor();
        for part in 0..span.element_product() as u32 {
            let at = corner + vec2((part % span.x as u32) as f32, (part / span.x as u32) as f32);
            if at.cmpge(Vec2::ZERO).all() && at.cmplt(size).all() {
                mirror[(at.y as u32 * MIRROR_WIDTH + at.x as u32) as usize] += count;
            }
        }
    }
    mirror
}
