//! The SPIR-V that `build.rs` compiles from `glsl/`.

/// Every module: its name and its words as bytes.
pub static MODULES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/shaders.rs"));

/// The module of `name` with a witness: a store next to its atomics that is not executed. None for a kernel without atomics.
pub fn witness(name: &str) -> Option<&'static str> {
    MODULES.iter().map(|(module, _)| *module).find(|module| module.strip_suffix("_witness") == Some(name))
}

/// The words of the module `name`.
///
/// # Panics
/// When there is none: names come from this program, not from its user.
pub fn spirv(name: &str) -> Vec<u32> {
    #[cfg(feature = "reload")]
    if let Some(bytes) = super::reload::newest(name) {
        return bytemuck::pod_collect_to_vec(&bytes);
    }
    let (_, bytes) =
        MODULES.iter().find(|(module, _)| *module == name).unwrap_or_else(|| panic!("no shader named {name}"));
    bytemuck::pod_collect_to_vec(bytes)
}
