//! `--sandbox`: the same results, and nothing else is touched. What it denies is tested in `src/sandbox.rs`.
#![cfg(target_os = "linux")]

use super::{assert_refused, names, refused, run, starlings, text};
use std::fs;
use std::path::Path;

/// Whether this system has one; with a message if not.
fn there_is_one() -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    let output = run(folder.path(), "presets --sandbox");
    let said = text(&output.stderr);
    if output.status.success() {
        return true;
    }
    assert_refused(&output, 3, &["no sandbox, so nothing was done: "], "presets");
    eprintln!("SKIPPED, nothing was tested: {said}");
    false
}

#[test]
fn what_is_computed_in_a_sandbox_is_the_same() {
    if !there_is_one() {
        return;
    }
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut lines = vec![
        ("simulate --engine cpu --boids 50 --steps 20 --config in/a.toml --export a.npz --stats b/b.csv", "a.npz"),
        ("bake in/skin.glb --out a.npz", "a.npz"),
        ("sweep --engine cpu --boids 20 --warm-up 2 --samples 2 --vary noise=0,1 --out a.csv --plot b.svg", "a.csv"),
        ("stats in/own.csv --radius 5 --out a.csv", "a.csv"),
    ];
    if crate::common::device().is_some() {
        lines.push((
            "render --boids 50 --frames 3 --size 64x48 --obstacle mesh:0,0,0,3,0,in/cube.obj --out a.png",
            "a.png",
        ));
        lines.push(("render --boids 50 --frames 3 --size 64x48 --out b/new/a.y4m --from in/a.toml", "b/new/a.y4m"));
    }
    for (line, file) in lines {
        let written = ["", " --sandbox"].map(|sandbox| {
            let folder = tempfile::tempdir().expect("a folder");
            for name in ["b/new", "in"] {
                fs::create_dir_all(folder.path().join(name)).expect("room");
            }
            for (from, to) in [
                ("config/reynolds.toml", "a.toml"),
                ("model/skin.glb", "skin.glb"),
                ("obj/cube.obj", "cube.obj"),
                ("table/own.csv", "own.csv"),
            ] {
                fs::copy(corpus.join(from), folder.path().join("in").join(to)).expect("room");
            }
            let line = format!("{line}{sandbox}");
            let mut program = starlings(folder.path(), &line.split_whitespace().collect::<Vec<_>>());
            // Which a sandbox lets the driver use, because it is given by name.
            program.env("MESA_SHADER_CACHE_DIR", env!("CARGO_TARGET_TMPDIR"));
            let output = program.output().expect("the program starts");
            assert!(output.status.success(), "{line}: {}", text(&output.stderr));
            fs::read(folder.path().join(file)).expect("a file")
        });
        assert!(written[0] == written[1], "{line}");
    }
    let printed = ["config reynolds --boids 77", "config reynolds --boids 77 --sandbox"].map(|line| {
        let output = run(&std::env::temp_dir(), line);
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    });
    assert_eq!(printed[0], printed[1]);
}

/// A file from elsewhere may name others.
#[test]
fn what_only_a_file_names_is_not_opened_in_a_sandbox() {
    if !there_is_one() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("secret")).expect("room");
    let cube = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/obj/cube.obj");
    fs::copy(cube, folder.path().join("secret/cube.obj")).expect("room");
    fs::write(folder.path().join("in.toml"), "obstacle = \"mesh:0,0,0,3,0,secret/cube.obj\"\n").expect("room");
    let line = "simulate --engine cpu --boids 20 --steps 1 --config in.toml --hash";
    assert!(run(folder.path(), line).status.success());
    assert_refused(&run(folder.path(), &format!("{line} --sandbox")), 2, &["secret/cube.obj: Permission denied"], line);
    assert_eq!(names(folder.path()), ["in.toml", "secret"]);
}

#[test]
fn what_cannot_be_in_a_sandbox_is_refused() {
    refused("view --sandbox", 2, &["--sandbox is given with view; accepted is one of render, simulate"]);
    refused("doctor --sandbox", 2, &["--sandbox is given with doctor"]);
    refused("render --out a.mp4 --sandbox", 2, &["--sandbox is given with --out 'a.mp4'", "ffmpeg is another program"]);
    refused("simulate --sandbox --export a.npz --capture 1", 2, &["--sandbox is given with --capture"]);
}
