//! The display, asked before winit is.

use crate::error::{Error, Result};
use crate::export::words;
use crate::interrupt;
use std::env;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};
use x11rb::connection::{Connection, RequestConnection};
use x11rb::resource_manager;
use x11rb::rust_connection::RustConnection;

/// Extensions of an X server without which winit 0.30 panics.
const EXTENSIONS: [&str; 3] = ["RANDR", "XInputExtension", "XKEYBOARD"];

/// How long an X server may take to answer, also over a network.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often the user is asked meanwhile.
const LOOK: Duration = Duration::from_millis(50);

/// What an X server says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct XServer {
    /// Its vendor and release.
    pub name: String,
    /// Of [`EXTENSIONS`], what it does not have.
    pub lacks: Vec<&'static str>,
    /// The resource `Xft.dpi`, by which windows are scaled.
    pub dpi: Option<String>,
}

/// Whether a display of that variable is named.
pub fn is_named(variable: &str) -> bool {
    env::var_os(variable).is_some_and(|value| !value.is_empty())
}

/// What the X server that `DISPLAY` names says, or why it cannot be reached.
///
/// # Errors
/// [`Error::NoDisplay`] if it does not answer within seconds; [`Error::Interrupted`].
pub fn ask_x() -> Result<Result<XServer, String>> {
    let display = env::var("DISPLAY").unwrap_or_default();
    let (told, answer) = channel();
    let ask = move || {
        // Nobody listens any more if it has taken too long.
        let _ = told.send(x_server());
    };
    let asking = thread::Builder::new().name("display".into()).spawn(ask);
    asking.map_err(|error| starlings::Error::Threads(error.to_string()))?;
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        match answer.recv_timeout(LOOK) {
            Ok(answer) => return Ok(answer),
            Err(RecvTimeoutError::Timeout) => interrupt::check()?,
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    Err(Error::NoDisplay(format!("the X server {display} does not answer")))
}

fn x_server() -> Result<XServer, String> {
    let (server, _) = RustConnection::connect(None).map_err(|error| error.to_string())?;
    let has = |name| server.extension_information(name).map(|found| found.is_some());
    let mut lacks = Vec::new();
    for name in EXTENSIONS {
        if !has(name).map_err(|error| error.to_string())? {
            lacks.push(name);
        }
    }
    let resources = resource_manager::new_from_default(&server).map_err(|error| error.to_string())?;
    let setup = server.setup();
    let name = format!("{} {}", String::from_utf8_lossy(&setup.vendor), setup.release_number);
    Ok(XServer { name, lacks, dpi: resources.get_string("Xft.dpi", "").map(str::to_owned) })
}

/// The socket of the compositor that `WAYLAND_DISPLAY` names; none if it names none, or hands on a connection.
pub fn wayland_socket() -> Option<PathBuf> {
    if is_named("WAYLAND_SOCKET") || !is_named("WAYLAND_DISPLAY") {
        return None;
    }
    let name = env::var_os("WAYLAND_DISPLAY")?;
    // An absolute name replaces the folder.
    Some(Path::new(&env::var_os("XDG_RUNTIME_DIR").unwrap_or_default()).join(name))
}

/// Why the compositor that `WAYLAND_DISPLAY` names is not there, if it is not: left over from another session, for
/// instance by `su`, `tmux` or `ssh -X`.
pub fn stale_wayland() -> Option<String> {
    let socket = wayland_socket()?;
    let refused = UnixStream::connect(&socket).err()?;
    Some(format!("{}: {}", socket.display(), words(refused)))
}
