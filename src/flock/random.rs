//! Random numbers that depend only on a seed, a stream and an index.
//!
//! Every number is a hash of these, so any part of a flock can be computed in any order, on any number of threads, with
//! the same result. The mixing function is the finalizer of SplitMix64 (Steele, Lea and Flood, "Fast splittable
//! pseudorandom number generators", 2014), implemented here so that a new version of a crate cannot change a flock.

use glam::Vec3;

/// Weyl increment of SplitMix64: 2^64 divided by the golden ratio, made odd.
const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The use of a random number. Each stream has its own numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Where boids start.
    Position = 1,
    /// Directions of boids at the start.
    Direction = 2,
    /// Where targets are.
    Target = 3,
    /// Which boids are influenced by targets, leader and current.
    Influence = 4,
    /// When boids change their states.
    Behavior = 5,
    /// The balls of a cloud, and where in them boids start.
    Cloud = 6,
    /// Noise in the motion of boids.
    Noise = 7,
}

/// 64 random bits for entry `index`, draw number `draw`, of a stream.
pub fn bits(seed: u64, stream: Stream, index: u64, draw: u64) -> u64 {
    let place = mix(seed ^ mix(stream as u64));
    mix(mix(place.wrapping_add(index.wrapping_mul(GOLDEN_GAMMA))).wrapping_add(draw.wrapping_mul(GOLDEN_GAMMA)))
}

/// The finalizer of SplitMix64: a bijection in which each input bit flips about half of the output bits.
fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(GOLDEN_GAMMA);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A point uniform in the cube [-1, 1)³, from 21 bits per axis.
pub fn in_cube(seed: u64, stream: Stream, index: u64, draw: u64) -> Vec3 {
    let bits = bits(seed, stream, index, draw);
    let axis = |shift: u32| ((bits >> shift) & 0x1f_ffff) as f32 / 1_048_576.0 - 1.0;
    Vec3::new(axis(0), axis(21), axis(42))
}

/// A point uniform in the unit ball.
pub fn in_ball(seed: u64, stream: Stream, index: u64) -> Vec3 {
    // As for a direction: all 64 draws miss once in 10^20 boids.
    let mut points = (0..64).map(|draw| in_cube(seed, stream, index, draw));
    points.find(|point| point.length_squared() <= 1.0).unwrap_or(Vec3::ZERO)
}

/// A direction uniform on the unit sphere.
///
/// Draws points of the cube until one is within the ball: unlike for sines and cosines, the rounding of the square root
/// that this needs is standardized.
pub fn direction(seed: u64, stream: Stream, index: u64) -> Vec3 {
    // A draw misses with probability 0.48: 64 draws fail once in 10^20 boids, and then any direction is valid.
    for draw in 0..64 {
        let point = in_cube(seed, stream, index, draw);
        let length_squared = point.length_squared();
        if length_squared <= 1.0 && length_squared > 1e-4 {
            return point / length_squared.sqrt();
        }
    }
    Vec3::X
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_never_change() {
        assert_eq!(bits(0, Stream::Position, 0, 0), bits(0, Stream::Position, 0, 0));
        assert_ne!(bits(0, Stream::Position, 0, 0), bits(0, Stream::Target, 0, 0));
        assert_ne!(bits(0, Stream::Position, 0, 1), bits(0, Stream::Position, 1, 0));
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf, "the first output of SplitMix64 from seed 0");
    }

    #[test]
    fn points_fill_the_cube_evenly() {
        let n = 40_000;
        let (mut sum, mut sum_squares) = (Vec3::ZERO, Vec3::ZERO);
        for i in 0..n {
            let p = in_cube(7, Stream::Position, i, 0);
            assert!(p.min_element() >= -1.0 && p.max_element() < 1.0);
            sum += p;
            sum_squares += p * p;
        }
        assert!((sum / n as f32).abs().max_element() < 0.01, "{sum}");
        assert!((sum_squares / n as f32 - 1.0 / 3.0).abs().max_element() < 0.01, "{sum_squares}");
    }

    #[test]
    fn directions_have_unit_length_and_no_preference() {
        let mut sum = Vec3::ZERO;
        for i in 0..20_000 {
            let d = direction(7, Stream::Direction, i);
            assert!((d.length() - 1.0).abs() < 1e-6);
            sum += d;
        }
        assert!((sum / 20_000.0).length() < 0.02, "{sum}");
    }
}
