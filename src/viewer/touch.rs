//! What the user does to the flock itself: a pointer that attracts or repels, and a predator. Both are [`Point`]s, which act under
//! every law.

use crate::flock::Settings;
use crate::flock::layout::Point;
use crate::limits::MAX_POINTS;
use crate::render::Camera;
use glam::Vec3;

/// Accelerations in full speeds per second: of the pointer, and away from the predator.
const POINTER: f32 = 4.0;
const FLIGHT: f32 = 12.0;

/// Reaches as shares of half the picture's height: of pointer and predator.
const REACH: f32 = 0.4;
const FRIGHT: f32 = 0.25;

/// The predator's speed as a factor on the boids'.
const CHASE: f32 = 1.1;

/// Simulated seconds for which the predator chases one boid.
const PATIENCE: f32 = 4.0;

/// One that chases boids.
#[derive(Clone, Copy, Debug)]
pub(super) struct Predator {
    point: Point,
    prey: u32,
    /// Simulated seconds since it took to its prey.
    since: f32,
}

/// What touches the flock.
#[derive(Debug, Default)]
pub struct Touch {
    /// Where the pointer attracts (1) or repels (-1), while it does.
    held: Option<(Vec3, f32)>,
    pub(super) predator: Option<Predator>,
    /// Points that the settings have. The last make room where there is none for these two.
    given: Vec<Point>,
    /// The flock has been touched: from then on its kernels have points, if only one without strength.
    used: bool,
}

impl Touch {
    /// Begins with points that the settings have.
    pub fn new(points: &[Point]) -> Touch {
        Touch { given: points.to_vec(), ..Touch::default() }
    }

    /// The pointer attracts or repels at `place` by the sign; nowhere ends that.
    pub fn hold(&mut self, held: Option<(Vec3, f32)>) {
        self.held = held;
    }

    pub fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Drops a predator, or takes it away. Returns what was done.
    pub fn toggle_predator(&mut self, place: Vec3, settings: &Settings, camera: &Camera) -> &'static str {
        if self.predator.take().is_some() {
            return "the predator is gone";
        }
        let point =
            Point { position: place, reach: FRIGHT * half_height(camera), strength: -FLIGHT * settings.full_speed() };
        self.predator = Some(Predator { point, prey: 0, since: PATIENCE });
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

    /// Moves the predator towards its prey.
    pub fn chase(&mut self, prey: Vec3, seconds: f32, full_speed: f32) {
        if let Some(predator) = &mut self.predator
            && prey.is_finite()
        {
            let way = prey - predator.point.position;
            predator.point.position += way.clamp_length_max(CHASE * full_speed * seconds);
        }
    }

    /// All points, for the next step.
    pub fn points(&mut self, settings: &Settings, camera: &Camera) -> Vec<Point> {
        let reach = REACH * half_height(camera);
        let strength = |sign: f32| sign * POINTER * settings.full_speed();
        let held = self.held.map(|(position, sign)| Point { position, reach, strength: strength(sign) });
        let added: Vec<Point> = self.predator.map(|predator| predator.point).into_iter().chain(held).collect();
        let mut all = self.given.clone();
        all.truncate(MAX_POINTS as usize - added.len());
        all.extend(added);
        self.used |= !all.is_empty();
        if all.is_empty() && self.used {
            all.push(Point { position: settings.world.center, reach, strength: 0.0 });
        }
        all
    }
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
        let (settings, camera) = flock();
        let mut touch = Touch::new(&[]);
        assert!(touch.points(&settings, &camera).is_empty());
        touch.hold(Some((Vec3::X, -1.0)));
        let points = touch.points(&settings, &camera);
        assert!(points.len() == 1 && points[0].strength < 0.0 && points[0].position == Vec3::X);
        touch.hold(None);
        assert_eq!(touch.points(&settings, &camera)[0].strength, 0.0, "the same kernels go on");
    }

    #[test]
    fn a_predator_chases_one_boid_after_the_other() {
        let (settings, camera) = flock();
        let mut touch = Touch::new(&[]);
        assert_eq!(touch.prey(1.0, 100), None);
        touch.toggle_predator(Vec3::ZERO, &settings, &camera);
        let preys: Vec<u32> = (0..40).filter_map(|_| touch.prey(0.5, 100)).collect();
        assert!(preys.windows(8).all(|some| some[0] < 100) && preys[0] == preys[6] && preys[0] != preys[20]);
        touch.chase(Vec3::X * 100.0, 0.5, 4.0);
        let place = touch.points(&settings, &camera)[0].position;
        assert!((place.x - 0.5 * CHASE * 4.0).abs() < 1e-5, "{place}");
    }
}
