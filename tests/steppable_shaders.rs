//! Shaders built with `STARLINGS_SHADER_DEBUG=1`: every module contains the source of its files.

#[path = "../build/glslang.rs"]
mod glslang;
#[allow(dead_code)]
#[path = "../src/limits.rs"]
mod limits;
#[path = "../build/modules.rs"]
mod modules;
#[allow(dead_code)]
#[path = "../src/transitions.rs"]
mod transitions;

mod common;

use std::path::Path;
use std::process::Command;

fn contains(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}

/// RenderDoc steps through no module with one of the SPIR-V capabilities `GroupNonUniform` to `GroupNonUniformQuad`.
fn works_in_subgroups(words: &[u8]) -> bool {
    let words: Vec<u32> = words.chunks_exact(4).map(|it| u32::from_le_bytes([it[0], it[1], it[2], it[3]])).collect();
    // Capabilities come first, after a header of five words: OpCapability is 17, and two words long.
    words[5..].chunks_exact(2).take_while(|op| op[0] == 0x2_0011).any(|op| (61..=68).contains(&op[1]))
}

/// What docs/profiling.md says that RenderDoc steps through, of the kernels.
fn is_to_be_stepped_through(name: &str) -> bool {
    name == "sort_scatter"
        || name.starts_with("steer_") && ["_sorted_grid", "_all_pairs"].iter().any(|it| name.ends_with(it))
}

/// The modules that RenderDoc steps through, or all, carry their sources.
fn carry_their_sources(all: bool) {
    if Command::new(glslang::TOOL).arg("--version").output().is_err() {
        assert!(!common::required("REQUIRE_RENDERDOC"), "REQUIRE_RENDERDOC=1, but {} is not installed", glslang::TOOL);
        return eprintln!("SKIPPED, nothing was tested: {} is not installed", glslang::TOOL);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let modules = modules::modules(Path::new("glsl"));
    let names: Vec<&str> = modules.iter().map(|module| module.name.as_str()).collect();
    let built: Vec<&str> = starlings::shaders::names().collect();
    assert_eq!(names, built);
    let (mut steppable, mut stepped_through) = (0, 0);
    let draws = |module: &modules::Module| module.source.extension().is_some_and(|stage| stage != "comp");
    let is_stepped_through = |module: &modules::Module| draws(module) || is_to_be_stepped_through(&module.name);
    for module in modules.iter().filter(|module| all || is_stepped_through(module)) {
        let words = match glslang::compile(glslang::TOOL, module, folder.path()) {
            Ok(words) => words,
            // Debian 12's compiler is older than this extension; the build warns and uses the normal module.
            Err(message) if glslang::lacking(&message) == Some("GL_EXT_integer_dot_product") => continue,
            Err(message) => panic!("{message}"),
        };
        steppable += 1;
        assert!(contains(&words, b"NonSemantic.Shader.DebugInfo.100"), "{}", module.name);
        // No draw works in subgroups either.
        if is_stepped_through(module) {
            assert!(!works_in_subgroups(&words), "{}", module.name);
            stepped_through += 1;
        }
        for file in module.stand_ins.iter().map(|(_, file)| file).chain([&module.source]) {
            let source = glslang::ascii(&std::fs::read_to_string(file).expect("a shader"));
            assert!(contains(&words, source.as_bytes()), "{} does not carry {}", module.name, file.display());
            assert!(contains(&words, file.display().to_string().as_bytes()), "{}", module.name);
        }
    }
    assert!(stepped_through >= 20, "{stepped_through} modules");
    let quantized = names.iter().filter(|name| name.contains("_quantized_grid")).count();
    assert!(!all || steppable >= names.len() - quantized, "only {steppable} of {names:?} can be stepped through");
}

#[test]
fn what_is_stepped_through_carries_its_source() {
    carry_their_sources(false);
}

#[test]
#[ignore = "long: compiles every module"]
fn every_module_carries_its_source_for_stepping() {
    carry_their_sources(true);
}

#[test]
fn a_missing_compiler_is_named_in_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let module = &modules::modules(Path::new("glsl"))[0];
    let message = glslang::compile("no-such-compiler", module, folder.path()).expect_err("there is none");
    let expected = "STARLINGS_SHADER_DEBUG=1 needs no-such-compiler, which is not installed (Debian: glslang-tools)";
    assert_eq!(message, expected);
}
