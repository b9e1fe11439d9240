//! `starlings bench --systems`: the time of a step with every system, as a table, JSON or a plot.

use super::files::{plot, write};
use super::{BenchArgs, stepping};
use crate::cli::failure::Failure;
use crate::cli::numbers::grouped;
use crate::cli::output::print;
use crate::cli::progress::progress;
use serde_json::{Value, json};
use starlings::bench::peers::LONGEST_MS;
use starlings::bench::plot::{Plot, Series};
use starlings::bench::systems::{COUNTS, Cell, SYSTEMS, System, climb};
use starlings::bench::work;
use starlings::flock::Settings;
use starlings::vk::{Device, DeviceKind};

/// The largest flock on a software driver by default: it takes about a minute.
const MOST_IN_SOFTWARE: u32 = 10_000;

/// A system with its cell for each size.
type Row = (&'static System, Vec<Cell>);

pub fn run(args: &BenchArgs) -> Result<(), Failure> {
    let asked = |boids: u64| Ok::<Settings, Failure>(args.flock.settings_from(work::settings(), Some(boids))?.settings);
    // Errors in other options do not depend on the size.
    asked(COUNTS[0].into())?;
    let plot = plot(args)?;
    let device = args.machine.open()?;
    let counts = counts(args, &device)?;
    let progress = progress((counts.len() * SYSTEMS.len()) as u64, "cells", args.quiet);
    let mut rows: Vec<Row> = Vec::new();
    let went = SYSTEMS.iter().try_for_each(|system| {
        // Only the count changes, and that has been checked.
        let settings = |boids: u32| asked(boids.into()).unwrap_or_else(|_| work::settings().with_boids(boids));
        rows.push((system, climb(&device, system, &counts, settings, || stepping(&progress)(1))?));
        Ok(())
    });
    drop(progress);
    let went = went.and_then(|()| args.machine.check(&device));
    if rows.is_empty() || !matches!(went, Ok(()) | Err(Failure::Interrupted)) {
        return went;
    }
    if args.json {
        print(&object(&device, &counts, &rows).to_string())?;
    } else {
        print(&table(&device, &counts, &rows))?;
    }
    if let Some(out) = plot {
        write(out, &picture(&device, &counts, &rows).svg()?)?;
    }
    went
}

/// The sizes in ascending order: each prediction starts from the size before.
fn counts(args: &BenchArgs, device: &Device) -> Result<Vec<u32>, Failure> {
    if args.boids.is_empty() {
        let most = if device.info().kind == DeviceKind::CPU { MOST_IN_SOFTWARE } else { u32::MAX };
        return Ok(COUNTS.into_iter().filter(|&boids| boids <= most).collect());
    }
    let mut counts = Vec::new();
    for &boids in &args.boids {
        let asked = args.flock.settings_from(work::settings(), Some(boids))?;
        asked.check_count()?;
        counts.push(asked.settings.boids);
    }
    counts.sort_unstable();
    counts.dedup();
    Ok(counts)
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn table(device: &Device, counts: &[u32], rows: &[Row]) -> String {
    let line = |first: &str, cells: Vec<String>| {
        let cells: String = cells.iter().map(|cell| format!("{cell:>12}")).collect();
        format!("\n{first:>10}{cells}")
    };
    let mut text = format!(
        "milliseconds per step of the same flock with every system (state U: {:.1} neighbors away from the walls)\n{}, and {} \
         CPU threads\n",
        work::settings().mean_neighbors(),
        device.info().name,
        threads(),
    );
    text += &line("", rows.iter().map(|(system, _)| system.head[0].to_owned()).collect());
    text += &line("boids", rows.iter().map(|(system, _)| system.head[1].to_owned()).collect());
    for (at, &boids) in counts.iter().enumerate() {
        text += &line(&grouped(boids.into()), rows.iter().map(|(_, cells)| cell(&cells[at])).collect());
    }
    let skipped: Vec<String> = rows.iter().filter_map(|(system, cells)| predictions(system, counts, cells)).collect();
    if !skipped.is_empty() {
        text += "\n\nover 2 s: not run; predicted from the largest measured size:\n";
        text += &skipped.join("\n");
    }
    text
}

fn cell(cell: &Cell) -> String {
    match *cell {
        Cell::Measured { ms, .. } if ms < 10.0 => format!("{ms:.3}"),
        Cell::Measured { ms, .. } if ms < 100.0 => format!("{ms:.1}"),
        Cell::Measured { ms, .. } => format!("{ms:.0}"),
        Cell::Skipped { .. } => "over 2 s".into(),
        Cell::TooLarge => "too large".into(),
    }
}

/// Predicted times of a system's skipped cells.
fn predictions(system: &System, counts: &[u32], cells: &[Cell]) -> Option<String> {
    let each: Vec<String> = counts
        .iter()
        .zip(cells)
        .filter_map(|(&boids, cell)| match cell {
            Cell::Skipped { predicted_ms } => Some(format!("{} about {}", grouped(boids.into()), about(*predicted_ms))),
            _ => None,
        })
        .collect();
    (!each.is_empty()).then(|| format!("  {}: {}", system.name, each.join(", ")))
}

/// A predicted time, rounded.
fn about(ms: f64) -> String {
    match ms * 1e-3 {
        seconds if seconds < 120.0 => format!("{seconds:.0} s"),
        seconds if seconds < 7_200.0 => format!("{:.0} min", seconds / 60.0),
        seconds if seconds < 172_800.0 => format!("{:.0} h", seconds / 3_600.0),
        seconds => format!("{:.0} days", seconds / 86_400.0),
    }
}

fn object(device: &Device, counts: &[u32], rows: &[Row]) -> Value {
    let cell = |(&boids, cell): (&u32, &Cell)| match *cell {
        Cell::Measured { ms, steps } => json!({"boids": boids, "ms": ms, "steps": steps}),
        Cell::Skipped { predicted_ms } => {
            json!({"boids": boids, "skipped": "over 2 s", "predicted_ms": predicted_ms})
        }
        Cell::TooLarge => json!({"boids": boids, "skipped": "does not fit"}),
    };
    let systems: Vec<Value> = rows
        .iter()
        .map(|(system, cells)| {
            let cells: Vec<Value> = counts.iter().zip(cells).map(cell).collect();
            json!({"name": system.name, "search": system.search.name(), "cells": cells})
        })
        .collect();
    json!({
        "device": device.info().name,
        "driver": device.info().driver,
        "threads": threads(),
        "longest_ms": LONGEST_MS,
        "systems": systems,
    })
}

fn picture(device: &Device, counts: &[u32], rows: &[Row]) -> Plot {
    let measured = |(&boids, cell): (&u32, &Cell)| match *cell {
        Cell::Measured { ms, .. } => Some((f64::from(boids), ms)),
        _ => None,
    };
    Plot {
        title: format!("A step with every system: {}, {} threads", device.info().name, threads()),
        x: "boids".into(),
        y: "milliseconds per step".into(),
        series: rows
            .iter()
            .map(|(system, cells)| Series {
                name: system.name.into(),
                points: counts.iter().zip(cells).filter_map(measured).collect(),
            })
            .collect(),
    }
}
