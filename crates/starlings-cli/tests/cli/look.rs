//! Looks that are refused.

use super::{assert_refused, names, refused, starlings};

#[test]
fn invalid_looks() {
    for command in ["view", "sync"] {
        refused(&format!("{command} --look x --color y --trail z"), 2, &["--trail is 'z'"]);
        refused(&format!("{command} --look x"), 2, &["--look is 'x'"]);
    }
    {
        let command = "render";
        let line = |rest: &str| format!("{command} {rest}");
        let accepted = "accepted is one of bird, fish, plane, dart, dot (did you mean 'fish'?)";
        refused(&line("--look fihs"), 2, &["--look is 'fihs'", accepted]);
        refused(&line("--color sped"), 2, &["--color is 'sped'", "(did you mean 'speed'?)"]);
        refused(&line("--color speed"), 2, &["--color is 'speed'", "counting-sort fly at one speed"]);
        refused(&line("--backdrop night"), 2, &["--backdrop is 'night'", "one of dusk, day, water, paper"]);
        for value in ["1,2", "1,2,3,4", "-1,0,0", "1.5,0,0", "a,b,c", ""] {
            let folder = tempfile::tempdir().expect("a folder");
            let output = starlings(folder.path(), &[command, "--cell", value]).output().expect("the program starts");
            assert_refused(&output, 2, &[&format!("--cell is '{value}'"), "three whole numbers like 4,0,7"], value);
            assert!(names(folder.path()).is_empty(), "{value} left {:?}", names(folder.path()));
        }
        refused(&line("--cell 0,0,999"), 2, &["--cell is 0,0,999", "accepted is X,Y,Z from 0,0,0 to "]);
        for value in ["-1", "nan", "inf", "61", "abc", "0.5s", ""] {
            let folder = tempfile::tempdir().expect("a folder");
            let output = starlings(folder.path(), &[command, "--trail", value]).output().expect("the program starts");
            assert_refused(
                &output,
                2,
                &["--trail is ", "a number from 0, for none, to 60, in simulated seconds"],
                value,
            );
        }
        for value in ["", "x", "fitted", "1", "1,2,3", "2,1", "1,1", "-1,1", "nan,1", "0,nan", "0,inf", "0,2e9"] {
            let accepted = "accepted is auto, or LOW,HIGH: two numbers from 0 to 1e9, the second greater";
            refused(&line(&format!("--color-range={value}")), 2, &[&format!("--color-range is '{value}'"), accepted]);
        }
        for value in ["0,1,1", "1,1", "nan,1,1", "1,1,5", "-1,1,1", "inf,1,1"] {
            refused(&line(&format!("--stretch {value}")), 2, &["--stretch is '", "each from 0.1 to 4"]);
        }
    }
}
