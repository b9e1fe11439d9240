//! A flock that goes on under other settings: the same boids as far as there are as many, in a world that may have
//! another size.

use super::settings::Settings;
use super::spawn::{BoidState, position_at_start, velocity_at_start};
use glam::Vec3;

impl BoidState {
    /// This flock of `from` as one of `to`, by identity. With another count of boids, those beyond it are left out, or
    /// more are added where they start, and places scale with the world. On a plane it is flattened.
    ///
    /// # Panics
    /// When the laws of both settings differ: their velocity slots may, too.
    #[must_use]
    pub fn carried_over(&self, from: &Settings, to: &Settings) -> BoidState {
        assert_eq!(from.law, to.law, "velocity slots of one law");
        let (old, new) = (&from.world, &to.world);
        // The same number for all axes of a cube, and 1 for the height of a plane.
        let ratio = |old: f32, new: f32| if old > 0.0 && new > 0.0 { new / old } else { 1.0 };
        let scale = Vec3::from_array([0, 1, 2].map(|axis| ratio(old.half_size[axis], new.half_size[axis])));
        let mut all = self.by_id();
        let kept = all.len().min(to.boids as usize);
        all.position.truncate(kept);
        all.velocity.truncate(kept);
        if from.boids != to.boids {
            all.position.iter_mut().for_each(|place| *place = new.center + (*place - old.center) * scale);
        }
        for id in kept as u32..to.boids {
            all.position.push(position_at_start(to, id));
            all.velocity.push(velocity_at_start(to, id));
        }
        if to.plane {
            all.position.iter_mut().for_each(|place| place.y = new.center.y);
            let is_heading = to.law.info().uses_heading;
            all.velocity.iter_mut().for_each(|velocity| {
                let flat = velocity.with_y(0.0);
                *velocity = if is_heading { flat.normalize_or(Vec3::X) } else { flat };
            });
        }
        all.id = (0..to.boids).collect();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::super::spawn::spawn;
    use super::*;

    #[test]
    fn a_smaller_flock_keeps_its_first_boids_and_a_larger_one_adds_others() {
        let of = |boids| Settings::preset("reynolds").expect("a known preset").with_boids(boids);
        let (small, large) = (of(1_000), of(8_000));
        let start = spawn(&small);
        let grown = start.carried_over(&small, &large);
        assert_eq!(grown.len(), 8_000);
        for id in [0, 999] {
            let wanted = start.by_id().position[id] * 2.0;
            assert!(grown.position[id].abs_diff_eq(wanted, 1e-3), "its world is twice as wide: {id}");
        }
        assert_eq!(grown.position[5_000], position_at_start(&large, 5_000));
        let back = grown.carried_over(&large, &small);
        assert_eq!((back.len(), back.id.last()), (1_000, Some(&999)));
        assert!(back.position[7].abs_diff_eq(start.by_id().position[7], 1e-3));
    }

    #[test]
    fn a_world_of_another_size_alone_moves_no_boid() {
        let settings = Settings::preset("reynolds").expect("a known preset").with_boids(100);
        let larger = settings.clone().with_world_size(80.0);
        let start = spawn(&settings);
        assert_eq!(start.carried_over(&settings, &larger), start.by_id());
        let flat = start.carried_over(&settings, &settings.clone().on_plane());
        assert!(flat.position.iter().chain(&flat.velocity).all(|vector| vector.y == 0.0));
    }
}
