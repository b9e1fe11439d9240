//! The twin of `pose.glsl`: how a boid's mesh is turned, bent and placed.

use super::cull::{hash, unit_float};
use crate::flock::BoidState;
use crate::flock::states::Behavior;
use crate::limits::{POSE_BIRD, POSE_FISH};
use crate::render::layout::{FarVertex, SceneParams};
use crate::transitions::{BLEND, POSTURES};
use glam::{Mat3, UVec3, Vec3, vec3};
use std::f32::consts::TAU;

/// Distance of a wing's joint from the middle, in lengths of the boid.
const SHOULDER: f32 = 0.06;

/// Angle of a folded wing, in radians.
const FOLDED: f32 = -0.3;

/// How far it reaches from its shoulder, as a share of the span.
const SPAN_FOLDED: f32 = 0.2;

/// The pose of one boid.
#[derive(Clone, Copy, Debug)]
pub struct Pose {
    /// World units.
    pub center: Vec3,
    /// Columns: right, up and back, unit vectors.
    pub basis: Mat3,
    /// The boid's hash.
    pub bits: u32,
    effort: f32,
    kind: u32,
    /// How far the wings beat, how far they are folded, and how far the tail swings; none without a state.
    posture: Option<Vec3>,
}

impl Pose {
    /// The pose of boid `boid` of `state`, of a mesh that moves as `kind` says (`POSE_BIRD`, …).
    pub fn new(params: &SceneParams, kind: u32, state: &BoidState, boid: usize) -> Pose {
        let velocity = state.velocity[boid] * params.speed_scale;
        let bits = hash(state.id[boid]);
        let mut basis = flight_basis(velocity);
        if kind == POSE_BIRD {
            let phase = params.time * (0.7 + unit_float(hash(hash(bits)))) + TAU * unit_float(bits);
            let (sin, cos) = (0.45 * phase.sin()).sin_cos();
            let (right, up) = (basis.x_axis, basis.y_axis);
            basis.x_axis = cos * right + sin * up;
            basis.y_axis = cos * up - sin * right;
        }
        let center = state.position[boid] + velocity * params.extrapolate;
        Pose { center, basis, bits, effort: (velocity.length() / params.full_speed).min(1.0), kind, posture: None }
    }

    /// The same of a boid with a state.
    #[must_use]
    pub fn doing(self, params: &SceneParams, behavior: Behavior) -> Pose {
        let [before, now] =
            [behavior.0 >> 4 & 15, behavior.state()].map(|state| UVec3::from(POSTURES[state as usize]).as_vec3());
        let seconds = behavior.age(params.step) as f32 * params.time_step + params.extrapolate;
        let t = (seconds / (BLEND as f32 * 0.001)).clamp(0.0, 1.0);
        Pose { posture: Some(before.lerp(now, t * t * (3.0 - 2.0 * t)) * 0.01), ..self }
    }

    /// A vertex of the coarse mesh in the world.
    pub fn place(&self, params: &SceneParams, vertex: &FarVertex) -> Vec3 {
        let mut position = vertex.place * params.boid_scale;
        if self.kind == POSE_BIRD && vertex.wing > 0.0 {
            let side = position.x.signum();
            let angle = vertex.wing * wingbeat(params, hash(self.bits), 0.7 * vertex.wing, self.posture);
            let (sin, cos) = (angle.sin() * side, angle.cos());
            let span = self.posture.map_or(1.0, |posture| 1.0 + posture.y * (SPAN_FOLDED - 1.0));
            let x = (position.x - SHOULDER * side) * span;
            (position.x, position.y) = (cos * x - sin * position.y + SHOULDER * side, sin * x + cos * position.y);
        }
        if self.kind == POSE_FISH {
            let more = self.posture.map_or(1.0, |posture| posture.z);
            position.x += more * swim(params, vertex.place.z + 0.5, self.effort, hash(self.bits.wrapping_add(5)));
        }
        self.center + self.basis * position * params.boid_length
    }
}

fn wingbeat(params: &SceneParams, bits: u32, lag: f32, posture: Option<Vec3>) -> f32 {
    let own = unit_float(bits);
    let beat = (params.time * (17.0 + 5.0 * own) + TAU * own * 7.0 - lag).sin();
    if let Some(posture) = posture {
        let flown = 0.10 + posture.x * (0.02 + 0.55 * beat);
        return flown + posture.y * (FOLDED - flown);
    }
    let phase = (params.time * (1.3 + 0.5 * own) + 40.0 * own).sin();
    let t = ((phase + 0.5) / 0.8).clamp(0.0, 1.0);
    let burst = t * t * (3.0 - 2.0 * t);
    0.10 + burst * (0.12 + 0.55 * beat - 0.10)
}

fn swim(params: &SceneParams, along: f32, effort: f32, bits: u32) -> f32 {
    let own = unit_float(bits);
    let phase = params.time * (9.0 + 5.0 * own) + TAU * unit_float(hash(bits)) - 5.5 * along;
    (0.025 + 0.075 * effort) * (0.2 * along + along * along) * phase.sin()
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
