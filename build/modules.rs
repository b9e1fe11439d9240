//! Which SPIR-V modules there are to build: see `build.rs`.

use super::limits;
use std::fs;
use std::path::{Path, PathBuf};

/// What stands for a law and for a search in `steer.comp`.
const LAW_INCLUDE: &str = "law.glsl";
const SEARCH_INCLUDE: &str = "search.glsl";

/// One SPIR-V module to build.
pub struct Module {
    pub name: String,
    pub source: PathBuf,
    /// Files that stand for an include of another name.
    pub stand_ins: Vec<(&'static str, PathBuf)>,
    workgroup: u32,
    /// Whether `WITNESS` is defined.
    witness: bool,
}

impl Module {
    /// Every macro it is compiled with: its name, and its value if it has one.
    pub fn macros(&self) -> Vec<(&'static str, Option<String>)> {
        let shared = limits::SHADER_MACROS.iter().copied().chain([("WORKGROUP_SIZE", self.workgroup)]);
        let numbers = shared.map(|(name, value)| (name, Some(format!("{value}u"))));
        numbers.chain(self.witness.then_some((WITNESS, None))).collect()
    }
}

/// The macro of the store by which synchronization validation sees that a kernel writes.
const WITNESS: &str = "WITNESS";

/// Every module, sorted by name: each shader once, `steer.comp` once for each law with each search, `observe.comp` once for
/// each search.
pub fn modules(root: &Path) -> Vec<Module> {
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
        } else if stem == "observe" {
            modules.extend(searches.iter().map(|search| Module {
                name: format!("observe_{}", self::stem(search)),
                source: source.clone(),
                stand_ins: vec![(SEARCH_INCLUDE, search.clone())],
                workgroup: limits::steer_workgroup(&self::stem(search)),
                witness: false,
            }));
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
