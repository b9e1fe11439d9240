//! Where the cursor is in a given step, in runs without a mouse.

use super::paths::on_path;
use super::settings::Settings;
use glam::{DVec3, Vec3};
use std::f64::consts::TAU;

/// Seconds of one circle of the cursor around the center of the world, if no path is set.
const ROUND: f64 = 20.0;

/// Where the cursor is in step number `step`, in world units; in the world's plane, if it is flat.
///
/// It moves straight from one waypoint of [`Settings::cursor`] to the next, and restarts at the last one's time.
/// Without waypoints it circles the center of the world, half way to its walls.
pub fn at_step(settings: &Settings, step: u32) -> Vec3 {
    let seconds = settings.seconds_at(step);
    let center = settings.world.center;
    let mut place = on_path(&settings.cursor, seconds).unwrap_or_else(|| {
        let (sin, cos) = (TAU * seconds / ROUND).sin_cos();
        center + settings.world.half_size * (DVec3::new(cos, 0.0, sin) * 0.5).as_vec3()
    });
    if settings.plane {
        place.y = center.y;
    }
    place
}

#[cfg(test)]
mod tests {
    use super::super::settings::Waypoint;
    use super::*;

    fn settings(path: &[(f32, Vec3)]) -> Settings {
        let mut settings = Settings::preset("cursor").expect("a known preset");
        settings.time_step = 0.25;
        settings.cursor = path.iter().map(|&(seconds, position)| Waypoint { seconds, position }).collect();
        settings
    }

    #[test]
    fn a_path_is_followed_and_begins_again() {
        let settings = settings(&[(1.0, Vec3::ZERO), (2.0, Vec3::X), (3.0, Vec3::new(1.0, 4.0, 0.0))]);
        let at = |seconds: f32| at_step(&settings, (seconds * 4.0) as u32);
        assert_eq!(at(0.0), Vec3::ZERO, "before the first waypoint it waits there");
        assert_eq!(at(1.5), Vec3::X * 0.5);
        assert_eq!(at(2.25), Vec3::new(1.0, 1.0, 0.0));
        assert_eq!(at(3.0), at(0.0));
        assert_eq!(at(4.5), at(1.5));
    }

    #[test]
    fn one_waypoint_is_a_fixed_cursor() {
        let settings = settings(&[(0.0, Vec3::ONE)]);
        assert_eq!(at_step(&settings, 0), Vec3::ONE);
        assert_eq!(at_step(&settings, 12_345), Vec3::ONE);
    }

    #[test]
    fn without_a_path_it_circles() {
        let mut settings = settings(&[]);
        settings.world.center = Vec3::new(1.0, 2.0, 3.0);
        let quarter = at_step(&settings, 20) - settings.world.center;
        assert!(quarter.distance(Vec3::Z * 0.5 * settings.world.half_size) < 1e-3, "{quarter}");
        assert!(at_step(&settings, 80).distance(at_step(&settings, 0)) < 1e-3);
    }

    #[test]
    fn on_a_plane_it_is_flat() {
        let mut settings = settings(&[(0.0, Vec3::ONE)]).on_plane();
        settings.world.center.y = -3.0;
        assert_eq!(at_step(&settings, 0).y, -3.0);
    }
}
