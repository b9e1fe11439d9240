//! The simulation: settings, laws, presets, spawning, grid sizing, and the passes of one step.

pub mod crowding;
pub mod cursor;
pub mod engine;
mod gpu;
pub mod grid;
pub mod heeded;
pub mod law;
pub mod layout;
pub mod memory;
pub mod named;
pub mod order;
mod params;
pub mod preset;
pub mod random;
pub mod search;
pub mod setting;
pub mod settings;
pub mod spawn;
mod spawn_shape;
pub mod targets;
pub mod walls;

pub use engine::EngineKind;
pub use gpu::{
    BitonicGrid, EMPTY_CELL, Flock, FlockBuffers, HostState, MAX_STEPS_PER_SUBMISSION, Observation, Observer, StepSlot,
    exchanged_strides, merged_blocks,
};
pub(crate) use gpu::{SCAN_DOWNSWEEP, SCAN_REDUCE, SCAN_SPINE};
pub use law::Law;
pub use order::OrderParameters;
pub use preset::{PRESETS, Preset};
pub use search::Search;
pub use setting::Setting;
pub use settings::Settings;
pub use spawn::{BoidState, Start, spawn};
pub use spawn_shape::{SPAWN_SHAPES, SpawnShape};
pub use walls::Walls;
