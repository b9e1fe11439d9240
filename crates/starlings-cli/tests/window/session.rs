//! What a user does in an evening, in short.

use super::common::memory_kib;
use super::common::screen::{Screen, Shown, Viewer};
use super::sliders::{drag_all, photograph_of};
use super::{decode, pause, screen};
use starlings::flock::PRESETS;
use starlings_cli::export::Memory;
use std::process::Command;

fn quiet(viewer: Viewer<'_>, what: &str) -> String {
    let (status, said) = viewer.ended();
    assert_eq!(status, Some(0), "{what}: {said}");
    assert!(!said.contains("VUID") && !said.contains("SYNC-HAZARD"), "{what}: {said}");
    said
}

#[test]
#[ignore = "long: a window for each preset"]
fn every_preset_opens() {
    for preset in PRESETS {
        let Some(screen) = screen() else { return };
        let folder = tempfile::tempdir().expect("a folder that nothing is written to");
        let line = format!("view --preset {} --boids 100 --size 320x240 --validation", preset.name);
        let viewer = Viewer::new(&screen, folder.path(), &line);
        assert!(viewer.title().contains(&format!("starlings: {}, 100 boids", preset.name)), "{}", viewer.title());
        let shown = screen.shown();
        let first = shown.at(160, 200);
        assert!((0..240).any(|y| shown.at(160, y) != first), "{}: a flat picture", preset.name);
        screen.does(&format!("windowfocus --sync {} key ctrl+q", viewer.window));
        quiet(viewer, preset.name);
    }
}

/// Every slider of the law is dragged, and the flock started over: it is the flock that a run with these values has.
#[test]
fn dragged_sliders_are_a_run_started_with_their_values() {
    let Some(screen) = screen() else { return };
    let folder = tempfile::tempdir().expect("a folder for pictures");
    let line = "view -v --preset reynolds --boids 300 --size 640x470 --validation --full-quality";
    let mut viewer = Viewer::new(&screen, folder.path(), line);
    let window = viewer.window.clone();
    screen.does(&format!("windowfocus --sync {window} key space"));
    viewer.until("pause", |viewer| viewer.title().contains("paused"));
    drag_all(&screen, &mut viewer);
    screen.does(&format!("mousemove --window {window} 500 300 key r"));
    let mut taken = photograph_of(&screen, &mut viewer, folder.path(), ("the start", &|memory| memory.step == Some(0)));
    for step in 1..=7 {
        screen.does("key Right");
        let stepped = |memory: &Memory| memory.step == Some(step);
        taken = photograph_of(&screen, &mut viewer, folder.path(), ("another step", &stepped));
    }
    screen.does("key ctrl+q");
    quiet(viewer, "sliders");
    let (picture, memory) = taken;
    let defaults =
        Command::new(env!("CARGO_BIN_EXE_starlings")).args(["config", "reynolds"]).output().expect("it starts");
    let defaults = String::from_utf8_lossy(&defaults.stdout).into_owned();
    let value = |text: &str, key: &str| {
        text.lines().find_map(|line| line.strip_prefix(&format!("{key} = ")).map(str::to_owned)).expect("the key")
    };
    for radius_or_weight in ["separation", "alignment", "cohesion"]
        .iter()
        .flat_map(|rule| [format!("{rule}-radius"), format!("{rule}-weight")])
    {
        assert_ne!(value(&memory.config, &radius_or_weight), value(&defaults, &radius_or_weight), "{radius_or_weight}");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_starlings"));
    let render =
        command.args(["render", "--from"]).arg(&picture).args(["--out", "again.png"]).current_dir(folder.path());
    let output = render.output().expect("the program starts");
    assert!(output.status.success(), "{}\n{}", String::from_utf8_lossy(&output.stderr), memory.config);
    assert!(decode(&folder.path().join("again.png")) == decode(&picture), "another flock");
}

/// Memory of the viewer, in KiB.
fn memory(viewer: &Viewer<'_>) -> u64 {
    memory_kib(&viewer.id().to_string(), "VmRSS")
}

/// Seconds of processor time that the viewer has taken.
fn worked(viewer: &Viewer<'_>) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", viewer.id())).expect("it runs");
    let fields: Vec<&str> = stat.rsplit(')').next().expect("its name is first").split_whitespace().collect();
    // In its own code and in the kernel's, in hundredths.
    fields[11..13].iter().map(|ticks| ticks.parse::<f64>().expect("a number") / 100.0).sum()
}

/// Colors follow the flock for a moment after it has stopped; then nothing is drawn any more.
#[test]
fn a_window_at_rest_is_at_rest_once_its_colors_fit_the_flock() {
    let Some(screen) = screen() else { return };
    let folder = tempfile::tempdir().expect("a folder that nothing is written to");
    let line = "view -v --preset reynolds --color speed --boids 200 --size 640x480 --validation";
    let mut viewer = Viewer::new(&screen, folder.path(), line);
    viewer.until_titled("a window with frames in it", "^starlings:.*fps");
    let window = viewer.window.clone();
    screen.does(&format!("windowfocus --sync {window} key space"));
    viewer.until("pause", |viewer| viewer.title().contains("paused"));
    viewer.until("rest", |viewer| {
        let before = worked(viewer);
        pause(1_000);
        worked(viewer) - before <= 0.02
    });
    let before = worked(&viewer);
    pause(5_000);
    let at_rest = worked(&viewer) - before;
    assert!(at_rest <= 0.02 * 5.0, "{at_rest} s of work in 5 s at rest");
    screen.does("key space");
    viewer.until("run", |viewer| !viewer.title().contains("paused"));
    let before = worked(&viewer);
    pause(2_000);
    let running = worked(&viewer) - before;
    assert!(at_rest < 0.5 * running, "{at_rest} s of work in 5 s at rest, {running} s in 2 s of flight");
    screen.does(&format!("windowfocus --sync {window} key ctrl+q"));
    quiet(viewer, "rest");
}

fn resize(times: u32) {
    let Some(screen) = screen() else { return };
    let folder = tempfile::tempdir().expect("a folder that nothing is written to");
    let mut viewer =
        Viewer::new(&screen, folder.path(), "view -v --preset reynolds --boids 200 --size 320x240 --validation");
    let window = viewer.window.clone();
    let mut after_ten = 0;
    for time in 0..times {
        let size = (170 + time * 97 % 460, 130 + time * 61 % 340);
        screen.does(&format!("windowsize --sync {window} {} {}", size.0, size.1));
        pause(if time % 3 == 0 { 20 } else { 250 });
        if time == 10 {
            after_ten = memory(&viewer);
        }
    }
    screen.does(&format!("windowsize --sync {window} 320 240"));
    pause(500);
    viewer.until("frames after that", |viewer| viewer.title().contains("fps") && !viewer.title().contains(" 0 fps"));
    let now = memory(&viewer);
    assert!(now < after_ten + 64 * 1024, "{after_ten} KiB after ten of {times}, now {now} KiB");
    screen.does(&format!("windowfocus --sync {window} key ctrl+q"));
    quiet(viewer, "resizes");
}

#[test]
fn many_resizes_leave_nothing_behind() {
    resize(24);
}

#[test]
#[ignore = "long: takes minutes"]
fn hundreds_of_resizes_leave_nothing_behind() {
    resize(200);
}

/// The panel is as many points wide on a display of any scale, and so as many times more pixels.
#[test]
fn controls_grow_with_the_scale_of_the_display() {
    let mut widths = Vec::new();
    for scale in ["1", "3"] {
        let Some(screen) = Screen::of((1280, 720)) else { return };
        let folder = tempfile::tempdir().expect("a folder that nothing is written to");
        let factor: u32 = scale.parse().expect("a number");
        let line = format!(
            "view --preset reynolds --boids 200 --size {}x{} --validation --backdrop paper",
            1280 / factor,
            720 / factor
        );
        let mut viewer = Viewer::with(&screen, folder.path(), &line, &[("WINIT_X11_SCALE_FACTOR", scale)]);
        viewer.until_titled("a window with frames in it", "^starlings:.*fps");
        screen.does(&format!("windowfocus --sync {}", viewer.window));
        if factor > 1 {
            // Lower than 420 points: one line at first.
            screen.does("key h h");
        }
        // Through the margin of the panel, where nothing is written, 14 points from the top.
        let row = 14 * factor as usize;
        let dark = |shown: &Shown| (0..1280).filter(|&x| shown.at(x, row).iter().all(|&c| c < 60)).count();
        viewer.until("panel", |_| dark(&screen.shown()) > 250 * factor as usize);
        widths.push(screen.settled(1_000, dark) as f32 / factor as f32);
        screen.does("key ctrl+q");
        quiet(viewer, scale);
    }
    assert!(widths[0] > 250.0 && (widths[1] - widths[0]).abs() < 12.0, "{widths:?} points");
}
