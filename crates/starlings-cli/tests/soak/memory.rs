//! The memory of a process over time.

use super::common::memory_kib;
use std::time::{Duration, Instant};

/// Growth that counts as none, in KiB and as a part of what there was: allocators keep some.
const SLACK_KIB: f64 = 4096.0;
const SLACK: f64 = 0.02;

/// Part of the time that is not judged: drivers and allocators fill their caches.
const WARM_UP: f64 = 0.25;

/// Shortest soak whose growth is judged: its warm-up is over a minute long.
const JUDGED: Duration = Duration::from_secs(300);

/// Samples between whose pairs slopes are computed, at most.
const MOST: usize = 1_000;

#[derive(Clone, Copy)]
struct Sample {
    /// What the process had just done, where it does the same again and again.
    phase: usize,
    seconds: f64,
    kib: f64,
}

/// The memory of a process that no other has, sampled: anonymous pages and shared ones, in which software drivers keep
/// a device's memory. Pages of files, such as code, are not counted: the system reads them when they are first used,
/// and drops them when it likes.
pub struct Memory {
    process: String,
    begun: Instant,
    samples: Vec<Sample>,
}

impl Memory {
    /// Of the process with this id, or of this one as `self`.
    pub fn of(process: &str) -> Memory {
        // Room for all samples, so that they do not grow either.
        Memory { process: process.to_owned(), begun: Instant::now(), samples: Vec::with_capacity(1 << 16) }
    }

    /// Looks at it after that phase of what the process does again and again.
    pub fn sample(&mut self, phase: usize) {
        let kib = ["RssAnon", "RssShmem"].map(|line| memory_kib(&self.process, line)).iter().sum::<u64>();
        self.samples.push(Sample { phase, seconds: self.begun.elapsed().as_secs_f64(), kib: kib as f64 });
    }

    /// The median in twelfths `from..to` of the time, in KiB.
    fn between(&self, from: usize, to: usize) -> f64 {
        let end = self.begun.elapsed().as_secs_f64();
        let within = |time: f64| (from..to).contains(&((12.0 * time / end) as usize));
        median(self.samples.iter().filter(|it| within(it.seconds)).map(|it| it.kib).collect())
    }

    /// Prints the memory over time. Fails if it grew after the warm-up.
    pub fn report(&self, what: &str) {
        let minutes = self.begun.elapsed().as_secs_f64() / 60.0;
        println!("{what}: {minutes:.1} min, {} samples of RssAnon and RssShmem, in MiB", self.samples.len());
        let mib = |kib: f64| format!("{:.1}", kib / 1024.0);
        println!(
            "median of each twelfth of the time: {}",
            (0..12).map(|k| mib(self.between(k, k + 1))).collect::<Vec<_>>().join(" ")
        );
        let usual = self.between(0, 12);
        let (grown, allowed) = (growth(&self.samples), (SLACK * usual).max(SLACK_KIB));
        println!("median {}, grown by {} after the first quarter", mib(usual), mib(grown));
        if self.begun.elapsed() >= JUDGED {
            assert!(grown <= allowed, "{what}: memory grew by {} MiB, allowed are {}", mib(grown), mib(allowed));
        }
    }
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or(f64::NAN)
}

/// What is added from the end of the warm-up to the last sample along the line whose slope is the median of those of
/// all pairs of one phase (Theil 1950, Sen 1968): different things take more or less memory, and neither a few such
/// samples nor the end alone decide.
fn growth(samples: &[Sample]) -> f64 {
    let (Some(first), Some(last)) = (samples.first(), samples.last()) else { return 0.0 };
    let warm = first.seconds + WARM_UP * (last.seconds - first.seconds);
    let judged: Vec<_> = samples.iter().filter(|it| it.seconds >= warm).collect();
    let some: Vec<_> = judged.iter().step_by(judged.len().div_ceil(MOST).max(1)).collect();
    let pairs = some.iter().enumerate().flat_map(|(k, a)| some[k + 1..].iter().map(move |b| (a, b)));
    let slope = |a: &Sample, b: &Sample| (b.kib - a.kib) / (b.seconds - a.seconds);
    let slopes: Vec<f64> =
        pairs.filter(|(a, b)| a.phase == b.phase).map(|(a, b)| slope(a, b)).filter(|slope| slope.is_finite()).collect();
    if slopes.is_empty() { 0.0 } else { median(slopes) * (last.seconds - warm) }
}

#[test]
fn growth_is_found_in_noise_and_a_warm_up_is_none() {
    // 100 MiB with a few MiB more or less, up to 40 MiB more in some phases, and twice as much now and then.
    let noise = |k: u32| f64::from((k * 7919) % 31) * 200.0 + if k % 10 == 3 { 100_000.0 } else { 0.0 };
    let samples = |added: f64| -> Vec<Sample> {
        let warm = |k: u32| 50_000.0 * f64::from(k.min(50)) / 50.0;
        let kib =
            |k: u32| 50_000.0 + warm(k) + noise(k) + 10_000.0 * f64::from(k % 7 % 5) + added * f64::from(k) / 150.0;
        (0..200).map(|k| Sample { phase: k as usize % 7, seconds: f64::from(k), kib: kib(k) }).collect()
    };
    assert!(growth(&samples(0.0)).abs() < 1_000.0, "{}", growth(&samples(0.0)));
    let grown = growth(&samples(20_000.0));
    assert!((grown - 20_000.0).abs() < 2_000.0, "{grown}");
}
