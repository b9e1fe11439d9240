//! From counts of values to the range of a ramp of colors.

use crate::flock::Settings;
use crate::limits::{VALUE_BINS, VALUE_PART};
use crate::render::look::Coloring;

/// Shares of the flock whose values are below the range, and at most at its end.
pub const PERCENTILES: [f64; 2] = [0.05, 0.95];

/// Seconds in which a range comes nearer to that of the flock by a factor of e: to a thirtieth in half a second.
const PACE: f32 = 0.15;

/// A range that is this near to that of the flock, in its widths, takes it over: colors have eight bits.
const NEAR: f32 = 1.0 / 512.0;

/// Octaves below the full speed in which speeds are told apart.
const OCTAVES: i32 = 12;

/// The least width of a range, by the full speed.
const LEAST_OF_SPEED: f32 = 0.05;

/// The least width of a range of counts of neighbors.
const LEAST_OF_NEIGHBORS: f32 = 4.0;

/// The inverse of the value below which all are in the first bin: of counts of neighbors that is 1, of speeds a small
/// part of the full speed.
pub fn values_per_unit(color: Coloring, settings: &Settings) -> f32 {
    match color {
        Coloring::Neighbors => 1.0,
        _ => 2.0_f32.powi(OCTAVES) / settings.full_speed(),
    }
}

/// How many boids have which values.
#[derive(Clone, Debug, PartialEq)]
pub struct Counts {
    /// Boids in each bin.
    pub bins: Vec<u64>,
    /// The least value of a boid and the greatest; none without a boid.
    pub ends: Option<[f32; 2]>,
    /// The inverse of the value where the first bin ends: see [`values_per_unit`].
    pub per_unit: f32,
}

impl Counts {
    /// The sum of what the workgroups of `value_histogram` have written, one after the other.
    pub fn of_parts(words: &[u32], per_unit: f32) -> Counts {
        let mut bins = vec![0; VALUE_BINS as usize];
        let mut bits = [u32::MAX, 0];
        for part in words.chunks_exact(VALUE_PART as usize) {
            let (counts, ends) = part.split_at(VALUE_BINS as usize);
            bins.iter_mut().zip(counts).for_each(|(sum, &count)| *sum += u64::from(count));
            bits = [bits[0].min(ends[0]), bits[1].max(ends[1])];
        }
        let ends = bits.map(f32::from_bits);
        // Bits that no kernel has written may be any.
        let known = 0.0 <= ends[0] && ends[0] <= ends[1] && ends[1].is_finite() && bins.iter().any(|&count| count > 0);
        Counts { bins, ends: known.then_some(ends), per_unit }
    }

    /// The value that this `share` of the boids has at most, as if those of a bin were spread evenly over it: off by at
    /// most a 64th of the value. None without a boid.
    ///
    /// Counts of neighbors are whole: `whole` spreads each over the numbers that round to it.
    pub fn percentile(&self, share: f64, whole: bool) -> Option<f32> {
        let [least, greatest] = self.ends?;
        let wanted = share * self.bins.iter().sum::<u64>() as f64;
        let (mut before, mut bin) = (0.0, 0);
        while bin + 1 < self.bins.len() && before + self.bins[bin] as f64 <= wanted {
            before += self.bins[bin] as f64;
            bin += 1;
        }
        let edges = [bin, bin + 1].map(|bin| lower_edge(bin) / f64::from(self.per_unit));
        let [from, to] = if whole { edges.map(|edge| edge.ceil() - 0.5) } else { edges };
        let value = from + (to - from) * (wanted - before) / (self.bins[bin] as f64).max(1.0);
        Some((value as f32).clamp(least, greatest))
    }
}

/// Where a bin begins, in values times `values_per_unit`: the inverse of `bin_of` in `value_histogram.comp`.
fn lower_edge(bin: usize) -> f64 {
    match bin as u32 {
        0 => 0.0,
        bin => f32::from_bits(1.0_f32.to_bits() + ((bin - 1) << 17)).into(),
    }
}

/// The range of a ramp, which follows that of the flock.
#[derive(Clone, Debug)]
pub struct Fit {
    color: Coloring,
    range: [f32; 2],
    /// The flock's, and its step; none before anything was counted.
    wanted: Option<([f32; 2], u32)>,
    /// Whether nothing was taken over yet.
    is_new: bool,
    /// The step of the flock that was drawn last.
    pub(super) drawn: u32,
}

impl Fit {
    /// Before anything is counted, it is that of a flock of `settings` as one may expect it.
    pub fn new(color: Coloring, settings: &Settings) -> Fit {
        let most = match color {
            Coloring::Neighbors => (2.0 * settings.mean_neighbors()).max(LEAST_OF_NEIGHBORS).round(),
            _ => settings.full_speed(),
        };
        Fit { color, range: [0.0, most], wanted: None, is_new: true, drawn: 0 }
    }

    /// The values of the first and of the last color.
    pub fn range(&self) -> [f32; 2] {
        self.range
    }

    /// Whether it is that of the flock that was drawn last.
    pub fn is_settled(&self) -> bool {
        self.wanted.is_some_and(|(range, step)| range == self.range && step == self.drawn)
    }

    /// Whether it is not yet that of any flock.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Follows what was counted of the flock of `settings` after `step` steps. A flock without a boid that has a value
    /// changes nothing.
    pub fn arrive(&mut self, counts: &Counts, settings: &Settings, step: u32) {
        let whole = self.color == Coloring::Neighbors;
        let [low, high] = PERCENTILES.map(|share| counts.percentile(share, whole));
        let range = match (low, high) {
            (Some(low), Some(high)) => {
                let least = if whole { LEAST_OF_NEIGHBORS } else { LEAST_OF_SPEED * settings.full_speed() };
                at_least(least, [low, high])
            }
            _ => self.range,
        };
        self.wanted = Some((range, step));
    }

    /// Comes nearer to the range of the flock for so many `seconds`, or takes it over at once. The first is taken over
    /// at once.
    pub fn advance(&mut self, seconds: Option<f32>) {
        let Some((wanted, _)) = self.wanted else { return };
        let left = seconds.filter(|_| !self.is_new).map_or(0.0, |seconds| (-seconds / PACE).exp());
        let near = NEAR * (wanted[1] - wanted[0]);
        let moved = [0, 1].map(|end| wanted[end] + (self.range[end] - wanted[end]) * left);
        let is_near = (0..2).all(|end| (moved[end] - wanted[end]).abs() <= near);
        (self.range, self.is_new) = (if is_near { wanted } else { moved }, false);
    }
}

/// The range, or if it is narrower than `width`, one of that width around it, but not below 0.
fn at_least(width: f32, [low, high]: [f32; 2]) -> [f32; 2] {
    if high - low >= width {
        return [low, high];
    }
    let low = (0.5 * (low + high) - 0.5 * width).max(0.0);
    [low, low + width]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::value_histogram::value_histogram;

    fn settings() -> Settings {
        Settings::preset("reynolds").expect("a known preset")
    }

    fn counts(values: &[f32], per_unit: f32) -> Counts {
        Counts::of_parts(&value_histogram(values.iter().copied(), per_unit), per_unit)
    }

    #[test]
    fn percentiles_are_within_a_64th_of_those_of_the_sorted_values() {
        // Crowded near 0, over nine octaves, and without an end of the bins.
        let values: Vec<f32> = (0..100_003).map(|k| 500.0 * (k as f32 / 100_003.0).powi(3)).collect();
        let per_unit = 4096.0 / 500.0;
        let counts = counts(&values, per_unit);
        for share in [0.0, 0.01, 0.05, 0.3, 0.5, 0.95, 0.999, 1.0] {
            let want = values[((share * 100_003.0) as usize).min(100_002)];
            let got = counts.percentile(share, false).expect("there are boids");
            assert!((got - want).abs() <= want / 64.0 + 1.0 / per_unit, "{share}: {got}, not {want}");
        }
        assert_eq!(counts.percentile(1.0, false), Some(values[100_002]));
    }

    #[test]
    fn whole_numbers_have_percentiles_among_them() {
        // 0 to 9 neighbors, ten boids each.
        let values: Vec<f32> = (0..100).map(|k| (k / 10) as f32).collect();
        let counts = counts(&values, 1.0);
        let found = [0.0, 0.05, 0.5, 0.95, 1.0].map(|share| counts.percentile(share, true).expect("boids"));
        assert_eq!(found, [0.0, 0.0, 4.5, 9.0, 9.0]);
    }

    #[test]
    fn one_value_one_boid_and_none() {
        for value in [0.0, 1e-20, 0.7, 3.0, 1e30] {
            for boids in [1, 257] {
                let counts = counts(&vec![value; boids], 1.0);
                assert_eq!(counts.ends, Some([value, value]));
                assert_eq!(PERCENTILES.map(|share| counts.percentile(share, false)), [Some(value); 2]);
                assert_eq!(counts.percentile(0.5, true), Some(value));
            }
        }
        for values in [&[][..], &[f32::NAN, f32::INFINITY]] {
            assert_eq!(counts(values, 1.0).percentile(0.5, false), None);
        }
    }

    #[test]
    fn a_range_has_a_width_whatever_the_flock() {
        let settings = settings();
        let full = settings.full_speed();
        let per_unit = values_per_unit(Coloring::Speed, &settings);
        for speed in [0.0, 0.01 * full, 0.5 * full, full] {
            let mut fit = Fit::new(Coloring::Speed, &settings);
            fit.arrive(&counts(&[speed; 100], per_unit), &settings, 0);
            fit.advance(None);
            let [low, high] = fit.range();
            assert!((high - low - 0.05 * full).abs() < 1e-5 * full, "{speed}: {low} to {high}");
            assert!((0.0..=speed).contains(&low) && high >= speed, "{speed}: {low} to {high}");
        }
        let mut fit = Fit::new(Coloring::Neighbors, &settings);
        fit.arrive(&counts(&[1.0; 100], 1.0), &settings, 0);
        fit.advance(None);
        assert_eq!(fit.range(), [0.0, 4.0]);
        // A flock without a finite boid leaves the range as it is.
        fit.arrive(&counts(&[], 1.0), &settings, 1);
        fit.advance(None);
        assert_eq!(fit.range(), [0.0, 4.0]);
    }

    /// Half a second in frames of any length leads to nearly the same range, and then on to that of the flock itself.
    #[test]
    fn a_range_follows_at_any_rate_of_frames() {
        let settings = settings();
        let far = counts(&(0..1000).map(|k| k as f32).collect::<Vec<_>>(), 1.0);
        let near = counts(&(0..1000).map(|k| 0.1 * k as f32).collect::<Vec<_>>(), 1.0);
        let mut ends = Vec::new();
        for frames in [5, 30, 72] {
            let mut fit = Fit::new(Coloring::Neighbors, &settings);
            assert!(fit.is_new() && !fit.is_settled());
            fit.arrive(&far, &settings, 0);
            fit.advance(Some(0.0));
            let first = fit.range();
            assert!(fit.is_settled() && first[1] > 900.0, "the first is taken over at once");
            fit.arrive(&near, &settings, 0);
            (0..frames).for_each(|_| fit.advance(Some(0.5 / frames as f32)));
            let end = fit.range()[1];
            assert!(!fit.is_settled() && end > 100.0 && end < 140.0, "{end} after half a second");
            ends.push(end);
            (0..2 * frames).for_each(|_| fit.advance(Some(0.5 / frames as f32)));
            assert!(fit.is_settled(), "not there after a second more");
            fit.drawn = 1;
            assert!(!fit.is_settled(), "another flock was drawn since");
        }
        assert!(ends.iter().all(|end| (end - ends[0]).abs() < 1e-3 * ends[0]), "{ends:?}");
    }
}
