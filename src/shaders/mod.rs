//! The SPIR-V that `build.rs` compiles from `glsl/`.

#[cfg(any(feature = "reload", test))]
pub mod reload;

use crate::vk::{Device, ShaderModule};
use lzma_rust2::LzmaReader;
use std::io::{self, Read};
use std::sync::OnceLock;

/// A module, and where its bytes are in its pack.
struct Module {
    name: &'static str,
    pack: usize,
    from: usize,
    to: usize,
}

// `PACKS`, which are files of modules, and `MODULES`.
include!(concat!(env!("OUT_DIR"), "/shaders.rs"));

/// The names of all modules.
pub fn names() -> impl Iterator<Item = &'static str> {
    MODULES.iter().map(|module| module.name)
}

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
    names().find(|module| module.strip_suffix("_witness") == Some(name))
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
    words(bytes(name).unwrap_or_else(|| panic!("no shader named {name}")))
}

/// The bytes of a module as it was built; none if there is none of this name.
fn bytes(name: &str) -> Option<&'static [u8]> {
    let module = MODULES.iter().find(|module| module.name == name)?;
    Some(&unpacked(module.pack)[module.from..module.to])
}

/// The modules of a pack. Those of a packed crate are compressed, and opened when the first of them is needed.
fn unpacked(pack: usize) -> &'static [u8] {
    static OPENED: [OnceLock<Vec<u8>>; PACKS.len()] = [const { OnceLock::new() }; PACKS.len()];
    if cfg!(feature = "compile-shaders") {
        return PACKS[pack];
    }
    OPENED[pack].get_or_init(|| opened(PACKS[pack]).expect("it was compressed when the crate was packed"))
}

/// What was compressed.
fn opened(pack: &[u8]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    LzmaReader::new_mem_limit(pack, u32::MAX, None)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
#[path = "../../build/packing.rs"]
mod packing;

#[cfg(test)]
mod tests {
    use super::{bytes, names, opened, packing};
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
        for name in names() {
            let words: Vec<u32> =
                bytes(name).expect("a module").as_chunks().0.iter().map(|word| u32::from_ne_bytes(*word)).collect();
            let kept = packing::stripped(&words);
            assert!(has_source(&words) && !has_source(&kept), "{name}");
            assert_eq!(packing::stripped(&kept), kept, "{name}");
            // Reflecting all of them would take long.
            if ["steer_reynolds_quantized_grid", "boid_vert", "boid_frag"].contains(&name) {
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
    fn packs_open_to_what_was_compressed() {
        let mut packs: Vec<String> = names().map(packing::pack).collect();
        packs.sort();
        packs.dedup();
        assert!(packs.len() > 4, "{packs:?}");
        // All of them take long.
        for pack in ["steer_probe.lzma", "others.lzma"] {
            let of = names().filter(|name| packing::pack(name) == pack);
            let whole: Vec<u8> = of.take(8).filter_map(bytes).flatten().copied().collect();
            let compressed = packing::compressed(&whole).expect("memory takes all");
            assert!(compressed.len() < whole.len() / 3, "{pack}: {} of {}", compressed.len(), whole.len());
            assert_eq!(opened(&compressed).expect("it was compressed"), whole, "{pack}");
            opened(&compressed[..compressed.len() / 2]).expect_err("a part");
        }
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
