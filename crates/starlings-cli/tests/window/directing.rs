//! The camera without a hand on it: its key poses, and a tour.

use super::common::screen::{Screen, Viewer};
use super::sliders::photograph;
use super::{pause, screen};
use std::path::Path;

const LINE: &str = "view --preset reynolds --boids 200 --size 640x470 --validation";

/// The place of the eye in a picture of what is shown now.
fn eye(screen: &Screen, viewer: &mut Viewer<'_>, folder: &Path) -> String {
    let (path, memory) = photograph(screen, viewer, folder);
    std::fs::remove_file(path).expect("it was written");
    memory.config.lines().find(|line| line.starts_with("eye = ")).expect("it says where the eye is").to_owned()
}

/// The same once it stays there.
fn eye_at_rest(screen: &Screen, viewer: &mut Viewer<'_>, folder: &Path) -> String {
    let mut before = String::new();
    loop {
        pause(1_000);
        let now = eye(screen, viewer, folder);
        if now == before {
            return now;
        }
        before = now;
    }
}

/// Two poses are set and played; the file that the panel saves leads another window to the last of them.
#[test]
#[ignore = "long: the camera takes its time"]
fn the_camera_goes_from_pose_to_pose() {
    let Some(screen) = screen() else { return };
    let folder = tempfile::tempdir().expect("a folder for pictures and poses");
    let mut viewer = Viewer::new(&screen, folder.path(), LINE);
    let window = viewer.window.clone();
    // Near, so that the camera does not drift with the flock.
    screen.does(&format!("windowfocus --sync {window} mousemove --window {window} 500 240 click 4 key 1"));
    let first = eye_at_rest(&screen, &mut viewer, folder.path());
    screen.does("key k key 3");
    let last = eye_at_rest(&screen, &mut viewer, folder.path());
    assert_ne!(first, last);
    screen.does("key k key 7");
    let aside = eye_at_rest(&screen, &mut viewer, folder.path());
    screen.does("key j");
    viewer.until("camera on its way", |viewer| eye(&screen, viewer, folder.path()) != aside);
    // Each picture holds up the flock's time.
    viewer.until("last pose", |viewer| {
        pause(2_000);
        eye(&screen, viewer, folder.path()) == last
    });
    // The section of the camera is the last: with the folded ones above it, its name and its buttons.
    let saved = folder.path().join("starlings-camera.csv");
    viewer.does_until("open section", &format!("mousemove --window {window} 70 346 click 1"), |viewer| {
        screen.does(&format!("mousemove --window {} 140 366 click 1", viewer.window));
        pause(300);
        saved.exists()
    });
    screen.does("key ctrl+q");
    let (status, said) = viewer.ended();
    assert_eq!(status, Some(0), "{said}");
    assert!(!said.contains("VUID") && !said.contains("SYNC-HAZARD"), "{said}");
    let poses = std::fs::read_to_string(&saved).expect("it was saved");
    assert_eq!(poses.lines().count(), 3, "{poses}");

    // Later than the last pose.
    let line = format!("{LINE} --camera starlings-camera.csv --start-step 6000");
    let mut viewer = Viewer::new(&screen, folder.path(), &line);
    let window = viewer.window.clone();
    screen.does(&format!("windowfocus --sync {window}"));
    viewer.until("last pose", |viewer| eye(&screen, viewer, folder.path()) == last);
    screen.does("key ctrl+q");
    let (status, said) = viewer.ended();
    assert_eq!(status, Some(0), "{said}");
}

/// Full screen without controls, with a camera that turns by itself; any key ends it.
#[test]
fn a_kiosk_goes_around_by_itself_and_ends_by_any_key() {
    let Some(screen) = screen() else { return };
    let manager = screen.manage();
    let folder = tempfile::tempdir().expect("a folder that nothing is written to");
    let line = "view --preset reynolds --boids 200 --kiosk --validation --backdrop paper";
    let mut viewer = Viewer::new(&screen, folder.path(), line);
    if manager.is_some() {
        let window = viewer.window.clone();
        let geometry = || screen.does(&format!("getwindowgeometry --shell {window}"));
        viewer.until("full screen", |_| geometry().contains("HEIGHT=480") && geometry().contains("WIDTH=640"));
    }
    let shown = || screen.shown();
    let before = shown().pixels;
    viewer.until("motion", |_| shown().pixels != before);
    assert_eq!(shown().count((12, 12), (200, 20), [11, 13, 20]), 0, "no panel");
    screen.does(&format!("windowfocus --sync {} key a", viewer.window));
    let (status, said) = viewer.ended();
    assert_eq!(status, Some(0), "{said}");
    assert!(!said.contains("VUID") && !said.contains("SYNC-HAZARD"), "{said}");
}
