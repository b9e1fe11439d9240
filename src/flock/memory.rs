//! How much device memory a flock takes, and the largest flock that a device holds.

use super::search::GridKind;
use super::settings::{MAX_BOIDS, Settings};
use crate::error::{Error, Result};
use crate::limits::SCAN_BLOCK;
use crate::vk::DeviceInfo;

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
    /// `cell_pairs` of a bitonic-sorted grid.
    pub cell_pairs: u64,
    /// `cell_ranges` of a bitonic-sorted grid.
    pub cell_ranges: u64,
}

impl Sizes {
    /// The sizes for `settings`.
    pub fn of(settings: &Settings) -> Sizes {
        let boids = u64::from(settings.boids);
        let of = |kind: GridKind, count: u64| if settings.search.grid() == kind { count } else { 0 };
        let all_cells = u64::from(settings.grid().cell_count);
        let cells = of(GridKind::CountingSorted, all_cells);
        Sizes {
            position_vx: 16 * boids,
            velocity_yz: 8 * boids,
            word: 4 * boids,
            sorted_quantized: 4 * (boids.next_multiple_of(4) + 8),
            cell_counts: quads(cells),
            cell_starts: quads(cells + 1),
            block_sums: quads(cells.div_ceil(u64::from(SCAN_BLOCK))),
            cell_pairs: of(GridKind::BitonicSorted, 8 * boids),
            cell_ranges: of(GridKind::BitonicSorted, 8 * all_cells),
        }
    }

    /// Bytes of all buffers, and of the staging buffer through which the longest of them is filled and read.
    pub fn total(&self) -> u64 {
        let state = 2 * (self.position_vx + self.velocity_yz) + 3 * self.word + self.sorted_quantized;
        let bitonic = self.cell_pairs + self.cell_ranges;
        state + self.cell_counts + self.cell_starts + self.block_sums + bitonic + self.position_vx
    }

    /// Bytes of the longest buffer.
    pub fn longest(&self) -> u64 {
        self.position_vx.max(self.cell_starts).max(self.cell_ranges)
    }

    fn fit(&self, device: &DeviceInfo) -> bool {
        self.longest() <= device.max_storage_range && self.total() <= device.memory
    }
}

/// Bytes of at least `words` words, in whole vectors of four.
fn quads(words: u64) -> u64 {
    4 * words.next_multiple_of(4)
}

/// Checks that `boids` boids, otherwise as `settings` say, fit on `device`.
///
/// # Errors
/// [`Error::TooLarge`] naming the largest count that fits, [`Error::Setting`] when that is more than a flock
/// can have at all.
pub fn check(device: &DeviceInfo, settings: &Settings, boids: u64) -> Result<()> {
    let fits = |count: u64| {
        u32::try_from(count).is_ok_and(|count| {
            count <= MAX_BOIDS && Sizes::of(&Settings { boids: count, ..settings.clone() }).fit(device)
        })
    };
    if fits(boids) {
        return Ok(());
    }
    // The sizes grow with the count, so the largest that fits is found by halving.
    let (mut largest, mut too_many) = (0, u64::from(MAX_BOIDS) + 1);
    while too_many - largest > 1 {
        let middle = largest + (too_many - largest) / 2;
        if fits(middle) { largest = middle } else { too_many = middle }
    }
    Err(Error::TooLarge { boids, device: device.name.clone(), largest })
}
