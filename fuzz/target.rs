//! Each target is this file, and its name a format: an input is repaired, parsed, and refused in one line if at all.
#![no_main]

#[path = "../crates/starlings-cli/tests/inputs/repair.rs"]
mod repair;

use starlings_cli::inputs;
use std::path::PathBuf;
use std::sync::LazyLock;
use tempfile::TempDir;

const FORMAT: &str = env!("CARGO_BIN_NAME");

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    static FOLDER: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a folder"));
    let extension = inputs::FORMATS.iter().find(|(name, _)| *name == FORMAT).expect("a format").1;
    let path: PathBuf = FOLDER.path().join(format!("a.{extension}"));
    let mut bytes = bytes.to_vec();
    // Inputs with wrong checksums are of interest, too.
    if bytes.len().is_multiple_of(2) {
        repair::repair(FORMAT, &mut bytes);
    }
    if let Err(line) = inputs::parse(FORMAT, &bytes, &path) {
        assert!(!line.is_empty() && !line.chars().any(char::is_control), "{line:?}");
    }
});
