//! The recorder of commands.
//!
//! A recorder is a thin wrapper of one command buffer: passes get a debug label and two timestamps, dependencies are recorded as
//! the caller gives them (except for requested faults), and on request a journal notes all of it.

use super::barrier::{Dependency, ImageDependency, ImageRef, Masks, Stage};
use super::descriptors::DescriptorSet;
use super::device::{Device, with_c_name};
use super::dispatch::{fold_groups, slices};
use super::events::Events;
use super::fault::Fault;
use super::flights::TimedPass;
use super::journal::{BoundShader, DependencyEntry, Dispatch, Journal, JournalEntry, PassEntry};
use super::pass::Pass;
use super::pipeline::{ComputePipeline, Pipeline};
use super::timestamps::SlotTimestamps;
use super::watch::{Bytes, HostEvent};
use crate::error::{Error, Result};
use arrayvec::ArrayVec;
use ash::vk::{self, Handle as _};
use bytemuck::Pod;
use std::panic::Location;

/// Most dependencies of one command, and sets of one kernel or draw.
const MOST_TOGETHER: usize = 8;

/// Options of a recording.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecordOptions<'a> {
    /// Keep a [`Journal`].
    pub journal: bool,
    /// Add these faults to the recording, to show the effect of a dependency.
    pub faults: &'a [Fault],
}

/// Records one command buffer.
pub struct Recorder<'a> {
    pub(super) device: &'a Device,
    pub(super) commands: vk::CommandBuffer,
    pub(super) timestamps: Option<&'a mut SlotTimestamps>,
    journal: Option<Journal>,
    pub(super) faults: &'a [Fault],
    /// For dependencies that are recorded by events.
    pub(super) events: Option<&'a mut Events>,
    /// Renderings begun so far, and whether the last is not ended.
    pub(super) renderings: u32,
    pub(super) rendering: bool,
    /// The step that passes belong to.
    step: Option<u32>,
    /// Whether this recorder ends the commands.
    own: bool,
    /// Whether the host's acts are noted, and so what the commands read and write of buffers that it can access.
    pub(super) watched: bool,
    pub(super) reads: Vec<Bytes>,
    pub(super) writes: Vec<Bytes>,
    /// Resources that the current pass uses.
    used: Vec<&'static str>,
    /// The push constants, for the journal.
    push: Vec<u32>,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(
        device: &'a Device,
        commands: vk::CommandBuffer,
        timestamps: Option<&'a mut SlotTimestamps>,
        options: RecordOptions<'a>,
    ) -> Self {
        let journal = options.journal.then(Journal::default);
        let faults = options.faults;
        let (reads, writes, used) = (Vec::new(), Vec::new(), Vec::new());
        Recorder {
            device,
            commands,
            timestamps,
            journal,
            faults,
            events: None,
            renderings: 0,
            rendering: false,
            step: None,
            own: true,
            watched: device.watch.is_on(),
            reads,
            writes,
            used,
            push: Vec::new(),
        }
    }

    /// Records only passes and barriers, into a host's command buffer: it is not begun, ended, submitted or waited for, and passes
    /// are not timed.
    ///
    /// The host's own commands can be a pass too: [`Recorder::pass`] gives them a label, and notes their accesses in the journal.
    /// The host records them in the pass's `body`, with its own functions.
    ///
    /// # Safety
    /// * `commands` is of the host's device, from a pool of the queue family that `device` was adopted with. It is in the
    ///   recording state, outside a rendering, and stays so until this recorder is dropped; only bodies of passes record into it.
    /// * The host submits it at most once, to the queue that `device` was adopted with or ordered with that queue by
    ///   semaphores, and after everything that was recorded or submitted for the same objects before.
    /// * Objects used by the commands, such as a flock, stay alive until the device is done with the commands, or until they are
    ///   reset without having been submitted.
    /// * Before and after are the dependencies that the recorded passes need:
    ///   [`BEFORE_STEPS`](crate::frame::BEFORE_STEPS), [`AFTER_STEPS`](crate::frame::AFTER_STEPS), or others that include them.
    pub unsafe fn adopt(device: &'a Device, commands: vk::CommandBuffer, options: RecordOptions<'a>) -> Self {
        Recorder { own: false, ..Recorder::new(device, commands, None, options) }
    }

    /// Returns the journal, if one was kept. Ends the recording, unless the commands are a host's.
    pub fn finish(self) -> Result<Option<Journal>> {
        if self.own {
            // SAFETY: the commands are being recorded.
            unsafe { self.device.raw.end_command_buffer(self.commands) }
                .map_err(Error::vulkan("vkEndCommandBuffer", "frame"))?;
        }
        let Recorder { reads, writes, .. } = self;
        self.device.watch.note(|| HostEvent::End { commands: self.commands.as_raw(), reads, writes });
        Ok(self.journal)
    }

    /// Records a pass: its label and timestamps around what `body` records.
    pub fn pass(&mut self, pass: &Pass<'_>, body: impl FnOnce(&mut Self)) {
        self.plant_before(pass.name);
        let rendering = self.rendering.then_some(self.renderings);
        self.note(|| {
            JournalEntry::Pass(PassEntry { name: pass.name, uses: pass.uses.to_vec(), rendering, dispatches: 0 })
        });
        if self.watched {
            self.used.clear();
            self.used.extend(pass.uses.iter().map(|of| of.resource));
        }
        self.begin_label(pass.name);
        let query = self
            .timestamps
            .as_mut()
            .and_then(|stamps| stamps.begin(self.commands, TimedPass { name: pass.name, step: self.step }, pass.stage));
        body(self);
        if let (Some(query), Some(stamps)) = (query, self.timestamps.as_mut()) {
            stamps.end(self.commands, query, pass.stage);
        }
        self.end_label();
    }

    /// The passes that follow belong to step `step`: a message after a lost device says so.
    pub fn in_step(&mut self, step: u32) {
        self.step = Some(step);
        self.device.flights().recorded = Some(step);
    }

    /// Records a memory dependency.
    #[track_caller]
    pub fn barrier(&mut self, dependency: Dependency) {
        self.barriers(&[dependency]);
    }

    /// Records memory dependencies as one command. They do not chain with each other.
    #[track_caller]
    pub fn barriers(&mut self, dependencies: &[Dependency]) {
        let site = Some(Location::caller());
        let mut barriers = ArrayVec::<_, MOST_TOGETHER>::new();
        for (at, dependency) in dependencies.iter().enumerate() {
            let recorded = self.dependency(dependency.name, dependency.masks(), || DependencyEntry {
                name: dependency.name,
                hazards: dependency.hazards,
                guards: dependency.guards.to_vec(),
                relies_on: dependency.relies_on,
                reason: dependency.reason,
                same_command: at > 0,
                site,
                ..DependencyEntry::default()
            });
            barriers.extend(recorded.map(Masks::to_vk));
        }
        if !barriers.is_empty() {
            let info = vk::DependencyInfo::default().memory_barriers(&barriers);
            self.order(&info, dependencies.iter().any(|dependency| self.by_event(dependency.name)));
        }
    }

    /// Records an image's dependency and layout transition.
    #[track_caller]
    pub fn image_barrier(&mut self, dependency: ImageDependency) {
        let site = Some(Location::caller());
        let recorded = self.dependency(dependency.name, dependency.masks(), || DependencyEntry {
            name: dependency.name,
            hazards: dependency.hazards,
            guards: vec![dependency.image.name],
            relies_on: dependency.relies_on,
            layouts: Some((dependency.old_layout, dependency.new_layout)),
            reason: dependency.reason,
            site,
            ..DependencyEntry::default()
        });
        if let Some(masks) = recorded {
            let barriers = [dependency.to_vk(masks)];
            let info = vk::DependencyInfo::default().image_memory_barriers(&barriers);
            self.order(&info, self.by_event(dependency.name));
        }
    }

    /// Notes that the submission of these commands waits, in `stage`, until the display has released `image`. The wait is not
    /// a command: [`FrameSlot::submit`](super::FrameSlot::submit) gets the same stage.
    pub fn acquires(&mut self, image: ImageRef, stage: Stage) {
        self.note(|| JournalEntry::Acquire { image: image.name, stage });
    }

    /// Notes that the display takes `image` once these commands are done.
    pub fn presents(&mut self, image: ImageRef) {
        self.note(|| JournalEntry::Present { image: image.name });
    }

    /// Notes that the host reads `buffer` once it has waited for these commands.
    pub fn host_reads(&mut self, buffer: &'static str) {
        self.note(|| JournalEntry::HostRead { buffer });
    }

    fn note(&mut self, entry: impl FnOnce() -> JournalEntry) {
        if let Some(journal) = &mut self.journal {
            journal.entries.push(entry());
        }
    }

    /// Notes a dependency, and returns its masks after the faults; `None` if it is left out.
    fn dependency(&mut self, name: &str, masks: Masks, entry: impl FnOnce() -> DependencyEntry) -> Option<Masks> {
        let left = self.faults.iter().try_fold(masks, |masks, fault| fault.apply(name, masks));
        let (masks, omitted) = (left.unwrap_or(masks), left.is_none());
        self.note(|| JournalEntry::Dependency(DependencyEntry { masks, omitted, ..entry() }));
        left
    }

    fn plant_before(&mut self, pass: &str) {
        let faults = self.faults;
        for fault in faults {
            if let Fault::Plant { before, dependency } = fault
                && before == pass
                && !self.rendering
            {
                self.barrier(*dependency);
            }
        }
    }

    /// Binds a kernel and its descriptor sets; `offsets` belong to the sets' dynamic uniform buffers.
    pub fn bind_compute(&mut self, pipeline: &ComputePipeline, sets: &[&DescriptorSet], offsets: &[u32]) {
        self.bind(vk::PipelineBindPoint::COMPUTE, &pipeline.0, sets, offsets);
    }

    pub(super) fn bind(
        &mut self,
        point: vk::PipelineBindPoint,
        pipeline: &Pipeline,
        sets: &[&DescriptorSet],
        offsets: &[u32],
    ) {
        if let Some(journal) = &mut self.journal
            && let Some(JournalEntry::Pass(PassEntry { name: pass, .. })) = journal.entries.last()
        {
            let bound = pipeline.shaders.iter().map(|shader| BoundShader { pass, shader: shader.clone() });
            journal.bound.extend(bound);
            self.push.clear();
        }
        if self.watched {
            self.note_bound(sets, offsets);
        }
        let sets: ArrayVec<_, MOST_TOGETHER> = sets.iter().map(|set| set.raw).collect();
        // SAFETY: pipeline and sets are alive until the frame's fence and fit each other.
        unsafe {
            self.device.raw.cmd_bind_pipeline(self.commands, point, *pipeline.raw);
            self.device.raw.cmd_bind_descriptor_sets(self.commands, point, pipeline.layout, 0, &sets, offsets);
        }
    }

    /// Notes what of mapped memory is bound. Not all of it is used.
    fn note_bound(&mut self, sets: &[&DescriptorSet], offsets: &[u32]) {
        let used = |bytes: &Bytes| self.used.iter().any(|used| *used == bytes.name);
        let parameters = sets.iter().flat_map(|set| &set.dynamic).zip(offsets).filter(|(bytes, _)| used(bytes));
        self.reads.extend(parameters.map(|(bytes, &offset)| {
            let offset = u64::from(offset);
            Bytes { from: bytes.from + offset, to: bytes.to + offset, ..bytes.clone() }
        }));
        self.writes.extend(sets.iter().flat_map(|set| set.mapped.iter().filter(|bytes| used(bytes)).cloned()));
    }

    /// Sets the bound kernel's push constants.
    pub fn push_compute<T: Pod>(&mut self, pipeline: &ComputePipeline, value: &T) {
        let (stages, bytes) = (vk::ShaderStageFlags::COMPUTE, bytemuck::bytes_of(value));
        if self.journal.is_some() {
            self.push = bytemuck::pod_collect_to_vec(bytes);
        }
        // SAFETY: the pipeline's layout was made with this range.
        unsafe { self.device.raw.cmd_push_constants(self.commands, pipeline.0.layout, stages, 0, bytes) };
    }

    /// Runs `groups` workgroups of the bound kernel. More than fit into one dimension are folded into two; the
    /// kernels skip the surplus of the last row.
    pub fn dispatch(&mut self, groups: u64) {
        let (x, y) = fold_groups(groups);
        self.note_dispatch(1, [x, y]);
        // SAFETY: a kernel and its sets are bound; both dimensions are within the guaranteed limit.
        unsafe { self.device.raw.cmd_dispatch(self.commands, x, y, 1) };
    }

    /// The same, with at most `most` workgroups per dispatch, if 65,535 dispatches suffice. The bound kernel was made
    /// [for slices](ComputePipeline::with_flags).
    pub fn dispatch_in_slices(&mut self, groups: u64, most: u64) {
        if groups <= most {
            return self.dispatch(groups);
        }
        self.device.instance.messages().expect_slices();
        let (mut dispatches, mut all) = (0, [0, 0]);
        for slice in slices(groups, most) {
            (dispatches, all) = (dispatches + 1, [slice.columns, slice.first_row + slice.rows]);
            // SAFETY: a kernel that was made for it and its sets are bound; first and last row and the columns are
            // within the guaranteed limit.
            unsafe {
                self.device.raw.cmd_dispatch_base(self.commands, 0, slice.first_row, 0, slice.columns, slice.rows, 1);
            }
        }
        self.note_dispatch(dispatches, all);
    }

    fn note_dispatch(&mut self, dispatches: u32, groups: [u32; 2]) {
        let Some(journal) = &mut self.journal else { return };
        if let Some(JournalEntry::Pass(pass)) = journal.entries.last_mut() {
            pass.dispatches += dispatches;
        }
        if let Some(BoundShader { shader, .. }) = journal.bound.last() {
            let dispatch = Dispatch { shader: shader.clone(), groups, push: self.push.clone() };
            journal.dispatches.push(dispatch);
        }
    }

    fn begin_label(&self, name: &str) {
        let Some(debug) = &self.device.debug else { return };
        with_c_name(name, |name| {
            let label = vk::DebugUtilsLabelEXT::default().label_name(name);
            // SAFETY: the commands are being recorded.
            unsafe { debug.cmd_begin_debug_utils_label(self.commands, &label) };
        });
    }

    fn end_label(&self) {
        if let Some(debug) = &self.device.debug {
            // SAFETY: begun by `begin_label` on the same commands.
            unsafe { debug.cmd_end_debug_utils_label(self.commands) };
        }
    }
}
