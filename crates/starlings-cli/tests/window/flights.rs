//! A flight by hand, and the same again.

use super::common::screen::{Screen, Viewer};
use super::sliders::{photograph, photograph_of};
use super::unfolding::unfold;
use super::{decode, screen};
use starlings_cli::export::Memory;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the program says about a flight.
fn says(folder: &Path, line: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_starlings"));
    let output = command.args(line.split(' ')).current_dir(folder).output().expect("the program starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && stderr.is_empty(), "{line}: {stderr}");
    String::from_utf8(output.stdout).expect("plain text")
}

/// The rows of a picture's flight that have this.
fn rows(memory: &Memory, what: &str) -> usize {
    let flight = memory.config.split("\n[flight]").nth(1).unwrap_or_default();
    flight.lines().skip(3).filter(|row| row.contains(what)).count()
}

/// Fails unless what `picture` remembers leads to what it shows, by every command.
fn assert_flown_again(folder: &Path, picture: &Path) {
    let (name, step) = (picture.file_name().expect("a name").to_string_lossy(), "a picture of our own");
    let step = starlings_cli::export::remembered(picture).expect(step).1.step.expect("a flight leads to it");
    let line = |text: String| text.lines().rfind(|line| line.starts_with(&format!("{step} "))).map(str::to_owned);
    let rendered = line(says(folder, &format!("render --from {name} --hash --out again.png --force --quiet")));
    assert!(decode(&folder.join("again.png")) == decode(picture), "another picture than {name}");
    assert!(rendered.is_some(), "no digest of step {step}");
    assert_eq!(line(says(folder, &format!("replay {name} --hash"))), rendered);
    assert_eq!(line(says(folder, &format!("simulate --from {name} --hash --every {step}"))), rendered);
}

#[test]
fn what_was_done_in_a_window_is_flown_again_bit_for_bit() {
    let folder = tempfile::tempdir().expect("a folder for pictures");
    flown(folder.path());
}

#[test]
#[ignore = "long: a window that flies it from its start"]
fn what_was_done_in_a_window_is_flown_again_in_another() {
    let folder = tempfile::tempdir().expect("a folder for pictures");
    if let Some(picture) = flown(folder.path()) {
        flown_in_a_window(folder.path(), &picture);
    }
}

/// A slider, a predator, an obstacle, an undo and another count of boids; then the same by `render`, `replay` and
/// `simulate`. Returns a picture of its end.
fn flown(folder: &Path) -> Option<PathBuf> {
    let screen = screen()?;
    // A camera that is given does not drift with the flock.
    let line = "view -v --preset reynolds --boids 200 --size 640x470 --full-quality --fov 43 --validation";
    let mut viewer = Viewer::new(&screen, folder, line);
    let window = viewer.window.clone();
    screen.does(&format!("windowfocus --sync {window}"));
    unfold(&screen, &mut viewer, (70, 174));
    let drag = format!("mousemove --window {window} 193 221 mousedown 1 mousemove_relative 9 0 mouseup 1");
    viewer.does_until("dragged slider", &drag, |viewer| viewer.said().contains("separation_radius is "));
    screen.does(&format!("mousemove --window {window} 480 240"));
    // Each takes its time: other kernels are built beside the flock.
    let mut until = |keys: &str, what: &'static str, done: &dyn Fn(&Memory) -> bool| {
        screen.does(keys);
        std::fs::remove_file(photograph_of(&screen, &mut viewer, folder, (what, done)).0).expect("our own");
    };
    until("key p", "a predator", &|memory| rows(memory, "predator=") > 1);
    until("key x", "an obstacle", &|memory| rows(memory, "obstacle=sphere") > 0);
    until("key ctrl+z", "no obstacle", &|memory| rows(memory, "obstacle=none") > 0);
    screen.does("keydown shift mousedown 1 sleep 0.6 mouseup 1 keyup shift key space");
    viewer.until("pause", |viewer| viewer.title().contains("paused"));
    let (picture, memory) = photograph(&screen, &mut viewer, folder);
    assert!(rows(&memory, "separation-radius=") > 0 && rows(&memory, "predator=") > 3, "{}", memory.config);
    screen.does("key ctrl+q");
    let (status, said) = viewer.ended();
    assert_eq!(status, Some(0), "{said}");
    assert!(!said.contains("VUID") && !said.contains("SYNC-HAZARD"), "{said}");
    assert_flown_again(folder, &picture);
    Some(picture)
}

/// The same flight in a window, from its start: it is in that of a picture afterwards.
fn flown_in_a_window(folder: &Path, picture: &Path) {
    let Some(screen) = Screen::new() else { return };
    let name = picture.file_name().expect("a name").to_string_lossy();
    let line = format!("replay {name} --size 640x470 --full-quality --validation");
    let mut viewer = Viewer::new(&screen, folder, &line);
    screen.does(&format!("windowfocus --sync {}", viewer.window));
    let before = starlings_cli::export::remembered(picture).expect("our own").1;
    let whole = |memory: &Memory| memory.step > before.step;
    let (last, memory) = photograph_of(&screen, &mut viewer, folder, ("the end of the flight", &whole));
    let flight = |memory: &Memory| memory.config.split("changes = ").nth(1).map(str::to_owned);
    assert_eq!(flight(&memory), flight(&before), "another flight");
    screen.does("key ctrl+q");
    let (status, said) = viewer.ended();
    assert_eq!(status, Some(0), "{said}");
    assert!(!said.contains("VUID") && !said.contains("SYNC-HAZARD"), "{said}");
    assert_flown_again(folder, &last);
}

/// The mouse leads a flock of the cursor; what follows it is flown again, also on the CPU.
#[test]
#[ignore = "long: a window for each engine"]
fn a_flock_that_the_mouse_has_led_is_flown_again() {
    for engine in ["gpu", "cpu"] {
        let Some(screen) = screen() else { return };
        let folder = tempfile::tempdir().expect("a folder for pictures");
        let line = format!(
            "view --preset cursor --engine {engine} --trail 0 --size 640x470 --full-quality --fov 43 --validation"
        );
        let mut viewer = Viewer::new(&screen, folder.path(), &line);
        let window = viewer.window.clone();
        screen.does(&format!("windowfocus --sync {window} mousemove --window {window} 480 240"));
        for _ in 0..20 {
            screen.does("mousemove_relative -- -7 5 sleep 0.05");
        }
        screen.does("key p sleep 4.0 key x sleep 4.0 key space");
        viewer.until("pause", |viewer| viewer.title().contains("paused"));
        let (picture, memory) = photograph(&screen, &mut viewer, folder.path());
        assert!(rows(&memory, "cursor=") > 3 && rows(&memory, "predator=") > 1, "{}", memory.config);
        screen.does("key ctrl+q");
        let (status, said) = viewer.ended();
        assert_eq!(status, Some(0), "{engine}: {said}");
        assert_flown_again(folder.path(), &picture);
    }
}
