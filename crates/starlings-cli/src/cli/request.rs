//! The flock that a command line asks for: a preset, changed by a config file, changed by flags.

use super::config;
use super::config::file::ConfigFile;
use super::flock::FlockArgs;
use super::look::{CameraArgs, DrawnArgs, LookArgs};
use super::viewpoint::Viewpoint;
use crate::{Error, Result};
use starlings::flock::settings::MAX_BOIDS;
use starlings::flock::{PRESETS, Settings, SpawnShape, memory};
use starlings::render::{Camera, Look};
use starlings::vk::Device;

/// What the user asked for.
#[derive(Debug)]
pub struct Request {
    /// The settings, with no more boids than a flock can have.
    pub settings: Settings,
    file: Option<ConfigFile>,
    boids: u64,
}

impl Request {
    /// Whether more boids are requested than any flock can have, so that [`Request::check`] fails on every device.
    pub fn is_impossible(&self) -> bool {
        self.boids > u64::from(MAX_BOIDS)
    }

    /// Whether a config file says what is asked for.
    pub fn has_file(&self) -> bool {
        self.file.is_some()
    }

    /// Checks that no more boids are requested than a flock can have.
    pub fn check_count(&self) -> Result<()> {
        if self.is_impossible() {
            return Err(Error::flag("boids", self.boids, format!("a whole number from 1 to {MAX_BOIDS}")));
        }
        Ok(())
    }

    /// Checks that the flock fits on `device`.
    pub fn check(&self, device: &Device) -> Result<()> {
        Ok(memory::check(device.info(), &self.settings, self.boids)?)
    }

    /// The look of the flock: that of its preset, changed by the config file, then by `flags`.
    pub fn look(&self, flags: &LookArgs) -> Result<Look> {
        let Some(file) = &self.file else { return flags.look(&self.settings) };
        let look = file.values.look.change(Look::of(&self.settings)).map_err(|failure| file.place(failure))?;
        let look = flags.change(look)?;
        // Checked last, because a flag may correct a value of the file.
        look.check(&self.settings).map_err(|error| match error.into() {
            failure if flags.give(&failure) => failure,
            failure => file.place(failure),
        })?;
        Ok(look)
    }

    /// A config file of this flock, with the look and the camera of the file that it comes from, if there is one.
    pub fn config(&self) -> String {
        let own = Look::of(&self.settings);
        let (look, viewpoint) = self.file.as_ref().map_or((own.clone(), Viewpoint::default()), |file| {
            let DrawnArgs { look, camera, .. } = &file.values;
            let look = look.change(own.clone()).ok().filter(|look| look.check(&self.settings).is_ok());
            (look.unwrap_or(own.clone()), camera.over(Viewpoint::default()))
        });
        config::text(&self.settings, &look, &viewpoint)
    }

    /// What `flags`, and the config file below them, say about the camera.
    pub fn viewpoint(&self, flags: &CameraArgs) -> Viewpoint {
        let below = self.file.as_ref().map(|file| file.values.camera.over(Viewpoint::default()));
        flags.over(below.unwrap_or_default())
    }

    /// The camera in a picture of `aspect`, if `flags` or the config file say anything about it.
    pub fn camera(&self, flags: &CameraArgs, aspect: f32) -> Result<Option<Camera>> {
        let camera = self.viewpoint(flags).camera(&self.settings, aspect);
        camera.map_err(|failure| match &self.file {
            // The eye and what it looks at are wrong together.
            Some(file) if !["eye", "look-at"].iter().any(|name| flags.has(name)) => file.place(failure),
            _ => failure,
        })
    }
}

/// The settings and the look of a config file alone, without flags.
pub fn alone(file: ConfigFile) -> Result<(Request, Look)> {
    config::file::parse(&[])?.wanted_over(Some(file))
}

impl DrawnArgs {
    pub fn wanted(&self) -> Result<(Request, Look)> {
        self.wanted_over(self.flock.file()?)
    }

    /// The same with the settings of `file` below the flags.
    pub fn wanted_over(&self, file: Option<ConfigFile>) -> Result<(Request, Look)> {
        let asked = self.flock.settings_over(file, None, self.flock.values.get("boids"))?;
        let look = asked.look(&self.look)?;
        Ok((asked, look))
    }
}

impl FlockArgs {
    /// The settings that these flags and the config file ask for.
    pub fn settings(&self) -> Result<Request> {
        self.settings_of(None, self.values.get("boids"))
    }

    /// The same, starting from `preset` if given, with `boids` boids or the count of the config file or the preset.
    pub fn settings_of(&self, preset: Option<&str>, boids: Option<u64>) -> Result<Request> {
        self.settings_over(self.file()?, preset, boids)
    }

    /// A flock that is measured: uniform in its box instead of in a cloud, so that its density is known, unless flags
    /// or the config file say how it starts.
    pub fn measured(&self, mut asked: Request) -> Request {
        let says = |flock: &FlockArgs| flock.values.has("spawn");
        let is_said = says(self) || asked.file.as_ref().is_some_and(|file| says(&file.values.flock));
        if !is_said && asked.settings.spawn == SpawnShape::Cloud {
            asked.settings.spawn = SpawnShape::Box;
        }
        asked
    }

    pub fn file(&self) -> Result<Option<ConfigFile>> {
        self.config.as_deref().map(|path| ConfigFile::read(path, "config")).transpose()
    }

    /// The same with the settings of `file` below the flags.
    pub fn settings_over(&self, file: Option<ConfigFile>, preset: Option<&str>, boids: Option<u64>) -> Result<Request> {
        let start = |below: Option<String>| {
            let preset = preset.map(str::to_owned).or_else(|| self.values.get("preset")).or(below);
            Settings::preset(preset.as_deref().unwrap_or(PRESETS[0].name))
        };
        let Some(file) = file else { return self.settings_from(start(None)?, boids) };
        let DrawnArgs { flock, look, .. } = &file.values;
        let boids_below = flock.values.get("boids");
        let by_file = || {
            let settings = flock.change(start(flock.values.get("preset"))?, boids_below)?;
            // Commands that draw nothing ignore the look, but report unknown names in it.
            look.change(Look::of(&settings))?;
            Ok(settings)
        };
        let below = by_file().map_err(|failure| file.place(failure))?;
        let asked = self.settings_from(below, boids)?;
        Ok(Request { boids: boids.or(boids_below).unwrap_or(asked.boids), file: Some(file), ..asked })
    }

    /// The same, starting from `settings`, without a preset or a config file.
    pub fn settings_from(&self, settings: Settings, boids: Option<u64>) -> Result<Request> {
        let settings = self.change(settings, boids)?;
        self.check_targets(&settings)?;
        Ok(Request { boids: boids.unwrap_or(settings.boids.into()), settings, file: None })
    }
}
