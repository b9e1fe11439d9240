//! Steps taken while the previous frame is drawn: scheduled in one frame, and collected in the next.

use super::Engine;
use crate::error::{Error, Result};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Steps that were taken, and how long they took all together.
pub type Taken = (u32, Duration);

/// An engine that runs in its own thread.
pub struct Ahead {
    /// None while the thread has it.
    engine: Option<Engine>,
    /// None once the thread is to end.
    jobs: Option<Sender<(Engine, u32, bool)>>,
    done: Receiver<(Engine, Taken)>,
    /// The steps that were collected last, until they are asked for.
    taken: Option<Taken>,
    thread: Option<JoinHandle<()>>,
}

impl Ahead {
    /// Starts the thread.
    ///
    /// # Errors
    /// [`Error::Threads`].
    pub fn new(engine: Engine) -> Result<Ahead> {
        let (jobs, to_do) = channel::<(Engine, u32, bool)>();
        let (finished, done) = channel();
        let work = move || {
            while let Ok((mut engine, steps, observed)) = to_do.recv() {
                let begun = Instant::now();
                if observed {
                    engine.advance_observed(steps)
                } else {
                    engine.advance(steps)
                }
                if finished.send((engine, (steps, begun.elapsed()))).is_err() {
                    break;
                }
            }
        };
        let thread = thread::Builder::new().name("flock".into()).spawn(work);
        let thread = thread.map_err(|error| Error::Threads(error.to_string()))?;
        Ok(Ahead { engine: Some(engine), jobs: Some(jobs), done, taken: None, thread: Some(thread) })
    }

    /// The engine, once it has taken the steps that were scheduled last.
    ///
    /// # Errors
    /// [`Error::Threads`] when the thread has ended early.
    pub fn collect(&mut self) -> Result<&mut Engine> {
        let engine = match self.engine.take() {
            Some(engine) => engine,
            None => {
                let (engine, taken) = self.done.recv().map_err(|_| ended())?;
                self.taken = Some(taken);
                engine
            }
        };
        Ok(self.engine.insert(engine))
    }

    /// The steps that were collected since the last call, if any, and how long they took.
    pub fn taken(&mut self) -> Option<Taken> {
        self.taken.take()
    }

    /// Lets the thread take so many steps, the last of them observed or not, as by [`Engine::advance_observed`].
    ///
    /// # Errors
    /// As [`Ahead::collect`].
    pub fn schedule(&mut self, steps: u32, observed: bool) -> Result<()> {
        self.collect()?;
        if steps > 0
            && let (Some(engine), Some(jobs)) = (self.engine.take(), &self.jobs)
        {
            jobs.send((engine, steps, observed)).map_err(|_| ended())?;
        }
        Ok(())
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::warn!("{}", ended());
        }
    }
}

fn ended() -> Error {
    Error::Threads("the thread that steps the flock has ended early".into())
}
