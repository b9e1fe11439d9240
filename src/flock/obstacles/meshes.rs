//! Obstacles that are meshes: their models, and the numbers of their volumes for kernels.

use super::Obstacle;
use crate::error::{Error, Result};
use crate::flock::settings::Settings;
use crate::mesh::{MAX_TRIANGLES, Model, Triangle};

/// Different meshes among the obstacles of a flock, at most. Each volume has at most 1.4 MB.
pub const MAX_MODELS: usize = 16;

impl Settings {
    /// The models of the obstacles that are meshes, each once, in the order of their volumes.
    pub fn models(&self) -> Vec<&Model> {
        let mut models: Vec<&Model> = Vec::new();
        for obstacle in &self.obstacles {
            if let Obstacle::Mesh { model, .. } = obstacle
                && !models.contains(&model)
            {
                models.push(model);
            }
        }
        models
    }

    /// Reads the files of the obstacles that are meshes, except of those that were read.
    ///
    /// # Errors
    /// [`Error::Input`] with one line that names a file that cannot be used, and [`Error::Setting`] for too many.
    pub fn read_meshes(&mut self) -> Result<()> {
        // Before any memory is taken for them.
        self.check_count_of_models()?;
        self.obstacles.iter_mut().try_for_each(|obstacle| match obstacle {
            Obstacle::Mesh { model, .. } => model.read(),
            _ => Ok(()),
        })
    }

    /// The numbers of the volumes of all models.
    pub fn volumes(&self) -> Vec<f32> {
        self.models().into_iter().flat_map(Model::numbers).collect()
    }

    /// How many they are.
    pub fn count_of_volumes(&self) -> u64 {
        self.models().into_iter().map(|model| model.count() as u64).sum()
    }

    /// Where the volume of `model` begins among those of all.
    pub(super) fn place_of_volume(&self, model: &Model) -> u32 {
        let before = self.models().into_iter().take_while(|other| *other != model);
        before.map(|other| other.count() as u32).sum()
    }

    /// The triangles of all models, as pictures show them.
    pub fn triangles(&self) -> impl Iterator<Item = &Triangle> {
        self.models().into_iter().flat_map(|model| model.mesh().triangles())
    }

    /// For each obstacle that is a mesh, which of those triangles are its own: the first, and their count.
    pub fn triangles_of(&self, model: &Model) -> (u32, u32) {
        let before = self.models().into_iter().take_while(|other| *other != model);
        let count = |model: &Model| model.mesh().triangles().len() as u32;
        (before.map(count).sum(), count(model))
    }

    fn check_count_of_models(&self) -> Result<()> {
        let count = self.models().len();
        if count > MAX_MODELS {
            return Err(Error::setting("obstacle", format!("{count} meshes"), format!("up to {MAX_MODELS}")));
        }
        Ok(())
    }

    /// Fails unless the models are read, and as few as pictures and kernels have room for.
    pub(super) fn check_models(&self) -> Result<()> {
        self.check_count_of_models()?;
        if let Some(model) = self.models().into_iter().find(|model| !model.is_read()) {
            let accepted = "a mesh that Settings::read_meshes has read".to_owned();
            return Err(Error::setting("obstacle (a mesh)", model.to_string(), accepted));
        }
        let count = self.triangles().count();
        if count > MAX_TRIANGLES {
            let accepted = format!("up to {MAX_TRIANGLES} in all meshes");
            return Err(Error::setting("obstacle", format!("{count} triangles"), accepted));
        }
        Ok(())
    }
}
