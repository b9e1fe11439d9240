//! A window on a machine that is busy for a while: boids are left out, and come back.

use super::common::screen::Viewer;
use super::{pause, screen};
use std::time::Instant;

/// The machine is busy: the window has a twentieth of its time.
fn held_up(viewer: &Viewer<'_>) {
    viewer.signal("STOP");
    pause(380);
    viewer.signal("CONT");
    pause(20);
}

#[test]
fn boids_that_were_left_out_come_back_when_there_is_time() {
    let Some(screen) = screen() else { return };
    let folder = tempfile::tempdir().expect("a folder that nothing is written to");
    let mut viewer = Viewer::new(&screen, folder.path(), "view --size 200x150");
    let all = viewer.title();
    let all = all.split(" boids").next().and_then(|before| before.rsplit(' ').next()).expect("a count").to_owned();
    assert!(!viewer.title().contains(" of "), "{}", viewer.title());
    let begun = Instant::now();
    while !viewer.title().contains(&format!(" of {all} boids")) {
        held_up(&viewer);
        assert!(begun.elapsed() < super::common::screen::PATIENCE, "none is left out: {}", viewer.title());
    }
    viewer.until("all of them", |viewer| viewer.title().contains(&format!(", {all} boids")));
    screen.does(&format!("windowfocus --sync {} key ctrl+q", viewer.window));
    let (status, said) = viewer.ended();
    assert_eq!(status, Some(0), "{said}");
}
