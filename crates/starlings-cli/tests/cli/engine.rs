//! Engines: refused combinations, and runs on a machine without Vulkan.

use super::{COMMANDS, assert_refused, names, refused, run, starlings, text};
use starlings::flock::search::SEARCHES;
use starlings::flock::{PRESETS, Search};
use std::path::Path;
use std::process::Output;

#[test]
fn unknown_engines_and_combinations_are_refused() {
    for command in COMMANDS {
        let line = |rest: &str| format!("{command} {rest}");
        let accepted = "accepted is one of gpu, cpu, cpu-serial (did you mean 'cpu'?)";
        refused(&line("--engine cpus"), 2, &["--engine is 'cpus'", accepted]);
        let others = SEARCHES.iter().filter(|info| ![Search::SortedGrid, Search::AllPairs].contains(&info.search));
        for search in others.map(|info| info.name) {
            for engine in ["cpu", "cpu-serial"] {
                let accepted = format!("accepted is sorted-grid or all-pairs with --engine {engine}");
                let said = format!("--search is {search}; {accepted}");
                refused(&line(&format!("--engine {engine} --search {search}")), 2, &[&said]);
            }
        }
    }
    refused("sync --engine cpu --search tiles", 2, &["--search is tiles; accepted is sorted-grid or all-pairs"]);
    refused("sync break --engine cpu", 2, &["--engine is cpu; accepted is gpu: only steps on the GPU can be broken"]);
}

/// Engines with searches and presets, from the command line: a combination runs, or one line names what would. The GPU
/// engine takes each search with one preset, and each preset with its own search: the kernel tests have all
/// combinations.
#[test]
fn every_combination_runs_or_is_refused_by_name() {
    let gpu = crate::common::device().is_some();
    let folder = tempfile::tempdir().expect("a folder");
    let mut ran = 0;
    for (engine, preset) in ["gpu", "cpu", "cpu-serial"].into_iter().flat_map(|e| PRESETS.iter().map(move |p| (e, p))) {
        for info in SEARCHES {
            let exists = engine == "gpu" || [Search::SortedGrid, Search::AllPairs].contains(&info.search);
            if engine == "gpu" && !(gpu && (preset.settings().search == info.search || preset.name == "reynolds")) {
                continue;
            }
            let line = format!("simulate --preset {} --engine {engine} --search {}", preset.name, info.name);
            let output = run(folder.path(), &format!("{line} --boids 40 --steps 2 --export a.npz --force --quiet"));
            if exists {
                assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""), "{line}");
                let done = format!("a.npz: 40 boids of {}, 2 steps, ", preset.name);
                assert!(text(&output.stdout).starts_with(&done), "{line}: {}", text(&output.stdout));
                ran += 1;
            } else {
                let says =
                    format!("--search is {}; accepted is sorted-grid or all-pairs with --engine {engine}", info.name);
                assert_refused(&output, 2, &[&says], &line);
            }
        }
    }
    let by_device = PRESETS.len() + SEARCHES.len() - 1;
    assert_eq!(ran, 4 * PRESETS.len() + if gpu { by_device } else { 0 });
    assert_eq!(names(folder.path()), ["a.npz"]);
}

#[test]
fn flags_for_an_unused_device_are_refused() {
    for flag in ["--gpu 0", "--validation", "--capture 1"] {
        let name = flag.split(' ').next().expect("a name");
        let said = format!("{name} is given; accepted is nothing: --engine cpu-serial uses no device");
        refused(&format!("simulate --export a.npz --steps 1 --engine cpu-serial {flag}"), 2, &[&said]);
    }
    for flag in ["--peer", "--draw 64x64", "--plot a.svg", "--gpu 0"] {
        let name = flag.split(' ').next().expect("a name");
        let said = format!("{name} is given; accepted is nothing: --engine cpu uses no device");
        refused(&format!("bench --engine cpu {flag}"), 2, &[&said]);
    }
}

/// With a Vulkan loader that finds no driver.
fn without_vulkan(folder: &Path, line: &str) -> Output {
    let arguments: Vec<&str> = line.split_whitespace().collect();
    let mut command = starlings(folder, &arguments);
    command.env("VK_DRIVER_FILES", "/nowhere.json").env("VK_ICD_FILENAMES", "/nowhere.json");
    command.output().expect("the program starts")
}

#[test]
fn the_cpu_engine_needs_no_vulkan() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |line: &str| without_vulkan(folder.path(), line);
    assert_eq!(run("simulate --export gpu.npz --boids 100 --steps 2 --quiet").status.code(), Some(3));
    let mut archives = Vec::new();
    for (engine, file) in [("cpu", "a.npz"), ("cpu-serial", "b.npz")] {
        let output =
            run(&format!("simulate --export {file} --boids 3000 --steps 20 --every 5 --engine {engine} --quiet"));
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
        let answer = text(&output.stdout);
        assert!(
            answer.starts_with(&format!("{file}: 3,000 boids of counting-sort, 20 steps, 5 samples, ")),
            "{answer}"
        );
        assert_eq!(
            answer.contains(" on 1 thread\n"),
            engine == "cpu-serial" || !answer.contains("threads"),
            "{answer}"
        );
        archives.push(positions(&folder.path().join(file)));
    }
    assert_eq!(names(folder.path()), ["a.npz", "b.npz"]);
    assert_eq!(archives[0], archives[1], "all cores and one lead to the same bits");
}

/// The bytes of all positions in an archive.
fn positions(path: &Path) -> Vec<u8> {
    let file = std::fs::File::open(path).expect("an archive");
    let mut archive = zip::ZipArchive::new(file).expect("an archive");
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut archive.by_name("position.npy").expect("positions"), &mut bytes).expect("bytes");
    bytes
}

#[test]
fn the_benchmark_checks_and_times_the_cpu_engine() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = "bench --engine cpu --state U --boids 4000 --warm-up 1 --repeats 4 --quiet";
    let table = without_vulkan(folder.path(), line);
    assert_eq!((table.status.code(), text(&table.stderr).as_str()), (Some(0), ""));
    let table = text(&table.stdout);
    for part in ["gate: 2,000 of 4,000 boids", "count", "scan", "scatter", "steer", "whole step", "in no named pass"] {
        assert!(table.lines().any(|line| line.starts_with(part)), "no {part} in {table}");
    }
    let json = without_vulkan(folder.path(), &format!("{line} --json"));
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("it is JSON");
    let run = &json[0];
    assert_eq!((run["engine"].as_str(), run["boids"].as_u64()), (Some("cpu"), Some(4_000)));
    assert_eq!(run["gate"]["wrong_counts"], 0);
    assert!(run["threads"].as_u64() > Some(0) && run["mean_neighbors"]["end"].as_f64() > Some(10.0), "{run}");
    assert_eq!(run["passes"].as_array().expect("passes").len(), 6);
    let both = without_vulkan(folder.path(), &format!("{line} --engine cpu-serial"));
    assert_eq!(both.status.code(), Some(2), "an engine is given once");
}
