//! Volumes of distances.

use super::tree::Tree;
use super::{Mesh, Triangle, distinct, winding};
use crate::cancel::Cancel;
use crate::error::Result;
use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Vec3};
use std::sync::{Mutex, PoisonError};
use std::{mem, thread};

/// Cells around the bounds of a mesh, on each side.
const MARGIN: f64 = 2.0;

/// The most cells along the longest edge of a mesh.
pub const MAX_CELLS: u32 = 256;

/// Where a volume has distances: at the corners of cubic cells around a mesh. As the kernel that computes them has it,
/// too.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Lattice {
    /// The place of the first sample, in units of the mesh.
    pub origin: Vec3,
    /// The edge of a cell.
    pub cell: f32,
    /// Samples along x, y and z.
    pub dims: [u32; 3],
}

impl Lattice {
    /// The lattice around a mesh with `cells` along its longest edge, from 1 to 256, which are clamped.
    pub fn around(mesh: &Mesh, cells: u32) -> Lattice {
        let (low, high) = mesh.bounds();
        let cells = f64::from(cells.clamp(1, MAX_CELLS));
        // As it is kept, so that samples are where those who read it think they are.
        let cell = ((high - low).max_element() / cells) as f32;
        let origin = (low - MARGIN * f64::from(cell)).as_vec3();
        let counts = ((high - origin.as_dvec3()) / f64::from(cell) + MARGIN).ceil();
        Lattice { origin, cell, dims: counts.to_array().map(|count| count as u32 + 1) }
    }

    /// Its samples.
    pub fn count(&self) -> usize {
        self.dims.iter().map(|&count| count as usize).product()
    }

    /// How far a triangle may be from one that stands for it in a [`Tree`]: less than what [`Lattice::error`] allows
    /// for rounding.
    pub fn tolerance(&self) -> f64 {
        0.002 * f64::from(self.cell)
    }

    /// The most by which an interpolated distance is off: half the diagonal of a cell, because a distance changes by no
    /// more than one's way, and a hundredth of that for rounding.
    pub fn error(&self) -> f64 {
        0.875 * f64::from(self.cell)
    }
}

/// Distances to a mesh at the corners of cubic cells, in units of the mesh. Between them they are interpolated,
/// linearly along each axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Volume {
    /// Where they are.
    pub lattice: Lattice,
    /// Distances to the surface, below zero inside if the mesh is closed; x changes fastest.
    pub distances: Vec<f32>,
}

/// The volume of a mesh, computed by the CPU: see [`distances`].
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled) once `cancel` is requested.
pub fn bake(mesh: &Mesh, lattice: Lattice, cancel: &Cancel) -> Result<Volume> {
    Volume::new(mesh, lattice, distances(mesh, &lattice, cancel)?, cancel)
}

/// The distance from each corner of `lattice`, x fastest, to the nearest triangle of `mesh`, without signs; in double
/// precision. The same for any number of threads.
///
/// As many threads compute as the pool of `rayon` has: the caller, and others that are started here. That pool gets no
/// work, because all of its threads may be waiting for this volume; and a caller of that pool that waited for its part
/// would take up other jobs, one of which may need this volume, too.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled) once `cancel` is requested.
pub fn distances(mesh: &Mesh, lattice: &Lattice, cancel: &Cancel) -> Result<Vec<f32>> {
    let [nx, ny, nz] = lattice.dims.map(|count| count as usize);
    let tree = Tree::new(mesh.triangles(), lattice.tolerance());
    let mut distances = vec![0.0; lattice.count()];
    let layers = Mutex::new(distances.chunks_mut(nx * ny).enumerate());
    let next_layer = || layers.lock().unwrap_or_else(PoisonError::into_inner).next();
    let bake_layers = || {
        while let Some((z, layer)) = next_layer() {
            bake_layer(&tree, lattice, z, layer, cancel);
        }
    };
    thread::scope(|scope| {
        for _ in 1..rayon::current_num_threads().min(nz) {
            // Where the system allows no more threads, there are fewer.
            thread::Builder::new().name("bake".into()).spawn_scoped(scope, bake_layers).ok();
        }
        bake_layers();
    });
    cancel.check()?;
    Ok(distances)
}

/// Comparisons of a sample with a triangle that [`bake`] may take: about a minute.
const COMPARISONS_MOST: f64 = (1u64 << 31) as f64;

/// Refuses a mesh whose volume takes too long, because many of its triangles are large and everywhere: each sample is
/// compared with those in whose boxes it is.
///
/// # Errors
/// The limit, as the rest of a sentence that names the mesh.
pub fn check_work(mesh: &Mesh, lattice: &Lattice) -> Result<(), String> {
    let cell = f64::from(lattice.cell);
    let samples = |triangle: &Triangle| {
        let [a, b, c] = triangle.map(|corner| corner.as_dvec3());
        ((a.max(b).max(c) - a.min(b).min(c)) / cell + 1.0).element_product()
    };
    let all = mesh.triangles();
    let is_more = |work: f64| work > COMPARISONS_MOST;
    let is_much = is_more(all.iter().map(samples).sum()) && {
        is_more(distinct(all).into_iter().map(|(place, _)| samples(&all[place])).sum())
    };
    if is_much {
        return Err(format!(
            "has triangles that overlap so much that it takes more than {COMPARISONS_MOST} comparisons to find what is \
             near; accepted are at most as many"
        ));
    }
    Ok(())
}

/// Leaves off once `cancel` is requested.
fn bake_layer(tree: &Tree, lattice: &Lattice, z: usize, layer: &mut [f32], cancel: &Cancel) {
    let (width, step, first) = (lattice.dims[0] as usize, f64::from(lattice.cell), lattice.origin.as_dvec3());
    // What is nearest to a sample is near the next.
    let mut near = 0;
    for (at, distance) in layer.iter_mut().enumerate() {
        // One sample may be compared with all triangles.
        if cancel.is_requested() {
            return;
        }
        let (x, y) = (at % width, at / width);
        let place = first + DVec3::new(x as f64, y as f64, z as f64) * step;
        *distance = tree.distance(place, &mut near) as f32;
    }
}

impl Volume {
    /// A volume of these distances to the surface of `mesh`, which get their signs here.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled) once `cancel` is requested.
    pub fn new(mesh: &Mesh, lattice: Lattice, mut distances: Vec<f32>, cancel: &Cancel) -> Result<Volume> {
        let (step, first) = (f64::from(lattice.cell), lattice.origin.as_dvec3());
        if mesh.is_closed() {
            let counts = lattice.dims.map(|count| count as usize);
            let is_inside = winding::inside(mesh.triangles(), counts, |place| (place - first) / step, cancel)?;
            distances
                .iter_mut()
                .zip(is_inside)
                .filter(|(_, inside)| *inside)
                .for_each(|(distance, _)| *distance *= -1.0);
        }
        Ok(Volume { lattice, distances })
    }

    /// [`Lattice::error`].
    pub fn error(&self) -> f64 {
        self.lattice.error()
    }

    /// A distance from `place` to the surface that is never too large: one may go so far without meeting it. Inside,
    /// and closer to the surface than [`Self::error`] allows to tell, it is below zero.
    ///
    /// In the volume it is too small by at most twice the error. Beyond, it is at least 0.7 of the distance, less as
    /// much: the way to the volume and the rest of the way are at an angle of at least 90°.
    pub fn distance(&self, place: DVec3) -> f64 {
        let most = DVec3::from(self.lattice.dims.map(|count| f64::from(count - 1)));
        let in_cells = (place - self.lattice.origin.as_dvec3()) / f64::from(self.lattice.cell);
        let nearest = in_cells.clamp(DVec3::ZERO, most);
        let within = self.interpolated(nearest) - self.error();
        let beyond = in_cells.distance(nearest) * f64::from(self.lattice.cell);
        if beyond > 0.0 { beyond.hypot(within.max(0.0)) } else { within }
    }

    /// The distance at a place in the volume, in cells from its first sample.
    fn interpolated(&self, place: DVec3) -> f64 {
        let first = [0, 1, 2].map(|axis| (place[axis] as usize).min(self.lattice.dims[axis] as usize - 2));
        let share = place - DVec3::from(first.map(|at| at as f64));
        let [a, b, c, d, e, f, g, h] = self.samples(first).map(f64::from);
        let mix = |a: f64, b: f64, share: f64| a + (b - a) * share;
        let along_x = [(a, b), (c, d), (e, f), (g, h)].map(|(a, b)| mix(a, b, share.x));
        mix(mix(along_x[0], along_x[1], share.y), mix(along_x[2], along_x[3], share.y), share.z)
    }

    /// The distances at the corners of the cell at `place`, or the nearest: x changes fastest, then y.
    pub(crate) fn samples(&self, place: [usize; 3]) -> [f32; 8] {
        let [nx, ny, _] = self.lattice.dims.map(|count| count as usize);
        let [x, y, z] = [0, 1, 2].map(|axis| place[axis].min(self.lattice.dims[axis] as usize - 2));
        [0, 1, 2, 3, 4, 5, 6, 7].map(|k| self.distances[((z + (k >> 2)) * ny + y + (k >> 1 & 1)) * nx + x + (k & 1)])
    }

    /// Bytes of its samples.
    pub fn bytes(&self) -> usize {
        mem::size_of_val(&self.distances[..])
    }
}
