//! Arguments that the program refuses, and its messages.

use super::{COMMANDS, assert_refused, names, refused, starlings, text};
use starlings::flock::search::SEARCHES;
use std::fs;

#[test]
fn invalid_counts_of_boids() {
    for command in COMMANDS {
        for value in ["0", "-1", "abc", "1.5", "NaN", "inf", "--quiet", "1e30"] {
            let accepted = "accepted is a whole number from 1 to 1073741824";
            refused(&format!("{command} --boids {value}"), 2, &[&format!("--boids is '{value}'"), accepted]);
        }
    }
}

#[test]
fn invalid_radii_speeds_and_time_steps() {
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
    // Out of range of numbers, and of worlds: the message names the user's argument, not a derived value.
    for value in ["1e-300", "1e300"] {
        let accepted = "a number above 0, from 1e-18 to 1e27 depending on the count";
        refused(&format!("render --density {value}"), 2, &[&format!("--density is '{value}'"), accepted]);
    }
    for (line, says) in [
        (
            "--density 1e30",
            "--density is 1e30; accepted is a number from 2.000e-17 to 2.000e19 for 20 boids, in boids per cubic",
        ),
        (
            "--plane --density 1e-20",
            "--density is 1e-20; accepted is a number from 2.000e-11 to 2.000e13 for 20 boids, in boids per square",
        ),
    ] {
        refused(&format!("render --boids 20 {line}"), 2, &[says]);
    }
    // Three radii that are one are refused under the name that was given.
    refused("render --alignment-radius nan", 2, &["--alignment-radius is NaN; accepted is a number above 0"]);
    refused("render --seed -1", 2, &["--seed is '-1'", "a whole number from 0 to 18446744073709551615"]);
    refused("render --targets 17", 2, &["--targets is '17'", "a whole number from 0 to 16"]);
}

#[test]
fn invalid_obstacles() {
    for command in COMMANDS {
        let line = |rest: &str| format!("{command} {rest}");
        for shape in ["ball:0,0,0,1", "sphere:0,0,0", "sphere:0,0,0,1/", "sphere:0,0,x,1", "box:0,0,0,1,1", "0,0,0,1"] {
            let says = [&format!("--obstacle is '{shape}'; accepted is sphere:X,Y,Z,RADIUS, "), "or none"];
            refused(&line(&format!("--obstacle {shape}")), 2, &says.map(|text| text as &str));
        }
        for (shape, says) in [
            ("sphere:0,0,0,0", "--obstacle (radius of a sphere) is 0; accepted is a number from 0.000001 to 1000000"),
            ("box:0,0,0,1,-1,1", "--obstacle (edge of a box) is -1"),
            ("sphere:0,0,1e9,1", "--obstacle (a place of a sphere) is 1000000000; accepted is a number from -1000000"),
            ("capsule:0,0,0,nan,0,0,1", "--obstacle (a place of a capsule) is NaN"),
            (
                "torus:0,0,0,0,0,0,2,1",
                "--obstacle (axis of a torus) is 0,0,0; accepted is a direction that is not zero",
            ),
            ("plane:0,0,0,0,0,0", "--obstacle (normal of a plane) is 0,0,0; accepted is a direction that is not zero"),
        ] {
            refused(&line(&format!("--obstacle {shape}")), 2, &[says]);
        }
    }
    let flat = ["--obstacle (normal of a plane) is 0,1,0; accepted is on a plane: a direction along it"];
    refused("render --plane --obstacle plane:0,0,0,0,1,0", 2, &flat);
    let many = vec!["sphere:0,0,0,1"; 65].join("/");
    refused(&format!("render --obstacle {many}"), 2, &["--obstacle is 65 obstacles; accepted is up to 64"]);
    refused("render --obstacle-weight 2", 2, &["accepted is nothing: it has no effect without --obstacle"]);
}

#[test]
fn invalid_planes_walls_cursors_and_starts() {
    for command in COMMANDS {
        let line = |rest: &str| format!("{command} {rest}");
        refused(&line("--plane=5"), 2, &["--plane is '5'; accepted is true or false"]);
        refused(&line("--walls bounc"), 2, &["--walls is 'bounc'", "(did you mean 'bounce'?)"]);
        refused(&line("--spawn ball"), 2, &["--spawn is 'ball'; accepted is one of box, flat-ball, cloud"]);
        for path in ["1,2", "1,2,x", "0:1,2,3/", ":1,2,3", "1:2:3", "a:1,2,3"] {
            let refused_path = line(&format!("--preset cursor --cursor={path}"));
            refused(
                &refused_path,
                2,
                &[&format!("--cursor is '{path}'"), "three numbers like 0,-5,2.5, or positions with times"],
            );
        }
        let cursor = |path: &str| line(&format!("--preset cursor --cursor {path}"));
        refused(&cursor("1,nan,3"), 2, &["--cursor is NaN; accepted is a number from"]);
        refused(&cursor("0:1,2,3/0:1,2,3"), 2, &["--cursor (time) is 0; accepted is a time after 0"]);
        refused(&cursor("-1:1,2,3"), 2, &["--cursor (time) is -1; accepted is a number from 0 to"]);
        refused(&cursor("0,0,1e9"), 2, &["--cursor is 1000000000; accepted is a number from"]);
        refused(&line("--preset cursor --blend 2"), 2, &["--blend is 2; accepted is a number from 0 to 1"]);
        refused(&line("--preset cursor --alignment-radius 20 --cohesion-radius 21"), 2, &["one radius for both"]);
    }
    refused(
        "render --plane --world-size 4x5x6",
        2,
        &["--world-size is '4x5x6'; accepted is one edge, or two like 40x20"],
    );
    refused("simulate --neighbors 7", 2, &["'--neighbors' is not known here; here it is `--nearest`"]);
    refused("render --world-size 4x5", 2, &["--world-size is '4x5'; accepted is one edge, or three like"]);
}

#[test]
fn invalid_counts_of_steps_frames_and_samples() {
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
fn invalid_work() {
    refused("bench --state X", 2, &["--state is 'X'; accepted is U, uniformly at random, or F, after 500 steps"]);
    refused("bench --state U --preset reynolds", 2, &["cannot be given together with"]);
    refused("bench --neighbors 0", 2, &["--neighbors is '0'; accepted is a number above 0"]);
    refused("bench --neighbors 1e30", 2, &["accepted is a number from"]);
    refused("bench --search pairs", 2, &["--search is 'pairs'; accepted is one of quantized-grid, sorted-grid, "]);
    refused("bench --peer --draw 8x8", 2, &["cannot be given together with"]);
    refused("bench --full-quality", 2, &["--draw <WIDTHxHEIGHT> is missing"]);
    refused("bench --full-quality --peer", 2, &["cannot be given together with"]);
}

#[test]
fn captures_of_frames_that_do_not_exist() {
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
fn invalid_sizes() {
    for value in ["0x0", "0x720", "1280", "axb", "-1x5", "1280x720x3", "99999999999x1"] {
        refused(
            &format!("render --size {value}"),
            2,
            &[&format!("--size is '{value}'"), "like 1280x720, each at least 1"],
        );
    }
}

#[test]
fn windows_larger_than_window_systems_allow() {
    for value in ["0x0", "99999x99999", "8193x1"] {
        refused(
            &format!("view --size {value}"),
            2,
            &[&format!("--size is '{value}'"), "in points", "each from 1 to 8192"],
        );
    }
}

#[test]
fn names_that_are_unknown_and_the_nearest_known_one() {
    refused("render --preset reynods", 2, &["--preset is 'reynods'", "(did you mean 'reynolds'?)"]);
    refused("render --preset zzz", 2, &["--preset is 'zzz'", "accepted is one of counting-sort"]);
    refused("config reynods", 2, &["PRESET is 'reynods'", "(did you mean 'reynolds'?)"]);
    refused("rendr", 2, &["there is no command 'rendr'", "(did you mean 'render'?)"]);
    refused("render --bods 3", 2, &["'--bods' is not known here", "did you mean '--boids'?"]);
    refused("--nonsense", 2, &["'--nonsense' is not known here"]);
    refused("render leftover", 2, &["'leftover' is not known here"]);
    // The word after a flag that was taken for a value is not at fault.
    refused("view --size --trace a.json", 2, &["--size is '--trace'; accepted is WIDTHxHEIGHT in points"]);
}

#[test]
fn options_that_cannot_be_combined() {
    refused("simulate", 2, &["--export <FILE.npz|FILE.xyz|FILE.csv> is missing"]);
    refused("render --boids", 2, &["--boids <COUNT> has no value"]);
    refused("render --boids 1 --boids 2", 2, &["--boids is given twice"]);
    refused("render --force=yes", 2, &["--force takes no value"]);
    refused("render --density 1 --world-size 5", 2, &["cannot be given together with"]);
    for flag in ["target-weight", "target-period", "target-radius"] {
        let says = [&*format!("--{flag} is 2; accepted is nothing: it has no effect without --targets")];
        refused(&format!("render --preset reynolds --{flag} 2"), 2, &says);
    }
    // A setting without effect is refused.
    refused("render --max-speed 3", 2, &["--max-speed is 3; accepted is nothing", "counting-sort"]);
    let uninfluenced =
        "--max-force is 3; accepted is nothing: it has no effect without --leader, --current or --obstacle";
    refused("render --max-force 3", 2, &[uninfluenced]);
    let uninfluenced = "it has no effect without --leader, --current, --targets or --obstacle";
    refused("render --preset bitonic --max-force 3 --points 1,2,3,4,5", 2, &[uninfluenced]);
    refused(
        "render --preset three-radius --turn-rate 3",
        2,
        &["--turn-rate is 3; accepted is nothing", "three-radius"],
    );
    refused("render --preset bitonic --alignment-weight 1", 2, &["--alignment-weight is 1; accepted is nothing"]);
    refused("render --preset reynolds --cursor 1,2,3", 2, &["--cursor is given; accepted is nothing", "reynolds"]);
    let unused = "--wall-weight is 3; accepted is nothing: it has no effect with --walls wrap";
    refused("render --preset reynolds --walls wrap --wall-weight 3", 2, &[unused]);
    // Its last digits depend on how a build rounds a cube root.
    let short =
        ["--world-size (x) is 3.10723", "; accepted is at least 3.5 where walls wrap, twice the largest radius"];
    refused("render --preset reynolds --walls wrap --boids 30", 2, &short);
    let says = "--cohesion-radius is inf; accepted is a number from 0.000001 to 1000000, in world units; or inf, with";
    refused("render --preset reynolds --cohesion-radius inf", 2, &[says]);
    refused("render --kinds a", 2, &["--kinds is 'a'; accepted is NAME:SHARE", "with / between kinds; or none"]);
    refused("render --kinds a:1 --feelings a:b:1,1,1", 2, &["--feelings is 'b'; accepted is one of a"]);
    refused("render --kinds a:1/b:1,hunts=c", 2, &["--kinds (hunts) is 'c'; accepted is one of a, b"]);
    refused("render --color kind", 2, &["--color is 'kind'; accepted is any other: without kinds"]);
    refused("render --noise-form vectorial", 2, &["accepted is nothing: it has no effect without --noise"]);
    refused("render --noise 0.5 --noise-form vectorail", 2, &["(did you mean 'vectorial'?)"]);
    refused("render --noise 7", 2, &["--noise is 7; accepted is a number from 0 to 6.2831855"]);
    refused("render --min-speed 1", 2, &["--min-speed is 1; accepted is nothing: it has no effect, because"]);
    refused("render --nearest 33", 2, &["--nearest is '33'", "a whole number from 0 to 32"]);
    refused("render --view-angle 190", 2, &["--view-angle is 190; accepted is a number from 0 to 180, in degrees"]);
    let fastest = "--min-speed is 5; accepted is at most 4, the max_speed";
    refused("render --preset reynolds --min-speed 5", 2, &[fastest]);
    for (flag, value) in [("--leader-weight", "2"), ("--current-weight", "2"), ("--heed", "0.5")] {
        let nobody = format!(
            "{flag} is {value}; accepted is nothing: it has no effect without --leader, --current or --targets"
        );
        refused(&format!("render --preset reynolds {flag} {value}"), 2, &[&nobody]);
    }
    let few = "--leader is 5; accepted is a boid's number from 0 to 4";
    refused("render --preset reynolds --boids 5 --leader 5", 2, &[few]);
    refused("render --preset reynolds --leader -1", 2, &["--leader is '-1'; accepted is a whole number from 0"]);
    refused("render --preset reynolds --current 1,2", 2, &["--current is '1,2'; accepted is three numbers"]);
    refused("render --preset reynolds --current 1,inf,2", 2, &["--current is inf; accepted is a number from"]);
    refused("render --preset reynolds --leader 1 --heed 1.5", 2, &["--heed is 1.5; accepted is a number from 0 to 1"]);
}

#[cfg(unix)]
#[test]
fn environment_variables_that_cannot_be_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |arguments: &[&str], name: &str, value: &str, accepted: &str| {
        let mut command = starlings(folder.path(), arguments);
        let output = command.env("DISPLAY", ":4321").env(name, value).output().expect("the program starts");
        assert_refused(&output, 2, &[&format!("{name} is '{value}'; accepted is {accepted}")], name);
    };
    // Not so many that this test would stop the machine if they were started.
    let threads = "a whole number from 1 to ";
    refused(&["view"], "RAYON_NUM_THREADS", "9000", threads);
    refused(&["simulate", "--engine", "cpu", "--export", "a.npz"], "RAYON_NUM_THREADS", "9000", threads);
    if cfg!(target_os = "linux") {
        refused(&["view"], "XAUTHORITY", "/dev/zero", "a regular file");
        for value in ["x", "nan", "0", "1e9"] {
            refused(&["view"], "WINIT_X11_SCALE_FACTOR", value, "a number from 0.1 to 20, or randr");
        }
    }
    assert!(names(folder.path()).is_empty());
}

#[test]
fn an_argument_that_is_not_text() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().expect("a folder");
    let value = std::ffi::OsStr::from_bytes(b"\xff");
    let output = starlings(folder.path(), &["render".as_ref(), "--boids".as_ref(), value]).output().expect("it starts");
    assert_refused(&output, 2, &["UTF-8"], "a byte that is no text");
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
    if crate::common::device().is_none() {
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
fn more_than_the_device_holds() {
    let Some(device) = crate::common::device() else { return };
    let name = device.info().name.clone();
    for command in COMMANDS {
        let line = format!("{command} --boids 1e12");
        let parts = ["1000000000000 boids do not fit on ", &name, "the largest count that does is "];
        refused(&line, 3, &parts);
    }
    // Longer than a descriptor reaches: the default search and its pictures work by address, but other searches, order
    // parameters, and pictures of a flock that the CPU steps do not.
    let boids = device.info().max_storage_range / 16 + 1;
    if device.info().device_addresses && 100 * boids < device.info().memory {
        let parts = [&format!("{boids} boids in a picture do not fit on "), &name, "the largest count that does is "];
        refused(&format!("render --engine cpu --boids {boids}"), 3, &parts);
        let search = SEARCHES.iter().find(|info| !info.by_address).expect("one that goes by descriptors only").name;
        let said = format!("{boids} boids with search {search} do not fit on ");
        let parts = [said.as_str(), &name, "the largest count that does is "];
        refused(&format!("simulate --export a.npz --search {search} --boids {boids}"), 3, &parts);
    }
    refused("render --size 100000x100000", 2, &["--size is 100000x100000", "each from 1 to ", &name]);
    refused("render --gpu nonsense", 2, &["--gpu is 'nonsense'", "accepted is an index, a name or a UUID of: ", &name]);
    refused("render --gpu -1", 2, &["--gpu is '-1'"]);
    let folder = tempfile::tempdir().expect("a folder");
    for gpu in ["", " ", ".", ","] {
        let output = starlings(folder.path(), &["render", "--gpu", gpu]).output().expect("the program starts");
        assert_refused(&output, 2, &[&format!("--gpu is '{gpu}'; accepted is an index")], gpu);
    }
}

/// Whatever is given, the line is short and moves no cursor.
#[test]
fn odd_values_are_escaped_and_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    let long = "9".repeat(100_000);
    for (arguments, says) in [
        (["render", "--boids", "1\u{1b}[2J"], "--boids is '1\\u{1b}[2J'; accepted is a whole number"),
        (["render", "--boids", &long], &format!("--boids is '{}… (100000 bytes)'; accepted is", &long[..60])),
        (["render", "--walls", &long], &format!("--walls is '{}… (100000 bytes)'; accepted is", &long[..60])),
        (["render", "--gpu", &long], &format!("--gpu is '{}… (100000 bytes)'; accepted is", &long[..60])),
        (["render", &format!("--{long}"), "1"], &format!("'--{}… (100002 bytes)' is not known here", &long[..58])),
    ] {
        let output = starlings(folder.path(), &arguments).output().expect("the program starts");
        assert_refused(&output, 2, &[says], arguments[1]);
        assert!(!output.stderr.contains(&0x1b) && output.stderr.len() < 1_000, "{}", text(&output.stderr));
    }
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        let not_text = std::ffi::OsStr::from_bytes(b"rey\xffnolds");
        let arguments = [std::ffi::OsStr::new("render"), std::ffi::OsStr::new("--preset"), not_text];
        let output = starlings(folder.path(), &arguments).output().expect("the program starts");
        assert_refused(&output, 2, &["the argument 'rey\u{fffd}nolds' is not valid UTF-8"], "not UTF-8");
    }
}

#[test]
fn a_value_that_is_a_command_is_a_value() {
    refused("--preset bench", 2, &["--preset is 'bench'; accepted is one of counting-sort"]);
    refused("-v --preset bench", 2, &["--preset is 'bench'; accepted is one of counting-sort"]);
}
