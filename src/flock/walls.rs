//! What happens to boids at the walls of the world.

use super::named::choices;
use crate::limits::{WALLS_BOUNCE, WALLS_NONE, WALLS_PUSH, WALLS_WRAP};

choices! {
    /// What happens to boids at the walls of the world.
    #[repr(u32)]
    enum Walls in WALLS as "walls" {
        Push = WALLS_PUSH, "push", "a force pushes boids outside back in";
        Bounce = WALLS_BOUNCE, "bounce", "the velocity is reflected";
        /// Everything is seen through the walls, by its nearest image: see [`torus`](super::torus).
        Wrap = WALLS_WRAP, "wrap", "opposite walls are one, and boids see each other through them";
        None = WALLS_NONE, "none", "there are no walls";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_values_and_back() {
        for row in WALLS {
            assert_eq!(Walls::named(row.value.name()).expect("a known name"), row.value);
        }
        assert_eq!((Walls::Push.next(), Walls::None.next()), (Walls::Bounce, Walls::Push));
    }

    #[test]
    fn a_slip_is_answered_with_the_name_meant() {
        let message = |name| Walls::named(name).expect_err("no such walls").to_string();
        assert_eq!(
            message("bounc"),
            "walls is 'bounc'; accepted is one of push, bounce, wrap, none (did you mean 'bounce'?)"
        );
        assert_eq!(message("zzz"), "walls is 'zzz'; accepted is one of push, bounce, wrap, none");
    }
}
