//! The twin of `pose.glsl`: how a boid's mesh is turned, bent and placed.

use super::cull::{hash, unit_float};
use crate::flock::BoidState;
use crate::flock::states::Behavior;
use crate::limits::{POSE_BIRD, POSE_FISH, POSE_RIGID};
use crate::render::layout::SceneParams;
use crate::transitions::{
    BIRD_SHARES, BLEND, CLIP_FLAP, CLIP_GLIDE, CLIP_PERCH, CLIP_REST, CLIP_SWIM, CLIPS, FISH_SWIMS,
};
use glam::{Mat3, Vec3, vec3};
use std::array::from_fn;
use std::f32::consts::TAU;

/// The pose of one boid.
#[derive(Clone, Copy, Debug)]
pub struct Pose {
    /// World units.
    pub center: Vec3,
    /// Columns: right, up and back, unit vectors.
    pub basis: Mat3,
    /// The boid's hash.
    pub bits: u32,
    /// World units from beak to tail.
    pub size: f32,
    /// How much of each clip.
    weights: [f32; CLIPS as usize],
}

impl Pose {
    /// The pose of boid `boid` of `state` with the clips of `kind` (`POSE_BIRD`, …) and, if it has a state, `behavior`.
    pub fn new(params: &SceneParams, kind: u32, state: &BoidState, boid: usize, behavior: Option<Behavior>) -> Pose {
        let velocity = state.velocity[boid] * params.speed_scale;
        let bits = hash(state.id[boid]);
        let weights = weights(params, kind, (velocity.length() / params.full_speed).min(1.0), bits, behavior);
        let sits = kind == POSE_BIRD && behavior.is_some();
        let aloft = if sits { 1.0 - weights[CLIP_PERCH as usize] } else { 1.0 };
        let mut basis = flight_basis(velocity);
        if kind == POSE_BIRD {
            let phase = params.time * (0.7 + unit_float(hash(hash(bits)))) + TAU * unit_float(bits);
            let (sin, cos) = (aloft * 0.45 * phase.sin()).sin_cos();
            let (right, up) = (basis.x_axis, basis.y_axis);
            basis.x_axis = cos * right + sin * up;
            basis.y_axis = cos * up - sin * right;
        }
        let center = state.position[boid] + velocity * (params.extrapolate * aloft);
        let size = params.length_of(state.id[boid]);
        Pose { center, basis, bits, size, weights }
    }

    /// A vertex in the world, which is at `frame(row)` in each row of the frames, in lengths of a boid.
    pub fn place(&self, params: &SceneParams, frame: impl Fn(usize) -> Vec3) -> Vec3 {
        let between = |clip: usize| {
            let row = clip_row(params, clip, self.bits);
            frame(row as usize).lerp(frame(row as usize + 1), row.fract())
        };
        let shown = (0..CLIPS as usize).filter(|&clip| self.weights[clip] > 0.0);
        let place: Vec3 = shown.map(|clip| self.weights[clip] * between(clip)).sum();
        self.center + self.basis * (place * params.boid_scale) * self.size
    }
}

/// How much of each clip a boid shows.
fn weights(
    params: &SceneParams,
    kind: u32,
    effort: f32,
    bits: u32,
    behavior: Option<Behavior>,
) -> [f32; CLIPS as usize] {
    let smooth = |t: f32| t * t * (3.0 - 2.0 * t);
    let [now, before] = behavior.map_or([0, 0], |it| [it.state() as usize, (it.0 >> 4 & 15) as usize]);
    let turned = behavior.map_or(1.0, |it| {
        let seconds = it.age(params.step) as f32 * params.time_step + params.extrapolate;
        smooth((seconds / (BLEND as f32 * 0.001)).clamp(0.0, 1.0))
    });
    let blended = |from: u32, to: u32| 0.01 * (from as f32 + turned * (to as f32 - from as f32));
    let mut weights = [0.0; CLIPS as usize];
    match (kind, behavior) {
        (POSE_RIGID, _) => weights[0] = 1.0,
        (POSE_FISH, _) => {
            let swim = behavior.map_or(0.45, |_| blended(FISH_SWIMS[before], FISH_SWIMS[now]));
            weights[CLIP_SWIM as usize] = swim * (0.25 + 0.75 * effort);
            weights[CLIP_REST as usize] = 1.0 - weights[CLIP_SWIM as usize];
        }
        (_, Some(_)) => weights = from_fn(|clip| blended(BIRD_SHARES[before][clip], BIRD_SHARES[now][clip])),
        (_, None) => {
            let own = unit_float(hash(bits));
            let phase = (params.time * (1.3 + 0.5 * own) + 40.0 * own).sin();
            weights[CLIP_FLAP as usize] = smooth(((phase + 0.5) / 0.8).clamp(0.0, 1.0));
            weights[CLIP_GLIDE as usize] = 1.0 - weights[CLIP_FLAP as usize];
        }
    }
    weights
}

/// The row of the frames at which a boid is in a clip, and the share of the row after it.
fn clip_row(params: &SceneParams, clip: usize, bits: u32) -> f32 {
    let it = params.clips[clip];
    let own = unit_float(hash(bits.wrapping_add(it.first as u32)));
    let loops = params.time * it.rate * (1.0 + it.vary * (own - 0.5)) + 7.0 * own;
    it.first + it.frames * loops.fract()
}

/// Columns: right, up, back of a boid flying along `heading`, its back to the sky.
fn flight_basis(heading: Vec3) -> Mat3 {
    let size = heading.length();
    let forward = if size > 1e-12 { heading / size } else { Vec3::NEG_Z };
    let right = vec3(-forward.z, 0.0, forward.x);
    let flat = right.length();
    let right = if flat > 1e-6 { right / flat } else { Vec3::X };
    Mat3::from_cols(right, right.cross(forward), -forward)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_basis_is_right_handed_and_looks_along_the_heading() {
        for heading in [Vec3::NEG_Z, vec3(3.0, -4.0, 5.0), Vec3::Y, Vec3::ZERO, vec3(1e-20, 0.0, 0.0)] {
            let basis = flight_basis(heading);
            assert!((basis.determinant() - 1.0).abs() < 1e-5, "{heading}");
            assert!(basis.y_axis.y >= 0.0, "its back is to the sky: {heading}");
            if heading.length() > 0.1 {
                assert!((-basis.z_axis).dot(heading.normalize()) > 0.9999, "{heading}");
            }
        }
    }
}
