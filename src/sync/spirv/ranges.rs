//! Ranges of unsigned numbers: what is known of a value before a kernel runs.

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

/// All results of the operation with this opcode on numbers of these ranges, or more than these; the result has so many bits.
pub fn computed(code: u16, operands: &[Range], bits: u32) -> Range {
    let all = Range::of_bits(bits);
    let fits = |low: u128, high: u128| {
        let fits = high <= u128::from(all.high);
        fits.then_some(Range { low: low as u64, high: high as u64 })
    };
    let found = match (code, operands) {
        // Conversions, and pointers as numbers.
        (113 | 117 | 120 | 124, &[a]) => fits(a.low.into(), a.high.into()),
        (168, &[a]) => a.value().map(|a| Range::of(u64::from(a == 0))),
        (169, &[decides, a, b]) => Some(match decides.value() {
            Some(0) => b,
            Some(_) => a,
            None => a.join(b),
        }),
        (_, &[a, b]) => of_two(code, a, b, &fits),
        _ => None,
    };
    let float = |of: Range| of.value().and_then(|bits| u32::try_from(bits).ok()).map(f32::from_bits);
    let exact = || match operands {
        [a, b] if (180..=191).contains(&code) => compared(code, float(*a)?, float(*b)?),
        [a, b] => wrapped(code, a.value()?, b.value()?),
        [a] if code == 200 => a.value().map(|a| !a),
        _ => None,
    };
    found.or_else(|| exact().map(|value| Range::of(value & all.high))).unwrap_or(all)
}

fn of_two(code: u16, a: Range, b: Range, fits: &impl Fn(u128, u128) -> Option<Range>) -> Option<Range> {
    let wide = u128::from;
    match code {
        128 => fits(wide(a.low) + wide(b.low), wide(a.high) + wide(b.high)),
        130 if a.low >= b.high => Some(Range { low: a.low - b.high, high: a.high - b.low }),
        132 => fits(wide(a.low) * wide(b.low), wide(a.high) * wide(b.high)),
        134 if b.low > 0 => Some(Range { low: a.low / b.high, high: a.high / b.low }),
        137 if a.high < b.low => Some(a),
        137 if a.value().is_none() && b.low > 0 => Some(Range { low: 0, high: b.high - 1 }),
        166 => Some(Range { low: a.low.max(b.low), high: a.high.max(b.high) }),
        167 => Some(Range { low: a.low.min(b.low), high: a.high.min(b.high) }),
        164 | 170 if !a.meets(b) => Some(Range::of(0)),
        165 | 171 if !a.meets(b) => Some(Range::of(1)),
        164 | 165 | 170 | 171 if a.value().is_none() || b.value().is_none() => Some(EITHER),
        172 => Some(b.is_below(a, false)),
        174 => Some(b.is_below(a, true)),
        176 => Some(a.is_below(b, false)),
        178 => Some(a.is_below(b, true)),
        199 if a.value().is_none() || b.value().is_none() => Some(Range { low: 0, high: a.high.min(b.high) }),
        _ => None,
    }
}

/// An ordered comparison of floating-point numbers, both known.
fn compared(code: u16, a: f32, b: f32) -> Option<u64> {
    let is = match code {
        180 => a == b,
        184 => a < b,
        186 => a > b,
        188 => a <= b,
        190 => a >= b,
        _ => return None,
    };
    Some(u64::from(is))
}

/// The result for two numbers, before it is cut to its bits.
fn wrapped(code: u16, a: u64, b: u64) -> Option<u64> {
    Some(match code {
        128 => a.wrapping_add(b),
        130 => a.wrapping_sub(b),
        132 => a.wrapping_mul(b),
        137 => a.checked_rem(b)?,
        164 | 170 => u64::from(a == b),
        165 | 171 => u64::from(a != b),
        194 => a.checked_shr(b as u32)?,
        196 => a.checked_shl(b as u32)?,
        197 => a | b,
        198 => a ^ b,
        199 => a & b,
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
            const CODES: [u16; 19] =
                [128, 130, 132, 134, 137, 164, 165, 166, 167, 170, 171, 172, 174, 176, 178, 197, 198, 199, 194];
            let code = CODES[which];
            let (x, y) = (within(a, at[0]) as u32, within(b, at[1]) as u32);
            let truth = matches!(code, 164..=178);
            let result = match code {
                128 => x.wrapping_add(y),
                130 => x.wrapping_sub(y),
                132 => x.wrapping_mul(y),
                134 => match x.checked_div(y) { Some(found) => found, None => return Ok(()) },
                137 => match x.checked_rem(y) { Some(found) => found, None => return Ok(()) },
                164 | 170 => u32::from(x == y),
                165 | 171 => u32::from(x != y),
                166 => u32::from((x | y) != 0),
                167 => u32::from(x != 0 && y != 0),
                172 => u32::from(x > y),
                174 => u32::from(x >= y),
                176 => u32::from(x < y),
                178 => u32::from(x <= y),
                197 => x | y,
                198 => x ^ y,
                199 => x & y,
                _ => match x.checked_shr(y) { Some(found) => found, None => return Ok(()) },
            };
            // Operands of these two are truth values.
            let truths = |of: Range| Range { low: of.low.min(1), high: of.high.min(1) };
            let (a, b) = if matches!(code, 166 | 167) { (truths(a), truths(b)) } else { (a, b) };
            let found = computed(code, &[a, b], if truth { 1 } else { 32 });
            prop_assert!(found.meets(Range::of(result.into())), "{code}: {x} and {y} give {result}, not in {found:?}");
        }
    }
}
