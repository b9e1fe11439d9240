//! Places over time: of the cursor, the predator, points and obstacles.

use super::settings::{LENGTHS, Settings, Unit};
use crate::error::{Error, Result};
use glam::Vec3;
use std::iter::once;

/// A place at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waypoint {
    /// Simulated seconds since the start.
    pub seconds: f32,
    /// The place, in world units.
    pub position: Vec3,
}

/// Where things go that are somewhere at the start: for each, in its order, where it is at later times. What has none,
/// or is beyond the list, rests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Paths {
    /// Of [`Settings::points`].
    pub points: Vec<Vec<Waypoint>>,
    /// Of [`Settings::obstacles`]: the places of their middles.
    pub obstacles: Vec<Vec<Waypoint>>,
}

/// The place on `path` at a time: straight from one waypoint to the next, and from the start again at the last one's
/// time. None if the path is empty.
pub(super) fn on_path(path: &[Waypoint], seconds: f64) -> Option<Vec3> {
    let last = path.last()?;
    let end = f64::from(last.seconds);
    let seconds = if end > 0.0 { seconds % end } else { 0.0 };
    let next = path.iter().position(|point| f64::from(point.seconds) > seconds);
    Some(match next {
        Some(0) => path[0].position,
        Some(next) => {
            let (a, b) = (path[next - 1], path[next]);
            let share = (seconds - f64::from(a.seconds)) / f64::from(b.seconds - a.seconds);
            a.position.as_dvec3().lerp(b.position.as_dvec3(), share).as_vec3()
        }
        None => last.position,
    })
}

/// The place at a time of what is at `start` first, and goes along the path of number `at` then, if there is one.
pub(super) fn from_start(start: Vec3, paths: &[Vec<Waypoint>], at: usize, seconds: f64) -> Vec3 {
    let Some(path) = paths.get(at).filter(|path| !path.is_empty()) else { return start };
    let all: Vec<Waypoint> = once(Waypoint { seconds: 0.0, position: start }).chain(path.iter().copied()).collect();
    on_path(&all, seconds).unwrap_or(start)
}

/// Refuses a path of `name` whose times do not ascend or whose places are beyond all lengths.
pub(super) fn check(name: &str, path: &[Waypoint]) -> Result<()> {
    for pair in path.windows(2) {
        // NaN is after nothing.
        if pair[1].seconds.partial_cmp(&pair[0].seconds) != Some(std::cmp::Ordering::Greater) {
            let accepted = format!("a time after {}, that of the waypoint before, in seconds", pair[0].seconds);
            return Err(Error::setting(&format!("{name} (time)"), pair[1].seconds, accepted));
        }
    }
    let number = |name: &str, value: f32, least: f32, unit: Unit| {
        super::settings::check_number(name, value, least, LENGTHS.1, unit)
    };
    path.iter().try_for_each(|Waypoint { seconds, position }| {
        number(&format!("{name} (time)"), *seconds, 0.0, Unit::Seconds)?;
        position.to_array().into_iter().try_for_each(|place| number(name, place, -LENGTHS.1, Unit::Length))
    })
}

/// The same for each of `paths`, which begin after the start, of `count` things.
fn check_all(name: &str, paths: &[Vec<Waypoint>], count: usize) -> Result<()> {
    if paths.len() > count {
        return Err(Error::setting(name, format!("{} paths", paths.len()), format!("one for each of {count}")));
    }
    for path in paths {
        if let Some(first) = path.first().filter(|first| first.seconds <= 0.0) {
            let accepted = "a time after 0, in seconds: it starts where it says first";
            return Err(Error::setting(&format!("{name} (time)"), first.seconds, accepted));
        }
        check(name, path)?;
    }
    Ok(())
}

impl Settings {
    pub(super) fn check_paths(&self) -> Result<()> {
        check("cursor", &self.cursor)?;
        check("predator", &self.predator)?;
        check_all("points", &self.paths.points, self.points.len())?;
        check_all("obstacle", &self.paths.obstacles, self.obstacles.len())
    }

    /// Simulated seconds before step number `step`.
    pub(super) fn seconds_at(&self, step: u32) -> f64 {
        f64::from(step) * f64::from(self.time_step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flock::layout::Point;
    use crate::flock::obstacles::Obstacle;
    use glam::DVec3;

    fn way(places: &[(f32, Vec3)]) -> Vec<Waypoint> {
        places.iter().map(|&(seconds, position)| Waypoint { seconds, position }).collect()
    }

    #[test]
    fn points_obstacles_and_a_predator_are_where_their_paths_lead() {
        let mut settings = Settings::preset("reynolds").expect("a known preset").with_world_size(40.0);
        settings.time_step = 0.25;
        let rest = Point { position: Vec3::ONE, reach: 2.0, strength: 3.0 };
        settings.points = vec![rest, Point { position: Vec3::ZERO, ..rest }];
        settings.paths.points = vec![Vec::new(), way(&[(2.0, Vec3::X * 8.0), (3.0, Vec3::ZERO)])];
        settings.obstacles = vec![Obstacle::Sphere { center: Vec3::Y, radius: 1.0 }];
        settings.paths.obstacles = vec![way(&[(1.0, Vec3::Y * 5.0), (4.0, Vec3::Y)])];
        settings.predator = way(&[(0.0, Vec3::Z), (4.0, Vec3::NEG_Z)]);
        settings.validate().expect("paths in their order");
        let places = |step| settings.points_at(step).iter().map(|point| point.position).collect::<Vec<_>>();
        assert_eq!(places(0), [Vec3::ONE, Vec3::ZERO, Vec3::Z]);
        assert_eq!(places(4), [Vec3::ONE, Vec3::X * 4.0, Vec3::Z * 0.5]);
        assert_eq!(places(12), places(0).iter().copied().take(2).chain([Vec3::Z * -0.5]).collect::<Vec<_>>());
        let params = settings.step_params(4);
        assert_eq!((params.point_count, params.points[1].position), (3, Vec3::X * 4.0));
        let predator = params.points[2];
        // A share of the world, whatever the picture shows of it.
        assert_eq!((predator.reach, predator.strength), (0.15 * 20.0, -12.0 * settings.rules.max_speed));
        let height = |step| settings.obstacles_met(step)[0].position.y;
        assert_eq!([0, 2, 4, 10].map(height), [1.0, 3.0, 5.0, 3.0]);
        let solid: Vec<f64> = settings.solid_obstacles(4).map(|solid| solid.distance(DVec3::Y * 7.0)).collect();
        assert_eq!(solid, [1.0]);
    }

    #[test]
    fn paths_out_of_order_are_refused_by_name() {
        let settings = Settings::preset("reynolds").expect("a known preset");
        let refused = |change: &dyn Fn(&mut Settings)| {
            let mut settings = settings.clone();
            change(&mut settings);
            settings.validate().expect_err("out of order").to_string()
        };
        let back = way(&[(2.0, Vec3::ZERO), (1.0, Vec3::ZERO)]);
        for (said, name) in [
            (refused(&|settings| settings.predator.clone_from(&back)), "predator (time) is 1"),
            (refused(&|settings| settings.cursor.clone_from(&back)), "cursor (time) is 1"),
            (refused(&|settings| settings.paths.obstacles = vec![back.clone()]), "obstacle is 1 paths"),
            (
                refused(&|settings| {
                    settings.points = vec![Point { reach: 1.0, ..Point::default() }];
                    settings.paths.points = vec![way(&[(0.0, Vec3::ZERO)])];
                }),
                "points (time) is 0; accepted is a time after 0",
            ),
        ] {
            assert!(said.contains(name), "{said}");
        }
    }
}
