//! How obstacles are drawn: their draws, and the triangles of those that are meshes.

use crate::error::Result;
use crate::flock::Settings;
use crate::flock::obstacles::Obstacle;
use crate::limits::{OBSTACLE_COLUMNS, OBSTACLE_ROWS};
use crate::mesh::Triangle;
use crate::render::resources::OBSTACLE_TRIANGLES;
use crate::vk::{Buffer, BufferUsage, Device};
use glam::Vec3;
use std::sync::Arc;

/// A grid of quads of two triangles: see `obstacle.vert`.
const GRID_VERTICES: u32 = OBSTACLE_COLUMNS * OBSTACLE_ROWS * 6;

/// Vertices of a triangle of a mesh, which is drawn from both sides.
const TRIANGLE_VERTICES: u32 = 6;

/// A draw of one obstacle or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObstacleDraw {
    /// The first vertex, and their count.
    pub vertices: (u32, u32),
    /// The first obstacle, and their count.
    pub instances: (u32, u32),
}

/// The draws of the obstacles of `settings`: one for those between meshes, and one for each mesh.
pub fn obstacle_draws(settings: &Settings) -> Vec<ObstacleDraw> {
    let mut draws: Vec<ObstacleDraw> = Vec::new();
    for (at, obstacle) in (0..).zip(&settings.obstacles) {
        let grid = (0, GRID_VERTICES);
        match (obstacle, draws.last_mut()) {
            (Obstacle::Mesh { model, .. }, _) => {
                let (first, count) = settings.triangles_of(model);
                let vertices = (TRIANGLE_VERTICES * first, TRIANGLE_VERTICES * count);
                draws.push(ObstacleDraw { vertices, instances: (at, 1) });
            }
            (_, Some(draw)) if !settings.obstacles[at as usize - 1].is_mesh() => draw.instances.1 += 1,
            _ => draws.push(ObstacleDraw { vertices: grid, instances: (at, 1) }),
        }
    }
    draws
}

/// The triangles of the meshes of `settings` on the device; one that is a place if there are none.
///
/// # Errors
/// When there is not enough memory.
pub fn upload_triangles(device: &Arc<Device>, settings: &Settings) -> Result<Buffer> {
    let mut triangles: Vec<Triangle> = settings.triangles().copied().collect();
    if triangles.is_empty() {
        triangles.push([Vec3::ZERO; 3]);
    }
    Buffer::with_data(device, OBSTACLE_TRIANGLES.name(), BufferUsage::STORAGE_BUFFER, &triangles)
}

/// Bytes of these triangles.
pub fn triangle_bytes(settings: &Settings) -> u64 {
    (settings.triangles().count().max(1) * size_of::<Triangle>()) as u64
}
