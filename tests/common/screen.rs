//! An X server without a screen, and the viewer on it.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Kills the process when dropped: no server or viewer outlives its test.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// An X server on its own display.
pub struct Screen {
    /// Its name, as in `DISPLAY`.
    pub display: String,
    _server: Running,
}

impl Screen {
    /// None where Xvfb is not installed.
    pub fn new() -> Option<Screen> {
        let mut server = Command::new("Xvfb")
            // Without -noreset it restarts when its last window closes, and is not available meanwhile.
            .args(["-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let stdout = server.stdout.take().expect("it was piped");
        let server = Running(server);
        let mut number = String::new();
        BufReader::new(stdout).read_line(&mut number).expect("Xvfb names its display");
        assert!(!number.trim().is_empty(), "Xvfb did not start");
        Some(Screen { display: format!(":{}", number.trim()), _server: server })
    }

    /// Output of xdotool; none if it is not installed.
    pub fn xdotool(&self, arguments: &str) -> Option<Output> {
        Command::new("xdotool").args(arguments.split(' ')).env("DISPLAY", &self.display).output().ok()
    }

    /// Runs xdotool, which must succeed.
    pub fn does(&self, arguments: &str) -> String {
        let output = self.xdotool(arguments).expect("xdotool was found before");
        assert!(output.status.success(), "xdotool {arguments}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("plain text")
    }
}

/// A running viewer, and its output.
pub struct Viewer<'a> {
    process: Running,
    /// Its X window id.
    pub window: String,
    screen: &'a Screen,
}

impl<'a> Viewer<'a> {
    /// Starts `starlings` in `folder`, and waits for its window.
    pub fn new(screen: &'a Screen, folder: &Path, arguments: &str) -> Viewer<'a> {
        let process = super::with_default_signals()
            .arg(env!("CARGO_BIN_EXE_starlings"))
            .args(arguments.split(' '))
            .current_dir(folder)
            .env("DISPLAY", &screen.display)
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("WAYLAND_SOCKET")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut viewer = Viewer { process: Running(process), window: String::new(), screen };
        viewer.until("a window with frames in it", |viewer| {
            let found = screen.xdotool("search --name ^starlings:.*fps").expect("xdotool was found before");
            viewer.window = String::from_utf8_lossy(&found.stdout).trim().to_owned();
            !viewer.window.is_empty()
        });
        viewer
    }

    /// The window's title.
    pub fn title(&self) -> String {
        self.screen.does(&format!("getwindowname {}", self.window))
    }

    /// Waits for `done`, while the viewer keeps running.
    pub fn until(&mut self, what: &str, mut done: impl FnMut(&mut Self) -> bool) {
        let begun = Instant::now();
        while !done(self) {
            let ended = self.process.0.try_wait().expect("it can be asked");
            assert!(ended.is_none(), "no {what}: the viewer ended with {ended:?}\n{}", self.said());
            assert!(begun.elapsed() < Duration::from_secs(40), "no {what} in time");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Its process id.
    pub fn process_id(&self) -> u32 {
        self.process.0.id()
    }

    /// Whether it has not ended yet.
    pub fn is_running(&mut self) -> bool {
        self.process.0.try_wait().expect("it can be asked").is_none()
    }

    /// Sends it the signal of this name, as `kill` does.
    pub fn signal(&self, name: &str) {
        let kill = Command::new("kill").args([&format!("-{name}"), &self.process.0.id().to_string()]).status();
        assert!(kill.expect("kill is everywhere").success());
    }

    fn said(&mut self) -> String {
        let mut text = String::new();
        if let Some(stderr) = &mut self.process.0.stderr {
            stderr.read_to_string(&mut text).expect("plain text");
        }
        text
    }

    /// Waits for the end: the exit status, and all of stderr.
    pub fn ended(mut self) -> (Option<i32>, String) {
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.process.0.try_wait().expect("it can be asked") {
                break status;
            }
            assert!(begun.elapsed() < Duration::from_secs(40), "the viewer does not end");
            std::thread::sleep(Duration::from_millis(50));
        };
        (status.code(), self.said())
    }
}
