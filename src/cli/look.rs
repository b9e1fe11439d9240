//! The options that say what a flock is drawn like, shared by the commands that draw one.

use super::failure::Failure;
use super::flags::Given;
use super::flock::FlockArgs;
use clap::Args;
use starlings::flock::Settings;
use starlings::render::Look;
use starlings::render::look::{Backdrop, Coloring, Shape};

/// A flock, and what it is drawn like: the flags that a config file has keys for.
#[derive(Args, Debug)]
pub struct DrawnArgs {
    #[command(flatten)]
    pub flock: FlockArgs,
    #[command(flatten)]
    pub look: LookArgs,
}

/// What the flock is drawn like.
pub type LookArgs = Given<true>;

impl LookArgs {
    /// What a flock of `settings` is drawn like: as its preset is, changed as these flags say.
    pub fn look(&self, settings: &Settings) -> Result<Look, Failure> {
        let look = self.change(Look::of(settings))?;
        look.check(settings)?;
        Ok(look)
    }

    /// `look`, changed as these flags say, whether or not a flock can be drawn like that.
    pub fn change(&self, mut look: Look) -> Result<Look, Failure> {
        if let Some(backdrop) = self.choice("backdrop", Backdrop::named)? {
            look = look.before(backdrop);
        }
        look.shape = self.choice("look", Shape::named)?.unwrap_or(look.shape);
        look.color = self.choice("color", Coloring::named)?.unwrap_or(look.color);
        look.trail = self.get("trail").unwrap_or(look.trail);
        look.cell = self.get("cell").unwrap_or(look.cell);
        look.scale = self.get("stretch").unwrap_or(look.scale);
        Ok(look)
    }

    /// Whether they give the flag that has failed, of those that [`Look::check`] refuses.
    pub fn give(&self, failure: &Failure) -> bool {
        matches!(failure, Failure::Flag { name, .. } if self.has(name))
    }
}
