//! Twin of `glsl/laws/counting_sort.glsl`, where the formulas stand.

use crate::flock::layout::StepParams;
use crate::reference::steer::{Boid, Law, SMALLEST_NORMAL, direction_of};
use glam::DVec3;

/// Constant speed, and a heading that turns towards the sum of the rules and the nearest target.
pub struct CountingSort;

/// What the law adds up over the neighbors.
#[derive(Default)]
pub struct Sums {
    /// Σ -(p_j - p)/d · (R - d)/R
    away: DVec3,
    /// Σ h_j
    heading: DVec3,
    /// Σ p_j - p
    offset: DVec3,
    count: f64,
}

impl Law for CountingSort {
    type Sums = Sums;

    fn accumulate(params: &StepParams, sums: &mut Sums, other: &Boid, offset: DVec3, distance_squared: f64) {
        let radius = f64::from(params.rules.search_radius);
        if distance_squared >= SMALLEST_NORMAL {
            let d = distance_squared.sqrt();
            sums.away -= offset / d * (radius - d) / radius;
        }
        sums.heading += other.velocity;
        sums.offset += offset;
        sums.count += 1.0;
    }

    fn steer(params: &StepParams, me: &Boid, sums: &Sums) -> Boid {
        let rules = &params.rules;
        let time_step = f64::from(params.time_step);
        let n = sums.count.max(1.0);
        let force = direction_of(
            f64::from(rules.separation_weight) * sums.away / n
                + f64::from(rules.alignment_weight) * sums.heading / n
                + f64::from(rules.cohesion_weight) * sums.offset / n
                + pull_of_nearest_target(params, me.position),
        );
        let mut heading = me.velocity;
        if force != DVec3::ZERO {
            let mut turned = direction_of(heading.lerp(force, f64::from(rules.turn_rate) * time_step));
            turned.y = turned.y.clamp(-0.5, 0.5);
            turned = direction_of(turned);
            if turned != DVec3::ZERO {
                heading = turned;
            }
        }
        Boid { position: me.position + heading * f64::from(rules.move_speed) * time_step, velocity: heading }
    }
}

fn pull_of_nearest_target(params: &StepParams, position: DVec3) -> DVec3 {
    let targets = &params.targets[..params.target_count as usize];
    let offsets = targets.iter().map(|t| DVec3::new(t[0].into(), t[1].into(), t[2].into()) - position);
    let nearest = offsets.min_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
    nearest.unwrap_or(DVec3::ZERO) * f64::from(params.rules.target_weight)
}
