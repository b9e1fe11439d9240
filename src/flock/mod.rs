//! The simulation: settings, laws, presets, spawning, grid sizing, and the passes of one step.

pub mod layout;
