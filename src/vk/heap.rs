//! The C library's heap: pages without anything in use go back to the system.
//!
//! To compile a pipeline, drivers allocate and free some tens of MiB, in an arena of glibc for each of their threads. Glibc keeps two kinds of
//! them: the end of an arena, up to a threshold that rises to twice the largest block ever freed, 64 MiB at most ([`give_back_ends`]); and
//! pages between the few allocations that stay ([`Heap::tidy`], which takes one to three milliseconds). A window in which pipelines, devices
//! and pictures are made again and again would take more and more memory, of which less and less is used.

use std::sync::atomic::{AtomicU64, Ordering};

/// Pipelines made by this process.
static PIPELINES: AtomicU64 = AtomicU64::new(0);

/// Another pipeline was made.
pub(super) fn pipeline_made() {
    PIPELINES.fetch_add(1, Ordering::Relaxed);
}

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

#[cfg(target_os = "linux")]
mod glibc {
    use libloading::os::unix::Library;
    use std::ffi::c_int;
    use std::sync::LazyLock;

    /// Where the functions are, if the C library has them.
    static LIBRARY: LazyLock<Library> = LazyLock::new(Library::this);

    const M_TRIM_THRESHOLD: c_int = -1;

    /// With glibc's own first value, 128 KiB, lavapipe's threads give memory back and take it again in each frame, which takes 4 % of it.
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

    /// Whether this process runs the test `name` alone. Otherwise starts one that does, and fails if it fails: the memory of a process that
    /// runs other tests at the same time says nothing.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn is_alone(name: &str) -> bool {
        const ALONE: &str = "STARLINGS_TEST_ALONE";
        if std::env::var_os(ALONE).is_some_and(|test| test == name) {
            return true;
        }
        let path = format!("{}::{name}", module_path!().split_once("::").expect("a module of the crate").1);
        let mut test = std::process::Command::new(std::env::current_exe().expect("a program"));
        let ended = test.env(ALONE, name).args(["--exact", &path]).output().expect("the tests start");
        let said = String::from_utf8_lossy(&ended.stdout);
        assert!(
            ended.status.success() && said.contains("1 passed"),
            "{said}{}",
            String::from_utf8_lossy(&ended.stderr)
        );
        false
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
        if !is_alone("freed_pages_go_back_to_the_system") {
            return;
        }
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

    /// Otherwise glibc keeps up to twice as much as the largest block ever freed.
    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn the_end_of_an_arena_goes_back_to_the_system() {
        if !is_alone("the_end_of_an_arena_goes_back_to_the_system") {
            return;
        }
        give_back_ends();
        // In an arena of its own.
        let memory = std::thread::spawn(|| {
            drop(std::hint::black_box(vec![1_u8; 31 << 20]));
            let before = resident();
            let blocks: Vec<Vec<u8>> = (0..60).map(|_| vec![1; 1 << 20]).collect();
            let used = resident() - before;
            drop(std::hint::black_box(blocks));
            (used, resident().saturating_sub(before))
        });
        let (used, kept) = memory.join().expect("no panic");
        assert!(used > 50 << 10 && kept < 10 << 10, "{kept} KiB of {used} were kept");
    }
}
