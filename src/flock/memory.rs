//! How much device memory a flock takes, and the largest flock that a device holds.

use super::layout::MovementWeights;
use super::order::Observed;
use super::search::GridKind;
use super::settings::{MAX_BOIDS, Settings};
use crate::error::{Error, Result};
use crate::limits::SCAN_BLOCK;
use crate::vk::{DeviceInfo, STAGING};

/// Bytes of each buffer of a flock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// `position_vx` and its sorted copy, each.
    pub position_vx: u64,
    /// `velocity_yz` and its sorted copy, each.
    pub velocity_yz: u64,
    /// `boid_id`, its sorted copy and `cell_rank`, each.
    pub word: u64,
    /// `sorted_quantized`: eight boids more, since they are read eight at a time.
    pub sorted_quantized: u64,
    /// `cell_counts`. This and the next two are read and written four words at a time, hence multiples of 16.
    pub cell_counts: u64,
    /// `cell_starts`: one entry more than there are cells.
    pub cell_starts: u64,
    /// `block_sums`.
    pub block_sums: u64,
    /// `block_crowding`.
    pub block_crowding: u64,
    /// `cell_pairs` of a bitonic-sorted grid.
    pub cell_pairs: u64,
    /// `cell_ranges` of a bitonic-sorted grid.
    pub cell_ranges: u64,
    /// `movement_weights` of a flock that heeds more than its law.
    pub movement_weights: u64,
    /// What the host brings for one frame of a flock that the processor steps: a part of the ring `uploaded_state`.
    pub upload: u64,
}

/// Parts that the ring of uploads has at most: one for each frame in flight.
const UPLOADS: u64 = 2;

impl Sizes {
    /// The sizes for `settings`.
    pub fn of(settings: &Settings) -> Sizes {
        let boids = u64::from(settings.boids);
        let of = |kind: GridKind, count: u64| if settings.search.grid() == kind { count } else { 0 };
        let all_cells = u64::from(settings.grid().cell_count);
        let cells = of(GridKind::CountingSorted, all_cells);
        let cell_starts = quads(cells + 1);
        let heeded = size_of::<MovementWeights>() as u64;
        let brought = if settings.engine.brings_cells(settings.search) { cell_starts } else { 0 };
        Sizes {
            position_vx: 16 * boids,
            velocity_yz: 8 * boids,
            word: 4 * boids,
            sorted_quantized: 4 * (boids.next_multiple_of(4) + 8),
            cell_counts: quads(cells),
            cell_starts,
            block_sums: quads(cells.div_ceil(u64::from(SCAN_BLOCK))),
            block_crowding: 8 * cells.div_ceil(u64::from(SCAN_BLOCK)),
            cell_pairs: of(GridKind::BitonicSorted, 8 * boids),
            cell_ranges: of(GridKind::BitonicSorted, 8 * all_cells),
            movement_weights: if settings.heeds() { heeded * boids } else { 0 },
            upload: if settings.engine.is_cpu() { 28 * boids + brought } else { 0 },
        }
    }

    /// Bytes of all buffers, and of the staging buffer through which they are filled and read. What the host writes is counted
    /// with the rest: on many devices it lies in the same memory.
    pub fn total(&self) -> u64 {
        let state = 2 * (self.position_vx + self.velocity_yz) + 3 * self.word + self.sorted_quantized;
        let bitonic = self.cell_pairs + self.cell_ranges;
        let staging = self.position_vx.min(STAGING);
        let grid = self.cell_counts + self.cell_starts + self.block_sums + self.block_crowding + bitonic;
        state + grid + self.movement_weights + UPLOADS * self.upload + staging
    }

    /// Bytes of the longest buffer that kernels see.
    pub fn longest(&self) -> u64 {
        self.position_vx.max(self.cell_starts).max(self.cell_ranges)
    }

    /// Whether a descriptor of `device` reaches all of every buffer.
    pub fn in_reach(&self, device: &DeviceInfo) -> bool {
        self.longest() <= device.reach(false)
    }
}

/// What is to be on the device besides a flock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Besides {
    /// Bytes for each boid.
    pub a_boid: u64,
    /// Bytes whatever the count.
    pub in_all: u64,
}

/// What a device has room for.
#[derive(Clone, Copy, Debug)]
struct Room {
    /// Bytes that kernels reach of one buffer.
    reach: u64,
    /// Bytes of the longest buffer.
    buffer: u64,
    /// Bytes of all buffers.
    memory: u64,
    /// What they share the memory with.
    besides: Besides,
}

impl Room {
    /// The room on `device` for kernels that find buffers by address or by descriptor.
    fn on(device: &DeviceInfo, by_address: bool, besides: Besides) -> Room {
        Room { reach: device.reach(by_address), buffer: device.max_buffer, memory: device.memory, besides }
    }

    fn holds(&self, settings: &Settings, boids: u64) -> bool {
        let fits = |sizes: Sizes| {
            let all = sizes.total() + self.besides.a_boid * boids + self.besides.in_all;
            sizes.longest() <= self.reach && UPLOADS * sizes.upload <= self.buffer && all <= self.memory
        };
        u32::try_from(boids)
            .is_ok_and(|boids| boids <= MAX_BOIDS && fits(Sizes::of(&Settings { boids, ..settings.clone() })))
    }

    /// The largest count of boids that it holds. The sizes grow with the count, so it is found by halving.
    fn largest(&self, settings: &Settings) -> u64 {
        let (mut largest, mut too_many) = (0, u64::from(MAX_BOIDS) + 1);
        while too_many - largest > 1 {
            let middle = largest + (too_many - largest) / 2;
            if self.holds(settings, middle) { largest = middle } else { too_many = middle }
        }
        largest
    }

    fn check(&self, settings: &Settings, boids: u64, device: &DeviceInfo, how: String) -> Result<()> {
        if self.holds(settings, boids) {
            return Ok(());
        }
        Err(Error::TooLarge { boids, how, device: device.name.clone(), largest: self.largest(settings) })
    }
}

/// Bytes of at least `words` words, in whole vectors of four.
fn quads(words: u64) -> u64 {
    4 * words.next_multiple_of(4)
}

/// Checks that `boids` boids, otherwise as `settings` say, fit on `device`.
///
/// # Errors
/// [`Error::TooLarge`] naming the largest count that fits.
pub fn check(device: &DeviceInfo, settings: &Settings, boids: u64) -> Result<()> {
    // What boids heed besides their law they are told by descriptors.
    let by_address = settings.search.info().wide && !settings.heeds();
    // Where another search could have more of them, or boids that heed less, that is to blame.
    let how = match device.device_addresses {
        true if settings.heeds() => " that heed more than their law".to_owned(),
        true if !by_address => format!(" with search {}", settings.search),
        _ => String::new(),
    };
    Room::on(device, by_address, Besides::default()).check(settings, boids, device, how)
}

/// Checks that a picture can be drawn of the flock of `settings` on `device`, for which there must be room for `scene` as well:
/// what draws reaches boids by descriptors only.
///
/// # Errors
/// [`Error::TooLarge`] naming the largest count of which one can be drawn.
pub fn check_drawn(device: &DeviceInfo, settings: &Settings, scene: Besides) -> Result<()> {
    Room::on(device, false, scene).check(settings, settings.boids.into(), device, " in a picture".into())
}

/// Checks that the flock of `settings` can be observed on `device`: that, too, goes by descriptors only.
///
/// # Errors
/// [`Error::TooLarge`] naming the largest count that can.
pub fn check_observed(device: &DeviceInfo, settings: &Settings) -> Result<()> {
    let observed = Besides { a_boid: size_of::<Observed>() as u64, in_all: 0 };
    Room::on(device, false, observed).check(settings, settings.boids.into(), device, " with order parameters".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flock::{EngineKind, Search};
    use glam::Vec3;

    const GIB: u64 = 1 << 30;

    /// One boid per cubic unit, and a radius of 2.
    fn settings() -> Settings {
        let mut settings = Settings::preset("reynolds").expect("a preset of ours").with_density(1.0);
        (settings.rules.alignment_radius, settings.rules.cohesion_radius) = (2.0, 2.0);
        settings.rules.separation_radius = 0.6;
        settings
    }

    fn sizes(boids: u32) -> Sizes {
        Sizes::of(&settings().with_boids(boids))
    }

    #[test]
    fn a_flock_of_2_to_the_28_passes_what_32_bits_count() {
        let sizes = sizes(1 << 28);
        assert_eq!(sizes.position_vx, 4 * GIB);
        assert_eq!(sizes.longest(), 4 * GIB);
        assert_eq!(sizes.velocity_yz, 2 * GIB);
        assert_eq!(sizes.sorted_quantized, GIB + 32);
        // Half a cell a boid, at this density.
        assert!((GIB / 2..GIB * 3 / 5).contains(&sizes.cell_counts), "{sizes:?}");
        assert!((17 * GIB..18 * GIB).contains(&sizes.total()), "{}", sizes.total());
    }

    #[test]
    fn a_flock_of_2_to_the_30_has_as_many_cells_for_a_boid() {
        let sizes = sizes(1 << 30);
        assert_eq!(sizes.longest(), 16 * GIB);
        assert!((2 * GIB - GIB / 50..=2 * GIB).contains(&sizes.cell_counts), "{sizes:?}");
        assert!((68 * GIB..69 * GIB).contains(&sizes.total()), "{}", sizes.total());
    }

    #[test]
    fn the_largest_count_is_what_memory_or_a_descriptor_holds() {
        let settings = settings().with_boids(1 << 30);
        let reach = u64::from(u32::MAX);
        let room = |reach, memory| Room { reach, buffer: 1024 * GIB, memory, besides: Besides::default() };
        let by_descriptor = room(reach, 139 * GIB);
        assert_eq!(by_descriptor.largest(&settings), (1 << 28) - 1);
        let by_address = room(1024 * GIB, 139 * GIB);
        assert_eq!(by_address.largest(&settings), u64::from(MAX_BOIDS));
        // On a card with 24 GiB the memory is the limit either way round.
        let small = room(1024 * GIB, 24 * GIB);
        let largest = small.largest(&settings);
        assert!(small.holds(&settings, largest) && !small.holds(&settings, largest + 1));
        assert!((333_000_000..336_000_000).contains(&largest), "{largest}");
        // The pairs of a bitonic sort are no longer than the positions.
        let bitonic = Settings { search: Search::BitonicGrid, ..settings };
        assert_eq!(by_descriptor.largest(&bitonic), (1 << 28) - 1);
    }

    #[test]
    fn what_else_takes_memory_is_counted() {
        let settings = settings().with_boids(1 << 20);
        let plain = Sizes::of(&settings).total();
        let heeding = Settings { current: Vec3::X, ..settings.clone() };
        assert_eq!(Sizes::of(&heeding).total() - plain, 12 << 20, "three weights a boid");
        let stepped_here = Settings { engine: EngineKind::Cpu, search: Search::SortedGrid, ..settings.clone() };
        let sizes = Sizes::of(&stepped_here);
        assert_eq!(sizes.total() - plain, 2 * (28 << 20) + 2 * sizes.cell_starts, "a state for each of two frames");

        let besides = Besides { a_boid: 8, in_all: GIB };
        let memory = 2 * GIB;
        let alone = Room { reach: GIB, buffer: 1024 * GIB, memory, besides: Besides::default() };
        let drawn = Room { besides, ..alone };
        let (most, most_drawn) = (alone.largest(&settings), drawn.largest(&settings));
        assert!(most_drawn > 0 && drawn.holds(&settings, most_drawn) && !drawn.holds(&settings, most_drawn + 1));
        let left = Sizes::of(&Settings { boids: most_drawn as u32, ..settings.clone() }).total() + 8 * most_drawn + GIB;
        assert!(left <= memory && memory - left < 4096, "{left}");
        assert!(most > 2 * most_drawn, "{most} {most_drawn}");
        // A ring that is longer than any buffer may be.
        let short = Room { buffer: 50 << 20, ..alone };
        assert!(short.holds(&settings, 1 << 20) && !short.holds(&stepped_here, 1 << 20));
    }
}
