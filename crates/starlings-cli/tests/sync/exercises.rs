//! The exercises of the course: right answers are right, and of others it is said what is wrong with them. Without a
//! device.

use starlings_cli::sync::exercises::{EXERCISES, Posed, Verdict};
use std::collections::BTreeSet;

const PAGE: &str = include_str!("../../../../docs/synchronization/exercises.md");

/// A right answer to each exercise about the course's own frame.
const RIGHT: [&str; 13] = [
    "downsweep-to-clear compose-to-clear copy-to-compose",
    "COMPUTE_SHADER:SHADER_STORAGE_WRITE COMPUTE_SHADER:SHADER_STORAGE_READ",
    "COMPUTE_SHADER:NONE CLEAR:NONE",
    "CLEAR:TRANSFER_WRITE COMPUTE_SHADER:SHADER_STORAGE_READ+SHADER_STORAGE_WRITE",
    "grid_clear grid_count scan_reduce scan_spine scan_downsweep sort_list sort_scatter steer",
    "downsweep-to-clear clear-to-count",
    "COMPUTE_SHADER:SHADER_STORAGE_WRITE COPY:TRANSFER_READ",
    "draw_commands",
    "COMPUTE_SHADER:SHADER_STORAGE_WRITE \
     DRAW_INDIRECT+VERTEX_SHADER+FRAGMENT_SHADER:INDIRECT_COMMAND_READ+SHADER_STORAGE_READ+SHADER_STORAGE_WRITE",
    "COPY:TRANSFER_WRITE HOST:HOST_READ",
    "steer-to-count downsweep-to-clear compose-to-clear",
    "steer 52",
    "clear-to-count",
];

/// For each exercise an answer that is not right, with a part of what is said of it; and for each about masks one that
/// is too wide.
const OTHERS: [(usize, &str, &str); 27] = [
    (1, "downsweep-to-clear clear-to-count", "clear-to-count is not one of them: it also resolves RAW on cell_counts"),
    (2, "COMPUTE_SHADER:NONE COMPUTE_SHADER:SHADER_STORAGE_READ", "in order, but not made available"),
    (2, "CLEAR:SHADER_STORAGE_WRITE COMPUTE_SHADER:SHADER_STORAGE_READ", "the first scope does not include"),
    (2, "ALL_COMMANDS:MEMORY_WRITE COMPUTE_SHADER:MEMORY_READ", "ALL_COMMANDS in the first scope, MEMORY_WRITE"),
    (
        3,
        "COMPUTE_SHADER:NONE COPY:NONE",
        "WAR on cell_counts: scan_reduce → grid_clear: the second scope does not include",
    ),
    (
        3,
        "COMPUTE_SHADER:NONE ALL_TRANSFER:NONE",
        "of downsweep-to-clear there is ALL_TRANSFER in the second scope more than needed",
    ),
    (
        4,
        "CLEAR:TRANSFER_WRITE COMPUTE_SHADER:SHADER_STORAGE_WRITE",
        "RAW on cell_counts: grid_clear → grid_count: in order and available, but not visible",
    ),
    (4, "ALL_TRANSFER:TRANSFER_WRITE COMPUTE_SHADER:SHADER_READ+SHADER_WRITE", "ALL_TRANSFER in the first scope"),
    (
        5,
        "grid_clear grid_count scan_reduce scan_downsweep scan_spine sort_list sort_scatter steer",
        "not what scan_spine wrote in this step",
    ),
    (6, "none", "2 of 2 are missing."),
    (6, "downsweep-to-clear", "1 of 2 is missing."),
    (6, "downsweep-to-clear clear-to-count steer-to-count", "steer-to-count is not one of them: it is left out"),
    (7, "COMPUTE_SHADER:SHADER_STORAGE_WRITE COPY:TRANSFER_WRITE", "RAW on boid_id: steer"),
    (
        7,
        "COMPUTE_SHADER:SHADER_STORAGE_WRITE COPY:TRANSFER_READ+TRANSFER_WRITE",
        "TRANSFER_WRITE in the second access scope more than needed",
    ),
    (8, "visible_boids", "visible_boids is not one of them"),
    (
        9,
        "COMPUTE_SHADER:SHADER_STORAGE_WRITE VERTEX_SHADER+FRAGMENT_SHADER:INDIRECT_COMMAND_READ+SHADER_STORAGE_READ+SHADER_STORAGE_WRITE",
        "RAW on draw_commands",
    ),
    (
        9,
        "COMPUTE_SHADER:SHADER_STORAGE_WRITE DRAW_INDIRECT:INDIRECT_COMMAND_READ",
        "cull → draw_boids: the second scope and the second access scope both lack something",
    ),
    (
        9,
        "COMPUTE_SHADER:SHADER_STORAGE_WRITE ALL_GRAPHICS:MEMORY_READ+MEMORY_WRITE",
        "ALL_GRAPHICS in the second scope",
    ),
    (10, "CLEAR:NONE HOST:HOST_READ", "copy_to_host → host: the first scope and the first access scope both lack"),
    (
        10,
        "COPY:TRANSFER_WRITE ALL_COMMANDS:MEMORY_READ",
        "RAW on picture_bytes: copy_to_host → host: the second scope does not include",
    ),
    (10, "ALL_TRANSFER:TRANSFER_WRITE HOST:HOST_READ", "of copy-to-host there is ALL_TRANSFER in the first scope more"),
    (11, "steer-to-cull", "without it there is RAW on boid_id: steer → cull"),
    (12, "grid_count 50", "and is number "),
    (13, "scatter-to-steer", "another is meant"),
    (14, "UNDEFINED GENERAL UNDEFINED GENERAL", "the image has another layout there"),
    (16, "8", "acquiring an image signals a semaphore that something still waits for"),
    (17, "none", "in line 1, and invocation "),
];

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn posed(number: usize) -> Posed {
    EXERCISES[number - 1].posed(number, None).expect("it can be recorded")
}

#[test]
fn the_page_has_each_exercise_and_no_answer() {
    for number in 1..=EXERCISES.len() {
        let posed = posed(number);
        let head = format!("**{number}. {}.** ", posed.title);
        let (_, rest) = PAGE.split_once(&head).unwrap_or_else(|| panic!("the page lacks {head}"));
        let end = rest.find("\n**").or(rest.find("\n## ")).expect("something follows");
        let (page, asked) = (words(&rest[..end].replace("```text", "").replace("```", "")), words(&posed.question));
        let of_masks = "Answer with two words, the first scope";
        let asked: Vec<String> = match posed.question.split_once(of_masks) {
            Some((question, _)) => words(question),
            None => asked,
        };
        assert_eq!(page, asked, "{number}");
        if let Some(right) = RIGHT.get(number - 1) {
            assert!(!PAGE.contains(&format!("exercise {number} {right}")), "{number}");
            let verdict = posed.judge(&words(right), None).expect("it can be read");
            let Verdict::Right(why) = &verdict else { panic!("{number}: {verdict:?}") };
            let sentences: Vec<&str> = why.split(". ").map(|sentence| sentence.trim_end_matches('.')).collect();
            let once: BTreeSet<&str> = sentences.iter().copied().collect();
            assert_eq!(once.len(), sentences.len(), "{number} says something twice: {why}");
        }
    }
    assert!(!PAGE.contains(&format!("**{}. ", EXERCISES.len() + 1)));
}

#[test]
fn of_other_answers_it_is_said_what_is_wrong() {
    for (number, answer, said) in OTHERS {
        let (wide, lines) = match posed(number).judge(&words(answer), None).expect("it can be read") {
            Verdict::Right(why) => panic!("{number} {answer}: {why}"),
            Verdict::Wrong(lines) => (false, lines),
            Verdict::Wide(lines) => (true, lines),
        };
        assert!(lines.join("\n").contains(said), "{number} {answer}: {lines:#?}");
        assert_eq!(wide, lines.iter().any(|line| line.contains(" more than needed")), "{number}: {lines:#?}");
    }
    for number in 1..=RIGHT.len() {
        assert!(OTHERS.iter().any(|(other, ..)| *other == number), "{number}");
    }
}

#[test]
fn what_cannot_be_read_is_refused_in_one_line() {
    let refused = |number: usize, answer: &str, trace| {
        let error = posed(number).judge(&words(answer), trace).expect_err("it cannot be read");
        let said = error.to_string();
        assert_eq!((error.exit_code(), said.lines().count()), (2, 1), "{said}");
        said
    };
    let stage = "accepted is a stage, as ALL_TRANSFER, of VkPipelineStageFlagBits2 without its prefix and _BIT";
    assert!(refused(2, "COMPUTE:NONE CLEAR:NONE", None).contains(&format!("'COMPUTE' is not known; {stage}")));
    assert!(refused(3, "COMPUTE_SHADER:READ CLEAR:NONE", None).contains("accepted is an access, as TRANSFER_READ"));
    assert!(refused(2, "COMPUTE_SHADER CLEAR:NONE", None).contains("has no colon"));
    assert!(refused(1, "no-such-dependency", None).contains("'no-such-dependency' is not in this frame"));
    assert!(refused(5, "steer steer", None).contains("each pass once"));
    assert!(refused(12, "steer half", None).contains("'half' is no number"));
    assert!(refused(13, "clear-to-count", Some("[]")).contains("the trace has no list of events"));
    assert!(refused(12, "steer 50", Some("{")).contains("is no JSON"));
    assert!(refused(14, "UNDEFINED", None).contains("layouts, old and new of each barrier"));
    assert!(refused(15, "oak elm", None).contains("'oak' is no pass"));
    assert!(refused(16, "0", None).contains("a line's number from 1 to "));
    assert!(refused(17, "1", None).contains("'1' is no line"));
    assert!(refused(18, "a-to-b NONE:NONE NONE:NONE", None).contains("'a-to-b' is no dependency of this frame"));
}
