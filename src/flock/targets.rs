//! The targets that attract a flock: their positions in a given step.

use super::random::{self, Stream};
use super::settings::Settings;
use crate::limits::MAX_TARGETS;

/// Position (xyz) and drawn radius (w) of every target in step number `step`; unused entries are zero.
///
/// Targets are uniform in the box, and move every `target_period` simulated seconds. Position `k` of epoch `e` is a
/// hash of the seed, `e` and `k`, so any step can be computed without those before it.
pub fn at_step(settings: &Settings, step: u32) -> [[f32; 4]; MAX_TARGETS as usize] {
    let epoch = (f64::from(step) / steps_a_period(settings)) as u64;
    std::array::from_fn(|k| {
        if k >= settings.targets as usize {
            return [0.0; 4];
        }
        let place = random::in_cube(settings.seed, Stream::Target, epoch, k as u64);
        let p = settings.world.center + settings.world.half_size * place;
        [p.x, p.y, p.z, settings.target_radius]
    })
}

/// How many steps a period takes: a whole number where it is one but for the rounding of the two settings, each known
/// to half a unit in its last place of 24 bits. In single precision, 0.01 lies below its decimal, and 500 steps of it
/// below 5 s.
fn steps_a_period(settings: &Settings) -> f64 {
    let steps = f64::from(settings.target_period) / f64::from(settings.time_step);
    let whole = steps.round();
    if (steps - whole).abs() <= whole * f64::from(f32::EPSILON) { whole } else { steps }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn targets_stay_for_a_period_and_then_all_move() {
        let settings = Settings::preset("counting-sort").expect("a known preset");
        let first = at_step(&settings, 0);
        assert_eq!(first, at_step(&settings, 299), "five seconds at 60 Hz are 300 steps");
        let second = at_step(&settings, 300);
        for (a, b) in first.iter().zip(&second) {
            assert_ne!(a, b);
        }
    }

    #[test]
    fn five_seconds_are_five_seconds_whatever_the_time_step() {
        for hertz in [1u32, 24, 25, 30, 50, 60, 72, 75, 90, 100, 120, 144, 165, 200, 240, 1000] {
            let time_step = 1.0 / hertz as f32;
            let settings = Settings { time_step, ..Settings::preset("counting-sort").expect("a known preset") };
            for period in [1, 2, 1000, 100_000] {
                let (last, first) = (period * 5 * hertz - 1, period * 5 * hertz);
                assert_ne!(at_step(&settings, last), at_step(&settings, first), "{hertz} Hz, period {period}");
                assert_eq!(at_step(&settings, first), at_step(&settings, first + 1), "{hertz} Hz, period {period}");
                assert_eq!(at_step(&settings, last), at_step(&settings, last - 1), "{hertz} Hz, period {period}");
            }
        }
        // 0.3 s are 3 1/3 steps to a second: a period begins with the first step at or after it.
        let settings = Settings { time_step: 0.3, ..Settings::preset("counting-sort").expect("a known preset") };
        let redrawn = |step| at_step(&settings, step) != at_step(&settings, step - 1);
        assert_eq!((1..60).filter(|step| redrawn(*step)).collect::<Vec<_>>(), [17, 34, 50]);
    }

    #[test]
    fn targets_lie_in_the_box_and_unused_ones_are_zero() {
        let mut settings = Settings::preset("counting-sort").expect("a known preset");
        settings.targets = 5;
        let targets = at_step(&settings, 7);
        for target in &targets[..5] {
            let from_center = Vec3::new(target[0], target[1], target[2]) - settings.world.center;
            assert!(from_center.abs().cmple(settings.world.half_size).all(), "{from_center}");
        }
        assert!(targets[5..].iter().all(|target| *target == [0.0; 4]));
    }
}
