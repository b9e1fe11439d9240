//! Messages of the validation layer, collected for a report at the end and for tests.

use barrier_proof::Message;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Every warning and error since the instance was made.
#[derive(Debug, Default)]
pub struct Messages {
    all: Mutex<Vec<Message>>,
    expected: AtomicBool,
    blind: AtomicBool,
    sliced: AtomicBool,
}

impl Messages {
    /// The messages so far, oldest first.
    pub fn all(&self) -> Vec<Message> {
        self.lock().clone()
    }

    /// Number of messages so far.
    pub fn count(&self) -> usize {
        self.lock().len()
    }

    /// The messages so far, oldest first, and clears them.
    pub fn take(&self) -> Vec<Message> {
        std::mem::take(&mut *self.lock())
    }

    /// If `expected`, messages are from now on only collected; else they are also logged.
    pub fn expect(&self, expected: bool) {
        self.expected.store(expected, Ordering::Relaxed);
    }

    pub(super) fn expected(&self) -> bool {
        self.expected.load(Ordering::Relaxed)
    }

    /// From now on, ignores messages about synchronization. The layer does not track accesses by address, so it misses
    /// accesses between two that it tracks, and reports false hazards.
    pub fn ignore_synchronization(&self) {
        self.blind.store(true, Ordering::Relaxed);
    }

    /// From now on, expects passes that are split into dispatches which write disjoint parts of the same buffers. The
    /// layer treats each as a write to the whole buffers.
    pub(super) fn expect_slices(&self) {
        self.sliced.store(true, Ordering::Relaxed);
    }

    pub(super) fn ignores(&self, message: &Message) -> bool {
        let blind = self.blind.load(Ordering::Relaxed) && message.id.starts_with("SYNC-HAZARD-");
        let sliced = self.sliced.load(Ordering::Relaxed) && message.id == "SYNC-HAZARD-WRITE-AFTER-WRITE";
        let [producer, consumer] = message.passes();
        blind || sliced && consumer.is_some() && producer == consumer
    }

    pub(super) fn push(&self, message: Message) {
        self.lock().push(message);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Message>> {
        // A panic while pushing cannot leave a Vec half changed, so a poisoned lock is still usable.
        self.all.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
