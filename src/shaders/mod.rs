//! The SPIR-V that `build.rs` compiles from `glsl/`.

#[cfg(any(feature = "reload", test))]
pub mod reload;

use crate::vk::{Device, ShaderModule};

/// Every module: its name and its words as bytes.
pub static MODULES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/shaders.rs"));

/// The module `name` for a pipeline on `device`. On a device with [witnesses](crate::vk::DeviceOptions::witness), it is
/// the build that has one, where there is one.
///
/// # Panics
/// As [`spirv`].
pub fn module(device: &Device, name: &str) -> ShaderModule {
    let build = if device.has_witnesses() { witness(name) } else { None }.unwrap_or(name);
    ShaderModule { name: name.to_owned(), build: build.to_owned(), words: spirv(build) }
}

/// The name of the build of `name` with a witness: a store next to its atomics that is not executed. None for a shader
/// without atomics.
fn witness(name: &str) -> Option<&'static str> {
    MODULES.iter().map(|(module, _)| *module).find(|module| module.strip_suffix("_witness") == Some(name))
}

/// The words of the module `name`.
///
/// # Panics
/// When there is none: names come from this program, not from its user.
pub fn spirv(name: &str) -> Vec<u32> {
    let words = |bytes: &[u8]| bytes.as_chunks().0.iter().map(|word| u32::from_ne_bytes(*word)).collect();
    #[cfg(any(feature = "reload", test))]
    if let Some(bytes) = reload::newest(name) {
        return words(&bytes);
    }
    let (_, bytes) =
        MODULES.iter().find(|(module, _)| *module == name).unwrap_or_else(|| panic!("no shader named {name}"));
    words(bytes)
}

#[cfg(test)]
#[path = "../../build/packing.rs"]
mod packing;

#[cfg(test)]
mod tests {
    use super::{MODULES, packing};
    use spirq::ReflectConfig;
    use std::fs;
    use std::path::Path;

    const SOURCE: &[u8] = b"#version 460";

    #[test]
    fn a_packed_module_is_the_same_program_without_its_source() {
        // The first line of each shader, which RenderDoc shows.
        let has_source =
            |words: &[u32]| bytemuck::cast_slice::<u32, u8>(words).windows(SOURCE.len()).any(|bytes| bytes == SOURCE);
        let mut reflected = 0;
        for (name, bytes) in MODULES {
            let words: Vec<u32> = bytes.as_chunks().0.iter().map(|word| u32::from_ne_bytes(*word)).collect();
            let kept = packing::stripped(&words);
            assert!(has_source(&words) && !has_source(&kept), "{name}");
            assert_eq!(packing::stripped(&kept), kept, "{name}");
            // Reflecting all of them would take long.
            if ["steer_reynolds_quantized_grid", "boid_vert", "boid_frag"].contains(name) {
                let interface = |words: &[u32]| {
                    let entries = ReflectConfig::new().spv(words).ref_all_rscs(true).reflect();
                    format!("{:?}", entries.unwrap_or_else(|error| panic!("{name}: {error}"))[0].vars)
                };
                assert_eq!(interface(&words), interface(&kept), "{name}");
                reflected += 1;
            }
        }
        assert_eq!(reflected, 3);
    }

    #[test]
    fn the_digest_of_the_sources_changes_with_each_of_them() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let copy = tempfile::tempdir().expect("a folder");
        let to = |name: &str| copy.path().join(name);
        for folder in ["glsl", "examples", "build", "src"] {
            fs::create_dir(to(folder)).expect("a folder");
        }
        let files =
            ["glsl/cull.comp", "examples/embed.comp", "build/modules.rs", "src/limits.rs", "src/transitions.rs"];
        for file in files {
            fs::copy(root.join(file), to(file)).expect("a source");
        }
        let digest = || packing::digest(copy.path()).expect("sources");
        let whole = digest();
        for file in files {
            let text = fs::read_to_string(to(file)).expect("a source");
            fs::write(to(file), format!("{text} ")).expect("room");
            assert_ne!(digest(), whole, "{file}");
            fs::write(to(file), text.replace('\n', "\r\n")).expect("room");
            assert_eq!(digest(), whole, "{file}: only its ends of lines differ");
        }
        fs::rename(to("glsl/cull.comp"), to("glsl/other.comp")).expect("room");
        assert_ne!(digest(), whole);
    }
}
