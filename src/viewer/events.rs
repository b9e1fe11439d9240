//! What each event of an open window does.

use super::controls::FileWish;
use super::input::{command, wheel_steps};
use super::mouse::Drag;
use super::running::{Next, Running};
use crate::error::Result;
use std::time::Instant;
use winit::event::{ElementState, MouseButton, WindowEvent};

impl Running {
    pub fn on_event(&mut self, event: WindowEvent) -> Result<Next> {
        let came = is_input(&event).then(Instant::now);
        let next = self.handle(event).or_else(|error| self.recover(error))?;
        // Where nothing changes, no frame has to come.
        if let Some(came) = came.filter(|_| self.is_lively()) {
            self.delay.came(came, self.frames);
        }
        Ok(next)
    }

    /// A point has so many pixels now. Under X11, winit 0.30 goes on to say the old number when it is asked; and the window's size may stay,
    /// as where it fills a screen, so that nothing else says that the controls have another.
    fn scale_changed(&mut self, scale: f64) {
        self.scale = scale;
        self.overlay.renew();
        (self.idle, self.look_again) = (false, true);
    }

    /// Lays out the controls for what they have been given since the last time.
    fn answer(&mut self) -> Result<Next> {
        match self.session.size() {
            Some(size) if self.overlay.is_due() && !self.hidden() => {
                self.look_again = true;
                self.lay_out(size)
            }
            _ => Ok(Next::Go),
        }
    }

    fn handle(&mut self, event: WindowEvent) -> Result<Next> {
        // The controls read the mouse as it is at the end of what they are given. However long a frame takes, that is one press or release
        // at a time, and a key acts after what the mouse has done before it.
        let presses = matches!(event, WindowEvent::MouseInput { .. });
        if (presses || matches!(event, WindowEvent::KeyboardInput { .. }))
            && let Next::Quit = self.answer()?
        {
            return Ok(Next::Quit);
        }
        let for_controls = self.overlay.on_event(&self.pane, &event);
        if presses && let Next::Quit = self.answer()? {
            return Ok(Next::Quit);
        }
        match event {
            WindowEvent::CloseRequested | WindowEvent::Destroyed => return Ok(Next::Quit),
            WindowEvent::Resized(size) => {
                self.session.resized(size.into());
                (self.idle, self.look_again) = (false, true);
            }
            WindowEvent::ScaleFactorChanged { scale_factor, .. } => self.scale_changed(scale_factor),
            WindowEvent::Moved(place) => self.position = Some((place.x, place.y)),
            WindowEvent::DroppedFile(path) => self.handle_file(FileWish::Open(path))?,
            WindowEvent::Occluded(occluded) => self.occluded = occluded,
            WindowEvent::Focused(_) => {
                self.keys.release();
                self.look_at_window();
            }
            WindowEvent::RedrawRequested => return self.redraw(),
            WindowEvent::ModifiersChanged(held) => self.held = held.state(),
            WindowEvent::KeyboardInput { event, is_synthetic: false, .. } => {
                let pressed = event.state == ElementState::Pressed;
                // A number may be being typed.
                self.keys.note(event.physical_key, pressed && !for_controls, self.held);
                let command = command(&event.logical_key, event.physical_key, event.repeat, self.held);
                if let Some(command) = command.filter(|_| pressed && !for_controls) {
                    return self.obey(command);
                }
            }
            WindowEvent::MouseInput { state, button, .. } => {
                let drag = match button {
                    MouseButton::Left => self.left_drag(),
                    MouseButton::Right | MouseButton::Middle => Drag::Pan,
                    _ => return Ok(Next::Go),
                };
                let down = state == ElementState::Pressed;
                let click = if down && for_controls { None } else { self.mouse.button(drag, down, Instant::now()) };
                if let Some(click) = click {
                    self.clicked(click)?;
                }
            }
            WindowEvent::CursorMoved { position, .. } => match self.mouse.moved(position) {
                Some((Drag::Orbit, pixels)) => self.rig.orbit(pixels),
                Some((Drag::Pan, pixels)) => {
                    let height = self.session.size().map_or(1, |(_, height)| height) as f32;
                    self.rig.pan(pixels.map(|pixels| pixels / height));
                }
                Some((Drag::Obstacle(at), pixels)) => self.drag_obstacle(at, pixels)?,
                Some((Drag::Attract | Drag::Repel, _)) | None => {}
            },
            WindowEvent::MouseWheel { delta, .. } if !for_controls => {
                let at = self.session.size().map_or([0.0; 2], |size| self.mouse.at(size));
                self.rig.zoom(wheel_steps(delta), at, self.aspect());
            }
            _ => {}
        }
        Ok(Next::Go)
    }
}

/// Whether it is something that a user does, and waits to see.
fn is_input(event: &WindowEvent) -> bool {
    matches!(
        event,
        WindowEvent::KeyboardInput { is_synthetic: false, .. }
            | WindowEvent::MouseInput { .. }
            | WindowEvent::MouseWheel { .. }
            | WindowEvent::CursorMoved { .. }
    )
}
