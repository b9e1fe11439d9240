//! Meshes for tests, and their distances by sums over all triangles.
#![allow(dead_code, reason = "each test binary uses its own part")]

use glam::{DVec3, Vec3};
use starlings::mesh::{Mesh, Model, Triangle};
use std::f32::consts::TAU;

/// The triangles of a rock; of a part of it, an open bowl whose walls have no thickness.
pub fn rock(is_closed: bool) -> Vec<Triangle> {
    let (columns, rows) = (12, 8);
    let node = |x: usize, y: usize| {
        let (around, down) = ((x % columns) as f32 / columns as f32 * TAU, y as f32 / rows as f32 * TAU * 0.5);
        let down = if is_closed { down } else { 0.2 + 0.6 * down };
        // At a pole all places are one.
        let off = if is_closed && y.is_multiple_of(rows) { 0.0 } else { down.sin() };
        let place = Vec3::new(around.cos() * off, -down.cos(), around.sin() * off);
        place * (1.0 + 0.25 * (5.0 * place.x).sin() * (4.0 * place.y + 1.0).cos() * (6.0 * place.z).sin())
    };
    let quads = (0..rows).flat_map(|y| (0..columns).map(move |x| (x, y)));
    let halves = |(x, y)| {
        let [a, b, c, d] = [node(x, y), node(x + 1, y), node(x + 1, y + 1), node(x, y + 1)];
        [[a, c, b], [a, d, c]]
    };
    quads.flat_map(halves).collect()
}

/// A rock, or a bowl, with a volume of so many cells along its longest edge.
pub fn model(is_closed: bool, cells: u32) -> Model {
    let mesh = Mesh::new(rock(is_closed)).expect("a mesh");
    assert_eq!(mesh.is_closed(), is_closed);
    Model::of(if is_closed { "rock.obj" } else { "bowl.obj" }, &mesh, cells).expect("a model")
}

/// These triangles as an OBJ file.
pub fn as_obj(triangles: &[Triangle]) -> String {
    let corners = triangles.iter().flatten().map(|at| format!("v {} {} {}\n", at.x, at.y, at.z));
    let faces = (0..triangles.len()).map(|i| format!("f {} {} {}\n", 3 * i + 1, 3 * i + 2, 3 * i + 3));
    corners.chain(faces).collect()
}

/// The distance from `place` to the nearest of all triangles. Another way than the program's: by the region of a
/// triangle that the place is nearest to.
pub fn distance_to_all(triangles: &[Triangle], place: DVec3) -> f64 {
    let nearest = |corners: &Triangle| {
        let [a, b, c] = corners.map(|corner| corner.as_dvec3());
        let to_edge = |from: DVec3, to: DVec3| {
            let way = to - from;
            let share = if way == DVec3::ZERO { 0.0 } else { ((place - from).dot(way) / way.dot(way)).clamp(0.0, 1.0) };
            place.distance(from + way * share)
        };
        let edges = to_edge(a, b).min(to_edge(b, c)).min(to_edge(c, a));
        let (ab, ac, ap) = (b - a, c - a, place - a);
        let (d00, d01, d11, d20, d21) = (ab.dot(ab), ab.dot(ac), ac.dot(ac), ap.dot(ab), ap.dot(ac));
        let area = d00 * d11 - d01 * d01;
        let (v, w) = ((d11 * d20 - d01 * d21) / area, (d00 * d21 - d01 * d20) / area);
        let is_above = area > 1e-12 * d00 * d11 && v >= 0.0 && w >= 0.0 && v + w <= 1.0;
        if is_above { place.distance(a + ab * v + ac * w).min(edges) } else { edges }
    };
    triangles.iter().map(nearest).fold(f64::INFINITY, f64::min)
}

/// How often all triangles together go around `place`: their solid angles.
pub fn winding_of_all(triangles: &[Triangle], place: DVec3) -> f64 {
    let angle = |corners: &Triangle| {
        let [a, b, c] = corners.map(|corner| corner.as_dvec3() - place);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        2.0 * a.dot(b.cross(c)).atan2(la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb)
    };
    triangles.iter().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}

/// The distance to the surface, below zero inside.
pub fn signed_distance(mesh: &Mesh, place: DVec3) -> f64 {
    let is_inside = mesh.is_closed() && winding_of_all(mesh.triangles(), place).round() != 0.0;
    if is_inside { -distance_to_all(mesh.triangles(), place) } else { distance_to_all(mesh.triangles(), place) }
}
