//! `--vary`: the values that a setting takes in a sweep.

use crate::cli::flags::{FLAGS, Kind};
use crate::cli::numbers::{self, Accepted};

/// A setting, and the values that it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// The name of its flag, without dashes.
    pub name: String,
    /// Its values, as the flag is given them; at least one, each once.
    pub values: Vec<String>,
}

/// Values of a setting at most.
const MOST: usize = 10_000;

/// Flags that start a flock anew or that name files: they are given once.
const NOT_VARIED: [&str; 2] = ["preset", "seed"];

/// From `NAME=A,B,C` or `NAME=FIRST:LAST:COUNT`.
pub fn parse(text: &str) -> Result<Range, Accepted> {
    let (name, values) = text.split_once('=').ok_or_else(|| Accepted("NAME=A,B,C or NAME=FIRST:LAST:COUNT".into()))?;
    let name = name.trim_start_matches("--").replace('_', "-");
    let flag = FLAGS.iter().find(|flag| flag.name == name && flag.is_of_flock());
    let flag = flag.filter(|flag| !NOT_VARIED.contains(&name.as_str()) && !matches!(flag.kind, Kind::Vector(_)));
    let Some(flag) = flag else {
        return Err(Accepted("a flag of a flock that takes one number or one name, without its dashes".into()));
    };
    let values = match values.split(':').collect::<Vec<_>>()[..] {
        [first, last, count] if flag.kind != Kind::Name => even(first, last, count, name == "boids")?,
        _ => values.split(',').map(|value| value.trim().to_owned()).collect(),
    };
    let twice = values.iter().enumerate().find(|(at, value)| values[..*at].contains(value));
    match twice {
        _ if values.iter().any(String::is_empty) => Err(Accepted("no empty value".into())),
        Some((_, value)) => Err(Accepted(format!("each value once: '{value}' is there twice"))),
        None => Ok(Range { name, values }),
    }
}

/// `count` values from `first` to `last`, both included.
fn even(first: &str, last: &str, count: &str, whole: bool) -> Result<Vec<String>, Accepted> {
    let number = |text| {
        let whole = numbers::whole(text).map(|number| number as f64);
        let number = numbers::precise(text).or(whole).filter(|number| number.is_finite());
        number.ok_or_else(|| Accepted(format!("FIRST:LAST:COUNT of numbers, and '{text}' is none")))
    };
    let (first, last) = (number(first)?, number(last)?);
    let counts = numbers::count(2, MOST)(count).map_err(|Accepted(why)| Accepted(format!("{why} for COUNT")))?;
    let at = |k: usize| first + (last - first) * k as f64 / (counts - 1) as f64;
    // In single precision, as settings are: 0.1, and not 0.30000000000000004.
    let text = |value: f64| if whole { value.round().to_string() } else { (value as f32).to_string() };
    Ok((0..counts).map(|k| text(at(k))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_even_ranges() {
        let values = |text: &str| parse(text).map(|range| range.values.join(" ")).map_err(|Accepted(why)| why);
        assert_eq!(values("cohesion-weight=0:0.5:6"), Ok("0 0.1 0.2 0.3 0.4 0.5".into()));
        assert_eq!(values("cohesion_weight=2,1e-3, 1/60"), Ok("2 1e-3 1/60".into()));
        assert_eq!(values("boids=1k:2k:3"), Ok("1000 1500 2000".into()));
        assert_eq!(values("walls=push,none"), Ok("push none".into()));
        for (text, why) in [
            ("walls", "NAME=A,B,C"),
            ("seed=1,2", "a flag of a flock"),
            ("preset=reynolds", "a flag of a flock"),
            ("current=1,0,0", "a flag of a flock"),
            ("fov=30,40", "a flag of a flock"),
            ("nonsense=1", "a flag of a flock"),
            ("cohesion-weight=1,1", "each value once: '1'"),
            ("cohesion-weight=1,,2", "no empty value"),
            ("cohesion-weight=0:inf:3", "FIRST:LAST:COUNT of numbers, and 'inf' is none"),
            ("cohesion-weight=0:1:1", "a whole number from 2 to 10000 for COUNT"),
        ] {
            let found = values(text).expect_err(text);
            assert!(found.starts_with(why), "{text}: {found}");
        }
    }
}
