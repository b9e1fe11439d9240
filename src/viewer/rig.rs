//! The camera's motion: what mouse and keys want of it, and how it gets there.
//!
//! Input moves a goal, and the camera follows it by the same share in the same time, whatever the frame rate. The goal stays
//! within limits that the flock's world sets, so that the flock cannot be lost.

use crate::flock::Settings;
use crate::render::Camera;
use glam::{Vec2, Vec3, vec3};
use std::f32::consts::{FRAC_PI_2, TAU};
use std::time::Duration;

/// Seconds in which the camera covers all but 1/e of the way to its goal.
const EASE: f32 = 0.09;

/// What is left of the way, as a share of the view, when it counts as covered.
const ARRIVED: f32 = 1e-4;

/// Flight in a second, as a share of the distance from eye to center; and its factors when fast or slow.
const FLIGHT: f32 = 0.8;
const FAST: f32 = 4.0;
const SLOW: f32 = 0.25;

/// Radians in a second of the slow orbit.
const ORBIT: f32 = 0.12;

/// The farthest the eye may be from the center, and the center from that of the world, as factors on the distance at which the world
/// fills the picture. The nearest is a share of it.
const FARTHEST: f32 = 8.0;
const ASTRAY: f32 = 2.0;
const NEAREST: f32 = 1e-4;

/// A side to view the flock from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Along -z.
    Front,
    /// Along -x.
    Right,
    /// Straight down.
    Top,
}

impl Side {
    pub fn name(self) -> &'static str {
        match self {
            Side::Front => "front",
            Side::Right => "right",
            Side::Top => "top",
        }
    }
}

/// Directions of flight that are held: each from -1 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Flight {
    /// Right, up and forward.
    pub way: Vec3,
    /// Faster, at the price of precision.
    pub fast: bool,
    /// Slower.
    pub slow: bool,
}

/// A camera on its way to a goal.
#[derive(Clone, Copy, Debug)]
pub struct Rig {
    shown: Camera,
    goal: Camera,
    /// Where it is at the start.
    home: Camera,
    /// Center of the world, and the distance at which it fills the picture.
    world: (Vec3, f32),
    /// Turns around the center by itself.
    pub orbiting: bool,
    /// The boid that the center follows.
    pub followed: Option<u32>,
    /// It was followed in the last frame, too.
    tracking: bool,
    /// What is held to fly.
    pub flight: Flight,
}

impl Rig {
    /// Starts at `camera`, in the world of `settings`, for pictures of `aspect`.
    pub fn new(camera: Camera, settings: &Settings, aspect: f32) -> Rig {
        let world = (settings.world.center, Camera::of(settings, aspect).distance);
        let flight = Flight::default();
        Rig {
            shown: camera,
            goal: camera,
            home: camera,
            world,
            orbiting: false,
            followed: None,
            tracking: false,
            flight,
        }
    }

    /// Goes home, in a world that may have changed.
    pub fn go_home(&mut self, settings: &Settings, aspect: f32) {
        self.world = (settings.world.center, Camera::of(settings, aspect).distance);
        (self.goal, self.orbiting, self.followed) = (self.home, false, None);
    }

    /// Jumps to `camera`, which becomes its home in the world of `settings`.
    pub fn jump(&mut self, camera: Camera, settings: &Settings, aspect: f32) {
        *self = Rig::new(camera, settings, aspect);
    }

    /// Where it is.
    pub fn camera(&self) -> Camera {
        self.shown
    }

    /// Turns by a drag of the mouse, in pixels.
    pub fn orbit(&mut self, [right, down]: [f32; 2]) {
        self.goal.orbit(right, down);
    }

    /// Shifts by a drag of the mouse, in shares of the picture's height: what is at the center's depth follows the pointer.
    pub fn pan(&mut self, [right, down]: [f32; 2]) {
        let [x, y, _] = self.goal.axes();
        let height = 2.0 * self.goal.tangents(1.0).1 * self.goal.distance;
        self.goal.center += (y * down - x * right) * height;
        self.followed = None;
        self.keep_near();
    }

    /// Moves closer by `steps` of the wheel, or away when negative, and keeps what is under the pointer there: a place in normalized
    /// device coordinates, of which y points down.
    pub fn zoom(&mut self, steps: f32, [x, y]: [f32; 2], aspect: f32) {
        let before = self.goal.distance;
        self.goal.zoom(steps);
        self.keep_near();
        if self.followed.is_none() {
            let [right, up, _] = self.goal.axes();
            let (tan_x, tan_y) = self.goal.tangents(aspect);
            self.goal.center += (right * (tan_x * x) - up * (tan_y * y)) * (before - self.goal.distance);
            self.keep_near();
        }
    }

    /// Looks at a box around `center` from where all of it is seen.
    pub fn frame(&mut self, (least, most): (Vec3, Vec3), aspect: f32) {
        let center = (least + most) / 2.0;
        let radius = (most - least).length() / 2.0;
        let (tan_x, tan_y) = self.goal.tangents(aspect);
        let narrow = tan_x.min(tan_y).atan();
        self.goal.center = center;
        self.goal.distance = radius.max(NEAREST * self.world.1) * 1.05 / narrow.sin();
        self.followed = None;
        self.keep_near();
    }

    /// Looks from a side.
    pub fn look_from(&mut self, side: Side) {
        (self.goal.yaw, self.goal.pitch) = match side {
            Side::Front => (0.0, 0.0),
            Side::Right => (-FRAC_PI_2, 0.0),
            Side::Top => (0.0, -FRAC_PI_2),
        };
        self.orbiting = false;
    }

    /// Keeps the followed boid, which is at `place` now, in the middle.
    pub fn follow(&mut self, place: Vec3) {
        if !place.is_finite() {
            return;
        }
        if std::mem::replace(&mut self.tracking, true) {
            // What is shown moves along, or it would lag behind the boid by a share of its speed.
            self.shown.center += place - self.goal.center;
        }
        self.goal.center = place;
    }

    /// Whether it moves without further input.
    pub fn is_moving(&self) -> bool {
        let Camera { center, yaw, pitch, distance, vertical_fov } = self.goal;
        let away = (center - self.shown.center).length() / distance.max(f32::MIN_POSITIVE);
        let turned = turn(self.shown.yaw, yaw).abs() + (pitch - self.shown.pitch).abs();
        let zoomed = (distance / self.shown.distance).ln().abs() + (vertical_fov - self.shown.vertical_fov).abs();
        self.orbiting || self.flight.way != Vec3::ZERO || away + turned + zoomed > ARRIVED
    }

    /// Moves for `elapsed`, and returns where the camera is then.
    pub fn advance(&mut self, elapsed: Duration) -> Camera {
        self.tracking &= self.followed.is_some();
        // A frame that took long must not become a leap.
        let seconds = elapsed.as_secs_f32().min(0.25);
        if self.orbiting {
            self.goal.yaw = (self.goal.yaw + ORBIT * seconds) % TAU;
        }
        let Flight { way, fast, slow } = self.flight;
        if way != Vec3::ZERO {
            let [right, up, forward] = self.goal.axes();
            let pace = FLIGHT * if fast { FAST } else { 1.0 } * if slow { SLOW } else { 1.0 };
            let way = (right * way.x + up * way.y + forward * way.z).normalize_or_zero();
            self.goal.center += way * (pace * self.goal.distance * seconds);
            self.followed = None;
            self.keep_near();
        }
        if !self.is_moving() {
            self.shown = self.goal;
            return self.shown;
        }
        let share = 1.0 - (-seconds / EASE).exp();
        let (shown, goal) = (&mut self.shown, &self.goal);
        shown.center += (goal.center - shown.center) * share;
        shown.yaw += turn(shown.yaw, goal.yaw) * share;
        shown.pitch += (goal.pitch - shown.pitch) * share;
        shown.distance *= (goal.distance / shown.distance).powf(share);
        shown.vertical_fov += (goal.vertical_fov - shown.vertical_fov) * share;
        self.shown
    }

    /// Keeps the goal within reach of the world.
    fn keep_near(&mut self) {
        let (center, fit) = self.world;
        self.goal.distance = self.goal.distance.clamp(NEAREST * fit, FARTHEST * fit);
        let away = self.goal.center - center;
        self.goal.center = center + away.clamp_length_max(ASTRAY * fit);
    }
}

/// The shorter turn from one angle to another, in radians.
fn turn(from: f32, to: f32) -> f32 {
    (to - from + 3.0 * TAU / 2.0).rem_euclid(TAU) - TAU / 2.0
}

/// The box around the middle of `places`: without the farthest hundredth to each side along each axis, which strays. None of none.
pub fn bounds(places: &[Vec3]) -> Option<(Vec3, Vec3)> {
    /// Places that are looked at: a flock may be of a billion.
    const SAMPLE: usize = 1 << 16;
    let sample = || places.iter().step_by(places.len().div_ceil(SAMPLE).max(1)).filter(|place| place.is_finite());
    let ends = [0, 1, 2].map(|axis| {
        let mut along: Vec<f32> = sample().map(|place| place[axis]).collect();
        along.sort_by(f32::total_cmp);
        let aside = along.len() / 100;
        Some(Vec2::new(*along.get(aside)?, *along.get(along.len() - 1 - aside)?))
    });
    let [Some(x), Some(y), Some(z)] = ends else { return None };
    Some((vec3(x.x, y.x, z.x), vec3(x.y, y.y, z.y)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASPECT: f32 = 1.6;

    fn rig() -> Rig {
        let settings = Settings::preset("reynolds").expect("a known preset");
        Rig::new(Camera::of(&settings, ASPECT), &settings, ASPECT)
    }

    fn millis(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// Lets `frames` frames pass, of so many milliseconds each.
    fn fly(rig: &mut Rig, frames: u32, ms: u64) {
        (0..frames).for_each(|_| {
            rig.advance(millis(ms));
        });
    }

    /// Where a place is in the picture.
    fn at(camera: &Camera, place: Vec3) -> Vec2 {
        let clip = camera.view_projection(ASPECT) * place.extend(1.0);
        Vec2::new(clip.x, clip.y) / clip.w
    }

    #[test]
    fn it_gets_to_its_goal_in_the_same_time_at_any_frame_rate() {
        let (mut fast, mut slow) = (rig(), rig());
        for rig in [&mut fast, &mut slow] {
            rig.orbit([80.0, -20.0]);
            rig.zoom(3.0, [0.0, 0.0], ASPECT);
        }
        fly(&mut fast, 25, 4);
        fly(&mut slow, 2, 50);
        assert!((fast.camera().yaw - slow.camera().yaw).abs() < 1e-4);
        assert!((fast.camera().distance / slow.camera().distance - 1.0).abs() < 1e-4);
        assert!(fast.is_moving());
        fly(&mut slow, 40, 50);
        assert!(!slow.is_moving(), "it comes to rest");
    }

    #[test]
    fn the_wheel_keeps_what_is_under_the_pointer() {
        let mut rig = rig();
        let pointer = [0.5, -0.3];
        let camera = rig.camera();
        let (tan_x, tan_y) = camera.tangents(ASPECT);
        let [right, up, _] = camera.axes();
        let place = camera.center + (right * (tan_x * pointer[0]) - up * (tan_y * pointer[1])) * camera.distance;
        rig.zoom(4.0, pointer, ASPECT);
        fly(&mut rig, 99, 50);
        assert!((at(&rig.camera(), place) - Vec2::from(pointer)).length() < 1e-3);
        assert!(rig.camera().distance < 0.7 * camera.distance);
    }

    #[test]
    fn a_drag_to_the_right_moves_the_flock_to_the_right() {
        let mut rig = rig();
        let center = rig.camera().center;
        rig.pan([0.25, 0.1]);
        fly(&mut rig, 99, 50);
        // Half the height is 1 in these coordinates.
        assert!((at(&rig.camera(), center) - Vec2::new(0.5 / ASPECT, 0.2)).length() < 1e-3);
    }

    #[test]
    fn the_flock_cannot_be_lost() {
        let mut rig = rig();
        let home = rig.camera();
        rig.zoom(-1e6, [0.9, 0.9], ASPECT);
        rig.pan([1e6, -1e6]);
        rig.flight = Flight { way: Vec3::Z, fast: true, slow: false };
        fly(&mut rig, 999, 100);
        let camera = rig.camera();
        assert!(camera.distance <= FARTHEST * home.distance * 1.001);
        assert!((camera.center - home.center).length() <= ASTRAY * home.distance * 1.001);
        rig.flight = Flight::default();
        rig.go_home(&Settings::preset("reynolds").expect("a known preset"), ASPECT);
        fly(&mut rig, 99, 50);
        assert_eq!(rig.camera(), home);
    }

    #[test]
    fn a_framed_flock_is_in_the_picture() {
        let mut rig = rig();
        let around = vec3(3.0, -2.0, 1.0);
        let places: Vec<Vec3> = (0..8)
            .flat_map(|corner| {
                let sign = |bit: u32| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
                [around + vec3(sign(0), sign(1), sign(2)) * 1.5; 9]
            })
            .collect();
        rig.frame(bounds(&places).expect("some places"), ASPECT);
        for side in [Side::Front, Side::Right, Side::Top] {
            rig.look_from(side);
            fly(&mut rig, 99, 50);
            for place in &places {
                assert!(at(&rig.camera(), *place).abs().max_element() < 1.0, "{side:?} {place}");
            }
        }
        assert_eq!(bounds(&[]), None);
        assert_eq!(bounds(&[Vec3::NAN]), None);
    }

    #[test]
    fn a_followed_boid_gets_to_the_middle_and_stays_there() {
        let mut rig = rig();
        rig.followed = Some(3);
        let place = |frame: u32| vec3(1.0, 0.5, -2.0) + vec3(0.1, 0.0, 0.05) * frame as f32;
        let mut off = Vec::new();
        for frame in 0..120 {
            rig.follow(place(frame));
            off.push((rig.advance(millis(16)).center - place(frame)).length());
        }
        assert!(off[0] > 1.0 && off[119] < 1e-3, "{} {}", off[0], off[119]);
        assert!(off.windows(2).all(|two| two[1] <= two[0] + 1e-5), "without a leap");
    }

    #[test]
    fn turns_are_short() {
        assert!((turn(0.1, TAU - 0.1) + 0.2).abs() < 1e-5);
        assert!((turn(3.0, -3.0) - (TAU - 6.0)).abs() < 1e-5);
    }
}
