//! Reads the scene of a glTF file: nodes, meshes, skins and animations.

use super::super::gltf::{File, Kind};
use super::NEAR_TRIANGLES_MOST;
use super::primitive::{Primitive, check_vertices};
use super::sampler::Channel;
use super::scene::{Animation, Body, Local, Node, Scene, Skin};
use glam::{DMat4, DQuat, DVec3};
use gltf::Node as Source;
use gltf::animation::Property;
use gltf::json::validation::Checked;
use gltf::scene::Transform;
use std::collections::HashMap;
use std::path::Path;

/// Numbers of the key frames of all channels, at most: many channels may share the same bytes.
const MOST_KEYS: usize = 1 << 26;

/// Reads the file at `path`, which has these bytes.
pub fn read(path: &Path, bytes: &[u8]) -> Result<Scene, String> {
    let file = File::open(path, bytes)?;
    let sources = file.nodes()?;
    let places = sources.iter().enumerate().map(|(at, (node, _))| (node.index(), at)).collect();
    let (scene, known) = (Scene::default(), Known { nodes: places, ..Known::default() });
    let mut reader = Reader { file: &file, scene, known, sizes: Sizes::default() };
    for (at, (source, parent)) in sources.iter().enumerate() {
        reader.scene.nodes.push(node(source, *parent)?);
        if let Some(mesh) = source.mesh() {
            reader.body(at, &mesh, source.skin())?;
        }
    }
    if reader.sizes.triangles == 0 {
        return Err("has no triangles; accepted is at least 1".into());
    }
    for animation in file.document.animations() {
        reader.animation(&animation)?;
    }
    Ok(reader.scene)
}

/// A file that is being read.
struct Reader<'a> {
    file: &'a File,
    scene: Scene,
    known: Known,
    sizes: Sizes,
}

/// The place in a list of the scene of what has this number in the file.
#[derive(Default)]
struct Known {
    nodes: HashMap<usize, usize>,
    meshes: HashMap<usize, usize>,
    skins: HashMap<usize, usize>,
}

/// How much was read. A file that uses the same bytes many times is larger than it seems.
#[derive(Default)]
struct Sizes {
    vertices: usize,
    triangles: usize,
    /// Vectors of morph targets.
    deltas: usize,
    /// Numbers of key frames.
    keys: usize,
}

impl Reader<'_> {
    /// Reads what the node at `node` in the scene's list shows.
    fn body(&mut self, node: usize, mesh: &gltf::Mesh<'_>, skin: Option<gltf::Skin<'_>>) -> Result<(), String> {
        let mesh = self.mesh(mesh)?;
        let skin = skin.map(|skin| self.skin(&skin)).transpose()?;
        let primitives = &self.scene.meshes[mesh];
        if let Some(skin) = skin {
            check_joints(primitives, self.scene.skins[skin].joints.len())?;
        }
        self.sizes.vertices += primitives.iter().map(|primitive| primitive.places.len()).sum::<usize>();
        self.sizes.triangles += primitives.iter().map(|primitive| primitive.corners.len()).sum::<usize>();
        check_vertices(self.sizes.vertices)?;
        if self.sizes.triangles > NEAR_TRIANGLES_MOST {
            return Err(format!("has more than {NEAR_TRIANGLES_MOST} triangles; accepted are at most as many"));
        }
        self.scene.bodies.push(Body { node, mesh, skin });
        Ok(())
    }

    /// The place of a mesh in the scene's list.
    fn mesh(&mut self, mesh: &gltf::Mesh<'_>) -> Result<usize, String> {
        if let Some(&known) = self.known.meshes.get(&mesh.index()) {
            return Ok(known);
        }
        let (mut read, mut vertices) = (Vec::new(), 0);
        for primitive in mesh.primitives() {
            let texture = primitive.material().pbr_metallic_roughness().base_color_texture();
            self.scene.has_textures |= texture.is_some();
            let Some(primitive) = Primitive::read(self.file, &primitive, &mut self.sizes.deltas)? else { continue };
            vertices += primitive.places.len();
            check_vertices(vertices)?;
            read.push(primitive);
        }
        self.scene.meshes.push(read);
        self.known.meshes.insert(mesh.index(), self.scene.meshes.len() - 1);
        Ok(self.scene.meshes.len() - 1)
    }

    /// The place of a skin in the scene's list.
    fn skin(&mut self, skin: &gltf::Skin<'_>) -> Result<usize, String> {
        if let Some(&known) = self.known.skins.get(&skin.index()) {
            return Ok(known);
        }
        self.scene.skins.push(read_skin(self.file, skin, &self.known.nodes)?);
        self.known.skins.insert(skin.index(), self.scene.skins.len() - 1);
        Ok(self.scene.skins.len() - 1)
    }

    fn animation(&mut self, source: &gltf::Animation<'_>) -> Result<(), String> {
        let (number, mut channels) = (source.index(), Vec::new());
        // The crate checks neither node nor path of a channel.
        let all = &self.file.document.as_json().animations[number].channels;
        for (channel, said) in source.channels().zip(all) {
            let (in_file, Checked::Valid(property)) = (said.target.node.value(), said.target.path) else {
                return Err(format!(
                    "has a channel in animation {number} of an unknown path; accepted are those of glTF 2.0"
                ));
            };
            let Some(&node) = self.known.nodes.get(&in_file) else {
                if in_file >= self.file.document.nodes().count() {
                    return Err(format!("has a channel in animation {number} of node {in_file}, which is not there"));
                }
                // It moves nothing in the scene.
                continue;
            };
            let Node { local, weights, .. } = &self.scene.nodes[node];
            if property != Property::MorphTargetWeights && matches!(local, Local::Matrix(_)) {
                return Err(format!(
                    "has an animation of a node {in_file} with a matrix; accepted is one with translation, rotation and scale"
                ));
            }
            let channel = Channel::read(self.file, (node, property, weights.len()), &channel.sampler())?;
            self.sizes.keys += channel.numbers();
            if self.sizes.keys > MOST_KEYS {
                return Err(format!("has more than {MOST_KEYS} numbers in key frames; accepted are at most as many"));
            }
            channels.push(channel);
        }
        self.scene.animations.push(Animation { name: source.name().unwrap_or_default().to_owned(), channels });
        Ok(())
    }
}

fn node(source: &Source<'_>, parent: Option<usize>) -> Result<Node, String> {
    let local = match source.transform() {
        Transform::Matrix { matrix } => {
            Local::Matrix(DMat4::from_cols_array_2d(&matrix.map(|column| column.map(f64::from))))
        }
        Transform::Decomposed { translation, rotation, scale } => {
            let rotation = DQuat::from_array(rotation.map(f64::from));
            if rotation.length_squared() == 0.0 {
                return Err(format!(
                    "has a node {} with the rotation 0,0,0,0; accepted is a quaternion of length 1",
                    source.index()
                ));
            }
            let [translation, scale] = [translation, scale].map(|vector| DVec3::from(vector.map(f64::from)));
            Local::Parts { translation, rotation: rotation.normalize(), scale }
        }
    };
    let Some(mesh) = source.mesh() else { return Ok(Node { parent, local, weights: Vec::new() }) };
    let targets = mesh.primitives().map(|primitive| primitive.morph_targets().count()).max().unwrap_or(0);
    let mut weights: Vec<f64> =
        source.weights().or(mesh.weights()).unwrap_or_default().iter().copied().map(f64::from).collect();
    weights.resize(targets, 0.0);
    Ok(Node { parent, local, weights })
}

fn read_skin(file: &File, skin: &gltf::Skin<'_>, places: &HashMap<usize, usize>) -> Result<Skin, String> {
    let joints: Vec<usize> = skin
        .joints()
        .map(|joint| {
            let at = places.get(&joint.index()).copied();
            at.ok_or_else(|| {
                format!("has a joint {} outside of the scene; accepted are nodes of the scene", joint.index())
            })
        })
        .collect::<Result<_, _>>()?;
    let inverse: Vec<DMat4> = match skin.inverse_bind_matrices() {
        None => vec![DMat4::IDENTITY; joints.len()],
        Some(accessor) => {
            let all = file.numbers::<16>("inverse bind matrices", &accessor, Kind::Floats)?;
            all.into_iter().map(|matrix| DMat4::from_cols_array(&matrix.map(f64::from))).collect()
        }
    };
    if inverse.len() < joints.len() {
        return Err(format!(
            "has {} inverse bind matrices of {} joints; accepted is one for each",
            inverse.len(),
            joints.len()
        ));
    }
    Ok(Skin { joints: joints.into_iter().zip(inverse).collect() })
}

/// Refuses joints that a skin does not have.
fn check_joints(mesh: &[Primitive], count: usize) -> Result<(), String> {
    for primitive in mesh {
        let Some(influences) = &primitive.influences else {
            return Err("has a mesh with a skin and without JOINTS_0; accepted are both or none".into());
        };
        if let Some((joint, _)) = influences.iter().flatten().find(|(joint, _)| *joint >= count) {
            return Err(format!("has a vertex of joint {joint} of {count}; accepted is a smaller number"));
        }
    }
    Ok(())
}
