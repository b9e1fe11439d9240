//! glTF files. The crate reads and checks the JSON; bytes are read here, where each length is checked before it is used.

mod accessor;

pub use accessor::Kind;

use super::{MAX_BYTES, MAX_TRIANGLES, Triangle, too_many};
use crate::input;
use base64::{Engine, engine::general_purpose::STANDARD};
use glam::{DMat4, Vec3};
use gltf::buffer::Source;
use gltf::json::Root;
use gltf::json::validation::Checked;
use gltf::{Document, Gltf, Node, Primitive, Semantic};
use std::path::Path;

/// A glTF file with its buffers.
pub struct File {
    /// What its JSON says.
    pub document: Document,
    buffers: Vec<Vec<u8>>,
}

impl File {
    /// Reads the buffers of the file at `path`, which has these bytes.
    ///
    /// # Errors
    /// What is wrong with the file, as the rest of a sentence.
    pub fn open(path: &Path, bytes: &[u8]) -> Result<File, String> {
        check_length(bytes)?;
        let refused = |error| match error {
            gltf::Error::Validation(all) if !all.is_empty() => {
                format!("is not accepted as glTF: {} is wrong: {}", all[0].0, all[0].1)
            }
            error => format!("is not accepted as glTF: {error}"),
        };
        let Gltf { document, blob } = Gltf::from_slice_without_validation(bytes).map_err(refused)?;
        let json = document.into_json();
        check_positions(&json)?;
        let document = Document::from_json(json).map_err(refused)?;
        if let Some(name) = document.extensions_required().next() {
            return Err(format!("requires the extension {name}; accepted is glTF without required extensions"));
        }
        let buffers = read_buffers(path, document.buffers(), blob)?;
        Ok(File { document, buffers })
    }

    /// The nodes of the default scene, or else of the first, each with its parent's place in this list, which is before it.
    pub fn nodes(&self) -> Result<Vec<(Node<'_>, Option<usize>)>, String> {
        let scene = self.document.default_scene().or_else(|| self.document.scenes().next());
        let mut is_known = vec![false; self.document.nodes().count()];
        let mut open: Vec<_> = scene.iter().flat_map(gltf::Scene::nodes).map(|node| (node, None)).collect();
        let mut all = Vec::new();
        while let Some((node, parent)) = open.pop() {
            // A node in a circle, or below two others, would be met again.
            if std::mem::replace(&mut is_known[node.index()], true) {
                return Err(format!("has node {} more than once; accepted is a tree of nodes", node.index()));
            }
            open.extend(node.children().map(|child| (child, Some(all.len()))));
            all.push((node, parent));
        }
        Ok(all)
    }
}

/// The triangles of the default scene, or else of the first.
///
/// # Errors
/// What is wrong with the file, as the rest of a sentence.
pub fn triangles(path: &Path, bytes: &[u8]) -> Result<Vec<Triangle>, String> {
    let file = File::open(path, bytes)?;
    let mut all = Vec::new();
    let mut places: Vec<DMat4> = Vec::new();
    for (node, parent) in file.nodes()? {
        let own = node.transform().matrix().map(|column| column.map(f64::from));
        let own = DMat4::from_cols_array_2d(&own);
        let place = parent.map_or(own, |parent| places[parent] * own);
        for primitive in node.mesh().iter().flat_map(gltf::Mesh::primitives) {
            file.add(&primitive, place, &mut all)?;
        }
        places.push(place);
    }
    Ok(all)
}

/// Of a binary file, the length in its header: the crate subtracts from it without a check.
fn check_length(bytes: &[u8]) -> Result<(), String> {
    let Some(header) = bytes.strip_prefix(b"glTF") else { return Ok(()) };
    let length = header.get(4..8).and_then(|word| word.try_into().ok()).map(u32::from_le_bytes);
    match length {
        Some(length) if length as usize == bytes.len() => Ok(()),
        Some(length) => {
            Err(format!("has {} bytes, and its header says {length}; accepted is a whole file", bytes.len()))
        }
        None => Err(format!("has {} bytes; accepted is a whole file", bytes.len())),
    }
}

/// The accessors of positions: the crate looks them up before it checks that they are there.
fn check_positions(json: &Root) -> Result<(), String> {
    let name = Checked::Valid(Semantic::Positions);
    let mut all = json.meshes.iter().flat_map(|mesh| &mesh.primitives).filter_map(|of| of.attributes.get(&name));
    match all.find(|accessor| accessor.value() >= json.accessors.len()) {
        Some(accessor) => {
            let (number, count) = (accessor.value(), json.accessors.len());
            Err(format!("has positions in accessor {number} of {count}; accepted is a smaller number"))
        }
        None => Ok(()),
    }
}

fn read_buffers(path: &Path, all: gltf::iter::Buffers<'_>, mut blob: Option<Vec<u8>>) -> Result<Vec<Vec<u8>>, String> {
    let (mut buffers, mut left) = (Vec::new(), MAX_BYTES);
    for buffer in all {
        let number = buffer.index();
        let bytes = match buffer.source() {
            Source::Bin => blob.take().ok_or_else(|| format!("lacks the bytes of buffer {number}"))?,
            Source::Uri(uri) if uri.starts_with("data:") => {
                let coded = uri.split_once(";base64,").map(|(_, coded)| coded);
                let bytes = coded.and_then(|coded| STANDARD.decode(coded).ok());
                bytes.ok_or_else(|| {
                    format!("has a buffer {number} that is no base64; accepted is data:TYPE;base64,...")
                })?
            }
            Source::Uri(uri) if uri.contains(':') || Path::new(uri).is_absolute() => {
                return Err(format!("has a buffer {number} at {uri}; accepted is a file relative to it"));
            }
            Source::Uri(uri) => {
                let file = path.parent().unwrap_or(Path::new("")).join(uri);
                let lacks = |error| format!("lacks its buffer {number}: {}: {error}", file.display());
                input::read(&file, left).map_err(lacks)?
            }
        };
        if bytes.len() < buffer.length() {
            let (length, needed) = (bytes.len(), buffer.length());
            return Err(format!("has a buffer {number} of {length} bytes; accepted are the {needed} that it says"));
        }
        left = left.saturating_sub(bytes.len() as u64);
        buffers.push(bytes);
    }
    Ok(buffers)
}

impl File {
    /// Adds the triangles of a primitive.
    fn add(&self, primitive: &Primitive<'_>, place: DMat4, all: &mut Vec<Triangle>) -> Result<(), String> {
        let Some(positions) = self.positions(primitive)? else { return Ok(()) };
        let moved = |local: [f32; 3]| place.transform_point3(Vec3::from(local).as_dvec3()).as_vec3();
        let places: Vec<Vec3> = positions.into_iter().map(moved).collect();
        let corners = self.corners(primitive, places.len())?;
        if all.len() + corners.len() > MAX_TRIANGLES {
            return Err(too_many());
        }
        // A mirrored node turns its triangles around.
        let is_mirrored = place.determinant() < 0.0;
        all.extend(
            corners.iter().map(|&[a, b, c]| if is_mirrored { [a, c, b] } else { [a, b, c] }.map(|at| places[at])),
        );
        Ok(())
    }
}
