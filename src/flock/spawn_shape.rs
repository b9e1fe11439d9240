//! Where boids start.

use super::named::{Named, names};

/// Where boids start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpawnShape {
    /// Uniform in the box.
    Box,
    /// Uniform in the largest ball around the middle of the box, and then flattened: all have the middle's y.
    FlatBall,
}

/// Every shape.
pub const SPAWN_SHAPES: &[Named<SpawnShape>] = &[
    Named { value: SpawnShape::Box, name: "box", about: "anywhere in the world" },
    Named {
        value: SpawnShape::FlatBall,
        name: "flat-ball",
        about: "in a ball as wide as the world, flattened to a disk",
    },
];

names!(SpawnShape in SPAWN_SHAPES as "spawn");
