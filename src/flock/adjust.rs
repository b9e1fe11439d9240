//! What changes in a running flock: its settings, the weights of influences, and the cursor.

use super::buffers::{Buffers, Counts, MOVEMENT_WEIGHTS, Part};
use super::gpu::Flock;
use super::influences::WEIGHTED;
use super::layout::MovementWeights;
use super::settings::Settings;
use crate::error::Result;
use glam::Vec3;

impl Flock {
    /// Goes on with other settings from the next step on. False, and nothing has changed, where they take other kernels or longer
    /// buffers: then [`Flock::starting_from`] continues from this flock's state. Waits for the device if weights of influences change.
    ///
    /// # Errors
    /// [`crate::Error::Setting`] for settings out of range, or the error of the upload.
    pub fn adjust(&mut self, settings: &Settings) -> Result<bool> {
        settings.validate()?;
        if !self.serves(settings) {
            return Ok(false);
        }
        let weights = |settings: &Settings| {
            let Settings { rules, leader_weight, current_weight, influenced, seed, weights, .. } = settings;
            (rules.target_weight, *leader_weight, *current_weight, *influenced, *seed, weights.clone())
        };
        if weights(settings) != weights(&self.settings) {
            self.device.wait_idle()?;
            self.upload_weights(|id| settings.movement_weights(id))?;
        }
        self.settings = settings.clone();
        Ok(true)
    }

    /// Whether kernels and buffers are as `settings` need them.
    fn serves(&self, settings: &Settings) -> bool {
        let kernels = |of: &Settings| {
            let states = (of.states, of.states.is_on().then_some(of.seed));
            (of.law, of.engine, of.search, of.boids, of.plane, of.walls_met(), of.influences(), states)
        };
        // Kernels and the ring of uploads are as long as the cells were at first; only the former may have fewer.
        let cells = |of: &Settings| of.grid().cell_count;
        let many = Counts::of(settings);
        kernels(settings) == kernels(&self.settings)
            && settings.models() == self.settings.models()
            && (!settings.engine.is_cpu() || cells(settings) == cells(&self.settings))
            && self
                .all_buffers()
                .flat_map(Buffers::iter)
                .all(|(row, buffer)| row.bytes(settings, &many) <= buffer.size())
    }

    /// Sets every boid's weights for the influences on the flock; entry `i` is for boid `i`. Waits for the device. Only for
    /// kernels: for the CPU engine, use [`Engine::set_movement_weights`](crate::cpu::Engine::set_movement_weights).
    ///
    /// # Errors
    /// The error of the upload.
    ///
    /// # Panics
    /// When the count of entries is not that of boids, or the flock's settings have no influences with weights
    /// ([`WEIGHTED`]).
    pub fn set_movement_weights(&mut self, weights: &[MovementWeights]) -> Result<()> {
        assert!(self.settings.influences() & WEIGHTED != 0, "settings with weighted influences");
        assert_eq!(weights.len(), self.settings.boids as usize, "weights of all boids");
        self.device.wait_idle()?;
        self.upload_weights(|id| weights[id as usize])
    }

    pub(super) fn upload_weights(&self, of: impl Fn(u32) -> MovementWeights) -> Result<()> {
        let (Some(buffer), true) = (self.buffer(MOVEMENT_WEIGHTS), Part::Influences.is_needed(&self.settings)) else {
            return Ok(());
        };
        buffer.upload_with(0, self.settings.boids as usize, |first, piece: &mut [MovementWeights]| {
            (first..).zip(piece).for_each(|(id, place)| *place = of(id as u32));
        })
    }

    /// Places the cursor from the next step on, instead of as the settings say; `None` ends this. On a plane it stays in the plane.
    pub fn set_cursor(&mut self, position: Option<Vec3>) {
        let flat = |position: Vec3| match self.settings.plane {
            true => position.with_y(self.settings.world.center.y),
            false => position,
        };
        self.cursor = position.filter(|position| position.is_finite()).map(flat);
    }

    /// The cursor's position, if it was set.
    pub fn cursor(&self) -> Option<Vec3> {
        self.cursor
    }
}
