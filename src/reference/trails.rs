//! The twins of `trail_record.comp` and `trail_cull.comp`.

use crate::flock::BoidState;
use crate::render::layout::{SceneParams, TrailSample, TrailStep};
use glam::{Vec3, Vec4};

/// Records where every boid of `state` is.
pub fn trail_record(history: &mut [TrailSample], step: &TrailStep, state: &BoidState) {
    let place = |slot: u32, id: u32| (slot * step.boid_count + id) as usize;
    for (&position, &id) in state.position.iter().zip(&state.id) {
        let mut now = TrailSample { position, since: step.step };
        if step.reach >= 0.0 {
            let before = history[place(step.previous, id)];
            let offset = before.position - position;
            let beyond = offset.abs().cmpgt(0.5 * step.period);
            let image = before.position - Vec3::select(beyond, offset.signum() * step.period, Vec3::ZERO);
            if image.distance(position) <= step.reach {
                now.since = before.since;
            }
        }
        history[place(step.slot, id)] = now;
    }
}

/// Whether each boid's trail may reach into the picture.
pub fn trail_cull(params: &SceneParams, state: &BoidState) -> Vec<bool> {
    let reach = params.full_speed * params.trail_seconds + params.trail_width[0];
    let boids = state.position.iter().zip(&state.velocity);
    boids
        .map(|(&position, &velocity)| {
            let position = position + velocity * params.speed_scale * params.extrapolate;
            params.planes.iter().all(|plane| Vec4::from_array(*plane).dot(position.extend(1.0)) >= -reach)
        })
        .collect()
}
