//! The flock's state on the host, and its state at the start.

use super::random::{self, Stream};
use super::settings::Settings;
use glam::Vec3;
use rayon::prelude::*;

/// A flock's state: entry `i` of each list belongs to one boid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoidState {
    /// Positions, in world units.
    pub position: Vec<Vec3>,
    /// The velocity slot: velocities in world units per second, or unit headings for a law that has
    /// [`uses_heading`](super::law::LawInfo::uses_heading).
    pub velocity: Vec<Vec3>,
    /// Identities: a permutation of `0..boids`. A boid keeps its own while sorting moves it about.
    pub id: Vec<u32>,
}

impl BoidState {
    /// Boids in the flock.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Whether there is no boid at all.
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }

    /// Velocities in world units per second, whatever the law keeps in the velocity slot.
    pub fn velocities(&self, settings: &Settings) -> Vec<Vec3> {
        let scale = if settings.law.info().uses_heading { settings.rules.move_speed } else { 1.0 };
        self.velocity.iter().map(|&v| v * scale).collect()
    }

    /// The same flock with entry `i` belonging to boid `i`.
    #[must_use]
    pub fn by_id(&self) -> BoidState {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.par_sort_unstable_by_key(|&i| self.id[i as usize]);
        let pick = |list: &[Vec3]| order.iter().map(|&i| list[i as usize]).collect();
        BoidState {
            position: pick(&self.position),
            velocity: pick(&self.velocity),
            id: order.iter().map(|&i| self.id[i as usize]).collect(),
        }
    }
}

/// The flock at the start: positions uniform in the box, directions uniform on the sphere, and half of
/// `max_speed` for laws that keep a velocity. Depends on nothing but the settings.
pub fn spawn(settings: &Settings) -> BoidState {
    let speed = if settings.law.info().uses_heading { 1.0 } else { 0.5 * settings.rules.max_speed };
    let boids = 0..settings.boids;
    let position = |i: u32| {
        let place = random::in_cube(settings.seed, Stream::Position, u64::from(i), 0);
        settings.world.center + settings.world.half_size * place
    };
    let velocity = |i: u32| random::direction(settings.seed, Stream::Direction, u64::from(i)) * speed;
    BoidState {
        position: boids.clone().into_par_iter().map(position).collect(),
        velocity: boids.clone().into_par_iter().map(velocity).collect(),
        id: boids.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_fixes_the_flock() {
        let settings = Settings::preset("reynolds").expect("a known preset").with_boids(5_000);
        let flock = spawn(&settings);
        assert_eq!(flock, spawn(&settings));
        assert_ne!(flock, spawn(&Settings { seed: 2, ..settings.clone() }));
        assert_eq!(flock.len(), 5_000);
        for (p, v) in flock.position.iter().zip(&flock.velocity) {
            assert!((*p - settings.world.center).abs().cmple(settings.world.half_size).all());
            assert!((v.length() - 2.0).abs() < 1e-5, "half of max_speed 4");
        }
    }

    #[test]
    fn headings_are_unit_vectors_and_velocities_follow() {
        let settings = Settings::preset("counting-sort").expect("a known preset").with_boids(100);
        let flock = spawn(&settings);
        for (h, v) in flock.velocity.iter().zip(flock.velocities(&settings)) {
            assert!((h.length() - 1.0).abs() < 1e-6);
            assert!((v.length() - settings.rules.move_speed).abs() < 1e-4);
        }
    }

    #[test]
    fn by_id_undoes_a_shuffle() {
        let settings = Settings::preset("reynolds").expect("a known preset").with_boids(50);
        let flock = spawn(&settings);
        let mut shuffled = flock.clone();
        shuffled.position.reverse();
        shuffled.velocity.reverse();
        shuffled.id.reverse();
        assert_eq!(shuffled.by_id(), flock);
    }
}
