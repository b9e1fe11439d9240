//! Reynolds' steering, as in `glsl/include/steering.glsl`.

use super::lanes::Lane;
use super::vectors::V3;
use crate::flock::layout::Rules;

/// The limited force towards `full_speed` along `wanted`, if that has a direction.
#[inline(always)]
pub fn steer_along<L: Lane>(rules: &Rules, wanted: V3<L>, velocity: V3<L>, full_speed: L) -> V3<L> {
    let direction = wanted.direction();
    (direction * full_speed - velocity).limit(rules.max_force).only(!direction.is_zero())
}
