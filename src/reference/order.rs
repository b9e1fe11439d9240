//! Twin of `observe.comp` and of the kernels that make order parameters of what it leaves. In double precision.

use super::{Ordered, steer};
use crate::flock::OrderParameters;
use crate::flock::layout::StepParams;
use crate::flock::{BoidState, FAR, Search, Settings};
use glam::DVec3;
use rayon::prelude::*;

/// What a boid's neighborhood is like.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seen {
    /// Other boids within the search radius.
    pub neighbors: u32,
    /// Distance to the nearest of them, in world units; 0 where there are none.
    pub nearest: f64,
}

/// The neighborhood of each boid. Twin of `observe.comp`.
pub fn observe(params: &StepParams, flock: &Ordered) -> Vec<Seen> {
    let look = |i| {
        let (mut neighbors, mut nearest_squared) = (0, f64::INFINITY);
        steer::neighbors(params, flock, i, |_, _, distance_squared| {
            neighbors += 1;
            nearest_squared = nearest_squared.min(distance_squared);
        });
        Seen { neighbors, nearest: if neighbors > 0 { nearest_squared.sqrt() } else { 0.0 } }
    };
    (0..flock.flock.len()).into_par_iter().map(look).collect()
}

/// The order parameters of a flock whose neighborhoods are known. Twin of `order_reduce.comp`, `order_mean.comp`,
/// `milling_reduce.comp` and `milling_mean.comp`.
///
/// # Panics
/// When the flock is empty: no flock of valid settings is.
pub fn order(settings: &Settings, flock: &BoidState, seen: &[Seen], step: u32) -> OrderParameters {
    let params = settings.step_params(step);
    // As the kernels do: from a boid's place, so that a flock in one spot has that spot as its center, to the last bit.
    let reference =
        Some(flock.contained(flock.len() / 2).0).filter(|place| place.x < FAR).unwrap_or_default().as_dvec3();
    let (kept, seen): (Vec<u32>, Vec<Seen>) =
        (0..).zip(seen.iter().copied()).filter(|&(i, _)| flock.contained(i as usize).0.x < FAR).unzip();
    let non_finite = (flock.len() - kept.len()) as u32;
    let flock = flock.in_order(&kept);
    let boids = (flock.len() as f64).max(1.0);
    let places: Vec<DVec3> = flock.position.par_iter().map(|p| steer::way(&params, reference, p.as_dvec3())).collect();
    let headings: Vec<DVec3> = flock.velocity.par_iter().map(|v| v.as_dvec3().normalize_or_zero()).collect();
    let speeds: Vec<f64> =
        flock.velocity.par_iter().map(|v| f64::from(settings.speed_scale()) * v.as_dvec3().length()).collect();
    let center = places.iter().sum::<DVec3>() / boids;
    let center = reference + center;
    let away = flock.position.iter().map(|p| steer::way(&params, center, p.as_dvec3()).normalize_or_zero());
    let turning = away.zip(&headings).map(|(away, heading)| away.cross(*heading));
    let center = settings.torus().map_or(center, |torus| torus.place(center.as_vec3()).as_dvec3());
    let alone = seen.iter().filter(|seen| seen.neighbors == 0).count() as u32;
    let nearest = seen.iter().map(|seen| seen.nearest).sum::<f64>() / (flock.len() as f64 - f64::from(alone));
    OrderParameters {
        step,
        polarization: (headings.iter().sum::<DVec3>() / boids).length(),
        milling: (turning.sum::<DVec3>() / boids).length(),
        center: center.to_array(),
        nearest: nearest.is_finite().then_some(nearest),
        neighbors: seen.iter().map(|seen| f64::from(seen.neighbors)).sum::<f64>() / boids,
        most_neighbors: seen.iter().map(|seen| seen.neighbors).max().unwrap_or(0),
        alone,
        non_finite,
        speed: speeds.iter().sum::<f64>() / boids,
        least_speed: speeds.iter().copied().reduce(f64::min).unwrap_or(0.0),
        most_speed: speeds.iter().copied().fold(0.0, f64::max),
    }
}

/// The order parameters of a flock in any order, `step` steps after its start.
pub fn order_parameters(settings: &Settings, flock: &BoidState, step: u32) -> OrderParameters {
    let settings = Settings { search: Search::SortedGrid, ..settings.clone() };
    let sorted = Ordered::of(&settings, flock);
    let seen = observe(&settings.step_params(step), &sorted);
    order(&settings, &sorted.flock, &seen, step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flock::random::{Stream, direction};
    use glam::Vec3;

    /// Reynolds' flock with a boid for each place and velocity.
    fn flock(boids: &[(Vec3, Vec3)]) -> (Settings, BoidState) {
        let settings = Settings::preset("reynolds").expect("a known preset").with_boids(boids.len() as u32);
        let state = BoidState {
            position: boids.iter().map(|boid| boid.0).collect(),
            velocity: boids.iter().map(|boid| boid.1).collect(),
            id: (0..boids.len() as u32).collect(),
        };
        (settings, state)
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-6
    }

    #[test]
    fn parallel_boids_are_polarized_and_do_not_mill() {
        let places = [Vec3::ZERO, Vec3::X, Vec3::new(0.0, 0.5, 0.0), Vec3::new(9.0, 9.0, 9.0)];
        let (settings, state) = flock(&places.map(|place| (place, Vec3::new(0.0, 0.0, 2.5))));
        let order = order_parameters(&settings, &state, 7);
        assert!(close(order.polarization, 1.0) && close(order.speed, 2.5), "{order:?}");
        assert_eq!((order.step, order.alone, order.most_neighbors), (7, 1, 2));
        assert_eq!((order.neighbors, order.center), (1.5, [2.5, 2.375, 2.25]));
        assert!(close(order.nearest.expect("three have company"), (0.5 + 0.5 + 1.0) / 3.0), "{order:?}");
        assert!(close(order.least_speed, 2.5) && close(order.most_speed, 2.5), "{order:?}");
    }

    #[test]
    fn a_wheel_mills_and_is_not_polarized() {
        // In a plane through (3, 1, -2), each flying along the rim at a speed of its own.
        let wheel: Vec<(Vec3, Vec3)> = (0..100)
            .map(|k| {
                let (sine, cosine) = (std::f32::consts::TAU * k as f32 / 100.0).sin_cos();
                let rim = Vec3::new(cosine, 0.0, sine);
                (Vec3::new(3.0, 1.0, -2.0) + 8.0 * rim, rim.cross(Vec3::Y) * (1.0 + 0.01 * k as f32))
            })
            .collect();
        let (settings, state) = flock(&wheel);
        let order = order_parameters(&settings, &state, 0);
        assert!(close(order.milling, 1.0) && order.polarization < 1e-6, "{order:?}");
        assert!(
            close(order.least_speed, 1.0) && close(order.most_speed, 1.99) && close(order.speed, 1.495),
            "{order:?}"
        );
        // Half the other way: neither.
        let both: Vec<(Vec3, Vec3)> =
            wheel.iter().enumerate().map(|(k, &(p, v))| (p, if k % 2 == 0 { v } else { -v })).collect();
        let (settings, state) = flock(&both);
        let order = order_parameters(&settings, &state, 0);
        assert!(order.milling < 0.02 && order.polarization < 0.02, "{order:?}");
    }

    #[test]
    fn a_crowd_is_neither_and_one_boid_is_alone() {
        let crowd: Vec<(Vec3, Vec3)> = (0..40_000)
            .map(|i| (5.0 * direction(3, Stream::Position, i), direction(4, Stream::Direction, i)))
            .collect();
        let (settings, state) = flock(&crowd);
        let order = order_parameters(&settings, &state, 0);
        // Means of random unit vectors are about one over the root of their count.
        assert!(order.polarization < 0.02 && order.milling < 0.02, "{order:?}");

        let (settings, state) = flock(&[(Vec3::new(2.0, 3.0, 4.0), Vec3::ZERO)]);
        let order = order_parameters(&settings, &state, 0);
        assert_eq!((order.polarization, order.milling, order.speed, order.neighbors), (0.0, 0.0, 0.0, 0.0));
        assert_eq!((order.nearest, order.alone, order.center), (None, 1, [2.0, 3.0, 4.0]));
    }
}
