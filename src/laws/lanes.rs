//! SIMD lanes: they allow a law to be written once, for one boid in double precision and for several in single
//! precision.
//!
//! A [`Lane`] holds one number, or several, each of another boid that is steered. The value of a lane is not tested by
//! `if`: a comparison gives a mask, and [`Lane::select`] or [`Lane::only`] keeps the lanes in which it holds, as on a
//! GPU.
//!
//! Everything here is `#[inline(always)]`, also closures that are passed on, and so must be all code that works on
//! lanes: code that is not inlined into a function compiled for an instruction set does not use that set, and is up to
//! ten times slower.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x8, f32x16, mask32x8, mask32x16};
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// A number below this is not used as a divisor: devices may flush it to zero in single precision.
pub const SMALLEST_NORMAL: f32 = f32::MIN_POSITIVE;

/// One number, or several side by side. In arithmetic with an `f32`, every lane takes that number.
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
    /// A boolean in each lane.
    type Mask: Copy + BitAnd<Output = Self::Mask> + BitOr<Output = Self::Mask> + Not<Output = Self::Mask>;

    /// `value` in as many lanes as `self` has.
    fn constant(self, value: f32) -> Self;

    /// `self <= other`. No comparison holds for NaN.
    fn le(self, other: Self) -> Self::Mask;

    /// `self < other`.
    fn lt(self, other: Self) -> Self::Mask;

    /// `yes` where `mask` holds, `no` elsewhere.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// `self * factor + term`, rounded once if the machine supports it.
    fn mul_add(self, factor: Self, term: Self) -> Self;

    /// The square root.
    fn sqrt(self) -> Self;

    /// The absolute value.
    fn abs(self) -> Self;

    /// The largest integer that is not larger.
    fn floor(self) -> Self;

    /// Whether `mask` holds in a lane.
    fn any(mask: Self::Mask) -> bool;

    /// Does `work`, which must be inlined, with the instruction set of these lanes. In a function that is not inlined
    /// itself: code that all laws share is then compiled once.
    fn apart<R>(self, work: impl FnOnce() -> R) -> R;

    /// The value in single precision, in which the state is stored.
    fn rounded(self) -> Self;

    /// What `look` says for the three numbers of each lane, without their fractions; what is no number is 0.
    fn look_up<const N: usize>(at: [Self; 3], look: impl Fn([usize; 3]) -> [f32; N]) -> [Self; N];

    /// Whether it is this whole number.
    #[inline(always)]
    fn is(self, number: u32) -> Self::Mask {
        let number = self.constant(number as f32);
        self.le(number) & number.le(self)
    }

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

    /// The larger of two. If one is NaN, either may be returned: machines differ.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select(other.lt(self), self, other)
    }

    /// The smaller of two. If one is NaN, either may be returned: machines differ.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::select(self.lt(other), self, other)
    }

    /// The value, clamped to the range from `least` to `most`.
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

    fn any(mask: bool) -> bool {
        mask
    }

    fn apart<R>(self, work: impl FnOnce() -> R) -> R {
        work()
    }

    fn rounded(self) -> Self {
        Double((self.0 as f32).into())
    }

    fn look_up<const N: usize>(at: [Self; 3], look: impl Fn([usize; 3]) -> [f32; N]) -> [Self; N] {
        look(at.map(|number| number.0 as usize)).map(|found| Double(found.into()))
    }
}

/// Implements [`Lane`] for a vector type with its mask type.
macro_rules! vector_lanes {
    ($($vector:ident $mask:ident $lanes:literal)*) => {$(
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
            fn any(mask: Self::Mask) -> bool {
                mask.any_true()
            }

            #[inline(always)]
            fn apart<R>(self, work: impl FnOnce() -> R) -> R {
                self.simd.vectorize(work)
            }

            #[inline(always)]
            fn rounded(self) -> Self {
                self
            }

            #[inline(always)]
            fn look_up<const N: usize>(at: [Self; 3], look: impl Fn([usize; 3]) -> [f32; N]) -> [Self; N] {
                let (mut numbers, mut found) = ([[0.0; $lanes]; 3], [[0.0; $lanes]; N]);
                for (axis, numbers) in numbers.iter_mut().enumerate() {
                    at[axis].store_slice(numbers);
                }
                for lane in 0..$lanes {
                    let values = look([0, 1, 2].map(|axis| numbers[axis][lane] as usize));
                    for k in 0..N {
                        found[k][lane] = values[k];
                    }
                }
                found.map(#[inline(always)] |lanes| Self::from_slice(at[0].simd, &lanes))
            }
        }
    )*};
}

vector_lanes! { f32x8 mask32x8 8  f32x16 mask32x16 16 }
