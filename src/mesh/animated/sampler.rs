//! Key frames of glTF animations, and the values between them: appendix C of the specification of glTF 2.0.

use super::super::gltf::json::{Interpolation, Property, Sampler};
use super::super::gltf::{File, Kind};
use glam::DQuat;

/// What an animation changes of a node over time.
pub struct Channel {
    /// The node, by its place in the scene.
    pub node: usize,
    /// What of it.
    pub property: Property,
    curve: Curve,
}

struct Curve {
    interpolation: Interpolation,
    /// In seconds, ascending.
    times: Vec<f32>,
    /// So many numbers for each time, and for a cubic spline the tangents before and after.
    width: usize,
    values: Vec<f32>,
}

impl Channel {
    /// The channel of `sampler` for a property of a node, which has so many morph targets.
    pub fn read(
        file: &File<'_>,
        (node, property, targets): (usize, Property, usize),
        sampler: &Sampler,
    ) -> Result<Channel, String> {
        let times = file.numbers("times of key frames", sampler.input, Kind::Floats)?;
        let times: Vec<f32> = times.into_iter().map(|[time]| time).collect();
        if times.is_empty() {
            return Err("has an animation without times; accepted is at least one key frame".into());
        }
        // Repeated times are not allowed, but written: the later key frame holds from there on.
        if let Some(place) = times.windows(2).position(|pair| pair[0] > pair[1]) {
            let number = sampler.input;
            return Err(format!(
                "has a key frame before the one that precedes it, element {} of accessor {number}; accepted are \
                ascending times",
                place + 1
            ));
        }
        let output = sampler.output;
        let (width, values) = match property {
            Property::Translation | Property::Scale => {
                (3, file.numbers::<3>("key frames of places or scales", output, Kind::Floats)?.into_flattened())
            }
            Property::Rotation => {
                (4, file.numbers::<4>("key frames of rotations", output, Kind::Fractions)?.into_flattened())
            }
            _ => (targets, file.numbers::<1>("key frames of weights", output, Kind::Fractions)?.into_flattened()),
        };
        let interpolation = sampler.interpolation;
        if interpolation == Interpolation::Other {
            return Err(
                "has an animation of an unknown interpolation; accepted are LINEAR, STEP and CUBICSPLINE".into()
            );
        }
        let parts = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        if values.len() != times.len() * width * parts {
            return Err(format!(
                "has an animation of {} key frames with {} numbers; accepted are {}",
                times.len(),
                values.len(),
                times.len() * width * parts
            ));
        }
        // A tangent may be zero.
        let is_none = |key: &[f32]| key.iter().all(|&x| x == 0.0);
        let mut keys = values.chunks(width.max(1)).skip(parts / 2).step_by(parts);
        if property == Property::Rotation && keys.any(is_none) {
            return Err("has a key frame with the rotation 0,0,0,0; accepted are quaternions of length 1".into());
        }
        Ok(Channel { node, property, curve: Curve { interpolation, times, width, values } })
    }

    /// The first and the last time, in seconds.
    pub fn range(&self) -> (f32, f32) {
        (self.curve.times[0], self.curve.times[self.curve.times.len() - 1])
    }

    /// The values at `time`, before the first and after the last key frame those of that key frame.
    pub fn at(&self, time: f64) -> Vec<f64> {
        let Curve { interpolation, times, .. } = &self.curve;
        let next = times.partition_point(|&key| f64::from(key) <= time);
        let is_outside = next == 0 || next == times.len();
        if is_outside || *interpolation == Interpolation::Step {
            return self.key(next.saturating_sub(1), 1);
        }
        let (begin, end) = (f64::from(times[next - 1]), f64::from(times[next]));
        let (span, share) = (end - begin, (time - begin) / (end - begin));
        let (a, b) = (self.key(next - 1, 1), self.key(next, 1));
        if *interpolation == Interpolation::CubicSpline {
            let (leaving, arriving) = (self.key(next - 1, 2), self.key(next, 0));
            let (t, t2, t3) = (share, share * share, share * share * share);
            let weights =
                [2.0 * t3 - 3.0 * t2 + 1.0, span * (t3 - 2.0 * t2 + t), 3.0 * t2 - 2.0 * t3, span * (t3 - t2)];
            return (0..a.len())
                .map(|i| weights[0] * a[i] + weights[1] * leaving[i] + weights[2] * b[i] + weights[3] * arriving[i])
                .collect();
        }
        if self.property == Property::Rotation {
            let [a, b] = [a, b].map(|key| DQuat::from_slice(&key).normalize());
            // The shorter of both ways around.
            return a.slerp(b, share).to_array().to_vec();
        }
        a.iter().zip(&b).map(|(a, b)| a + (b - a) * share).collect()
    }

    /// The numbers of a key frame: of a cubic spline `part` 0 is the tangent before it, 1 its value, 2 the tangent
    /// after it.
    fn key(&self, at: usize, part: usize) -> Vec<f64> {
        let Curve { interpolation, width, values, .. } = &self.curve;
        let at = if *interpolation == Interpolation::CubicSpline { 3 * at + part } else { at };
        values[at * width..(at + 1) * width].iter().copied().map(f64::from).collect()
    }
}
