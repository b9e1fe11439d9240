//! The flock's state, to and from the device.

use super::Flock;
use crate::error::Result;
use crate::flock::crowding;
use crate::flock::layout::Crowding;
use crate::flock::search::GridKind;
use crate::flock::spawn::{BoidState, Start, position_at_start, starting_order, velocity_at_start};
use glam::Vec3;
use rayon::prelude::*;

impl Flock {
    /// Starts over: step 0, and the boids where the seed puts them.
    ///
    /// # Errors
    /// What the upload could not do.
    pub fn reset(&mut self) -> Result<()> {
        let settings = &self.settings;
        let order = starting_order(settings);
        let id = |i: usize| order.as_ref().map_or(i as u32, |order| order[i]);
        let position = |i: usize| position_at_start(settings, id(i));
        self.upload(position, |i| velocity_at_start(settings, id(i)), id)?;
        let crowding = self.count(position);
        self.step = 0;
        self.placed(crowding);
        Ok(())
    }

    /// Replaces the state of every boid. Waits for the device.
    ///
    /// # Errors
    /// What the upload could not do.
    ///
    /// # Panics
    /// When `state` does not have exactly the flock's count of boids.
    pub fn set_state(&mut self, state: &BoidState) -> Result<()> {
        self.place(state, None)
    }

    /// Puts every boid where `start` says, and takes it for `start.step` steps on its way. Waits for the device.
    ///
    /// # Errors
    /// What the upload could not do.
    ///
    /// # Panics
    /// When its state does not have exactly the flock's count of boids.
    pub fn start_from(&mut self, start: &Start<'_>) -> Result<()> {
        self.place(start.state, start.crowding)?;
        (self.step, self.counted) = (start.step, start.step);
        Ok(())
    }

    fn place(&mut self, state: &BoidState, crowding: Option<Crowding>) -> Result<()> {
        assert_eq!(state.len(), self.settings.boids as usize, "a state of all boids");
        self.upload(|i| state.position[i], |i| state.velocity[i], |i| state.id[i])?;
        let crowding = crowding.unwrap_or_else(|| self.count(|i| state.position[i]));
        self.placed(crowding);
        Ok(())
    }

    /// How crowded the cells are with the boids at these places.
    fn count(&self, position: impl Fn(usize) -> Vec3 + Sync) -> Crowding {
        match self.settings.search.grid() {
            GridKind::CountingSorted => crowding::count(&self.grid, self.settings.boids as usize, position),
            GridKind::BitonicSorted | GridKind::None => Crowding::default(),
        }
    }

    /// Takes note that the boids are somewhere else, as crowded as that.
    fn placed(&mut self, crowding: Crowding) {
        self.unread.fill(None);
        (self.crowding, self.counted) = (crowding, self.step);
    }

    /// Writes what boid `i` is to have straight into the staging buffer: a flock may be too large for a second copy of it.
    fn upload(
        &self,
        position: impl Fn(usize) -> Vec3 + Sync,
        velocity: impl Fn(usize) -> Vec3 + Sync,
        id: impl Fn(usize) -> u32 + Sync,
    ) -> Result<()> {
        self.device.wait_idle()?;
        let (buffers, boids) = (&self.buffers, self.settings.boids as usize);
        buffers.position_vx.upload_with(0, boids, |first, piece: &mut [[f32; 4]]| {
            fill(first, piece, |i| position(i).extend(velocity(i).x).to_array());
        })?;
        buffers.velocity_yz.upload_with(0, boids, |first, piece: &mut [[f32; 2]]| {
            fill(first, piece, |i| [velocity(i).y, velocity(i).z]);
        })?;
        buffers.boid_id.upload_with(0, boids, |first, piece: &mut [u32]| fill(first, piece, &id))
    }

    /// Replaces the state of every boid and says how many steps led to it. Waits for the device.
    ///
    /// # Errors
    /// What the upload could not do.
    ///
    /// # Panics
    /// When `state` does not have exactly the flock's count of boids.
    pub fn set_state_at(&mut self, state: &BoidState, step: u32) -> Result<()> {
        self.start_from(&Start { state, step, crowding: None })
    }

    /// The state of every boid, in the order of the last sort. Waits for the device.
    ///
    /// # Errors
    /// What the download could not do.
    pub fn state(&self) -> Result<BoidState> {
        self.device.wait_idle()?;
        let boids = self.settings.boids as usize;
        let all = || Vec::with_capacity(boids);
        let (mut position, mut velocity, mut id) = (all(), all(), Vec::with_capacity(boids));
        // On all cores, and from the staging buffer to where it stays: a flock may be billions of bytes.
        self.buffers.position_vx.download_with(0, boids, |piece: &[[f32; 4]]| {
            position.par_extend(piece.par_iter().map(|p| Vec3::new(p[0], p[1], p[2])));
            velocity.par_extend(piece.par_iter().map(|p| Vec3::new(p[3], 0.0, 0.0)));
        })?;
        let mut done = 0;
        self.buffers.velocity_yz.download_with(0, boids, |piece: &[[f32; 2]]| {
            let now = &mut velocity[done..][..piece.len()];
            now.par_iter_mut().zip(piece).for_each(|(v, yz)| (v.y, v.z) = (yz[0], yz[1]));
            done += piece.len();
        })?;
        self.buffers.boid_id.download_with(0, boids, |piece: &[u32]| id.par_extend(piece))?;
        Ok(BoidState { position, velocity, id })
    }

    /// Goes on from `step`: with [`Flock::set_state`], back to a state seen before.
    pub fn set_step(&mut self, step: u32) {
        self.step = step;
        self.counted = self.counted.min(step);
        self.unread.fill(None);
    }
}

/// Writes values `first` and on into `piece`, on all cores.
fn fill<T: Send>(first: usize, piece: &mut [T], value: impl Fn(usize) -> T + Sync) {
    piece.par_iter_mut().enumerate().for_each(|(k, place)| *place = value(first + k));
}
