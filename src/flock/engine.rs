//! The engines: where a flock is stepped. One table row for each.

use super::search::{SEARCHES, Search};
use super::settings::Settings;
use crate::error::{Error, Result};
use std::fmt;

/// Where a flock is stepped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EngineKind {
    /// By the kernels.
    Gpu,
    /// By [`crate::cpu`], on all cores.
    Cpu,
    /// By [`crate::cpu`], on one core.
    CpuSerial,
}

/// Every engine with what users call it and what it is, the default first.
pub const ENGINES: &[(EngineKind, &str, &str)] = &[
    (EngineKind::Gpu, "gpu", "the kernels"),
    (EngineKind::Cpu, "cpu", "all cores of the processor"),
    (EngineKind::CpuSerial, "cpu-serial", "one core of the processor"),
];

impl EngineKind {
    /// The engine of that name.
    ///
    /// # Errors
    /// [`Error::Setting`] for an unknown name, with the nearest known one offered.
    pub fn named(name: &str) -> Result<EngineKind> {
        ENGINES.iter().find(|row| row.1 == name).map(|row| row.0).ok_or_else(|| Error::Setting {
            name: "--engine".into(),
            value: format!("'{name}'"),
            accepted: super::preset::one_of(name, ENGINES.iter().map(|row| row.1)),
        })
    }

    /// What users call it.
    pub fn name(self) -> &'static str {
        ENGINES.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        ENGINES.iter().find(|row| row.0 == self).map_or("", |row| row.2)
    }

    /// Whether the processor steps the flock.
    pub fn is_cpu(self) -> bool {
        self != EngineKind::Gpu
    }

    /// The searches it has, its default first.
    pub fn searches(self) -> Vec<Search> {
        match self {
            EngineKind::Gpu => SEARCHES.iter().map(|info| info.search).collect(),
            EngineKind::Cpu | EngineKind::CpuSerial => vec![Search::SortedGrid, Search::AllPairs],
        }
    }

    /// Fails unless the engine has the search of `settings`.
    ///
    /// # Errors
    /// [`Error::Setting`] naming the searches that it has.
    pub fn check(self, settings: &Settings) -> Result<()> {
        let searches = self.searches();
        if searches.contains(&settings.search) {
            return Ok(());
        }
        let names: Vec<&str> = searches.iter().map(|search| search.name()).collect();
        let accepted = format!("{} with --engine {self}", names.join(" or "));
        Err(Error::Setting { name: "--search".into(), value: settings.search.to_string(), accepted })
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_engines_and_back() {
        for row in ENGINES {
            assert_eq!(EngineKind::named(row.1).expect("a known name"), row.0);
            assert_eq!(row.0.name(), row.1);
            assert!(!row.0.searches().is_empty());
        }
        let message = EngineKind::named("cpu-seriel").expect_err("no such engine").to_string();
        assert_eq!(
            message,
            "--engine is 'cpu-seriel'; accepted is one of gpu, cpu, cpu-serial (did you mean 'cpu-serial'?)"
        );
    }

    #[test]
    fn a_combination_that_does_not_exist_is_refused_by_name() {
        let mut settings = Settings::preset("reynolds").expect("a known preset");
        settings.search = Search::Tiles;
        EngineKind::Gpu.check(&settings).expect("a kernel for each search");
        assert_eq!(
            EngineKind::Cpu.check(&settings).expect_err("no tiles there").to_string(),
            "--search is tiles; accepted is sorted-grid or all-pairs with --engine cpu"
        );
    }
}
