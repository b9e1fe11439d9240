//! Where single boids are, found in copies that frames make of the state, a frame or two late, so that no frame waits for it.

use super::neighborhood::{Moving, Neighborhood};
use crate::error::Result;
use crate::flock::Settings;
use crate::flock::buffers::{POSITION_VX, VELOCITY_YZ};
use crate::frame::BoidCopy;
use crate::vk::{Device, FrameSlots};
use glam::Vec3;
use rayon::prelude::*;
use std::sync::Arc;

/// A boid as it was.
#[derive(Clone, Copy, Debug)]
struct Seen {
    id: u32,
    step: u32,
    place: Vec3,
    velocity: Vec3,
}

/// What is looked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// These boids.
    pub ids: Vec<u32>,
    /// The first of them with its neighborhood.
    pub neighbors: bool,
}

/// A copy of the state, and the boids that were found in the last.
pub struct Reading {
    copy: BoidCopy,
    boids: usize,
    /// For the next frame that has the copy to itself.
    wanted: Option<Wanted>,
    /// The frame under way that has it: what is looked for there, its slot, and the flock's step after it.
    under_way: Option<(Wanted, usize, u32)>,
    seen: Vec<Seen>,
    neighborhood: Option<Neighborhood>,
}

impl Reading {
    /// Room for the copy of a flock of so many boids.
    ///
    /// # Errors
    /// What the device could not make.
    pub fn new(device: &Arc<Device>, boids: u32) -> Result<Reading> {
        let copy = BoidCopy::new(device, boids)?;
        let (boids, seen) = (boids as usize, Vec::new());
        Ok(Reading { copy, boids, wanted: None, under_way: None, seen, neighborhood: None })
    }

    /// Asks for a look in the next frame, and takes in the last copy if its frame is done.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] when the device is lost.
    pub fn look_for(&mut self, wanted: Wanted, slots: &FrameSlots, settings: &Settings) -> Result<()> {
        if let Some((_, slot, _)) = self.under_way
            && slots.is_done(slot)?
        {
            self.arrive(slot, settings);
        }
        self.wanted = Some(wanted);
        Ok(())
    }

    /// The frame of slot `index` is done, and its slot is free for the next one.
    pub fn arrive(&mut self, index: usize, settings: &Settings) {
        if let Some((Wanted { ids, neighbors }, _, step)) = self.under_way.take_if(|(_, slot, _)| *slot == index) {
            let places = self.find(&ids);
            let found = ids.into_iter().zip(&places);
            self.seen = found.filter_map(|(id, at)| Some(self.seen_at(id, (*at)?, step))).collect();
            self.neighborhood = match (neighbors, self.seen.first(), places.first()) {
                (true, Some(seen), Some(&Some(at))) => Some(self.around((seen.id, at), step, settings)),
                _ => None,
            };
        }
    }

    /// Where the frame that is recorded next copies the boids to, if they are wanted and no frame under way has the copy.
    pub fn copy(&self) -> Option<&BoidCopy> {
        (self.wanted.is_some() && self.under_way.is_none()).then_some(&self.copy)
    }

    /// A frame was submitted in this slot, with the copy if [`Reading::copy`] gave it one; the flock is at `step` after it.
    pub fn submitted(&mut self, index: usize, step: u32) {
        if self.under_way.is_none() {
            self.under_way = self.wanted.take().map(|wanted| (wanted, index, step));
        }
    }

    /// The neighborhood that was found last.
    pub fn neighborhood(&self) -> Option<&Neighborhood> {
        self.neighborhood.as_ref()
    }

    /// Place and velocity slot of a boid after `step` steps, as it would have flown straight on since it was seen; none if it was not.
    pub fn boid(&self, id: u32, step: u32, settings: &Settings) -> Option<(Vec3, Vec3)> {
        let seen = self.seen.iter().find(|seen| seen.id == id && seen.step <= step)?;
        let seconds = (step - seen.step) as f32 * settings.time_step;
        Some((seen.place + seen.velocity * settings.speed_scale() * seconds, seen.velocity))
    }

    /// The place of each of these boids in the arrays of the copy; none for one that a broken frame has lost.
    fn find(&self, ids: &[u32]) -> Vec<Option<usize>> {
        let all = self.copy.arrays[2].read::<u32>(0, self.boids);
        ids.iter().map(|id| all.par_iter().position_any(|other| other == id)).collect()
    }

    fn seen_at(&self, id: u32, at: usize, step: u32) -> Seen {
        let [places, velocities, _] = &self.copy.arrays;
        let p = places.read::<[f32; 4]>(at as u64 * POSITION_VX.element, 1)[0];
        let yz = velocities.read::<[f32; 2]>(at as u64 * VELOCITY_YZ.element, 1)[0];
        Seen { id, step, place: Vec3::new(p[0], p[1], p[2]), velocity: Vec3::new(p[3], yz[0], yz[1]) }
    }

    /// The neighborhood of a boid, by its identity and its place in the arrays, in a copy of a flock of `settings`.
    fn around(&self, boid: (u32, usize), step: u32, settings: &Settings) -> Neighborhood {
        let [places, velocities, _] = &self.copy.arrays;
        let (places, velocities) = (places.read::<[f32; 4]>(0, self.boids), velocities.read::<[f32; 2]>(0, self.boids));
        let moving = |j: usize| -> Moving {
            let ([x, y, z, vx], [vy, vz]) = (places[j], velocities[j]);
            (Vec3::new(x, y, z), Vec3::new(vx, vy, vz))
        };
        Neighborhood::of(settings, boid, step, self.boids, moving)
    }
}
