//! The flock's buffers: one table, which determines their sizes, bindings and addresses, and the test of their layouts.
//!
//! A row has a buffer, its binding in set 0 (and, for an array that may exceed a descriptor's range, its place in the
//! list of addresses), its contents, and the [`Part`] of a flock that it belongs to. Each part has one owner, which
//! creates it with [`Buffers::new`]: the state, a stepper, or the observer.

use super::engine::EngineKind;
use super::layout::{Crowding, StepParams};
use super::obstacles::Obstacle;
use super::order::{Observed, OrderMeans, OrderSums};
use super::search::GridKind;
use super::settings::Settings;
use crate::error::Result;
use crate::limits::{
    self, ADDRESSES, CROWDING_REPORTS, INFLUENCE_HUNTERS, INFLUENCE_LEADER, MAX_HUNTERS, ORDER_GROUPS, SCAN_BLOCK,
};
use crate::vk::{Buffer, BufferInfo, BufferUsage, Device, Group, MemoryLocation, Resource};
use std::ops::Index;
use std::sync::Arc;

/// A part of a flock, which needs some buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The state of every boid.
    State,
    /// The start of each cell's boids: for searches, and for shadows.
    Cells,
    /// The state before a step, in the order of the search.
    Sorted,
    /// Further buffers of a counting sort.
    Counted,
    /// Quantized positions, for a search that tests them first.
    Quantized,
    /// Further buffers of a bitonic sort.
    Paired,
    /// The influences that each boid has a weight for, and its own speed.
    Influences,
    /// The leader, and hunters.
    Leaders,
    /// Obstacles that are meshes.
    Volumes,
    /// What each boid is doing.
    Behavior,
    /// What an observer of the flock writes.
    Observed,
    /// The observer's results for the host: a buffer for each frame in flight.
    Record,
    /// What only many flocks have that are stepped at once.
    Many,
}

impl Part {
    /// Whether a flock of `settings` needs it. A buffer that is not needed but named by kernels has a single element.
    pub fn is_needed(self, settings: &Settings) -> bool {
        let (on_gpu, grid) = (settings.engine == EngineKind::Gpu, settings.search.grid());
        match self {
            Part::State | Part::Observed | Part::Record | Part::Many => true,
            Part::Cells => grid == GridKind::CountingSorted,
            Part::Sorted => on_gpu,
            Part::Counted => on_gpu && grid == GridKind::CountingSorted,
            Part::Quantized => on_gpu && settings.search.info().quantized,
            Part::Paired => on_gpu && grid == GridKind::BitonicSorted,
            Part::Behavior => settings.states.is_on(),
            Part::Influences => on_gpu && settings.has_weights(),
            Part::Leaders => on_gpu && settings.influences() & (INFLUENCE_LEADER | INFLUENCE_HUNTERS) != 0,
            Part::Volumes => settings.obstacles.iter().any(Obstacle::is_mesh),
        }
    }

    /// Whether every flock has it, without a request.
    pub fn is_of_every_flock(self) -> bool {
        !matches!(self, Part::Observed | Part::Record | Part::Many)
    }
}

/// Counts of boids and cells, for sizes of buffers.
#[derive(Clone, Copy, Debug)]
pub struct Counts {
    /// Boids in the flock.
    pub boids: u64,
    /// Cells of its grid.
    pub cells: u64,
    /// Numbers of the volumes of meshes.
    pub volumes: u64,
    /// Flocks that are stepped at once: the others are counts of each.
    pub flocks: u64,
}

/// A buffer of a flock.
#[derive(Debug)]
pub struct BufferRow {
    /// Its name: in profilers, in passes and in GLSL.
    pub resource: Resource,
    /// Its binding in set 0.
    pub binding: u32,
    /// Bytes of an element.
    pub element: u64,
    /// Elements, if it is needed.
    pub count: fn(&Counts) -> u64,
    /// The part that needs it.
    pub part: Part,
    /// Its memory: on the device, unless the host reads it.
    pub location: MemoryLocation,
}

/// Rows of the table: name, element, count, and who needs it. Each name becomes a constant.
macro_rules! buffers {
    ($($(#[$about:meta])* $row:ident = $name:literal, $binding:ident, $element:ty, $count:expr, $part:ident $(, $location:ident)?;)*) => {
        $($(#[$about])* pub const $row: Resource = Resource::new($name);)*

        /// Every buffer of a flock.
        pub const BUFFERS: &[BufferRow] = &[$(BufferRow {
            resource: $row,
            binding: limits::$binding,
            element: size_of::<$element>() as u64,
            count: $count,
            part: Part::$part,
            location: buffers!(@location $($location)?),
        }),*];
    };
    (@location) => { MemoryLocation::GpuOnly };
    (@location $location:ident) => { MemoryLocation::$location };
}

buffers! {
    /// xyz: position in world units; w: x velocity. In the order of the last sort.
    POSITION_VX = "position_vx", BINDING_POSITION_VX, [f32; 4], |of| of.boids, State;
    /// y and z velocity.
    VELOCITY_YZ = "velocity_yz", BINDING_VELOCITY_YZ, [f32; 2], |of| of.boids, State;
    /// Identity: a permutation of `0..boids`.
    BOID_ID = "boid_id", BINDING_BOID_ID, u32, |of| of.boids, State;
    /// Boids in all cells before a cell, and after the last the count of boids. Written four at a time.
    CELL_STARTS = "cell_starts", BINDING_CELL_STARTS, u32, |of| quads(of.cells + 1), Cells;
    /// [`POSITION_VX`] before the step.
    SORTED_POSITION_VX = "sorted_position_vx", BINDING_SORTED_POSITION_VX, [f32; 4], |of| of.boids, Sorted;
    /// [`VELOCITY_YZ`] before the step.
    SORTED_VELOCITY_YZ = "sorted_velocity_yz", BINDING_SORTED_VELOCITY_YZ, [f32; 2], |of| of.boids, Sorted;
    /// [`BOID_ID`] before the step.
    SORTED_BOID_ID = "sorted_boid_id", BINDING_SORTED_BOID_ID, u32, |of| of.boids, Sorted;
    /// Cell of each boid, and its rank among the boids there, which the device chooses.
    CELL_RANK = "cell_rank", BINDING_CELL_RANK, [u32; 2], |of| of.boids, Counted;
    /// Identities of the boids of each cell, in the order of their ranks. Read four at a time.
    CELL_MEMBERS = "cell_members", BINDING_CELL_MEMBERS, u32, |of| quads(of.boids), Counted;
    /// Boids in each cell. Read four at a time.
    CELL_COUNTS = "cell_counts", BINDING_CELL_COUNTS, u32, |of| quads(of.cells), Counted;
    /// Boids in each block of the scan; then in all blocks before it. Accessed four at a time.
    BLOCK_SUMS = "block_sums", BINDING_BLOCK_SUMS, u32, |of| quads(blocks(of)), Counted;
    /// Crowding of the cells of each block.
    BLOCK_CROWDING = "block_crowding", BINDING_BLOCK_CROWDING, Crowding, blocks, Counted;
    /// Crowding of all cells in the last steps, for the host.
    CROWDING = "crowding", BINDING_CROWDING, Crowding, |_| CROWDING_REPORTS.into(), Counted, GpuToCpu;
    /// Positions in one byte per axis, in cell order. Read eight at a time.
    SORTED_QUANTIZED = "sorted_quantized", BINDING_SORTED_QUANTIZED, u32, |of| quads(of.boids) + 8, Quantized;
    /// Cell and place of each boid.
    CELL_PAIRS = "cell_pairs", BINDING_CELL_PAIRS, [u32; 2], |of| of.boids, Paired;
    /// First boid of each cell, and the one after its last.
    CELL_RANGES = "cell_ranges", BINDING_CELL_RANGES, [u32; 2], |of| of.cells, Paired;
    /// Weights of the influences for each boid, by identity: the numbers of `MovementWeights`, in order.
    MOVEMENT_WEIGHTS = "movement_weights", BINDING_MOVEMENT_WEIGHTS, f32, |of| 4 * of.boids, Influences;
    /// xyz: where the leader was before the step. Then the hunters that are feared, with their kinds.
    LEADER_POSITION = "leader_position", BINDING_LEADER_POSITION, [f32; 4], |_| 1 + u64::from(MAX_HUNTERS), Leaders;
    /// Volumes of distances of the obstacles that are meshes, one after the other: `VOLUME_HEADER` numbers of each,
    /// then its distances.
    OBSTACLE_VOLUMES = "obstacle_volumes", BINDING_OBSTACLE_VOLUMES, f32, |of| of.volumes, Volumes;
    /// State of each boid, by identity, with the one before it and the step of its last transition: see
    /// [`states`](super::states).
    BEHAVIOR = "behavior", BINDING_BEHAVIOR, u32, |of| of.boids, Behavior;
    /// Neighborhood of each boid in the last observed step, in the order of the state.
    OBSERVED = "observed", BINDING_OBSERVED, Observed, |of| of.boids, Observed;
    /// Sums over parts of the flock.
    ORDER_PARTIALS = "order_partials", BINDING_ORDER_PARTIALS, OrderSums, |_| ORDER_GROUPS.into(), Observed;
    /// Means over the flock.
    ORDER_MEANS = "order_means", BINDING_ORDER_MEANS, OrderMeans, |_| 1, Observed;
    /// Milling: sums over parts of the flock.
    MILLING_PARTIALS = "milling_partials", BINDING_MILLING_PARTIALS, [f32; 4], |_| ORDER_GROUPS.into(), Observed;
    /// The means, for the host: one record for each frame in flight.
    ORDER_RECORD = "order_record", BINDING_ORDER_RECORD, OrderMeans, |_| 1, Record, GpuToCpu;
    /// What kernels read of each of many flocks besides its boids; nothing of it changes from step to step.
    EACH_PARAMS = "each_params", BINDING_EACH_PARAMS, StepParams, |_| 1, Many;
}

/// The state: as the previous step left it, and then as this one does.
pub const STATE: Group = Group(&[POSITION_VX, VELOCITY_YZ, BOID_ID]);

/// The state before this step, in the order of its search.
pub const SORTED: Group = Group(&[SORTED_POSITION_VX, SORTED_VELOCITY_YZ, SORTED_BOID_ID]);

/// The parameters of steps.
pub const STEP_PARAMS: Resource = Resource::new("step_params");

/// States that the CPU engine has computed, on their way to the buffers of the state.
pub const UPLOADED_STATE: Resource = Resource::new("uploaded_state");

/// The row of a flock's buffer.
///
/// # Panics
/// When there is none: a bug in this program.
pub fn row(buffer: Resource) -> &'static BufferRow {
    BUFFERS.iter().find(|row| row.resource == buffer).unwrap_or_else(|| panic!("{buffer} is no buffer of a flock"))
}

/// `words`, rounded up to whole vectors of four.
fn quads(words: u64) -> u64 {
    words.next_multiple_of(4)
}

/// Boids for which the part of one of so many flocks has room: where another begins, kernels read four at once.
pub(super) fn part_of(boids: u32, flocks: usize) -> u64 {
    if flocks > 1 { quads(boids.into()) } else { boids.into() }
}

fn blocks(of: &Counts) -> u64 {
    of.cells.div_ceil(SCAN_BLOCK.into())
}

impl Counts {
    /// The counts for `settings`.
    pub fn of(settings: &Settings) -> Counts {
        Counts::of_each(std::slice::from_ref(settings))
    }

    /// The counts for flocks that are stepped at once.
    pub fn of_each(each: &[Settings]) -> Counts {
        Counts {
            boids: part_of(each[0].boids, each.len()),
            cells: each.iter().map(|settings| settings.grid().cell_count.into()).max().unwrap_or(0),
            volumes: each[0].count_of_volumes(),
            flocks: each.len() as u64,
        }
    }
}

impl BufferRow {
    /// Its bytes in a flock of `settings` with the counts `many`.
    pub fn bytes(&self, settings: &Settings, many: &Counts) -> u64 {
        // One element if it is not needed: kernels may name the buffer nevertheless.
        many.flocks * self.element * if self.part.is_needed(settings) { (self.count)(many).max(1) } else { 1 }
    }

    /// Creates it with `size` bytes, and with a device address if kernels access it `by_address`.
    fn make(&self, device: &Arc<Device>, size: u64, by_address: bool) -> Result<Buffer> {
        let mut usage = BufferUsage::STORAGE_BUFFER | BufferUsage::TRANSFER_SRC | BufferUsage::TRANSFER_DST;
        if by_address {
            usage |= BufferUsage::SHADER_DEVICE_ADDRESS;
        }
        let info = BufferInfo { name: self.resource.name(), size, usage, location: self.location };
        if self.part == Part::State {
            return Buffer::shared(device, &BufferInfo { usage: usage | device.state_usage(), ..info });
        }
        Buffer::new(device, &info)
    }
}

/// Buffers of one owner.
pub struct Buffers(Vec<(&'static BufferRow, Buffer)>);

impl Buffers {
    /// The buffers of `parts` for a flock, or for flocks that are stepped at once.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub fn new(device: &Arc<Device>, each: &[Settings], parts: &[Part], by_address: bool) -> Result<Buffers> {
        let many = Counts::of_each(each);
        let rows = BUFFERS.iter().filter(|row| parts.contains(&row.part));
        rows.map(|row| Ok((row, row.make(device, row.bytes(&each[0], &many), by_address)?)))
            .collect::<Result<_>>()
            .map(Buffers)
    }

    /// The buffer of this name, if there is one.
    pub fn get(&self, wanted: Resource) -> Option<&Buffer> {
        self.iter().find(|(row, _)| row.resource == wanted).map(|(_, buffer)| buffer)
    }

    /// Each buffer with its row.
    pub fn iter(&self) -> impl Iterator<Item = (&'static BufferRow, &Buffer)> {
        self.0.iter().map(|(row, buffer)| (*row, buffer))
    }
}

impl Index<Resource> for Buffers {
    type Output = Buffer;

    /// # Panics
    /// When it is of a part that this owner does not have: a bug in this program.
    fn index(&self, wanted: Resource) -> &Buffer {
        self.get(wanted).unwrap_or_else(|| panic!("{wanted} is a buffer of another owner"))
    }
}

/// Device addresses of arrays, by binding, for kernels that access them by address.
pub type Addresses = [u64; ADDRESSES as usize];

/// The addresses of those `buffers` that kernels may access by address.
pub fn addresses<'a>(buffers: impl IntoIterator<Item = &'a Buffers>) -> Addresses {
    let mut all = [0; ADDRESSES as usize];
    for (row, buffer) in buffers.into_iter().flat_map(Buffers::iter).filter(|(row, _)| row.binding < ADDRESSES) {
        all[row.binding as usize] = buffer.address();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_and_bindings_are_told_apart() {
        let names: BTreeSet<Resource> = BUFFERS.iter().map(|row| row.resource).collect();
        let bindings: BTreeSet<u32> = BUFFERS.iter().map(|row| row.binding).collect();
        assert!(names.len() == BUFFERS.len() && bindings.len() == BUFFERS.len());
        assert!(!bindings.contains(&limits::BINDING_STEP_PARAMS));
        // Arrays that grow with the flock or its grid, and may be accessed by address, have a place for one.
        let long = [POSITION_VX, SORTED_QUANTIZED, CELL_STARTS, BLOCK_SUMS, MOVEMENT_WEIGHTS];
        assert!(long.iter().all(|&buffer| row(buffer).binding < ADDRESSES));
    }
}
