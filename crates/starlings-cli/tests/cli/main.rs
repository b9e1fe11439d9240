//! The command line from outside: refusals, output and files.

mod bake;
mod bench;
mod camera;
mod checkpoints;
#[path = "../common/mod.rs"]
mod common;
mod config;
mod engine;
mod files;
mod flights;
mod from;
mod limits;
mod look;
mod machine;
mod meshes;
mod refusals;
mod runs;
mod sandbox;
mod signals;
mod states;
mod stats;
mod sweep;
mod trajectories;
mod video;
mod weights;

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The program in `folder`, with no display and its own cache.
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

/// The red, green and blue bytes of a PNG.
fn pixels(path: &Path) -> Vec<u8> {
    let file = std::io::BufReader::new(fs::File::open(path).expect("a picture"));
    let mut reader = png::Decoder::new(file).read_info().expect("a PNG");
    let mut bytes = vec![0; reader.output_buffer_size().expect("it is small")];
    reader.next_frame(&mut bytes).expect("all of it");
    bytes
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
    assert_eq!(output.status.code(), Some(status), "{what}: {}: {stderr}", output.status);
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
