//! The engines: where a flock is stepped. One table row for each.

use super::named::choices;
use super::search::{SEARCHES, Search};
use crate::error::{Error, Result};

choices! {
    /// Where a flock is stepped.
    enum EngineKind in ENGINES as "engine" {
        Gpu, "gpu", "kernels on the GPU";
        /// By [`crate::cpu`].
        Cpu, "cpu", "all CPU cores";
        /// By [`crate::cpu`].
        CpuSerial, "cpu-serial", "one CPU core";
    }
}

impl EngineKind {
    /// Whether the CPU steps the flock.
    pub fn is_cpu(self) -> bool {
        self != EngineKind::Gpu
    }

    /// The searches that it supports, its default first.
    pub fn searches(self) -> Vec<Search> {
        match self {
            EngineKind::Gpu => SEARCHES.iter().map(|info| info.search).collect(),
            EngineKind::Cpu | EngineKind::CpuSerial => vec![Search::SortedGrid, Search::AllPairs],
        }
    }

    /// Fails unless the engine supports `search`.
    ///
    /// # Errors
    /// [`Error::Setting`] naming the searches that it supports.
    pub fn check(self, search: Search) -> Result<()> {
        let searches = self.searches();
        if searches.contains(&search) {
            return Ok(());
        }
        let names: Vec<&str> = searches.iter().map(|search| search.name()).collect();
        Err(Error::setting("search", search, format!("{} with engine {self}", names.join(" or "))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_combination_that_does_not_exist_is_refused_by_name() {
        EngineKind::Gpu.check(Search::Tiles).expect("a kernel for each search");
        assert_eq!(
            EngineKind::Cpu.check(Search::Tiles).expect_err("no tiles there").to_string(),
            "search is tiles; accepted is sorted-grid or all-pairs with engine cpu"
        );
    }
}
