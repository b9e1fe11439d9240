//! From a file with animations to frames.

use super::super::{MAX_BYTES, Mesh, one_line};
use super::coarse::coarse;
use super::scene::{Animation, Moment, Scene};
use super::{Animated, BIRD_CLIPS, Clip, FISH_CLIPS, FRAMES_MOST, Parts, REACH, clip_name};
use crate::error::{Error, Result};
use crate::input;
use glam::{DMat3, DVec3, Vec3};
use rayon::prelude::*;
use std::collections::HashMap;
use std::path::Path;

/// How a model becomes frames.
#[derive(Clone, Debug)]
pub struct BakeOptions {
    /// Clips by their names, each with the name or the number of an animation; if there are none, by the names of the animations.
    pub clips: Vec<(String, String)>,
    /// Frames of each clip that moves, from 2 to 128.
    pub frames: u32,
    /// Where the model looks, in its own axes.
    pub front: DVec3,
    /// Where its back is, in its own axes: across [`BakeOptions::front`].
    pub up: DVec3,
}

impl Default for BakeOptions {
    /// As glTF says: a model looks along +z, and +y is up.
    fn default() -> BakeOptions {
        BakeOptions { clips: Vec::new(), frames: 32, front: DVec3::Z, up: DVec3::Y }
    }
}

/// A model of a file.
#[derive(Clone, Debug)]
pub struct Baked {
    /// The model.
    pub animated: Animated,
    /// The lengths of a boid that one unit of the file is.
    pub scale: f64,
    /// Whether the file has textures, which are not read.
    pub has_textures: bool,
}

/// A clip before its frames are known: its name, and an animation unless it is a pose.
struct Asked<'a> {
    name: &'static str,
    animation: Option<&'a Animation>,
    frames: u32,
}

impl Animated {
    /// The model in an OBJ file (`.obj`) or in the default scene of a glTF file (`.gltf`, `.glb`) with its nodes, morph
    /// targets and skins. It becomes one unit long in the first frame, or less if a vertex would be farther than
    /// [`REACH`] from the middle of the first frame. Each clip begins with the first key frame of its animation and ends
    /// with the last.
    ///
    /// # Errors
    /// [`Error::Input`] with one line that names the file, and [`Error::Setting`] for options that do not suit it.
    pub fn bake(path: &Path, options: &BakeOptions) -> Result<Baked> {
        let name = path.display();
        let refused = |why: String| Error::Input(format!("{name} {}", one_line(&why)));
        let kind = path.extension().map(|kind| kind.to_ascii_lowercase());
        if !matches!(kind.as_ref().and_then(|kind| kind.to_str()), Some("gltf" | "glb")) {
            let mesh = Mesh::read(path)?;
            if let Some((clip, animation)) = options.clips.first() {
                let value = format!("{clip}={animation}");
                return Err(Error::setting("clip", value, "nothing: an OBJ file has no animations"));
            }
            let (moment, corners) = still(&mesh).map_err(refused)?;
            let asked = Asked { name: "glide", animation: None, frames: 1 };
            let albedo = vec![Vec3::ONE; moment.places.len()];
            let (animated, scale) = framed(&[asked], vec![moment], (albedo, corners), options).map_err(refused)?;
            return Ok(Baked { animated, scale, has_textures: false });
        }
        let bytes = input::read(path, MAX_BYTES).map_err(|error| Error::Input(format!("{name}: {error}")))?;
        let scene = Scene::read(path, &bytes).map_err(refused)?;
        let asked = asked(&scene, options)?;
        let times: Vec<_> = asked.iter().flat_map(Asked::times).collect();
        let moments: Vec<Moment> = times.into_par_iter().map(|(animation, time)| scene.at(animation, time)).collect();
        let (animated, scale) = framed(&asked, moments, (scene.albedo(), scene.corners()), options).map_err(refused)?;
        Ok(Baked { animated, scale, has_textures: scene.has_textures })
    }
}

impl<'a> Asked<'a> {
    fn seconds(&self) -> f64 {
        self.animation.map_or(0.0, |animation| animation.range().1 - animation.range().0)
    }

    /// The times of its frames.
    fn times(&self) -> impl Iterator<Item = (Option<&'a Animation>, f64)> + use<'a> {
        let (animation, frames) = (self.animation, f64::from(self.frames));
        let (begin, seconds) = (animation.map_or(0.0, |animation| animation.range().0), self.seconds());
        (0..self.frames).map(move |frame| (animation, begin + seconds * f64::from(frame) / frames))
    }
}

/// Which animation is which clip.
fn asked<'a>(scene: &'a Scene, options: &BakeOptions) -> Result<Vec<Asked<'a>>> {
    let all = &scene.animations;
    let mut found: Vec<(&'static str, Option<&Animation>)> = Vec::new();
    for (clip, name) in &options.clips {
        let value = format!("{clip}={name}");
        let known = [&BIRD_CLIPS[..], &FISH_CLIPS[..]].into_iter().find(|kind| kind.contains(&clip.as_str()));
        let (Some(known), Some(clip)) = (known, clip_name(clip)) else {
            let names: Vec<&str> = BIRD_CLIPS.into_iter().chain(FISH_CLIPS).collect();
            return Err(Error::setting("clip", value, format!("NAME=ANIMATION with a NAME of {}", names.join(", "))));
        };
        let animation = all.iter().find(|animation| animation.name == *name);
        let Some(animation) = animation.or_else(|| all.get(name.parse::<usize>().ok()?)) else {
            let names: Vec<String> = all.iter().enumerate().map(|(at, of)| format!("{at} '{}'", of.name)).collect();
            let names = if names.is_empty() { "nothing: there are no animations".into() } else { names.join(", ") };
            return Err(Error::setting("clip", value, one_line(&names)));
        };
        if found.iter().any(|(other, _)| *other == clip) {
            return Err(Error::setting("clip", value, format!("one animation for {clip}")));
        }
        if found.iter().any(|(other, _)| !known.contains(other)) {
            return Err(Error::setting("clip", value, "clips of a bird or clips of a fish, not both"));
        }
        found.push((clip, Some(animation)));
    }
    if found.is_empty() {
        let letters = |name: &str| -> String {
            name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
        };
        let named = |clips: &[&'static str]| -> Vec<_> {
            let of = |clip: &str| all.iter().find(|animation| letters(&animation.name).contains(&letters(clip)));
            clips.iter().filter_map(|clip| Some((*clip, Some(of(clip)?)))).collect()
        };
        let (bird, fish) = (named(&BIRD_CLIPS), named(&FISH_CLIPS));
        found = if fish.len() > bird.len() { fish } else { bird };
    }
    if found.is_empty() {
        found.push(all.first().map_or(("glide", None), |animation| ("flap", Some(animation))));
    }
    let clips: Vec<Asked<'_>> = found
        .into_iter()
        .map(|(name, animation)| {
            let asked = Asked { name, animation, frames: 1 };
            let frames = if asked.seconds() > 0.0 { options.frames } else { 1 };
            Asked { frames, ..asked }
        })
        .collect();
    let frames: u32 = clips.iter().map(|clip| clip.frames).sum();
    if frames > FRAMES_MOST {
        let moving = clips.iter().filter(|clip| clip.frames > 1).count() as u32;
        let most = (FRAMES_MOST - (clips.len() as u32 - moving)) / moving.max(1);
        return Err(Error::setting("frames", options.frames, format!("at most {most} for {moving} clips that move")));
    }
    Ok(clips)
}

/// The model of these frames, and the size of a unit of the file in it.
fn framed(
    asked: &[Asked<'_>],
    mut moments: Vec<Moment>,
    (albedo, mut corners): (Vec<Vec3>, Vec<[u32; 3]>),
    options: &BakeOptions,
) -> Result<(Animated, f64), String> {
    // Rows are what is right, up and back.
    let turn = DMat3::from_cols(options.front.cross(options.up), options.up, -options.front).transpose();
    moments.par_iter_mut().for_each(|moment| {
        moment.places.iter_mut().for_each(|place| *place = turn * *place);
        moment.normals.iter_mut().for_each(|normal| *normal = turn * *normal);
    });
    if let Some(place) = moments.iter().flat_map(|moment| &moment.places).find(|place| !place.is_finite()) {
        return Err(format!("has a vertex at {place}; accepted are finite numbers"));
    }
    let first = &moments[0];
    let low = first.places.iter().fold(DVec3::MAX, |low, &place| low.min(place));
    let high = first.places.iter().fold(DVec3::MIN, |high, &place| high.max(place));
    let (middle, length) = ((low + high) * 0.5, high.z - low.z);
    let squared = moments.iter().flat_map(|moment| &moment.places).map(|place| place.distance_squared(middle));
    let farthest = squared.fold(0.0, f64::max).sqrt();
    // Rounding must not lead beyond the reach.
    let scale = (1.0 / length).min(f64::from(REACH) * (1.0 - 1e-6) / farthest);
    let is_seen = (high - low).max_element() > 1e-9 * low.abs().max(high.abs()).max_element();
    if !(is_seen && scale.is_finite() && scale > 0.0) {
        return Err("has all its vertices in one place in its first frame; accepted is a model of some size".into());
    }
    for triangle in &mut corners {
        if first.mirrored[triangle[0] as usize] {
            triangle.swap(1, 2);
        }
    }
    let mut parts = Parts { albedo, triangles: corners, ..Parts::default() };
    let vertices = parts.albedo.len();
    for moment in &moments {
        parts.places.extend(moment.places.iter().map(|place| ((*place - middle) * scale).as_vec3()));
        parts.normals.extend(moment.normals.iter().map(|normal| normal.as_vec3()));
    }
    for clip in asked {
        let first = parts.clips.iter().map(|clip: &Clip| clip.frames).sum();
        parts.clips.push(Clip { name: clip.name, first, frames: clip.frames, seconds: clip.seconds() as f32 });
    }
    parts.coarse = coarse(&parts.places, vertices, &parts.triangles);
    Ok((Animated::new(parts)?, scale))
}

/// The vertices of a mesh without motion, and its triangles by them. Corners in the same place are one.
fn still(mesh: &Mesh) -> Result<(Moment, Vec<[u32; 3]>), String> {
    let mut known = HashMap::new();
    let mut moment = Moment { places: Vec::new(), normals: Vec::new(), mirrored: Vec::new() };
    let mut corners = Vec::new();
    for triangle in mesh.triangles() {
        corners.push(triangle.map(|corner| {
            // The bits of zero and of minus zero differ.
            let key = (corner + Vec3::ZERO).to_array().map(f32::to_bits);
            *known.entry(key).or_insert_with(|| {
                moment.places.push(corner.as_dvec3());
                moment.places.len() as u32 - 1
            })
        }));
    }
    super::primitive::check_vertices(moment.places.len())?;
    moment.normals.resize(moment.places.len(), DVec3::ZERO);
    moment.mirrored.resize(moment.places.len(), false);
    for triangle in &corners {
        let [a, b, c] = triangle.map(|corner| moment.places[corner as usize]);
        triangle.iter().for_each(|&corner| moment.normals[corner as usize] += (b - a).cross(c - a));
    }
    moment.normals.iter_mut().for_each(|normal| *normal = normal.normalize_or(DVec3::Y));
    Ok((moment, corners))
}
