//! What the validation layer said, collected for a report at the end and for tests.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// One message of the validation layer.
#[derive(Clone, Debug)]
pub struct Message {
    /// The layer's name for the rule, e.g. `SYNC-HAZARD-READ-AFTER-WRITE`.
    pub id: String,
    /// The whole text.
    pub text: String,
    /// Labels of the commands being recorded that the layer was in, innermost last.
    pub labels: Vec<String>,
}

impl Message {
    /// The passes of a hazard, the earlier first, as far as the layer says: among its extra properties, or by the label of
    /// the command that is being recorded.
    pub(crate) fn passes(&self) -> [Option<&str>; 2] {
        let region = |name: &str| self.text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "));
        let consumer = region("debug_region").or(self.labels.last().map(String::as_str));
        [region("prior_debug_region"), consumer].map(|pass| pass.map(str::trim))
    }

    fn within_one_pass(&self) -> bool {
        let [producer, consumer] = self.passes();
        consumer.is_some() && producer == consumer
    }
}

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

    /// The messages so far, oldest first, which are then forgotten.
    pub fn take(&self) -> Vec<Message> {
        std::mem::take(&mut *self.lock())
    }

    /// From now on messages are wanted, and only collected; or they are news again, and logged as well.
    pub fn expect(&self, expected: bool) {
        self.expected.store(expected, Ordering::Relaxed);
    }

    pub(super) fn expected(&self) -> bool {
        self.expected.load(Ordering::Relaxed)
    }

    /// From now on what is said about synchronization is not listened to. Accesses by address go unseen, so the layer misses
    /// what comes between two accesses that it does see, and takes them for a hazard.
    pub fn ignore_synchronization(&self) {
        self.blind.store(true, Ordering::Relaxed);
    }

    /// From now on passes are cut into dispatches that write disjoint parts of the same buffers. The layer takes each for a
    /// write to all of them.
    pub(super) fn expect_slices(&self) {
        self.sliced.store(true, Ordering::Relaxed);
    }

    /// Whether a message is not listened to.
    pub(super) fn ignores(&self, message: &Message) -> bool {
        let blind = self.blind.load(Ordering::Relaxed) && message.id.starts_with("SYNC-HAZARD-");
        let sliced = self.sliced.load(Ordering::Relaxed) && message.id == "SYNC-HAZARD-WRITE-AFTER-WRITE";
        blind || sliced && message.within_one_pass()
    }

    pub(super) fn push(&self, message: Message) {
        self.lock().push(message);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Message>> {
        // A panic while pushing cannot leave a Vec half changed, so a poisoned lock is still good.
        self.all.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
