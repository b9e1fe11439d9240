//! Extensions of glTF that a file requires: `docs/files.md` has the table.

use super::json::{Primitive, Root};

/// What is read.
const READ: [&str; 5] = [
    "KHR_mesh_quantization",
    "KHR_texture_transform",
    "EXT_texture_webp",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_node_visibility",
];

/// What is read by a library in C++, if that is built in.
const UNPACKED: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// How the names of those begin that concern nothing that is read: surfaces, lights, cameras, sound, texts about the
/// file, what it does when it is touched. A texture that is only in another format is left out with a warning.
const OF_NO_CONCERN: [&str; 20] = [
    "KHR_materials_",
    "EXT_materials_",
    "MSFT_packing_",
    "ADOBE_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "MSFT_texture_",
    "KHR_lights_",
    "EXT_lights_",
    "KHR_technique",
    "KHR_animation_pointer",
    "KHR_xmp",
    "KHR_audio",
    "MSFT_audio",
    "KHR_interactivity",
    "KHR_node_selectability",
    "KHR_node_hoverability",
    "KHR_physics_",
    "EXT_structural_metadata",
    "EXT_mesh_features",
];

/// Refuses a file that cannot be read without an extension that is not read.
pub fn check(json: &Root<'_>) -> Result<(), String> {
    let unpacked = |name: &str| cfg!(feature = "meshopt") && UNPACKED.contains(&name);
    let is_known = |name: &str| {
        READ.contains(&name) || unpacked(name) || OF_NO_CONCERN.iter().any(|known| name.starts_with(known))
    };
    match json.extensions_required.iter().find(|name| !is_known(name)) {
        Some(name) => Err(requires(name)),
        None => Ok(()),
    }
}

/// Refuses a primitive whose places are only in Draco's format.
pub fn check_draco(json: &Root<'_>, primitive: &Primitive, positions: u32) -> Result<(), String> {
    let is_draco = primitive.extensions.as_ref().is_some_and(|extensions| extensions.draco.is_some());
    match json.accessors.get(positions as usize) {
        Some(accessor) if is_draco && accessor.buffer_view.is_none() => Err(requires("KHR_draco_mesh_compression")),
        _ => Ok(()),
    }
}

fn requires(name: &str) -> String {
    let name: String = name.chars().take(60).collect();
    format!("requires the extension {name}, which is not read; accepted is the same model exported without it")
}
