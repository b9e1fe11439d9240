//! The mouse over the flock: it turns the camera, leads a flock that follows it, and picks cells.

use crate::flock::layout::World;
use crate::render::Camera;
use glam::Vec3;
use winit::dpi::PhysicalPosition;

/// Largest motion of a click between press and release, in pixels.
const CLICK: f64 = 4.0;

/// Where it is, and what it is doing.
#[derive(Debug, Default)]
pub struct Mouse {
    dragging: bool,
    /// Where it was pressed, until it is released.
    pressed: Option<PhysicalPosition<f64>>,
    pointer: Option<PhysicalPosition<f64>>,
}

impl Mouse {
    /// Notes whether the left button is down, over the flock. Returns the place of a completed click.
    pub fn button(&mut self, down: bool) -> Option<PhysicalPosition<f64>> {
        self.dragging = down;
        let pressed = self.pressed.take();
        if down {
            self.pressed = self.pointer;
            return None;
        }
        let (then, now) = (pressed?, self.pointer?);
        ((then.x - now.x).hypot(then.y - now.y) < CLICK).then_some(now)
    }

    /// Notes the position. Returns the drag in pixels, right and down.
    pub fn moved(&mut self, to: PhysicalPosition<f64>) -> Option<[f32; 2]> {
        let last = self.pointer.replace(to).filter(|_| self.dragging)?;
        Some([(to.x - last.x) as f32, (to.y - last.y) as f32])
    }

    /// Where it points at the plane through the middle of `world`, but not far outside; nowhere while it drags.
    pub fn place(&self, camera: &Camera, size: (u32, u32), world: &World) -> Option<Vec3> {
        let [right, down] = ndc(self.pointer.filter(|_| !self.dragging)?, size);
        let (center, reach) = (world.center, world.half_size * 1.5);
        let place = camera.on_plane(size.0 as f32 / size.1.max(1) as f32, right, -down, center.y)?;
        Some(place.clamp(center - reach, center + reach))
    }
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
        let mut mouse = Mouse::default();
        let at = |x| PhysicalPosition::new(x, 7.0);
        assert_eq!(mouse.moved(at(10.0)), None);
        assert_eq!(mouse.button(true), None);
        assert_eq!(mouse.moved(at(12.0)), Some([2.0, 0.0]));
        assert_eq!(mouse.button(false), Some(at(12.0)));
        mouse.button(true);
        mouse.moved(at(30.0));
        assert_eq!(mouse.button(false), None);
        assert_eq!(mouse.button(false), None, "pressed elsewhere");
    }
}
