//! What a window shows before its flock.

use super::common::screen::{Screen, Viewer};
use super::screen;

/// The color of the word.
const WORD: [u8; 3] = [255, 190, 120];

/// The color of the backdrops dusk and paper, before there is a picture.
const DUSK: [u8; 3] = [142, 108, 124];
const PAPER: [u8; 3] = [241, 239, 236];

/// Starts a viewer without a stored cache, so that its kernels take seconds, and waits until the word is there.
fn starting<'a>(screen: &'a Screen, folder: &std::path::Path, more: &str, plain: [u8; 3]) -> Viewer<'a> {
    let cache = folder.to_str().expect("a plain name");
    let line = format!("view -v --boids 300 --size 320x240 --validation {more}");
    let mut viewer =
        Viewer::with(screen, folder, &line, &[("XDG_CACHE_HOME", cache), ("MESA_SHADER_CACHE_DIR", cache)]);
    viewer.until_titled("a window that is starting", "^starlings:.starting");
    screen.does(&format!("windowfocus --sync {}", viewer.window));
    viewer.until("word in it", |_| {
        let shown = screen.shown();
        // Above and below it is the backdrop, and nothing else.
        shown.count((20, 100), (280, 40), WORD) > 100
            && shown.count((0, 0), (320, 90), plain) == 320 * 90
            && shown.count((0, 150), (320, 90), plain) == 320 * 90
    });
    viewer
}

#[test]
fn a_window_says_that_it_is_starting_and_then_shows_the_flock() {
    for (backdrop, plain) in [("dusk", DUSK), ("paper", PAPER)] {
        let Some(screen) = screen() else { return };
        let folder = tempfile::tempdir().expect("a folder for a cache");
        let mut viewer = starting(&screen, folder.path(), &format!("--backdrop {backdrop}"), plain);
        viewer.until_titled("flock", "^starlings:.*fps");
        viewer.until("picture without the word", |_| screen.shown().count((20, 100), (280, 40), WORD) == 0);
        screen.does("key ctrl+q");
        let (status, said) = viewer.ended();
        assert_eq!(status, Some(0), "{said}");
        assert!(!said.contains("VUID") && !said.contains("SYNC-HAZARD"), "{said}");
    }
}

/// It answers: to a resize, and to each way to end it.
#[test]
fn a_window_that_is_starting_answers() {
    for (end, expected) in [("key Escape", 0), ("windowclose", 0), ("TERM", 130)] {
        let Some(screen) = screen() else { return };
        let folder = tempfile::tempdir().expect("a folder for a cache");
        // Minutes of steps, before the flock is shown.
        let mut viewer = starting(&screen, folder.path(), "--start-step 1e9", DUSK);
        viewer.until("count of the steps", |_| screen.shown().count((60, 110), (200, 20), WORD) > 100);
        screen.does(&format!("windowsize --sync {} 400 300", viewer.window));
        viewer.until("backdrop of the new size", |_| screen.shown().count((0, 200), (400, 100), DUSK) == 400 * 100);
        match end {
            "TERM" => viewer.signal(end),
            "windowclose" => drop(screen.does(&format!("windowclose {}", viewer.window))),
            key => drop(screen.does(key)),
        }
        let (status, said) = viewer.ended();
        assert_eq!(status, Some(expected), "{end}: {said}");
        assert!(!said.contains("VUID") && !said.contains("SYNC-HAZARD"), "{end}: {said}");
    }
}
