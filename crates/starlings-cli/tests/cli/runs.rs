//! Output and effects of successful runs.

use super::{names, run, starlings, text};
use std::fs;
use std::process::Stdio;

#[test]
fn help_names_units_and_defaults() {
    let folder = tempfile::tempdir().expect("a folder");
    let help = run(folder.path(), "--help");
    assert_eq!(help.status.code(), Some(0));
    for command in ["view", "render", "simulate", "bench", "devices", "doctor", "presets", "bake", "config"] {
        assert!(text(&help.stdout).contains(&format!("\n  {command} ")), "{command}");
        let help = run(folder.path(), &format!("{command} --help"));
        assert_eq!((help.status.code(), help.stderr.len()), (Some(0), 0), "{command}");
        // An option with a value states its default, or is required.
        let words = text(&help.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
        for option in
            words.split(" --").skip(1).filter(|option| option.split(' ').nth(1).is_some_and(|v| v.starts_with('<')))
        {
            let required = option.starts_with("export ");
            assert!(option.contains("[default: ") || required, "{command}: --{option}");
        }
    }
    for tunable in starlings::flock::settings::TUNABLES {
        let flag = format!("--{}", tunable.setting.name().replace('_', "-"));
        assert!(text(&run(folder.path(), "simulate --help").stdout).contains(&flag), "{flag}");
    }
}

#[test]
fn presets_are_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = text(&run(folder.path(), "presets").stdout);
    for preset in starlings::flock::PRESETS {
        // It is broken into lines.
        let words = list.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(preset.name) && words.contains(preset.about), "{list}");
        assert!(words.contains(&format!("Constants: {}", preset.constants)), "{list}");
    }
}

#[test]
fn a_picture_and_frames_of_a_small_flock() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let small = "--boids 200 --size 64x36 --frames 3";
    for (line, says) in [
        (format!("render {small} --out a.png"), "a.png: frame 3, 64x36, 200 boids of counting-sort, in "),
        (format!("render {small} --out a.png --force --quiet"), "a.png: frame 3, "),
        (format!("render {small} --out frames"), "frames: frame_000001.png to frame_000003.png, 64x36, "),
    ] {
        let output = run(folder.path(), &line);
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert_eq!((output.status.code(), stderr.as_str()), (Some(0), ""), "{line}");
        assert!(stdout.contains(says) && stdout.lines().count() == 1, "{line}: {stdout}");
    }
    assert_eq!(names(folder.path()), ["a.png", "frames"]);
    assert_eq!(names(&folder.path().join("frames")).len(), 3);
    let last = fs::read(folder.path().join("frames/frame_000003.png")).expect("a frame");
    assert_eq!(&last[..8], b"\x89PNG\r\n\x1a\n");
    // A closed stderr is no reason to fail.
    if let Ok(full) = fs::File::options().write(true).open("/dev/full") {
        let line = format!("render -vv {small} --out b.png");
        let mut command = starlings(folder.path(), &line.split(' ').collect::<Vec<_>>());
        assert_eq!(command.stderr(full).output().expect("the program starts").status.code(), Some(0));
    }
}

#[test]
fn a_picture_goes_to_standard_output() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let output = run(folder.path(), "render --boids 200 --size 64x36 --frames 3 --out -");
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(stderr.starts_with("standard output: frame 3, 64x36, ") && stderr.lines().count() == 1, "{stderr}");
    let mut picture = png::Decoder::new(std::io::Cursor::new(&output.stdout)).read_info().expect("a picture");
    let mut bytes = vec![0; picture.output_buffer_size().expect("it is small")];
    picture.next_frame(&mut bytes).expect("all of it");
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn pictures_at_once_in_one_folder_are_numbered() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let arguments: Vec<&str> = "view --boids 200 --size 64x36 --frames 3".split(' ').collect();
    let start = |_| starlings(folder.path(), &arguments).stdout(Stdio::null()).spawn().expect("the program starts");
    for mut child in (0..3).map(start).collect::<Vec<_>>() {
        assert!(child.wait().expect("it ends").success());
    }
    assert_eq!(names(folder.path()), ["starlings-2.png", "starlings-3.png", "starlings.png"]);
}

#[test]
fn view_without_a_display_draws_a_picture() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    for (line, name, frame) in [
        ("", "starlings.png", 240),
        ("view --preset bitonic", "starlings-2.png", 120),
        ("view --frames 3", "starlings-3.png", 3),
    ] {
        let output = run(folder.path(), &format!("{line} --boids 200 --size 64x36"));
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(stderr.contains("no display") && stderr.contains("drawing a picture instead"), "{stderr}");
        assert!(stdout.starts_with(&format!("{name}: frame {frame}, ")), "{stdout}");
    }
    assert_eq!(names(folder.path()), ["starlings-2.png", "starlings-3.png", "starlings.png"]);
}

/// The whole loop of a window, with its order parameters, but no display.
#[test]
fn view_without_a_window_draws_its_frames() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let line = "view -v --headless --boids 200 --size 64x36 --frames 9 --preset reynolds --validation --stats a.csv";
    let output = run(folder.path(), &format!("{line} --stats-every 1"));
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains(" 9 frames, ") && !said.contains("VUID") && !said.contains("SYNC-HAZARD"), "{said}");
    assert_eq!(names(folder.path()), ["a.csv"]);
}

/// Frames and steps of a window, as `-v` tells.
fn told(said: &str) -> [u32; 2] {
    let number = |before: &str| said.split(before).next().and_then(|text| text.rsplit(' ').next()?.parse().ok());
    [number(" frames, "), number(" steps, ")].map(|number| number.unwrap_or_else(|| panic!("no count: {said}")))
}

/// By `bitonic`, more boids than these take one step a frame, however many are due: no more are counted, and no state
/// is skipped.
#[test]
fn a_window_counts_the_steps_that_were_taken() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let flock = "--preset bitonic --boids 200001 --full-quality --size 64x36 --frames 6";
    let output = run(folder.path(), &format!("view -v --headless {flock} --stats a.csv --stats-every 2"));
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let [frames, steps] = told(&said);
    assert!(frames == 6 && (3..=6).contains(&steps), "{said}");
    let table = fs::read_to_string(folder.path().join("a.csv")).expect("a table");
    let states: Vec<u32> =
        table.lines().skip(1).map(|row| row.split(',').next().expect("a step").parse().expect("a number")).collect();
    // A state is measured in the step that follows it.
    assert_eq!(states, (0..steps).step_by(2).collect::<Vec<_>>(), "{said}\n{table}");
}

/// Where a step takes longer than a frame may, a frame takes one, and input does not wait for all that are due.
#[test]
fn a_cpu_engine_keeps_to_the_time_of_a_frame() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    // Steps that take longer than any picture, which a frame may take steps for, also on a machine with other work.
    let flock = "--preset reynolds --engine cpu-serial --search all-pairs --boids 4000 --size 64x36 --frames 8";
    let output = run(folder.path(), &format!("view -v --headless {flock}"));
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let [frames, steps] = told(&said);
    // Of the first ones it is not known how long they take.
    assert!(frames == 8 && (4..=16).contains(&steps), "{said}");
}

#[test]
fn a_benchmark_of_the_window_times_each_frame() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let output = run(folder.path(), "view -v --headless --benchmark a.csv --boids 200 --size 64x36 --frames 25");
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(stderr.contains(" 55 frames, 55 steps, 1 swapchains"), "{stderr}");
    let table = fs::read_to_string(folder.path().join("a.csv")).expect("a table");
    let times: Vec<f64> =
        table.lines().skip(1).map(|row| row.split(',').nth(1).expect("a time").parse().expect("a number")).collect();
    assert!(table.starts_with("frame,ms\n1,") && times.len() == 25 && times.iter().all(|ms| *ms > 0.0), "{table}");
    assert!(stdout.starts_with("25 frames on ") && stdout.lines().count() == 1, "{stdout}");
    let rate: f64 =
        stdout.split(", ").last().and_then(|text| text.split(' ').next()).expect("a rate").parse().expect("a number");
    assert!((rate / (25e3 / times.iter().sum::<f64>()) - 1.0).abs() < 0.01, "{stdout} {table}");
    // Without a file, only the line; without a display, no picture in its place.
    let output = run(folder.path(), "view --headless --benchmark --boids 200 --size 64x36 --frames 2");
    assert_eq!((output.status.code(), text(&output.stdout).lines().count()), (Some(0), 1));
    let output = run(folder.path(), "view --benchmark --boids 200 --size 64x36 --frames 2");
    assert_eq!((output.status.code(), text(&output.stderr).lines().count()), (Some(3), 1), "{}", text(&output.stderr));
    for line in
        ["view --headless --benchmark a.txt", "view --benchmark b.csv --stats b.csv", "view --headless --fullscreen"]
    {
        let output = run(folder.path(), line);
        assert_eq!(
            (output.status.code(), text(&output.stderr).lines().count()),
            (Some(2), 1),
            "{}",
            text(&output.stderr)
        );
    }
    assert_eq!(names(folder.path()), ["a.csv"]);
}

#[test]
fn a_simulation_is_the_same_flock_at_every_sample() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let run = |name: &str, every: u32| {
        let line =
            format!("simulate --preset reynolds --boids 300 --steps 20 --every {every} --seed 7 --export {name}");
        let output = self::run(folder.path(), &line);
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""), "{line}");
        let file = fs::File::open(folder.path().join(name)).expect("an archive");
        let mut zip = zip::ZipArchive::new(file).expect("a zip archive");
        let array = zip.by_name("position.npy").expect("the positions");
        npyz::NpyFile::new(array).expect("an array").into_vec::<f32>().expect("its elements")
    };
    let (often, seldom) = (run("often.npz", 5), run("seldom.npz", 20));
    assert_eq!((often.len(), seldom.len()), (5 * 300 * 3, 2 * 300 * 3));
    assert_eq!(often[..900], seldom[..900]);
    assert_eq!(often[4 * 900..], seldom[900..]);
    assert_ne!(often[..900], often[900..1800]);
}

/// The lines of `simulate --hash`: each a step and a digest.
fn trail(folder: &std::path::Path, line: &str) -> Vec<(u32, String)> {
    let output = run(folder, line);
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""), "{line}");
    let parse = |line: &str| -> Option<(u32, String)> {
        let (step, digest) = line.split_once(' ')?;
        let is_digest = digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        Some((step.parse().ok()?, is_digest.then(|| digest.to_owned())?))
    };
    text(&output.stdout).lines().map(|line| parse(line).unwrap_or_else(|| panic!("{line}"))).collect()
}

#[test]
fn digests_are_a_trail_to_compare_runs_by() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let flock = "--preset reynolds --boids 300 --seed 7";
    let often = trail(folder.path(), &format!("simulate --hash --steps 10 --every 3 {flock}"));
    assert_eq!(often.iter().map(|(step, _)| *step).collect::<Vec<_>>(), [0, 3, 6, 9, 10]);
    let seldom = trail(folder.path(), &format!("simulate --hash --steps 10 --every 5 {flock} --stats a.csv"));
    assert_eq!(seldom.iter().map(|(step, _)| *step).collect::<Vec<_>>(), [0, 5, 10]);
    assert_eq!((&often[0], &often[4]), (&seldom[0], &seldom[2]), "the same run");
    let other = trail(folder.path(), "simulate --hash --steps 0 --preset reynolds --boids 300 --seed 8");
    assert_ne!(other[0], often[0], "another seed");
    assert_eq!(names(folder.path()), ["a.csv"], "no archive");

    // Drawing changes nothing.
    let drawn =
        text(&run(folder.path(), &format!("render --hash --frames 10 --size 64x36 {flock} --out a.png")).stdout);
    assert_eq!(drawn.lines().nth(1), Some(format!("10 {}", often[4].1).as_str()), "{drawn}");

    // With an archive, its line comes last.
    let both = run(folder.path(), &format!("simulate --hash --steps 10 --every 5 {flock} --export a.npz"));
    let lines: Vec<String> = text(&both.stdout).lines().map(str::to_owned).collect();
    assert!(lines.len() == 4 && lines[3].starts_with("a.npz: 300 boids"), "{lines:?}");
    for (line, (step, digest)) in lines.iter().zip(&seldom) {
        assert_eq!(*line, format!("{step} {digest}"));
    }

    // No device is needed for those of the CPU.
    let cpu = "simulate --hash --engine cpu --search sorted-grid --steps 10 --every 5";
    assert_eq!(trail(folder.path(), &format!("{cpu} {flock}"))[0], seldom[0], "the same start");
}
