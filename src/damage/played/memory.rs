//! The memory that a played frame works in: words where twins compute them, else a mark of what was written from what.

use crate::flock::buffers::{BUFFERS, BufferRow, Counts};
use crate::flock::{BoidState, Settings};
use glam::Vec3;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// What a resource holds.
#[derive(Clone, Debug, PartialEq, Hash)]
pub enum Content {
    /// The words themselves.
    Words(Arc<Vec<u32>>),
    /// Written by a pass without a twin: the same mark means the same pass, having read the same.
    Mark(u64),
}

impl Content {
    pub fn of(words: Vec<u32>) -> Content {
        Content::Words(Arc::new(words))
    }

    pub fn words(&self) -> Option<&[u32]> {
        match self {
            Content::Words(words) => Some(words),
            Content::Mark(_) => None,
        }
    }

    /// A mark made from anything.
    pub fn mark(of: impl Hash) -> Content {
        let mut hasher = DefaultHasher::new();
        of.hash(&mut hasher);
        Content::Mark(hasher.finish())
    }
}

/// Every resource by its name.
#[derive(Clone, Debug, Default)]
pub struct Memory(BTreeMap<&'static str, Content>);

impl Memory {
    /// That of a new flock of `settings` in `state`; all else is zero, or a mark of its own.
    pub fn new(settings: &Settings, state: &BoidState) -> Memory {
        let mut memory = Memory::default();
        let many = Counts::of(settings);
        for row in BUFFERS.iter().filter(|row| row.part.is_needed(settings)) {
            memory.set(row.name, Content::of(vec![0; (row.bytes(settings, &many) / 4) as usize]));
        }
        for (name, words) in packed(state) {
            memory.set(name, Content::of(words));
        }
        memory
    }

    pub fn get(&self, name: &'static str) -> Content {
        self.0.get(name).cloned().unwrap_or_else(|| Content::mark(name))
    }

    pub fn set(&mut self, name: &'static str, content: Content) {
        self.0.insert(name, content);
    }

    pub fn words(&self, name: &str) -> &[u32] {
        self.0.get(name).and_then(Content::words).unwrap_or_default()
    }

    /// The flock, where its state is in words.
    pub fn state(&self) -> BoidState {
        unpacked([self.words("position_vx"), self.words("velocity_yz"), self.words("boid_id")])
    }
}

/// A state as its three buffers hold it.
pub fn packed(state: &BoidState) -> [(&'static str, Vec<u32>); 3] {
    let boids = || state.position.iter().zip(&state.velocity);
    let positions = boids().flat_map(|(p, v)| [p.x, p.y, p.z, v.x].map(f32::to_bits)).collect();
    let velocities = boids().flat_map(|(_, v)| [v.y, v.z].map(f32::to_bits)).collect();
    [("position_vx", positions), ("velocity_yz", velocities), ("boid_id", state.id.clone())]
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

/// Words of an element of the resource, and whether they are floating-point numbers.
pub fn element(name: &str) -> (usize, bool) {
    let row: Option<&&BufferRow> = BUFFERS.iter().find(|row| row.name == name);
    let words = match name {
        "visible_boids" => size_of::<crate::render::layout::VisibleBoid>() / 4,
        "draw_commands" => size_of::<crate::render::layout::DrawCommand>() / 4,
        _ => row.map_or(1, |row| (row.element / 4) as usize),
    };
    (words, ["position_vx", "velocity_yz", "samples"].iter().any(|of| name.ends_with(of)))
}
