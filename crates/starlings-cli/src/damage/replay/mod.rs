//! The damage of a missing dependency as the specification allows it, [replayed](barrier_proof::replay) on the host by
//! the [twins](starlings::reference) of the kernels: the same each time, and without a device.

mod memory;
mod replays;
mod twins;

use super::audit::Counts;
use crate::sync::{FrameKind, FrameSpec, Rehearsal, Rehearse};
use barrier_proof::replay::Replayer;
pub use barrier_proof::replay::{Corruption, FRAMES, PARTS, Part};
use glam::Vec3;
pub use memory::state;
pub use replays::{MOST_BOIDS, MutantReplay, Replays};
use starlings::Result;
use starlings::flock::{Flock, Settings, spawn};
use starlings::limits::CROWDING_REPORTS;
use starlings::render::canvas::PICTURE_FORMAT;
use starlings::render::{Camera, Look, Scene, View};
use starlings::vk::{Device, Instance};
use twins::{FlockTwins, Seen};

/// Pixels of a replayed picture.
const SIZE: (u32, u32) = (160, 90);

/// The damage of a flock after the last frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlockDamage {
    /// What is wrong with it.
    pub counts: Counts,
    /// The boids of the intact frames; none if their contents cannot be told.
    pub flock: Vec<BoidOutcome>,
}

/// A boid of the intact frames, after the last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoidOutcome {
    /// Where it is.
    pub position: Vec3,
    /// Whether it is lost, doubled, not finite or astray without the dependency.
    pub hurt: bool,
}

/// Frames of a flock, ready to be replayed with any fault.
pub type FlockReplayer = Replayer<FlockTwins>;

/// The worst execution with a fault.
pub type FlockReplay = barrier_proof::replay::Replay<FlockDamage>;

/// Frames of `kind` with so many steps each, of a flock of `settings`, recorded with the null driver.
///
/// # Errors
/// [`starlings::Error::Allocation`] for a flock that is too large for the host's memory.
pub fn replayer(settings: &Settings, kind: FrameKind, steps: u32) -> Result<FlockReplayer> {
    let device = Device::new(&Instance::null()?, None, None)?;
    let journals = Rehearsal::new(&device, &FrameSpec::new(settings, kind), None)?.journals(&[steps; FRAMES], &[])?;
    let seen = kind.draws().then(|| seen(&device, settings)).transpose()?;
    Ok(Replayer::new(journals, memory::start(settings, &spawn(settings)), FlockTwins::new(settings, seen)))
}

/// What the twins of the picture read.
fn seen(device: &std::sync::Arc<Device>, settings: &Settings) -> Result<Seen> {
    let mut flock = Flock::new(device, settings, 1)?;
    flock.prepare_steps(0, 1);
    let look = Look::of(settings);
    let figure = look.figure();
    let scene = Scene::with_look(device, &flock, look, PICTURE_FORMAT, 1)?;
    let camera = Camera::fit(&settings.world, SIZE.0 as f32 / SIZE.1 as f32);
    let mut params = scene.params(&flock, &View::of(camera, SIZE.0, SIZE.1));
    // In so small a picture all boids are small. Half of them are drawn as meshes, so that the draw has something to
    // draw.
    let mut away: Vec<f32> = spawn(settings).position.iter().map(|place| place.distance(params.eye)).collect();
    away.sort_unstable_by(f32::total_cmp);
    params.lod_pixels = params.boid_length * params.pixels_per_radian / away[away.len() / 2];
    Ok(Seen { params, figure })
}

const _: () = assert!(FRAMES < CROWDING_REPORTS as usize, "no entry of the crowding is written twice");
