//! docs/synchronisation.md cannot rot: its commands run, they print what it shows, and its names are the frame's.

mod common;

use starlings::flock::search::SEARCHES;
use starlings::flock::{EngineKind, Observation, Search, Settings};
use starlings::render::Look;
use starlings::render::look::Shape;
use starlings::sync::{FrameKind, Rehearsal};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

const PAGE: &str = include_str!("../docs/synchronisation.md");

/// A fenced block of the page: the line above it, its language, and its lines.
struct Block<'a> {
    above: &'a str,
    language: &'a str,
    lines: Vec<&'a str>,
}

fn blocks() -> Vec<Block<'static>> {
    let mut blocks: Vec<Block<'static>> = Vec::new();
    let (mut above, mut open) = ("", false);
    for line in PAGE.lines() {
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

/// What a line for the shell prints, with the program where the reader has it: in the PATH.
fn shell(line: &str) -> String {
    let folder = Path::new(env!("CARGO_BIN_EXE_starlings")).parent().expect("it lies in a folder");
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh").args(["-c", line]).env("PATH", path).output().expect("there is a shell");
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    let said = text(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{line}: {}{said}", text(&output.stdout));
    text(&output.stdout)
}

/// The words of a text, with one space between any two.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_command_runs_and_prints_what_the_page_shows() {
    if common::device().is_none() {
        return;
    }
    let blocks = blocks();
    let (mut commands, mut compared) = (0, 0);
    'blocks: for (at, block) in blocks.iter().enumerate() {
        if block.language != "sh" {
            continue;
        }
        let mut printed = String::new();
        for line in block.lines.iter().filter(|line| !line.is_empty()) {
            assert!(line.starts_with("starlings sync"), "this is no place for {line}");
            if line.contains("sync prove") && common::validated_device().is_none() {
                continue 'blocks;
            }
            let output = shell(line);
            let fits = output.lines().all(|line| line.chars().count() <= 120);
            assert!(fits || line.contains("--format"), "{line} prints lines that are too long:\n{output}");
            printed += &words(&output);
            commands += 1;
        }
        for line in blocks.get(at + 1).filter(|next| next.language == "text").iter().flat_map(|next| &next.lines) {
            // An ellipsis stands for what differs from device to device, or would be too much to show.
            for part in line.split('…').map(words) {
                assert!(printed.contains(&part), "{:?} does not print\n{part}\nbut\n{printed}", block.lines);
                compared += 1;
            }
        }
    }
    assert!(commands >= 8 && compared >= 8, "only {commands} commands and {compared} parts of their output");
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
    assert!(compared >= 2, "only {compared} pictures");
}

#[test]
fn the_page_and_the_frame_have_the_same_dependencies() {
    let Some(device) = common::device() else { return };
    let mut recorded = BTreeSet::new();
    for search in SEARCHES {
        let mut settings = Settings::preset("counting-sort").expect("a known preset").with_boids(20_000);
        settings.search = search.search;
        let (plain, fish) =
            (Look::of(&settings), Look { shape: Shape::Fish, trail: 4.0 * settings.time_step, ..Look::of(&settings) });
        for (kind, look) in FrameKind::ALL.into_iter().flat_map(|kind| [(kind, plain), (kind, fish)]) {
            let influenced = Settings::preset("reynolds").expect("a known preset").with_boids(500);
            let influenced = Settings { search: search.search, leader: Some(0), ..influenced };
            let mut rehearsal =
                Rehearsal::with_look(&device, &influenced, look, kind, None).expect("a small flock fits");
            let influenced = rehearsal.journal(1, &[]).expect("it can be recorded");
            let mut rehearsal = Rehearsal::with_look(&device, &settings, look, kind, None).expect("a small flock fits");
            let plain = rehearsal.journal(1, &[]).expect("it can be recorded");
            let mut rehearsal = rehearsal.observing(Observation::Order).expect("there is room");
            let observed = rehearsal.journal(1, &[]).expect("it can be recorded");
            for journal in [plain, observed, influenced] {
                recorded.extend(journal.dependencies().map(|dependency| dependency.name.to_owned()));
            }
        }
    }
    let settings = Settings::preset("counting-sort").expect("a known preset").with_boids(500);
    let settings = Settings { engine: EngineKind::Cpu, search: Search::SortedGrid, ..settings };
    let mut rehearsal = Rehearsal::new(&device, &settings, FrameKind::Offscreen, None).expect("a small flock fits");
    let journal = rehearsal.journal(1, &[]).expect("it can be recorded");
    recorded.extend(journal.dependencies().map(|dependency| dependency.name.to_owned()));
    let explained: BTreeSet<String> = entries(PAGE).map(str::to_owned).collect();
    assert_eq!(explained, recorded, "dependencies with an entry of their own on the page, and those of the frame");
    let mentioned: BTreeSet<String> =
        PAGE.split('`').skip(1).step_by(2).filter(|name| is_name(name)).map(str::to_owned).collect();
    let unknown: Vec<&String> = mentioned.difference(&recorded).collect();
    assert!(unknown.is_empty(), "no dependency has the name {unknown:?}");
}

/// The names in bold, which begin a dependency's entry.
fn entries(page: &str) -> impl Iterator<Item = &str> {
    page.split("**`").skip(1).filter_map(|rest| rest.split("`**").next()).filter(|name| is_name(name))
}

fn is_name(name: &str) -> bool {
    name.contains("-to-") && name.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}
