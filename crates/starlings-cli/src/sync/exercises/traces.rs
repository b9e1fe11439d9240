//! Exercises about a trace, as `--trace` writes it.

use super::Verdict;
use crate::error::{Error, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Range;

/// A trace of a few steps on a software driver, for machines without a GPU.
const EXAMPLE: &str = include_str!("../../../data/trace.json");

/// How far a share may be off, in percent of all.
const CLOSE: f64 = 1.5;

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub enum Question {
    Longest,
    Pause,
}

/// What is asked about: the place in the order of lengths, from 0, and the steps, from 0; none for all.
#[derive(Clone, Debug, Default)]
pub struct Of {
    pub rank: usize,
    pub steps: Option<Range<usize>>,
}

/// Steps of the trace of the course.
pub fn steps() -> usize {
    let slices = read(EXAMPLE).unwrap_or_default();
    slices.iter().filter(|slice| slice.name == slices[0].name).count()
}

/// A pass of a trace: its name, and when it began and ended, in microseconds.
struct Slice {
    name: String,
    begin: f64,
    end: f64,
}

/// Judges an answer by a trace.
pub fn judge(question: Question, of: &Of, answer: &[String], trace: Option<&str>) -> Result<Verdict> {
    let mut slices = read(trace.unwrap_or(EXAMPLE))?;
    if let Some(steps) = &of.steps {
        let (first, mut step) = (slices[0].name.clone(), 0);
        slices.retain(|slice| {
            step += usize::from(slice.name == first);
            steps.contains(&(step - 1))
        });
    }
    match question {
        Question::Longest => longest(&slices, of.rank, answer),
        Question::Pause => pause(&slices, of.rank, answer),
    }
}

fn read(trace: &str) -> Result<Vec<Slice>> {
    let bad = |what: &str| Error::Input(format!("the trace {what}; accepted is a file that --trace has written"));
    let events: Value = serde_json::from_str(trace).map_err(|error| bad(&format!("is no JSON: {error}")))?;
    let events = events["traceEvents"].as_array().ok_or_else(|| bad("has no list of events"))?;
    let pass = |event: &&Value| event["cat"] == "pass" && event["ph"] == "X";
    let slice = |event: &Value| {
        let (begin, lasted) = (event["ts"].as_f64()?, event["dur"].as_f64()?);
        Some(Slice { name: event["name"].as_str()?.to_owned(), begin, end: begin + lasted })
    };
    let mut slices: Vec<Slice> = events.iter().filter(pass).filter_map(slice).collect();
    if slices.len() < 2 {
        return Err(bad("has no passes of a device"));
    }
    slices.sort_by(|a, b| a.begin.total_cmp(&b.begin));
    Ok(slices)
}

fn longest(slices: &[Slice], rank: usize, answer: &[String]) -> Result<Verdict> {
    let mut times: BTreeMap<&str, f64> = BTreeMap::new();
    slices.iter().for_each(|slice| *times.entry(&slice.name).or_default() += slice.end - slice.begin);
    let sum: f64 = times.values().sum();
    let mut order: Vec<(&str, f64)> = times.iter().map(|(name, time)| (*name, 100.0 * time / sum)).collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    let most = order.get(rank).copied();
    let (Some((longest, share)), [name, percent]) = (most, answer) else {
        return Err(Error::Input("the answer must be a pass and a whole number".into()));
    };
    let Ok(percent) = percent.trim_end_matches('%').parse::<f64>() else {
        return Err(Error::Input(format!("'{percent}' is no number; accepted is the share in percent")));
    };
    let mut wrong = Vec::new();
    match times.get(name.as_str()) {
        None => return Err(Error::Input(format!("'{name}' is no pass of the trace"))),
        Some(time) if name != longest => {
            let place = order.iter().position(|(known, _)| known == name).unwrap_or(0) + 1;
            wrong.push(format!("{name} takes {time:.0} us of {sum:.0}, and is number {place}."));
        }
        Some(_) if (percent - share).abs() > CLOSE => {
            wrong.push(format!(
                "It is {longest}, but {percent} % is not its share: add up its slices, and those of all passes."
            ));
        }
        Some(_) => {}
    }
    match wrong.is_empty() {
        true => Ok(Verdict::Right(format!("{longest} takes {share:.1} % of the passes' time."))),
        false => Ok(Verdict::Wrong(wrong)),
    }
}

fn pause(slices: &[Slice], rank: usize, answer: &[String]) -> Result<Verdict> {
    // Between two passes of one step; the pause after the last one is the host's.
    let mut pauses: BTreeMap<(&str, &str), (f64, u32)> = BTreeMap::new();
    for pair in slices.windows(2).filter(|pair| pair[1].name != slices[0].name) {
        let (sum, count) = pauses.entry((&pair[0].name, &pair[1].name)).or_default();
        (*sum, *count) = (*sum + (pair[1].begin - pair[0].end), *count + 1);
    }
    let mean = |(sum, count): &(f64, u32)| sum / f64::from(*count);
    let mut order: Vec<_> = pauses.iter().collect();
    order.sort_by(|a, b| mean(b.1).total_cmp(&mean(a.1)));
    let most = order.get(rank).copied();
    let (Some(((from, to), longest)), [name]) = (most, answer) else {
        return Err(Error::Input("the answer must be the name of one dependency".into()));
    };
    // The names of dependencies end in the names of passes, without what is before an underscore.
    let short = |pass: &str| pass.rsplit('_').next().unwrap_or(pass).to_owned();
    let right = format!("{}-to-{}", short(from), short(to));
    let of = |name: &str| pauses.iter().find(|((from, to), _)| format!("{}-to-{}", short(from), short(to)) == name);
    match of(name) {
        None => Err(Error::Input(format!("'{name}' is not between two passes that follow each other in the trace"))),
        Some(_) if *name == right => {
            Ok(Verdict::Right(format!("{from} has ended {:.1} us, on average, before {to} begins.", mean(longest))))
        }
        Some((_, other)) => {
            let said = format!("There the pause is {:.1} us on average; another is meant.", mean(other));
            Ok(Verdict::Wrong(vec![said]))
        }
    }
}
