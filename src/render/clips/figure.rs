//! A shape as it is drawn: its meshes, and the frames of its clips.

use super::bird::BIRD;
use super::fish::FISH;
use super::{Corner, Moves, STILL};
use crate::limits::{COLORS_PLAIN, COLORS_TEXTURE, POSE_BIRD, POSE_FISH, POSE_RIGID};
use crate::render::layout::Clip;
use crate::render::mesh::{FarMesh, Mesh, pair};
use crate::render::shape::{SHAPES, Shape};
use crate::transitions::CLIPS;
use bytemuck::Zeroable;
use glam::Vec3;
use std::sync::{Arc, OnceLock};

/// The meshes of a boid in each frame of its clips. No vertex is farther from the middle than 0.75 lengths.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Which clips it has: `POSE_BIRD`, …
    pub pose: u32,
    /// What its mesh says of a boid's color: `COLORS_PLAIN`, …
    pub colors: u32,
    /// The mesh of near boids, at rest.
    pub near: Mesh,
    /// The coarse mesh.
    pub far: FarMesh,
    /// Where each clip is among the frames. Zero for those that it does not have.
    pub clips: [Clip; CLIPS as usize],
    /// Frames of all clips.
    pub rows: u32,
    /// Of each frame, the place and the normal (a unit vector) of each vertex of the near mesh.
    pub frames: Vec<Vec<(Vec3, Vec3)>>,
}

impl Figure {
    /// That of a shape.
    pub fn of(shape: Shape) -> Arc<Figure> {
        static BAKED: [OnceLock<Arc<Figure>>; SHAPES.len()] = [const { OnceLock::new() }; SHAPES.len()];
        let at = SHAPES.iter().position(|named| named.value == shape).expect("each shape is among them");
        BAKED[at].get_or_init(|| Arc::new(Figure::bake(shape))).clone()
    }

    fn bake(shape: Shape) -> Figure {
        let (pose, colors, all): (u32, u32, &[Moves]) = match shape {
            Shape::Bird | Shape::Dart => (POSE_BIRD, COLORS_PLAIN, &BIRD),
            Shape::Fish => (POSE_FISH, COLORS_TEXTURE, &FISH),
            Shape::Plane | Shape::Dot => (POSE_RIGID, COLORS_PLAIN, &STILL),
        };
        let [near, far] = pair(shape);
        let mut far = FarMesh::new(shape, &far);
        let mut figure =
            Figure { pose, colors, near, far: FarMesh::default(), clips: Zeroable::zeroed(), rows: 0, frames: vec![] };
        for (slot, moves) in all.iter().enumerate() {
            let Moves { frames, rate, vary, .. } = *moves;
            figure.clips[slot] = Clip { first: figure.rows as f32, frames: frames as f32, rate, vary };
            // The first frame once more, so that the last one can be blended with it.
            for frame in 0..=frames {
                let phase = f64::from(frame % frames) / f64::from(frames);
                let corner = |place: Vec3, wing: f32| Corner { place: place.as_dvec3(), wing: f64::from(wing) };
                let moved = figure.near.vertices.iter().map(|vertex| {
                    let corner = corner(vertex.position, vertex.wing);
                    let normal = moves.normal(corner, vertex.normal.as_dvec3(), phase);
                    ((moves.place)(corner, phase).as_vec3(), normal.as_vec3())
                });
                figure.frames.push(moved.collect());
                let moved =
                    far.corners.iter().map(|&(place, wing)| (moves.place)(corner(place, wing), phase).as_vec3());
                far.frames.extend(moved.collect::<Vec<_>>());
            }
            figure.rows += frames + 1;
        }
        // A phase rounded up to 1 looks at one more.
        far.frames.extend(vec![Vec3::ZERO; far.corners.len()]);
        Figure { far, ..figure }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::SPLAT_BATCH;
    use crate::transitions::{CLIP_FOLD, CLIP_PERCH};

    #[test]
    fn every_frame_is_within_reach_and_loops_are_closed() {
        for shape in SHAPES {
            let figure = Figure::of(shape.value);
            assert_eq!(figure.frames.len(), figure.rows as usize, "{}", shape.name);
            let places = figure.frames.iter().flatten().map(|(place, _)| place).chain(&figure.far.frames);
            let reach = places.map(|place| place.length()).fold(0.0, f32::max);
            assert!(reach <= 0.75, "cull relies on it: {} reaches {reach}", shape.name);
            for (_, normal) in figure.frames.iter().flatten() {
                assert!((normal.length() - 1.0).abs() < 1e-5, "{}", shape.name);
            }
            for clip in figure.clips.iter().filter(|clip| clip.frames > 0.0) {
                let [first, last] = [clip.first, clip.first + clip.frames].map(|row| &figure.frames[row as usize]);
                assert_eq!(first, last, "{}", shape.name);
            }
            let (count, most) = (figure.far.corners.len(), SPLAT_BATCH as usize);
            assert_eq!(figure.far.frames.len(), (figure.rows as usize + 1) * count);
            assert!(count <= most && figure.far.triangles.len() <= most, "cull relies on it");
        }
    }

    /// Folded wings overlap: there, some small triangles between the fingers are turned over. So is the rear of a dart,
    /// one of its four triangles, while its wings are up.
    #[test]
    fn normals_agree_with_their_triangles_in_every_frame() {
        for shape in SHAPES {
            let figure = Figure::of(shape.value);
            for (row, frame) in figure.frames.iter().enumerate() {
                let turned_over = figure.near.indices.chunks_exact(3).filter(|corners| {
                    let [a, b, c] = [0, 1, 2].map(|k| frame[corners[k] as usize]);
                    (a.1 + b.1 + c.1).dot((b.0 - a.0).cross(c.0 - a.0)) < 0.0
                });
                let is_folded = [CLIP_FOLD, CLIP_PERCH].iter().any(|&clip| {
                    let Clip { first, frames, .. } = figure.clips[clip as usize];
                    (first..=first + frames).contains(&(row as f32))
                });
                let most = match shape.value {
                    Shape::Bird if is_folded => 6,
                    Shape::Dart => 1,
                    _ => 0,
                };
                assert!(turned_over.count() <= most, "{} in row {row}", shape.name);
            }
        }
    }

    #[test]
    fn between_two_frames_a_vertex_is_nearly_where_its_clip_has_it() {
        let figure = Figure::of(Shape::Bird);
        let mut worst = 0.0f64;
        for (slot, moves) in BIRD.iter().enumerate() {
            let first = figure.clips[slot].first as usize;
            for frame in 0..moves.frames as usize {
                let phase = (frame as f64 + 0.5) / f64::from(moves.frames);
                for (k, vertex) in figure.near.vertices.iter().enumerate() {
                    let corner = Corner { place: vertex.position.as_dvec3(), wing: f64::from(vertex.wing) };
                    let [a, b] = [0, 1].map(|next| figure.frames[first + frame + next][k].0.as_dvec3());
                    worst = worst.max((moves.place)(corner, phase).distance((a + b) * 0.5));
                }
            }
        }
        assert!(worst < 0.0025, "off by {worst} lengths of a bird");
    }
}
