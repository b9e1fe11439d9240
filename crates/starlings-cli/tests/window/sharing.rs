//! What a window hands on, and takes: config files, command lines, and files that are dropped on it.

use super::common::screen::{Screen, Shown, Viewer};
use super::dropping::drop_file;
use super::sliders::{lines, photograph, photograph_of, until_changed};
use super::unfolding::unfold;
use super::{decode, pause};
use starlings_cli::export::Memory;
use std::path::Path;
use std::process::Command;

/// In the window below, with law and files unfolded.
const ALIGNMENT: &str = "168 297";
const COHESION: &str = "168 316";
const SAVE: &str = "200 622";
const OPEN: &str = "246 622";
const COPY: &str = "85 661";

fn click(screen: &Screen, viewer: &Viewer<'_>, at: &str) {
    screen.does(&format!("mousemove --window {} {at} sleep 0.3 click 1 sleep 0.4", viewer.window));
}

/// What `render` makes of a command line that a window has copied, after `step` steps.
fn rendered(folder: &Path, line: &str, step: u32) -> std::path::PathBuf {
    let flags = line.strip_prefix("starlings view ").expect("a command line").split(" --start-step").next();
    let out = folder.join("again.png");
    let mut command = Command::new(env!("CARGO_BIN_EXE_starlings"));
    command.arg("render").args(flags.unwrap_or_default().split(' '));
    command.args(["--frames", &step.to_string(), "--size", "640x740", "--out"]).arg(&out);
    let output = command.output().expect("the program starts");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    out
}

#[test]
fn a_window_is_shared_and_comes_back_as_it_was() {
    if super::screen().is_none() {
        return;
    }
    let Some(screen) = Screen::of((1000, 900)) else { return };
    let manager = screen.manage();
    let folder = tempfile::tempdir().expect("a folder for files");
    // A camera that is given does not drift with the flock.
    let line = "view --preset reynolds --boids 200 --size 640x740 --full-quality --fov 43 --validation";
    let mut viewer = Viewer::new(&screen, folder.path(), line);
    let window = viewer.window.clone();
    screen.does(&format!("windowfocus --sync {window} key space"));
    viewer.until("pause", |viewer| viewer.title().contains("paused"));
    // Files first: what is unfolded moves what is below it.
    [(70, 307), (70, 174)].into_iter().for_each(|at| unfold(&screen, &mut viewer, at));

    // A slider is dragged and the settings are saved; another one is dragged, and what was saved is opened.
    let drag = |at: &str| {
        format!(
            "mousemove --window {window} {at} sleep 0.3 mousedown 1 sleep 0.4 mousemove_relative 9 0 sleep 0.4 \
             mouseup 1"
        )
    };
    let (_, untouched) = photograph(&screen, &mut viewer, folder.path());
    let saved = until_changed(&screen, &mut viewer, folder.path(), &drag(ALIGNMENT), (&untouched, 1));
    click(&screen, &viewer, SAVE);
    let file = folder.path().join("starlings.toml");
    viewer.until("config file", |viewer| file.exists() && viewer.title().contains("wrote starlings.toml"));
    // A flight leads to a flock whose settings were changed on the way.
    screen.does("key Right sleep 0.5");
    click(&screen, &viewer, COPY);
    viewer.until("copied line", |viewer| viewer.title().contains("copied: starlings view "));
    until_changed(&screen, &mut viewer, folder.path(), &drag(COHESION), (&saved, 1));
    click(&screen, &viewer, OPEN);
    let written = std::fs::read_to_string(&file).expect("it was saved");
    assert_eq!(lines(&written), lines(&saved.config), "saved");
    let as_written = |memory: &Memory| lines(&memory.config) == lines(&written);
    let begun = |memory: &Memory| as_written(memory) && memory.step == Some(0);
    let (mut picture, mut opened) = photograph_of(&screen, &mut viewer, folder.path(), ("what was opened", &begun));
    for step in 1..=3 {
        screen.does("key Right");
        let stepped = |memory: &Memory| as_written(memory) && memory.step == Some(step);
        (picture, opened) = photograph_of(&screen, &mut viewer, folder.path(), ("another step", &stepped));
    }
    click(&screen, &viewer, COPY);
    pause(500);

    // The whole screen and back, put away and back.
    let geometry = |screen: &Screen| {
        let told = screen.does(&format!("getwindowgeometry {window}"));
        told.rsplit("Geometry: ").next().expect("it says so").trim().to_owned()
    };
    assert_eq!(geometry(&screen), "640x740");
    screen.does("key F11");
    viewer.until("whole screen", |_| geometry(&screen) == "1000x900");
    screen.does("key F11");
    viewer.until("window again", |_| geometry(&screen) == "640x740");
    screen.does("key space");
    if manager.is_some() {
        screen.does(&format!("windowminimize {window}"));
        pause(1_500);
        screen.does(&format!("windowactivate --sync {window}"));
        assert_eq!(geometry(&screen), "640x740");
    }
    viewer.until("frames after that", |viewer| viewer.title().contains(" fps") && !viewer.title().contains(", 0 fps"));
    screen.does("key space");
    viewer.until("pause", |viewer| viewer.title().contains("paused"));

    // Another look stays while the frame is broken and mended, which starts the flock over.
    screen.does("key l sleep 0.4 key v sleep 0.4 key r");
    let another = |memory: &Memory| lines(&memory.config).difference(&lines(&opened.config)).count() == 2;
    photograph_of(&screen, &mut viewer, folder.path(), ("another look", &another));
    // Colors follow the flock for a moment.
    screen.settled(1_000, |shown| shown.pixels.clone());
    let (before, looked) = photograph(&screen, &mut viewer, folder.path());
    screen.does("key b");
    viewer.until("frame to be broken", |viewer| viewer.title().contains("left out"));
    screen.does("key b");
    viewer.until("mended frame", |viewer| !viewer.title().contains("left out"));
    screen.settled(1_000, |shown| shown.pixels.clone());
    let (after, mended) = photograph(&screen, &mut viewer, folder.path());
    assert_eq!(lines(&mended.config), lines(&looked.config), "as before it was broken");
    assert!(decode(&after) == decode(&before), "another picture than before it was broken");

    // Dropped on the window, the file leads to where it did before.
    drop_file(&screen, &window, &file);
    photograph_of(&screen, &mut viewer, folder.path(), ("what was dropped", &as_written));

    screen.does("key ctrl+q");
    let (status, said) = viewer.ended();
    assert_eq!(status, Some(0), "{said}");
    assert!(!said.contains("VUID") && !said.contains("SYNC-HAZARD"), "{said}");
    let copied: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("starlings: copied: ")).collect();
    let [changed, replayed] = copied[..] else { panic!("{copied:?}: {said}") };
    // No command line has room for the flight of the first: it is saved beside the pictures.
    let flight = changed.strip_prefix("starlings view --from ").expect("a flight");
    let mut replay = Command::new(env!("CARGO_BIN_EXE_starlings"));
    let output = replay.args(["replay", flight, "--hash"]).current_dir(folder.path()).output().expect("it starts");
    assert!(output.status.success(), "{changed}: {}", String::from_utf8_lossy(&output.stderr));
    assert!(replayed.ends_with(" --start-step 3"), "{replayed}");
    let again = rendered(folder.path(), replayed, 3);
    assert!(decode(&again) == decode(&picture), "{replayed} leads to another picture");
}

/// Where four pixels share their samples, they still do after the frame was broken and mended.
#[test]
fn a_coarse_picture_stays_coarse() {
    if super::screen().is_none() {
        return;
    }
    let Some(screen) = Screen::of((640, 600)) else { return };
    let folder = tempfile::tempdir().expect("a folder that nothing is written to");
    let line = "view --preset reynolds --boids 200 --size 640x600 --full-quality --fov 43 --validation";
    let mut viewer = Viewer::new(&screen, folder.path(), line);
    screen.does(&format!("windowfocus --sync {} key space sleep 0.5 key r", viewer.window));
    viewer.until("pause", |viewer| viewer.title().contains("paused"));
    unfold(&screen, &mut viewer, (70, 250));
    // Beside the panel, above messages.
    let picture = |shown: &Shown| {
        (0..500).flat_map(|y| (345..640).map(move |x| (x, y))).map(|(x, y)| shown.at(x, y)).collect::<Vec<_>>()
    };
    let fine = screen.settled(3_000, picture);
    click(&screen, &viewer, "32 402");
    viewer.until("coarse picture", |_| picture(&screen.shown()) != fine);
    let coarse = screen.settled(3_000, picture);
    assert_ne!(coarse, fine);
    screen.does("key b");
    viewer.until("frame to be broken", |viewer| viewer.title().contains("left out"));
    screen.does("key b");
    viewer.until("mended frame", |viewer| !viewer.title().contains("left out"));
    viewer.until("coarse picture as before", |_| picture(&screen.shown()) == coarse);
    screen.does("key ctrl+q");
    let (status, said) = viewer.ended();
    assert_eq!(status, Some(0), "{said}");
    assert!(!said.contains("VUID") && !said.contains("SYNC-HAZARD"), "{said}");
}
