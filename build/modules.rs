//! Which SPIR-V modules there are to build: see `build.rs`.

use super::{limits, transitions};
use std::fs;
use std::path::{Path, PathBuf};

/// What stands for a law and for a search in `steer.comp`.
const LAW_INCLUDE: &str = "law.glsl";
const SEARCH_INCLUDE: &str = "search.glsl";

/// One SPIR-V module to build.
#[derive(Clone)]
pub struct Module {
    pub name: String,
    pub source: PathBuf,
    /// Files that stand for an include of another name.
    pub stand_ins: Vec<(&'static str, PathBuf)>,
    workgroup: u32,
    /// The macros that make another build of it than the usual one.
    builds: Vec<&'static str>,
}

impl Module {
    /// The module of a shader that includes nothing under another name.
    pub fn new(name: String, source: PathBuf) -> Module {
        let workgroup = limits::workgroup(&name);
        Module { name, source, stand_ins: Vec::new(), workgroup, builds: Vec::new() }
    }

    /// Every macro it is compiled with: its name, and its value if it has one.
    pub fn macros(&self) -> Vec<(&'static str, Option<String>)> {
        let shared = limits::SHADER_MACROS.iter().copied().chain([("WORKGROUP_SIZE", self.workgroup)]);
        let numbers = shared.map(|(name, value)| (name, Some(format!("{value}u"))));
        let states = transitions::macros().into_iter().map(|(name, value)| (name, Some(value)));
        numbers.chain(states).chain(self.builds.iter().map(|name| (*name, None))).collect()
    }

    /// The module itself, and every other build of it that one of its files asks for: `NAME_nearest`, `NAME_many`,
    /// `NAME_by_address`, `NAME_observed`, `NAME_narrow`, `NAME_perching` and `NAME_witness`, and each combination of
    /// these, in this order.
    fn all_builds(self) -> Vec<Module> {
        self.builds(BUILDS)
    }

    /// The same of these builds.
    fn builds(self, builds: &[(&str, &'static str, &str)]) -> Vec<Module> {
        let files = self.stand_ins.iter().map(|(_, file)| file).chain([&self.source]);
        let text: String = files.filter_map(|file| fs::read_to_string(file).ok()).collect();
        let mut all = vec![self];
        for (suffix, build, _) in builds.iter().filter(|(_, _, mark)| text.contains(mark)) {
            let others: Vec<Module> = all
                .iter()
                // Many flocks that exceed a descriptor's range are stepped a part at a time.
                .filter(|module| *build != "BY_ADDRESS" || !module.builds.contains(&MANY.1))
                .map(|module| Module {
                    name: format!("{}{suffix}", module.name),
                    builds: module.builds.iter().copied().chain([*build]).collect(),
                    ..module.clone()
                })
                .collect();
            all.extend(others);
        }
        all
    }
}

/// The build for many flocks that are stepped at once.
const MANY: (&str, &str, &str) = ("_many", "MANY", "#pragma many");

/// Other builds of a module: the end of its name, the macro it is built with, and what a file says that asks for it.
const BUILDS: &[(&str, &str, &str)] = &[
    // Counts only the nearest few of the neighbors: see glsl/include/nearest.glsl.
    ("_nearest", "NEAREST_FEW", "#pragma nearest"),
    // Has a part of each array for each of many flocks: see glsl/include/array.glsl.
    MANY,
    // Finds the flock's arrays by address: see glsl/include/array.glsl.
    ("_by_address", "BY_ADDRESS", "#pragma by_address"),
    // Draws boids in colors of what was observed of them.
    ("_observed", "OBSERVED", "#ifdef OBSERVED"),
    // Puts surfaces into the samples of a picture without 64-bit atomics: see glsl/include/samples.glsl.
    ("_narrow", "NARROW", "#pragma narrow"),
    // Lets birds perch on obstacles: see glsl/transition.comp.
    ("_perching", "PERCHING", "#ifdef PERCHING"),
    // Has the store by which synchronization validation sees that a kernel writes.
    ("_witness", "WITNESS", "#ifdef WITNESS"),
];

/// Every module: each shader once, `steer.comp` once for each law with each search, `observe.comp` once for each
/// search, and their other builds (of `observe.comp` only the one for many flocks).
pub fn modules(root: &Path) -> Vec<Module> {
    let laws = files(&root.join("laws"), &["glsl"]);
    let searches = files(&root.join("searches"), &["glsl"]);
    let mut modules = Vec::new();
    for source in files(root, &["comp", "vert", "frag"]) {
        let stem = stem(&source);
        if stem == "steer" {
            for (law, search) in laws.iter().flat_map(|law| searches.iter().map(move |search| (law, search))) {
                let name = format!("steer_{}_{}", self::stem(law), self::stem(search));
                let stand_ins = vec![(LAW_INCLUDE, law.clone()), (SEARCH_INCLUDE, search.clone())];
                modules.extend(Module { stand_ins, ..Module::new(name, source.clone()) }.all_builds());
            }
        } else if stem == "observe" {
            for search in &searches {
                let stand_ins = vec![(SEARCH_INCLUDE, search.clone())];
                let name = format!("observe_{}", self::stem(search));
                modules.extend(Module { stand_ins, ..Module::new(name, source.clone()) }.builds(&[MANY]));
            }
        } else {
            let stage = source.extension().and_then(|e| e.to_str()).unwrap_or_default();
            let name = if stage == "comp" { stem } else { format!("{stem}_{stage}") };
            modules.extend(Module::new(name, source).all_builds());
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
