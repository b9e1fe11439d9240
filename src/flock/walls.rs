//! What happens to boids at the walls of the world.

use crate::error::{Error, Result};
use crate::limits::{WALLS_BOUNCE, WALLS_NONE, WALLS_PUSH, WALLS_WRAP};
use std::fmt;

/// What happens to boids at the walls of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Walls {
    /// Nothing: there are none.
    None = WALLS_NONE,
    /// A force pushes back whoever is outside.
    Push = WALLS_PUSH,
    /// Boids are mirrored.
    Bounce = WALLS_BOUNCE,
    /// Boids come back in on the other side. They do not see each other across the border.
    Wrap = WALLS_WRAP,
}

/// Every kind of walls, with what users call it and what it does.
pub const WALLS: &[(Walls, &str, &str)] = &[
    (Walls::Push, "push", "a force pushes back whoever is outside"),
    (Walls::Bounce, "bounce", "boids are mirrored"),
    (Walls::Wrap, "wrap", "boids come back in on the other side"),
    (Walls::None, "none", "there are none"),
];

impl Walls {
    /// The walls of that name.
    ///
    /// # Errors
    /// [`Error::Setting`] for an unknown name.
    pub fn named(name: &str) -> Result<Walls> {
        WALLS.iter().find(|row| row.1 == name).map(|row| row.0).ok_or_else(|| Error::Setting {
            name: "--walls".into(),
            value: format!("'{name}'"),
            accepted: super::preset::one_of(name, WALLS.iter().map(|row| row.1)),
        })
    }

    /// What users call them.
    pub fn name(self) -> &'static str {
        WALLS.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }
}

impl fmt::Display for Walls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_walls_and_back() {
        for walls in [Walls::None, Walls::Push, Walls::Bounce, Walls::Wrap] {
            assert_eq!(Walls::named(walls.name()).expect("a known name"), walls);
        }
        let message = Walls::named("bounc").expect_err("no such walls").to_string();
        assert_eq!(message, "--walls is 'bounc'; accepted is one of push, bounce, wrap, none (did you mean 'bounce'?)");
    }
}
