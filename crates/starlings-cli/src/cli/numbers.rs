//! Parsing and formatting of numbers.

pub use crate::viewer::grouped;
use glam::{DVec3, Vec3};
use std::fmt;

/// What is accepted instead of a refused value.
#[derive(Debug)]
pub struct Accepted(pub String);

impl fmt::Display for Accepted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Accepted {}

/// The whole number in `text`: `200000`, `200_000`, `200k`, `1.5M`, `2e5` or `2^20`; none if it is not one or over 64
/// bits.
pub fn whole(text: &str) -> Option<u64> {
    let text = text.replace('_', "");
    if let Some((base, exponent)) = text.split_once('^') {
        return base.parse::<u64>().ok()?.checked_pow(exponent.parse().ok()?);
    }
    let (digits, unit) = match text.char_indices().next_back()? {
        (at, 'k' | 'K') => (&text[..at], 3),
        (at, 'M') => (&text[..at], 6),
        (at, 'G') => (&text[..at], 9),
        _ => (&text[..], 0),
    };
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let figures = format!("{integer}{fraction}");
    if figures.is_empty() || !figures.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    // In integers, so that a fraction is refused, not rounded.
    let exponent = exponent.parse::<i32>().ok()?.checked_add(unit)?.checked_sub(fraction.len() as i32)?;
    10u64.checked_pow(u32::try_from(exponent).ok()?)?.checked_mul(figures.parse().ok()?)
}

/// A parser of whole numbers from `least` to `most`.
pub fn count<T: TryFrom<u64> + PartialOrd + Copy + fmt::Display>(
    least: T,
    most: T,
) -> impl Fn(&str) -> Result<T, Accepted> + Clone {
    move |text| {
        whole(text)
            .and_then(|count| T::try_from(count).ok())
            .filter(|count| (least..=most).contains(count))
            .ok_or_else(|| Accepted(format!("a whole number from {least} to {most}")))
    }
}

/// A real number: a decimal or a fraction like `1/60`. NaN and infinities are accepted here; the setting's range
/// excludes them.
pub fn real(text: &str) -> Option<f32> {
    // A fraction is computed in double precision and rounded only at the end.
    if text.contains('/') { precise(text).map(|number| number as f32) } else { text.replace('_', "").parse().ok() }
}

/// The same in double precision.
pub fn precise(text: &str) -> Option<f64> {
    let text = text.replace('_', "");
    match text.split_once('/') {
        Some((above, below)) => Some(above.parse::<f64>().ok()? / below.parse::<f64>().ok()?),
        None => text.parse().ok(),
    }
}

/// Three real numbers like `0,-5,2.5`.
pub fn vector(text: &str) -> Option<Vec3> {
    three(text, real).map(Vec3::from_array)
}

/// The same in double precision.
pub fn precise_vector(text: &str) -> Option<DVec3> {
    three(text, precise).map(DVec3::from_array)
}

fn three<T>(text: &str, number: fn(&str) -> Option<T>) -> Option<[T; 3]> {
    let numbers: Vec<T> = text.split(',').map(number).collect::<Option<_>>()?;
    numbers.try_into().ok()
}

/// `1 boid`, `1,234 boids`.
pub fn counted(number: impl Into<u64>, thing: &str) -> String {
    let number = number.into();
    format!("{} {thing}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// A setting's value: short, and `1/60` where a decimal would be endless.
pub fn short(value: f32) -> String {
    let plain = value.to_string();
    let inverse = (1.0 / value).round();
    if plain.len() > 6 && (2.0..=1000.0).contains(&inverse) && 1.0 / inverse == value {
        return format!("1/{inverse}");
    }
    match plain.len() {
        0..=7 => plain,
        _ if value.abs() < 1e-3 => format!("{value:.2e}"),
        _ => format!("{}", (value * 1e4).round() / 1e4),
    }
}

/// A length of time: `0.42 s`, `12.3 s`, `3 min 20 s`.
pub fn duration(time: std::time::Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        s if s < 10.0 => format!("{s:.2} s"),
        s if s < 120.0 => format!("{s:.1} s"),
        s => format!("{} min {} s", s as u64 / 60, s as u64 % 60),
    }
}

/// A count of bytes: `12.3 MB`.
pub fn bytes(count: u64) -> String {
    let (unit, size) = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("B", 1.0)]
        .into_iter()
        .find(|(_, size)| count as f64 >= *size)
        .unwrap_or(("B", 1.0));
    let value = count as f64 / size;
    if unit == "B" { format!("{count} B") } else { format!("{value:.1} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_in_all_their_forms() {
        for (text, number) in [
            ("0", 0),
            ("200000", 200_000),
            ("200_000", 200_000),
            ("200k", 200_000),
            ("1.5M", 1_500_000),
            ("1.50e1", 15),
            ("1e6", 1_000_000),
            ("1e12", 1_000_000_000_000),
            ("2G", 2_000_000_000),
            ("2^20", 1 << 20),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(whole(text), Some(number), "{text}");
        }
        let none = " k -1 +1 abc 1.5 1e-1 0.5 1e20 1e99999999999 é 1e2e3 1/2 NaN 2^64 ^2 2^ 2^-1";
        for text in none.split(' ') {
            assert_eq!(whole(text), None, "{text}");
        }
    }

    #[test]
    fn real_numbers_and_fractions() {
        assert_eq!(real("0.1"), Some(0.1));
        assert_eq!(real("1/60"), Some(1.0 / 60.0));
        assert_eq!(vector("0,-5,1/2"), Some(Vec3::new(0.0, -5.0, 0.5)));
        assert_eq!((vector("0,-5"), vector("0,1,2,3"), vector("0,,1")), (None, None, None));
        assert_eq!(real("-2"), Some(-2.0));
        assert!(real("nan").is_some_and(f32::is_nan));
        assert_eq!(real("inf"), Some(f32::INFINITY));
        assert_eq!(real("1/0"), Some(f32::INFINITY));
        for text in ["", "abc", "1/", "/", "1/2/3", "1,5"] {
            assert_eq!(real(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_printed_for_people() {
        assert_eq!([0, 7, 999, 1_000].map(grouped), ["0", "7", "999", "1,000"]);
        assert_eq!([102_400, 4_000_000].map(grouped), ["102,400", "4,000,000"]);
        assert_eq!(grouped(1_073_741_824), "1,073,741,824");
        assert_eq!(counted(1u32, "boid"), "1 boid");
        assert_eq!(counted(0u32, "boid"), "0 boids");
        assert_eq!(short(1.75), "1.75");
        assert_eq!(short(1.0 / 60.0), "1/60");
        assert_eq!(short(0.042_751_91), "0.0428");
        assert_eq!(short(100.0 / 8e6), "1.25e-5");
        assert_eq!(bytes(12_345_678), "12.3 MB");
        assert_eq!(duration(std::time::Duration::from_millis(200_000)), "3 min 20 s");
    }
}
