//! What keys and mouse mean.

use winit::event::MouseScrollDelta;
use winit::keyboard::{Key, KeyCode, NamedKey, PhysicalKey};

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    Pause,
    Step,
    Reset,
    Fullscreen,
    Screenshot,
    Capture,
    /// Next shape.
    Shape,
    /// Next coloring.
    Color,
    /// Next backdrop.
    Backdrop,
    /// Draw longer trails, or none.
    Trail,
    Panel,
    /// Start or stop breaking the frame on purpose.
    Break,
    /// Leave out the next dependency, while the frame is being broken.
    BreakNext,
    /// Leave out the one before.
    BreakPrevious,
    Quit,
}

/// Keys and mouse actions, in the panel's order.
pub const KEYS: &[(&str, &str)] = &[
    ("Space", "pause"),
    ("→", "step"),
    ("R", "reset"),
    ("F11", "full screen"),
    ("F12", "picture"),
    ("F10", "capture"),
    ("L", "look"),
    ("C", "color"),
    ("V", "backdrop"),
    ("T", "trail"),
    ("Click", "pick cell"),
    ("H", "panel"),
    ("B", "break"),
    ("Esc", "quit"),
    ("Drag", "orbit"),
    ("Wheel", "zoom"),
];

/// Letter keys: the letter, the key code, and the command.
const LETTERS: &[(&str, KeyCode, Command)] = &[
    ("r", KeyCode::KeyR, Command::Reset),
    ("h", KeyCode::KeyH, Command::Panel),
    ("b", KeyCode::KeyB, Command::Break),
    ("l", KeyCode::KeyL, Command::Shape),
    ("c", KeyCode::KeyC, Command::Color),
    ("v", KeyCode::KeyV, Command::Backdrop),
    ("t", KeyCode::KeyT, Command::Trail),
];

/// The command of a pressed key. A letter is matched by what the key types or, if that is not a Latin letter, by the key's
/// position. Only single steps repeat while a key is held.
pub fn command(logical: &Key, physical: PhysicalKey, repeated: bool) -> Option<Command> {
    let command = match logical.as_ref() {
        Key::Named(NamedKey::Space) => Command::Pause,
        Key::Named(NamedKey::ArrowRight) => Command::Step,
        Key::Named(NamedKey::ArrowDown) => Command::BreakNext,
        Key::Named(NamedKey::ArrowUp) => Command::BreakPrevious,
        Key::Named(NamedKey::F11) => Command::Fullscreen,
        Key::Named(NamedKey::F12) => Command::Screenshot,
        Key::Named(NamedKey::F10) => Command::Capture,
        Key::Named(NamedKey::Escape) => Command::Quit,
        Key::Character(" ") => Command::Pause,
        Key::Character(typed) if typed.is_ascii() => {
            LETTERS.iter().find(|(letter, ..)| typed.eq_ignore_ascii_case(letter))?.2
        }
        Key::Character(_) => LETTERS.iter().find(|(_, code, _)| physical == PhysicalKey::Code(*code))?.2,
        _ => return None,
    };
    (!repeated || command == Command::Step).then_some(command)
}

/// Pixels of a touchpad's motion that count as one step of a wheel.
const PIXELS_PER_WHEEL_STEP: f64 = 40.0;

/// Steps of the wheel, positive away from the user.
pub fn wheel_steps(delta: MouseScrollDelta) -> f32 {
    match delta {
        MouseScrollDelta::LineDelta(_, lines) => lines,
        MouseScrollDelta::PixelDelta(pixels) => (pixels.y / PIXELS_PER_WHEEL_STEP) as f32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str, code: KeyCode) -> Option<Command> {
        command(&Key::Character(text.into()), PhysicalKey::Code(code), false)
    }

    #[test]
    fn letters_go_by_what_they_type_and_else_by_where_they_lie() {
        assert_eq!(typed("r", KeyCode::KeyR), Some(Command::Reset));
        assert_eq!(typed("H", KeyCode::KeyH), Some(Command::Panel));
        // Dvorak types h on the key that is J elsewhere.
        assert_eq!(typed("h", KeyCode::KeyJ), Some(Command::Panel));
        assert_eq!(typed("d", KeyCode::KeyH), None);
        // A Russian layout types no Latin letter at all.
        assert_eq!(typed("р", KeyCode::KeyH), Some(Command::Panel));
    }

    #[test]
    fn only_single_steps_repeat() {
        let physical = PhysicalKey::Code(KeyCode::F35);
        assert_eq!(command(&Key::Named(NamedKey::ArrowRight), physical, true), Some(Command::Step));
        for key in [NamedKey::Space, NamedKey::F10, NamedKey::F11, NamedKey::F12, NamedKey::Escape] {
            assert!(command(&Key::Named(key), physical, false).is_some());
            assert_eq!(command(&Key::Named(key), physical, true), None);
        }
    }
}
