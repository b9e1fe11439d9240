//! `--states`: what a run exports and counts, and what is refused.

use super::{assert_refused, names, run, text};
use starlings::transitions::STATES;
use std::fs;
use std::io::Read;
use std::path::Path;

/// The words of the array `state` of an archive.
fn states(path: &Path) -> Vec<u32> {
    let mut zip = zip::ZipArchive::new(fs::File::open(path).expect("an archive")).expect("a zip file");
    let mut bytes = Vec::new();
    zip.by_name("state.npy").expect("the states").read_to_end(&mut bytes).expect("all of them");
    npyz::NpyFile::new(&bytes[..]).expect("an array").into_vec().expect("unsigned numbers")
}

#[test]
fn a_run_exports_states_and_counts_them() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let line = "simulate --preset counting-sort --states birds --boids 500 --steps 130 --every 50 --export a.npz \
        --stats a.csv --stats-every 50";
    let output = run(folder.path(), line);
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
    let states = states(&folder.path().join("a.npz"));
    assert_eq!(states.len(), 3 * 500, "samples after 0, 50 and 100 steps");
    let table = fs::read_to_string(folder.path().join("a.csv")).expect("a table");
    let mut lines = table.lines();
    assert!(
        lines
            .next()
            .is_some_and(|names| names.ends_with(",lost,flap,glide,bank left,bank right,descend,perch,take off,flee")),
        "{table}"
    );
    for (sample, line) in lines.enumerate() {
        let row: Vec<&str> = line.split(',').collect();
        assert_eq!(row[0], (50 * sample).to_string());
        let counts: Vec<usize> = row[row.len() - 8..].iter().map(|count| count.parse().expect("a count")).collect();
        let of_sample = &states[500 * sample..500 * (sample + 1)];
        let wanted: Vec<usize> =
            (0..8).map(|state| of_sample.iter().filter(|&&other| other == state).count()).collect();
        assert_eq!(counts, wanted, "row {sample}: {STATES:?}");
        assert!(sample == 0 || counts[0] < 500, "some have changed");
    }
    let plain = run(folder.path(), "simulate --preset counting-sort --boids 50 --steps 1 --export b.npz --stats b.csv");
    assert_eq!(plain.status.code(), Some(0), "{}", text(&plain.stderr));
    let table = fs::read_to_string(folder.path().join("b.csv")).expect("a table");
    assert!(table.lines().next().is_some_and(|names| names.ends_with(",lost")), "{table}");
}

#[test]
fn states_that_nothing_keeps_are_refused() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    for (line, parts) in [
        ("simulate --engine cpu --states birds --export a.npz", ["--states is birds", "none with --engine cpu"]),
        ("simulate --states birds --checkpoint a.npz", ["--checkpoint is 'a.npz'", "a checkpoint has no states"]),
        ("simulate --states bird --export a.npz", ["--states is 'bird'", "did you mean 'birds'?"]),
        ("render --color state --out a.png", ["--color is 'state'", "any other"]),
    ] {
        assert_refused(&run(folder.path(), line), 2, &parts, line);
        assert!(names(folder.path()).is_empty(), "{line} leaves no file");
    }
}

#[test]
fn states_are_drawn_in_colors_of_their_own() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let drawn = |color: &str, name: &str| {
        let line = format!(
            "render --preset counting-sort --states birds --boids 400 --frames 120 --backdrop paper --color {color} \
                --size 160x90 --near --out {name}"
        );
        let output = run(folder.path(), &line);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        super::pixels(&folder.path().join(name))
    };
    assert_ne!(drawn("state", "a.png"), drawn("id", "b.png"));
}
