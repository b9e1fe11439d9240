//! Reads the scene of a glTF file: nodes, meshes, skins and animations.

use super::super::gltf::json::{self, Animation as Source, Property};
use super::super::gltf::{File, Kind, Local, at};
use super::paint::Paints;
use super::primitive::{Primitive, check_vertices};
use super::sampler::Channel;
use super::scene::{Animation, Body, Node, Scene, Skin};
use super::{NEAR_TRIANGLES_MOST, VERTICES_MOST};
use glam::DMat4;
use std::collections::HashMap;

/// Triangles that models with textures are divided into, at most. Larger ones stay as they are.
const PAINTED_MOST: usize = 16_384;

/// The scene of a file, whose animations are read when they are asked for.
pub struct Reader<'a> {
    file: &'a File<'a>,
    /// What it shows.
    pub scene: Scene,
    /// What of its colors was left out.
    pub notes: Vec<String>,
    known: Known,
    sizes: Sizes,
}

/// The place in a list of the scene of what has this number in the file.
#[derive(Default)]
struct Known {
    nodes: HashMap<u32, usize>,
    meshes: HashMap<u32, usize>,
    skins: HashMap<u32, usize>,
}

/// How much was read. A file that uses the same bytes many times is larger than it seems.
#[derive(Default)]
struct Sizes {
    vertices: usize,
    triangles: usize,
}

impl<'a> Reader<'a> {
    /// Reads the scene of `file`.
    pub fn new(file: &'a File<'a>) -> Result<Reader<'a>, String> {
        let placed = file.nodes()?;
        let nodes = placed.iter().enumerate().map(|(place, of)| (of.node, place)).collect();
        let (scene, known) = (Scene::default(), Known { nodes, ..Known::default() });
        let mut reader = Reader { file, scene, notes: Vec::new(), known, sizes: Sizes::default() };
        let mut paints = Paints::default();
        for (place, of) in placed.iter().enumerate() {
            let source = &file.json.nodes[of.node as usize];
            reader.scene.nodes.push(reader.node(of.node, source, of.parent)?);
            if let Some(mesh) = source.mesh.filter(|_| of.is_shown) {
                reader.body(place, mesh, source.skin, &mut paints)?;
            }
        }
        if reader.sizes.triangles == 0 {
            return Err("has no triangles; accepted is at least 1".into());
        }
        reader.paint(&paints);
        reader.notes = paints.notes;
        reader.leave_out_idle_nodes();
        Ok(reader)
    }

    fn node(&self, number: u32, source: &json::Node, parent: Option<usize>) -> Result<Node, String> {
        let local = Local::of(number, source)?;
        let Some(mesh) = source.mesh else { return Ok(Node { parent, local, weights: Vec::new() }) };
        let mesh = at(&self.file.json.meshes, mesh, "mesh")?;
        let targets = mesh.primitives.iter().map(|primitive| primitive.targets.len()).max().unwrap_or(0);
        let own = source.weights.as_ref().or(mesh.weights.as_ref());
        let mut weights: Vec<f64> = own.into_iter().flatten().copied().map(f64::from).collect();
        weights.resize(targets, 0.0);
        Ok(Node { parent, local, weights })
    }

    /// Reads what the node at `node` in the scene's list shows.
    fn body(&mut self, node: usize, mesh: u32, skin: Option<u32>, paints: &mut Paints) -> Result<(), String> {
        let mesh = self.mesh(mesh, paints)?;
        let primitives = &self.scene.meshes[mesh];
        if primitives.is_empty() {
            return Ok(());
        }
        self.sizes.vertices += primitives.iter().map(|primitive| primitive.places.len()).sum::<usize>();
        self.sizes.triangles += primitives.iter().map(|primitive| primitive.corners.len()).sum::<usize>();
        check_vertices(self.sizes.vertices)?;
        if self.sizes.triangles > NEAR_TRIANGLES_MOST {
            return Err(format!("has more than {NEAR_TRIANGLES_MOST} triangles; accepted are at most as many"));
        }
        let skin = skin.map(|skin| self.skin(skin)).transpose()?;
        if let Some(skin) = skin {
            check_joints(&self.scene.meshes[mesh], self.scene.skins[skin].joints.len())?;
        }
        self.scene.bodies.push(Body { node, mesh, skin });
        Ok(())
    }

    /// The place of a mesh in the scene's list.
    fn mesh(&mut self, number: u32, paints: &mut Paints) -> Result<usize, String> {
        if let Some(&known) = self.known.meshes.get(&number) {
            return Ok(known);
        }
        let (mut read, mut vertices) = (Vec::new(), 0);
        for primitive in &at(&self.file.json.meshes, number, "mesh")?.primitives {
            let Some(primitive) = Primitive::read(self.file, primitive, paints)? else { continue };
            vertices += primitive.places.len();
            check_vertices(vertices)?;
            read.push(primitive);
        }
        self.scene.meshes.push(read);
        self.known.meshes.insert(number, self.scene.meshes.len() - 1);
        Ok(self.scene.meshes.len() - 1)
    }

    /// The place of a skin in the scene's list.
    fn skin(&mut self, number: u32) -> Result<usize, String> {
        if let Some(&known) = self.known.skins.get(&number) {
            return Ok(known);
        }
        let skin = read_skin(self.file, at(&self.file.json.skins, number, "skin")?, &self.known.nodes)?;
        self.scene.skins.push(skin);
        self.known.skins.insert(number, self.scene.skins.len() - 1);
        Ok(self.scene.skins.len() - 1)
    }

    /// Colors the meshes that have textures, and divides their triangles for that: each mesh gets a part of what there
    /// is room for, by its area.
    fn paint(&mut self, paints: &Paints) {
        let mut times = vec![0; self.scene.meshes.len()];
        self.scene.bodies.iter().for_each(|body| times[body.mesh] += 1);
        let room = PAINTED_MOST.saturating_sub(self.sizes.triangles).min(VERTICES_MOST - self.sizes.vertices) as f32;
        let painted =
            |mesh: &Vec<Primitive>| -> f32 { mesh.iter().filter(|of| of.painted.is_some()).map(Primitive::area).sum() };
        let total: f32 = self.scene.meshes.iter().zip(&times).map(|(mesh, times)| painted(mesh) * *times as f32).sum();
        for (mesh, times) in self.scene.meshes.iter_mut().zip(times) {
            for primitive in mesh.iter_mut().filter(|_| times > 0) {
                // Vertices are at most as many more as triangles are, at seams too.
                let share = if total > 0.0 { primitive.area() / total } else { 0.0 };
                primitive.paint(paints, (share * room * 0.5) as usize);
            }
        }
    }

    /// Keeps only nodes that show something or lead it, and what they hang on.
    fn leave_out_idle_nodes(&mut self) {
        let scene = &mut self.scene;
        let mut is_needed = vec![false; scene.nodes.len()];
        scene.bodies.iter().for_each(|body| is_needed[body.node] = true);
        scene.skins.iter().flat_map(|skin| &skin.joints).for_each(|&(joint, _)| is_needed[joint] = true);
        for node in (0..scene.nodes.len()).rev().filter(|&node| scene.nodes[node].parent.is_some()) {
            if let Some(parent) = scene.nodes[node].parent.filter(|_| is_needed[node]) {
                is_needed[parent] = true;
            }
        }
        let mut places = vec![0; scene.nodes.len()];
        let mut kept = Vec::new();
        for (node, mut of) in std::mem::take(&mut scene.nodes).into_iter().enumerate().filter(|(at, _)| is_needed[*at])
        {
            places[node] = kept.len();
            of.parent = of.parent.map(|parent| places[parent]);
            kept.push(of);
        }
        scene.nodes = kept;
        scene.bodies.iter_mut().for_each(|body| body.node = places[body.node]);
        scene.skins.iter_mut().flat_map(|skin| &mut skin.joints).for_each(|(joint, _)| *joint = places[*joint]);
        self.known.nodes.retain(|_, place| is_needed[*place]);
        self.known.nodes.values_mut().for_each(|place| *place = places[*place]);
    }

    /// What these animations of the file move together.
    pub fn animation(&self, numbers: &[usize]) -> Result<Animation, String> {
        let mut channels = Vec::new();
        for &number in numbers {
            self.channels(number, &self.file.json.animations[number], &mut channels)?;
        }
        Ok(Animation { channels })
    }

    fn channels(&self, number: usize, source: &Source, channels: &mut Vec<Channel>) -> Result<(), String> {
        for json::Channel { sampler, target } in &source.channels {
            // Extensions may say what moves: nothing that is read.
            let Some(in_file) = target.node.filter(|_| target.path != Property::Other) else { continue };
            let Some(&node) = self.known.nodes.get(&in_file) else {
                if in_file as usize >= self.file.json.nodes.len() {
                    return Err(format!("has a channel in animation {number} of node {in_file}, which is not there"));
                }
                // It moves nothing that is shown.
                continue;
            };
            let Node { local, weights, .. } = &self.scene.nodes[node];
            if target.path != Property::Weights && matches!(local, Local::Matrix(_)) {
                return Err(format!(
                    "has an animation of a node {in_file} with a matrix; accepted is one with translation, rotation \
                    and scale"
                ));
            }
            if target.path == Property::Weights && weights.is_empty() {
                continue;
            }
            let sampler = at(&source.samplers, *sampler, "sampler of an animation")?;
            channels.push(Channel::read(self.file, (node, target.path, weights.len()), sampler)?);
        }
        Ok(())
    }
}

fn read_skin(file: &File<'_>, skin: &json::Skin, places: &HashMap<u32, usize>) -> Result<Skin, String> {
    let place = |joint: &u32| {
        let place = places.get(joint).copied();
        place.ok_or_else(|| format!("has a joint {joint} that hangs on no root; accepted are nodes of a tree"))
    };
    let joints: Vec<usize> = skin.joints.iter().map(place).collect::<Result<_, _>>()?;
    let inverse: Vec<DMat4> = match skin.inverse_bind_matrices {
        None => vec![DMat4::IDENTITY; joints.len()],
        Some(accessor) => {
            let all = file.numbers::<16>("inverse bind matrices", accessor, Kind::Floats)?;
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
        if let Some(vertex) = influences.iter().position(|all| all.iter().any(|(joint, _)| *joint >= count)) {
            return Err(format!("has a vertex {vertex} of a joint that its skin lacks; accepted are {count} joints"));
        }
    }
    Ok(())
}
