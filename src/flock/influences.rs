//! The influences on boids besides their law: targets, a leader and a current, each scaled by the boid's weight.
//! `glsl/include/motion.glsl` has the formulas.

use super::law::Law;
use super::layout::{MovementWeights, Point};
use super::obstacles::Obstacle;
use super::paths::{from_start, on_path};
use super::random::{self, Stream};
use super::settings::Settings;
use crate::limits::{
    INFLUENCE_CURRENT, INFLUENCE_HUNTERS, INFLUENCE_LEADER, INFLUENCE_MESHES, INFLUENCE_OBSTACLES, INFLUENCE_POINTS,
    INFLUENCE_TARGETS,
};
use crate::limits::{MANNER_OWN_SPEED, MAX_POINTS};
use glam::Vec3;

/// The predator's reach as a share of half the world's largest edge, and the acceleration away from it, in full speeds
/// per second.
const FRIGHT: f32 = 0.15;
const FLIGHT: f32 = 12.0;

/// The influences that each boid has a weight for.
pub const WEIGHTED: u32 = INFLUENCE_TARGETS | INFLUENCE_LEADER | INFLUENCE_CURRENT;

impl Settings {
    /// The influences that are switched on: `INFLUENCE_` bits of [`limits`](crate::limits). Some laws have their own
    /// pull of targets, and under [`Law::Probe`] boids do not move.
    pub fn influences(&self) -> u32 {
        if self.law == Law::Probe {
            return 0;
        }
        let targets = self.targets > 0 && !self.law.has_own_targets();
        let bit = |on: bool, bit: u32| if on { bit } else { 0 };
        bit(targets, INFLUENCE_TARGETS)
            | bit(self.leader.is_some(), INFLUENCE_LEADER)
            | bit(self.current_met() != Vec3::ZERO, INFLUENCE_CURRENT)
            | bit(self.count_of_points() > 0, INFLUENCE_POINTS)
            | bit(!self.obstacles.is_empty(), INFLUENCE_OBSTACLES)
            | bit(self.obstacles.iter().any(Obstacle::is_mesh), INFLUENCE_MESHES)
            | bit(self.has_hunters(), INFLUENCE_HUNTERS)
    }

    /// Whether numbers of each boid are read: a weight of an influence, or a speed of its own.
    pub fn has_weights(&self) -> bool {
        self.influences() & WEIGHTED != 0 || self.manners() & MANNER_OWN_SPEED != 0
    }

    /// The default weights of boid `id`: those of the settings times its own factor, or, without factors, for the
    /// influenced share of the flock, else zero.
    pub fn movement_weights(&self, id: u32) -> MovementWeights {
        let factor = match &self.weights {
            Some(weights) => weights[id as usize],
            None => {
                // In [0, 1): 24 bits are exact in single precision.
                let bits = random::bits(self.seed, Stream::Influence, id.into(), 0) >> 40;
                if bits as f32 / ((1u32 << 24) as f32) < self.influenced { 1.0 } else { 0.0 }
            }
        };
        MovementWeights {
            target: factor * self.rules.target_weight,
            leader: factor * self.leader_weight,
            current: factor * self.current_weight,
            speed: self.own_speed(id),
        }
    }

    /// How many points there are, a predator included.
    pub(super) fn count_of_points(&self) -> u32 {
        self.points.len() as u32 + u32::from(!self.predator.is_empty())
    }

    /// The points, and last the predator, where they are in step number `step`: in the plane, if the world is flat.
    pub fn points_at(&self, step: u32) -> Vec<Point> {
        let seconds = self.seconds_at(step);
        let place = |at, point: &Point| from_start(point.position, &self.paths.points, at, seconds);
        let points = self.points.iter().enumerate().map(|(at, point)| Point { position: place(at, point), ..*point });
        let (reach, strength) = (FRIGHT * self.world.half_size.max_element(), -FLIGHT * self.full_speed());
        let predator = on_path(&self.predator, seconds).map(|position| Point { position, reach, strength });
        let mut all: Vec<Point> = points.chain(predator).collect();
        if self.plane {
            all.iter_mut().for_each(|point| point.position.y = self.world.center.y);
        }
        all
    }

    /// The same, as kernels have them.
    ///
    /// # Panics
    /// When there are more than [`MAX_POINTS`], which [`Settings::validate`] refuses.
    pub fn points_met(&self, step: u32) -> [Point; MAX_POINTS as usize] {
        let mut all = [Point::default(); MAX_POINTS as usize];
        let points = self.points_at(step);
        all[..points.len()].copy_from_slice(&points);
        all
    }

    /// The current in world units per second: in the plane, if the world is flat.
    pub fn current_met(&self) -> Vec3 {
        if self.plane { self.current.with_y(0.0) } else { self.current }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_the_flock_is_influenced() {
        let mut settings = Settings::preset("reynolds").expect("a known preset");
        assert_eq!(settings.influences(), 0);
        settings.leader = Some(3);
        assert_eq!(settings.influences(), INFLUENCE_LEADER);
        for (share, least, most) in [(0.0, 0, 0), (0.25, 2_300, 2_700), (1.0, 10_000, 10_000)] {
            settings.influenced = share;
            let influenced = (0..10_000).filter(|&id| settings.movement_weights(id).leader != 0.0).count();
            assert!((least..=most).contains(&influenced), "{influenced} of 10,000 at {share}");
        }
    }

    #[test]
    fn factors_scale_the_weights_of_each_boid() {
        let mut settings = Settings::preset("reynolds").expect("a known preset").with_boids(3);
        (settings.leader, settings.leader_weight, settings.current_weight) = (Some(0), 3.0, 0.5);
        settings.weights = Some([0.0, 1.0, 2.5].into());
        settings.validate().expect("a factor for each boid");
        let leader: Vec<f32> = (0..3).map(|id| settings.movement_weights(id).leader).collect();
        let current: Vec<f32> = (0..3).map(|id| settings.movement_weights(id).current).collect();
        assert_eq!((leader, current), (vec![0.0, 3.0, 7.5], vec![0.0, 0.5, 1.25]));
        for (weights, why) in [
            (vec![1.0; 2], "weights is 2 numbers; accepted is one for each of the 3 boids"),
            (vec![1.0, f32::NAN, 1.0], "weights (boid 1) is NaN; accepted is a number from 0 to 1000000"),
            (vec![1.0, 1.0, -1.0], "weights (boid 2) is -1; accepted is a number from 0 to 1000000"),
            (vec![f32::INFINITY, 1.0, 1.0], "weights (boid 0) is inf; accepted is a number from 0 to 1000000"),
        ] {
            settings.weights = Some(weights.into());
            assert_eq!(settings.validate().expect_err(why).to_string(), why);
        }
    }

    #[test]
    fn every_law_has_every_influence_but_what_it_has_of_its_own() {
        for preset in super::super::PRESETS {
            let plain = preset.settings();
            assert_eq!(plain.influences(), 0, "{}", preset.name);
            let all = Settings { leader: Some(3), targets: 2, current: Vec3::new(1.0, 1.0, 0.0), ..plain.clone() };
            let targets = if plain.law == Law::Heading { 0 } else { INFLUENCE_TARGETS };
            assert_eq!(all.influences(), targets | INFLUENCE_LEADER | INFLUENCE_CURRENT, "{}", preset.name);
            let flat = Settings { current: Vec3::Y, ..plain }.on_plane();
            assert_eq!(flat.influences(), 0, "a current across the plane has no effect");
        }
    }
}
