//! `starlings sync check`: judges the journal of any program.

use super::names::{self, bit};
use crate::cli::numbers::counted;
use crate::cli::output::print;
use crate::sync::journal_file::{self, WAIT};
use crate::sync::width::excess;
use crate::sync::{Conflict, HOST, PRESENT, chain, check, widths};
use crate::{Error, Result};
use barrier_proof::without;
use clap::Args;
use serde_json::{Value, json};
use starlings::input::Bounded;
use starlings::vk::{Journal, JournalEntry};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Bytes of a journal at most.
const MOST_BYTES: u64 = 256 << 20;

/// Steps that an entry takes while one dependency is judged.
const CHECK: u64 = 16;

/// Options of `starlings sync check`.
#[derive(Args, Debug)]
#[command(after_help = "\
FILE has one JSON object a line, each an entry as `starlings sync --json` prints it, and {\"kind\": \"frame\"} where a \
submission begins; docs/files.md has the format. Or it is a capture, as `gfxrecon-convert` writes it, or \
crates/barrier-proof/converters/renderdoc.py from one of RenderDoc: without --shaders, what its shaders do with \
storage buffers is not known, so they are taken to read and write them.

Exit status: 0 nothing is missing, redundant or too wide, 1 otherwise.")]
pub struct CheckArgs {
    /// The journal; - reads standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Of a capture, the folder with its shaders, as `gfxrecon-extract` and renderdoc.py write it
    #[arg(long, value_name = "FOLDER")]
    shaders: Option<PathBuf>,
    /// Say by which dependencies the second of two passes waits for the first
    #[arg(long, num_args = 2, value_names = ["A", "B"], allow_hyphen_values = true)]
    ordered: Option<Vec<String>>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is found in some frames.
#[derive(Default)]
pub struct Verdict {
    missing: Vec<Conflict>,
    redundant: Vec<&'static str>,
    /// Each dependency that is wider than needed, and what it has more.
    wide: Vec<(&'static str, String)>,
    ordered: Option<String>,
}

pub fn run(args: &CheckArgs) -> Result<()> {
    let (frames, mut verdict) = judged(&args.file, args.shaders.as_deref())?;
    verdict.ordered = args.ordered.as_ref().map(|pair| ordered(&frames, &pair[0], &pair[1])).transpose()?;
    print(&if args.json { self::json(&verdict) } else { table(&frames, &verdict) })?;
    match (verdict.missing.len(), verdict.redundant.len() + verdict.wide.len()) {
        (0, 0) => Ok(()),
        (wrong, redundant) => Err(Error::Unproven { wrong, redundant, unexplained: 0 }),
    }
}

/// The frames in the file at `path`, or in standard input, and what is found in them; `shaders` is the folder with the
/// modules of a capture.
pub fn judged(path: &Path, shaders: Option<&Path>) -> Result<(Vec<Journal>, Verdict)> {
    let (name, bounded) = (path.display().to_string(), Bounded::new(MOST_BYTES));
    let bytes = if name == "-" { bounded.all_of(std::io::stdin()) } else { bounded.stream(path) };
    let text = bytes.map_err(|error| error.to_string());
    let text = text.and_then(|bytes| String::from_utf8(bytes).map_err(|_| "it is no text".to_owned()));
    let text = text.map_err(|error| Error::Input(format!("cannot read {name}: {error}")))?;
    let frames = journal_file::read(&name, &text, &bounded, shaders)?;
    // Whether each dependency is needed is judged by all entries, and each bit of its masks, too.
    let entries: u64 = frames.iter().map(|frame| frame.entries.len() as u64).sum();
    let dependencies: u64 = frames.iter().map(|frame| frame.dependencies().count() as u64).sum();
    let checked = bounded.work(CHECK * entries.saturating_mul(1 + dependencies));
    checked.map_err(|why| Error::Input(format!("{name} {why}")))?;
    let verdict = judge(&frames);
    Ok((frames, verdict))
}

/// What is more than needed is known only where nothing is missing.
fn judge(frames: &[Journal]) -> Verdict {
    let missing: Vec<Conflict> = check(frames).into_iter().collect();
    let mut verdict = Verdict { missing, ..Verdict::default() };
    if verdict.missing.is_empty() {
        let names: BTreeSet<&'static str> = frames.iter().flat_map(Journal::dependencies).map(|of| of.name).collect();
        let needless = |name: &&&'static str| check(&without(frames, &[**name])).is_empty();
        // A wait of the host orders more than any barrier, and need not order anything.
        verdict.redundant = names.iter().filter(needless).copied().filter(|name| *name != WAIT).collect();
        for width in widths(&[frames.to_vec()]) {
            if width.name != WAIT && !width.is_exact() && !verdict.redundant.contains(&width.name) {
                let more: Vec<String> = excess(&width).into_iter().map(bit).collect();
                let (from, to) = names::scopes(&width.needed);
                verdict.wide.push((width.name, format!("{}; enough is {from} => {to}", more.join(", "))));
            }
        }
    }
    verdict
}

/// How the pass `b` waits for the pass `a` before it.
fn ordered(frames: &[Journal], a: &str, b: &str) -> Result<String> {
    let mut places: Vec<&'static str> = Vec::new();
    for entry in frames.iter().flat_map(|frame| &frame.entries) {
        match entry {
            JournalEntry::Pass(pass) if !pass.uses.is_empty() => places.push(pass.name),
            JournalEntry::Present { .. } => places.push(PRESENT),
            JournalEntry::HostRead { .. } => places.push(HOST),
            _ => {}
        }
    }
    let unknown = |name: &str| {
        let known: BTreeSet<&str> = places.iter().copied().collect();
        let known: Vec<&str> = known.into_iter().take(12).collect();
        Error::Input(format!("no pass is called '{name}'; accepted is one of {}, …", known.join(", ")))
    };
    let from = places.iter().position(|name| *name == a).ok_or_else(|| unknown(a))?;
    let to = places.iter().skip(from + 1).position(|name| *name == b);
    let to = match to {
        Some(to) => from + 1 + to,
        None if places.contains(&b) => return Err(Error::Input(format!("'{b}' does not come after '{a}'"))),
        None => return Err(unknown(b)),
    };
    Ok(match chain(frames, from, to) {
        Some(by) => format!("{a} and {b} are ordered by {}", by.join(", then ")),
        None => format!("nothing orders {a} and {b}"),
    })
}

fn table(frames: &[Journal], verdict: &Verdict) -> String {
    let mut text = String::new();
    for conflict in &verdict.missing {
        let _ = writeln!(text, "MISSING    {conflict}");
    }
    for name in &verdict.redundant {
        let _ = writeln!(text, "REDUNDANT  {name}");
    }
    for (name, more) in &verdict.wide {
        let _ = writeln!(text, "WIDE       {name}: {more}");
    }
    if let Some(ordered) = &verdict.ordered {
        let _ = writeln!(text, "{ordered}");
    }
    let count = |filter: fn(&JournalEntry) -> bool| {
        frames.iter().flat_map(|frame| &frame.entries).filter(|entry| filter(entry)).count() as u32
    };
    let passes = count(|entry| matches!(entry, JournalEntry::Pass(_)));
    let dependencies = count(|entry| matches!(entry, JournalEntry::Dependency(_)));
    let _ = write!(
        text,
        "{}, {passes} passes, {dependencies} dependencies: {} missing, {} redundant, {} too wide",
        counted(frames.len() as u32, "frame"),
        verdict.missing.len(),
        verdict.redundant.len(),
        verdict.wide.len()
    );
    text
}

fn json(verdict: &Verdict) -> String {
    let missing = |of: &Conflict| super::json::conflict(of, "acrossFrames", of.across_frames);
    let value = json!({
        "missing": verdict.missing.iter().map(missing).collect::<Value>(),
        "redundant": verdict.redundant,
        "wide": verdict.wide.iter().map(|(name, more)| format!("{name}: {more}")).collect::<Value>(),
        "ordered": verdict.ordered,
    });
    format!("{value:#}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPUTE: &str = r#"["VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT"]"#;

    fn pass(name: &str, access: &str) -> String {
        format!(
            r#"{{"kind":"pass","name":"{name}","uses":[{{"resource":"a","stages":{COMPUTE},"accesses":["{access}"]}}]}}"#
        )
    }

    fn barrier(name: &str, source: &str) -> String {
        format!(
            r#"{{"kind":"dependency","name":"{name}","srcStageMask":"{source}","srcAccessMask":["SHADER_STORAGE_WRITE"],"dstStageMask":{COMPUTE},"dstAccessMask":"SHADER_STORAGE_READ"}}"#
        )
    }

    fn judged(lines: &[String]) -> String {
        let frames = journal_file::read("a file", &lines.join("\n"), &Bounded::new(0), None).expect("it can be read");
        table(&frames, &judge(&frames))
    }

    #[test]
    fn what_is_missing_redundant_or_too_wide_is_said() {
        let (write, read) = (pass("writer", "SHADER_STORAGE_WRITE"), pass("reader", "SHADER_STORAGE_READ"));
        let (exact, wide) = (barrier("order", "COMPUTE_SHADER"), barrier("order", "ALL_COMMANDS"));
        let found = judged(&[write.clone(), read.clone()]);
        assert!(found.starts_with("MISSING    RAW on a: writer → reader\n"), "{found}");
        let found = judged(&[write.clone(), exact.clone(), read.clone()]);
        assert_eq!(found, "1 frame, 2 passes, 1 dependencies: 0 missing, 0 redundant, 0 too wide");
        let found = judged(&[write.clone(), wide, read.clone()]);
        assert!(found.starts_with("WIDE       order: src stage ALL_COMMANDS; enough is COMPUTE_SHADER "), "{found}");
        let found = judged(&[write.clone(), exact.clone(), read.clone(), barrier("more", "COMPUTE_SHADER")]);
        assert!(found.starts_with("REDUNDANT  more\n"), "{found}");
        let frames = journal_file::read("a file", &[write, exact, read].join("\n"), &Bounded::new(0), None)
            .expect("it can be read");
        let said = ordered(&frames, "writer", "reader").expect("both are there");
        assert_eq!(said, "writer and reader are ordered by order");
        let error = ordered(&frames, "writer", "nobody").expect_err("it is not there").to_string();
        assert_eq!(error, "no pass is called 'nobody'; accepted is one of reader, writer, …");
    }

    #[test]
    fn a_line_that_cannot_be_read_is_named() {
        let fault = |text: &str| {
            journal_file::read("a file", text, &Bounded::new(0), None).expect_err("it cannot be read").to_string()
        };
        assert!(fault("{").starts_with("a file: line 1 is no JSON: "), "{}", fault("{"));
        assert_eq!(
            fault("\n{\"kind\":\"step\"}"),
            "a file: line 2: the kind 'step' is not known; accepted is frame, pass, dependency, wait, acquire, present \
             or host-read"
        );
        assert_eq!(fault(&pass("a", "READ")), "a file: line 1: 'READ' is no access of the specification");
        assert!(fault("").starts_with("a file has no entries"), "{}", fault(""));
    }

    /// A capture written by hand: two commands fill a half each, and a copy waits for the wrong stage.
    #[test]
    fn a_capture_of_gfxreconstruct_is_judged() {
        let judged = |capture: &str| {
            let frames = journal_file::read("a capture", capture, &Bounded::new(0), None).expect("it can be read");
            table(&frames, &judge(&frames))
        };
        let capture = include_str!("../../../tests/sync/captures/by_hand.jsonl");
        assert_eq!(
            judged(capture),
            "MISSING    RAW on filled: FillBuffer 1 → CopyBuffer 3\n\
             MISSING    RAW on filled: right half 2 → CopyBuffer 3\n\
             1 frame, 3 passes, 1 dependencies: 2 missing, 0 redundant, 0 too wide"
        );
        // From RESOLVE to CLEAR.
        let mended = capture.replace("0x0000000200000000", "0x0000000800000000");
        assert_eq!(judged(&mended), "1 frame, 3 passes, 1 dependencies: 0 missing, 0 redundant, 0 too wide");
        let refused = capture.replace("vkCmdCopyBuffer\"", "vkCmdExecuteCommands\"");
        let error = journal_file::read("a capture", &refused, &Bounded::new(0), None)
            .expect_err("it is not followed")
            .to_string();
        assert_eq!(error, "a capture: line 10: vkCmdExecuteCommands is not followed");
    }
}
