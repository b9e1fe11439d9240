//! The memory of a process over time.

use std::time::{Duration, Instant};

/// Growth that counts as none, in KiB and as a part of what there was: allocators keep some.
const SLACK_KIB: f64 = 4096.0;
const SLACK: f64 = 0.02;

/// Shortest soak whose growth is judged: in the first minutes drivers and allocators fill their caches.
const JUDGED: Duration = Duration::from_secs(300);

/// Resident memory of a process, sampled.
pub struct Memory {
    process: String,
    begun: Instant,
    samples: Vec<(f64, f64)>,
}

impl Memory {
    /// Of the process with this id, or of this one as `self`.
    pub fn of(process: &str) -> Memory {
        // Room for all samples, so that they do not grow either.
        Memory { process: process.to_owned(), begun: Instant::now(), samples: Vec::with_capacity(1 << 16) }
    }

    pub fn sample(&mut self) {
        let path = format!("/proc/{}/status", self.process);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("every process has memory");
        let kib = line.trim().trim_end_matches(" kB").parse().expect("a number");
        self.samples.push((self.begun.elapsed().as_secs_f64(), kib));
    }

    /// Median of the samples in the quarter `k`, in KiB.
    fn quarter(&self, k: usize) -> f64 {
        let end = self.begun.elapsed().as_secs_f64();
        let within = |time: f64| (4.0 * time / end) as usize == k;
        let mut sizes: Vec<f64> = self.samples.iter().filter(|(time, _)| within(*time)).map(|(_, kib)| *kib).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.get(sizes.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// Prints the memory of each quarter. Fails if the last one has more than the second; the first is the warm-up.
    pub fn report(&self, what: &str) {
        let quarters = [0, 1, 2, 3].map(|k| self.quarter(k));
        let mib = quarters.map(|kib| format!("{:.1}", kib / 1024.0)).join(", ");
        let minutes = self.begun.elapsed().as_secs_f64() / 60.0;
        println!("{what}: {minutes:.1} min; VmRSS by quarter, median of {} samples: {mib} MiB", self.samples.len());
        let allowed = (SLACK * quarters[1]).max(SLACK_KIB);
        let grown = quarters[3] - quarters[1];
        if self.begun.elapsed() >= JUDGED {
            assert!(grown <= allowed, "{what}: memory grew by {grown:.0} KiB, allowed are {allowed:.0}");
        }
    }
}
