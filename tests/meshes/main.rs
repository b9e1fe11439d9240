//! Triangle meshes: their files, and the distances of their volumes against sums over all triangles.

mod animated;
mod bodies;
mod bounds;
#[path = "../common/meshes.rs"]
mod brute;
mod files;
mod oracle;
mod shapes;
mod strangers;
mod textures;

use brute::{distance_to_all, winding_of_all};
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use shapes::{SHAPES, grid};
use starlings::Cancel;
use starlings::flock::random::{Stream, in_cube};
use starlings::mesh::{Lattice, MAX_TRIANGLES, Mesh, Model, bake};
use std::sync::mpsc;
use std::time::Duration;
use std::{iter, thread};

/// Places about a mesh, some beyond its volume.
fn places(mesh: &Mesh, count: u64) -> impl Iterator<Item = DVec3> + use<> {
    let (low, high) = mesh.bounds();
    let (middle, reach) = ((low + high) * 0.5, (high - low) * 0.5 + 0.2 * (high - low).max_element());
    (0..count).map(move |i| middle + in_cube(11, Stream::Position, i, 0).as_dvec3() * reach)
}

/// A volume's distance is never more than that to all triangles, and less by at most what is said.
#[test]
fn distances_are_those_to_all_triangles() {
    for (name, triangles, is_closed) in SHAPES.iter().map(|(name, make, is_closed)| (name, make(), is_closed)) {
        let mesh = Mesh::new(triangles).expect("a mesh");
        assert_eq!(mesh.is_closed(), *is_closed, "{name}");
        for cells in [1, 7, 32] {
            let volume = bake(&mesh, Lattice::around(&mesh, cells), &Cancel::default()).expect("nobody cancels");
            let count: usize = volume.lattice.dims.iter().map(|&n| n as usize).product();
            assert_eq!(volume.distances.len(), count, "{name}");
            let end = volume.lattice.origin.as_dvec3()
                + DVec3::from(volume.lattice.dims.map(|n| f64::from(n - 1))) * f64::from(volume.lattice.cell);
            let (mut inside, mut most) = (0, 0.0f64);
            for place in places(&mesh, 1_000) {
                let is_inside = mesh.is_closed() && winding_of_all(mesh.triangles(), place).round() != 0.0;
                let sign = if is_inside { -1.0 } else { 1.0 };
                let exact = sign * distance_to_all(mesh.triangles(), place);
                let (got, error) = (volume.distance(place), volume.error());
                inside += usize::from(is_inside);
                assert!(got <= exact + 1e-5, "{name}, {cells} cells: {got} at {place}, and exactly {exact}");
                let is_beyond = place.cmplt(volume.lattice.origin.as_dvec3()).any() || place.cmpgt(end).any();
                let share = if is_beyond { 0.7 } else { 1.0 };
                let least = share * (exact - 2.0 * error) - 1e-5;
                assert!(got >= least, "{name}, {cells} cells: {got} at {place}, and exactly {exact}");
                if !is_beyond {
                    most = most.max((got + error - exact).abs() / f64::from(volume.lattice.cell));
                }
            }
            let many = mesh.triangles().len();
            println!(
                "{name}: {many} triangles, {cells} cells, {inside} of 1000 places inside, off by {most:.3} cells at \
                most"
            );
            // No place of so few is inside of the needle.
            assert_eq!(inside > 0, *is_closed && *name != "needle", "{name}");
            assert!(most < 0.875, "{name}: {most}");
        }
    }
}

/// At every sample the sign is that of the winding number, and the distance that to all triangles.
#[test]
fn samples_are_exact() {
    for (name, make, _) in SHAPES {
        let mesh = Mesh::new(make()).expect("a mesh");
        let volume = bake(&mesh, Lattice::around(&mesh, 6), &Cancel::default()).expect("nobody cancels");
        let [nx, ny, _] = volume.lattice.dims.map(|n| n as usize);
        for (at, &got) in volume.distances.iter().enumerate() {
            let cell = DVec3::new((at % nx) as f64, (at / nx % ny) as f64, (at / nx / ny) as f64);
            let place = volume.lattice.origin.as_dvec3() + cell * f64::from(volume.lattice.cell);
            let exact = distance_to_all(mesh.triangles(), place);
            assert!((f64::from(got.abs()) - exact).abs() < 1e-5, "{name}: {got} at {place}, and exactly {exact}");
            if exact > 1e-4 {
                let is_inside = mesh.is_closed() && winding_of_all(mesh.triangles(), place).round() != 0.0;
                assert_eq!(got < 0.0, is_inside, "{name}: {got} at {place}");
            }
        }
    }
}

#[test]
fn a_volume_does_not_depend_on_threads() {
    let mesh = Mesh::new(grid(40, 20, true, shapes::torus)).expect("a mesh");
    let lattice = Lattice::around(&mesh, 20);
    let one = rayon_of(1, || bake(&mesh, lattice, &Cancel::default()).expect("nobody cancels"));
    assert!(one == rayon_of(3, || bake(&mesh, lattice, &Cancel::default()).expect("nobody cancels")));
}

/// A thread of a pool that waits for a part of its work takes other jobs meanwhile. Each of these may ask for the
/// volume that is being baked.
#[test]
fn every_thread_of_a_pool_may_ask_for_a_volume_first() {
    let mesh = Mesh::new(grid(40, 20, true, shapes::torus)).expect("a mesh");
    let (done, waits) = mpsc::channel();
    let rounds = move || {
        for round in 0..50 {
            // Dropped after each round, so that the next one bakes again.
            let model = Model::of("ring.obj", &mesh, 24).expect("a model");
            rayon_of(16, || (0..10_000).into_par_iter().for_each(|_| assert!(model.volume().bytes() > 0)));
            done.send(round).expect("the test waits");
        }
    };
    let thread = thread::spawn(rounds);
    let last = iter::from_fn(|| waits.recv_timeout(Duration::from_secs(60)).ok()).last();
    assert_eq!(last, Some(49), "the last round that came to its end");
    thread.join().expect("a volume in each round");
}

fn rayon_of<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(work)
}

#[test]
fn bad_meshes_are_refused() {
    let corner = |x: f32| [Vec3::ZERO, Vec3::X, Vec3::new(0.0, x, 0.0)];
    for (triangles, says) in [
        (vec![], "has no triangles"),
        (vec![corner(1.0), corner(f32::NAN)], "has a corner at [0, NaN, 0]; accepted are numbers from"),
        (vec![corner(f32::INFINITY)], "has a corner at [0, inf, 0]"),
        (vec![corner(2e9)], "has a corner at [0, 2000000000, 0]"),
        (vec![[Vec3::ONE; 3]; 5], "is too small"),
        (vec![corner(1.0); MAX_TRIANGLES + 1], "has more than 2000000 triangles"),
    ] {
        let refused = Mesh::new(triangles).expect_err(says);
        assert!(refused.starts_with(says) && refused.contains("accepted "), "{refused}");
    }
}
