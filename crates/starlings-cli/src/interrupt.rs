//! Signals: any single one ends any command within a second.
//!
//! What looks at the [token] ends by itself: it keeps what it has gathered, and leaves no partial files. What is not
//! ours to ask, such as a driver that compiles or an X server that does not answer, is ended from outside by a thread
//! that waits for the signal.

use crate::{Error, Result};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};
use starlings::Cancel;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// From a signal until the program is ended from outside.
const GRACE: Duration = Duration::from_millis(500);

/// From a signal until something that must not be cut short, but can be left out, is.
const SHORT: Duration = Duration::from_millis(300);

/// From the end of a file that was being completed until the next must have begun.
const BETWEEN: Duration = Duration::from_millis(200);

/// For what is printed last, where nobody may be reading it.
const LINE: Duration = Duration::from_millis(100);

static TOKEN: LazyLock<Cancel> = LazyLock::new(Cancel::default);

/// When the signal came.
static SINCE: OnceLock<Instant> = OnceLock::new();

/// Files that are being completed.
static HELD: Mutex<u32> = Mutex::new(0);
static RELEASED: Condvar = Condvar::new();

/// Whoever holds this ends the program.
static LAST: Mutex<()> = Mutex::new(());

type Undo = Box<dyn FnOnce() + Send>;

/// What is to be undone where the program is ended from outside, each with its number.
static UNDO: Mutex<(u64, Vec<(u64, Undo)>)> = Mutex::new((0, Vec::new()));

/// After this, the first Ctrl-C, SIGTERM or SIGHUP requests the [token], and ends the program a little later. A second
/// Ctrl-C or SIGTERM ends it at once, also while a file is completed; a second SIGHUP does not, because a terminal that
/// is closed sends two.
pub fn install() {
    // Nobody can type Ctrl-C for a program that was started with `nohup` or in the background.
    let ignored = ignored();
    let watched = |signal: &i32| ignored >> (signal - 1) & 1 == 0;
    let mut signals: Vec<i32> = [SIGINT, SIGTERM].into_iter().filter(watched).collect();
    let shutdown = |signal: &i32| flag::register_conditional_shutdown(*signal, 130, TOKEN.flag()).map(drop);
    let installed = signals.iter().try_for_each(shutdown);
    #[cfg(unix)]
    signals.extend(Some(signal_hook::consts::SIGHUP).filter(watched));
    let installed =
        installed.and_then(|()| signals.iter().try_for_each(|&signal| flag::register(signal, TOKEN.flag()).map(drop)));
    #[cfg(unix)]
    let installed = installed.and_then(|()| watch(&signals));
    if let Err(error) = installed {
        tracing::warn!("Ctrl-C may end this run without writing anything, or not at once: {error}");
    }
}

/// Starts the thread that ends the program if it does not end by itself.
#[cfg(unix)]
fn watch(signals: &[i32]) -> io::Result<()> {
    use std::io::Read;
    use std::os::unix::net::UnixStream;
    let (mut signal, handler) = UnixStream::pair()?;
    signals.iter().try_for_each(|&signal| low_level::pipe::register(signal, handler.try_clone()?).map(drop))?;
    let work = move || {
        // Kept open: without an end, the read waits for a signal.
        let _handler = handler;
        if signal.read_exact(&mut [0]).is_ok() {
            SINCE.get_or_init(Instant::now);
            end_from_outside();
        }
    };
    // Nothing in it is deep.
    thread::Builder::new().name("signals".into()).stack_size(256 << 10).spawn(work).map(drop)
}

fn end_from_outside() -> ! {
    thread::sleep(GRACE);
    loop {
        let held = locked(&HELD);
        if *held == 0 {
            break;
        }
        drop(RELEASED.wait_while(held, |held| *held > 0));
        thread::sleep(BETWEEN);
    }
    let _last = locked(&LAST);
    let undo = std::mem::take(&mut locked(&UNDO).1);
    for (_, undo) in undo {
        undo();
    }
    briefly(|| drop(writeln!(io::stderr(), "starlings: {}", Error::Interrupted)));
    low_level::exit(130)
}

/// Writes what somebody may read, but waits for nobody who does not.
pub fn briefly(write: impl FnOnce() + Send + 'static) {
    if let Ok(writing) = thread::Builder::new().spawn(write) {
        let begun = Instant::now();
        while !writing.is_finished() && begun.elapsed() < LINE {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// After this, a file that would grow beyond the user's limit (`ulimit -f`) is an error of the write, not the end of
/// the program.
pub fn survive_file_limit() {
    #[cfg(unix)]
    if let Err(error) = flag::register(signal_hook::consts::SIGXFSZ, Arc::default()) {
        tracing::warn!("a file beyond the limit of `ulimit -f` will end this program: {error}");
    }
}

/// What the user's signal requests, for those who watch it themselves.
pub fn token() -> &'static Cancel {
    &TOKEN
}

/// Fails once the user has interrupted the program.
pub fn check() -> Result<()> {
    Ok(TOKEN.check()?)
}

/// Whether the user has interrupted the program some time ago, so that waiting must end.
pub fn is_due() -> bool {
    SINCE.get().is_some_and(|since| since.elapsed() >= SHORT)
}

/// For a program that ends by itself: one that is being ended from outside stops here, and the other way round.
pub fn last() {
    std::mem::forget(locked(&LAST));
}

/// Ends an interrupted program with this status, without what libraries do at the end, for which drivers wait for their
/// threads.
pub fn leave(status: u8) {
    if TOKEN.is_requested() {
        low_level::exit(status.into());
    }
}

/// While this is held, the program is not ended from outside: a file is being completed.
pub struct Held(());

/// Holds off the end of an interrupted program.
#[must_use]
pub fn hold() -> Held {
    *locked(&HELD) += 1;
    Held(())
}

impl Drop for Held {
    fn drop(&mut self) {
        *locked(&HELD) -= 1;
        RELEASED.notify_all();
    }
}

/// What is to be undone where the program is ended from outside, which runs no destructors; no longer once this is
/// dropped.
#[derive(Debug)]
pub struct AtEnd(u64);

impl AtEnd {
    /// Has `undo` done.
    pub fn undo(undo: impl FnOnce() + Send + 'static) -> AtEnd {
        let (number, list) = &mut *locked(&UNDO);
        *number += 1;
        list.push((*number, Box::new(undo)));
        AtEnd(*number)
    }
}

impl Drop for AtEnd {
    fn drop(&mut self) {
        locked(&UNDO).1.retain(|(number, _)| *number != self.0);
    }
}

/// What a run gathers, to be completed at its end, also where the program is ended from outside.
pub struct Kept<T> {
    value: Arc<Mutex<Option<T>>>,
    _at_end: AtEnd,
}

impl<T: Send + 'static> Kept<T> {
    /// Keeps `value`, which `complete` completes there.
    pub fn new(value: T, complete: impl FnOnce(T) + Send + 'static) -> Kept<T> {
        let value = Arc::new(Mutex::new(Some(value)));
        let kept = value.clone();
        let _at_end = AtEnd::undo(move || {
            if let Some(value) = locked(&kept).take() {
                complete(value);
            }
        });
        Kept { value, _at_end }
    }

    /// Adds to it.
    pub fn with<R>(&self, add: impl FnOnce(&mut T) -> R) -> R {
        match &mut *locked(&self.value) {
            Some(value) => add(value),
            None => never(),
        }
    }

    /// Takes it, to complete it.
    pub fn take(self) -> T {
        locked(&self.value).take().unwrap_or_else(|| never())
    }
}

/// Where the program is ended from outside.
fn never() -> ! {
    loop {
        thread::park();
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The signals that were ignored when the program started, one bit each; none where the system does not tell.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
