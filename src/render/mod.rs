//! Camera, meshes, light and the draw pass.
//!
//! The vertex shader reads the simulation's buffers, so boids that the GPU steps do not pass through the host.

pub mod camera;
pub mod canvas;
pub mod clips;
pub mod layout;
pub mod look;
pub mod mesh;
pub mod palette;
pub mod resources;
pub mod scene;
pub mod shape;
pub mod skin;
pub mod texture;
pub mod trails;
pub mod values;
mod view;

pub use camera::Camera;
pub use canvas::Canvas;
pub use look::Look;
pub use scene::{Picture, Scene, SceneSlot};
pub use view::View;

use crate::flock::layout::Grid;
use crate::flock::{Settings, grid};

/// Cells as wide as the search radius, border cells extending to infinity: the cells of a bitonic-sorted grid.
pub fn cells(settings: &Settings) -> Grid {
    grid::fit(&settings.world, settings.search_radius(), settings.boids, 1, settings.torus().is_some())
}
