//! Small animated models, written as binary glTF and known as numbers.

use serde_json::{Value, json};
use starlings::flock::random::{self, Stream};

/// Random numbers, the same in each run.
pub struct Chance(pub u64);

impl Chance {
    pub fn below(&mut self, most: usize) -> usize {
        self.0 += 1;
        (random::bits(23, Stream::Influence, self.0, 0) % most as u64) as usize
    }

    /// From -1 to 1.
    pub fn number(&mut self) -> f64 {
        f64::from((self.below(1 << 20) as f32 / (1 << 19) as f32) - 1.0)
    }

    pub fn numbers<const N: usize>(&mut self) -> [f64; N] {
        std::array::from_fn(|_| self.number())
    }

    /// A quaternion of any sign.
    pub fn turn(&mut self) -> [f64; 4] {
        let q: [f64; 4] = self.numbers();
        let length = q.iter().map(|x| x * x).sum::<f64>().sqrt().max(0.01);
        q.map(|x| f64::from((x / length) as f32))
    }
}

/// The parts of a binary glTF file.
pub struct File {
    pub json: Value,
    pub bytes: Vec<u8>,
}

impl File {
    pub fn new() -> File {
        File {
            json: json!({ "asset": { "version": "2.0" }, "scene": 0, "accessors": [], "bufferViews": [], "buffers": [{}] }),
            bytes: Vec::new(),
        }
    }

    /// Adds an accessor of `width` numbers for each element, of a component type of glTF, and returns its index and the
    /// numbers as they are kept. Integers are fractions unless `whole`.
    pub fn accessor(&mut self, kind: u32, (width, whole): (usize, bool), numbers: &[f64]) -> (usize, Vec<f64>) {
        let begin = self.bytes.len();
        let kept = numbers.iter().map(|&x| {
            let most = match kind {
                5126 => 0.0,
                _ if whole => 1.0,
                5120 => 127.0,
                5121 => 255.0,
                5122 => 32_767.0,
                _ => 65_535.0,
            };
            let integer = (x * most).round();
            match kind {
                5126 => self.bytes.extend((x as f32).to_le_bytes()),
                5120 => self.bytes.extend((integer as i8).to_le_bytes()),
                5121 => self.bytes.extend((integer as u8).to_le_bytes()),
                5122 => self.bytes.extend((integer as i16).to_le_bytes()),
                5123 => self.bytes.extend((integer as u16).to_le_bytes()),
                _ => self.bytes.extend((integer as u32).to_le_bytes()),
            }
            if kind == 5126 { f64::from(x as f32) } else { integer / most }
        });
        let kept: Vec<f64> = kept.collect();
        let length = self.bytes.len() - begin;
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let shape = ["", "SCALAR", "VEC2", "VEC3", "VEC4"].get(width).unwrap_or(&"MAT4");
        let view = json!({ "buffer": 0, "byteOffset": begin, "byteLength": length });
        self.add("bufferViews", view);
        let view = self.list("bufferViews") - 1;
        let normalized = kind < 5125 && !whole;
        self.add(
            "accessors",
            json!({ "bufferView": view, "componentType": kind, "type": shape, "normalized": normalized,
            "count": numbers.len() / width, "min": vec![-1e9; width], "max": vec![1e9; width] }),
        );
        (self.list("accessors") - 1, kept)
    }

    pub fn add(&mut self, list: &str, value: Value) {
        self.json[list].as_array_mut().expect("a list").push(value);
    }

    fn list(&self, name: &str) -> usize {
        self.json[name].as_array().expect("a list").len()
    }

    /// The bytes of the file.
    pub fn binary(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        json["buffers"][0]["byteLength"] = self.bytes.len().into();
        let mut text = json.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let word = |n: usize| (n as u32).to_le_bytes();
        let (length, data) = (12 + 8 + text.len() + 8 + self.bytes.len(), &self.bytes);
        [&b"glTF"[..], &word(2), &word(length), &word(text.len()), b"JSON", &text, &word(data.len()), b"BIN\0", data]
            .concat()
    }
}

/// What an animation does to a node.
pub struct Track {
    pub node: usize,
    pub path: &'static str,
    pub way: &'static str,
    pub times: Vec<f64>,
    pub width: usize,
    pub values: Vec<f64>,
}

/// Parent, translation, rotation and scale.
pub type Node = (Option<usize>, [f64; 3], [f64; 4], [f64; 3]);

/// A model as numbers: what the file says, after its own rounding.
#[derive(Default)]
pub struct Body {
    pub nodes: Vec<Node>,
    pub tracks: Vec<Track>,
    pub skinned: Vec<Skinned>,
    pub morphed: Vec<Morphed>,
    /// The node of the morphed mesh, its weights, and the joints with their inverse bind matrices, by columns.
    pub mesh_node: usize,
    pub weights: Vec<f64>,
    pub joints: Vec<(usize, [f64; 16])>,
}

pub struct Skinned {
    pub place: [f64; 3],
    pub normal: [f64; 3],
    pub influences: Vec<(usize, f64)>,
    pub color: f64,
}

pub struct Morphed {
    pub place: [f64; 3],
    pub normal: [f64; 3],
    /// How far each target moves place and normal.
    pub targets: Vec<[[f64; 3]; 2]>,
    pub color: f64,
}

const WAYS: [&str; 3] = ["LINEAR", "STEP", "CUBICSPLINE"];

/// A model of a skin with two joints and of a mesh with two morph targets, in a tree of nodes that all move.
pub fn body(chance: &mut Chance) -> (File, Body) {
    let mut file = File::new();
    let mut body = Body::default();
    let mut nodes = Vec::new();
    let single = |x: [f64; 3]| x.map(|x| f64::from(x as f32));
    for (at, parent) in [None, Some(0), Some(1), Some(0), Some(2)].into_iter().enumerate() {
        let (t, r, s) =
            (chance.numbers::<3>(), chance.turn(), chance.numbers::<3>().map(|x| f64::from((1.0 + 0.4 * x) as f32)));
        // One that mirrors.
        let s = if at == 4 && chance.below(2) == 0 { [-s[0], s[1], s[2]] } else { s };
        body.nodes.push((parent, t, r, s));
        nodes.push(json!({ "translation": t, "rotation": r, "scale": s }));
    }
    nodes[0]["children"] = json!([1, 3]);
    nodes[1]["children"] = json!([2]);
    nodes[2]["children"] = json!([4]);
    nodes[3]["mesh"] = 0.into();
    nodes[3]["skin"] = 0.into();
    nodes[4]["mesh"] = 1.into();
    file.json["scenes"] = json!([{ "nodes": [0] }]);

    let inverse: Vec<f64> = (0..2)
        .flat_map(|_| {
            let mut matrix: [f64; 16] = chance.numbers();
            (0..4).for_each(|row| matrix[4 * row + 3] = f64::from(u8::from(row == 3)));
            matrix
        })
        .collect();
    let (accessor, inverse) = file.accessor(5126, (16, false), &inverse);
    file.json["skins"] = json!([{ "joints": [2, 1], "inverseBindMatrices": accessor }]);
    let half = |at: usize| inverse[16 * at..16 * at + 16].try_into().expect("16 numbers");
    body.joints = vec![(2, half(0)), (1, half(1))];

    let count = 5 + 2 * chance.below(8);
    let vectors = |chance: &mut Chance| -> Vec<f64> { (0..count).flat_map(|_| chance.numbers::<3>()).collect() };
    let at =
        |list: &[f64], vertex: usize| -> [f64; 3] { list[3 * vertex..3 * vertex + 3].try_into().expect("3 numbers") };
    let mut meshes = Vec::new();
    for mesh in 0..2 {
        let (positions, places) = file.accessor(5126, (3, false), &vectors(chance));
        let (normals, directions) = file.accessor(5126, (3, false), &vectors(chance));
        // A gray of its own tells each vertex.
        let grays: Vec<f64> = (0..count).map(|vertex| (1 + vertex + mesh * count) as f64 / 64.0).collect();
        let (colors, grays) = file.accessor(5126, (3, false), &grays.iter().flat_map(|&x| [x; 3]).collect::<Vec<_>>());
        let order: Vec<f64> = (0..count - 2).flat_map(|i| [i, i + 1, i + 2]).map(|i| i as f64).collect();
        let (indices, _) = file.accessor([5121, 5123, 5125][chance.below(3)], (1, true), &order);
        let mut attributes = json!({ "POSITION": positions, "NORMAL": normals, "COLOR_0": colors });
        if mesh == 0 {
            let mut all = vec![Vec::new(); count];
            for set in 0..1 + chance.below(2) {
                let joints: Vec<f64> = (0..4 * count).map(|_| chance.below(2) as f64).collect();
                let weights: Vec<f64> = (0..4 * count).map(|_| 0.05 + chance.number().abs()).collect();
                let (kinds, fractions) = ([5121, 5123], [5126, 5121, 5123]);
                let (accessor, joints) = file.accessor(kinds[chance.below(2)], (4, true), &joints);
                attributes[format!("JOINTS_{set}")] = accessor.into();
                let (accessor, weights) = file.accessor(
                    fractions[chance.below(3)],
                    (4, false),
                    &weights.iter().map(|x| x / 1.1).collect::<Vec<_>>(),
                );
                attributes[format!("WEIGHTS_{set}")] = accessor.into();
                for (vertex, list) in all.iter_mut().enumerate() {
                    list.extend((4 * vertex..4 * vertex + 4).map(|k| (joints[k] as usize, weights[k])));
                }
            }
            body.skinned = all
                .into_iter()
                .enumerate()
                .map(|(vertex, influences)| Skinned {
                    place: at(&places, vertex),
                    normal: at(&directions, vertex),
                    influences,
                    color: grays[3 * vertex],
                })
                .collect();
            meshes.push(json!({ "primitives": [{ "attributes": attributes, "indices": indices }] }));
            continue;
        }
        let mut targets = Vec::new();
        let mut moves = vec![Vec::new(); count];
        for _ in 0..2 {
            let (positions, places) = file.accessor(5126, (3, false), &vectors(chance));
            let (normals, directions) = file.accessor(5126, (3, false), &vectors(chance));
            targets.push(json!({ "POSITION": positions, "NORMAL": normals }));
            moves
                .iter_mut()
                .enumerate()
                .for_each(|(vertex, list)| list.push([at(&places, vertex), at(&directions, vertex)]));
        }
        body.morphed = moves
            .into_iter()
            .enumerate()
            .map(|(vertex, targets)| Morphed {
                place: at(&places, vertex),
                normal: at(&directions, vertex),
                targets,
                color: grays[3 * vertex],
            })
            .collect();
        body.mesh_node = 4;
        body.weights = single([chance.number(), chance.number(), 0.0])[..2].to_vec();
        let mut entry = json!({ "primitives": [{ "attributes": attributes, "indices": indices, "targets": targets }], "weights": body.weights });
        // Those of the node have precedence.
        if chance.below(2) == 0 {
            entry["weights"] = json!([0.25, 0.75]);
            nodes[4]["weights"] = json!(body.weights);
        }
        meshes.push(entry);
    }
    file.json["meshes"] = meshes.into();
    file.json["nodes"] = nodes.into();
    animate(&mut file, &mut body, chance);
    (file, body)
}

fn animate(file: &mut File, body: &mut Body, chance: &mut Chance) {
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    let paths = ["translation", "rotation", "scale"];
    let all = (0..5).flat_map(|node| paths.map(|path| (node, path))).chain([(4, "weights")]);
    for (node, path) in all {
        if chance.below(3) == 0 && path != "weights" {
            continue;
        }
        let way = WAYS[chance.below(3)];
        let keys = (1 + chance.below(6)).max(if way == "CUBICSPLINE" { 2 } else { 1 });
        let mut time = 0.3 * chance.number().abs();
        let times: Vec<f64> = (0..keys)
            .map(|_| {
                time += 0.05 + 0.3 * chance.number().abs();
                time
            })
            .collect();
        let width = match path {
            "rotation" => 4,
            "weights" => 1,
            _ => 3,
        };
        let parts = if way == "CUBICSPLINE" { 3 } else { 1 };
        let elements = keys * parts * if path == "weights" { 2 } else { 1 };
        let values: Vec<f64> = (0..elements)
            .flat_map(|k| match path {
                "rotation" if parts == 1 || k % 3 == 1 => chance.turn().to_vec(),
                "scale" => chance.numbers::<3>().map(|x| 1.0 + 0.3 * x).to_vec(),
                _ => (0..width).map(|_| chance.number()).collect(),
            })
            .collect();
        let kind = match path {
            "rotation" | "weights" => [5126, 5122, 5120][chance.below(3)],
            _ => 5126,
        };
        let (input, times) = file.accessor(5126, (1, false), &times);
        let (output, values) = file.accessor(kind, (width, false), &values);
        channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }));
        samplers.push(json!({ "input": input, "output": output, "interpolation": way }));
        let width = if path == "weights" { 2 } else { width };
        body.tracks.push(Track { node, path, way, times, width, values });
    }
    file.json["animations"] = json!([{ "name": "Armature|Fly", "samplers": samplers, "channels": channels }]);
}
