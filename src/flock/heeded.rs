//! What boids heed besides their law: targets, a leader and a current, each as much as the boid's own weights say.
//! `glsl/follow.comp` has the formulas.

use super::layout::MovementWeights;
use super::random::{self, Stream};
use super::settings::Settings;
use glam::Vec3;

/// Boid number of a leader that is none.
pub const NO_LEADER: u32 = u32::MAX;

impl Settings {
    /// Whether there is anything that boids heed besides their law. Only laws with a limited force do.
    pub fn heeds(&self) -> bool {
        let any = self.targets > 0 || self.leader.is_some() || self.current != Vec3::ZERO;
        any && self.law.info().limited_force
    }

    /// The weights of boid `id`, if no others are set: those of the settings for the share of the flock that heeds anything,
    /// and else none.
    pub fn movement_weights(&self, id: u32) -> MovementWeights {
        // In [0, 1): 24 bits are exact in single precision.
        let share = (random::bits(self.seed, Stream::Heed, id.into(), 0) >> 40) as f32 / (1u32 << 24) as f32;
        if share >= self.heed {
            return MovementWeights { target: 0.0, leader: 0.0, current: 0.0 };
        }
        let rules = &self.rules;
        MovementWeights { target: rules.target_weight, leader: self.leader_weight, current: self.current_weight }
    }

    /// The current in world units per second: in the plane, if the world is flat, and none where it has no weight.
    pub fn current_met(&self) -> Vec3 {
        if self.plane { self.current.with_y(0.0) } else { self.current }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_the_flock_heeds() {
        let mut settings = Settings::preset("reynolds").expect("a known preset");
        assert!(!settings.heeds());
        settings.leader = Some(3);
        assert!(settings.heeds());
        for (heed, least, most) in [(0.0, 0, 0), (0.25, 2_300, 2_700), (1.0, 10_000, 10_000)] {
            settings.heed = heed;
            let heeding = (0..10_000).filter(|&id| settings.movement_weights(id).leader != 0.0).count();
            assert!((least..=most).contains(&heeding), "{heeding} of 10,000 at {heed}");
        }
        let settings = Settings { leader: Some(3), ..Settings::preset("counting-sort").expect("a known preset") };
        assert!(!settings.heeds(), "a law without a limited force");
    }
}
