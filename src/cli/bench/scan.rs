//! `starlings bench --scan`: the exclusive prefix sum alone.

use super::BenchArgs;
use crate::cli::failure::Failure;
use crate::cli::interrupt;
use crate::cli::numbers::grouped;
use crate::cli::output::print;
use serde_json::{Value, json};
use starlings::Error;
use starlings::bench::copy_rate::CopyRates;
use starlings::bench::scan::{METHODS, Method, Scan};
use starlings::vk::Device;
use std::sync::Arc;

pub fn run(args: &BenchArgs) -> Result<(), Failure> {
    let device = args.machine.open()?;
    let mut rates = CopyRates::new(&device);
    let mut objects = Vec::new();
    let mut text = format!(
        "exclusive prefix sum on {}, checked against the CPU\n\n{:>14}  {:<14}{:>10}{:>10}{:>22}{:>10}{:>9}",
        device.info().name,
        "elements",
        "method",
        "median ms",
        "p99 ms",
        "elements/s, billion",
        "copy ms",
        "of copy"
    );
    let mut all = args.scan.iter().flat_map(|&elements| METHODS.map(|method| (elements, method)));
    let went = all.try_for_each(|(elements, method)| {
        let (line, object) = measure(args, &device, &mut rates, elements, method)?;
        text += &line;
        objects.push(object);
        Ok(())
    });
    if matches!(went, Ok(()) | Err(Failure::Interrupted)) {
        print(&if args.json { Value::from(objects).to_string() } else { text })?;
    }
    went.and_then(|()| args.machine.check(&device))
}

/// One line of the table, and the same as JSON.
fn measure(
    args: &BenchArgs,
    device: &Arc<Device>,
    rates: &mut CopyRates,
    elements: u32,
    method: Method,
) -> Result<(String, Value), Failure> {
    let name = &device.info().name;
    let mut scan = Scan::new(device, elements, method)?;
    scan.run()?;
    scan.check()?;
    for count in [args.warm_up, args.repeats] {
        scan.clear_timings();
        for _ in 0..count {
            scan.run()?;
            interrupt::check()?;
        }
    }
    let statistics = scan.timings().frame_statistics();
    let no_clock = || Error::NoDevice(format!("{name} has no timestamps on its queue"));
    let frame = statistics.iter().find(|pass| pass.name == "frame").copied().ok_or_else(no_clock)?;
    let bytes = scan.bytes_of_copy();
    drop(scan);
    let copied = rates.at(bytes)?.bytes_per_second();
    let copy_ms = bytes as f64 / copied * 1e3;
    let line = format!(
        "\n{:>14}  {:<14}{:>10.3}{:>10.3}{:>22.2}{copy_ms:>10.3}{:>7.0} %",
        grouped(elements.into()),
        method.name(),
        frame.median_ms,
        frame.p99_ms,
        f64::from(elements) / frame.median_ms * 1e-6,
        100.0 * copy_ms / frame.median_ms
    );
    let object = json!({
        "device": name,
        "elements": elements,
        "method": method.name(),
        "samples": frame.samples,
        "median_ms": frame.median_ms,
        "p99_ms": frame.p99_ms,
        "copy_ms": copy_ms,
        "copy_bytes_per_second": copied,
    });
    Ok((line, object))
}
