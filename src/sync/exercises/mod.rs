//! Exercises that grade themselves: an answer is judged by the prover, not compared with a text.
//!
//! Masks are put into the journals of a frame that is recorded on paper: the checker says which hazards remain, and what is wider
//! than needed. Names and orders are compared with what the checker finds in such journals; those about profiling with a trace.
//! None needs a device.

mod frames;
mod masks;
mod names;
mod traces;

use super::frames::FrameKind;
use crate::error::Result;
use crate::flock::Search;

/// An exercise.
#[derive(Debug)]
pub struct Exercise {
    /// In a few words.
    pub title: &'static str,
    /// The question, and how to answer.
    pub question: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// The masks of a dependency, in frames of a kind with a search.
    Masks(&'static str, FrameKind, Search),
    Names(names::Names),
    Order,
    Trace(traces::Question),
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

macro_rules! masks {
    ($title:literal, $question:literal, $name:literal, $kind:ident, $search:ident) => {
        Exercise { title: $title, question: $question, kind: Kind::Masks($name, FrameKind::$kind, Search::$search) }
    };
}

/// The exercises; the first has number 1.
pub const EXERCISES: &[Exercise] = &[
    Exercise {
        title: "Order is enough",
        question: "Both access masks of downsweep-to-clear are NONE. Which dependencies of the windowed frame resolve WAR hazards
only, so that an execution dependency is all that they need? Answer with their names.",
        kind: Kind::Names(names::Names::WarOnly),
    },
    masks!(
        "A kernel reads what a kernel wrote",
        "Write the masks of count-to-reduce. grid_count adds to cell_counts by atomics; scan_reduce reads them.",
        "count-to-reduce", Step, QuantizedGrid
    ),
    masks!(
        "A fill after a reader",
        "Write the masks of downsweep-to-clear. The scan of the previous step reads cell_counts, which vkCmdFillBuffer
overwrites.",
        "downsweep-to-clear", Step, QuantizedGrid
    ),
    masks!(
        "Atomics after a fill",
        "Write the masks of clear-to-count. A fill zeroes cell_counts; the atomics of grid_count read and write them.",
        "clear-to-count", Step, QuantizedGrid
    ),
    Exercise {
        title: "An order of passes",
        question: "Put the passes of a step in an order in which each reads what it should. Answer with their names, first to
last:
grid_clear grid_count scan_downsweep scan_reduce scan_spine sort_list sort_scatter steer",
        kind: Kind::Order,
    },
    Exercise {
        title: "A chain",
        question: "Leave steer-to-count out. In frames of one step, does grid_count still wait for steer of the previous frame?
Answer with the names of the dependencies that form the chain, or with none.",
        kind: Kind::Names(names::Names::Chain),
    },
    masks!(
        "A copy between kernels",
        "A search without a grid copies the state before each step, by vkCmdCopyBuffer. Write the masks of steer-to-copy:
the copy reads the state that steer of the previous step wrote, and overwrites the copy that it read.",
        "steer-to-copy", Step, AllPairs
    ),
    Exercise {
        title: "One bit of three",
        question: "Take DRAW_INDIRECT out of the second scope of cull-to-draw. What is read too early? Answer with the names of
the resources.",
        kind: Kind::Names(names::Names::ReadTooEarly),
    },
    masks!(
        "Three readers",
        "Write the masks of cull-to-draw. cull, a compute shader, writes the arguments of an indirect draw, the list that
its vertex shader reads, and samples that its fragment shader reads and writes.",
        "cull-to-draw", Windowed, QuantizedGrid
    ),
    masks!(
        "The host reads",
        "Write the masks of copy-to-host. vkCmdCopyBuffer wrote the picture; the host reads it after it has waited for the
fence.",
        "copy-to-host", Offscreen, QuantizedGrid
    ),
    Exercise {
        title: "Made unnecessary",
        question: "Which dependencies of the windowed frame could be left out if all frames took exactly one step, one of them at
a time? Answer with their names.",
        kind: Kind::Names(names::Names::Covered),
    },
    Exercise {
        title: "The longest pass",
        question: "Record a trace: starlings simulate --boids 100k --steps 20 --hash --trace trace.json (or take
docs/synchronisation/trace.json). Which pass takes the most time, and how many percent of the time of all passes?
Answer with its name and a whole number, and with --trace FILE for a trace of your own.",
        kind: Kind::Trace(traces::Question::Longest),
    },
    Exercise {
        title: "The longest pause",
        question: "In the same trace: after the end of which pass does the device wait longest, on average, until the next pass of
the step begins? Answer with the name of the dependency between the two.",
        kind: Kind::Trace(traces::Question::Pause),
    },
];

impl Exercise {
    /// How an answer is written, beyond what the question says.
    pub fn form(&self) -> Option<&'static str> {
        matches!(self.kind, Kind::Masks(..)).then_some(MASKS)
    }

    /// Whether it is about a trace.
    pub fn needs_trace(&self) -> bool {
        matches!(self.kind, Kind::Trace(_))
    }

    /// Judges an answer. `trace` is the text of a trace, for an exercise about one; without it, that of the course is used.
    ///
    /// # Errors
    /// [`crate::Error::Input`] for an answer or a trace that cannot be read.
    pub fn judge(&self, answer: &[String], trace: Option<&str>) -> Result<Verdict> {
        match self.kind {
            Kind::Masks(name, kind, search) => masks::judge(name, &frames::record(kind, search, &[2, 0, 1])?, answer),
            Kind::Names(names) => names::judge(names, answer),
            Kind::Order => names::judge_order(answer),
            Kind::Trace(question) => traces::judge(question, answer, trace),
        }
    }
}
