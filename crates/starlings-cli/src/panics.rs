//! Panics: those of this program are its defects, those of libraries are failures of what they ask the system for.

use crate::{Error, Result};
use std::panic::{AssertUnwindSafe, PanicHookInfo, UnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The first panic since the last that was caught: others may follow from it.
static FIRST: Mutex<Option<Panic>> = Mutex::new(None);

struct Panic {
    text: String,
    /// What it says, if it is of a library, with the library's name and version.
    of_library: Option<String>,
}

/// What `run` returns. A panic, of this program or of a library, ends in one line as any failure does.
///
/// # Errors
/// Those of `run`; [`Error::Panic`] and [`Error::Library`].
pub fn caught(run: impl FnOnce() -> Result<()> + UnwindSafe) -> Result<()> {
    std::panic::set_hook(Box::new(note));
    catch_unwind(run).unwrap_or_else(|_| {
        let panic = first().take();
        Err(match panic {
            Some(Panic { of_library: Some(text), .. }) => Error::Library(text),
            Some(Panic { text, .. }) => Error::Panic(text),
            None => Error::Panic(String::new()),
        })
    })
}

/// What `run`, which calls a library, returns.
pub fn of_library<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| {
        let noted = first().take().map(|panic| panic.of_library.unwrap_or(panic.text));
        noted.unwrap_or_else(|| payload.downcast_ref::<String>().cloned().unwrap_or_default())
    })
}

fn first() -> MutexGuard<'static, Option<Panic>> {
    FIRST.lock().unwrap_or_else(PoisonError::into_inner)
}

fn note(info: &PanicHookInfo<'_>) {
    let message = info.payload_as_str().unwrap_or_default().lines().next().unwrap_or_default();
    let library = info.location().and_then(|place| library(place.file()));
    let of_library = library.map(|library| format!("{library} has failed: {message}"));
    first().get_or_insert_with(|| Panic { text: info.to_string(), of_library });
}

/// The package that a source file of cargo's registry is of, with its version.
fn library(file: &str) -> Option<&str> {
    let mut parts = file.split(['/', '\\']).skip_while(|part| *part != "registry");
    parts.nth(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_known_by_its_file() {
        let of_winit = "/home/a/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/winit-0.30.13/src/lib.rs";
        assert_eq!(library(of_winit), Some("winit-0.30.13"));
        assert_eq!(
            (library("crates/starlings-cli/src/lib.rs"), library("/rustc/1/library/core/src/a.rs")),
            (None, None)
        );
    }

    #[test]
    fn a_panic_is_a_failure_that_names_its_place() {
        let panicked = caught(|| panic!("of a test\nin two lines"));
        assert!(
            matches!(panicked, Err(Error::Panic(text)) if text.contains("panics.rs:") && text.contains("in two lines"))
        );
        assert_eq!(of_library(|| -> u8 { panic!("a {}", 1) }).map_err(|text| text.contains("a 1")), Err(true));
        assert!(caught(|| Ok(())).is_ok());
        // Other tests speak for themselves.
        drop(std::panic::take_hook());
    }
}
