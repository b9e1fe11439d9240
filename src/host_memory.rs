//! Memory that this process can still get from the host. Where the host has less than a flock takes, the system would end the program
//! without a word, or the standard library in several lines.

use crate::error::{Error, Result};
use std::ops::RangeInclusive;

/// Bytes that are kept for what does not grow with a flock.
const BESIDES: u64 = 16 << 20;

/// Fails if `boids` boids do not fit into what is left of the host's memory, of which each takes so many bytes: at least while a flock
/// is made, and at most later.
///
/// # Errors
/// [`Error::TooLarge`], with the largest count that fits as `a_boid` ends.
pub(crate) fn check(boids: u32, a_boid: RangeInclusive<usize>) -> Result<()> {
    let (boids, left) = (u64::from(boids), left());
    if boids * *a_boid.start() as u64 <= left {
        return Ok(());
    }
    let device = format!("the host, which has {:.3} GB of memory left", left as f64 / 1e9);
    let largest = left.saturating_sub(BESIDES) / *a_boid.end() as u64;
    Err(Error::TooLarge { boids, how: String::new(), device, largest })
}

/// Bytes that are left at most. The limits of a container are not known here.
fn left() -> u64 {
    let free = || {
        let system = std::fs::read_to_string("/proc/meminfo").ok()?;
        Some(bytes(&system, "MemAvailable")? + bytes(&system, "SwapFree")?)
    };
    left_by_limits().min(free().unwrap_or(u64::MAX))
}

/// Bytes that the user's limits (`ulimit -v`, `ulimit -d`) leave.
#[cfg(target_os = "linux")]
pub(crate) fn left_by_limits() -> u64 {
    use rustix::process::{Resource, getrlimit};
    let taken = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let left = |(resource, name)| {
        let limit = getrlimit(resource).current?;
        Some(limit.saturating_sub(bytes(&taken, name).unwrap_or(0)))
    };
    [(Resource::As, "VmSize"), (Resource::Data, "VmData")].into_iter().filter_map(left).min().unwrap_or(u64::MAX)
}

/// As on Linux; elsewhere limits are not asked for.
#[cfg(not(target_os = "linux"))]
pub(crate) fn left_by_limits() -> u64 {
    u64::MAX
}

/// The value of `name` in a table of the system, whose unit is the kibibyte.
fn bytes(table: &str, name: &str) -> Option<u64> {
    let value = table.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')?.strip_suffix(" kB"))?;
    Some(value.trim().parse::<u64>().ok()? << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_the_system_are_read() {
        let table = "MemTotal:       24 kB\nMemAvailable:    7 kB\nHugePages_Total:       0\n";
        assert_eq!(bytes(table, "MemAvailable"), Some(7 << 10));
        assert_eq!((bytes(table, "Mem"), bytes(table, "HugePages_Total"), bytes("", "Mem")), (None, None, None));
        assert!(!cfg!(target_os = "linux") || left() < 1 << 50, "this machine has less");
    }

    #[test]
    fn a_flock_that_no_host_holds_is_refused() {
        if !cfg!(target_os = "linux") {
            return eprintln!("SKIPPED, nothing was tested: the memory of this system is not known");
        }
        assert!(check(1_000, 100..=200).is_ok());
        let refused = check(u32::MAX, 1 << 30..=1 << 31).expect_err("four exabytes").to_string();
        assert!(refused.starts_with("4294967295 boids do not fit on the host, which has "), "{refused}");
    }
}
