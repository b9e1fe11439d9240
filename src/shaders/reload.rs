//! Shaders that are compiled again when a file under `glsl/` changes: for those who work on them, with the feature
//! `reload`.

use crate::{limits, transitions};
use compile::compile;
use modules::{Module, modules};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::SystemTime;

#[path = "../../build/compile.rs"]
mod compile;
#[path = "../../build/modules.rs"]
mod modules;

/// Where this program was built from.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/glsl");

/// Modules that pipelines were made of, and those of them that were compiled again.
#[derive(Default)]
struct Modules {
    used: BTreeSet<String>,
    renewed: BTreeMap<String, Vec<u8>>,
}

static MODULES: LazyLock<Mutex<Modules>> = LazyLock::new(Mutex::default);

/// The newest words of a module, as bytes, if it was compiled again. Notes that it is used.
pub(super) fn newest(name: &str) -> Option<Vec<u8>> {
    let mut modules = MODULES.lock().unwrap_or_else(PoisonError::into_inner);
    modules.used.insert(name.to_owned());
    modules.renewed.get(name).cloned()
}

/// Watches the files of the shaders.
pub struct Watch {
    root: PathBuf,
    seen: BTreeMap<PathBuf, SystemTime>,
}

impl Default for Watch {
    fn default() -> Watch {
        Watch::of(Path::new(ROOT))
    }
}

impl Watch {
    fn of(root: &Path) -> Watch {
        Watch { root: root.to_owned(), seen: times(root) }
    }

    /// Where a file has changed since the last call: compiles the modules that are in use, for pipelines made from now
    /// on. If one cannot be compiled, all stay as they were.
    ///
    /// # Errors
    /// What the compiler says, with file and line.
    pub fn renew(&mut self) -> Option<Result<usize, String>> {
        let now = times(&self.root);
        if now == self.seen {
            return None;
        }
        self.seen = now;
        let mut state = MODULES.lock().unwrap_or_else(PoisonError::into_inner);
        let used: Vec<Module> = modules(&self.root).into_iter().filter(|of| state.used.contains(&of.name)).collect();
        let compiled: Result<Vec<_>, String> =
            used.iter().map(|module| Ok((module.name.clone(), compile(module, &self.root)?))).collect();
        Some(compiled.map(|compiled| {
            let differs = |(name, words): &(String, Vec<u8>)| {
                state.renewed.get(name).map(Vec::as_slice).or_else(|| super::bytes(name)) != Some(words)
            };
            let different = compiled.iter().filter(|module| differs(module)).count();
            state.renewed.extend(compiled);
            different
        }))
    }
}

/// Every file under `folder`, with the time of its last change.
fn times(folder: &Path) -> BTreeMap<PathBuf, SystemTime> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            all.append(&mut times(&path));
        } else if let Ok(changed) = entry.metadata().and_then(|data| data.modified()) {
            all.insert(path, changed);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::spirv;
    use super::*;
    use std::fs;

    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).expect("a folder");
        for entry in fs::read_dir(from).expect("the shaders").flatten() {
            let place = to.join(entry.file_name());
            if entry.path().is_dir() {
                copy(&entry.path(), &place);
            } else {
                fs::copy(entry.path(), &place).expect("a copy");
            }
        }
    }

    #[test]
    fn a_changed_file_is_compiled_and_a_wrong_one_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        copy(Path::new(ROOT), folder.path());
        let built = spirv("grid_count");
        let mut watch = Watch::of(folder.path());
        assert_eq!(watch.renew(), None, "nothing has changed");
        let file = folder.path().join("grid_count.comp");
        let text = fs::read_to_string(&file).expect("a shader");
        let wrong = text.replace("void main() {", "void main() {\n    this is wrong;");
        fs::write(&file, wrong).expect("a folder to write to");
        let message = watch.renew().expect("it has changed").expect_err("it cannot be compiled");
        let line = text.lines().take_while(|line| !line.contains("void main()")).count() + 2;
        assert!(message.contains(&format!("grid_count.comp:{line}: error:")), "{message}");
        assert_eq!(spirv("grid_count"), built);
        let other = text.replace("void main() {", "void main() {\n    if (params.boid_count == 77u) { return; }");
        fs::write(&file, other).expect("a folder to write to");
        assert_eq!(watch.renew(), Some(Ok(1)));
        assert_ne!(spirv("grid_count"), built);
        fs::write(&file, text).expect("a folder to write to");
        assert_eq!(watch.renew(), Some(Ok(1)));
    }
}
