//! The recorder of commands.
//!
//! A recorder is a thin wrapper of one command buffer: passes, groups of them and barriers get debug labels,
//! dependencies are recorded as the caller gives them (except for requested faults), and on request a journal notes all
//! of it. Other commands are in [`commands`](self).

use crate::journal::{Attachment, BoundShader, Dispatch, JournalEntry, PassEntry};
use crate::{
    Bytes, Dependency, DependencyEntry, Fault, Hazard, HostEvent, ImageDependency, ImageRef, Journal, Masks, Pass,
    Resource, Shader, Stage, Watch,
};
use arrayvec::{ArrayString, ArrayVec};
use ash::ext;
use ash::vk::{self, Handle as _};
use std::ffi::{CStr, CString};
use std::fmt::{self, Write};
use std::panic::Location;

/// Most dependencies of one command.
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
    pub(crate) device: &'a ash::Device,
    pub(crate) commands: vk::CommandBuffer,
    debug: Option<&'a ext::debug_utils::Device>,
    journal: Option<Journal>,
    faults: &'a [Fault],
    /// For dependencies that are recorded by events; those before `events_used` are used.
    events: &'a [vk::Event],
    events_used: usize,
    /// Renderings begun so far, and whether the last is not ended.
    pub(crate) renderings: u32,
    pub(crate) rendering: bool,
    /// Of the last rendering.
    pub(crate) attachments: Vec<Attachment>,
    /// Set if the host's operations are noted, and so what the commands read and write of buffers that it can access.
    watch: Option<&'a Watch>,
    reads: Vec<Bytes>,
    writes: Vec<Bytes>,
    /// Resources that the current pass uses.
    used: Vec<Resource>,
    /// The push constants, for the journal.
    push: Vec<u32>,
    /// Shaders of the pipeline that was bound last.
    bound: usize,
}

impl<'a> Recorder<'a> {
    /// Records into `commands`, which someone else begins, ends and submits.
    ///
    /// # Safety
    /// `commands` is of `device`, and stays in the recording state, outside a rendering, as long as this recorder is
    /// used; bodies of passes may record into it too. The device has the features `synchronization2` and, for
    /// renderings, `dynamicRendering`.
    pub unsafe fn new(device: &'a ash::Device, commands: vk::CommandBuffer, options: RecordOptions<'a>) -> Self {
        Recorder {
            device,
            commands,
            debug: None,
            journal: options.journal.then(Journal::default),
            faults: options.faults,
            events: &[],
            events_used: 0,
            renderings: 0,
            rendering: false,
            attachments: Vec::new(),
            watch: None,
            reads: Vec::new(),
            writes: Vec::new(),
            used: Vec::new(),
            push: Vec::new(),
            bound: 0,
        }
    }

    /// Labels passes, groups and barriers with these functions, which are of the same device.
    #[must_use]
    pub fn with_labels(mut self, debug: Option<&'a ext::debug_utils::Device>) -> Self {
        self.debug = debug;
        self
    }

    /// Notes what the commands read and write of mapped memory, if `watch` is started.
    #[must_use]
    pub fn with_watch(mut self, watch: &'a Watch) -> Self {
        self.watch = watch.is_on().then_some(watch);
        self
    }

    /// Records the dependencies that [`Fault::Event`] names by these events.
    ///
    /// # Safety
    /// They are of the same device, unsignaled, used by no other commands, and alive until the device is done with
    /// these.
    #[must_use]
    pub unsafe fn with_events(mut self, events: &'a [vk::Event]) -> Self {
        self.events = events;
        self
    }

    /// The journal, if one was kept.
    pub fn finish(self) -> Option<Journal> {
        let Recorder { watch, reads, writes, commands, journal, .. } = self;
        if let Some(watch) = watch {
            watch.note(|| HostEvent::End { commands: commands.as_raw(), reads, writes });
        }
        journal
    }

    /// The command buffer, for commands that a recorder does not have.
    pub fn commands(&self) -> vk::CommandBuffer {
        self.commands
    }

    /// Records a pass: its label around what `body` records.
    pub fn pass(&mut self, pass: &Pass<'_>, body: impl FnOnce(&mut Self)) {
        self.begin_pass(pass);
        body(self);
        self.end_pass();
    }

    /// Begins a pass.
    pub fn begin_pass(&mut self, pass: &Pass<'_>) {
        self.plant_before(pass.name);
        let rendering = self.rendering.then_some(self.renderings);
        let attachments = rendering.filter(|_| self.journal.is_some()).map(|_| self.attachments.clone());
        self.note(|| {
            JournalEntry::Pass(PassEntry {
                name: pass.name,
                uses: pass.uses.to_vec(),
                rendering,
                attachments: attachments.unwrap_or_default(),
                dispatches: 0,
            })
        });
        if self.watch.is_some() {
            self.used.clear();
            self.used.extend(pass.uses.iter().map(|of| of.resource));
        }
        self.begin_label(pass.name);
    }

    /// Ends the pass that was begun last.
    pub fn end_pass(&mut self) {
        self.end_label();
    }

    /// Begins a group of passes and barriers: a label around theirs, `[name]`, and `[name number]` with a number.
    pub fn begin_group(&mut self, name: &str, number: Option<u32>) {
        if self.debug.is_some() {
            let mut label = Mark::new();
            // A longer name is cut.
            let _ = match number {
                Some(number) => write!(label, "{NO_PASS}{name} {number}]"),
                None => write!(label, "{NO_PASS}{name}]"),
            };
            self.begin_label(&label);
        }
    }

    /// Ends the group that was begun last.
    pub fn end_group(&mut self) {
        self.end_label();
    }

    fn begin_label(&self, name: &str) {
        let Some(debug) = self.debug else { return };
        with_label(name, |label| {
            // SAFETY: the commands are being recorded.
            unsafe { debug.cmd_begin_debug_utils_label(self.commands, label) };
        });
    }

    fn end_label(&self) {
        if let Some(debug) = self.debug {
            // SAFETY: begun by `begin_label` on the same commands.
            unsafe { debug.cmd_end_debug_utils_label(self.commands) };
        }
    }

    /// Labels the barrier that is recorded next: its hazards and its name.
    fn mark(&self, name: &str, hazards: &[Hazard]) {
        let Some(debug) = self.debug else { return };
        let mut mark = Mark::new();
        // A longer name is cut.
        let _ = write!(mark, "{NO_PASS}{}] {name}", Listed(hazards));
        with_label(&mark, |label| {
            // SAFETY: the commands are being recorded.
            unsafe { debug.cmd_insert_debug_utils_label(self.commands, label) };
        });
    }

    /// Records a memory dependency.
    #[track_caller]
    pub fn barrier(&mut self, dependency: Dependency) {
        self.barriers(&[dependency]);
    }

    /// Records memory dependencies as one command, at most eight. They do not chain with each other.
    #[track_caller]
    pub fn barriers(&mut self, dependencies: &[Dependency]) {
        let site = Some(Location::caller());
        let mut barriers = ArrayVec::<_, MOST_TOGETHER>::new();
        for (at, dependency) in dependencies.iter().enumerate() {
            let recorded = self.dependency(dependency.name, dependency.masks(), || DependencyEntry {
                name: dependency.name,
                hazards: dependency.hazards,
                guards: dependency.guards.concat(),
                relies_on: dependency.relies_on,
                reason: dependency.reason,
                same_command: at > 0,
                site,
                ..DependencyEntry::default()
            });
            if recorded.is_some() {
                self.mark(dependency.name, dependency.hazards);
            }
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
            guards: vec![dependency.image.resource],
            relies_on: dependency.relies_on,
            layouts: Some((dependency.old_layout, dependency.new_layout)),
            reason: dependency.reason,
            site,
            ..DependencyEntry::default()
        });
        if let Some(masks) = recorded {
            self.mark(dependency.name, dependency.hazards);
            let barriers = [dependency.to_vk(masks)];
            let info = vk::DependencyInfo::default().image_memory_barriers(&barriers);
            self.order(&info, self.by_event(dependency.name));
        }
    }

    /// Notes that the submission of these commands waits, in `stage`, until the display has released `image`. The wait
    /// is not a command: the submission names the same stage for its semaphore.
    pub fn acquires(&mut self, image: ImageRef, stage: Stage) {
        self.note(|| JournalEntry::Acquire { image: image.resource, stage });
    }

    /// Notes that the display takes `image` once these commands are done.
    pub fn presents(&mut self, image: ImageRef) {
        self.note(|| JournalEntry::Present { image: image.resource });
    }

    /// Notes that the host reads `buffer` once it has waited for these commands.
    pub fn host_reads(&mut self, buffer: Resource) {
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

    /// How many of the events are used so far, from the first on.
    pub fn events_used(&self) -> usize {
        self.events_used
    }

    fn by_event(&self, name: &str) -> bool {
        self.faults.iter().any(|fault| matches!(fault, Fault::Event(wanted) if wanted == name))
    }

    /// Records a barrier, or an event in its place.
    fn order(&mut self, info: &vk::DependencyInfo<'_>, by_event: bool) {
        let event = self.events.get(self.events_used).copied().filter(|_| by_event);
        self.events_used += usize::from(event.is_some());
        // SAFETY: the commands are being recorded outside a rendering; images and event are alive, and the event is
        // unsignaled.
        unsafe {
            match event {
                None => self.device.cmd_pipeline_barrier2(self.commands, info),
                Some(event) => {
                    self.device.cmd_set_event2(self.commands, event, info);
                    self.device.cmd_wait_events2(self.commands, &[event], std::slice::from_ref(info));
                }
            }
        }
    }

    /// Whether the host's operations are noted, so that it matters to call [`Recorder::reads_mapped`] and
    /// [`Recorder::writes_mapped`].
    pub fn is_watched(&self) -> bool {
        self.watch.is_some()
    }

    /// Notes that the commands read this part of mapped memory.
    pub fn reads_mapped(&mut self, bytes: impl IntoIterator<Item = Bytes>) {
        self.reads.extend(bytes);
    }

    /// Notes that the commands write this part of mapped memory.
    pub fn writes_mapped(&mut self, bytes: impl IntoIterator<Item = Bytes>) {
        self.writes.extend(bytes);
    }

    /// Notes that the shaders of the pipeline bound last have other names for these resources: each name, and the
    /// resource that is bound. For shaders that run with several.
    pub fn bound_as(&mut self, aliases: &[(Resource, Resource)]) {
        if let Some(journal) = &mut self.journal {
            let last = journal.bound.iter_mut().rev().take(self.bound);
            last.for_each(|bound| bound.aliases = aliases.to_vec());
        }
    }

    /// Whether the current pass uses the resource of this name. Known only while the host's operations are noted.
    pub fn uses(&self, name: &str) -> bool {
        self.used.iter().any(|used| *used == name)
    }

    pub(crate) fn note_bound(&mut self, shaders: &[Shader]) {
        if let Some(journal) = &mut self.journal
            && let Some(JournalEntry::Pass(PassEntry { name: pass, .. })) = journal.entries.last()
        {
            let bound = |shader: &Shader| BoundShader { pass, shader: shader.clone(), aliases: Vec::new() };
            journal.bound.extend(shaders.iter().map(bound));
            self.bound = shaders.len();
            self.push.clear();
        }
    }

    pub(crate) fn note_push(&mut self, offset: u32, bytes: &[u8]) {
        if self.journal.is_some() {
            let word = |word: &[u8]| u32::from_le_bytes(std::array::from_fn(|at| word.get(at).copied().unwrap_or(0)));
            let first = offset as usize / 4;
            self.push.resize(self.push.len().max(first), 0);
            self.push.splice(first..self.push.len().min(first + bytes.len().div_ceil(4)), bytes.chunks(4).map(word));
        }
    }

    pub(crate) fn note_dispatch(&mut self, dispatches: u32, groups: [u32; 3]) {
        let Some(journal) = &mut self.journal else { return };
        if let Some(JournalEntry::Pass(pass)) = journal.entries.last_mut() {
            pass.dispatches += dispatches;
        }
        if let Some(BoundShader { shader, .. }) = journal.bound.last() {
            journal.dispatches.push(Dispatch { shader: shader.clone(), groups, push: self.push.clone() });
        }
    }
}

/// What the labels of groups and barriers begin with: they are of no pass.
pub(crate) const NO_PASS: &str = "[";

/// A label of a group or a barrier, without an allocation.
type Mark = ArrayString<128>;

/// Hazards with commas between them.
struct Listed<'a>(&'a [Hazard]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        self.0.iter().try_for_each(|hazard| write!(f, "{}{hazard}", std::mem::replace(&mut between, ", ")))
    }
}

fn with_label(name: &str, with: impl FnOnce(&vk::DebugUtilsLabelEXT<'_>)) {
    with_c_name(name, |name| with(&vk::DebugUtilsLabelEXT::default().label_name(name)));
}

/// Gives `with` the name as C has it: without an allocation if it is short, and not at all if it has a zero in it.
pub fn with_c_name(name: &str, with: impl FnOnce(&CStr)) {
    let (mut bytes, long) = ([0; 64], (name.len() >= 64).then(|| CString::new(name)));
    let name = match &long {
        Some(long) => long.as_deref().ok(),
        None => {
            bytes[..name.len()].copy_from_slice(name.as_bytes());
            CStr::from_bytes_with_nul(&bytes[..=name.len()]).ok()
        }
    };
    if let Some(name) = name {
        with(name);
    }
}
