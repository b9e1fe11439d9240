//! The viewer in a real window: an X server without a screen, driven as a user would, under validation.
#![cfg(target_os = "linux")]

mod breaking;
#[path = "../common/mod.rs"]
mod common;
mod directing;
mod dropping;
mod flights;
mod following;
mod growing;
mod keys;
mod machines;
mod panels;
mod placing;
mod recording;
mod scale;
mod session;
mod sharing;
mod sliders;
mod starting;
mod unfolding;

use common::screen::{Screen, Viewer};
use sliders::{drag_all, photograph, until_changed};
use starlings::vk::{Device, Instance, InstanceOptions, Validation};
use std::io::BufReader;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The screen, if everything that the test needs is available.
fn screen() -> Option<Screen> {
    let validation = InstanceOptions { validation: Validation::Required, display: None, capture: false };
    let lacking = match Instance::new(&validation).and_then(|instance| Device::new(&instance, None, None)) {
        Err(error) => Some(("REQUIRE_VALIDATION", error.to_string())),
        Ok(_) if Command::new("xdotool").arg("version").output().is_err() => {
            Some(("REQUIRE_GPU", "xdotool is not installed".to_owned()))
        }
        Ok(_) => None,
    };
    let screen = if lacking.is_none() { Screen::new() } else { None };
    let lacking = lacking.or_else(|| screen.is_none().then(|| ("REQUIRE_GPU", "Xvfb is not installed".to_owned())));
    if let Some((requirement, reason)) = lacking {
        assert!(!common::required(requirement), "{requirement}=1, but {reason}");
        eprintln!("SKIPPED, nothing was tested: {reason}");
    }
    screen
}

fn pause(milliseconds: u64) {
    std::thread::sleep(Duration::from_millis(milliseconds));
}

/// Width, height and bytes of a PNG.
fn decode(path: &Path) -> (u32, u32, Vec<u8>) {
    let file = BufReader::new(std::fs::File::open(path).expect("the file is there"));
    let mut reader = png::Decoder::new(file).read_info().expect("it is a PNG");
    let mut bytes = vec![0; reader.output_buffer_size().expect("it is small")];
    let info = reader.next_frame(&mut bytes).expect("it is whole");
    bytes.truncate(info.buffer_size());
    (info.width, info.height, bytes)
}

#[test]
fn a_window_survives_resizing_minimizing_and_its_keys() {
    let Some(screen) = screen() else { return };
    let folder = tempfile::tempdir().expect("a folder for pictures");
    let arguments = "view -v --boids 500 --size 320x240 --validation";
    let mut viewer = Viewer::new(&screen, folder.path(), arguments);
    let window = viewer.window.clone();
    screen.does(&format!("windowfocus --sync {window}"));

    for size in 0..10 {
        screen.does(&format!("windowsize {window} {} {}", 200 + 37 * (size % 4), 330 - 23 * size));
        pause(150);
    }
    screen.does(&format!("windowunmap --sync {window}"));
    pause(500);
    screen.does(&format!("windowmap --sync {window}"));
    pause(300);
    screen.does(&format!("windowsize --sync {window} 300 200"));
    screen.does(&format!("windowfocus --sync {window}"));

    // A drag and the wheel.
    screen.does(&format!("mousemove --window {window} 280 180 mousedown 1 mousemove_relative -- -60 -20 mouseup 1"));
    screen.does("click 4 click 5");
    screen.does("key space");
    viewer.until("pause", |viewer| viewer.title().contains("paused"));
    screen.does("key Right Right h");
    pause(400);
    screen.does("key r F11 F11 h F12");
    let picture = folder.path().join("starlings-0.png");
    viewer.until("screenshot of the flock's start", |_| picture.exists());
    viewer.until("notice of it", |viewer| viewer.title().contains("wrote starlings-0.png"));
    screen.does("key ctrl+q");
    let (status, said) = viewer.ended();
    assert_eq!(status, Some(0), "{said}");
    assert!(!said.contains("VUID") && !said.contains("SYNC-HAZARD"), "{said}");
    assert!(said.contains("wrote starlings-0.png"), "{said}");

    let swapchains = said.split(" swapchains").next().and_then(|before| before.rsplit(' ').next());
    let swapchains: u32 = swapchains.and_then(|number| number.parse().ok()).expect("the report names them");
    assert!(swapchains >= 5, "the resizes went unnoticed: {said}");
    let (width, height, bytes) = decode(&picture);
    assert_eq!((width, height), (300, 200));
    assert!(bytes.chunks_exact(3).any(|pixel| pixel != &bytes[..3]), "one flat color");
}

/// What F12 writes: the flock, seen by a camera that a drag has turned, after the steps before the first frame.
/// `render` makes the same picture of it.
#[test]
fn a_screenshot_remembers_what_is_shown() {
    for (engine, boids, from, trail) in [("gpu", 1, 0, "0.3"), ("gpu", 300, 41, "0"), ("cpu", 300, 41, "0")] {
        // One each: in a second window on a screen, a drag is lost now and then.
        let Some(screen) = screen() else { return };
        let folder = tempfile::tempdir().expect("a folder for pictures");
        let flock = format!("--preset reynolds --engine {engine} --boids {boids} --seed 5");
        // Colors that are fitted to the flock of the picture, too.
        let look = format!("--look dart --trail {trail} --color speed");
        let arguments = format!("view -v {flock} {look} --size 320x240 --start-step {from} --eye 0,9,-20 --validation");
        let mut viewer = Viewer::new(&screen, folder.path(), &arguments);
        let window = viewer.window.clone();
        screen.does(&format!("windowfocus --sync {window}"));
        screen.does("key space");
        viewer.until("pause", |viewer| viewer.title().contains("paused"));
        // Once it is known to take input.
        let (path, untouched) = photograph(&screen, &mut viewer, folder.path());
        std::fs::remove_file(path).expect("it was written");
        let drag = "mousedown 1 sleep 0.1 mousemove_relative -- -60 -20 sleep 0.1 mouseup 1";
        let drag = format!("mousemove --window {window} 280 180 sleep 0.1 {drag}");
        until_changed(&screen, &mut viewer, folder.path(), &drag, (&untouched, 1));
        // Also if both keys come before the same frame.
        screen.does("key F12 key ctrl+q");
        let (status, said) = viewer.ended();
        assert_eq!(status, Some(0), "{said}");
        let mut pictures =
            std::fs::read_dir(folder.path()).expect("a folder").map(|entry| entry.expect("an entry").path());
        let path = pictures.find(|path| path.extension().is_some_and(|end| end == "png")).expect("a picture");
        let ((width, height), memory) = starlings_cli::export::remembered(&path).expect("a picture of our own");
        let step = memory.step.expect("steps lead to it");
        assert!(step >= from && path.ends_with(format!("starlings-{step}.png")), "{engine}: {}", path.display());
        for part in ["\nseed = 5\n", "\nlook = \"dart\"\n", &format!("\nboids = {boids}\n"), "\neye = ["] {
            assert!(memory.config.contains(part), "{engine}: no {part} in {}", memory.config);
        }
        assert!(!memory.config.contains("\neye = [0, 9, -20]\n"), "{engine}: not turned: {}", memory.config);
        let mut command = Command::new(env!("CARGO_BIN_EXE_starlings"));
        command.args(["render", "--from"]).arg(&path).args(["--out", "again.png"]).current_dir(folder.path());
        let output = command.output().expect("the program starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let again = decode(&folder.path().join("again.png"));
        assert_eq!((again.0, again.1), (width, height));
        assert!(again == decode(&path), "{engine}: another picture");
    }
}

/// The controls by the mouse, the camera by its keys, and what acts on the flock. That a number changed while the flock
/// runs is what a restart with it would be is shown in `tests/adjust.rs`.
#[test]
fn the_controls_change_what_they_say() {
    let Some(screen) = screen() else { return };
    let folder = tempfile::tempdir().expect("a folder for files");
    let arguments = "view -v --preset reynolds --boids 400 --size 640x470 --validation";
    let mut viewer = Viewer::new(&screen, folder.path(), arguments);
    let window = viewer.window.clone();
    screen.does(&format!("windowfocus --sync {window}"));
    let click = |x: u32, y: u32| screen.does(&format!("mousemove --window {window} {x} {y} sleep 0.2 click 1"));
    drag_all(&screen, &mut viewer);
    // Fold it, and save what is shown.
    click(70, 174);
    pause(400);
    // The camera, time, and what acts on the flock.
    screen.does(&format!("mousemove --window {window} 500 300"));
    for keys in ["f", "1", "3", "7", "o", "o", "bracketleft", "bracketright", "p", "x", "p", "x"] {
        screen.does(&format!("key {keys}"));
        pause(100);
    }
    screen.does("keydown w sleep 0.3 keyup w");
    screen.does("keydown ctrl mousedown 1 sleep 0.4 mouseup 1 keyup ctrl");
    screen.does("keydown shift mousedown 1 sleep 0.4 mouseup 1 keyup shift");
    screen.does("click --repeat 2 --delay 80 1");
    // With Ctrl they are the desktop's.
    screen.does("key ctrl+v ctrl+h");
    screen.does("key space");
    viewer.until("pause", |viewer| viewer.title().contains("paused"));
    screen.does("key h h h shift+r ctrl+q");
    let (status, said) = viewer.ended();
    assert_eq!(status, Some(0), "{said}");
    assert!(!said.contains("VUID") && !said.contains("SYNC-HAZARD"), "{said}");
}

#[test]
fn a_window_closes_after_the_frames_asked_for() {
    let Some(screen) = screen() else { return };
    for engine in ["gpu", "cpu"] {
        closes_after_its_frames(&screen, engine);
    }
}

fn closes_after_its_frames(screen: &Screen, engine: &str) {
    let folder = tempfile::tempdir().expect("a folder for a table");
    let flight =
        format!("view -v --engine {engine} --boids 300 --size 160x120 --frames 12 --preset reynolds --validation");
    let output = Command::new(env!("CARGO_BIN_EXE_starlings"))
        .args(flight.split(' ').chain(["--stats", "a.csv", "--stats-every", "2"]))
        .current_dir(folder.path())
        .env("DISPLAY", &screen.display)
        .env_remove("WAYLAND_DISPLAY")
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains(" 12 frames, "), "{said}");
    // Every second state was measured, for any number of steps per frame.
    let table = std::fs::read_to_string(folder.path().join("a.csv")).expect("a table");
    let steps: Vec<&str> = table.lines().skip(1).filter_map(|row| row.split(',').next()).collect();
    let even: Vec<String> = (0..steps.len()).map(|sample| (2 * sample).to_string()).collect();
    assert!(steps.len() >= 2 && steps == even, "{table}");
}

#[test]
fn a_dependency_can_be_left_out_live_and_is_restored_after() {
    let Some(screen) = screen() else { return };
    let folder = tempfile::tempdir().expect("a folder that nothing is written to");
    let mut viewer = Viewer::new(&screen, folder.path(), "view -v --boids 500 --size 560x470 --validation");
    screen.does(&format!("windowfocus --sync {}", viewer.window));
    assert!(!viewer.title().contains("left out"), "it is off at first: {}", viewer.title());

    screen.does("key b");
    viewer.until("panel for breaking", |viewer| viewer.title().contains("nothing left out"));
    // The first of the list, none, and the last.
    for (keys, name) in [("Down", "downsweep-to-clear"), ("Up", "nothing left out"), ("Up", "picture-to-present")] {
        pause(300);
        screen.does(&format!("key {keys}"));
        viewer.until(name, |viewer| viewer.title().contains(name));
    }
    // One by one back to none: each key is answered before the next.
    let choice = |viewer: &Viewer<'_>| {
        let title = viewer.title();
        title.split(" · ").next().and_then(|first| first.split(", ").last()).map(str::to_owned)
    };
    while choice(&viewer).is_none_or(|choice| choice != "nothing left out") {
        let before = choice(&viewer);
        screen.does("key Up");
        viewer.until("other choice", |viewer| choice(viewer) != before);
    }
    screen.does("key Down Down Down");
    viewer.until("choice by three keys at once", |viewer| viewer.title().contains("without steer-to-count"));
    screen.does(&format!("mousemove --window {} 350 87 click 1", viewer.window));
    viewer.until("choice by the mouse", |viewer| {
        viewer.title().contains("without ") && !viewer.title().contains("steer-to-count")
    });
    // Twice a second the damage is counted.
    pause(1_200);

    screen.does("key b");
    viewer.until("mended frame", |viewer| {
        !viewer.title().contains("without ") && !viewer.title().contains("left out") && viewer.title().contains("fps")
    });
    pause(500);
    screen.does("key ctrl+q");
    let (status, said) = viewer.ended();
    assert_eq!(status, Some(0), "{said}");
    assert!(!said.contains("VUID") && !said.contains("SYNC-HAZARD"), "{said}");
}

/// Shows that the layer is active in the other tests, so that their silence means success.
#[test]
fn a_dependency_left_out_of_the_windows_frame_is_reported() {
    let Some(screen) = screen() else { return };
    for (omitted, rule) in [
        ("cull-to-draw", "SYNC-HAZARD"),
        ("compose-to-copy", "SYNC-HAZARD"),
        ("acquire-to-copy", "VUID"),
        ("picture-to-present", "VUID"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_starlings"))
            .args("view --boids 100 --size 160x240 --frames 30 --validation --omit".split(' '))
            .arg(omitted)
            .env("DISPLAY", &screen.display)
            .env_remove("WAYLAND_DISPLAY")
            .output()
            .expect("the program starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{omitted}: {said}");
        assert!(said.contains(rule), "{omitted}: {said}");
    }
}

/// However a window ends, what it has gathered is written.
#[test]
fn order_parameters_and_trace_outlive_a_window() {
    let Some(screen) = screen() else { return };
    // By its key for closing a window, the window manager sends WM_DELETE_WINDOW.
    let manager = screen.manage();
    let close = if manager.is_some() { "alt+F4" } else { "windowclose" };
    let ends: [(&str, i32); 6] =
        [("INT", 130), ("TERM", 130), ("HUP", 130), (close, 0), ("windowclose", 0), ("windowkill", 0)];
    for (end, expected) in ends {
        println!("by {end}");
        let folder = tempfile::tempdir().expect("a folder for a table and a trace");
        let arguments = "view --boids 300 --size 320x240 --stats a.csv --trace a.json";
        let mut viewer = Viewer::new(&screen, folder.path(), arguments);
        match end {
            "alt+F4" => {
                // The manager closes the window that is active in its view.
                viewer.until("active window", |viewer| {
                    screen.does(&format!("windowactivate {}", viewer.window));
                    let active = screen.xdotool("getactivewindow").expect("xdotool was found before");
                    String::from_utf8_lossy(&active.stdout).trim() == viewer.window
                });
                screen.does(&format!("key {end}"));
            }
            // The first destroys the window, the second closes its connection to the server, as its end would.
            "windowclose" | "windowkill" => drop(screen.does(&format!("{end} {}", viewer.window))),
            signal => viewer.signal(signal),
        }
        let (status, said) = viewer.ended();
        assert_eq!(status, Some(expected), "{end}: {said}");
        let table = std::fs::read_to_string(folder.path().join("a.csv")).expect("a table");
        assert!(table.lines().count() > 1, "{end}: {table}");
        let trace = std::fs::read(folder.path().join("a.json")).expect("a trace");
        serde_json::from_slice::<serde_json::Value>(&trace).expect("a whole one");
    }
}

/// The end comes with the first frames, and up to 0.42 seconds later.
#[test]
fn a_window_destroyed_by_another_program_is_an_ordinary_end() {
    let Some(screen) = screen() else { return };
    for moment in (0..16).step_by(3) {
        let folder = tempfile::tempdir().expect("a folder to start in");
        let viewer = Viewer::new(&screen, folder.path(), "view --boids 300 --size 320x240");
        std::thread::sleep(Duration::from_millis(moment / 2 * 60));
        // A window that has just got the focus asks the server for more; killed at that moment, Xlib 1.8.4 crashes in
        // winit.
        let end = if moment % 2 == 0 { "windowfocus {} windowclose" } else { "windowkill" };
        screen.does(&format!("{} {}", end.replace("{}", &viewer.window), viewer.window));
        let (status, said) = viewer.ended();
        assert_eq!(status, Some(0), "{end} at {moment}: {said}");
    }
}

#[test]
fn a_display_that_does_not_answer_is_not_used() {
    if common::device().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder for the picture");
    let output = Command::new(env!("CARGO_BIN_EXE_starlings"))
        .args("view --boids 100 --size 64x48".split(' '))
        .current_dir(folder.path())
        .env("DISPLAY", ":4321")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("WAYLAND_SOCKET")
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("no display"), "{said}");
    assert_eq!(decode(&folder.path().join("starlings.png")).0, 64);
}
