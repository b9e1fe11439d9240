//! Videos. The tests bring a program `ffmpeg` of their own, so that they need none.
#![cfg(unix)]

use super::files::{signal, started};
use super::{assert_refused, names, pixels, refused, run, starlings, text};
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Output, Stdio};

/// A program `ffmpeg` that runs `script`, in a folder `bin` of `folder`. Returns the PATH on which it is found.
fn ffmpeg(folder: &Path, script: &str) -> String {
    let bin = folder.join("bin");
    fs::create_dir_all(&bin).expect("room");
    let program = bin.join("ffmpeg");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("room");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("our own file");
    format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default())
}

fn run_with(folder: &Path, path: &str, line: &str) -> Output {
    let arguments: Vec<&str> = line.split_whitespace().collect();
    starlings(folder, &arguments).env("PATH", path).output().expect("the program starts")
}

const FLOCK: &str = "render --preset reynolds --boids 200 --size 64x36 --frames 3";

#[test]
fn ffmpeg_gets_every_frame_and_names_nothing() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    // It writes its arguments beside itself, and the frames as they are where the video goes.
    let path = ffmpeg(folder.path(), "printf '%s\\n' \"$@\" > \"$(dirname \"$0\")/said\"; exec cat > /dev/stdout");
    run(folder.path(), &format!("{FLOCK} --out frames"));
    let frames: Vec<u8> =
        (1..=3).flat_map(|frame| pixels(&folder.path().join(format!("frames/frame_00000{frame}.png")))).collect();
    for (name, codec) in [("a.mp4", "libx264"), ("a.webm", "libvpx-vp9"), ("a.GIF", "gif")] {
        let output = run_with(folder.path(), &path, &format!("{FLOCK} --out {name}"));
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""), "{name}");
        let says = format!("{name}: 3 frames, 64x36, 200 boids of reynolds, in ");
        assert!(text(&output.stdout).starts_with(&says), "{}", text(&output.stdout));
        let raw = fs::read(folder.path().join(name)).expect("a video");
        // Behind the frames there may be what it remembers.
        let rgb: Vec<u8> = raw.chunks_exact(4).take(frames.len() / 3).flat_map(|pixel| pixel[..3].to_vec()).collect();
        assert!(rgb == frames, "{name}: {} bytes of other frames", raw.len());
        let arguments = fs::read_to_string(folder.path().join("bin/said")).expect("its arguments");
        let arguments: Vec<&str> = arguments.lines().collect();
        for pair in [["-video_size", "64x36"], ["-framerate", "60/1"], ["-pixel_format", "rgb0"], ["-i", "pipe:0"]] {
            assert!(arguments.windows(2).any(|window| window == pair), "{name}: no {pair:?} in {arguments:?}");
        }
        assert!(arguments.contains(&codec) && arguments.last() == Some(&"/dev/stdout"), "{name}: {arguments:?}");
    }
    let line = format!("{FLOCK} --time-step 1/25 --out a.mp4 --force");
    assert!(run_with(folder.path(), &path, &line).status.success());
    assert!(fs::read_to_string(folder.path().join("bin/said")).expect("its arguments").contains("\n25/1\n"));
    assert_refused(
        &run_with(folder.path(), &path, &format!("{FLOCK} --out a.mp4")),
        4,
        &["already there; --force"],
        "kept",
    );
}

#[test]
fn what_ffmpeg_complains_of_is_one_line_and_no_file() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    for (script, says) in [
        ("echo 'Unknown encoder' >&2; echo more >&2; exit 1", "cannot write a.mp4: ffmpeg: Unknown encoder"),
        (
            "cat > /dev/stdout; printf 'No space\\033[2J left\\n' >&2; exit 1",
            "cannot write a.mp4: ffmpeg: No space\\u{1b}[2J left",
        ),
        ("cat > /dev/stdout; exit 3", "cannot write a.mp4: ffmpeg: it has ended early, without a word"),
        ("kill -9 $$", "cannot write a.mp4: ffmpeg: it has ended early, without a word"),
    ] {
        let path = ffmpeg(folder.path(), script);
        // More than a pipe holds.
        let line = "render --boids 50 --size 128x128 --frames 4 --out a.mp4";
        assert_refused(&run_with(folder.path(), &path, line), 4, &[says], script);
        assert_eq!(names(folder.path()), ["bin"], "{script}");
    }
}

/// No device of that number exists, so what is refused for another reason is refused before the work.
#[test]
fn videos_that_cannot_be_made_are_refused_before_the_work() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["a.mp4", "a.webm"] {
        let says = "--size is 65x36; accepted is an even width and an even height";
        refused(&format!("render --gpu 999 --size 65x36 --out {name}"), 2, &[says]);
    }
    refused("render --gpu 999 --near --out a.y4m", 2, &["--near is given with a video; accepted is a single picture"]);
    refused("render --gpu 999 --out no/such/a.y4m", 4, &["cannot write no/such/a.y4m: there is no folder"]);
    refused("render --gpu 999 --out --force", 2, &["--out is '--force'", "with ./ before a name that begins with -"]);
    refused("render --gpu 999 --out a.avi", 2, &["--out is 'a.avi'", "ending in .png, .mp4, .webm, .gif or .y4m"]);
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn a_y4m_needs_no_other_program() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let line = "render --preset reynolds --boids 200 --size 65x37 --frames 3 --out a.y4m";
    let output = run_with(folder.path(), "/nonexistent", line);
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
    let bytes = fs::read(folder.path().join("a.y4m")).expect("a video");
    let header = b"YUV4MPEG2 W65 H37 F60:1 Ip A1:1 C444 XCOLORRANGE=LIMITED\n";
    assert!(bytes.starts_with(header));
    assert_eq!(bytes.len(), header.len() + 3 * ("FRAME\n".len() + 3 * 65 * 37));
}

/// What reads it can show each frame when it is drawn, or end early.
#[test]
fn a_video_to_standard_output_is_a_y4m() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    run(folder.path(), &format!("{FLOCK} --out a.y4m"));
    let output = run(folder.path(), &format!("{FLOCK} --out -.y4m"));
    assert!(output.stdout == fs::read(folder.path().join("a.y4m")).expect("a video"), "{} bytes", output.stdout.len());
    let says = "standard output: 3 frames, 64x36, 200 boids of reynolds, in ";
    assert!(text(&output.stderr).contains(says), "{}", text(&output.stderr));
    assert_eq!(names(folder.path()), ["a.y4m"]);

    let line = "render --boids 50 --size 128x128 --frames 100 --out -.y4m";
    let arguments: Vec<&str> = line.split_whitespace().collect();
    let piped = starlings(folder.path(), &arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = piped.expect("the program starts");
    let mut header = [0; 24];
    child.stdout.take().expect("it was piped").read_exact(&mut header).expect("the first frame");
    assert_eq!(&header, b"YUV4MPEG2 W128 H128 F60:");
    let ended = child.wait_with_output().expect("it ends");
    assert_refused(&ended, 4, &["cannot write standard output: the program that reads it has ended"], line);
}

#[test]
fn without_ffmpeg_other_formats_become_a_y4m() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let flock = "render --preset reynolds --boids 200 --size 64x36 --frames 3";
    let output = run_with(folder.path(), "/nonexistent", &format!("{flock} --out plain.y4m"));
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
    let plain = fs::read(folder.path().join("plain.y4m")).expect("a video");
    for name in ["a.mp4", "b.webm", "c.gif"] {
        let output = run_with(folder.path(), "/nonexistent", &format!("{flock} --out {name}"));
        let path = Path::new(name).with_extension("y4m");
        let said = format!("starlings: {} instead of {name}: there is no program ffmpeg on PATH\n", path.display());
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), said), "{name}");
        assert!(text(&output.stdout).starts_with(&format!("{}: 3 frames, ", path.display())), "{name}");
        assert!(fs::read(folder.path().join(&path)).expect("a video") == plain, "{name}: another video");
    }
    assert_eq!(names(folder.path()), ["a.y4m", "b.y4m", "c.y4m", "plain.y4m"]);
    // Nothing is overwritten unasked.
    let output = run_with(folder.path(), "/nonexistent", &format!("{flock} --out a.webm"));
    assert_refused(&output, 4, &["a.y4m", "already there; --force"], "kept");
}

#[test]
fn an_interrupted_video_leaves_no_file_and_no_ffmpeg() {
    let Some(_) = crate::common::device() else { return };
    for name in ["a.mp4", "a.y4m"] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = ffmpeg(folder.path(), "echo $$ > \"$(dirname \"$0\")/pid\"; exec cat > /dev/stdout");
        let before = format!("PATH={path}; export PATH;");
        let line = format!("render --boids 500 --size 32x32 --frames 4e9 --out {name}");
        let child = started(folder.path(), &before, &line);
        signal(&child, "INT");
        let output = child.wait_with_output().expect("the program ends");
        assert_eq!(output.status.code(), Some(130), "{}: {}", output.status, text(&output.stderr));
        assert!(text(&output.stderr).ends_with("starlings: interrupted\n"), "{}", text(&output.stderr));
        assert_eq!(names(folder.path()), ["bin"], "{name}");
        if let Ok(pid) = fs::read_to_string(folder.path().join("bin/pid")) {
            assert!(!Path::new(&format!("/proc/{}", pid.trim())).exists(), "{name}: ffmpeg goes on");
        }
    }
}
