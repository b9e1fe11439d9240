//! `starlings bench`.

use super::{assert_refused, run, text};
use std::fs;

#[test]
fn a_benchmark_names_every_pass() {
    let Some(device) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let passes = [
        "grid_clear",
        "grid_count",
        "scan_reduce",
        "scan_spine",
        "scan_downsweep",
        "sort_list",
        "sort_scatter",
        "steer",
    ];
    let table = run(folder.path(), "bench --boids 300,600 --warm-up 1 --repeats 3");
    assert_eq!((table.status.code(), text(&table.stderr).as_str()), (Some(0), ""));
    let json = run(folder.path(), "bench --boids 300 --warm-up 1 --repeats 3 --json --draw 64x36");
    let list: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    for pass in passes {
        assert_eq!(text(&table.stdout).matches(&format!("\n{pass} ")).count(), 2, "{pass}");
        let entry = list[0]["passes"].as_array().and_then(|passes| passes.iter().find(|p| p["name"] == pass));
        let entry = entry.unwrap_or_else(|| panic!("{pass} in {list}"));
        assert_eq!(entry["samples"], 3);
        assert!(entry["median_ms"].as_f64() <= entry["p99_ms"].as_f64());
    }
    assert!(list[0]["passes"].as_array().is_some_and(|passes| passes.iter().any(|p| p["name"] == "draw_boids")));
    for (flag, blocks) in [("", device.info().is_software()), ("--full-quality", false)] {
        let drawn = run(folder.path(), &format!("bench --boids 300 --warm-up 1 --repeats 3 --draw 65x37 {flag}"));
        let blocks = if blocks { " in blocks of 2 by 2 pixels" } else { "" };
        let head = format!("drawn at 65x37{blocks}, on ");
        assert!(text(&drawn.stdout).contains(&head), "{} {}", text(&drawn.stdout), text(&drawn.stderr));
    }
}

/// Kinds, a field of view, and the nearest few without a radius.
#[test]
fn kinds_and_the_nearest_of_all_pass_the_gate() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    for engine in ["gpu", "cpu"] {
        let line = format!(
            "bench --preset reynolds --engine {engine} --boids 2001 --warm-up 1 --repeats 2 --json --nearest 7 \
                --view-angle 120 --alignment-radius inf --kinds a:20/b:1,hunts=a --feelings a:b:0,0,0/b:a:1,-0.5,0"
        );
        let json = run(folder.path(), &line);
        assert_eq!((json.status.code(), text(&json.stderr).as_str()), (Some(0), ""));
        let list: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
        let gate = &list[0]["gate"];
        assert_eq!((&gate["samples"], &gate["pairs"], &gate["wrong_counts"]), (&2000.into(), &14000.into(), &0.into()));
    }
}

/// The benchmark's own flock on the available device: the gate passes, and each search is timed or reported as skipped.
#[test]
fn the_benchmark_passes_its_gate_and_times_every_search() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    for (state, peer) in [("U", "--peer"), ("F", "")] {
        let line = format!("bench --state {state} --boids 3000 --warm-up 2 --repeats 4 {peer} --json");
        let json = run(folder.path(), &line);
        assert_eq!((json.status.code(), text(&json.stderr).as_str()), (Some(0), ""));
        let list: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
        let flock = &list[0];
        assert_eq!(flock["state"], state);
        assert_eq!((&flock["gate"]["samples"], &flock["gate"]["wrong_counts"]), (&2000.into(), &0.into()));
        let number = |value: &serde_json::Value| value.as_f64().unwrap_or_else(|| panic!("no number in {flock}"));
        for sum in ["separation", "alignment", "cohesion"] {
            assert!(number(&flock["gate"]["sums_off_by"][sum]) <= 1e-6, "{sum}");
        }
        // A cube of 3,000 boids is mostly border: fewer neighbors than the 33.5 of an infinite flock, and more after
        // gathering.
        let neighbors = number(&flock["mean_neighbors"]["start"]);
        assert!(if state == "U" { (24.0..30.0).contains(&neighbors) } else { neighbors > 40.0 }, "{state} {neighbors}");
        let passes = flock["passes"].as_array().expect("a list");
        for pass in passes.iter().filter(|pass| pass["name"] != "frame" && pass["name"] != "unnamed") {
            assert!(number(&pass["bytes"]) > 0.0 && number(&pass["copy_bound_ms"]) > 0.0, "{pass}");
        }
        let count = passes.iter().find(|pass| pass["name"] == "grid_count").expect("it runs");
        let cells = number(&passes.iter().find(|pass| pass["name"] == "grid_clear").expect("it runs")["bytes"]);
        // 16 bytes read and 8 written per boid, each count read and written, and the parameters.
        let more = number(&count["bytes"]) - (24.0 * 3000.0 + 2.0 * cells);
        let parameters = size_of::<starlings::flock::layout::StepParams>() as f64;
        assert_eq!(more, parameters, "bytes more than stated in grid_count.comp");
        let searches = flock["peers"].as_array().expect("a list");
        // The CPU has two searches, on one thread and on all.
        let others = starlings::flock::search::SEARCHES.len() - 1 + 4;
        assert_eq!(searches.len(), if peer.is_empty() { 0 } else { others });
        for search in searches {
            assert!(search["skipped"].is_string() || search["gate"]["wrong_counts"] == 0, "{search}");
            assert!(search["skipped"].is_string() || number(&search["boid_steps_per_second"]) > 0.0, "{search}");
        }
    }
    let table = run(folder.path(), "bench --state U --boids 500 --warm-up 0 --repeats 3 --by-address");
    assert_eq!((table.status.code(), text(&table.stderr).as_str()), (Some(0), ""));
    let few = "bench --state U --boids 500 --warm-up 0 --repeats 3 --walls wrap --nearest 7 --view-angle 120";
    let table = run(folder.path(), few);
    assert_eq!((table.status.code(), text(&table.stderr).as_str()), (Some(0), ""));
    let table = run(folder.path(), "bench --state U --boids 500 --warm-up 0 --repeats 3 --neighbors 8,60");
    assert_eq!((table.status.code(), text(&table.stderr).as_str()), (Some(0), ""));
    let table = text(&table.stdout);
    for part in ["state U, 500 boids by quantized-grid", "gate: 500 of 500 boids have the", "in no named pass"] {
        assert_eq!(table.matches(part).count(), 2, "{part}: {table}");
    }
}

#[test]
fn a_plot_has_a_line_for_each_search() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let output = run(folder.path(), "bench --state U --boids 500,2000 --warm-up 1 --repeats 5 --quiet --plot cost.svg");
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
    let svg = fs::read_to_string(folder.path().join("cost.svg")).expect("a picture");
    assert!(svg.contains("U quantized-grid") && svg.matches("<circle").count() == 2, "{svg}");
    for (line, status, says) in [
        ("bench --plot a.png", 2, "--plot is 'a.png'; accepted is a file ending in .svg"),
        ("bench --plot cost.svg", 4, "already there; --force replaces it"),
    ] {
        assert_refused(&run(folder.path(), line), status, &[says], line);
    }
}

#[test]
fn systems_are_timed_at_each_size_in_every_way() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let json = run(folder.path(), "bench --systems --boids 60,400 --repeats 2 --json --plot a.svg");
    assert_eq!((json.status.code(), text(&json.stderr).as_str()), (Some(0), ""));
    let sizes: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    for (size, boids) in sizes.as_array().expect("a list").iter().zip([60, 400]) {
        assert_eq!((&size["state"], &size["boids"], &size["repeats"]), (&"U".into(), &boids.into(), &2.into()));
        let is_there = |way: &serde_json::Value| way["engine"] == "cpu-serial" && way["search"] == "all-pairs";
        let slowest = size["peers"].as_array().and_then(|peers| peers.iter().find(|way| is_there(way)));
        assert!(slowest.is_some_and(|way| way["boid_steps_per_second"].as_f64() > Some(0.0)), "{size}");
    }
    let svg = fs::read_to_string(folder.path().join("a.svg")).expect("a picture");
    assert!(svg.contains("U all-pairs, cpu-serial") && svg.matches("<circle").count() == 22, "{svg}");
    for (line, says) in [
        ("bench --systems --search tiles", "cannot be given together with"),
        ("bench --systems --state U", "cannot be given together with"),
        ("bench --systems --boids 0", "--boids is '0'; accepted is a whole number"),
        ("bench --systems --max-speed 0", "--max-speed is 0; accepted is a number above 0"),
    ] {
        assert_refused(&run(folder.path(), line), 2, &[says], line);
    }
}
