//! Ranges of unsigned numbers: what is known of a value before a kernel runs.

use super::module::is_between;
use spirv::Op;

/// All numbers from the lowest to the highest; truth values are 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Range {
    pub low: u64,
    pub high: u64,
}

/// A truth value of which nothing is known.
const EITHER: Range = Range { low: 0, high: 1 };

impl Range {
    /// One number.
    pub const fn of(value: u64) -> Range {
        Range { low: value, high: value }
    }

    /// Every number of so many bits.
    pub const fn of_bits(bits: u32) -> Range {
        Range { low: 0, high: u64::MAX >> (64 - bits) }
    }

    /// The number, if there is only one.
    pub fn value(self) -> Option<u64> {
        (self.low == self.high).then_some(self.low)
    }

    /// The smallest range with all numbers of both.
    pub fn join(self, other: Range) -> Range {
        Range { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Whether a number is in both.
    pub fn meets(self, other: Range) -> bool {
        self.low <= other.high && other.low <= self.high
    }

    fn is_below(self, other: Range, or_equal: bool) -> Range {
        if self.high < other.low || (or_equal && self.high == other.low) {
            Range::of(1)
        } else if self.low > other.high || (!or_equal && self.low == other.high) {
            Range::of(0)
        } else {
            EITHER
        }
    }
}

/// Whether [`computed`] knows more of the results of an operation than how many bits they have.
pub fn is_computed(op: Op) -> bool {
    matches!(op, Op::UConvert | Op::ConvertPtrToU | Op::ConvertUToPtr | Op::Bitcast)
        || matches!(op, Op::IAdd | Op::ISub | Op::IMul | Op::UDiv | Op::UMod)
        || is_between(op, Op::LogicalEqual, Op::FUnordGreaterThanEqual)
        || is_between(op, Op::ShiftRightLogical, Op::Not)
}

/// All results of an operation on numbers of these ranges, or more than these; the result has so many bits.
pub fn computed(op: Op, operands: &[Range], bits: u32) -> Range {
    let all = Range::of_bits(bits);
    let fits = |low: u128, high: u128| {
        let fits = high <= u128::from(all.high);
        fits.then_some(Range { low: low as u64, high: high as u64 })
    };
    let found = match (op, operands) {
        // Conversions, and pointers as numbers.
        (Op::UConvert | Op::ConvertPtrToU | Op::ConvertUToPtr | Op::Bitcast, &[a]) => fits(a.low.into(), a.high.into()),
        (Op::LogicalNot, &[a]) => a.value().map(|a| Range::of(u64::from(a == 0))),
        (Op::Select, &[decides, a, b]) => Some(match decides.value() {
            Some(0) => b,
            Some(_) => a,
            None => a.join(b),
        }),
        (_, &[a, b]) => of_two(op, a, b, &fits),
        _ => None,
    };
    let float = |of: Range| of.value().and_then(|bits| u32::try_from(bits).ok()).map(f32::from_bits);
    let exact = || match operands {
        [a, b] if is_between(op, Op::FOrdEqual, Op::FUnordGreaterThanEqual) => compared(op, float(*a)?, float(*b)?),
        [a, b] => wrapped(op, a.value()?, b.value()?),
        [a] if op == Op::Not => a.value().map(|a| !a),
        _ => None,
    };
    found.or_else(|| exact().map(|value| Range::of(value & all.high))).unwrap_or(all)
}

fn of_two(op: Op, a: Range, b: Range, fits: &impl Fn(u128, u128) -> Option<Range>) -> Option<Range> {
    let wide = u128::from;
    match op {
        Op::IAdd => fits(wide(a.low) + wide(b.low), wide(a.high) + wide(b.high)),
        Op::ISub if a.low >= b.high => Some(Range { low: a.low - b.high, high: a.high - b.low }),
        Op::IMul => fits(wide(a.low) * wide(b.low), wide(a.high) * wide(b.high)),
        Op::UDiv if b.low > 0 => Some(Range { low: a.low / b.high, high: a.high / b.low }),
        Op::UMod if a.high < b.low => Some(a),
        Op::UMod if a.value().is_none() && b.low > 0 => Some(Range { low: 0, high: b.high - 1 }),
        Op::LogicalOr => Some(Range { low: a.low.max(b.low), high: a.high.max(b.high) }),
        Op::LogicalAnd => Some(Range { low: a.low.min(b.low), high: a.high.min(b.high) }),
        Op::LogicalEqual | Op::IEqual if !a.meets(b) => Some(Range::of(0)),
        Op::LogicalNotEqual | Op::INotEqual if !a.meets(b) => Some(Range::of(1)),
        Op::LogicalEqual | Op::LogicalNotEqual | Op::IEqual | Op::INotEqual
            if a.value().is_none() || b.value().is_none() =>
        {
            Some(EITHER)
        }
        Op::UGreaterThan => Some(b.is_below(a, false)),
        Op::UGreaterThanEqual => Some(b.is_below(a, true)),
        Op::ULessThan => Some(a.is_below(b, false)),
        Op::ULessThanEqual => Some(a.is_below(b, true)),
        Op::BitwiseAnd if a.value().is_none() || b.value().is_none() => {
            Some(Range { low: 0, high: a.high.min(b.high) })
        }
        _ => None,
    }
}

/// An ordered comparison of floating-point numbers, both known.
fn compared(op: Op, a: f32, b: f32) -> Option<u64> {
    let is = match op {
        Op::FOrdEqual => a == b,
        Op::FOrdLessThan => a < b,
        Op::FOrdGreaterThan => a > b,
        Op::FOrdLessThanEqual => a <= b,
        Op::FOrdGreaterThanEqual => a >= b,
        _ => return None,
    };
    Some(u64::from(is))
}

/// The result for two numbers, before it is cut to its bits.
fn wrapped(op: Op, a: u64, b: u64) -> Option<u64> {
    Some(match op {
        Op::IAdd => a.wrapping_add(b),
        Op::ISub => a.wrapping_sub(b),
        Op::IMul => a.wrapping_mul(b),
        Op::UMod => a.checked_rem(b)?,
        Op::LogicalEqual | Op::IEqual => u64::from(a == b),
        Op::LogicalNotEqual | Op::INotEqual => u64::from(a != b),
        Op::ShiftRightLogical => a.checked_shr(b as u32)?,
        Op::ShiftLeftLogical => a.checked_shl(b as u32)?,
        Op::BitwiseOr => a | b,
        Op::BitwiseXor => a ^ b,
        Op::BitwiseAnd => a & b,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn range(bits: u32) -> impl Strategy<Value = Range> {
        let number = prop_oneof![0..9u64, 0..=Range::of_bits(bits).high, Just(Range::of_bits(bits).high)];
        (number.clone(), number).prop_map(|(a, b)| Range { low: a.min(b), high: a.max(b) })
    }

    /// A number of the range.
    fn within(range: Range, at: u64) -> u64 {
        range.low + (u128::from(at) % (u128::from(range.high - range.low) + 1)) as u64
    }

    proptest! {
        /// Whatever two numbers of the ranges: the result is in the range of results.
        #[test]
        fn a_range_has_every_result(a in range(32), b in range(32), at in any::<[u64; 2]>(), which in 0..19usize) {
            const OPS: [Op; 19] = [
                Op::IAdd, Op::ISub, Op::IMul, Op::UDiv, Op::UMod, Op::LogicalEqual, Op::LogicalNotEqual, Op::LogicalOr,
                Op::LogicalAnd, Op::IEqual, Op::INotEqual, Op::UGreaterThan, Op::UGreaterThanEqual, Op::ULessThan,
                Op::ULessThanEqual, Op::BitwiseOr, Op::BitwiseXor, Op::BitwiseAnd, Op::ShiftRightLogical,
            ];
            let op = OPS[which];
            let (x, y) = (within(a, at[0]) as u32, within(b, at[1]) as u32);
            let truth = is_between(op, Op::LogicalEqual, Op::ULessThanEqual);
            let result = match op {
                Op::IAdd => x.wrapping_add(y),
                Op::ISub => x.wrapping_sub(y),
                Op::IMul => x.wrapping_mul(y),
                Op::UDiv => match x.checked_div(y) { Some(found) => found, None => return Ok(()) },
                Op::UMod => match x.checked_rem(y) { Some(found) => found, None => return Ok(()) },
                Op::LogicalEqual | Op::IEqual => u32::from(x == y),
                Op::LogicalNotEqual | Op::INotEqual => u32::from(x != y),
                Op::LogicalOr => u32::from((x | y) != 0),
                Op::LogicalAnd => u32::from(x != 0 && y != 0),
                Op::UGreaterThan => u32::from(x > y),
                Op::UGreaterThanEqual => u32::from(x >= y),
                Op::ULessThan => u32::from(x < y),
                Op::ULessThanEqual => u32::from(x <= y),
                Op::BitwiseOr => x | y,
                Op::BitwiseXor => x ^ y,
                Op::BitwiseAnd => x & y,
                _ => match x.checked_shr(y) { Some(found) => found, None => return Ok(()) },
            };
            // Operands of these two are truth values.
            let truths = |of: Range| Range { low: of.low.min(1), high: of.high.min(1) };
            let (a, b) = if matches!(op, Op::LogicalOr | Op::LogicalAnd) { (truths(a), truths(b)) } else { (a, b) };
            let found = computed(op, &[a, b], if truth { 1 } else { 32 });
            prop_assert!(found.meets(Range::of(result.into())), "{op:?}: {x} and {y} give {result}, not in {found:?}");
        }
    }
}
