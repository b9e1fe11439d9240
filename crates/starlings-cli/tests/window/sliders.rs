//! Sliders one by one: what each makes of the flock is what a run started with its value is.

use super::common::screen::{PATIENCE, Screen, Viewer};
use super::unfolding::unfold;
use super::{decode, pause};
use starlings_cli::export::Memory;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Steps of the window, at least, before the two flocks are compared.
const STEPS: u32 = 100;

/// Where sections are unfolded, from the lowest to the highest: each moves those below it.
const SECTIONS: [u32; 4] = [250, 212, 193, 174];

type Sliders = &'static [(&'static str, u32, u32)];

/// Ten sliders of four laws (that of the mouse has no run without one): the preset, and of each slider its key in a
/// config file and where its thumb is.
const SLIDERS: [(&str, Sliders); 4] = [
    ("counting-sort", &[("alignment-weight", 168, 258), ("time-step", 202, 409), ("target-weight", 168, 540)]),
    ("three-radius", &[("separation-radius", 187, 207), ("max-force", 187, 340), ("wall-weight", 168, 434)]),
    ("reynolds", &[("alignment-weight", 168, 297), ("cohesion-weight", 168, 316), ("max-speed", 187, 335)]),
    ("bitonic", &[("move-speed", 187, 239)]),
];

/// The sliders of Reynolds' law from the uppermost to the lowest, as a change of one is logged.
const NUMBERS: [&str; 8] = [
    "separation_radius",
    "alignment_radius",
    "cohesion_radius",
    "separation_weight",
    "alignment_weight",
    "cohesion_weight",
    "max_speed",
    "max_force",
];

/// Unfolds Reynolds' law in a window with `-v`, and drags each of its sliders.
pub fn drag_all(screen: &Screen, viewer: &mut Viewer<'_>) {
    unfold(screen, viewer, (70, 174));
    for (row, number) in NUMBERS.iter().enumerate() {
        let at = format!("mousemove --window {} 193 {}", viewer.window, 221 + 19 * row);
        let drag = format!("{at} mousedown 1 mousemove_relative 9 0 mouseup 1");
        viewer.does_until(number, &drag, |viewer| viewer.said().contains(&format!("{number} is ")));
    }
}

/// The lines of a config file that set something, without its flight.
pub fn lines(config: &str) -> BTreeSet<&str> {
    config.split("\n[flight]").next().unwrap_or_default().lines().filter(|line| line.contains(" = ")).collect()
}

/// The pictures in a folder.
fn pictures(folder: &Path) -> BTreeSet<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.filter(|path| path.extension().is_some_and(|end| end == "png")).collect()
}

/// A picture of what the window shows now.
pub fn photograph(screen: &Screen, viewer: &mut Viewer<'_>, folder: &Path) -> (PathBuf, Memory) {
    let before = pictures(folder);
    screen.does("key F12");
    let mut new = None;
    viewer.until("picture", |_| {
        new = pictures(folder).difference(&before).next().cloned();
        new.is_some()
    });
    let path = new.expect("a picture");
    let (_, memory) = starlings_cli::export::remembered(&path).expect("a picture of our own");
    (path, memory)
}

/// Takes pictures until one is of what is `wanted`, and keeps that one only.
pub fn photograph_of(
    screen: &Screen,
    viewer: &mut Viewer<'_>,
    folder: &Path,
    (what, wanted): (&str, &dyn Fn(&Memory) -> bool),
) -> (PathBuf, Memory) {
    let begun = Instant::now();
    loop {
        let (path, memory) = photograph(screen, viewer, folder);
        if wanted(&memory) {
            return (path, memory);
        }
        std::fs::remove_file(path).expect("it was written");
        let Memory { config, step, .. } = memory;
        assert!(begun.elapsed() < PATIENCE, "no picture of {what}, but of step {step:?} of {config}");
    }
}

/// Lets the flock run from its start for at least [`STEPS`] steps, and takes a picture of it.
fn picture_of_run(screen: &Screen, viewer: &mut Viewer<'_>, folder: &Path) -> (PathBuf, Memory) {
    screen.does(&format!("mousemove --window {} 500 820 key r", viewer.window));
    loop {
        screen.does("key space");
        viewer.until("run", |viewer| !viewer.title().contains("paused"));
        pause(2_000);
        screen.does("key space");
        viewer.until("pause", |viewer| viewer.title().contains("paused"));
        let (path, memory) = photograph(screen, viewer, folder);
        if memory.step.expect("steps alone lead to it") >= STEPS {
            return (path, memory);
        }
    }
}

/// Does `acts` with the mouse until what is set differs from `before` in `wanted` lines: on a loaded machine two clicks
/// may be too far apart for a double click, and a drag too short.
pub fn until_changed(
    screen: &Screen,
    viewer: &mut Viewer<'_>,
    folder: &Path,
    acts: &str,
    (before, wanted): (&Memory, usize),
) -> Memory {
    let mut changed = Vec::new();
    for _ in 0..12 {
        screen.does(acts);
        pause(300);
        let (path, now) = photograph(screen, viewer, folder);
        std::fs::remove_file(path).expect("it was written");
        changed = lines(&now.config).difference(&lines(&before.config)).map(|line| (*line).to_owned()).collect();
        if changed.len() == wanted {
            return now;
        }
    }
    panic!("changed {changed:?}, not {wanted}, by {acts}");
}

/// Without a frame between them: a slider is dragged, and the flock started over with its value.
#[test]
fn a_drag_and_a_key_in_one_frame_act_in_their_order() {
    let Some(screen) = super::screen() else { return };
    let folder = tempfile::tempdir().expect("a folder for pictures");
    let line = "view -v --preset reynolds --boids 200 --size 640x470 --validation";
    let mut viewer = Viewer::new(&screen, folder.path(), line);
    let window = viewer.window.clone();
    screen.does(&format!("windowfocus --sync {window} key space"));
    viewer.until("pause", |viewer| viewer.title().contains("paused"));
    unfold(&screen, &mut viewer, (70, 174));
    viewer.signal("STOP");
    screen.does(&format!("mousemove --window {window} 193 221 mousedown 1 mousemove_relative 9 0 mouseup 1"));
    screen.does(&format!("mousemove --window {window} 500 300 key r"));
    viewer.signal("CONT");
    viewer.until("dragged slider", |viewer| viewer.said().contains("separation_radius is "));
    // Changed after the key, it would not be a flock that a run starts with.
    let (_, memory) = photograph(&screen, &mut viewer, folder.path());
    assert_eq!(memory.step, Some(0), "{}", viewer.said());
    assert!(!memory.config.contains("[flight]"), "{}", memory.config);
    screen.does("key ctrl+q");
    let (status, said) = viewer.ended();
    assert_eq!(status, Some(0), "{said}");
    assert!(!said.contains("VUID") && !said.contains("SYNC-HAZARD"), "{said}");
}

/// The first `count` sliders of a preset.
fn each_alone(at: usize, count: usize) {
    let (preset, sliders) = SLIDERS[at];
    if super::screen().is_none() {
        return;
    }
    let Some(screen) = Screen::of((640, 850)) else { return };
    let folder = tempfile::tempdir().expect("a folder for pictures");
    // A camera that is given does not drift with the flock.
    let line = format!("view --preset {preset} --boids 200 --color neighbors --fov 43 --size 640x840 --validation");
    let mut viewer = Viewer::new(&screen, folder.path(), &line);
    let window = viewer.window.clone();
    screen.does(&format!("windowfocus --sync {window} key space"));
    viewer.until("pause", |viewer| viewer.title().contains("paused"));
    for y in SECTIONS {
        unfold(&screen, &mut viewer, (70, y));
    }
    let (_, untouched) = photograph(&screen, &mut viewer, folder.path());
    for (key, x, y) in sliders.iter().take(count) {
        let at = format!("mousemove --window {window} {x} {y}");
        let drag = format!("{at} sleep 0.3 mousedown 1 sleep 0.4 mousemove_relative 9 0 sleep 0.4 mouseup 1 sleep 0.2");
        let moved = until_changed(&screen, &mut viewer, folder.path(), &drag, (&untouched, 1));
        let (path, memory) = picture_of_run(&screen, &mut viewer, folder.path());
        assert_eq!(lines(&memory.config), lines(&moved.config), "{preset}, {key}: changed by the run");
        let (before, after) = (lines(&untouched.config), lines(&memory.config));
        let changed: Vec<_> = after.difference(&before).collect();
        assert!(changed[0].starts_with(&format!("{key} = ")), "{preset}, {key}: changed {changed:?}");
        // Another process, which starts with these settings and takes as many steps.
        let mut render = Command::new(env!("CARGO_BIN_EXE_starlings"));
        let render = render.args(["render", "--from"]).arg(&path).args(["--out", "again.png"]);
        let output = render.current_dir(folder.path()).output().expect("the program starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let again = folder.path().join("again.png");
        assert!(decode(&again) == decode(&path), "{preset}, {key}: another flock after {:?} steps", memory.step);
        std::fs::remove_file(again).expect("it was written");
        // As in the preset, for the next one.
        let reset = format!("mousemove --window {window} 60 {y} sleep 0.3 click --repeat 2 --delay 80 1 sleep 0.4");
        until_changed(&screen, &mut viewer, folder.path(), &reset, (&untouched, 0));
    }
    screen.does("key ctrl+q");
    let (status, said) = viewer.ended();
    assert_eq!(status, Some(0), "{preset}: {said}");
    assert!(!said.contains("VUID") && !said.contains("SYNC-HAZARD"), "{preset}: {said}");
}

#[test]
fn a_slider_is_a_run_started_with_its_value() {
    each_alone(0, 1);
}

// A test for each preset, so that they run beside each other: most of their time is waiting for frames.

#[test]
#[ignore = "long: each slider"]
fn each_slider_of_counting_sort_is_a_run_started_with_its_value() {
    each_alone(0, usize::MAX);
}

#[test]
#[ignore = "long: each slider"]
fn each_slider_of_three_radius_is_a_run_started_with_its_value() {
    each_alone(1, usize::MAX);
}

#[test]
#[ignore = "long: each slider"]
fn each_slider_of_reynolds_is_a_run_started_with_its_value() {
    each_alone(2, usize::MAX);
}

#[test]
#[ignore = "long: each slider"]
fn each_slider_of_bitonic_is_a_run_started_with_its_value() {
    each_alone(3, usize::MAX);
}
