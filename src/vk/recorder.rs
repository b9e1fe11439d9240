//! The recorder of frames: that of [`barrier_proof`], with this program's objects in place of handles, and with the
//! times of passes.

use super::descriptors::DescriptorSet;
use super::device::Device;
use super::dispatch::{fold_groups, slices};
use super::events::Events;
use super::flights::TimedPass;
use super::pipeline::{ComputePipeline, Pipeline};
use super::timestamps::SlotTimestamps;
use crate::error::{Error, Result};
use arrayvec::ArrayVec;
use ash::vk::{self, Handle as _};
use barrier_proof::{Bytes, Journal, Pass, RecordOptions, Resource, Stage};
use bytemuck::Pod;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::Ordering;

/// Most sets of one kernel or draw.
const MOST_SETS: usize = 8;

/// Records one command buffer.
pub struct Recorder<'a> {
    raw: barrier_proof::Recorder<'a>,
    device: &'a Device,
    timestamps: Option<&'a mut SlotTimestamps>,
    /// The step that passes belong to.
    step: Option<u32>,
    /// The part that is written of a mapped buffer whose entries belong to several frames in flight, in bytes.
    entry: Option<(Resource, u64, u64)>,
    /// Whether this recorder ends the commands.
    own: bool,
    events: Option<&'a Events>,
    /// Whether the caller wants the journal.
    asked: bool,
    /// If all that is recorded is watched, whether this is judged.
    judged: Option<bool>,
}

impl<'a> Deref for Recorder<'a> {
    type Target = barrier_proof::Recorder<'a>;

    fn deref(&self) -> &Self::Target {
        &self.raw
    }
}

impl DerefMut for Recorder<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.raw
    }
}

impl<'a> Recorder<'a> {
    pub(super) fn new(
        device: &'a Device,
        commands: vk::CommandBuffer,
        timestamps: Option<&'a mut SlotTimestamps>,
        options: RecordOptions<'a>,
    ) -> Self {
        let asked = options.journal;
        let planted = device.watch.planted();
        let judged = planted.map(|_| options.faults.is_empty());
        let faults = planted.filter(|_| options.faults.is_empty()).unwrap_or(options.faults);
        let options = RecordOptions { journal: asked || judged == Some(true), faults };
        // SAFETY: the caller has begun the commands, of this device, which has the features.
        let raw = unsafe { barrier_proof::Recorder::new(&device.raw, commands, options) };
        let raw = raw.with_labels(device.debug.as_ref()).with_watch(&device.watch);
        Recorder { raw, device, timestamps, step: None, entry: None, own: true, events: None, asked, judged }
    }

    /// With events of the slot, for [`Fault::Event`](super::Fault::Event).
    pub(super) fn with_events(self, events: &'a Events) -> Self {
        // SAFETY: the slot owns them, and has reset them.
        Recorder { raw: unsafe { self.raw.with_events(&events.all) }, events: Some(events), ..self }
    }

    /// Records only passes and barriers, into a host's command buffer: it is not begun, ended, submitted or waited for,
    /// and passes are not timed.
    ///
    /// The host's own commands can be a pass too: [`Recorder::pass`] gives them a label, and notes their accesses in
    /// the journal. The host records them in the pass's `body`, with its own functions.
    ///
    /// # Safety
    /// * `commands` is of the host's device, from a pool of the queue family that `device` was adopted with. It is in
    ///   the recording state, outside a rendering, and stays so until this recorder is dropped; only bodies of passes
    ///   record into it.
    /// * The host submits it at most once, to the queue that `device` was adopted with or ordered with that queue by
    ///   semaphores, and after everything that was recorded or submitted for the same objects before.
    /// * Objects used by the commands, such as a flock, stay alive until the device is done with the commands, or until
    ///   they are reset without having been submitted.
    /// * Before and after are the dependencies that the recorded passes need: `BEFORE_STEPS`, `AFTER_STEPS`, or others
    ///   that include them.
    pub unsafe fn adopt(device: &'a Device, commands: vk::CommandBuffer, options: RecordOptions<'a>) -> Self {
        Recorder { own: false, ..Recorder::new(device, commands, None, options) }
    }

    /// Returns the journal, if one was kept. Ends the recording, unless the commands are a host's.
    pub fn finish(mut self) -> Result<Option<Journal>> {
        if self.is_watched() {
            let stamps = self.timestamps.as_ref().map(|stamps| stamps.bytes());
            self.raw.writes_mapped(stamps);
        }
        if let Some(events) = self.events {
            events.used.store(self.raw.events_used(), Ordering::Relaxed);
        }
        if self.own {
            // SAFETY: the commands are being recorded.
            unsafe { self.device.raw.end_command_buffer(self.commands()) }
                .map_err(Error::vulkan("vkEndCommandBuffer", "frame"))?;
        }
        let (device, commands, asked) = (self.device, self.commands().as_raw(), self.asked);
        let judged = self.judged.filter(|_| self.own);
        let journal = self.raw.finish();
        let (kept, wanted) = if asked { (journal.clone(), journal) } else { (journal, None) };
        if let Some(judged) = judged {
            device.watch.recorded(commands, kept.filter(|_| judged));
        }
        Ok(wanted)
    }

    /// Records a pass: its label and timestamps around what `body` records.
    pub fn pass(&mut self, pass: &Pass<'_>, body: impl FnOnce(&mut Self)) {
        self.raw.begin_pass(pass);
        self.timed(TimedPass { name: pass.name, step: self.step }, pass.stage, body);
        self.raw.end_pass();
    }

    /// Records what `body` does between two timestamps.
    fn timed(&mut self, pass: TimedPass, stage: Stage, body: impl FnOnce(&mut Self)) {
        let query = self.timestamps.as_mut().and_then(|stamps| stamps.next(pass));
        let stamp = |rec: &mut Self, at: u32| {
            if let Some((pool, first)) = query {
                // SAFETY: the pool outlives the commands; each query is written once between two resets.
                unsafe { rec.write_timestamp(stage, pool, first + at) };
            }
        };
        stamp(self, 0);
        body(self);
        stamp(self, 1);
    }

    /// Records what `body` does, timed as a whole under this name instead of pass by pass: timestamps between passes
    /// make a device wait.
    pub fn timed_as_one(&mut self, name: &'static str, body: impl FnOnce(&mut Self)) {
        self.timed(TimedPass { name, step: None }, Stage::ALL_COMMANDS, |rec| {
            let stamps = rec.timestamps.take();
            body(rec);
            rec.timestamps = stamps;
        });
    }

    /// The passes that follow belong to step `step`: a message after a lost device says so.
    pub fn in_step(&mut self, step: u32) {
        self.step = Some(step);
        self.device.flights().recorded = Some(step);
    }

    /// Notes that of this mapped buffer, kernels bound from here on write only these bytes: an entry that belongs to
    /// their frame. For the proof of what the host does.
    pub fn writes_entry(&mut self, of: Resource, from: u64, to: u64) {
        self.entry = Some((of, from, to));
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
        if self.is_watched() {
            self.note_mapped(sets, offsets);
        }
        let sets: ArrayVec<_, MOST_SETS> = sets.iter().map(|set| set.raw).collect();
        // SAFETY: pipeline and sets are alive until the frame's fence and fit each other.
        unsafe {
            self.bind_pipeline(point, *pipeline.raw, &pipeline.shaders);
            self.bind_descriptor_sets(point, pipeline.layout, &sets, offsets);
        }
    }

    /// Notes what of mapped memory is bound. Not all of it is used.
    fn note_mapped(&mut self, sets: &[&DescriptorSet], offsets: &[u32]) {
        for (bytes, &offset) in sets.iter().flat_map(|set| &set.dynamic).zip(offsets) {
            if self.uses(&bytes.name) {
                let offset = u64::from(offset);
                self.reads_mapped([Bytes { from: bytes.from + offset, to: bytes.to + offset, ..bytes.clone() }]);
            }
        }
        for bytes in sets.iter().flat_map(|set| &set.mapped) {
            if self.uses(&bytes.name) {
                let entry = self.entry.filter(|(of, _, _)| *of == *bytes.name);
                let (from, to) = entry.map_or((bytes.from, bytes.to), |(_, from, to)| (from, to));
                self.writes_mapped([Bytes { from, to, ..bytes.clone() }]);
            }
        }
    }

    /// Sets the bound kernel's push constants.
    pub fn push_compute<T: Pod>(&mut self, pipeline: &ComputePipeline, value: &T) {
        let (stages, bytes) = (vk::ShaderStageFlags::COMPUTE, bytemuck::bytes_of(value));
        // SAFETY: the pipeline's layout was made with this range.
        unsafe { self.push_constants(pipeline.0.layout, stages, 0, bytes) };
    }

    /// Runs `groups` workgroups of the bound kernel. More than fit into one dimension are folded into two; the kernels
    /// skip the surplus of the last row.
    pub fn dispatch(&mut self, groups: u64) {
        self.dispatch_for_each(groups, 1);
    }

    /// The same `times` times, at most 65,535: each has a number along z.
    pub fn dispatch_for_each(&mut self, groups: u64, times: u32) {
        let (x, y) = fold_groups(groups);
        // SAFETY: a kernel and its sets are bound; all dimensions are within the guaranteed limit.
        unsafe { self.raw.dispatch([x, y, times]) };
    }

    /// As [`Recorder::dispatch`], with at most `most` workgroups per dispatch, if 65,535 dispatches suffice. The bound
    /// kernel was made
    /// [for slices](ComputePipeline::with_flags).
    pub fn dispatch_in_slices(&mut self, groups: u64, most: u64) {
        if groups <= most {
            return self.dispatch(groups);
        }
        self.device.instance.messages().expect_slices();
        let parts = slices(groups, most).map(|slice| ([0, slice.first_row, 0], [slice.columns, slice.rows, 1]));
        // SAFETY: a kernel that was made for it and its sets are bound; first and last row and the columns are within
        // the guaranteed limit.
        unsafe { self.raw.dispatch_in_parts(parts) };
    }
}
