//! Names to choose from, as `--help` and config files list them.

use starlings::flock::named::Named;

/// `bounce (the velocity is reflected), …`.
pub fn explained<T>(rows: &[Named<T>]) -> String {
    rows.iter().map(|row| format!("{} ({})", row.name, row.about)).collect::<Vec<_>>().join(", ")
}

/// `push, bounce`.
pub fn listed(names: impl Iterator<Item = &'static str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

/// `one of "push", "bounce"`.
pub fn quoted<T>(rows: &[Named<T>]) -> String {
    one_of(rows.iter().map(|row| row.name))
}

/// The same for names from another table.
pub fn one_of(names: impl Iterator<Item = &'static str>) -> String {
    format!("one of {}", names.map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", "))
}
