//! The flock on the device: its buffers, its kernels, and one method for each pass of a step.
//!
//! The methods record a pass and nothing else. What orders one pass after another stands in
//! [`record_steps`](crate::frame::record_steps), where it can be read in one piece.

mod bitonic;
mod movement;
mod observer;
mod upload;

pub use bitonic::{BitonicGrid, EMPTY_CELL, exchanged_strides, merged_blocks};
pub use observer::{Observation, Observer};
pub use upload::{HostState, StateUpload};

use self::movement::Movement;
use super::crowding::{self, BUDGET, Work};
use super::layout::{ArrayAddresses, Crowding, Grid, StepParams};
use super::memory::{self, Sizes};
use super::search::{GridKind, Search};
use super::settings::Settings;
use super::spawn::{BoidState, position_at_start, velocity_at_start};
use crate::error::Result;
use crate::limits::{
    BINDING_BLOCK_CROWDING, BINDING_BLOCK_SUMS, BINDING_BOID_ID, BINDING_CELL_COUNTS, BINDING_CELL_RANK,
    BINDING_CELL_STARTS, BINDING_CROWDING, BINDING_OBSERVED, BINDING_POSITION_VX, BINDING_SORTED_BOID_ID,
    BINDING_SORTED_POSITION_VX, BINDING_SORTED_QUANTIZED, BINDING_SORTED_VELOCITY_YZ, BINDING_STEP_PARAMS,
    BINDING_VELOCITY_YZ, CROWDING_REPORTS, SCAN_BLOCK, WORKGROUP_SIZE,
};
use crate::vk::{
    Binding, Buffer, BufferInfo, BufferUsage, ComputePipeline, DescriptorSet, Device, MemoryLocation, Pass, Recorder,
    Resource, SetLayout, ShaderStages, Stage, Use,
};
use glam::Vec3;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Steps that one submission can hold: the room for their parameters.
pub const MAX_STEPS_PER_SUBMISSION: u32 = 16;

/// Boids whose state is fetched at once.
const PIECE: usize = 1 << 22;

/// Where the parameters of one step lie, a dynamic offset into the ring; and what is to be seen in it, in which frame slot.
/// Of a step that the processor has taken, the part of the ring that its state lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepSlot(u32, Option<(Observation, usize)>);

/// The flock's buffers, in the order of their bindings.
pub struct FlockBuffers {
    /// [`StepParams`] of the steps in flight.
    step_params: Buffer,
    /// xyz: position; w: x velocity. `vec4` a boid.
    pub position_vx: Buffer,
    /// y and z velocity. `vec2` a boid.
    pub velocity_yz: Buffer,
    /// Identity. `uint` a boid.
    pub boid_id: Buffer,
    /// `position_vx` in cell order.
    pub sorted_position_vx: Buffer,
    /// `velocity_yz` in cell order.
    pub sorted_velocity_yz: Buffer,
    /// `boid_id` in cell order.
    pub sorted_boid_id: Buffer,
    /// Positions in seven bits an axis, in cell order: what one search tests first. `uint` a boid.
    pub sorted_quantized: Buffer,
    /// Place of each boid among those of its cell. `uint` a boid.
    pub cell_rank: Buffer,
    /// Boids in each cell. `uint` a cell.
    pub cell_counts: Buffer,
    /// Exclusive prefix sum of the counts, and the count of boids behind the last. `uint` a cell and one.
    pub cell_starts: Buffer,
    /// Boids in each block of the scan. `uint` a block.
    pub block_sums: Buffer,
    /// How crowded the cells of each block are. [`Crowding`] a block.
    pub block_crowding: Buffer,
    /// How crowded all cells were in the steps last taken, for the host. [`Crowding`] a step.
    pub crowding: Buffer,
}

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
    /// Only for a flock that heeds something besides its law.
    movement: Option<Movement>,
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

    /// The same in a state that `step` steps have led to, in place of the start.
    ///
    /// # Errors
    /// As [`Flock::new`].
    ///
    /// # Panics
    /// When `state` does not have exactly the flock's count of boids.
    pub fn in_state(
        device: &Arc<Device>,
        settings: &Settings,
        slots: usize,
        state: &BoidState,
        step: u32,
    ) -> Result<Flock> {
        let mut flock = Self::unplaced(device, settings, slots)?;
        flock.set_state_at(state, step)?;
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
        let reach = device.info().max_storage_range;
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
        let constants = [most_in_range, settings.walls_met() as u32];
        let steer = ComputePipeline::for_slices(device, &steer, &layouts, push_bytes, &constants)?;
        let movement = match settings.heeds() {
            true => {
                memory::check_observed(device.info(), settings)?;
                Some(Movement::new(device, settings, &layout)?)
            }
            false => None,
        };
        let flock = Flock {
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
            movement,
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
        Ok(flock)
    }

    /// Starts over: step 0, and the boids where the seed puts them.
    ///
    /// # Errors
    /// What the upload could not do.
    pub fn reset(&mut self) -> Result<()> {
        let settings = &self.settings;
        let position = |i: usize| position_at_start(settings, i as u32);
        self.upload(position, |i| velocity_at_start(settings, i as u32), |i| i as u32)?;
        let crowding = self.count(position);
        self.step = 0;
        self.placed(crowding);
        Ok(())
    }

    /// Replaces the state of every boid. Waits for the device.
    ///
    /// # Errors
    /// What the upload could not do.
    ///
    /// # Panics
    /// When `state` does not have exactly the flock's count of boids.
    pub fn set_state(&mut self, state: &BoidState) -> Result<()> {
        assert_eq!(state.len(), self.settings.boids as usize, "a state of all boids");
        self.upload(|i| state.position[i], |i| state.velocity[i], |i| state.id[i])?;
        let crowding = self.count(|i| state.position[i]);
        self.placed(crowding);
        Ok(())
    }

    /// How crowded the cells are with the boids at these places.
    fn count(&self, position: impl Fn(usize) -> Vec3 + Sync) -> Crowding {
        match self.settings.search.grid() {
            GridKind::CountingSorted => crowding::count(&self.grid, self.settings.boids as usize, position),
            GridKind::BitonicSorted | GridKind::None => Crowding::default(),
        }
    }

    /// Takes note that the boids are somewhere else, as crowded as that.
    fn placed(&mut self, crowding: Crowding) {
        self.unread.fill(None);
        (self.crowding, self.counted) = (crowding, self.step);
    }

    /// Writes what boid `i` is to have straight into the staging buffer: a flock may be too large for a second copy of it.
    fn upload(
        &self,
        position: impl Fn(usize) -> Vec3 + Sync,
        velocity: impl Fn(usize) -> Vec3 + Sync,
        id: impl Fn(usize) -> u32 + Sync,
    ) -> Result<()> {
        self.device.wait_idle()?;
        let (buffers, boids) = (&self.buffers, self.settings.boids as usize);
        buffers.position_vx.upload_with(0, boids, |first, piece: &mut [[f32; 4]]| {
            fill(first, piece, |i| position(i).extend(velocity(i).x).to_array());
        })?;
        buffers.velocity_yz.upload_with(0, boids, |first, piece: &mut [[f32; 2]]| {
            fill(first, piece, |i| [velocity(i).y, velocity(i).z]);
        })?;
        buffers.boid_id.upload_with(0, boids, |first, piece: &mut [u32]| fill(first, piece, &id))
    }

    /// Replaces the state of every boid and says how many steps led to it. Waits for the device.
    ///
    /// # Errors
    /// What the upload could not do.
    ///
    /// # Panics
    /// When `state` does not have exactly the flock's count of boids.
    pub fn set_state_at(&mut self, state: &BoidState, step: u32) -> Result<()> {
        self.set_state(state)?;
        (self.step, self.counted) = (step, step);
        Ok(())
    }

    /// The state of every boid, in the order of the last sort. Waits for the device.
    ///
    /// # Errors
    /// What the download could not do.
    pub fn state(&self) -> Result<BoidState> {
        let mut state = BoidState::default();
        let boids = self.settings.boids as usize;
        state.position.reserve_exact(boids);
        state.velocity.reserve_exact(boids);
        state.id.reserve_exact(boids);
        self.visit_state(|piece| {
            state.position.extend_from_slice(&piece.position);
            state.velocity.extend_from_slice(&piece.velocity);
            state.id.extend_from_slice(&piece.id);
        })?;
        Ok(state)
    }

    /// Hands the state of every boid to `visit`, piece by piece in the order of the last sort: for flocks of which the host
    /// need not hold a copy. Waits for the device.
    ///
    /// # Errors
    /// What the download could not do.
    pub fn visit_state(&self, mut visit: impl FnMut(&BoidState)) -> Result<()> {
        self.device.wait_idle()?;
        let boids = self.settings.boids as usize;
        for first in (0..boids).step_by(PIECE) {
            visit(&self.state_of(first..boids.min(first + PIECE))?);
        }
        Ok(())
    }

    fn state_of(&self, places: Range<usize>) -> Result<BoidState> {
        let (first, count) = (places.start as u64, places.len());
        let position_vx: Vec<[f32; 4]> = self.buffers.position_vx.download(16 * first, count)?;
        let velocity_yz: Vec<[f32; 2]> = self.buffers.velocity_yz.download(8 * first, count)?;
        Ok(BoidState {
            position: position_vx.par_iter().map(|p| Vec3::new(p[0], p[1], p[2])).collect(),
            velocity: position_vx.par_iter().zip(&velocity_yz).map(|(p, v)| Vec3::new(p[3], v[0], v[1])).collect(),
            id: self.buffers.boid_id.download(4 * first, count)?,
        })
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

    /// Reads what the last step in frame slot `slot`, which the device is done with, says of the crowding.
    fn read_crowding(&mut self, slot: usize) {
        if let Some(step) = self.unread[slot].take() {
            let place = u64::from(step % CROWDING_REPORTS) * size_of::<Crowding>() as u64;
            self.crowding = self.buffers.crowding.read(place, 1)[0];
            self.counted = step;
        }
    }

    /// Steps taken since the crowding that is known.
    fn uncounted(&self) -> u32 {
        self.step.saturating_sub(self.counted)
    }

    /// How crowded the cells were in the last step that the device has finished. Waits for the device.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] when it is lost.
    pub fn crowding(&mut self) -> Result<Crowding> {
        self.device.wait_idle()?;
        let mut slots: Vec<usize> = (0..self.unread.len()).filter(|&slot| self.unread[slot].is_some()).collect();
        slots.sort_by_key(|&slot| self.unread[slot]);
        slots.into_iter().for_each(|slot| self.read_crowding(slot));
        Ok(self.crowding)
    }

    /// How crowded the cells were a few steps ago.
    pub fn known_crowding(&self) -> Crowding {
        self.crowding
    }

    /// Steps that the next submission should hold, at most: few where the flock is crowded, so that the submission ends soon.
    pub fn steps_at_once(&self) -> u32 {
        let most = MAX_STEPS_PER_SUBMISSION;
        crowding::steps_at_once(&self.settings, self.crowding, self.uncounted(), most, self.budget)
    }

    /// Lets one dispatch, and one submission, visit so many candidates in place of [`BUDGET`]. For tests.
    pub fn set_budget(&mut self, candidates: f64) {
        self.budget = candidates;
    }

    /// Goes on from `step`: with [`Flock::set_state`], back to a state seen before.
    pub fn set_step(&mut self, step: u32) {
        self.step = step;
        self.counted = self.counted.min(step);
        self.unread.fill(None);
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

    /// Copies the state as it is, for a search that needs no order, to where `steer` reads it.
    pub fn state_copy(&self, rec: &mut Recorder<'_>) {
        let buffers = &self.buffers;
        rec.pass(&STATE_COPY, |rec| {
            rec.copy_buffer(&buffers.position_vx, 0, &buffers.sorted_position_vx, 0, buffers.position_vx.size());
            rec.copy_buffer(&buffers.velocity_yz, 0, &buffers.sorted_velocity_yz, 0, buffers.velocity_yz.size());
            rec.copy_buffer(&buffers.boid_id, 0, &buffers.sorted_boid_id, 0, buffers.boid_id.size());
        });
    }

    /// Sets every cell's count to zero.
    pub fn grid_clear(&self, rec: &mut Recorder<'_>) {
        rec.pass(&GRID_CLEAR, |rec| rec.fill_buffer(&self.buffers.cell_counts, 0));
    }

    /// Counts the boids of every cell; the count before a boid's own addition is its rank in the cell.
    pub fn grid_count(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.kernel(rec, &GRID_COUNT, &self.grid_count, step, self.boid_groups());
    }

    /// Adds up the counts of each block of cells.
    pub fn scan_reduce(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.kernel(rec, &SCAN_REDUCE, &self.scan_reduce, step, self.scan_blocks());
    }

    /// Turns the block sums into their exclusive prefix sum, in one workgroup.
    pub fn scan_spine(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.kernel(rec, &SCAN_SPINE, &self.scan_spine, step, 1);
    }

    /// Scans each block of counts on from its block's start, and tells the host how crowded the cells are.
    pub fn scan_downsweep(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.kernel(rec, &SCAN_DOWNSWEEP, &self.scan_downsweep, step, 1 + self.scan_blocks());
    }

    /// Moves every boid to the place `cell_starts[cell] + cell_rank`.
    pub fn sort_scatter(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.kernel(rec, &SORT_SCATTER, &self.sort_scatter, step, self.boid_groups());
    }

    /// Visits the neighbors of every boid, and moves it as the law says.
    pub fn steer(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        let pass = match self.settings.search {
            Search::QuantizedGrid => &STEER_QUANTIZED,
            Search::SortedGrid | Search::Rows9 | Search::Cells27 => &STEER,
            Search::BitonicGrid => &bitonic::STEER_IN_RANGES,
            Search::Tiles | Search::AllPairs => &STEER_UNSORTED,
        };
        let groups = u64::from(self.settings.boids.div_ceil(self.settings.search.workgroup()));
        let sets: Vec<&DescriptorSet> =
            std::iter::once(&self.set).chain(self.bitonic.as_ref().map(|grid| &grid.set)).collect();
        rec.pass(pass, |rec| {
            self.bind(rec, &self.steer, &sets, step);
            rec.dispatch_in_slices(groups, self.groups_at_once);
        });
    }

    fn kernel(&self, rec: &mut Recorder<'_>, pass: &Pass<'_>, pipeline: &ComputePipeline, step: StepSlot, groups: u64) {
        rec.pass(pass, |rec| {
            self.bind(rec, pipeline, &[&self.set], step);
            rec.dispatch(groups);
        });
    }

    fn bind(&self, rec: &mut Recorder<'_>, pipeline: &ComputePipeline, sets: &[&DescriptorSet], step: StepSlot) {
        rec.bind_compute(pipeline, sets, &[step.0]);
        if let Some(addresses) = &self.addresses {
            rec.push_compute(pipeline, addresses);
        }
    }

    fn boid_groups(&self) -> u64 {
        u64::from(self.settings.boids.div_ceil(WORKGROUP_SIZE))
    }

    fn scan_blocks(&self) -> u64 {
        u64::from(self.grid.cell_count.div_ceil(SCAN_BLOCK))
    }
}

/// Writes values `first` and on into `piece`, on all cores.
fn fill<T: Send>(first: usize, piece: &mut [T], value: impl Fn(usize) -> T + Sync) {
    piece.par_iter_mut().enumerate().for_each(|(k, place)| *place = value(first + k));
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

const COMPUTE: Stage = Stage::COMPUTE_SHADER;

const STATE_COPY: Pass<'_> = Pass {
    name: "state_copy",
    stage: Stage::COPY,
    uses: &[
        Use::copy_from("position_vx"),
        Use::copy_from("velocity_yz"),
        Use::copy_from("boid_id"),
        Use::copy_to("sorted_position_vx"),
        Use::copy_to("sorted_velocity_yz"),
        Use::copy_to("sorted_boid_id"),
    ],
};

const GRID_CLEAR: Pass<'_> = Pass { name: "grid_clear", stage: Stage::CLEAR, uses: &[Use::clear("cell_counts")] };

const GRID_COUNT: Pass<'_> = Pass {
    name: "grid_count",
    stage: COMPUTE,
    uses: &[
        Use::uniform(COMPUTE, "step_params"),
        Use::read(COMPUTE, "position_vx"),
        Use::write(COMPUTE, "cell_rank"),
        Use::read_write(COMPUTE, "cell_counts"),
    ],
};

pub(crate) const SCAN_REDUCE: Pass<'_> = Pass {
    name: "scan_reduce",
    stage: COMPUTE,
    uses: &[
        Use::uniform(COMPUTE, "step_params"),
        Use::read(COMPUTE, "cell_counts"),
        Use::write(COMPUTE, "block_sums"),
        Use::write(COMPUTE, "block_crowding"),
    ],
};

pub(crate) const SCAN_SPINE: Pass<'_> = Pass {
    name: "scan_spine",
    stage: COMPUTE,
    uses: &[Use::uniform(COMPUTE, "step_params"), Use::read_write(COMPUTE, "block_sums")],
};

pub(crate) const SCAN_DOWNSWEEP: Pass<'_> = Pass {
    name: "scan_downsweep",
    stage: COMPUTE,
    uses: &[
        Use::uniform(COMPUTE, "step_params"),
        Use::read(COMPUTE, "cell_counts"),
        Use::read(COMPUTE, "block_sums"),
        Use::read(COMPUTE, "block_crowding"),
        Use::write(COMPUTE, "cell_starts"),
        Use::write(COMPUTE, "crowding"),
    ],
};

const SORT_SCATTER: Pass<'_> = Pass {
    name: "sort_scatter",
    stage: COMPUTE,
    uses: &[
        Use::uniform(COMPUTE, "step_params"),
        Use::read(COMPUTE, "position_vx"),
        Use::read(COMPUTE, "velocity_yz"),
        Use::read(COMPUTE, "boid_id"),
        Use::read(COMPUTE, "cell_rank"),
        Use::read(COMPUTE, "cell_starts"),
        Use::write(COMPUTE, "sorted_position_vx"),
        Use::write(COMPUTE, "sorted_velocity_yz"),
        Use::write(COMPUTE, "sorted_boid_id"),
        Use::write(COMPUTE, "sorted_quantized"),
    ],
};

const STEER: Pass<'_> = Pass {
    name: "steer",
    stage: COMPUTE,
    uses: &[
        Use::uniform(COMPUTE, "step_params"),
        Use::read(COMPUTE, "sorted_position_vx"),
        Use::read(COMPUTE, "sorted_velocity_yz"),
        Use::read(COMPUTE, "sorted_boid_id"),
        Use::read(COMPUTE, "cell_starts"),
        Use::write(COMPUTE, "position_vx"),
        Use::write(COMPUTE, "velocity_yz"),
        Use::write(COMPUTE, "boid_id"),
    ],
};

/// `steer` with the search that looks at quantized positions first.
const STEER_QUANTIZED: Pass<'_> = Pass {
    uses: &[
        Use::uniform(COMPUTE, "step_params"),
        Use::read(COMPUTE, "sorted_position_vx"),
        Use::read(COMPUTE, "sorted_velocity_yz"),
        Use::read(COMPUTE, "sorted_boid_id"),
        Use::read(COMPUTE, "sorted_quantized"),
        Use::read(COMPUTE, "cell_starts"),
        Use::write(COMPUTE, "position_vx"),
        Use::write(COMPUTE, "velocity_yz"),
        Use::write(COMPUTE, "boid_id"),
    ],
    ..STEER
};

/// `steer` with a search that looks into no cells.
const STEER_UNSORTED: Pass<'_> = Pass {
    uses: &[
        Use::uniform(COMPUTE, "step_params"),
        Use::read(COMPUTE, "sorted_position_vx"),
        Use::read(COMPUTE, "sorted_velocity_yz"),
        Use::read(COMPUTE, "sorted_boid_id"),
        Use::write(COMPUTE, "position_vx"),
        Use::write(COMPUTE, "velocity_yz"),
        Use::write(COMPUTE, "boid_id"),
    ],
    ..STEER
};

impl FlockBuffers {
    fn new(device: &Arc<Device>, settings: &Settings, params_per_step: u64, wide: bool) -> Result<Self> {
        let sizes = Sizes::of(settings);
        let mut both_ways = BufferUsage::STORAGE_BUFFER | BufferUsage::TRANSFER_SRC | BufferUsage::TRANSFER_DST;
        if wide {
            both_ways |= BufferUsage::SHADER_DEVICE_ADDRESS;
        }
        let storage = |name, size| {
            Buffer::new(device, &BufferInfo { name, size, usage: both_ways, location: MemoryLocation::GpuOnly })
        };
        let params = BufferInfo {
            name: "step_params",
            size: params_per_step * u64::from(MAX_STEPS_PER_SUBMISSION),
            usage: BufferUsage::UNIFORM_BUFFER,
            location: MemoryLocation::CpuToGpu,
        };
        let crowding = BufferInfo {
            name: "crowding",
            size: u64::from(CROWDING_REPORTS) * size_of::<Crowding>() as u64,
            usage: BufferUsage::STORAGE_BUFFER,
            location: MemoryLocation::GpuToCpu,
        };
        Ok(FlockBuffers {
            step_params: Buffer::new(device, &params)?,
            position_vx: storage("position_vx", sizes.position_vx)?,
            velocity_yz: storage("velocity_yz", sizes.velocity_yz)?,
            boid_id: storage("boid_id", sizes.word)?,
            sorted_position_vx: storage("sorted_position_vx", sizes.position_vx)?,
            sorted_velocity_yz: storage("sorted_velocity_yz", sizes.velocity_yz)?,
            sorted_boid_id: storage("sorted_boid_id", sizes.word)?,
            sorted_quantized: storage("sorted_quantized", sizes.sorted_quantized)?,
            cell_rank: storage("cell_rank", sizes.word)?,
            cell_counts: storage("cell_counts", sizes.cell_counts)?,
            cell_starts: storage("cell_starts", sizes.cell_starts)?,
            block_sums: storage("block_sums", sizes.block_sums)?,
            block_crowding: storage("block_crowding", sizes.block_crowding)?,
            crowding: Buffer::new(device, &crowding)?,
        })
    }

    fn addresses(&self) -> ArrayAddresses {
        ArrayAddresses {
            position_vx: self.position_vx.address(),
            velocity_yz: self.velocity_yz.address(),
            boid_id: self.boid_id.address(),
            sorted_position_vx: self.sorted_position_vx.address(),
            sorted_velocity_yz: self.sorted_velocity_yz.address(),
            sorted_boid_id: self.sorted_boid_id.address(),
            sorted_quantized: self.sorted_quantized.address(),
            cell_rank: self.cell_rank.address(),
            cell_counts: self.cell_counts.address(),
            cell_starts: self.cell_starts.address(),
            block_sums: self.block_sums.address(),
        }
    }

    fn resources(&self) -> [Resource<'_>; 14] {
        let params = size_of::<StepParams>() as u64;
        [
            Resource { binding: BINDING_STEP_PARAMS, buffer: &self.step_params, range: params },
            Resource::whole(BINDING_POSITION_VX, &self.position_vx),
            Resource::whole(BINDING_VELOCITY_YZ, &self.velocity_yz),
            Resource::whole(BINDING_BOID_ID, &self.boid_id),
            Resource::whole(BINDING_SORTED_POSITION_VX, &self.sorted_position_vx),
            Resource::whole(BINDING_SORTED_VELOCITY_YZ, &self.sorted_velocity_yz),
            Resource::whole(BINDING_SORTED_BOID_ID, &self.sorted_boid_id),
            Resource::whole(BINDING_CELL_RANK, &self.cell_rank),
            Resource::whole(BINDING_CELL_COUNTS, &self.cell_counts),
            Resource::whole(BINDING_CELL_STARTS, &self.cell_starts),
            Resource::whole(BINDING_BLOCK_SUMS, &self.block_sums),
            Resource::whole(BINDING_SORTED_QUANTIZED, &self.sorted_quantized),
            Resource::whole(BINDING_BLOCK_CROWDING, &self.block_crowding),
            Resource::whole(BINDING_CROWDING, &self.crowding),
        ]
    }
}

fn set_layout(device: &Arc<Device>) -> Result<SetLayout> {
    let params = Binding::dynamic_uniform(BINDING_STEP_PARAMS, ShaderStages::COMPUTE);
    let storage =
        (BINDING_POSITION_VX..=BINDING_SORTED_QUANTIZED).map(|index| Binding::storage(index, ShaderStages::COMPUTE));
    // Bound only while somebody observes the flock.
    let observed = Binding::storage(BINDING_OBSERVED, ShaderStages::COMPUTE);
    let crowding = [BINDING_BLOCK_CROWDING, BINDING_CROWDING];
    let crowding = crowding.map(|index| Binding::storage(index, ShaderStages::COMPUTE));
    let bindings: Vec<Binding> = std::iter::once(params).chain(storage).chain(crowding).chain([observed]).collect();
    SetLayout::new(device, "flock", &bindings)
}
