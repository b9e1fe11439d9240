//! The end of an X server while a window is open.

use raw_window_handle::RawDisplayHandle;
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

type Handler = unsafe extern "C" fn(*mut c_void) -> c_int;
type ExitHandler = unsafe extern "C" fn(*mut c_void, *mut c_void);

static LOST: AtomicBool = AtomicBool::new(false);

/// Whether the X server of a [watched](survive) display has ended.
pub fn is_lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// When the X server ends, Xlib ends the program, whatever it still has to write. After this it only makes [`is_lost`]
/// true. Does nothing for other displays, and with an Xlib before 1.7.
pub fn survive(display: RawDisplayHandle) {
    type Set = unsafe extern "C" fn(Handler) -> Option<Handler>;
    type SetExit = unsafe extern "C" fn(*mut c_void, ExitHandler, *mut c_void);
    let RawDisplayHandle::Xlib(handle) = display else { return };
    let Some(display) = handle.display else { return };
    // Kept loaded, because the handlers stay.
    static XLIB: OnceLock<Option<libloading::Library>> = OnceLock::new();
    // SAFETY: the library that winit has opened the display with; it is loaded already, so nothing is run.
    let library = XLIB.get_or_init(|| unsafe { libloading::Library::new("libX11.so.6") }.ok());
    let Some(library) = library else { return };
    // SAFETY: Xlib declares them with these arguments.
    let (set, set_exit) =
        unsafe { (library.get::<Set>(b"XSetIOErrorHandler\0"), library.get::<SetExit>(b"XSetIOErrorExitHandler\0")) };
    if let (Ok(set), Ok(set_exit)) = (set, set_exit) {
        // SAFETY: the display is open, and the handlers do not use their arguments. The first one, instead of Xlib's
        // own, prints nothing and returns; the second one then does not end the program.
        unsafe {
            set(lost);
            set_exit(display.as_ptr(), stay, std::ptr::null_mut());
        }
    }
}

/// Xlib calls this where it would print that the server has ended.
unsafe extern "C" fn lost(_: *mut c_void) -> c_int {
    LOST.store(true, Ordering::Relaxed);
    0
}

/// Xlib calls this instead of `exit`. Its functions then return, without doing anything.
unsafe extern "C" fn stay(_: *mut c_void, _: *mut c_void) {}
