//! What the program asks of the system around it, in C: the heap of the C library, and X servers that end or refuse.
//! The only unsafe code of this library.

#![allow(unsafe_code)]

pub mod heap;
pub mod presented;
pub mod xlib;

/// Whether the system finds and loads the library `name`.
pub fn load_library(name: &str) -> Result<(), String> {
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
