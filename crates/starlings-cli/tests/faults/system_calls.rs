//! System calls fail, one at a time, by `strace`: whatever fails, no half-written file is left, and the program says
//! what it was in one line. Files that are left are as an undisturbed run writes them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;

/// A run, and the files that it writes.
struct Run {
    line: &'static str,
    files: &'static [&'static str],
    /// Whether a Vulkan driver is part of it, whose own end without memory or threads is not this program's.
    by_driver: bool,
}

const RUNS: [Run; 4] = [
    Run {
        line: "render --boids 20 --frames 2 --size 32x24 --from in.toml --out a.png",
        files: &["a.png"],
        by_driver: true,
    },
    Run {
        line: "simulate --engine cpu --boids 50 --steps 20 --every 10 --config in.toml --export a.npz --stats b.csv",
        files: &["a.npz", "b.csv"],
        by_driver: false,
    },
    Run { line: "bake in.obj --out a.npz", files: &["a.npz", "a.preview.png"], by_driver: false },
    Run { line: "config --config in.toml", files: &[], by_driver: false },
];

/// Calls, and what they fail with.
const CALLS: [(&str, &[&str]); 18] = [
    ("openat", &["EIO", "EMFILE"]),
    ("read", &["EIO"]),
    ("pread64", &["EIO"]),
    ("lseek", &["EIO"]),
    ("write", &["ENOSPC", "EIO"]),
    ("fstat", &["EIO"]),
    ("statx", &["EIO"]),
    ("ftruncate", &["ENOSPC"]),
    ("fsync", &["EIO"]),
    ("linkat", &["EIO", "EPERM"]),
    ("rename", &["EIO"]),
    ("unlink", &["EIO"]),
    ("copy_file_range", &["EIO"]),
    ("readlink", &["EIO"]),
    ("memfd_create", &["EMFILE"]),
    ("mmap", &["ENOMEM"]),
    ("mprotect", &["ENOMEM"]),
    ("clone3", &["EAGAIN"]),
];

/// Of each call, so many fail at most, evenly chosen.
const MOST: usize = 24;

/// The first call of this program's own: those before are of the dynamic linker.
const FIRST: &str = "rt_sigaction(SIGXFSZ";

/// A folder with the inputs.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    fs::copy(corpus.join("obj/cube.obj"), folder.path().join("in.obj")).expect("room");
    fs::copy(corpus.join("config/reynolds.toml"), folder.path().join("in.toml")).expect("room");
    folder
}

/// Runs `line` under `strace` with these arguments, and ends it after two minutes: Mesa's software driver waits forever
/// for a thread that it could not start.
fn traced(folder: &Path, cache: &Path, arguments: &[String], line: &str) -> std::io::Result<Output> {
    let mut command = Command::new("timeout");
    command.args(["120", "strace", "-f", "-qq", "--seccomp-bpf", "-o", "trace"]).args(arguments);
    command.arg(env!("CARGO_BIN_EXE_starlings")).args(line.split(' ')).current_dir(folder).stdin(Stdio::null());
    command.env("XDG_CACHE_HOME", cache).env("RAYON_NUM_THREADS", "2");
    let output = command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output()?;
    // It has not found the program.
    if output.status.code() == Some(127) { Err(std::io::ErrorKind::NotFound.into()) } else { Ok(output) }
}

/// The files in `folder` but the inputs and the trace.
fn left(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let all = entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()));
    let own = all.filter(|(name, _)| !["in.obj", "in.toml", "trace"].contains(&name.as_str()));
    own.map(|(name, path)| (name, fs::read(path).expect("a file"))).collect()
}

/// How often each of [`CALLS`] is made by one thread at most, without those of the dynamic linker, whose count comes
/// first.
fn counts(trace: &str) -> BTreeMap<&'static str, (usize, usize)> {
    let own = trace.lines().position(|line| line.contains(FIRST)).expect("the program's first call");
    let mut counts = BTreeMap::new();
    for (call, _) in CALLS {
        let mut by_thread: BTreeMap<&str, usize> = BTreeMap::new();
        let mut before = 0;
        for (number, line) in trace.lines().enumerate() {
            let Some((thread, rest)) = line.split_once(' ') else { continue };
            if rest.trim_start().strip_prefix(call).is_some_and(|rest| rest.starts_with('(')) {
                *by_thread.entry(thread).or_default() += 1;
                before += usize::from(number < own);
            }
        }
        let most = by_thread.into_values().max().unwrap_or(0);
        counts.insert(call, (before, most));
    }
    counts
}

/// What is wrong with how a run ended, if anything.
fn complaint(
    run: &Run,
    call: &str,
    output: &Output,
    left: &BTreeMap<String, Vec<u8>>,
    whole: &BTreeMap<String, Vec<u8>>,
) -> Option<String> {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let complain = |what: &str| Some(format!("{what}: {}, left {:?}\n{stderr}", output.status, left.keys()));
    if let Some((name, _)) = left.iter().find(|(name, bytes)| whole.get(*name) != Some(bytes)) {
        return complain(&format!("{name} is not as it should be"));
    }
    if output.status.success() {
        return if left.len() == whole.len() { None } else { complain("a file is missing") };
    }
    if run.by_driver && ["mmap", "mprotect", "clone3", "ftruncate"].contains(&call) {
        return None;
    }
    if stderr.contains("panicked") || stderr.contains("defect") {
        return complain("a panic");
    }
    match output.status.code() {
        None => complain("it was killed"),
        Some(1..=4) if stderr.lines().count() == 1 && stderr.starts_with("starlings: ") => None,
        _ => complain("not one line"),
    }
}

#[test]
#[ignore = "long: takes minutes"]
fn every_system_call_may_fail() {
    let cache = tempfile::tempdir().expect("a folder");
    let by_driver = crate::common::device().is_some();
    let mut failed = 0;
    let mut complaints = Vec::new();
    for run in RUNS.iter().filter(|run| by_driver || !run.by_driver) {
        let names: Vec<&str> = CALLS.iter().map(|(call, _)| *call).collect();
        let all = ["-e".to_owned(), format!("trace=rt_sigaction,{}", names.join(","))];
        // The first fills caches.
        let mut reference = None;
        for _ in 0..2 {
            let folder = folder();
            let Ok(output) = traced(folder.path(), cache.path(), &all, run.line) else {
                assert!(!crate::common::required("REQUIRE_GPU"), "REQUIRE_GPU=1, but strace is not installed");
                return eprintln!("SKIPPED, nothing was tested: strace is not installed");
            };
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            if said.starts_with("strace: ") {
                return eprintln!("SKIPPED, nothing was tested, this system forbids it: {said}");
            }
            assert!(output.status.success(), "{}: {said}", run.line);
            let trace = fs::read_to_string(folder.path().join("trace")).expect("strace wrote it");
            reference = Some((left(folder.path()), counts(&trace)));
        }
        let (whole, counts) = reference.expect("it was run");
        assert_eq!(whole.keys().collect::<Vec<_>>(), run.files, "{}", run.line);
        let mut faults = Vec::new();
        for (call, errors) in CALLS {
            let (before, most) = counts[call];
            let count = most.saturating_sub(before);
            let chosen = (0..count.min(MOST)).map(|at| before + 1 + at * count / count.min(MOST));
            faults.extend(chosen.flat_map(|number| errors.iter().map(move |error| (call, number, *error))));
        }
        let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let work = || {
            while let Some((call, number, error)) = faults.get(next.fetch_add(1, Ordering::Relaxed)) {
                let folder = folder();
                let inject = format!("inject={call}:error={error}:when={number}");
                let arguments = ["-e".to_owned(), format!("trace={call}"), "-e".to_owned(), inject.clone()];
                let output = traced(folder.path(), cache.path(), &arguments, run.line).expect("strace is there");
                if let Some(what) = complaint(run, call, &output, &left(folder.path()), &whole) {
                    found.lock().expect("no panic").push(format!("{}, {inject}: {what}", run.line));
                }
            }
        };
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
        let found = found.into_inner().expect("no panic");
        println!("{}: {} calls failed, {} complaints", run.line, faults.len(), found.len());
        failed += faults.len();
        complaints.extend(found);
    }
    assert!(complaints.is_empty(), "{} of {failed}:\n\n{}", complaints.len(), complaints.join("\n\n"));
}
