//! The options that say what a flock is drawn like, shared by the commands that draw one.

use super::choices::explained;
use super::failure::Failure;
use super::flock::{BoidsArg, FlockArgs};
use super::numbers::{Accepted, real, vector, whole};
use clap::Args;
use glam::{UVec3, Vec3};
use starlings::flock::Settings;
use starlings::flock::named::Named;
use starlings::render::Look;
use starlings::render::look::{BACKDROPS, Backdrop, COLORINGS, Coloring, LONGEST_TRAIL, SHAPES, Shape};

/// A flock, and what it is drawn like: the flags that a config file has keys for.
#[derive(Args, Debug)]
pub struct DrawnArgs {
    #[command(flatten)]
    pub boids: BoidsArg,
    #[command(flatten)]
    pub flock: FlockArgs,
    #[command(flatten)]
    pub look: LookArgs,
}

/// What the flock is drawn like.
#[derive(Args, Debug)]
#[command(next_help_heading = "Look")]
pub struct LookArgs {
    #[arg(long, value_name = "SHAPE", help = help("What a boid is drawn as", SHAPES), allow_hyphen_values = true)]
    look: Option<String>,
    #[arg(long, value_name = "COLORING", help = help("What its color tells", COLORINGS), allow_hyphen_values = true)]
    color: Option<String>,
    #[arg(long, value_name = "PLACE", help = help("What is behind the flock", BACKDROPS), allow_hyphen_values = true)]
    backdrop: Option<String>,
    /// Draw a trail of this many simulated seconds behind each boid, 0 for none [default: as the preset's author drew it]
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true, value_parser = seconds)]
    trail: Option<f32>,
    /// The cell that `--color cell` picks out, counted from 0,0,0 at the world's lower corner: cells are as wide as the
    /// search radius [default: the one in the middle]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = cell)]
    cell: Option<UVec3>,
    /// Stretch a boid along its right, up and back [default: 1,1,1]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = stretch)]
    stretch: Option<Vec3>,
}

impl LookArgs {
    /// What a flock of `settings` is drawn like: as its preset is, changed as these flags say.
    pub fn look(&self, settings: &Settings) -> Result<Look, Failure> {
        let look = self.change(Look::of(settings))?;
        look.check(settings)?;
        Ok(look)
    }

    /// `look`, changed as these flags say, whether or not a flock can be drawn like that.
    pub fn change(&self, mut look: Look) -> Result<Look, Failure> {
        if let Some(name) = &self.backdrop {
            look = look.before(Backdrop::named(name)?);
        }
        look.shape = self.look.as_deref().map_or(Ok(look.shape), Shape::named)?;
        look.color = self.color.as_deref().map_or(Ok(look.color), Coloring::named)?;
        look.trail = self.trail.unwrap_or(look.trail);
        look.cell = self.cell.unwrap_or(look.cell);
        look.scale = self.stretch.unwrap_or(look.scale);
        Ok(look)
    }

    /// Whether they give the flag that has failed, of those that [`Look::check`] refuses.
    pub fn give(&self, failure: &Failure) -> bool {
        let given = [("color", self.color.is_some()), ("trail", self.trail.is_some()), ("cell", self.cell.is_some())];
        matches!(failure, Failure::Flag { name, .. } if given.contains(&(name, true)))
    }
}

/// What a choice is about, and every name there is.
fn help<T>(what: &str, rows: &[Named<T>]) -> String {
    format!("{what}: {} [default: as the preset's author drew it]", explained(rows))
}

fn seconds(text: &str) -> Result<f32, Accepted> {
    let accepted = || Accepted(format!("a number from 0, for none, to {LONGEST_TRAIL}, in simulated seconds"));
    real(text).filter(|seconds| (0.0..=LONGEST_TRAIL).contains(seconds)).ok_or_else(accepted)
}

fn cell(text: &str) -> Result<UVec3, Accepted> {
    let place: Option<Vec<u32>> =
        text.split(',').map(|part| whole(part).and_then(|at| u32::try_from(at).ok())).collect();
    match place.as_deref() {
        Some([x, y, z]) => Ok(UVec3::new(*x, *y, *z)),
        _ => Err(Accepted("three whole numbers like 4,0,7: the place of a cell along each axis".into())),
    }
}

/// By how much a boid may be stretched.
pub const STRETCHES: std::ops::RangeInclusive<f32> = 0.1..=4.0;

fn stretch(text: &str) -> Result<Vec3, Accepted> {
    let (least, most) = (STRETCHES.start(), STRETCHES.end());
    let accepted = || Accepted(format!("three numbers like 1,1.5,1, each from {least} to {most}"));
    let all = |factors: &Vec3| factors.to_array().iter().all(|factor| STRETCHES.contains(factor));
    vector(text).filter(all).ok_or_else(accepted)
}
