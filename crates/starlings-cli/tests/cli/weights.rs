//! `--weights`: a factor for each boid, from a file.

use super::{assert_refused, run, text};
use std::fs;
use std::io::Write;

const FLIGHT: &str = "simulate --preset reynolds --boids 40 --steps 5 --every 5 --hash --leader 0 --current 1,0,0";

/// The same weights from either kind of file, in any order of lines, are the same to the bit; and they matter.
#[test]
fn weights_come_from_lines_or_an_archive() {
    if crate::common::device().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let weight = |id: usize| id as f32 / 16.0;
    let lines: Vec<String> = (0..40).rev().map(|id| format!("{id},{}", weight(id))).collect();
    fs::write(folder.path().join("a.csv"), format!("id,weight\n{}\n", lines.join("\n"))).expect("room");
    let ones: Vec<String> = (0..40).map(|id| format!("{id},1")).collect();
    fs::write(folder.path().join("ones.csv"), ones.join("\n")).expect("room");
    let mut archive = zip::ZipWriter::new(fs::File::create(folder.path().join("a.npz")).expect("room"));
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    archive.start_file("weight.npy", stored).expect("a new file");
    let header = format!("{:<117}\n", "{'descr': '<f4', 'fortran_order': False, 'shape': (40,), }");
    archive.write_all(b"\x93NUMPY\x01\x00\x76\x00").expect("room");
    archive.write_all(header.as_bytes()).expect("room");
    (0..40).for_each(|id| archive.write_all(&weight(id).to_le_bytes()).expect("room"));
    archive.finish().expect("room");

    let hash = |more: &str| {
        let output = run(folder.path(), &format!("{FLIGHT} {more}"));
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    assert_eq!(hash("--weights a.csv"), hash("--weights a.npz"));
    assert_ne!(hash("--weights a.csv"), hash(""));
    assert_eq!(hash("--weights ones.csv"), hash(""), "all heed");
}

#[test]
fn weights_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines =
        |weight: &str| (0..40).map(|id| format!("{id},{}\n", if id == 3 { weight } else { "1" })).collect::<String>();
    for (name, content) in [
        ("few.csv", "0,1\n".to_owned()),
        ("ones.csv", lines("1")),
        ("many.csv", lines("1") + "40,1\n"),
        ("nan.csv", lines("NaN")),
        ("negative.csv", lines("-1")),
        ("huge.csv", lines("1e30")),
        ("a.txt", lines("1")),
        ("a.npz", lines("1")),
        ("long.csv", "0,1\n".repeat(40_000)),
    ] {
        fs::write(folder.path().join(name), content).expect("room");
    }
    for (weights, says) in [
        ("few.csv", "--weights is 'few.csv' (it has none for boid 1); accepted is a .csv file of lines `id,weight`"),
        ("many.csv", "--weights is 'many.csv' (line 41 is for boid 40)"),
        ("nan.csv", "--weights (boid 3) is NaN; accepted is a number from 0 to 1000000"),
        ("negative.csv", "--weights (boid 3) is -1; accepted is"),
        ("huge.csv", "--weights (boid 3) is "),
        ("a.txt", "--weights is 'a.txt'; accepted is a .csv file"),
        ("a.npz", "--weights is 'a.npz' ("),
        ("long.csv", "--weights is 'long.csv' (this file has more than "),
        ("none.csv", "--weights is 'none.csv' (No such file"),
        ("few.csv --heed 0.5", "--weights is 'few.csv'; accepted is nothing: --heed says"),
    ] {
        let output = run(folder.path(), &format!("{FLIGHT} --weights {weights}"));
        assert_refused(&output, 2, &[says], weights);
    }
    let output = run(folder.path(), "simulate --preset reynolds --boids 40 --hash --weights ones.csv");
    assert_refused(&output, 2, &["nothing: it has no effect without --leader, --current or --targets"], "no influence");
}
