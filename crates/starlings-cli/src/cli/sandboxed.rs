//! `--sandbox` ([`sandbox`]): what a command line names, and may therefore be opened.

use crate::export::{VideoFormat, followed};
use crate::sandbox::{self, Files};
use crate::{Error, Result};
use clap::ArgMatches;
use starlings::flock::obstacles::Obstacle;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Commands that need nothing beyond what their lines name. The others open a window, or ask about the machine.
const COMMANDS: [&str; 9] =
    ["render", "simulate", "sweep", "stats", "bench", "bake", "config", "presets", "sync check"];

/// Arguments that name a file, or for `render` a folder, to be written. Those of all others are read.
const WRITTEN: [&str; 7] = ["out", "export", "stats", "checkpoint", "plot", "pairs", "trace"];

/// Closes the sandbox around a program with these arguments.
///
/// # Errors
/// [`Error::NoSandbox`], and a line that names what cannot be in one.
pub fn enter(matches: &ArgMatches) -> Result<()> {
    let (mut name, mut matches) = (String::new(), matches);
    while let Some((next, below)) = matches.subcommand() {
        name = format!("{name} {next}").trim_start().to_owned();
        matches = below;
    }
    let refused = |given: &str, accepted: &str| Err(Error::flag("sandbox", format!("given with {given}"), accepted));
    if !COMMANDS.contains(&&*name) {
        return refused(&name, &format!("one of {}", COMMANDS.join(", ")));
    }
    if matches.try_contains_id("capture").unwrap_or(false) {
        return refused("--capture", "no capture: RenderDoc is another program");
    }
    let mut files = Files::default();
    for id in matches.ids().map(clap::Id::as_str) {
        let paths = matches.try_get_many::<PathBuf>(id).ok().flatten().unwrap_or_default();
        if WRITTEN.contains(&id) {
            files.written.extend(paths.map(|path| folder(path)));
        } else {
            files.read.extend(paths.cloned());
        }
    }
    // The same flags are keys of a config file, where they name nothing that is opened here.
    if let Ok(Some(obstacles)) = matches.try_get_one::<Vec<Obstacle>>("obstacle") {
        files.read.extend(obstacles.iter().filter_map(|obstacle| match obstacle {
            Obstacle::Mesh { model, .. } => Some(PathBuf::from(model.file())),
            _ => None,
        }));
    }
    if let Ok(Some(Some(model))) = matches.try_get_one::<Option<String>>("mesh") {
        files.read.push(model.into());
    }
    if let ("render", Some(out)) = (&*name, matches.try_get_one::<PathBuf>("out").ok().flatten())
        && let Some(VideoFormat::Mp4 | VideoFormat::Webm | VideoFormat::Gif) =
            out.extension().and_then(OsStr::to_str).and_then(VideoFormat::named)
    {
        return refused(&format!("--out '{}'", out.display()), "a video .y4m: ffmpeg is another program");
    }
    if name == "bake" {
        // Without --out.
        files.written.push(".".into());
    }
    // Buffers and pictures lie beside it.
    let beside = files.read.iter().filter(|path| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("gltf")));
    let beside: Vec<PathBuf> = beside.map(|path| folder(path)).collect();
    files.read.extend(beside);
    sandbox::enter(&files)
}

/// The nearest folder of `path`, or above it, that is there: itself if it is one.
fn folder(path: &Path) -> PathBuf {
    let real = std::path::absolute(followed(path)).unwrap_or_else(|_| path.to_owned());
    real.ancestors().find(|folder| folder.is_dir()).unwrap_or(&real).to_owned()
}
