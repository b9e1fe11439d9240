//! The camera without a hand on it: along its key poses, or on a tour while nobody is there.

use super::camera::Side;
use super::open_window::OpenWindow;
use crate::camera_path::{CameraPath, Pose};
use crate::error::Result;
use starlings::render::Camera;
use std::time::Duration;

/// How long nobody must have done anything before a tour goes on.
const IDLE: Duration = Duration::from_secs(60);

/// How long each of its views lasts.
const VIEW: Duration = Duration::from_secs(20);

/// Views of a tour, in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    /// Around the whole flock, from where the camera is or from a side.
    Around(Option<Side>),
    Beside,
}

const VIEWS: [View; 4] = [View::Around(None), View::Beside, View::Around(Some(Side::Front)), View::Beside];

#[derive(Debug)]
struct Tour {
    /// Since somebody did something.
    idle: Duration,
    /// The view that is shown, and for how long it has been; none while the user looks.
    shown: Option<(usize, Duration)>,
}

impl Tour {
    /// Lets `elapsed` pass. Returns the number of the view to begin, if another is due.
    fn advance(&mut self, elapsed: Duration) -> Option<usize> {
        self.idle += elapsed;
        let next = match self.shown {
            _ if self.idle < IDLE => return None,
            None => 0,
            Some((at, since)) if since + elapsed >= VIEW => at + 1,
            Some((at, since)) => {
                self.shown = Some((at, since + elapsed));
                return None;
            }
        };
        self.shown = Some((next, Duration::ZERO));
        Some(next)
    }
}

/// What leads the camera.
#[derive(Default)]
pub struct Director {
    pub path: CameraPath,
    /// The flock's seconds at the beginning of the path's time, while it is played.
    playing: Option<f64>,
    tour: Option<Tour>,
}

impl Director {
    /// Leads along `path`, if there is one, from the start of the flock; with tours or not.
    pub fn new(path: Option<CameraPath>, tours: bool) -> Director {
        let playing = path.is_some().then_some(0.0);
        // The first begins at once.
        let tour = tours.then_some(Tour { idle: IDLE, shown: None });
        Director { path: path.unwrap_or_default(), playing, tour }
    }

    /// Whether the path is played.
    pub fn is_playing(&self) -> bool {
        self.playing.is_some()
    }

    /// Ends that.
    pub fn stop(&mut self) {
        self.playing = None;
    }

    /// Plays the path from its first pose on, when the flock is `seconds` old. Whether there is one.
    pub fn play(&mut self, seconds: f64) -> bool {
        self.playing = self.path.span().map(|(first, _)| seconds - first);
        self.is_playing()
    }

    /// The camera of the path when the flock is `seconds` old, if it is played. It ends after the last pose.
    fn camera(&mut self, seconds: f64) -> Option<Camera> {
        let at = seconds - self.playing?;
        if self.path.span().is_none_or(|(_, last)| at >= last) {
            self.stop();
        }
        self.path.at(at)
    }

    /// Somebody has done something.
    pub fn touched(&mut self) {
        if let Some(tour) = &mut self.tour {
            (tour.idle, tour.shown) = (Duration::ZERO, None);
        }
    }
}

impl OpenWindow {
    /// How old the flock is, in its seconds.
    fn seconds(&self) -> f64 {
        let of_steps = f64::from(self.session.flock.on_device.step()) * f64::from(self.options.settings.time_step);
        of_steps + f64::from(self.pace.clock.extrapolate())
    }

    /// Moves the camera by itself, `elapsed` after the last frame, if that is wanted.
    pub(super) fn direct(&mut self, elapsed: Duration) -> Result<()> {
        if self.director.is_playing() {
            let seconds = self.seconds();
            if self.input.camera.is_taken() {
                self.director.stop();
            } else if let Some(camera) = self.director.camera(seconds) {
                self.input.camera.show(camera);
            }
        }
        let due = self.director.tour.as_mut().and_then(|tour| tour.advance(elapsed));
        let Some(number) = due else { return Ok(()) };
        match VIEWS[number % VIEWS.len()] {
            View::Around(side) => {
                self.frame_flock()?;
                if let Some(side) = side {
                    self.input.camera.look_from(side);
                }
                self.input.camera.orbiting = true;
            }
            View::Beside => {
                // A walk through all numbers of a prime modulus.
                let id = (number as u64 + 1) * 48_271 % 2_147_483_647 % u64::from(self.options.settings.boids);
                self.input.camera.orbiting = false;
                self.input.camera.follow_near(id as u32, self.options.look.boid_length);
            }
        }
        Ok(())
    }

    /// Sets a key pose where the camera is now.
    pub(super) fn set_pose(&mut self) {
        // To the hundredth, as it is shown.
        let seconds = (self.seconds() * 100.0).round() / 100.0;
        self.director.path.set(Pose { seconds, camera: self.input.camera.shown().settled() });
        let count = self.director.path.poses().len();
        self.notify(format!("key pose at {seconds:.2} s, one of {count}"));
    }

    /// Plays the path of the camera, or stops that.
    pub(super) fn toggle_path(&mut self) {
        let seconds = self.seconds();
        if self.director.is_playing() {
            self.director.stop();
            self.notify("the camera stands still");
        } else if self.director.play(seconds) {
            self.input.camera.release();
            self.notify("the camera goes from pose to pose");
        } else {
            self.notify("no key pose yet: K sets one");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_tour_begins_at_once_and_after_a_minute_without_anybody() {
        let mut director = Director::new(None, true);
        let begun = |director: &mut Director, seconds: u32| {
            let tour = director.tour.as_mut().expect("one is wanted");
            (0..seconds).filter_map(|second| tour.advance(SECOND).map(|view| (second, view))).collect::<Vec<_>>()
        };
        assert_eq!(begun(&mut director, 50), [(0, 0), (20, 1), (40, 2)]);
        director.touched();
        assert_eq!(begun(&mut director, 90), [(59, 0), (79, 1)]);
        assert!(Director::new(None, false).tour.is_none());
    }

    #[test]
    fn a_path_is_played_from_its_first_pose_and_ends_at_the_last() {
        let camera =
            |distance: f32| Camera { center: glam::Vec3::ZERO, yaw: 0.0, pitch: 0.0, distance, vertical_fov: 0.75 };
        let mut path = CameraPath::default();
        path.set(Pose { seconds: 10.0, camera: camera(1.0) });
        path.set(Pose { seconds: 12.0, camera: camera(4.0) });
        let mut director = Director::new(Some(path), false);
        assert_eq!(director.camera(10.0), Some(camera(1.0)), "by the flock's own time");
        assert!(director.play(100.0));
        assert_eq!(director.camera(100.0), Some(camera(1.0)));
        assert!((director.camera(101.0).expect("between").distance - 2.0).abs() < 0.1);
        assert!(director.is_playing());
        assert_eq!(director.camera(102.0), Some(camera(4.0)));
        assert!(!director.is_playing() && director.camera(103.0).is_none());
        assert!(!Director::new(None, false).play(0.0), "no pose");
    }
}
