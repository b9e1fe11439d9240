//! The flock that a command line asks for: a preset, changed by a config file, changed by flags.

use super::config::file::ConfigFile;
use super::failure::Failure;
use super::flock::FlockArgs;
use super::look::{DrawnArgs, LookArgs};
use starlings::flock::settings::MAX_BOIDS;
use starlings::flock::{PRESETS, Settings, memory};
use starlings::render::Look;
use starlings::vk::Device;

/// What the user asked for.
#[derive(Debug)]
pub struct Asked {
    /// The settings, with no more boids than a flock can have.
    pub settings: Settings,
    /// The config file that they come from, if there is one.
    file: Option<ConfigFile>,
    boids: u64,
}

impl Asked {
    /// Whether it is more boids than any flock can have, so that [`Asked::check`] fails on every device.
    pub fn is_impossible(&self) -> bool {
        self.boids > u64::from(MAX_BOIDS)
    }

    /// Checks that it is not more boids than any flock can have.
    pub fn check_count(&self) -> Result<(), Failure> {
        if self.is_impossible() {
            return Err(Failure::flag("boids", self.boids, format!("a whole number from 1 to {MAX_BOIDS}")));
        }
        Ok(())
    }

    /// Checks that the flock fits on `device`.
    pub fn check(&self, device: &Device) -> Result<(), Failure> {
        Ok(memory::check(device.info(), &self.settings, self.boids)?)
    }

    /// What the flock is drawn like: as its preset is, changed as the config file says, changed as `flags` say.
    pub fn look(&self, flags: &LookArgs) -> Result<Look, Failure> {
        let Some(file) = &self.file else { return flags.look(&self.settings) };
        let look = file.values.look.change(Look::of(&self.settings)).map_err(|failure| file.place(failure))?;
        let look = flags.change(look)?;
        // Checked once all is known: a flag may mend what a file says.
        look.check(&self.settings).map_err(|error| match error.into() {
            failure if flags.give(&failure) => failure,
            failure => file.place(failure),
        })?;
        Ok(look)
    }
}

impl DrawnArgs {
    /// The flock that is asked for, and what it is drawn like.
    pub fn wanted(&self) -> Result<(Asked, Look), Failure> {
        let asked = self.flock.settings()?;
        let look = asked.look(&self.look)?;
        Ok((asked, look))
    }
}

impl FlockArgs {
    /// The settings that these flags and the config file ask for.
    pub fn settings(&self) -> Result<Asked, Failure> {
        self.settings_of(None, self.given.get("boids"))
    }

    /// The same, of the preset of that name if there is one, with so many boids, or as many as the config file or the preset has.
    pub fn settings_of(&self, preset: Option<&str>, boids: Option<u64>) -> Result<Asked, Failure> {
        let start = |below: Option<String>| {
            let preset = preset.map(str::to_owned).or_else(|| self.given.get("preset")).or(below);
            Settings::preset(preset.as_deref().unwrap_or(PRESETS[0].name))
        };
        let Some(path) = &self.config else { return self.settings_from(start(None)?, boids) };
        let file = ConfigFile::read(path)?;
        let DrawnArgs { flock, look } = &file.values;
        let boids_below = flock.given.get("boids");
        let by_file = || {
            let settings = flock.change(start(flock.given.get("preset"))?, boids_below)?;
            // A command that draws nothing leaves the look alone; but a name that is none should not wait for a picture.
            look.change(Look::of(&settings))?;
            Ok(settings)
        };
        let below = by_file().map_err(|failure| file.place(failure))?;
        let asked = self.settings_from(below, boids)?;
        Ok(Asked { boids: boids.or(boids_below).unwrap_or(asked.boids), file: Some(file), ..asked })
    }

    /// The same, with `settings` in place of the preset's, and without a config file.
    pub fn settings_from(&self, settings: Settings, boids: Option<u64>) -> Result<Asked, Failure> {
        let settings = self.change(settings, boids)?;
        Ok(Asked { boids: boids.unwrap_or(settings.boids.into()), settings, file: None })
    }
}
