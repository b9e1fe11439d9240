//! Meshes as obstacles have them: by the name of their file, in a size of 1, with their volumes.

use super::volume::check_work;
use super::{Lattice, Mesh, Report, Triangle, Volume, bake};
use crate::cancel::Cancel;
use crate::error::{Error, Result};
use crate::limits::VOLUME_HEADER;
use glam::{DVec3, Vec3};
use sha2::{Digest, Sha256};
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

/// Cells along the longest edge of a model: its distances are off by at most 1/73 of that edge.
pub const CELLS: u32 = 64;

/// A mesh by the name of its file: only named at first, and [`Model::read`] makes the rest. Its middle is at zero, and
/// its largest edge is 1. Cheap to clone.
#[derive(Clone)]
pub struct Model {
    file: Arc<str>,
    /// Tells its triangles from others.
    number: Option<u64>,
    made: Option<Arc<Made>>,
}

/// What a model is once it is read.
struct Made {
    mesh: Mesh,
    lattice: Lattice,
    /// Baked when it is first needed, or before that by a device.
    volume: OnceLock<Volume>,
    number: u64,
    cells: u32,
    /// The edges of the box around it in units of its file.
    size: DVec3,
}

/// All models that are in use, so that the same triangles are not baked again.
static IN_USE: Mutex<Vec<Weak<Made>>> = Mutex::new(Vec::new());

impl Model {
    /// The mesh in `file`, which is not read yet. `number`, if given, is [`Model::number`] of the mesh that it has to
    /// be.
    pub fn named(file: &str, number: Option<u64>) -> Model {
        Model { file: file.into(), number, made: None }
    }

    /// A model of `mesh`, named `name`, with `cells` along its longest edge: [`CELLS`], unless less is enough.
    ///
    /// # Errors
    /// What is wrong with the mesh, as the rest of a sentence that names it.
    pub fn of(name: &str, mesh: &Mesh, cells: u32) -> Result<Model, String> {
        let made = make(mesh, cells)?;
        Ok(Model { file: name.into(), number: Some(made.number), made: Some(made) })
    }

    /// Reads its file, unless that was done.
    ///
    /// # Errors
    /// [`Error::Input`] with one line that names the file, as [`Mesh::read`], and for triangles of another number.
    pub fn read(&mut self) -> Result<()> {
        if self.made.is_some() {
            return Ok(());
        }
        // The same triangles are in use: no file could be nearer to what was said.
        if let Some(made) = self.number.and_then(|number| in_use(number, CELLS)) {
            self.made = Some(made);
            return Ok(());
        }
        let refused = |why: String| Error::Input(format!("{} {why}", self.file));
        let made = make(&Mesh::read(Path::new(&*self.file))?, CELLS).map_err(refused)?;
        if let Some(said) = self.number.filter(|&said| said != made.number) {
            return Err(refused(format!(
                "has other triangles than it had: their number is {:016x}; accepted is {said:016x}, or a name without \
                #{said:016x}",
                made.number
            )));
        }
        (self.number, self.made) = (Some(made.number), Some(made));
        // What one took for solid may have a hole.
        if self.mesh().is_closed() {
            tracing::info!("the mesh {} is {}", self.file, self.report());
        } else {
            tracing::warn!("the mesh {} is {}", self.file, self.report());
        }
        Ok(())
    }

    /// Whether it was read.
    pub fn is_read(&self) -> bool {
        self.made.is_some()
    }

    /// The name of its file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// A number that tells its triangles from others: a part of their SHA-256.
    pub fn number(&self) -> Option<u64> {
        self.number
    }

    /// Its triangles.
    ///
    /// # Panics
    /// When it was not read.
    pub fn mesh(&self) -> &Mesh {
        &self.made().mesh
    }

    /// What it is as an obstacle.
    ///
    /// # Panics
    /// When it was not read.
    pub fn report(&self) -> Report {
        Report { size: self.made().size, ..Report::of(self.mesh()) }
    }

    /// Where its volume has distances.
    ///
    /// # Panics
    /// When it was not read.
    pub fn lattice(&self) -> &Lattice {
        &self.made().lattice
    }

    /// Its distances. The CPU computes them, however long that takes, unless they are known: see [`Model::bake_by`].
    ///
    /// # Panics
    /// When it was not read.
    pub fn volume(&self) -> &Volume {
        let Made { mesh, lattice, volume, .. } = self.made();
        // Other threads wait for the first, and `bake` needs none of them.
        volume.get_or_init(|| bake(mesh, *lattice, &Cancel::default()).expect("nobody can cancel it"))
    }

    /// Has `compute` find its distances, without signs, unless they are known.
    ///
    /// # Errors
    /// That of `compute`, and [`Error::Cancelled`] once `cancel` is requested.
    ///
    /// # Panics
    /// When it was not read.
    pub fn bake_by(&self, compute: impl FnOnce(&Mesh, &Lattice) -> Result<Vec<f32>>, cancel: &Cancel) -> Result<()> {
        let Made { mesh, lattice, volume, .. } = self.made();
        if volume.get().is_none() {
            let baked = Volume::new(mesh, *lattice, compute(mesh, lattice)?, cancel)?;
            // Another thread may have been faster.
            volume.set(baked).ok();
        }
        Ok(())
    }

    /// The distance from the middle to the farthest corner of the box around it.
    ///
    /// # Panics
    /// When it was not read.
    pub fn radius(&self) -> f64 {
        let (low, high) = self.mesh().bounds();
        low.abs().max(high.abs()).length()
    }

    /// The distance from `place` to it, as kernels find it: never too large ([`Volume::distance`]).
    ///
    /// # Panics
    /// When it was not read.
    pub fn distance(&self, place: DVec3) -> f64 {
        self.volume().distance(place).max(place.length() - self.radius())
    }

    /// Numbers of its volume for kernels.
    ///
    /// # Panics
    /// When it was not read.
    pub fn count(&self) -> usize {
        VOLUME_HEADER as usize + self.lattice().count()
    }

    /// The numbers themselves.
    ///
    /// # Panics
    /// When it was not read.
    pub fn numbers(&self) -> impl Iterator<Item = f32> {
        let Volume { lattice: Lattice { origin, cell, dims }, distances } = self.volume();
        let [nx, ny, nz] = dims.map(|count| count as f32);
        let header: [f32; VOLUME_HEADER as usize] = [origin.x, origin.y, origin.z, *cell, nx, ny, nz, 0.0];
        header.into_iter().chain(distances.iter().copied())
    }

    fn made(&self) -> &Made {
        self.made.as_ref().expect("Settings::validate refuses a mesh that was not read")
    }
}

/// Two are the same if their names and triangles are.
impl PartialEq for Model {
    fn eq(&self, other: &Model) -> bool {
        (&self.file, self.number) == (&other.file, other.number)
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Its file, and its number if that is known.
impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        self.number.map_or(Ok(()), |number| write!(f, "#{number:016x}"))
    }
}

/// The model of `mesh`: one that is in use, if there is one.
fn make(mesh: &Mesh, cells: u32) -> Result<Arc<Made>, String> {
    let (low, high) = mesh.bounds();
    let (middle, edges) = ((low + high) * 0.5, high - low);
    let size = edges.max_element();
    let own = |corner: Vec3| ((corner.as_dvec3() - middle) / size).as_vec3();
    let triangles: Vec<Triangle> = mesh.triangles().iter().map(|corners| corners.map(own)).collect();
    let mut digest = Sha256::new();
    for corner in triangles.iter().flatten() {
        digest.update(corner.to_array().map(f32::to_le_bytes).as_flattened());
    }
    let number = u64::from_be_bytes(digest.finalize()[..8].try_into().unwrap_or_default());
    if let Some(made) = in_use(number, cells) {
        return Ok(made);
    }
    let mesh = Mesh::new(triangles)?;
    let (lattice, volume) = (Lattice::around(&mesh, cells), OnceLock::new());
    check_work(&mesh, &lattice)?;
    let made = Arc::new(Made { lattice, volume, mesh, number, cells, size: edges });
    let mut all = all_in_use();
    all.retain(|made| made.strong_count() > 0);
    all.push(Arc::downgrade(&made));
    Ok(made)
}

/// A panic elsewhere leaves the list as it was.
fn all_in_use() -> MutexGuard<'static, Vec<Weak<Made>>> {
    IN_USE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn in_use(number: u64, cells: u32) -> Option<Arc<Made>> {
    all_in_use().iter().filter_map(Weak::upgrade).find(|made| (made.number, made.cells) == (number, cells))
}
