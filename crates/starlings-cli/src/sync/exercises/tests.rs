//! Variants: each has a right answer, which is found here without the text of the question.

use super::*;
use places::{judge_event, judge_kernel, judge_loop};
use std::collections::BTreeSet;

/// Seeds that are tried of each exercise.
const SEEDS: u64 = 6;

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn is_right(verdict: Result<Verdict>) -> bool {
    matches!(verdict, Ok(Verdict::Right(_)))
}

/// A right answer to the task.
fn answer(task: &Task) -> String {
    let masks = |name: &str, frames: &[Journal]| {
        let of = frames[0].dependencies().find(|of| of.name == name).expect("it is there");
        masks::text(&of.masks)
    };
    match task {
        Task::Masks(name, frames) => masks(name, frames),
        Task::Names(names, frames) => {
            let found: Vec<&str> = expected(*names, frames).into_iter().collect();
            if found.is_empty() { "none".to_owned() } else { found.join(" ") }
        }
        Task::Order(frame) => frame.passes().map(|pass| pass.name).collect::<Vec<_>>().join(" "),
        Task::Layouts(names, frames) => {
            let layouts = frames[0].dependencies().filter(|of| names.contains(&of.name)).filter_map(|of| of.layouts);
            layouts.map(|(old, new)| format!("{old:?} {new:?}")).collect::<Vec<_>>().join(" ")
        }
        Task::Event(frame) => {
            let names: Vec<&str> = frame.passes().map(|pass| pass.name).collect();
            let pairs = names.iter().flat_map(|a| names.iter().map(move |b| format!("{a} {b}")));
            pairs.into_iter().find(|pair| is_right(judge_event(frame, &words(pair)))).expect("one of them is right")
        }
        Task::Loop(lines) => {
            let mut numbers = (1..=lines.len()).map(|line| line.to_string());
            numbers.find(|line| is_right(judge_loop(lines, &words(line)))).expect("one of them is right")
        }
        Task::Kernel(lines) => {
            // All of them, less those that are not needed.
            let mut barriers: BTreeSet<usize> = (2..=lines.len()).collect();
            let text = |barriers: &BTreeSet<usize>| barriers.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
            for line in 2..=lines.len() {
                let less: BTreeSet<usize> = barriers.iter().copied().filter(|other| *other != line).collect();
                if !matches!(judge_kernel(lines, &words(&text(&less))), Ok(Verdict::Wrong(_))) {
                    barriers = less;
                }
            }
            if barriers.is_empty() { "none".to_owned() } else { text(&barriers) }
        }
        Task::Planted(frames, (name, masks)) => {
            let text = format!("{name} {}", masks::text(masks));
            assert!(is_right(masks::judge_mended(frames, &words(&text))), "{text}");
            text
        }
        Task::Trace(question, of) => {
            let passes = [
                "grid_clear",
                "grid_count",
                "scan_reduce",
                "scan_spine",
                "scan_downsweep",
                "sort_list",
                "sort_scatter",
                "steer",
            ];
            let short = |pass: &str| pass.rsplit('_').next().unwrap_or_default().to_owned();
            let answers: Vec<String> = match question {
                traces::Question::Longest => {
                    passes.iter().flat_map(|pass| (0..=100).map(move |share| format!("{pass} {share}"))).collect()
                }
                traces::Question::Pause => {
                    passes.windows(2).map(|pair| format!("{}-to-{}", short(pair[0]), short(pair[1]))).collect()
                }
            };
            let right = |text: &String| is_right(traces::judge(*question, of, &words(text), None));
            answers.into_iter().find(right).expect("one of them is right")
        }
    }
}

#[test]
fn every_variant_has_a_right_answer_and_they_differ() {
    for (exercise, number) in EXERCISES.iter().zip(1..) {
        let mut answers = BTreeSet::new();
        for seed in 0..SEEDS {
            let posed = exercise.posed(number, Some(seed)).expect("it can be made up");
            let right = answer(&posed.task);
            let verdict = posed.judge(&words(&right), None);
            assert!(is_right(verdict), "{number}, seed {seed}: {right}\n{}", posed.question);
            assert!(posed.question.lines().count() > 1, "{}", posed.question);
            answers.insert(right);
        }
        assert!(answers.len() > 1, "{number}: {answers:#?}");
    }
}

#[test]
fn the_widest_masks_are_too_wide_and_give_nothing_away() {
    let wide = "ALL_COMMANDS+HOST:MEMORY_READ+MEMORY_WRITE";
    for (exercise, number) in EXERCISES.iter().zip(1..) {
        for seed in [None, Some(1), Some(2), Some(3)] {
            let posed = exercise.posed(number, seed).expect("it can be made up");
            let Task::Masks(name, frames) = &posed.task else { continue };
            let own = frames[0].dependencies().chain(frames[1].dependencies()).find(|of| of.name == *name);
            let exact = masks::text(&own.expect("it is there").masks);
            match posed.judge(&words(&format!("{wide} {wide}")), None).expect("it can be read") {
                Verdict::Wide(lines) => {
                    let said = lines.join("\n");
                    let given = |mask: &str| !["NONE", "HOST"].contains(&mask) && said.contains(mask);
                    assert!(!exact.split([' ', ':']).any(given), "{said}");
                }
                other => panic!("{number}: {other:?}"),
            }
        }
    }
}
