//! The controls while the frame is broken, and after.

use super::common::screen::{Screen, Shown, Viewer};
use super::unfolding::unfold;
use super::{pause, screen};

/// Sections stay open, and H stays where it was: the panel is hidden for the frame that is broken, and comes back with
/// the mended one.
#[test]
fn the_controls_come_back_as_they_were() {
    let Some(screen) = screen() else { return };
    let folder = tempfile::tempdir().expect("a folder that nothing is written to");
    let arguments = "view --preset reynolds --boids 300 --size 640x470 --validation";
    let mut viewer = Viewer::new(&screen, folder.path(), arguments);
    screen.does(&format!("windowfocus --sync {}", viewer.window));
    // Unfold the law, and leave the panel.
    unfold(&screen, &mut viewer, (70, 174));
    screen.does("mousemove_relative 400 200");
    // Names and sliders of the law, which do not change by themselves.
    let law = |shown: &Shown| shown.light(200..370, 20..270); // Above the hint of the start.
    let before = screen.settled(1_000, law);
    let inked = before.iter().filter(|light| **light).count();
    assert!((300..10_000).contains(&inked), "the section is not open: {inked} bright pixels");
    screen.does("key b");
    viewer.until("panel for breaking", |viewer| viewer.title().contains("nothing left out"));
    viewer.until("room for it", |_| law(&screen.shown()) != before);
    pause(500);
    screen.does("key b");
    viewer.until("mended frame", |viewer| !viewer.title().contains("left out") && viewer.title().contains("fps"));
    viewer.until("controls as they were", |_| law(&screen.shown()) == before);
    // What was hidden stays hidden.
    screen.does("key h h");
    pause(500);
    screen.does("key b");
    viewer.until("panel for breaking", |viewer| viewer.title().contains("nothing left out"));
    screen.does("key b");
    viewer.until("mended frame", |viewer| !viewer.title().contains("left out") && viewer.title().contains("fps"));
    let glass = || screen.shown().count((12, 12), (200, 20), [11, 13, 20]);
    viewer.until("flock without a panel", |_| glass() < 100);
    pause(3_000);
    assert!(glass() < 100, "{} pixels of a panel", glass());
    screen.does("key ctrl+q");
    let (status, said) = viewer.ended();
    assert_eq!(status, Some(0), "{said}");
    assert!(!said.contains("VUID") && !said.contains("SYNC-HAZARD"), "{said}");
}

/// Parts of a window of 640 by 520 points: the right end of the panel below its list, and the strip at the bottom.
const FINDINGS: [(usize, usize); 2] = [(346, 130), (280, 190)];
const STRIP: [(usize, usize); 2] = [(20, 354), (600, 150)];

/// Colors of what is wrong, of a pass, of a pass that reads what is wrong, and behind all else in the strip.
const WARNING: [u8; 3] = [255, 84, 96];
const PASS: [u8; 3] = [44, 50, 66];
const MISLED: [u8; 3] = [104, 28, 38];
const BEHIND: [u8; 3] = [11, 13, 20];

/// The frame over time, and what is played on the host without a dependency: drawn once they are known, and gone with
/// the mended frame.
#[test]
fn the_queue_and_the_played_damage_are_shown() {
    if screen().is_none() {
        return;
    }
    let screen = Screen::of((640, 520)).expect("there was one");
    let folder = tempfile::tempdir().expect("a folder that nothing is written to");
    let arguments = "view -v --preset reynolds --boids 300 --size 640x520 --validation";
    let mut viewer = Viewer::new(&screen, folder.path(), arguments);
    let window = viewer.window.clone();
    screen.does(&format!("windowfocus --sync {window}"));
    let seen = |[left_top, size]: [(usize, usize); 2], color| screen.shown().count(left_top, size, color);
    screen.does("key b");
    viewer.until("panel for breaking", |viewer| viewer.title().contains("nothing left out"));
    viewer.until("passes over time", |_| seen(STRIP, PASS) > 2_000);
    assert_eq!((seen(STRIP, WARNING), seen(STRIP, MISLED), seen(FINDINGS, WARNING)), (0, 0, 0), "nothing is left out");

    // grid_count reads positions as before steer of the previous frame wrote: all of them are wrong.
    screen.does("key Down Down Down");
    viewer.until("choice by keys", |viewer| viewer.title().contains("without steer-to-count"));
    viewer.until("barrier that is lit", |_| seen(STRIP, WARNING) > 100);
    viewer.until("bar of wrong positions", |_| seen(FINDINGS, WARNING) > 1_000);
    viewer.until("pass that reads them", |_| seen(STRIP, MISLED) > 200);

    // The same by the mouse, after nothing: a click on the line of the first barrier.
    screen.does("key Up Up Up");
    viewer.until("nothing", |viewer| viewer.title().contains("nothing left out"));
    viewer.until("intact queue", |_| seen(STRIP, WARNING) == 0);
    screen.does(&format!("mousemove --window {window} 159 440 sleep 0.5 click 1"));
    viewer.until("choice by its line", |viewer| viewer.title().contains("without downsweep-to-clear"));
    viewer.until("barrier that is lit", |_| seen(STRIP, WARNING) > 100);
    // Folded, and not.
    let name = (60, 348);
    for (folded, what) in [(true, "flock in place of the queue"), (false, "queue again")] {
        let y = if folded { name.1 } else { 520 - 12 - 19 };
        let click = format!("mousemove --window {window} {} {y} click 1", name.0);
        viewer.does_until(what, &click, |_| (seen(STRIP, BEHIND) < 40_000) == folded);
    }

    screen.does("key b");
    viewer.until("mended frame", |viewer| !viewer.title().contains("without ") && viewer.title().contains("fps"));
    viewer.until("no strip", |_| seen(STRIP, WARNING) == 0 && seen(STRIP, PASS) < 500);
    // Ended while it is being played.
    screen.does("key b");
    viewer.until("panel for breaking", |viewer| viewer.title().contains("nothing left out"));
    viewer.until("passes over time", |_| seen(STRIP, PASS) > 2_000);
    screen.does("key Up ctrl+q");
    let (status, said) = viewer.ended();
    assert_eq!(status, Some(0), "{said}");
    for fault in ["VUID", "SYNC-HAZARD", "panicked"] {
        assert!(!said.contains(fault), "{said}");
    }
}
