//! Every parser is given the inputs of `tests/corpus`, and then changed ones: none panics, and what is refused is
//! refused in one short line without control characters, in bounded time and memory.
//!
//! `STARLINGS_FUZZ=1000000` gives each parser as many changed inputs, `STARLINGS_FUZZ_SEED=1` others. The targets in
//! `fuzz/` search the same parsers by coverage.

mod mutations;
mod repair;

use mutations::Mutations;
use starlings_cli::inputs::{FORMATS, parse};
use std::alloc::{GlobalAlloc, Layout, System};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Changed inputs for each parser, unless the environment says how many.
const FEW: u64 = 2_000;

/// Time for one input at most, on a machine that does other work too.
const LONGEST: Duration = Duration::from_secs(5);

/// Memory that a parser may add to that of the process, in KiB, for inputs of at most 64 KiB.
#[cfg(target_os = "linux")]
const MEMORY_KIB: u64 = 256 << 10;

/// What one such input may take: what it may be decoded to, and as much again while lists grow.
const MEMORY_BYTES: usize = 2 * (64 << 20);

/// Characters of a message at most: twice 400, some of them escaped.
const MOST_LETTERS: usize = 8_000;

/// The inputs that are kept for `format`.
fn corpus(format: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(format);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("it is there")).collect()
}

/// The system's allocator, which counts the bytes that are taken, and the most that were.
struct Counting;

static TAKEN: AtomicUsize = AtomicUsize::new(0);
static MOST_TAKEN: AtomicUsize = AtomicUsize::new(0);

impl Counting {
    fn take(bytes: usize) {
        let now = TAKEN.fetch_add(bytes, Ordering::Relaxed) + bytes;
        MOST_TAKEN.fetch_max(now, Ordering::Relaxed);
    }
}

// SAFETY: all is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Counting::take(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Counting::take(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both may be there for a moment.
        Counting::take(size);
        TAKEN.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        TAKEN.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Most memory that the process has had, in KiB.
#[cfg(target_os = "linux")]
fn peak_memory() -> u64 {
    let text = fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("every process has memory");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// What is wrong with how `input` was parsed; whether it was accepted.
fn judge(format: &str, input: &[u8], path: &Path) -> Result<bool, String> {
    let started = Instant::now();
    let parsed = catch_unwind(AssertUnwindSafe(|| parse(format, input, path))).map_err(|_| "it panicked")?;
    if started.elapsed() > LONGEST {
        return Err(format!("it took {:?}", started.elapsed()));
    }
    let Err(line) = parsed else { return Ok(true) };
    let unprintable = |c: char| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c);
    match line.is_empty() || line.chars().count() > MOST_LETTERS || line.chars().any(unprintable) {
        true => Err(format!("it was refused by {} bytes: {line:.200?}", line.len())),
        false => Ok(false),
    }
}

/// Gives the parser of `format` the kept inputs as they are, and then changed ones. At least one must be accepted.
fn check(format: &str) {
    let (_, extension) = FORMATS.into_iter().find(|(name, _)| *name == format).expect("a format");
    let (seeds, folder) = (corpus(format), tempfile::tempdir().expect("a folder"));
    let path = folder.path().join(format!("a.{extension}"));
    let count = std::env::var("STARLINGS_FUZZ").map_or(FEW, |text| text.parse().expect("a count"));
    let seed: u64 = std::env::var("STARLINGS_FUZZ_SEED").map_or(0, |text| text.parse().expect("a number"));
    let (mut mutations, mut accepted) = (Mutations::new(seed), 0u64);
    #[cfg(target_os = "linux")]
    let before = peak_memory();
    for number in 0..seeds.len() as u64 + count {
        let input = seeds.get(number as usize).cloned().unwrap_or_else(|| {
            let mut input = mutations.of(&seeds);
            if mutations.coin() {
                repair::repair(format, &mut input);
            }
            input
        });
        match judge(format, &input, &path) {
            Ok(is_accepted) => accepted += u64::from(is_accepted),
            Err(fault) => {
                let kept = std::env::temp_dir().join(format!("starlings-{format}-{number}"));
                let _ = fs::write(&kept, &input);
                panic!("{format}: input {number}, kept as {}: {fault}", kept.display());
            }
        }
    }
    // The system counts in batches, so that this may also seem to fall.
    #[cfg(target_os = "linux")]
    {
        let added = peak_memory().saturating_sub(before);
        assert!(added <= MEMORY_KIB, "{format}: {added} KiB more than before");
    }
    assert!(accepted > 0, "{format}: nothing was accepted");
    println!("{format}: {count} changed inputs, {accepted} accepted");
}

/// Each input by itself, beyond what was taken before: to be run alone.
#[test]
#[ignore = "long: takes minutes"]
fn no_input_takes_more_memory_than_is_stated() {
    for (format, extension) in FORMATS {
        let (seeds, folder) = (corpus(format), tempfile::tempdir().expect("a folder"));
        let (path, mut mutations) = (folder.path().join(format!("a.{extension}")), Mutations::new(54));
        let mut most = 0;
        for number in 0..1_000 + seeds.len() {
            let mut input = seeds.get(number).cloned().unwrap_or_else(|| mutations.of(&seeds));
            if number >= seeds.len() && mutations.coin() {
                repair::repair(format, &mut input);
            }
            let before = TAKEN.load(Ordering::Relaxed);
            MOST_TAKEN.store(before, Ordering::Relaxed);
            drop(parse(format, &input, &path));
            let added = MOST_TAKEN.load(Ordering::Relaxed) - before;
            assert!(added > 0 && added <= MEMORY_BYTES, "{format}, input {number}: {added} bytes");
            most = most.max(added);
        }
        println!("{format}: at most {most} bytes");
    }
}

#[test]
fn every_format_has_a_test() {
    let tests = include_str!("main.rs");
    assert!(FORMATS.iter().all(|(format, _)| tests.contains(&format!("check(\"{format}\")"))));
}

#[test]
fn command_lines() {
    check("line");
}

#[test]
fn config_files() {
    check("config");
}

#[test]
fn weights() {
    check("csv");
    check("npz");
}

#[test]
fn checkpoints() {
    check("checkpoint");
}

#[test]
fn meshes_and_models() {
    check("obj");
    check("model");
}

#[test]
fn baked_models() {
    check("baked");
}

#[test]
fn pictures() {
    check("picture");
}

#[test]
fn trajectories() {
    check("archive");
    check("table");
    check("xyz");
}

#[test]
fn camera_paths() {
    check("camera");
}

#[test]
fn journals() {
    check("journal");
}
