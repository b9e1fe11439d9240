//! Distances of meshes, computed by a device, against those of the CPU.

use crate::common;
use crate::common::meshes::rock;
use glam::Vec3;
use starlings::Cancel;
use starlings::flock::obstacles::baking::distances;
use starlings::flock::random::{Stream, in_cube};
use starlings::mesh::{Lattice, Mesh, Triangle, bake};
use std::time::Instant;

/// The most by which a distance of the device may be off, of the largest edge: less than what a volume's error has for
/// rounding, a hundredth of half the diagonal of a 64th.
const TOLERANCE: f32 = 1e-5;

fn ball(rows: usize) -> Vec<Triangle> {
    let node = |x: usize, y: usize| {
        let (around, down) = (x as f32 / (2 * rows) as f32, y as f32 / rows as f32);
        let (around, down) = (around * std::f32::consts::TAU, down * std::f32::consts::PI);
        Vec3::new(around.cos() * down.sin(), down.cos(), around.sin() * down.sin()) * 0.5
    };
    let quads = (0..rows).flat_map(|y| (0..2 * rows).map(move |x| (x, y)));
    let halves = |(x, y)| {
        let [a, b, c, d] = [node(x, y), node(x + 1, y), node(x + 1, y + 1), node(x, y + 1)];
        [[a, b, c], [a, c, d]]
    };
    quads.flat_map(halves).collect()
}

fn scattered(count: u64, edge: f32) -> Vec<Triangle> {
    let place = |i| in_cube(3, Stream::Position, i, 0) * 0.5;
    (0..count).map(|i| [0, 1, 2].map(|k| place(i) + edge * place(count + 3 * i + k))).collect()
}

#[test]
fn a_device_computes_the_distances_of_meshes_as_the_cpu_does() {
    let Some(device) = common::device() else { return };
    let triangle = [Vec3::ZERO, Vec3::X, Vec3::new(0.3, 0.4, 0.1)];
    let sliver = |thin: f32| vec![[Vec3::ZERO, Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.6, thin, 0.0)]; 3];
    let shapes: [(&str, Vec<Triangle>); 10] = [
        ("one triangle", vec![triangle]),
        ("five, one more than a leaf has", [vec![triangle; 2], scattered(3, 1.0)].concat()),
        ("a rock", rock(true)),
        ("a bowl", rock(false)),
        ("a ball", ball(40)),
        ("crossing triangles", scattered(1_000, 1.0)),
        ("crumbs", scattered(3_000, 1e-3)),
        ("a sliver", sliver(1e-3)),
        ("a thinner one", sliver(1e-7)),
        ("triangles without an area", [ball(5), vec![[Vec3::ONE; 3], [Vec3::X, Vec3::X, -Vec3::X]]].concat()),
    ];
    for (name, triangles) in shapes {
        let mesh = Mesh::new(triangles).expect("a mesh");
        for cells in [1, 6, 33] {
            let lattice = Lattice::around(&mesh, cells);
            let want = bake(&mesh, lattice, &Cancel::default()).expect("nobody cancels").distances;
            let got = distances(&device, &mesh, &lattice).expect("distances");
            assert_eq!(got.len(), want.len(), "{name}, {cells} cells");
            let (low, high) = mesh.bounds();
            let off = want.iter().zip(&got).map(|(want, got)| (want.abs() - got).abs()).fold(0.0, f32::max);
            println!("{name}, {} triangles, {cells} cells: off by {off:e}", mesh.triangles().len());
            assert!(off <= TOLERANCE * (high - low).max_element() as f32, "{name}, {cells} cells: off by {off:e}");
        }
    }
}

/// Prints what a million triangles take. The device of `STARLINGS_TEST_DRIVER=system`, or a software driver.
#[test]
#[ignore = "long: takes a minute on a software driver; prints times"]
fn a_million_triangles() {
    let Some(device) = common::device() else { return };
    let mesh = Mesh::new(ball(500)).expect("a mesh");
    for cells in [64, 256] {
        let lattice = Lattice::around(&mesh, cells);
        let begun = Instant::now();
        let got = distances(&device, &mesh, &lattice).expect("distances");
        let (by_device, begun) = (begun.elapsed(), Instant::now());
        let want = bake(&mesh, lattice, &Cancel::default()).expect("nobody cancels").distances;
        let off = want.iter().zip(&got).map(|(want, got)| (want.abs() - got).abs()).fold(0.0, f32::max);
        println!(
            "{} triangles, {:?} samples: {by_device:.2?} with the device, {:.2?} without; off by {off:e}",
            mesh.triangles().len(),
            lattice.dims,
            begun.elapsed()
        );
        assert!(off <= TOLERANCE, "off by {off:e}");
    }
}
