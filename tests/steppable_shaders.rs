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

#[test]
fn every_module_carries_its_source_for_stepping() {
    if Command::new(glslang::TOOL).arg("--version").output().is_err() {
        assert!(!common::required("REQUIRE_RENDERDOC"), "REQUIRE_RENDERDOC=1, but {} is not installed", glslang::TOOL);
        return eprintln!("SKIPPED, nothing was tested: {} is not installed", glslang::TOOL);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let modules = modules::modules(Path::new("glsl"));
    let names: Vec<&str> = modules.iter().map(|module| module.name.as_str()).collect();
    let built: Vec<&str> = starlings::vk::shaders::MODULES.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, built);
    let mut steppable = 0;
    for module in &modules {
        let words = match glslang::compile(glslang::TOOL, module, folder.path()) {
            Ok(words) => words,
            // Debian 12's compiler is older than this extension; the build warns and uses the normal module.
            Err(message) if glslang::lacking(&message) == Some("GL_EXT_integer_dot_product") => continue,
            Err(message) => panic!("{message}"),
        };
        steppable += 1;
        assert!(contains(&words, b"NonSemantic.Shader.DebugInfo.100"), "{}", module.name);
        for file in module.stand_ins.iter().map(|(_, file)| file).chain([&module.source]) {
            let source = glslang::ascii(&std::fs::read_to_string(file).expect("a shader"));
            assert!(contains(&words, source.as_bytes()), "{} does not carry {}", module.name, file.display());
            assert!(contains(&words, file.display().to_string().as_bytes()), "{}", module.name);
        }
    }
    let quantized = names.iter().filter(|name| name.contains("_quantized_grid")).count();
    assert!(steppable >= names.len() - quantized, "only {steppable} of {names:?} can be stepped through");
}

#[test]
fn a_missing_compiler_is_named_in_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let module = &modules::modules(Path::new("glsl"))[0];
    let message = glslang::compile("no-such-compiler", module, folder.path()).expect_err("there is none");
    let expected = "STARLINGS_SHADER_DEBUG=1 needs no-such-compiler, which is not installed (Debian: glslang-tools)";
    assert_eq!(message, expected);
}
