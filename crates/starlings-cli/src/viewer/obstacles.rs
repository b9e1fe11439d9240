//! Obstacles and the mouse: one is placed at the pointer, dragged, and taken away.

use glam::Vec3;
use starlings::flock::Settings;
use starlings::flock::obstacles::Obstacle;
use starlings::limits::MAX_OBSTACLES;
use starlings::render::Camera;
use std::borrow::Cow;

/// Radius of a new ball, as a share of half the picture's height.
const BALL: f32 = 0.2;

/// Steps along a ray, each as long as there is no obstacle about: more than enough where it does not graze one.
const MARCHES: u32 = 128;

/// Largest angle between a ray and an obstacle that it still counts as pointing at, in radians: as for boids.
const NEAR_MISS: f64 = 0.03;

/// The obstacle that a ray (unit) from the eye meets first after `step` steps. Planes are not met, as they may fill the
/// picture, but what is behind one is not seen.
pub fn met(settings: &Settings, step: u32, eye: Vec3, ray: Vec3) -> Option<usize> {
    let sights = sights(settings, step, eye, ray).filter(|(.., sight)| sight.miss == 0.0);
    let (at, is_plane, _) = sights.min_by(|a, b| a.2.way.total_cmp(&b.2.way))?;
    (!is_plane).then_some(at)
}

/// The same, or else the obstacle that the ray misses least, if that is by little.
pub fn pointed_at(settings: &Settings, step: u32, eye: Vec3, ray: Vec3) -> Option<usize> {
    met(settings, step, eye, ray).or_else(|| {
        let hidden = sights(settings, step, eye, ray).filter(|(_, is_plane, sight)| *is_plane && sight.miss == 0.0);
        let wall = hidden.map(|(.., sight)| sight.way).fold(f64::INFINITY, f64::min);
        let near =
            |(_, is_plane, sight): &(usize, bool, Sight)| !is_plane && sight.miss <= NEAR_MISS && sight.way < wall;
        sights(settings, step, eye, ray).filter(near).min_by(|a, b| a.2.miss.total_cmp(&b.2.miss)).map(|(at, ..)| at)
    })
}

/// How a ray passes an obstacle.
struct Sight {
    /// The angle by which it misses, in radians; 0 if it does not.
    miss: f64,
    /// From the eye to where that is, in world units.
    way: f64,
}

/// How a ray passes each obstacle that the eye is not inside of, and whether that is a plane.
fn sights(settings: &Settings, step: u32, eye: Vec3, ray: Vec3) -> impl Iterator<Item = (usize, bool, Sight)> {
    let (eye, ray) = (eye.as_dvec3(), ray.as_dvec3());
    let sight = move |obstacle: &Obstacle| {
        let mut way = obstacle.distance(eye);
        let mut nearest = Sight { miss: f64::INFINITY, way };
        // An obstacle is drawn from outside.
        for _ in 0..if way > 0.0 { MARCHES } else { 0 } {
            let distance = obstacle.distance(eye + ray * way);
            if distance < 1e-4 * way {
                return Sight { miss: 0.0, way };
            }
            if distance < nearest.miss * way {
                nearest = Sight { miss: distance / way, way };
            }
            way += distance;
        }
        nearest
    };
    let seen = move |(at, obstacle): (usize, Cow<'_, Obstacle>)| {
        (at, matches!(*obstacle, Obstacle::Plane { .. }), sight(&obstacle))
    };
    settings.solid_obstacles(step).enumerate().map(seen)
}

/// Places a ball, or takes away obstacle `at`. Returns what was done.
pub fn toggle(settings: &mut Settings, at: Option<usize>, place: Vec3, camera: &Camera) -> String {
    if let Some(at) = at {
        return format!("the {} is gone", settings.remove_obstacle(at).name());
    }
    if settings.obstacles.len() == MAX_OBSTACLES as usize {
        return format!("there are {MAX_OBSTACLES} obstacles already, as many as fit");
    }
    let radius = BALL * camera.tangents(1.0).1 * camera.distance;
    settings.obstacles.push(Obstacle::Sphere { center: place, radius });
    "a ball: drag it, X takes it away".into()
}

/// Obstacle `at`, as it is after `step` steps, moved along the picture, by pixels to the right and down; none if there
/// is none.
pub fn dragged(
    settings: &Settings,
    (at, step): (usize, u32),
    [right, down]: [f32; 2],
    (camera, height): (&Camera, u32),
) -> Option<Obstacle> {
    let obstacle = settings.obstacles_at(step).nth(at)?;
    let [x, y, forward] = camera.axes();
    let depth = (obstacle.center() - camera.eye()).dot(forward).max(0.0);
    let a_pixel = 2.0 * camera.tangents(1.0).1 * depth / height.max(1) as f32;
    Some(obstacle.into_owned().moved((x * right - y * down) * a_pixel))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_eye_does_not_see_is_not_pointed_at() {
        let mut settings = Settings::preset("reynolds").expect("a known preset");
        let ball = |z: f32, radius: f32| Obstacle::Sphere { center: Vec3::Z * z, radius };
        let wall = |z: f32| Obstacle::Plane { point: Vec3::Z * z, normal: Vec3::Z };
        let at = |settings: &Settings| {
            [Vec3::NEG_Z, Vec3::new(0.11, 0.0, -1.0).normalize()]
                .map(|ray| pointed_at(settings, 0, Vec3::Z * 10.0, ray))
        };
        // The first of two, wherever they stand in the list; of the second, only the edge is seen.
        settings.obstacles = vec![ball(-20.0, 4.0), ball(0.0, 1.0)];
        assert_eq!(at(&settings), [Some(1), Some(0)]);
        settings.obstacles.insert(0, wall(-10.0));
        assert_eq!(at(&settings), [Some(2), Some(2)], "a wall hides the other");
        settings.obstacles.push(wall(5.0));
        assert_eq!(at(&settings), [None; 2], "both are hidden");
        // One around the eye is not seen.
        settings.obstacles = vec![ball(10.0, 3.0), ball(0.0, 1.0)];
        assert_eq!(at(&settings)[0], Some(1));
    }

    #[test]
    fn balls_come_and_go_where_the_pointer_is() {
        let mut settings = Settings::preset("reynolds").expect("a known preset");
        let camera = Camera::of(&settings, 1.6);
        let (eye, ray) = (camera.eye(), camera.axes()[2]);
        assert_eq!(met(&settings, 0, eye, ray), None);
        let place = eye + ray * camera.distance;
        toggle(&mut settings, None, place, &camera);
        settings.obstacles.push(Obstacle::Plane { point: place - Vec3::Y * 50.0, normal: Vec3::Y });
        settings.validate().expect("obstacles that are accepted");
        assert_eq!(met(&settings, 0, eye, ray), Some(0));
        assert_eq!(met(&settings, 0, eye, -ray), None);
        let aside = (ray + 0.3 * camera.axes()[0]).normalize();
        assert_eq!(met(&settings, 0, eye, aside), None, "it is as large as a fifth of half the picture");
        assert_eq!(pointed_at(&settings, 0, eye, aside), None);
        // Beside its edge, by a hand that trembles.
        let edge = |by: f32| (ray + (BALL * camera.tangents(1.0).1 + by) * camera.axes()[0]).normalize();
        assert_eq!([0.02, 0.05].map(|by| met(&settings, 0, eye, edge(by))), [None; 2]);
        assert_eq!([0.02, 0.05].map(|by| pointed_at(&settings, 0, eye, edge(by))), [Some(0), None]);
        assert_eq!(toggle(&mut settings, Some(0), place, &camera), "the sphere is gone");
        assert_eq!(met(&settings, 0, eye, ray), None);
        for _ in 0..100 {
            toggle(&mut settings, None, place, &camera);
        }
        assert_eq!(settings.obstacles.len(), MAX_OBSTACLES as usize);
    }
}
