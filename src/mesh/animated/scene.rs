//! The scene of a glTF file at any time of its animations: where each vertex is.

use super::super::gltf::Local;
use super::super::gltf::json::Property;
use super::primitive::{Influences, Primitive};
use super::sampler::Channel;
use glam::{DMat3, DMat4, DQuat, DVec3, Vec3};

/// What a file shows.
#[derive(Default)]
pub struct Scene {
    /// Parents are before their children.
    pub(super) nodes: Vec<Node>,
    pub(super) skins: Vec<Skin>,
    pub(super) meshes: Vec<Vec<Primitive>>,
    pub(super) bodies: Vec<Body>,
}

pub(super) struct Node {
    pub(super) parent: Option<usize>,
    pub(super) local: Local,
    /// Weights of the morph targets.
    pub(super) weights: Vec<f64>,
}

pub(super) struct Skin {
    /// Nodes, each with the matrix that leads from the mesh to it.
    pub(super) joints: Vec<(usize, DMat4)>,
}

/// A mesh in the scene, by its places in the lists.
pub(super) struct Body {
    pub(super) node: usize,
    pub(super) mesh: usize,
    pub(super) skin: Option<usize>,
}

/// What moves together: one animation of a file, or several.
pub struct Animation {
    pub(super) channels: Vec<Channel>,
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
    /// About how many steps of work one moment is.
    pub fn steps(&self) -> u64 {
        let influences = |primitive: &Primitive| match &primitive.influences {
            Some(all) => all.iter().map(|all| 1 + all.len()).sum(),
            None => primitive.places.len(),
        };
        let of = |primitive: &Primitive| influences(primitive) + primitive.places.len() * primitive.targets.len();
        let joints: usize = self.skins.iter().map(|skin| skin.joints.len()).sum();
        (self.nodes.len() + joints + self.primitives().map(|(_, primitive)| of(primitive)).sum::<usize>()) as u64
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
                _ => weights[channel.node] = value,
            }
        }
        let mut globals: Vec<DMat4> = Vec::with_capacity(self.nodes.len());
        for (node, local) in self.nodes.iter().zip(locals) {
            let local = local.matrix();
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
