//! A flock in the memory of played frames.

use barrier_proof::replay::{Content, Memory};
use glam::Vec3;
use starlings::flock::buffers::{BOID_ID, BUFFERS, Counts, POSITION_VX, VELOCITY_YZ};
use starlings::flock::{BoidState, Settings};
use starlings::vk::Resource;

/// Memory of a new flock of `settings` in `state`; all else is zero, or a mark of its own.
pub fn start(settings: &Settings, state: &BoidState) -> Memory {
    let mut memory = Memory::default();
    let many = Counts::of(settings);
    for row in BUFFERS.iter().filter(|row| row.part.is_needed(settings)) {
        memory.set(row.resource, Content::of(vec![0; (row.bytes(settings, &many) / 4) as usize]));
    }
    for (buffer, words) in packed(state) {
        memory.set(buffer, Content::of(words));
    }
    memory
}

/// The flock, where its state is in words.
pub fn state(memory: &Memory) -> BoidState {
    unpacked([POSITION_VX, VELOCITY_YZ, BOID_ID].map(|buffer| memory.words(buffer)))
}

/// A state as its three buffers hold it.
pub fn packed(state: &BoidState) -> [(Resource, Vec<u32>); 3] {
    let boids = || state.position.iter().zip(&state.velocity);
    let positions = boids().flat_map(|(p, v)| [p.x, p.y, p.z, v.x].map(f32::to_bits)).collect();
    let velocities = boids().flat_map(|(_, v)| [v.y, v.z].map(f32::to_bits)).collect();
    [(POSITION_VX, positions), (VELOCITY_YZ, velocities), (BOID_ID, state.id.clone())]
}

/// The reverse of [`packed`].
pub fn unpacked([position_vx, velocity_yz, id]: [&[u32]; 3]) -> BoidState {
    let float = |at: usize, of: &[u32]| f32::from_bits(of[at]);
    let boids = || position_vx.chunks_exact(4).zip(velocity_yz.chunks_exact(2));
    BoidState {
        position: boids().map(|(p, _)| Vec3::new(float(0, p), float(1, p), float(2, p))).collect(),
        velocity: boids().map(|(p, v)| Vec3::new(float(3, p), float(0, v), float(1, v))).collect(),
        id: id.to_vec(),
    }
}
