//! The simulation: settings, laws, presets, spawning, grid sizing, and the passes of one step.

pub mod buffers;
pub mod crowding;
pub mod cursor;
pub mod engine;
mod gpu;
pub mod grid;
pub mod influences;
pub mod law;
pub mod layout;
pub mod memory;
mod observer;
pub mod order;
pub mod preset;
pub mod random;
pub mod search;
pub mod settings;
pub mod spawn;
pub mod state;
pub mod steppers;
pub mod targets;
pub mod walls;

pub use engine::EngineKind;
pub use gpu::Flock;
pub use law::Law;
pub use observer::Observer;
pub use order::OrderParameters;
pub use preset::{PRESETS, Preset};
pub use search::Search;
pub use settings::Settings;
pub use spawn::{BoidState, SpawnShape, Start, spawn};
pub use state::{MAX_STEPS_PER_SUBMISSION, Observation, StepSlot};
pub use steppers::{HostState, Stepper};
pub use walls::Walls;
