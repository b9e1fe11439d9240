//! Boids that look like a user's own model.

use super::Figure;
use crate::error::{Error, Result};
use crate::limits::{COLORS_OWN, POSE_BIRD, POSE_FISH};
use crate::mesh::{Animated, BIRD_CLIPS, FISH_CLIPS, REACH};
use crate::render::layout::{Clip, FarTriangle, Vertex};
use crate::render::mesh::{FarMesh, Mesh, mean_silhouette};
use bytemuck::Zeroable;
use glam::{UVec3, Vec2, Vec3};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// A baked model by the name of its file: only named at first, and [`Model::read`] makes the rest. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Model {
    file: Arc<str>,
    reader: Reader,
    figure: Option<Arc<Figure>>,
}

/// Reads a baked model from a file, or says in words that follow the file's name why it is none.
pub type Reader = fn(&Path) -> Result<Animated, String>;

impl Model {
    /// The baked model in `file`, which `reader` will read.
    pub fn named(file: &str, reader: Reader) -> Model {
        Model { file: file.into(), reader, figure: None }
    }

    /// Reads its file, unless that was done.
    ///
    /// # Errors
    /// [`Error::Input`] with one line that names the file.
    pub fn read(&mut self) -> Result<()> {
        if self.figure.is_none() {
            let model = (self.reader)(Path::new(&*self.file));
            let model = model.map_err(|why| Error::Input(format!("{}: {why}", self.file)))?;
            self.figure = Some(Arc::new(Figure::of_model(&model)));
        }
        Ok(())
    }

    /// The name of its file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// What is drawn of it.
    ///
    /// # Panics
    /// When it was not read.
    pub fn figure(&self) -> &Arc<Figure> {
        self.figure.as_ref().expect("a scene reads the model of its look")
    }
}

/// Two are the same if they are of one file and were read once, or not yet.
impl PartialEq for Model {
    fn eq(&self, other: &Model) -> bool {
        let read = |model: &Model| model.figure.as_ref().map(Arc::as_ptr);
        self.file == other.file && read(self) == read(other)
    }
}

impl Figure {
    /// That of a model. A clip that it lacks is replaced by the next one of those that are most like it.
    pub fn of_model(model: &Animated) -> Figure {
        let count = model.vertices();
        let frame = |at: u32, list: &[Vec3]| list[at as usize * count..][..count].to_vec();
        let mut figure = Figure {
            pose: if model.is_fish() { POSE_FISH } else { POSE_BIRD },
            colors: COLORS_OWN,
            near: near(model),
            far: FarMesh::default(),
            clips: Zeroable::zeroed(),
            rows: 0,
            frames: Vec::new(),
        };
        let mut made: Vec<(&str, Clip)> = Vec::new();
        for clip in &model.clips {
            let (rate, vary) = if clip.seconds > 0.0 { (1.0 / clip.seconds, VARY) } else { (0.0, 0.0) };
            made.push((clip.name, Clip { first: figure.rows as f32, frames: clip.frames as f32, rate, vary }));
            for at in (0..clip.frames).chain([0]) {
                let at = clip.first + at;
                figure.frames.push(frame(at, &model.places).into_iter().zip(frame(at, &model.normals)).collect());
            }
            figure.rows += clip.frames + 1;
        }
        let names: &[&str] = if model.is_fish() { &FISH_CLIPS } else { &BIRD_CLIPS };
        for (slot, name) in names.iter().enumerate() {
            let like = LIKE.iter().find(|(of, _)| of == name).map_or(&[][..], |(_, like)| like);
            let found = [name].into_iter().chain(like).find_map(|name| made.iter().find(|(of, _)| of == name));
            figure.clips[slot] = found.unwrap_or(&made[0]).1;
        }
        figure.far = far(model, &figure);
        figure
    }
}

/// By what share the rates of boids differ.
const VARY: f32 = 0.25;

/// Of clips, those that take their places, the best first.
const LIKE: [(&str, &[&str]); 6] = [
    ("flap", &["glide"]),
    ("glide", &["flap"]),
    ("fold", &["glide", "flap"]),
    ("perch", &["fold", "glide", "flap"]),
    ("bank-left", &["glide", "flap"]),
    ("bank-right", &["glide", "flap"]),
];

/// The near mesh, in the first frame.
fn near(model: &Animated) -> Mesh {
    let vertices = model.places.iter().zip(&model.normals).zip(&model.albedo).map(|((place, normal), albedo)| Vertex {
        position: *place,
        normal: *normal,
        wing: 0.0,
        albedo: *albedo,
        skin_place: Vec2::ZERO,
    });
    Mesh { vertices: vertices.collect(), indices: model.triangles.as_flattened().to_vec() }
}

/// The coarse mesh: its vertices are some of the near ones, enlarged until both meshes cover as much on average.
fn far(model: &Animated, figure: &Figure) -> FarMesh {
    let first = &figure.frames[0];
    let corners = |triangle: &[u32; 3]| triangle.map(|vertex| first[vertex as usize].0);
    let cover = |triangles: &[[u32; 3]]| {
        mean_silhouette(&triangles.iter().map(corners).collect::<Vec<_>>(), |_, _, _| true).max(1e-4)
    };
    let wanted = cover(&model.triangles);
    let reach = |place: &Vec3| place.length();
    let used: Vec<u32> = model.coarse.iter().flatten().copied().collect::<BTreeSet<_>>().into_iter().collect();
    let places = |frame: &Vec<(Vec3, Vec3)>| used.iter().map(|&vertex| frame[vertex as usize].0).collect::<Vec<_>>();
    let mut frames: Vec<Vec3> = figure.frames.iter().flat_map(places).collect();
    let farthest = frames.iter().map(reach).fold(1e-3, f32::max);
    let enlarged = (wanted / cover(&model.coarse)).sqrt().min(REACH / farthest);
    frames.iter_mut().for_each(|place| *place *= enlarged);
    frames.extend(vec![Vec3::ZERO; used.len()]);

    let mut triangles: Vec<FarTriangle> = model
        .coarse
        .iter()
        .map(|triangle| {
            let [a, b, c] = corners(triangle).map(|place| place * enlarged);
            let index = |vertex| used.binary_search(&vertex).expect("it was collected from these") as u32;
            FarTriangle {
                corners: UVec3::from_array(triangle.map(index)),
                area: 0.5 * (b - a).cross(c - a),
                albedo: triangle.map(|vertex| model.albedo[vertex as usize]).iter().sum::<Vec3>() / 3.0,
                wing: 0.0,
                // It may be open.
                two_sided: 1,
            }
        })
        .collect();
    // Points are as large as the sum of what their triangles show, on average half of their areas, without regard to
    // those behind others.
    let shown = triangles.iter().map(|triangle| 0.5 * triangle.area.length()).sum::<f32>().max(1e-6);
    triangles.iter_mut().for_each(|triangle| triangle.area *= wanted / shown);
    let corners = used.iter().map(|&vertex| (first[vertex as usize].0 * enlarged, 0.0)).collect();
    FarMesh { corners, frames, triangles }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Clip as Baked, Parts};
    use crate::transitions::{
        CLIP_BANK_LEFT, CLIP_BANK_RIGHT, CLIP_FLAP, CLIP_FOLD, CLIP_GLIDE, CLIP_PERCH, CLIP_REST, CLIP_SWIM,
    };
    use glam::vec3;

    #[test]
    fn clips_have_the_names_and_the_order_of_the_shader() {
        let birds = [CLIP_FLAP, CLIP_GLIDE, CLIP_FOLD, CLIP_BANK_LEFT, CLIP_BANK_RIGHT, CLIP_PERCH];
        let names = birds.map(|clip| BIRD_CLIPS[clip as usize]);
        assert_eq!(names, ["flap", "glide", "fold", "bank-left", "bank-right", "perch"]);
        assert_eq!([CLIP_SWIM, CLIP_REST].map(|clip| FISH_CLIPS[clip as usize]), ["swim", "rest"]);
    }

    /// A triangle with these clips, of a frame each.
    fn figure(names: &[&'static str]) -> Figure {
        let mut parts = Parts {
            albedo: vec![Vec3::ONE; 3],
            triangles: vec![[0, 1, 2]],
            coarse: vec![[0, 1, 2]],
            ..Parts::default()
        };
        for (first, &name) in (0..).zip(names) {
            parts.places.extend([vec3(-0.2, 0.0, 0.3), vec3(0.2, 0.0, 0.3), vec3(0.0, 0.1 * first as f32, -0.5)]);
            parts.normals.extend([Vec3::Y; 3]);
            parts.clips.push(Baked { name, first, frames: 1, seconds: 0.0 });
        }
        Figure::of_model(&Animated::new(parts).expect("a model"))
    }

    #[test]
    fn a_clip_that_lacks_is_replaced_by_the_one_most_like_it() {
        let rows = |names: &[&'static str]| figure(names).clips.map(|clip| clip.first as u32 / 2);
        assert_eq!(rows(&["flap"]), [0; 6]);
        assert_eq!(rows(&["flap", "glide"]), [0, 1, 1, 1, 1, 1]);
        assert_eq!(rows(&["perch", "fold", "flap"]), [2, 2, 1, 2, 2, 0]);
        assert_eq!(rows(&["glide", "fold", "bank-left"]), [0, 0, 1, 2, 0, 1]);
        assert_eq!(rows(&["swim"])[..2], [0, 0]);
        assert_eq!(rows(&["rest", "swim"])[..2], [1, 0]);
    }
}
