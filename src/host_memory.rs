//! Memory that this process can still get from the host. Where the host has less than a flock takes, the system would
//! end the program without a word, or the standard library in several lines.

use crate::error::{Error, Result};
use std::fs::read_to_string;
use std::ops::RangeInclusive;
use std::path::Path;

/// Bytes that are kept for what does not grow with a flock.
const RESERVED: u64 = 16 << 20;

/// Bytes that are left, and what says so.
type Left = (u64, &'static str);

/// Fails if `boids` boids do not fit into what is left of the host's memory, of which each takes so many bytes: at
/// least while a flock is made, and at most later.
///
/// # Errors
/// [`Error::TooLarge`], with the largest count that fits as `a_boid` ends.
pub(crate) fn check(boids: u32, a_boid: RangeInclusive<usize>) -> Result<()> {
    let (boids, (left, by)) = (u64::from(boids), left());
    if boids * *a_boid.start() as u64 <= left {
        return Ok(());
    }
    let device = format!("the host, which has {:.3} GB of memory left by {by}", left as f64 / 1e9);
    let largest = left.saturating_sub(RESERVED) / *a_boid.end() as u64;
    Err(Error::TooLarge { boids, how: String::new(), device, largest })
}

/// The least that anything leaves, and what that is.
pub fn left() -> (u64, &'static str) {
    let root = Path::new("/");
    let all = [system(root), of_groups(root), by_limits()];
    all.into_iter().flatten().min_by_key(|(left, _)| *left).unwrap_or((u64::MAX, "nothing that is known"))
}

/// Bytes that the limits of the user (`ulimit -v`, `ulimit -d`) leave.
pub(crate) fn left_by_limits() -> u64 {
    by_limits().map_or(u64::MAX, |(left, _)| left)
}

/// Bytes that the limits of a container or another control group leave, if there are some.
pub(crate) fn of_container() -> Option<u64> {
    of_groups(Path::new("/")).map(|(left, _)| left)
}

fn system(root: &Path) -> Option<Left> {
    let table = read_to_string(root.join("proc/meminfo")).ok()?;
    Some((bytes(&table, "MemAvailable")? + bytes(&table, "SwapFree")?, "the system (MemAvailable and SwapFree)"))
}

#[cfg(target_os = "linux")]
fn by_limits() -> Option<Left> {
    use rustix::process::{Resource, getrlimit};
    let taken = read_to_string("/proc/self/status").unwrap_or_default();
    let left = |(resource, name, by)| {
        let limit = getrlimit(resource).current?;
        Some((limit.saturating_sub(bytes(&taken, name).unwrap_or(0)), by))
    };
    [
        (Resource::As, "VmSize", "the limit of address space (`ulimit -v`)"),
        (Resource::Data, "VmData", "the limit of data (`ulimit -d`)"),
    ]
    .into_iter()
    .filter_map(left)
    .min_by_key(|(left, _)| *left)
}

/// As on Linux; elsewhere limits are not asked for.
#[cfg(not(target_os = "linux"))]
fn by_limits() -> Option<Left> {
    None
}

/// What the control groups of this process leave, each of which limits those in it: version 2 (`memory.max`), and
/// version 1 (`memory.limit_in_bytes`). Pages of files that nobody uses are given back when memory is short.
fn of_groups(root: &Path) -> Option<Left> {
    let groups = read_to_string(root.join("proc/self/cgroup")).ok()?;
    let mounts = read_to_string(root.join("proc/self/mountinfo")).ok()?;
    let lines = groups.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        Some((parts.next()?, parts.next()?))
    });
    let left = lines.filter_map(|(controllers, group)| {
        let second = controllers.is_empty();
        if !second && !controllers.split(',').any(|controller| controller == "memory") {
            return None;
        }
        let mount = mount(&mounts, second)?;
        let mount = root.join(mount.trim_start_matches('/'));
        let group = mount.join(group.trim_start_matches('/'));
        // In a container the group may have a name that only the host knows: then its own is at the top.
        let lowest = if group.is_dir() { group.as_path() } else { mount.as_path() };
        lowest
            .ancestors()
            .take_while(|group| group.starts_with(&mount))
            .filter_map(|group| of_group(group, second))
            .min()
    });
    left.min_by_key(|(left, _)| *left)
}

/// What one group leaves, if it has a limit.
fn of_group(group: &Path, second: bool) -> Option<Left> {
    let number = |name: &str| read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
    let (limit, taken, unused, by) = match second {
        true => ("memory.max", "memory.current", "inactive_file", "its control group (memory.max)"),
        false => (
            "memory.limit_in_bytes",
            "memory.usage_in_bytes",
            "total_inactive_file",
            "its control group (memory.limit_in_bytes)",
        ),
    };
    // Without a limit this says "max", or nearly 2^63 in version 1.
    let limit = number(limit).filter(|limit| *limit < 1 << 62)?;
    let table = read_to_string(group.join("memory.stat")).unwrap_or_default();
    let unused = table.lines().find_map(|line| line.strip_prefix(unused)?.trim().parse::<u64>().ok());
    Some((limit.saturating_sub(number(taken)?.saturating_sub(unused.unwrap_or(0))), by))
}

/// Where the groups of a version are mounted, those of memory in version 1.
fn mount(mounts: &str, second: bool) -> Option<&str> {
    mounts.lines().find_map(|line| {
        let (mount, of_system) = line.split_once(" - ")?;
        let mut words = of_system.split(' ');
        let (kind, options) = (words.next()?, words.nth(1)?);
        let suits = match second {
            true => kind == "cgroup2",
            false => kind == "cgroup" && options.split(',').any(|option| option == "memory"),
        };
        if suits { mount.split(' ').nth(4) } else { None }
    })
}

/// The value of `name` in a table of the system, whose unit is the kibibyte.
fn bytes(table: &str, name: &str) -> Option<u64> {
    let value = table.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')?.strip_suffix(" kB"))?;
    Some(value.trim().parse::<u64>().ok()? << 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn tables_of_the_system_are_read() {
        let table = "MemTotal:       24 kB\nMemAvailable:    7 kB\nHugePages_Total:       0\n";
        assert_eq!(bytes(table, "MemAvailable"), Some(7 << 10));
        assert_eq!((bytes(table, "Mem"), bytes(table, "HugePages_Total"), bytes("", "Mem")), (None, None, None));
        assert!(!cfg!(target_os = "linux") || left().0 < 1 << 50, "this machine has less");
    }

    #[test]
    fn a_flock_that_no_host_holds_is_refused() {
        if !cfg!(target_os = "linux") {
            return eprintln!("SKIPPED, nothing was tested: the memory of this system is not known");
        }
        assert!(check(1_000, 100..=200).is_ok());
        let refused = check(u32::MAX, 1 << 30..=1 << 31).expect_err("four exabytes").to_string();
        assert!(refused.starts_with("4294967295 boids do not fit on the host, which has "), "{refused}");
        assert!(refused.contains(" GB of memory left by "), "{refused}");
    }

    /// A machine whose files are these.
    fn machine(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("room");
            fs::write(path, text).expect("room");
        }
        root
    }

    #[test]
    fn the_strictest_group_of_either_version_counts() {
        let second = machine(&[
            ("proc/self/cgroup", "0::/user/session\n"),
            ("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"),
            ("sys/fs/cgroup/user/memory.max", "209715200\n"),
            ("sys/fs/cgroup/user/memory.current", "52428800\n"),
            ("sys/fs/cgroup/user/memory.stat", "anon 7\ninactive_file 1048576\nactive_file 5\n"),
            ("sys/fs/cgroup/user/session/memory.max", "max\n"),
            ("sys/fs/cgroup/user/session/memory.current", "1\n"),
        ]);
        assert_eq!(of_groups(second.path()), Some(((200 - 50 + 1) << 20, "its control group (memory.max)")));
        // A container of version 1 has only its own group, under no name that it knows.
        let first = machine(&[
            ("proc/self/cgroup", "5:cpu:/a\n4:memory,hugetlb:/docker/1f\n0::/\n"),
            (
                "proc/self/mountinfo",
                "34 31 0:31 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                 35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory,hugetlb\n",
            ),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "104857600\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "4194304\n"),
        ]);
        assert_eq!(of_groups(first.path()), Some((96 << 20, "its control group (memory.limit_in_bytes)")));
        let unlimited = machine(&[
            ("proc/self/cgroup", "4:memory:/\n"),
            ("proc/self/mountinfo", "35 31 0:32 / /m rw - cgroup cgroup rw,memory\n"),
            ("m/memory.limit_in_bytes", "9223372036854771712\n"),
            ("m/memory.usage_in_bytes", "4194304\n"),
        ]);
        assert_eq!((of_groups(unlimited.path()), of_groups(Path::new("/none"))), (None, None));
    }
}
