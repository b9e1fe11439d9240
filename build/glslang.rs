//! Shaders for stepping through their source, line by line and variable by variable.
//!
//! RenderDoc and Nsight want `NonSemantic.Shader.DebugInfo.100` for that, which shaderc does not write and
//! `glslangValidator -gVS` does. Nothing is optimized, so that every variable is there to look at.

use super::modules::Module;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

/// The compiler's name.
pub const TOOL: &str = "glslangValidator";

/// The words of `module`, compiled by `tool`, which leaves its files in `folder`.
pub fn compile(tool: &str, module: &Module, folder: &Path) -> Result<Vec<u8>, String> {
    let failed = |what: &dyn std::fmt::Display| format!("{}: {what}", module.name);
    mirror(Path::new("glsl"), &folder.join("glsl")).map_err(|e| failed(&e))?;
    // A file that includes the one it stands for, so that the debugger shows that one under its own name.
    let stand_ins = folder.join("stand-ins").join(&module.name);
    fs::create_dir_all(&stand_ins).map_err(|e| failed(&e))?;
    for (name, file) in &module.stand_ins {
        let file = file.strip_prefix("glsl").unwrap_or(file).display().to_string().replace('\\', "/");
        fs::write(stand_ins.join(name), format!("#include \"{file}\"\n")).map_err(|e| failed(&e))?;
    }
    let out = folder.join(format!("{}.spv", module.name));
    let mut command = Command::new(tool);
    // Names of files are as they are in the repository.
    command.current_dir(folder);
    // For Vulkan 1.3 it would declare the size of workgroups in a way (LocalSizeId) that RenderDoc 1.24 does not read.
    command.args(["--quiet", "-V", "-gVS", "--target-env", "vulkan1.2", "-DFOR_STEPPING"]);
    for (name, value) in module.macros() {
        command.arg(value.map_or(format!("-D{name}"), |value| format!("-D{name}={value}")));
    }
    command.arg(format!("-I{}", stand_ins.display())).args(["-Iglsl/include", "-Iglsl", "-o"]);
    let output = command.arg(&out).arg(&module.source).output().map_err(|e| match e.kind() {
        ErrorKind::NotFound => {
            format!("STARLINGS_SHADER_DEBUG=1 needs {tool}, which is not installed (Debian: glslang-tools)")
        }
        _ => format!("{tool} does not start: {e}"),
    })?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stdout);
        // A compiler that crashes writes nothing.
        return Err(failed(&format!("{tool}: {}: {}", output.status, message.trim())));
    }
    fs::read(&out).map_err(|e| failed(&e))
}

/// The extension for whose sake a module failed that an older compiler does not know.
pub fn lacking(message: &str) -> Option<&str> {
    message.split("extension not supported: ").nth(1)?.split_whitespace().next()
}

/// Copies a folder of shaders for the compiler, which garbles what is not ASCII in included files.
fn mirror(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let copy = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            mirror(&entry.path(), &copy)?;
        } else {
            fs::write(copy, ascii(&fs::read_to_string(entry.path())?))?;
        }
    }
    Ok(())
}

/// `text` with a question mark for each character that is not ASCII. There are such in comments only.
pub fn ascii(text: &str) -> String {
    text.chars().map(|letter| if letter.is_ascii() { letter } else { '?' }).collect()
}
