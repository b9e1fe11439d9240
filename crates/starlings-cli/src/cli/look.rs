//! The options of a flock's look and camera, shared by the commands that draw one.

use super::flags::{FlagValues, OF_CAMERA, OF_LOOK};
use super::flock::FlockArgs;
use super::viewpoint::Viewpoint;
use crate::export::read_model;
use crate::{Error, Result};
use clap::Args;
use starlings::flock::Settings;
use starlings::render::Look;
use starlings::render::clips::Model;
use starlings::render::look::{Backdrop, Coloring, Shape};

/// A flock, its look and its camera: the flags that are also keys of a config file.
#[derive(Args, Debug)]
pub struct DrawnArgs {
    #[command(flatten)]
    pub flock: FlockArgs,
    #[command(flatten)]
    pub look: LookArgs,
    #[command(flatten)]
    pub camera: CameraArgs,
}

pub type LookArgs = FlagValues<OF_LOOK>;

pub type CameraArgs = FlagValues<OF_CAMERA>;

impl CameraArgs {
    /// What these flags say, and `below` where they say nothing.
    pub fn over(&self, below: Viewpoint) -> Viewpoint {
        Viewpoint {
            eye: self.get("eye").or(below.eye),
            look_at: self.get("look-at").or(below.look_at),
            fov: self.get("fov").or(below.fov),
        }
    }
}

impl LookArgs {
    /// The look of a flock of `settings`: that of its preset, changed by these flags.
    pub fn look(&self, settings: &Settings) -> Result<Look> {
        let look = self.change(Look::of(settings))?;
        look.check(settings)?;
        Ok(look)
    }

    /// `look`, changed by these flags, without checking it.
    pub fn change(&self, mut look: Look) -> Result<Look> {
        if let Some(backdrop) = self.choice("backdrop", Backdrop::named)? {
            look = look.before(backdrop);
        }
        look.shape = self.choice("look", Shape::named)?.unwrap_or(look.shape);
        if let Some(file) = self.get::<Option<String>>("mesh") {
            look.model = file.as_deref().map(|file| Model::named(file, read_model));
        }
        look.color = self.choice("color", Coloring::named)?.unwrap_or(look.color);
        look.color_range = self.get("color-range").unwrap_or(look.color_range);
        look.trail = self.get("trail").unwrap_or(look.trail);
        look.targets = self.get("show-targets").unwrap_or(look.targets);
        look.cell = self.get("cell").unwrap_or(look.cell);
        look.scale = self.get("stretch").unwrap_or(look.scale);
        Ok(look)
    }

    /// Whether these flags gave the value that [`Look::check`] has refused.
    pub fn give(&self, error: &Error) -> bool {
        matches!(error, Error::Engine(starlings::Error::Setting { name, .. }) if self.has(&name.replace('_', "-")))
    }
}
