//! The camera's motion: what mouse and keys want of it, and how it gets there.
//!
//! It looks at a pivot, which is shown in the middle of what the panels leave free. Input moves a goal, and the camera
//! follows it by the same share in the same time, whatever the frame rate. The goal stays within limits that the
//! flock's world sets, so that the flock cannot be lost.

use glam::{Vec2, Vec3, vec3};
use starlings::flock::Settings;
use starlings::render::Camera;
use std::f32::consts::{FRAC_PI_2, TAU};
use std::time::Duration;

/// Seconds in which the camera covers all but 1/e of the way to its goal.
const EASE: f32 = 0.09;

/// What is left of the way, as a share of the view, when it counts as covered.
const ARRIVED: f32 = 1e-4;

/// The same where it follows a flock that leaves the picture.
const DRIFT: f32 = 0.9;

/// A flock has left what is kept in view, or become small in it, by these factors on the radius.
const LEAVES: f32 = 1.15;
const SMALL: f32 = 0.5;

/// Room around a flock, as a factor on its radius.
const AROUND: f32 = 1.05;

/// The least radius of a flock, in boid lengths.
const LEAST_FLOCK: f32 = 8.0;

/// The least share of the picture, along each side, that counts as room.
const LEAST_ROOM: f32 = 0.3;

/// Boid lengths from which a boid is followed.
const FOLLOWED_FROM: f32 = 24.0;

/// Flight in a second, as a share of the distance from eye to center; and its factors when fast or slow.
const FLIGHT: f32 = 0.8;
const FAST: f32 = 4.0;
const SLOW: f32 = 0.25;

/// Radians in a second of the slow orbit.
const ORBIT: f32 = 0.12;

/// The farthest the eye may be from the center, and the center from that of the world, as factors on the distance at
/// which the world fills the picture. The nearest is a share of it.
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
pub struct CameraMotion {
    /// Both look at their pivots.
    shown: Camera,
    goal: Camera,
    /// Where the pivot is shown, from the middle of the picture to its right and lower edge.
    aside: Vec2,
    /// The part of the picture that is free.
    room: Room,
    aspect: f32,
    /// The pivot belongs into the middle of that part.
    is_framed: bool,
    /// The flock that is kept in view, if one is.
    kept: Option<Around>,
    /// The user has moved it since it was last led.
    is_taken: bool,
    /// Seconds of its easing.
    ease: f32,
    /// Where it is at the start, and the flock that it keeps in view there.
    home: (Camera, Option<Around>),
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

impl CameraMotion {
    /// Starts at `camera`, in the world of `settings`, for pictures of `aspect`.
    pub fn new(camera: Camera, settings: &Settings, aspect: f32) -> CameraMotion {
        CameraMotion {
            shown: camera,
            goal: camera,
            aside: Vec2::ZERO,
            room: Room::default(),
            aspect,
            is_framed: false,
            kept: None,
            is_taken: false,
            ease: EASE,
            home: (camera, None),
            world: (settings.world.center, Camera::of(settings, aspect).distance),
            orbiting: false,
            followed: None,
            tracking: false,
            flight: Flight::default(),
        }
    }

    /// Starts where `flock` is seen in the free part of the picture, in the direction of `camera`; where `camera` sees
    /// the same in that part, without a flock.
    pub fn framing(camera: Camera, flock: Option<Around>, settings: &Settings, aspect: f32, room: Room) -> Self {
        let mut motion = Self::new(camera, settings, aspect);
        motion.room = room;
        let radius = camera.distance / Room::default().distance(&camera, aspect);
        motion.frame(flock.unwrap_or(Around { center: camera.center, radius }));
        motion.kept = motion.kept.filter(|_| flock.is_some());
        (motion.shown, motion.aside, motion.ease) = (motion.goal, room.middle(), EASE);
        motion.home = (motion.goal, motion.kept);
        motion.is_taken = false;
        motion
    }

    /// Goes home, in a world that may have changed.
    pub fn go_home(&mut self, settings: &Settings) {
        self.world = (settings.world.center, Camera::of(settings, self.aspect).distance);
        (self.goal, self.kept) = self.home;
        (self.orbiting, self.followed) = (false, None);
        self.take();
        if let Some(flock) = self.kept {
            self.frame(flock);
        }
    }

    /// The free part of pictures of `aspect` is now this one.
    pub fn set_room(&mut self, room: Room, aspect: f32) {
        if std::mem::replace(&mut self.room, room) == room && self.aspect == aspect {
            return;
        }
        self.aspect = aspect;
        if let Some(flock) = self.kept {
            self.frame(flock);
        }
    }

    /// Where it is.
    pub fn shown(&self) -> Camera {
        let [right, up, _] = self.shown.axes();
        let (tan_x, tan_y) = self.shown.tangents(self.aspect);
        let Vec2 { x, y } = self.aside;
        let center = self.shown.center - (right * (tan_x * x) - up * (tan_y * y)) * self.shown.distance;
        Camera { center, ..self.shown }
    }

    /// Where the boid is that it follows, once it has been found.
    pub fn tracked(&self) -> Option<Vec3> {
        (self.followed.is_some() && self.tracking).then_some(self.goal.center)
    }

    /// Where the pivot is to be shown.
    fn aside_wanted(&self) -> Vec2 {
        if self.is_framed { self.room.middle() } else { self.aside }
    }

    /// Turns by a drag of the mouse, in pixels.
    pub fn orbit(&mut self, [right, down]: [f32; 2]) {
        self.goal.orbit(right, down);
        self.take();
    }

    /// Shifts by a drag of the mouse, in shares of the picture's height: what is at the center's depth follows the
    /// pointer.
    pub fn pan(&mut self, [right, down]: [f32; 2]) {
        let [x, y, _] = self.goal.axes();
        let height = 2.0 * self.goal.tangents(1.0).1 * self.goal.distance;
        self.goal.center += (y * down - x * right) * height;
        (self.followed, self.kept) = (None, None);
        self.take();
        self.keep_near();
    }

    /// Moves closer by `steps` of the wheel, or away when negative, and keeps what is under the pointer there: a place
    /// in normalized device coordinates, of which y points down.
    pub fn zoom(&mut self, steps: f32, [x, y]: [f32; 2], aspect: f32) {
        let before = self.goal.distance;
        self.goal.zoom(steps);
        self.kept = None;
        self.take();
        self.keep_near();
        let Vec2 { x, y } = Vec2::new(x, y) - self.aside;
        if self.followed.is_none() {
            let [right, up, _] = self.goal.axes();
            let (tan_x, tan_y) = self.goal.tangents(aspect);
            self.goal.center += (right * (tan_x * x) - up * (tan_y * y)) * (before - self.goal.distance);
            self.keep_near();
        }
    }

    /// Looks at `flock` from where all of it is seen in the free part of the picture, and keeps it in view.
    pub fn frame(&mut self, flock: Around) {
        self.goal.center = flock.center;
        let radius = flock.radius.max(NEAREST * self.world.1);
        self.goal.distance = AROUND * radius * self.room.distance(&self.goal, self.aspect);
        (self.followed, self.kept, self.is_framed) = (None, Some(flock), true);
        self.take();
        self.keep_near();
    }

    /// The flock is there now: if one is kept in view and this one leaves it, or has become small in it, the camera
    /// drifts to where all of it is seen.
    pub fn see(&mut self, flock: Around) {
        let Some(kept) = self.kept else { return };
        let away = (flock.center - kept.center).length() + flock.radius;
        if away > LEAVES * kept.radius || flock.radius < SMALL * kept.radius {
            self.frame(flock);
            self.ease = DRIFT;
        }
    }

    /// Goes to where exactly this is shown.
    pub fn look_as(&mut self, camera: Camera) {
        (self.shown, self.aside, self.is_framed) = (self.shown(), Vec2::ZERO, false);
        (self.goal, self.kept, self.followed, self.orbiting) = (camera, None, None, false);
        self.take();
    }

    /// Is led: shows exactly this.
    pub fn show(&mut self, camera: Camera) {
        (self.shown, self.goal, self.aside, self.is_framed) = (camera, camera, Vec2::ZERO, false);
        (self.kept, self.followed, self.orbiting, self.is_taken) = (None, None, false, false);
    }

    /// Whether the user has moved it since it was last led.
    pub fn is_taken(&self) -> bool {
        self.is_taken
    }

    /// Lets itself be led again.
    pub fn release(&mut self) {
        self.is_taken = false;
    }

    /// The user moves it.
    fn take(&mut self) {
        (self.is_taken, self.ease) = (true, EASE);
    }

    /// Turns around its pivot by itself, or no longer. Returns which.
    pub fn toggle_orbit(&mut self) -> bool {
        self.take();
        self.orbiting = !self.orbiting;
        self.orbiting
    }

    /// Whether it keeps a flock in view.
    pub fn keeps_flock(&self) -> bool {
        self.kept.is_some()
    }

    /// Follows the boid `id`, of this length, from nearby.
    pub fn follow_near(&mut self, id: u32, boid_length: f32) {
        (self.followed, self.kept, self.is_framed) = (Some(id), None, true);
        self.take();
        self.goal.distance = self.goal.distance.min(FOLLOWED_FROM * boid_length);
        self.keep_near();
    }

    pub fn look_from(&mut self, side: Side) {
        (self.goal.yaw, self.goal.pitch) = match side {
            Side::Front => (0.0, 0.0),
            Side::Right => (-FRAC_PI_2, 0.0),
            Side::Top => (0.0, -FRAC_PI_2),
        };
        self.orbiting = false;
        self.take();
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
        let shifted = (self.aside_wanted() - self.aside).length();
        self.orbiting || self.flight.way != Vec3::ZERO || away + turned + zoomed + shifted > ARRIVED
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
            (self.followed, self.kept) = (None, None);
            self.take();
            self.keep_near();
        }
        if !self.is_moving() {
            (self.shown, self.aside) = (self.goal, self.aside_wanted());
            return self.shown();
        }
        self.aside += (self.aside_wanted() - self.aside) * (1.0 - (-seconds / EASE).exp());
        let share = 1.0 - (-seconds / self.ease).exp();
        let (shown, goal) = (&mut self.shown, &self.goal);
        shown.center += (goal.center - shown.center) * share;
        shown.yaw += turn(shown.yaw, goal.yaw) * share;
        shown.pitch += (goal.pitch - shown.pitch) * share;
        shown.distance *= (goal.distance / shown.distance).powf(share);
        shown.vertical_fov += (goal.vertical_fov - shown.vertical_fov) * share;
        self.shown()
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

/// Where a flock is: a ball around all but a few of its boids.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Around {
    pub center: Vec3,
    pub radius: f32,
}

impl Around {
    /// Of boids at `places`, without the hundredth to each side along each axis that strays farthest, and no smaller
    /// than suits boids of that length. None of none.
    pub fn of(places: &[Vec3], boid_length: f32) -> Option<Around> {
        /// Places that are looked at: a flock may be of a billion.
        const SAMPLE: usize = 1 << 12;
        let sample = || places.iter().step_by(places.len().div_ceil(SAMPLE).max(1)).filter(|place| place.is_finite());
        let strays = |count: usize| count / 100;
        let middles = [0, 1, 2].map(|axis| {
            let mut along: Vec<f32> = sample().map(|place| place[axis]).collect();
            along.sort_by(f32::total_cmp);
            let aside = strays(along.len());
            Some((along.get(aside)? + along.get(along.len() - 1 - aside)?) / 2.0)
        });
        let [Some(x), Some(y), Some(z)] = middles else { return None };
        let center = vec3(x, y, z);
        let mut away: Vec<f32> = sample().map(|place| (*place - center).length()).collect();
        away.sort_by(f32::total_cmp);
        let radius = *away.get(away.len() - 1 - 2 * strays(away.len()))?;
        Some(Around { center, radius: radius.max(LEAST_FLOCK * boid_length) })
    }
}

/// The part of a picture that no panel covers: from the middle of the picture, -1 to 1 to the right and down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Room {
    low: Vec2,
    high: Vec2,
}

impl Default for Room {
    /// All of it.
    fn default() -> Room {
        Room { low: Vec2::NEG_ONE, high: Vec2::ONE }
    }
}

impl Room {
    /// Of a picture with panels on the left, on the right and at the bottom that take such shares of it; all of it
    /// where they leave little.
    pub fn beside([left, right, bottom]: [f32; 3]) -> Room {
        let free = Vec2::new(1.0 - left - right, 1.0 - bottom);
        if free.min_element() < LEAST_ROOM {
            return Room::default();
        }
        Room { low: Vec2::new(2.0 * left - 1.0, -1.0), high: Vec2::new(1.0 - 2.0 * right, 1.0 - 2.0 * bottom) }
    }

    fn middle(self) -> Vec2 {
        (self.low + self.high) / 2.0
    }

    /// From how many of its radii away a ball in its middle just fills it.
    fn distance(self, camera: &Camera, aspect: f32) -> f32 {
        let (tan_x, tan_y) = camera.tangents(aspect);
        let half = (self.high - self.low) / 2.0;
        // Its distance from a plane through the eye and an edge is its radius.
        let side = |tan: f32, edge: f32, half: f32| (tan * edge).hypot(1.0) / (tan * half);
        let (x, y) = (self.low.x.abs().max(self.high.x.abs()), self.low.y.abs().max(self.high.y.abs()));
        side(tan_x, x, half.x).max(side(tan_y, y, half.y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASPECT: f32 = 1.6;

    fn motion() -> CameraMotion {
        let settings = Settings::preset("reynolds").expect("a known preset");
        CameraMotion::new(Camera::of(&settings, ASPECT), &settings, ASPECT)
    }

    fn millis(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// Lets `frames` frames pass, of so many milliseconds each.
    fn fly(motion: &mut CameraMotion, frames: u32, ms: u64) {
        (0..frames).for_each(|_| {
            motion.advance(millis(ms));
        });
    }

    fn at(camera: &Camera, place: Vec3) -> Vec2 {
        let clip = camera.view_projection(ASPECT) * place.extend(1.0);
        Vec2::new(clip.x, clip.y) / clip.w
    }

    #[test]
    fn it_gets_to_its_goal_in_the_same_time_at_any_frame_rate() {
        let (mut fast, mut slow) = (motion(), motion());
        for motion in [&mut fast, &mut slow] {
            motion.orbit([80.0, -20.0]);
            motion.zoom(3.0, [0.0, 0.0], ASPECT);
        }
        fly(&mut fast, 25, 4);
        fly(&mut slow, 2, 50);
        assert!((fast.shown().yaw - slow.shown().yaw).abs() < 1e-4);
        assert!((fast.shown().distance / slow.shown().distance - 1.0).abs() < 1e-4);
        assert!(fast.is_moving());
        fly(&mut slow, 40, 50);
        assert!(!slow.is_moving(), "it comes to rest");
    }

    #[test]
    fn the_wheel_keeps_what_is_under_the_pointer() {
        let mut motion = motion();
        let pointer = [0.5, -0.3];
        let camera = motion.shown();
        let (tan_x, tan_y) = camera.tangents(ASPECT);
        let [right, up, _] = camera.axes();
        let place = camera.center + (right * (tan_x * pointer[0]) - up * (tan_y * pointer[1])) * camera.distance;
        motion.zoom(4.0, pointer, ASPECT);
        fly(&mut motion, 99, 50);
        assert!((at(&motion.shown(), place) - Vec2::from(pointer)).length() < 1e-3);
        assert!(motion.shown().distance < 0.7 * camera.distance);
    }

    #[test]
    fn a_drag_to_the_right_moves_the_flock_to_the_right() {
        let mut motion = motion();
        let center = motion.shown().center;
        motion.pan([0.25, 0.1]);
        fly(&mut motion, 99, 50);
        // Half the height is 1 in these coordinates.
        assert!((at(&motion.shown(), center) - Vec2::new(0.5 / ASPECT, 0.2)).length() < 1e-3);
    }

    #[test]
    fn the_flock_cannot_be_lost() {
        let mut motion = motion();
        let home = motion.shown();
        motion.zoom(-1e6, [0.9, 0.9], ASPECT);
        motion.pan([1e6, -1e6]);
        motion.flight = Flight { way: Vec3::Z, fast: true, slow: false };
        fly(&mut motion, 999, 100);
        let camera = motion.shown();
        assert!(camera.distance <= FARTHEST * home.distance * 1.001);
        assert!((camera.center - home.center).length() <= ASTRAY * home.distance * 1.001);
        motion.flight = Flight::default();
        motion.go_home(&Settings::preset("reynolds").expect("a known preset"));
        fly(&mut motion, 99, 50);
        assert_eq!(motion.shown(), home);
    }

    fn corners(center: Vec3, half: f32) -> Vec<Vec3> {
        (0..8)
            .flat_map(|corner| {
                let sign = |bit: u32| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
                [center + vec3(sign(0), sign(1), sign(2)) * half; 9]
            })
            .collect()
    }

    #[test]
    fn a_framed_flock_is_in_the_free_part_of_the_picture() {
        let places = corners(vec3(3.0, -2.0, 1.0), 1.5);
        for taken in [[0.0; 3], [0.26, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.22, 0.3]] {
            let mut motion = motion();
            let room = Room::beside(taken);
            motion.set_room(room, ASPECT);
            motion.frame(Around::of(&places, 0.1).expect("some places"));
            let mut fills: f32 = 0.0;
            for side in [Side::Front, Side::Right, Side::Top] {
                motion.look_from(side);
                fly(&mut motion, 99, 50);
                for place in &places {
                    let at = at(&motion.shown(), *place);
                    assert!(at.cmpgt(room.low).all() && at.cmplt(room.high).all(), "{taken:?} {side:?}: {at}");
                    fills = fills.max(((at - room.middle()) / (room.high - room.middle())).abs().max_element());
                }
            }
            assert!(fills > 0.5, "{taken:?}: not small in it: {fills}");
        }
        assert!((turn(0.1, TAU - 0.1) + 0.2).abs() < 1e-5, "the shorter way");
        assert_eq!(Around::of(&[], 0.1), None);
        assert_eq!(Around::of(&[Vec3::NAN], 0.1), None);
        assert_eq!(Around::of(&[Vec3::ONE], 0.25), Some(Around { center: Vec3::ONE, radius: 2.0 }), "a single boid");
        assert_eq!(Room::beside([0.8, 0.0, 0.0]), Room::default(), "hardly any room");
    }

    #[test]
    fn a_flock_that_leaves_the_picture_is_followed_until_the_user_looks_elsewhere() {
        let settings = Settings::preset("reynolds").expect("a known preset");
        let room = Room::beside([0.26, 0.0, 0.0]);
        let around = |x: f32, radius: f32| Around { center: Vec3::X * x, radius };
        let camera = Camera::of(&settings, ASPECT);
        let mut motion = CameraMotion::framing(camera, Some(around(0.0, 5.0)), &settings, ASPECT, room);
        let start = motion.shown();
        assert!(!motion.is_taken(), "nobody has moved it");
        assert!(!motion.is_moving() && (at(&start, Vec3::ZERO) - room.middle()).length() < 1e-4);
        motion.see(around(0.4, 5.0));
        assert!(!motion.is_moving(), "it stays for a little");
        motion.see(around(4.0, 5.0));
        fly(&mut motion, 200, 50);
        assert!((at(&motion.shown(), Vec3::X * 4.0) - room.middle()).length() < 1e-3);
        assert!((motion.shown().distance / start.distance - 1.0).abs() < 1e-3);
        motion.see(around(4.0, 2.0));
        fly(&mut motion, 200, 50);
        assert!(motion.shown().distance < 0.5 * start.distance, "it comes near to a small one");
        // Where the panel was, the flock moves to the middle of the window.
        motion.set_room(Room::default(), ASPECT);
        fly(&mut motion, 200, 50);
        assert!(at(&motion.shown(), Vec3::X * 4.0).length() < 1e-3);
        motion.zoom(1.0, [0.0; 2], ASPECT);
        fly(&mut motion, 99, 50);
        let zoomed = motion.shown();
        motion.see(around(40.0, 2.0));
        assert!(!motion.is_moving() && motion.shown() == zoomed);
        motion.go_home(&settings);
        assert!(motion.keeps_flock());
    }

    #[test]
    fn a_given_camera_is_shown_as_it_was_given_also_beside_a_panel() {
        let mut motion = motion();
        let given = motion.shown();
        motion.set_room(Room::beside([0.26, 0.0, 0.0]), ASPECT);
        motion.see(Around { center: Vec3::X * 99.0, radius: 1.0 });
        fly(&mut motion, 99, 50);
        assert_eq!(motion.shown(), given);
        motion.follow_near(3, 0.3);
        fly(&mut motion, 99, 50);
        assert!((motion.shown().distance - FOLLOWED_FROM * 0.3).abs() < 1e-3, "it comes near");
    }

    #[test]
    fn a_followed_boid_gets_to_the_middle_and_stays_there() {
        let mut motion = motion();
        motion.followed = Some(3);
        let place = |frame: u32| vec3(1.0, 0.5, -2.0) + vec3(0.1, 0.0, 0.05) * frame as f32;
        let mut off = Vec::new();
        for frame in 0..120 {
            motion.follow(place(frame));
            motion.advance(millis(16));
            off.push((motion.shown.center - place(frame)).length());
        }
        assert!(off[0] > 1.0 && off[119] < 1e-3, "{} {}", off[0], off[119]);
        assert!(off.windows(2).all(|two| two[1] <= two[0] + 1e-5), "without a leap");
    }
}
