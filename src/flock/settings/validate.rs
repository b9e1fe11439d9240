//! The check of settings.

use super::tunables::{TUNABLES, Unit, number};
use super::{LENGTHS, MAX_BOIDS, Settings};
use crate::error::{Error, Result};
use crate::flock::law::Radii;
use crate::flock::layout::Point;
use crate::limits::{MAX_NEAREST, MAX_POINTS, MAX_TARGETS};

impl Settings {
    /// Checks every setting.
    ///
    /// # Errors
    /// [`Error::Setting`] names the first setting that cannot be used, its value and what is accepted.
    pub fn validate(&self) -> Result<()> {
        count("boids", self.boids, 1, MAX_BOIDS)?;
        count("targets", self.targets, 0, MAX_TARGETS)?;
        count("nearest", self.nearest, 0, MAX_NEAREST)?;
        // First: other lengths follow from it, and would be named instead.
        for (axis, center, half_size) in [
            ("x", self.world.center.x, self.world.half_size.x),
            ("y", self.world.center.y, self.world.half_size.y),
            ("z", self.world.center.z, self.world.half_size.z),
        ] {
            let (least, most) = LENGTHS;
            number(&format!("world_center ({axis})"), center, -most, most, Unit::Length)?;
            // The user sets the edge; half of it is stored.
            if axis != "y" || !self.plane || half_size != 0.0 {
                number(&format!("world_size ({axis})"), 2.0 * half_size, least, most, Unit::Length)?;
            }
        }
        if self.plane && self.world.half_size.y != 0.0 {
            return Err(Error::setting("world_size (y)", 2.0 * self.world.half_size.y, "0: a plane has no height"));
        }
        for tunable in TUNABLES {
            tunable.check(self)?;
        }
        self.check_torus()?;
        if self.min_speed > self.rules.max_speed && !self.law.info().uses_heading {
            let accepted = format!("at most {}, the max_speed", self.rules.max_speed);
            return Err(Error::setting("min_speed", self.min_speed, accepted));
        }
        if let Some(leader) = self.leader.filter(|&leader| leader >= self.boids) {
            let accepted = format!("a boid's number from 0 to {}", self.boids - 1);
            return Err(Error::setting("leader", leader, accepted));
        }
        for part in self.current.to_array() {
            number("current", part, -LENGTHS.1, LENGTHS.1, Unit::Speed)?;
        }
        count("points", self.count_of_points(), 0, MAX_POINTS)?;
        for Point { position, reach, strength } in &self.points {
            for place in position.to_array() {
                number("points", place, -LENGTHS.1, LENGTHS.1, Unit::Length)?;
            }
            number("points (reach)", *reach, LENGTHS.0, LENGTHS.1, Unit::Length)?;
            number("points (strength)", *strength, -1e6, 1e6, Unit::Acceleration)?;
        }
        self.check_obstacles()?;
        self.states.check(self.engine)?;
        self.check_kinds()?;
        if let Some(weights) = &self.weights {
            if weights.len() != self.boids as usize {
                let accepted = format!("one for each of the {} boids", self.boids);
                return Err(Error::setting("weights", format!("{} numbers", weights.len()), accepted));
            }
            if let Some(id) = weights.iter().position(|weight| !(0.0..=LENGTHS.1).contains(weight)) {
                let accepted = format!("a number from 0 to {}", LENGTHS.1);
                return Err(Error::setting(&format!("weights (boid {id})"), weights[id], accepted));
            }
        }
        self.check_paths()?;
        self.check_radii()
    }

    /// Checks that a torus is long enough for one image of each boid within the search radius.
    fn check_torus(&self) -> Result<()> {
        let Some(torus) = self.torus() else { return Ok(()) };
        let (period, least) = (torus.period().to_array(), 2.0 * self.search_radius());
        for (axis, period) in ["x", "y", "z"].into_iter().zip(period) {
            if period < f64::from(least) && (axis != "y" || !self.plane) {
                let accepted = format!("at least {least} where walls wrap, twice the largest radius");
                return Err(Error::setting(&format!("world_size ({axis})"), period as f32, accepted));
            }
        }
        Ok(())
    }

    /// Checks that radii are equal if the law does not distinguish them.
    fn check_radii(&self) -> Result<()> {
        let rules = &self.rules;
        let same = |name: &str, other: f32, radius: f32, of: &str| {
            if other == radius {
                return Ok(());
            }
            let accepted = format!("{radius}, the {of} radius: {} has one radius for both", self.law);
            Err(Error::setting(name, other, accepted))
        };
        match self.law.info().radii {
            Radii::One => {
                same("alignment_radius", rules.alignment_radius, rules.separation_radius, "separation")?;
                same("cohesion_radius", rules.cohesion_radius, rules.separation_radius, "separation")
            }
            Radii::Two => same("cohesion_radius", rules.cohesion_radius, rules.alignment_radius, "alignment"),
            Radii::Three => Ok(()),
        }
    }
}

fn count(name: &str, value: u32, least: u32, most: u32) -> Result<()> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(Error::setting(name, value, format!("a whole number from {least} to {most}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        Settings::preset("reynolds").expect("a known preset")
    }

    #[test]
    fn each_number_is_checked_under_its_own_name() {
        for tunable in TUNABLES {
            for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, tunable.most * 1.01] {
                let mut settings = settings();
                *(tunable.field)(&mut settings) = bad;
                let message = settings.validate().expect_err("out of range").to_string();
                assert!(message.starts_with(&format!("{} is ", tunable.setting.name())), "{message}");
            }
        }
    }

    #[test]
    fn messages_say_what_is_accepted() {
        let mut settings = settings();
        settings.rules.separation_radius = -2.0;
        assert_eq!(
            settings.validate().expect_err("negative").to_string(),
            "separation_radius is -2; accepted is a number above 0, in world units"
        );
        let settings = Settings { boids: 0, ..self::settings() };
        assert_eq!(
            settings.validate().expect_err("no boids").to_string(),
            "boids is 0; accepted is a whole number from 1 to 1073741824"
        );
        let mut settings = self::settings();
        settings.world.half_size.y = f32::NAN;
        assert_eq!(
            settings.validate().expect_err("no world").to_string(),
            "world_size (y) is NaN; accepted is a number above 0, in world units"
        );
    }

    #[test]
    fn a_law_with_one_radius_refuses_three() {
        let mut settings = Settings::preset("counting-sort").expect("a known preset");
        settings.rules.cohesion_radius = 3.0;
        let message = settings.validate().expect_err("two radii").to_string();
        assert!(message.starts_with("cohesion_radius is 3; accepted is 1.75, the separation radius"), "{message}");
        settings.with_radius(3.0).validate().expect("one radius");
        let mut settings = Settings::preset("cursor").expect("a known preset");
        settings.rules.separation_radius = 3.0;
        settings.validate().expect("separation has a radius of its own");
        settings.rules.alignment_radius = 20.0;
        let message = settings.validate().expect_err("alignment and cohesion share one").to_string();
        assert!(message.starts_with("cohesion_radius is 30; accepted is 20, the alignment radius"), "{message}");
    }

    #[test]
    fn a_plane_has_no_height_and_its_density_is_per_area() {
        let flat = settings().with_boids(1_000).on_plane();
        flat.validate().expect("valid settings");
        assert_eq!(flat.world.half_size.y, 0.0);
        assert!((flat.density() - 2.0).abs() < 1e-3 && flat.grid().dims.y == 1, "{flat:?}");
        assert!((flat.clone().with_boids(4_000).world.half_size.x / flat.world.half_size.x - 2.0).abs() < 1e-5);
        let mut high = flat;
        high.world.half_size.y = 1.0;
        assert_eq!(
            high.validate().expect_err("a height").to_string(),
            "world_size (y) is 2; accepted is 0: a plane has no height"
        );
    }
}
