//! Memory that the system refuses ends the program in one line, with exit status 3. The standard library would print
//! several and abort.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The system's allocator, which gives memory or does not return.
struct OrEnd;

#[global_allocator]
static ALLOCATOR: OrEnd = OrEnd;

// SAFETY: each call is the same call of the system's allocator, with the same arguments, and returns what it returned.
unsafe impl GlobalAlloc for OrEnd {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the same.
        or_end(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the same.
        or_end(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promises are the same.
        or_end(unsafe { System.realloc(pointer, layout, size) }, size)
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}

fn or_end(pointer: *mut u8, bytes: usize) -> *mut u8 {
    if pointer.is_null() {
        end(bytes);
    }
    pointer
}

/// Ends the program. Allocates nothing and takes no lock, which another thread without memory might hold.
#[cold]
fn end(bytes: usize) -> ! {
    static ENDING: AtomicBool = AtomicBool::new(false);
    while ENDING.swap(true, Ordering::Relaxed) {
        // Another thread is writing the line.
        std::thread::sleep(Duration::from_secs(1));
    }
    let mut line = [0; 100];
    let mut rest = &mut line[..];
    // Ignored: the line is long enough, and stderr may be closed.
    let _ = writeln!(rest, "starlings: out of memory: {bytes} bytes more were refused");
    let unused = rest.len();
    let _ = rustix::io::write(rustix::stdio::stderr(), &line[..line.len() - unused]);
    signal_hook::low_level::exit(3)
}
