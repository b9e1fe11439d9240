//! Files of meshes: which triangles they have, and what bad ones get.

use super::shapes::cube;
use base64::{Engine, engine::general_purpose::STANDARD};
use glam::Vec3;
use serde_json::{Value, json};
use starlings::mesh::{Mesh, Triangle};
use std::fs;
use std::path::Path;

fn read(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> Result<Mesh, String> {
    let path = folder.join(name);
    fs::write(&path, bytes).expect("room");
    Mesh::read(&path).map_err(|error| error.to_string())
}

pub fn bytes_of(triangles: &[Triangle]) -> Vec<u8> {
    triangles.iter().flatten().flat_map(|corner| corner.to_array()).flat_map(f32::to_le_bytes).collect()
}

/// glTF of these bytes, all of which are positions of triangles.
pub fn document(bytes: &[u8]) -> Value {
    json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": bytes.len() / 12,
                        "min": [-9, -9, -9], "max": [9, 9, 9] }],
        "bufferViews": [{ "buffer": 0, "byteLength": bytes.len() }],
        "buffers": [{ "byteLength": bytes.len(), "uri": format!("data:;base64,{}", STANDARD.encode(bytes)) }],
    })
}

pub fn binary(mut document: Value, bytes: &[u8]) -> Vec<u8> {
    document["buffers"][0].as_object_mut().expect("a buffer").remove("uri");
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let word = |n: usize| (n as u32).to_le_bytes();
    let length = 12 + 8 + text.len() + 8 + bytes.len();
    [&b"glTF"[..], &word(2), &word(length), &word(text.len()), b"JSON", &text, &word(bytes.len()), b"BIN\0", bytes]
        .concat()
}

pub fn as_obj(triangles: &[Triangle]) -> String {
    let corners = triangles.iter().flatten().map(|at| format!("v {} {} {}\n", at.x, at.y, at.z));
    let faces = (0..triangles.len()).map(|i| format!("f {}//1 {}//1 {}//1\n", 3 * i + 1, 3 * i + 2, 3 * i + 3));
    corners.chain(["vn 0 1 0\nmtllib none.mtl\nusemtl none\n".into()]).chain(faces).collect()
}

#[test]
fn a_box_is_the_same_in_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let (box_, bytes) = (cube(), bytes_of(&cube()));
    let want = Ok(Mesh::new(box_.clone()).expect("a mesh"));
    assert_eq!(read(folder.path(), "a.obj", as_obj(&box_)), want);
    assert_eq!(read(folder.path(), "a.GLTF", document(&bytes).to_string()), want);
    assert_eq!(read(folder.path(), "a.glb", binary(document(&bytes), &bytes)), want);
    let mut outside = document(&bytes);
    outside["buffers"][0]["uri"] = "a.bin".into();
    fs::write(folder.path().join("a.bin"), &bytes).expect("room");
    assert_eq!(read(folder.path(), "b.gltf", outside.to_string()), want);
    // Polygons, groups, and corners counted from the last.
    let quad = "o a\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf -4 -3 -2 -1\nl 1 2\n";
    let (a, b, c, d) = (Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y);
    assert_eq!(read(folder.path(), "b.obj", quad).expect("a mesh").triangles(), [[a, b, c], [a, c, d]]);
}

#[test]
fn nodes_place_their_meshes() {
    let folder = tempfile::tempdir().expect("a folder");
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE];
    let bytes =
        [&bytes_of(&[[corners[0], corners[1], corners[2]]])[..], &bytes_of(&[[corners[3]; 3]])[..12], &[0, 1, 2, 3]]
            .concat();
    let mut scene = document(&bytes);
    scene["accessors"][0]["count"] = 4.into();
    scene["bufferViews"][0]["byteLength"] = 48.into();
    let indices = json!({ "bufferView": 1, "componentType": 5121, "type": "SCALAR", "count": 4 });
    scene["accessors"].as_array_mut().expect("a list").push(indices);
    scene["bufferViews"]
        .as_array_mut()
        .expect("a list")
        .push(json!({ "buffer": 0, "byteOffset": 48, "byteLength": 4 }));
    scene["nodes"] =
        json!([{ "translation": [0, 0, 5], "children": [1] }, { "mesh": 0, "scale": [-2, 1, 1] }, { "mesh": 0 }]);
    let at = |i: usize| corners[i] * Vec3::new(-2.0, 1.0, 1.0) + 5.0 * Vec3::Z;
    // The order turns around where the node mirrors.
    for (mode, want) in [(4, vec![[0, 2, 1]]), (5, vec![[0, 2, 1], [2, 3, 1]]), (6, vec![[0, 2, 1], [0, 3, 2]])] {
        scene["meshes"][0]["primitives"][0]["mode"] = mode.into();
        scene["meshes"][0]["primitives"][0]["indices"] = 1.into();
        let mesh = read(folder.path(), "a.gltf", scene.to_string()).expect("a mesh");
        assert_eq!(mesh.triangles(), want.iter().map(|of| of.map(at)).collect::<Vec<_>>(), "mode {mode}");
    }
}

/// Every bad file gets one line that names it.
#[test]
fn bad_files_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let bytes = bytes_of(&cube());
    let changed = |path: &str, value: Value| {
        let mut all = document(&bytes);
        *all.pointer_mut(path).unwrap_or_else(|| panic!("{path}")) = value;
        all.to_string().into_bytes()
    };
    let with = |key: &str, value: Value| {
        let mut all = document(&bytes);
        all[key] = value;
        all.to_string().into_bytes()
    };
    let mut nan = bytes.clone();
    nan[8..12].copy_from_slice(&f32::NAN.to_le_bytes());
    let short = |length: u32| [&b"glTF"[..], &2u32.to_le_bytes(), &length.to_le_bytes()].concat();
    let (accessor, view) = ("has an accessor 0 of", "has a view 0 that is not all in its buffer");
    let table: Vec<(&str, Vec<u8>, &str)> = vec![
        ("a.stl", vec![], "is no mesh; accepted is a file .obj, .gltf or .glb"),
        ("a", vec![], "is no mesh"),
        ("a.obj", vec![], "has no triangles"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\n".into(), "has no triangles"),
        ("a.obj", b"v 0 0 x\n".into(), "is not accepted as OBJ: line 1 has no three numbers; accepted is v X Y Z"),
        (
            "a.obj",
            b"v 0 0 0\nf 1 2 3\n".into(),
            "is not accepted as OBJ: line 2 has a corner that is none of its 1 places",
        ),
        (
            "a.obj",
            b"v 0 0 0\nf 1 1 99999999999999999999\n".into(),
            "is not accepted as OBJ: line 2 has a corner that is none of its 1 places",
        ),
        ("a.obj", b"v 0 nan 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".into(), "has a corner at [0, NaN, 0]"),
        ("a.obj", b"v 0 1e39 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".into(), "has a corner at [0, inf, 0]"),
        ("a.obj", b"v 3 3 3\nf 1 1 1\n".into(), "is too small"),
        ("a.obj", b"\xff\xfe".into(), "has no triangles"),
        ("a.gltf", vec![], "is not accepted as glTF: EOF"),
        ("a.gltf", b"{\"asset\":\n\n".into(), "is not accepted as glTF"),
        ("a.gltf", b"{\"asset\":{\"version\":\"2.0\"}}".into(), "has no triangles"),
        ("a.gltf", document(&nan).to_string().into(), "has positions that are not finite, element 0 of accessor 0"),
        ("a.gltf", changed("/nodes", json!([{ "mesh": 0, "children": [0] }])), "has node 0 more than once"),
        ("a.gltf", changed("/nodes", json!([{ "children": [1] }, { "children": [0] }])), "has node 0 more than once"),
        ("a.gltf", changed("/nodes", json!([{ "mesh": 7 }])), "refers to mesh 7 of 1; accepted is a smaller number"),
        ("a.gltf", changed("/scene", json!(3)), "refers to scene 3 of 1"),
        (
            "a.gltf",
            changed("/meshes/0/primitives/0/attributes/POSITION", json!(1)),
            "refers to accessor 1 of 1; accepted is a smaller number",
        ),
        ("a.gltf", changed("/accessors/0/count", json!(37)), accessor),
        ("a.gltf", changed("/accessors/0/count", json!(u64::MAX)), accessor),
        ("a.gltf", changed("/accessors/0/bufferView", Value::Null), "is too small"),
        (
            "a.gltf",
            changed("/accessors/0/componentType", json!(5125)),
            "has positions that are not of 3 floats or integers of 8",
        ),
        ("a.gltf", changed("/bufferViews/0", json!({ "buffer": 0, "byteLength": 1e15 as u64 })), view),
        ("a.gltf", changed("/bufferViews/0", json!({ "buffer": 0, "byteOffset": u64::MAX, "byteLength": 99 })), view),
        ("a.gltf", changed("/bufferViews/0", json!({ "buffer": 0, "byteStride": 4, "byteLength": 432 })), accessor),
        ("a.gltf", changed("/buffers/0/byteLength", json!(u64::MAX)), "has a buffer 0 of 432 bytes; accepted are the"),
        ("a.gltf", changed("/buffers/0/uri", "data:;base64,?".into()), "has a buffer 0 that is no base64"),
        ("a.gltf", changed("/buffers/0/uri", "none.bin".into()), "lacks its buffer 0: "),
        (
            "a.gltf",
            changed("/buffers/0/uri", "/dev/zero".into()),
            "has a buffer 0 at /dev/zero; accepted is a file relative",
        ),
        ("a.gltf", changed("/buffers/0/uri", "http://a/b".into()), "has a buffer 0 at http://a/b"),
        (
            "a.gltf",
            changed("/nodes", json!([{ "mesh": 0, "scale": [3e9, 1, 1] }, {}])),
            "has a corner of mesh 0 at node 0",
        ),
        ("a.gltf", with("extensionsRequired", json!(["KHR_draco_mesh_compression"])), "KHR_draco_mesh_compression"),
        ("a.glb", b"glTF".into(), "has 4 bytes; accepted is a whole file"),
        ("a.glb", short(4), "has 12 bytes, and its header says 4"),
        ("a.glb", short(u32::MAX), "has 12 bytes, and its header says 4294967295"),
        ("a.glb", short(12), "is not accepted as glTF"),
        ("a.glb", binary(document(&bytes), &bytes[..400]), "has a buffer 0 of 400 bytes"),
    ];
    let mut wrong = Vec::new();
    for (name, content, says) in table {
        let error = read(folder.path(), name, &content).expect_err(says);
        println!("{error}");
        let names_it = error.starts_with(&folder.path().join(name).display().to_string());
        if !(names_it && error.contains(says) && error.lines().count() == 1) {
            wrong.push(format!("wanted '{says}', and was '{error}'"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let missing = Mesh::read(&folder.path().join("none.obj")).expect_err("no file").to_string();
    assert!(missing.contains("none.obj: "), "{missing}");
    fs::create_dir(folder.path().join("folder.obj")).expect("room");
    let folder = Mesh::read(&folder.path().join("folder.obj")).expect_err("a folder").to_string();
    assert!(folder.ends_with("this is not a regular file"), "{folder}");
}

/// A file that was cut off anywhere is read or refused, with one line; a binary one is always refused.
#[test]
fn cut_files_are_read_or_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let bytes = bytes_of(&cube());
    let whole = [
        ("a.obj", as_obj(&cube()).into_bytes()),
        ("a.gltf", document(&bytes).to_string().into_bytes()),
        ("a.glb", binary(document(&bytes), &bytes)),
    ];
    for (name, whole) in whole {
        for length in 0..whole.len() {
            match read(folder.path(), name, &whole[..length]) {
                Ok(_) => assert_eq!(name, "a.obj", "{length} bytes of {name} are no whole file"),
                Err(error) => assert!(error.lines().count() == 1 && error.len() < 500, "{error}"),
            }
        }
    }
}
