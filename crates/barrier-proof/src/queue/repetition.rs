//! A frame with one of its steps: a slow machine takes many a frame, each recorded like the first.

use crate::{Journal, JournalEntry};
use std::ops::Range;

/// The frame with one of its steps, and nothing left out.
pub fn only_one(journal: &Journal) -> Journal {
    let mut journal = journal.clone();
    let again = repeated(&of_all(&journal));
    journal.entries.drain(again);
    // What is left out is shown where it was.
    journal.changed(|dependency| dependency.omitted = false)
}

/// The first step of a frame with several.
pub fn alone(journal: &Journal) -> Option<Journal> {
    let names = of_all(journal);
    let steps = repeated(&names);
    let rest = names[steps.clone()].iter().skip(1).position(|name| *name == names[steps.start]);
    let step = steps.start..rest.map_or(steps.end, |at| steps.start + at + 1);
    (!step.is_empty()).then(|| Journal { entries: journal.entries[step].to_vec(), ..journal.clone() })
}

/// The names of what happens in that.
pub fn names(journal: &Journal) -> Vec<&'static str> {
    let mut names = of_all(journal);
    names.drain(repeated(&names));
    names.into_iter().flatten().collect()
}

fn of_all(journal: &Journal) -> Vec<Option<&'static str>> {
    let name = |entry: &JournalEntry| match entry {
        JournalEntry::Pass(pass) => Some(pass.name),
        JournalEntry::Dependency(dependency) => Some(dependency.name),
        _ => None,
    };
    journal.entries.iter().map(name).collect()
}

/// The entries of all steps but the last. Steps come first, each with the same first entry.
fn repeated(names: &[Option<&str>]) -> Range<usize> {
    let begin = names.iter().position(Option::is_some).unwrap_or(0);
    let rest = &names[begin..];
    let again = rest.iter().skip(1).position(|name| *name == rest[0]);
    let steps = again.map_or(0, |at| {
        let period = at + 1;
        period * rest.chunks_exact(period).skip(1).take_while(|step| **step == rest[..period]).count()
    });
    begin..begin + steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_steps_one_is_left() {
        let left = |all: &[&'static str]| {
            let mut names: Vec<Option<&str>> = all.iter().copied().map(Some).collect();
            names.drain(repeated(&names));
            names.into_iter().flatten().collect::<String>()
        };
        assert_eq!(left(&["a", "b", "b", "a", "b", "b", "a", "b", "b", "c", "d"]), "abbcd");
        assert_eq!(left(&["a", "b", "c", "c"]), "abcc", "what is repeated in a step");
        assert_eq!(left(&["a", "b", "a", "c"]), "abac", "a step that differs");
        assert_eq!(left(&[]), "");
    }
}
