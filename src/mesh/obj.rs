//! OBJ files.

use super::{MAX_TRIANGLES, Triangle, too_many};
use glam::Vec3;
use std::path::Path;
use tobj::LoadOptions;

/// The triangles of an OBJ file; polygons are divided into fans.
///
/// # Errors
/// What is wrong with it, as the rest of a sentence.
pub fn triangles(_: &Path, bytes: &[u8]) -> Result<Vec<Triangle>, String> {
    let options = LoadOptions { triangulate: true, ignore_points: true, ignore_lines: true, ..LoadOptions::default() };
    let no_materials = |_: &Path| Ok(Default::default());
    // Without them, their indices are not looked at: tobj 4.0.5 multiplies them unchecked.
    let is_needed = |line: &&[u8]| {
        let word = line.trim_ascii_start();
        !word.starts_with(b"vt") && !word.starts_with(b"vn")
    };
    let needed = bytes.split_inclusive(|&byte| byte == b'\n').filter(is_needed).collect::<Vec<_>>().concat();
    let (models, _) = tobj::load_obj_buf(&mut needed.as_slice(), &options, no_materials)
        .map_err(|error| format!("is not accepted as OBJ: {error}"))?;
    let mut all = Vec::new();
    for mesh in models.iter().map(|model| &model.mesh) {
        let (places, corners) = (mesh.positions.as_chunks::<3>().0, mesh.indices.as_chunks::<3>().0);
        if all.len() + corners.len() > MAX_TRIANGLES {
            return Err(too_many());
        }
        for corners in corners {
            let [a, b, c] = corners.map(|i| places.get(i as usize).copied().map(Vec3::from));
            all.push([a, b, c].map(|place| place.unwrap_or(Vec3::NAN)));
        }
    }
    Ok(all)
}
