//! What files may take: short ones that would become large, and coincident triangles.

use super::brute::distance_to_all;
use super::files::{bytes_of, document};
use super::shapes::cube;
use glam::{DVec3, Vec3};
use serde_json::json;
use starlings::Cancel;
use starlings::flock::random::{Stream, in_cube};
use starlings::input::{DECODED_BASE, DECODED_TIMES};
use starlings::mesh::{Animated, BakeOptions, CELLS, Lattice, Mesh, Model, bake};
use std::fs;
use std::path::Path;

/// Why a file is refused as a mesh, and, if it is, as a model.
fn refusals(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> [String; 2] {
    let path = folder.join(name);
    fs::write(&path, bytes).expect("room");
    let mesh = Mesh::read(&path).map(drop).expect_err(name).to_string();
    let model = Animated::bake(&path, &BakeOptions::default()).map(drop);
    [mesh, model.map_or_else(|why| why.to_string(), |()| format!("{name} is accepted"))]
}

#[test]
fn short_files_do_not_become_large() {
    let folder = tempfile::tempdir().expect("a folder");
    let nodes = format!(r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [{}{{}}] }}"#, "{},".repeat(400_000));
    let zeros = json!({
        "asset": { "version": "2.0" }, "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "accessors": [{ "componentType": 5126, "type": "VEC3", "count": 1u64 << 50 }],
    });
    // A thousand meshes of the same bytes.
    let mut shared = document(&bytes_of(&cube().repeat(1_000)));
    shared["meshes"] = vec![shared["meshes"][0].clone(); 1_000].into();
    shared["nodes"] = (0..1_000).map(|mesh| json!({ "mesh": mesh })).collect();
    shared["scenes"] = json!([{ "nodes": (0..1_000).collect::<Vec<_>>() }]);
    for (name, text) in [("nodes", nodes), ("zeros", zeros.to_string()), ("shared", shared.to_string())] {
        let read = text.len() as u64;
        let most = DECODED_BASE + DECODED_TIMES * read;
        let [mesh, model] = refusals(folder.path(), &format!("{name}.gltf"), text);
        let says = format!("decodes to more than {most} bytes; accepted are as many for a file of {read}");
        assert!(mesh.ends_with(&says), "{name}: {mesh}");
        let is_many = model.contains("has more than 65536 vertices");
        assert!(model.ends_with(&says) || is_many, "{name}: {model}");
    }
    let places = "v 0 0 0\n".repeat(6_000_001);
    let [mesh, _] = refusals(folder.path(), "places.obj", places);
    assert!(mesh.ends_with("has more than 6000000 places; accepted are at most as many"), "{mesh}");
}

/// Numbers of a file that a model names as its buffer are in no message.
#[test]
fn values_of_other_files_are_not_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let secret = "hunter2 hunter2 hunter2 hunter2 hunter2 hunter2 hunter2 hunter2 hunter2 hunter2 hunter2 hunter2 ";
    fs::write(folder.path().join("secret"), secret).expect("room");
    for (what, component, shape, count) in
        [("POSITION", 5126, "VEC3", 6), ("indices", 5123, "SCALAR", 30), ("indices", 5125, "SCALAR", 15)]
    {
        let mut all = document(&bytes_of(&cube()));
        all["buffers"].as_array_mut().expect("a list").push(json!({ "byteLength": 96, "uri": "secret" }));
        all["bufferViews"].as_array_mut().expect("a list").push(json!({ "buffer": 1, "byteLength": 96 }));
        all["accessors"]
            .as_array_mut()
            .expect("a list")
            .push(json!({ "bufferView": 1, "componentType": component, "type": shape, "count": count }));
        let primitive = &mut all["meshes"][0]["primitives"][0];
        match what {
            "indices" => primitive["indices"] = 1.into(),
            name => primitive["attributes"][name] = 1.into(),
        }
        for refused in refusals(folder.path(), "a.gltf", all.to_string()) {
            let own = refused.rsplit_once("a.gltf").expect("it names the file").1;
            println!("{own}");
            // Each two bytes of the text, and four as a number.
            let numbers = secret.as_bytes().windows(4).flat_map(|of| {
                let word = u32::from_le_bytes([of[0], of[1], of[2], of[3]]);
                [(word & 0xffff).to_string(), word.to_string(), f32::from_bits(word).to_string()]
            });
            numbers.for_each(|number| assert!(!own.contains(&number), "{own}: {number}"));
        }
    }
}

/// Triangles in one place are compared once, so a place has few nearest ones; and the distances are as good.
#[test]
fn coincident_triangles_cost_no_more_than_one() {
    let one = [Vec3::ZERO, Vec3::X, Vec3::Y];
    let same: Vec<_> = (0..60_000).map(|k| [one[k % 3], one[(k + 1 + k % 2) % 3], one[(k + 2 - k % 2) % 3]]).collect();
    // Each a little aside, by less than a thousandth of a cell.
    let near: Vec<_> = (0..60_000).map(|k| one.map(|at| at + Vec3::new(1e-9, 2e-9, 1e-10) * k as f32 * 0.1)).collect();
    for triangles in [same, near] {
        let mesh = Mesh::new(triangles).expect("a mesh");
        let lattice = Lattice::around(&mesh, 48);
        let begun = std::time::Instant::now();
        let volume = bake(&mesh, lattice, &Cancel::default()).expect("nobody cancels");
        println!("{:?}", begun.elapsed());
        for k in 0..200 {
            let at = (k * 7919) % volume.distances.len();
            let [nx, ny, _] = lattice.dims.map(|n| n as usize);
            let cell = DVec3::new((at % nx) as f64, (at / nx % ny) as f64, (at / nx / ny) as f64);
            let exact = distance_to_all(&[one], lattice.origin.as_dvec3() + cell * f64::from(lattice.cell));
            let off = (f64::from(volume.distances[at].abs()) - exact).abs();
            assert!(off < 0.003 * f64::from(lattice.cell), "{off}");
        }
    }
}

/// Large triangles everywhere are refused before their volume is computed; many copies of one are not.
#[test]
fn what_takes_hours_is_refused() {
    let corner = |k: u64| in_cube(5, Stream::Position, k, 0);
    let soup: Vec<_> = (0..300_000).map(|k| [3 * k, 3 * k + 1, 3 * k + 2].map(corner)).collect();
    let copies = vec![[Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0), Vec3::Z]; 50_000];
    let model = |triangles| Model::of("a", &Mesh::new(triangles).expect("a mesh"), CELLS).map(drop);
    let refused = model(soup).expect_err("hours");
    assert!(refused.contains("it takes more than 2147483648 comparisons to find what is near"), "{refused}");
    assert_eq!(model(copies), Ok(()));
}
