//! Keys wherever the focus is, and the way out.

use super::common::screen::Viewer;
use super::{pause, screen};

const LINE: &str = "view --preset reynolds --boids 200 --size 640x470 --validation";

fn has_picture(folder: &std::path::Path, count: usize) -> bool {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.filter(|path| path.extension().is_some_and(|end| end == "png")).count() == count
}

/// After Tab the controls have the focus: it is seen, the keys of the window act, and Esc leaves it before all else.
#[test]
fn keys_act_while_a_control_has_the_focus() {
    let Some(screen) = screen() else { return };
    let folder = tempfile::tempdir().expect("a folder for pictures");
    let mut viewer = Viewer::new(&screen, folder.path(), LINE);
    let window = viewer.window.clone();
    screen.does(&format!("windowfocus --sync {window} key space"));
    viewer.until("pause", |viewer| viewer.title().contains("paused"));
    // The color of the frame around what has the focus, in the row of buttons.
    let framed = || screen.shown().count((10, 120), (320, 40), [255, 190, 120]);
    screen.settled(1_000, |shown| shown.pixels.clone());
    let before = framed();
    screen.does("key Tab");
    viewer.until("frame around a button", |_| framed() > before + 60);
    screen.does("key F12");
    viewer.until("picture", |_| has_picture(folder.path(), 1));
    screen.does("key F9");
    viewer.until("recording", |viewer| viewer.title().contains("recording"));
    // A space presses the button, which goes on.
    screen.does("key space");
    viewer.until("run", |viewer| !viewer.title().contains("paused"));
    screen.does("key Escape");
    viewer.until("no frame", |_| framed() <= before + 20);
    assert!(viewer.title().contains("recording"), "Esc left the control alone: {}", viewer.title());
    screen.does("key Escape");
    viewer.until("end of the recording", |viewer| !viewer.title().contains(", recording"));
    screen.does("key Escape");
    viewer.until("question", |viewer| viewer.title().contains("Esc again quits"));
    pause(500);
    assert!(viewer.is_running());
    screen.does("key Escape");
    let (status, said) = viewer.ended();
    assert_eq!(status, Some(0), "{said}");
    assert!(!said.contains("VUID") && !said.contains("SYNC-HAZARD"), "{said}");
}

/// Asked twice, but not soon after each other, nothing happens; Ctrl+Q is obeyed at once, also in the full screen.
#[test]
fn esc_leaves_the_full_screen_and_an_old_question_is_none() {
    let Some(screen) = screen() else { return };
    let manager = screen.manage();
    let folder = tempfile::tempdir().expect("a folder that nothing is written to");
    let mut viewer = Viewer::new(&screen, folder.path(), LINE);
    let window = viewer.window.clone();
    // At rest: the question ends without a frame.
    screen.does(&format!("windowfocus --sync {window} key space"));
    let high = || screen.does(&format!("getwindowgeometry --shell {window}")).contains("HEIGHT=480");
    if manager.is_some() {
        screen.does("key F11");
        viewer.until("full screen", |_| high());
        screen.does("key Escape");
        viewer.until("window", |_| !high());
        assert!(!viewer.title().contains("Esc again"), "{}", viewer.title());
    }
    for _ in 0..2 {
        screen.does("key Escape");
        viewer.until("question", |viewer| viewer.title().contains("Esc again quits"));
        viewer.until("end of it", |viewer| !viewer.title().contains("Esc again quits"));
        pause(500);
        assert!(viewer.is_running());
    }
    screen.does("key F11 key ctrl+q");
    let (status, said) = viewer.ended();
    assert_eq!(status, Some(0), "{said}");
}
