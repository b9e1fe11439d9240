//! Key poses of the camera.

use super::{pixels, run, text};
use std::fs;

const NAMES: &str = "seconds,eye_x,eye_y,eye_z,look_at_x,look_at_y,look_at_z,fov";
const FLOCK: &str = "render --preset reynolds --boids 200 --size 64x36 --time-step 0.25";

/// At its poses it sees what a camera sees that stands there, in a picture and in each frame of a video.
#[test]
fn a_camera_on_a_path_is_at_each_pose_at_its_time() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let poses = format!("{NAMES}\n0.25,9,1,2,0,0,0,50\n1,-3,2,9,1,0,0,60\n");
    fs::write(folder.path().join("path.csv"), poses).expect("room");
    let done = |line: String| {
        let output = run(folder.path(), &format!("{FLOCK} {line}"));
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
    };
    done("--camera path.csv --frames 4 --out frames".into());
    let standing = [(1, "9,1,2", "0,0,0", 50), (4, "-3,2,9", "1,0,0", 60)];
    let mut seen = Vec::new();
    for (frame, eye, at, fov) in standing {
        done(format!("--frames {frame} --eye {eye} --look-at {at} --fov {fov} --out still.png --force"));
        done(format!("--frames {frame} --camera path.csv --out led.png --force"));
        let still = pixels(&folder.path().join("still.png"));
        assert!(pixels(&folder.path().join("led.png")) == still, "{frame}");
        assert!(pixels(&folder.path().join(format!("frames/frame_00000{frame}.png"))) == still, "{frame}");
        seen.push(still);
    }
    // Between them it is elsewhere.
    let between = pixels(&folder.path().join("frames/frame_000002.png"));
    assert!(!seen.contains(&between) && seen[0] != seen[1]);
}

#[test]
fn a_path_that_is_none_is_refused_in_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("path.csv"), format!("{NAMES}\n0,1,2")).expect("room");
    for (line, said) in [
        ("render --camera path.csv", "cannot read the camera path path.csv: line 2 is '0,1,2': 3 numbers instead of 8"),
        ("view --camera path.csv", "cannot read the camera path path.csv: line 2"),
        ("render --camera none.csv", "cannot read the camera path none.csv: No such file"),
        ("render --camera path.csv --near", "--near"),
        ("view --camera path.csv --eye 1,2,3", "--eye"),
        ("view --kiosk --headless", "--headless"),
    ] {
        let output = run(folder.path(), line);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {told}");
        assert!(told.contains(said), "{line}: {told}");
    }
}
