//! docs/synchronization.md and the pages below it against the program: their commands run and print what they show, and
//! their names are the frame's.

use crate::common;
use crate::frames::null_device_with;
use rayon::prelude::*;
use starlings::flock::{PRESETS, Settings};
use starlings::vk::DeviceOptions;
use starlings_cli::sync::{Rehearsal, Rehearse, frames};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The course, and the pages below it.
const PAGES: [&str; 6] = [
    include_str!("../../../../docs/synchronization.md"),
    include_str!("../../../../docs/synchronization/basis.md"),
    include_str!("../../../../docs/synchronization/cost.md"),
    include_str!("../../../../docs/synchronization/damage.md"),
    include_str!("../../../../docs/synchronization/elsewhere.md"),
    include_str!("../../../../docs/synchronization/exercises.md"),
];

/// A fenced block of the page: the line above it, its language, and its lines.
struct Block<'a> {
    above: &'a str,
    language: &'a str,
    lines: Vec<&'a str>,
}

fn blocks() -> Vec<Block<'static>> {
    let mut blocks: Vec<Block<'static>> = Vec::new();
    let (mut above, mut open) = ("", false);
    for line in PAGES.iter().flat_map(|page| page.lines()) {
        match (line.strip_prefix("```"), open) {
            (Some(language), false) => blocks.push(Block { above, language, lines: Vec::new() }),
            (Some(_), true) => {}
            (None, true) => blocks.last_mut().expect("it was opened").lines.push(line),
            (None, false) if !line.is_empty() => above = line,
            (None, false) => {}
        }
        open ^= line.starts_with("```");
    }
    assert!(!open, "a block that never ends");
    blocks
}

/// Output of a shell command, with the program in the PATH.
fn shell(line: &str) -> String {
    let folder = Path::new(env!("CARGO_BIN_EXE_starlings")).parent().expect("it lies in a folder");
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh").args(["-c", line]).env("PATH", path).output().expect("there is a shell");
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    let said = text(&output.stderr);
    // An exercise also says that an answer is not right.
    let judged = line.contains("sync exercise") && output.status.code() == Some(1);
    assert!(judged || (output.status.success() && said.is_empty()), "{line}: {}{said}", text(&output.stdout));
    text(&output.stdout)
}

/// The words of a text, separated by single spaces.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_command_runs_and_prints_what_the_pages_show() {
    let (commands, compared) = run_blocks(false);
    assert!(commands >= 8 && compared >= 8, "only {commands} commands and {compared} parts of their output");
}

#[test]
#[ignore = "long: every bit of every dependency in every kind of frame"]
fn every_proof_runs_and_prints_what_the_pages_show() {
    let (commands, compared) = run_blocks(true);
    assert!(commands >= 1 && compared >= 1, "only {commands} commands and {compared} parts of their output");
}

/// Runs the blocks with a proof, or those without: how many commands, and parts of their output that were compared.
fn run_blocks(with_proof: bool) -> (usize, usize) {
    if common::device().is_none() {
        return (usize::MAX, usize::MAX);
    }
    let blocks = blocks();
    // A proof takes as long as all other commands, so each block is run on its own.
    let proves = |block: &Block<'_>| block.lines.iter().any(|line| line.contains("sync prove"));
    let chosen = blocks.par_iter().enumerate();
    let chosen = chosen.filter(|(_, block)| block.language == "sh" && proves(block) == with_proof);
    let counts = chosen.map(|(at, block)| {
        let (mut commands, mut compared) = (0, 0);
        let mut printed = String::new();
        for line in block.lines.iter().filter(|line| !line.is_empty()) {
            let rest = line.strip_prefix("./bootstrap run sync");
            let line = &format!("starlings sync{}", rest.unwrap_or_else(|| panic!("this is no place for {line}")));
            if line.contains("sync prove") && common::validated_device().is_none() {
                return (0, 0);
            }
            let output = shell(line);
            if line.ends_with("sync prove") {
                every_bit_of_every_dependency_is_needed(&output);
            }
            // Tables in Markdown are as wide as they are.
            let fits = output.lines().all(|line| line.starts_with('|') || line.chars().count() <= 120);
            assert!(fits || line.contains("--format"), "{line} prints lines that are too long:\n{output}");
            printed += &words(&output);
            commands += 1;
        }
        for line in blocks.get(at + 1).filter(|next| next.language == "text").iter().flat_map(|next| &next.lines) {
            // An ellipsis stands for text that depends on the device, or is too long to show.
            for part in line.split('…').map(words) {
                assert!(printed.contains(&part), "{:?} does not print\n{part}\nbut\n{printed}", block.lines);
                compared += 1;
            }
        }
        (commands, compared)
    });
    common::on_all_cores(|| counts.reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1)))
}

/// What a proof that has succeeded prints of its mutants. The checker finds each of them, the layer most: it does not
/// check the host, consecutive renderings or frames that are only recorded, and it reports one hazard of two on the
/// same resource.
fn every_bit_of_every_dependency_is_needed(output: &str) {
    let (mut dependency, mut mutants, mut silent, mut left_out) = ("", 0, 0, BTreeSet::new());
    for line in output.lines() {
        let Some(mutant) = line.strip_prefix("  left out ").or(line.strip_prefix("  - ")) else {
            dependency = line.split_once(", exact ").map_or(dependency, |(name, _)| name);
            continue;
        };
        mutants += 1;
        let by_layer = mutant.contains("  layer, checker  ");
        assert!(by_layer || mutant.contains("  checker  "), "{dependency}: {line}");
        if !by_layer {
            silent += 1;
            left_out.extend(line.starts_with("  left out ").then_some(dependency));
        }
    }
    assert!(mutants > 200, "only {mutants}");
    let kinds = output.lines().filter(|line| line.ends_with(": run") || line.ends_with(": not run"));
    assert_eq!(kinds.count(), frames(&PRESETS[0].settings()).len(), "every kind of frame");
    if output.contains("has no swapchain without a window") {
        return; // Windowed frames were only recorded.
    }
    assert!(5 * silent < mutants, "the layer is silent about {silent} of {mutants}");
    let to_host = ["copy-to-host", "boids-to-host", "order-to-host", "crowding-to-host", "values-to-host"];
    let recorded = ["embedder-to-steps", "steps-to-embedder"];
    let expected: BTreeSet<&str> = to_host.into_iter().chain(recorded).collect();
    assert!(left_out.is_subset(&expected), "{left_out:?}");
}

/// The course says what its words mean, each before it uses it.
#[test]
fn words_are_explained_before_they_are_used() {
    let (before, table) = PAGES[0].split_once("| term | meaning | section |\n|---|---|---|\n").expect("the words");
    let mut said = before.to_lowercase();
    let mut terms = BTreeSet::new();
    for row in table.lines().take_while(|line| line.starts_with('|')) {
        let mut cells = row.trim_matches('|').split('|').map(str::trim);
        let (term, meaning, section) = (cells.next(), cells.next(), cells.next());
        let term = term.expect("a term");
        let used = said.match_indices(term).any(|(at, _)| {
            let whole = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
            whole(said[..at].chars().next_back())
                && whole(said[at + term.len()..].trim_start_matches('s').chars().next())
        });
        assert!(!used, "{term} is used before it is explained");
        assert!(section.is_some_and(|section| !section.is_empty()), "{term} has no section");
        said += &format!(" {term} {}", meaning.expect("a meaning").to_lowercase());
        terms.insert(term);
    }
    for term in
        ["stage", "logically earlier", "memory barrier", "available", "visible", "memory domain", "fence", "queue"]
    {
        assert!(terms.contains(term), "{term}");
    }
    assert!(["submission", "semaphore", "layout", "event", "data race"].iter().all(|term| terms.contains(term)));
}

#[test]
fn the_pictures_are_what_the_program_draws() {
    if common::device().is_none() {
        return;
    }
    let mut compared = 0;
    for block in blocks().iter().filter(|block| block.language == "mermaid") {
        let command = block.above.strip_prefix("<!-- ").and_then(|above| above.strip_suffix(" -->"));
        let drawn = shell(command.expect("the command that draws it is above a picture"));
        assert_eq!(drawn.trim_end(), block.lines.join("\n"), "{command:?}");
        compared += 1;
    }
    assert!(compared >= 1, "no picture");
}

#[test]
fn the_pictures_over_time_are_what_the_program_draws() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let lines: Vec<&str> = PAGES[0].lines().collect();
    let mut compared = 0;
    for pair in lines.windows(2).filter(|pair| pair[0].starts_with("<!-- ") && pair[1].starts_with("![")) {
        let command = pair[0].strip_prefix("<!-- ").and_then(|line| line.strip_suffix(" -->")).expect("a command");
        let (_, path) = pair[1].rsplit_once('(').expect("a picture");
        let kept = std::fs::read_to_string(folder.join(path.trim_end_matches(')'))).expect("the picture is there");
        assert_eq!(shell(command).trim_end(), kept.trim_end(), "{command}");
        compared += 1;
    }
    assert_eq!(compared, 2);
}

#[test]
fn the_page_and_the_frame_have_the_same_dependencies() {
    let (mut recorded, mut leaning) = (BTreeSet::new(), BTreeSet::new());
    let frames = frames(&Settings::preset("counting-sort").expect("a known preset"));
    // A device without 64-bit atomics draws a picture in two rounds.
    for narrow in [false, true] {
        let device = null_device_with(&DeviceOptions { narrow, ..DeviceOptions::default() });
        for frame in frames.iter().filter(|frame| !narrow || frame.kind.draws()) {
            let mut rehearsal = Rehearsal::new(&device, frame, None).expect("a small flock fits");
            let journal = rehearsal.journal(1, &[]).expect("it can be recorded");
            for dependency in journal.dependencies() {
                recorded.insert(dependency.name.to_owned());
                if !dependency.relies_on.is_empty() {
                    leaning.insert((dependency.name.to_owned(), dependency.relies_on.join(", ")));
                }
            }
        }
    }
    let explained: BTreeSet<String> = entries(PAGES[0]).map(str::to_owned).collect();
    assert_eq!(explained, recorded, "dependencies with an entry of their own on the page, and those of the frame");
    assert_eq!(rows(PAGES[0]), leaning, "the table of dependencies that rely on others");
    let mentioned: BTreeSet<String> = PAGES
        .iter()
        .flat_map(|page| page.split('`').skip(1).step_by(2))
        .filter(|name| is_name(name))
        .map(str::to_owned)
        .collect();
    let unknown: Vec<&String> = mentioned.difference(&recorded).collect();
    assert!(unknown.is_empty(), "no dependency has the name {unknown:?}");
}

/// The first two columns of the table whose second is headed "relies on".
fn rows(page: &str) -> BTreeSet<(String, String)> {
    let (_, table) = page.split_once("| dependency | relies on |").expect("the page has that table");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let cell = |text: Option<&str>| text.expect("a cell").trim().replace('`', "");
    rows.map(|row| row.split('|').skip(1)).map(|mut cells| (cell(cells.next()), cell(cells.next()))).collect()
}

/// The bold names at the start of dependencies' entries.
fn entries(page: &str) -> impl Iterator<Item = &str> {
    page.split("**`").skip(1).filter_map(|rest| rest.split("`**").next()).filter(|name| is_name(name))
}

fn is_name(name: &str) -> bool {
    name.contains("-to-") && name.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}
