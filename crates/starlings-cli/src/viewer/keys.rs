//! What keys and mouse mean.

use super::camera::{Flight, Side};
use glam::Vec3;
use winit::event::MouseScrollDelta;
use winit::keyboard::{Key, KeyCode, ModifiersState, NamedKey, PhysicalKey};

/// What a key or a button asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    Pause,
    Step,
    /// Start the flock over, seen from where it was at first.
    Reset,
    /// The same with another seed.
    Reseed,
    /// Half as many simulated seconds in a real one.
    Slower,
    Faster,
    Fullscreen,
    Screenshot,
    /// Begin or end a recording.
    Record,
    Capture,
    Shape,
    Color,
    Backdrop,
    /// Draw longer trails, or none.
    Trail,
    /// Whole panel, one line, nothing.
    Panel,
    /// Show the whole flock.
    Frame,
    /// Start or stop turning around the flock.
    Orbit,
    Look(Side),
    /// Set a key pose of the camera.
    Pose,
    /// Play the key poses, or stop.
    Path,
    /// Draw the search over the flock, or no longer.
    Diagram,
    /// Drop a predator where the mouse points, or take it away.
    Predator,
    /// Place a ball where the mouse points, or take away the obstacle that is there.
    Obstacle,
    /// Start or stop breaking the frame on purpose.
    Break,
    /// Leave out the next dependency, while the frame is being broken.
    BreakNext,
    /// Leave out the one before.
    BreakPrevious,
    Undo,
    Redo,
    /// Leave the full screen, a recording, or, asked twice, the window.
    Back,
    Quit,
}

impl Command {
    /// Whether its key acts also while the controls read the keyboard, in which it means nothing.
    pub fn is_of_window(self) -> bool {
        use Command::{Capture, Fullscreen, Quit, Record, Screenshot};
        matches!(self, Capture | Fullscreen | Quit | Record | Screenshot)
    }

    /// Whether its key may mean something to a button or a slider that has the focus.
    fn is_of_controls(self) -> bool {
        matches!(self, Command::Pause | Command::Step | Command::BreakNext | Command::BreakPrevious | Command::Back)
    }

    /// Whether its key acts, where the controls read the keyboard or not, and a text is written with it or not.
    pub fn acts(self, for_controls: bool, writes: bool) -> bool {
        !for_controls || self.is_of_window() || !writes && !self.is_of_controls()
    }
}

/// Keys and mouse actions, in the panel's order.
pub const KEYS: &[(&str, &str)] = &[
    ("Drag", "orbit"),
    ("Right drag", "pan"),
    ("Wheel", "zoom to the pointer"),
    ("W A S D Q E", "fly; Shift fast, Ctrl slow"),
    ("Double click", "follow a boid"),
    ("F, Home", "show the whole flock"),
    ("O", "turn slowly"),
    ("1 3 7", "front, right, top"),
    ("K, J", "set a key pose, play them"),
    ("Drag an obstacle", "move it"),
    ("Shift drag", "attract boids"),
    ("Ctrl drag", "repel boids"),
    ("P, X", "predator, obstacle at pointer"),
    ("Space", "pause"),
    ("Right arrow", "one step"),
    ("[ ]", "half, double time"),
    ("R", "reset; Shift: new seed"),
    ("L C V T", "shape, color, backdrop, trail"),
    ("Click", "pick a cell (color cell)"),
    ("G", "grid, cells, neighbors"),
    ("H", "panel, line, nothing"),
    ("B", "leave out a dependency"),
    ("F12", "picture to a file"),
    ("F9", "begin, end a recording"),
    ("F11", "full screen"),
    ("F10", "RenderDoc capture"),
    ("Ctrl Z, Y", "undo a change, do it again"),
    ("Tab", "to the next control"),
    ("Esc", "step back; twice: quit"),
    ("Ctrl Q", "quit"),
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
    ("f", KeyCode::KeyF, Command::Frame),
    ("o", KeyCode::KeyO, Command::Orbit),
    ("k", KeyCode::KeyK, Command::Pose),
    ("j", KeyCode::KeyJ, Command::Path),
    ("g", KeyCode::KeyG, Command::Diagram),
    ("p", KeyCode::KeyP, Command::Predator),
    ("x", KeyCode::KeyX, Command::Obstacle),
    ("1", KeyCode::Numpad1, Command::Look(Side::Front)),
    ("3", KeyCode::Numpad3, Command::Look(Side::Right)),
    ("7", KeyCode::Numpad7, Command::Look(Side::Top)),
    ("[", KeyCode::BracketLeft, Command::Slower),
    ("]", KeyCode::BracketRight, Command::Faster),
];

/// The same with Ctrl, and with Shift or not.
const WITH_CONTROL: &[(bool, &str, KeyCode, Command)] = &[
    (false, "q", KeyCode::KeyQ, Command::Quit),
    (false, "z", KeyCode::KeyZ, Command::Undo),
    (false, "y", KeyCode::KeyY, Command::Redo),
    (true, "z", KeyCode::KeyZ, Command::Redo),
];

/// Digit keys by their positions: a French layout types other characters there.
const DIGITS: &[(KeyCode, Command)] = &[
    (KeyCode::Digit1, Command::Look(Side::Front)),
    (KeyCode::Digit3, Command::Look(Side::Right)),
    (KeyCode::Digit7, Command::Look(Side::Top)),
];

/// The command of a pressed key. A letter is matched by what the key types or, if that is not a Latin letter, by the
/// key's position; a digit by either. Only single steps repeat while a key is held. With Ctrl, Alt or Super a key means
/// nothing here.
pub fn command(logical: &Key, physical: PhysicalKey, repeated: bool, held: ModifiersState) -> Option<Command> {
    if held.control_key() || is_desktops(held) {
        let with_shift = ModifiersState::CONTROL | ModifiersState::SHIFT;
        let found = WITH_CONTROL.iter().find(|(shifted, letter, code, _)| {
            held == if *shifted { with_shift } else { ModifiersState::CONTROL }
                && is_letter(letter, *code, logical, physical)
        });
        // One that is held to fly when Ctrl comes is repeated.
        return found.map(|(.., command)| *command).filter(|_| !repeated);
    }
    let command = match logical.as_ref() {
        Key::Named(NamedKey::Space) => Command::Pause,
        Key::Named(NamedKey::ArrowRight) => Command::Step,
        Key::Named(NamedKey::ArrowDown) => Command::BreakNext,
        Key::Named(NamedKey::ArrowUp) => Command::BreakPrevious,
        Key::Named(NamedKey::Home) => Command::Frame,
        Key::Named(NamedKey::F11) => Command::Fullscreen,
        Key::Named(NamedKey::F12) => Command::Screenshot,
        Key::Named(NamedKey::F10) => Command::Capture,
        Key::Named(NamedKey::F9) => Command::Record,
        Key::Named(NamedKey::Escape) => Command::Back,
        Key::Character(" ") => Command::Pause,
        Key::Character(_) => {
            let lies = |code: KeyCode| physical == PhysicalKey::Code(code);
            let letter = LETTERS.iter().find(|(letter, code, _)| is_letter(letter, *code, logical, physical));
            let digit = || DIGITS.iter().find(|(code, _)| lies(*code)).map(|(_, command)| *command);
            letter.map(|(.., command)| *command).or_else(digit)?
        }
        _ => return None,
    };
    let command = if command == Command::Reset && held.shift_key() { Command::Reseed } else { command };
    (!repeated || command == Command::Step).then_some(command)
}

/// Whether a key types this letter; of one that types none of the Latin ones, whether it lies where that one does.
fn is_letter(letter: &str, code: KeyCode, logical: &Key, physical: PhysicalKey) -> bool {
    match logical {
        Key::Character(typed) if typed.is_ascii() => typed.eq_ignore_ascii_case(letter),
        Key::Character(_) => physical == PhysicalKey::Code(code),
        _ => false,
    }
}

/// The direction of flight of a key: right, up and forward. By its position, as these keys lie together.
fn direction(physical: PhysicalKey) -> Option<Vec3> {
    let PhysicalKey::Code(code) = physical else { return None };
    Some(match code {
        KeyCode::KeyW => Vec3::Z,
        KeyCode::KeyS => -Vec3::Z,
        KeyCode::KeyD => Vec3::X,
        KeyCode::KeyA => -Vec3::X,
        KeyCode::KeyE => Vec3::Y,
        KeyCode::KeyQ => -Vec3::Y,
        _ => return None,
    })
}

/// Whether keys are the desktop's, even those that Ctrl slows down here.
fn is_desktops(held: ModifiersState) -> bool {
    held.alt_key() || held.super_key()
}

/// The keys that are held to fly.
#[derive(Debug, Default)]
pub struct FlightKeys(Vec<PhysicalKey>);

impl FlightKeys {
    pub fn note(&mut self, key: PhysicalKey, pressed: bool, held: ModifiersState) {
        self.0.retain(|held| *held != key);
        if pressed && !is_desktops(held) && direction(key).is_some() {
            self.0.push(key);
        }
    }

    /// Forgets all: a window without focus is not told of releases.
    pub fn release(&mut self) {
        self.0.clear();
    }

    /// What they ask for.
    pub fn flight(&self, held: ModifiersState) -> Flight {
        if is_desktops(held) {
            return Flight::default();
        }
        let way = self.0.iter().filter_map(|key| direction(*key)).sum();
        Flight { way, fast: held.shift_key(), slow: held.control_key() }
    }
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
        command(&Key::Character(text.into()), PhysicalKey::Code(code), false, ModifiersState::empty())
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
        // A French one types digits only with Shift.
        let [front, right, top] = [Side::Front, Side::Right, Side::Top].map(|side| Some(Command::Look(side)));
        assert_eq!(["&", "1"].map(|text| typed(text, KeyCode::Digit1)), [front; 2]);
        assert_eq!((typed("\"", KeyCode::Digit3), typed("è", KeyCode::Digit7)), (right, top));
        assert_eq!((typed("7", KeyCode::Numpad7), typed("é", KeyCode::Digit2)), (top, None));
    }

    #[test]
    fn only_single_steps_repeat() {
        let (physical, none) = (PhysicalKey::Code(KeyCode::F35), ModifiersState::empty());
        assert_eq!(command(&Key::Named(NamedKey::ArrowRight), physical, true, none), Some(Command::Step));
        for key in [NamedKey::Space, NamedKey::F9, NamedKey::F10, NamedKey::F11, NamedKey::F12, NamedKey::Escape] {
            assert!(command(&Key::Named(key), physical, false, none).is_some());
            assert_eq!(command(&Key::Named(key), physical, true, none), None);
        }
    }

    #[test]
    fn keys_with_modifiers_are_left_to_the_desktop() {
        let physical = PhysicalKey::Code(KeyCode::KeyR);
        let r = |held| command(&Key::Character("r".into()), physical, false, held);
        for held in [ModifiersState::CONTROL, ModifiersState::ALT, ModifiersState::SUPER] {
            assert_eq!(r(held), None);
        }
        assert_eq!(r(ModifiersState::empty()), Some(Command::Reset));
        assert_eq!(r(ModifiersState::SHIFT), Some(Command::Reseed));
        let q = |typed: &str, held, repeated| {
            command(&Key::Character(typed.into()), PhysicalKey::Code(KeyCode::KeyQ), repeated, held)
        };
        for typed in ["q", "Q", "й"] {
            assert_eq!(q(typed, ModifiersState::CONTROL, false), Some(Command::Quit), "{typed}");
        }
        for held in [ModifiersState::empty(), ModifiersState::CONTROL | ModifiersState::ALT, ModifiersState::SUPER] {
            assert_eq!(q("q", held, false), None, "{held:?}");
        }
        assert_eq!(q("q", ModifiersState::CONTROL, true), None, "held to fly when Ctrl came");
        let z = |held| command(&Key::Character("z".into()), PhysicalKey::Code(KeyCode::KeyZ), false, held);
        let both = ModifiersState::CONTROL | ModifiersState::SHIFT;
        assert_eq!([z(ModifiersState::CONTROL), z(both)], [Some(Command::Undo), Some(Command::Redo)]);
    }

    #[test]
    fn keys_of_the_window_act_wherever_the_focus_is() {
        let acts = |command: Command| [(false, false), (true, false), (true, true)].map(|(c, w)| command.acts(c, w));
        for command in [Command::Capture, Command::Fullscreen, Command::Quit, Command::Record, Command::Screenshot] {
            assert_eq!(acts(command), [true; 3], "{command:?}");
        }
        // A letter may be written; it means nothing to a button.
        for command in [Command::Reset, Command::Panel, Command::Frame, Command::Look(Side::Top)] {
            assert_eq!(acts(command), [true, true, false], "{command:?}");
        }
        // A space presses a button, arrows lead on, and Esc leaves it.
        for command in [Command::Pause, Command::Step, Command::BreakNext, Command::Back] {
            assert_eq!(acts(command), [true, false, false], "{command:?}");
        }
    }

    #[test]
    fn opposite_keys_cancel_out_and_releases_are_noticed() {
        let mut keys = FlightKeys::default();
        let key = PhysicalKey::Code;
        let none = ModifiersState::empty();
        [KeyCode::KeyW, KeyCode::KeyD, KeyCode::KeyA].into_iter().for_each(|code| keys.note(key(code), true, none));
        keys.note(key(KeyCode::KeyW), true, none);
        assert_eq!(keys.flight(ModifiersState::SHIFT), Flight { way: Vec3::Z, fast: true, slow: false });
        keys.note(key(KeyCode::KeyA), false, none);
        keys.note(key(KeyCode::KeyR), true, none);
        assert_eq!(keys.flight(none).way, Vec3::new(1.0, 0.0, 1.0));
        for desktops in [ModifiersState::ALT, ModifiersState::SUPER, ModifiersState::ALT | ModifiersState::CONTROL] {
            assert_eq!(keys.flight(desktops), Flight::default(), "held when {desktops:?} comes");
            keys.note(key(KeyCode::KeyS), true, desktops);
            assert_eq!(keys.flight(none).way, Vec3::new(1.0, 0.0, 1.0), "pressed with {desktops:?}");
        }
        keys.release();
        assert_eq!(keys.flight(none), Flight::default());
    }
}
