//! A step takes no memory from the host's allocator, once the first steps have taken what they need.

mod common;

use starlings::flock::{EngineKind, PRESETS, Settings};
use starlings::simulation::Simulation;
use starlings::vk::Validation;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, which counts what this thread asks it for. A driver in C does not ask it.
struct Counting;

thread_local! {
    static ASKED: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // None while the thread ends.
    let _ = ASKED.try_with(|asked| asked.set(asked.get() + 1));
}

// SAFETY: all is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as the caller promises.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Of every preset, and so of several laws and searches; each step in a submission of its own.
#[test]
fn a_step_allocates_nothing() {
    let Some(device) = common::unwatched_device(Validation::Off) else { return };
    for preset in PRESETS {
        let settings = Settings { engine: EngineKind::Gpu, ..preset.settings().with_boids(300) };
        let mut flock = Simulation::new(&device, &settings).expect("room").with_steps_per_submission(1);
        // The lists of times double in length now and then, up to a limit: here after 128 steps and after 256.
        flock.advance(140).expect("steps");
        let before = ASKED.get();
        assert!(before > 0, "nothing is counted");
        flock.advance(100).expect("steps");
        let taken = ASKED.get() - before;
        flock.wait().expect("the device is alive");
        assert_eq!(taken, 0, "{}: allocations in 100 steps", preset.name);
    }
}
