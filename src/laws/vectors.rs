//! Vectors whose components are lanes, and boids made of them.

use super::lanes::{Double, Lane, SMALLEST_NORMAL};
use glam::{DVec3, Vec3};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

/// A vector in each lane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct V3<L> {
    /// Along the first axis.
    pub x: L,
    /// Along the second axis, which points up.
    pub y: L,
    /// Along the third axis.
    pub z: L,
}

impl<L: Lane> V3<L> {
    /// The vector (x, y, z).
    #[inline(always)]
    pub fn new(x: L, y: L, z: L) -> Self {
        V3 { x, y, z }
    }

    /// Applies `change` to each component.
    #[inline(always)]
    pub fn map<M>(self, mut change: impl FnMut(L) -> M) -> V3<M> {
        V3 { x: change(self.x), y: change(self.y), z: change(self.z) }
    }

    /// `value` in as many lanes as `self` has.
    #[inline(always)]
    pub fn constant(self, value: Vec3) -> Self {
        V3 { x: self.x.constant(value.x), y: self.y.constant(value.y), z: self.z.constant(value.z) }
    }

    /// The dot product.
    #[inline(always)]
    pub fn dot(self, other: Self) -> L {
        self.x.mul_add(other.x, self.y.mul_add(other.y, self.z * other.z))
    }

    /// The dot product, each operation rounded by itself: the same bits on every machine.
    #[inline(always)]
    pub fn rounded_dot(self, other: Self) -> L {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// The cross product.
    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        V3 {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }

    /// The squared length.
    #[inline(always)]
    pub fn length_squared(self) -> L {
        self.dot(self)
    }

    /// The largest absolute value of a component.
    #[inline(always)]
    pub fn largest(self) -> L {
        self.x.abs().max(self.y.abs()).max(self.z.abs())
    }

    /// Whether all components are zero.
    #[inline(always)]
    pub fn is_zero(self) -> L::Mask {
        self.largest().le(self.x.constant(0.0))
    }

    /// `yes` where `mask` holds, `no` elsewhere.
    #[inline(always)]
    pub fn select(mask: L::Mask, yes: Self, no: Self) -> Self {
        V3 { x: L::select(mask, yes.x, no.x), y: L::select(mask, yes.y, no.y), z: L::select(mask, yes.z, no.z) }
    }

    /// The vector where `mask` holds, zero elsewhere.
    #[inline(always)]
    pub fn only(self, mask: L::Mask) -> Self {
        V3 { x: self.x.only(mask), y: self.y.only(mask), z: self.z.only(mask) }
    }

    /// Adds `value` where `mask` holds.
    #[inline(always)]
    pub fn add_where(&mut self, mask: L::Mask, value: Self) {
        self.x.add_where(mask, value.x);
        self.y.add_where(mask, value.y);
        self.z.add_where(mask, value.z);
    }

    /// Linear interpolation to `end` by `t`, which may be more than 1.
    #[inline(always)]
    pub fn lerp(self, end: Self, t: L) -> Self {
        self + (end - self) * t
    }

    /// The unit vector along this one, or zero if it has no direction. Twin of `direction_of` in
    /// `glsl/include/vectors.glsl`.
    #[inline(always)]
    pub fn direction(self) -> Self {
        let largest = self.largest();
        let has_one = largest.at_least(SMALLEST_NORMAL);
        // Scaled first, so that the square neither overflows nor underflows.
        let scaled = self * (largest.constant(1.0) / L::select(has_one, largest, largest.constant(1.0)));
        let length = L::select(has_one, scaled.length_squared(), largest.constant(1.0)).sqrt();
        (scaled * (largest.constant(1.0) / length)).only(has_one)
    }

    /// The vector, shortened to the length `longest` if it is longer. Twin of `limit` in `glsl/include/vectors.glsl`.
    #[inline(always)]
    pub fn limit(self, longest: f32) -> Self {
        self.limit_to(self.x.constant(longest))
    }

    /// The same, with a length for each lane.
    #[inline(always)]
    pub fn limit_to(self, longest: L) -> Self {
        let too_long = (longest * longest).lt(self.length_squared());
        Self::select(too_long, self.direction() * longest, self)
    }
}

impl<L: Lane> Add for V3<L> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        V3 { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl<L: Lane> Sub for V3<L> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        V3 { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl<L: Lane> Sub<Vec3> for V3<L> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Vec3) -> Self {
        self - self.constant(other)
    }
}

impl<L: Lane> Mul<L> for V3<L> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: L) -> Self {
        V3 { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }
}

impl<L: Lane> Mul<f32> for V3<L> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: f32) -> Self {
        V3 { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }
}

impl<L: Lane> Div<L> for V3<L> {
    type Output = Self;
    #[inline(always)]
    fn div(self, divisor: L) -> Self {
        self * (divisor.constant(1.0) / divisor)
    }
}

impl<L: Lane> Neg for V3<L> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        V3 { x: -self.x, y: -self.y, z: -self.z }
    }
}

impl<L: Lane> AddAssign for V3<L> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl From<DVec3> for V3<Double> {
    fn from(v: DVec3) -> Self {
        V3 { x: Double(v.x), y: Double(v.y), z: Double(v.z) }
    }
}

impl From<V3<Double>> for DVec3 {
    fn from(v: V3<Double>) -> Self {
        DVec3::new(v.x.0, v.y.0, v.z.0)
    }
}

/// A boid in each lane: one of the twin's, or eight or sixteen of the CPU engine's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Boids<L> {
    /// World units.
    pub position: V3<L>,
    /// World units per second, or unit headings for laws with a constant speed.
    pub velocity: V3<L>,
}

/// A neighbor as seen from a boid, in each lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbors<L> {
    /// Their velocities, or unit headings.
    pub velocity: V3<L>,
    /// The vectors to them, in world units.
    pub offset: V3<L>,
    /// The squared length of these.
    pub distance_squared: L,
    /// What is felt for them; nothing where all feel the same for all.
    pub felt: Option<Felt<L>>,
}

/// What is felt for a neighbor, in each lane: numbers for [`SEPARATION`], [`ALIGNMENT`] and [`COHESION`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Felt<L> {
    /// The weights.
    pub weights: [L; 3],
    /// 1 where the weight is not 0, else 0.
    pub counts: [L; 3],
}

/// The rules that neighbors are felt in.
pub const SEPARATION: usize = 0;
/// See [`SEPARATION`].
pub const ALIGNMENT: usize = 1;
/// See [`SEPARATION`].
pub const COHESION: usize = 2;

impl<L: Lane> Felt<L> {
    /// That of these weights.
    #[inline(always)]
    pub fn new(weights: [L; 3]) -> Self {
        let counts = weights.map(
            #[inline(always)]
            |weight| weight.constant(1.0).only(!weight.abs().le(weight.constant(0.0))),
        );
        Felt { weights, counts }
    }
}

impl<L: Lane> Neighbors<L> {
    /// `value` as far as it is felt in a rule.
    #[inline(always)]
    pub fn felt(&self, rule: usize, value: V3<L>) -> V3<L> {
        match self.felt {
            None => value,
            Some(felt) => value * felt.weights[rule],
        }
    }

    /// 1 if they count in a rule, else 0.
    #[inline(always)]
    pub fn counted(&self, rule: usize) -> L {
        match self.felt {
            None => self.distance_squared.constant(1.0),
            Some(felt) => felt.counts[rule],
        }
    }
}
