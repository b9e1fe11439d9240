//! glTF files: what is needed of them, and nothing else is looked at. Each length is checked before it is used, and
//! numbers of the file's buffers are in no message: a file may name any other as a buffer.

mod accessor;
mod buffers;
mod extensions;
pub mod json;

pub use accessor::Kind;

use super::{FARTHEST, MAX_TRIANGLES, Triangle, too_many};
use crate::input::Bounded;
use glam::{DMat4, DQuat, DVec3, Vec3};
use json::{Node, Primitive, Root, Versioned};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

/// A glTF file. Its buffers are read when they are needed.
pub struct File<'a> {
    /// What its JSON says.
    pub json: Root<'a>,
    /// What it may still take.
    pub bounded: &'a Bounded,
    path: &'a Path,
    /// The bytes that a binary file has.
    blob: Option<&'a [u8]>,
    buffers: Vec<OnceCell<Vec<u8>>>,
    /// Views that were compressed.
    #[cfg_attr(not(feature = "meshopt"), allow(dead_code))]
    views: Vec<OnceCell<Vec<u8>>>,
}

/// A node, and its parent's place in the list, which is before it.
pub struct Placed {
    /// Its number in the file.
    pub node: u32,
    /// Where its parent is in the list.
    pub parent: Option<usize>,
    /// Whether it is shown; others may be joints.
    pub is_shown: bool,
}

impl<'a> File<'a> {
    /// The file at `path`, which has these bytes.
    ///
    /// # Errors
    /// What is wrong with the file, as the rest of a sentence.
    pub fn open(path: &'a Path, bytes: &'a [u8], bounded: &'a Bounded) -> Result<File<'a>, String> {
        let (text, blob) = if bytes.starts_with(b"glTF") { chunks(bytes)? } else { (bytes, None) };
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        bounded.decoded(json::cost(text))?;
        let json: Root<'_> = serde_json::from_slice(text).map_err(|error| {
            let said = serde_json::from_slice::<Versioned>(text).map(|file| file.asset.version);
            match said.map(|version| version.as_str().map_or_else(|| version.to_string(), str::to_owned)) {
                Ok(version) if !version.starts_with('2') => {
                    format!("is glTF {}; accepted is glTF 2.0", version.chars().take(9).collect::<String>())
                }
                _ => format!("is not accepted as glTF: {error}"),
            }
        })?;
        extensions::check(&json)?;
        let buffers = json.buffers.iter().map(|_| OnceCell::new()).collect();
        let views = json.buffer_views.iter().map(|_| OnceCell::new()).collect();
        Ok(File { json, bounded, path, blob, buffers, views })
    }

    /// All nodes that hang on a root. Those of the default scene come first, or else of the first scene, or else all.
    pub fn nodes(&self) -> Result<Vec<Placed>, String> {
        let all = &self.json.nodes;
        let mut is_child = vec![false; all.len()];
        for child in all.iter().flat_map(|node| &node.children) {
            let child = *child as usize;
            *is_child.get_mut(child).ok_or_else(|| lacks("node", child, all.len()))? = true;
        }
        let roots = || (0u32..).zip(&is_child).filter(|(_, is_child)| !**is_child).map(|(node, _)| node);
        let scene = match self.json.scene {
            Some(scene) => Some(at(&self.json.scenes, scene, "scene")?),
            None => self.json.scenes.first(),
        };
        let shown: Vec<u32> = scene.map_or_else(|| roots().collect(), |scene| scene.nodes.clone());
        let mut list = Vec::new();
        let mut is_known = vec![false; all.len()];
        let own = shown.into_iter().map(|node| (node, true));
        for (root, is_shown) in own.chain(roots().map(|node| (node, false))) {
            let mut open = vec![(root, None, is_shown)];
            while let Some((node, parent, is_shown)) = open.pop() {
                let source = at(all, node, "node")?;
                if std::mem::replace(&mut is_known[node as usize], true) {
                    if !is_shown {
                        continue;
                    }
                    // A node in a circle, or below two others.
                    return Err(format!("has node {node} more than once; accepted is a tree of nodes"));
                }
                let hidden = source.extensions.as_ref().and_then(|of| of.visibility.as_ref()).map(|of| !of.visible);
                let is_shown = is_shown && hidden != Some(true);
                open.extend(source.children.iter().map(|child| (*child, Some(list.len()), is_shown)));
                list.push(Placed { node, parent, is_shown });
            }
        }
        Ok(list)
    }
}

/// The element of a list with this number, which the file says.
pub fn at<'a, T>(list: &'a [T], number: u32, what: &str) -> Result<&'a T, String> {
    list.get(number as usize).ok_or_else(|| lacks(what, number as usize, list.len()))
}

fn lacks(what: &str, number: usize, count: usize) -> String {
    format!("refers to {what} {number} of {count}; accepted is a smaller number")
}

/// How a node moves what hangs on it.
#[derive(Clone, Copy)]
pub enum Local {
    /// By a matrix.
    Matrix(DMat4),
    /// By scale, then rotation, then translation.
    Parts { translation: DVec3, rotation: DQuat, scale: DVec3 },
}

impl Local {
    /// That of a node of this number.
    pub fn of(number: u32, node: &Node) -> Result<Local, String> {
        if let Some(matrix) = &node.matrix {
            return Ok(Local::Matrix(DMat4::from_cols_array(&matrix.map(f64::from))));
        }
        let rotation = DQuat::from_array(node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]).map(f64::from));
        if rotation.length_squared() == 0.0 {
            return Err(format!("has a node {number} with the rotation 0,0,0,0; accepted is a quaternion of length 1"));
        }
        let vector = |of: Option<[f32; 3]>, or: f32| DVec3::from(of.unwrap_or([or; 3]).map(f64::from));
        let (translation, scale) = (vector(node.translation, 0.0), vector(node.scale, 1.0));
        Ok(Local::Parts { translation, rotation: rotation.normalize(), scale })
    }

    /// As a matrix.
    pub fn matrix(self) -> DMat4 {
        match self {
            Local::Matrix(matrix) => matrix,
            Local::Parts { translation, rotation, scale } => {
                DMat4::from_scale_rotation_translation(scale, rotation, translation)
            }
        }
    }
}

/// The triangles of the default scene, or else of the first, or else of all nodes.
///
/// # Errors
/// What is wrong with the file, as the rest of a sentence.
pub fn triangles(path: &Path, bytes: &[u8], bounded: &Bounded) -> Result<Vec<Triangle>, String> {
    let file = File::open(path, bytes, bounded)?;
    let mut all = Vec::new();
    let mut places: Vec<DMat4> = Vec::new();
    let mut known: HashMap<u32, Vec<[Vec3; 3]>> = HashMap::new();
    for Placed { node, parent, is_shown } in file.nodes()? {
        let source = &file.json.nodes[node as usize];
        let own = Local::of(node, source)?.matrix();
        let place = parent.map_or(own, |parent| places[parent] * own);
        places.push(place);
        let Some(mesh) = source.mesh.filter(|_| is_shown) else { continue };
        let own = match known.entry(mesh) {
            Entry::Occupied(own) => own.into_mut(),
            Entry::Vacant(new) => new.insert(file.mesh(mesh)?),
        };
        if all.len() + own.len() > MAX_TRIANGLES {
            return Err(too_many());
        }
        // A mirrored node turns its triangles around.
        let is_mirrored = place.determinant() < 0.0;
        let moved = |local: Vec3| place.transform_point3(local.as_dvec3()).as_vec3();
        for &[a, b, c] in &*own {
            let triangle = if is_mirrored { [a, c, b] } else { [a, b, c] }.map(moved);
            if !triangle.iter().all(|corner| corner.abs().max_element() <= FARTHEST && !corner.is_nan()) {
                return Err(format!("has a corner of mesh {mesh} at node {node} beyond {FARTHEST}; accepted are less"));
            }
            all.push(triangle);
        }
    }
    Ok(all)
}

impl File<'_> {
    /// The triangles of a mesh in its own place.
    fn mesh(&self, number: u32) -> Result<Vec<Triangle>, String> {
        let mut all: Vec<Triangle> = Vec::new();
        for primitive in &at(&self.json.meshes, number, "mesh")?.primitives {
            let Some(places) = self.positions(primitive)? else { continue };
            let corners = self.corners(primitive, places.len())?;
            if all.len() + corners.len() > MAX_TRIANGLES {
                return Err(too_many());
            }
            self.bounded.decoded((size_of::<Triangle>() * corners.len()) as u64)?;
            all.extend(corners.iter().map(|corners| corners.map(|corner| Vec3::from(places[corner as usize]))));
        }
        Ok(all)
    }

    /// The places of the vertices of a primitive, or none if it has no triangles: no places, or points or lines.
    pub fn positions(&self, primitive: &Primitive) -> Result<Option<Vec<[f32; 3]>>, String> {
        let Some(positions) = primitive.attributes.get("POSITION") else { return Ok(None) };
        if !matches!(primitive.mode, None | Some(4..=6)) {
            return Ok(None);
        }
        extensions::check_draco(&self.json, primitive, positions)?;
        self.numbers("positions", positions, Kind::Places).map(Some)
    }
}

/// The JSON of a binary file, and its bytes if it has any. Other chunks, and what follows the length that the file
/// says, are passed over.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), String> {
    let word = |bytes: &[u8], at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let whole = |why: &str| Err(format!("has {} bytes{why}; accepted is a whole file", bytes.len()));
    let (Some(version), Some(length)) = (word(bytes, 4), word(bytes, 8)) else { return whole("") };
    if length as usize > bytes.len() || length < 12 {
        return whole(&format!(", and its header says {length}"));
    }
    if version != 2 {
        return Err(format!("is binary glTF {version}; accepted is binary glTF 2"));
    }
    let bytes = &bytes[..length as usize];
    let (mut at, mut text, mut blob) = (12, None, None);
    while let (Some(length), Some(kind)) = (word(bytes, at), word(bytes, at + 4)) {
        let Some(chunk) = bytes.get(at + 8..at + 8 + length as usize) else {
            // What is behind the bytes is of no concern.
            if blob.is_some() {
                break;
            }
            return Err(format!("lacks some of a chunk of {length} bytes; accepted is a whole file"));
        };
        match &kind.to_le_bytes() {
            b"JSON" => text = text.or(Some(chunk)),
            b"BIN\0" => blob = blob.or(Some(chunk)),
            _ => {}
        }
        // Chunks are as long as a multiple of 4, but for files that are not as they should be.
        at += 8 + length as usize;
    }
    text.map(|text| (text, blob)).ok_or_else(|| "is not accepted as glTF: it has no JSON".into())
}
