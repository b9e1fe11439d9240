//! Models that move in NumPy archives.

use super::file::{OutputFile, Written};
use super::npz::Npz;
use super::npz::read::{Archive, Reason};
use crate::error::Result;
use glam::Vec3;
use starlings::mesh::{
    Animated, Clip, FAR_TRIANGLES_MOST, FRAMES_MOST, NEAR_TRIANGLES_MOST, Parts, VERTICES_MOST, clip_name,
};
use std::fs::File;
use std::io;
use std::path::Path;

/// The version of the format. A change that an older program would misread takes the next number.
const VERSION: u32 = 1;

/// Letters of the names of all clips at most.
const CLIPS_MOST: u64 = 8;

/// Writes `model` to `out`, and gives it its name. docs/files.md has the arrays of the archive.
pub fn write_model(model: &Animated, out: OutputFile) -> Result<Written> {
    out.fill(|file| fill(model, file.try_clone()?))
}

fn fill(model: &Animated, file: File) -> io::Result<()> {
    let (vertices, frames) = (model.vertices() as u64, model.frames() as u64);
    let (names, (counts, seconds)): (Vec<&str>, (Vec<u32>, Vec<f32>)) =
        model.clips.iter().map(|clip| (clip.name, (clip.frames, clip.seconds))).unzip();
    let mut npz = Npz::new(file);
    npz.number("animated", VERSION)?;
    npz.text("clips", &names.join(","))?;
    npz.list::<u32>("clip_frames", &[counts.len() as u64], &counts)?;
    npz.list::<f32>("clip_seconds", &[seconds.len() as u64], &seconds)?;
    npz.list::<f32>("albedo", &[vertices, 3], &model.albedo)?;
    for (name, list) in [("triangles", &model.triangles), ("coarse", &model.coarse)] {
        npz.list::<u32>(name, &[list.len() as u64, 3], list)?;
    }
    for (name, list) in [("places", &model.places), ("normals", &model.normals)] {
        npz.list::<f32>(name, &[frames, vertices, 3], list)?;
    }
    npz.finish()
}

/// Reads the model at `path`.
pub fn read_model(path: &Path) -> Result<Animated, Reason> {
    let is_source =
        ["glb", "gltf", "obj"].iter().any(|kind| path.extension().is_some_and(|of| of.eq_ignore_ascii_case(kind)));
    let hint = if is_source { format!("; `starlings bake {}` makes one of it", path.display()) } else { String::new() };
    parse(path).map_err(|why| format!("{why}{hint}"))
}

fn parse(path: &Path) -> Result<Animated, Reason> {
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
