//! Order parameters over time, as comma-separated values.

use super::file::{OutputFile, Written, output};
use crate::error::Result;
use starlings::flock::{OrderParameters, Settings, States};
use std::io::Write;

/// Names of the columns, with their units.
pub const COLUMNS: &str = "step,time [s],polarization,milling,nearest neighbor [world units],neighbors,most neighbors,\
                           alone,speed [world units/s],least speed [world units/s],most speed [world units/s],\
                           center x [world units],center y [world units],center z [world units],lost";

/// A file of comma-separated values on its way: a row for each sample.
pub struct OrderFile {
    out: OutputFile,
    /// Rows that are not written yet.
    rows: String,
    time_step: f32,
    states: States,
}

/// Bytes of rows that are written at once.
const ENOUGH: usize = 1 << 16;

impl OrderFile {
    /// Begins with the names of the columns; with one for each of `states`.
    pub fn new(out: OutputFile, settings: &Settings, states: States) -> Self {
        let names: String = states.names().iter().map(|name| format!(",{name}")).collect();
        OrderFile { out, rows: format!("{COLUMNS}{names}\n"), time_step: settings.time_step, states }
    }

    /// Writes a row, which ends with how many boids are in each state. A missing distance is left empty.
    ///
    /// # Panics
    /// When there is not one count for each state.
    pub fn push(&mut self, order: &OrderParameters, counts: &[u64]) -> Result<()> {
        assert_eq!(counts.len(), self.states.names().len(), "a count for each state");
        // The shortest decimals that give back the same single-precision numbers, which is what devices compute in.
        let short = |value: f64| (value as f32).to_string();
        let [x, y, z] = order.center.map(short);
        // More digits would show the rounding of 1/60 s.
        let time = format!("{:.5}", f64::from(order.step) * f64::from(self.time_step));
        let line = [
            order.step.to_string(),
            time,
            short(order.polarization),
            short(order.milling),
            order.nearest.map(short).unwrap_or_default(),
            short(order.neighbors),
            order.most_neighbors.to_string(),
            order.alone.to_string(),
            short(order.speed),
            short(order.least_speed),
            short(order.most_speed),
            x,
            y,
            z,
            order.non_finite.to_string(),
        ];
        self.rows += &line.join(",");
        counts.iter().for_each(|count| self.rows += &format!(",{count}"));
        self.rows.push('\n');
        if self.rows.len() < ENOUGH { Ok(()) } else { self.write() }
    }

    /// Gives the file its name, once all of it is on the disk.
    pub fn finish(mut self) -> Result<Written> {
        self.write()?;
        self.out.commit()
    }

    fn write(&mut self) -> Result<()> {
        let written = self.out.file().write_all(self.rows.as_bytes());
        self.rows.clear();
        written.map_err(|error| output(self.out.path(), error))
    }
}
