//! Any single signal ends any command within a second, whatever it waits for.
#![cfg(target_os = "linux")]

use super::files::signal;
use super::{names, run, text};
use crate::common::with_default_signals;
use rayon::prelude::*;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// From a signal to the end.
const PROMPT: Duration = Duration::from_secs(1);

/// Commands that go on for long, and what an interrupted one may leave.
const COMMANDS: [(&str, &[&str]); 10] = [
    ("simulate --engine cpu --boids 20000 --steps 4e9 --every 1e6 --export a.npz", &["a.npz"]),
    // A step takes long.
    ("simulate --engine cpu-serial --search all-pairs --boids 300000 --export a.npz", &["a.npz"]),
    ("simulate --boids 20000 --steps 4e9 --every 1e6 --stats a.csv --export a.npz", &["a.csv", "a.npz"]),
    ("simulate --engine cpu --boids 20 --steps 1 --export a.npz --obstacle mesh:0,0,0,3,0,same.obj", &["a.npz"]),
    ("simulate --boids 20 --steps 1 --export a.npz --obstacle mesh:0,0,0,3,0,same.obj", &["a.npz"]),
    ("render --boids 500 --size 32x32 --frames 4e9 --out a/b/frames/", &["a"]),
    ("render --boids 500 --size 640x480 --frames 4e9 --out a.mp4", &[]),
    ("bench --boids 20000 --repeats 4096", &[]),
    ("sync prove", &[]),
    ("view --headless --boids 500 --size 64x64", &[]),
];

/// More of them, for the long test.
const MORE: [(&str, &[&str]); 4] = [
    ("simulate --engine cpu --boids 20 --steps 1 --export a.npz --obstacle mesh:0,0,0,3,0,star.obj", &["a.npz"]),
    ("sweep --engine cpu-serial --boids 3000 --warm-up 1000000000 --vary noise=0,1 --out a.csv", &["a.csv"]),
    ("bake sheet.obj --out a.npz", &["a.npz", "a.preview.png"]),
    ("stats walk.csv --radius 5 --out a.csv", &["a.csv"]),
];

/// In a new folder: a mesh of the same triangles, and a program `ffmpeg` that takes no frame.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\n".to_owned() + &"f 1 2 3\n".repeat(60_000);
    fs::write(folder.path().join("same.obj"), mesh).expect("room");
    let program = folder.path().join("ffmpeg");
    fs::write(&program, "#!/bin/sh\nexec sleep 100\n").expect("room");
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).expect("our own file");
    folder
}

/// The inputs of [`MORE`], made once: triangles that are all near each sample of their volume, a sheet of as many
/// vertices as a model may have, and a trajectory.
fn inputs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let corner = |k: u32, turn: u32| {
        let [x, y, z] = [1, 2, 3].map(|axis| (f64::from(k.wrapping_mul(axis * 7919 + turn) % 1000) / 500.0) - 1.0);
        let length = x.hypot(y).hypot(z).max(0.1);
        format!("v {} {} {}\n", x / length, y / length, z / length)
    };
    let mut star: String = (0..9_000).map(|k| corner(k, k % 3)).collect();
    star.extend((0..3_000).map(|k| format!("f {} {} {}\n", 3 * k + 1, 3 * k + 2, 3 * k + 3)));
    let edge = 250;
    let place = |x: u32, y: u32| format!("v {x} {} {y}\n", (x * y) % 7);
    let mut sheet: String = (0..edge).flat_map(|y| (0..edge).map(move |x| place(x, y))).collect();
    let squares = (1..edge).flat_map(|y| (1..edge).map(move |x| (y - 1) * edge + x));
    sheet.extend(squares.map(|at| format!("f {at} {} {} {}\n", at + 1, at + edge + 1, at + edge)));
    let boid = |k: u32| format!("{},{},{},{},{}\n", k / 20_000, k % 20_000, k % 97, k % 89, k % 83);
    let walk = (0..60_000).map(boid).fold("frame,id,x,y,z\n".to_owned(), |all, line| all + &line);
    for (name, text) in [("star.obj", star), ("sheet.obj", sheet), ("walk.csv", walk)] {
        fs::write(folder.path().join(name), text).expect("room");
    }
    folder
}

fn begin(folder: &Path, line: &str, variables: &[(&str, &str)]) -> Child {
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
    let mut command = with_default_signals();
    command.arg(env!("CARGO_BIN_EXE_starlings")).args(line.split(' ')).current_dir(folder).env("PATH", path);
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").envs(variables.iter().copied());
    // A pipe that nobody reads would be waited for.
    let [out, err] = ["out", "err"].map(|name| fs::File::create(folder.join(name)).expect("room"));
    command.stdin(Stdio::null()).stdout(out).stderr(err).spawn().expect("it starts")
}

/// Sends `name` to a command after `after`, unless it has ended. Returns how long it then took, and its end.
///
/// It has ended when no thread of it runs code any more. The system then frees its memory in the thread that leaves
/// last: Mesa's, of the lowest priority, which on a busy machine may have to wait for many seconds.
fn end(mut child: Child, folder: &Path, name: &str, after: Duration) -> (Duration, Output) {
    let begun = Instant::now();
    while begun.elapsed() < after && child.try_wait().expect("it can be asked").is_none() {
        sleep(Duration::from_millis(2));
    }
    if child.try_wait().expect("it can be asked").is_none() {
        signal(&child, name);
    }
    let begun = Instant::now();
    while !has_left(child.id()) {
        sleep(Duration::from_millis(2));
    }
    let took = begun.elapsed();
    let status = child.wait().expect("it ends");
    let [stdout, stderr] = ["out", "err"].map(|name| fs::read(folder.join(name)).expect("a file"));
    (took, Output { status, stdout, stderr })
}

/// Whether the main thread of a process is gone, as it is only after `exit_group`, or nobody waits for it any more.
fn has_left(process: u32) -> bool {
    let Ok(status) = fs::read_to_string(format!("/proc/{process}/stat")) else { return true };
    // After the name, which may contain anything.
    status.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'))
}

/// One signal after `after`, where `inputs` lie.
fn check((line, may_leave): (&str, &[&str]), inputs: Option<&Path>, name: &str, after: Duration) -> Duration {
    let folder = folder();
    let given = inputs.iter().flat_map(|inputs| fs::read_dir(inputs).expect("a folder"));
    for input in given.map(|entry| entry.expect("an entry")) {
        std::os::unix::fs::symlink(input.path(), folder.path().join(input.file_name())).expect("room");
    }
    let (took, output) = end(begin(folder.path(), line, &[]), folder.path(), name, after);
    let what = format!("{line}, {name} after {after:?}: {}, {took:?}\n{}", output.status, text(&output.stderr));
    assert!(took < PROMPT, "{what}");
    // Without a status it had not begun to handle signals.
    assert!(matches!(output.status.code(), Some(130 | 0) | None), "{what}");
    if output.status.code() == Some(130) {
        assert!(text(&output.stderr).ends_with("starlings: interrupted\n"), "{what}");
    }
    for left in names(folder.path()) {
        let ours = ["same.obj", "ffmpeg", "out", "err", "star.obj", "sheet.obj", "walk.csv"].contains(&left.as_str());
        assert!(ours || may_leave.contains(&left.as_str()), "{what} left {left}");
    }
    if folder.path().join("a.npz").exists() {
        assert!(zip::ZipArchive::new(fs::File::open(folder.path().join("a.npz")).expect("a file")).is_ok(), "{what}");
    }
    took
}

#[test]
fn one_signal_ends_any_command_at_once() {
    let Some(_) = crate::common::device() else { return };
    for (number, command) in COMMANDS.into_iter().enumerate() {
        check(command, None, ["TERM", "INT", "HUP"][number % 3], Duration::from_millis(600));
    }
}

/// Prints how long the ends took, in steps of a tenth of a second. Each command has two processors.
#[test]
#[ignore = "long: takes minutes"]
fn one_signal_ends_any_command_at_any_moment() {
    let Some(_) = crate::common::device() else { return };
    let inputs = inputs();
    let commands: Vec<(&str, &[&str])> = COMMANDS.into_iter().chain(MORE).collect();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads((processors / 2).max(1)).build().expect("threads");
    pool.install(|| {
        commands.into_par_iter().enumerate().for_each(|(number, command)| {
            let (mut random, mut histogram) = (54 + number as u64, [0; 10]);
            for round in 0..50 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                // From the start of the process on.
                let after = Duration::from_millis((random >> 33) % 3_000);
                let took = check(command, Some(inputs.path()), ["TERM", "INT", "HUP"][round % 3], after);
                histogram[(took.as_millis() / 100) as usize] += 1;
            }
            println!("{histogram:?} {}", command.0);
        });
    });
}

/// It accepts connections, and says nothing.
#[test]
fn a_silent_x_server_is_not_waited_for() {
    let listener = (60..200).find_map(|display| {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 6_000 + display)).ok()?;
        Some((listener, format!("127.0.0.1:{display}")))
    });
    let Some((_listener, display)) = listener else {
        return eprintln!("SKIPPED, nothing was tested: no port is free");
    };
    let folder = folder();
    let child = begin(folder.path(), "view --boids 20 --frames 1", &[("DISPLAY", &display)]);
    let (took, output) = end(child, folder.path(), "TERM", Duration::from_millis(800));
    let said = text(&output.stderr);
    assert!(took < PROMPT && said == "starlings: interrupted\n", "{took:?}: {said}");
    assert_eq!(output.status.code(), Some(130));
    if crate::common::device().is_some() {
        let child = begin(folder.path(), "view --boids 20 --frames 1 --size 16x16", &[("DISPLAY", &display)]);
        let (_, output) = end(child, folder.path(), "TERM", Duration::from_secs(20));
        let said = text(&output.stderr);
        assert!(
            said.contains(&format!("no display: the X server {display} does not answer; drawing a picture")),
            "{said}"
        );
        assert_eq!(output.status.code(), Some(0), "{said}");
    }
}

#[test]
fn an_ffmpeg_that_writes_nothing_is_an_error() {
    let Some(_) = crate::common::device() else { return };
    let folder = folder();
    fs::write(folder.path().join("ffmpeg"), "#!/bin/sh\ncat >/dev/null\n").expect("room");
    let child = begin(folder.path(), "render --boids 5 --frames 2 --size 16x16 --out a.mp4", &[]);
    let (_, output) = end(child, folder.path(), "TERM", Duration::from_secs(60));
    assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
    let said = text(&output.stderr);
    assert_eq!(said, "starlings: cannot write a.mp4: ffmpeg: it has written nothing\n");
    assert_eq!(names(folder.path()), ["err", "ffmpeg", "out", "same.obj"]);
}

#[test]
fn a_stack_that_is_too_small_is_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(run(folder.path(), "presets").status.success());
    let script = format!("ulimit -s 64; exec {} presets", env!("CARGO_BIN_EXE_starlings"));
    let output = std::process::Command::new("sh").args(["-c", &script]).output().expect("a shell");
    super::assert_refused(&output, 3, &["the limit of the stack (`ulimit -s`) is 64 KiB; accepted is"], "ulimit -s 64");
}
