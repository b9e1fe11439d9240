//! Where `render` puts its frames.

use super::Shots;
use crate::export::{Existing, OutputFile, OutputFolder, VideoFile, VideoFormat};
use crate::{Error, Result};
use std::io::{IsTerminal, Write};
use std::path::Path;

/// Where frames go.
pub enum Target {
    /// The last one into this file.
    File(OutputFile),
    /// All of them into this folder.
    Folder(OutputFolder),
    /// All of them into this video.
    Video(Box<VideoFile>),
}

/// What `--out` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A picture to standard output, or a video.
    StandardOutput {
        video: bool,
    },
    File,
    Folder,
    Video(VideoFormat),
}

impl Kind {
    /// What `path` names.
    pub fn of(path: &Path) -> Result<Kind> {
        let refused = |accepted| Error::flag("out", format!("'{}'", path.display()), accepted);
        let video = path == Path::new("-.y4m");
        // Programs that know no - are given one of these.
        let names = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
        if video || names.iter().any(|name| path == Path::new(name)) {
            return match std::io::stdout().is_terminal() {
                true => Err(refused("a file ending in .png or a folder: standard output is a terminal")),
                false => Ok(Kind::StandardOutput { video }),
            };
        }
        if path.as_os_str().as_encoded_bytes().starts_with(b"-") {
            // Likely a flag after a forgotten name.
            return Err(refused(
                "a file ending in .png or a folder, with ./ before a name that begins with -; or - or -.y4m alone",
            ));
        }
        let last = path.as_os_str().as_encoded_bytes().last();
        if last.is_some_and(|&byte| std::path::is_separator(byte.into())) {
            return Ok(Kind::Folder);
        }
        let format = path.extension().and_then(|extension| VideoFormat::named(extension.to_str()?));
        match (path.extension(), format) {
            (Some(extension), _) if extension.eq_ignore_ascii_case("png") => Ok(Kind::File),
            (_, Some(format)) if !path.is_dir() => Ok(Kind::Video(format)),
            (Some(_), _) if !path.is_dir() => Err(refused(
                "a file ending in .png, .mp4, .webm, .gif or .y4m, or a folder, with / at its end if there is a dot \
                    in its name",
            )),
            _ => Ok(Kind::Folder),
        }
    }
}

impl Target {
    /// Opens what `path` names, for the frames of `shots`, each shown for `seconds` in a video.
    pub fn create(kind: Kind, path: &Path, shots: &Shots, seconds: f32, existing: Existing) -> Result<Self> {
        Ok(match kind {
            Kind::StandardOutput { video: false } => Target::File(OutputFile::standard_output()?),
            Kind::StandardOutput { video: true } => {
                Target::Video(Box::new(VideoFile::standard_output(shots.size, seconds)))
            }
            Kind::File => Target::File(OutputFile::create(path, existing)?),
            Kind::Folder => {
                let is_ours = |name: &str| frame_of(name).is_some_and(|frame| (1..=shots.frames).contains(&frame));
                Target::Folder(OutputFolder::create(path, is_ours, existing)?)
            }
            Kind::Video(format) => {
                let (video, begun) = VideoFile::open(path, existing, format, shots.size, seconds)?;
                if begun != path {
                    let (wanted, begun) = (path.display(), begun.display());
                    // Ignored: stderr may be closed.
                    let _ = writeln!(
                        std::io::stderr(),
                        "starlings: {begun} instead of {wanted}: there is no program ffmpeg on PATH"
                    );
                }
                Target::Video(Box::new(video))
            }
        })
    }
}

/// The frame whose [`file_name`] is `name`.
fn frame_of(name: &str) -> Option<u32> {
    let frame = name.strip_prefix("frame_")?.strip_suffix(".png")?.parse().ok()?;
    (file_name(frame) == name).then_some(frame)
}

pub fn file_name(frame: u32) -> String {
    format!("frame_{frame:06}.png")
}
