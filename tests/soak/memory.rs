//! The memory of a process over time.

use std::time::{Duration, Instant};

/// Growth that counts as none, in KiB and as a part of what there was: allocators keep some.
const SLACK_KIB: f64 = 4096.0;
const SLACK: f64 = 0.02;

/// The part of samples that are below what is printed as the least.
const LEAST: f64 = 0.05;

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

    /// What a part of the samples in twelfths `from..to` of the time do not exceed, in KiB.
    fn at(&self, part: f64, from: usize, to: usize) -> f64 {
        let end = self.begun.elapsed().as_secs_f64();
        let within = |time: f64| (from..to).contains(&((12.0 * time / end) as usize));
        let mut sizes: Vec<f64> = self.samples.iter().filter(|(time, _)| within(*time)).map(|(_, kib)| *kib).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.get((part * sizes.len() as f64) as usize).copied().unwrap_or(f64::NAN)
    }

    /// Prints the memory over time. Fails if the median of the last quarter is more than that of the second; the first is the warm-up.
    pub fn report(&self, what: &str) {
        let twelfths = |part| (0..12).map(|k| format!("{:.0}", self.at(part, k, k + 1) / 1024.0)).collect::<Vec<_>>();
        let minutes = self.begun.elapsed().as_secs_f64() / 60.0;
        println!("{what}: {minutes:.1} min, {} samples of VmRSS, in MiB, by twelfths of the time:", self.samples.len());
        println!("median {}", twelfths(0.5).join(" "));
        println!("least  {}", twelfths(LEAST).join(" "));
        let quarters = [(0, 3), (3, 6), (6, 9), (9, 12)].map(|(from, to)| self.at(0.5, from, to));
        println!("median of each quarter {}", quarters.map(|kib| format!("{:.1}", kib / 1024.0)).join(", "));
        let (grown, allowed) = (quarters[3] - quarters[1], (SLACK * quarters[1]).max(SLACK_KIB));
        if self.begun.elapsed() >= JUDGED {
            assert!(grown <= allowed, "{what}: memory grew by {grown:.0} KiB, allowed are {allowed:.0}");
        }
    }
}
