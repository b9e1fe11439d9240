//! What has to find a fault.

use starlings::vk::Journal;
use starlings_cli::sync::between::hazards;
use starlings_cli::sync::kernels::{Kernels, OwnModules};
use starlings_cli::sync::{between, check, reliance, sites, widths};
use std::collections::BTreeSet;

/// What looks at the frames.
#[derive(Clone, Copy, Debug)]
pub enum Finder {
    /// The rules of the memory model: a conflict.
    Checker,
    /// The narrowest masks: the frames are correct, and the name is that of a dependency that is wider.
    Width,
    /// The places of dependencies: one that is not needed.
    Places,
    /// What each dependency says that it is for.
    Said,
    /// What each dependency relies on.
    Reliance,
    /// The SPIR-V of the kernels against the declared uses.
    Kernels,
}

impl Finder {
    /// What it finds wrong in these frames, in words.
    pub fn finds(self, frames: &[Journal]) -> Vec<String> {
        let conflicts = || check(frames).iter().map(ToString::to_string).collect::<Vec<_>>();
        match self {
            Finder::Checker => conflicts(),
            Finder::Width => {
                assert_eq!(conflicts(), Vec::<String>::new(), "wide, but correct");
                let widths = widths(&[frames.to_vec()]);
                widths.iter().filter(|width| !width.is_exact()).map(|width| width.name.to_owned()).collect()
            }
            Finder::Places => {
                let all: BTreeSet<_> = frames.iter().flat_map(sites).collect();
                all.difference(&sites::needed(frames, &BTreeSet::new())).map(ToString::to_string).collect()
            }
            Finder::Said => {
                let between = between(frames);
                let mut found = Vec::new();
                for dependency in frames.iter().flat_map(Journal::dependencies) {
                    let conflicts = &between[dependency.name];
                    let is = hazards(conflicts);
                    let guarded: BTreeSet<_> = conflicts.iter().map(|conflict| conflict.resource).collect();
                    let said: BTreeSet<_> = dependency.hazards.iter().copied().collect();
                    let says: BTreeSet<_> = dependency.guards.iter().copied().collect();
                    if !is.is_subset(&said) || !guarded.is_subset(&says) {
                        found.push(format!("{} says {said:?} of {says:?}", dependency.name));
                    }
                }
                found
            }
            Finder::Reliance => {
                let found = reliance(frames, &between(frames));
                found.unnamed.iter().map(|(name, conflict)| format!("{name} alone leaves {conflict}")).collect()
            }
            Finder::Kernels => {
                let mut kernels = Kernels::new(&OwnModules);
                frames.iter().for_each(|journal| kernels.check(journal));
                kernels.findings.into_iter().collect()
            }
        }
    }
}
