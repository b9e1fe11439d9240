//! An X server without a screen, and the viewer on it.

use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// After this, what is waited for does not come: long, as tests run beside each other on machines with much else to do.
pub const PATIENCE: Duration = Duration::from_secs(120);

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
    /// Where it keeps what it shows.
    folder: tempfile::TempDir,
}

/// What a screen shows: width, height, and red, green and blue of each pixel, row by row.
pub struct Shown {
    pub size: (usize, usize),
    pub pixels: Vec<[u8; 3]>,
}

impl Shown {
    pub fn at(&self, x: usize, y: usize) -> [u8; 3] {
        self.pixels[y * self.size.0 + x]
    }

    /// Where the panel is light in these rows and columns. It is not quite opaque, so colors in it change with the
    /// flock.
    pub fn light(&self, rows: Range<usize>, columns: Range<usize>) -> Vec<bool> {
        rows.flat_map(|y| columns.clone().map(move |x| (x, y))).map(|(x, y)| self.at(x, y)[1] > 100).collect()
    }

    /// Pixels of a part that are nearly of this color.
    pub fn count(&self, left_top: (usize, usize), size: (usize, usize), color: [u8; 3]) -> usize {
        let near = |pixel: [u8; 3]| (0..3).all(|c| pixel[c].abs_diff(color[c]) <= 12);
        let rows = left_top.1..left_top.1 + size.1;
        rows.flat_map(|y| (left_top.0..left_top.0 + size.0).map(move |x| (x, y)))
            .filter(|&(x, y)| near(self.at(x, y)))
            .count()
    }
}

impl Screen {
    /// One of 640 by 480 pixels. None where Xvfb is not installed.
    pub fn new() -> Option<Screen> {
        Self::of((640, 480))
    }

    /// One of so many pixels.
    pub fn of(size: (u32, u32)) -> Option<Screen> {
        Self::with(size, &[])
    }

    /// The same, of a server with more arguments.
    pub fn with((width, height): (u32, u32), more: &[&str]) -> Option<Screen> {
        let folder = tempfile::tempdir().expect("a folder for a screen");
        let mut server = Command::new("Xvfb")
            // Without -noreset it restarts when its last window closes, and is not available meanwhile.
            .args(["-displayfd", "1", "-screen", "0", &format!("{width}x{height}x24")])
            // With -r a key is one press, however long a busy machine takes between its press and its release.
            .args(more)
            .args(["-nolisten", "tcp", "-noreset", "-r", "-fbdir"])
            .arg(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let stdout = server.stdout.take().expect("it was piped");
        let server = Running(server);
        let mut number = String::new();
        BufReader::new(stdout).read_line(&mut number).expect("Xvfb names its display");
        assert!(!number.trim().is_empty(), "Xvfb did not start");
        Some(Screen { display: format!(":{}", number.trim()), _server: server, folder })
    }

    /// Starts a window manager on it; none where openbox is not installed.
    ///
    /// # Panics
    /// If there is none although `REQUIRE_GPU=1`, or if it does not manage the screen within [`PATIENCE`].
    pub fn manage(&self) -> Option<Running> {
        let mut command = Command::new("openbox");
        command.env("DISPLAY", &self.display).stdout(Stdio::null()).stderr(Stdio::null());
        let Ok(manager) = command.spawn() else {
            assert!(!super::required("REQUIRE_GPU"), "REQUIRE_GPU=1, but openbox is not installed");
            eprintln!("SKIPPED, windows are closed without a window manager: openbox is not installed");
            return None;
        };
        let (mut manager, begun) = (Running(manager), Instant::now());
        let mut until = |done: &dyn Fn() -> bool| {
            while !done() {
                let ended = manager.0.try_wait().expect("it can be asked");
                assert!(ended.is_none(), "openbox ended with {ended:?}");
                assert!(begun.elapsed() < PATIENCE, "openbox does not manage the screen in time");
                std::thread::sleep(Duration::from_millis(50));
            }
        };
        // While it starts it drops some of what it is sent, and without it xdotool fails: it is there once a request
        // has an effect.
        until(&|| {
            let told = self.xdotool("set_num_desktops 2 get_num_desktops");
            told.is_some_and(|output| output.status.success() && output.stdout.trim_ascii() == b"2")
        });
        // A screen's first key changes the map of the keyboard, for which openbox releases the keys that it reacts to
        // and, some 20 ms later, takes them one by one: one that is pressed meanwhile is the window's. It answers
        // afterwards, as it does all in order.
        self.does("key shift set_num_desktops 3");
        until(&|| self.does("get_num_desktops").trim() == "3");
        Some(manager)
    }

    /// What it shows now. Xvfb keeps it in a file as `xwd` writes it: a header of 32-bit numbers, a table of colors,
    /// and the pixels.
    pub fn shown(&self) -> Shown {
        let bytes = std::fs::read(self.folder.path().join("Xvfb_screen0")).expect("what Xvfb shows");
        let number = |at: usize| u32::from_be_bytes(bytes[4 * at..][..4].try_into().expect("four bytes")) as usize;
        let (size, row, colors) = ((number(4), number(5)), number(12), number(19));
        let pixels = &bytes[number(0) + 12 * colors..];
        let of_row = |y: usize| pixels[y * row..][..4 * size.0].chunks_exact(4).map(|bgr| [bgr[2], bgr[1], bgr[0]]);
        Shown { size, pixels: (0..size.1).flat_map(of_row).collect() }
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

    /// What `of` makes of what it shows, once that has not changed for so many milliseconds.
    pub fn settled<T: PartialEq>(&self, milliseconds: u64, of: impl Fn(&Shown) -> T) -> T {
        let (mut last, begun) = (of(&self.shown()), Instant::now());
        loop {
            std::thread::sleep(Duration::from_millis(milliseconds));
            let now = of(&self.shown());
            if now == last {
                return now;
            }
            assert!(begun.elapsed() < PATIENCE, "what is shown goes on changing");
            last = now;
        }
    }
}

/// A running viewer, and its output.
pub struct Viewer<'a> {
    process: Running,
    stderr: tempfile::NamedTempFile,
    /// Its X window id.
    pub window: String,
    screen: &'a Screen,
}

impl<'a> Viewer<'a> {
    /// Starts `starlings` in `folder`, and waits for its window.
    pub fn new(screen: &'a Screen, folder: &Path, arguments: &str) -> Viewer<'a> {
        let mut viewer = Self::with(screen, folder, arguments, &[]);
        viewer.until_titled("a window with frames in it", "^starlings:.*fps");
        viewer
    }

    /// The same with these environment variables, without waiting.
    pub fn with(screen: &'a Screen, folder: &Path, arguments: &str, variables: &[(&str, &str)]) -> Viewer<'a> {
        let stderr = tempfile::NamedTempFile::new().expect("room for stderr");
        let process = super::with_default_signals()
            .arg(env!("CARGO_BIN_EXE_starlings"))
            .args(arguments.split(' '))
            .current_dir(folder)
            .env("DISPLAY", &screen.display)
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("WAYLAND_SOCKET")
            .envs(variables.iter().copied())
            .stdout(Stdio::piped())
            .stderr(stderr.reopen().expect("it is there"))
            .spawn()
            .expect("the program starts");
        Viewer { process: Running(process), stderr, window: String::new(), screen }
    }

    /// Waits for a window whose title matches. It has its title a little before it is shown, and only a window that is
    /// shown takes the focus.
    pub fn until_titled(&mut self, what: &str, title: &str) {
        self.until(what, |viewer| {
            let search = format!("search --onlyvisible --name {title}");
            let found = viewer.screen.xdotool(&search).expect("xdotool was found before");
            viewer.window = String::from_utf8_lossy(&found.stdout).trim().to_owned();
            !viewer.window.is_empty()
        });
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.process.0.id()
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
            assert!(begun.elapsed() < PATIENCE, "no {what} in time");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Does `acts`, and again every five seconds, until `done`: on a loaded machine they may come before what they are
    /// for is there.
    pub fn does_until(&mut self, what: &str, acts: &str, mut done: impl FnMut(&mut Self) -> bool) {
        let mut last: Option<Instant> = None;
        self.until(what, |viewer| {
            let obeyed = done(viewer);
            if !obeyed && last.is_none_or(|at| at.elapsed() > Duration::from_secs(5)) {
                viewer.screen.does(acts);
                last = Some(Instant::now());
            }
            obeyed
        });
    }

    /// Whether it has not ended yet.
    pub fn is_running(&mut self) -> bool {
        self.process.0.try_wait().expect("it can be asked").is_none()
    }

    /// Sends it the signal of this name, as `kill` does.
    pub fn signal(&self, name: &str) {
        let kill = Command::new("kill").args([&format!("-{name}"), &self.id().to_string()]).status();
        assert!(kill.expect("kill is everywhere").success());
    }

    /// What it has written to stderr until now.
    pub fn said(&self) -> String {
        std::fs::read_to_string(self.stderr.path()).expect("plain text")
    }

    /// Waits for the end: the exit status, and all of stderr.
    pub fn ended(mut self) -> (Option<i32>, String) {
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.process.0.try_wait().expect("it can be asked") {
                break status;
            }
            assert!(begun.elapsed() < PATIENCE, "the viewer does not end");
            std::thread::sleep(Duration::from_millis(50));
        };
        (status.code(), self.said())
    }
}
