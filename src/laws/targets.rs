//! The targets that attract a flock, as in `glsl/include/targets.glsl`.

use super::lanes::Lane;
use super::vectors::V3;
use super::walls::way_to;
use crate::flock::layout::StepParams;
use glam::Vec3;

/// The vector to the nearest target; zero if there is none.
#[inline(always)]
pub fn nearest_target<L: Lane>(params: &StepParams, position: V3<L>) -> V3<L> {
    let mut nearest = position.constant(Vec3::ZERO);
    for (k, target) in params.targets[..params.target_count as usize].iter().enumerate() {
        let target = position.constant(Vec3::new(target[0], target[1], target[2]));
        let offset = way_to(params, position, target);
        let is_nearer = offset.length_squared().lt(nearest.length_squared());
        nearest = if k == 0 { offset } else { V3::select(is_nearer, offset, nearest) };
    }
    nearest
}
