//! Models that move in NumPy archives.

use super::file::{OutputFile, Written, output};
use super::npz::Npz;
use super::npz::read::{Archive, Reason};
use crate::error::Result;
use crate::mesh::{
    Animated, Clip, FAR_TRIANGLES_MOST, FRAMES_MOST, NEAR_TRIANGLES_MOST, Parts, VERTICES_MOST, clip_name,
};
use glam::Vec3;
use std::io::{self, Write};
use std::path::Path;

/// The version of the format. A change that an older program would misread takes the next number.
const VERSION: u32 = 1;

/// Letters of the names of all clips at most.
const CLIPS_MOST: u64 = 8;

/// The archive of a model of `V` vertices, `F` frames and `C` clips has the arrays
///
/// | name | type | shape | |
/// |---|---|---|---|
/// | `animated` | `u4` | scalar | the version of the format, 1 |
/// | `clips` | `U` | scalar | names of the clips, divided by commas |
/// | `clip_frames` | `u4` | `C` | frames of each clip; its first frame follows the last of the clip before |
/// | `clip_seconds` | `f4` | `C` | the time of one loop, or 0 for a pose |
/// | `albedo` | `f4` | `V`, 3 | colors, linear, from 0 to 1 |
/// | `triangles` | `u4` | `T`, 3 | triangles of the near mesh by their vertices |
/// | `coarse` | `u4` | `T`, 3 | triangles of the far mesh |
/// | `places` | `f4` | `F`, `V`, 3 | places of the vertices in lengths of a boid: right, up, backwards |
/// | `normals` | `f4` | `F`, `V`, 3 | unit vectors |
impl Animated {
    /// Writes the model to `out`, and gives it its name.
    ///
    /// # Errors
    /// [`crate::Error::Output`] when the disk is full.
    pub fn write(&self, mut out: OutputFile) -> Result<Written> {
        let path = out.path().to_owned();
        self.fill(&mut out).map_err(|error| output(&path, error))?;
        out.commit()
    }

    fn fill(&self, out: &mut OutputFile) -> io::Result<()> {
        let (vertices, frames) = (self.vertices() as u64, self.frames() as u64);
        let (names, (counts, seconds)): (Vec<&str>, (Vec<u32>, Vec<f32>)) =
            self.clips.iter().map(|clip| (clip.name, (clip.frames, clip.seconds))).unzip();
        let mut npz = Npz::new(out.file().try_clone()?);
        npz.number("animated", VERSION)?;
        npz.text("clips", &names.join(","))?;
        npz.array::<u32>("clip_frames", &[counts.len() as u64])?;
        npz.write_all(bytemuck::cast_slice(&counts))?;
        npz.array::<f32>("clip_seconds", &[seconds.len() as u64])?;
        npz.write_all(bytemuck::cast_slice(&seconds))?;
        npz.array::<f32>("albedo", &[vertices, 3])?;
        npz.write_all(bytemuck::cast_slice(&self.albedo))?;
        for (name, list) in [("triangles", &self.triangles), ("coarse", &self.coarse)] {
            npz.array::<u32>(name, &[list.len() as u64, 3])?;
            npz.write_all(bytemuck::cast_slice(list))?;
        }
        for (name, list) in [("places", &self.places), ("normals", &self.normals)] {
            npz.array::<f32>(name, &[frames, vertices, 3])?;
            npz.write_all(bytemuck::cast_slice(list))?;
        }
        npz.finish()
    }

    /// Reads the model at `path`.
    ///
    /// # Errors
    /// One line that says why it is none.
    pub fn read(path: &Path) -> Result<Animated, Reason> {
        let mut archive = Archive::open(path, "baked model")?;
        archive.check_version("animated", VERSION)?;
        let clips = archive.text("clips")?;
        let frames = archive.list("clip_frames", "<u4", &[None], CLIPS_MOST, |[frames]| frames)?;
        let count = frames.len() as u64;
        let seconds = archive.list("clip_seconds", "<f4", &[Some(count)], count, |[bits]| f32::from_bits(bits))?;
        let clips = clips_of(&clips, &frames, &seconds)?;

        let vector = |numbers: [u32; 3]| Vec3::from(numbers.map(f32::from_bits));
        let albedo = archive.list("albedo", "<f4", &[None, Some(3)], VERTICES_MOST as u64, vector)?;
        let mut triangles =
            |name, most: usize| archive.list(name, "<u4", &[None, Some(3)], most as u64, |corners: [u32; 3]| corners);
        let (near, coarse) = (triangles("triangles", NEAR_TRIANGLES_MOST)?, triangles("coarse", FAR_TRIANGLES_MOST)?);
        let (frames, vertices) = (frames.iter().map(|&frames| u64::from(frames)).sum(), albedo.len() as u64);
        let shape = [Some(frames), Some(vertices), Some(3)];
        let mut vectors = |name| archive.list(name, "<f4", &shape, u64::from(FRAMES_MOST) * vertices, vector);
        let (places, normals) = (vectors("places")?, vectors("normals")?);
        Animated::new(Parts { places, normals, albedo, triangles: near, coarse, clips })
            .map_err(|why| format!("this baked model {why}"))
    }
}

/// Clips of these names, which are divided by commas.
fn clips_of(names: &str, frames: &[u32], seconds: &[f32]) -> Result<Vec<Clip>, Reason> {
    if names.split(',').count() != frames.len() {
        return Err(format!(
            "its arrays 'clips' and 'clip_frames' are of {} and {} clips",
            names.split(',').count(),
            frames.len()
        ));
    }
    let mut first = 0u32;
    let clips = names.split(',').zip(frames.iter().zip(seconds)).map(|(name, (&frames, &seconds))| {
        let known = clip_name(name).ok_or_else(|| format!("its array 'clips' has '{name}', which is no clip"))?;
        let clip = Clip { name: known, first, frames, seconds };
        first = first.saturating_add(frames);
        Ok(clip)
    });
    clips.collect()
}
