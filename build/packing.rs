//! Compiled shaders that a packed crate carries in the folder `compiled/`, so that those who depend on it need no
//! compiler in C++: each module without its debug information, those that are alike compressed together (17 MB become
//! 3), an index, and the digest of the sources that they were made of.

use sha2::{Digest, Sha256};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What decides the words of a module, apart from the compiler.
const INPUTS: [&str; 5] = ["glsl", "examples/embed.comp", "build", "src/limits.rs", "src/transitions.rs"];

/// The SHA-256, in hexadecimal, of every source of the shaders under `root`: name and content of each file, sorted.
///
/// # Errors
/// Of reading one.
pub fn digest(root: &Path) -> io::Result<String> {
    let mut files = Vec::new();
    INPUTS.iter().try_for_each(|input| list(&root.join(input), &mut files))?;
    files.sort();
    let mut hasher = Sha256::new();
    for file in files {
        let name = file.strip_prefix(root).unwrap_or(&file).display().to_string().replace('\\', "/");
        // A checkout on Windows may end lines in another way.
        let content = fs::read_to_string(&file)?.replace("\r\n", "\n");
        for part in [&name, &content] {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn list(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if path.is_dir() {
        return fs::read_dir(path)?.try_for_each(|entry| list(&entry?.path(), files));
    }
    files.push(path.to_owned());
    Ok(())
}

/// The pack of a module: one for each law, because few flocks follow more than one.
pub fn pack(module: &str) -> String {
    match module.strip_prefix("steer_").and_then(|rest| rest.split('_').next()) {
        Some(law) => format!("steer_{law}.lzma"),
        None => "others.lzma".to_owned(),
    }
}

/// Compresses a pack. `shaders::opened` is the way back.
///
/// # Errors
/// None in practice: it is written to memory.
#[cfg(any(test, feature = "compile-shaders"))]
pub fn compressed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    use lzma_rust2::{LzmaOptions, LzmaWriter};
    use std::io::Write;
    const BEST: u32 = 9;
    let mut writer = LzmaWriter::new_use_header(Vec::new(), &LzmaOptions::with_preset(BEST), Some(bytes.len() as u64))?;
    writer.write_all(bytes)?;
    writer.finish()
}

/// The words of a header of SPIR-V.
const HEADER: usize = 5;

/// Opcodes of debug information (SPIR-V 1.6, section 3.52.2) and the lines of functions. Names stay: `starlings sync`
/// tells by them what a kernel accesses.
const DEBUG: [u32; 7] = [
    2,   // OpSourceContinued
    3,   // OpSource
    4,   // OpSourceExtension
    7,   // OpString
    8,   // OpLine
    317, // OpNoLine
    330, // OpModuleProcessed
];

/// The same module without sources and lines.
pub fn stripped(words: &[u32]) -> Vec<u32> {
    let mut kept = words[..HEADER].to_vec();
    let mut at = HEADER;
    while at < words.len() {
        let (length, opcode) = ((words[at] >> 16) as usize, words[at] & 0xffff);
        if !DEBUG.contains(&opcode) {
            kept.extend(&words[at..at + length]);
        }
        at += length;
    }
    kept
}
