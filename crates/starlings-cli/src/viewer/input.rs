//! Mouse and keys over the flock, and the camera that they move.

use super::camera::CameraMotion;
use super::keys::{FlightKeys, wheel_steps};
use super::mouse::{Drag, Mouse};
use super::obstacles;
use glam::Vec3;
use starlings::flock::Settings;
use starlings::render::Camera;
use std::time::Duration;
use winit::dpi::PhysicalPosition;
use winit::event::{MouseButton, MouseScrollDelta};
use winit::keyboard::ModifiersState;

/// What is held, and where the camera is.
pub struct Input {
    pub camera: CameraMotion,
    pub mouse: Mouse,
    pub keys: FlightKeys,
    pub held: ModifiersState,
}

impl Input {
    /// Nothing is held.
    pub fn new(camera: CameraMotion) -> Input {
        Input { camera, mouse: Mouse::default(), keys: FlightKeys::default(), held: ModifiersState::empty() }
    }

    /// Whether the camera moves without further input.
    pub fn is_moving(&self) -> bool {
        self.camera.is_moving() || self.keys.flight(self.held).way != Vec3::ZERO
    }

    /// Moves the camera for `elapsed`, and returns where it is then.
    pub fn advance(&mut self, elapsed: Duration) -> Camera {
        self.camera.flight = self.keys.flight(self.held);
        self.camera.advance(elapsed)
    }

    /// The obstacle of `settings` that the mouse points at after `step` steps, in a picture of that size.
    pub fn obstacle(&self, settings: &Settings, step: u32, size: (u32, u32)) -> Option<usize> {
        let camera = self.camera.shown();
        obstacles::met(settings, step, camera.eye(), camera.ray(self.mouse.at(size), aspect(size)))
    }

    /// The obstacle that the mouse points at, or nearly so.
    pub fn obstacle_near(&self, settings: &Settings, step: u32, size: (u32, u32)) -> Option<usize> {
        let camera = self.camera.shown();
        obstacles::pointed_at(settings, step, camera.eye(), camera.ray(self.mouse.at(size), aspect(size)))
    }

    /// Where the mouse points at the depth of what the camera looks at.
    pub fn place(&self, settings: &Settings, size: (u32, u32)) -> Vec3 {
        self.mouse.place_at_depth(&self.camera.shown(), size, &settings.world)
    }

    /// What a drag with that button does from here after `step` steps, if anything.
    pub fn drag_of(
        &self,
        button: MouseButton,
        (settings, step): (&Settings, u32),
        size: Option<(u32, u32)>,
    ) -> Option<Drag> {
        Some(match button {
            MouseButton::Left if self.held.shift_key() => Drag::Attract,
            MouseButton::Left if self.held.control_key() => Drag::Repel,
            MouseButton::Left => {
                size.and_then(|size| self.obstacle(settings, step, size)).map_or(Drag::Orbit, Drag::Obstacle)
            }
            MouseButton::Right | MouseButton::Middle => Drag::Pan,
            _ => return None,
        })
    }

    /// Moves the mouse, and by a drag the camera. Returns the obstacle that is dragged, and by how many pixels.
    pub fn moved(&mut self, to: PhysicalPosition<f64>, size: Option<(u32, u32)>) -> Option<(usize, [f32; 2])> {
        match self.mouse.moved(to)? {
            (Drag::Orbit, pixels) => self.camera.orbit(pixels),
            (Drag::Pan, pixels) => {
                let height = size.map_or(1, |(_, height)| height) as f32;
                self.camera.pan(pixels.map(|pixels| pixels / height));
            }
            (Drag::Obstacle(at), pixels) => return Some((at, pixels)),
            (Drag::Attract | Drag::Repel, _) => {}
        }
        None
    }

    /// Zooms to the pointer.
    pub fn wheel(&mut self, delta: MouseScrollDelta, size: (u32, u32)) {
        self.camera.zoom(wheel_steps(delta), self.mouse.at(size), aspect(size));
    }
}

/// Width of a picture over its height.
pub fn aspect((width, height): (u32, u32)) -> f32 {
    width.max(1) as f32 / height.max(1) as f32
}
