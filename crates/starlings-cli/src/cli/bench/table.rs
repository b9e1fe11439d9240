//! The results as text.

use super::{BenchArgs, Flock, Peer, Run, way};
use crate::bench::levels::Levels;
use crate::bench::measure::{Measured, PassRow};
use crate::bench::peers::LONGEST_MS;
use crate::cli::numbers::{bytes, counted, grouped, short};

/// All results for one flock.
pub fn table(args: &BenchArgs, run: &Run) -> String {
    let mut text = head(args, run);
    let row = |name: &str, [a, b, c, d, e]: [String; 5]| format!("{name:<18}{a:>11}{b:>11}{c:>9}{d:>9}{e:>9}\n");
    let header = ["median ms", "p99 ms", "B/boid", "GB/s", "of copy"].map(str::to_owned);
    text += &row("pass", header);
    for pass in &run.measured.passes {
        let times = &pass.times;
        let name = if pass.runs > 1 { format!("{} ×{}", times.name, pass.runs) } else { times.name.to_owned() };
        let [median, p99] = [times.median_ms, times.p99_ms].map(|ms| format!("{ms:.3}"));
        let moved = per_boid(pass.bytes, run.flock.settings.boids);
        let rate = pass.bytes.map_or("-".into(), |bytes| format!("{:.1}", bytes as f64 / times.median_ms * 1e-6));
        text += &row(&name, [median, p99, moved, rate, of_copy(pass)]);
    }
    let frame = &run.measured.frame;
    let whole = if args.draw.is_some() { "whole frame" } else { "whole step" };
    let moved = per_boid(run.measured.passes.iter().map(|pass| pass.bytes).sum(), run.flock.settings.boids);
    let [median, p99] = [frame.median_ms, frame.p99_ms].map(|ms| format!("{ms:.3}"));
    text += &row(whole, [median, p99, moved, "-".into(), "-".into()]);
    let (unnamed, share) = (&run.measured.unnamed, 100.0 * run.measured.unnamed_share());
    let (median, p99) = (unnamed.median_ms, unnamed.p99_ms);
    text += &format!("{:<18}{median:>11.3}{p99:>11.3}   {share:.1} % of the whole\n", "in no named pass");
    text += &tail(run);
    text + &peers(run)
}

fn head(args: &BenchArgs, run: &Run) -> String {
    let coarse = if run.block > 1 { " in blocks of 2 by 2 pixels" } else { "" };
    let drawn = args.draw.map_or(String::new(), |(width, height)| format!(", drawn at {width}x{height}{coarse}"));
    let Flock { state, settings, fullest_cell, verdict } = &run.flock;
    let what = match state {
        Some(state) => format!("state {}", state.name()),
        None => format!("preset {}", settings.preset),
    };
    let [separation, alignment, cohesion] = verdict.sums.map(|off| format!("{off:.0e}"));
    let borderline = match verdict.borderline {
        0 => String::new(),
        n => format!(", {n} of them so close to a radius that rounding decides"),
    };
    format!(
        "{what}, {} by {}{drawn}, on {}: {} after {} of warm-up\n\
         gate: {} of {} have the neighbor counts of all pairs ({}{borderline});\n      \
         relative errors: {separation} in the sums of separation, {alignment} of alignment, {cohesion} of cohesion, \
             {:.0e} in the change of velocity\n\
         neighbors: {:.2} on average at the start, {:.2} at the end; radius {}; the fullest cell holds {}\n\n",
        counted(settings.boids, "boid"),
        settings.search,
        run.place.0,
        counted(args.plan().repeats, "timed step"),
        args.plan().warm_up,
        grouped(verdict.samples as u64),
        counted(settings.boids, "boid"),
        counted(verdict.neighbors, "pair"),
        verdict.change,
        verdict.mean_neighbors,
        run.neighbors_after,
        if settings.has_no_radius() { "inf".to_owned() } else { short(settings.search_radius()) },
        counted(*fullest_cell, "boid"),
    )
}

fn tail(run: &Run) -> String {
    let speed = run.measured.boid_steps_per_second(run.flock.settings.boids);
    let mut text =
        format!("\n{} boid-steps a second, {} accepted pairs a second\n", rate(speed), rate(run.pairs_per_second()));
    if let Some(levels) = run.levels {
        text += &format!("{}\n", shares(levels, run.flock.settings.boids));
    }
    if let Some(ms) = run.measured.record_ms {
        text += &format!("recording a step takes the CPU {ms:.3} ms\n");
    }
    let rates: Vec<String> = run
        .copies
        .iter()
        .map(|copy| format!("{:.1} GB/s at {}", copy.bytes_per_second() * 1e-9, bytes(copy.bytes)))
        .collect();
    if !rates.is_empty() {
        text += &format!("copy on this device, read and written: {}\n", rates.join(", "));
    }
    text.trim_end().to_owned()
}

/// Which boids are drawn how, in percent.
fn shares(levels: Levels, boids: u32) -> String {
    let Levels { near, small, points, hidden } = levels;
    let [near, small, points, hidden] = [near, small, points, hidden].map(|n| 100.0 * n as f64 / f64::from(boids));
    format!(
        "of the boids, {near:.2} % are drawn as full meshes, {small:.2} % as coarse ones, {points:.2} % as points, \
            {hidden:.2} % not"
    )
}

/// In millions, unless below 0.1 million.
fn rate(per_second: f64) -> String {
    if per_second < 1e5 { grouped(per_second as u64) } else { format!("{:.1} million", per_second / 1e6) }
}

fn peers(run: &Run) -> String {
    if run.peers.is_empty() {
        return String::new();
    }
    let own = run.measured.frame.median_ms;
    let search = run.flock.settings.search;
    let steer = |passes: &[PassRow]| {
        passes.iter().find(|pass| pass.times.name == "steer").map_or(f64::NAN, |p| p.times.median_ms)
    };
    let mut text = format!(
        "\n\n{:<24}{:>13}{:>13}{:>13}{:>22}\n",
        "search", "step ms", "p99 ms", "steer ms", "boid-steps/s, million"
    );
    let line = |name: &str, measured: &Measured| {
        format!(
            "{name:<24}{:>13.3}{:>13.3}{:>13.3}{:>22.1}   {:.2} times the time of {search}\n",
            measured.frame.median_ms,
            measured.frame.p99_ms,
            steer(&measured.passes),
            measured.boid_steps_per_second(run.flock.settings.boids) / 1e6,
            measured.frame.median_ms / own,
        )
    };
    text += &line(search.name(), &run.measured);
    for (engine, search, peer) in &run.peers {
        let way = way(*engine, *search);
        text += &match peer {
            Peer::Measured(_, measured) => line(&way, measured),
            Peer::Skipped(ms) => format!(
                "{way:<24}{:>13}   about {:.1} s per step is predicted\n",
                format!("over {} s, skipped", LONGEST_MS / 1e3),
                ms / 1e3
            ),
            Peer::TooLarge => format!("{way:<24} does not fit\n"),
        };
    }
    text.trim_end().to_owned()
}

fn per_boid(bytes: Option<u64>, boids: u32) -> String {
    bytes.map_or("-".into(), |bytes| format!("{:.1}", bytes as f64 / f64::from(boids)))
}

fn of_copy(pass: &PassRow) -> String {
    match pass.bound_ms {
        Some(bound) if pass.times.median_ms > 0.0 => format!("{:.0} %", 100.0 * bound / pass.times.median_ms),
        _ => "-".into(),
    }
}
