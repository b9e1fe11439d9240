//! Compiles every kernel and draw shader under `glsl/` to SPIR-V 1.6 for Vulkan 1.3.
//!
//! Owns three rules: a stage is told by the file's extension; `#include "x"` is looked up under
//! `glsl/include/` and then under `glsl/`; and `steer.comp` is compiled once for each pair of a law in
//! `glsl/laws/` and a search in `glsl/searches/`, with `#include "law.glsl"` and `#include "search.glsl"`
//! standing for the two, as `steer_<law>_<search>`. A shader that mentions `WITNESS` is compiled a second time
//! with that macro, as `<name>_witness`. The words end up in `OUT_DIR/<name>.spv`, and
//! `OUT_DIR/shaders.rs` lists them for `src/vk/shaders.rs`.

#[allow(dead_code)]
#[path = "src/limits.rs"]
mod limits;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// What stands for a law and for a search in `steer.comp`.
const LAW_INCLUDE: &str = "law.glsl";
const SEARCH_INCLUDE: &str = "search.glsl";

/// One SPIR-V module to build.
struct Module {
    name: String,
    source: PathBuf,
    /// Files that stand for an include of another name.
    stand_ins: Vec<(&'static str, PathBuf)>,
    workgroup: u32,
    /// Whether `WITNESS` is defined.
    witness: bool,
}

/// The macro of the store by which synchronization validation sees that a kernel writes.
const WITNESS: &str = "WITNESS";

fn main() {
    println!("cargo:rerun-if-changed=glsl");
    println!("cargo:rerun-if-changed=src/limits.rs");
    let out_dir = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let mut failures = String::new();
    let mut table = String::from("&[\n");
    for module in modules(Path::new("glsl")) {
        match compile(&module) {
            Ok(words) => {
                fs::write(out_dir.join(format!("{}.spv", module.name)), words).expect("OUT_DIR is writable");
                let name = &module.name;
                writeln!(table, "    (\"{name}\", include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}.spv\"))),")
                    .expect("a String takes any text");
            }
            Err(message) => writeln!(failures, "{message}").expect("a String takes any text"),
        }
    }
    if !failures.is_empty() {
        eprintln!("{failures}");
        std::process::exit(1);
    }
    table.push(']');
    fs::write(out_dir.join("shaders.rs"), table).expect("OUT_DIR is writable");
}

/// Every module, sorted by name: each shader once, `steer.comp` once for each law with each search.
fn modules(root: &Path) -> Vec<Module> {
    let laws = files(&root.join("laws"), &["glsl"]);
    let searches = files(&root.join("searches"), &["glsl"]);
    let mut modules = Vec::new();
    for source in files(root, &["comp", "vert", "frag"]) {
        let stem = stem(&source);
        if stem == "steer" {
            modules.extend(laws.iter().flat_map(|law| searches.iter().map(move |search| (law, search))).map(
                |(law, search)| Module {
                    name: format!("steer_{}_{}", self::stem(law), self::stem(search)),
                    source: source.clone(),
                    stand_ins: vec![(LAW_INCLUDE, law.clone()), (SEARCH_INCLUDE, search.clone())],
                    workgroup: limits::steer_workgroup(&self::stem(search)),
                    witness: false,
                },
            ));
        } else {
            let stage = source.extension().and_then(|e| e.to_str()).unwrap_or_default();
            let name = if stage == "comp" { stem } else { format!("{stem}_{stage}") };
            let module = |name, source, witness| Module {
                name,
                source,
                stand_ins: Vec::new(),
                workgroup: limits::WORKGROUP_SIZE,
                witness,
            };
            if fs::read_to_string(&source).is_ok_and(|text| text.contains(WITNESS)) {
                modules.push(module(format!("{name}_witness"), source.clone(), true));
            }
            modules.push(module(name, source, false));
        }
    }
    modules
}

fn stem(path: &Path) -> String {
    path.file_stem().and_then(|s| s.to_str()).expect("shader names are UTF-8").to_owned()
}

/// The files of `folder` with one of the `extensions`, sorted so that builds are reproducible.
fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|e| panic!("cannot list {}: {e}", folder.display()))
        .map(|entry| entry.expect("a directory entry can be read").path())
        .filter(|path| path.extension().and_then(|e| e.to_str()).is_some_and(|e| extensions.contains(&e)))
        .collect();
    found.sort();
    found
}

fn compile(module: &Module) -> Result<Vec<u8>, String> {
    let text = fs::read_to_string(&module.source).map_err(|e| format!("{}: {e}", module.source.display()))?;
    let kind = match module.source.extension().and_then(|e| e.to_str()) {
        Some("vert") => shaderc::ShaderKind::Vertex,
        Some("frag") => shaderc::ShaderKind::Fragment,
        _ => shaderc::ShaderKind::Compute,
    };
    let compiler = shaderc::Compiler::new().map_err(|e| format!("shaderc cannot start: {e}"))?;
    let mut options = shaderc::CompileOptions::new().map_err(|e| format!("shaderc cannot start: {e}"))?;
    options.set_target_env(shaderc::TargetEnv::Vulkan, shaderc::EnvVersion::Vulkan1_3 as u32);
    options.set_target_spirv(shaderc::SpirvVersion::V1_6);
    options.set_optimization_level(shaderc::OptimizationLevel::Performance);
    // Names and lines stay in the module, so that RenderDoc and Nsight show the source.
    options.set_generate_debug_info();
    options.set_warnings_as_errors();
    if module.witness {
        options.add_macro_definition(WITNESS, None);
    }
    for (name, value) in limits::SHADER_MACROS {
        options.add_macro_definition(name, Some(&format!("{value}u")));
    }
    options.add_macro_definition("WORKGROUP_SIZE", Some(&format!("{}u", module.workgroup)));
    let stand_ins = module.stand_ins.clone();
    options.set_include_callback(move |wanted, _, _, _| {
        let path = match stand_ins.iter().find(|(name, _)| *name == wanted) {
            Some((_, stand_in)) => stand_in.clone(),
            None => [Path::new("glsl/include").join(wanted), Path::new("glsl").join(wanted)]
                .into_iter()
                .find(|path| path.exists())
                .ok_or_else(|| format!("no file {wanted} under glsl/include or glsl"))?,
        };
        let content = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(shaderc::ResolvedInclude { resolved_name: path.display().to_string(), content })
    });
    let file_name = module.source.display().to_string();
    let artifact = compiler
        .compile_into_spirv(&text, kind, &file_name, "main", Some(&options))
        .map_err(|e| format!("{}: {e}", module.name))?;
    Ok(artifact.as_binary_u8().to_vec())
}
