//! Everything that the program parses, from good inputs that are changed at random: no panic, and what is refused is refused in one short
//! line without control characters, in bounded time and memory.
//!
//! The good inputs, and those that found a defect, are in `tests/corpus/`, a folder for each parser. By default each parser is given
//! [`FEW`] inputs; `STARLINGS_FUZZ=1000000 cargo test --bin starlings fuzz` gives it as many as that says, and
//! `STARLINGS_FUZZ_SEED=1` others, so that several processes can share the work.
//!
//! A million command lines or config files take minutes with `--config 'profile.dev.package.clap_builder.opt-level=3'`, the
//! same for `strsim`, `toml`, `toml_parser` and `winnow`, and `--config
//! 'profile.dev.package.clap_builder.debug-assertions=false'`: clap's assertions concern the definition of the flags, which a
//! unit test checks.

use super::config::file::ConfigFile;
use super::look::DrawnArgs;
use super::origin::Origin;
use super::{Cli, Failure, parsed, weights, with_command};
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser};
use starlings::bench::ratios::RatioFile;
use starlings::export::{Checkpoint, remembered};
use starlings::flock::random::{self, Stream};
use starlings::mesh::{Animated, BakeOptions, Mesh};
use std::cell::{Cell, RefCell};
use std::ffi::OsString;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Inputs for each parser, unless the environment says how many.
const FEW: u64 = 300;

/// Inputs longer than this are cut: the time of a parser is that of its input's length.
const LONGEST: usize = 1 << 16;

/// Time for one input at most, on a machine that does other work too.
const PATIENCE: Duration = Duration::from_secs(5);

/// Memory that a parser may add to that of the process, in KiB, for inputs of at most [`LONGEST`] bytes.
#[cfg(target_os = "linux")]
const ROOM_KIB: u64 = 256 << 10;

/// Characters of a message at most: twice 400, some of them escaped.
const MOST_LETTERS: usize = 8_000;

/// Words and numbers that parsers treat in a way of their own.
const PIECES: [&[u8]; 24] = [
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\x7f",
    b"\x00\x00\x00\x80",
    b"\x00\x00\x00\x00",
    b"\xff\xff\xff\xff\xff\xff\xff\xff",
    b"99999999999999999999",
    b"-1",
    b"1e999",
    b"nan",
    b"inf",
    b"4294967296",
    b"2^64",
    b"0,0,0",
    b"PK\x03\x04",
    b"PK\x06\x07",
    b"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000,), }",
    b"\x1b[2J\x07",
    b"\xe2\x80\xae",
    b"\xc2\x9b31m",
    b"\n",
    b"\r",
    b"= ",
    b"\"\"\"",
    b"--",
];

/// What opens another level, which parsers may follow by recursion.
const OPENERS: [&[u8]; 4] = [b"[", b"{\"a\":", b"a.", b"{a="];

/// Random numbers, the same in each run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: usize) -> usize {
        self.0 += 1;
        (random::bits(11, Stream::Influence, self.0, 0) % most.max(1) as u64) as usize
    }

    /// One of `seeds`, changed in one to four places.
    fn changed(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = seeds[self.below(seeds.len())].clone();
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len());
            match self.below(9) {
                0 => bytes.truncate(at),
                1 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
                2 if at < bytes.len() => bytes[at] = self.below(256) as u8,
                3 => {
                    let end = (at + self.below(40)).min(bytes.len());
                    bytes.drain(at.min(end)..end);
                }
                4 => {
                    // The beginning of one and the end of another.
                    let other = &seeds[self.below(seeds.len())];
                    bytes.truncate(at);
                    bytes.extend_from_slice(&other[self.below(other.len())..]);
                }
                5 => {
                    let end = (at + 1 + self.below(64)).min(bytes.len());
                    let again = bytes[at.min(end)..end].repeat(1 + self.below(30));
                    bytes.splice(at..at, again);
                }
                6 => {
                    let opener = OPENERS[self.below(OPENERS.len())].repeat(1 + self.below(9_000));
                    bytes.splice(at..at, opener);
                }
                kind => {
                    let piece = PIECES[self.below(PIECES.len())];
                    let end = if kind == 7 { at } else { (at + piece.len()).min(bytes.len()) };
                    bytes.splice(at..end.max(at), piece.iter().copied());
                }
            }
        }
        bytes.truncate(LONGEST);
        bytes
    }
}

/// The inputs that are kept for the parser `name`.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(name);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("it is there")).collect()
}

/// Most memory that the process has had, in KiB.
#[cfg(target_os = "linux")]
fn most_memory() -> u64 {
    let text = fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("every process has memory");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// Gives `parse` the kept inputs of `name` as they are, and then changed ones, after `mend`. At least one must be accepted.
fn fuzz(name: &str, mend: impl Fn(&mut [u8]), parse: impl Fn(&[u8]) -> Result<(), Failure>) {
    let seeds = corpus(name);
    let count = std::env::var("STARLINGS_FUZZ").map_or(FEW, |text| text.parse().expect("a count"));
    let seed: u64 = std::env::var("STARLINGS_FUZZ_SEED").map_or(0, |text| text.parse().expect("a number"));
    let (mut chance, mut accepted, begun) = (Chance(seed << 40), 0u64, Instant::now());
    #[cfg(target_os = "linux")]
    let before = most_memory();
    for number in 0..seeds.len() as u64 + count {
        let input = match seeds.get(number as usize) {
            Some(seed) => seed.clone(),
            None => {
                let mut input = chance.changed(&seeds);
                if chance.below(2) == 0 {
                    mend(&mut input);
                }
                input
            }
        };
        let started = Instant::now();
        let parsed = catch_unwind(AssertUnwindSafe(|| parse(&input)));
        let fault = match parsed {
            Err(_) => Some("it panicked".to_owned()),
            _ if started.elapsed() > PATIENCE => Some(format!("it took {:?}", started.elapsed())),
            Ok(Ok(())) => {
                accepted += 1;
                None
            }
            Ok(Err(failure)) => {
                let line = failure.line();
                let good = !line.is_empty()
                    && line.chars().count() <= MOST_LETTERS
                    && !line.chars().any(|c| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c));
                (!good).then(|| format!("it was refused by {} bytes: {line:.200?}", line.len()))
            }
        };
        if let Some(fault) = fault {
            let path = std::env::temp_dir().join(format!("starlings-{name}-{number}"));
            let _ = fs::write(&path, &input);
            panic!("{name}: input {number}, kept as {}: {fault}", path.display());
        }
    }
    #[cfg(target_os = "linux")]
    {
        // The system counts in batches, so that this may also seem to fall.
        let added = most_memory().saturating_sub(before);
        assert!(added <= ROOM_KIB, "{name}: {added} KiB more than before");
    }
    assert!(accepted > 0, "{name}: nothing was accepted");
    println!("{name}: {count} changed inputs, {accepted} accepted, in {:.0?}", begun.elapsed());
}

fn as_it_is(_: &mut [u8]) {}

/// `parse` by way of a file with the extension `kind`.
fn in_file(kind: &str, parse: impl Fn(&Path) -> Result<(), Failure>) -> impl Fn(&[u8]) -> Result<(), Failure> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(format!("a.{kind}"));
    move |bytes| {
        let _kept = &folder;
        // To write over a file, some file systems wait for the disk.
        let _ = fs::remove_file(&path);
        fs::write(&path, bytes).expect("room");
        parse(&path)
    }
}

#[test]
fn fuzz_config_files() {
    fuzz("config", as_it_is, in_file("toml", |path| ConfigFile::read(path, "config").map(drop)));
}

#[test]
fn fuzz_weights_in_lines() {
    fuzz("csv", as_it_is, in_file("csv", |path| weights::read(path, 3).map(drop)));
}

#[test]
fn fuzz_weights_in_archives() {
    fuzz("npz", as_it_is, in_file("npz", |path| weights::read(path, 3).map(drop)));
}

#[test]
fn fuzz_checkpoints() {
    let parse = |path: &Path| {
        let checkpoint = Checkpoint::read(path).map_err(Failure::Usage)?;
        ConfigFile::of_text(path, checkpoint.config).map(drop)
    };
    fuzz("checkpoint", as_it_is, in_file("npz", parse));
}

#[test]
fn fuzz_meshes() {
    let parse = |path: &Path| Ok(Mesh::read(path).map(drop)?);
    fuzz("obj", as_it_is, in_file("obj", parse));
    fuzz("model", with_right_lengths, in_file("glb", parse));
}

#[test]
fn fuzz_animated_models() {
    let options = BakeOptions { frames: 3, ..BakeOptions::default() };
    let parse = |path: &Path| Ok(Animated::bake(path, &options).map(drop)?);
    fuzz("model", with_right_lengths, in_file("glb", parse));
}

#[test]
fn fuzz_baked_models() {
    let parse = |path: &Path| Animated::read(path).map(drop).map_err(Failure::Usage);
    fuzz("baked", with_right_sums, in_file("npz", parse));
}

#[test]
fn fuzz_pictures() {
    let parse = |path: &Path| {
        let (_, memory) = remembered(path).map_err(Failure::Usage)?;
        ConfigFile::of_text(path, memory.config).map(drop)
    };
    fuzz("picture", with_right_checksums, in_file("png", parse));
}

#[test]
fn fuzz_recorded_ratios() {
    let parse = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        RatioFile::parse(&text).map(drop).map_err(Failure::Usage)
    };
    fuzz("ratios", as_it_is, parse);
}

/// The flags of a flock, its look and its camera.
#[derive(Parser)]
struct Drawn {
    #[command(flatten)]
    drawn: DrawnArgs,
}

/// Lines of this many are also parsed by a definition of the commands that no line before them has used.
const COMPARED: u64 = 500;

#[test]
fn fuzz_command_lines() {
    // Made once: to make these definitions takes far longer than to parse a line.
    let (program, drawn) = (RefCell::new(Cli::command()), RefCell::new(Drawn::command()));
    let lines = Cell::new(0u64);
    let said = |matches: Result<ArgMatches, clap::Error>| match matches {
        Err(help) if !help.use_stderr() => Ok(None),
        matches => Cli::from_arg_matches(&matches?).map(Some),
    };
    let parse = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        let words = || std::iter::once("starlings").chain(text.split_whitespace());
        let arguments = with_command(words().map(OsString::from).collect());
        let cli = said(parsed(&mut program.borrow_mut(), &arguments));
        if lines.replace(lines.get() + 1).is_multiple_of(COMPARED) {
            let fresh = said(parsed(&mut Cli::command(), &arguments));
            assert_eq!(format!("{cli:?}"), format!("{fresh:?}"), "a definition that has been used parses otherwise");
        }
        cli?;
        let matches = drawn.borrow_mut().try_get_matches_from_mut(words())?;
        Origin::default().drawn(&Drawn::from_arg_matches(&matches)?.drawn).map(drop)
    };
    fuzz("line", as_it_is, parse);
}

/// Gives every chunk of a PNG the checksum of its bytes: otherwise no change would be looked at.
fn with_right_checksums(png: &mut [u8]) {
    let mut at = 8;
    while let Some(head) = png.get(at..at + 8) {
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let end = at.saturating_add(8).saturating_add(length);
        let Some(bytes) = png.get(at + 4..end) else { return };
        let sum = crc(bytes).to_be_bytes();
        let Some(place) = png.get_mut(end..end + 4) else { return };
        place.copy_from_slice(&sum);
        at = end + 4;
    }
}

/// Gives a binary glTF file the lengths of what it has: otherwise most changes would be refused at once.
fn with_right_lengths(glb: &mut [u8]) {
    let whole = glb.len() as u32;
    let length = glb.get(12..16).map_or(0, |word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    // The JSON ends where the next chunk begins, if that is still there.
    let next = glb.windows(4).position(|name| name == b"BIN\0").unwrap_or(24 + length as usize);
    for (at, length) in [
        (8, whole),
        (12, next.saturating_sub(24) as u32),
        (next.saturating_sub(4), whole.saturating_sub(next as u32 + 4)),
    ] {
        if let Some(place) = glb.get_mut(at..at + 4) {
            place.copy_from_slice(&length.to_le_bytes());
        }
    }
}

/// Gives every entry of a zip file the checksum of its bytes, in its own header and in the list at the end.
fn with_right_sums(zip: &mut [u8]) {
    let number = |zip: &[u8], at: usize, count: usize| {
        zip.get(at..at + count).map(|bytes| bytes.iter().rev().fold(0usize, |sum, &byte| sum << 8 | usize::from(byte)))
    };
    let headers: Vec<usize> =
        (0..zip.len().saturating_sub(46)).filter(|&at| zip[at..].starts_with(b"PK\x01\x02")).collect();
    for header in headers {
        let mend = |zip: &mut [u8]| {
            let (size, own) = (number(zip, header + 20, 4)?, number(zip, header + 42, 4)?);
            let begin = own + 30 + number(zip, own + 26, 2)? + number(zip, own + 28, 2)?;
            let sum = crc(zip.get(begin..begin.checked_add(size)?)?).to_le_bytes();
            zip.get_mut(header + 16..header + 20)?.copy_from_slice(&sum);
            zip.get_mut(own + 14..own + 18)?.copy_from_slice(&sum);
            Some(())
        };
        let _ = mend(zip);
    }
}

/// CRC-32 of PNG and zip.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |sum, &byte| {
        (0..8).fold(sum ^ u32::from(byte), |sum, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 })
    })
}
