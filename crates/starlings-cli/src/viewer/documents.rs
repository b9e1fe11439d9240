//! Files and command lines of what a window shows. The program that opens the window knows their syntax.

use crate::error::Result;
use crate::flight::Flight;
use starlings::flock::Settings;
use starlings::render::{Camera, Look};
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

/// Says what a window shows in the program's own syntax, and reads it again.
pub trait Documents: Debug {
    /// A config file of the flock, its look and the camera.
    fn toml(&self, settings: &Settings, look: &Look, camera: &Camera) -> String;

    /// A config file of a flight as far as so many steps, with the look and the camera there. Without changes, it has
    /// the flight only if that is `wanted`.
    fn flight(&self, flown: (&Flight, u32), look: &Look, camera: &Camera, wanted: bool) -> String;

    /// The command line that opens a file.
    fn opening(&self, file: &Path) -> String;

    /// The shortest command line that opens a window with the same flock after `step` steps, the same look and the same
    /// camera.
    fn command_line(&self, settings: &Settings, look: &Look, camera: &Camera, step: u32) -> String;

    /// Opens a config file, or a picture by this program.
    ///
    /// # Errors
    /// [`crate::Error::Input`] or [`starlings::Error::Setting`], in one line.
    fn open(&self, path: &Path) -> Result<Opened>;
}

/// What a file says.
#[derive(Clone, Debug, PartialEq)]
pub struct Opened {
    /// The flock; after a flight, at its end.
    pub settings: Settings,
    /// What it is drawn like.
    pub look: Look,
    /// The camera, if the file says one.
    pub camera: Option<Camera>,
    /// The steps that lead from the start to the flock; 0 for a config file.
    pub step: u32,
    /// The flight that they are of, if settings were changed in it.
    pub flight: Option<Arc<Flight>>,
}
