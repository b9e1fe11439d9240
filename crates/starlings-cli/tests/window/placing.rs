//! Place and size of a window, from one run to the next.

use super::common::required;
use super::common::screen::{Screen, Viewer};
use super::{pause, screen};
use std::path::Path;

/// Opens a window that keeps its state in `folder`, lets `act` do something with it, and closes it. Returns where it
/// was at the end: as xdotool says it.
fn visit(screen: &Screen, folder: &Path, arguments: &str, act: impl FnOnce(&mut Viewer<'_>)) -> String {
    let state = folder.join("state");
    let mut viewer = Viewer::with(screen, folder, arguments, &[("XDG_STATE_HOME", state.to_str().expect("plain"))]);
    viewer.until_titled("a window with frames in it", "^starlings:.*fps");
    act(&mut viewer);
    let place = screen.does(&format!("getwindowgeometry {}", viewer.window));
    screen.does(&format!("windowfocus --sync {} key ctrl+q", viewer.window));
    let (status, said) = viewer.ended();
    assert_eq!((status, said.as_str()), (Some(0), ""), "{arguments}");
    // Without the number of the window.
    place.split_once('\n').expect("two lines").1.to_owned()
}

#[test]
fn a_window_opens_where_the_last_one_was() {
    // Without a window manager, which also says where a window is, and with one that adds a frame, if it is installed.
    for managed in [false, true] {
        let Some(screen) = screen() else { return };
        let folder = tempfile::tempdir().expect("a folder for state");
        let manager = if managed { screen.manage() } else { None };
        if managed && manager.is_none() {
            assert!(!required("REQUIRE_GPU"), "REQUIRE_GPU=1, but openbox is not installed");
            return eprintln!("SKIPPED, nothing was tested with a window manager: openbox is not installed");
        }
        let line = "view --boids 200 --preset reynolds";
        let moved = visit(&screen, folder.path(), line, |viewer| {
            let place = |viewer: &Viewer<'_>| screen.does(&format!("getwindowgeometry {}", viewer.window));
            screen.does(&format!("windowsize --sync {} 340 230", viewer.window));
            let before = place(viewer);
            screen.does(&format!("windowmove {} 130 90", viewer.window));
            viewer.until("other place", |viewer| place(viewer) != before);
            // A window manager tells the window after that.
            pause(1_500);
        });
        assert!(moved.contains("340x230"), "{moved}");
        let file = folder.path().join("state/starlings/window.toml");
        let kept = std::fs::read_to_string(&file).expect("a file");
        assert!(
            kept.contains("\nsize = [340, 230]\n") && kept.contains("\nposition = [") == manager.is_some(),
            "{kept}"
        );
        let size = |place: &str| place.lines().last().map(str::to_owned);
        for _ in 0..if managed { 2 } else { 1 } {
            // It stays there, however often: a frame around it must not shift it.
            let again = visit(&screen, folder.path(), line, |_| pause(800));
            assert_eq!(size(&again), size(&moved), "{managed}: {kept}");
            assert!(!managed || again == moved, "{again} {moved}: {kept}");
        }
        if managed {
            continue;
        }
        // A size that is asked for is neither forgotten nor kept.
        let other = visit(&screen, folder.path(), &format!("{line} --size 300x200"), |_| {});
        assert!(other.contains("300x200"), "{other}");
        assert_eq!(std::fs::read_to_string(&file).expect("a file"), kept);
        // What is no use is passed over, and replaced.
        for bad in ["size = [1, 2", "size = [400, 250]\nposition = [99999, 99999]"] {
            std::fs::write(&file, bad).expect("room");
            let opened = visit(&screen, folder.path(), line, |_| {});
            assert!(bad.starts_with("size = [1,") || opened.contains("400x250"), "{opened}");
            let kept = std::fs::read_to_string(&file).expect("a file");
            assert!(kept.contains("\nsize = [") && !kept.contains("99999"), "{kept}");
        }
    }
}
