//! The settings that only some laws read, by name.

/// One row per setting: its name, and a description.
macro_rules! settings {
    ($($setting:ident $name:literal $about:literal;)*) => {
        /// A setting that only some laws read.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Setting {
            $(#[doc = concat!($about, ".")] $setting,)*
        }

        impl Setting {
            /// Its name, as in errors and exported files.
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
    TurnRate "turn_rate" "How fast a heading turns towards the force";
    OwnWeight "own_weight" "Weight of a boid's own heading in alignment, as of a neighbor";
    Blend "blend" "Share of the wanted velocity in the new one, at each step";
    Cursor "cursor" "Position of the cursor, or its path with a time in seconds for each place; if not set, it circles";
    CursorDistance "cursor_distance" "Distance beyond which the cursor attracts, and within which it repels";
    CursorAttraction "cursor_attraction" "Strength of the cursor's attraction, which grows with the distance";
    CursorRepulsion "cursor_repulsion" "Strength of the cursor's repulsion";
    WallWeight "wall_weight" "Strength of the push back into the world";
    Targets "targets" "Targets that attract the flock";
    TargetWeight "target_weight" "Strength of the pull towards the nearest target";
    TargetPeriod "target_period" "Simulated time after which the targets move";
    TargetRadius "target_radius" "Radius of the sphere drawn at a target";
    Leader "leader" "Number of a boid that others follow";
    LeaderWeight "leader_weight" "Strength of the pull towards the leader";
    Current "current" "A current that carries boids";
    CurrentWeight "current_weight" "Strength of the current";
    Points "points" "Points that attract the boids within their reach, or repel them if their strength is below 0";
    Obstacles "obstacle" "Solid obstacles, which boids fly around and never end a step inside";
    ObstacleDistance "obstacle_distance" "How far ahead a boid sees an obstacle";
    ObstacleWeight "obstacle_weight" "Strength of the steering away from obstacles";
    Heed "heed" "Share of the flock that leader, current and targets (but those of the law heading) influence";
    ViewAngle "view_angle" "Half of a boid's field of view, from its direction to the edge: 180 for all around";
    FeltDistance "felt_distance" "Distance within which a neighbor counts on all sides, in view or not";
    Nearest "nearest" "Neighbors that a boid has, at most, the nearest; 0 for no limit; with radii of inf, however far";
    MinSpeed "min_speed" "Lower limit of the speed";
    MaxTurn "max_turn" "Upper limit of a boid's turn, 0 for none";
    Noise "noise" "Noise in a boid's direction: the whole width of a turn in radians, or, in the form vectorial, a \
        length";
    SpawnSpeed "spawn_speed" "Speed at the start";
    TimeStep "time_step" "Simulated time in a step";
}
