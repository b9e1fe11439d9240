//! Compiles one module with shaderc. For `build.rs`, and for `src/shaders/reload.rs`, where shaders are compiled again
//! at run time.

use super::modules::Module;
use std::fs;
use std::path::Path;

/// The words of a module, as bytes. `root` is the folder of all shaders.
///
/// # Errors
/// What the compiler says, with file and line.
pub fn compile(module: &Module, root: &Path) -> Result<Vec<u8>, String> {
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
    for (name, value) in module.macros() {
        options.add_macro_definition(name, value.as_deref());
    }
    let (stand_ins, root) = (module.stand_ins.clone(), root.to_owned());
    options.set_include_callback(move |wanted, _, _, _| {
        let path = match stand_ins.iter().find(|(name, _)| *name == wanted) {
            Some((_, stand_in)) => stand_in.clone(),
            None => [root.join("include").join(wanted), root.join(wanted)]
                .into_iter()
                .find(|path| path.exists())
                .ok_or_else(|| format!("no file {wanted} under {0} or {0}/include", root.display()))?,
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
