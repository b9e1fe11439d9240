//! Every parser of what a user gives, behind one function, for the fuzz targets in `fuzz/` and the test `tests/inputs`.

use super::config::file::{ConfigFile, parse as parse_flags};
use super::origin::Origin;
use super::{Cli, failure, parsed, sync, weights, with_command};
use crate::camera_path::CameraPath;
use crate::export::{Checkpoint, read_model, remembered};
use crate::{Error, Result, trajectory};
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches};
use starlings::mesh::{Animated, BakeOptions, Mesh};
use std::cell::RefCell;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

/// What is parsed, by the name of its folder in `tests/corpus` and the extension of its files.
pub const FORMATS: [(&str, &str); 14] = [
    ("line", "txt"),
    ("config", "toml"),
    ("csv", "csv"),
    ("npz", "npz"),
    ("checkpoint", "npz"),
    ("obj", "obj"),
    ("model", "glb"),
    ("baked", "npz"),
    ("picture", "png"),
    ("archive", "npz"),
    ("table", "csv"),
    ("xyz", "xyz"),
    ("camera", "csv"),
    ("journal", "jsonl"),
];

/// Parses `bytes` as `format`, one of [`FORMATS`], by way of the file `path`, which is overwritten.
///
/// # Errors
/// The line that the program would print.
pub fn parse(format: &str, bytes: &[u8], path: &Path) -> Result<(), String> {
    // Some file systems wait for the disk when a file is overwritten.
    let _ = fs::remove_file(path);
    fs::write(path, bytes).map_err(|error| error.to_string())?;
    let parsed = match format {
        "line" => command_line(&String::from_utf8_lossy(bytes)),
        "config" => ConfigFile::read(path, "config").map(drop),
        "csv" | "npz" => weights::read(path, 3).map(drop),
        "checkpoint" => Checkpoint::read(path)
            .map_err(Error::Input)
            .and_then(|checkpoint| ConfigFile::of_text(path, checkpoint.config).map(drop)),
        "obj" => Mesh::read(path).map(drop).map_err(Error::from),
        "model" => {
            // Both read it, whether or not the other accepts it.
            let (mesh, options) = (Mesh::read(path), BakeOptions { frames: 3, ..BakeOptions::default() });
            let animated = Animated::bake(path, &options);
            mesh.map(drop).and(animated.map(drop)).map_err(Error::from)
        }
        "baked" => read_model(path).map(drop).map_err(Error::Input),
        "picture" => remembered(path)
            .map_err(Error::Input)
            .and_then(|(_, memory)| ConfigFile::of_text(path, memory.config).map(drop)),
        "archive" | "table" | "xyz" => trajectory::read(path, None).map(drop).map_err(Error::Input),
        "camera" => CameraPath::read(path).map(drop),
        "journal" => sync::judged(path, None).map(drop),
        _ => panic!("{format} is not one of FORMATS"),
    };
    parsed.map_err(|error| failure::line(&error))
}

fn command_line(text: &str) -> Result<()> {
    thread_local! {
        /// The program's definition: making it takes far longer than parsing a line.
        static DEFINITION: RefCell<Command> = RefCell::new(Cli::command());
    }
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    let line = std::iter::once("starlings").chain(text.split_whitespace()).map(OsString::from);
    let said = |matches: Result<ArgMatches, clap::Error>| match matches {
        Err(help) if !help.use_stderr() => Ok(()),
        matches => Cli::from_arg_matches(&matches?).map(drop),
    };
    DEFINITION.with_borrow_mut(|program| said(parsed(program, &with_command(line.collect()))))?;
    Origin::default().drawn(&parse_flags(&words)?).map(drop)
}
