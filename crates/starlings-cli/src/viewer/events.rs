//! What each event of an open window does.

use super::controls::FileRequest;
use super::keys::command;
use super::open_window::{Next, OpenWindow};
use crate::error::Result;
use std::time::Instant;
use winit::event::{ElementState, WindowEvent};

impl OpenWindow {
    pub fn on_event(&mut self, event: WindowEvent) -> Result<Next> {
        let is_input = is_input(&event);
        if is_input {
            self.director.touched();
        }
        let next = self.handle(event).or_else(|error| self.recover(error))?;
        // Where nothing changes, no frame has to come.
        if is_input && self.is_lively() {
            self.tally.input();
        }
        Ok(next)
    }

    /// Lays out the controls for what they have been given since the last time.
    fn answer(&mut self) -> Result<Next> {
        match self.session.display.size() {
            Some(size) if self.controls.overlay.is_due() && !self.window.is_hidden() => {
                self.window.is_dirty = true;
                self.lay_out(size)
            }
            _ => Ok(Next::Go),
        }
    }

    fn handle(&mut self, event: WindowEvent) -> Result<Next> {
        // The controls read the mouse as it is at the end of what they are given. However long a frame takes, that is
        // one press or release at a time, and a key acts after what the mouse has done before it.
        let presses = matches!(event, WindowEvent::MouseInput { .. });
        if (presses || matches!(event, WindowEvent::KeyboardInput { .. })) && self.answer()? == Next::Quit {
            return Ok(Next::Quit);
        }
        let for_controls = self.controls.overlay.on_event(&self.window.pane, &event);
        let writes = self.controls.overlay.is_written_in();
        if presses && self.answer()? == Next::Quit {
            return Ok(Next::Quit);
        }
        let size = self.session.display.size();
        match event {
            WindowEvent::CloseRequested | WindowEvent::Destroyed => return Ok(Next::Quit),
            WindowEvent::Resized(size) => {
                self.session.display.resized(size.into());
                self.window.wake();
            }
            // The window's size may stay, as where it fills a screen: nothing else says then that the controls have
            // another.
            WindowEvent::ScaleFactorChanged { scale_factor, .. } => {
                self.window.scale = scale_factor;
                self.controls.overlay.renew();
                self.window.wake();
            }
            WindowEvent::Moved(place) => self.window.position = Some((place.x, place.y)),
            WindowEvent::DroppedFile(path) => self.handle_file(FileRequest::Open(path))?,
            WindowEvent::Occluded(occluded) => self.window.occluded = occluded,
            WindowEvent::Focused(_) => {
                self.input.keys.release();
                self.window.ask();
            }
            WindowEvent::RedrawRequested => return self.redraw(),
            WindowEvent::ModifiersChanged(held) => self.input.held = held.state(),
            WindowEvent::KeyboardInput { event, is_synthetic: false, .. } => {
                let (pressed, held) = (event.state == ElementState::Pressed, self.input.held);
                if pressed && self.options.kiosk {
                    return Ok(Next::Quit);
                }
                // A number may be being typed.
                self.input.keys.note(event.physical_key, pressed && !(for_controls && writes), held);
                let command = command(&event.logical_key, event.physical_key, event.repeat, held);
                if let Some(command) = command.filter(|command| pressed && command.acts(for_controls, writes)) {
                    return self.obey(command);
                }
            }
            WindowEvent::MouseInput { state, button, .. } => {
                let down = state == ElementState::Pressed;
                let step = self.session.flock.on_device.step();
                let drag = self.input.drag_of(button, (&self.options.settings, step), size);
                if let Some(drag) = drag.filter(|_| !(down && for_controls))
                    && let Some(click) = self.input.mouse.button(drag, down, Instant::now())
                {
                    self.clicked(click)?;
                }
            }
            WindowEvent::CursorMoved { position, .. } => {
                if let (Some((at, pixels)), Some((_, height))) = (self.input.moved(position, size), size) {
                    self.drag_obstacle(at, pixels, height)?;
                }
            }
            WindowEvent::MouseWheel { delta, .. } if !for_controls => {
                self.input.wheel(delta, size.unwrap_or((self.options.width, self.options.height)));
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
