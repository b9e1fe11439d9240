//! The targets that attract a flock: their positions in a given step.

use super::random::{self, Stream};
use super::settings::Settings;
use crate::limits::MAX_TARGETS;

/// Position (xyz) and drawn radius (w) of every target in step number `step`; unused entries are zero.
///
/// Targets are uniform in the box, and move every `target_period` simulated seconds. Position `k` of epoch `e` is a hash of the
/// seed, `e` and `k`, so any step can be computed without those before it.
pub fn at_step(settings: &Settings, step: u32) -> [[f32; 4]; MAX_TARGETS as usize] {
    let seconds = f64::from(step) * f64::from(settings.time_step);
    let epoch = (seconds / f64::from(settings.target_period)) as u64;
    std::array::from_fn(|k| {
        if k >= settings.targets as usize {
            return [0.0; 4];
        }
        let place = random::in_cube(settings.seed, Stream::Target, epoch, k as u64);
        let p = settings.world.center + settings.world.half_size * place;
        [p.x, p.y, p.z, settings.target_radius]
    })
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
        let second = at_step(&settings, 301);
        for (a, b) in first.iter().zip(&second) {
            assert_ne!(a, b);
        }
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
