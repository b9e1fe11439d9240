//! The twin of `cull.comp`: which boids are seen, how each is drawn, and near ones in how much light.

use super::pose::Pose;
use super::shelter::light_past_obstacles;
use crate::flock::BoidState;
use crate::flock::obstacles::Obstacle;
use crate::limits::SAMPLES;
use crate::render::layout::{FarTriangle, SceneParams};
use crate::render::mesh::FarMesh;
use glam::{UVec3, Vec2, Vec3, Vec4, vec2, vec3};

/// Boids of fewer pixels are points.
const POINT_PIXELS: f32 = 2.1;

/// What becomes of a boid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fate {
    /// Outside of the picture, or too far away to cover a sample.
    Hidden,
    /// Drawn as a mesh by the rasterizer, in this share of the sun's and of the sky's light.
    Near(Vec2),
    /// Drawn as the coarse mesh into the samples.
    Small,
    /// Drawn as so many samples of one pixel.
    Point(u32),
}

/// The fate of every boid of `state` (in the order of the state), drawn as `far` where it is small. `cell_starts` is
/// the grid of the last step, and `obstacles` are those of the settings.
pub fn cull(
    (params, obstacles): (&SceneParams, &[Obstacle]),
    far: &FarMesh,
    pose: u32,
    state: &BoidState,
    cell_starts: &[u32],
) -> Vec<Fate> {
    (0..state.len())
        .map(|boid| {
            let pose = Pose::new(params, pose, state, boid, None);
            match fate(params, far, &pose) {
                Fate::Near(_) => {
                    let through = light_through_flock(params, cell_starts, pose.center, pose.bits);
                    Fate::Near(through * light_past_obstacles(params, obstacles, pose.center, 0.5 * params.boid_length))
                }
                fate => fate,
            }
        })
        .collect()
}

/// What becomes of a boid; of a near one not yet in how much light.
pub fn fate(params: &SceneParams, far: &FarMesh, pose: &Pose) -> Fate {
    let away = pose.center.distance(params.eye).max(1e-6);
    let pixels = pose.size * params.pixels_per_radian / away;
    let stretch = params.boid_scale.max_element();
    let radius = 0.75 * pose.size * stretch;
    let from = params.planes.map(|plane| Vec4::from_array(plane).dot(pose.center.extend(1.0)));
    if from.iter().any(|&from| from < -radius) {
        Fate::Hidden
    } else if pixels >= params.lod_pixels || from[4] < radius {
        Fate::Near(Vec2::ONE)
    } else if pixels * stretch >= POINT_PIXELS {
        Fate::Small
    } else {
        match covered_samples(pixels, silhouette(params, far, pose), pose.bits) {
            0 => Fate::Hidden,
            count => Fate::Point(count),
        }
    }
}

/// The silhouette of the coarse mesh as seen from the eye, wings at rest, in squares of its length.
fn silhouette(params: &SceneParams, far: &FarMesh, pose: &Pose) -> f32 {
    let scale = params.boid_scale;
    let view = pose.basis.transpose() * (params.eye - pose.center).normalize();
    let view = view * vec3(scale.y * scale.z, scale.z * scale.x, scale.x * scale.y);
    let shown = |triangle: &FarTriangle| {
        let faces = triangle.area.dot(view);
        if triangle.two_sided == 1 { faces.abs() } else { faces.max(0.0) }
    };
    far.triangles.iter().map(shown).sum()
}

/// Samples that a point of so many pixels covers.
fn covered_samples(pixels: f32, silhouette: f32, bits: u32) -> u32 {
    ((SAMPLES as f32 * pixels * pixels * silhouette + unit_float(bits)) as u32).min(SAMPLES)
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
    fn points_cover_as_many_samples_as_their_silhouettes() {
        for (pixels, silhouette) in [(0.05f32, 0.2f32), (0.3, 0.1), (1.0, 0.3), (1.49, 0.33)] {
            let boids = 200_000;
            let samples: u32 = (0..boids).map(|id| covered_samples(pixels, silhouette, hash(id))).sum();
            let covered = f64::from(samples) / f64::from(boids) / f64::from(SAMPLES);
            let truth = f64::from(pixels * pixels * silhouette);
            // Of 200,000 draws with this chance, one standard deviation is this much.
            let deviation = (truth / 4.0 / f64::from(boids)).sqrt();
            assert!((covered - truth).abs() < 5.0 * deviation, "{pixels}: {covered} instead of {truth}");
        }
    }
}
