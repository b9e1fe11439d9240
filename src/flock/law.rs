//! The laws: what a boid does with its neighbors. One table row for each.
//!
//! A law is one GLSL file under `glsl/laws/`, one Rust file under `src/laws/`, and one row here.

use super::search::Search;
use super::setting::Setting::{self, *};
use std::fmt;

/// The radii of a law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Radii {
    /// One for separation, alignment and cohesion.
    One,
    /// One for separation, and one for alignment and cohesion.
    Two,
    /// One for each.
    Three,
}

/// What the rest of the program needs to know about a law.
#[derive(Clone, Copy, Debug)]
pub struct LawInfo {
    /// The law.
    pub law: Law,
    /// Its name for users. With underscores it is the stem of its file under `glsl/laws/`.
    pub name: &'static str,
    /// The source of its formulas.
    pub origin: &'static str,
    /// What it does, in one sentence.
    pub sentence: &'static str,
    /// The velocity slot of a boid holds its unit heading; the velocity is that times `move_speed`.
    pub uses_heading: bool,
    /// Whether the law itself limits a force. In other laws only the influences do.
    pub limited_force: bool,
    /// The radii that may differ.
    pub radii: Radii,
    /// The settings that the law itself reads, in groups. [`Law::settings`] has those of the shared motion as well.
    pub reads: &'static [&'static [Setting]],
}

const RADII: &[Setting] = &[SeparationRadius, AlignmentRadius, CohesionRadius];
const WEIGHTS: &[Setting] = &[SeparationWeight, AlignmentWeight, CohesionWeight];
const CURSOR: &[Setting] = &[Setting::Cursor, CursorDistance, CursorAttraction, CursorRepulsion];

/// What the motion that all laws share reads: the influences on boids besides their law.
pub const MOTION_SETTINGS: &[Setting] = &[
    WallWeight,
    MaxForce,
    Targets,
    TargetWeight,
    TargetPeriod,
    Leader,
    LeaderWeight,
    Current,
    CurrentWeight,
    Points,
    Obstacles,
    ObstacleDistance,
    ObstacleWeight,
    Heed,
];

/// What holds for the motion under every law: see [`manners`](super::manners).
pub const MANNER_SETTINGS: &[Setting] = &[ViewAngle, FeltDistance, Nearest, MinSpeed, MaxTurn, Noise];

/// The row of [`Law::Probe`], which users cannot choose; and the defaults of other rows.
const PROBE: LawInfo = LawInfo {
    law: Law::Probe,
    name: "probe",
    origin: "the benchmark of this program",
    sentence: "Stores the sums and the counts of the neighbors in place of the state.",
    uses_heading: false,
    limited_force: false,
    radii: Radii::Three,
    reads: &[RADII],
};

/// A row for each law: what [`LawInfo`] has of it.
macro_rules! laws {
    ($($law:ident {
        name: $name:literal, origin: $origin:literal, sentence: $sentence:literal, $($field:ident: $value:expr,)*
    })*) => {
        /// A law that boids steer by.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Law {
            $(#[doc = $sentence] $law,)*
            /// For tests and benchmarks: stores the sums and the counts of the neighbors in place of the state.
            Probe,
        }

        /// The laws that users can choose.
        pub const LAWS: &[LawInfo] = &[$(LawInfo {
            law: Law::$law, name: $name, origin: $origin, sentence: $sentence, $($field: $value,)* ..PROBE
        }),*];
    };
}

laws! {
    Heading {
        name: "heading",
        origin: "an article on boids with compute shaders in Unity URP, autumn 2023",
        sentence: "Headings turn at a limited rate towards separation, alignment, cohesion and the nearest target.",
        uses_heading: true,
        radii: Radii::One,
        reads: &[RADII, WEIGHTS, &[TargetWeight, MoveSpeed, TurnRate, Targets, TargetPeriod]],
    }
    ThreeRadius {
        name: "three-radius",
        origin: "an article on a fish school in Unity, May 2024, after Unity Graphics Programming vol. 1",
        sentence: "The means of three rules add up to one limited force.",
        limited_force: true,
        reads: &[RADII, WEIGHTS, &[MaxSpeed, MaxForce, SpawnSpeed]],
    }
    Cursor {
        name: "cursor",
        origin: "an article in Unity after the book Introduction to Game Design, Prototyping, and Development",
        sentence: "A flock follows the cursor and avoids it at close range; velocities blend step by step.",
        radii: Radii::Two,
        reads: &[RADII, WEIGHTS, &[Blend], CURSOR, &[MaxSpeed, SpawnSpeed]],
    }
    Reynolds {
        name: "reynolds",
        origin: "a capstone article in Korean on Reynolds' steering, on the GPU and in CPU jobs",
        sentence: "Each rule steers towards a wanted velocity with a limited force.",
        limited_force: true,
        reads: &[RADII, WEIGHTS, &[MaxSpeed, MaxForce, SpawnSpeed]],
    }
    Bounce {
        name: "bounce",
        origin: "an article in Japanese on neighbor search in Unity, January 2021",
        sentence: "Boids fly straight at constant speed; the neighbors are found, but only walls turn a boid.",
        uses_heading: true,
        radii: Radii::One,
        reads: &[RADII, &[MoveSpeed]],
    }
    Zones {
        name: "zones",
        origin: "Vicsek et al., Phys. Rev. Lett. 75 (1995), and Couzin et al., J. Theor. Biol. 218 (2002)",
        sentence: "Headings turn away from who is too near, else to those around and towards those farther away.",
        uses_heading: true,
        reads: &[RADII, WEIGHTS, &[OwnWeight, MoveSpeed]],
    }
}

impl Law {
    /// The law's row.
    pub fn info(self) -> &'static LawInfo {
        LAWS.get(self as usize).unwrap_or(&PROBE)
    }

    /// The settings that the law itself reads.
    fn own_settings(self) -> impl Iterator<Item = Setting> {
        self.info().reads.iter().copied().flatten().copied()
    }

    /// The settings that its flocks read: its own, then those of the shared motion.
    pub fn settings(self) -> impl Iterator<Item = Setting> {
        let shared = if self == Law::Probe { [&[][..], &[]] } else { [MOTION_SETTINGS, MANNER_SETTINGS] };
        let shared =
            shared.into_iter().flatten().copied().filter(move |shared| self.own_settings().all(|own| own != *shared));
        self.own_settings().chain(shared)
    }

    /// Whether its flocks read `setting`.
    pub fn reads(self, setting: Setting) -> bool {
        self.settings().any(|read| read == setting)
    }

    /// Whether the cursor leads the flock.
    pub fn follows_cursor(self) -> bool {
        self.reads(Setting::Cursor)
    }

    /// Whether the law itself has a pull of targets, which grows with the distance; that of the shared motion does not.
    pub fn has_own_targets(self) -> bool {
        self.own_settings().any(|own| own == TargetWeight)
    }

    /// Its name for users.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Its name in files: one law has the name of its preset there, as in files of earlier versions.
    pub fn name_in_files(self) -> &'static str {
        if self == Law::Heading { "counting-sort" } else { self.name() }
    }

    /// Name of the kernel that `steer.comp` becomes with this law and `search`, for all neighbors or the `nearest` few:
    /// for these the default search has another build.
    pub fn kernel(self, search: Search, nearest: bool) -> String {
        let build = if nearest && search.info().quantized { "_nearest" } else { "" };
        format!("steer_{}_{}{build}", self.name().replace('-', "_"), search.stem())
    }
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::super::search::SEARCHES;
    use super::*;

    #[test]
    fn every_law_has_a_row_and_a_kernel_for_each_search() {
        for law in LAWS.iter().map(|info| info.law).chain([Law::Probe]) {
            assert_eq!(law.info().law, law);
            for search in SEARCHES {
                for kernel in [false, true].map(|nearest| law.kernel(search.search, nearest)) {
                    assert!(crate::shaders::names().any(|name| name == kernel), "{kernel}");
                }
            }
        }
    }
}
