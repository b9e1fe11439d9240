//! Key poses of a camera on a time line, and the camera between them.
//!
//! A file has a line for each pose, below a line of names: seconds of the flock's time, the place of the eye, the place
//! that it looks at, and degrees from the bottom to the top of the picture.

use crate::error::{Error, Result};
use glam::{DVec3, Vec3};
use starlings::render::Camera;
use std::f32::consts::TAU;
use std::path::Path;

/// The first line of a file.
const NAMES: &str = "seconds,eye_x,eye_y,eye_z,look_at_x,look_at_y,look_at_z,fov";

/// Numbers in a line.
const NUMBERS: usize = 8;

/// Bytes of a file, at most: some ten thousand poses.
const MOST_BYTES: u64 = 1 << 20;

/// Seconds within which two poses are one.
const TOGETHER: f64 = 1e-3;

/// A camera at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Seconds of the flock's time.
    pub seconds: f64,
    /// The camera then.
    pub camera: Camera,
}

/// Poses in the order of their times, no two at the same.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CameraPath {
    poses: Vec<Pose>,
}

impl CameraPath {
    /// Reads a file.
    ///
    /// # Errors
    /// [`Error::Input`] names the line and what is accepted there.
    pub fn read(path: &Path) -> Result<CameraPath> {
        let text = starlings::input::read(path, MOST_BYTES)
            .map_err(|error| error.to_string())
            .and_then(|bytes| String::from_utf8(bytes).map_err(|_| "it is no text".into()));
        let poses = text.and_then(|text| Self::parse(text.trim_start_matches('\u{feff}')));
        poses.map_err(|reason| {
            let accepted = format!("accepted is a line `{NAMES}` and a line of such numbers for each pose");
            Error::Input(format!("cannot read the camera path {}: {reason}; {accepted}", path.display()))
        })
    }

    fn parse(text: &str) -> std::result::Result<CameraPath, String> {
        let mut lines = (1..).zip(text.lines().map(str::trim)).filter(|(_, line)| !line.is_empty());
        match lines.next() {
            Some((_, names)) if names.replace(' ', "") == NAMES => {}
            Some((number, line)) => return Err(format!("line {number} is '{line}'")),
            None => return Err("it is empty".into()),
        }
        let mut path = CameraPath::default();
        for (number, line) in lines {
            let pose = pose(line).map_err(|reason| format!("line {number} is '{line}': {reason}"))?;
            if path.poses.iter().any(|other| (other.seconds - pose.seconds).abs() < TOGETHER) {
                return Err(format!("line {number} is '{line}': there is a pose at {} s already", pose.seconds));
            }
            path.set(pose);
        }
        if path.poses.is_empty() { Err("it has no pose".into()) } else { Ok(path) }
    }

    /// The text of a file.
    pub fn text(&self) -> String {
        let line = |pose: &Pose| {
            let (eye, at) = (pose.camera.exact_eye(), pose.camera.center);
            let fov = f64::from(pose.camera.vertical_fov).to_degrees();
            format!("\n{},{},{},{},{},{},{},{fov}", pose.seconds, eye.x, eye.y, eye.z, at.x, at.y, at.z)
        };
        format!("{NAMES}{}\n", self.poses.iter().map(line).collect::<String>())
    }

    /// The poses.
    pub fn poses(&self) -> &[Pose] {
        &self.poses
    }

    /// Adds a pose, in place of one at the same time.
    pub fn set(&mut self, pose: Pose) {
        self.poses.retain(|other| (other.seconds - pose.seconds).abs() >= TOGETHER);
        let at = self.poses.partition_point(|other| other.seconds < pose.seconds);
        self.poses.insert(at, pose);
    }

    /// Takes the pose of this number away.
    pub fn remove(&mut self, at: usize) {
        self.poses.remove(at);
    }

    /// Moves the pose of this number to another time.
    pub fn move_to(&mut self, at: usize, seconds: f64) {
        let pose = self.poses.remove(at);
        self.set(Pose { seconds, ..pose });
    }

    /// From the first pose to the last, in seconds; none without poses.
    pub fn span(&self) -> Option<(f64, f64)> {
        Some((self.poses.first()?.seconds, self.poses.last()?.seconds))
    }

    /// The camera at a moment: before the first pose and after the last it stands still. None without poses.
    ///
    /// Between two poses each of its numbers is a cubic Hermite curve, whose slopes at a pose are those from the pose
    /// before to the one after (Catmull and Rom, "A class of local interpolating splines", 1974): it neither stops nor
    /// turns sharply at a pose.
    pub fn at(&self, seconds: f64) -> Option<Camera> {
        let after = self.poses.partition_point(|pose| pose.seconds <= seconds);
        if after == 0 || after == self.poses.len() {
            return Some(self.poses.get(after.saturating_sub(usize::from(after > 0)))?.camera);
        }
        let (from, to) = (self.poses[after - 1], self.poses[after]);
        let first = if after >= 2 { self.poses[after - 2] } else { from };
        let last = self.poses.get(after + 1).copied().unwrap_or(to);
        let mut of = [first, from, to, last].map(|pose| numbers(&pose.camera));
        // Each turn is the shorter way.
        for at in 1..4 {
            let turns = ((of[at][YAW] - of[at - 1][YAW]) / TAU).round();
            of[at][YAW] -= turns * TAU;
        }
        let length = to.seconds - from.seconds;
        let s = ((seconds - from.seconds) / length) as f32;
        let slope = |k: usize, [a, b]: [usize; 2], [then, now]: [f64; 2]| {
            if now > then { (of[b][k] - of[a][k]) / (now - then) as f32 * length as f32 } else { 0.0 }
        };
        let curve = |k: usize| {
            let begins = slope(k, [0, 2], [first.seconds, to.seconds]);
            let ends = slope(k, [1, 3], [from.seconds, last.seconds]);
            let (square, cube) = (s * s, s * s * s);
            (2.0 * cube - 3.0 * square + 1.0) * of[1][k]
                + (cube - 2.0 * square + s) * begins
                + (3.0 * square - 2.0 * cube) * of[2][k]
                + (cube - square) * ends
        };
        Some(camera(std::array::from_fn(curve)))
    }
}

const YAW: usize = 3;

/// What a camera is between poses.
fn numbers(of: &Camera) -> [f32; 7] {
    let [x, y, z] = of.center.to_array();
    [x, y, z, of.yaw, of.pitch, of.distance.ln(), of.vertical_fov]
}

fn camera([x, y, z, yaw, pitch, distance, vertical_fov]: [f32; 7]) -> Camera {
    let half = std::f32::consts::FRAC_PI_2;
    Camera { center: Vec3::new(x, y, z), yaw, pitch: pitch.clamp(-half, half), distance: distance.exp(), vertical_fov }
}

fn pose(line: &str) -> std::result::Result<Pose, String> {
    let numbers: Vec<f64> = line
        .split(',')
        .map(|number| number.trim().parse::<f64>().ok().filter(|number| number.is_finite()))
        .collect::<Option<_>>()
        .ok_or("not all are numbers")?;
    let &[seconds, x, y, z, to_x, to_y, to_z, fov] = &numbers[..] else {
        return Err(format!("{} numbers instead of {NUMBERS}", numbers.len()));
    };
    let look_at = DVec3::new(to_x, to_y, to_z).as_vec3();
    let camera = Camera::looking(DVec3::new(x, y, z), look_at, fov.to_radians() as f32).map_err(|e| e.to_string())?;
    Ok(Pose { seconds, camera })
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::vec3;

    fn seen(seconds: f64, yaw: f32, distance: f32) -> Pose {
        let camera = Camera { center: vec3(1.0, 2.0, 3.0), yaw, pitch: -0.25, distance, vertical_fov: 0.75 };
        Pose { seconds, camera }
    }

    fn path(poses: &[Pose]) -> CameraPath {
        let mut path = CameraPath::default();
        poses.iter().for_each(|pose| path.set(*pose));
        path
    }

    #[test]
    fn it_goes_through_its_poses_without_a_jump() {
        let poses = [seen(1.0, 0.1, 10.0), seen(3.0, 1.0, 20.0), seen(4.0, -2.9, 5.0), seen(9.0, 3.0, 5.0)];
        // In whatever order they are set.
        let path = path(&[poses[2], poses[0], poses[3], poses[1]]);
        assert_eq!(path.poses(), poses);
        for pose in poses {
            let camera = path.at(pose.seconds).expect("there are poses");
            assert!(
                (camera.yaw - pose.camera.yaw).rem_euclid(TAU).min((pose.camera.yaw - camera.yaw).rem_euclid(TAU))
                    < 1e-4
            );
            assert!((camera.distance / pose.camera.distance - 1.0).abs() < 1e-4);
        }
        assert_eq!(path.at(-5.0), Some(poses[0].camera));
        assert_eq!(path.at(99.0), Some(poses[3].camera));
        let mut last = path.at(1.0).expect("there are poses");
        for step in 1..=8_000 {
            let now = path.at(1.0 + f64::from(step) / 1_000.0).expect("there are poses");
            let moved = (now.eye() - last.eye()).length() / now.distance;
            assert!(moved < 0.02, "a jump by {moved} at {step}");
            last = now;
        }
        // From -2.9 to 3.0 it is 0.38 across half a turn, not 5.9.
        let between = path.at(6.5).expect("there are poses").yaw.rem_euclid(TAU);
        assert!((2.0..4.6).contains(&between), "{between}");
        assert_eq!(CameraPath::default().at(0.0), None);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("path.csv");
        let path = path(&[seen(0.0, 0.3, 10.0), seen(2.5, -1.0, 4.0)]);
        std::fs::write(&file, path.text()).expect("room");
        let again = CameraPath::read(&file).expect("a file of our own");
        let apart =
            |(a, b): (&Pose, &Pose)| (a.camera.eye() - b.camera.eye()).length() + (a.seconds - b.seconds) as f32;
        assert!(again.poses().len() == 2 && again.poses().iter().zip(path.poses()).all(|two| apart(two) < 1e-4));
        let one = "0,1,2,3,0,0,0,40";
        for (text, reason) in [
            (String::new(), "it is empty"),
            (NAMES.to_owned(), "it has no pose"),
            (one.to_owned(), "line 1 is '0,1,2,3,0,0,0,40'"),
            (format!("{NAMES}\n1,2,3"), "line 2 is '1,2,3': 3 numbers instead of 8"),
            (format!("{NAMES}\n\n0,1,2,x,0,0,0,40"), "line 3 is '0,1,2,x,0,0,0,40': not all are numbers"),
            (format!("{NAMES}\n{one}\n{one}"), "there is a pose at 0 s already"),
            (format!("{NAMES}\n0,1,2,3,0,0,0,400"), "fov is 400"),
            (format!("{NAMES}\n0,0,0,0,0,0,0,40"), "eye is 0,0,0"),
        ] {
            std::fs::write(&file, text).expect("room");
            let line = CameraPath::read(&file).expect_err("refused").to_string();
            assert!(line.contains(reason) && line.contains("accepted is") && !line.contains('\n'), "{line}");
        }
    }

    #[test]
    fn poses_are_moved_and_taken_away() {
        let mut path = path(&[seen(0.0, 0.0, 1.0), seen(1.0, 0.1, 2.0), seen(2.0, 0.2, 3.0)]);
        path.move_to(0, 1.5);
        let order = |path: &CameraPath| path.poses().iter().map(|pose| pose.camera.distance).collect::<Vec<_>>();
        assert_eq!((order(&path), path.span()), (vec![2.0, 1.0, 3.0], Some((1.0, 2.0))));
        path.set(seen(2.0, 0.0, 9.0));
        path.remove(0);
        assert_eq!(order(&path), [1.0, 9.0]);
    }
}
