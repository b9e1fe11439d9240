//! The twin of `splat.glsl`: the depth of every sample, after `cull` has drawn the boids that are not near.

use super::cull::{Fate, cull};
use super::pose::Pose;
use crate::flock::BoidState;
use crate::flock::obstacles::Obstacle;
use crate::flock::states::Behavior;
use crate::limits::SAMPLES;
use crate::render::layout::SceneParams;
use crate::render::mesh::FarMesh;
use glam::{Mat4, UVec3, Vec2, Vec3, vec2};

/// Places of the samples in a pixel.
const SAMPLE_PLACES: [Vec2; SAMPLES as usize] =
    [vec2(0.375, 0.125), vec2(0.875, 0.375), vec2(0.125, 0.625), vec2(0.625, 0.875)];

/// The depth of each sample of each pixel, row by row: 0 where there is nothing. `behaviors` has the state of each boid
/// by identity, or nothing.
pub fn depths(
    (params, obstacles): (&SceneParams, &[Obstacle]),
    far: &FarMesh,
    pose: u32,
    state: &BoidState,
    cell_starts: &[u32],
    behaviors: &[Behavior],
) -> Vec<[f32; SAMPLES as usize]> {
    let mut samples = vec![[0.0f32; SAMPLES as usize]; (params.width * params.height) as usize];
    for (boid, fate) in cull((params, obstacles), far, pose, state, cell_starts).into_iter().enumerate() {
        let pose = Pose::new(params, pose, state, boid, behaviors.get(state.id[boid] as usize).copied());
        match fate {
            Fate::Hidden | Fate::Near(_) => {}
            Fate::Small => mesh(params, far, &pose, &mut samples),
            Fate::Point(count) => point(params, &pose, count, &mut samples),
        }
    }
    samples
}

fn mesh(params: &SceneParams, far: &FarMesh, pose: &Pose, samples: &mut [[f32; SAMPLES as usize]]) {
    let count = far.corners.len();
    let place = |vertex| pose.place(params, |row| far.frames[row * count + vertex]);
    let world: Vec<Vec3> = (0..count).map(place).collect();
    for triangle in &far.triangles {
        let [a, b, c] = UVec3::to_array(&triangle.corners).map(|corner| world[corner as usize]);
        if triangle.two_sided == 0 && (b - a).cross(c - a).dot(params.eye - a) <= 0.0 {
            continue;
        }
        let corners = [a, b, c].map(|corner| on_screen(params, corner));
        let [from, to_b, to_c] = [corners[0], corners[1] - corners[0], corners[2] - corners[0]];
        let inverse = 1.0 / to_b.truncate().perp_dot(to_c.truncate());
        let range = |of: fn(Vec3) -> f32, size: u32| {
            let low = corners.map(of).into_iter().fold(f32::INFINITY, f32::min).floor().max(0.0);
            let high = corners.map(of).into_iter().fold(f32::NEG_INFINITY, f32::max).floor().min(size as f32 - 1.0);
            low as u32..(high + 1.0).max(0.0) as u32
        };
        for y in range(|corner| corner.y, params.height) {
            for x in range(|corner| corner.x, params.width) {
                let pixel = &mut samples[(y * params.width + x) as usize];
                for (sample, within) in pixel.iter_mut().zip(SAMPLE_PLACES) {
                    let place = vec2(x as f32, y as f32) + within - from.truncate();
                    let b = place.perp_dot(to_c.truncate()) * inverse;
                    let c = to_b.truncate().perp_dot(place) * inverse;
                    if b >= 0.0 && c >= 0.0 && b + c <= 1.0 {
                        *sample = sample.max(from.z + b * to_b.z + c * to_c.z);
                    }
                }
            }
        }
    }
}

fn point(params: &SceneParams, pose: &Pose, count: u32, samples: &mut [[f32; SAMPLES as usize]]) {
    let place = on_screen(params, pose.center);
    let size = vec2(params.width as f32, params.height as f32);
    if place.truncate().cmplt(Vec2::ZERO).any() || place.truncate().cmpge(size).any() {
        return;
    }
    let pixel = &mut samples[(place.y as u32 * params.width + place.x as u32) as usize];
    for k in 0..count {
        let sample = &mut pixel[(pose.bits.wrapping_add(k) % SAMPLES) as usize];
        *sample = sample.max(place.z);
    }
}

/// A point of the picture: xy in pixels, z is the depth.
fn on_screen(params: &SceneParams, world: Vec3) -> Vec3 {
    let clip = Mat4::from_cols_array_2d(&params.view_projection) * world.extend(1.0);
    let ndc = clip.truncate() / clip.w;
    let size = vec2(params.width as f32, params.height as f32);
    ((ndc.truncate() * 0.5 + 0.5) * size).extend(ndc.z)
}
