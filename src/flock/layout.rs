//! The structures of `glsl/include/layout.glsl` that the simulation kernels read, field for field.
//!
//! All are in scalar layout: a three-component vector takes twelve bytes and nothing is padded. `tests/layouts.rs`
//! compares every offset with the built SPIR-V.

use crate::limits::{MAX_KINDS, MAX_OBSTACLES, MAX_POINTS, MAX_TARGETS, PARTS};
use bytemuck::{Pod, Zeroable};
use glam::{UVec3, Vec3};

/// The neighbor grid.
///
/// Cell `(x, y, z)` has the id `x + dims.x * (z + dims.z * y)`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Grid {
    /// Lower corner, in world units.
    pub origin: Vec3,
    /// Size of a cell, in world units; finer in x than in y and z.
    pub cell_size: Vec3,
    /// `1 / cell_size`.
    pub inv_cell_size: Vec3,
    /// Cells along each axis, each at least 1.
    pub dims: UVec3,
    /// Upper limit of the rounding error of a distance to a cell's border, in world units.
    pub slack: f32,
    /// `dims.x * dims.y * dims.z`.
    pub cell_count: u32,
    /// 1 on a torus, whose first and last cells are beside each other; else 0.
    pub wraps: u32,
}

/// A boid's own row of cells, or one next to it. Lengths are in columns, the width of a cell along x.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct GridRow {
    /// The row is at least `max(0, gap_y[0] + gap_y[1] * w)` away along y, with `w` world units between the boid and
    /// the lower border of its cell.
    pub gap_y: [f32; 2],
    /// The same along z.
    pub gap_z: [f32; 2],
    /// Offset from a cell of the boid's own row to the same column of this row, modulo 2^32.
    pub cells: u32,
    /// Padding: keeps pairs at multiples of eight bytes, so that a device can load each at once.
    pub unused: u32,
}

/// Rows around a boid, its own included.
pub const ROWS: usize = 9;

/// How the rows around a boid are cut to the sphere of the search radius, in columns.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Chords {
    /// The radius, squared and widened.
    pub radius_squared: f32,
    /// Added to the length of a half chord.
    pub slack: f32,
    /// `dims.x - 1`.
    pub last_column: f32,
    /// In the order of y, then z; the boid's own in the middle.
    pub rows: [GridRow; ROWS],
}

/// How positions are quantized, for a search that asks for it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Quanta {
    /// Quanta in a world unit. On a torus, a period is a multiple of 256 along each axis.
    pub per_unit: Vec3,
    /// Quanta from the grid's lower corner at which positions are clamped.
    pub most: f32,
    /// Added to the squared distance in quanta of two neighbors, it gives a negative number.
    pub near_bias: i32,
}

/// The box that holds the flock.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct World {
    /// Middle of the box.
    pub center: Vec3,
    /// Half the box's edge along each axis.
    pub half_size: Vec3,
}

/// Constants of the rules. A law reads those that its author's formulas have.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Rules {
    /// Distance within which a neighbor repels, in world units. As kernels have it, [`NO_RADIUS`] where there is no
    /// end.
    pub separation_radius: f32,
    /// Distance within which a neighbor's heading counts, in world units.
    pub alignment_radius: f32,
    /// Distance within which a neighbor attracts, in world units.
    pub cohesion_radius: f32,
    /// Distance within which a search looks, in world units: see
    /// [`Settings::search_radius`](super::settings::Settings::search_radius).
    pub search_radius: f32,
    /// Strength of separation.
    pub separation_weight: f32,
    /// Strength of alignment.
    pub alignment_weight: f32,
    /// Strength of cohesion.
    pub cohesion_weight: f32,
    /// Strength of the pull towards the nearest target.
    pub target_weight: f32,
    /// Strength of the push back into the box.
    pub wall_weight: f32,
    /// Speed of laws with a constant speed, in world units per second.
    pub move_speed: f32,
    /// Upper limit of the speed, in world units per second.
    pub max_speed: f32,
    /// Upper limit of a steering force, in world units per second squared.
    pub max_force: f32,
    /// How fast a heading turns into the force, per second.
    pub turn_rate: f32,
    /// Share of the wanted velocity in the new one, at each step.
    pub blend: f32,
    /// Beyond this distance the cursor attracts, within it repels, in world units.
    pub cursor_distance: f32,
    /// Strength of the cursor's attraction, which grows with the distance.
    pub cursor_attraction: f32,
    /// Strength of the cursor's repulsion.
    pub cursor_repulsion: f32,
    /// Weight of a boid's own heading in alignment, as of a neighbor.
    pub own_weight: f32,
}

/// Stands for no radius: farther than all boids but those that are not finite, and its square is an ordinary number.
pub const NO_RADIUS: f32 = 1e14;

impl Rules {
    /// The largest of the three radii, in world units.
    pub fn reach(&self) -> f32 {
        self.separation_radius.max(self.alignment_radius).max(self.cohesion_radius)
    }

    /// The same with [`NO_RADIUS`] in place of infinity, and the distance within which a search looks.
    pub(super) fn met(self, search_radius: f32) -> Rules {
        Rules {
            separation_radius: self.separation_radius.min(NO_RADIUS),
            alignment_radius: self.alignment_radius.min(NO_RADIUS),
            cohesion_radius: self.cohesion_radius.min(NO_RADIUS),
            search_radius,
            ..self
        }
    }
}

/// How boids turn, and how slow they may be: see `glsl/include/manners.glsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Manners {
    /// Those that are switched on: `MANNER_` bits of [`limits`](crate::limits). Kernels also have them as a
    /// specialization constant.
    pub bits: u32,
    /// Seed of the random numbers.
    pub seed: [u32; 2],
    /// Angular: the angle of the cone, in radians. Vectorial: the length of the random vector.
    pub noise: f32,
    /// The angle in turns.
    pub noise_turns: f32,
    /// 1 minus the cosine of half the angle.
    pub noise_cap: f32,
    /// Cosine of the largest turn in a step.
    pub cos_turn: f32,
    /// Its sine.
    pub sin_turn: f32,
    /// Lower limit of the speed, in world units per second.
    pub least_speed: f32,
    /// Cosine of half the field of view, times its magnitude.
    pub view: f32,
    /// The square of the distance within which others are perceived on all sides.
    pub felt_squared: f32,
    /// At most so many neighbors, the nearest; 0 for no limit. Kernels have it as a specialization constant.
    pub nearest: u32,
}

/// The squared radii of [`Rules`], for comparison with squared distances.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct SquaredRadii {
    /// `separation_radius²`.
    pub separation: f32,
    /// `alignment_radius²`.
    pub alignment: f32,
    /// `cohesion_radius²`.
    pub cohesion: f32,
    /// `search_radius²`.
    pub search: f32,
}

impl SquaredRadii {
    /// The squares, in single precision.
    pub fn of(rules: &Rules) -> Self {
        let square = |radius: f32| radius * radius;
        SquaredRadii {
            separation: square(rules.separation_radius),
            alignment: square(rules.alignment_radius),
            cohesion: square(rules.cohesion_radius),
            search: square(rules.search_radius),
        }
    }
}

/// A boid's weight of each influence, and its own speed: four numbers in sequence, as `glsl/include/motion.glsl` reads
/// them.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct MovementWeights {
    /// The nearest target.
    pub target: f32,
    /// The leader.
    pub leader: f32,
    /// The current.
    pub current: f32,
    /// Factor of the boid's speeds.
    pub speed: f32,
}

/// Identity for no leader.
pub const NO_LEADER: u32 = u32::MAX;

/// One stage of a bitonic sort.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct BitonicStage {
    /// Pairs in the blocks that are merged.
    pub block: u32,
    /// Places between two pairs that are compared, or 0 for the first stage, which mirrors.
    pub stride: u32,
}

/// Push constants of kernels for many flocks that are stepped at once.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Parts {
    /// Steps since the start.
    pub step: u32,
    /// Bytes from the part of one flock to that of the next, of each array by binding.
    pub bytes: [u32; PARTS as usize],
}

/// Crowding of a set of cells.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Crowding {
    /// Boids in the fullest of them.
    pub fullest: u32,
    /// Sum of the squares of their counts.
    pub squares: f32,
}

/// The byte of the buffer `crowding` where the report of a step begins: steps in flight have entries of their own.
pub fn crowding_entry(step: u32) -> u64 {
    u64::from(step % crate::limits::CROWDING_REPORTS) * size_of::<Crowding>() as u64
}

/// Everything that one simulation step reads besides the flock itself.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct StepParams {
    /// Boids in the flock.
    pub boid_count: u32,
    /// Steps since the start.
    pub step: u32,
    /// Simulated seconds in a step.
    pub time_step: f32,
    /// Steps from one decision of a boid about its state to the next.
    pub decision_steps: u32,
    /// Entries of `targets` in use.
    pub target_count: u32,
    /// The neighbor grid.
    pub grid: Grid,
    /// The box that holds the flock.
    pub world: World,
    /// What happens at its walls: one of the `WALLS_` numbers of [`limits`](crate::limits). Kernels also have it as a
    /// specialization constant.
    pub walls: u32,
    /// Constants of the rules.
    pub rules: Rules,
    /// The squares of its radii.
    pub squared_radii: SquaredRadii,
    /// How boids turn, and how slow they may be.
    pub manners: Manners,
    /// How positions are quantized, for the search that tests these first; so is the next.
    pub quanta: Quanta,
    /// How the rows of the grid around a boid are cut.
    pub chords: Chords,
    /// Where the cursor is, in world units.
    pub cursor: Vec3,
    /// Identity of the boid that others follow; [`NO_LEADER`] without a leader.
    pub leader: u32,
    /// The current, in world units per second.
    pub current: Vec3,
    /// Position (xyz) and drawn radius (w) of each target, in world units.
    pub targets: [[f32; 4]; MAX_TARGETS as usize],
    /// Entries of `points` in use.
    pub point_count: u32,
    /// Points that attract or repel.
    pub points: [Point; MAX_POINTS as usize],
    /// How far ahead a boid sees an obstacle, in world units.
    pub obstacle_distance: f32,
    /// Strength of the steering away from obstacles.
    pub obstacle_weight: f32,
    /// The least distance from an obstacle at which rounding cannot put a boid inside, in world units.
    pub obstacle_gap: f32,
    /// Entries of `obstacles` in use.
    pub obstacle_count: u32,
    /// The obstacles.
    pub obstacles: [PackedObstacle; MAX_OBSTACLES as usize],
    /// The kinds of boids.
    pub kinds: Kinds,
}

/// Kinds of boids as kernels read them: see [`kinds`](super::kinds).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Kinds {
    /// Kinds that steering tells apart, 0 for none. Kernels also have it as a specialization constant.
    pub count: u32,
    /// Hunters that are feared from afar.
    pub hunters: u32,
    /// Of each kind, the identity after its last.
    pub ends: [u32; MAX_KINDS as usize],
    /// Weights of separation, alignment and cohesion that a boid of the kind `k / MAX_KINDS` has for one of the kind
    /// `k % MAX_KINDS`, and one unused number.
    pub felt: [[f32; 4]; (MAX_KINDS * MAX_KINDS) as usize],
    /// How each kind hunts.
    pub hunts: [PackedHunt; MAX_KINDS as usize],
}

/// A [`Hunt`](super::kinds::Hunt) as kernels read it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct PackedHunt {
    /// Number of the kind that it hunts; [`NO_KIND`](super::kinds::NO_KIND) for none.
    pub prey: u32,
    /// The square of how far it sees its prey, in world units.
    pub sight_squared: f32,
    /// Strength of the pull towards the nearest.
    pub chase: f32,
    /// How far it is feared, in world units.
    pub reach: f32,
    /// Acceleration of its prey right beside it, in world units per second squared.
    pub fear: f32,
    /// Added to an identity, modulo 2^32: its place among the hunters that are feared.
    pub place: u32,
}

/// An [`Obstacle`](super::obstacles::Obstacle) as kernels read it: everything within `radius` of its core.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct PackedObstacle {
    /// One of the `OBSTACLE_` numbers of [`limits`](crate::limits), which also names the core.
    pub kind: u32,
    /// The middle of the core, or a place on a plane, in world units.
    pub position: Vec3,
    /// Of a box: from its middle to a corner. Of a capsule: from the middle of its segment to an end. Of a torus: along
    /// its axis, as long as its circle's radius. Of a plane: the unit normal. Of a mesh: cosine and sine of its turn
    /// about y, and its largest edge.
    pub extent: Vec3,
    /// World units. Of a mesh: the error of its volume, by which its distances are made safe.
    pub radius: f32,
    /// No place of it is farther from `position`, in world units; of a plane, beyond all lengths.
    pub bound: f32,
    /// Of a mesh: where its volume begins among the numbers of all volumes.
    pub volume: u32,
}

/// A point that attracts the boids around it, or repels them: with `strength * (1 - distance / reach)`, in world units
/// per second squared, within its reach.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Point {
    /// Where it is, in world units.
    pub position: Vec3,
    /// The distance at which its effect ends, in world units.
    pub reach: f32,
    /// The acceleration at the point itself, in world units per second squared; below 0 it repels.
    pub strength: f32,
}
