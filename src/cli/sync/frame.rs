//! A frame as recorded, with what its dependencies stand between: what every format prints.

use crate::cli::failure::Failure;
use crate::cli::numbers::counted;
use starlings::flock::EngineKind;
use starlings::sync::{self, Between, FrameSpec, HOST, PRESENT, Rehearsal};
use starlings::vk::{DependencyEntry, Device, Hazard, Journal, JournalEntry};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A frame to print.
pub struct Frame {
    /// Its kind.
    pub spec: FrameSpec,
    /// Simulation steps in it.
    pub steps: u32,
    /// The frame as recorded.
    pub journal: Journal,
    /// What its dependencies stand between.
    pub between: Between,
    /// What passes of such frames touch.
    resources: BTreeSet<&'static str>,
    /// Dependencies, each with one that it is not enough without in such frames.
    needed: BTreeSet<(&'static str, &'static str)>,
}

/// From which pass to which a dependency leads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    /// Whether `from` is a pass of the frame before, or of the step before.
    pub from_before: bool,
    /// The producer.
    pub from: &'static str,
    /// The consumer.
    pub to: &'static str,
    /// What would go wrong between the two.
    pub hazards: Vec<Hazard>,
}

impl Frame {
    /// From which passes to which the dependency `name` leads, in the order of the frame.
    pub fn arrows(&self, name: &str) -> Vec<Arrow> {
        let mut known: BTreeMap<_, Vec<Hazard>> = BTreeMap::new();
        for conflict in self.between.get(name).into_iter().flatten() {
            if conflict.consumer == name {
                continue; // its own change of layout
            }
            let (from, before) = match self.place(conflict.producer) {
                Some(place) => {
                    (conflict.producer, conflict.across_frames || Some(place) >= self.place(conflict.consumer))
                }
                // An image in the wrong layout is nobody's doing: then it leads from who has used the image last.
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

    /// The pass that has used `resource` last when the dependency `name` is recorded, and whether in the frame before.
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

    /// What a dependency guards, of what frames of this kind have: it is written once, for all kinds.
    pub fn guards(&self, dependency: &DependencyEntry) -> Vec<&'static str> {
        let has = |guard: &&&str| self.resources.contains(**guard);
        dependency.guards.iter().filter(has).copied().collect()
    }

    /// The dependencies that one leans on in frames of this kind, likewise.
    pub fn relies_on(&self, dependency: &DependencyEntry) -> Vec<&'static str> {
        let needs = |other: &&&'static str| self.needed.contains(&(dependency.name, **other));
        dependency.relies_on.iter().filter(needs).copied().collect()
    }

    /// Records it, with so many steps.
    pub fn record(device: &Arc<Device>, spec: FrameSpec, steps: u32) -> Result<Frame, Failure> {
        let mut rehearsal = Rehearsal::new(device, &spec, None)?;
        let journal = rehearsal.journals(&[steps], &[])?.remove(0);
        // Some dependencies matter only between two steps of one frame, some only to a frame without steps: what they
        // stand between is told from frames of all sorts.
        let frames = rehearsal.journals(&[2, 0, 1], &[])?;
        let uses = frames.iter().flat_map(Journal::passes).flat_map(|pass| &pass.uses);
        let resources = uses.map(|of| of.resource).collect();
        let between = sync::between(&frames);
        let needed = sync::reliance(&frames, &between).needed;
        Ok(Frame { between, resources, needed, spec, steps, journal })
    }
}
