//! `--obstacle mesh:...`: meshes from files.

use super::{assert_refused, run, text};
use crate::common::meshes::{as_obj, rock};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const FLIGHT: &str = "simulate --preset reynolds --boids 200 --steps 30 --every 30 --hash";

fn done(folder: &Path, line: &str) -> String {
    let output = run(folder, line);
    assert!(output.status.success(), "{line}: {}", text(&output.stderr));
    text(&output.stdout)
}

fn with_rocks() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("a box: rocks")).expect("room");
    fs::write(folder.path().join("rock.obj"), as_obj(&rock(true))).expect("room");
    fs::write(folder.path().join("a box: rocks").join("bowl.obj"), as_obj(&rock(false))).expect("room");
    folder
}

/// A mesh moves boids, and a config file, a picture and a checkpoint know it by its file and its triangles.
#[test]
fn a_mesh_is_an_obstacle_like_others() {
    let Some(_) = crate::common::device() else { return };
    let folder = with_rocks();
    let done = |line: &str| done(folder.path(), line);
    let mesh = "--obstacle sphere:2,3,2,0.5/mesh:0,0,0,4,30,./rock.obj/plane:0,-9,0,0,1,0";
    let flown = done(&format!("{FLIGHT} {mesh}"));
    assert_ne!(flown, done(&format!("{FLIGHT} --obstacle sphere:2,3,2,0.5/plane:0,-9,0,0,1,0")));
    assert_ne!(flown, done(&format!("{FLIGHT} {}", mesh.replace(",4,30,", ",4,50,"))));
    let config = done(&format!("config reynolds --boids 200 {mesh}"));
    assert!(config.contains("/mesh:0,0,0,4,30,./rock.obj#"), "{config}");
    fs::write(folder.path().join("a.toml"), &config).expect("room");
    assert_eq!(flown, done("simulate --config a.toml --steps 30 --every 30 --hash"));

    let picture = "render --preset reynolds --boids 200 --frames 9 --size 65x36";
    done(&format!("{picture} {mesh} --out a.png"));
    done(&format!("{picture} --out none.png"));
    done("render --from a.png --out b.png");
    let at = |name: &str| fs::read(folder.path().join(name)).expect("a picture");
    assert!(at("a.png") == at("b.png"), "another picture");
    let pixels = |name: &str| super::pixels(&folder.path().join(name));
    assert!(pixels("a.png") != pixels("none.png"), "nothing in the picture");
    done(&format!("simulate --preset reynolds --boids 200 --steps 10 --checkpoint a.npz {mesh}"));
    done("simulate --resume a.npz --steps 5 --hash --every 5");

    // Other triangles in the same file, and then no file.
    fs::write(folder.path().join("rock.obj"), as_obj(&rock(false))).expect("room");
    let lines = [
        "render --from a.png --out c.png",
        "simulate --resume a.npz --steps 5 --hash --every 5",
        "config --config a.toml",
    ];
    for line in lines {
        assert_refused(
            &run(folder.path(), line),
            2,
            &["./rock.obj has other triangles than it had: their number"],
            line,
        );
    }
    fs::remove_file(folder.path().join("rock.obj")).expect("our own file");
    for line in lines {
        assert_refused(&run(folder.path(), line), 2, &["./rock.obj: No such file"], line);
    }
    assert!(!folder.path().join("c.png").exists());
}

/// Names of files may have what divides obstacles, ends a text, or is a word of a shell.
#[test]
fn names_of_files_are_kept() {
    let folder = with_rocks();
    fs::rename(folder.path().join("rock.obj"), folder.path().join("a\"b, it's #1.obj")).expect("our own file");
    for (name, says) in
        [("a\"b, it's #1.obj", "a\\\"b, it's #1.obj#"), ("a box: rocks/bowl.obj", "a box: rocks/bowl.obj#")]
    {
        let obstacle = format!("mesh:0,0,0,4,30,{name}/sphere:1,2,3,4");
        let output = super::starlings(folder.path(), &["config", "reynolds", "--obstacle", &obstacle]).output();
        let config = text(&output.expect("the program starts").stdout);
        assert!(config.contains(says) && config.contains("/sphere:1,2,3,4\""), "{name}: {config}");
        fs::write(folder.path().join("a.toml"), &config).expect("room");
        assert_eq!(config, done(folder.path(), "config --config a.toml"), "{name}");
    }
}

#[test]
fn meshes_that_cannot_be_used_are_refused() {
    let folder = with_rocks();
    let bytes: Vec<u8> = rock(true).iter().flatten().flat_map(|at| at.to_array()).flat_map(f32::to_le_bytes).collect();
    fs::write(folder.path().join("a.bin"), &bytes).expect("room");
    let document = json!({
        "asset": { "version": "2.0" }, "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": bytes.len() / 12,
                        "min": [-9, -9, -9], "max": [9, 9, 9] }],
        "bufferViews": [{ "buffer": 0, "byteLength": bytes.len() }],
        "buffers": [{ "byteLength": bytes.len(), "uri": "a.bin" }],
    });
    let changed = |path: &str, value: Value| {
        let mut all = document.clone();
        *all.pointer_mut(path).expect("there") = value;
        all.to_string()
    };
    let whole = document.to_string();
    for (name, content) in [
        ("good.gltf", whole.clone()),
        ("cut.gltf", whole[..whole.len() / 2].to_owned()),
        ("circle.gltf", changed("/nodes", json!([{ "children": [1] }, { "children": [0] }]))),
        ("many.gltf", changed("/accessors/0/count", json!(u64::MAX))),
        ("lacks.gltf", changed("/buffers/0/uri", "none.bin".into())),
        ("nan.obj", "v 0 nan 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".to_owned()),
        ("none.obj", "v 0 0 0\n".to_owned()),
        ("cut.glb", "glTF".to_owned()),
        ("a.stl", String::new()),
    ] {
        fs::write(folder.path().join(name), content).expect("room");
    }
    let line = |file: &str| format!("config reynolds --obstacle sphere:0,0,0,1/mesh:0,0,0,4,0,{file}");
    done(folder.path(), &line("good.gltf"));
    for (file, says) in [
        ("cut.gltf", "cut.gltf is not accepted as glTF: EOF"),
        ("circle.gltf", "circle.gltf has node 0 more than once; accepted is a tree of nodes"),
        ("many.gltf", "many.gltf has an accessor 0 of 18446744073709551615 elements that are not all in its buffer"),
        ("lacks.gltf", "lacks.gltf lacks its buffer 0: none.bin: No such file"),
        ("nan.obj", "nan.obj has a corner at [0, NaN, 0]; accepted are numbers from"),
        ("none.obj", "none.obj has no triangles; accepted is at least 1"),
        ("cut.glb", "cut.glb has 4 bytes; accepted is a whole file"),
        ("a.stl", "a.stl is no mesh; accepted is a file .obj, .gltf or .glb"),
        ("missing.obj", "missing.obj: No such file"),
        ("rock.obj#0123456789abcdef", "rock.obj has other triangles than it had: their number is "),
    ] {
        assert_refused(&run(folder.path(), &line(file)), 2, &[says], file);
    }
    let many: Vec<String> = (0..17).map(|k| format!("mesh:0,0,0,1,0,{k}.obj")).collect();
    for (obstacle, says) in [
        (many.join("/").as_str(), "--obstacle is 17 meshes; accepted is up to 16"),
        ("mesh:0,0,0,0,0,rock.obj", "--obstacle (largest edge of a mesh) is 0; accepted is a number from 0.000001 to"),
        (
            "mesh:0,0,0,1,361,rock.obj",
            "--obstacle (turn of a mesh) is 361; accepted is a number from -360 to 360, in degrees",
        ),
        ("mesh:0,0,0,1,rock.obj", "--obstacle is 'mesh:0,0,0,1,rock.obj'; accepted is sphere:X,Y,Z,RADIUS, "),
    ] {
        assert_refused(&run(folder.path(), &format!("config reynolds --obstacle {obstacle}")), 2, &[says], obstacle);
    }
}
