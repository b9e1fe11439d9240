//! The program `ffmpeg`, which makes a video of raw frames. A thread writes to it and completes the file, so that
//! nobody waits who does not want to; one that takes nothing is given up.

use super::file::{OutputFile, Written, output};
use super::video::VideoFormat;
use super::video_memory::append;
use crate::error::{Error, Result};
use crate::interrupt::{self, AtEnd};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Bytes of frames that wait at most; one frame waits in any case.
const QUEUE: usize = 64 << 20;

/// Bytes that are written at once: each is a sign of life.
const PIECE: usize = 64 << 10;

/// How often those who wait look again.
const LOOK: Duration = Duration::from_millis(5);

/// Without a sign of life for so long it is given up.
const PATIENCE: Duration = Duration::from_secs(30);

/// The same once its file is wanted by a window that closes.
const LAST_PATIENCE: Duration = Duration::from_secs(5);

/// A running `ffmpeg`. Ended, without a file, when dropped.
pub struct Ffmpeg {
    /// None once all frames were sent.
    frames: Option<SyncSender<Vec<u8>>>,
    /// None once its result was taken.
    thread: Option<JoinHandle<Result<Written>>>,
    process: Arc<Process>,
    path: PathBuf,
    room: u64,
    sent: u64,
    /// The signs of life that were last seen, and when.
    seen: (u64, Instant),
    _at_end: AtEnd,
}

/// What the thread shares with the one that sends frames.
struct Process {
    child: Mutex<Child>,
    /// Pieces written, or changes of the file's length.
    life: AtomicU64,
    /// Frames written as a whole.
    taken: AtomicU64,
    given_up: AtomicBool,
    format: VideoFormat,
    /// What the video is to remember.
    memory: Mutex<String>,
}

impl Ffmpeg {
    /// Starts it with these arguments for its input and for its result. Frames have so many bytes. None where there is
    /// no such program.
    pub fn start(mut out: OutputFile, format: VideoFormat, arguments: &[String], bytes: usize) -> Result<Option<Self>> {
        let path = out.path().to_owned();
        let fail = |error: io::Error| output(&path, error);
        let said = tempfile::tempfile().map_err(fail)?;
        let mut command = Command::new("ffmpeg");
        command.args(["-hide_banner", "-loglevel", "error", "-y"]).args(arguments);
        // By this name it can seek in the file, which has no other yet.
        command.arg("/dev/stdout").stdin(Stdio::piped());
        command.stdout(out.file().try_clone().map_err(fail)?).stderr(said.try_clone().map_err(fail)?);
        // Ctrl-C is for this program, which ends the other.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            started => started.map_err(|error| output(&path, format!("ffmpeg does not start: {error}")))?,
        };
        let pipe = child.stdin.take();
        let process = Arc::new(Process {
            child: Mutex::new(child),
            life: AtomicU64::new(0),
            taken: AtomicU64::new(0),
            given_up: AtomicBool::new(false),
            format,
            memory: Mutex::default(),
        });
        let room = (QUEUE / bytes.max(1)).clamp(1, 16);
        let (frames, received) = sync_channel(room);
        let (of_thread, of_end) = (process.clone(), process.clone());
        let at_end = AtEnd::undo(move || of_end.kill());
        let thread = thread::Builder::new()
            .name("ffmpeg".into())
            .spawn(move || of_thread.encode(&received, pipe, said, out))
            .map_err(|error| Error::from(starlings::Error::Threads(error.to_string())));
        let mut ffmpeg = Ffmpeg {
            frames: Some(frames),
            thread: None,
            process,
            path,
            room: room as u64,
            sent: 0,
            seen: (0, Instant::now()),
            _at_end: at_end,
        };
        ffmpeg.thread = Some(thread?);
        Ok(Some(ffmpeg))
    }

    /// Whether it takes another frame without anyone's waiting; or has failed, which [`Ffmpeg::push`] says.
    pub fn has_room(&mut self) -> bool {
        self.look(PATIENCE);
        self.sent - self.process.taken.load(Ordering::Acquire) < self.room || self.is_done()
    }

    /// Hands it a frame, once there is room.
    ///
    /// # Errors
    /// [`Error::Output`] when it has ended or takes nothing; [`Error::Interrupted`].
    pub fn push(&mut self, mut frame: Vec<u8>) -> Result<()> {
        loop {
            let Some(frames) = &self.frames else { return Ok(()) };
            match frames.try_send(frame) {
                Ok(()) => {
                    if self.sent == self.process.taken.load(Ordering::Acquire) {
                        self.seen.1 = Instant::now();
                    }
                    self.sent += 1;
                    return Ok(());
                }
                Err(TrySendError::Disconnected(_)) => return self.result().map(drop),
                Err(TrySendError::Full(back)) => frame = back,
            }
            interrupt::check()?;
            self.look(PATIENCE);
            thread::sleep(LOOK);
        }
    }

    /// The video is to remember `text`.
    pub fn remember(&mut self, text: String) {
        *self.process.memory.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }

    /// Says that there are no more frames. [`Ffmpeg::finished`] then has the file, some time later.
    pub fn end(&mut self) {
        if self.frames.take().is_some() {
            self.seen.1 = Instant::now();
        }
    }

    /// The video, or why there is none, once it is complete. Waits for nothing.
    pub fn finished(&mut self) -> Option<Result<PathBuf>> {
        self.look(PATIENCE);
        self.is_done().then(|| self.result())
    }

    /// Waits until the video is complete, for a shorter time without a sign of life if somebody is `waiting` for the
    /// program's end.
    ///
    /// # Errors
    /// [`Error::Output`], or [`Error::Interrupted`] if it is not complete soon after a signal.
    pub fn finish(mut self, waiting: bool) -> Result<PathBuf> {
        self.end();
        while !self.is_done() {
            if interrupt::is_due() {
                return Err(Error::Interrupted);
            }
            self.look(if waiting { LAST_PATIENCE } else { PATIENCE });
            thread::sleep(LOOK);
        }
        self.result()
    }

    fn is_done(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Ends it if it owes a sign of life for longer than `patience`.
    fn look(&mut self, patience: Duration) {
        let (life, taken) = (self.process.life.load(Ordering::Relaxed), self.process.taken.load(Ordering::Acquire));
        let owes = self.frames.is_none() || taken < self.sent;
        if life != self.seen.0 || !owes {
            self.seen = (life, Instant::now());
        } else if self.seen.1.elapsed() >= patience {
            self.process.given_up.store(true, Ordering::Relaxed);
            self.process.kill();
        }
    }

    /// What the thread has come to. It is ending, or has ended.
    fn result(&mut self) -> Result<PathBuf> {
        let over = || Err(output(&self.path, "ffmpeg: it has ended"));
        let thread = self
            .thread
            .take()
            .map_or_else(over, |thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        thread.map(|written| written.path)
    }
}

impl Drop for Ffmpeg {
    fn drop(&mut self) {
        // The thread then ends by itself, unless something else keeps the pipe open.
        self.frames = None;
        self.process.kill();
    }
}

impl Process {
    fn child(&self) -> MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends it and what it has started, whether or not it still runs.
    fn kill(&self) {
        let mut child = self.child();
        #[cfg(target_os = "linux")]
        if let (Ok(None), Some(group)) =
            (child.try_wait(), i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw))
        {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = child.kill();
        // Nobody else may be left to do it.
        let _ = child.wait();
    }

    /// Writes frames to the program, and completes the file once there are no more.
    fn encode(
        &self,
        frames: &Receiver<Vec<u8>>,
        mut pipe: Option<ChildStdin>,
        said: File,
        mut out: OutputFile,
    ) -> Result<Written> {
        let mut written = Ok(());
        while let (Ok(()), Ok(frame)) = (&written, frames.recv()) {
            let mut pieces = frame.chunks(PIECE);
            written = pieces.try_for_each(|piece| {
                self.life.fetch_add(1, Ordering::Relaxed);
                pipe.as_mut().map_or(Ok(()), |pipe| pipe.write_all(piece))
            });
            self.taken.fetch_add(1, Ordering::Release);
        }
        drop(pipe);
        let status = self.wait(out.file());
        let path = out.path().to_owned();
        match (written, status) {
            (Err(error), Ok(_)) if error.kind() != io::ErrorKind::BrokenPipe => Err(output(&path, error)),
            (_, Err(error)) => Err(output(&path, error)),
            (Ok(()), Ok(status)) if status.success() => {
                match out.file().metadata().map_err(|error| output(&path, error))?.len() {
                    0 => Err(output(&path, "ffmpeg: it has written nothing")),
                    _ => {
                        let text = std::mem::take(&mut *self.memory.lock().unwrap_or_else(PoisonError::into_inner));
                        if !text.is_empty() {
                            append(out.file(), self.format, &text).map_err(|error| output(&path, error))?;
                        }
                        out.commit()
                    }
                }
            }
            (_, Ok(_)) => Err(output(&path, format!("ffmpeg: {}", self.complaint(said)))),
        }
    }

    /// Waits for its end. The file that grows is a sign of life.
    fn wait(&self, file: &File) -> io::Result<ExitStatus> {
        let mut length = 0;
        loop {
            if let Some(status) = self.child().try_wait()? {
                return Ok(status);
            }
            let grown = file.metadata().map_or(length, |file| file.len());
            if grown != length {
                length = grown;
                self.life.fetch_add(1, Ordering::Relaxed);
            }
            thread::sleep(LOOK);
        }
    }

    /// The first line that it has said.
    fn complaint(&self, mut said: File) -> String {
        if self.given_up.load(Ordering::Relaxed) {
            return "it takes no frames and writes nothing, and was given up".into();
        }
        let mut bytes = Vec::new();
        // If it cannot be read, it has said nothing.
        let _ = said.seek(SeekFrom::Start(0)).and_then(|_| said.take(4_096).read_to_end(&mut bytes));
        let said = String::from_utf8_lossy(&bytes);
        let line = said.lines().map(str::trim).find(|line| !line.is_empty());
        line.unwrap_or("it has ended early, without a word").to_owned()
    }
}
