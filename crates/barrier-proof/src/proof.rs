//! What a proof has found.

use crate::kernels::KernelMutant;
use crate::shapes::Covered;
use crate::width::excess;
use crate::{Conflict, Fault, Frame, MaskBit, Report, Site, Width, names};
use std::collections::BTreeSet;
use std::fmt;

/// A dependency left out or weakened, and what detected this.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mutant {
    /// The dependency.
    pub dependency: &'static str,
    /// The bit removed from it; none if the dependency was left out.
    pub bit: Option<MaskBit>,
    /// The layer's first report that the checker confirms.
    pub layer: Option<Conflict>,
    /// A conflict that the checker found: the layer's if there is one, else preferably a direct one.
    pub checker: Option<Conflict>,
    /// Messages of the layer that the checker does not confirm.
    pub unexplained: Vec<Report>,
    /// Whether it ran under validation in some frame, and was not only checked by its journal.
    pub ran: bool,
    /// Conflicts that the checker finds in frames that ran: those that the layer could have reported.
    pub judged: BTreeSet<Conflict>,
}

/// Frames of one kind in the proof.
#[derive(Clone, Debug, PartialEq)]
pub struct Part<F> {
    /// Their kind.
    pub frame: F,
    /// Whether they ran, and were not only recorded.
    pub ran: bool,
}

/// The result of the proof.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof<F: Frame> {
    /// The frames.
    pub parts: Vec<Part<F>>,
    /// Errors in the unchanged frames. If there are any, no mutant is tried.
    pub findings: Vec<String>,
    /// Dependencies, each with one in its `relies_on` that it did not need in any of these frames.
    pub unneeded: BTreeSet<(&'static str, &'static str)>,
    /// Every mutant.
    pub mutants: Vec<Mutant>,
    /// Whether these are only some of the program's frames or dependencies: then nothing is redundant for sure.
    pub partial: bool,
    /// Sites that record a dependency which no frame needs there, because another site records it too.
    pub spare: BTreeSet<Site>,
    /// What each dependency needs of its masks.
    pub widths: Vec<Width>,
    /// Every attribute of each `barrier()` and atomic of the kernels, changed in turn.
    pub changes: BTreeSet<KernelMutant>,
    /// Kernels that were compared with what their passes declare.
    pub kernels: usize,
    /// Accesses of theirs that their passes do not declare, and those that may race with others.
    pub unproven: usize,
    /// Dispatches that were executed on ranges of values, because their kernels' text does not show that invocations
    /// keep apart.
    pub executed: usize,
    /// Where others make a dependency unnecessary.
    pub covered: Covered<F::Class>,
    /// Kinds of frames that were only recorded, on other devices.
    pub recorded: Vec<(&'static str, usize)>,
    /// Kinds of frames of which what the host does was checked.
    pub hosts: usize,
}

impl Mutant {
    /// Whether it was not detected.
    pub fn survived(&self) -> bool {
        self.layer.is_none() && self.checker.is_none()
    }

    /// The fault.
    pub fn fault(&self) -> Fault {
        let name = self.dependency.to_owned();
        self.bit.map_or(Fault::Omit(name.clone()), |bit| Fault::Weaken(name, bit))
    }
}

impl<F: Frame> Default for Proof<F> {
    fn default() -> Self {
        Proof {
            parts: Vec::new(),
            findings: Vec::new(),
            unneeded: BTreeSet::new(),
            mutants: Vec::new(),
            partial: false,
            spare: BTreeSet::new(),
            widths: Vec::new(),
            changes: BTreeSet::new(),
            kernels: 0,
            unproven: 0,
            executed: 0,
            covered: Covered::new(),
            recorded: Vec::new(),
            hosts: 0,
        }
    }
}

impl<F: Frame> Proof<F> {
    /// Adds what was found in frames that were [recorded](crate::prove::recorded) on another device.
    pub fn extend(&mut self, other: Proof<F>) {
        self.findings.extend(other.findings);
        self.changes.extend(other.changes);
        self.kernels += other.kernels;
        self.unproven += other.unproven;
        self.executed += other.executed;
        self.recorded.extend(other.recorded);
    }

    /// Mutants that were not detected: redundant dependencies or bits.
    pub fn survivors(&self) -> impl Iterator<Item = &Mutant> {
        self.mutants.iter().filter(|mutant| mutant.survived())
    }

    /// Dependencies with more than they need.
    pub fn wide(&self) -> impl Iterator<Item = &Width> {
        self.widths.iter().filter(|width| !width.is_exact())
    }

    /// Whether the frames have no errors, every mutant was detected, every dependency relies on all that it names, and
    /// layer and checker agree.
    pub fn holds(&self) -> bool {
        self.findings.is_empty()
            && self.unneeded.is_empty()
            && self.spare.is_empty()
            && self.wide().next().is_none()
            && !self.changes.iter().any(KernelMutant::survived)
            && !self.mutants.is_empty()
            && self.mutants.iter().all(|mutant| (self.partial || !mutant.survived()) && mutant.unexplained.is_empty())
    }
}

impl<F: Frame> fmt::Display for Proof<F> {
    /// What is wrong, missing or redundant, and the totals.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.findings {
            writeln!(f, "wrong: {finding}")?;
        }
        for (name, other) in &self.unneeded {
            writeln!(f, "wrong: {name} names {other}, but is sufficient without it")?;
        }
        for mutant in &self.mutants {
            let what = mutant.bit.map_or("the whole of it".to_owned(), names::bit);
            if mutant.survived() {
                writeln!(f, "redundant: {}, {what}", mutant.dependency)?;
            }
            for report in &mutant.unexplained {
                writeln!(f, "unexplained: without {what} of {}, the layer reports {report}", mutant.dependency)?;
            }
        }
        for site in &self.spare {
            writeln!(f, "redundant: {site}")?;
        }
        for width in self.wide() {
            let excess: Vec<String> = excess(width).into_iter().map(names::bit).collect();
            let (from, to) = names::scopes(&width.needed);
            let name = width.name;
            writeln!(f, "wide: {name}: {} is more than needed; enough is {from} => {to}", excess.join(", "))?;
        }
        for KernelMutant { module, place, change, .. } in self.changes.iter().filter(|change| change.survived()) {
            writeln!(f, "redundant: {place} of {module}, {change}")?;
        }
        let by_layer = self.mutants.iter().filter(|mutant| mutant.layer.is_some()).count();
        let (all, survivors) = (self.mutants.len(), self.survivors().count());
        let by_checker = all - survivors - by_layer;
        write!(
            f,
            "{all} mutants: {by_layer} found by layer and checker, {by_checker} by the checker alone, \
             {survivors} by neither; {} kernels",
            self.kernels
        )
    }
}
