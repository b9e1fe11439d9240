//! The display's scale changes while a window is open; and how soon input is shown.

use super::common::screen::{Screen, Shown, Viewer};
use super::{pause, screen};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{AtomEnum, PropMode};
use x11rb::wrapper::ConnectionExt;

/// Sets the resolution of text, which is a display's scale to the window, and tells the window.
fn set_dots_per_inch(screen: &Screen, window: &str, dots: u32) {
    let (connection, at) = x11rb::connect(Some(&screen.display)).expect("the screen is there");
    let root = connection.setup().roots[at].root;
    let window = window.parse().expect("a number");
    let text = format!("Xft.dpi:\t{dots}\n");
    // What a window reads is on the root. It is told of it by settings daemons, or as here by a property of its own.
    for owner in [root, window] {
        let (name, kind) = (AtomEnum::RESOURCE_MANAGER, AtomEnum::STRING);
        connection.change_property8(PropMode::REPLACE, owner, name, kind, text.as_bytes()).expect("a request");
    }
    connection.sync().expect("the screen has it");
}

/// Width of the panel in pixels: as far as it is dark in a row through its margin, where nothing is written.
fn panel(shown: &Shown, scale: usize) -> usize {
    let dark = |&x: &usize| shown.at(x, 14 * scale).iter().all(|&c| c < 60);
    (20 * scale..1280).take_while(dark).count()
}

#[test]
fn controls_follow_a_scale_that_changes_in_an_open_window() {
    if screen().is_none() {
        return;
    }
    // Running, and at rest, when only a change brings another frame.
    for keys in ["F1", "space"] {
        let Some(screen) = Screen::of((1280, 720)) else { return };
        let folder = tempfile::tempdir().expect("a folder that nothing is written to");
        let line = "view --preset reynolds --boids 100 --size 640x430 --validation --backdrop paper";
        let mut viewer = Viewer::new(&screen, folder.path(), line);
        let window = viewer.window.clone();
        screen.does(&format!("windowfocus --sync {window} key {keys}"));
        viewer.until("panel", |_| (200..400).contains(&panel(&screen.shown(), 1)));
        // The greeting fades away.
        pause(1_000);
        let before = screen.settled(500, |shown| panel(shown, 1));
        set_dots_per_inch(&screen, &window, 192);
        viewer.until("panel of twice as many pixels", |_| panel(&screen.shown(), 2).abs_diff(2 * before) < 24);
        set_dots_per_inch(&screen, &window, 96);
        viewer.until("panel as before", |_| panel(&screen.shown(), 1).abs_diff(before) < 12);
        screen.does("key ctrl+q");
        let (status, said) = viewer.ended();
        assert_eq!(status, Some(0), "{said}");
        assert!(!said.contains("VUID") && !said.contains("SYNC-HAZARD"), "{said}");
    }
}

/// Input that has come is in the next frame.
#[test]
fn input_is_shown_by_the_next_frames() {
    for keys in ["F1", "space"] {
        let Some(screen) = screen() else { return };
        let folder = tempfile::tempdir().expect("a folder that nothing is written to");
        let line = "view -v --preset reynolds --boids 100 --size 320x240 --validation";
        let viewer = Viewer::new(&screen, folder.path(), line);
        screen.does(&format!("windowfocus --sync {} key {keys}", viewer.window));
        for _ in 0..10 {
            screen.does("key h");
            pause(120);
            screen.does("click 4");
            pause(120);
        }
        screen.does("key ctrl+q");
        let (status, said) = viewer.ended();
        assert_eq!(status, Some(0), "{said}");
        let told = said.split("input: shown after ").nth(1).expect("-v tells");
        let frames: u32 = told.split(' ').next().and_then(|number| number.parse().ok()).expect("a number");
        assert!((1..=2).contains(&frames), "{frames} frames: {said}");
        println!("{keys}: {}", told.lines().next().unwrap_or_default());
    }
}

/// The same triangles are drawn again while nothing in the controls changes; twice a second their numbers do.
#[test]
fn most_frames_show_the_controls_as_they_were() {
    let Some(screen) = screen() else { return };
    let folder = tempfile::tempdir().expect("a folder that nothing is written to");
    let line = "view -v --preset reynolds --boids 100 --size 640x480 --frames 200";
    let (status, said) = Viewer::new(&screen, folder.path(), line).ended();
    assert_eq!(status, Some(0), "{said}");
    let told = said.split("laid out anew for ").nth(1).expect("-v tells");
    let changes: u32 = told.split(' ').next().and_then(|number| number.parse().ok()).expect("a number");
    println!("{changes} of 200 frames changed them");
    assert!((2..120).contains(&changes), "{said}");
}
