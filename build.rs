//! Compiles every kernel and draw shader under `glsl/` to SPIR-V 1.6 for Vulkan 1.3.
//!
//! Three rules apply: the file's extension determines the stage; `#include "x"` is looked up under
//! `glsl/include/` and then under `glsl/`; and `steer.comp` is compiled once for each pair of a law in
//! `glsl/laws/` and a search in `glsl/searches/`, with `#include "law.glsl"` and `#include "search.glsl"`
//! standing for the two, as `steer_<law>_<search>`, and `observe.comp` once for each search, as `observe_<search>`. A
//! shader that asks for another build, such as `<name>_by_address`, is compiled once more with a macro: see
//! `build/modules.rs`. The words end up in `OUT_DIR/<name>.spv`, and
//! `OUT_DIR/shaders.rs` lists them for `src/shaders`.
//!
//! With `STARLINGS_SHADER_DEBUG=1` they are compiled for stepping through their source: see `build/glslang.rs`.
//!
//! A packed crate has the modules already, in `compiled/`, and the feature `compile-shaders` is off. Then nothing is
//! compiled: the modules are taken if they were made of the sources beside them. `STARLINGS_PACK_SHADERS` names the
//! folder that they are written to: see `build/packing.rs` and `./bootstrap package`.

#[cfg(feature = "compile-shaders")]
#[path = "build/compile.rs"]
mod compile;
#[cfg_attr(not(feature = "compile-shaders"), allow(dead_code))]
#[path = "build/glslang.rs"]
mod glslang;
#[allow(dead_code)]
#[path = "src/limits.rs"]
mod limits;
#[path = "build/modules.rs"]
mod modules;
#[cfg_attr(not(feature = "compile-shaders"), allow(dead_code))]
#[path = "build/packing.rs"]
mod packing;
#[allow(dead_code)]
#[path = "src/transitions.rs"]
mod transitions;

use modules::{Module, modules};
#[cfg(feature = "compile-shaders")]
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where the shaders are.
const ROOT: &str = "glsl";

/// The shader of the example that embeds a flock, which takes it from `OUT_DIR/embed.spv`.
const EXAMPLE: &str = "examples/embed.comp";
const EXAMPLE_MODULE: &str = "embed";

/// The folder with the shaders of a packed crate, and the files in it with the name and the length of each module, and
/// with the digest of their sources.
const COMPILED: &str = "compiled";
const INDEX: &str = "modules.txt";
const SOURCES: &str = "sources.sha256";

/// The environment variable with the folder for a packed crate's shaders.
const PACK: &str = "STARLINGS_PACK_SHADERS";

fn main() {
    println!("cargo:rerun-if-changed=glsl");
    println!("cargo:rerun-if-changed={EXAMPLE}");
    println!("cargo:rerun-if-changed=build");
    println!("cargo:rerun-if-changed=src/limits.rs");
    println!("cargo:rerun-if-changed=src/transitions.rs");
    if !cfg!(feature = "compile-shaders") {
        println!("cargo:rerun-if-changed={}", COMPILED);
    }
    println!("cargo:rerun-if-env-changed=STARLINGS_SHADER_DEBUG");
    println!("cargo:rerun-if-env-changed={PACK}");
    // For the stacks of the CPU engine's threads.
    println!("cargo::rustc-check-cfg=cfg(unoptimized)");
    // For the instruction set that the CPU engine is compiled for.
    println!("cargo::rustc-check-cfg=cfg(one_instruction_set)");
    let level = std::env::var("OPT_LEVEL").unwrap_or_default();
    if level == "0" {
        println!("cargo::rustc-cfg=unoptimized");
    }
    if ["0", "1"].contains(&level.as_str()) {
        println!("cargo::rustc-cfg=one_instruction_set");
    }
    let out_dir = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let modules = modules(Path::new(ROOT));
    // A host's own shader: not in the table of ours.
    let example = Module::new(EXAMPLE_MODULE.into(), EXAMPLE.into());
    let all: Vec<Module> = modules.iter().cloned().chain([example]).collect();
    let built = match cfg!(feature = "compile-shaders") {
        true => compile_all(&all, &out_dir).map(|()| compiled_table(&modules, &out_dir)),
        false => packed_table(&modules, &out_dir),
    };
    let table = match built {
        Ok(table) => table,
        // Cargo shows these and nothing else, and fails.
        Err(failures) => return failures.lines().for_each(|line| println!("cargo::error={line}")),
    };
    fs::write(out_dir.join("shaders.rs"), table).expect("OUT_DIR is writable");
    #[cfg(feature = "compile-shaders")]
    if let Some(folder) = std::env::var_os(PACK) {
        pack(&modules, &out_dir, Path::new(&folder));
    }
}

/// Compiles `modules` into `out_dir`.
///
/// # Errors
/// What the compiler says against them, each line once.
fn compile_all(modules: &[Module], out_dir: &Path) -> Result<(), String> {
    let steppable = std::env::var_os("STARLINGS_SHADER_DEBUG").is_some_and(|value| value == "1");
    let built = on_all_cores(modules, |module| build(module, steppable, out_dir));
    let mut failures = String::new();
    for message in built.into_iter().filter_map(Result::err) {
        // An error in an included file fails every kernel with the same message.
        if !failures.contains(&message) {
            writeln!(failures, "{message}").expect("a String takes any text");
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(failures) }
}

/// The table of `src/shaders`: files with the bytes of modules, and for each module its name, its file and where it
/// begins and ends there.
fn table(files: &[PathBuf], modules: &[(&str, usize, [usize; 2])]) -> String {
    let files: String = files.iter().map(|file| format!("    include_bytes!({file:?}),\n")).collect();
    let row = |(name, pack, [from, to]): &(&str, usize, [usize; 2])| {
        format!("    Module {{ name: \"{name}\", pack: {pack}, from: {from}, to: {to} }},\n")
    };
    let modules: String = modules.iter().map(row).collect();
    format!("const PACKS: &[&[u8]] = &[\n{files}];\nstatic MODULES: &[Module] = &[\n{modules}];\n")
}

/// The table of modules that were compiled, each a file of its own.
fn compiled_table(modules: &[Module], out_dir: &Path) -> String {
    let files: Vec<PathBuf> = modules.iter().map(|module| out_dir.join(format!("{}.spv", module.name))).collect();
    let length = |at: usize| fs::metadata(&files[at]).expect("the module was built").len() as usize;
    let rows = modules.iter().enumerate().map(|(at, module)| (module.name.as_str(), at, [0, length(at)]));
    table(&files, &rows.collect::<Vec<_>>())
}

/// The table of the modules of a packed crate.
///
/// # Errors
/// What is missing, or of other sources.
fn packed_table(modules: &[Module], out_dir: &Path) -> Result<String, String> {
    let how = "switch on the feature compile-shaders, which takes cmake and a C++ compiler";
    let folder = Path::new(&std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join(COMPILED);
    let read = |file: &str| {
        let file = folder.join(file);
        fs::read_to_string(&file).map_err(|error| format!("no compiled shaders: {}: {error}; {how}", file.display()))
    };
    let sources = packing::digest(Path::new(".")).map_err(|error| format!("the sources of the shaders: {error}"))?;
    if read(SOURCES)?.trim() != sources {
        return Err(format!("the shaders in {} were compiled from other sources than glsl/; {how}", folder.display()));
    }
    let example = format!("{EXAMPLE_MODULE}.spv");
    fs::copy(folder.join(&example), out_dir.join(&example)).map_err(|error| format!("{example}: {error}; {how}"))?;
    let (mut files, mut ends, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    for (module, line) in modules.iter().zip(read(INDEX)?.lines()) {
        let length = line.strip_prefix(&module.name).and_then(|length| length.trim().parse::<usize>().ok());
        let length = length.ok_or_else(|| format!("{INDEX}: '{line}' is not of {}; {how}", module.name))?;
        let file = folder.join(packing::pack(&module.name));
        let pack = files.iter().position(|known| *known == file).unwrap_or_else(|| {
            files.push(file);
            ends.push(0);
            ends.len() - 1
        });
        rows.push((module.name.as_str(), pack, [ends[pack], ends[pack] + length]));
        ends[pack] += length;
    }
    if rows.len() < modules.len() {
        return Err(format!("{INDEX} has {} of {} modules; {how}", rows.len(), modules.len()));
    }
    Ok(table(&files, &rows))
}

/// Writes the built `modules` to `folder` as a packed crate has them.
#[cfg(feature = "compile-shaders")]
fn pack(modules: &[Module], out_dir: &Path, folder: &Path) {
    let stripped = |name: &str| -> Vec<u8> {
        let built = fs::read(out_dir.join(format!("{name}.spv"))).expect("the module was built");
        let words: Vec<u32> = built.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        packing::stripped(&words).into_iter().flat_map(u32::to_le_bytes).collect()
    };
    let (mut packs, mut index) = (BTreeMap::<String, Vec<u8>>::new(), String::new());
    for Module { name, .. } in modules {
        let bytes = stripped(name);
        writeln!(index, "{name} {}", bytes.len()).expect("a String takes any text");
        packs.entry(packing::pack(name)).or_default().extend(bytes);
    }
    let write = |file: &str, bytes: &[u8]| {
        fs::create_dir_all(folder).and_then(|()| fs::write(folder.join(file), bytes)).expect("a folder for shaders");
    };
    for (file, bytes) in packs {
        write(&file, &packing::compressed(&bytes).expect("memory takes all"));
    }
    write(&format!("{EXAMPLE_MODULE}.spv"), &stripped(EXAMPLE_MODULE));
    write(INDEX, index.as_bytes());
    let sources = packing::digest(Path::new(".")).expect("the sources were read to compile them");
    write(SOURCES, format!("{sources}\n").as_bytes());
}

/// What `work` makes of each module, in their order. Each thread takes the next remaining module.
fn on_all_cores<T: Send>(modules: &[Module], work: impl Fn(&Module) -> T + Sync) -> Vec<T> {
    let results: Vec<Mutex<Option<T>>> = modules.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads.min(modules.len()) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(module) = modules.get(at) else { break };
                    *results[at].lock().expect("no thread panics while holding it") = Some(work(module));
                }
            });
        }
    });
    results.into_iter().map(|result| result.into_inner().ok().flatten().expect("every module was taken")).collect()
}

/// Compiles a module and writes it to `out_dir`.
#[cfg(feature = "compile-shaders")]
fn build(module: &Module, steppable: bool, out_dir: &Path) -> Result<(), String> {
    // The example is not stepped through.
    let compiled = match steppable && !module.source.starts_with("examples") {
        // A separate folder, because modules are compiled concurrently.
        true => glslang::compile(glslang::TOOL, module, &out_dir.join("stepping").join(&module.name)),
        false => compile::compile(module, Path::new(ROOT)),
    };
    let words = compiled.or_else(|message| match glslang::lacking(&message) {
        Some(extension) if steppable => {
            println!("cargo:warning={}: cannot be stepped through, {} lacks {extension}", module.name, glslang::TOOL);
            compile::compile(module, Path::new(ROOT))
        }
        _ => Err(message),
    })?;
    fs::write(out_dir.join(format!("{}.spv", module.name)), words).expect("OUT_DIR is writable");
    Ok(())
}

/// There is no compiler in this build.
#[cfg(not(feature = "compile-shaders"))]
fn build(module: &Module, _: bool, _: &Path) -> Result<(), String> {
    Err(format!("{}: not compiled", module.name))
}
