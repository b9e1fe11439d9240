//! Presets: a law with constants that flock well, at a density that does not change with the count.
//!
//! The rules' constants are in world units and the world grows with the count, so a hundred boids and four
//! million behave alike: the mean number of neighbors in a uniform flock is
//! `density * 4/3 * pi * search_radius³`, whatever the count. One constant must follow the world all the
//! same: the pull of a target grows with its distance, so its strength is given at half the box's edge.

use super::law::Law;
use super::layout::{Rules, World};
use super::search::SEARCHES;
use super::settings::Settings;
use crate::error::{Error, Result};
use glam::Vec3;

/// A named starting point.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// What users call it.
    pub name: &'static str,
    /// The law it runs.
    pub law: Law,
    /// Where it comes from.
    pub origin: &'static str,
    /// What it shows, in one sentence.
    pub about: &'static str,
    /// Boids unless the user asks for another count.
    pub boids: u32,
    /// Boids per cubic world unit at the start.
    pub density: f32,
    /// Targets that attract the flock.
    pub targets: u32,
    /// Simulated seconds after which the targets are drawn anew.
    pub target_period: f32,
    /// Pull of a target at half the box's edge; `target_weight` is this divided by that distance.
    pub target_pull: f32,
    /// Constants of the rules; `search_radius` and `target_weight` are filled in.
    rules: Rules,
}

/// Every preset.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "counting-sort",
        law: Law::CountingSort,
        origin: "an article on boids with compute shaders in Unity URP, autumn 2023",
        about: "A heading flock at constant speed that follows the nearest of 16 targets.",
        boids: 102_400,
        density: 1.0,
        targets: 16,
        target_period: 5.0,
        target_pull: 0.5,
        rules: Rules {
            separation_radius: 1.75,
            alignment_radius: 1.75,
            cohesion_radius: 1.75,
            search_radius: 1.75,
            separation_weight: 10.0,
            alignment_weight: 1.0,
            cohesion_weight: 0.4,
            target_weight: 0.0,
            wall_weight: 0.0,
            move_speed: 4.0,
            max_speed: 4.0,
            max_force: 1.0,
            turn_rate: 6.0,
        },
    },
    Preset {
        name: "reynolds",
        law: Law::Reynolds,
        origin: "a capstone article in Korean on Reynolds' steering, on the GPU and in CPU jobs",
        about: "Reynolds' steering with three radii in a walled box.",
        boids: 65_536,
        density: 1.0,
        targets: 0,
        target_period: 5.0,
        target_pull: 0.0,
        rules: Rules {
            separation_radius: 1.0,
            alignment_radius: 1.75,
            cohesion_radius: 1.75,
            search_radius: 1.75,
            separation_weight: 2.0,
            alignment_weight: 1.0,
            cohesion_weight: 0.75,
            target_weight: 0.0,
            wall_weight: 12.0,
            move_speed: 4.0,
            max_speed: 4.0,
            max_force: 6.0,
            turn_rate: 3.0,
        },
    },
];

impl Preset {
    /// The preset of that name.
    ///
    /// # Errors
    /// [`Error::Setting`] for an unknown name, with the nearest known one offered.
    pub fn named(name: &str) -> Result<&'static Preset> {
        PRESETS.iter().find(|preset| preset.name == name).ok_or_else(|| Error::Setting {
            name: "--preset".into(),
            value: format!("'{name}'"),
            accepted: one_of(name, PRESETS.iter().map(|preset| preset.name)),
        })
    }

    /// The settings this preset stands for, with its own count of boids.
    pub fn settings(&self) -> Settings {
        let world = World { center: Vec3::ZERO, half_size: Vec3::ONE };
        let rules = Rules { target_weight: self.target_pull, ..self.rules };
        let settings = Settings {
            law: self.law,
            search: SEARCHES[0].search,
            preset: self.name,
            boids: self.boids,
            seed: 1,
            time_step: 1.0 / 60.0,
            world,
            rules,
            targets: self.targets,
            target_period: self.target_period,
            target_radius: 0.016,
        };
        settings.with_density(self.density)
    }
}

/// Every one of `names`, and which of them `name` may have been meant to be, when it is near enough to be a slip.
pub(crate) fn one_of(name: &str, names: impl Iterator<Item = &'static str>) -> String {
    let names: Vec<&str> = names.collect();
    let nearest = names.iter().map(|known| (strsim::damerau_levenshtein(name, known), known)).min();
    match nearest {
        Some((distance, known)) if distance <= known.len() / 2 => {
            format!("one of {} (did you mean '{known}'?)", names.join(", "))
        }
        _ => format!("one of {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_valid_at_every_count() {
        for preset in PRESETS {
            for boids in [1, 100, 4_000_000, 1 << 30] {
                let settings = Settings::preset(preset.name).expect("a known preset").with_boids(boids);
                settings.validate().expect("a preset is valid");
                assert!((settings.density() / preset.density - 1.0).abs() < 1e-3, "{}", settings.density());
                let pull = settings.rules.target_weight * settings.world.half_size.x;
                assert!((pull - preset.target_pull).abs() < 1e-3, "{pull}");
            }
        }
    }

    #[test]
    fn every_law_has_a_preset() {
        for law in crate::flock::law::LAWS {
            assert!(PRESETS.iter().any(|preset| preset.law == law.law), "{}", law.name);
        }
    }

    #[test]
    fn a_slip_is_answered_with_the_name_meant() {
        let message = Settings::preset("reynods").expect_err("no such preset").to_string();
        assert_eq!(
            message,
            "--preset is 'reynods'; accepted is one of counting-sort, reynolds (did you mean 'reynolds'?)"
        );
        let message = Settings::preset("zzz").expect_err("no such preset").to_string();
        assert_eq!(message, "--preset is 'zzz'; accepted is one of counting-sort, reynolds");
    }
}
