//! What `starlings sync` prints, in every format, and what it refuses.

use crate::common;
use starlings::flock::search::{SEARCHES, Search};
use starlings::flock::{EngineKind, Settings};
use starlings_cli::sync::frames::fewest_boids;
use starlings_cli::sync::{FrameKind, FrameSpec, Rehearsal, Rehearse};
use std::collections::BTreeSet;
use std::process::Command;

fn settings(search: Search) -> Settings {
    Settings {
        search,
        ..Settings::preset("reynolds").expect("a known preset").with_boids(fewest_boids(EngineKind::Gpu, search))
    }
}

fn starlings(arguments: &str) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_starlings")).args(arguments.split(' ')).output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("plain text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn every_format_has_every_pass_and_every_dependency() {
    let Some(device) = common::device() else { return };
    for search in SEARCHES {
        for kind in FrameKind::ALL {
            let frame = FrameSpec::new(&settings(search.search), kind);
            let mut rehearsal = Rehearsal::new(&device, &frame, None).expect("a small flock fits");
            let journal = rehearsal.journal(1, &[]).expect("a journal");
            let passes: Vec<&str> = journal.passes().map(|pass| pass.name).collect();
            let dependencies: Vec<&str> = journal.dependencies().map(|dependency| dependency.name).collect();
            let print = |format: &str| {
                let arguments =
                    format!("sync --preset reynolds --search {} --frame {kind} --format {format}", search.name);
                let (status, out, err) = starlings(&arguments);
                assert_eq!((status, err.as_str()), (Some(0), ""), "{arguments}");
                out
            };

            let json: serde_json::Value = serde_json::from_str(&print("json")).expect("it is JSON");
            let named = |kind: &str| -> Vec<String> {
                let entries = json["entries"].as_array().expect("entries").iter();
                let names = entries.filter(|entry| entry["kind"] == kind).map(|entry| entry["name"].as_str());
                names.map(|name| name.expect("a name").to_owned()).collect()
            };
            assert_eq!(named("pass"), passes);
            assert_eq!(named("dependency"), dependencies);
            if (search.search, kind) != (Search::SortedGrid, FrameKind::Windowed) {
                continue; // The others differ in content, not in format.
            }

            let table = print("table");
            assert!(table.lines().all(|line| line.chars().count() <= 116), "{table}");
            for pass in &passes {
                assert!(table.lines().any(|line| line.starts_with(&format!("{pass} "))), "{pass}: {table}");
            }

            let (mermaid, dot) = (print("mermaid"), print("dot"));
            assert!(mermaid.starts_with("---\ntitle: ") && mermaid.contains("\n---\nflowchart TD\n"), "{mermaid}");
            let arrow = |line: &str| {
                let (from, rest) = line.trim().split_once(' ').expect("an arrow");
                let (label, to) = rest.strip_prefix("-->|\"").or(rest.strip_prefix("-.->|\""))?.split_once("\"| ")?;
                Some((from.to_owned(), label.to_owned(), to.to_owned()))
            };
            let (nodes, arrows): (Vec<&str>, Vec<&str>) =
                mermaid.lines().skip(4).partition(|line| line.contains("[\""));
            let declared: BTreeSet<&str> =
                nodes.iter().filter_map(|line| line.trim().split_once('[')).map(|node| node.0).collect();
            let mut drawn = BTreeSet::new();
            for line in &arrows {
                let (from, label, to) = arrow(line).unwrap_or_else(|| panic!("no arrow: {line}"));
                assert!(declared.contains(from.as_str()) && declared.contains(to.as_str()), "{line}");
                drawn.insert(label.split(':').next().expect("a name").to_owned());
            }
            assert_eq!(drawn, dependencies.iter().map(|&name| name.to_owned()).collect(), "{mermaid}");

            assert!(dot.starts_with("digraph frame {\n") && dot.trim_end().ends_with('}'), "{dot}");
            assert_eq!(dot.matches('"').count() % 2, 0, "{dot}");
            assert_eq!(dot.matches(" [label=\"").count(), arrows.len(), "{dot}");
            for name in &dependencies {
                assert!(dot.contains(&format!("[label=\"{name}: ")), "{name}: {dot}");
            }
        }
    }
}

#[test]
fn what_cannot_be_is_said_in_one_line() {
    for (arguments, status, said) in [
        ("sync --format tabel", 2, "--format is 'tabel'; accepted is one of table, mermaid, dot, svg, json"),
        ("sync --frame window", 2, "--frame is 'window'; accepted is one of windowed, offscreen, step, embedded"),
        ("sync --preset reynold", 2, "(did you mean 'reynolds'?)"),
        ("sync --search grid", 2, "--search is 'grid'; accepted is one of quantized-grid, sorted-grid, "),
        ("sync --steps 17", 2, "--steps is '17'; accepted is a whole number from 0 to 16"),
        (
            "sync prov",
            2,
            "there is no command 'prov'; accepted is one of prove, check, break, exercise, cost (did you mean \
            'prove'?)",
        ),
    ] {
        let (code, out, err) = starlings(arguments);
        assert_eq!((code, out.as_str(), err.lines().count()), (Some(status), "", 1), "{arguments}: {err}");
        assert!(err.contains(said), "{arguments}: {err}");
    }
    if common::device().is_none() {
        return;
    }
    let output = Command::new(env!("CARGO_BIN_EXE_starlings"))
        .args(["sync", "prove"])
        .env("VK_LAYER_PATH", "/nowhere")
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), said.lines().count()), (Some(3), 1), "{said}");
    assert!(said.contains("the validation layer is not installed"), "{said}");
}

/// What `sync --format svg` prints; recorded with the null driver, so that it is the same on every machine.
fn svg(arguments: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_starlings"));
    command.args(["sync", "--format", "svg"]).args(arguments.split_whitespace()).env("VK_DRIVER_FILES", "/nonexistent");
    let output = command.output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("plain text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_picture_over_time_has_lanes_passes_scopes_and_what_may_slide() {
    let print = |arguments: &str| {
        let (status, out, err) = svg(arguments);
        assert_eq!((status, err.as_str()), (Some(0), ""), "{arguments}");
        assert!(out.starts_with("<svg ") && out.trim_end().ends_with("</svg>"), "{out}");
        out
    };
    let whole = print("");
    for name in ["COMPUTE_SHADER", "FRAGMENT_SHADER", "display", "grid_clear", "compose", "picture-to-present"] {
        assert!(whole.contains(&format!(">{name}</text>")), "{name}: {whole}");
    }
    assert!(!whole.contains("fill-opacity"), "no barrier is lit");
    // Three stages of the draw wait for one of cull, and none would.
    let between = print("--dependency cull-to-draw");
    let count = |part: &str| between.matches(part).count();
    assert_eq!((count(">draw_boids</text>"), count("stroke-dasharray=\"6 3\"")), (3, 3), "{between}");
    assert!(
        between.contains("Without it draw_boids may run anywhere in the dashed line, as early as cull."),
        "{between}"
    );
    // The chain of two, lit; and a dependency without which the order remains.
    let chain = print("--frame step --from steer --to grid_count");
    assert!(
        chain.contains(">steer of the previous frame → grid_count, by downsweep-to-clear, clear-to-count</text>"),
        "{chain}"
    );
    assert_eq!(chain.matches("stroke=\"#c02050\" stroke-width=\"3\"").count(), 2);
    let covered = print("--frame step --dependency steer-to-count");
    assert!(covered.contains("Without it grid_count still waits, by others; but it need not see what steer wrote."));
    for (arguments, said) in [
        ("--dependency nonsense", "--dependency is nonsense"),
        ("--from nonsense --to steer", "--from is nonsense"),
        ("--from copy_to_image --to compose --frame offscreen", "--from is copy_to_image"),
        ("--from host --to steer", "--to is steer; accepted is a pass that waits for host"),
    ] {
        let (status, _, err) = svg(arguments);
        assert_eq!((status, err.lines().count()), (Some(2), 1), "{arguments}: {err}");
        assert!(err.contains(said), "{arguments}: {err}");
    }
    assert_eq!(starlings("sync --dependency cull-to-draw").0, Some(2), "other formats show the whole frame");
}
