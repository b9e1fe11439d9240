//! Where boids start.

use super::named::choices;

choices! {
    /// Where boids start.
    enum SpawnShape in SPAWN_SHAPES as "spawn" {
        /// Evenly.
        Box, "box", "anywhere in the world";
        /// Evenly in the largest ball around the middle of the box, before all get the middle's y.
        FlatBall, "flat-ball", "in a ball as wide as the world, flattened to a disk";
    }
}
