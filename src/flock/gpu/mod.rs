//! The flock on the device: its buffers, its kernels, and one method for each pass of a step.
//!
//! Those methods record a pass and nothing else. What orders one pass after another stands in
//! [`record_steps`](crate::frame::record_steps), where it can be read in one piece.

mod bitonic;
mod buffers;
mod crowded;
mod movement;
mod observer;
mod passes;
mod state;
mod upload;

pub use bitonic::{BitonicGrid, EMPTY_CELL, exchanged_strides, merged_blocks};
pub use buffers::FlockBuffers;
pub use observer::{Observation, Observer};
pub(crate) use passes::{SCAN_DOWNSWEEP, SCAN_REDUCE, SCAN_SPINE};
pub use upload::{HostState, StateUpload};

use self::buffers::set_layout;
use super::crowding::{BUDGET, Work};
use super::layout::{ArrayAddresses, Crowding, Grid, StepParams};
use super::memory::{self, Sizes};
use super::search::GridKind;
use super::settings::Settings;
use super::spawn::Start;
use crate::error::Result;
use crate::vk::{ComputePipeline, DescriptorSet, Device, Resource, SetLayout};
use glam::Vec3;
use std::sync::Arc;

/// Steps that one submission can hold: the room for their parameters.
pub const MAX_STEPS_PER_SUBMISSION: u32 = 16;

/// Where the parameters of one step lie, a dynamic offset into the ring; and what is to be seen in it, in which frame slot.
/// Of a step that the processor has taken, the part of the ring that its state lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepSlot(u32, Option<(Observation, usize)>);

/// A flock on a device.
pub struct Flock {
    grid_count: ComputePipeline,
    scan_reduce: ComputePipeline,
    scan_spine: ComputePipeline,
    scan_downsweep: ComputePipeline,
    sort_scatter: ComputePipeline,
    steer: ComputePipeline,
    set: DescriptorSet,
    /// Only for a search on it.
    bitonic: Option<BitonicGrid>,
    /// Whether the last step of each frame is observed without being asked for.
    shows_neighborhoods: bool,
    /// Only for a flock that is observed.
    observer: Option<Observer>,
    /// Only for a flock with a leader.
    find_leader: Option<ComputePipeline>,
    /// Only where the processor steps the flock.
    upload: Option<StateUpload>,
    buffers: FlockBuffers,
    /// For kernels that find their arrays by these: see `glsl/include/array.glsl`.
    addresses: Option<ArrayAddresses>,
    settings: Settings,
    grid: Grid,
    params_stride: u64,
    step: u32,
    cursor: Option<Vec3>,
    /// How crowded the cells were before step `counted`.
    crowding: Crowding,
    counted: u32,
    /// The last step in each frame slot, whose crowding has not been read yet.
    unread: Vec<Option<u32>>,
    /// Workgroups of `steer` that one dispatch of the steps last prepared takes.
    groups_at_once: u64,
    /// Candidates that one dispatch and one submission may visit.
    budget: f64,
    device: Arc<Device>,
}

impl Flock {
    /// Builds the kernels of `settings.law` and spawns the flock. `slots` is the number of frames in flight.
    ///
    /// # Errors
    /// [`crate::Error::Setting`] for settings out of range, [`crate::Error::TooLarge`] naming the largest count
    /// that fits, or what the device could not make.
    pub fn new(device: &Arc<Device>, settings: &Settings, slots: usize) -> Result<Flock> {
        let mut flock = Self::unplaced(device, settings, slots)?;
        flock.reset()?;
        Ok(flock)
    }

    /// The same from `start` on.
    ///
    /// # Errors
    /// As [`Flock::new`].
    ///
    /// # Panics
    /// When its state does not have exactly the flock's count of boids.
    pub fn starting_from(device: &Arc<Device>, settings: &Settings, slots: usize, start: &Start<'_>) -> Result<Flock> {
        let mut flock = Self::unplaced(device, settings, slots)?;
        flock.start_from(start)?;
        Ok(flock)
    }

    /// Everything but the boids' places, which are nowhere yet.
    fn unplaced(device: &Arc<Device>, settings: &Settings, slots: usize) -> Result<Flock> {
        settings.validate()?;
        memory::check(device.info(), settings, settings.boids.into())?;
        let params_stride = (size_of::<StepParams>() as u64).next_multiple_of(device.info().uniform_alignment);
        let can_be_wide = settings.search.info().wide && device.info().device_addresses;
        let wide = can_be_wide && (device.is_wide() || !Sizes::of(settings).in_reach(device.info()));
        if wide {
            device.instance().messages().ignore_synchronization();
        }
        let buffers = FlockBuffers::new(device, settings, params_stride * slots as u64, wide)?;
        let layout = set_layout(device)?;
        // A buffer beyond a descriptor's reach has none. Wide kernels use none of an array.
        let reach = device.info().reach(false);
        let in_reach: Vec<Resource<'_>> =
            buffers.resources().into_iter().filter(|resource| resource.range <= reach).collect();
        let set = DescriptorSet::new(device, "flock", &layout, &in_reach)?;
        let built = |name: &str| if wide { format!("{name}_wide") } else { name.to_owned() };
        let push_bytes = if wide { size_of::<ArrayAddresses>() as u32 } else { 0 };
        let kernel = |name| ComputePipeline::new(device, &built(name), &[&layout], push_bytes);
        let bitonic = match settings.search.grid() {
            GridKind::BitonicSorted => Some(BitonicGrid::new(device, settings, &layout)?),
            GridKind::None | GridKind::CountingSorted => None,
        };
        let layouts: Vec<&SetLayout> =
            std::iter::once(&layout).chain(bitonic.as_ref().map(|grid| &grid.layout)).collect();
        let most_in_range = most_in_range(device, settings);
        let steer = built(&settings.law.kernel(settings.search));
        let constants = [most_in_range, settings.walls_met() as u32, settings.influences()];
        let steer = ComputePipeline::for_slices(device, &steer, &layouts, push_bytes, &constants)?;
        let mut flock = Flock {
            grid_count: kernel("grid_count")?,
            scan_reduce: kernel("scan_reduce")?,
            scan_spine: kernel("scan_spine")?,
            scan_downsweep: kernel("scan_downsweep")?,
            sort_scatter: kernel("sort_scatter")?,
            steer,
            set,
            bitonic,
            observer: None,
            shows_neighborhoods: false,
            find_leader: settings.leader.map(|_| kernel("find_leader")).transpose()?,
            addresses: wide.then(|| buffers.addresses()),
            upload: match settings.engine.is_cpu() {
                true => Some(StateUpload::new(device, settings, slots)?),
                false => None,
            },
            buffers,
            settings: settings.clone(),
            grid: settings.grid(),
            params_stride,
            step: 0,
            cursor: None,
            crowding: Crowding::default(),
            counted: 0,
            unread: vec![None; slots],
            groups_at_once: u64::MAX,
            budget: BUDGET,
            device: device.clone(),
        };
        if settings.influences() != 0 {
            flock.weigh()?;
        }
        Ok(flock)
    }

    /// Writes the parameters of the next `count` steps for frame slot `slot`, which the device is done with,
    /// and counts them as taken.
    ///
    /// # Panics
    /// When `count` is over [`MAX_STEPS_PER_SUBMISSION`].
    pub fn prepare_steps(&mut self, slot: usize, count: u32) -> Vec<StepSlot> {
        assert!(count <= MAX_STEPS_PER_SUBMISSION, "at most {MAX_STEPS_PER_SUBMISSION} steps fit");
        self.read_crowding(slot);
        let work = Work::after(&self.settings, self.crowding, self.uncounted() + count);
        self.groups_at_once = work.groups_at_once(&self.settings, self.budget);
        if count > 0 && self.settings.search.grid() == GridKind::CountingSorted {
            self.unread[slot] = Some(self.step.wrapping_add(count - 1));
        }
        let first = slot as u64 * u64::from(MAX_STEPS_PER_SUBMISSION);
        let slots = (0..u64::from(count)).map(|index| {
            let offset = (first + index) * self.params_stride;
            let mut params = self.settings.step_params(self.step);
            params.cursor = self.cursor.unwrap_or(params.cursor);
            self.buffers.step_params.write(offset, &[params]);
            self.step += 1;
            StepSlot(offset as u32, None)
        });
        let mut steps: Vec<StepSlot> = slots.collect();
        if let Some(last) = steps.last_mut().filter(|_| self.shows_neighborhoods) {
            last.1 = Some((Observation::Neighborhoods, slot));
        }
        steps
    }

    /// Puts the cursor there from the next step on, in place of where the settings have it; none gives it back to them. On a
    /// plane it stays in the plane.
    pub fn set_cursor(&mut self, position: Option<Vec3>) {
        let flat = |position: Vec3| match self.settings.plane {
            true => position.with_y(self.settings.world.center.y),
            false => position,
        };
        self.cursor = position.filter(|position| position.is_finite()).map(flat);
    }

    /// Where it was put, if it was.
    pub fn cursor(&self) -> Option<Vec3> {
        self.cursor
    }

    /// Steps taken since the start.
    pub fn step(&self) -> u32 {
        self.step
    }

    /// The settings it was made with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Its neighbor grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Its buffers, for drawing and for tests.
    pub fn buffers(&self) -> &FlockBuffers {
        &self.buffers
    }

    /// Bytes of the buffer of that name that a pass sees, as a pass names what it reads and writes.
    pub fn bytes_of(&self, name: &str) -> Option<u64> {
        let own = self.buffers.resources();
        let own = own.iter().map(|resource| (resource.buffer, resource.range));
        let pairs = self.bitonic.iter().flat_map(|grid| [&grid.cell_pairs, &grid.cell_ranges]);
        let observed = self.observer.iter().map(|observer| &observer.observed);
        let mut all = own.chain(pairs.chain(observed).map(|buffer| (buffer, buffer.size())));
        all.find(|(buffer, _)| buffer.name() == name).map(|(_, bytes)| bytes)
    }

    /// Whether its kernels find their arrays by address, because a descriptor does not reach all of them.
    pub fn is_wide(&self) -> bool {
        self.addresses.is_some()
    }

    /// The device it lives on.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }
}

/// Candidates after which a search cuts a range of them on a robust device, so that a step over garbage
/// ends within about 2^33 visits; 0, for never, on others. No range of an orderly flock is so long, unless the flock has all
/// but collapsed.
fn most_in_range(device: &Device, settings: &Settings) -> u32 {
    const ROWS: u64 = 9;
    let boids = settings.boids;
    let most = ((1u64 << 33) / (ROWS * u64::from(boids.max(1)))).clamp(512, 1 << 16).min(u64::from(boids));
    if device.is_robust() { most as u32 } else { 0 }
}
