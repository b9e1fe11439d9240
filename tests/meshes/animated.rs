//! Animated models: where their vertices are, which files are refused, and what is kept of them.

use super::bodies::{Chance, File, body};
use super::oracle;
use super::shapes::{ball, cube, grid};
use glam::{DVec3, Vec3};
use serde_json::{Value, json};
use starlings::mesh::{Animated, BakeOptions, Baked, Clip, Parts, REACH};
use std::fs;
use std::path::Path;

fn bake(folder: &Path, name: &str, bytes: impl AsRef<[u8]>, options: &BakeOptions) -> Result<Baked, String> {
    let path = folder.join(name);
    fs::write(&path, bytes).expect("room");
    Animated::bake(&path, options).map_err(|error| error.to_string())
}

/// A skin, morph targets and a tree of nodes under every kind of key frame are where the specification says, in every
/// frame.
#[test]
fn vertices_are_where_the_specification_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut most, mut most_normal, mut looked) = (0.0f64, 0.0f64, 0);
    for seed in 0..60 {
        let chance = &mut Chance(seed << 20);
        let (file, body) = body(chance);
        let frames = 2 + chance.below(20) as u32;
        // Two of the ways that a model may look: axes of the file that are right, up and back.
        let (front, up, axes) = [
            (DVec3::Z, DVec3::Y, [(0, -1.0), (1, 1.0), (2, -1.0)]),
            (DVec3::NEG_X, DVec3::Z, [(1, 1.0), (2, 1.0), (0, 1.0)]),
        ][chance.below(2)];
        let options = BakeOptions { frames, front, up, ..BakeOptions::default() };
        let baked = bake(folder.path(), "a.glb", file.binary(), &options).expect("a model");
        let model = &baked.animated;
        let times = || body.tracks.iter().map(|track| &track.times);
        let begin = times().map(|times| times[0]).fold(f64::MAX, f64::min);
        let end = times().map(|times| times[times.len() - 1]).fold(0.0, f64::max);
        let frames = if end > begin { frames } else { 1 };
        let wanted = Clip { name: "flap", first: 0, frames, seconds: (end - begin) as f32 };
        assert_eq!(model.clips, [wanted], "model {seed}");

        let at = |frame: u32| {
            let all = oracle::vertices(&body, begin + (end - begin) * f64::from(frame) / f64::from(frames));
            let own = |vector: [f64; 3]| DVec3::from(axes.map(|(axis, side): (usize, f64)| vector[axis] * side));
            all.into_iter().map(|(color, place, normal)| (color as f32, own(place), own(normal))).collect::<Vec<_>>()
        };
        let all: Vec<_> = (0..frames).map(at).collect();
        let low = all[0].iter().fold(DVec3::MAX, |low, of| low.min(of.1));
        let high = all[0].iter().fold(DVec3::MIN, |high, of| high.max(of.1));
        let farthest = all.iter().flatten().map(|of| of.1.distance((low + high) * 0.5)).fold(0.0, f64::max);
        let scale = (1.0 / (high.z - low.z)).min(0.75 / farthest);
        assert!((baked.scale / scale - 1.0).abs() < 1e-5, "model {seed}: {} and not {scale}", baked.scale);
        assert_eq!(model.vertices(), all[0].len());
        for (frame, wanted) in all.iter().enumerate() {
            for (color, place, normal) in wanted {
                let vertex = model.albedo.iter().position(|of| of.x == *color).expect("a vertex of this color");
                let row = frame * model.vertices() + vertex;
                let want = (*place - (low + high) * 0.5) * scale;
                most = most.max(model.places[row].as_dvec3().distance(want));
                // Sums of random matrices may be nearly flat, which turns normals far for a small change.
                most_normal = most_normal.max(model.normals[row].as_dvec3().distance(*normal));
                looked += 1;
            }
        }
    }
    println!("{looked} vertices: places are off by {most:.1e} at most, normals by {most_normal:.1e}");
    assert!(most < 1e-5, "{most}");
    assert!(most_normal < 1e-3, "{most_normal}");
}

/// Parts that are good but for one thing.
#[test]
fn parts_beyond_a_limit_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = Parts::clone(
        &bake(folder.path(), "a.glb", body(&mut Chance(0)).0.binary(), &BakeOptions::default())
            .expect("a model")
            .animated,
    );
    assert!(Animated::new(good.clone()).is_ok());
    let clip = |name, first, frames, seconds| Clip { name, first, frames, seconds };
    type Change = Box<dyn Fn(&mut Parts)>;
    let table: Vec<(&str, Change)> = vec![
        ("places; accepted is one for each", Box::new(|of| of.places.truncate(5))),
        ("normals; accepted is one for each", Box::new(|of| of.normals.push(Vec3::Y))),
        ("has vertex 0 at [NaN, 0, 0] in frame 0", Box::new(|of| of.places[0] = Vec3::new(f32::NAN, 0.0, 0.0))),
        (
            "in frame 31; accepted is a distance of at most 0.75",
            Box::new(|of| *of.places.last_mut().expect("one") = Vec3::X * 0.7501),
        ),
        ("has the normal [0, 0, 0] of vertex 1 in frame 0", Box::new(|of| of.normals[1] = Vec3::ZERO)),
        ("has the normal [inf, 0, 0]", Box::new(|of| of.normals[1] = Vec3::new(f32::INFINITY, 0.0, 0.0))),
        ("has the color [0, 0, 1.5] of vertex 2", Box::new(|of| of.albedo[2] = Vec3::Z * 1.5)),
        ("has 0 triangles; accepted is from 1 to 200000", Box::new(|of| of.triangles.clear())),
        ("has 0 triangles of the coarse mesh", Box::new(|of| of.coarse.clear())),
        (
            "has 65 triangles of the coarse mesh; accepted is from 1 to 64",
            Box::new(|of| of.coarse = vec![[0, 1, 2]; 65]),
        ),
        ("has a vertex 999 in its triangles", Box::new(|of| of.triangles[0][1] = 999)),
        ("has a vertex 4294967295 in its triangles of the coarse mesh", Box::new(|of| of.coarse[0][2] = u32::MAX)),
        ("has 0 clips; accepted is from 1 to 6", Box::new(|of| of.clips.clear())),
        ("has a clip 'soar'; accepted are flap, glide,", Box::new(move |of| of.clips = vec![clip("soar", 0, 32, 1.0)])),
        ("has a clip 'swim'", Box::new(move |of| of.clips = vec![clip("flap", 0, 16, 1.0), clip("swim", 16, 16, 1.0)])),
        (
            "has the clip 'flap' twice",
            Box::new(move |of| of.clips = vec![clip("flap", 0, 16, 1.0), clip("flap", 16, 16, 1.0)]),
        ),
        (
            "begins at frame 15; accepted is 16",
            Box::new(move |of| of.clips = vec![clip("flap", 0, 16, 1.0), clip("fold", 15, 16, 1.0)]),
        ),
        ("of 0 frames", Box::new(move |of| of.clips = vec![clip("flap", 0, 0, 1.0)])),
        ("of 4294967295 frames", Box::new(move |of| of.clips = vec![clip("flap", 0, u32::MAX, 1.0)])),
        ("of 0 s; accepted is from 0.01 to 100, or 0 for a single frame", Box::new(|of| of.clips[0].seconds = 0.0)),
        ("of NaN s", Box::new(|of| of.clips[0].seconds = f32::NAN)),
        ("of 101 s", Box::new(|of| of.clips[0].seconds = 101.0)),
        ("accepted is one for each of 31 frames", Box::new(|of| of.clips[0].frames = 31)),
    ];
    for (says, change) in table {
        let mut parts = good.clone();
        change(&mut parts);
        let why = Animated::new(parts).expect_err(says);
        assert!(why.contains(says) && why.lines().count() == 1, "wanted '{says}', and was '{why}'");
    }
    let mut many = good;
    many.albedo = vec![Vec3::ONE; 65_537];
    assert!(Animated::new(many).expect_err("too many").starts_with("has 65537 vertices; accepted is from 1 to 65536"));
}

/// A far mesh of a large one: few vertices, all of the near mesh, and about as large.
#[test]
fn a_far_mesh_is_about_as_large_as_the_near_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let sheets = || grid(60, 40, false, |u, v| Vec3::new(u, 0.2 * (9.0 * v).sin(), v));
    let dust = || -> Vec<[Vec3; 3]> {
        (0..500u32)
            .map(|k| {
                let at = Vec3::new((k * 7 % 23) as f32, (k * 5 % 29) as f32, (k * 3 % 31) as f32);
                [at, at + Vec3::X * 0.4, at + Vec3::Y * 0.3]
            })
            .collect()
    };
    for (name, triangles) in
        [("box", cube()), ("ball", grid(60, 40, true, ball)), ("sheet", sheets()), ("dust", dust())]
    {
        let obj = super::files::as_obj(&triangles);
        let baked = bake(folder.path(), "a.obj", obj, &BakeOptions::default()).expect("a model").animated;
        let extent = |triangles: &[[u32; 3]]| {
            let places = || triangles.iter().flatten().map(|&corner| baked.places[corner as usize]);
            places().fold(Vec3::MIN, Vec3::max) - places().fold(Vec3::MAX, Vec3::min)
        };
        let (near, far) = (extent(&baked.triangles), extent(&baked.coarse));
        println!("{name}: {} of {} triangles, {far} of {near}", baked.coarse.len(), baked.triangles.len());
        assert!((far / near).min_element() > 0.7, "{name}: {far} of {near}");
        assert!(baked.coarse.len() >= baked.triangles.len().min(12), "{name}");
        assert_eq!(baked.clips, [Clip { name: "glide", first: 0, frames: 1, seconds: 0.0 }]);
        assert!(baked.places.iter().all(|place| place.length() <= REACH));
    }
}

/// Every bad file gets one line that names it.
#[test]
fn bad_models_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let changed = |change: &dyn Fn(&mut File)| {
        let mut file = body(&mut Chance(0)).0;
        change(&mut file);
        file.binary()
    };
    let set = |pointer: &'static str, value: Value| {
        changed(&|file| *file.json.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value.clone())
    };
    // Overwrites the bytes of the accessor that `pointer` names.
    let bytes = |pointer: &'static str, new: &[u8]| {
        changed(&|file| {
            let accessor = file.json.pointer(pointer).and_then(Value::as_u64).unwrap_or_else(|| panic!("{pointer}"));
            let view = &file.json["accessors"][accessor as usize]["bufferView"];
            let begin = file.json["bufferViews"][view.as_u64().expect("a view") as usize]["byteOffset"]
                .as_u64()
                .expect("a place");
            file.bytes[begin as usize..begin as usize + new.len()].copy_from_slice(new);
        })
    };
    let whole = body(&mut Chance(0)).0.binary();
    let nan = f32::NAN.to_le_bytes();
    let late = [9.0f32.to_le_bytes(), 1.0f32.to_le_bytes()].concat();
    let table: Vec<(&str, Vec<u8>, &str)> = vec![
        ("cut", whole[..whole.len() / 2].to_vec(), "and its header says"),
        ("circle", set("/nodes/4", json!({ "children": [0] })), "more than once; accepted is a tree of nodes"),
        ("count", set("/accessors/0/count", json!(u64::MAX)), "elements that are not all in its buffer"),
        (
            "matrices of nan",
            bytes("/skins/0/inverseBindMatrices", &nan),
            "has inverse bind matrices that are not finite, element 0",
        ),
        (
            "positions of nan",
            bytes("/meshes/0/primitives/0/attributes/POSITION", &nan),
            "has positions that are not finite, element 0 of accessor",
        ),
        (
            "normals of nan",
            bytes("/meshes/1/primitives/0/targets/0/NORMAL", &nan),
            "has morph targets that are not finite, element 0",
        ),
        (
            "points",
            changed(&|file| (0..2).for_each(|mesh| file.json["meshes"][mesh]["primitives"][0]["mode"] = 0.into())),
            "has no triangles",
        ),
        ("no scene", set("/scenes/0/nodes", json!([])), "has no triangles"),
        ("no bytes", set("/buffers/0", json!({ "uri": "none.bin" })), "lacks its buffer 0"),
        ("no matrices", set("/skins/0/joints", json!([2, 1, 1])), "has 2 inverse bind matrices of 3 joints"),
        ("few joints", set("/skins/0/joints", json!([2])), "of a joint that its skin lacks; accepted are 1 joints"),
        ("joint elsewhere", set("/skins/0/joints", json!([2, 77])), "has a joint 77 that hangs on no root"),
        (
            "no joints",
            changed(&|file| {
                let all = &mut file.json["meshes"][0]["primitives"][0]["attributes"];
                *all = json!({ "POSITION": all["POSITION"] });
            }),
            "has a mesh with a skin and without JOINTS_0",
        ),
        (
            "half of a set",
            changed(&|file| {
                file.json["meshes"][0]["primitives"][0]["attributes"]
                    .as_object_mut()
                    .expect("a table")
                    .remove("JOINTS_0");
            }),
            "has only one of JOINTS_0 and WEIGHTS_0",
        ),
        (
            "below zero",
            changed(&|file| {
                let positions = &file.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"];
                let positions = &file.json["accessors"][positions.as_u64().expect("an index") as usize];
                let count = positions["count"].as_u64().expect("a count") as usize;
                let (accessor, _) = file.accessor(5126, (4, false), &vec![-1.0; 4 * count]);
                let all = file.json["meshes"][0]["primitives"][0]["attributes"].as_object_mut().expect("a table");
                all.iter_mut()
                    .filter(|(name, _)| name.starts_with("WEIGHTS"))
                    .for_each(|(_, of)| *of = accessor.into());
            }),
            "has a vertex with a weight of a joint below 0",
        ),
        ("times", late_times(&late), "has a key frame before the one that precedes it, element 1 of accessor "),
        (
            "times of nan",
            bytes("/animations/0/samplers/0/input", &nan),
            "has times of key frames that are not finite, element 0",
        ),
        (
            "node",
            set("/animations/0/channels/0/target/node", json!(77)),
            "has a channel in animation 0 of node 77, which is not there",
        ),
        ("sampler", set("/animations/0/channels/0/sampler", json!(77)), "refers to sampler of an animation 77 of "),
        (
            "interpolation",
            set("/animations/0/samplers/0/interpolation", json!("BEZIER")),
            "has an animation of an unknown interpolation",
        ),
        ("rotation of a node", set("/nodes/1/rotation", json!([0, 0, 0, 0])), "has a node 1 with the rotation 0,0,0,0"),
        (
            "colors",
            changed(&|file| {
                let (accessor, _) = file.accessor(5126, (3, false), &[0.5; 6]);
                file.json["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = accessor.into();
            }),
            "has 2 colors of ",
        ),
        (
            "integers",
            changed(&|file| {
                let (accessor, _) = file.accessor(5121, (3, true), &[1.0; 3]);
                file.json["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = accessor.into();
            }),
            "has colors that are not of 3 floats or normalized integers",
        ),
        (
            "one place",
            changed(&|file| {
                file.json["nodes"][0]["scale"] = json!([0, 0, 0]);
                file.json["animations"] = json!([]);
            }),
            "has all its vertices in one place in its first frame; accepted is a model of some size",
        ),
    ];
    for (name, content, says) in table {
        let file = format!("{name}.glb");
        let got = bake(folder.path(), &file, &content, &BakeOptions::default());
        let error = got.map(|_| ()).expect_err(name);
        assert!(
            error.contains(&file) && error.contains(says) && error.lines().count() == 1,
            "{name}: wanted '{says}', and was '{error}'"
        );
    }
}

/// The first animation whose first sampler has two keys or more, with these bytes as its first times.
fn late_times(times: &[u8]) -> Vec<u8> {
    let mut file = body(&mut Chance(0)).0;
    let (input, _) = file.accessor(5126, (1, false), &[1.0, 2.0]);
    let (output, _) = file.accessor(5126, (3, false), &[0.0; 6]);
    let begin =
        file.json["bufferViews"].as_array().expect("a list")[input]["byteOffset"].as_u64().expect("a place") as usize;
    file.bytes[begin..begin + times.len()].copy_from_slice(times);
    file.json["animations"] = json!([{ "samplers": [{ "input": input, "output": output }],
        "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }] }]);
    file.binary()
}

/// Clips by flags, by names of animations, and by default.
#[test]
fn animations_become_clips() {
    let folder = tempfile::tempdir().expect("a folder");
    let named = |names: &[&str]| {
        let mut file = body(&mut Chance(7)).0;
        let one = file.json["animations"][0].clone();
        let all = names.iter().map(|name| {
            let mut animation = one.clone();
            animation["name"] = (*name).into();
            animation
        });
        file.json["animations"] = all.collect::<Vec<_>>().into();
        file.binary()
    };
    let clips = |names: &[&str], clips: &[(&str, &str)], frames: u32| {
        let clips = clips.iter().map(|(clip, name)| ((*clip).to_owned(), (*name).to_owned())).collect();
        let options = BakeOptions { clips, frames, ..BakeOptions::default() };
        let baked = bake(folder.path(), "a.glb", named(names), &options)?;
        Ok(baked.animated.clips.iter().map(|clip| clip.name).collect::<Vec<_>>())
    };
    let no = |found: Result<Vec<&'static str>, String>| found.expect_err("refused");
    let ok = |names: &[&'static str]| Ok::<_, String>(names.to_vec());
    assert_eq!(clips(&["Take 001"], &[], 9), ok(&["flap"]));
    assert_eq!(
        clips(&["Armature|BANK_LEFT", "a Glide", "FLAP.001", "flap"], &[], 9),
        ok(&["flap", "glide", "bank-left"])
    );
    assert_eq!(clips(&["Swim", "Rest", "Flap"], &[], 9), ok(&["swim", "rest"]));
    assert_eq!(clips(&["a", "b"], &[("perch", "b"), ("flap", "0")], 9), ok(&["perch", "flap"]));
    assert_eq!(clips(&["a", "b"], &[("swim", "b"), ("rest", "b")], 128), ok(&["swim", "rest"]));
    assert_eq!(clips(&["1", "0"], &[("flap", "0")], 9), ok(&["flap"]));
    for (clip, name, says) in [
        ("flap", "c", "clip is flap=c; accepted is 0 'a', 1 'b'"),
        ("flap", "2", "clip is flap=2; accepted is 0 'a', 1 'b'"),
        ("soar", "a", "clip is soar=a; accepted is NAME=ANIMATION with a NAME of flap, glide,"),
    ] {
        let error = no(clips(&["a", "b"], &[(clip, name)], 9));
        assert!(error.contains(says), "{error}");
    }
    let twice = no(clips(&["a"], &[("flap", "a"), ("flap", "0")], 9));
    assert!(twice.contains("accepted is one animation for flap"), "{twice}");
    let both = no(clips(&["a"], &[("flap", "a"), ("rest", "0")], 9));
    assert!(both.contains("accepted is clips of a bird or clips of a fish, not both"), "{both}");
    let many = no(clips(&["flap", "fold", "glide"], &[], 100));
    assert!(many.contains("frames is 100; accepted is at most 85 for 3 clips that move"), "{many}");
}
