//! Textures of models, as colors of vertices.

use glam::Vec3;
use serde_json::{Value, json};
use starlings::mesh::{Animated, BakeOptions, Baked};
use std::fs;
use std::path::Path;

/// A PNG of 64 x 64 pixels: its left half is red, its right half blue.
const HALVES: &str = "\
    iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAT0lEQVR42u3PsQkAAAzDsPz/dHpCp2wCzwalybTxvgEAAAAAAAAA\
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA+Dq47PDiz8p6GQAAAABJRU5ErkJggg==";

/// A square of 1 x 1 along x and z, which shows an image. Its material halves the red.
fn square(image: Value) -> Value {
    let floats = |all: &[f32]| all.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let places = floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    let corners = floats(&[0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0]);
    let bytes = [places, corners, vec![0, 2, 1, 0, 3, 2]].concat();
    let uri = format!("data:;base64,{}", base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes));
    json!({
        "asset": { "version": "2.0" }, "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0, "TEXCOORD_0": 1 }, "indices": 2, "material": 0 }] }],
        "materials": [{ "pbrMetallicRoughness": {
            "baseColorTexture": { "index": 0 }, "baseColorFactor": [0.5, 1, 1, 1] } }],
        "textures": [{ "source": 0 }], "images": [image],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 4 },
                      { "bufferView": 1, "componentType": 5126, "type": "VEC2", "count": 4 },
                      { "bufferView": 2, "componentType": 5121, "type": "SCALAR", "count": 6 }],
        "bufferViews": [{ "buffer": 0, "byteLength": 48 }, { "buffer": 0, "byteOffset": 48, "byteLength": 32 },
                        { "buffer": 0, "byteOffset": 80, "byteLength": 6 }],
        "buffers": [{ "byteLength": 86, "uri": uri }],
    })
}

fn bake(folder: &Path, model: &Value) -> Baked {
    let path = folder.join("a.gltf");
    fs::write(&path, model.to_string()).expect("room");
    Animated::bake(&path, &BakeOptions::default()).expect("a model")
}

/// Checks the colors beside the line where the halves meet, at this place from left to right.
fn check(baked: &Baked, line: f32, [left, right]: [Vec3; 2]) {
    let model = &baked.animated;
    // Divided there, and nowhere else.
    assert!((40..4_000).contains(&model.triangles.len()), "{}", model.triangles.len());
    let mut seen = [0, 0];
    for (place, color) in model.places.iter().zip(&model.albedo) {
        // A model that looks along +z has +x on its left.
        let from = (0.5 - place.x) - line;
        if from.abs() > 0.0625 {
            let side = usize::from(from > 0.0);
            let off = (*color - [left, right][side]).abs().max_element();
            assert!(off < 0.02, "{place}: {color}");
            seen[side] += 1;
        }
    }
    assert!(seen[0] > 0 && seen[1] > 0, "{seen:?}");
}

#[test]
fn textures_become_colors_of_vertices() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let (red, blue) = (Vec3::new(0.5, 0.0, 0.0), Vec3::Z);
    let data = square(json!({ "uri": format!("data:image/png;base64,{HALVES}") }));
    check(&bake(folder, &data), 0.5, [red, blue]);
    let bytes = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, HALVES).expect("bytes");
    fs::write(folder.join("two halves.png"), bytes).expect("room");
    check(&bake(folder, &square(json!({ "uri": "two%20halves.png" }))), 0.5, [red, blue]);
    // Moved by a quarter, so that the picture begins again; and from right to left.
    let mut moved = data.clone();
    moved["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["extensions"] =
        json!({ "KHR_texture_transform": { "offset": [0.5, 0], "scale": [0.5, 1] } });
    let baked = bake(folder, &moved);
    assert!(baked.animated.albedo.iter().all(|color| *color == blue) && baked.animated.triangles.len() == 2);
    moved["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["extensions"] =
        json!({ "KHR_texture_transform": { "offset": [1, 0], "scale": [-1, 1] } });
    check(&bake(folder, &moved), 0.5, [blue, red]);
}

/// A picture that cannot be read is left out, and said so.
#[test]
fn pictures_that_cannot_be_read_are_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let cut = &HALVES[..80];
    for (image, says) in [
        (json!({ "uri": "none.png" }), "image 0 lacks its image 0: "),
        (json!({ "uri": "data:;base64,AAAA" }), "image 0 is neither PNG nor JPEG nor WebP"),
        (
            json!({ "uri": format!("data:;base64,{cut}") }),
            "image 0 cannot be decoded within 268435456 bytes and 16384 pixels",
        ),
        (json!({ "bufferView": 7 }), "image 0 refers to view 7 of 3"),
    ] {
        let baked = bake(folder.path(), &square(image));
        assert!(baked.notes.len() == 1 && baked.notes[0].starts_with(says), "{says}: {:?}", baked.notes);
        assert!(baked.animated.albedo.iter().all(|color| color.to_array() == [0.5, 1.0, 1.0]));
    }
    let mut other = square(json!({ "uri": "a.ktx2" }));
    other["textures"] = json!([{ "extensions": { "KHR_texture_basisu": { "source": 0 } } }]);
    let notes = bake(folder.path(), &other).notes;
    assert_eq!(notes, ["texture 0 is in the format of KHR_texture_basisu, which is not read"]);
}
