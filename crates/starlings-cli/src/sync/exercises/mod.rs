//! Exercises that grade themselves: an answer is judged by the prover, not compared with a text.
//!
//! Masks are put into the journals of a frame: the checker says which hazards remain, and what is wider than needed.
//! Names and orders are compared with what the checker finds in such journals; those about profiling with a trace. A
//! frame is that of the course, recorded with the null driver, or made up from a seed. None needs a device.

mod frames;
mod made;
mod masks;
mod names;
mod places;
mod traces;

use super::frames::FrameKind;
use super::{between, check, widths};
use crate::error::Result;
use barrier_proof::between::faulty;
use made::{Like, Random, Shown, listing};
use names::{Names, expected};
use starlings::flock::{EngineKind, Search};
use starlings::vk::{DependencyEntry, Fault, Journal, JournalEntry, MaskBit, Masks, Stage};

/// An exercise.
#[derive(Debug)]
pub struct Exercise {
    /// In a few words.
    pub title: &'static str,
    /// The question, and how to answer, of the course's own frame; empty if all of its frames are made up.
    question: &'static str,
    /// What the answer shows, for the course's own frame.
    why: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// The masks of a dependency, in frames of a kind with a search; and frames like them.
    Masks(&'static str, FrameKind, Search, Like),
    WarOnly,
    Chain,
    ReadTooEarly,
    Covered,
    Order,
    Trace(traces::Question),
    Layouts,
    Event,
    Loop,
    Kernel,
    Planted,
}

/// An exercise with its frame: that of the course, or one that a seed has made up.
#[derive(Debug)]
pub struct Posed {
    /// In a few words.
    pub title: &'static str,
    /// The question, and how to answer.
    pub question: String,
    why: &'static str,
    task: Task,
}

#[derive(Debug)]
enum Task {
    Masks(&'static str, Vec<Journal>),
    Names(Names, Vec<Journal>),
    Order(Journal),
    Trace(traces::Question, traces::Of),
    Layouts(Vec<&'static str>, Vec<Journal>),
    Event(Journal),
    Loop(Vec<places::Act>),
    Kernel(Vec<places::Line>),
    /// Frames with a fault in one of their dependencies, and the masks that it had.
    Planted(
        Vec<Journal>,
        #[cfg_attr(not(test), expect(dead_code, reason = "tests answer with it"))] (&'static str, Masks),
    ),
}

/// What is said of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is right, and why.
    Right(String),
    /// It is not: what is still wrong.
    Wrong(Vec<String>),
    /// It is correct, and more than needed: what is too much, and what is enough.
    Wide(Vec<String>),
}

const MASKS: &str =
    "Answer with two words, the first scope and the second, each as STAGES:ACCESSES with + between several:
COPY:TRANSFER_WRITE VERTEX_SHADER+FRAGMENT_SHADER:SHADER_STORAGE_READ. NONE is a mask too.";

const fn exercise(title: &'static str, kind: Kind, question: &'static str, why: &'static str) -> Exercise {
    Exercise { title, question, why, kind }
}

const GRID: Search = Search::QuantizedGrid;

/// The exercises; the first has number 1.
pub const EXERCISES: &[Exercise] = &[
    exercise(
        "Order is enough",
        Kind::WarOnly,
        "Both access masks of downsweep-to-clear are NONE. Which dependencies of the windowed frame resolve WAR hazards
only, so that an execution dependency is all that they need? Answer with their names.",
        "",
    ),
    exercise(
        "A kernel reads what a kernel wrote",
        Kind::Masks("count-to-reduce", FrameKind::Step, GRID, Like::ReadAfterWrite),
        "Write the masks of count-to-reduce. grid_count adds to cell_counts by atomics; scan_reduce reads them.",
        "Atomics are storage accesses. The scan only reads, so a write in the second access scope would be too much.",
    ),
    exercise(
        "A fill after a reader",
        Kind::Masks("downsweep-to-clear", FrameKind::Step, GRID, Like::WriteAfterRead),
        "Write the masks of downsweep-to-clear. The scan of the previous step reads cell_counts, which vkCmdFillBuffer
overwrites.",
        "The scan wrote nothing that the fill must see. ALL_TRANSFER would also delay copies, which need not wait.",
    ),
    exercise(
        "Atomics after a fill",
        Kind::Masks("clear-to-count", FrameKind::Step, GRID, Like::AtomicsAfterFill),
        "Write the masks of clear-to-count. A fill zeroes cell_counts; the atomics of grid_count read and write them.",
        "A fill runs in the stage CLEAR, but its access is TRANSFER_WRITE. An atomic is a read and a write.",
    ),
    exercise(
        "An order of passes",
        Kind::Order,
        "Put the passes of a step in an order in which each reads what it should. Answer with their names, first to
last:
grid_clear grid_count scan_downsweep scan_reduce scan_spine sort_list sort_scatter steer",
        "The spine's place is between the other two passes of the scan: it makes sums into starts, in place.",
    ),
    exercise(
        "A chain",
        Kind::Chain,
        "Leave steer-to-count out. In frames of one step, does grid_count still wait for steer of the previous frame?
Answer with the names of the dependencies that form the chain, or with none.",
        "But neither makes positions visible: `sync break steer-to-count` plays what that costs.",
    ),
    exercise(
        "A copy between kernels",
        Kind::Masks("steer-to-copy", FrameKind::Step, Search::AllPairs, Like::CopyBetweenKernels),
        "A search without a grid copies the state before each step, by vkCmdCopyBuffer. Write the masks of
steer-to-copy: the copy reads the state that steer of the previous step wrote, and overwrites the copy that it read.",
        "The copy's write needs only order: what it overwrites was read by steer, and a read leaves nothing to make
available.",
    ),
    exercise(
        "One bit of several",
        Kind::ReadTooEarly,
        "Take DRAW_INDIRECT out of the second scope of cull-to-draw. What is read too early? Answer with the names of
the resources.",
        "The device fetches the arguments of the draw in that stage, before any shader runs.",
    ),
    exercise(
        "Three readers",
        Kind::Masks("cull-to-draw", FrameKind::Windowed, GRID, Like::ThreeReaders),
        "Write the masks of cull-to-draw. cull, a compute shader, writes the arguments of an indirect draw, the list
that its vertex shader reads, and samples that its fragment shader reads and writes.",
        "Each reader has its stage; two of them share an access. A barrier has no pairs: each stage of the scope goes
with each access that it can perform.",
    ),
    exercise(
        "The host reads",
        Kind::Masks("copy-to-host", FrameKind::Offscreen, GRID, Like::HostRead),
        "Write the masks of copy-to-host. vkCmdCopyBuffer wrote the picture; the host reads it after it has waited
for the fence.",
        "The fence tells the host when to read; only HOST in a barrier makes the bytes visible to it, and ALL_COMMANDS
does not include that stage.",
    ),
    exercise(
        "Made unnecessary",
        Kind::Covered,
        "Which dependencies of the windowed frame could be left out if all frames took exactly one step, one of them at
a time? Answer with their names.",
        "In such frames steer-to-cull makes positions visible to all later compute shaders, and two others do each
other's work, so either could go, not both.",
    ),
    exercise(
        "The longest pass",
        Kind::Trace(traces::Question::Longest),
        "Record a trace: starlings simulate --boids 100k --steps 20 --hash --trace trace.json (or take
crates/starlings-cli/data/trace.json). Which pass takes the most time, and how many percent of the time of all passes?
Answer with its name and a whole number, and with --trace FILE for a trace of your own.",
        "Try 2,000 and 100,000 boids: the larger the flock, the larger its share.",
    ),
    exercise(
        "The longest pause",
        Kind::Trace(traces::Question::Pause),
        "In the same trace: after the end of which pass does the device wait longest, on average, until the next pass of
the step begins? Answer with the name of the dependency between the two.",
        "The device waits until the first is done, and its caches are written back where they must be.",
    ),
    exercise("The layouts of an image", Kind::Layouts, "", ""),
    exercise("An event in two places", Kind::Event, "", ""),
    exercise("A loop that lacks a wait", Kind::Loop, "", ""),
    exercise("barrier() in a kernel", Kind::Kernel, "", ""),
    exercise("A planted fault", Kind::Planted, "", ""),
];

impl Exercise {
    /// The exercise of the course, or its variant of a seed. `number` is its own.
    pub fn posed(&self, number: usize, seed: Option<u64>) -> Result<Posed> {
        let mut random = Random::new(seed.unwrap_or(0), number);
        let Exercise { title, why, kind, .. } = *self;
        let (question, task) = match seed {
            Some(_) => variant(kind, &mut random)?,
            None if self.question.is_empty() => variant(kind, &mut random)?,
            None => {
                let form = if matches!(kind, Kind::Masks(..)) { format!("\n\n{MASKS}") } else { String::new() };
                (format!("{}{form}", self.question), own(kind)?)
            }
        };
        Ok(Posed { title, question, why: if seed.is_none() { why } else { "" }, task })
    }

    /// Whether it is about a trace.
    pub fn needs_trace(&self) -> bool {
        matches!(self.kind, Kind::Trace(_))
    }
}

/// The task of the course's own frame.
fn own(kind: Kind) -> Result<Task> {
    let windowed = |steps: &[u32]| frames::record(FrameKind::Windowed, GRID, steps);
    Ok(match kind {
        Kind::Masks(name, kind, search, _) => Task::Masks(name, frames::record(kind, search, &[2, 0, 1])?),
        Kind::WarOnly => Task::Names(Names::WarOnly, windowed(&[2, 0, 1])?),
        Kind::Chain => {
            let chain = Names::Chain { without: "steer-to-count", from: "steer", to: "grid_count" };
            Task::Names(chain, frames::record(FrameKind::Step, GRID, &[1, 1, 1])?)
        }
        Kind::ReadTooEarly => {
            let bit = MaskBit::DestinationStage(Stage::DRAW_INDIRECT);
            Task::Names(Names::ReadTooEarly("cull-to-draw", bit), windowed(&[1, 1, 1])?)
        }
        Kind::Covered => Task::Names(Names::Covered, windowed(&[1, 1, 1])?),
        Kind::Trace(question) => Task::Trace(question, traces::Of::default()),
        _ => Task::Order(frames::record(FrameKind::Step, GRID, &[1])?.remove(0)),
    })
}

const ALIKE: &str =
    "Frames of these passes follow each other, all alike, and the first barrier stands between two frames:";

/// A question about a frame that is made up, and its task.
fn variant(kind: Kind, random: &mut Random) -> Result<(String, Task)> {
    Ok(match kind {
        Kind::Masks(.., like) => {
            let (frames, name) = made::for_masks(like, random);
            let text = listing(&frames[0], Shown::Masks(name));
            (format!("{ALIKE}\n{text}\nWrite the masks of {name}.\n\n{MASKS}"), Task::Masks(name, frames))
        }
        Kind::WarOnly => {
            let war = |frames: &[Journal]| expected(Names::WarOnly, frames).len();
            let frames = attempts(|| Some(made::any(random)).filter(|of| (1..between(of).len()).contains(&war(of))));
            let text = listing(&frames[0], Shown::Names);
            let question = "Which of these barriers resolve WAR hazards only? Answer with their names.";
            (format!("{ALIKE}\n{text}\n{question}"), Task::Names(Names::WarOnly, frames))
        }
        Kind::Chain => {
            let (names, frames) = attempts(|| chain(made::any(random)));
            let Names::Chain { without, from, to } = names else { unreachable!("a chain was looked for") };
            let text = listing(&frames[0], Shown::Masks(""));
            let question = format!(
                "Leave {without} out. Does {to} still wait for {from} of the previous frame? Answer with the names
of the dependencies that form the chain, or with none."
            );
            (format!("{ALIKE}\n{text}\n{question}"), Task::Names(names, frames))
        }
        Kind::ReadTooEarly => {
            let (frames, name) = made::for_masks(Like::ThreeReaders, random);
            let masks = frames[0].dependencies().find(|of| of.name == name).map(|of| of.masks).unwrap_or_default();
            let stages = masks.bits().into_iter().filter(|bit| matches!(bit, MaskBit::DestinationStage(_)));
            let bit = random.of(&stages.collect::<Vec<_>>());
            let MaskBit::DestinationStage(stage) = bit else { unreachable!("only those were kept") };
            let text = listing(&frames[0], Shown::Masks(""));
            let question = format!(
                "Take {stage:?} out of the second scope of {name}. What is read too early? Answer with the names of the
resources."
            );
            (format!("{ALIKE}\n{text}\n{question}"), Task::Names(Names::ReadTooEarly(name, bit), frames))
        }
        Kind::Covered => {
            let (kind, search, steps, frames) = attempts(|| {
                let search = random.of(&EngineKind::Gpu.searches());
                let (kind, steps) = (random.of(&FrameKind::ALL), random.of(&[1, 2, 3]));
                let frames = frames::record(kind, search, &[steps; 3]).ok()?;
                (!expected(Names::Covered, &frames).is_empty()).then_some((kind, search, steps, frames))
            });
            let question = format!(
                "Which dependencies of the {kind} frame with the search {search} (starlings sync --frame {kind} --search
{search}) could be left out if all frames took exactly {steps} steps, one of them at a time? Answer with their names."
            );
            (question, Task::Names(Names::Covered, frames))
        }
        Kind::Order => {
            let frame = made::in_order(random);
            let mut names: Vec<&str> = frame.passes().map(|pass| pass.name).collect();
            names.sort_unstable();
            let mut passes: Vec<JournalEntry> = frame.passes().cloned().map(JournalEntry::Pass).collect();
            passes.sort_by_key(|pass| if let JournalEntry::Pass(pass) = pass { pass.name } else { "" });
            let text = listing(&Journal { entries: passes, ..Journal::default() }, Shown::Names);
            let question =
                "Put these passes in an order in which each reads what was written in the same frame. Answer with
their names, first to last:";
            (format!("{question}\n{text}"), Task::Order(frame))
        }
        Kind::Trace(question) => {
            let all = traces::steps();
            let from = random.below(all - 1);
            let (to, rank) = (from + 2 + random.below(all - from - 1), random.below(3));
            let place = ["longest", "second longest", "third longest"][rank];
            let steps = format!("In steps {} to {to} of the {all} in crates/starlings-cli/data/trace.json", from + 1);
            let asked = match question {
                traces::Question::Longest => format!(
                    "{steps}, which pass takes the {place} time, and how many percent of the time of all
passes? Answer with its name and a whole number."
                ),
                traces::Question::Pause => format!(
                    "{steps}, after the end of which pass is the pause the {place}, on average, until the
next pass of the step begins? Answer with the name of the dependency between the two."
                ),
            };
            (asked, Task::Trace(question, traces::Of { rank, steps: Some(from..to) }))
        }
        Kind::Layouts => {
            let (names, frames) = made::for_layouts(random);
            let text = listing(&frames[0], Shown::Masks(""));
            let question = format!(
                "Its image is new in the first frame. Write the layouts of {}: old and new of each, {} words such as
TRANSFER_DST_OPTIMAL.",
                names.join(", "),
                2 * names.len()
            );
            (format!("{ALIKE}\n{text}\n{question}"), Task::Layouts(names, frames))
        }
        Kind::Event => {
            let frame = places::for_event(random);
            let text = listing(&frame, Shown::Names);
            let question =
                "An event is to order what these passes write with what others read. After which pass is it set, and
before which is it waited for, so that as many passes as possible wait for nothing? Answer with the two names.";
            (format!("A command buffer has these passes:\n{text}\n{question}"), Task::Event(frame))
        }
        Kind::Loop => {
            let lines = places::for_loop(random);
            let text = places::told_loop(&lines);
            let question =
                "Two slots take turns, and a window has three images. The loop must wait for the slot's fence, from
the third frame on. Before which line, as late as it may be? Answer with its number.";
            (format!("The host does this in each frame:\n{text}\n{question}"), Task::Loop(lines))
        }
        Kind::Kernel => {
            let lines = places::for_kernel(random);
            let text = places::told_kernel(&lines);
            let question =
                "Before which lines must a barrier() stand, and before which need none? Answer with the numbers, or
with none.";
            let head = "64 invocations of a workgroup, i from 0 to 63, run this; s is shared, all else is their own:";
            (format!("{head}\n{text}\n{question}"), Task::Kernel(lines))
        }
        Kind::Planted => {
            let (frames, right) = attempts(|| planted(made::any(random), random.below(1 << 16)));
            let text = listing(&frames[0], Shown::Masks(""));
            let question =
                "One of these barriers lacks something, or has more than it needs. Answer with its name and its right
masks.";
            (format!("{ALIKE}\n{text}\n{question}\n\n{MASKS}"), Task::Planted(frames, right))
        }
    })
}

/// The first of many attempts that gives something.
fn attempts<T>(mut attempt: impl FnMut() -> Option<T>) -> T {
    std::iter::repeat_with(&mut attempt).take(10_000).flatten().next().expect("one of many frames fits")
}

/// A dependency of these frames without which a pass still waits, by several others.
fn chain(frames: Vec<Journal>) -> Option<(Names, Vec<Journal>)> {
    for (without, conflicts) in between(&frames) {
        for of in conflicts.iter().filter(|of| of.across_frames) {
            let chain = Names::Chain { without, from: of.producer, to: of.consumer };
            if expected(chain, &frames).len() > 1 {
                return Some((chain, frames));
            }
        }
    }
    None
}

/// The frames with a fault in one of their dependencies, by this number, and the masks that it had.
fn planted(frames: Vec<Journal>, number: usize) -> Option<(Vec<Journal>, (&'static str, Masks))> {
    let all: Vec<&DependencyEntry> = frames[0].dependencies().collect();
    if all.len() < 3 {
        return None;
    }
    let of = all[number % all.len()];
    let (bits, others) = (of.masks.bits(), all[(number / 7) % all.len()].masks);
    let masks = match number / 64 % 3 {
        0 => Masks {
            src_stage: of.masks.src_stage | others.src_stage,
            dst_access: of.masks.dst_access | others.dst_access,
            ..of.masks
        },
        _ => of.masks.without(bits[number / 5 % bits.len()]),
    };
    let fault = Fault::Replace(of.name.to_owned(), masks);
    let faulty: Vec<Journal> = frames.iter().map(|frame| faulty(frame, &fault)).collect();
    let wrong =
        !check(&faulty).is_empty() || widths(std::slice::from_ref(&faulty)).iter().any(|width| !width.is_exact());
    (masks != of.masks && wrong).then_some((faulty, (of.name, of.masks)))
}

impl Posed {
    /// Judges an answer. `trace` is the text of a trace, for an exercise about one; without it, that of the course is
    /// used.
    ///
    /// # Errors
    /// [`crate::Error::Input`] for an answer or a trace that cannot be read.
    pub fn judge(&self, answer: &[String], trace: Option<&str>) -> Result<Verdict> {
        let verdict = match &self.task {
            Task::Masks(name, frames) => masks::judge(name, frames, answer),
            Task::Names(names, frames) => names::judge(*names, frames, answer),
            Task::Order(frame) => names::judge_order(frame, answer),
            Task::Trace(question, of) => traces::judge(*question, of, answer, trace),
            Task::Layouts(names, frames) => masks::judge_layouts(names, frames, answer),
            Task::Event(frame) => places::judge_event(frame, answer),
            Task::Loop(lines) => places::judge_loop(lines, answer),
            Task::Kernel(lines) => places::judge_kernel(lines, answer),
            Task::Planted(frames, _) => masks::judge_mended(frames, answer),
        }?;
        Ok(match verdict {
            Verdict::Right(why) => Verdict::Right(format!("{why} {}", self.why).trim_end().to_owned()),
            other => other,
        })
    }
}

#[cfg(test)]
mod tests;
