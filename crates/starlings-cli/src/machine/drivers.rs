//! Vulkan drivers, as the loader finds them: by manifests, which are JSON.

use serde_json::Value;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Bytes of a manifest that are read at most.
const MOST_BYTES: u64 = 1 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    pub path: PathBuf,
    /// The driver's library, or what is wrong with the manifest.
    pub library: Result<PathBuf, String>,
}

/// Whether a variable says which drivers there are, and which one.
pub fn named_by() -> Option<&'static str> {
    ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].into_iter().find(|name| value(name).is_some())
}

/// All manifests that the loader reads on Linux.
pub fn manifests() -> Vec<Manifest> {
    let listed = |name: &str| value(name).map(|list| env::split_paths(&list).collect()).unwrap_or_default();
    let mut places: Vec<PathBuf> = match named_by() {
        Some(name) => listed(name),
        None => {
            let mut places: Vec<PathBuf> = listed("VK_ADD_DRIVER_FILES");
            places.extend(folders());
            places
        }
    };
    places = places.into_iter().flat_map(files).collect();
    let mut seen = Vec::new();
    places.retain(|path| {
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        let new = !seen.contains(&real);
        seen.push(real);
        new
    });
    places.into_iter().map(|path| Manifest { library: library(&path), path }).collect()
}

/// What is wrong with the first damaged manifest, if one is.
pub fn damaged() -> Option<String> {
    manifests().into_iter().find_map(|manifest| {
        let reason = manifest.library.err()?;
        Some(format!("the driver manifest {} is damaged: {reason}", manifest.path.display()))
    })
}

fn value(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// Where manifests are installed.
fn folders() -> Vec<PathBuf> {
    let home = value("HOME").map(PathBuf::from);
    let of_home = |name: &str, within: &str| {
        value(name).map(PathBuf::from).or_else(|| home.as_ref().map(|home| home.join(within)))
    };
    let list = |name: &str, default: &str| {
        env::split_paths(&value(name).unwrap_or_else(|| default.into())).collect::<Vec<_>>()
    };
    let mut all: Vec<PathBuf> = of_home("XDG_CONFIG_HOME", ".config").into_iter().collect();
    all.extend(list("XDG_CONFIG_DIRS", "/etc/xdg"));
    all.push("/etc".into());
    all.extend(of_home("XDG_DATA_HOME", ".local/share"));
    all.extend(list("XDG_DATA_DIRS", "/usr/local/share:/usr/share"));
    all.into_iter().map(|folder| folder.join("vulkan/icd.d")).collect()
}

/// The manifests in a folder, or the file itself.
fn files(place: PathBuf) -> Vec<PathBuf> {
    if !place.is_dir() {
        // A folder that is not there holds none.
        return if place.extension().is_some_and(|end| end == "json") { vec![place] } else { Vec::new() };
    }
    let entries = fs::read_dir(place).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    files.sort();
    files
}

/// The library that a manifest names.
fn library(path: &Path) -> Result<PathBuf, String> {
    let bytes = starlings::input::read(path, MOST_BYTES).map_err(crate::export::words)?;
    let manifest: Value = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
    let library = manifest["ICD"]["library_path"].as_str().ok_or("it has no ICD.library_path")?;
    let named = Path::new(library);
    // Without a slash, the system finds it.
    if !library.contains('/') {
        return Ok(named.to_owned());
    }
    let found = path.parent().unwrap_or(Path::new("")).join(named);
    if found.exists() { Ok(found) } else { Err(format!("there is no library {}", found.display())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_names_a_library_that_is_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.json");
        let of = |text: &str| {
            fs::write(&path, text).expect("room");
            library(&path)
        };
        assert_eq!(of(r#"{"ICD": {"library_path": "libvulkan_x.so"}}"#), Ok("libvulkan_x.so".into()));
        assert_eq!(of(r#"{"ICD": {"library_path": "./a.json"}}"#), Ok(folder.path().join("./a.json")));
        assert!(of(r#"{"ICD": {"library_path": "/no/such.so"}}"#).is_err_and(|why| why.contains("/no/such.so")));
        assert!(of("{").is_err_and(|why| why.contains("EOF")));
        assert!(of("[]").is_err_and(|why| why.contains("ICD.library_path")));
        assert_eq!(files(folder.path().to_owned()), [path]);
    }
}
