//! From a file with animations to frames.

use super::super::gltf::File;
use super::super::{MAX_BYTES, Mesh, one_line};
use super::coarse::coarse;
use super::naming::choose;
use super::reading::Reader;
use super::scene::{Animation, Moment};
use super::{Animated, Clip, FRAMES_MOST, Parts, REACH};
use crate::cancel::Cancel;
use crate::error::{Error, Result};
use crate::input::Bounded;
use glam::{DMat3, DVec3, Vec3};
use rayon::prelude::*;
use std::collections::HashMap;
use std::path::Path;

/// How a model becomes frames.
#[derive(Clone, Debug)]
pub struct BakeOptions {
    /// Clips by their names, each with the name or the number of an animation, or of several with `+` between them; if
    /// there are none, by the words in the names of the animations.
    pub clips: Vec<(String, String)>,
    /// Frames of each clip that moves, from 2 to 128.
    pub frames: u32,
    /// Where the model looks, in its own axes.
    pub front: DVec3,
    /// Where its back is, in its own axes: across [`BakeOptions::front`].
    pub up: DVec3,
    /// Ends it early, with [`Error::Cancelled`].
    pub cancel: Cancel,
}

impl Default for BakeOptions {
    /// As glTF says: a model looks along +z, and +y is up.
    fn default() -> BakeOptions {
        let cancel = Cancel::default();
        BakeOptions { clips: Vec::new(), frames: 32, front: DVec3::Z, up: DVec3::Y, cancel }
    }
}

/// A model of a file.
#[derive(Clone, Debug)]
pub struct Baked {
    /// The model.
    pub animated: Animated,
    /// The lengths of a boid that one unit of the file is.
    pub scale: f64,
    /// The names of all animations of the file, each with the clip that it became, if any.
    pub animations: Vec<(String, Option<&'static str>)>,
    /// What of its colors was left out.
    pub notes: Vec<String>,
}

/// A clip before its frames are known: its name, and an animation unless it is a pose.
struct Asked {
    name: &'static str,
    animation: Option<Animation>,
    frames: u32,
}

impl Animated {
    /// The model in an OBJ file (`.obj`) or in the default scene of a glTF file (`.gltf`, `.glb`) with its nodes, morph
    /// targets and skins. It becomes one unit long in the first frame, or less if a vertex would be farther than
    /// [`REACH`] from the middle of the first frame. Each clip begins with the first key frame of its animation and
    /// ends with the last.
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
            let made = framed(&[asked], vec![moment], (albedo, corners), options);
            options.cancel.check()?;
            let (animated, scale) = made.map_err(refused)?;
            return Ok(Baked { animated, scale, animations: Vec::new(), notes: Vec::new() });
        }
        let bounded = Bounded::new(MAX_BYTES);
        let bytes = bounded.file(path).map_err(|error| Error::Input(format!("{name}: {error}")))?;
        let file = File::open(path, &bytes, &bounded).map_err(refused)?;
        let chosen = choose(&file.json.animations, &options.clips)?;
        let reader = Reader::new(&file).map_err(refused)?;
        let mut clips = Vec::new();
        for (name, numbers) in &chosen {
            let moving = (!numbers.is_empty()).then(|| reader.animation(numbers)).transpose().map_err(refused)?;
            clips.push(Asked { name, animation: moving, frames: 1 });
        }
        let asked = with_frames(clips, options)?;
        let scene = &reader.scene;
        let times: Vec<_> = asked.iter().flat_map(Asked::times).collect();
        bounded.work(times.len() as u64 * scene.steps()).map_err(refused)?;
        let moment = |(animation, time)| options.cancel.check().map(|()| scene.at(animation, time));
        let moments: Vec<Moment> = times.into_par_iter().map(moment).collect::<Result<_>>()?;
        let made = framed(&asked, moments, (scene.albedo(), scene.corners()), options);
        options.cancel.check()?;
        let (animated, scale) = made.map_err(refused)?;
        let clip_of = |number: usize| chosen.iter().find(|(_, own)| own.contains(&number)).map(|(clip, _)| *clip);
        let named = file.json.animations.iter().map(|animation| animation.name.as_deref().unwrap_or_default());
        let animations = named.enumerate().map(|(number, name)| (one_line(name), clip_of(number))).collect();
        Ok(Baked { animated, scale, animations, notes: reader.notes })
    }
}

impl Asked {
    fn seconds(&self) -> f64 {
        self.animation.as_ref().map_or(0.0, |animation| animation.range().1 - animation.range().0)
    }

    /// The times of its frames.
    fn times(&self) -> impl Iterator<Item = (Option<&Animation>, f64)> {
        let (animation, frames) = (self.animation.as_ref(), f64::from(self.frames));
        let (begin, seconds) = (animation.map_or(0.0, |animation| animation.range().0), self.seconds());
        (0..self.frames).map(move |frame| (animation, begin + seconds * f64::from(frame) / frames))
    }
}

/// Clips with as many frames as they have by the options.
fn with_frames(mut clips: Vec<Asked>, options: &BakeOptions) -> Result<Vec<Asked>> {
    for clip in &mut clips {
        clip.frames = if clip.seconds() > 0.0 { options.frames } else { 1 };
    }
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
    asked: &[Asked],
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
    let is_lost = |moment: &Moment| moment.places.iter().position(|place| !place.is_finite());
    if let Some((frame, vertex)) = moments.iter().enumerate().find_map(|(frame, of)| Some((frame, is_lost(of)?))) {
        return Err(format!("has a vertex {vertex} in frame {frame} that is nowhere; accepted are finite places"));
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
    parts.coarse = coarse(&parts.places, vertices, &parts.triangles, &options.cancel);
    Ok((Animated::new(parts)?, scale))
}

/// The vertices of a mesh without motion, and its triangles by them. Corners in the same place are one.
fn still(mesh: &Mesh) -> Result<(Moment, Vec<[u32; 3]>), String> {
    let mut known = HashMap::new();
    let mut moment = Moment { places: Vec::new(), normals: Vec::new(), mirrored: Vec::new() };
    let mut corners = Vec::new();
    for triangle in mesh.triangles() {
        corners.push(triangle.map(|corner| {
            *known.entry(super::super::key(corner)).or_insert_with(|| {
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
