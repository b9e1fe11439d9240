//! What happens to boids at the walls of the world.

use super::named::choices;
use crate::limits::{WALLS_BOUNCE, WALLS_NONE, WALLS_PUSH, WALLS_WRAP};

choices! {
    /// What happens to boids at the walls of the world.
    #[repr(u32)]
    enum Walls in WALLS as "walls" {
        Push = WALLS_PUSH, "push", "a force pushes back whoever is outside";
        Bounce = WALLS_BOUNCE, "bounce", "the velocity turns inwards";
        /// They do not see each other across the border.
        Wrap = WALLS_WRAP, "wrap", "boids come back in on the other side";
        None = WALLS_NONE, "none", "there are none";
    }
}
