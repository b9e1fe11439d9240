//! Where single boids are, read from the device a frame or two late, so that no frame waits for it.

use super::neighborhood::{Moving, Neighborhood};
use crate::error::Result;
use crate::flock::buffers::{BOID_ID, BufferRow, POSITION_VX, VELOCITY_YZ};
use crate::flock::{Flock, Settings};
use crate::recording::record;
use crate::vk::{
    Access, Buffer, BufferInfo, BufferUsage, Dependency, Device, FrameSlots, Hazard, MemoryLocation, RecordOptions,
    Stage,
};
use glam::Vec3;
use rayon::prelude::*;
use std::sync::Arc;

/// What is copied of every boid: boids have no fixed place in these arrays.
const ROWS: [&BufferRow; 3] = [POSITION_VX, VELOCITY_YZ, BOID_ID];

/// A boid as it was.
#[derive(Clone, Copy, Debug)]
struct Seen {
    id: u32,
    step: u32,
    place: Vec3,
    velocity: Vec3,
}

/// Copies of the state on the host, and the boids that were found in the last.
pub struct Reading {
    /// First, so that the device is done with the copies when they are dropped.
    slots: FrameSlots,
    copies: Vec<Buffer>,
    boids: usize,
    /// The boids that are looked for in the copy under way, and its step.
    under_way: Option<(Vec<u32>, u32)>,
    seen: Vec<Seen>,
    /// Around the boid that was wanted for it.
    neighborhood: Option<Neighborhood>,
}

impl Reading {
    /// Room for the copies of a flock of so many boids.
    ///
    /// # Errors
    /// What the device could not make.
    pub fn new(device: &Arc<Device>, boids: u32) -> Result<Reading> {
        let (usage, location) = (BufferUsage::TRANSFER_DST, MemoryLocation::GpuToCpu);
        let copy = |row: &&BufferRow| {
            let info = BufferInfo { name: "copy to find boids", size: row.element * u64::from(boids), usage, location };
            Buffer::new(device, &info)
        };
        Ok(Reading {
            slots: FrameSlots::new(device, "reading", 1, false)?,
            copies: ROWS.iter().map(copy).collect::<Result<_>>()?,
            boids: boids as usize,
            under_way: None,
            seen: Vec::new(),
            neighborhood: None,
        })
    }

    /// Takes in the last copy, if it is done, and then begins another, in which `wanted` are looked for. Of the last one, the neighborhood of
    /// boid `around` is found too.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] when the device is lost.
    pub fn renew(&mut self, flock: &Flock, wanted: &[u32], around: Option<u32>) -> Result<()> {
        if !self.slots.is_ready()? {
            return Ok(());
        }
        let slot = self.slots.next()?;
        if let Some((ids, step)) = self.under_way.take() {
            self.seen = ids.into_iter().filter_map(|id| find(&self.copies, self.boids, id, step)).collect();
            self.neighborhood = around.and_then(|id| neighborhood(&self.copies, flock.settings(), id, step));
        }
        record(slot, RecordOptions::default(), |rec| {
            rec.barrier(Dependency {
                name: "writers-to-reading",
                hazards: &[Hazard::Raw],
                guards: &["position_vx", "velocity_yz", "boid_id"],
                relies_on: &[],
                src_stage: Stage::COMPUTE_SHADER | Stage::COPY,
                src_access: Access::SHADER_STORAGE_WRITE | Access::TRANSFER_WRITE,
                dst_stage: Stage::COPY,
                dst_access: Access::TRANSFER_READ,
                reason: "steer of an earlier submission, or an upload, wrote the state that is copied here.",
            });
            for (row, copy) in ROWS.into_iter().zip(&self.copies) {
                rec.copy_buffer(&flock.buffers()[row], 0, copy, 0, copy.size());
            }
            rec.barriers(&[
                Dependency {
                    name: "reading-to-host",
                    hazards: &[Hazard::Raw, Hazard::Host],
                    guards: &["copy to find boids"],
                    relies_on: &[],
                    src_stage: Stage::COPY,
                    src_access: Access::TRANSFER_WRITE,
                    dst_stage: Stage::HOST,
                    dst_access: Access::HOST_READ,
                    reason: "The host reads the copies after the fence.",
                },
                Dependency {
                    name: "reading-to-writers",
                    hazards: &[Hazard::War],
                    guards: &["position_vx", "velocity_yz", "boid_id"],
                    relies_on: &[],
                    src_stage: Stage::COPY,
                    src_access: Access::NONE,
                    dst_stage: Stage::COMPUTE_SHADER | Stage::COPY,
                    dst_access: Access::NONE,
                    reason: "The next frame's steer, or its upload, overwrites the state that is copied here.",
                },
            ]);
        })?;
        slot.submit(None)?;
        self.under_way = Some((wanted.to_vec(), flock.step()));
        Ok(())
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
}

/// The boid `id` in copies of the state after `step` steps; none if a broken frame has lost it.
fn find(copies: &[Buffer], boids: usize, id: u32, step: u32) -> Option<Seen> {
    let [places, velocities, ids] = copies else { return None };
    let at = ids.read::<u32>(0, boids).par_iter().position_any(|&other| other == id)?;
    let p = places.read::<[f32; 4]>(at as u64 * POSITION_VX.element, 1)[0];
    let yz = velocities.read::<[f32; 2]>(at as u64 * VELOCITY_YZ.element, 1)[0];
    Some(Seen { id, step, place: Vec3::new(p[0], p[1], p[2]), velocity: Vec3::new(p[3], yz[0], yz[1]) })
}

/// The neighborhood of the boid `id` in such copies of a flock of `settings`.
fn neighborhood(copies: &[Buffer], settings: &Settings, id: u32, step: u32) -> Option<Neighborhood> {
    let [places, velocities, ids] = copies else { return None };
    let boids = settings.boids as usize;
    let ids = ids.read::<u32>(0, boids);
    let at = ids.par_iter().position_any(|&other| other == id)?;
    let (places, velocities) = (places.read::<[f32; 4]>(0, boids), velocities.read::<[f32; 2]>(0, boids));
    let boid = |j: usize| -> Moving {
        let ([x, y, z, vx], [vy, vz]) = (places[j], velocities[j]);
        (Vec3::new(x, y, z), Vec3::new(vx, vy, vz))
    };
    Some(Neighborhood::of(settings, (id, at), step, boids, boid))
}
