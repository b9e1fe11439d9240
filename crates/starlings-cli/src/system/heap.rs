//! The C library's heap: pages without anything in use go back to the system.
//!
//! To compile a pipeline, drivers allocate and free some tens of MiB, in an arena of glibc for each of their threads.
//! Glibc keeps two kinds of them: the end of an arena, up to a threshold that rises to twice the largest block ever
//! freed, 64 MiB at most ([`give_back_ends`]); and pages between the few allocations that stay ([`Heap::tidy`], which
//! takes one to three milliseconds). A window in which pipelines, devices and pictures are made again and again would
//! take more and more memory, of which less and less is used.

use starlings::vk::pipelines_made;

/// From now on, gives back the end of an arena once 2 MiB of it are free, in the whole process.
pub fn give_back_ends() {
    #[cfg(target_os = "linux")]
    glibc::fix_threshold();
}

/// Tidies the heap after pipelines were made.
#[derive(Debug, Default)]
pub struct Heap {
    /// Pipelines made at the last two calls, the newer one first.
    made: [u64; 2],
}

impl Heap {
    /// Gives back what is not used, if pipelines were made before the last call: a driver compiles some of them only
    /// when they are first used. To be called about twice a second. Returns whether the heap was tidied.
    pub fn tidy(&mut self) -> bool {
        self.is_due(pipelines_made()) && trim()
    }

    fn is_due(&mut self, made: u64) -> bool {
        let [newer, older] = self.made;
        self.made = [made, newer];
        newer != older
    }
}

#[cfg(target_os = "linux")]
mod glibc {
    use libloading::os::unix::Library;
    use std::ffi::c_int;
    use std::sync::LazyLock;

    /// Where the functions are, if the C library has them.
    static LIBRARY: LazyLock<Library> = LazyLock::new(Library::this);

    const M_TRIM_THRESHOLD: c_int = -1;

    /// With glibc's own first value, 128 KiB, lavapipe's threads give memory back and take it again in each frame,
    /// which takes 4 % of it.
    const THRESHOLD: c_int = 2 << 20;

    /// Gives back what is not used. False where the C library is not glibc.
    pub fn trim() -> bool {
        type Trim = unsafe extern "C" fn(usize) -> c_int;
        // SAFETY: glibc declares it with this argument.
        let Ok(trim) = (unsafe { LIBRARY.get::<Trim>(b"malloc_trim\0") }) else { return false };
        // SAFETY: it changes nothing that is in use, and locks what other threads use.
        unsafe { trim(0) };
        true
    }

    /// Keeps the threshold from rising.
    pub fn fix_threshold() {
        type SetOption = unsafe extern "C" fn(c_int, c_int) -> c_int;
        // SAFETY: glibc declares it with these arguments.
        if let Ok(set_option) = unsafe { LIBRARY.get::<SetOption>(b"mallopt\0") } {
            // SAFETY: it only sets a number.
            unsafe { set_option(M_TRIM_THRESHOLD, THRESHOLD) };
        }
    }
}

#[cfg(target_os = "linux")]
use glibc::trim;

/// Other systems' heaps were not seen to grow.
#[cfg(not(target_os = "linux"))]
fn trim() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_tidied_once_after_pipelines_were_made() {
        let mut heap = Heap::default();
        let due: Vec<bool> = [0, 3, 3, 3, 4, 5, 5, 5].into_iter().map(|made| heap.is_due(made)).collect();
        assert_eq!(due, [false, false, true, false, false, true, true, false]);
    }
}
