//! A frame as recorded, with the conflicts that its dependencies resolve: the input of every format.

use crate::cli::failure::Failure;
use crate::cli::numbers::counted;
use starlings::flock::EngineKind;
use starlings::sync::{self, Between, Conflict, FrameSpec, HOST, PRESENT, Rehearsal};
use starlings::vk::{DependencyEntry, Device, Hazard, Journal, JournalEntry};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A frame to print.
pub struct Frame {
    pub spec: FrameSpec,
    pub steps: u32,
    pub journal: Journal,
    /// The conflicts that each dependency resolves.
    pub between: Between,
    /// Resources that passes of such frames use.
    resources: BTreeSet<&'static str>,
    /// Dependencies, each with another that it relies on in such frames.
    needed: BTreeSet<(&'static str, &'static str)>,
}

/// An arrow of a dependency.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    /// Whether `from` is in the previous frame or step.
    pub from_before: bool,
    pub from: &'static str,
    pub to: &'static str,
    pub hazards: Vec<Hazard>,
}

impl Frame {
    /// The arrows of the dependency `name`, in the order of the frame.
    pub fn arrows(&self, name: &str) -> Vec<Arrow> {
        let mut known: BTreeMap<_, Vec<Hazard>> = BTreeMap::new();
        for conflict in self.between.get(name).into_iter().flatten() {
            if conflict.consumer == name {
                continue; // its own change of layout
            }
            let (from, before) = match self.place(conflict.producer) {
                Some(_) => (conflict.producer, self.is_from_before(conflict)),
                // No pass produces a wrong layout: the arrow starts at the last user of the image.
                None => self.last_user(conflict.resource, name),
            };
            let hazards = known.entry((before, from, conflict.consumer)).or_default();
            if !hazards.contains(&conflict.hazard) {
                hazards.push(conflict.hazard);
            }
        }
        let arrow = |((from_before, from, to), hazards)| Arrow { from_before, from, to, hazards };
        let mut arrows: Vec<Arrow> = known.into_iter().map(arrow).collect();
        arrows.sort_by_key(|arrow| (!arrow.from_before, self.place(arrow.from), self.place(arrow.to)));
        arrows
    }

    /// Whether the producer belongs to the previous frame, or to the previous step of the same frame.
    pub fn is_from_before(&self, conflict: &Conflict) -> bool {
        let [from, to] = [conflict.producer, conflict.consumer].map(|party| self.place(party));
        conflict.across_frames || (from.is_some() && from >= to)
    }

    /// What happens in the frame, each pass once.
    pub fn nodes(&self) -> Vec<&'static str> {
        let mut nodes: Vec<&'static str> = Vec::new();
        for entry in &self.journal.entries {
            let node = match entry {
                JournalEntry::Pass(pass) => pass.name,
                JournalEntry::Present { .. } => PRESENT,
                JournalEntry::HostRead { .. } => HOST,
                _ => continue,
            };
            if !nodes.contains(&node) {
                nodes.push(node);
            }
        }
        nodes
    }

    fn place(&self, node: &str) -> Option<usize> {
        self.nodes().iter().position(|known| *known == node)
    }

    /// The last pass to use `resource` before the dependency `name`, and whether it is in the previous frame.
    fn last_user(&self, resource: &str, name: &str) -> (&'static str, bool) {
        let here = self
            .journal
            .entries
            .iter()
            .position(|entry| matches!(entry, JournalEntry::Dependency(dependency) if dependency.name == name));
        let (before, after) = self.journal.entries.split_at(here.unwrap_or(0));
        let user = |entries: &[JournalEntry]| {
            entries.iter().rev().find_map(|entry| match entry {
                JournalEntry::Pass(pass) if pass.uses.iter().any(|of| of.resource == resource) => Some(pass.name),
                JournalEntry::Present { image } if *image == resource => Some(PRESENT),
                _ => None,
            })
        };
        match user(before) {
            Some(pass) => (pass, false),
            None => (user(after).unwrap_or(PRESENT), true),
        }
    }

    /// What the frame is.
    pub fn title(&self) -> String {
        let steps = counted(self.steps, "step");
        let FrameSpec { kind, settings, .. } = &self.spec;
        let engine = match settings.engine {
            EngineKind::Gpu => String::new(),
            cpu => format!("engine {cpu}, "),
        };
        format!("{kind} frame of {}, {steps}, {engine}search {}", settings.preset, settings.search)
    }

    /// The resources that a dependency guards in frames of this kind; the code lists those of all kinds.
    pub fn guards(&self, dependency: &DependencyEntry) -> Vec<&'static str> {
        let has = |guard: &&&str| self.resources.contains(**guard);
        dependency.guards.iter().filter(has).copied().collect()
    }

    /// The dependencies that it relies on in frames of this kind, likewise.
    pub fn relies_on(&self, dependency: &DependencyEntry) -> Vec<&'static str> {
        let needs = |other: &&&'static str| self.needed.contains(&(dependency.name, **other));
        dependency.relies_on.iter().filter(needs).copied().collect()
    }

    /// Records a frame of `spec` with `steps` steps.
    pub fn record(device: &Arc<Device>, spec: FrameSpec, steps: u32) -> Result<Frame, Failure> {
        let mut rehearsal = Rehearsal::new(device, &spec, None)?;
        let journal = rehearsal.journals(&[steps], &[])?.remove(0);
        // Some dependencies matter only between two steps of one frame, some only in a frame without steps: the conflicts are
        // collected from all these frames.
        let frames = rehearsal.journals(&[2, 0, 1], &[])?;
        let uses = frames.iter().flat_map(Journal::passes).flat_map(|pass| &pass.uses);
        let resources = uses.map(|of| of.resource).collect();
        let between = sync::between(&frames);
        let needed = sync::reliance(&frames, &between).needed;
        Ok(Frame { between, resources, needed, spec, steps, journal })
    }
}
