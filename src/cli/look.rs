//! The options that say what a flock is drawn like, shared by the commands that draw one.

use super::config::ConfigFile;
use super::failure::Failure;
use super::numbers::{Accepted, real, whole};
use clap::Args;
use glam::{UVec3, Vec3};
use starlings::Error;
use starlings::flock::Settings;
use starlings::render::Look;
use starlings::render::look::{BACKDROPS, COLORINGS, LONGEST_TRAIL, Named, SHAPES, named};

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
    /// What a flock of `settings` is drawn like: as its preset is, changed as `file` says if there is one, changed as
    /// these flags say.
    pub fn look(&self, settings: &Settings, file: Option<&ConfigFile>) -> Result<Look, Failure> {
        let mut look = Look::of(settings);
        if let Some(file) = file {
            look = file.values.look.change(look).map_err(|failure| file.place(failure))?;
        }
        look = self.change(look)?;
        // Checked once all is known: a flag may mend what a file says.
        look.check(settings).map_err(|error| match (file, &error) {
            (Some(file), Error::Setting { name, .. }) if !self.gives(name) => file.place(error.into()),
            _ => error.into(),
        })?;
        Ok(look)
    }

    /// `look`, changed as these flags say, whether or not a flock can be drawn like that.
    pub fn change(&self, mut look: Look) -> Result<Look, Failure> {
        if let Some(name) = &self.backdrop {
            look = look.before(named(BACKDROPS, "--backdrop", name)?);
        }
        if let Some(name) = &self.look {
            look.shape = named(SHAPES, "--look", name)?;
        }
        if let Some(name) = &self.color {
            look.color = named(COLORINGS, "--color", name)?;
        }
        look.trail = self.trail.unwrap_or(look.trail);
        look.cell = self.cell.unwrap_or(look.cell);
        look.scale = self.stretch.unwrap_or(look.scale);
        Ok(look)
    }

    /// Whether the flag `name`, of those that [`Look::check`] refuses, is among them.
    fn gives(&self, name: &str) -> bool {
        match name {
            "--color" => self.color.is_some(),
            "--trail" => self.trail.is_some(),
            "--cell" => self.cell.is_some(),
            _ => false,
        }
    }
}

/// What a choice is about, and every name there is.
fn help<T>(what: &str, rows: &[Named<T>]) -> String {
    let names: Vec<String> = rows.iter().map(|row| format!("{} ({})", row.name, row.about)).collect();
    format!("{what}: {} [default: as the preset's author drew it]", names.join(", "))
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
    let factors: Option<Vec<f32>> = text.split(',').map(real).collect();
    match factors.as_deref() {
        Some(&[x, y, z]) if [x, y, z].iter().all(|factor| STRETCHES.contains(factor)) => Ok(Vec3::new(x, y, z)),
        _ => {
            let (least, most) = (STRETCHES.start(), STRETCHES.end());
            Err(Accepted(format!("three numbers like 1,1.5,1, each from {least} to {most}")))
        }
    }
}
