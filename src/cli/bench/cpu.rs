//! `starlings bench --engine cpu`: the CPU engine, compared with the minimum cost of its arithmetic.

use super::object::{about, merged};
use super::{BenchArgs, Flock, stepping};
use crate::cli::failure::Failure;
use crate::cli::numbers::counted;
use serde_json::{Map, Value, json};
use starlings::bench::cpu::{self, Measured};
use starlings::bench::measure::Plan;
use starlings::bench::oracle::Oracle;
use starlings::bench::work::State;
use starlings::cpu::Threads;
use starlings::cpu::bound::FILLS;
use starlings::flock::{EngineKind, Settings};
use starlings::vk::Spread;

pub fn run(args: &BenchArgs, flocks: &[(Option<State>, Settings)]) -> Result<(), Failure> {
    let others = [
        ("peer", args.peer),
        ("draw", args.draw.is_some()),
        ("compare", args.compare.is_some()),
        ("record", args.record.is_some()),
        ("plot", args.plot.is_some()),
    ];
    args.machine.refuse(flocks[0].1.engine, &others)?;
    super::show(args, flocks, |(state, settings)| {
        let (flock, measured) = measure(args, *state, settings)?;
        Ok((table(args, &flock, &measured), object(args, &flock, &measured)))
    })
}

fn measure(args: &BenchArgs, state: Option<State>, settings: &Settings) -> Result<(Flock, Measured), Failure> {
    let progress = args.progress(state);
    let threads = if settings.engine == EngineKind::CpuSerial { Threads::One } else { Threads::All };
    let work = cpu::work(settings, state, stepping(&progress))?;
    let verdict = cpu::check(&Oracle::new(&work), threads)?.passed(settings.engine, settings.boids)?;
    let plan = Plan { warm_up: args.warm_up, repeats: args.repeats };
    let measured = cpu::steps(&work, threads, plan, stepping(&progress))?;
    Ok((Flock { state, settings: settings.clone(), verdict, fullest_cell: work.fullest_cell() }, measured))
}

/// All results for one flock, as text.
fn table(args: &BenchArgs, flock: &Flock, measured: &Measured) -> String {
    let boids = f64::from(flock.settings.boids);
    let place = format!(", on {} with {}", counted(measured.threads as u64, "thread"), measured.instructions);
    let mut text = super::table::about(args, flock, &place, "");
    text += &format!("{:<18}{:>11}{:>11}{:>11}{:>11}\n", "pass", "median ms", "p99 ms", "min ms", "ns/boid");
    for (name, times) in measured.passes.iter().copied().chain([("whole step", measured.step)]) {
        let Spread { least, median, p99 } = times;
        let each = median * 1e6 / boids;
        text += &format!("{name:<18}{median:>11.3}{p99:>11.3}{least:>11.3}{each:>11.1}\n");
    }
    let [least, median] = measured.bounds_ms();
    let [ratio, median_ratio] = measured.ratios();
    let each = median * 1e6 / boids;
    text += &format!("{:<18}{median:>11.3}{:>11}{least:>11.3}{each:>11.1}\n", "bound", "");
    let (visits, cost) = (measured.visits, measured.median);
    let of_one = |count: u64| count as f64 / boids;
    text + &format!(
        "{:<18}{median_ratio:>11.2}{:>11}{ratio:>11.2}\n\n\
         bound, per boid: cell {:.1} ns, chords {:.1}, steering {:.1}, and {:.1} vectors of eight pairs at {:.2}, \
         all from the nearest cache\n       \
         (the engine tests {:.1}; its {:.1} candidates would fill {:.1})\n\
         {:.1} million boid-steps a second",
        "step / bound",
        "",
        cost.cell_ns,
        cost.chords_ns,
        cost.steering_ns,
        of_one(visits.fewest_vectors()),
        cost.vector_ns,
        of_one(visits.own_vectors()),
        of_one(visits.candidates),
        of_one(visits.candidates) / 8.0,
        measured.boid_steps_per_second() / 1e6,
    )
}

/// The same as JSON. Times are in milliseconds unless a name says otherwise.
fn object(args: &BenchArgs, flock: &Flock, measured: &Measured) -> Value {
    let times = |(name, times): (&str, Spread)| json!({"name": name, "median_ms": times.median, "p99_ms": times.p99, "least_ms": times.least});
    let passes: Vec<Value> = measured.passes.iter().copied().chain([("step", measured.step)]).map(times).collect();
    let [least, median] = measured.bounds_ms();
    let [ratio, median_ratio] = measured.ratios();
    let own = json!({
        "engine": flock.settings.engine.name(),
        "threads": measured.threads,
        "instructions": measured.instructions,
        "mean_neighbors": {"start": flock.verdict.mean_neighbors},
        "passes": passes,
        "bound": {
            "median_ms": median,
            "least_ms": least,
            "candidates": measured.visits.candidates,
            "vectors_of": FILLS.iter().zip(measured.visits.vectors).map(|(boids, count)| (boids.to_string(), json!(count))).collect::<Map<_, _>>(),
            "vector_ns": measured.median.vector_ns,
            "cell_ns": measured.median.cell_ns,
            "chords_ns": measured.median.chords_ns,
            "steering_ns": measured.median.steering_ns,
        },
        "step_over_bound": {"median": median_ratio, "least": ratio},
        "boid_steps_per_second": measured.boid_steps_per_second(),
    });
    merged(about(args, flock), own)
}
