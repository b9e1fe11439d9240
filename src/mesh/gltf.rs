//! glTF files. The crate reads and checks the JSON; bytes are read here, where each length is checked before it is used.

use super::{MAX_BYTES, MAX_TRIANGLES, Triangle, too_many};
use crate::input;
use base64::{Engine, engine::general_purpose::STANDARD};
use glam::{DMat4, Vec3};
use gltf::accessor::{DataType, Dimensions};
use gltf::buffer::Source;
use gltf::mesh::Mode;
use gltf::{Accessor, Gltf, Primitive, Semantic};
use std::path::Path;

/// The triangles of the default scene, or else of the first.
///
/// # Errors
/// What is wrong with the file, as the rest of a sentence.
pub fn triangles(path: &Path, bytes: &[u8]) -> Result<Vec<Triangle>, String> {
    check_length(bytes)?;
    let Gltf { document, blob } = Gltf::from_slice(bytes).map_err(|error| match error {
        gltf::Error::Validation(all) if !all.is_empty() => {
            format!("is not accepted as glTF: {} is wrong: {}", all[0].0, all[0].1)
        }
        error => format!("is not accepted as glTF: {error}"),
    })?;
    if let Some(name) = document.extensions_required().next() {
        return Err(format!("requires the extension {name}; accepted is glTF without required extensions"));
    }
    let scene = document.default_scene().or_else(|| document.scenes().next());
    let buffers = read_buffers(path, document.buffers(), blob)?;
    let mut all = Vec::new();
    let mut is_known = vec![false; document.nodes().count()];
    let roots = scene.iter().flat_map(gltf::Scene::nodes).map(|node| (node, DMat4::IDENTITY));
    let mut open: Vec<_> = roots.collect();
    while let Some((node, parent)) = open.pop() {
        // A node in a circle, or below two others, would be met again.
        if std::mem::replace(&mut is_known[node.index()], true) {
            return Err(format!("has node {} more than once; accepted is a tree of nodes", node.index()));
        }
        let own = node.transform().matrix().map(|column| column.map(f64::from));
        let place = parent * DMat4::from_cols_array_2d(&own);
        for primitive in node.mesh().iter().flat_map(gltf::Mesh::primitives) {
            add(&primitive, &buffers, place, &mut all)?;
        }
        open.extend(node.children().map(|child| (child, place)));
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

/// Adds the triangles of a primitive.
fn add(primitive: &Primitive<'_>, buffers: &[Vec<u8>], place: DMat4, all: &mut Vec<Triangle>) -> Result<(), String> {
    let mode = primitive.mode();
    let Some(positions) = primitive.get(&Semantic::Positions) else { return Ok(()) };
    if !matches!(mode, Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan) {
        return Ok(());
    }
    if (positions.data_type(), positions.dimensions()) != (DataType::F32, Dimensions::Vec3) {
        return Err("has positions that are not of 3 floats; accepted are such".into());
    }
    let number = |word: &[u8], at: usize| f32::from_le_bytes([0, 1, 2, 3].map(|byte| word[4 * at + byte]));
    let corner = |word: &[u8]| Vec3::from([0, 1, 2].map(|axis| number(word, axis)));
    let moved = |local: Vec3| place.transform_point3(local.as_dvec3()).as_vec3();
    let places: Vec<Vec3> = elements(&positions, buffers)?.map(|word| moved(corner(word))).collect();
    let order: Vec<usize> = match primitive.indices() {
        None => (0..places.len()).collect(),
        Some(indices) if indices.dimensions() != Dimensions::Scalar => {
            return Err("has indices that are not single numbers; accepted are such".into());
        }
        Some(indices) => {
            let index = |word: &[u8]| word.iter().rev().fold(0, |sum, &byte| sum << 8 | usize::from(byte));
            elements(&indices, buffers)?.map(index).collect()
        }
    };
    if let Some(index) = order.iter().find(|&&index| index >= places.len()) {
        return Err(format!("has a corner {index} of {}; accepted is a smaller number", places.len()));
    }
    let corners: Vec<[usize; 3]> = match mode {
        Mode::TriangleStrip => {
            let turned =
                |(k, at): (usize, &[usize])| if k % 2 == 0 { [at[0], at[1], at[2]] } else { [at[1], at[0], at[2]] };
            order.windows(3).enumerate().map(turned).collect()
        }
        Mode::TriangleFan => order.windows(2).skip(1).map(|at| [order[0], at[0], at[1]]).collect(),
        _ => order.as_chunks().0.to_vec(),
    };
    if all.len() + corners.len() > MAX_TRIANGLES {
        return Err(too_many());
    }
    // A mirrored node turns its triangles around.
    let is_mirrored = place.determinant() < 0.0;
    all.extend(corners.iter().map(|&[a, b, c]| if is_mirrored { [a, c, b] } else { [a, b, c] }.map(|at| places[at])));
    Ok(())
}

/// The bytes of each element of an accessor.
fn elements<'a>(of: &Accessor<'_>, buffers: &'a [Vec<u8>]) -> Result<impl Iterator<Item = &'a [u8]>, String> {
    let number = of.index();
    let view = of.view().filter(|_| of.sparse().is_none());
    let view = view
        .ok_or_else(|| format!("has an accessor {number} that is sparse or without bytes; accepted is a full one"))?;
    let (size, count) = (of.size(), of.count());
    let stride = view.stride().unwrap_or(size);
    let own =
        view.offset().checked_add(view.length()).and_then(|end| buffers[view.buffer().index()].get(view.offset()..end));
    // One that is too long to be counted is longer than its buffer.
    let length = count.saturating_sub(1).saturating_mul(stride).saturating_add(size.min(size.saturating_mul(count)));
    let bytes = own.and_then(|bytes| bytes.get(of.offset()..of.offset().checked_add(length)?));
    let bytes = bytes.filter(|_| stride >= size).ok_or_else(|| {
        format!(
            "has an accessor {number} of {count} elements that are not all in its buffer; accepted are those that are"
        )
    })?;
    Ok(bytes.chunks(stride).take(count).map(move |element| &element[..size]))
}
