//! The twin of `value_histogram.comp`.

use crate::limits::{VALUE_BINS, VALUE_PART};

/// What one workgroup writes of all these values: the boids of each bin, and the bits of the least value and of the
/// greatest. Values that are not finite do not count.
pub fn value_histogram(values: impl IntoIterator<Item = f32>, per_unit: f32) -> Vec<u32> {
    let mut part = vec![0; VALUE_PART as usize];
    let (bins, ends) = part.split_at_mut(VALUE_BINS as usize);
    ends[0] = u32::MAX;
    for value in values.into_iter().filter(|value| value.is_finite()) {
        bins[bin_of(value, per_unit)] += 1;
        ends[0] = ends[0].min(value.to_bits());
        ends[1] = ends[1].max(value.to_bits());
    }
    part
}

/// The bin of a value: the first below one unit, then 64 for each octave, and all that is greater in the last.
pub fn bin_of(value: f32, per_unit: f32) -> usize {
    let scaled = value * per_unit;
    if scaled < 1.0 {
        return 0;
    }
    let octave = scaled.log2().floor().clamp(0.0, 127.0);
    // Exact: the logarithm may be rounded up to the next octave.
    let octave = if octave.exp2() > scaled { octave - 1.0 } else { octave };
    let within = (scaled / octave.exp2() * 64.0).min(128.0) as usize - 64;
    (1 + 64 * octave as usize + within).min(VALUE_BINS as usize - 1)
}
