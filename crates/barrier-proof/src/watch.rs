//! What the host does with fences, semaphores, command buffers, swapchain images and mapped memory, in order: noted on
//! request, for the proof of the frame's synchronization; or judged as it happens, together with all that is submitted.
//! Objects are named by their handles.

use crate::host::Host;
use crate::stream::Stream;
use crate::{Fault, Journal, Resource};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// A part of a buffer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes {
    /// The buffer's handle.
    pub buffer: u64,
    /// Its name.
    pub name: String,
    /// First byte.
    pub from: u64,
    /// The byte after the last.
    pub to: u64,
}

/// One act of the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostEvent {
    /// Waits for a fence, and resets it.
    Wait {
        /// The fence.
        fence: u64,
    },
    /// Finds a fence signaled, and leaves it so.
    Signaled {
        /// The fence.
        fence: u64,
    },
    /// Waits until the queue is idle.
    Idle,
    /// Makes a fence or a semaphore: its handle may be that of an earlier one, which is destroyed.
    Made {
        /// The object.
        object: u64,
    },
    /// Writes mapped memory.
    Write(Bytes),
    /// Reads mapped memory.
    Read(Bytes),
    /// Begins to record a command buffer.
    Begin {
        /// The command buffer.
        commands: u64,
    },
    /// Ends the recording.
    End {
        /// The command buffer.
        commands: u64,
        /// What the commands read of buffers that the host may write.
        reads: Vec<Bytes>,
        /// What they write of buffers that the host may read.
        writes: Vec<Bytes>,
    },
    /// Acquires an image, signaling a semaphore.
    Acquire {
        /// The image.
        image: u32,
        /// The semaphore.
        semaphore: u64,
    },
    /// Submits a command buffer.
    Submit {
        /// The command buffer.
        commands: u64,
        /// Signaled when it is done.
        fence: u64,
        /// The semaphore that it waits for.
        wait: Option<u64>,
        /// The semaphore that it signals.
        signal: Option<u64>,
    },
    /// Presents an image.
    Present {
        /// The image.
        image: u32,
        /// The semaphore that presentation waits for.
        semaphore: u64,
    },
}

/// What a frame in a slot uses if it draws into an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedFrame {
    /// The image.
    pub image: u32,
    /// The slot's command buffer.
    pub commands: u64,
    /// Its fence.
    pub fence: u64,
    /// The semaphore that it waits for.
    pub acquired: u64,
    /// The semaphore that it signals.
    pub drawn: u64,
    /// The semaphore that presentation waits for.
    pub presented: u64,
}

/// The events of a device, if they are requested, and the memory of its resources; and what judges what it does.
#[derive(Debug, Default)]
pub struct Watch {
    events: Mutex<Option<Vec<HostEvent>>>,
    /// Parts of memory that resources are bound to: the memory's handle stands for the buffer's.
    bound: Mutex<Vec<Bytes>>,
    /// Journals of commands that were submitted and waited for at once.
    ran: Mutex<Vec<Journal>>,
    /// Set if all is judged: faults in all that is recorded.
    planted: OnceLock<Vec<Fault>>,
    judge: Mutex<Judge>,
}

/// Judges what is submitted and what the host does.
#[derive(Debug, Default)]
struct Judge {
    host: Host,
    stream: Stream,
    /// The journals of recorded commands; none for those that are not to be judged.
    recorded: HashMap<u64, Option<Journal>>,
    /// Whether resources were bound to memory since the last submission.
    bound: bool,
    seen: Seen,
    finding: Option<String>,
}

/// What was judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Submissions.
    pub submissions: usize,
    /// Those of them with deliberate faults, which were not judged.
    pub unjudged: usize,
    /// Different journals.
    pub journals: usize,
    /// Whether a dependency was left out of one.
    pub omitted: bool,
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} submissions, {} of them different", self.submissions, self.journals)?;
        match self.unjudged {
            0 => Ok(()),
            unjudged => write!(f, ", {unjudged} with deliberate faults, not judged"),
        }
    }
}

impl Watch {
    /// Judges all that happens from here on. The device's recorders build these faults into all that they record, for
    /// tests of the watch itself. To be called once, before anything else.
    pub fn judge(&self, planted: &[Fault]) {
        // A second call changes nothing.
        let _ = self.planted.set(planted.to_vec());
    }

    /// If all is judged, the faults in all that is recorded.
    pub fn planted(&self) -> Option<&[Fault]> {
        self.planted.get().map(Vec::as_slice)
    }

    /// Keeps the journal of commands that were recorded until they are submitted. Without one, they are not judged, nor
    /// is what they have to do with others.
    pub fn recorded(&self, commands: u64, journal: Option<Journal>) {
        self.judging().recorded.insert(commands, journal);
    }

    /// What was judged so far.
    pub fn seen(&self) -> Seen {
        let judge = self.judging();
        Seen { journals: judge.stream.distinct.len(), ..judge.seen }
    }

    /// The first error that was found, if all is judged.
    ///
    /// # Errors
    /// The error, in a line.
    pub fn verdict(&self) -> Result<(), String> {
        if self.planted().is_none() {
            return Ok(());
        }
        self.judging().finding.clone().map_or(Ok(()), Err)
    }

    /// Notes that the resource of this name is bound to this part of memory, whose handle stands for a buffer's.
    pub fn bound(&self, bytes: Bytes) {
        if self.planted().is_some() {
            let mut judge = self.judging();
            judge.bound = true;
            judge.stream.made(Resource::named(&bytes.name));
        }
        self.bound.lock().unwrap_or_else(PoisonError::into_inner).push(bytes);
    }

    /// Notes that each submission has a resource of this name to itself: under it go many.
    pub fn own(&self, resource: Resource) {
        if self.planted().is_some() {
            self.judging().stream.own(resource);
        }
    }

    /// Notes that a part of memory is free again.
    pub fn freed(&self, memory: u64, from: u64) {
        let mut bound = self.bound.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = bound.iter().position(|of| (of.buffer, of.from) == (memory, from)) {
            bound.swap_remove(at);
        }
    }

    /// Keeps the journal of commands that were submitted and waited for at once, if events are requested.
    pub fn ran(&self, journal: Journal) {
        if self.lock().is_some() {
            self.ran.lock().unwrap_or_else(PoisonError::into_inner).push(journal);
        }
    }

    /// The journals of such commands since they were taken last, in order.
    pub fn take_journals(&self) -> Vec<Journal> {
        std::mem::take(&mut *self.ran.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Resources that are bound to the same memory.
    pub fn aliases(&self) -> Vec<String> {
        let mut bound = self.bound.lock().unwrap_or_else(PoisonError::into_inner).clone();
        bound.sort_unstable_by_key(|of| (of.buffer, of.from));
        let meet = |pair: &&[Bytes]| pair[0].buffer == pair[1].buffer && pair[1].from < pair[0].to;
        let said = |pair: &[Bytes]| format!("{} and {} are bound to the same memory", pair[0].name, pair[1].name);
        bound.windows(2).filter(meet).map(said).collect()
    }

    /// Starts to note events.
    pub fn start(&self) {
        *self.lock() = Some(Vec::new());
    }

    /// The events since the start; no more are noted.
    pub fn stop(&self) -> Vec<HostEvent> {
        self.lock().take().unwrap_or_default()
    }

    /// Whether events are requested, or all is judged.
    pub fn is_on(&self) -> bool {
        self.planted().is_some() || self.lock().is_some()
    }

    /// Notes an event, if events are requested, and judges it, if all is judged. A submission is noted before it is
    /// made, so that one that is wrong is not: see [`Watch::verdict`].
    pub fn note(&self, event: impl FnOnce() -> HostEvent) {
        let mut events = self.lock();
        if self.planted().is_some() {
            let event = event();
            if let Some(events) = &mut *events {
                events.push(event.clone());
            }
            drop(events);
            let aliases = matches!(event, HostEvent::Submit { .. }) && std::mem::take(&mut self.judging().bound);
            let aliases = if aliases { self.aliases() } else { Vec::new() };
            self.judging().happens(event, aliases);
        } else if let Some(events) = &mut *events {
            events.push(event());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Vec<HostEvent>>> {
        // A panic while pushing cannot leave a Vec half changed, so a poisoned lock is still usable.
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn judging(&self) -> MutexGuard<'_, Judge> {
        self.judge.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Judge {
    /// `aliases` are errors of memory that was bound before a submission.
    fn happens(&mut self, event: HostEvent, aliases: Vec<String>) {
        let mut found = aliases;
        if let HostEvent::Submit { commands, .. } = event {
            self.seen.submissions += 1;
            match self.recorded.remove(&commands).flatten() {
                Some(journal) => {
                    let known = self.stream.distinct.len();
                    let mut conflicts: Vec<_> = self.stream.submit(&journal).into_iter().collect();
                    if self.stream.distinct.len() > known {
                        self.seen.omitted |= journal.dependencies().any(|of| of.omitted);
                    }
                    // Those that follow from others say less.
                    conflicts.sort_by_key(|conflict| (!conflict.direct, conflict.across_frames));
                    found.extend(conflicts.iter().map(ToString::to_string));
                }
                None => {
                    self.seen.unjudged += 1;
                    self.stream.forget();
                }
            }
        }
        if let Some(done) = self.host.happens(event) {
            self.stream.done(self.seen.submissions - 1 - done);
        }
        found.extend(std::mem::take(&mut self.host.findings));
        if let (Some(first), None) = (found.first(), &self.finding) {
            let more = if found.len() > 1 { format!(", and {} more", found.len() - 1) } else { String::new() };
            self.finding = Some(format!("at submission {}: {first}{more}", self.seen.submissions));
        }
    }
}
