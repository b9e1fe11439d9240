//! The table of a sweep: a row for each run, written as runs end, so that a sweep can go on where it stopped.

use crate::cli::numbers::Accepted;
use crate::export::{Existing, OutputFile, words};
use crate::{Error, Result};
use starlings::flock::OrderParameters;
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How often rows that are done go to the disk.
const EVERY: Duration = Duration::from_secs(10);

/// Bytes of a table to go on with, at most.
const MOST_BYTES: u64 = 1 << 30;

/// Names of what is measured, with units.
const MEASURED: &str = "polarization,polarization sd,Binder cumulant,milling,milling sd,\
                        nearest neighbor [world units],neighbors,alone,speed [world units/s],lost";

/// The column of that name, with or without its unit.
pub fn column(text: &str) -> std::result::Result<&'static str, Accepted> {
    let known = || MEASURED.split(',');
    let found = known().find(|name| *name == text || name.split(" [").next() == Some(text));
    found.ok_or_else(|| Accepted(format!("one of {}", known().collect::<Vec<_>>().join(", "))))
}

/// Means over the samples of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Means {
    samples: u32,
    polarization: [f64; 3],
    milling: [f64; 2],
    nearest: (f64, u32),
    neighbors: f64,
    alone: f64,
    speed: f64,
    lost: u32,
}

impl Means {
    /// Adds a sample.
    pub fn push(&mut self, order: &OrderParameters) {
        self.samples += 1;
        let (p, m) = (order.polarization, order.milling);
        // The first, second and fourth moment.
        self.polarization = [self.polarization[0] + p, self.polarization[1] + p * p, self.polarization[2] + p.powi(4)];
        self.milling = [self.milling[0] + m, self.milling[1] + m * m];
        if let Some(nearest) = order.nearest {
            self.nearest = (self.nearest.0 + nearest, self.nearest.1 + 1);
        }
        self.neighbors += order.neighbors;
        self.alone += f64::from(order.alone);
        self.speed += order.speed;
        self.lost = self.lost.max(order.non_finite);
    }

    /// The cells of a row. A mean over nothing is left empty.
    fn cells(&self) -> String {
        let mean = |sum: f64| sum / f64::from(self.samples);
        let deviation = |sum: f64, squares: f64| (mean(squares) - mean(sum) * mean(sum)).max(0.0).sqrt();
        let [first, second, fourth] = self.polarization;
        // 1 - <φ⁴>/3<φ²>² (Binder 1981): 2/3 where the order does not fluctuate.
        let binder = 1.0 - mean(fourth) / (3.0 * mean(second) * mean(second));
        let [milling, squares] = self.milling;
        let numbers = [
            mean(first),
            deviation(first, second),
            binder,
            mean(milling),
            deviation(milling, squares),
            self.nearest.0 / f64::from(self.nearest.1),
            mean(self.neighbors),
            mean(self.alone),
            mean(self.speed),
            self.lost.into(),
        ];
        numbers.map(|number| if number.is_finite() { (number as f32).to_string() } else { String::new() }).join(",")
    }
}

/// The table, with the rows of the runs that are done.
pub struct Table {
    path: PathBuf,
    head: String,
    /// By the number of the run.
    rows: Vec<Option<String>>,
    written: Instant,
}

impl Table {
    /// An empty table of `runs` runs. `names` are those of the columns before what is measured.
    pub fn new(path: PathBuf, names: &[&str], runs: usize) -> Table {
        let head = format!("{},settings,samples,{MEASURED}", names.join(","));
        Table { path, head, rows: vec![None; runs], written: Instant::now() }
    }

    /// Takes over the rows of the file that is there, where a run of the same `digests` has left them.
    pub fn go_on(&mut self, digests: &[String]) -> Result<()> {
        let refused = |why: String| {
            let accepted = format!("a table of the same columns with --append: {why}");
            Error::flag("out", format!("'{}'", self.path.display()), accepted)
        };
        let bytes = match starlings::input::read(&self.path, MOST_BYTES) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            read => read.map_err(|error| refused(words(error)))?,
        };
        let text = String::from_utf8(bytes).map_err(|_| refused("it is not text".into()))?;
        let mut lines = text.lines();
        if lines.next() != Some(&self.head) {
            return Err(refused("its first line is another".into()));
        }
        let at = self.head.split(',').position(|name| name == "settings").expect("the head has it");
        let columns = self.head.split(',').count();
        let known: HashMap<&str, usize> = digests.iter().enumerate().map(|(run, digest)| (&**digest, run)).collect();
        for (number, line) in (2..).zip(lines) {
            let cells: Vec<&str> = line.split(',').collect();
            if cells.len() != columns {
                return Err(refused(format!("line {number} has {} columns", cells.len())));
            }
            match known.get(cells[at]) {
                Some(&run) => self.rows[run] = Some(line.to_owned()),
                None => return Err(refused(format!("line {number} is of a run that this sweep has not"))),
            }
        }
        Ok(())
    }

    /// Whether the run number `run` is done.
    pub fn has(&self, run: usize) -> bool {
        self.rows[run].is_some()
    }

    /// Takes the means of the run number `run`, whose row begins with `values` and `digest`. From time to time, all
    /// rows go to the disk.
    pub fn push(&mut self, run: usize, values: &[String], digest: &str, means: &Means) -> Result<()> {
        self.rows[run] = Some(format!("{},{digest},{},{}", values.join(","), means.samples, means.cells()));
        if self.written.elapsed() >= EVERY {
            self.write()?;
        }
        Ok(())
    }

    /// Writes the rows that are done, in the order of the runs, in place of the file that is there.
    pub fn write(&mut self) -> Result<()> {
        use std::io::Write;
        let rows = self.rows.iter().flatten();
        let text = rows.fold(format!("{}\n", self.head), |text, row| text + row + "\n");
        OutputFile::create(&self.path, Existing::Replace)?.fill(|file| file.write_all(text.as_bytes()))?;
        self.written = Instant::now();
        Ok(())
    }

    /// The number in the column `name` of the run number `run`, if it is done and has one.
    pub fn number(&self, run: usize, name: &str) -> Option<f64> {
        let at = self.head.split(',').position(|column| column == name)?;
        self.rows[run].as_ref()?.split(',').nth(at)?.parse().ok()
    }
}
