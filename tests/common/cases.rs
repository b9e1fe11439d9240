//! How many random inputs a test gets.

/// So many random cases, or with `RANDOM_CASES=10` ten times as many.
pub fn cases(usual: u32) -> u32 {
    usual * std::env::var("RANDOM_CASES").map_or(1, |times| times.parse::<u32>().expect("a factor"))
}
