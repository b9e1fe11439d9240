//! Config files: printed files can be read again, and errors are reported with line and column.

use super::{COMMANDS, assert_refused, names, run, text};
use std::fs;

/// Unit tests in `src/cli/config/` cover keys and flags; these tests run the whole program.
#[test]
fn printed_files_can_be_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    for preset in starlings::flock::PRESETS {
        let printed = run(folder.path(), &format!("config {} --boids 5000 --seed 9", preset.name));
        assert_eq!((printed.status.code(), text(&printed.stderr).as_str()), (Some(0), ""), "{}", preset.name);
        fs::write(folder.path().join("a.toml"), &printed.stdout).expect("room");
        let again = run(folder.path(), "config --config a.toml");
        assert_eq!(text(&again.stdout), text(&printed.stdout), "{}", text(&again.stderr));
        assert!(text(&again.stdout).contains("\nboids = 5000\n"), "{}", text(&again.stdout));
    }
    assert_eq!(run(folder.path(), "config").stdout, run(folder.path(), "config counting-sort").stdout);
    // Commands that draw nothing ignore a look, but check it.
    fs::write(folder.path().join("a.toml"), "boids = 50\nlook = 'fish'\ncolor = 'speed'").expect("room");
    if crate::common::device().is_some() {
        let output = run(folder.path(), "simulate --config a.toml --steps 1 --export a.npz");
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
    }
    fs::write(folder.path().join("a.toml"), "look = 'fihs'").expect("room");
    let line = "simulate --config a.toml --export b.npz";
    assert_refused(&run(folder.path(), line), 2, &["a.toml:1:8: look is 'fihs'; accepted is one of bird"], line);
}

#[test]
fn every_command_with_a_flock_takes_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.toml"), "preset = 'reynolds'\nboids = 1e12").expect("room");
    let Some(device) = crate::common::device() else { return };
    for command in COMMANDS.into_iter().chain(["sync break --all"]) {
        let line = format!("{command} --config a.toml");
        let parts = ["1000000000000 boids do not fit on ", &device.info().name];
        assert_refused(&run(folder.path(), &line), 3, &parts, &line);
    }
    let output = run(folder.path(), "render --config a.toml --boids 150 --frames 1 --size 16x16 --out a.png");
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
    assert!(text(&output.stdout).contains("150 boids of reynolds"), "{}", text(&output.stdout));
}

#[test]
fn errors_have_line_and_column() {
    let folder = tempfile::tempdir().expect("a folder");
    for (file, says) in [
        // Keys.
        ("bods = 5", "1:1: there is no key 'bods'; did you mean 'boids'?"),
        ("# é\n  zzz-nonsense-zzz = 5", "2:3: there is no key 'zzz-nonsense-zzz'; `starlings config` prints"),
        ("config = 'b.toml'", "1:1: there is no key 'config'"),
        ("[rules]\nmax-force = 3", "1:2: there is no key 'rules'"),
        ("boids = 5\nseed = 1\nboids = 6", "3:1: the key 'boids' is given twice; accepted is once"),
        ("boids.many = 3", "1:1: boids is a table; accepted is a whole number from 1 to 1073741824"),
        // Types.
        ("boids = \"5000\"", "1:9: boids is \"5000\" (string); accepted is a whole number from 1 to 1073741824"),
        ("boids = [5]", "1:9: boids is [5] (array); accepted is a whole number"),
        ("boids = true", "1:9: boids is true (boolean); accepted is a whole number"),
        ("preset = 3", "1:10: preset is 3; accepted is one of \"counting-sort\""),
        ("max-speed = {}", "1:13: max-speed is a table; accepted is a number"),
        ("seed = 1979-05-27", "1:8: seed is 1979-05-27 (datetime); accepted is a whole number"),
        ("world-center = [1, 2]", "1:16: world-center is [1, 2] (array); accepted is three numbers like [0, -5, 2.5]"),
        ("world-center = 5", "1:16: world-center is 5; accepted is three numbers"),
        ("world-size = [1, '2', 3]", "1:14: world-size is [1, '2', 3] (array); accepted is one number or three"),
        // Values.
        ("boids = 0", "1:9: boids is 0; accepted is a whole number from 1 to 1073741824"),
        ("boids = -1", "1:9: boids is -1; accepted is a whole number"),
        ("boids = 1.5", "1:9: boids is 1.5; accepted is a whole number"),
        ("seed = 18446744073709551616", "1:8: seed is 18446744073709551616; accepted is a whole number"),
        ("density = nan", "1:11: density is nan; accepted is a number above 0"),
        ("density = 0", "1:11: density is 0; accepted is a number above 0"),
        ("density = 1e30", "1:11: density is 1e30; accepted is a number from"),
        ("time-step = inf", "1:13: time-step is inf; accepted is a number from 0.000001 to 1, in seconds"),
        ("\n\nseparation-radius = -2", "3:21: separation-radius is -2; accepted is a number above 0, in world units"),
        ("alignment-radius = nan", "1:20: alignment-radius is NaN; accepted is a number above 0, in world units"),
        ("preset = 'reynods'", "1:10: preset is 'reynods'; accepted is one of counting-sort"),
        ("search = 'all-pair'", "1:10: search is 'all-pair'; accepted is one of quantized-grid"),
        ("targets = 17", "1:11: targets is 17; accepted is a whole number from 0 to 16"),
        // Looks.
        ("look = 3", "1:8: look is 3; accepted is one of \"bird\", \"fish\", \"plane\", \"dart\", \"dot\""),
        ("backdrop = 'night'", "1:12: backdrop is 'night'; accepted is one of dusk, day, water, paper"),
        ("color-range = '2,1'", "1:15: color-range is '2,1'"),
        ("color-range = [1, 2]", "1:15: color-range is "),
        ("color = 'speed'", "1:9: color is 'speed'; accepted is any other: all boids of counting-sort fly at one"),
        ("trail = 61", "1:9: trail is 61; accepted is a number from 0, for none, to 60, in simulated seconds"),
        ("cell = [1, 2]", "1:8: cell is [1, 2] (array); accepted is three whole numbers like [4, 0, 7]"),
        ("boids = 9\ncell = [0, 0, 999]", "2:8: cell is 0,0,999; accepted is X,Y,Z from 0,0,0 to "),
        ("stretch = [1, 5, 1]", "1:11: stretch is [1, 5, 1] (array); accepted is three numbers like [1, 1.5, 1], each"),
        ("world-size = [1e7, 1, 1]", "1:14: world-size (x) is 10000000; accepted is a number from"),
        ("world-center = [0, 0, -inf]", "1:16: world-center (z) is -inf; accepted is a number from -1000000 to"),
        // Settings that cannot be combined, or would have no effect.
        ("density = 1\nworld-size = 5", "2:14: density cannot be given together with world-size"),
        ("max-speed = 3", "1:13: max-speed is 3; accepted is nothing: counting-sort does not read it"),
        ("preset = 'bitonic'\nturn-rate = 3", "2:13: turn-rate is 3; accepted is nothing: bitonic"),
        (
            "cohesion-radius = 2\nalignment-radius = 3",
            "1:19: cohesion-radius is 2; accepted is 3, the separation radius: heading",
        ),
        // Not TOML.
        ("boids = ", "1:9: this is not TOML: "),
        ("boids = 1/60", "1:9: this is not TOML: "),
        ("boids 5", "1:7: this is not TOML: "),
        ("preset = reynolds", "1:10: this is not TOML: "),
        ("boids = 5\nseed = 'open", "2:13: this is not TOML: "),
    ] {
        fs::write(folder.path().join("a.toml"), file).expect("room");
        let line = "render --config a.toml";
        assert_refused(&run(folder.path(), line), 2, &[&format!("starlings: a.toml:{says}")], file);
    }
    assert_eq!(names(folder.path()), ["a.toml"]);
}

#[test]
fn invalid_files() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("folder")).expect("a new folder");
    fs::write(folder.path().join("latin1.toml"), b"# first\npreset = '\xe9'").expect("room");
    fs::write(folder.path().join("long.toml"), "# a line\n".repeat(1 << 21)).expect("room");
    fs::write(folder.path().join("empty.toml"), "").expect("room");
    for (file, says) in [
        (
            "none.toml",
            "--config is 'none.toml'; accepted is a file like the one that `starlings config` prints: No such",
        ),
        (
            "folder",
            "--config is 'folder'; accepted is a file like the one that `starlings config` prints: this is a folder",
        ),
        ("long.toml", "--config is 'long.toml'; accepted is a file like the one"),
        ("latin1.toml", "latin1.toml:2:11: this is not UTF-8"),
    ] {
        for command in COMMANDS {
            let line = format!("{command} --config {file}");
            assert_refused(&run(folder.path(), &line), 2, &[says], &line);
        }
    }
    assert_eq!(run(folder.path(), "config --config empty.toml").stdout, run(folder.path(), "config").stdout);
    for (line, says) in [
        ("config reynods", "PRESET is 'reynods'; accepted is one of counting-sort"),
        ("config reynolds --preset reynolds", "cannot be given together with"),
        ("config --boids 1e12", "--boids is 1000000000000; accepted is a whole number from 1 to 1073741824"),
        ("config --config", "--config <FILE.toml> has no value"),
        ("bench --state U --config empty.toml", "cannot be given together with"),
    ] {
        assert_refused(&run(folder.path(), line), 2, &[says], line);
    }
    assert_eq!(names(folder.path()), ["empty.toml", "folder", "latin1.toml", "long.toml"]);
}
