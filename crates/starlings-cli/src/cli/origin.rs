//! What a run starts from: a picture, a config file, or a checkpoint; and the checkpoint that it leaves.

use super::config::file::ConfigFile;
use super::flock::FlockArgs;
use super::look::DrawnArgs;
use super::output::create;
use super::render::Samples;
use super::request::{self, Request};
use crate::export::{Checkpoint, Existing, OutputFile, remembered, video_memory};
use crate::flight::Flight;
use crate::{Error, Result};
use clap::Args;
use starlings::flock::{BoidState, Settings};
use starlings::render::Look;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// `--from` and `--resume`.
#[derive(Args, Debug)]
#[command(next_help_heading = "Flock")]
pub struct OriginArgs {
    /// Open a picture or a video by this program, with its settings, seed, look, camera and step, and the flight that
    /// has led there; or a config file; flags override it, but nothing that a flight leads to [default: none]
    #[arg(long, value_name = "FILE.png|.mp4|.gif|.toml", conflicts_with_all = ["config", "resume"])]
    from: Option<PathBuf>,
    /// Go on from this checkpoint, with its settings; flags that do not concern the start override them [default: none]
    #[arg(long, value_name = "FILE.npz", conflicts_with = "config")]
    resume: Option<PathBuf>,
}

/// What a run starts from.
#[derive(Debug, Default)]
pub struct Origin {
    /// The settings below the flags, if a file says some.
    file: Option<ConfigFile>,
    /// The size of the picture, in pixels.
    pub size: Option<(u32, u32)>,
    pub samples: Option<Samples>,
    /// The steps that lead from the start to the flock in the picture.
    pub step: Option<u32>,
    /// The flight that they are of, if settings were changed in it.
    pub flight: Option<Arc<Flight>>,
    /// The state to go on from, with the name of its file.
    resumed: Option<(PathBuf, Checkpoint)>,
}

impl OriginArgs {
    pub fn checkpoint(&self) -> Option<&Path> {
        self.resume.as_deref()
    }

    /// The file or the checkpoint that is to be opened, or the config file of `flock`.
    pub fn open(&self, flock: &FlockArgs) -> Result<Origin> {
        if let Some(path) = &self.from {
            return open(path);
        }
        let Some(path) = &self.resume else { return Ok(Origin { file: flock.file()?, ..Origin::default() }) };
        if let Some(name) = OF_THE_START.iter().find(|name| flock.values.has(name)) {
            let accepted = "nothing with --resume: a run goes on with the flock of its checkpoint";
            return Err(Error::flag(name, "given", accepted));
        }
        let checkpoint = Checkpoint::read(path).map_err(|reason| unusable(path, &reason))?;
        let file = ConfigFile::of_text(path, checkpoint.config.clone())?;
        Ok(Origin { file: Some(file), resumed: Some((path.clone(), checkpoint)), ..Origin::default() })
    }
}

/// Flags that say how a flock starts, or what its state means.
pub const OF_THE_START: [&str; 7] = ["preset", "boids", "seed", "density", "plane", "spawn", "spawn-speed"];

fn unusable(path: &Path, reason: &str) -> Error {
    Error::Input(format!("cannot open {}: {reason}; accepted is a file that --checkpoint has written", path.display()))
}

/// Opens a picture, a video or a config file.
pub fn open(path: &Path) -> Result<Origin> {
    let is = |ending: &str| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(ending));
    let unusable = |reason| {
        let accepted = "accepted is a picture that `render` or F12 has made, a video by them (.mp4, .gif), or a file \
                        ending in .toml";
        Error::Input(format!("cannot open {}: {reason}; {accepted}", path.display()))
    };
    if is("toml") || is("mp4") || is("gif") {
        let file = match is("toml") {
            true => ConfigFile::read(path, "from")?,
            false => ConfigFile::of_text(path, video_memory(path).map_err(unusable)?)?,
        };
        let step = file.flight.as_ref().map(|flown| flown.steps);
        return Ok(Origin { file: Some(file), step, ..Origin::default() });
    }
    let (size, memory) = remembered(path).map_err(unusable)?;
    if memory.step.is_none() {
        tracing::warn!(
            "{}: its settings alone do not lead to the flock in it, which went on from a checkpoint with other \
                settings, or with what no flight has (docs/files.md): this run starts at step 0",
            path.display()
        );
    }
    let samples = memory.samples.map(|count| {
        Samples::of(count).ok_or_else(|| {
            Error::Input(format!(
                "cannot open {}: this picture is damaged: it has {count} samples a pixel",
                path.display()
            ))
        })
    });
    let file = ConfigFile::of_text(path, memory.config)?;
    Ok(Origin {
        file: Some(file),
        size: Some(size),
        samples: samples.transpose()?,
        step: memory.step,
        ..Origin::default()
    })
}

impl Origin {
    /// The flock that `flags` ask for, over the file.
    pub fn flock(&mut self, flags: &FlockArgs) -> Result<Request> {
        let flown = self.file.as_mut().and_then(|file| file.flight.take());
        let asked = flags.settings_over(self.file.take(), None, flags.values.get("boids"))?;
        self.agree(&asked.settings)?;
        if let Some(flown) = flown {
            flown.check(&asked.settings)?;
            self.flight = flown.flight.is_changed().then_some(flown.flight);
        }
        Ok(asked)
    }

    /// The same with its look.
    pub fn drawn(&mut self, flags: &DrawnArgs) -> Result<(Request, Look)> {
        let asked = self.flock(&flags.flock)?;
        let mut look = asked.look(&flags.look)?;
        look.read_model()?;
        Ok((asked, look))
    }

    /// Refuses a checkpoint of another flock than its config says, and notes whether `settings` still lead to its
    /// state.
    fn agree(&mut self, settings: &Settings) -> Result<()> {
        let Some((path, checkpoint)) = &mut self.resumed else { return Ok(()) };
        let (boids, said) = (checkpoint.state.len(), settings.boids);
        if boids != said as usize {
            return Err(unusable(path, &format!("it holds {boids} boids, and its config says {said}")));
        }
        let own = request::alone(ConfigFile::of_text(path, checkpoint.config.clone())?)?.0.settings;
        checkpoint.replayable &= own == *settings;
        Ok(())
    }

    /// The flight to `asked`, which begins with its settings where nothing is changed.
    pub fn flight_to(&self, asked: &Request) -> Flight {
        self.flight.as_deref().cloned().unwrap_or_else(|| Flight::new(asked.settings.clone()))
    }

    /// The state to go on from, if it is not the start.
    pub fn checkpoint(&self) -> Option<&Checkpoint> {
        self.resumed.as_ref().map(|(_, checkpoint)| checkpoint)
    }

    /// The steps that have been taken when the run begins.
    pub fn first(&self) -> u32 {
        self.checkpoint().map_or(0, |checkpoint| checkpoint.step)
    }

    /// Whether the settings, or the flight to them, lead to the flock of this run.
    pub fn replayable(&self) -> bool {
        self.checkpoint().is_none_or(|checkpoint| checkpoint.replayable)
    }

    /// Whether the settings alone do.
    pub fn is_of_settings(&self) -> bool {
        self.replayable() && self.flight.is_none()
    }

    /// The step after `count` more steps, which the flag `flag` asks for.
    pub fn last(&self, count: u32, flag: &str) -> Result<u32> {
        let first = self.first();
        let accepted = || format!("a whole number up to {}: the checkpoint has {first} steps", u32::MAX - first);
        first.checked_add(count).ok_or_else(|| Error::flag(flag, count, accepted()))
    }
}

/// `--checkpoint`.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct CheckpointArgs {
    /// Write the whole state after the last step to this file, so that other runs can go on from it [default: none]
    #[arg(long, value_name = "FILE.npz")]
    checkpoint: Option<PathBuf>,
}

/// The checkpoint that a run leaves.
pub struct LastCheckpoint {
    pub file: OutputFile,
    /// Whether the settings alone lead to the flock of the run.
    pub replayable: bool,
    /// Settings, look and camera, as a config file.
    pub config: String,
}

impl LastCheckpoint {
    pub fn write(self, settings: &Settings, state: BoidState, step: u32) -> Result<()> {
        let LastCheckpoint { file, replayable, config } = self;
        Checkpoint { state, step, replayable, config }.write(file, settings)?;
        Ok(())
    }
}

impl CheckpointArgs {
    /// Opens the file, if requested, so that errors are reported before the run of a flock of `settings`.
    pub fn open(&self, settings: &Settings, existing: Existing) -> Result<Option<OutputFile>> {
        if let Some(path) = self.path().filter(|_| settings.states.is_on()) {
            let accepted = "nothing with --states: a checkpoint has no states";
            return Err(Error::flag("checkpoint", format!("'{}'", path.display()), accepted));
        }
        self.checkpoint.as_deref().map(|path| create(path, "checkpoint", "npz", existing)).transpose()
    }

    pub fn path(&self) -> Option<&Path> {
        self.checkpoint.as_deref()
    }
}
