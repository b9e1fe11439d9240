//! Numbers that stand side by side: what lets a law be written once, for one boid in double precision and for many in
//! single precision.
//!
//! A [`Lane`] is one such number or several, and each is of a boid: that boid looks at a neighbor, and is steered. There is
//! no `if` on the value of a lane: a comparison gives a mask, and [`Lane::select`] or [`V3::only`] keeps the lanes in which
//! it holds, as a GPU does.
//!
//! Everything here is `#[inline(always)]`, closures that are handed on included, and whatever works on lanes must be: code
//! that is not inlined into the function that was compiled for an instruction set does not use that set, and is up to ten
//! times slower.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x8, f32x16, mask32x8, mask32x16};
use glam::{DVec3, Vec3};
use std::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, Neg, Not, Sub, SubAssign};

/// One number, or several side by side. Arithmetic with an `f32` takes that in every lane.
pub trait Lane:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Add<f32, Output = Self>
    + Sub<f32, Output = Self>
    + Mul<f32, Output = Self>
    + Div<f32, Output = Self>
{
    /// One truth in each lane.
    type Mask: Copy + BitAnd<Output = Self::Mask> + BitOr<Output = Self::Mask> + Not<Output = Self::Mask>;

    /// `value` in as many lanes as `self` has.
    fn constant(self, value: f32) -> Self;

    /// `self <= other`. No comparison holds for what is no number.
    fn le(self, other: Self) -> Self::Mask;

    /// `self < other`.
    fn lt(self, other: Self) -> Self::Mask;

    /// `yes` where `mask` holds, `no` elsewhere.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// `self * factor + term`, rounded once where the machine can.
    fn mul_add(self, factor: Self, term: Self) -> Self;

    /// The square root.
    fn sqrt(self) -> Self;

    /// The magnitude.
    fn abs(self) -> Self;

    /// The largest whole number that is not larger.
    fn floor(self) -> Self;

    /// The value in single precision, in which the state is stored.
    fn rounded(self) -> Self;

    /// `self >= value`.
    #[inline(always)]
    fn at_least(self, value: f32) -> Self::Mask {
        self.constant(value).le(self)
    }

    /// Whether a squared distance is at most `radius`.
    #[inline(always)]
    fn within(self, radius: f32) -> Self::Mask {
        let radius = self.constant(radius);
        self.le(radius * radius)
    }

    /// The larger of two. Where one is no number, that or the other, as the machine has it.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select(other.lt(self), self, other)
    }

    /// The smaller of two. Where one is no number, that or the other, as the machine has it.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::select(self.lt(other), self, other)
    }

    /// The value, but at least `least` and at most `most`.
    #[inline(always)]
    fn clamp(self, least: f32, most: f32) -> Self {
        self.max(self.constant(least)).min(self.constant(most))
    }

    /// The value where `mask` holds, zero elsewhere.
    #[inline(always)]
    fn only(self, mask: Self::Mask) -> Self {
        Self::select(mask, self, self.constant(0.0))
    }

    /// Adds `value` where `mask` holds.
    #[inline(always)]
    fn add_where(&mut self, mask: Self::Mask, value: Self) {
        *self = Self::select(mask, *self + value, *self);
    }
}

/// One number in double precision: the lane of the twins.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Double(pub f64);

/// The four operations of [`Double`], with itself and with an `f32`.
macro_rules! double_operations {
    ($($operation:ident $method:ident)*) => {$(
        impl $operation for Double {
            type Output = Double;
            fn $method(self, other: Double) -> Double {
                Double(self.0.$method(other.0))
            }
        }
        impl $operation<f32> for Double {
            type Output = Double;
            fn $method(self, other: f32) -> Double {
                Double(self.0.$method(f64::from(other)))
            }
        }
    )*};
}

double_operations! { Add add  Sub sub  Mul mul  Div div }

impl Neg for Double {
    type Output = Double;
    fn neg(self) -> Double {
        Double(-self.0)
    }
}

impl Lane for Double {
    type Mask = bool;

    fn constant(self, value: f32) -> Self {
        Double(value.into())
    }

    fn le(self, other: Self) -> bool {
        self.0 <= other.0
    }

    fn lt(self, other: Self) -> bool {
        self.0 < other.0
    }

    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }

    fn mul_add(self, factor: Self, term: Self) -> Self {
        self * factor + term
    }

    fn sqrt(self) -> Self {
        Double(self.0.sqrt())
    }

    fn abs(self) -> Self {
        Double(self.0.abs())
    }

    fn floor(self) -> Self {
        Double(self.0.floor())
    }

    fn rounded(self) -> Self {
        Double((self.0 as f32).into())
    }
}

/// [`Lane`] for vectors of this type, whose masks are of that one.
macro_rules! vector_lanes {
    ($($vector:ident $mask:ident)*) => {$(
        impl<S: Simd> Lane for $vector<S> {
            type Mask = $mask<S>;

            #[inline(always)]
            fn constant(self, value: f32) -> Self {
                Self::splat(self.simd, value)
            }

            #[inline(always)]
            fn le(self, other: Self) -> Self::Mask {
                self.simd_le(other)
            }

            #[inline(always)]
            fn lt(self, other: Self) -> Self::Mask {
                self.simd_lt(other)
            }

            #[inline(always)]
            fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
                mask.select(yes, no)
            }

            #[inline(always)]
            fn mul_add(self, factor: Self, term: Self) -> Self {
                SimdFloat::mul_add(self, factor, term)
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                SimdFloat::sqrt(self)
            }

            #[inline(always)]
            fn abs(self) -> Self {
                SimdBase::abs(self)
            }

            #[inline(always)]
            fn floor(self) -> Self {
                SimdFloat::floor(self)
            }

            #[inline(always)]
            fn max(self, other: Self) -> Self {
                SimdBase::max(self, other)
            }

            #[inline(always)]
            fn min(self, other: Self) -> Self {
                SimdBase::min(self, other)
            }

            #[inline(always)]
            fn rounded(self) -> Self {
                self
            }
        }
    )*};
}

vector_lanes! { f32x8 mask32x8  f32x16 mask32x16 }

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

    /// Each component changed by `change`.
    #[inline(always)]
    pub fn map<M>(self, mut change: impl FnMut(L) -> M) -> V3<M> {
        V3 { x: change(self.x), y: change(self.y), z: change(self.z) }
    }

    /// Components of both put together by `join`.
    #[inline(always)]
    pub fn zip<M, N>(self, other: V3<M>, mut join: impl FnMut(L, M) -> N) -> V3<N> {
        V3 { x: join(self.x, other.x), y: join(self.y, other.y), z: join(self.z, other.z) }
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

    /// The squared length.
    #[inline(always)]
    pub fn length_squared(self) -> L {
        self.dot(self)
    }

    /// The largest magnitude of a component.
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
        yes.zip(
            no,
            #[inline(always)]
            |yes, no| L::select(mask, yes, no),
        )
    }

    /// The vector where `mask` holds, zero elsewhere.
    #[inline(always)]
    pub fn only(self, mask: L::Mask) -> Self {
        self.map(
            #[inline(always)]
            |component| component.only(mask),
        )
    }

    /// Adds `value` where `mask` holds.
    #[inline(always)]
    pub fn add_where(&mut self, mask: L::Mask, value: Self) {
        self.x.add_where(mask, value.x);
        self.y.add_where(mask, value.y);
        self.z.add_where(mask, value.z);
    }

    /// The way from here to `end`, gone by the share `t`, which may be more than 1.
    #[inline(always)]
    pub fn lerp(self, end: Self, t: L) -> Self {
        self + (end - self) * t
    }

    /// The unit vector along this one, or zero where it has no direction. Twin of `direction_of` in
    /// `glsl/include/vectors.glsl`.
    #[inline(always)]
    pub fn direction(self) -> Self {
        let largest = self.largest();
        let has_one = largest.at_least(SMALLEST_NORMAL);
        // Scaled first, so that the square neither overflows nor vanishes.
        let scaled = self * (largest.constant(1.0) / L::select(has_one, largest, largest.constant(1.0)));
        let length = L::select(has_one, scaled.length_squared(), largest.constant(1.0)).sqrt();
        (scaled * (largest.constant(1.0) / length)).only(has_one)
    }

    /// The vector, shortened to the length `longest` where it is longer. Twin of `limit` in `glsl/include/vectors.glsl`.
    #[inline(always)]
    pub fn limit(self, longest: f32) -> Self {
        let longest = self.x.constant(longest);
        let too_long = (longest * longest).lt(self.length_squared());
        Self::select(too_long, self.direction() * longest, self)
    }
}

/// Below this a number is no divisor: devices may flush it to zero in single precision.
pub const SMALLEST_NORMAL: f32 = f32::MIN_POSITIVE;

impl<L: Lane> Add for V3<L> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(
            other,
            #[inline(always)]
            |a, b| a + b,
        )
    }
}

impl<L: Lane> Sub for V3<L> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(
            other,
            #[inline(always)]
            |a, b| a - b,
        )
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
        self.map(
            #[inline(always)]
            |component| component * factor,
        )
    }
}

impl<L: Lane> Mul<f32> for V3<L> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: f32) -> Self {
        self.map(
            #[inline(always)]
            |component| component * factor,
        )
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
        self.map(
            #[inline(always)]
            |component| -component,
        )
    }
}

impl<L: Lane> AddAssign for V3<L> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<L: Lane> SubAssign for V3<L> {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
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
