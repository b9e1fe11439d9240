//! Exported files, read back with other programs.

#[path = "../common/mod.rs"]
mod common;
mod files;
mod settings;

use glam::Vec3;
use npyz::npz::file_name_from_array_name;
use starlings::flock::{Settings, targets};
use starlings::mesh::{Animated, BakeOptions};
use starlings_cli::export::{
    Existing, FlockArchive, OutputFile, TrajectoryFile, parameters, read_model, write_model, write_png,
};
use std::io::Read;
use std::path::Path;
use std::process::Command;

const BOIDS: u32 = 7;
const STEPS: [u32; 3] = [0, 5, 10];

fn settings() -> Settings {
    Settings::preset("counting-sort").expect("a known preset").with_boids(BOIDS)
}

/// Sample `k` holds `(k, i, 0.5)` as the position of boid `i`, and its negative as the velocity.
fn sample(k: usize) -> (Vec<Vec3>, Vec<Vec3>) {
    let position: Vec<Vec3> = (0..BOIDS).map(|i| Vec3::new(k as f32, i as f32, 0.5)).collect();
    let velocity = position.iter().map(|p| -*p).collect();
    (position, velocity)
}

fn write_archive(path: &Path) {
    let out = OutputFile::create(path, Existing::Keep).expect("a new file");
    let mut archive = FlockArchive::new(out, &settings(), &parameters(&settings())).expect("room");
    for (k, step) in STEPS.into_iter().enumerate() {
        let (position, velocity) = sample(k);
        archive.push(step, &position, &velocity).expect("room");
    }
    let length = Box::new(archive).finish().expect("room");
    assert_eq!(length, std::fs::metadata(path).expect("a file").len());
}

fn array<T: npyz::Deserialize>(path: &Path, name: &str) -> (Vec<u64>, Vec<T>) {
    let file = std::fs::File::open(path).expect("a file");
    let mut zip = zip::ZipArchive::new(file).expect("a zip archive");
    let mut bytes = Vec::new();
    zip.by_name(&file_name_from_array_name(name)).expect("the array").read_to_end(&mut bytes).expect("its bytes");
    let array = npyz::NpyFile::new(&bytes[..]).expect("an array");
    (array.shape().to_vec(), array.into_vec().expect("its elements"))
}

#[test]
fn an_archive_holds_the_given_values() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("flock.npz");
    write_archive(&path);
    assert_eq!(array::<u32>(&path, "id"), (vec![7], (0..BOIDS).collect()));
    assert_eq!(array::<u32>(&path, "step"), (vec![3], STEPS.to_vec()));
    let (shape, text) = array::<String>(&path, "parameters");
    assert!(shape.is_empty(), "a scalar, not {shape:?}");
    let read: serde_json::Value = serde_json::from_str(&text[0]).expect("JSON");
    assert_eq!(read, serde_json::Value::Object(parameters(&settings())));
    let (shape, target) = array::<f32>(&path, "target");
    assert_eq!(shape, [3, 16, 3]);
    let places = STEPS.iter().flat_map(|&step| targets::at_step(&settings(), step));
    assert_eq!(target, places.flat_map(|place| [place[0], place[1], place[2]]).collect::<Vec<_>>());
    for (name, sign) in [("position", 1.0), ("velocity", -1.0)] {
        let (shape, elements) = array::<f32>(&path, name);
        assert_eq!(shape, [3, 7, 3]);
        let expected: Vec<f32> = (0..3).flat_map(|k| sample(k).0).flat_map(|p| (p * sign).to_array()).collect();
        assert_eq!(elements, expected, "{name}");
    }
}

#[test]
fn numpy_opens_an_archive() {
    let Some(python) = common::python_with_numpy() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("flock.npz");
    write_archive(&path);
    let script = "
import json, sys
import numpy as np
f = np.load(sys.argv[1], allow_pickle=False)
assert sorted(f.files) == ['id', 'parameters', 'position', 'step', 'target', 'velocity'], f.files
assert f['id'].tolist() == list(range(7)) and f['id'].dtype == np.uint32
assert f['step'].tolist() == [0, 5, 10]
p, v = f['position'], f['velocity']
assert p.shape == v.shape == (3, 7, 3) and p.dtype == v.dtype == np.float32
assert (p[2, 4] == [2, 4, 0.5]).all() and (v == -p).all()
assert f['target'].shape == (3, 16, 3)
parameters = json.loads(str(f['parameters']))
assert parameters['preset'] == 'counting-sort' and parameters['boids'] == 7
assert np.float32(parameters['time_step']) == np.float32(1) / np.float32(60)
";
    let output = Command::new(&python).args(["-c", script]).arg(&path).output().expect("python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn an_abandoned_archive_leaves_no_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("flock.npz");
    let out = OutputFile::create(&path, Existing::Keep).expect("a new file");
    let mut archive = FlockArchive::new(out, &settings(), &parameters(&settings())).expect("room");
    let (position, velocity) = sample(0);
    archive.push(0, &position, &velocity).expect("room");
    drop(archive);
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

#[test]
fn a_picture_is_what_was_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("picture.png");
    let (width, height) = (3, 2);
    let rgba: Vec<u8> = (0..4 * width * height).map(|byte| byte as u8).collect();
    let mut out = OutputFile::create(&path, Existing::Keep).expect("a new file");
    write_png(&mut out, (width, height), &rgba, "{\"seed\": 1}", None).expect("room");
    out.commit().expect("room");
    let decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&path).expect("a file")));
    let mut reader = decoder.read_info().expect("a picture");
    let mut rgb = vec![0; reader.output_buffer_size().expect("a small picture")];
    let info = reader.next_frame(&mut rgb).expect("its pixels");
    assert_eq!((info.width, info.height, info.color_type), (width, height, png::ColorType::Rgb));
    let expected: Vec<u8> = rgba.chunks(4).flat_map(|pixel| pixel[..3].to_vec()).collect();
    assert_eq!(rgb, expected);
    let comment = &reader.info().utf8_text[0];
    assert_eq!(comment.get_text().expect("plain text"), "{\"seed\": 1}");
}

/// What is read again has the same bits.
#[test]
fn a_baked_model_that_is_written_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["morph", "skin"] {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/corpus/model/{name}.glb"));
        for frames in [2, 9] {
            let options = BakeOptions { frames, ..BakeOptions::default() };
            let model = Animated::bake(&source, &options).expect("a model").animated;
            let path = folder.path().join(format!("{name}-{frames}.npz"));
            write_model(&model, OutputFile::create(&path, Existing::Keep).expect("a new file")).expect("room");
            let read = read_model(&path).expect("our own file");
            assert_eq!(read, model);
            let bits = |list: &[Vec3]| list.iter().map(|at| at.to_array().map(f32::to_bits)).collect::<Vec<_>>();
            assert_eq!((bits(&read.places), bits(&read.normals)), (bits(&model.places), bits(&model.normals)));
        }
    }
}
