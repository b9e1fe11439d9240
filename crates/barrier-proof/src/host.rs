//! A checker of what the host does: fences, semaphores, command buffers, images and mapped memory.
//!
//! It applies these rules of the specification to the events that a device [noted](crate::Watch):
//!
//! * a command buffer is not recorded or submitted while it is *pending* (section "Command Buffer Lifecycle");
//! * a fence that is submitted is unsignaled and not pending; its signal includes all earlier submissions (section
//!   "Fences");
//! * a binary semaphore is signaled only when no signal or wait of it is pending, and each wait has its signal (section
//!   "Semaphores"). Presentation's wait is over once the image was acquired again and a submission has waited for that
//!   (section "WSI Swapchain", `vkQueuePresentKHR`);
//! * host memory is not written while a pending submission accesses it, and not read while one writes it (section "Host
//!   Write Ordering Guarantees" covers only what is written before the submission).

use crate::{Bytes, HostEvent, PlannedFrame, Resource};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What a semaphore waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Semaphore {
    /// A signal is pending or done, and nothing has waited for it.
    Signaled { acquired: Option<u32> },
    /// A submission waits for it.
    Awaited { by: usize },
    /// Presentation waits for it, since it was presented; and whether the image was acquired again since, in a
    /// submission's wait.
    Shown { image: u32, again: bool },
}

/// A submission.
#[derive(Debug)]
struct Submission {
    commands: u64,
    fence: u64,
    /// Whether its fence was waited for and reset.
    reset: bool,
    /// Whether it is done: its fence was waited for or found signaled, or that of a later one.
    done: bool,
}

/// The state of the objects after some events.
#[derive(Debug, Default)]
pub(crate) struct Host {
    /// Those that are not done, or whose fence was not reset, and some between them.
    submissions: VecDeque<Submission>,
    /// How many came before these.
    earlier: usize,
    semaphores: BTreeMap<u64, Semaphore>,
    accesses: BTreeMap<u64, (Vec<Bytes>, Vec<Bytes>)>,
    pub(crate) findings: BTreeSet<String>,
    shared: Vec<Resource>,
}

/// The errors in these events. Accesses of the host to the buffers in `shared` are not judged: frames in flight share
/// those, and each accesses a part that is not known.
pub fn check_host(events: &[HostEvent], shared: &[Resource]) -> BTreeSet<String> {
    let mut host = Host { shared: shared.to_vec(), ..Host::default() };
    for event in events {
        host.happens(event.clone());
    }
    host.findings
}

impl Host {
    fn find(&mut self, text: impl Into<String>) {
        self.findings.insert(text.into());
    }

    fn pending(&self) -> impl Iterator<Item = &Submission> {
        self.submissions.iter().filter(|submission| !submission.done)
    }

    /// Returns, of a wait or a fence found signaled, the number of the last submission that is done.
    pub(crate) fn happens(&mut self, event: HostEvent) -> Option<usize> {
        let resets = matches!(event, HostEvent::Wait { .. });
        match event {
            HostEvent::Wait { fence } | HostEvent::Signaled { fence } => {
                let of = |submission: &Submission| submission.fence == fence && !submission.reset;
                let Some(last) = self.submissions.iter().rposition(of) else {
                    self.find("the host waits for a fence that no submission signals");
                    return None;
                };
                self.submissions[last].reset = resets;
                return Some(self.done(last));
            }
            HostEvent::Idle => {
                let last = self.submissions.len().checked_sub(1)?;
                return Some(self.done(last));
            }
            HostEvent::Made { object } => {
                self.semaphores.remove(&object);
                let of = |submission: &&mut Submission| submission.fence == object;
                self.submissions.iter_mut().filter(of).for_each(|submission| submission.reset = true);
            }
            HostEvent::Begin { commands } => {
                if self.pending().any(|submission| submission.commands == commands) {
                    self.find("the host records a command buffer that the device may still execute");
                }
            }
            HostEvent::End { commands, reads, writes } => {
                self.accesses.insert(commands, (reads, writes));
            }
            HostEvent::Write(bytes) => {
                if self.pending_access(&bytes, true) {
                    self.find(format!("the host writes {} where a submission in flight accesses it", bytes.name));
                }
            }
            HostEvent::Read(bytes) => {
                if self.pending_access(&bytes, false) {
                    self.find(format!("the host reads {} where a submission in flight writes it", bytes.name));
                }
            }
            HostEvent::Acquire { image, semaphore } => {
                self.signals(semaphore, Some(image), "acquiring an image");
            }
            HostEvent::Submit { commands, fence, wait, signal } => self.submits(commands, fence, wait, signal),
            HostEvent::Present { image, semaphore } => match self.semaphores.get(&semaphore) {
                Some(Semaphore::Signaled { acquired: None }) => {
                    self.semaphores.insert(semaphore, Semaphore::Shown { image, again: false });
                }
                _ => self.find("presentation waits for a semaphore that no submission signals"),
            },
        }
        None
    }

    /// All submissions up to one of those kept are done. Returns its number.
    fn done(&mut self, last: usize) -> usize {
        let number = self.earlier + last;
        for submission in self.submissions.iter_mut().take(last + 1).filter(|submission| !submission.done) {
            submission.done = true;
            self.accesses.remove(&submission.commands);
        }
        while self.submissions.front().is_some_and(|first| first.done && first.reset) {
            self.submissions.pop_front();
            self.earlier += 1;
        }
        number
    }

    fn pending_access(&self, bytes: &Bytes, of_write: bool) -> bool {
        let overlaps = |other: &Bytes| other.buffer == bytes.buffer && other.from < bytes.to && bytes.from < other.to;
        !self.shared.iter().any(|shared| *shared == *bytes.name)
            && self
                .pending()
                .filter_map(|submission| self.accesses.get(&submission.commands))
                .any(|(reads, writes)| writes.iter().any(overlaps) || (of_write && reads.iter().any(overlaps)))
    }

    fn submits(&mut self, commands: u64, fence: u64, wait: Option<u64>, signal: Option<u64>) {
        if self.pending().any(|submission| submission.commands == commands) {
            self.find("a command buffer is submitted that the device may still execute");
        }
        if self.submissions.iter().any(|submission| submission.fence == fence && !submission.reset) {
            self.find("a fence is submitted that another submission signals, and that was not reset since");
        }
        let by = self.earlier + self.submissions.len();
        if let Some(wait) = wait {
            match self.semaphores.insert(wait, Semaphore::Awaited { by }) {
                Some(Semaphore::Signaled { acquired }) => {
                    for shown in self.semaphores.values_mut() {
                        if let Semaphore::Shown { image, again } = shown {
                            *again |= Some(*image) == acquired;
                        }
                    }
                }
                _ => self.find("a submission waits for a semaphore that nothing signals"),
            }
        }
        if let Some(signal) = signal {
            self.signals(signal, None, "a submission");
        }
        self.submissions.push_back(Submission { commands, fence, reset: false, done: false });
    }

    fn signals(&mut self, semaphore: u64, acquired: Option<u32>, who: &str) {
        let ready = match self.semaphores.get(&semaphore) {
            None => true,
            Some(Semaphore::Awaited { by }) => by.checked_sub(self.earlier).is_none_or(|at| self.submissions[at].done),
            Some(Semaphore::Shown { again, .. }) => *again,
            Some(Semaphore::Signaled { .. }) => false,
        };
        if !ready {
            self.find(format!("{who} signals a semaphore that something still waits for, or that is signaled"));
        }
        self.semaphores.insert(semaphore, Semaphore::Signaled { acquired });
    }
}

/// The errors in which frames that ran differ from the plan.
pub fn check_plan(events: &[HostEvent], plan: &[Vec<PlannedFrame>]) -> BTreeSet<String> {
    let (mut findings, mut acquired) = (BTreeSet::new(), None);
    for event in events {
        match event {
            HostEvent::Acquire { image, .. } => acquired = Some(*image),
            HostEvent::Submit { commands, fence, wait: Some(wait), signal: Some(signal) } => {
                let frame = |of: &&PlannedFrame| (of.commands, Some(of.image)) == (*commands, acquired);
                let used = plan.iter().flatten().find(frame).map(|of| (of.fence, of.acquired, of.drawn));
                if used != Some((*fence, *wait, *signal)) {
                    findings
                        .insert("a frame that ran used other semaphores, or another fence, than planned".to_owned());
                }
            }
            _ => {}
        }
    }
    findings
}

/// Frames in the sequences of images that are tried: more than are in flight.
const FRAMES: usize = 6;

/// The errors in frames of these slots, for every order in which a display could give the images.
pub fn check_orders(plan: &[Vec<PlannedFrame>]) -> BTreeSet<String> {
    let mut findings = BTreeSet::new();
    let images = plan.first().map_or(0, Vec::len);
    for order in 0..images.pow(FRAMES as u32) {
        let mut host = Host::default();
        for frame in 0..FRAMES {
            let image = order / images.pow(frame as u32) % images;
            let PlannedFrame { image, commands, fence, acquired, drawn, presented } = plan[frame % plan.len()][image];
            if frame >= plan.len() {
                host.happens(HostEvent::Wait { fence });
            }
            host.happens(HostEvent::Acquire { image, semaphore: acquired });
            host.happens(HostEvent::Begin { commands });
            host.happens(HostEvent::Submit { commands, fence, wait: Some(acquired), signal: Some(drawn) });
            host.happens(HostEvent::Present { image, semaphore: presented });
        }
        findings.extend(host.findings.into_iter().map(|finding| format!("in some order of images: {finding}")));
    }
    findings
}
