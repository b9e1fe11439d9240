//! A frame as recorded, with the conflicts that its dependencies resolve: the input of every format.

use crate::Result;
use crate::cli::numbers::counted;
use crate::sync::{self, Arrow, Between, Conflict, FrameSpec, Rehearsal, Rehearse};
use starlings::flock::EngineKind;
use starlings::vk::{DependencyEntry, Device, Journal};
use std::collections::BTreeSet;
use std::sync::Arc;

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

impl Frame {
    /// The arrows of the dependency `name`, in the order of the frame.
    pub fn arrows(&self, name: &str) -> Vec<Arrow> {
        sync::arrows(&self.journal, self.between.get(name).into_iter().flatten(), name)
    }

    /// Whether the producer belongs to the previous frame, or to the previous step of the same frame.
    pub fn is_from_before(&self, conflict: &Conflict) -> bool {
        conflict.is_from_before(&self.nodes())
    }

    /// What happens in the frame, each pass once.
    pub fn nodes(&self) -> Vec<&'static str> {
        sync::nodes(&self.journal)
    }

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
        dependency.guards.iter().map(|guard| guard.name()).filter(|guard| self.resources.contains(guard)).collect()
    }

    /// The dependencies that it relies on in frames of this kind, likewise.
    pub fn relies_on(&self, dependency: &DependencyEntry) -> Vec<&'static str> {
        let needs = |other: &&&'static str| self.needed.contains(&(dependency.name, **other));
        dependency.relies_on.iter().filter(needs).copied().collect()
    }

    pub fn record(device: &Arc<Device>, spec: FrameSpec, steps: u32) -> Result<Frame> {
        let mut rehearsal = Rehearsal::new(device, &spec, None)?;
        let journal = rehearsal.journals(&[steps], &[])?.remove(0);
        // Some dependencies matter only between two steps of one frame, some only in a frame without steps: the
        // conflicts are collected from all these frames.
        let frames = rehearsal.journals(&[2, 0, 1], &[])?;
        let uses = frames.iter().flat_map(Journal::passes).flat_map(|pass| &pass.uses);
        let resources = uses.map(|of| of.resource.name()).collect();
        let between = sync::between(&frames);
        let needed = sync::reliance(&frames, &between).needed;
        Ok(Frame { between, resources, needed, spec, steps, journal })
    }
}
