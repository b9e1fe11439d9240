//! `starlings sync exercise`: the exercises of the course, and what is right or wrong about an answer.

use crate::cli::failure::Failure;
use crate::cli::output::print;
use clap::Args;
use starlings::sync::exercises::{EXERCISES, Verdict};
use starlings::{Error, input};
use std::path::PathBuf;

/// Bytes of a trace that are read at most.
const MOST_BYTES: u64 = 1 << 28;

/// Options of `starlings sync exercise`.
#[derive(Args, Debug)]
#[command(after_help = "\
Exit status: 0 the answer is right, 1 it is not or not yet, 2 it cannot be read.")]
pub struct ExerciseArgs {
    /// Number of the exercise; without it, all are listed
    #[arg(value_name = "N")]
    number: Option<usize>,
    /// The answer, in the form that the exercise names; without it, the exercise is printed
    #[arg(value_name = "ANSWER", requires = "number")]
    answer: Vec<String>,
    /// A trace of your own, for an exercise about one
    #[arg(long, value_name = "FILE.json", requires = "answer")]
    trace: Option<PathBuf>,
}

pub fn run(args: &ExerciseArgs) -> Result<(), Failure> {
    let Some(number) = args.number else {
        let list = EXERCISES.iter().enumerate().map(|(at, exercise)| format!("{:>3}  {}", at + 1, exercise.title));
        return print(&list.collect::<Vec<_>>().join("\n"));
    };
    let Some(exercise) = number.checked_sub(1).and_then(|at| EXERCISES.get(at)) else {
        return Err(Failure::Usage(format!("N is {number}; accepted is 1 to {}", EXERCISES.len())));
    };
    if args.answer.is_empty() {
        let form = exercise.form().map(|form| format!("\n\n{form}")).unwrap_or_default();
        return print(&format!("{number}. {}\n\n{}{form}", exercise.title, exercise.question));
    }
    if args.trace.is_some() && !exercise.needs_trace() {
        return Err(Failure::flag("trace", "given", "nothing: this exercise is not about a trace"));
    }
    let read = |path: &PathBuf| {
        let bytes =
            input::read(path, MOST_BYTES).map_err(|error| Error::Input(format!("{}: {error}", path.display())))?;
        String::from_utf8(bytes).map_err(|_| Error::Input(format!("{} is no text", path.display())))
    };
    let trace = args.trace.as_ref().map(read).transpose()?;
    let (head, lines) = match exercise.judge(&args.answer, trace.as_deref())? {
        Verdict::Right(why) => return print(&format!("Right. {why}")),
        Verdict::Wrong(lines) => ("Not yet.", lines),
        Verdict::Wide(lines) => ("Correct, but too wide.", lines),
    };
    print(&format!("{head}\n  {}", lines.join("\n  ")))?;
    Err(Error::Answer(number).into())
}
