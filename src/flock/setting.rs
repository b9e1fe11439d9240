//! The settings that a law may read or leave alone, by name.

/// One row a setting: its name, and what it is.
macro_rules! settings {
    ($($setting:ident $name:literal $about:literal;)*) => {
        /// A setting that a law may read or leave alone.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Setting {
            $(#[doc = concat!($about, ".")] $setting,)*
        }

        impl Setting {
            /// Its name, which errors and exported files give.
            pub const fn name(self) -> &'static str {
                match self { $(Setting::$setting => $name),* }
            }

            /// What it is, in one sentence without a full stop.
            pub const fn about(self) -> &'static str {
                match self { $(Setting::$setting => $about),* }
            }
        }
    };
}

settings! {
    SeparationRadius "separation_radius" "Distance within which a neighbor repels";
    AlignmentRadius "alignment_radius" "Distance within which a neighbor's heading counts";
    CohesionRadius "cohesion_radius" "Distance within which a neighbor attracts";
    SeparationWeight "separation_weight" "Strength of separation";
    AlignmentWeight "alignment_weight" "Strength of alignment";
    CohesionWeight "cohesion_weight" "Strength of cohesion";
    MoveSpeed "move_speed" "Speed of laws with a constant speed";
    MaxSpeed "max_speed" "Upper limit of the speed";
    MaxForce "max_force" "Upper limit of a steering force";
    TurnRate "turn_rate" "How fast a heading turns into the force";
    Blend "blend" "Share of the wanted velocity in the new one, at each step";
    Cursor "cursor" "Where the cursor is, or its path with a time in seconds for each place; without, it circles";
    CursorDistance "cursor_distance" "Distance beyond which the cursor attracts, and within which it repels";
    CursorAttraction "cursor_attraction" "Strength of the cursor's attraction, which grows with the distance";
    CursorRepulsion "cursor_repulsion" "Strength of the cursor's repulsion";
    WallWeight "wall_weight" "Strength of the push back into the world";
    Targets "targets" "Targets that attract the flock";
    TargetWeight "target_weight" "Strength of the pull towards the nearest target";
    TargetPeriod "target_period" "Simulated time after which the targets are drawn anew";
    TargetRadius "target_radius" "Radius of the sphere drawn at a target";
    Leader "leader" "Number of a boid that others follow";
    LeaderWeight "leader_weight" "How much boids follow the leader";
    Current "current" "A current that boids go with";
    CurrentWeight "current_weight" "How much boids go with the current";
    Heed "heed" "Share of the flock that targets, leader and current influence";
    SpawnSpeed "spawn_speed" "Speed at the start";
    TimeStep "time_step" "Simulated time in a step";
}
