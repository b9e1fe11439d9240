//! What the user does to the flock itself: a pointer that attracts or repels, and a predator that hunts. Both are
//! settings of the flock, which act under every law.

use super::diagram::Projection;
use glam::Vec3;
use starlings::flock::Settings;
use starlings::flock::layout::Point;
use starlings::flock::settings::{Paths, Waypoint};
use starlings::limits::MAX_POINTS;
use starlings::render::Camera;

/// Acceleration of the pointer, in full speeds per second.
const POINTER: f32 = 4.0;

/// Its reach as a share of half the picture's height.
const REACH: f32 = 0.4;

/// The predator's speed as a factor on the boids'.
const CHASE: f32 = 1.1;

/// Simulated seconds for which the predator chases one boid.
const PATIENCE: f32 = 4.0;

/// One that chases boids.
#[derive(Clone, Copy, Debug)]
struct Predator {
    place: Vec3,
    prey: u32,
    /// Simulated seconds since it took to its prey.
    since: f32,
}

/// Pointer and predator.
#[derive(Debug, Default)]
pub struct Influences {
    /// Where the pointer attracts (1) or repels (-1), while it does.
    held: Option<(Vec3, f32)>,
    predator: Option<Predator>,
    /// Points that the settings have, and their paths. The last make room where there is none for the pointer.
    given: (Vec<Point>, Vec<Vec<Waypoint>>),
    /// The way of a predator that the settings have.
    given_predator: Vec<Waypoint>,
    /// There has been one of them: from then on its kernels have points, if only one without strength.
    used: bool,
}

impl Influences {
    /// Begins with points and a predator that the settings have.
    pub fn new(settings: &Settings) -> Influences {
        Influences {
            given: (settings.points.clone(), settings.paths.points.clone()),
            given_predator: settings.predator.clone(),
            ..Influences::default()
        }
    }

    /// The pointer attracts or repels at `place` by the sign; nowhere ends that.
    pub fn hold(&mut self, held: Option<(Vec3, f32)>) {
        self.held = held;
    }

    pub fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Drops a predator, or takes away the one that there is. Returns what was done.
    pub fn toggle_predator(&mut self, place: Vec3) -> &'static str {
        if self.predator.is_some() || !self.given_predator.is_empty() {
            self.without_predator();
            return "the predator is gone";
        }
        self.predator = Some(Predator { place, prey: 0, since: PATIENCE });
        "a predator"
    }

    /// The boid that the predator chases for the next `seconds` of the flock, if there is one.
    pub fn prey(&mut self, seconds: f32, boids: u32) -> Option<u32> {
        let predator = self.predator.as_mut()?;
        predator.since += seconds;
        if predator.since >= PATIENCE {
            // A walk through all numbers of a prime modulus.
            predator.prey = (u64::from(predator.prey + 1) * 48_271 % 2_147_483_647) as u32;
            predator.since = 0.0;
        }
        Some(predator.prey % boids)
    }

    /// Takes the predator away.
    pub fn without_predator(&mut self) {
        (self.predator, self.given_predator) = (None, Vec::new());
    }

    /// Moves the predator towards its prey.
    pub fn chase(&mut self, prey: Vec3, seconds: f32, full_speed: f32) {
        if let Some(predator) = &mut self.predator
            && prey.is_finite()
        {
            predator.place += (prey - predator.place).clamp_length_max(CHASE * full_speed * seconds);
        }
    }

    /// Lets them act on the flock of `settings` from its next step on.
    pub fn act(&mut self, settings: &mut Settings, camera: &Camera) {
        settings.predator = match self.predator {
            Some(Predator { place, .. }) => vec![Waypoint { seconds: 0.0, position: place }],
            None => self.given_predator.clone(),
        };
        let (reach, full_speed) = (REACH * half_height(camera), settings.full_speed());
        let held = self.held.map(|(position, sign)| Point { position, reach, strength: sign * POINTER * full_speed });
        let room = MAX_POINTS as usize - usize::from(held.is_some()) - usize::from(!settings.predator.is_empty());
        let (mut points, mut paths) = self.given.clone();
        points.truncate(room);
        paths.truncate(points.len());
        points.extend(held);
        self.used |= !points.is_empty() || !settings.predator.is_empty();
        if self.used && points.is_empty() && settings.predator.is_empty() {
            points.push(Point { position: settings.world.center, reach, strength: 0.0 });
        }
        settings.points = points;
        settings.paths = Paths { points: paths, obstacles: std::mem::take(&mut settings.paths.obstacles) };
    }
}

/// A ring over the picture.
pub struct Marker {
    /// Pixels from the left and from the top.
    pub at: [f32; 2],
    /// What it is around, and how far that reaches.
    pub kind: MarkerKind,
}

/// What a ring is around.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MarkerKind {
    /// A point that draws boids near, and its reach in pixels.
    Attracts(f32),
    /// One that drives them away.
    Repels(f32),
    /// The boid that the camera follows.
    Followed,
}

/// Where these points and the boid at `followed` are in a picture of that size.
pub fn markers(points: &[Point], camera: &Camera, size: (u32, u32), followed: Option<Vec3>) -> Vec<Marker> {
    let projection = Projection::new(camera, size);
    let of_point = |point: &Point| {
        let (at, reach) = projection.ring(point.position, point.reach)?;
        let kind = if point.strength > 0.0 { MarkerKind::Attracts(reach) } else { MarkerKind::Repels(reach) };
        Some(Marker { at, kind })
    };
    let of_boid = |place| projection.ring(place, 0.0).map(|(at, _)| Marker { at, kind: MarkerKind::Followed });
    let points = points.iter().filter(|point| point.strength != 0.0);
    points.filter_map(of_point).chain(followed.and_then(of_boid)).collect()
}

/// Half of what is seen at the camera's center from bottom to top, in world units.
fn half_height(camera: &Camera) -> f32 {
    camera.tangents(1.0).1 * camera.distance
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flock() -> (Settings, Camera) {
        let settings = Settings::preset("reynolds").expect("a known preset");
        let camera = Camera::of(&settings, 1.6);
        (settings, camera)
    }

    #[test]
    fn an_untouched_flock_has_no_points_and_a_touched_one_always_some() {
        let (mut settings, camera) = flock();
        let mut influences = Influences::new(&settings);
        let untouched = settings.clone();
        influences.act(&mut settings, &camera);
        assert_eq!(settings, untouched);
        influences.hold(Some((Vec3::X, -1.0)));
        influences.act(&mut settings, &camera);
        let points = &settings.points;
        assert!(points.len() == 1 && points[0].strength < 0.0 && points[0].position == Vec3::X);
        influences.hold(None);
        influences.act(&mut settings, &camera);
        assert_eq!(settings.points[0].strength, 0.0, "the same kernels go on");
    }

    #[test]
    fn a_predator_chases_one_boid_after_the_other() {
        let (mut settings, camera) = flock();
        let mut influences = Influences::new(&settings);
        assert_eq!(influences.prey(1.0, 100), None);
        influences.toggle_predator(Vec3::ZERO);
        let preys: Vec<u32> = (0..40).filter_map(|_| influences.prey(0.5, 100)).collect();
        assert!(preys.windows(8).all(|some| some[0] < 100) && preys[0] == preys[6] && preys[0] != preys[20]);
        influences.chase(Vec3::X * 100.0, 0.5, 4.0);
        influences.act(&mut settings, &camera);
        let place = settings.predator[0].position;
        assert!((place.x - 0.5 * CHASE * 4.0).abs() < 1e-5, "{place}");
        // Its reach is that of the flock, however near the eye is.
        let reach = settings.points_at(0)[0].reach;
        influences.act(&mut settings, &Camera { distance: 0.1 * camera.distance, ..camera });
        assert_eq!(settings.points_at(0)[0].reach, reach);
        influences.toggle_predator(Vec3::ZERO);
        influences.act(&mut settings, &camera);
        assert!(settings.predator.is_empty());
        // One that was there before goes, too.
        settings.predator = vec![Waypoint { seconds: 0.0, position: Vec3::ONE }];
        let mut influences = Influences::new(&settings);
        assert_eq!(influences.toggle_predator(Vec3::ZERO), "the predator is gone");
    }
}
