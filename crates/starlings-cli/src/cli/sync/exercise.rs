//! `starlings sync exercise`: the exercises of the course, and what is right or wrong about an answer.

use crate::cli::output::{broken, print};
use crate::sync::exercises::{EXERCISES, Posed, Verdict};
use crate::{Error, Result};
use clap::Args;
use serde_json::{Value, json};
use starlings::input;
use std::path::{Path, PathBuf};

/// Bytes of a trace, or of answers, that are read at most.
const MOST_BYTES: u64 = 1 << 28;

/// Columns of a line that is printed.
const WIDTH: usize = 110;

/// Options of `starlings sync exercise`.
#[derive(Args, Debug)]
#[command(after_help = "\
Exit status: 0 the answers are right, 1 one is not or not yet, 2 one cannot be read.")]
pub struct ExerciseArgs {
    /// Number of the exercise; without it, all are listed
    #[arg(value_name = "N")]
    number: Option<usize>,
    /// The answer, in the form that the exercise names; without it, the exercise is printed
    #[arg(value_name = "ANSWER", requires = "number")]
    answer: Vec<String>,
    /// A variant of the exercise with a frame of its own, which this number determines
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// A trace of your own, for an exercise about one
    #[arg(long, value_name = "FILE.json", requires = "answer", conflicts_with = "seed")]
    trace: Option<PathBuf>,
    /// Grade the answers in a file, each a line `N ANSWER`; an exercise without one has the score 0
    #[arg(long, value_name = "FILE", conflicts_with_all = ["number", "trace"])]
    grade: Option<PathBuf>,
    /// Print JSON: the exercise, or each grade with its score, 1 for a right answer and 0.5 for a correct one that is
    /// too wide
    #[arg(long)]
    json: bool,
}

/// What was said of an answer.
struct Grade {
    number: usize,
    verdict: Result<Verdict>,
}

impl Grade {
    fn score(&self) -> f64 {
        match self.verdict {
            Ok(Verdict::Right(_)) => 1.0,
            Ok(Verdict::Wide(_)) => 0.5,
            Ok(Verdict::Wrong(_)) | Err(_) => 0.0,
        }
    }

    /// The verdict in a word, and what is said of it.
    fn said(&self) -> (&'static str, Vec<String>) {
        match &self.verdict {
            Ok(Verdict::Right(why)) => ("right", vec![why.clone()]),
            Ok(Verdict::Wide(lines)) => ("wide", lines.clone()),
            Ok(Verdict::Wrong(lines)) => ("wrong", lines.clone()),
            Err(error) => ("unreadable", vec![error.to_string()]),
        }
    }

    fn json(&self, seed: Option<u64>) -> Value {
        let (verdict, said) = self.said();
        let title = EXERCISES[self.number - 1].title;
        json!({
            "exercise": self.number,
            "title": title,
            "seed": seed,
            "verdict": verdict,
            "score": self.score(),
            "said": said,
        })
    }

    fn text(&self) -> String {
        wrapped(&match self.said() {
            ("right", said) => format!("Right. {}", said.join(" ").replace('\n', " ")),
            ("wide", said) => format!("Correct, but too wide.\n  {}", said.join("\n  ")),
            (_, said) => format!("Not yet.\n  {}", said.join("\n  ")),
        })
    }
}

pub fn run(args: &ExerciseArgs) -> Result<()> {
    if let Some(path) = &args.grade {
        return grade(args, path);
    }
    let Some(number) = args.number else {
        let list = EXERCISES.iter().enumerate().map(|(at, exercise)| format!("{:>3}  {}", at + 1, exercise.title));
        return print(&list.collect::<Vec<_>>().join("\n"));
    };
    let posed = posed(number, args.seed)?;
    if args.answer.is_empty() {
        let Posed { title, question, .. } = posed;
        return match args.json {
            true => print(
                &json!({ "exercise": number, "seed": args.seed, "title": title, "question": question }).to_string(),
            ),
            false => print(&format!("{number}. {title}\n\n{}", wrapped(&question))),
        };
    }
    if args.trace.is_some() && !EXERCISES[number - 1].needs_trace() {
        return Err(Error::flag("trace", "given", "nothing: this exercise is not about a trace"));
    }
    let trace = args.trace.as_deref().map(read).transpose()?;
    let verdict = posed.judge(&args.answer, trace.as_deref());
    let verdict = if args.json { verdict } else { Ok(verdict?) };
    let grade = Grade { number, verdict };
    print(&if args.json { grade.json(args.seed).to_string() } else { grade.text() })?;
    if grade.score() < 1.0 { Err(Error::Answer(number)) } else { Ok(()) }
}

/// The text with long lines broken; what is left of one is a little further in.
fn wrapped(text: &str) -> String {
    let wrapped = |line: &str| {
        let indent = line.len() - line.trim_start().len();
        let words: Vec<&str> = line.split_whitespace().collect();
        let further = if indent > 0 { indent + 4 } else { 0 };
        broken(&format!("{:indent$}{}", "", words.join(" ")), further, WIDTH)
    };
    text.lines().map(wrapped).collect::<Vec<_>>().join("\n")
}

fn posed(number: usize, seed: Option<u64>) -> Result<Posed> {
    match number.checked_sub(1).and_then(|at| EXERCISES.get(at)) {
        Some(exercise) => exercise.posed(number, seed),
        None => Err(Error::Input(format!("N is {number}; accepted is 1 to {}", EXERCISES.len()))),
    }
}

fn read(path: &Path) -> Result<String> {
    let bytes = input::read(path, MOST_BYTES).map_err(|error| Error::Input(format!("{}: {error}", path.display())))?;
    String::from_utf8(bytes).map_err(|_| Error::Input(format!("{} is no text", path.display())))
}

/// Grades the answers in a file.
fn grade(args: &ExerciseArgs, path: &Path) -> Result<()> {
    let text = read(path)?;
    let mut grades: Vec<Grade> = Vec::new();
    for (line, at) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
        let mut words = line.split_whitespace().map(str::to_owned);
        let bad = |what: &str| Error::Input(format!("{}: line {at} {what}; accepted is `N ANSWER`", path.display()));
        let number = words.next().and_then(|word| word.parse().ok()).ok_or_else(|| bad("begins with no number"))?;
        let posed = posed(number, args.seed).map_err(|error| bad(&format!("has no exercise: {error}")))?;
        let verdict = posed.judge(&words.collect::<Vec<_>>(), None);
        if grades.iter().any(|known| known.number == number) {
            return Err(bad(&format!("answers exercise {number} again")));
        }
        grades.push(Grade { number, verdict });
    }
    grades.sort_by_key(|grade| grade.number);
    let score: f64 = grades.iter().map(Grade::score).sum();
    if args.json {
        let all: Value = grades.iter().map(|grade| grade.json(args.seed)).collect();
        print(&json!({ "seed": args.seed, "score": score, "of": EXERCISES.len(), "grades": all }).to_string())?;
    } else {
        let lines = grades.iter().map(|grade| format!("{:>3}  {}", grade.number, grade.text()));
        print(&format!("{}\nScore: {score} of {}", lines.collect::<Vec<_>>().join("\n"), EXERCISES.len()))?;
    }
    let first = (1..=EXERCISES.len()).find(|number| !grades.iter().any(|of| of.number == *number && of.score() == 1.0));
    first.map_or(Ok(()), |number| Err(Error::Answer(number)))
}
