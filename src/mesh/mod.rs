//! Triangle meshes: read from files, and baked into volumes of distances. Independent of boids and of Vulkan.
//!
//! A mesh is *closed* if each of its edges is passed as often in one direction as in the other; corners at the same
//! place are one. Then each place has a winding number, and is inside if that is not zero: for overlapping parts and
//! for surfaces that are inside out, too. Any other mesh is open, and a thin shell: it has no inside.

mod animated;
#[cfg(feature = "mesh-files")]
mod gltf;
mod model;
#[cfg(feature = "mesh-files")]
mod obj;
#[cfg(feature = "mesh-files")]
mod polygon;
mod report;
mod tree;
mod volume;
mod winding;

pub use animated::{
    Animated, BIRD_CLIPS, Clip, FAR_TRIANGLES_MOST, FAR_VERTICES_MOST, FISH_CLIPS, FRAMES_MOST, NEAR_TRIANGLES_MOST,
    Parts, REACH, VERTICES_MOST, clip_name,
};
#[cfg(feature = "mesh-files")]
pub use animated::{BakeOptions, Baked, Likeness};
pub use model::{CELLS, Model};
pub use report::Report;
pub use tree::{PackedNode, PackedTriangle, Tree};
pub use volume::{Lattice, Volume, bake, distances};

use crate::error::{Error, Result};
#[cfg(feature = "mesh-files")]
use crate::input::Bounded;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use std::path::Path;

/// Bytes that are read of a mesh at most: its file, and the files of its buffers together.
pub const MAX_BYTES: u64 = 256 << 20;

/// Triangles of a mesh, at most.
pub const MAX_TRIANGLES: usize = 2_000_000;

/// The largest coordinate.
const FARTHEST: f32 = 1e9;

/// A triangle by its corners, counter-clockwise seen from outside.
pub type Triangle = [Vec3; 3];

/// At least one triangle and at most [`MAX_TRIANGLES`], with finite corners, longer along an axis than a thousandth of
/// its largest coordinate.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    triangles: Vec<Triangle>,
    is_closed: bool,
}

impl Mesh {
    /// A mesh of these triangles. Degenerate ones are allowed.
    ///
    /// # Errors
    /// What is wrong with them and what is accepted, as the rest of a sentence that names the mesh.
    pub fn new(triangles: Vec<Triangle>) -> Result<Mesh, String> {
        if triangles.is_empty() {
            return Err("has no triangles; accepted is at least 1".into());
        }
        if triangles.len() > MAX_TRIANGLES {
            return Err(too_many());
        }
        let is_out = |place: &&Vec3| !place.to_array().iter().all(|x| x.abs() <= FARTHEST);
        if let Some(place) = triangles.iter().flatten().find(is_out) {
            return Err(format!("has a corner at {place}; accepted are numbers from -{FARTHEST} to {FARTHEST}"));
        }
        let is_closed = is_closed(&triangles);
        let mesh = Mesh { triangles, is_closed };
        let (low, high) = mesh.bounds();
        // With less, samples of a volume would be as close together as its numbers are.
        if (high - low).max_element() < 1e-3 * low.abs().max(high.abs()).max_element().max(1e-6) {
            return Err("is too small; accepted is an edge of at least a thousandth of its largest coordinate".into());
        }
        Ok(mesh)
    }

    /// The mesh in an OBJ file (`.obj`) or the default scene of a glTF file (`.gltf`, `.glb`), in its own units. Points
    /// and lines are left out, and so are materials, skins and animations. Buffers in other files are found relative to
    /// that file. It takes no more than [`Bounded`] allows.
    ///
    /// # Errors
    /// [`Error::Input`] with one line that names the file, for one that cannot be read, is not of this format, or
    /// exceeds the limits.
    #[cfg(feature = "mesh-files")]
    pub fn read(path: &Path) -> Result<Mesh> {
        let name = path.display();
        let kind = path.extension().map(|kind| kind.to_ascii_lowercase());
        let parse = match kind.as_ref().and_then(|kind| kind.to_str()) {
            Some("obj") => obj::triangles,
            Some("gltf" | "glb") => gltf::triangles,
            _ => return Err(Error::Input(format!("{name} is no mesh; accepted is a file .obj, .gltf or .glb"))),
        };
        let bounded = Bounded::new(MAX_BYTES);
        let bytes = bounded.file(path).map_err(|error| Error::Input(format!("{name}: {error}")))?;
        parse(path, &bytes, &bounded)
            .and_then(Mesh::new)
            .map_err(|why| Error::Input(format!("{name} {}", one_line(&why))))
    }

    /// No mesh: this build lacks the feature `mesh-files`.
    ///
    /// # Errors
    /// [`Error::Input`] with one line that names the file.
    #[cfg(not(feature = "mesh-files"))]
    pub fn read(path: &Path) -> Result<Mesh> {
        Err(Error::Input(format!(
            "{} cannot be read: starlings was built without the feature mesh-files",
            path.display()
        )))
    }

    /// Its triangles.
    pub fn triangles(&self) -> &[Triangle] {
        &self.triangles
    }

    /// Whether it has an inside.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Its least and its greatest coordinates.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        let places = || self.triangles.iter().flatten();
        let low = places().fold(Vec3::MAX, |low, &place| low.min(place));
        let high = places().fold(Vec3::MIN, |high, &place| high.max(place));
        (low.as_dvec3(), high.as_dvec3())
    }
}

fn too_many() -> String {
    format!("has more than {MAX_TRIANGLES} triangles; accepted is at most as many")
}

/// A text from elsewhere on one line of bounded length.
#[cfg(feature = "mesh-files")]
fn one_line(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(300).collect();
    line.trim_end().to_owned()
}

/// What tells a place from others. The bits of zero and of minus zero differ.
fn key(place: Vec3) -> [u32; 3] {
    (place + Vec3::ZERO).to_array().map(f32::to_bits)
}

/// Triangles of the same corners count once: the place of the first of them, in ascending order, and how many more
/// face as it does than face the other way. What is computed with each triangle must not be so for each copy.
///
/// By one thread: the pool of `rayon` may be waiting for the volume that needs this ([`volume::bake`]).
fn distinct(triangles: &[Triangle]) -> Vec<(usize, i32)> {
    let sorted = |(place, corners): (usize, &Triangle)| {
        let mut keys = corners.map(key);
        let mut is_odd = false;
        for (a, b) in [(0, 1), (1, 2), (0, 1)] {
            if keys[a] > keys[b] {
                keys.swap(a, b);
                is_odd = !is_odd;
            }
        }
        (keys, place, is_odd)
    };
    let mut all: Vec<([[u32; 3]; 3], usize, bool)> = triangles.iter().enumerate().map(sorted).collect();
    all.sort_unstable();
    let one = |same: &[([[u32; 3]; 3], usize, bool)]| {
        (same[0].1, same.iter().map(|of| if of.2 == same[0].2 { 1 } else { -1 }).sum())
    };
    let mut distinct: Vec<(usize, i32)> = all.chunk_by(|a, b| a.0 == b.0).map(one).collect();
    distinct.sort_unstable();
    distinct
}

/// Whether each edge is passed as often in one direction as in the other.
fn is_closed(triangles: &[Triangle]) -> bool {
    let mut edges: Vec<([u32; 3], [u32; 3], bool)> = triangles
        .par_iter()
        .flat_map_iter(|&[a, b, c]| [(a, b), (b, c), (c, a)])
        .map(|(from, to)| (key(from), key(to)))
        .map(|(from, to)| if from < to { (from, to, true) } else { (to, from, false) })
        .collect();
    edges.par_sort_unstable();
    edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).all(|edge| {
        let forth = edge.iter().filter(|(.., is_forth)| *is_forth).count();
        edge[0].0 == edge[0].1 || 2 * forth == edge.len()
    })
}
