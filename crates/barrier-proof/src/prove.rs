//! The proof that the listed frames have sufficient synchronization, and none that is redundant.
//!
//! Frames of each kind run under synchronization validation, several in flight: the layer must report nothing, and the
//! [`checker`](crate::checker) must find no conflict in their journals. Then each dependency is left out in turn, and
//! each bit of each mask is removed in turn. Each such mutant must be detected: by a hazard that both the layer and the
//! checker report, or, where the layer cannot detect it, by the checker alone. If neither detects a mutant, the
//! dependency or the bit is redundant.

use crate::between::{between, faulty};
use crate::host::{check_host, check_orders, check_plan};
use crate::kernels::{Kernels, Modules};
use crate::shapes::Shapes;
use crate::sites::{self, sites};
use crate::{Conflict, Fault, Frame, Journal, Message, Rehearsal, Report, check, reliance, widths};
use std::collections::BTreeSet;

pub use crate::proof::{Mutant, Part, Proof};

/// What to prove.
pub struct Program<'a, F, R> {
    /// The kinds of frames.
    pub frames: &'a [F],
    /// Makes what frames of a kind need.
    pub rehearse: &'a dyn Fn(&F) -> R,
    /// The shaders.
    pub modules: &'a dyn Modules,
    /// Faults in every frame, for tests of the proof itself.
    pub planted: &'a [Fault],
    /// What of the program is proven.
    pub scope: Scope<'a>,
}

/// What of a program is proven. A part of it can show what is wrong or missing, but not that something is redundant:
/// other frames may need that.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scope<'a> {
    /// Whether the frames are only some of the program's.
    pub partial: bool,
    /// The only dependency whose mutants are tried, in the frames that have it.
    pub dependency: Option<&'a str>,
}

impl Scope<'_> {
    /// Whether frames or dependencies are left out.
    pub fn is_partial(&self) -> bool {
        self.partial || self.dependency.is_some()
    }
}

/// How far a proof is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Kinds of frames that are done.
    pub done: usize,
    /// All kinds of frames.
    pub frames: usize,
    /// Mutants known so far.
    pub mutants: usize,
}

/// Tries all mutants of the frames of a program. `go_on` is called before each kind of frame and after each mutant, and
/// stops the run by an error.
///
/// # Errors
/// What the rehearsal fails at, or the error of `go_on`.
pub fn prove<R: Rehearsal, E: From<R::Error>>(
    program: &Program<'_, R::Frame, Result<R, R::Error>>,
    mut go_on: impl FnMut(Progress) -> Result<(), E>,
) -> Result<Proof<R::Frame>, E> {
    let &Program { frames, rehearse, modules, planted, scope } = program;
    let mut proof = Proof { partial: scope.is_partial(), ..Proof::default() };
    let mut tried: Vec<Vec<Journal>> = Vec::new();
    let (mut needed, mut ordered) = (BTreeSet::new(), false);
    let (mut kernels, mut recorded, mut needed_sites) = (Kernels::new(modules), BTreeSet::new(), BTreeSet::new());
    for (done, frame) in frames.iter().enumerate() {
        let mut progress = Progress { done, frames: frames.len(), mutants: proof.mutants.len() };
        go_on(progress)?;
        let mut trial = Trial { rehearsal: rehearse(frame)?, dependency: scope.dependency };
        if let Some(name) = scope.dependency {
            let journals = trial.rehearsal.journals(R::SEQUENCE, planted)?;
            if !journals.iter().flat_map(Journal::dependencies).any(|of| of.name == name) {
                continue;
            }
        }
        let (journals, findings) = trial.intact(planted)?;
        journals.iter().for_each(|journal| kernels.check(journal));
        proof.findings.extend(findings.iter().map(|finding| format!("{frame}: {finding}")));
        proof.parts.push(Part { frame: frame.clone(), ran: trial.rehearsal.can_run() });
        // Some searches differ only in their kernels: frames with the same journals need not be tried again.
        if !proof.findings.is_empty() || tried.iter().any(|known| same(known, &journals)) {
            continue;
        }
        let mut findings = trial.host(planted, &mut ordered)?;
        findings.extend(trial.rehearsal.watch().aliases());
        let shapes = Shapes::record(&mut trial.rehearsal, planted)?;
        let findings = findings.into_iter().chain(shapes.conflicts());
        proof.findings.extend(findings.map(|finding| format!("{frame}: {finding}")));
        if !proof.findings.is_empty() {
            continue;
        }
        proof.hosts += usize::from(trial.rehearsal.can_run());
        shapes.note_covered(frame.class(), &mut proof.covered);
        recorded.extend(journals.iter().flat_map(sites));
        needed_sites.extend(sites::needed(&journals, &needed_sites));
        let found = reliance(&journals, &between(&journals));
        needed.extend(found.needed);
        for (name, conflict) in found.unnamed {
            let said =
                format!("{frame}: {name} relies on a dependency that it does not name: alone it leaves {conflict}");
            proof.findings.push(said);
        }
        for dependency in journals.iter().flat_map(Journal::dependencies).filter(|dependency| !dependency.omitted) {
            proof.unneeded.extend(dependency.relies_on.iter().map(|&other| (dependency.name, other)));
        }
        if proof.findings.is_empty() {
            let mut go_on = |mutants| {
                progress.mutants = mutants;
                go_on(progress)
            };
            trial.mutants(&mut proof.mutants, &journals, planted, &mut go_on)?;
            tried.push(journals);
        }
    }
    proof.unneeded.retain(|pair| !needed.contains(pair));
    proof.findings.extend(kernels.findings.iter().cloned());
    if proof.partial {
        proof.unneeded.clear();
        proof.covered.clear();
    } else if proof.findings.is_empty() {
        proof.spare = recorded.difference(&needed_sites).cloned().collect();
        proof.widths = widths(&tried);
    }
    proof.kernels = kernels.modules().len();
    proof.unproven = kernels.findings.len();
    (proof.changes, proof.executed) = (kernels.mutants, kernels.executed.len());
    proof.covered.retain(|_, by| by.is_some());
    Ok(proof)
}

/// Records the frames of a program on another device, whose kernels or rounds differ, for a proof to be
/// [extended](Proof::extend) by: for a device that the layer cannot follow, such as one whose kernels access arrays by
/// address. Frames with the same journals are checked once, except for their kernels. `go_on` is called before each
/// kind of frame, and stops the run by an error.
///
/// # Errors
/// What the rehearsal fails at, or the error of `go_on`.
pub fn recorded<R: Rehearsal, E: From<R::Error>>(
    program: &Program<'_, R::Frame, Result<R, R::Error>>,
    what: &'static str,
    mut go_on: impl FnMut() -> Result<(), E>,
) -> Result<Proof<R::Frame>, E> {
    let &Program { frames, rehearse, modules, .. } = program;
    let mut proof = Proof { recorded: vec![(what, frames.len())], ..Proof::default() };
    let mut kernels = Kernels::new(modules);
    let mut tried: Vec<Vec<Journal>> = Vec::new();
    for frame in frames {
        go_on()?;
        let mut rehearsal = rehearse(frame)?;
        let journals = rehearsal.journals(R::SEQUENCE, &[])?;
        journals.iter().for_each(|journal| kernels.check(journal));
        if tried.iter().any(|known| same(known, &journals)) {
            continue;
        }
        let conflicts = check(&journals).into_iter().map(|conflict| conflict.to_string());
        let found = conflicts.chain(Shapes::record(&mut rehearsal, &[])?.conflicts());
        proof.findings.extend(found.map(|finding| format!("{frame}, {what}: {finding}")));
        tried.push(journals);
    }
    proof.findings.extend(kernels.findings.iter().map(|finding| format!("{what}: {finding}")));
    proof.kernels = kernels.modules().len();
    proof.unproven = kernels.findings.len();
    (proof.changes, proof.executed) = (kernels.mutants, kernels.executed.len());
    Ok(proof)
}

/// Whether passes and dependencies are the same; kernels may differ.
pub fn same(known: &[Journal], journals: &[Journal]) -> bool {
    known.iter().map(|journal| &journal.entries).eq(journals.iter().map(|journal| &journal.entries))
}

/// Frames of one kind.
struct Trial<'a, R> {
    rehearsal: R,
    /// The only dependency that is tried.
    dependency: Option<&'a str>,
}

impl<R: Rehearsal> Trial<'_, R> {
    /// Runs the frames, or only records them if they cannot run. The layer checks much of a frame when it is recorded.
    fn run(&mut self, faults: &[Fault]) -> Result<(Vec<Journal>, Vec<Report>), R::Error> {
        let (journals, messages) = self.rehearsal.with_messages(|rehearsal| match rehearsal.can_run() {
            true => rehearsal.run(R::SEQUENCE, faults),
            false => rehearsal.journals(R::SEQUENCE, faults),
        });
        Ok((journals?, messages.iter().map(Report::read).collect()))
    }

    /// The errors in what the host does for frames that reuse their slots; none for frames that cannot run. Slots and
    /// images are of the same kind in all windowed frames, so all orders of images are tried once: until they are
    /// `ordered`.
    fn host(&mut self, faults: &[Fault], ordered: &mut bool) -> Result<BTreeSet<String>, R::Error> {
        if !self.rehearsal.can_run() {
            return Ok(BTreeSet::new());
        }
        self.rehearsal.watch().start();
        let (journals, messages) = self.rehearsal.with_messages(|rehearsal| rehearsal.run(R::LONG_SEQUENCE, faults));
        let events = self.rehearsal.watch().stop();
        journals?;
        let mut findings = check_host(&events, R::SHARED);
        let plan = self.rehearsal.plan();
        findings.extend(check_plan(&events, &plan));
        if !plan.is_empty() && !std::mem::replace(ordered, true) {
            findings.extend(check_orders(&plan));
        }
        let said = |message: &Message| format!("the layer reports {}", Report::read(message));
        findings.extend(messages.iter().map(said));
        Ok(findings)
    }

    /// The unchanged frames, and their errors.
    fn intact(&mut self, planted: &[Fault]) -> Result<(Vec<Journal>, Vec<String>), R::Error> {
        let (journals, reports) = self.run(planted)?;
        let found = check(&journals);
        let reports = reports.iter().map(|report| format!("the layer reports {report}"));
        let conflicts = found.iter().map(|conflict| format!("the checker finds {conflict}"));
        let mut findings: Vec<String> = reports.chain(conflicts).collect();
        findings.dedup();
        Ok((journals, findings))
    }

    /// Tries every mutant that is not yet detected by both, unless these frames cannot show anything new about it.
    fn mutants<E: From<R::Error>>(
        &mut self,
        mutants: &mut Vec<Mutant>,
        journals: &[Journal],
        planted: &[Fault],
        go_on: &mut impl FnMut(usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut tried = BTreeSet::new();
        for dependency in journals.iter().flat_map(Journal::dependencies) {
            if self.dependency.is_some_and(|only| only != dependency.name) || !tried.insert(dependency.name) {
                continue;
            }
            for bit in std::iter::once(None).chain(dependency.masks.bits().into_iter().map(Some)) {
                let known = |mutant: &Mutant| (mutant.dependency, mutant.bit) == (dependency.name, bit);
                let at = mutants.iter().position(known).unwrap_or_else(|| {
                    mutants.push(Mutant { dependency: dependency.name, bit, ..Mutant::default() });
                    mutants.len() - 1
                });
                let mutant = &mut mutants[at];
                let faulty = || journals.iter().map(|frame| faulty(frame, &mutant.fault())).collect::<Vec<_>>();
                let unknown = || mutant.layer.is_none() && !check(&faulty()).is_subset(&mutant.judged);
                if mutant.checker.is_none() || unknown() {
                    self.mutant(mutant, planted)?;
                }
                go_on(mutants.len())?;
            }
        }
        Ok(())
    }

    fn mutant(&mut self, mutant: &mut Mutant, planted: &[Fault]) -> Result<(), R::Error> {
        let mut faults = planted.to_vec();
        faults.push(mutant.fault());
        let (journals, mut reports) = self.run(&faults)?;
        if !self.rehearsal.can_run() {
            // The checker alone judges these. Without a swapchain, a picture stands for its image, under another name.
            reports.clear();
        }
        let conflicts = check(&journals);
        let (said, unsaid): (Vec<_>, Vec<_>) =
            reports.into_iter().partition(|report| conflicts.iter().any(|conflict| report.says(conflict)));
        // A direct conflict, and one within a frame, is clearest.
        let clearest = |conflicts: &mut dyn Iterator<Item = &Conflict>| {
            conflicts.min_by_key(|conflict| (!conflict.direct, conflict.across_frames)).cloned()
        };
        let agreed = clearest(&mut conflicts.iter().filter(|conflict| said.iter().any(|report| report.says(conflict))));
        if self.rehearsal.can_run() {
            mutant.ran = true;
            mutant.judged.extend(conflicts.iter().cloned());
        }
        // A conflict that both report is preferred to one that the checker alone found in frames of another kind.
        let checker = agreed.clone().or(mutant.checker.take()).or_else(|| clearest(&mut conflicts.iter()));
        mutant.checker = checker;
        mutant.layer = mutant.layer.take().or(agreed);
        for report in unsaid {
            if !mutant.unexplained.contains(&report) {
                mutant.unexplained.push(report);
            }
        }
        Ok(())
    }
}
