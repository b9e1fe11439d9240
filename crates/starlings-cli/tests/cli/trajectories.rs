//! Trajectories as text, and `stats`, which measures those of any program.

use super::{names, refused, run, text};
use std::fs;

#[test]
fn the_same_flock_has_the_same_measures_in_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let of = |name: &str| {
        let line = format!(
            "simulate --engine cpu-serial --search sorted-grid --preset reynolds --boids 50 --steps 20 --every 10 \
                --export {name} --stats {name}.order.csv --stats-every 10"
        );
        let output = run(folder.path(), &line);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains(&format!("{name}: 50 boids of reynolds, 20 steps, 3 samples")));
        let radius = if name.ends_with("npz") { "" } else { "--radius 2" };
        let output = run(folder.path(), &format!("stats {name} {radius}"));
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
        text(&output.stdout)
    };
    let (xyz, csv, npz) = (of("a.xyz"), of("a.csv"), of("a.npz"));
    assert_eq!(xyz, csv);
    assert!(xyz.starts_with("time [s],boids,polarization,milling,speed,nearest neighbor,"), "{xyz}");
    // As `--stats` says: polarization, milling and speed need no radius.
    let order = fs::read_to_string(folder.path().join("a.npz.order.csv")).expect("a table");
    let numbers = |line: &str| -> Vec<f64> { line.split(',').map(|n| n.parse().unwrap_or(f64::NAN)).collect() };
    for (line, order) in npz.lines().zip(order.lines()).skip(1) {
        let (found, order) = (numbers(line), numbers(order));
        // polarization, milling, nearest, neighbors, alone, speed; the archive says the radius.
        for (found, want) in [(2, 2), (3, 3), (5, 4), (6, 5), (7, 7), (4, 8)].map(|(f, w)| (found[f], order[w])) {
            assert!((found - want).abs() < 1e-4 * want.abs().max(1.0), "{found} instead of {want}: {line}");
        }
    }
    assert_eq!(npz.lines().count(), 4);
}

#[test]
fn tables_of_other_programs_are_measured() {
    let folder = tempfile::tempdir().expect("a folder");
    // Two pairs that fly apart, without velocities, in a box of edge 10: one pair is across its border.
    let table = "frame,individual,x,y\n0,a,1,1\n0,b,1,2\n0,c,0.5,9.5\n0,d,0.5,0.25\n\
                 1,a,2,1\n1,b,2,2\n1,c,1.5,9.5\n1,d,1.5,0.25\n";
    fs::write(folder.path().join("a.csv"), table).expect("room");
    let line = "stats a.csv --radius 1.1 --periodic 10,10 --out b.csv --pairs c.csv";
    let output = run(folder.path(), line);
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
    let rows = fs::read_to_string(folder.path().join("b.csv")).expect("a table");
    let row: Vec<&str> = rows.lines().nth(1).expect("a row").split(',').collect();
    // All fly along x: one cluster across the border, as a is 0.9 from d, and no correlation of fluctuations.
    assert_eq!(row[..5], ["0", "4", "1", "", "1"]);
    assert_eq!(row[7..], ["0", "1", "4", ""], "{rows}");
    assert!(fs::read_to_string(folder.path().join("c.csv")).expect("a table").starts_with("distance,g,"));
    let open = text(&run(folder.path(), "stats a.csv --radius 1.1").stdout);
    let row: Vec<&str> = open.lines().nth(1).expect("a row").split(',').collect();
    assert_eq!(row[7..10], ["1", "2", "3"], "{open}");
    assert_eq!(names(folder.path()), ["a.csv", "b.csv", "c.csv"]);
}

#[test]
fn attraction_that_has_no_zone_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = "simulate --engine cpu-serial --preset couzin --steps 1 --export a.csv --cohesion-weight 3 --force";
    assert_eq!(text(&run(folder.path(), line).stderr), "");
    let said = text(&run(folder.path(), &format!("{line} --alignment-radius 5 --cohesion-radius 5")).stderr);
    assert!(said.contains("--cohesion-weight 3 has no effect: this law attracts from"), "{said}");
}

#[test]
fn texts_tell_the_kind_of_each_boid() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, between) in [("a.csv", ','), ("a.xyz", ' ')] {
        let line = "simulate --engine cpu-serial --preset reynolds --boids 4 --kinds red:3/blue:1 --steps 1 --every 1";
        let output = run(folder.path(), &format!("{line} --export {name}"));
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let whole = fs::read_to_string(folder.path().join(name)).expect("a text");
        let rows = whole.lines().filter(|row| row.split(between).count() >= 8 && !row.contains("kind"));
        let kinds: Vec<&str> = rows.filter_map(|row| row.rsplit(between).next()).collect();
        assert_eq!(kinds, ["0", "0", "0", "1"].repeat(2), "{whole}");
        assert!(whole.contains("kind"), "{whole}");
        let output = run(folder.path(), &format!("stats {name} --radius 2"));
        assert_eq!(text(&output.stdout).lines().count(), 3, "{}", text(&output.stderr));
    }
}

/// Their velocities are differences by way of the box that the command line names; one moment has none.
#[test]
fn boids_that_cross_the_border_of_the_box_have_their_speed() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = "frame,id,x,y\n0,1,9.5,1\n0,2,5,9.5\n1,1,0.5,1\n1,2,6,9.5\n2,1,1.5,1\n2,2,7,9.5\n";
    fs::write(folder.path().join("a.csv"), table).expect("room");
    fs::write(folder.path().join("one.csv"), &table[..table.find("1,1,0.5").expect("a row")]).expect("room");
    let rows = |line: &str| text(&run(folder.path(), line).stdout);
    let found = rows("stats a.csv --radius 1 --periodic 10,10");
    for (row, frame) in found.lines().skip(1).zip(0..) {
        let row: Vec<&str> = row.split(',').collect();
        assert_eq!(row[..5], [frame.to_string().as_str(), "2", "1", "", "1"], "{found}");
    }
    assert_eq!(found.lines().count(), 4);
    let one = rows("stats one.csv --radius 1 --periodic 10,10");
    assert!(one.lines().nth(1).is_some_and(|row| row.starts_with("0,2,,,,")), "{one}");
    // The plane of this program's flocks is that of x and z.
    let line = format!("stats {} --radius 1 --periodic 10,0,10", folder.path().join("a.csv").display());
    refused(&line, 2, &["--periodic is without extent along y; accepted is three edges"]);
}

#[test]
fn what_is_no_trajectory_is_refused_by_what_is_wrong_with_it() {
    refused("stats nothing.csv --radius 1", 2, &["cannot measure nothing.csv", "accepted is a trajectory"]);
    refused("stats /dev/zero --radius 1", 2, &["cannot measure /dev/zero", "does not end in"]);
    refused("stats a.csv --radius 0", 2, &["--radius", "a number above 0"]);
    refused("stats a.csv --radius 1 --periodic 0,0", 2, &["--periodic", "two or three edges"]);
    refused(
        "stats a.csv --radius 1 --out a.csv",
        2,
        &["--out is '", "a.csv'; accepted is a file other than that of FILE"],
    );
}
