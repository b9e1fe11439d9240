//! The mouse over the flock: it turns and shifts the camera, leads a flock that follows it, and picks cells and boids.

use glam::Vec3;
use starlings::flock::layout::World;
use starlings::render::Camera;
use std::time::{Duration, Instant};
use winit::dpi::PhysicalPosition;

/// Largest motion of a click between press and release, in pixels.
const CLICK: f64 = 4.0;

/// Longest time between the clicks of a double click.
const DOUBLE: Duration = Duration::from_millis(400);

/// What a drag does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drag {
    Orbit,
    Pan,
    /// Draws boids near.
    Attract,
    /// Drives them away.
    Repel,
    /// Moves the obstacle of this number.
    Obstacle(usize),
}

/// A press and release at about the same place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Click {
    /// Where, in pixels.
    pub at: PhysicalPosition<f64>,
    /// Whether it is the second in a short time.
    pub double: bool,
}

/// Where it is, and what it is doing.
#[derive(Debug, Default)]
pub struct Mouse {
    drag: Option<Drag>,
    /// Where it was pressed, until it is released.
    pressed: Option<PhysicalPosition<f64>>,
    last_click: Option<(Instant, PhysicalPosition<f64>)>,
    pointer: Option<PhysicalPosition<f64>>,
}

impl Mouse {
    /// Notes whether a button is down, over the flock. Returns the completed click of one that orbits.
    pub fn button(&mut self, drag: Drag, down: bool, now: Instant) -> Option<Click> {
        let pressed = self.pressed.take();
        if down {
            (self.drag, self.pressed) = (Some(drag), self.pointer);
            return None;
        }
        let dragged = self.drag.take();
        let (then, at) = (pressed?, self.pointer?);
        if dragged != Some(Drag::Orbit) || !near(then, at) {
            return None;
        }
        let double = self.last_click.is_some_and(|(when, place)| now - when < DOUBLE && near(place, at));
        self.last_click = (!double).then_some((now, at));
        Some(Click { at, double })
    }

    /// Notes the position. Returns the drag, and its motion in pixels, right and down.
    pub fn moved(&mut self, to: PhysicalPosition<f64>) -> Option<(Drag, [f32; 2])> {
        let last = self.pointer.replace(to);
        let (last, drag) = (last?, self.drag?);
        Some((drag, [(to.x - last.x) as f32, (to.y - last.y) as f32]))
    }

    /// What is being dragged.
    pub fn drag(&self) -> Option<Drag> {
        self.drag
    }

    /// Where it points at the depth of what the camera looks at; on the plane through the middle of `world`, if it is
    /// flat.
    pub fn place_at_depth(&self, camera: &Camera, size: (u32, u32), world: &World) -> Vec3 {
        let aspect = size.0 as f32 / size.1.max(1) as f32;
        let [right, down] = self.at(size);
        if world.half_size.y == 0.0
            && let Some(place) = camera.on_plane(aspect, right, -down, world.center.y)
        {
            return place;
        }
        let (ray, forward) = (camera.ray([right, down], aspect), camera.axes()[2]);
        camera.eye() + ray * (camera.distance / ray.dot(forward))
    }

    /// Where it points, in normalized device coordinates, right and down; the middle before it was moved.
    pub fn at(&self, size: (u32, u32)) -> [f32; 2] {
        self.pointer.map_or([0.0; 2], |pointer| ndc(pointer, size))
    }

    /// Where it points at the plane through the middle of `world`, but not far outside; nowhere while it drags.
    pub fn place(&self, camera: &Camera, size: (u32, u32), world: &World) -> Option<Vec3> {
        let [right, down] = ndc(self.pointer.filter(|_| self.drag.is_none())?, size);
        let (center, reach) = (world.center, world.half_size * 1.5);
        let place = camera.on_plane(size.0 as f32 / size.1.max(1) as f32, right, -down, center.y)?;
        Some(place.clamp(center - reach, center + reach))
    }
}

fn near(a: PhysicalPosition<f64>, b: PhysicalPosition<f64>) -> bool {
    (a.x - b.x).hypot(a.y - b.y) < CLICK
}

/// A place in a window of that size as normalized device coordinates, right and down.
pub fn ndc(at: PhysicalPosition<f64>, (width, height): (u32, u32)) -> [f32; 2] {
    [(at.x, width), (at.y, height)].map(|(at, size)| (2.0 * at / f64::from(size.max(1)) - 1.0) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_way_is_a_click_and_a_long_one_a_drag() {
        let (mut mouse, now) = (Mouse::default(), Instant::now());
        let at = |x| PhysicalPosition::new(x, 7.0);
        assert_eq!(mouse.moved(at(10.0)), None);
        assert_eq!(mouse.button(Drag::Orbit, true, now), None);
        assert_eq!(mouse.moved(at(12.0)), Some((Drag::Orbit, [2.0, 0.0])));
        assert_eq!(mouse.button(Drag::Orbit, false, now), Some(Click { at: at(12.0), double: false }));
        mouse.button(Drag::Pan, true, now);
        assert_eq!(mouse.moved(at(30.0)), Some((Drag::Pan, [18.0, 0.0])));
        assert_eq!(mouse.button(Drag::Pan, false, now), None);
        assert_eq!(mouse.button(Drag::Orbit, false, now), None, "pressed elsewhere");
    }

    #[test]
    fn two_clicks_in_a_short_time_are_a_double_one_and_a_third_is_not() {
        let (mut mouse, start) = (Mouse::default(), Instant::now());
        mouse.moved(PhysicalPosition::new(5.0, 5.0));
        let mut click = |ms| {
            let now = start + Duration::from_millis(ms);
            mouse.button(Drag::Orbit, true, now);
            mouse.button(Drag::Orbit, false, now).map(|click| click.double)
        };
        assert_eq!([0, 200, 400, 500, 1_500].map(&mut click).map(Option::unwrap), [false, true, false, true, false]);
    }
}
