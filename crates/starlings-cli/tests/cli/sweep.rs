//! `sweep`: a row for each run, with the means of its samples; a sweep goes on where it stopped.

use super::{assert_refused, names, refused, run, text};
use std::fs;

const LINE: &str = "sweep --engine cpu-serial --search sorted-grid --preset reynolds --boids 60 --quiet --vary \
                    cohesion-weight=0:1:2 --vary walls=push,none --seeds 2 --warm-up 6 --samples 3 --every 2 --out a.csv";

fn table(text: &str) -> (Vec<&str>, Vec<Vec<&str>>) {
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    (lines.next().expect("names of columns"), lines.collect())
}

#[test]
fn every_combination_has_a_row_with_the_means_of_its_samples() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = run(folder.path(), &format!("{LINE} --plot a.svg"));
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
    assert!(text(&output.stdout).starts_with("a.csv: 8 runs, in "), "{}", text(&output.stdout));
    let csv = fs::read_to_string(folder.path().join("a.csv")).expect("a table");
    let (head, rows) = table(&csv);
    assert_eq!(&head[..5], ["cohesion-weight", "walls", "seed", "settings", "samples"]);
    let varied: Vec<_> = rows.iter().map(|row| [row[0], row[1], row[2]]).collect();
    let seeds = [varied[0][2], varied[1][2]];
    let all =
        ["0", "1"].iter().flat_map(|w| ["push", "none"].map(|walls| seeds.map(|seed| [*w, walls, seed])).concat());
    assert_eq!(varied, all.collect::<Vec<_>>());
    let plot = fs::read_to_string(folder.path().join("a.svg")).expect("a plot");
    assert!(plot.contains("walls none") && plot.contains("cohesion-weight"), "{plot}");

    // The last row, by the same run alone: samples at steps 6, 8 and 10.
    let line = format!(
        "simulate --engine cpu-serial --search sorted-grid --preset reynolds --boids 60 --cohesion-weight 1 --walls \
            none --seed {} --steps 10 --hash --every 10 --stats b.csv --stats-every 2",
        seeds[1]
    );
    assert_eq!(run(folder.path(), &line).status.code(), Some(0));
    let stats = fs::read_to_string(folder.path().join("b.csv")).expect("a table");
    let (_, stats) = table(&stats);
    let samples: Vec<f64> = stats[3..].iter().map(|row| row[2].parse().expect("polarization")).collect();
    assert_eq!((samples.len(), stats[3][0], rows[7][4]), (3, "6", "3"));
    let moment = |power: i32| samples.iter().map(|p| p.powi(power)).sum::<f64>() / 3.0;
    let want = [
        ("polarization", moment(1)),
        ("polarization sd", (moment(2) - moment(1).powi(2)).sqrt()),
        ("Binder cumulant", 1.0 - moment(4) / (3.0 * moment(2).powi(2))),
    ];
    for (name, want) in want {
        let at = head.iter().position(|column| *column == name).expect("a column");
        let found: f64 = rows[7][at].parse().expect("a number");
        assert!((found - want).abs() < 1e-4, "{name}: {found} instead of {want}");
    }
}

/// A thread ends a run before it begins another: or else the stack is soon full.
#[test]
fn runs_side_by_side_are_not_within_each_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = "sweep --engine cpu-serial --search sorted-grid --preset reynolds --boids 2 --quiet --vary \
                noise=0:1:300 --warm-up 0 --samples 1 --out a.csv";
    let output = run(folder.path(), line);
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
}

#[test]
fn a_sweep_goes_on_with_the_rows_that_are_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.csv");
    assert_eq!(run(folder.path(), LINE).status.code(), Some(0));
    let whole = fs::read_to_string(&path).expect("a table");
    assert_refused(&run(folder.path(), LINE), 4, &["it is already there"], "a second time");
    // A row that was made before stays, whatever it says; those that are missing are made.
    let kept: Vec<String> = whole.lines().take(4).map(|line| line.replace(",3,", ",77,")).collect();
    fs::write(&path, kept.join("\n") + "\n").expect("room");
    let output = run(folder.path(), &format!("{LINE} --append"));
    assert!(text(&output.stdout).starts_with("a.csv: 8 runs, 3 of them from before"), "{}", text(&output.stdout));
    let rest: Vec<&str> = whole.lines().skip(4).collect();
    let all = kept.iter().map(String::as_str).chain(rest).collect::<Vec<_>>().join("\n") + "\n";
    assert_eq!(fs::read_to_string(&path).expect("a table"), all);
    // Other settings are other runs.
    let other = format!("{LINE} --append --time-step 0.01");
    assert_refused(&run(folder.path(), &other), 2, &["--out is 'a.csv'", "line 2 is of a run"], "others");
    assert_eq!(names(folder.path()), ["a.csv"]);
}

/// On a device flocks are stepped at once, those of other kernels apart.
#[test]
fn a_row_is_the_same_of_many_flocks_and_of_one() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.csv");
    let line = LINE.replace("cpu-serial --search sorted-grid", "gpu").replace("push,none", "push,wrap");
    let output = run(folder.path(), &line);
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
    let whole = fs::read_to_string(&path).expect("a table");
    assert_eq!(whole.lines().count(), 9);
    for alone in [1, 7] {
        let others = whole.lines().enumerate().filter(|(at, _)| *at != alone).map(|(_, line)| format!("{line}\n"));
        fs::write(&path, others.collect::<String>()).expect("room");
        let output = run(folder.path(), &format!("{line} --append"));
        assert!(text(&output.stdout).starts_with("a.csv: 8 runs, 7 of them from before"), "{}", text(&output.stderr));
        assert_eq!(fs::read_to_string(&path).expect("a table"), whole);
    }
}

#[test]
fn one_flock_goes_there_and_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let usual = "sweep --engine cpu-serial --preset reynolds --boids 60 --quiet --warm-up 4 --samples 2 --every 3";
    let line = format!(
        "{usual} --vary cohesion-weight=0,1 --along alignment-weight=1,2 --there-and-back --out a.csv --plot a.svg \
            --columns polarization,neighbors"
    );
    let output = run(folder.path(), &line);
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
    let csv = fs::read_to_string(folder.path().join("a.csv")).expect("a table");
    let (head, rows) = table(&csv);
    assert_eq!(&head[..4], ["cohesion-weight", "alignment-weight", "way", "seed"]);
    let varied: Vec<_> = rows.iter().map(|row| [row[0], row[1], row[2]]).collect();
    assert_eq!(varied, [["0", "1", "there"], ["1", "2", "there"], ["0", "1", "back"]]);
    // The first is a run from the start; the last has the same settings, and is of the flock that came back.
    let alone = format!("{usual} --vary cohesion-weight=0 --alignment-weight 1 --out b.csv");
    assert_eq!(run(folder.path(), &alone).status.code(), Some(0));
    let alone = fs::read_to_string(folder.path().join("b.csv")).expect("a table");
    let (_, alone) = table(&alone);
    assert_eq!(rows[0][6..], alone[0][4..]);
    assert_ne!(rows[2][6..], alone[0][4..]);
    let plot = fs::read_to_string(folder.path().join("a.svg")).expect("a plot");
    assert!(plot.contains("polarization, there") && plot.contains("neighbors, back"), "{plot}");
    // A flock whose rows are not all there starts over.
    let path = folder.path().join("a.csv");
    fs::write(&path, csv.lines().take(2).collect::<Vec<_>>().join("\n") + "\n").expect("room");
    let output =
        run(folder.path(), &line.replace("--plot a.svg", "--append").replace("--columns polarization,neighbors", ""));
    assert!(text(&output.stdout).starts_with("a.csv: 3 runs, in "), "{}{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(fs::read_to_string(&path).expect("a table"), csv);
}

#[test]
fn sweeps_that_cannot_be_are_refused_before_the_first_run() {
    refused("sweep --out a.csv", 2, &["--vary"]);
    refused("sweep --vary boids=10,20 --out a.txt --engine cpu", 2, &["--out is 'a.txt'", "ending in .csv"]);
    refused("sweep --vary fov=10,20 --out a.csv", 2, &["--vary", "a flag of a flock"]);
    refused("sweep --vary boids=10 --boids 20 --out a.csv", 2, &["--vary is 'boids=…'"]);
    refused("sweep --vary boids=10 --vary boids=20 --out a.csv", 2, &["--vary is 'boids=…'"]);
    refused("sweep --vary max-speed=1,-1 --preset reynolds --out a.csv", 2, &["--max-speed is -1"]);
    let line = "sweep --vary boids=10,20 --along density=1,2,3 --out a.csv";
    refused(line, 2, &["--along is 'density=…'; accepted is 2 values, as many as boids has"]);
    refused(
        "sweep --vary boids=10 --columns order --plot a.svg --out a.csv",
        2,
        &["--columns", "one of polarization, "],
    );
    refused("sweep --vary boids=1:10000:10000 --seeds 200 --out a.csv", 2, &["at most 1000000 runs"]);
}
