//! The controls while the frame is broken, and after.

use super::common::screen::Viewer;
use super::{pause, screen};

/// Sections stay open, and H stays where it was: the panel is hidden for the frame that is broken, and comes back with the mended one.
#[test]
fn the_controls_come_back_as_they_were() {
    let Some(screen) = screen() else { return };
    let folder = tempfile::tempdir().expect("a folder that nothing is written to");
    let arguments = "view --preset reynolds --boids 300 --size 640x470 --validation";
    let mut viewer = Viewer::new(&screen, folder.path(), arguments);
    screen.does(&format!("windowfocus --sync {}", viewer.window));
    // Unfold the law, and leave the panel.
    screen.does(&format!(
        "mousemove --window {} 70 174 sleep 0.3 click 1 sleep 0.3 mousemove_relative 400 200",
        viewer.window
    ));
    pause(1_500);
    // Names and sliders of the law, which do not change by themselves.
    let law = || {
        let shown = screen.shown();
        // Above the hint of the start. The panel is not quite opaque, so this looks at light and dark only.
        (200..370)
            .flat_map(|y| (20..270).map(move |x| (x, y)))
            .map(|(x, y)| shown.at(x, y)[1] > 100)
            .collect::<Vec<_>>()
    };
    let before = law();
    let inked = before.iter().filter(|light| **light).count();
    assert!((300..10_000).contains(&inked), "the section is not open: {inked} bright pixels");
    screen.does("key b");
    viewer.until("panel for breaking", |viewer| viewer.title().contains("nothing left out"));
    viewer.until("room for it", |_| law() != before);
    pause(500);
    screen.does("key b");
    viewer.until("mended frame", |viewer| !viewer.title().contains("left out") && viewer.title().contains("fps"));
    viewer.until("controls as they were", |_| law() == before);
    // What was hidden stays hidden.
    screen.does("key h h");
    pause(500);
    screen.does("key b");
    viewer.until("panel for breaking", |viewer| viewer.title().contains("nothing left out"));
    screen.does("key b");
    viewer.until("mended frame", |viewer| !viewer.title().contains("left out") && viewer.title().contains("fps"));
    pause(3_000);
    let shown = screen.shown();
    let glass: usize = shown.count((12, 12), (200, 20), [11, 13, 20]);
    assert!(glass < 100, "{glass} pixels of a panel");
    screen.does("key Escape");
    let (status, said) = viewer.ended();
    assert_eq!(status, Some(0), "{said}");
    assert!(!said.contains("VUID") && !said.contains("SYNC-HAZARD"), "{said}");
}
