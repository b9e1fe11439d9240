//! What happens to boids at the walls of the world.

use super::named::{Named, names};
use crate::limits::{WALLS_BOUNCE, WALLS_NONE, WALLS_PUSH, WALLS_WRAP};

/// What happens to boids at the walls of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Walls {
    /// Nothing: there are none.
    None = WALLS_NONE,
    /// The force of a law that has one for this pushes back whoever is outside.
    Push = WALLS_PUSH,
    /// Boids are mirrored.
    Bounce = WALLS_BOUNCE,
    /// Boids come back in on the other side. They do not see each other across the border.
    Wrap = WALLS_WRAP,
}

/// Every kind of walls.
pub const WALLS: &[Named<Walls>] = &[
    Named { value: Walls::Push, name: "push", about: "a force pushes back whoever is outside" },
    Named { value: Walls::Bounce, name: "bounce", about: "boids are mirrored" },
    Named { value: Walls::Wrap, name: "wrap", about: "boids come back in on the other side" },
    Named { value: Walls::None, name: "none", about: "there are none" },
];

names!(Walls in WALLS as "walls");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_walls_and_back() {
        for walls in [Walls::None, Walls::Push, Walls::Bounce, Walls::Wrap] {
            assert_eq!(Walls::named(walls.name()).expect("a known name"), walls);
        }
        let message = Walls::named("bounc").expect_err("no such walls").to_string();
        assert_eq!(message, "walls is 'bounc'; accepted is one of push, bounce, wrap, none (did you mean 'bounce'?)");
    }
}
