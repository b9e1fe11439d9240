//! The scene of a glTF file at any time of its animations: where each vertex is.

use super::super::gltf::{File, Kind};
use super::NEAR_TRIANGLES_MOST;
use super::primitive::{Influences, Primitive, check_vertices};
use super::sampler::Channel;
use glam::{DMat3, DMat4, DQuat, DVec3, Vec3};
use gltf::Node as Source;
use gltf::animation::Property;
use gltf::json::validation::Checked;
use gltf::scene::Transform;
use std::collections::HashMap;
use std::path::Path;

/// Numbers of the key frames of all channels, at most: many channels may share the same bytes.
const MOST_KEYS: usize = 1 << 26;

/// What a file says of a model.
pub struct Scene {
    /// Parents are before their children.
    nodes: Vec<Node>,
    skins: Vec<Skin>,
    meshes: Vec<Vec<Primitive>>,
    bodies: Vec<Body>,
    /// Animations with their names.
    pub animations: Vec<Animation>,
    /// Whether it has textures, which are not read.
    pub has_textures: bool,
}

struct Node {
    parent: Option<usize>,
    local: Local,
    /// Weights of the morph targets.
    weights: Vec<f64>,
}

#[derive(Clone, Copy)]
enum Local {
    Matrix(DMat4),
    Parts { translation: DVec3, rotation: DQuat, scale: DVec3 },
}

struct Skin {
    /// Nodes, each with the matrix that leads from the mesh to it.
    joints: Vec<(usize, DMat4)>,
}

/// A mesh in the scene, by its places in the lists.
struct Body {
    node: usize,
    mesh: usize,
    skin: Option<usize>,
}

/// An animation.
pub struct Animation {
    /// Its name, which may be empty.
    pub name: String,
    channels: Vec<Channel>,
}

impl Animation {
    /// When it begins and ends, in seconds.
    pub fn range(&self) -> (f64, f64) {
        let ranges = || self.channels.iter().map(Channel::range);
        let begin = ranges().map(|(begin, _)| begin).fold(f32::INFINITY, f32::min);
        let end = ranges().map(|(_, end)| end).fold(f32::NEG_INFINITY, f32::max);
        if self.channels.is_empty() { (0.0, 0.0) } else { (begin.into(), end.into()) }
    }
}

/// Vertices at one time, in units of the file.
pub struct Moment {
    /// Where they are.
    pub places: Vec<DVec3>,
    /// Their normals, of length 1.
    pub normals: Vec<DVec3>,
    /// Whether they are mirrored, so that triangles turn around.
    pub mirrored: Vec<bool>,
}

impl Scene {
    /// Reads the file at `path`, which has these bytes.
    pub fn read(path: &Path, bytes: &[u8]) -> Result<Scene, String> {
        let file = File::open(path, bytes)?;
        let sources = file.nodes()?;
        let places: HashMap<usize, usize> =
            sources.iter().enumerate().map(|(at, (node, _))| (node.index(), at)).collect();
        let mut scene = Scene {
            nodes: Vec::new(),
            skins: Vec::new(),
            meshes: Vec::new(),
            bodies: Vec::new(),
            animations: Vec::new(),
            has_textures: false,
        };
        let (mut meshes, mut skins) = (HashMap::new(), HashMap::new());
        let (mut vertices, mut triangles, mut deltas, mut keys) = (0, 0, 0, 0);
        for (at, (source, parent)) in sources.iter().enumerate() {
            scene.nodes.push(node(source, *parent)?);
            let Some(mesh) = source.mesh() else { continue };
            let mesh = match meshes.get(&mesh.index()) {
                Some(&known) => known,
                None => {
                    let (mut read, mut count) = (Vec::new(), 0);
                    for primitive in mesh.primitives() {
                        let color = primitive.material().pbr_metallic_roughness().base_color_texture();
                        scene.has_textures |= color.is_some();
                        let Some(primitive) = Primitive::read(&file, &primitive, &mut deltas)? else { continue };
                        count += primitive.places.len();
                        check_vertices(count)?;
                        read.push(primitive);
                    }
                    scene.meshes.push(read);
                    meshes.insert(mesh.index(), scene.meshes.len() - 1);
                    scene.meshes.len() - 1
                }
            };
            let skin = match source.skin() {
                None => None,
                Some(skin) => Some(match skins.get(&skin.index()) {
                    Some(&known) => known,
                    None => {
                        scene.skins.push(read_skin(&file, &skin, &places)?);
                        skins.insert(skin.index(), scene.skins.len() - 1);
                        scene.skins.len() - 1
                    }
                }),
            };
            if let Some(skin) = skin {
                check_joints(&scene.meshes[mesh], scene.skins[skin].joints.len())?;
            }
            scene.bodies.push(Body { node: at, mesh, skin });
            vertices += scene.meshes[mesh].iter().map(|primitive| primitive.places.len()).sum::<usize>();
            triangles += scene.meshes[mesh].iter().map(|primitive| primitive.corners.len()).sum::<usize>();
            check_vertices(vertices)?;
            if triangles > NEAR_TRIANGLES_MOST {
                return Err(format!("has more than {NEAR_TRIANGLES_MOST} triangles; accepted are at most as many"));
            }
        }
        if triangles == 0 {
            return Err("has no triangles; accepted is at least 1".into());
        }
        for (number, source) in file.document.animations().enumerate() {
            let mut channels = Vec::new();
            // The crate checks neither node nor path of a channel.
            let all = &file.document.as_json().animations[number].channels;
            for (channel, said) in source.channels().zip(all) {
                let (node, Checked::Valid(path)) = (said.target.node.value(), &said.target.path) else {
                    return Err(format!(
                        "has a channel in animation {number} of an unknown path; accepted are those of glTF 2.0"
                    ));
                };
                let Some(&node) = places.get(&node) else {
                    if node >= file.document.nodes().count() {
                        return Err(format!("has a channel in animation {number} of node {node}, which is not there"));
                    }
                    continue;
                };
                let property = *path;
                let to = (node, property, scene.nodes[node].weights.len());
                if property != Property::MorphTargetWeights && matches!(scene.nodes[node].local, Local::Matrix(_)) {
                    return Err(format!(
                        "has an animation of a node {} with a matrix; accepted is one with translation, rotation and scale",
                        sources[node].0.index()
                    ));
                }
                channels.push(Channel::read(&file, to, &channel.sampler())?);
                keys += channels.last().map_or(0, Channel::numbers);
                if keys > MOST_KEYS {
                    return Err(format!(
                        "has more than {MOST_KEYS} numbers in key frames; accepted are at most as many"
                    ));
                }
            }
            scene.animations.push(Animation { name: source.name().unwrap_or_default().to_owned(), channels });
        }
        Ok(scene)
    }

    /// All colors, in the order of vertices.
    pub fn albedo(&self) -> Vec<Vec3> {
        self.primitives().flat_map(|(_, primitive)| primitive.albedo.iter().copied()).collect()
    }

    /// All triangles.
    pub fn corners(&self) -> Vec<[u32; 3]> {
        let (mut all, mut first) = (Vec::new(), 0);
        for (_, primitive) in self.primitives() {
            all.extend(primitive.corners.iter().map(|corners| corners.map(|corner| first + corner)));
            first += primitive.places.len() as u32;
        }
        all
    }

    fn primitives(&self) -> impl Iterator<Item = (&Body, &Primitive)> {
        self.bodies.iter().flat_map(|body| self.meshes[body.mesh].iter().map(move |primitive| (body, primitive)))
    }

    /// Where everything is at a time of an animation, or without one.
    pub fn at(&self, animation: Option<&Animation>, time: f64) -> Moment {
        let mut locals: Vec<Local> = self.nodes.iter().map(|node| node.local).collect();
        let mut weights: Vec<&[f64]> = self.nodes.iter().map(|node| &node.weights[..]).collect();
        let channels = animation.map_or(&[][..], |animation| &animation.channels);
        let values: Vec<Vec<f64>> = channels.iter().map(|channel| channel.at(time)).collect();
        for (channel, value) in channels.iter().zip(&values) {
            let Local::Parts { translation, rotation, scale } = &mut locals[channel.node] else {
                weights[channel.node] = value;
                continue;
            };
            match channel.property {
                Property::Translation => *translation = DVec3::from_slice(value),
                Property::Rotation => *rotation = DQuat::from_slice(value).normalize(),
                Property::Scale => *scale = DVec3::from_slice(value),
                Property::MorphTargetWeights => weights[channel.node] = value,
            }
        }
        let mut globals: Vec<DMat4> = Vec::with_capacity(self.nodes.len());
        for (node, local) in self.nodes.iter().zip(locals) {
            let local = match local {
                Local::Matrix(matrix) => matrix,
                Local::Parts { translation, rotation, scale } => {
                    DMat4::from_scale_rotation_translation(scale, rotation, translation)
                }
            };
            globals.push(node.parent.map_or(local, |parent| globals[parent] * local));
        }
        let lead = |skin: &Skin| skin.joints.iter().map(|(joint, inverse)| globals[*joint] * *inverse).collect();
        let leads: Vec<Vec<DMat4>> = self.skins.iter().map(lead).collect();
        let mut moment = Moment { places: Vec::new(), normals: Vec::new(), mirrored: Vec::new() };
        for (body, primitive) in self.primitives() {
            let matrices = match (body.skin, &primitive.influences) {
                (Some(skin), Some(all)) => Matrices::Skin(&leads[skin], all),
                _ => Matrices::One(globals[body.node]),
            };
            moment.add(primitive, weights[body.node], &matrices);
        }
        moment
    }
}

/// What moves the vertices of a primitive.
enum Matrices<'a> {
    One(DMat4),
    /// The joints, and of each vertex those that lead it. The node of a mesh with joints has no effect.
    Skin(&'a [DMat4], &'a [Influences]),
}

impl Moment {
    fn add(&mut self, primitive: &Primitive, weights: &[f64], matrices: &Matrices<'_>) {
        let first = self.places.len();
        let morphed = |base: &[Vec3], part: usize, vertex: usize| {
            let targets = primitive.targets.iter().zip(weights);
            let moved =
                targets.filter_map(|(target, weight)| Some(target[part].as_ref()?[vertex].as_dvec3() * *weight));
            base[vertex].as_dvec3() + moved.sum::<DVec3>()
        };
        for vertex in 0..primitive.places.len() {
            let matrix = match matrices {
                Matrices::One(matrix) => *matrix,
                Matrices::Skin(leads, all) => {
                    all[vertex].iter().fold(DMat4::ZERO, |sum, &(joint, weight)| sum + leads[joint] * weight)
                }
            };
            let linear = DMat3::from_mat4(matrix);
            let is_mirrored = linear.determinant() < 0.0;
            self.places.push(matrix.transform_point3(morphed(&primitive.places, 0, vertex)));
            self.mirrored.push(is_mirrored);
            // The inverse transpose times the determinant, which need not be invertible.
            let side = if is_mirrored { -1.0 } else { 1.0 };
            let crossed = [(1, 2), (2, 0), (0, 1)].map(|(a, b)| linear.col(a).cross(linear.col(b)) * side);
            let [x, y, z] = crossed;
            let normal = primitive.normals.as_ref().map(|normals| morphed(normals, 1, vertex));
            self.normals.push(normal.map_or(DVec3::ZERO, |normal| DMat3::from_cols(x, y, z) * normal));
        }
        // Where the file has none, those of the triangles, by their areas.
        if primitive.normals.is_none() {
            for &corners in &primitive.corners {
                let corners = corners.map(|corner| first + corner as usize);
                let [a, b, c] = corners.map(|corner| self.places[corner]);
                let side = if self.mirrored[corners[0]] { -1.0 } else { 1.0 };
                corners.iter().for_each(|&corner| self.normals[corner] += (b - a).cross(c - a) * side);
            }
        }
        // One without a direction is of a vertex whose triangles have no area: they do not show.
        self.normals[first..].iter_mut().for_each(|normal| *normal = normal.normalize_or(DVec3::Y));
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
