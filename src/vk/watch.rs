//! What the host does with fences, semaphores, command buffers, swapchain images and mapped memory, in order: noted on request, for
//! the proof of the frame's synchronization. Objects are named by their handles.

use std::sync::{Mutex, PoisonError};

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

/// The events of a device, if they are requested.
#[derive(Debug, Default)]
pub struct Watch(Mutex<Option<Vec<HostEvent>>>);

impl Watch {
    /// Starts to note events.
    pub fn start(&self) {
        *self.lock() = Some(Vec::new());
    }

    /// The events since the start; no more are noted.
    pub fn stop(&self) -> Vec<HostEvent> {
        self.lock().take().unwrap_or_default()
    }

    /// Whether events are requested.
    pub(super) fn is_on(&self) -> bool {
        self.lock().is_some()
    }

    /// Notes an event, if events are requested.
    pub(super) fn note(&self, event: impl FnOnce() -> HostEvent) {
        if let Some(events) = &mut *self.lock() {
            events.push(event());
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Vec<HostEvent>>> {
        // A panic while pushing cannot leave a Vec half changed, so a poisoned lock is still usable.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
