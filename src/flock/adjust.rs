//! What changes in a running flock: its settings, and the weights of influences.

use super::buffers::{Buffers, Counts, MOVEMENT_WEIGHTS, Part};
use super::gpu::Flock;
use super::layout::MovementWeights;
use super::settings::Settings;
use super::spawn::Start;
use crate::error::Result;

impl Flock {
    /// Goes on with other settings from the next step on. False, and nothing has changed, where they take other kernels
    /// or longer buffers: then [`Flock::starting_from`] continues from this flock's state. Waits for the device if
    /// weights of influences change.
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
            let own = (*influenced, *seed, weights.clone());
            let speeds = settings.has_own_speeds().then(|| (settings.kinds.clone(), settings.speeds.clone()));
            (rules.target_weight, *leader_weight, *current_weight, own, speeds)
        };
        if weights(settings) != weights(&self.settings) {
            self.device.wait_idle()?;
            self.upload_weights(|id| settings.movement_weights(id))?;
        }
        self.settings = settings.clone();
        Ok(true)
    }

    /// Goes on with other settings from the next step on: as [`Flock::adjust`] does, or, where that cannot be, as
    /// another flock that has the boids of this one: see
    /// [`BoidState::carried_over`](super::BoidState::carried_over). Waits for the device then. Whether it is another
    /// flock: its observer, and a scene of it, have to be made anew.
    ///
    /// # Errors
    /// As [`Flock::new`]; then nothing has changed.
    ///
    /// # Panics
    /// When the laws of both settings differ.
    pub fn go_on(&mut self, settings: &Settings) -> Result<bool> {
        if self.adjust(settings)? {
            return Ok(false);
        }
        let state = self.state()?.carried_over(&self.settings, settings);
        let start = Start { state: &state, step: self.step, crowding: None };
        *self = Flock::starting_from(&self.device, settings, self.state.slots, &start)?;
        Ok(true)
    }

    /// Whether kernels and buffers are as `settings` need them.
    fn serves(&self, settings: &Settings) -> bool {
        let many = Counts::of(settings);
        self.others.is_empty()
            && self.settings.goes_on_as(settings)
            && self
                .all_buffers()
                .flat_map(Buffers::iter)
                .all(|(row, buffer)| row.bytes(settings, &many) <= buffer.size())
    }

    /// Sets every boid's weights for the influences on the flock; entry `i` is for boid `i`. Waits for the device. Only
    /// for kernels: for the CPU engine, use [`Engine::set_movement_weights`](crate::cpu::Engine::set_movement_weights).
    ///
    /// # Errors
    /// The error of the upload.
    ///
    /// # Panics
    /// When the count of entries is not that of boids, or no weights are read ([`Settings::has_weights`]).
    pub fn set_movement_weights(&mut self, weights: &[MovementWeights]) -> Result<()> {
        assert!(self.settings.has_weights(), "settings with weights");
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
}

impl Settings {
    /// Whether a flock of these settings may go on with `other` as it is, if its buffers are long enough: the kernels
    /// are the same, and, where the CPU steps it, the cells.
    pub(crate) fn goes_on_as(&self, other: &Settings) -> bool {
        let kernels = |of: &Settings| {
            let states = (of.states, of.states.is_on().then_some(of.seed));
            (
                of.law,
                of.engine,
                of.search,
                of.boids,
                of.plane,
                (of.walls_met(), of.torus()),
                of.influences(),
                (of.manners(), of.nearest, of.kinds_felt(), of.kinds.len()),
                states,
            )
        };
        // Kernels and the ring of uploads are as long as the cells were at first; only the former may have fewer.
        let cells = |of: &Settings| of.grid().cell_count;
        kernels(self) == kernels(other)
            && self.models() == other.models()
            && (!other.engine.is_cpu() || cells(self) == cells(other))
    }
}
