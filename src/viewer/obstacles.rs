//! Obstacles and the mouse: one is placed at the pointer, dragged, and taken away.

use super::mouse::Drag;
use super::running::Running;
use crate::error::Result;
use crate::flock::Settings;
use crate::flock::obstacles::Obstacle;
use crate::limits::MAX_OBSTACLES;
use crate::render::Camera;
use glam::Vec3;
use std::borrow::Cow;

/// Radius of a new ball, as a share of half the picture's height.
const BALL: f32 = 0.2;

/// Steps along a ray, each as long as there is no obstacle about: more than enough where it does not graze one.
const LOOKS: u32 = 128;

/// The obstacle that a ray (unit) from the eye meets first. Planes are not met: they may fill the picture.
fn met(settings: &Settings, eye: Vec3, ray: Vec3) -> Option<usize> {
    let solid: Vec<(usize, Cow<'_, Obstacle>)> = settings
        .solid_obstacles()
        .enumerate()
        .filter(|(_, obstacle)| !matches!(**obstacle, Obstacle::Plane { .. }))
        .collect();
    let mut way = 0.0;
    for _ in 0..LOOKS {
        let place = eye.as_dvec3() + ray.as_dvec3() * way;
        let distances = solid.iter().map(|(k, obstacle)| (*k, obstacle.distance(place)));
        let (nearest, distance) = distances.min_by(|a, b| a.1.total_cmp(&b.1))?;
        if distance < 1e-4 * way {
            return Some(nearest);
        }
        way += distance;
    }
    None
}

/// Places a ball, or takes away obstacle `at`. Returns what was done.
fn toggle(settings: &mut Settings, at: Option<usize>, place: Vec3, camera: &Camera) -> String {
    if let Some(at) = at {
        return format!("the {} is gone", settings.obstacles.remove(at).name());
    }
    if settings.obstacles.len() == MAX_OBSTACLES as usize {
        return format!("there are {MAX_OBSTACLES} obstacles already, as many as fit");
    }
    let radius = BALL * camera.tangents(1.0).1 * camera.distance;
    settings.obstacles.push(Obstacle::Sphere { center: place, radius });
    "a ball: drag it, X takes it away".into()
}

impl Running {
    fn obstacle_at_pointer(&self) -> Option<usize> {
        let (size, camera) = (self.session.size()?, self.rig.camera());
        met(&self.options.settings, camera.eye(), camera.ray(self.mouse.at(size), self.aspect()))
    }

    /// What a drag with the left button does from here.
    pub(super) fn left_drag(&self) -> Drag {
        match self.obstacle_at_pointer() {
            _ if self.held.shift_key() => Drag::Attract,
            _ if self.held.control_key() => Drag::Repel,
            Some(obstacle) => Drag::Obstacle(obstacle),
            None => Drag::Orbit,
        }
    }

    /// Moves an obstacle along the picture, by pixels to the right and down.
    pub(super) fn drag_obstacle(&mut self, at: usize, [right, down]: [f32; 2]) -> Result<()> {
        let (Some((_, height)), camera) = (self.session.size(), self.rig.camera()) else { return Ok(()) };
        let Some(obstacle) = self.options.settings.obstacles.get(at) else { return Ok(()) };
        let [x, y, forward] = camera.axes();
        let depth = (obstacle.center() - camera.eye()).dot(forward).max(0.0);
        let a_pixel = 2.0 * camera.tangents(1.0).1 * depth / height.max(1) as f32;
        let moved = obstacle.clone().moved((x * right - y * down) * a_pixel);
        self.with_obstacles(|settings| settings.obstacles[at] = moved).map(drop)
    }

    /// Places a ball where the mouse points, or takes away the obstacle that is there.
    pub(super) fn toggle_obstacle(&mut self) -> Result<()> {
        let Some(size) = self.session.size() else { return Ok(()) };
        let (at, camera) = (self.obstacle_at_pointer(), self.rig.camera());
        let place = self.mouse.place_at_depth(&camera, size, &self.options.settings.world);
        let mut said = String::new();
        let changed = self.with_obstacles(|settings| said = toggle(settings, at, place, &camera))?;
        if changed {
            self.notify(&said);
        }
        Ok(())
    }

    /// Goes on with other obstacles. False where it cannot, and a message says so.
    fn with_obstacles(&mut self, change: impl FnOnce(&mut Settings)) -> Result<bool> {
        let before = self.options.settings.obstacles.clone();
        change(&mut self.options.settings);
        let changed = self.options.settings.validate().and_then(|()| self.session.change(&self.options));
        changed.map(|()| true).or_else(|error| {
            self.options.settings.obstacles = before;
            self.refused(error).map(|()| false)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balls_come_and_go_where_the_pointer_is() {
        let mut settings = Settings::preset("reynolds").expect("a known preset");
        let camera = Camera::of(&settings, 1.6);
        let (eye, ray) = (camera.eye(), camera.axes()[2]);
        assert_eq!(met(&settings, eye, ray), None);
        let place = eye + ray * camera.distance;
        toggle(&mut settings, None, place, &camera);
        settings.obstacles.push(Obstacle::Plane { point: place - Vec3::Y * 50.0, normal: Vec3::Y });
        settings.validate().expect("obstacles that are accepted");
        assert_eq!(met(&settings, eye, ray), Some(0));
        assert_eq!(met(&settings, eye, -ray), None);
        let aside = (ray + 0.3 * camera.axes()[0]).normalize();
        assert_eq!(met(&settings, eye, aside), None, "it is as large as a fifth of half the picture");
        assert_eq!(toggle(&mut settings, Some(0), place, &camera), "the sphere is gone");
        assert_eq!(met(&settings, eye, ray), None);
        for _ in 0..100 {
            toggle(&mut settings, None, place, &camera);
        }
        assert_eq!(settings.obstacles.len(), MAX_OBSTACLES as usize);
    }
}
