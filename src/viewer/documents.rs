//! Files and command lines of what a window shows. The program that opens the window knows their syntax.

use crate::error::Result;
use crate::flock::Settings;
use crate::render::{Camera, Look};
use std::fmt::Debug;
use std::path::Path;

/// Says what a window shows in the program's own syntax, and reads it again.
pub trait Documents: Debug {
    /// A config file of the flock, its look and the camera.
    fn toml(&self, settings: &Settings, look: &Look, camera: &Camera) -> String;

    /// The shortest command line that opens a window with the same flock after `step` steps, the same look and the same camera.
    fn command_line(&self, settings: &Settings, look: &Look, camera: &Camera, step: u32) -> String;

    /// Opens a config file, or a picture by this program.
    ///
    /// # Errors
    /// [`crate::Error::Input`] or [`crate::Error::Setting`], in one line.
    fn open(&self, path: &Path) -> Result<Opened>;
}

/// What a file says.
#[derive(Clone, Debug, PartialEq)]
pub struct Opened {
    /// The flock.
    pub settings: Settings,
    /// What it is drawn like.
    pub look: Look,
    /// The camera, if the file says one.
    pub camera: Option<Camera>,
    /// The steps that lead from the start to the flock; 0 for a config file.
    pub step: u32,
}
