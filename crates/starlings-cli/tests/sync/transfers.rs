//! Uploads and downloads: their dependencies are needed, every bit of them, and a missing one is found.

use crate::frames::null_device;
use starlings_cli::sync::transfers::transfers;
use std::collections::BTreeSet;

#[test]
fn every_bit_of_the_dependencies_of_transfers_is_needed() {
    let all = transfers(&null_device()).expect("it can be recorded");
    assert_eq!(all.findings, Vec::<String>::new());
    assert_eq!(all.survivors().collect::<Vec<_>>(), Vec::<&_>::new());
    let names: BTreeSet<&str> = all.mutants.iter().map(|mutant| mutant.dependency).collect();
    let expected =
        ["download-to-host", "start-to-upload", "upload-to-sampling", "upload-to-shaders", "writers-to-download"];
    assert_eq!(names, BTreeSet::from(expected));
    let left_out = |name| all.mutants.iter().find(|of| of.dependency == name && of.bit.is_none()).expect("it is tried");
    let found = left_out("download-to-host").found.as_ref().expect("it is needed").to_string();
    assert_eq!(found, "RAW on staging buffer: download → host");
}
