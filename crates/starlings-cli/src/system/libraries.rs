//! Libraries that are opened at run time.

/// Whether the system finds and loads the library `name`.
pub fn load(name: &str) -> Result<(), String> {
    // SAFETY: a library of the system, which windows and Vulkan open as well.
    match unsafe { libloading::Library::new(name) } {
        Ok(library) => {
            // Not every library survives being closed.
            std::mem::forget(library);
            Ok(())
        }
        Err(error) => Err(error.to_string()),
    }
}
