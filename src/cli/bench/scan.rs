//! `starlings bench --scan`: the exclusive prefix sum by itself.

use super::BenchArgs;
use crate::cli::failure::Failure;
use crate::cli::numbers::grouped;
use crate::cli::output::print;
use serde_json::{Value, json};
use starlings::Error;
use starlings::bench::copy_rate::{CopyRate, CopyRates};
use starlings::bench::scan::{METHODS, Method, Scan};
use starlings::vk::PassStatistics;

/// Runs the command.
pub fn run(args: &BenchArgs) -> Result<(), Failure> {
    let device = args.machine.open()?;
    let mut rates = CopyRates::new(&device);
    let mut rows = Vec::new();
    for &elements in &args.scan {
        for method in METHODS {
            let mut scan = Scan::new(&device, elements, method)?;
            scan.run()?;
            scan.check()?;
            for count in [args.warm_up, args.repeats] {
                scan.clear_timings();
                for _ in 0..count {
                    scan.run()?;
                }
            }
            let statistics = scan.timings().frame_statistics();
            let no_clock = || Error::NoDevice(format!("{} cannot take the time on its queue", device.info().name));
            let frame = statistics.iter().find(|pass| pass.name == "frame").copied().ok_or_else(no_clock)?;
            let bytes = scan.bytes_of_copy();
            drop(scan);
            let rate = rates.at(bytes)?;
            rows.push(Row { elements, method, frame, copy_ms: bytes as f64 / rate.bytes_per_second() * 1e3, rate });
        }
    }
    if args.json {
        let name = &device.info().name;
        print(&rows.iter().map(|row| object(name, row)).collect::<Value>().to_string())?;
    } else {
        let mut text = format!(
            "exclusive prefix sum on {}, checked against the processor\n\n{:>14}  {:<14}{:>10}{:>10}{:>22}{:>10}{:>9}",
            device.info().name,
            "elements",
            "by",
            "median ms",
            "p99 ms",
            "elements/s, billion",
            "copy ms",
            "of copy"
        );
        for Row { elements, method, frame, copy_ms, .. } in &rows {
            text += &format!(
                "\n{:>14}  {:<14}{:>10.3}{:>10.3}{:>22.2}{copy_ms:>10.3}{:>7.0} %",
                grouped((*elements).into()),
                method.name(),
                frame.median_ms,
                frame.p99_ms,
                f64::from(*elements) / frame.median_ms * 1e-6,
                100.0 * copy_ms / frame.median_ms
            );
        }
        print(&text)?;
    }
    args.machine.check(&device)
}

/// One size by one method.
struct Row {
    elements: u32,
    method: Method,
    frame: PassStatistics,
    copy_ms: f64,
    rate: CopyRate,
}

fn object(device: &str, row: &Row) -> Value {
    json!({
        "device": device,
        "elements": row.elements,
        "method": row.method.name(),
        "samples": row.frame.samples,
        "median_ms": row.frame.median_ms,
        "p99_ms": row.frame.p99_ms,
        "copy_ms": row.copy_ms,
        "copy_bytes_per_second": row.rate.bytes_per_second(),
    })
}
