//! The results as JSON.

use super::{BenchArgs, Flock, Peer, Run};
use serde_json::{Value, json};
use starlings::bench::copy_rate::CopyRate;
use starlings::bench::gate::Verdict;
use starlings::bench::measure::{Measured, PassRow};
use starlings::bench::work::State;
use starlings::export;
use starlings::flock::Search;
use starlings::vk::{Device, PassStatistics};

/// All results for one flock. Times are in milliseconds, unless a name says otherwise.
pub fn object(args: &BenchArgs, device: &Device, run: &Run) -> Value {
    let info = device.info();
    let boids = run.flock.settings.boids;
    let peer = |(search, peer): &(Search, Peer)| match peer {
        Peer::Measured(verdict, measured) => {
            merged(json!({"search": search.name(), "gate": gate(verdict)}), times(measured, boids))
        }
        Peer::Skipped(ms) => json!({"search": search.name(), "skipped": "over 2 s", "predicted_ms": ms}),
    };
    let copy = |copy: &CopyRate| json!({"bytes": copy.bytes, "median_ms": copy.median_ms, "bytes_per_second": copy.bytes_per_second()});
    let own = json!({
        "device": info.name,
        "driver": info.driver,
        "draw": args.draw.map(|(width, height)| json!([width, height])),
        "coarse": args.block(device) > 1,
        "near": args.near,
        "levels": run.levels.map(|levels| json!({
            "full": levels.near, "coarse": levels.small, "points": levels.points, "none": levels.hidden,
        })),
        "mean_neighbors": {"start": run.flock.verdict.mean_neighbors, "end": run.neighbors_after},
        "accepted_pairs_per_second": run.pairs_per_second(),
        "copy_rates": run.copies.iter().map(copy).collect::<Value>(),
        "peers": run.peers.iter().map(peer).collect::<Value>(),
    });
    merged(merged(about(args, &run.flock), own), times(&run.measured, boids))
}

/// What was timed.
pub fn about(args: &BenchArgs, flock: &Flock) -> Value {
    json!({
        "state": flock.state.map(State::name),
        "search": flock.settings.search.name(),
        "boids": flock.settings.boids,
        "warm_up": args.warm_up,
        "repeats": args.repeats,
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

pub fn merged(mut object: Value, more: Value) -> Value {
    if let (Some(object), Value::Object(more)) = (object.as_object_mut(), more) {
        object.extend(more);
    }
    object
}
