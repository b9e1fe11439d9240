//! Where boids start.

use super::named::choices;

choices! {
    /// Where boids start.
    enum SpawnShape in SPAWN_SHAPES as "spawn" {
        /// Uniformly.
        Box, "box", "anywhere in the world";
        /// Uniformly in the largest ball around the center of the box, then moved to the center's y.
        FlatBall, "flat-ball", "in a ball as wide as the world, flattened to a disk";
        /// In the mean of two points of one of [`CLOUD_BALLS`](super::spawn::CLOUD_BALLS) balls, stretched like the
        /// world.
        Cloud, "cloud", "in a cloud of several soft balls within the world, denser than in a box";
    }
}
