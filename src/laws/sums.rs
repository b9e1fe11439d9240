//! The sums of a law over the neighbors of a boid.

use super::lanes::Lane;
use super::vectors::V3;

/// A law's sums. The macro `sums!` implements this for a structure.
pub trait Sums<L: Lane>: Copy {
    /// Count of the numbers.
    const COUNT: usize;

    /// Zeros, in as many lanes as `like` has.
    fn zero(like: L) -> Self;

    /// Stores the numbers into a list of [`Sums::COUNT`], in the order of the fields.
    fn put(&self, into: &mut [L]);

    /// The sums whose numbers `put` has stored.
    fn take(from: &[L]) -> Self;
}

/// Defines the structure of a law's sums, generic over the lane `L`. A field is a number `L`, a vector `V3<L>`, or
/// another structure of sums.
macro_rules! sums {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$field_about:meta])* $field:ident: $kind:ty,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy)]
        pub struct $name<L> { $($(#[$field_about])* $field: $kind,)* }

        impl<L: $crate::laws::lanes::Lane> $crate::laws::sums::Sums<L> for $name<L> {
            const COUNT: usize = 0 $(+ <$kind as $crate::laws::sums::Sums<L>>::COUNT)*;

            #[inline(always)]
            fn zero(like: L) -> Self {
                $name { $($field: $crate::laws::sums::Sums::zero(like),)* }
            }

            #[inline(always)]
            fn put(&self, into: &mut [L]) {
                let rest = into;
                $(let (own, rest) = rest.split_at_mut(<$kind as $crate::laws::sums::Sums<L>>::COUNT);
                $crate::laws::sums::Sums::put(&self.$field, own);)*
                debug_assert!(rest.is_empty());
            }

            #[inline(always)]
            fn take(from: &[L]) -> Self {
                let rest = from;
                $(let (own, rest) = rest.split_at(<$kind as $crate::laws::sums::Sums<L>>::COUNT);
                let $field = $crate::laws::sums::Sums::take(own);)*
                debug_assert!(rest.is_empty());
                $name { $($field,)* }
            }
        }
    };
}

impl<L: Lane> Sums<L> for L {
    const COUNT: usize = 1;

    #[inline(always)]
    fn zero(like: L) -> Self {
        like.constant(0.0)
    }

    #[inline(always)]
    fn put(&self, into: &mut [L]) {
        into[0] = *self;
    }

    #[inline(always)]
    fn take(from: &[L]) -> Self {
        from[0]
    }
}

impl<L: Lane> Sums<L> for V3<L> {
    const COUNT: usize = 3;

    #[inline(always)]
    fn zero(like: L) -> Self {
        let zero = like.constant(0.0);
        V3::new(zero, zero, zero)
    }

    #[inline(always)]
    fn put(&self, into: &mut [L]) {
        (into[0], into[1], into[2]) = (self.x, self.y, self.z);
    }

    #[inline(always)]
    fn take(from: &[L]) -> Self {
        V3::new(from[0], from[1], from[2])
    }
}

pub(super) use sums;
