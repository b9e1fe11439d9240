//! Models that move: the places of their vertices in a few frames, which kernels look up. Independent of boids and of
//! Vulkan.
//!
//! A frame holds every vertex, so nothing of skeletons, morph targets or their order is left when a boid is drawn: a
//! picture needs two frames and a weight between them.

#[cfg(feature = "mesh-files")]
mod bake;
#[cfg(feature = "mesh-files")]
mod coarse;
#[cfg(feature = "mesh-files")]
mod likeness;
#[cfg(feature = "mesh-files")]
mod naming;
#[cfg(feature = "mesh-files")]
mod paint;
#[cfg(feature = "mesh-files")]
mod primitive;
#[cfg(feature = "mesh-files")]
mod reading;
#[cfg(feature = "mesh-files")]
mod sampler;
#[cfg(feature = "mesh-files")]
mod scene;

#[cfg(feature = "mesh-files")]
pub use bake::{BakeOptions, Baked};
#[cfg(feature = "mesh-files")]
pub use likeness::Likeness;

use crate::limits::SPLAT_BATCH;
use glam::Vec3;
use std::collections::HashSet;
use std::ops::Deref;

/// Clips of a bird.
pub const BIRD_CLIPS: [&str; 6] = ["flap", "glide", "fold", "bank-left", "bank-right", "perch"];

/// Clips of a fish.
pub const FISH_CLIPS: [&str; 2] = ["swim", "rest"];

/// Frames of all clips together, at most.
pub const FRAMES_MOST: u32 = 256;

/// Vertices, at most.
pub const VERTICES_MOST: usize = 65_536;

/// Triangles of the near mesh, at most.
pub const NEAR_TRIANGLES_MOST: usize = 200_000;

/// Vertices that triangles of the coarse mesh use, at most.
pub const FAR_VERTICES_MOST: usize = 64;

/// Triangles of the coarse mesh, at most.
pub const FAR_TRIANGLES_MOST: usize = 64;

// A workgroup of `cull` handles a coarse mesh at once.
const _: () = assert!(FAR_VERTICES_MOST <= SPLAT_BATCH as usize && FAR_TRIANGLES_MOST <= SPLAT_BATCH as usize);
const _: () = assert!(SPLAT_BATCH <= 256);

/// The farthest that a vertex is from the middle, in lengths of a boid.
pub const REACH: f32 = 0.75;

/// Frames that belong together: a loop, or a pose that is held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clip {
    /// One of [`BIRD_CLIPS`] or [`FISH_CLIPS`].
    pub name: &'static str,
    /// The first of its frames.
    pub first: u32,
    /// How many frames it has, at least one. They sample one loop evenly; after the last comes the first again.
    pub frames: u32,
    /// The time of one loop, from 0.01 to 100 s; 0 for a pose, which has one frame.
    pub seconds: f32,
}

/// What an [`Animated`] consists of. Places are in the frame of a boid: +x to its right, +y up, and it looks along -z;
/// it is about one unit long. Lists of all frames have the vertices of the first frame first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts {
    /// The place of each vertex in each frame.
    pub places: Vec<Vec3>,
    /// The normal of each vertex in each frame, of length 1.
    pub normals: Vec<Vec3>,
    /// The color of each vertex, linear, from 0 to 1.
    pub albedo: Vec<Vec3>,
    /// Triangles of the near mesh by their vertices, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Triangles of the far mesh, with the same vertices.
    pub coarse: Vec<[u32; 3]>,
    /// Clips, whose frames follow each other.
    pub clips: Vec<Clip>,
}

/// A model that moves, within the limits that are checked by [`Animated::new`].
#[derive(Clone, Debug, PartialEq)]
pub struct Animated(Parts);

impl Deref for Animated {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl Animated {
    /// A model of these parts.
    ///
    /// # Errors
    /// What is wrong with them and what is accepted, as the rest of a sentence that names the model: lists of different
    /// lengths, numbers that are not finite, vertices beyond [`REACH`], triangles of vertices that are not there, and
    /// more of anything than the constants of this module say.
    pub fn new(parts: Parts) -> Result<Animated, String> {
        let frames = check_clips(&parts.clips)? as usize;
        let vertices = parts.albedo.len();
        if !(1..=VERTICES_MOST).contains(&vertices) {
            return Err(format!("has {vertices} vertices; accepted is from 1 to {VERTICES_MOST}"));
        }
        for (what, list) in [("places", &parts.places), ("normals", &parts.normals)] {
            if list.len() != frames * vertices {
                let count = list.len();
                return Err(format!(
                    "has {count} {what}; accepted is one for each of {frames} frames of {vertices} vertices"
                ));
            }
        }
        let at = |list: &[Vec3], is_good: fn(&Vec3) -> bool| {
            list.iter()
                .enumerate()
                .find(|(_, vector)| !is_good(vector))
                .map(|(k, found)| (k % vertices, k / vertices, *found))
        };
        // Comparisons with NaN are false.
        if let Some((vertex, frame, place)) = at(&parts.places, |place| place.length() <= REACH) {
            return Err(format!(
                "has vertex {vertex} at {place} in frame {frame}; accepted is a distance of at most {REACH} from the \
                middle"
            ));
        }
        if let Some((vertex, frame, normal)) = at(&parts.normals, |normal| (normal.length() - 1.0).abs() <= 1e-3) {
            return Err(format!(
                "has the normal {normal} of vertex {vertex} in frame {frame}; accepted is a length of 1"
            ));
        }
        if let Some((vertex, _, color)) = at(&parts.albedo, |c| c.to_array().iter().all(|x| (0.0..=1.0).contains(x))) {
            return Err(format!("has the color {color} of vertex {vertex}; accepted are numbers from 0 to 1"));
        }
        for (what, list, most) in [
            ("triangles", &parts.triangles, NEAR_TRIANGLES_MOST),
            ("triangles of the coarse mesh", &parts.coarse, FAR_TRIANGLES_MOST),
        ] {
            if !(1..=most).contains(&list.len()) {
                return Err(format!("has {} {what}; accepted is from 1 to {most}", list.len()));
            }
            if let Some(vertex) = list.iter().flatten().find(|&&vertex| vertex as usize >= vertices) {
                return Err(format!("has a vertex {vertex} in its {what}; accepted is a number below {vertices}"));
            }
        }
        let used = parts.coarse.iter().flatten().collect::<HashSet<_>>().len();
        if used > FAR_VERTICES_MOST {
            return Err(format!("has {used} vertices in the coarse mesh; accepted is at most {FAR_VERTICES_MOST}"));
        }
        Ok(Animated(parts))
    }

    /// Vertices of a frame.
    pub fn vertices(&self) -> usize {
        self.albedo.len()
    }

    /// Frames of all clips together.
    pub fn frames(&self) -> usize {
        self.clips.iter().map(|clip| clip.frames as usize).sum()
    }

    /// The clip of this name, if the model has it.
    pub fn clip(&self, name: &str) -> Option<Clip> {
        self.clips.iter().copied().find(|clip| clip.name == name)
    }

    /// Whether it moves as a fish, not as a bird.
    pub fn is_fish(&self) -> bool {
        self.clips.iter().any(|clip| FISH_CLIPS.contains(&clip.name))
    }
}

/// The clip's name as it stands in [`BIRD_CLIPS`] or [`FISH_CLIPS`].
pub fn clip_name(name: &str) -> Option<&'static str> {
    BIRD_CLIPS.into_iter().chain(FISH_CLIPS).find(|known| *known == name)
}

/// How many frames the clips have together.
fn check_clips(clips: &[Clip]) -> Result<u32, String> {
    if !(1..=BIRD_CLIPS.len()).contains(&clips.len()) {
        return Err(format!("has {} clips; accepted is from 1 to {}", clips.len(), BIRD_CLIPS.len()));
    }
    let mut frames = 0u32;
    for (at, clip) in clips.iter().enumerate() {
        let name = clip.name;
        if ![&BIRD_CLIPS[..], &FISH_CLIPS[..]].iter().any(|kind| kind.contains(&clips[0].name) && kind.contains(&name))
        {
            return Err(format!(
                "has a clip '{name}'; accepted are {}, or {}",
                BIRD_CLIPS.join(", "),
                FISH_CLIPS.join(", ")
            ));
        }
        if clips[..at].iter().any(|other| other.name == name) {
            return Err(format!("has the clip '{name}' twice; accepted is once"));
        }
        if clip.first != frames {
            return Err(format!("has a clip '{name}' that begins at frame {}; accepted is {frames}", clip.first));
        }
        let is_pose = clip.seconds == 0.0 && clip.frames == 1;
        if !is_pose && !(0.01..=100.0).contains(&clip.seconds) {
            let seconds = clip.seconds;
            return Err(format!(
                "has a clip '{name}' of {seconds} s; accepted is from 0.01 to 100, or 0 for a single frame"
            ));
        }
        frames = frames.saturating_add(clip.frames);
        if clip.frames == 0 || frames > FRAMES_MOST {
            return Err(format!(
                "has a clip '{name}' of {} frames; accepted is at least 1, and {FRAMES_MOST} of all clips together",
                clip.frames
            ));
        }
    }
    Ok(frames)
}
