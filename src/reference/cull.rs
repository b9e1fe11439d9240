//! The twin of `cull.comp`: which boids are seen, with which mesh and in how much light.

use crate::flock::BoidState;
use crate::render::layout::SceneParams;
use glam::{UVec3, Vec2, Vec3, Vec4, vec2};

/// Shorter than this many pixels, a mesh would fall between the samples.
const MIN_PIXELS: f32 = 2.2;
/// Samples in a pixel.
const SAMPLES: f32 = 4.0;

/// What becomes of a boid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Outside of the picture, or too far away to cover a sample.
    Hidden,
    /// Drawn with the detailed mesh.
    Near,
    /// Drawn with the coarse mesh.
    Far,
}

/// The fate of every boid of `state` (in the order of the state), and for those seen the share of the sun's and
/// of the sky's light that reaches them through the flock. `cell_starts` is the grid of the last step.
pub fn cull(params: &SceneParams, state: &BoidState, cell_starts: &[u32]) -> Vec<(Fate, Vec2)> {
    let boids = state.position.iter().zip(&state.velocity).zip(&state.id);
    boids
        .map(|((&position, &velocity), &id)| {
            let position = position + velocity * params.speed_scale * params.extrapolate;
            match classify(params, position, hash(id)) {
                Fate::Hidden => (Fate::Hidden, Vec2::ZERO),
                fate => (fate, light_through_flock(params, cell_starts, position, hash(id))),
            }
        })
        .collect()
}

fn classify(params: &SceneParams, position: Vec3, boid_hash: u32) -> Fate {
    let away = position.distance(params.eye).max(1e-6);
    let pixels = params.boid_length * params.pixels_per_radian / away;
    let stretch = params.boid_scale.max_element();
    let radius = 0.75 * params.boid_length * stretch * drawn_pixels(pixels) / pixels;
    let outside = |plane: &[f32; 4]| Vec4::from_array(*plane).dot(position.extend(1.0)) < -radius;
    if params.planes.iter().any(outside) {
        Fate::Hidden
    } else if pixels >= params.lod_pixels {
        Fate::Near
    } else if covered_samples(pixels, boid_hash) > 0 {
        Fate::Far
    } else {
        Fate::Hidden
    }
}

/// Length at which a boid of `pixels` is drawn: the same when large, never much below [`MIN_PIXELS`].
fn drawn_pixels(pixels: f32) -> f32 {
    (pixels.powi(4) + MIN_PIXELS.powi(4)).sqrt().sqrt()
}

/// Samples of a pixel that a boid of `pixels` may cover.
fn covered_samples(pixels: f32, boid_hash: u32) -> u32 {
    let ratio = pixels / drawn_pixels(pixels);
    (SAMPLES * ratio * ratio + unit_float(boid_hash)).min(SAMPLES) as u32
}

fn light_through_flock(params: &SceneParams, cell_starts: &[u32], position: Vec3, boid_hash: u32) -> Vec2 {
    if params.shadow == 0.0 {
        return Vec2::ONE;
    }
    let jitter = unit_float(hash(boid_hash.wrapping_add(7)));
    let depth = vec2(
        flock_depth(params, cell_starts, position, params.palette.sun_direction, jitter),
        flock_depth(params, cell_starts, position, Vec3::Y, jitter),
    );
    let extinction = depth * params.shadow * 0.15 * params.boid_length * params.boid_length;
    (-extinction).exp().max(0.4 * (-0.15 * extinction).exp())
}

fn flock_depth(params: &SceneParams, cell_starts: &[u32], position: Vec3, direction: Vec3, jitter: f32) -> f32 {
    let mut stride = 0.8 * params.grid.cell_size.y;
    let mut away = stride * (0.3 + 0.9 * jitter);
    let mut depth = 0.0;
    for _ in 0..5 {
        depth += flock_density(params, cell_starts, position + direction * away) * stride;
        away += stride;
        stride *= 1.35;
    }
    depth
}

fn flock_density(params: &SceneParams, cell_starts: &[u32], position: Vec3) -> f32 {
    let grid = &params.grid;
    if grid.dims.cmplt(UVec3::splat(3)).any() {
        return 0.0;
    }
    let place = (position - grid.origin) * grid.inv_cell_size;
    let inside = place.clamp(Vec3::ONE, grid.dims.as_vec3() - 1.0);
    let thinning = (-(place * grid.cell_size).distance(inside * grid.cell_size) / grid.cell_size.y).exp();
    let cell = inside.as_uvec3().min(grid.dims - UVec3::splat(2));
    let row = grid.dims.x * (cell.z + grid.dims.z * cell.y);
    let first = (cell.x - 1).max(1);
    let last = (cell.x + 2).min(grid.dims.x - 2);
    let count = cell_starts[(row + last + 1) as usize] - cell_starts[(row + first) as usize];
    thinning * count as f32 / ((last + 1 - first) as f32 * grid.cell_size.element_product())
}

/// One round of PCG.
pub fn hash(x: u32) -> u32 {
    let x = x.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let x = ((x >> ((x >> 28) + 4)) ^ x).wrapping_mul(277_803_737);
    (x >> 22) ^ x
}

/// Uniform in [0, 1).
pub fn unit_float(bits: u32) -> f32 {
    (bits >> 8) as f32 / 16_777_216.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_boids_darken_the_picture_as_much_as_their_true_size() {
        for pixels in [0.05f32, 0.3, 1.0, 2.0, 4.0] {
            let boids = 100_000;
            let samples: u32 = (0..boids).map(|id| covered_samples(pixels, hash(id))).sum();
            let covered = f64::from(samples) / f64::from(boids) / 4.0 * f64::from(drawn_pixels(pixels)).powi(2);
            let truth = f64::from(pixels).powi(2);
            assert!((covered / truth - 1.0).abs() < 0.1, "{pixels}: {covered} instead of {truth}");
        }
    }

    #[test]
    fn large_boids_keep_their_size_and_all_samples() {
        for id in 0..1_000 {
            assert_eq!(covered_samples(20.0, hash(id)), 4);
        }
        assert!((drawn_pixels(20.0) / 20.0 - 1.0).abs() < 1e-3);
    }
}
