//! The look in a window: changes by keys, and the boid that a click picks.

use glam::Vec3;
use starlings::flock::Settings;
use starlings::render::Look;
use starlings::render::look::Coloring;

pub type Change = fn(&mut Look, &Settings);

/// Trails that a key leads through, in seconds.
const TRAILS: [f32; 4] = [0.0, 0.5, 1.0, 2.0];

/// Largest angle between a click and a boid, in radians.
const NEAR_MISS: f32 = 0.03;

/// The next coloring that this flock supports.
pub fn next_color(look: &mut Look, settings: &Settings) {
    // A range of speeds is none of counts.
    look.color_range = None;
    look.color = look.color.next();
    while look.check(settings).is_err() && look.color != Coloring::Natural {
        look.color = look.color.next();
    }
}

/// Longer trails, and after the longest none.
pub fn next_trail(look: &mut Look, _: &Settings) {
    look.trail = TRAILS.into_iter().find(|&trail| trail > look.trail).unwrap_or(0.0);
}

/// The boid nearest to the ray from `eye` along the unit vector `ray`; none where no boid is near it.
pub fn pick(positions: &[Vec3], eye: Vec3, ray: Vec3) -> Option<usize> {
    let miss = |position: &Vec3| {
        let way = *position - eye;
        let ahead = way.dot(ray);
        if ahead > 0.0 { (way - ray * ahead).length() / ahead } else { f32::INFINITY }
    };
    let nearest = positions.iter().map(miss).enumerate().min_by(|a, b| a.1.total_cmp(&b.1))?;
    (nearest.1 <= NEAR_MISS).then_some(nearest.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::vec3;
    use starlings::render::look::COLORINGS;
    use starlings::render::{Camera, cells};

    fn settings() -> Settings {
        Settings::preset("counting-sort").expect("a known preset").with_boids(1_000)
    }

    #[test]
    fn keys_lead_through_every_look_that_shows_something() {
        let settings = settings();
        let mut look = Look::of(&settings);
        let mut seen = Vec::new();
        for _ in 0..COLORINGS.len() {
            next_color(&mut look, &settings);
            look.check(&settings).expect("it shows something");
            seen.push(look.color);
        }
        assert!(!seen.contains(&Coloring::Speed), "all boids of this flock are of one speed");
        assert!(seen.contains(&Coloring::Cell) && seen.contains(&Coloring::Natural));
        let trails: Vec<f32> = (0..5)
            .map(|_| {
                next_trail(&mut look, &settings);
                look.trail
            })
            .collect();
        assert_eq!(trails, [0.5, 1.0, 2.0, 0.0, 0.5]);
    }

    #[test]
    fn a_look_fits_settings_that_have_changed() {
        let mut settings = Settings::preset("reynolds").expect("a known preset").with_boids(1_000);
        let look = Look { color: Coloring::Speed, cell: cells(&settings).dims - 1, ..Look::of(&settings) };
        assert_eq!(look.clone().fitted(&settings), look, "nothing is to be changed");
        settings.rules.alignment_radius *= 2.0;
        settings.rules.cohesion_radius *= 2.0;
        look.check(&settings).expect_err("there are fewer cells");
        let fitted = look.clone().fitted(&settings);
        fitted.check(&settings).expect("it fits");
        assert_eq!((fitted.color, fitted.cell), (Coloring::Speed, cells(&settings).dims - 1));
        let other = Settings::preset("counting-sort").expect("a known preset");
        assert_eq!(look.fitted(&other).color, Coloring::Natural, "all its boids are of one speed");
    }

    #[test]
    fn a_click_picks_the_boid_under_it() {
        let camera = Camera::fit(&settings().world, 1.5);
        let positions = [vec3(1.0, 2.0, -1.0), vec3(-2.0, 0.0, 3.0)];
        for (boid, position) in positions.into_iter().enumerate() {
            let way = (position - camera.eye()).normalize();
            assert_eq!(pick(&positions, camera.eye(), way), Some(boid));
        }
        // Beside all boids, behind the eye, and without any.
        assert_eq!(pick(&positions, camera.eye(), camera.ray([0.99, 0.99], 1.5)), None);
        assert_eq!(pick(&positions, camera.eye(), -camera.axes()[2]), None);
        assert_eq!(pick(&[], camera.eye(), camera.axes()[2]), None);
    }
}
