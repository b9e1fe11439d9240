//! The checker on submissions as they come, one by one, however many there are: it keeps only what a later submission
//! can still conflict with. Loops repeat themselves, so what a submission leaves is remembered: one that came before,
//! after the same, costs a hash of its journal.
//!
//! A fence that the host has waited for, and the submission after it, order everything before with everything after:
//! the fence makes all writes available to the device, and the submission makes all that is available visible to it.

use crate::checker::{Follower, go_on};
use crate::events::flatten;
use crate::layouts::Layouts;
use crate::{Conflict, DependencyEntry, Journal, JournalEntry, PassEntry, Resource};
use std::collections::{BTreeSet, HashMap};
use std::hash::{Hash, Hasher};

/// Most states that are remembered.
const MOST_STATES: usize = 1 << 12;

/// The submissions so far.
#[derive(Debug)]
pub(crate) struct Stream {
    /// The states that were met.
    states: Vec<State>,
    /// The place of the present one among them.
    at: usize,
    /// From the place of a state, by a step without conflicts, to the place of the next.
    known: HashMap<(usize, Step), usize>,
    /// Hashes of the journals that were checked.
    pub(crate) distinct: BTreeSet<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    /// A submission, by the hash of its journal.
    Submit(u64),
    /// The submission that came so many before the last is done, and all before it.
    Done(usize),
}

/// What later submissions can conflict with.
#[derive(Clone, Debug, Default, PartialEq)]
struct State {
    followers: Vec<Follower>,
    layouts: Layouts,
    /// Resources of which each submission has its own.
    own: BTreeSet<Resource>,
}

impl Default for Stream {
    fn default() -> Self {
        Stream { states: vec![State::default()], at: 0, known: HashMap::new(), distinct: BTreeSet::new() }
    }
}

impl Stream {
    /// A further submission of these commands: its conflicts, within it and with those before.
    pub(crate) fn submit(&mut self, journal: &Journal) -> BTreeSet<Conflict> {
        let hash = hash(journal);
        self.distinct.insert(hash);
        self.go(Some(Step::Submit(hash)), |state| state.submit(journal))
    }

    /// The submission that came `ago` before the last is done, and all before it.
    pub(crate) fn done(&mut self, ago: usize) {
        self.go(Some(Step::Done(ago)), |state| {
            state.followers.retain(|of| of.frame <= ago || of.is_of_display());
            BTreeSet::new()
        });
    }

    /// A resource of this name is new.
    pub(crate) fn made(&mut self, resource: Resource) {
        self.go(None, |state| {
            state.followers.retain(|of| of.resource != resource);
            state.layouts.made(resource);
            BTreeSet::new()
        });
    }

    /// Each submission has a resource of this name to itself.
    pub(crate) fn own(&mut self, resource: Resource) {
        if !self.states[self.at].own.contains(&resource) {
            self.go(None, |state| {
                state.own.insert(resource);
                BTreeSet::new()
            });
        }
    }

    /// A further submission is not known.
    pub(crate) fn forget(&mut self) {
        self.go(None, |state| {
            *state = State::default();
            state.layouts.unknown = true;
            BTreeSet::new()
        });
    }

    fn go(&mut self, step: Option<Step>, to: impl FnOnce(&mut State) -> BTreeSet<Conflict>) -> BTreeSet<Conflict> {
        if let Some(&at) = step.and_then(|step| self.known.get(&(self.at, step))) {
            self.at = at;
            return BTreeSet::new();
        }
        let mut next = self.states[self.at].clone();
        let conflicts = to(&mut next);
        let from = self.at;
        self.at = self.states.iter().position(|known| *known == next).unwrap_or(self.states.len());
        if self.at == MOST_STATES {
            self.known.clear();
            (self.states, self.at) = (vec![next], 0);
        } else {
            if self.at == self.states.len() {
                self.states.push(next);
            }
            // What is wrong is said each time.
            if let (Some(step), true) = (step, conflicts.is_empty()) {
                self.known.insert((from, step), self.at);
            }
        }
        conflicts
    }
}

impl State {
    fn submit(&mut self, journal: &Journal) -> BTreeSet<Conflict> {
        let events = flatten(std::slice::from_ref(journal));
        self.own.extend(journal.entries.iter().filter_map(|entry| match entry {
            JournalEntry::HostRead { buffer } => Some(*buffer),
            _ => None,
        }));
        let mut conflicts = self.layouts.go_on(&events);
        self.layouts.later();
        let followers = std::mem::take(&mut self.followers);
        let open = go_on(followers, &events, &self.own, |conflict| {
            conflicts.insert(conflict);
        });
        let open = open.into_iter().filter(|of| !self.own.contains(&of.resource)).map(Follower::later);
        // Of two that are alike, the one that asks more of what follows.
        for follower in open {
            if !self.followers.iter().any(|other| follower.asks_less_than(other)) {
                self.followers.retain(|other| !other.asks_less_than(&follower));
                self.followers.push(follower);
            }
        }
        conflicts
    }
}

/// A hash of all that the checker looks at. Names are told apart by their place in the program.
fn hash(journal: &Journal) -> u64 {
    let mut mix = Mix(0);
    let name = |mix: &mut Mix, name: &'static str| (name.as_ptr() as usize, name.len()).hash(mix);
    for entry in &journal.entries {
        match entry {
            JournalEntry::Pass(PassEntry { name: pass, uses, rendering, attachments, .. }) => {
                name(&mut mix, pass);
                for of in uses {
                    name(&mut mix, of.resource.name());
                    (of.stage, of.access, of.layout, of.part.from, of.part.to).hash(&mut mix);
                }
                rendering.hash(&mut mix);
                for of in attachments {
                    name(&mut mix, of.image.name());
                    (of.load, of.store).hash(&mut mix);
                }
            }
            JournalEntry::Dependency(DependencyEntry {
                name: of,
                guards,
                masks,
                layouts,
                same_command,
                omitted,
                ..
            }) => {
                name(&mut mix, of);
                guards.first().into_iter().for_each(|image| name(&mut mix, image.name()));
                (masks.src_stage, masks.src_access, masks.dst_stage, masks.dst_access).hash(&mut mix);
                (layouts, same_command, omitted).hash(&mut mix);
            }
            JournalEntry::Acquire { image, stage } => {
                name(&mut mix, image.name());
                stage.hash(&mut mix);
            }
            JournalEntry::Present { image } => name(&mut mix, image.name()),
            JournalEntry::HostRead { buffer } => name(&mut mix, buffer.name()),
        }
        std::mem::discriminant(entry).hash(&mut mix);
    }
    mix.finish()
}

/// A hash of whole words, several times as fast as the one of the standard library: journals are long.
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.chunks(8).for_each(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        });
    }

    fn write_u8(&mut self, word: u8) {
        self.write_u64(word.into());
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Access, Masks, Stage, Use, check};

    const BUFFER: Resource = Resource::new("buffer");
    const COMPUTE: Stage = Stage::COMPUTE_SHADER;
    const WRITE: Access = Access::SHADER_STORAGE_WRITE;
    const READ: Access = Access::SHADER_STORAGE_READ;

    fn pass(name: &'static str, of: Use) -> JournalEntry {
        JournalEntry::Pass(PassEntry { name, uses: vec![of], dispatches: 1, ..PassEntry::default() })
    }

    fn barrier(src_access: Access, dst_access: Access) -> JournalEntry {
        let masks = Masks { src_stage: COMPUTE, src_access, dst_stage: COMPUTE, dst_access };
        JournalEntry::Dependency(DependencyEntry { name: "barrier", masks, ..DependencyEntry::default() })
    }

    fn journal(entries: &[JournalEntry]) -> Journal {
        Journal { entries: entries.to_vec(), ..Journal::default() }
    }

    /// One that writes what the next reads; a reader of what nothing here writes.
    fn frame(first: bool, second: bool) -> Journal {
        let mut entries = vec![pass("write", Use::write(COMPUTE, BUFFER)), barrier(WRITE, READ)];
        entries.extend([pass("read", Use::read(COMPUTE, BUFFER)), barrier(Access::NONE, Access::NONE)]);
        entries.push(pass("other", Use::read(COMPUTE, Resource::new("constant"))));
        let keep = [true, first, true, second, true];
        journal(&entries.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(entry, _)| entry).collect::<Vec<_>>())
    }

    #[test]
    fn what_is_between_submissions_is_found_and_a_loop_is_checked_once() {
        let mut stream = Stream::default();
        for _ in 0..100 {
            assert_eq!(stream.submit(&frame(true, true)), BTreeSet::new());
        }
        assert_eq!((stream.distinct.len(), stream.states.len() < 4), (1, true), "{stream:?}");
        // The next write meets the read before it.
        assert_eq!(stream.submit(&frame(true, false)), BTreeSet::new());
        let found = stream.submit(&frame(true, true));
        let said: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(said, ["WAR on buffer: read of the previous frame → write"]);
        assert_eq!(stream.submit(&frame(false, true)).len(), 1, "within one submission");
    }

    #[test]
    fn a_fence_orders_all_before_it_and_a_new_resource_has_no_past() {
        let wrong = frame(true, false);
        for way in 0..4 {
            let mut stream = Stream::default();
            stream.submit(&wrong);
            match way {
                0 => stream.done(0),
                1 => stream.made(BUFFER),
                2 => stream.forget(),
                _ => stream.made(Resource::new("another")),
            }
            assert_eq!(stream.submit(&wrong).is_empty(), way < 3, "{way}");
            stream.done(1);
            assert!(!stream.submit(&wrong).is_empty(), "the last one is still in flight");
        }
    }

    #[test]
    fn a_read_in_flight_is_known_after_one_like_it_is_done() {
        let of = |of| journal(&[pass("of it", of)]);
        let (read, write) = (of(Use::read(COMPUTE, BUFFER)), of(Use::write(COMPUTE, BUFFER)));
        for (ago, wrong) in [(2, true), (1, true), (0, false)] {
            let mut stream = Stream::default();
            (0..3).for_each(|_| assert_eq!(stream.submit(&read), BTreeSet::new()));
            stream.done(ago);
            assert_eq!(!stream.submit(&write).is_empty(), wrong, "{ago}");
        }
    }

    #[test]
    fn what_each_submission_has_to_itself_needs_no_order_between_two() {
        let (mut stream, upload) = (Stream::default(), journal(&[pass("upload", Use::write(COMPUTE, BUFFER))]));
        stream.own(BUFFER);
        assert_eq!([stream.submit(&upload), stream.submit(&upload)], [BTreeSet::new(), BTreeSet::new()]);
        assert_eq!(stream.submit(&frame(false, true)).len(), 1, "within one submission");
    }

    #[test]
    fn one_by_one_is_as_all_at_once() {
        let frames = [(true, true), (true, false), (false, true), (false, false)].map(|(a, b)| frame(a, b));
        let parties = |of: &Conflict| (of.hazard, of.resource, of.producer, of.consumer, of.across_frames);
        for order in 0..256_usize {
            let row: Vec<Journal> = (0..4).map(|at| frames[order >> (2 * at) & 3].clone()).collect();
            let mut stream = Stream::default();
            let one_by_one: BTreeSet<_> = row.iter().flat_map(|of| stream.submit(of)).map(|of| parties(&of)).collect();
            let at_once = check(&row);
            let direct: BTreeSet<_> = at_once.iter().filter(|of| of.direct).map(parties).collect();
            let all: BTreeSet<_> = at_once.iter().map(parties).collect();
            assert!(direct.is_subset(&one_by_one) && one_by_one.is_subset(&all), "{order}: {one_by_one:?} {all:?}");
        }
    }
}
