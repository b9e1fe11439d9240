//! The command line from outside: what it refuses and how, and what it leaves on the disk.

mod common;

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The program in `folder`, with no display and a cache of its own.
fn starlings<S: AsRef<OsStr>>(folder: &Path, arguments: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_starlings"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env("XDG_CACHE_HOME", folder.join(".cache"));
    command
}

fn run(folder: &Path, line: &str) -> Output {
    starlings(folder, &line.split_whitespace().collect::<Vec<_>>()).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Names in `folder` besides the cache.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> =
        entries.map(|name| name.to_string_lossy().into_owned()).filter(|name| name != ".cache").collect();
    names.sort();
    names
}

/// Fails unless the program ended with `status`, nothing on stdout and one line with all of `parts` on stderr.
fn assert_refused(output: &Output, status: i32, parts: &[&str], what: &str) {
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{what}: {stderr}");
    assert_eq!(text(&output.stdout), "", "{what}");
    assert_eq!(stderr.lines().count(), 1, "{what}: {stderr}");
    assert!(stderr.starts_with("starlings: ") && stderr.ends_with('\n'), "{what}: {stderr}");
    for part in parts {
        assert!(stderr.contains(part), "{what}: no '{part}' in {stderr}");
    }
}

/// Runs `line` in an empty folder, which must be empty afterwards.
fn refused(line: &str, status: i32, parts: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    assert_refused(&run(folder.path(), line), status, parts, line);
    assert!(names(folder.path()).is_empty(), "{line} left {:?}", names(folder.path()));
}

/// The commands that run a flock, ready for one more option.
const COMMANDS: [&str; 4] = ["view", "render", "simulate --export a.npz", "bench"];

#[test]
fn counts_of_boids_that_are_none() {
    for command in COMMANDS {
        for value in ["0", "-1", "abc", "1.5", "NaN", "inf", "--quiet", "1e30"] {
            let accepted = "accepted is a whole number from 1 to 1073741824";
            refused(&format!("{command} --boids {value}"), 2, &[&format!("--boids is '{value}'"), accepted]);
        }
    }
}

#[test]
fn radii_speeds_and_steps_that_are_none() {
    for command in COMMANDS {
        for flag in ["--separation-radius", "--cohesion-radius", "--max-speed", "--max-force", "--time-step"] {
            for value in ["nan", "inf", "-inf", "0", "-1", "1e30", "abc", "1/0"] {
                let line = format!("{command} --preset reynolds {flag} {value}");
                refused(&line, 2, &[&format!("starlings: {flag} is "), "accepted is a number "]);
            }
        }
    }
    refused("render --world-size 0", 2, &["--world-size is '0'", "above 0, in world units"]);
    refused("render --world-size 3xNaNx3", 2, &["--world-size is '3xNaNx3'"]);
    refused("render --world-center 1,2", 2, &["--world-center is '1,2'", "three numbers like"]);
    refused("render --density -1", 2, &["--density is '-1'", "a number above 0"]);
    refused("render --seed -1", 2, &["--seed is '-1'", "a whole number from 0 to 18446744073709551615"]);
    refused("render --targets 17", 2, &["--targets is '17'", "a whole number from 0 to 16"]);
}

#[test]
fn counts_of_steps_frames_and_samples_that_are_none() {
    for (line, value) in [
        ("render --frames 0", "--frames is '0'"),
        ("render --frames abc", "--frames is 'abc'"),
        ("view --frames -1", "--frames is '-1'"),
        ("simulate --export a.npz --steps -1", "--steps is '-1'"),
        ("simulate --export a.npz --every 0", "--every is '0'"),
        ("simulate --export a.npz --steps 4e9 --every 1", "--every is 1;"),
        ("bench --repeats 0", "--repeats is '0'"),
        ("bench --repeats 5000", "--repeats is '5000'"),
        ("bench --warm-up x", "--warm-up is 'x'"),
        ("bench --boids 5,0", "--boids is '0'"),
    ] {
        refused(line, 2, &[value, "accepted is a whole number from "]);
    }
}

#[test]
fn work_that_is_none() {
    refused("bench --state X", 2, &["--state is 'X'; accepted is U, uniformly at random, or F, after 500 steps"]);
    refused("bench --state U --preset reynolds", 2, &["cannot be given together with"]);
    refused("bench --neighbors 0", 2, &["--neighbors is '0'; accepted is a number above 0"]);
    refused("bench --neighbors 1e30", 2, &["accepted is a number from"]);
    refused("bench --search pairs", 2, &["--search is 'pairs'; accepted is one of quantized-grid, sorted-grid, "]);
    refused("bench --peer --draw 8x8", 2, &["cannot be given together with"]);
}

#[test]
fn frames_that_are_not_there_to_be_captured() {
    for (line, value) in [
        ("render --capture 0", "--capture is '0'"),
        ("render --capture x", "--capture is 'x'"),
        ("render --frames 5 --capture 6", "--capture is 6"),
        ("simulate --export a.npz --steps 5 --capture 6", "--capture is 6"),
        ("view --frames 5 --capture 6", "--capture is 6"),
        ("view --capture 5x", "--capture is '5x'"),
    ] {
        refused(line, 2, &[value, "accepted is a whole number from "]);
    }
    refused("render --capture 1 --validation", 2, &["--capture cannot be given together with --validation"]);
}

#[test]
fn sizes_that_are_none() {
    for value in ["0x0", "0x720", "1280", "axb", "-1x5", "1280x720x3", "99999999999x1"] {
        refused(
            &format!("render --size {value}"),
            2,
            &[&format!("--size is '{value}'"), "like 1280x720, each at least 1"],
        );
    }
}

#[test]
fn windows_larger_than_any_window_system_counts() {
    for value in ["0x0", "99999x99999", "8193x1"] {
        refused(&format!("view --size {value}"), 2, &[&format!("--size is '{value}'"), "each from 1 to 8192"]);
    }
}

#[test]
fn names_that_are_unknown_and_the_nearest_known_one() {
    refused("render --preset reynods", 2, &["--preset is 'reynods'", "(did you mean 'reynolds'?)"]);
    refused("render --preset zzz", 2, &["--preset is 'zzz'", "accepted is one of counting-sort"]);
    refused("rendr", 2, &["there is no command 'rendr'", "(did you mean 'render'?)"]);
    refused("render --bods 3", 2, &["'--bods' is not known here", "did you mean '--boids'?"]);
    refused("--nonsense", 2, &["'--nonsense' is not known here"]);
    refused("render leftover", 2, &["'leftover' is not known here"]);
}

#[test]
fn options_that_do_not_go_together() {
    refused("simulate", 2, &["--export <FILE.npz> is missing"]);
    refused("render --boids", 2, &["--boids <COUNT> has no value"]);
    refused("render --boids 1 --boids 2", 2, &["--boids is given twice"]);
    refused("render --force=yes", 2, &["--force takes no value"]);
    refused("render --density 1 --world-size 5", 2, &["cannot be given together with"]);
    // A setting that would silently do nothing is refused.
    refused("render --max-force 3", 2, &["--max-force is 3; accepted is nothing", "counting-sort"]);
    refused("render --preset reynolds --targets 3", 2, &["--targets is 3; accepted is nothing", "reynolds"]);
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_no_text() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().expect("a folder");
    let value = OsStr::from_bytes(b"\xff");
    let output = starlings(folder.path(), &["render".as_ref(), "--boids".as_ref(), value]).output().expect("it starts");
    assert_refused(&output, 2, &["UTF-8"], "a byte that is no text");
}

#[test]
fn outputs_that_are_there_already_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("frames")).expect("a new folder");
    for name in ["a.png", "a.npz", "a.json", "frames/frame_000001.png"] {
        fs::write(folder.path().join(name), "old").expect("room");
    }
    for line in ["render --out a.png", "simulate --export a.npz", "render --out frames"] {
        assert_refused(&run(folder.path(), line), 4, &["already there; --force replaces it"], line);
    }
    for line in ["view", "render --out new.png", "simulate --export new.npz", "bench"] {
        let line = format!("{line} --trace a.json");
        assert_refused(&run(folder.path(), &line), 4, &["already there; --force replaces it"], &line);
    }
    for line in ["render --out frames/a.png/b.png", "simulate --export frames/a/b.npz", "render --out a.npz/"] {
        assert_refused(&run(folder.path(), line), 4, &["cannot write "], line);
    }
    fs::create_dir(folder.path().join("b.png")).expect("a new folder");
    assert_refused(&run(folder.path(), "render --force --out b.png"), 4, &["it is a folder"], "a folder");
    for name in ["a.png", "a.npz", "a.json", "frames/frame_000001.png"] {
        assert_eq!(fs::read(folder.path().join(name)).expect("it is still there"), b"old");
    }
    assert_eq!(names(folder.path()), ["a.json", "a.npz", "a.png", "b.png", "frames"]);
}

#[test]
fn outputs_of_the_wrong_kind() {
    refused("render --out a.jpg", 2, &["--out is 'a.jpg'", "accepted is a file ending in .png or a folder"]);
    refused("simulate --export a.txt", 2, &["--export is 'a.txt'", "accepted is a file ending in .npz"]);
    for command in COMMANDS {
        let line = format!("{command} --trace a.txt");
        refused(&line, 2, &["--trace is 'a.txt'", "accepted is a file ending in .json"]);
        refused(&format!("{command} --trace no/such/a.json"), 4, &["cannot write no/such/a.json"]);
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_to() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o555)).expect("our own folder");
    // Permissions mean nothing to root, who has /proc all the same.
    let place = if tempfile::tempfile_in(folder.path()).is_ok() { Path::new("/proc") } else { folder.path() };
    if place.is_dir() {
        for (command, name) in [("render --out", "a.png"), ("simulate --export", "a.npz"), ("render --out", "folder")] {
            let line = format!("{command} {}", place.join(name).display());
            assert_refused(&run(&std::env::temp_dir(), &line), 4, &["cannot write "], &line);
        }
    }
    fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).expect("our own folder");
}

#[test]
fn a_machine_without_a_driver() {
    let folder = tempfile::tempdir().expect("a folder");
    for line in ["render", "simulate --export a.npz", "bench", "devices"] {
        let mut command = starlings(folder.path(), &line.split_whitespace().collect::<Vec<_>>());
        command.env("VK_DRIVER_FILES", "/nonexistent.json").env("VK_ICD_FILENAMES", "/nonexistent.json");
        let output = command.output().expect("the program starts");
        assert_refused(&output, 3, &["Vulkan"], line);
    }
    assert!(names(folder.path()).is_empty());
}

#[test]
fn a_validation_layer_that_is_too_old() {
    if common::device().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    // The loader knows a layer's version without loading it.
    let layer = r#""name": "VK_LAYER_KHRONOS_validation", "type": "INSTANCE", "library_path": "./none.so""#;
    let version = r#""api_version": "1.3.239", "implementation_version": "1", "description": "old""#;
    let manifest = format!(r#"{{"file_format_version": "1.1.0", "layer": {{{layer}, {version}}}}}"#);
    let layers = tempfile::tempdir().expect("a folder");
    fs::write(layers.path().join("old.json"), manifest).expect("it is writable");
    let run = |line: &[&str]| {
        starlings(folder.path(), line).env("VK_LAYER_PATH", layers.path()).output().expect("the program starts")
    };
    let line = ["simulate", "--boids", "100", "--steps", "1", "--export", "a.npz"];
    let output = run(&[&line[..], &["--validation"]].concat());
    assert_refused(&output, 3, &["validation layer is 1.3.239", "before 1.4", "./bootstrap test"], "an old layer");

    let output = run(&line);
    let stderr = text(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let warnings = stderr.matches("running without validation: the validation layer is 1.3.239").count();
    assert_eq!(warnings, usize::from(cfg!(debug_assertions)), "{stderr}");
}

#[test]
fn a_reader_that_goes_away_and_a_disk_that_is_full() {
    let folder = tempfile::tempdir().expect("a folder");
    for line in ["presets", "--help", "render --help"] {
        let mut command = starlings(folder.path(), &line.split_whitespace().collect::<Vec<_>>());
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = command.stdout(writer).stderr(Stdio::piped()).output().expect("the program starts");
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""), "{line}");
        if let Ok(full) = fs::File::options().write(true).open("/dev/full") {
            let output = command.stdout(full).output().expect("the program starts");
            assert_refused(&output, 4, &["cannot write standard output"], line);
        }
    }
}

#[test]
fn help_names_units_and_defaults() {
    let folder = tempfile::tempdir().expect("a folder");
    let help = run(folder.path(), "--help");
    assert_eq!(help.status.code(), Some(0));
    for command in ["view", "render", "simulate", "bench", "devices", "presets"] {
        assert!(text(&help.stdout).contains(&format!("\n  {command} ")), "{command}");
        let help = run(folder.path(), &format!("{command} --help"));
        assert_eq!((help.status.code(), help.stderr.len()), (Some(0), 0), "{command}");
        // Every option with a value states its default, or must be given.
        let words = text(&help.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
        for option in
            words.split(" --").skip(1).filter(|option| option.split(' ').nth(1).is_some_and(|v| v.starts_with('<')))
        {
            let required = option.starts_with("export ");
            assert!(option.contains("[default: ") || required, "{command}: --{option}");
        }
    }
    let presets = text(&run(folder.path(), "presets").stdout);
    for tunable in starlings::flock::settings::TUNABLES {
        assert!(presets.contains(tunable.name), "{}", tunable.name);
        assert!(text(&run(folder.path(), "simulate --help").stdout).contains(tunable.name), "{}", tunable.name);
    }
}

#[test]
fn more_than_the_device_holds() {
    let Some(device) = common::device() else { return };
    let name = device.info().name.clone();
    for command in COMMANDS {
        let line = format!("{command} --boids 1e12");
        let parts = ["1000000000000 boids do not fit on ", &name, "the largest count that does is "];
        refused(&line, 3, &parts);
    }
    refused("render --size 100000x100000", 2, &["--size is 100000x100000", "each from 1 to ", &name]);
    refused("render --gpu nonsense", 2, &["--gpu is 'nonsense'", "accepted is an index, a name or a UUID of: ", &name]);
    refused("render --gpu -1", 2, &["--gpu is '-1'"]);
}

#[test]
fn a_picture_and_frames_of_a_small_flock() {
    let Some(_) = common::device() else { return };
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
    // With stderr gone there is nobody left to tell, which is no reason to fail.
    if let Ok(full) = fs::File::options().write(true).open("/dev/full") {
        let line = format!("render -vv {small} --out b.png");
        let mut command = starlings(folder.path(), &line.split(' ').collect::<Vec<_>>());
        assert_eq!(command.stderr(full).output().expect("the program starts").status.code(), Some(0));
    }
}

#[test]
fn view_without_a_display_draws_a_picture() {
    let Some(_) = common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    for (line, name) in [("", "starlings.png"), ("view", "starlings-2.png")] {
        let output = run(folder.path(), &format!("{line} --boids 200 --size 64x36"));
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(stderr.contains("no display") && stderr.contains(name), "{stderr}");
        assert!(stdout.contains(name), "{stdout}");
    }
    assert_eq!(names(folder.path()), ["starlings-2.png", "starlings.png"]);
}

#[test]
fn a_simulation_is_the_same_flock_at_every_sample() {
    let Some(_) = common::device() else { return };
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
    // The start is exact; later, sums of floats depend on the order of boids in a cell.
    assert_eq!(often[..900], seldom[..900]);
    let apart = often[4 * 900..].iter().zip(&seldom[900..]).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(apart < 0.05, "{apart}");
    assert_ne!(often[..900], often[900..1800]);
}

#[test]
fn a_benchmark_names_every_pass() {
    let Some(_) = common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let passes = ["grid_clear", "grid_count", "scan_reduce", "scan_spine", "scan_downsweep", "sort_scatter", "steer"];
    let table = run(folder.path(), "bench --boids 300,600 --warm-up 1 --repeats 3");
    assert_eq!((table.status.code(), text(&table.stderr).as_str()), (Some(0), ""));
    let json = run(folder.path(), "bench --boids 300 --warm-up 1 --repeats 3 --json --draw 64x36");
    let list: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    for pass in passes {
        assert_eq!(text(&table.stdout).matches(&format!("\n{pass} ")).count(), 2, "{pass}");
        let entry = list[0]["passes"].as_array().and_then(|passes| passes.iter().find(|p| p["name"] == pass));
        let entry = entry.unwrap_or_else(|| panic!("{pass} in {list}"));
        assert_eq!(entry["samples"], 3);
        assert!(entry["median_ms"].as_f64() <= entry["p99_ms"].as_f64());
    }
    assert!(list[0]["passes"].as_array().is_some_and(|passes| passes.iter().any(|p| p["name"] == "draw_boids")));
}

/// The benchmark's own flock on whatever device there is: the gate passes, and every search is timed or said to be skipped.
#[test]
fn the_benchmark_passes_its_gate_and_times_every_search() {
    let Some(_) = common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let line = "bench --state U,F --boids 3000 --warm-up 2 --repeats 4 --peer";
    let json = run(folder.path(), &format!("{line} --json"));
    assert_eq!((json.status.code(), text(&json.stderr).as_str()), (Some(0), ""));
    let list: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    for (flock, state) in list.as_array().expect("a list").iter().zip(["U", "F"]) {
        assert_eq!(flock["state"], state);
        assert_eq!((&flock["gate"]["samples"], &flock["gate"]["wrong_counts"]), (&2000.into(), &0.into()));
        let number = |value: &serde_json::Value| value.as_f64().unwrap_or_else(|| panic!("no number in {flock}"));
        for sum in ["separation", "alignment", "cohesion"] {
            assert!(number(&flock["gate"]["sums_off_by"][sum]) <= 1e-6, "{sum}");
        }
        // A cube of 3,000 boids is mostly border: fewer than the 33.5 of an endless flock, and more once they gather.
        let neighbors = number(&flock["mean_neighbors"]["start"]);
        assert!(if state == "U" { (24.0..30.0).contains(&neighbors) } else { neighbors > 40.0 }, "{state} {neighbors}");
        let passes = flock["passes"].as_array().expect("a list");
        for pass in passes.iter().filter(|pass| pass["name"] != "frame" && pass["name"] != "unnamed") {
            assert!(number(&pass["bytes"]) > 0.0 && number(&pass["copy_bound_ms"]) > 0.0, "{pass}");
        }
        let count = passes.iter().find(|pass| pass["name"] == "grid_count").expect("it runs");
        let cells = number(&passes.iter().find(|pass| pass["name"] == "grid_clear").expect("it runs")["bytes"]);
        // 16 bytes read and 4 written a boid, each count read and written, and the parameters.
        let more = number(&count["bytes"]) - (20.0 * 3000.0 + 2.0 * cells);
        assert!((0.0..2000.0).contains(&more), "{more} bytes more than stated in grid_count.comp");
        let searches = flock["peers"].as_array().expect("a list");
        assert_eq!(searches.len() + 1, starlings::flock::search::SEARCHES.len());
        for search in searches {
            assert!(search["skipped"].is_string() || search["gate"]["wrong_counts"] == 0, "{search}");
            assert!(search["skipped"].is_string() || number(&search["boid_steps_per_second"]) > 0.0, "{search}");
        }
    }
    let table = run(folder.path(), "bench --state U --boids 500 --warm-up 0 --repeats 3 --neighbors 8,60");
    assert_eq!((table.status.code(), text(&table.stderr).as_str()), (Some(0), ""));
    let table = text(&table.stdout);
    for part in ["state U, 500 boids by quantized-grid", "gate: 500 of 500 boids have exactly", "in no named pass"] {
        assert_eq!(table.matches(part).count(), 2, "{part}: {table}");
    }
}

/// A run against its own ratios: it passes when they are generous, and fails when they are a thousandth.
#[test]
fn a_run_is_held_against_the_ratios_on_file() {
    let Some(_) = common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let line = "bench --state U --boids 1500 --warm-up 1 --repeats 5 --quiet";
    let output = run(folder.path(), &format!("{line} --record ratios.json --plot cost.svg"));
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
    let recorded = fs::read_to_string(path("ratios.json")).expect("a file of ratios");
    assert!(recorded.contains("\"steer over copy\"") && recorded.contains("U 1500 boids, radius 2, quantized-grid"));
    let svg = fs::read_to_string(path("cost.svg")).expect("a picture");
    assert!(svg.contains("U quantized-grid") && svg.contains("<circle"), "{svg}");

    // Times on a busy machine differ, so the file is made to allow anything, or nothing.
    let scaled = |factor: f64| {
        let mut file: serde_json::Value = serde_json::from_str(&recorded).expect("JSON");
        file["tolerance"] = factor.into();
        file.to_string()
    };
    fs::write(path("generous.json"), scaled(1e6)).expect("room");
    let output = run(folder.path(), &format!("{line} --compare generous.json"));
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
    assert!(text(&output.stdout).ends_with("no ratio is worse than on file, in 1 of 1\n"), "{}", text(&output.stdout));
    fs::write(path("strict.json"), scaled(1e-3)).expect("room");
    for (line, says) in [
        (format!("{line} --compare strict.json"), "slower than on file: U 1500 boids, radius 2, quantized-grid: "),
        (format!("{line} --neighbors 9 --compare generous.json"), "there is nothing on file of U 1500 boids"),
    ] {
        let output = run(folder.path(), &line);
        assert_eq!(output.status.code(), Some(1), "{line}");
        assert_eq!(text(&output.stderr).lines().count(), 1, "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains(says), "{}", text(&output.stderr));
    }
    let kept = fs::read_to_string(path("ratios.json")).expect("it is still there");
    assert_eq!(kept, recorded);
    for (line, status, says) in [
        (
            "bench --compare none.json",
            2,
            "--compare is 'none.json'; accepted is a file that `starlings bench --record`",
        ),
        ("bench --compare cost.svg", 2, "--compare is 'cost.svg'; accepted is a file that"),
        ("bench --record a.toml", 2, "--record is 'a.toml'; accepted is a file ending in .json"),
        ("bench --plot a.png", 2, "--plot is 'a.png'; accepted is a file ending in .svg"),
        ("bench --plot cost.svg", 4, "already there; --force replaces it"),
        ("bench --scan 0", 2, "--scan is '0'; accepted is a whole number from 1 to 536870912"),
    ] {
        assert_refused(&run(folder.path(), line), status, &[says], line);
    }
}

#[test]
fn a_scan_by_itself_is_exact_and_timed() {
    let Some(_) = common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let json = run(folder.path(), "bench --scan 1,2047,2^12,4196353 --warm-up 1 --repeats 3 --json");
    assert_eq!((json.status.code(), text(&json.stderr).as_str()), (Some(0), ""));
    let list: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    for (row, elements) in list.as_array().expect("a list").iter().zip([1, 2_047, 4_096, 4_196_353]) {
        assert_eq!((&row["elements"], &row["samples"]), (&elements.into(), &3.into()));
        assert!(row["copy_ms"].as_f64().is_some_and(|ms| ms > 0.0), "{row}");
    }
    let table = text(&run(folder.path(), "bench --scan 2^12 --repeats 2").stdout);
    assert!(table.contains("\n         4,096 "), "{table}");
}

#[test]
fn a_pipeline_cache_that_is_deleted_truncated_foreign_or_in_the_way() {
    let Some(_) = common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let render = |what: &str| {
        let output = run(folder.path(), "render --boids 100 --size 16x16 --frames 1 --out a.png --force");
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""), "{what}");
    };
    let cache = folder.path().join(".cache/starlings");
    let file = || fs::read_dir(&cache).ok()?.next().map(|entry| entry.expect("an entry").path());
    render("no cache yet");
    // Where caches are kept depends on the system; only this one is known here.
    let Some(path) = file() else {
        if cfg!(target_os = "linux") {
            panic!("no cache in {}", cache.display());
        }
        return;
    };
    let good = fs::read(&path).expect("a cache");
    render("a good cache");
    let foreign: Vec<u8> = good.iter().map(|byte| byte ^ 0x55).collect();
    let flipped: Vec<u8> = good.iter().enumerate().map(|(at, byte)| byte ^ u8::from(at == good.len() / 2)).collect();
    for (bytes, what) in [
        (&[][..], "empty"),
        (&good[..10], "cut in its header"),
        (&good[..good.len() / 2], "cut in the middle"),
        (&foreign, "foreign"),
        (&flipped, "one bit off"),
    ] {
        fs::write(&path, bytes).expect("room");
        render(what);
        assert_eq!(fs::read(&path).expect("a new cache").len(), good.len(), "{what}");
    }
    fs::remove_file(&path).expect("our own file");
    render("deleted");
    fs::remove_dir_all(&cache).expect("our own folder");
    fs::write(&cache, "a file where the folder should be").expect("room");
    let output = run(folder.path(), "render --boids 100 --size 16x16 --frames 1 --out a.png --force");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_nothing() {
    let Some(_) = common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    for line in
        ["simulate --boids 500 --steps 4e9 --every 4000 --export a.npz", "render --boids 500 --frames 4e9 --out a.png"]
    {
        let arguments: Vec<&str> = line.split_whitespace().collect();
        let mut command = starlings(folder.path(), &arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
        // Once its temporary file is there, the program listens.
        while names(folder.path()).is_empty() {
            assert!(child.try_wait().expect("our own child").is_none(), "{line} ended by itself");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is everywhere");
        assert!(kill.success());
        let output = child.wait_with_output().expect("the program ends");
        assert_refused(&output, 130, &["interrupted"], line);
        assert!(names(folder.path()).is_empty(), "{line} left {:?}", names(folder.path()));
    }
}
