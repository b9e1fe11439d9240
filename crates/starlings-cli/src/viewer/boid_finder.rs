//! Where single boids are, found in copies that frames make of the state, a frame or two late, so that no frame waits
//! for it.

use super::neighborhood::{Moving, Neighborhood};
use crate::error::Result;
use glam::Vec3;
use rayon::prelude::*;
use starlings::flock::Settings;
use starlings::frame::BoidCopy;
use starlings::vk::{Device, FrameSlots};
use std::sync::Arc;

#[derive(Clone, Copy, Debug)]
struct Sighting {
    id: u32,
    step: u32,
    place: Vec3,
    velocity: Vec3,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    pub ids: Vec<u32>,
    /// The first of them with its neighborhood.
    pub neighbors: bool,
}

/// A copy of the state, and the boids that were found in the last.
pub struct BoidFinder {
    copy: BoidCopy,
    boids: usize,
    /// For the next frame that has the copy to itself.
    wanted: Option<Wanted>,
    /// The frame in flight that has it: what is looked for there, its slot, and the flock's step after it.
    in_flight: Option<(Wanted, usize, u32)>,
    seen: Vec<Sighting>,
    neighborhood: Option<Neighborhood>,
}

impl BoidFinder {
    /// Room for the copy of a flock of so many boids.
    pub fn new(device: &Arc<Device>, boids: u32) -> Result<BoidFinder> {
        let copy = BoidCopy::new(device, boids)?;
        let (boids, seen) = (boids as usize, Vec::new());
        Ok(BoidFinder { copy, boids, wanted: None, in_flight: None, seen, neighborhood: None })
    }

    /// Asks for a copy in the next frame, and searches the last one if its frame is done.
    pub fn request(&mut self, wanted: Wanted, slots: &FrameSlots, settings: &Settings) -> Result<()> {
        if let Some((_, slot, _)) = self.in_flight
            && slots.is_done(slot)?
        {
            self.arrive(slot, settings);
        }
        self.wanted = Some(wanted);
        Ok(())
    }

    /// The frame of slot `index` is done, and its slot is free for the next one.
    pub fn arrive(&mut self, index: usize, settings: &Settings) {
        if let Some((Wanted { ids, neighbors }, _, step)) = self.in_flight.take_if(|(_, slot, _)| *slot == index) {
            let places = self.find(&ids);
            let found = ids.into_iter().zip(&places);
            self.seen = found.filter_map(|(id, at)| Some(self.sighting(id, (*at)?, step))).collect();
            self.neighborhood = match (neighbors, self.seen.first(), places.first()) {
                (true, Some(_), Some(&Some(at))) => Some(self.around(at, step, settings)),
                _ => None,
            };
        }
    }

    /// Where the frame that is recorded next copies the boids to, if they are wanted and no frame in flight has the
    /// copy.
    pub fn copy(&self) -> Option<&BoidCopy> {
        (self.wanted.is_some() && self.in_flight.is_none()).then_some(&self.copy)
    }

    /// A frame was submitted in this slot, with the copy if [`BoidFinder::copy`] gave it one; the flock is at `step`
    /// after it.
    pub fn submitted(&mut self, index: usize, step: u32) {
        if self.in_flight.is_none() {
            self.in_flight = self.wanted.take().map(|wanted| (wanted, index, step));
        }
    }

    /// The neighborhood that was found last.
    pub fn neighborhood(&self) -> Option<&Neighborhood> {
        self.neighborhood.as_ref()
    }

    /// Place and velocity slot of a boid after `step` steps, as it would have flown straight on since it was seen; none
    /// if it was not.
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

    fn sighting(&self, id: u32, at: usize, step: u32) -> Sighting {
        let [places, velocities, _] = &self.copy.arrays;
        let p = places.read::<[f32; 4]>(at as u64 * size_of::<[f32; 4]>() as u64, 1)[0];
        let yz = velocities.read::<[f32; 2]>(at as u64 * size_of::<[f32; 2]>() as u64, 1)[0];
        Sighting { id, step, place: Vec3::new(p[0], p[1], p[2]), velocity: Vec3::new(p[3], yz[0], yz[1]) }
    }

    /// The neighborhood of the boid at this place in the arrays, in a copy of a flock of `settings`.
    fn around(&self, at: usize, step: u32, settings: &Settings) -> Neighborhood {
        let [places, velocities, ids] = &self.copy.arrays;
        let (places, velocities) = (places.read::<[f32; 4]>(0, self.boids), velocities.read::<[f32; 2]>(0, self.boids));
        let ids = ids.read::<u32>(0, self.boids);
        let boid = |j: usize| -> (u32, Moving) {
            let ([x, y, z, vx], [vy, vz]) = (places[j], velocities[j]);
            (ids[j], (Vec3::new(x, y, z), Vec3::new(vx, vy, vz)))
        };
        Neighborhood::of(settings, at, step, self.boids, boid)
    }
}
