//! The shapes of boids.

use crate::flock::named::choices;

choices! {
    /// What a boid is drawn as.
    enum Shape in SHAPES as "look" {
        Bird, "bird", "a starling that beats its wings";
        Fish, "fish", "a fish that swims";
        Plane, "plane", "a fuselage and a wing";
        Dart, "dart", "four triangles";
        Dot, "dot", "a ball";
    }
}
