//! A guard against regressions: ratios of a run, recorded in a file, with which later runs are compared.
//!
//! Times differ between machines and days; ratios within one run differ much less. A larger ratio is worse. The times are
//! the shortest of the run, because other programs only make samples longer.
//!
//! * `PASS over copy`: time of a pass over the time to copy as many bytes, for passes that take at least a fiftieth of the
//!   step and move at least a mebibyte: shorter ones spend most of their time on starting.
//! * `step over SEARCH`: time of a step over that of the same step by another search.
//! * `unnamed over step`: time in no named pass over the time of a step. Not for a software driver, which spends it on
//!   waking threads.

use super::measure::{Measured, PassRow};
use crate::error::{Error, Result};
use crate::vk::DeviceKind;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Accepted factor over the recorded ratio, unless the file has another. On a software driver and a busy machine shortest
/// times differ by a third.
pub const TOLERANCE: f64 = 1.5;

/// A smaller share in no named pass counts as this.
const UNNAMED_FLOOR: f64 = 0.03;

/// Share of a step above which a pass is recorded.
const LEAST_SHARE: f64 = 0.02;

/// Fewest bytes for which a copy is a useful reference.
const LEAST_BYTES: u64 = 1 << 20;

/// Ratios by name.
pub type Ratios = BTreeMap<String, f64>;

/// The ratios of a run on a device of `kind`; `steps` are the shortest step times with other searches, in milliseconds.
pub fn of(kind: DeviceKind, measured: &Measured, steps: &[(&str, f64)]) -> Ratios {
    let step = measured.frame.least_ms;
    let mut ratios = Ratios::new();
    let counts = |pass: &&PassRow| pass.times.least_ms >= LEAST_SHARE * step && pass.bytes >= Some(LEAST_BYTES);
    for pass in measured.passes.iter().filter(counts) {
        if let Some(bound) = pass.bound_ms.filter(|bound| *bound > 0.0) {
            ratios.insert(format!("{} over copy", pass.times.name), pass.times.least_ms / bound);
        }
    }
    for (search, other) in steps.iter().filter(|(_, other)| *other > 0.0) {
        ratios.insert(format!("step over {search}"), step / other);
    }
    if kind != DeviceKind::CPU {
        ratios.insert("unnamed over step".into(), (measured.unnamed.least_ms / step).max(UNNAMED_FLOOR));
    }
    ratios
}

/// A file of ratios: by device, then by flock.
#[derive(Clone, Debug, PartialEq)]
pub struct RatioFile {
    tolerance: f64,
    devices: BTreeMap<String, BTreeMap<String, Ratios>>,
}

impl Default for RatioFile {
    fn default() -> Self {
        RatioFile { tolerance: TOLERANCE, devices: BTreeMap::new() }
    }
}

impl RatioFile {
    /// Reads what [`RatioFile::text`] wrote.
    ///
    /// # Errors
    /// What is wrong with `text`.
    pub fn parse(text: &str) -> Result<RatioFile, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let number = |value: &Value, what: &str| {
            value.as_f64().filter(|number| *number > 0.0).ok_or_else(|| format!("{what} is not a number above 0"))
        };
        let object = |value: &Value, what: &str| -> Result<Map<String, Value>, String> {
            value.as_object().cloned().ok_or_else(|| format!("{what} is not an object"))
        };
        let mut file = RatioFile { tolerance: number(&value["tolerance"], "tolerance")?, devices: BTreeMap::new() };
        for (device, flocks) in object(&value["devices"], "devices")? {
            for (flock, ratios) in object(&flocks, &device)? {
                for (name, ratio) in object(&ratios, &flock)? {
                    let ratio = number(&ratio, &name)?;
                    file.entry(&device, &flock).insert(name, ratio);
                }
            }
        }
        Ok(file)
    }

    /// The file's text.
    pub fn text(&self) -> String {
        format!("{:#}\n", json!({ "tolerance": self.tolerance, "devices": self.devices }))
    }

    /// Records the ratios of `flock` on `device`, replacing older ones.
    ///
    /// # Errors
    /// [`Error::Regressed`] when there are none, as for a small flock without peers.
    pub fn record(&mut self, device: &str, flock: &str, ratios: Ratios) -> Result<()> {
        if ratios.is_empty() {
            return Err(Error::Regressed(format!(
                "{flock} on {device} has no ratio to record; use --peer or more boids"
            )));
        }
        // Three digits, so that noise rarely changes a file under version control.
        let short = |ratio: f64| format!("{ratio:.2e}").parse().unwrap_or(ratio);
        *self.entry(device, flock) = ratios.into_iter().map(|(name, ratio)| (name, short(ratio))).collect();
        Ok(())
    }

    fn entry(&mut self, device: &str, flock: &str) -> &mut Ratios {
        self.devices.entry(device.to_owned()).or_default().entry(flock.to_owned()).or_default()
    }

    /// Descriptions of the ratios that are worse in `run` than recorded.
    ///
    /// # Errors
    /// [`Error::Regressed`] when there is nothing on file to compare with, or when the run lacks what is on file.
    pub fn regressions(&self, device: &str, flock: &str, run: &Ratios) -> Result<Vec<String>> {
        let on_file = self.devices.get(device).and_then(|flocks| flocks.get(flock)).ok_or_else(|| {
            Error::Regressed(format!("there are no recorded ratios of {flock} on {device}; --record adds them"))
        })?;
        let mut worse = Vec::new();
        for (name, &was) in on_file {
            // A pass that has become too short to count is not a regression.
            let Some(&is) = run.get(name) else { continue };
            if is.is_nan() || is > was * self.tolerance {
                worse.push(format!("{name} is {is:.3}, more than {} times the {was:.3} on file", self.tolerance));
            }
        }
        if on_file.keys().all(|name| !run.contains_key(name)) {
            return Err(Error::Regressed(format!("the run of {flock} has none of the ratios on file")));
        }
        Ok(worse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vk::PassStatistics;

    fn measured(steer_ms: f64) -> Measured {
        let whole =
            |name, median_ms| PassStatistics { name, samples: 10, least_ms: median_ms, median_ms, p99_ms: median_ms };
        let pass = |name, bytes, median_ms, bound_ms| PassRow {
            times: whole(name, median_ms),
            runs: 1,
            bytes: Some(bytes),
            bound_ms: Some(bound_ms),
        };
        Measured {
            passes: vec![
                pass("grid_clear", 2 << 20, 0.01, 0.01),
                pass("scan_downsweep", 1_000, 0.5, 0.01),
                pass("sort_scatter", 2 << 20, 1.0, 0.5),
                pass("steer", 2 << 20, steer_ms, 0.5),
            ],
            frame: whole("frame", steer_ms + 1.05),
            unnamed: whole("unnamed", 0.04),
            record_ms: None,
        }
    }

    fn file() -> RatioFile {
        let mut file = RatioFile::default();
        let ratios = of(DeviceKind::DISCRETE_GPU, &measured(8.0), &[("all-pairs", 90.5)]);
        file.record("card", "U 1000", ratios).expect("there are some");
        file
    }

    #[test]
    fn ratios_are_those_of_the_times() {
        let ratios = of(DeviceKind::DISCRETE_GPU, &measured(8.0), &[("all-pairs", 90.5)]);
        let names: Vec<&str> = ratios.keys().map(String::as_str).collect();
        assert_eq!(names, ["sort_scatter over copy", "steer over copy", "step over all-pairs", "unnamed over step"]);
        assert_eq!((ratios["sort_scatter over copy"], ratios["steer over copy"]), (2.0, 16.0));
        assert_eq!((ratios["step over all-pairs"], ratios["unnamed over step"]), (0.1, 0.03));
        assert!(!of(DeviceKind::CPU, &measured(8.0), &[]).contains_key("unnamed over step"));
    }

    #[test]
    fn a_file_comes_back_as_it_was_written() {
        assert_eq!(RatioFile::parse(&file().text()).expect("our own text"), file());
        for (bad, says) in [
            ("", "EOF"),
            ("[]", "tolerance is not a number"),
            (r#"{"tolerance": -1}"#, "tolerance is not a number above 0"),
            (r#"{"tolerance": 2, "devices": {"a": {"b": {"c": "x"}}}}"#, "c is not a number above 0"),
        ] {
            let fault = RatioFile::parse(bad).expect_err(bad);
            assert!(fault.contains(says), "{fault}");
        }
    }

    #[test]
    fn only_what_is_worse_by_more_than_the_tolerance_is_a_regression() {
        let file = file();
        let worse = |steer_ms: f64| {
            file.regressions(
                "card",
                "U 1000",
                &of(DeviceKind::DISCRETE_GPU, &measured(steer_ms), &[("all-pairs", 90.5)]),
            )
            .expect("it is on file")
        };
        assert_eq!(worse(8.0), Vec::<String>::new());
        assert_eq!(worse(11.0), Vec::<String>::new());
        assert_eq!(worse(1.0), Vec::<String>::new(), "faster is not a regression");
        let found = worse(16.0);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[0], "steer over copy is 32.000, more than 1.5 times the 16.000 on file");
        assert!(found[1].starts_with("step over all-pairs is 0.188"), "{found:?}");
    }

    #[test]
    fn what_is_not_on_file_is_no_success() {
        let run = of(DeviceKind::DISCRETE_GPU, &measured(8.0), &[]);
        for (device, flock) in [("another card", "U 1000"), ("card", "U 2000")] {
            let message = file().regressions(device, flock, &run).expect_err("nothing on file").to_string();
            assert!(message.contains(&format!("{flock} on {device}")), "{message}");
        }
        assert!(file().regressions("card", "U 1000", &Ratios::new()).is_err());
        let message = file().record("card", "U 1000", Ratios::new()).expect_err("nothing to keep").to_string();
        assert!(message.starts_with("U 1000 on card has no ratio to record"), "{message}");
    }
}
