//! `--stats`: a row for each sample, with the right numbers, and no partial files.

use super::{assert_refused, names, refused, run, text};
use starlings::flock::order::WITHIN;
use starlings::flock::{Settings, spawn};
use starlings::reference::order::order_parameters;
use std::fs;
use std::path::Path;

/// The rows of a table, without the names of the columns.
fn rows(path: &Path) -> Vec<Vec<f64>> {
    let table = fs::read_to_string(path).expect("a table");
    let mut lines = table.lines();
    let columns = lines.next().expect("names of columns").split(',').count();
    assert!(
        table.starts_with("step,time [s],polarization,milling,nearest neighbor [world units],neighbors,"),
        "{table}"
    );
    let row = |line: &str| -> Vec<f64> { line.split(',').map(|number| number.parse().unwrap_or(f64::NAN)).collect() };
    let rows: Vec<Vec<f64>> = lines.map(row).collect();
    assert!(rows.iter().all(|row| row.len() == columns), "{table}");
    rows
}

fn steps(rows: &[Vec<f64>]) -> Vec<f64> {
    rows.iter().map(|row| row[0]).collect()
}

#[test]
fn a_simulation_leaves_the_order_parameters_of_its_samples() {
    let Some(_) = crate::common::device() else { return };
    leaves_order_parameters("gpu");
}

#[test]
fn a_simulation_on_the_processor_leaves_them_too() {
    leaves_order_parameters("cpu");
    leaves_order_parameters("cpu-serial");
}

fn leaves_order_parameters(engine: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let line = format!(
        "simulate --engine {engine} --search sorted-grid --preset reynolds --boids 300 --steps 40 --every 10 --export \
            a.npz --stats a.csv --stats-every 10"
    );
    let output = run(folder.path(), &line);
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
    let rows = rows(&folder.path().join("a.csv"));
    assert_eq!(steps(&rows), [0.0, 10.0, 20.0, 30.0, 40.0]);

    // The start, by the twin.
    let settings = Settings::preset("reynolds").expect("a known preset").with_boids(300);
    let want = order_parameters(&settings, &spawn(&settings), 0);
    let [_, time, polarization, milling, nearest, neighbors, most, alone, speed, ..] = rows[0][..] else {
        panic!("too few columns in {rows:?}")
    };
    for (got, want) in [
        (time, 0.0),
        (polarization, want.polarization),
        (milling, want.milling),
        (nearest, want.nearest.expect("300 boids have neighbors")),
        (neighbors, want.neighbors),
        (most, want.most_neighbors.into()),
        (alone, want.alone.into()),
        (speed, want.speed),
    ] {
        // The table also has the rounding of single precision.
        assert!((got - want).abs() <= (WITHIN + 1e-7) * want.abs().max(1.0), "{got} instead of {want}");
    }

    // The others, from the velocities of the same steps in the archive.
    let file = fs::File::open(folder.path().join("a.npz")).expect("an archive");
    let mut zip = zip::ZipArchive::new(file).expect("a zip archive");
    let velocity = npyz::NpyFile::new(zip.by_name("velocity.npy").expect("velocities")).expect("an array");
    let velocity: Vec<f32> = velocity.into_vec().expect("its elements");
    for (sample, row) in velocity.chunks(3 * 300).zip(&rows) {
        let headings = sample.chunks(3).map(|v| glam::Vec3::from_slice(v).as_dvec3().normalize());
        let polarization = headings.sum::<glam::DVec3>().length() / 300.0;
        assert!((row[2] - polarization).abs() <= WITHIN + 1e-7, "{} instead of {polarization}", row[2]);
    }
    assert!(rows[4][2] > rows[0][2] + 0.1, "a flock by Reynolds' rules begins to head one way: {rows:?}");
}

#[test]
fn pictures_come_with_order_parameters_too() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    for (line, table, want) in [
        ("render --frames 7 --out a.png --stats a.csv --stats-every 3", "a.csv", &[0.0, 3.0, 6.0][..]),
        ("render --frames 6 --out a.png --force --stats b.csv --stats-every 3", "b.csv", &[0.0, 3.0, 6.0]),
        ("render --frames 3 --out frames --stats c.csv --stats-every 1", "c.csv", &[0.0, 1.0, 2.0, 3.0]),
        ("render --frames 2 --out d.png --stats d.csv", "d.csv", &[0.0]),
        ("render --search all-pairs --frames 20 --out e.png --stats e.csv", "e.csv", &[0.0, 10.0, 20.0]),
        ("render --engine cpu --frames 7 --out g.png --stats g.csv --stats-every 3", "g.csv", &[0.0, 3.0, 6.0]),
        ("render --engine cpu --frames 6 --out h.png --stats h.csv --stats-every 3", "h.csv", &[0.0, 3.0, 6.0]),
        ("render --engine cpu-serial --frames 3 --out i --stats i.csv --stats-every 1", "i.csv", &[0.0, 1.0, 2.0, 3.0]),
        // Without a display, a picture stands in for the window.
        ("view --stats f.csv --stats-every 80", "f.csv", &[0.0, 80.0, 160.0, 240.0]),
    ] {
        let output = run(folder.path(), &format!("{line} --boids 100 --size 16x16"));
        assert_eq!(output.status.code(), Some(0), "{line}: {}", text(&output.stderr));
        assert_eq!(steps(&rows(&folder.path().join(table))), want, "{line}");
    }
}

#[test]
fn impossible_tables_are_refused() {
    for command in ["view", "render", "simulate --export a.npz"] {
        refused(&format!("{command} --stats a.txt"), 2, &["--stats is 'a.txt'; accepted is a file ending in .csv"]);
        refused(&format!("{command} --stats no/such/a.csv"), 4, &["cannot write no/such/a.csv: there is no folder"]);
        for value in ["0", "-1", "x", "1e30"] {
            let line = format!("{command} --stats a.csv --stats-every {value}");
            refused(&line, 2, &[&format!("--stats-every is '{value}'; accepted is a whole number from 1 to")]);
        }
        refused(&format!("{command} --stats-every 5"), 2, &["--stats <FILE.csv> is missing"]);
    }
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.csv"), "old").expect("room");
    for command in ["view", "render", "simulate --export a.npz"] {
        let line = format!("{command} --stats a.csv");
        assert_refused(&run(folder.path(), &line), 4, &["a.csv: it is already there; --force replaces it"], &line);
    }
    assert_eq!(
        (names(folder.path()), fs::read(folder.path().join("a.csv")).expect("it")),
        (vec!["a.csv".into()], b"old".to_vec())
    );
}
