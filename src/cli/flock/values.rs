//! How values of a flock's flags are read: each says what would be accepted.

use crate::cli::failure::Failure;
use crate::cli::numbers::{Accepted, real, vector, whole};
use glam::Vec3;
use starlings::flock::settings::{MAX_BOIDS, Waypoint};

/// A count of boids of any size: what fits depends on the device.
pub fn boids(text: &str) -> Result<u64, Accepted> {
    let accepted = || Accepted(format!("a whole number from 1 to {MAX_BOIDS}"));
    whole(text).filter(|&count| count > 0).ok_or_else(accepted)
}

pub fn density(text: &str) -> Result<f32, Accepted> {
    let accepted =
        || Accepted("a number above 0, from 1e-18 to 1e27 by the count, in boids per cubic world unit".into());
    real(text).filter(|&density| density > 0.0 && density.is_finite()).ok_or_else(accepted)
}

/// One edge, two or three.
#[derive(Clone, Debug)]
pub struct WorldSize(pub Vec<f32>);

pub fn world_size(text: &str) -> Result<WorldSize, Accepted> {
    let edges: Option<Vec<f32>> = text.split('x').map(real).collect();
    edges
        .filter(|edges| edges.len() <= 3 && edges.iter().all(|&edge| edge > 0.0 && edge.is_finite()))
        .map(WorldSize)
        .ok_or_else(|| Accepted("one edge, or three like 40x20x40, each above 0, in world units".into()))
}

/// A world with an edge too few, or too many for a plane.
pub fn wrong_edges(edges: &[f32], plane: bool) -> Failure {
    let value: Vec<String> = edges.iter().map(f32::to_string).collect();
    let accepted = match plane {
        true => "one edge, or two like 40x20: a plane has no height",
        false => "one edge, or three like 40x20x40, each above 0, in world units",
    };
    Failure::flag("world-size", format!("'{}'", value.join("x")), accepted)
}

/// Where the cursor goes.
#[derive(Clone, Debug)]
pub struct CursorPath(pub Vec<Waypoint>);

pub fn cursor(text: &str) -> Result<CursorPath, Accepted> {
    let accepted = || Accepted("three numbers like 0,-5,2.5, or such places with times like 0:10,0,0/5:0,0,10".into());
    if !text.contains(':') {
        let position = vector(text).ok_or_else(accepted)?;
        return Ok(CursorPath(vec![Waypoint { seconds: 0.0, position }]));
    }
    let waypoint = |part: &str| {
        let (seconds, position) = part.split_once(':')?;
        Some(Waypoint { seconds: real(seconds)?, position: vector(position)? })
    };
    text.split('/').map(waypoint).collect::<Option<_>>().map(CursorPath).ok_or_else(accepted)
}

pub fn switch(text: &str) -> Result<bool, Accepted> {
    text.parse().map_err(|_| Accepted("true or false".into()))
}

pub fn world_center(text: &str) -> Result<Vec3, Accepted> {
    vector(text).ok_or_else(|| Accepted("three numbers like 0,-5,2.5, in world units".into()))
}
