//! Compiles every kernel and draw shader under `glsl/` to SPIR-V 1.6 for Vulkan 1.3.
//!
//! Three rules apply: the file's extension determines the stage; `#include "x"` is looked up under
//! `glsl/include/` and then under `glsl/`; and `steer.comp` is compiled once for each pair of a law in
//! `glsl/laws/` and a search in `glsl/searches/`, with `#include "law.glsl"` and `#include "search.glsl"`
//! standing for the two, as `steer_<law>_<search>`, and `observe.comp` once for each search, as `observe_<search>`. A
//! shader that asks for another build, such as `<name>_by_address`, is compiled once more with a macro: see
//! `build/modules.rs`. The words end up in `OUT_DIR/<name>.spv`, and
//! `OUT_DIR/shaders.rs` lists them for `src/vk/shaders.rs`.
//!
//! With `STARLINGS_SHADER_DEBUG=1` they are compiled for stepping through their source: see `build/glslang.rs`.

#[path = "build/compile.rs"]
mod compile;
#[path = "build/glslang.rs"]
mod glslang;
#[allow(dead_code)]
#[path = "src/limits.rs"]
mod limits;
#[path = "build/modules.rs"]
mod modules;
#[allow(dead_code)]
#[path = "src/transitions.rs"]
mod transitions;

use compile::compile;
use modules::{Module, modules};
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

fn main() {
    println!("cargo:rerun-if-changed=glsl");
    println!("cargo:rerun-if-changed={EXAMPLE}");
    println!("cargo:rerun-if-changed=build");
    println!("cargo:rerun-if-changed=src/limits.rs");
    println!("cargo:rerun-if-changed=src/transitions.rs");
    println!("cargo:rerun-if-env-changed=STARLINGS_SHADER_DEBUG");
    // For the stacks of the CPU engine's threads.
    println!("cargo::rustc-check-cfg=cfg(unoptimized)");
    if std::env::var("OPT_LEVEL").is_ok_and(|level| level == "0") {
        println!("cargo::rustc-cfg=unoptimized");
    }
    let steppable = std::env::var_os("STARLINGS_SHADER_DEBUG").is_some_and(|value| value == "1");
    let out_dir = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let modules = modules(Path::new(ROOT));
    let built = on_all_cores(&modules, |module| build(module, steppable, &out_dir));

    let mut failures = String::new();
    let mut table = String::from("&[\n");
    for (module, built) in modules.iter().zip(built) {
        match built {
            Ok(()) => {
                let name = &module.name;
                writeln!(table, "    (\"{name}\", include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}.spv\"))),")
                    .expect("a String takes any text");
            }
            // An error in an included file fails every kernel with the same message.
            Err(message) if !failures.contains(&message) => {
                writeln!(failures, "{message}").expect("a String takes any text");
            }
            Err(_) => {}
        }
    }
    // A host's own shader: not in the table of ours.
    if let Err(message) = build(&Module::new("embed".into(), EXAMPLE.into()), false, &out_dir) {
        writeln!(failures, "{message}").expect("a String takes any text");
    }
    if !failures.is_empty() {
        // Cargo shows these and nothing else, and fails.
        return failures.lines().for_each(|line| println!("cargo::error={line}"));
    }
    table.push(']');
    fs::write(out_dir.join("shaders.rs"), table).expect("OUT_DIR is writable");
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
fn build(module: &Module, steppable: bool, out_dir: &Path) -> Result<(), String> {
    let compiled = match steppable {
        // A separate folder, because modules are compiled concurrently.
        true => glslang::compile(glslang::TOOL, module, &out_dir.join("stepping").join(&module.name)),
        false => compile(module, Path::new(ROOT)),
    };
    let words = compiled.or_else(|message| match glslang::lacking(&message) {
        Some(extension) if steppable => {
            println!("cargo:warning={}: cannot be stepped through, {} lacks {extension}", module.name, glslang::TOOL);
            compile(module, Path::new(ROOT))
        }
        _ => Err(message),
    })?;
    fs::write(out_dir.join(format!("{}.spv", module.name)), words).expect("OUT_DIR is writable");
    Ok(())
}
