//! Meshes for tests.

use glam::Vec3;
use starlings::mesh::Triangle;
use std::f32::consts::TAU;

/// A shape's name, its triangles, and whether it is closed.
pub type Shape = (&'static str, fn() -> Vec<Triangle>, bool);

pub const SHAPES: &[Shape] = &[
    ("ball", || grid(24, 12, true, ball), true),
    ("ring", || grid(24, 12, true, torus), true),
    ("box", cube, true),
    ("box inside out", || cube().into_iter().map(|[a, b, c]| [a, c, b]).collect(), true),
    ("boxes that overlap", || [cube(), moved(cube(), Vec3::new(0.9, 0.4, 0.2))].concat(), true),
    ("tetrahedron", tetrahedron, true),
    ("box with degenerate triangles", with_degenerate, true),
    ("needle", || stretched(tetrahedron(), Vec3::new(1.0, 0.003, 0.003)), true),
    ("sheet", || grid(3, 4, false, |u, v| Vec3::new(u, 0.0, 2.0 * v)), false),
    ("open bowl", || grid(16, 6, false, |u, v| ball(u, 0.5 * v)), false),
    ("one triangle", || vec![[Vec3::ZERO, Vec3::X, Vec3::new(0.3, 2.0, 0.5)]], false),
    ("box with a triangle turned around", turned, false),
];

/// The surface of `place(u, v)`, with u and v from 0 to 1. `around`: it ends where it begins, along u and along v.
pub fn grid(columns: usize, rows: usize, around: bool, place: fn(f32, f32) -> Vec3) -> Vec<Triangle> {
    let node = |x: usize, y: usize| {
        let (x, y) =
            if around { (x % columns, if place(0.0, 0.0) == place(0.0, 1.0) { y % rows } else { y }) } else { (x, y) };
        // At the poles of a ball all places are one.
        let is_pole = around && (y == 0 || y == rows) && place(0.0, 0.0) != place(0.0, 1.0);
        place(if is_pole { 0.0 } else { x as f32 / columns as f32 }, y as f32 / rows as f32)
    };
    let quads = (0..rows).flat_map(|y| (0..columns).map(move |x| (x, y)));
    quads
        .flat_map(|(x, y)| {
            let [a, b, c, d] = [node(x, y), node(x + 1, y), node(x + 1, y + 1), node(x, y + 1)];
            [[a, b, c], [a, c, d]]
        })
        .collect()
}

pub fn ball(u: f32, v: f32) -> Vec3 {
    let (around, down) = (u * TAU, v * TAU * 0.5);
    if v == 1.0 {
        return Vec3::NEG_Y;
    }
    Vec3::new(around.cos() * down.sin(), down.cos(), around.sin() * down.sin())
}

pub fn torus(u: f32, v: f32) -> Vec3 {
    let (around, tilt) = (u * TAU, v % 1.0 * TAU);
    let off = 1.0 + 0.3 * tilt.cos();
    Vec3::new(around.cos() * off, 0.3 * tilt.sin(), around.sin() * off)
}

/// From -0.5 to 0.5.
pub fn cube() -> Vec<Triangle> {
    let corner = |i: usize| Vec3::from([0, 1, 2].map(|axis| (i >> axis & 1) as f32 - 0.5));
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).map(|corners| corners.map(corner)).collect()
}

fn tetrahedron() -> Vec<Triangle> {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]].map(|of| of.map(|at: usize| corners[at])).to_vec()
}

fn moved(triangles: Vec<Triangle>, by: Vec3) -> Vec<Triangle> {
    triangles.into_iter().map(|corners| corners.map(|corner| corner + by)).collect()
}

fn stretched(triangles: Vec<Triangle>, by: Vec3) -> Vec<Triangle> {
    triangles.into_iter().map(|corners| corners.map(|corner| corner * by)).collect()
}

/// A box with triangles that are places, and segments to and fro: none changes what is inside.
fn with_degenerate() -> Vec<Triangle> {
    let (a, b) = (Vec3::splat(-0.5), Vec3::splat(0.5));
    [cube(), vec![[a, a, a], [a, b, b], [a, a, b], [b, a, b]]].concat()
}

fn turned() -> Vec<Triangle> {
    let mut all = cube();
    all[3].swap(0, 1);
    all
}
