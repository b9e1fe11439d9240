//! Files as others write them: what is needed is read, and the rest is passed over. Each is read as a mesh and baked.

use super::files::{binary, bytes_of, document};
use base64::{Engine, engine::general_purpose::STANDARD};
use glam::Vec3;
use serde_json::{Value, json};
use starlings::Cancel;
use starlings::mesh::{Animated, BakeOptions, Baked, Lattice, Mesh, Triangle, bake};
use std::fs;
use std::path::Path;

/// The right angle at 0, and 2 along each axis.
const CORNERS: [Vec3; 4] = [Vec3::ZERO, Vec3::new(2.0, 0.0, 0.0), Vec3::new(0.0, 2.0, 0.0), Vec3::new(0.0, 0.0, 2.0)];
const SIDES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

fn sides() -> Vec<Triangle> {
    SIDES.iter().map(|side| side.map(|corner| CORNERS[corner])).collect()
}

fn read(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> Result<(Mesh, Baked), String> {
    let path = folder.join(name);
    fs::write(&path, bytes).expect("room");
    let mesh = Mesh::read(&path).map_err(|error| error.to_string());
    let baked = Animated::bake(&path, &BakeOptions { frames: 4, ..BakeOptions::default() });
    let baked = baked.map_err(|error| error.to_string());
    assert_eq!(mesh.is_ok(), baked.is_ok(), "{name}: {:?} {:?}", mesh.err(), baked.err());
    Ok((mesh?, baked?))
}

/// Four triangles, closed, in the right places; and as many in both meshes of the baked model.
fn check(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> Baked {
    let (mesh, baked) = read(folder, name, bytes).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(mesh.triangles(), sides(), "{name}");
    assert!(mesh.is_closed(), "{name}");
    assert_eq!((baked.animated.triangles.len(), baked.animated.coarse.len()), (4, 4), "{name}");
    baked
}

/// The same as glTF with indices.
fn tetrahedron() -> Value {
    let places: Vec<u8> = CORNERS.iter().flat_map(|at| at.to_array()).flat_map(f32::to_le_bytes).collect();
    let indices: Vec<u8> = SIDES.as_flattened().iter().flat_map(|&corner| (corner as u16).to_le_bytes()).collect();
    let mut all = document(&places);
    all["meshes"][0]["primitives"][0]["indices"] = 1.into();
    add(&mut all, 5123, "SCALAR", 12, &indices);
    all
}

fn list<'a>(all: &'a mut Value, name: &str) -> &'a mut Vec<Value> {
    let list = all.as_object_mut().expect("a table").entry(name).or_insert_with(|| json!([]));
    list.as_array_mut().expect("a list")
}

/// Adds an accessor with bytes of its own, and returns its number.
fn add(all: &mut Value, component: u32, shape: &str, count: usize, bytes: &[u8]) -> usize {
    let buffers = list(all, "buffers");
    buffers.push(json!({ "byteLength": bytes.len(), "uri": format!("data:;base64,{}", STANDARD.encode(bytes)) }));
    let buffer = buffers.len() - 1;
    let views = list(all, "bufferViews");
    views.push(json!({ "buffer": buffer, "byteLength": bytes.len() }));
    let view = views.len() - 1;
    let accessors = list(all, "accessors");
    accessors.push(json!({ "bufferView": view, "componentType": component, "type": shape, "count": count }));
    accessors.len() - 1
}

#[test]
fn what_is_not_needed_of_gltf_is_passed_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut all = tetrahedron();
        change(&mut all);
        all.to_string()
    };
    let require = |name: &'static str| {
        changed(&|all| {
            all["extensionsUsed"] = json!([name]);
            all["extensionsRequired"] = json!([name]);
        })
    };
    let primitive = "/meshes/0/primitives/0";
    for (name, text) in [
        ("plain", changed(&|_| {})),
        (
            "attributes",
            changed(&|all| {
                let number = add(all, 5126, "SCALAR", 4, &[0; 16]);
                all.pointer_mut(primitive).expect("one")["attributes"]["_HEAT"] = number.into();
                all.pointer_mut(primitive).expect("one")["attributes"]["TANGENT"] = "none".into();
            }),
        ),
        (
            "no places",
            changed(&|all| {
                list(&mut all["meshes"][0], "primitives").push(json!({ "attributes": { "TEXCOORD_0": 0 } }));
            }),
        ),
        (
            "points and lines",
            changed(&|all| {
                let own = all.pointer(primitive).expect("one").clone();
                for mode in 0..4 {
                    let mut own = own.clone();
                    own["mode"] = mode.into();
                    list(&mut all["meshes"][0], "primitives").push(own);
                }
            }),
        ),
        ("texture without source", changed(&|all| all["textures"] = json!([{}]))),
        (
            "texture in another format",
            changed(&|all| {
                all["extensionsUsed"] = json!(["KHR_texture_basisu"]);
                all["images"] = json!([{ "uri": "none.ktx2" }]);
                all["textures"] = json!([{ "extensions": { "KHR_texture_basisu": { "source": 0 } } }]);
            }),
        ),
        (
            "extras",
            changed(&|all| {
                all["nodes"][0]["extras"] = json!(0.25);
                all["meshes"][0]["extras"] = Value::Null;
                all["scenes"][0]["extras"] = json!([{ "a": [] }]);
                all["asset"]["extras"] = json!("text");
            }),
        ),
        (
            "no scenes",
            changed(&|all| {
                all.as_object_mut().expect("a table").retain(|key, _| !key.starts_with("scene"));
            }),
        ),
        (
            "no least and greatest",
            changed(&|all| {
                all["accessors"][0].as_object_mut().expect("a table").retain(|key, _| key != "min" && key != "max");
            }),
        ),
        (
            "channels of extensions",
            changed(&|all| {
                all["animations"] = json!([{ "samplers": [], "channels": [
                { "sampler": 9, "target": { "path": "pointer", "extensions": { "KHR_animation_pointer": {} } } },
                { "sampler": 9, "target": { "path": "translation" } },
                { "sampler": 9, "target": { "node": 0, "path": "color" } } ] }]);
            }),
        ),
        ("other buffers", changed(&|all| list(all, "buffers").push(json!({ "uri": "none.bin", "byteLength": 5 })))),
        ("a node elsewhere", changed(&|all| list(all, "nodes").push(json!({ "mesh": 0, "scale": [5, 5, 5] })))),
        ("transform", require("KHR_texture_transform")),
        ("basisu", require("KHR_texture_basisu")),
        ("unlit", require("KHR_materials_unlit")),
        ("lights", require("KHR_lights_punctual")),
        ("specular", require("KHR_materials_pbrSpecularGlossiness")),
        ("mark", format!("\u{feff}{}", changed(&|_| {}))),
    ] {
        check(folder, &format!("{name}.gltf"), text);
    }
    for (name, says) in [
        ("KHR_draco_mesh_compression", "requires the extension KHR_draco_mesh_compression, which is not read"),
        ("EXT_mesh_gpu_instancing", "requires the extension EXT_mesh_gpu_instancing"),
        ("FB_geometry_metadata2", "requires the extension FB_geometry_metadata2"),
    ] {
        let refused = read(folder, "required.gltf", require(name)).map(drop).expect_err(name);
        assert!(refused.contains(says), "{refused}");
    }
    // Also where it is not required, but the only form that the places have.
    let draco = changed(&|all| {
        all.pointer_mut(primitive).expect("one")["extensions"] = json!({ "KHR_draco_mesh_compression": {} });
        all["accessors"][0].as_object_mut().expect("a table").remove("bufferView");
    });
    let refused = read(folder, "draco.gltf", draco).map(drop).expect_err("no places");
    assert!(refused.contains("requires the extension KHR_draco_mesh_compression"), "{refused}");
    for version in ["\"1.0\"", "1"] {
        let old = format!(r#"{{ "asset": {{ "version": {version} }}, "meshes": {{ "a": {{}} }} }}"#);
        let refused = read(folder, "old.gltf", old).map(drop).expect_err("another version");
        let says = format!("old.gltf is glTF {}; accepted is glTF 2.0", version.trim_matches('"'));
        assert!(refused.ends_with(&says), "{refused}");
    }
}

#[test]
fn binary_files_may_have_more_chunks_and_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let bytes = bytes_of(&sides());
    let whole = binary(document(&bytes), &bytes);
    check(folder.path(), "whole.glb", &whole);
    // A JSON whose length is no multiple of 4.
    let text = document(&bytes).to_string().replace("data:;base64,", "data:text;base64,");
    let odd = [&[32; 3][..(3 + 4 - text.len() % 4) % 4], text.as_bytes(), b" "].concat();
    let head =
        [&whole[..8], &(20 + odd.len() as u32).to_le_bytes(), &(odd.len() as u32).to_le_bytes(), b"JSON"].concat();
    check(folder.path(), "odd.glb", [head, odd].concat());
    check(folder.path(), "trailing.glb", [&whole[..], b"more"].concat());
    let mut more = [&whole[..], &4u32.to_le_bytes(), b"MORE", b"1234"].concat();
    let length = more.len() as u32;
    more[8..12].copy_from_slice(&length.to_le_bytes());
    check(folder.path(), "more.glb", more);
    let refused = read(folder.path(), "old.glb", [&whole[..4], &[1, 0, 0, 0], &whole[8..]].concat());
    assert!(refused.is_err_and(|why| why.ends_with("is binary glTF 1; accepted is binary glTF 2")));
}

#[test]
fn names_of_buffers_may_be_encoded() {
    let folder = tempfile::tempdir().expect("a folder");
    let bytes = bytes_of(&sides());
    for (uri, file) in
        [("a%20b.bin", "a b.bin"), ("a b.bin", "a b.bin"), ("50%25.bin", "50%.bin"), ("7%.bin", "7%.bin")]
    {
        fs::write(folder.path().join(file), &bytes).expect("room");
        let mut all = document(&bytes);
        all["buffers"][0]["uri"] = uri.into();
        check(folder.path(), "a.gltf", all.to_string());
        fs::remove_file(folder.path().join(file)).expect("our own file");
    }
}

#[test]
fn places_may_be_small_integers() {
    let folder = tempfile::tempdir().expect("a folder");
    // Two of four bytes are left over in each place.
    let places: Vec<u8> =
        CORNERS.iter().flat_map(|at| [at.x, at.y, at.z, 9.0]).flat_map(|x| (x as i16).to_le_bytes()).collect();
    let mut all = tetrahedron();
    let number = add(&mut all, 5122, "VEC3", 4, &places);
    all["bufferViews"][number]["byteStride"] = 8.into();
    all["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = number.into();
    all["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    check(folder.path(), "a.gltf", all.to_string());
    // As fractions of their largest value, which the node scales.
    let places: Vec<u8> = CORNERS.iter().flat_map(|at| at.to_array()).map(|x| (x * 127.5) as u8).collect();
    let number = add(&mut all, 5121, "VEC3", 4, &places);
    all["accessors"][number]["normalized"] = true.into();
    all["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = number.into();
    all["nodes"][0]["scale"] = json!([2, 2, 2]);
    check(folder.path(), "b.gltf", all.to_string());
}

#[test]
fn buffers_may_be_compressed() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut all = tetrahedron();
    let places: Vec<[f32; 3]> = CORNERS.iter().map(|at| at.to_array()).collect();
    let indices: Vec<u32> = SIDES.as_flattened().iter().map(|&corner| corner as u32).collect();
    for (view, mode, (stride, count), packed) in [
        (0, "ATTRIBUTES", (12, 4), meshopt::encode_vertex_buffer(&places).expect("packed")),
        (1, "INDICES", (2, 12), meshopt::encode_index_sequence(&indices, 4).expect("packed")),
    ] {
        let number = add(&mut all, 5121, "SCALAR", 1, &packed);
        let buffer = all["bufferViews"][number]["buffer"].clone();
        // The buffer of the view is only for readers that do not know the extension.
        all["buffers"][view] =
            json!({ "byteLength": stride * count, "extensions": { "EXT_meshopt_compression": { "fallback": true } } });
        all["bufferViews"][view]["extensions"] = json!({ "EXT_meshopt_compression": {
            "buffer": buffer, "byteLength": packed.len(), "byteStride": stride, "count": count, "mode": mode } });
    }
    all["extensionsRequired"] = json!(["EXT_meshopt_compression"]);
    check(folder.path(), "a.gltf", all.to_string());
    for (pointer, value, says) in [
        ("/count", json!(1u64 << 40), "decodes to more than"),
        ("/byteStride", json!(13), "have a mode, filter and stride that do not go together"),
        ("/byteLength", json!(9), "are damaged"),
        ("/byteLength", json!(u64::MAX), "are not all in their buffer"),
        ("/mode", json!("TRIANGLES"), "have a mode, filter and stride that do not go together"),
    ] {
        let mut bad = all.clone();
        let own = bad.pointer_mut("/bufferViews/0/extensions/EXT_meshopt_compression").expect("ours");
        *own.pointer_mut(pointer).expect("there") = value;
        let refused = read(folder.path(), "b.gltf", bad.to_string()).map(drop).expect_err(says);
        assert!(refused.contains(says), "{pointer}: {refused}");
    }
}

/// An animation of the first node, of the second or of both: keys at 0, 1 and 1 s.
fn moving(names: &[(&str, &[usize])]) -> Value {
    let mut all = tetrahedron();
    list(&mut all, "nodes").push(json!({ "mesh": 0, "translation": [0, 6, 0] }));
    all["scenes"][0]["nodes"] = json!([0, 1]);
    let times: Vec<u8> = [0.0f32, 1.0, 1.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let input = add(&mut all, 5126, "SCALAR", 3, &times);
    let ways: Vec<u8> =
        [[0.0f32; 3], [0.0, 0.0, 2.0], [0.0, 0.0, 2.0]].as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
    let output = add(&mut all, 5126, "VEC3", 3, &ways);
    let animation = |(name, nodes): &(&str, &[usize])| {
        let channel = |node: &usize| json!({ "sampler": 0, "target": { "node": node, "path": "translation" } });
        json!({ "name": name, "samplers": [{ "input": input, "output": output }],
                "channels": nodes.iter().map(channel).collect::<Vec<_>>() })
    };
    all["animations"] = names.iter().map(animation).collect();
    all
}

#[test]
fn animations_are_found_by_words_and_actions_are_merged() {
    let folder = tempfile::tempdir().expect("a folder");
    let moved = |names: &[(&str, &[usize])]| {
        let (_, baked) = read(folder.path(), "a.gltf", moving(names).to_string()).expect("a model");
        let model = &baked.animated;
        let count = (0..8).filter(|&vertex| model.places[vertex] != model.places[8 * (model.frames() - 1) + vertex]);
        let clips: Vec<&str> = model.clips.iter().map(|clip| clip.name).collect();
        (
            clips.join(" "),
            count.count(),
            baked.animations.iter().map(|(_, clip)| clip.unwrap_or("-")).collect::<Vec<_>>().join(" "),
        )
    };
    let is = |clips: &str, count: usize, animations: &str| (clips.to_owned(), count, animations.to_owned());
    assert_eq!(moved(&[("Idle", &[0]), ("Forest walk", &[1])]), is("flap", 4, "flap -"));
    assert_eq!(moved(&[("Walk", &[0]), ("At rest", &[1])]), is("rest", 4, "- rest"));
    assert_eq!(moved(&[("LeftAction", &[0]), ("Right.Action.001", &[1])]), is("flap", 8, "flap flap"));
    // Both move the same: they are no parts of one.
    assert_eq!(moved(&[("EatAction", &[0]), ("WalkAction", &[0, 1])]), is("flap", 4, "flap -"));
    let options = BakeOptions { clips: vec![("swim".into(), "a+1".into())], ..BakeOptions::default() };
    fs::write(folder.path().join("b.gltf"), moving(&[("a", &[0]), ("b", &[1])]).to_string()).expect("room");
    let baked = Animated::bake(&folder.path().join("b.gltf"), &options).expect("a model");
    assert_eq!(baked.animations, [("a".to_owned(), Some("swim")), ("b".to_owned(), Some("swim"))]);
    // What no clip uses is not looked at.
    let mut all = moving(&[("flap", &[0]), ("other", &[1])]);
    all["animations"][1]["samplers"][0]["input"] = 99.into();
    assert_eq!(read(folder.path(), "c.gltf", all.to_string()).expect("a model").1.animated.clips.len(), 1);
    all["animations"][1]["name"] = "glide".into();
    let path = folder.path().join("d.gltf");
    fs::write(&path, all.to_string()).expect("room");
    let refused = Animated::bake(&path, &BakeOptions::default()).expect_err("no such accessor").to_string();
    assert!(refused.contains("refers to accessor 99 of 4; accepted is a smaller number"), "{refused}");
}

#[test]
fn joints_may_be_outside_of_the_scene() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut all = tetrahedron();
    let joints = add(&mut all, 5121, "VEC4", 4, &[0; 16]);
    // Those of the last vertex are all zero: the first joint leads it, too.
    let weights = [[1.0f32, 0.0, 0.0, 0.0], [0.5, 0.0, 0.0, 0.5], [1.0, 0.0, 0.0, 0.0], [0.0; 4]];
    let weights: Vec<u8> = weights.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
    let weights = add(&mut all, 5126, "VEC4", 4, &weights);
    let attributes = &mut all["meshes"][0]["primitives"][0]["attributes"];
    (attributes["JOINTS_0"], attributes["WEIGHTS_0"]) = (joints.into(), weights.into());
    list(&mut all, "nodes").extend([json!({ "children": [2], "scale": [3, 3, 3] }), json!({})]);
    all["nodes"][0]["skin"] = 0.into();
    all["skins"] = json!([{ "joints": [2] }]);
    let scale = check(folder.path(), "a.gltf", all.to_string()).scale;
    // Three times as large as the file has it.
    let own = check(folder.path(), "b.gltf", tetrahedron().to_string()).scale;
    assert!((own / scale - 3.0).abs() < 1e-6, "{own} {scale}");
}

#[test]
fn only_numbers_of_obj_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let places = "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 2\n";
    let faces = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    let with = |more: &str| format!("{places}{more}\n{faces}").into_bytes();
    let bytes = |before: &[u8], after: &str| [before, after.as_bytes()].concat();
    let plain = with("");
    let text = String::from_utf8(plain.clone()).expect("text");
    for (name, content) in [
        ("plain", plain.clone()),
        ("returns", text.replace('\n', "\r\n").into()),
        ("tabs", text.replace(' ', "\t").into()),
        ("relative", [places, "f -4 -2 -3\nf -4 -3 -1\nf -4 -1 -2\nf -3 -2 -1"].concat().into()),
        ("slashes", text.replace("f 1 3 2", "f 1/ 3/9/9 2//").into()),
        ("mark", bytes(b"\xef\xbb\xbf", &text)),
        ("unnamed material", with("usemtl")),
        (
            "Shift-JIS",
            [places.as_bytes(), b"usemtl \x92\xb9\x82\xcc\x89\x48\\\ng \xb9\x5c\n", faces.as_bytes()].concat(),
        ),
        ("Latin-1", bytes(b"# M\xf6we\n", &text)),
        ("colors of some", text.replace("v 2 0 0", "v 2 0 0 1 0 0").into()),
        ("colors and alpha", text.replace("v 2 0 0", "v 2 0 0 1 0 0 1").into()),
        ("w", text.replace("v 2 0 0", "v 2 0 0 0.5").into()),
        ("comments", text.replace("v 2 0 0", "v 2 0 0 # tip").replace("f 1 3 2", "f 1 3 2# side").into()),
        ("long lines", text.replace("v 2 0 0", "v 2 \\\n 0 0").replace("f 1 3 2", "f 1 \\\r\n3 \\\n2").into()),
        ("lines and points", with("l 1 2 3\nl 4 3 2\np 1\nf 1\nf 1 2")),
        ("curves", with("vp 0.5\ncstype bezier\ncurv 0 1 1 2 3\nend\nvt x\nvn 1")),
    ] {
        let (mesh, baked) =
            read(folder.path(), &format!("{name}.obj"), content).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_eq!(mesh.triangles(), sides(), "{name}");
        assert_eq!((baked.animated.triangles.len(), baked.animated.coarse.len()), (4, 4), "{name}");
    }
}

/// A U whose ends are one polygon each: what is between its arms is outside.
#[test]
fn concave_polygons_are_not_filled() {
    let folder = tempfile::tempdir().expect("a folder");
    let outline = [[0, 0], [3, 0], [3, 3], [2, 3], [2, 1], [1, 1], [1, 3], [0, 3]];
    let place = |[x, z]: [i32; 2], y: i32| format!("v {x} {y} {z}\n");
    let mut text: String =
        outline.iter().map(|&at| place(at, 0)).chain(outline.iter().map(|&at| place(at, 1))).collect();
    text += "f 1 2 3 4 5 6 7 8\nf 16 15 14 13 12 11 10 9\n";
    (0..8).for_each(|k| text += &format!("f {} {} {} {}\n", (k + 1) % 8 + 1, k + 1, k + 9, (k + 1) % 8 + 9));
    fs::write(folder.path().join("u.obj"), text).expect("room");
    let mesh = Mesh::read(&folder.path().join("u.obj")).expect("a mesh");
    assert!(mesh.is_closed());
    let volume = bake(&mesh, Lattice::around(&mesh, 48), &Cancel::default()).expect("nobody cancels");
    let at = |x: f64, z: f64| volume.distance(glam::DVec3::new(x, 0.5, z));
    assert!(at(1.5, 2.5) > 0.3 && at(1.5, 1.5) > 0.3, "{} {}", at(1.5, 2.5), at(1.5, 1.5));
    assert!(at(0.5, 2.5) < -0.3 && at(2.5, 2.5) < -0.3 && at(1.5, 0.5) < -0.3);
}

/// Forty boxes in a row: what stands for them is as long as they are.
#[test]
fn far_meshes_of_many_parts_reach_as_far_as_near_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let boxes = (0..40).flat_map(|k| {
        let size = 1.0 + 0.02 * k as f32;
        super::shapes::cube().into_iter().map(move |of| of.map(|at| (at + 0.5) * size + 2.0 * k as f32 * Vec3::Z))
    });
    let obj = super::files::as_obj(&boxes.collect::<Vec<_>>());
    let (_, baked) = read(folder.path(), "row.obj", obj).expect("a model");
    let model = &baked.animated;
    let end = |side: f32| {
        model.coarse.iter().flatten().map(|&at| model.places[at as usize].z * side).fold(f32::MIN, f32::max)
    };
    assert!(end(1.0) > 0.499 && end(-1.0) > 0.499, "{} {}", end(1.0), end(-1.0));
    let likeness = model.likeness(model.clips[0]);
    println!("{} triangles: {likeness:?}", model.coarse.len());
    assert!(likeness.extent > 0.95 && likeness.silhouette > 0.5, "{likeness:?}");
}
