//! The mesh of a boid of few pixels.
//!
//! Clips move its vertices, so all of them are vertices of the near mesh: those that a simplifier chooses, not new ones.

use super::{FAR_TRIANGLES_MOST, FAR_VERTICES_MOST};
use glam::Vec3;
use meshopt::SimplifyOptions;
use std::cmp::Ordering;
use std::collections::HashSet;

/// Triangles that stand for `triangles`, few enough for the far mesh. `places` has the vertices of each frame, the first
/// frame first, in which the shapes are compared.
pub fn coarse(places: &[Vec3], vertices: usize, triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let one = welded(places, vertices);
    let shape: Vec<[u32; 3]> = triangles
        .iter()
        .map(|corners| corners.map(|corner| one[corner as usize]))
        .filter(|[a, b, c]| a != b && b != c && c != a)
        .collect();
    let first: Vec<[f32; 3]> = places[..vertices].iter().map(|place| place.to_array()).collect();
    if fits(&shape) {
        return shape;
    }
    // Collapsing edges keeps the shape best, but not every mesh has enough edges to collapse. Of the others, vertices are
    // put together by cells of a grid, whatever their triangles are.
    let targets = || (1..=4).map(|part| FAR_TRIANGLES_MOST * part / 4).rev();
    let options = SimplifyOptions::Permissive | SimplifyOptions::Prune;
    let (indices, any) = (shape.as_flattened(), f32::MAX);
    let edges = |most: usize| meshopt::simplify_decoder(indices, &first, most, any, options, None);
    let cells = |most: usize| meshopt::simplify_sloppy_decoder(indices, &first, most, any, None);
    let most = |target: usize| (3 * target).min(indices.len());
    let by_edges = targets().map(|target| edges(most(target)));
    let by_cells = targets().map(|target| cells(most(target)));
    let found = by_edges.chain(by_cells).map(|indices| indices.as_chunks().0.to_vec()).find(|all| fits(all));
    found.unwrap_or_else(|| largest(&first, if shape.is_empty() { triangles } else { &shape }))
}

/// Whether a mesh can be the far one.
fn fits(triangles: &[[u32; 3]]) -> bool {
    (1..=FAR_TRIANGLES_MOST).contains(&triangles.len())
        && triangles.as_flattened().iter().collect::<HashSet<_>>().len() <= FAR_VERTICES_MOST
}

/// Of the vertices that are at the same places in all frames, the first. Files divide vertices where normals or colors
/// change, and the simplifier sees no surface across such vertices.
fn welded(places: &[Vec3], vertices: usize) -> Vec<u32> {
    let path = |vertex: u32| {
        places[vertex as usize..].iter().step_by(vertices).flat_map(|&place| (place + Vec3::ZERO).to_array())
    };
    let compare = |a: u32, b: u32| {
        let mut differences = path(a).zip(path(b)).map(|(a, b)| a.total_cmp(&b));
        differences.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    let mut order: Vec<u32> = (0..vertices as u32).collect();
    order.sort_by(|&a, &b| compare(a, b));
    let mut one: Vec<u32> = (0..vertices as u32).collect();
    for same in order.chunk_by(|&a, &b| compare(a, b).is_eq()) {
        same.iter().for_each(|&vertex| one[vertex as usize] = same[0]);
    }
    one
}

/// The largest triangles, as many as there can be without a common vertex.
fn largest(places: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let area = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|corner| Vec3::from(places[corner as usize]));
        (b - a).cross(c - a).length_squared()
    };
    let mut all = triangles.to_vec();
    all.sort_by(|a, b| area(b).total_cmp(&area(a)));
    all.truncate(FAR_VERTICES_MOST / 3);
    all
}
