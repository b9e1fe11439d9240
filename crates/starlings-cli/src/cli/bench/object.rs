//! The results as JSON.

use super::{BenchArgs, Flock, Peer, Run};
use crate::bench::gate::Verdict;
use crate::bench::measure::{Measured, PassRow};
use crate::bench::work::State;
use crate::export;
use serde_json::{Value, json};
use starlings::copy_rate::CopyRate;
use starlings::flock::{EngineKind, Search};
use starlings::vk::PassStatistics;

/// All results for one flock. Times are in milliseconds, unless a name says otherwise.
pub fn object(args: &BenchArgs, run: &Run) -> Value {
    let boids = run.flock.settings.boids;
    let peer = |(engine, search, peer): &(EngineKind, Search, Peer)| {
        let more = match peer {
            Peer::Measured(verdict, measured) => merged(json!({"gate": gate(verdict)}), times(measured, boids)),
            Peer::Skipped(ms) => json!({"skipped": "over 2 s", "predicted_ms": ms}),
            Peer::TooLarge => json!({"skipped": "does not fit"}),
        };
        merged(json!({"engine": engine.name(), "search": search.name()}), more)
    };
    let copy = |copy: &CopyRate| {
        let rate = copy.bytes_per_second();
        json!({"bytes": copy.bytes, "median_ms": copy.median_ms, "bytes_per_second": rate})
    };
    let own = json!({
        "draw": args.draw.map(|(width, height)| json!([width, height])),
        "coarse": run.block > 1,
        "near": args.near,
        "levels": run.levels.map(|levels| json!({
            "full": levels.near, "coarse": levels.small, "points": levels.points, "none": levels.hidden,
        })),
        "mean_neighbors": {"start": run.flock.verdict.mean_neighbors, "end": run.neighbors_after},
        "accepted_pairs_per_second": run.pairs_per_second(),
        "copy_rates": run.copies.iter().map(copy).collect::<Value>(),
        "peers": run.peers.iter().map(peer).collect::<Value>(),
    });
    [run.place.1.clone(), own, times(&run.measured, boids)].into_iter().fold(about(args, &run.flock), merged)
}

/// What was timed.
fn about(args: &BenchArgs, flock: &Flock) -> Value {
    json!({
        "state": flock.state.map(State::name),
        "engine": flock.settings.engine.name(),
        "search": flock.settings.search.name(),
        "boids": flock.settings.boids,
        "warm_up": args.plan().warm_up,
        "repeats": args.plan().repeats,
        "gate": gate(&flock.verdict),
        "fullest_cell": flock.fullest_cell,
        "parameters": export::parameters(&flock.settings),
    })
}

fn times(measured: &Measured, boids: u32) -> Value {
    let whole = [&measured.frame, &measured.unnamed].into_iter().map(statistics);
    json!({
        "boid_steps_per_second": measured.boid_steps_per_second(boids),
        "unnamed_share": measured.unnamed_share(),
        "record_ms": measured.record_ms,
        "passes": measured.passes.iter().map(pass).chain(whole).collect::<Vec<_>>(),
    })
}

fn pass(row: &PassRow) -> Value {
    let more = json!({"runs": row.runs, "bytes": row.bytes, "copy_bound_ms": row.bound_ms});
    merged(statistics(&row.times), more)
}

fn statistics(pass: &PassStatistics) -> Value {
    json!({"name": pass.name, "samples": pass.samples, "median_ms": pass.median_ms, "p99_ms": pass.p99_ms})
}

fn gate(verdict: &Verdict) -> Value {
    let [separation, alignment, cohesion] = verdict.sums;
    json!({
        "samples": verdict.samples,
        "pairs": verdict.neighbors,
        "borderline": verdict.borderline,
        "wrong_counts": verdict.wrong_counts,
        "sums_off_by": {"separation": separation, "alignment": alignment, "cohesion": cohesion},
        "change_of_velocity_off_by": verdict.change,
        "undecided": verdict.undecided,
    })
}

fn merged(mut object: Value, more: Value) -> Value {
    if let (Some(object), Value::Object(more)) = (object.as_object_mut(), more) {
        object.extend(more);
    }
    object
}
