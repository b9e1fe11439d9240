//! The proof that the frame has enough synchronization, and not too much.
//!
//! Frames of every kind fly under synchronization validation, several at a time: the layer has to be silent, and the
//! [`checker`](super::checker) has to find nothing in their journals. Then every dependency is left out in turn, and every bit
//! of every mask taken out in turn. Each such mutant has to be found out: the layer names a hazard between two passes which the
//! checker, too, finds no longer in order; or, where the layer does not look, the checker alone does. A mutant that nobody
//! finds out means that the dependency, or the bit, does nothing.

use super::between::{between, faulty};
use super::checker::check;
use super::conflict::Conflict;
use super::frames::FrameSpec;
use super::layer::Report;
use super::rehearsal::Rehearsal;
use super::reliance::reliance;
use crate::error::{Error, Result};
use crate::vk::{Device, Fault, Journal, MaskBit, Messages, Surface};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Steps of the frames that fly: two in one frame, none, and one.
const STEPS: [u32; 3] = [2, 0, 1];

/// A dependency left out or weakened, and who found out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mutant {
    /// The dependency.
    pub dependency: &'static str,
    /// The bit taken out of it; none when it was left out.
    pub bit: Option<MaskBit>,
    /// What the layer said first that the checker agrees with.
    pub layer: Option<Conflict>,
    /// What the checker found; what the layer said, if it spoke, else what follows from nothing else.
    pub checker: Option<Conflict>,
    /// Messages of the layer that the checker does not agree with.
    pub unexplained: Vec<Report>,
    /// Whether it flew under validation somewhere, and was not only judged by its journal.
    pub flown: bool,
    /// What the checker finds in frames in which it flew: what the layer could have named.
    pub asked: BTreeSet<Conflict>,
}

/// Frames that took part.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Their kind.
    pub frame: FrameSpec,
    /// Whether they flew, and were not only recorded.
    pub flown: bool,
}

/// What came out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proof {
    /// The frames.
    pub parts: Vec<Part>,
    /// What is wrong with frames that nothing was taken out of. With anything here no mutant is tried.
    pub findings: Vec<String>,
    /// Dependencies, each with one in its `relies_on` without which it was enough in all of these frames.
    pub unneeded: BTreeSet<(&'static str, &'static str)>,
    /// Every mutant.
    pub mutants: Vec<Mutant>,
}

impl Mutant {
    /// Whether nobody found it out.
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
    /// Mutants that nobody found out: dependencies or bits that do nothing.
    pub fn survivors(&self) -> impl Iterator<Item = &Mutant> {
        self.mutants.iter().filter(|mutant| mutant.survived())
    }

    /// Whether the frames are in order, every mutant was found out, every dependency leans on all that it names, and layer
    /// and checker agree.
    pub fn holds(&self) -> bool {
        self.findings.is_empty()
            && self.unneeded.is_empty()
            && !self.mutants.is_empty()
            && self.mutants.iter().all(|mutant| !mutant.survived() && mutant.unexplained.is_empty())
    }
}

/// Tries all mutants of these frames. `planted` are faults that every frame has, for tests of the proof
/// itself. Without a `surface`, windowed frames are recorded only. `go_on` is told how many mutants have been tried, and
/// stops the run by an error.
///
/// # Errors
/// [`Error::NoDevice`] for a device without validation; [`Error::Vulkan`] when it is lost; and what `go_on` says.
pub fn prove<E: From<Error>>(
    device: &Arc<Device>,
    surface: Option<&Surface>,
    frames: &[FrameSpec],
    planted: &[Fault],
    mut go_on: impl FnMut(usize) -> Result<(), E>,
) -> Result<Proof, E> {
    if !device.instance().validating() {
        return Err(
            Error::NoDevice("a proof needs the validation layer, and the device was opened without".into()).into()
        );
    }
    let messages = device.instance().messages().clone();
    let mut proof = Proof::default();
    let mut tried: Vec<Vec<Journal>> = Vec::new();
    let mut needed = BTreeSet::new();
    for frame in frames {
        let mut trial = Trial { rehearsal: Rehearsal::new(device, frame, surface)?, messages: &messages };
        let (journals, findings) = trial.intact(planted)?;
        proof.findings.extend(findings.iter().map(|finding| format!("{frame}: {finding}")));
        proof.parts.push(Part { frame: frame.clone(), flown: trial.rehearsal.can_fly() });
        // Some searches differ in their kernels only: what was asked of the same frames need not be asked again.
        if !proof.findings.is_empty() || tried.contains(&journals) {
            continue;
        }
        let found = reliance(&journals, &between(&journals));
        needed.extend(found.needed);
        for (name, conflict) in found.unnamed {
            let said =
                format!("{frame}: {name} leans on a dependency that it does not name: alone it leaves {conflict}");
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
    Ok(proof)
}

/// Frames of one kind, and what is said about them.
struct Trial<'a> {
    rehearsal: Rehearsal,
    messages: &'a Messages,
}

impl Trial<'_> {
    /// Flies the frames, or records them where they cannot fly.
    fn fly(&mut self, faults: &[Fault]) -> Result<(Vec<Journal>, Vec<Report>)> {
        if !self.rehearsal.can_fly() {
            return Ok((self.rehearsal.journals(&STEPS, faults)?, Vec::new()));
        }
        self.messages.take();
        self.messages.expect(true);
        let journals = self.rehearsal.fly(&STEPS, faults);
        self.messages.expect(false);
        Ok((journals?, self.messages.take().iter().map(Report::read).collect()))
    }

    /// The frames as they are, and what is wrong with them.
    fn intact(&mut self, planted: &[Fault]) -> Result<(Vec<Journal>, Vec<String>)> {
        let (journals, reports) = self.fly(planted)?;
        let found = check(&journals);
        let reports = reports.iter().map(|report| format!("the layer reports {report}"));
        let conflicts = found.iter().map(|conflict| format!("the checker finds {conflict}"));
        let mut findings: Vec<String> = reports.chain(conflicts).collect();
        findings.dedup();
        Ok((journals, findings))
    }

    /// Tries every mutant that was not found out by both already, unless these frames have nothing new to show of it.
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
        let (journals, reports) = self.fly(&faults)?;
        let conflicts = check(&journals);
        let (said, unsaid): (Vec<_>, Vec<_>) =
            reports.into_iter().partition(|report| conflicts.iter().any(|conflict| report.says(conflict)));
        // What follows from nothing else, and within one frame, is clearest.
        let clearest = |conflicts: &mut dyn Iterator<Item = &Conflict>| {
            conflicts.min_by_key(|conflict| (!conflict.direct, conflict.across_frames)).cloned()
        };
        let agreed = clearest(&mut conflicts.iter().filter(|conflict| said.iter().any(|report| report.says(conflict))));
        if self.rehearsal.can_fly() {
            mutant.flown = true;
            mutant.asked.extend(conflicts.iter().cloned());
        }
        // What both say is worth more than what the checker alone finds in frames of another kind.
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
