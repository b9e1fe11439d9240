//! The proof that the listed frames have sufficient synchronization, and none that is redundant.
//!
//! Frames of each kind run under synchronization validation, several in flight: the layer must report nothing, and the
//! [`checker`](super::checker) must find no conflict in their journals. Then each dependency is left out in turn, and each bit of
//! each mask is removed in turn. Each such mutant must be detected: by a hazard that both the layer and the checker report, or,
//! where the layer cannot detect it, by the checker alone. If neither detects a mutant, the dependency or the bit is redundant.

use super::between::{between, faulty};
use super::checker::check;
use super::conflict::Conflict;
use super::frames::FrameSpec;
use super::host::{check_host, check_orders, check_plan};
use super::kernels::{BarrierMutant, Kernels};
use super::layer::Report;
use super::places::{self, Place, places};
use super::rehearsal::{IN_FLIGHT, Rehearsal};
use super::reliance::reliance;
use super::shapes::{Covered, Shapes};
use super::width::{Width, widths};
use crate::error::{Error, Result};
use crate::vk::{Device, Fault, Journal, MaskBit, Messages, Surface};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Steps of the frames that run: two, none, and one.
const STEPS: [u32; 3] = [2, 0, 1];

/// Steps of the frames in which slots are reused: more frames than slots.
const LONG: [u32; 4 * IN_FLIGHT] = [2, 0, 1, 3, 1, 2, 0, 3, 1, 2, 0, 1];

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
    pub flown: bool,
    /// Conflicts that the checker finds in frames that ran: those that the layer could have reported.
    pub asked: BTreeSet<Conflict>,
}

/// Frames of one kind in the proof.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Their kind.
    pub frame: FrameSpec,
    /// Whether they ran, and were not only recorded.
    pub flown: bool,
}

/// The result of the proof.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proof {
    /// The frames.
    pub parts: Vec<Part>,
    /// Errors in the unchanged frames. If there are any, no mutant is tried.
    pub findings: Vec<String>,
    /// Dependencies, each with one in its `relies_on` that it did not need in any of these frames.
    pub unneeded: BTreeSet<(&'static str, &'static str)>,
    /// Every mutant.
    pub mutants: Vec<Mutant>,
    /// Places that record a dependency which no frame needs there, because another place records it too.
    pub spare: BTreeSet<Place>,
    /// What each dependency needs of its masks.
    pub widths: Vec<Width>,
    /// Every `barrier()` of the kernels, left out in turn.
    pub barriers: BTreeSet<BarrierMutant>,
    /// Kernels that were compared with what their passes declare.
    pub kernels: usize,
    /// Accesses of theirs that their passes do not declare, and those that may race with others.
    pub unproven: usize,
    /// Dispatches that were executed on ranges of values, because their kernels' text does not show that invocations keep apart.
    pub executed: usize,
    /// Where others make a dependency unnecessary.
    pub covered: Covered,
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

impl Proof {
    /// Mutants that were not detected: redundant dependencies or bits.
    pub fn survivors(&self) -> impl Iterator<Item = &Mutant> {
        self.mutants.iter().filter(|mutant| mutant.survived())
    }

    /// Dependencies with more than they need.
    pub fn wide(&self) -> impl Iterator<Item = &Width> {
        self.widths.iter().filter(|width| !width.is_exact())
    }

    /// Whether the frames have no errors, every mutant was detected, every dependency relies on all that it names, and layer and
    /// checker agree.
    pub fn holds(&self) -> bool {
        self.findings.is_empty()
            && self.unneeded.is_empty()
            && self.spare.is_empty()
            && self.wide().next().is_none()
            && self.barriers.iter().all(|barrier| barrier.race.is_some())
            && !self.mutants.is_empty()
            && self.mutants.iter().all(|mutant| !mutant.survived() && mutant.unexplained.is_empty())
    }
}

/// Tries all mutants of these frames. `planted` are faults in every frame, for tests of the proof itself. Without a `surface`,
/// windowed frames are only recorded. `go_on` receives the count of mutants tried, and stops the run by an error.
///
/// # Errors
/// [`Error::NoDevice`] for a device without validation; [`Error::Vulkan`] when it is lost; or the error of `go_on`.
pub fn prove<E: From<Error>>(
    device: &Arc<Device>,
    surface: Option<&Surface>,
    frames: &[FrameSpec],
    planted: &[Fault],
    mut go_on: impl FnMut(usize) -> Result<(), E>,
) -> Result<Proof, E> {
    if !device.instance().validating() {
        return Err(
            Error::NoDevice("a proof needs the validation layer, but the device was opened without it".into()).into()
        );
    }
    let messages = device.instance().messages().clone();
    let mut proof = Proof::default();
    let mut tried: Vec<Vec<Journal>> = Vec::new();
    let (mut needed, mut ordered) = (BTreeSet::new(), false);
    let (mut kernels, mut recorded, mut needed_places) = (Kernels::default(), BTreeSet::new(), BTreeSet::new());
    for frame in frames {
        let mut trial = Trial { rehearsal: Rehearsal::new(device, frame, surface)?, messages: &messages };
        let (journals, findings) = trial.intact(planted)?;
        journals.iter().for_each(|journal| kernels.check(journal));
        proof.findings.extend(findings.iter().map(|finding| format!("{frame}: {finding}")));
        proof.parts.push(Part { frame: frame.clone(), flown: trial.rehearsal.can_fly() });
        // Some searches differ only in their kernels: frames with the same journals need not be tried again.
        if !proof.findings.is_empty() || tried.iter().any(|known| same(known, &journals)) {
            continue;
        }
        let findings = trial.host(planted, &mut ordered)?;
        let shapes = Shapes::record(&mut trial.rehearsal, planted)?;
        let findings = findings.into_iter().chain(shapes.conflicts());
        proof.findings.extend(findings.map(|finding| format!("{frame}: {finding}")));
        if !proof.findings.is_empty() {
            continue;
        }
        proof.hosts += usize::from(trial.rehearsal.can_fly());
        shapes.note_covered(frame.kind, &mut proof.covered);
        recorded.extend(journals.iter().flat_map(places));
        needed_places.extend(places::needed(&journals, &needed_places));
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
            trial.mutants(&mut proof.mutants, &journals, planted, &mut go_on)?;
            tried.push(journals);
        }
    }
    proof.unneeded.retain(|pair| !needed.contains(pair));
    proof.findings.extend(kernels.findings.iter().cloned());
    if proof.findings.is_empty() {
        proof.spare = recorded.difference(&needed_places).cloned().collect();
        proof.widths = widths(&tried);
    }
    proof.kernels = kernels.modules().len();
    proof.unproven = kernels.findings.len();
    (proof.barriers, proof.executed) = (kernels.barriers, kernels.executed.len());
    proof.covered.retain(|_, by| by.is_some());
    Ok(proof)
}

/// Records these frames on another device, whose kernels or rounds differ, and adds errors in them to `proof`: for a device that the
/// layer cannot follow, such as one whose kernels access arrays by address. Frames that it records as the proof's device does are
/// not checked again, except for their kernels.
///
/// # Errors
/// As [`Rehearsal::new`].
pub fn recorded(device: &Arc<Device>, what: &'static str, frames: &[FrameSpec], proof: &mut Proof) -> Result<()> {
    let mut kernels = Kernels::default();
    let mut tried: Vec<Vec<Journal>> = Vec::new();
    for frame in frames {
        let mut rehearsal = Rehearsal::new(device, frame, None)?;
        let journals = rehearsal.journals(&STEPS, &[])?;
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
    proof.kernels += kernels.modules().len();
    proof.barriers.extend(kernels.barriers);
    proof.unproven += kernels.findings.len();
    proof.executed += kernels.executed.len();
    proof.recorded.push((what, frames.len()));
    Ok(())
}

/// Whether passes and dependencies are the same; kernels may differ.
pub fn same(known: &[Journal], journals: &[Journal]) -> bool {
    known.iter().map(|journal| &journal.entries).eq(journals.iter().map(|journal| &journal.entries))
}

/// Frames of one kind, and the layer's messages about them.
struct Trial<'a> {
    rehearsal: Rehearsal,
    messages: &'a Messages,
}

impl Trial<'_> {
    /// Runs the frames, or only records them if they cannot run. The layer checks much of a frame when it is recorded.
    fn fly(&mut self, faults: &[Fault]) -> Result<(Vec<Journal>, Vec<Report>)> {
        self.messages.take();
        self.messages.expect(true);
        let journals = match self.rehearsal.can_fly() {
            true => self.rehearsal.fly(&STEPS, faults),
            false => self.rehearsal.journals(&STEPS, faults),
        };
        self.messages.expect(false);
        Ok((journals?, self.messages.take().iter().map(Report::read).collect()))
    }

    /// The errors in what the host does for frames that reuse their slots; none for frames that cannot run. Slots and images are of
    /// the same kind in all windowed frames, so all orders of images are tried once: until they are `ordered`.
    fn host(&mut self, faults: &[Fault], ordered: &mut bool) -> Result<BTreeSet<String>> {
        if !self.rehearsal.can_fly() {
            return Ok(BTreeSet::new());
        }
        let watch = self.rehearsal.device().clone();
        watch.watch().start();
        self.messages.expect(true);
        let journals = self.rehearsal.fly(&LONG, faults);
        self.messages.expect(false);
        let events = watch.watch().stop();
        journals?;
        let mut findings = check_host(&events);
        let plan = self.rehearsal.plan();
        findings.extend(check_plan(&events, &plan));
        if !plan.is_empty() && !std::mem::replace(ordered, true) {
            findings.extend(check_orders(&plan));
        }
        findings
            .extend(self.messages.take().iter().map(|message| format!("the layer reports {}", Report::read(message))));
        Ok(findings)
    }

    /// The unchanged frames, and their errors.
    fn intact(&mut self, planted: &[Fault]) -> Result<(Vec<Journal>, Vec<String>)> {
        let (journals, reports) = self.fly(planted)?;
        let found = check(&journals);
        let reports = reports.iter().map(|report| format!("the layer reports {report}"));
        let conflicts = found.iter().map(|conflict| format!("the checker finds {conflict}"));
        let mut findings: Vec<String> = reports.chain(conflicts).collect();
        findings.dedup();
        Ok((journals, findings))
    }

    /// Tries every mutant that is not yet detected by both, unless these frames cannot show anything new about it.
    fn mutants<E: From<Error>>(
        &mut self,
        mutants: &mut Vec<Mutant>,
        journals: &[Journal],
        planted: &[Fault],
        go_on: &mut impl FnMut(usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut tried = BTreeSet::new();
        for dependency in journals.iter().flat_map(Journal::dependencies) {
            if !tried.insert(dependency.name) {
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
                let unknown = || mutant.layer.is_none() && !check(&faulty()).is_subset(&mutant.asked);
                if mutant.checker.is_none() || unknown() {
                    self.mutant(mutant, planted)?;
                }
                go_on(mutants.len())?;
            }
        }
        Ok(())
    }

    fn mutant(&mut self, mutant: &mut Mutant, planted: &[Fault]) -> Result<()> {
        let mut faults = planted.to_vec();
        faults.push(mutant.fault());
        let (journals, mut reports) = self.fly(&faults)?;
        if !self.rehearsal.can_fly() {
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
        if self.rehearsal.can_fly() {
            mutant.flown = true;
            mutant.asked.extend(conflicts.iter().cloned());
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
