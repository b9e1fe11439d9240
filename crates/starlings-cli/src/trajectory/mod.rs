//! Trajectories as other programs write and read them: NumPy archives, comma-separated values, and extended XYZ.
//!
//! [`read`] takes what this program exports, and what `movement`, R's `swaRmverse`, `trackpy` or OVITO write in these
//! formats. [`TextFile`] writes the two texts; archives are [`FlockArchive`](crate::export::FlockArchive)s.

mod columns;
mod npz;
mod text_file;
mod xyz;

pub use text_file::{TextFile, TextFormat};

use glam::DVec3;
use starlings::input::Bounded;
use std::path::Path;

/// Why a file is not a trajectory, in words that follow its name.
pub type Reason = String;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// When it is, in seconds if the file has times, otherwise its number.
    pub time: f64,
    /// Identities, each once.
    pub id: Vec<u64>,
    /// Places, in the unit of the file; one for each identity. Without a third coordinate, z is 0.
    pub position: Vec<DVec3>,
    /// Velocities, in that unit per unit of time; one for each identity, or none at all.
    pub velocity: Vec<DVec3>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trajectory {
    /// Its moments, in order of time.
    pub frames: Vec<Frame>,
    /// Whether times are in seconds.
    pub in_seconds: bool,
    /// The search radius that its file names, in its unit.
    pub radius: Option<f64>,
    /// The edges of a periodic box, in its unit.
    pub edges: Option<DVec3>,
    /// Whether nothing says how its boids move: one moment, without velocities.
    pub is_still: bool,
}

/// Bytes of a file at most.
const MOST_BYTES: u64 = 4 << 30;

/// Bytes that each byte of a file may become: a line of a table may be a moment with one boid.
const TIMES: u64 = 40;

/// Bytes that a moment takes, with those that lists of few elements take beyond them, and each boid in it.
const A_MOMENT: u64 = 400;
const A_BOID: u64 = 8 + 2 * 24;

/// The trajectory in the file at `path`, whose ending says its format: `.npz`, `.csv` or `.xyz`. In a periodic box with
/// these `edges`, else in that which the file names.
pub fn read(path: &Path, edges: Option<DVec3>) -> Result<Trajectory, Reason> {
    let bounded = Bounded::new(MOST_BYTES).with_times(TIMES);
    let bytes = || bounded.file(path).map_err(crate::export::words);
    let text = || String::from_utf8(bytes()?).map_err(|_| "it is not UTF-8 text".to_owned());
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let mut found = match ending.as_deref() {
        Some("npz") => npz::read(bytes()?, &bounded)?,
        Some("csv") => columns::read(&text()?, &bounded)?,
        Some("xyz" | "extxyz") => xyz::read(&text()?, &bounded)?,
        _ => return Err("its name does not end in .npz, .csv or .xyz".into()),
    };
    if found.frames.is_empty() {
        return Err("it has no moment".into());
    }
    found.frames.sort_by(|a, b| a.time.total_cmp(&b.time));
    // Velocities that are differences of places need it.
    found.edges = edges.or(found.edges);
    if found.frames.iter().any(|frame| frame.velocity.len() != frame.position.len()) {
        let boids: usize = found.frames.iter().map(|frame| frame.id.len()).sum();
        bounded.decoded(boids as u64 * 2 * A_BOID)?;
        found.derive_velocities();
        found.is_still = found.frames.len() == 1;
    }
    Ok(found)
}

impl Trajectory {
    /// Velocities from places, where a file has none: by central differences, and at the ends of a boid's track by
    /// those to its neighbor in time. A boid that is in one moment only is at rest.
    fn derive_velocities(&mut self) {
        let space = crate::measure::Space { edges: self.edges.unwrap_or(DVec3::INFINITY) };
        let places: Vec<std::collections::HashMap<u64, DVec3>> = self
            .frames
            .iter()
            .map(|frame| frame.id.iter().copied().zip(frame.position.iter().copied()).collect())
            .collect();
        let times: Vec<f64> = self.frames.iter().map(|frame| frame.time).collect();
        for (k, frame) in self.frames.iter_mut().enumerate() {
            let velocity = |(id, place): (&u64, &DVec3)| {
                let at = |k: usize| places.get(k).and_then(|places| places.get(id)).map(|&place| (place, times[k]));
                let before = k.checked_sub(1).and_then(at).unwrap_or((*place, times[k]));
                let after = at(k + 1).unwrap_or((*place, times[k]));
                let between = after.1 - before.1;
                // By way of the moment between, so that a path across the border of a periodic box is followed.
                let way = space.between(before.0, *place) + space.between(*place, after.0);
                if between > 0.0 { way / between } else { DVec3::ZERO }
            };
            frame.velocity = frame.id.iter().zip(&frame.position).map(velocity).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn velocities_are_differences_of_places_also_across_a_border() {
        let frame = |time: f64, boids: &[(u64, f64)]| Frame {
            time,
            id: boids.iter().map(|boid| boid.0).collect(),
            position: boids.iter().map(|boid| DVec3::X * boid.1).collect(),
            velocity: Vec::new(),
        };
        let frames = vec![
            frame(0.0, &[(1, 1.0), (2, 8.0)]),
            frame(0.5, &[(2, 9.5), (1, 2.0)]),
            frame(1.0, &[(2, 1.0), (7, 5.0)]),
        ];
        let mut found = Trajectory { frames, edges: Some(DVec3::splat(10.0)), ..Trajectory::default() };
        found.derive_velocities();
        let along: Vec<Vec<f64>> = found.frames.iter().map(|f| f.velocity.iter().map(|v| v.x).collect()).collect();
        assert_eq!(along, [vec![2.0, 3.0], vec![3.0, 2.0], vec![3.0, 0.0]]);
    }

    #[test]
    fn only_the_three_formats_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["a.txt", "a", "a.npy"] {
            let path = folder.path().join(name);
            std::fs::write(&path, "x").expect("room");
            assert_eq!(read(&path, None), Err("its name does not end in .npz, .csv or .xyz".to_owned()));
        }
        assert!(read(&folder.path().join("none.csv"), None).is_err());
    }
}
