//! The C library's heap: pages without anything in use go back to the system.
//!
//! To compile a pipeline, drivers allocate and free some tens of MiB. Glibc keeps these, in an arena for each of the driver's threads and
//! between the few allocations that stay, and each device has other threads: a window in which pipelines are made again and again would
//! take more and more memory, of which less and less is used. To give it back takes one to three milliseconds.

use std::sync::atomic::{AtomicU64, Ordering};

/// Pipelines made by this process.
static PIPELINES: AtomicU64 = AtomicU64::new(0);

/// Another pipeline was made.
pub(super) fn pipeline_made() {
    PIPELINES.fetch_add(1, Ordering::Relaxed);
}

/// Tidies the heap after pipelines were made.
#[derive(Debug, Default)]
pub struct Heap {
    /// Pipelines made at the last two calls, the newer one first.
    made: [u64; 2],
}

impl Heap {
    /// Gives back what is not used, if pipelines were made before the last call: a driver compiles some of them only when they are first
    /// used. To be called about twice a second. Returns whether the heap was tidied.
    pub fn tidy(&mut self) -> bool {
        self.is_due(PIPELINES.load(Ordering::Relaxed)) && trim()
    }

    fn is_due(&mut self, made: u64) -> bool {
        let [newer, older] = self.made;
        self.made = [made, newer];
        newer != older
    }
}

/// Gives back what is not used. False where the C library is not glibc.
#[cfg(target_os = "linux")]
fn trim() -> bool {
    type Trim = unsafe extern "C" fn(usize) -> std::ffi::c_int;
    static LIBRARY: std::sync::LazyLock<libloading::os::unix::Library> =
        std::sync::LazyLock::new(libloading::os::unix::Library::this);
    // SAFETY: glibc declares it with this argument.
    let Ok(trim) = (unsafe { LIBRARY.get::<Trim>(b"malloc_trim\0") }) else { return false };
    // SAFETY: it changes nothing that is in use, and locks what other threads use.
    unsafe { trim(0) };
    true
}

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

    /// KiB of this process in memory.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn resident() -> usize {
        let status = std::fs::read_to_string("/proc/self/status").expect("this is Linux");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("every process has memory");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// What is freed between blocks that stay is otherwise kept.
    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn freed_pages_go_back_to_the_system() {
        const KIB: usize = 128 << 10;
        let mut blocks: Vec<Option<Box<[u8; 1024]>>> = (0..KIB).map(|_| Some(Box::new([1; 1024]))).collect();
        for (at, block) in blocks.iter_mut().enumerate() {
            *block = block.take().filter(|_| at % 64 == 0);
        }
        let before = resident();
        assert!(trim());
        let after = resident();
        assert!(before > after + KIB / 2, "{before} KiB before, {after} after, of {KIB} freed");
        assert_eq!(blocks.iter().flatten().count(), KIB / 64);
    }
}
