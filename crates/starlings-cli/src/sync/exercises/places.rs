//! Exercises whose answers are places: of an event, of a wait, of the `barrier()`s of a kernel.

use super::Verdict;
use super::made::Random;
use crate::error::{Error, Result};
use crate::sync::{check, host::check_host};
use barrier_proof::{HostEvent, PassEntry};
use starlings::vk::{Access, Bytes, DependencyEntry, Journal, JournalEntry, Masks, Resource, Stage, Use};
use std::collections::BTreeSet;

const COMPUTE: Stage = Stage::COMPUTE_SHADER;

/// A frame of which two passes write what two later ones read, with others between and around them.
pub fn for_event(random: &mut Random) -> Journal {
    let names = random.shuffled(&["ash", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple"]);
    let [a, b] = [Resource::new("leaves"), Resource::new("rings")];
    let mut kinds = vec![vec![Use::write(COMPUTE, a)], vec![Use::write(COMPUTE, b)]];
    let readers = random.shuffled(&[a, b]);
    kinds.extend(readers.iter().map(|of| vec![Use::read(COMPUTE, *of)]));
    // Before the first, between the others, and at least one where the event is pending.
    let mut gaps = [0, 0, 2, 0, 0];
    (0..2).for_each(|_| gaps[random.below(gaps.len())] += 1);
    let mut entries = Vec::new();
    for (at, gap) in gaps.into_iter().enumerate() {
        let others = (0..gap).map(|_| Vec::new());
        for uses in others.chain(kinds.get(at).cloned()) {
            let name = names[entries.len()];
            let own = Use::read_write(COMPUTE, Resource::named(&format!("buds of {name}")));
            let uses = if uses.is_empty() { vec![own] } else { uses };
            entries.push(JournalEntry::Pass(PassEntry { name, uses, dispatches: 1, ..PassEntry::default() }));
        }
    }
    Journal { entries, ..Journal::default() }
}

/// Judges after which pass an event is set, and before which it is waited for.
pub fn judge_event(frame: &Journal, answer: &[String]) -> Result<Verdict> {
    let passes: Vec<&str> = frame.passes().map(|pass| pass.name).collect();
    let place = |name: &String| {
        let unknown = || Error::Input(format!("'{name}' is no pass; accepted is one of {}", passes.join(", ")));
        passes.iter().position(|pass| pass == name).ok_or_else(unknown)
    };
    let [set, wait] = answer else { return Err(Error::Input("the answer must be the names of two passes".into())) };
    let (set, wait) = (place(set)? + 1, place(wait)?);
    if set > wait {
        return Ok(Verdict::Wrong(vec!["It is waited for before it is set.".into()]));
    }
    // What comes before the setting is in order with what comes after the wait: each side as with a barrier there.
    let conflicts = |at: usize| {
        let masks = Masks {
            src_stage: COMPUTE,
            src_access: Access::SHADER_STORAGE_WRITE,
            dst_stage: COMPUTE,
            dst_access: Access::SHADER_STORAGE_READ,
        };
        let mut frame = frame.clone();
        let barrier = DependencyEntry { name: "event", masks, ..DependencyEntry::default() };
        frame.entries.insert(at, JournalEntry::Dependency(barrier));
        check(&[frame])
    };
    let wrong: Vec<String> = [set, wait].into_iter().flat_map(conflicts).map(|of| of.to_string()).collect();
    let fits = |at: &usize| conflicts(*at).is_empty();
    let (first, last) = ((0..=passes.len()).find(fits), (0..=passes.len()).rev().find(fits));
    Ok(match (wrong.is_empty(), Some(set) == first, Some(wait) == last) {
        (false, ..) => Verdict::Wrong(wrong),
        (true, true, true) => Verdict::Right("Nothing between the two waits for anything.".into()),
        (true, false, _) => Verdict::Wide(vec!["No hazard remains, but it can be set earlier.".into()]),
        (true, true, false) => Verdict::Wide(vec!["No hazard remains, but it can be waited for later.".into()]),
    })
}

/// What the host does in a line of its loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Act {
    Acquire,
    Write,
    Read,
    Begin,
    Other(&'static str),
    Submit,
    Present,
}

/// Slots of the loop, and images of its display.
const SLOTS: u64 = 2;
const IMAGES: u64 = 3;

/// What needs no wait, although some of it looks as if it did.
const OTHERS: [&str; 7] = [
    "read the clock",
    "move the camera",
    "poll the keys",
    "count the frame",
    "write this frame's parameters into a vector of the host's own",
    "ask which frame was shown last",
    "compile a pipeline",
];

/// The lines of a loop that lacks a wait.
pub fn for_loop(random: &mut Random) -> Vec<Act> {
    let acts = random.shuffled(&[Act::Acquire, Act::Write, Act::Read, Act::Begin]);
    let others: Vec<Act> = random.shuffled(&OTHERS).into_iter().map(Act::Other).collect();
    let before = 1 + random.below(OTHERS.len() - 1);
    let mut lines = others[..before].to_vec();
    lines.push(acts[0]);
    lines.extend(&others[before..]);
    lines.extend(&acts[1..]);
    lines.extend([Act::Submit, Act::Present]);
    lines
}

/// The loop, with numbered lines.
pub fn told_loop(lines: &[Act]) -> String {
    let told = |act: &Act| match act {
        Act::Acquire => "ask for the next image, signaling the slot's semaphore",
        Act::Write => "write this frame's parameters into the slot's part of a ring in mapped memory",
        Act::Read => "read from the slot's mapped buffer what its last frame has counted",
        Act::Begin => "begin to record the slot's command buffer, and record",
        Act::Other(what) => what,
        Act::Submit => "submit, waiting for the slot's semaphore, signaling that of the image and the slot's fence",
        Act::Present => "present the image, waiting for its semaphore",
    };
    let lines = lines.iter().enumerate().map(|(at, act)| format!("  {}  {}", at + 1, told(act)));
    lines.collect::<Vec<_>>().join("\n")
}

/// What is wrong if the host waits for the slot's fence before line `wait`.
fn happens(lines: &[Act], wait: usize) -> BTreeSet<String> {
    let mut events = Vec::new();
    for frame in 0..8 {
        let (slot, image) = (frame % SLOTS, frame % IMAGES);
        let (fence, commands, acquired, drawn) = (10 + slot, 20 + slot, 30 + slot, 40 + image);
        let bytes = |buffer: u64, name: &str| Bytes { buffer, name: name.into(), from: 64 * slot, to: 64 * slot + 64 };
        let (ring, counts) = (bytes(1, "the parameters"), bytes(2, "the counts"));
        for (at, act) in lines.iter().enumerate() {
            if at == wait && frame >= SLOTS {
                events.push(HostEvent::Wait { fence });
            }
            match act {
                Act::Acquire => events.push(HostEvent::Acquire { image: image as u32, semaphore: acquired }),
                Act::Write => events.push(HostEvent::Write(ring.clone())),
                Act::Read if frame >= SLOTS => events.push(HostEvent::Read(counts.clone())),
                Act::Begin => {
                    events.push(HostEvent::Begin { commands });
                    events.push(HostEvent::End { commands, reads: vec![ring.clone()], writes: vec![counts.clone()] });
                }
                Act::Submit => {
                    let (wait, signal) = (Some(acquired), Some(drawn));
                    events.push(HostEvent::Submit { commands, fence, wait, signal });
                }
                Act::Present => events.push(HostEvent::Present { image: image as u32, semaphore: drawn }),
                Act::Read | Act::Other(_) => {}
            }
        }
    }
    check_host(&events, &[])
}

/// Judges before which line the host waits.
pub fn judge_loop(lines: &[Act], answer: &[String]) -> Result<Verdict> {
    let number = |word: &String| word.parse().ok().filter(|line| (1..=lines.len()).contains(line));
    let line = match answer {
        [word] => number(word),
        _ => None,
    };
    let Some(line) = line else {
        return Err(Error::Input(format!("the answer must be a line's number from 1 to {}", lines.len())));
    };
    let wrong = happens(lines, line - 1);
    Ok(match (wrong.is_empty(), happens(lines, line).is_empty()) {
        (false, _) => Verdict::Wrong(wrong.into_iter().collect()),
        (true, true) => Verdict::Wide(vec!["Nothing goes wrong, but it can wait later.".into()]),
        (true, false) => {
            Verdict::Right("This is the first that the last frame of the slot must have ended for.".into())
        }
    })
}

/// Invocations of a workgroup.
const WIDTH: usize = 64;

/// A line of a kernel: what each invocation `i` does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Line {
    Store,
    Shifted(usize),
    Crossed(usize),
    Mirrored,
    Add,
    Fold,
    Double,
    Local,
    Out,
    OutMirrored,
}

/// The lines of a kernel without any `barrier()`.
pub fn for_kernel(random: &mut Random) -> Vec<Line> {
    let mut lines = vec![Line::Store];
    for round in 0..2 {
        if random.below(2) == 0 {
            lines.push(Line::Double);
        }
        match random.below(3) {
            0 => lines.push(Line::Fold),
            _ => {
                let power = 1 << (round + random.below(2));
                lines.push(random.of(&[Line::Shifted(power), Line::Crossed(power), Line::Mirrored]));
                lines.extend([Line::Local, Line::Local].into_iter().take(random.below(2)));
                lines.push(Line::Add);
            }
        }
    }
    lines.push(random.of(&[Line::Out, Line::OutMirrored]));
    lines
}

/// The kernel, with numbered lines.
pub fn told_kernel(lines: &[Line]) -> String {
    let told = |line: &Line| match line {
        Line::Store => "s[i] = input[i];".to_owned(),
        Line::Shifted(by) => format!("other = i >= {by} ? s[i - {by}] : 0;"),
        Line::Crossed(by) => format!("other = s[i ^ {by}];"),
        Line::Mirrored => format!("other = s[{} - i];", WIDTH - 1),
        Line::Add => "s[i] += other;".to_owned(),
        Line::Fold => format!("if (i < {0}) s[i] += s[i + {0}];", WIDTH / 2),
        Line::Double => "s[i] *= 2;".to_owned(),
        Line::Local => "other *= other;".to_owned(),
        Line::Out => "output[i] = s[i];".to_owned(),
        Line::OutMirrored => format!("output[i] = s[{} - i];", WIDTH - 1),
    };
    let lines = lines.iter().enumerate().map(|(at, line)| format!("  {}  {}", at + 1, told(line)));
    lines.collect::<Vec<_>>().join("\n")
}

impl Line {
    /// The elements that an invocation accesses, and whether it writes them.
    fn accesses(self, i: usize) -> Vec<(usize, bool)> {
        match self {
            Line::Store => vec![(i, true)],
            Line::Shifted(by) if i >= by => vec![(i - by, false)],
            Line::Fold if i < WIDTH / 2 => vec![(i, false), (i + WIDTH / 2, false), (i, true)],
            Line::Shifted(_) | Line::Fold | Line::Local => Vec::new(),
            Line::Crossed(by) => vec![(i ^ by, false)],
            Line::Mirrored | Line::OutMirrored => vec![(WIDTH - 1 - i, false)],
            Line::Add | Line::Double => vec![(i, false), (i, true)],
            Line::Out => vec![(i, false)],
        }
    }
}

/// A race between two lines that no barrier is between, if there is one.
fn race(lines: &[Line], barriers: &BTreeSet<usize>) -> Option<String> {
    for (at, line) in lines.iter().enumerate() {
        for (to, then) in lines
            .iter()
            .enumerate()
            .skip(at)
            .take_while(|(to, _)| *to == at || barriers.range(at + 1..=*to).next().is_none())
        {
            for (i, j) in (0..WIDTH).flat_map(|i| (0..WIDTH).map(move |j| (i, j))).filter(|(i, j)| i != j) {
                for (element, writes) in line.accesses(i) {
                    let meets = |other: &(usize, bool)| other.0 == element && (writes || other.1);
                    if then.accesses(j).iter().any(meets) {
                        let does = if writes { "writes" } else { "reads" };
                        return Some(format!(
                            "invocation {i} {does} s[{element}] in line {}, and invocation {j} accesses it in line {}",
                            at + 1,
                            to + 1
                        ));
                    }
                }
            }
        }
    }
    None
}

/// Judges before which lines a `barrier()` stands.
pub fn judge_kernel(lines: &[Line], answer: &[String]) -> Result<Verdict> {
    let number = |word: &String| {
        let bad = || Error::Input(format!("'{word}' is no line; accepted is a number from 2 to {}", lines.len()));
        word.parse().ok().filter(|line| (2..=lines.len()).contains(line)).map(|line: usize| line - 1).ok_or_else(bad)
    };
    let barriers = answer.iter().filter(|word| *word != "none").map(number).collect::<Result<BTreeSet<usize>>>()?;
    if let Some(race) = race(lines, &barriers) {
        return Ok(Verdict::Wrong(vec![race]));
    }
    let needless = |line: &&usize| {
        let others = barriers.iter().copied().filter(|other| other != *line).collect();
        race(lines, &others).is_none()
    };
    Ok(match barriers.iter().filter(needless).count() {
        0 => Verdict::Right("No race remains, and each barrier() is needed.".into()),
        more => Verdict::Wide(vec![format!("No race remains, but {more} of them could each be left out.")]),
    })
}
