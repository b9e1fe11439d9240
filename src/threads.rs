//! Threads of the host.

use crate::error::{Error, Result};
use crate::host_memory;
use crate::vk::room;
use std::num::NonZeroUsize;
use std::thread::available_parallelism;

/// Threads of a pool at most, on a machine with fewer cores.
const MOST: usize = 1024;

/// Bytes of a thread at least: its stack of 2 MiB, and some that it allocates when it starts.
const A_THREAD: u64 = (2 << 20) + (256 << 10);

/// Bytes that are kept for the thread that starts them: where a new thread has no memory, the C library ends the
/// program.
const BESIDES: u64 = 4 << 20;

/// Threads of a pool: one for each core, or what the environment variable `RAYON_NUM_THREADS` says.
///
/// # Errors
/// [`Error::Environment`] when it says more than any machine is helped by, which could take all its memory.
pub(crate) fn count() -> Result<usize> {
    let cores = available_parallelism().map_or(1, NonZeroUsize::get);
    // rayon takes 0, and what is no number, for the number of cores.
    let Some(value) = std::env::var("RAYON_NUM_THREADS").ok().filter(|value| value.parse() != Ok(0)) else {
        return Ok(cores);
    };
    let most = MOST.max(cores);
    match value.parse::<u128>() {
        Ok(count) if count > most as u128 => {
            let accepted = format!("a whole number from 1 to {most}, or nothing for one thread for each core");
            Err(Error::Environment { name: "RAYON_NUM_THREADS", value, accepted })
        }
        Ok(count) => Ok(count as usize),
        Err(_) => Ok(cores),
    }
}

/// Starts the threads on which host loops run that are not the CPU engine's own. Without this they start when first
/// needed, where a failure would be a panic. To be called once, before any such loop.
///
/// # Errors
/// [`Error::Threads`] when the system allows too few, or limits leave too little memory for them; [`Error::NoDevice`]
/// where that is also too little for a driver; as [`Error::Environment`] above.
pub fn start() -> Result<()> {
    let count = count()?;
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads);
    let failed = |why: String| room::check().err().unwrap_or(Error::Threads(why));
    // A trial with as many again, and some for queues and caches: a software driver that cannot start its own waits
    // without end.
    let tried = 2 * count + 8;
    // Those of a pool that is dropped may still be there when the next two pools start: this one and a CPU engine's.
    let most = tried + 2 * count;
    let (needed, left) = (A_THREAD * most as u64 + BESIDES, host_memory::left_by_limits());
    if left < needed {
        let why = format!("{most} of them take {} MiB, and limits leave {} MiB", needed >> 20, left >> 20);
        return Err(failed(why));
    }
    drop(pool(tried).build().map_err(|error| failed(error.to_string()))?);
    pool(count).build_global().map_err(|error| failed(error.to_string()))
}
