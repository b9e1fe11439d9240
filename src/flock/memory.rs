//! The device memory of a flock, and the largest flock for a device.

use super::buffers::{BUFFERS, BufferRow, Counts, OBSERVED, POSITION_VX, row};
use super::engine::EngineKind;
use super::settings::{MAX_BOIDS, Settings};
use super::steppers::upload_size;
use crate::error::{Error, Result};
use crate::vk::{DeviceInfo, STAGING};

/// Parts of the ring of uploads, at most: one for each frame in flight.
const UPLOADS: u64 = 2;

/// Sizes of the buffers of a flock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Bytes of all buffers, and of the staging buffer through which they are filled and read. Buffers that the host
    /// writes are included: on many devices they are in the same memory.
    pub total: u64,
    /// Bytes of the largest buffer that kernels access.
    pub longest: u64,
    /// Bytes that the host uploads for one frame of a flock that the CPU steps: a part of the ring `uploaded_state`.
    pub upload: u64,
}

impl Sizes {
    /// The sizes for `settings`, without an observer.
    pub fn of(settings: &Settings) -> Sizes {
        let many = Counts::of(settings);
        let bytes = |row: &BufferRow| row.bytes(settings, &many);
        let rows = || BUFFERS.iter().filter(|row| row.part.is_of_every_flock());
        let upload = if settings.engine == EngineKind::Gpu { 0 } else { upload_size(settings) };
        let staging = row(POSITION_VX).bytes(settings, &many).min(STAGING);
        Sizes {
            total: rows().map(bytes).sum::<u64>() + UPLOADS * upload + staging,
            longest: rows().map(bytes).max().unwrap_or(0),
            upload,
        }
    }

    /// Whether every buffer is within a descriptor's range on `device`.
    pub fn in_reach(&self, device: &DeviceInfo) -> bool {
        self.longest <= device.reach(false)
    }
}

/// Device memory that is needed besides that of the flock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OtherMemory {
    /// Bytes for each boid.
    pub a_boid: u64,
    /// Bytes independent of the count.
    pub in_all: u64,
}

/// The room on a device.
#[derive(Clone, Copy, Debug)]
struct Room {
    /// Bytes of one buffer that kernels can access.
    reach: u64,
    /// Bytes of the largest buffer.
    buffer: u64,
    /// Bytes of all buffers.
    memory: u64,
    /// Further use of the memory.
    other: OtherMemory,
}

impl Room {
    /// The room on `device` for kernels that access buffers by address or by descriptor.
    fn on(device: &DeviceInfo, by_address: bool, other: OtherMemory) -> Room {
        Room { reach: device.reach(by_address), buffer: device.max_buffer, memory: device.memory, other }
    }

    fn holds(&self, settings: &Settings, boids: u64) -> bool {
        let fits = |sizes: Sizes| {
            let all = sizes.total + self.other.a_boid * boids + self.other.in_all;
            sizes.longest <= self.reach && UPLOADS * sizes.upload <= self.buffer && all <= self.memory
        };
        u32::try_from(boids)
            .is_ok_and(|boids| boids <= MAX_BOIDS && fits(Sizes::of(&Settings { boids, ..settings.clone() })))
    }

    /// The largest count of boids that fits.
    fn largest(&self, settings: &Settings) -> u64 {
        largest(|boids| self.holds(settings, boids.into())).into()
    }

    fn check(&self, settings: &Settings, boids: u64, device: &DeviceInfo, how: String) -> Result<()> {
        if self.holds(settings, boids) {
            return Ok(());
        }
        Err(Error::TooLarge { boids, how, device: device.name.clone(), largest: self.largest(settings) })
    }
}

/// The largest count of boids that fits, by bisection: the memory grows with the count.
pub fn largest(fits: impl Fn(u32) -> bool) -> u32 {
    let (mut largest, mut too_many) = (0, MAX_BOIDS + 1);
    while too_many - largest > 1 {
        let middle = largest + (too_many - largest) / 2;
        if fits(middle) { largest = middle } else { too_many = middle }
    }
    largest
}

/// Checks that `boids` boids, otherwise as `settings` say, fit on `device`.
///
/// # Errors
/// [`Error::TooLarge`] naming the largest count that fits.
pub fn check(device: &DeviceInfo, settings: &Settings, boids: u64) -> Result<()> {
    let by_address = settings.can_be_by_address();
    // If another search allows more boids, name the search as the cause.
    let how = match device.device_addresses {
        true if !by_address => format!(" with search {}", settings.search),
        _ => String::new(),
    };
    Room::on(device, by_address, OtherMemory::default()).check(settings, boids, device, how)
}

/// The largest count of boids, otherwise as `settings` say, that fits on `device` with its steps and a picture.
pub fn most_boids(device: &DeviceInfo, settings: &Settings) -> u64 {
    let by_address = settings.engine == EngineKind::Gpu && settings.can_be_by_address();
    Room::on(device, by_address, OtherMemory::default()).largest(settings)
}

/// Checks that a picture can be drawn of the flock of `settings` on `device`, with room for `scene` too. Drawing
/// accesses boids as the steps do: by address where kernels of the GPU engine can.
///
/// # Errors
/// [`Error::TooLarge`] naming the largest count of which one can be drawn.
pub fn check_drawn(device: &DeviceInfo, settings: &Settings, scene: OtherMemory) -> Result<()> {
    let by_address = settings.engine == EngineKind::Gpu && settings.can_be_by_address();
    Room::on(device, by_address, scene).check(settings, settings.boids.into(), device, " in a picture".into())
}

/// Checks that the flock of `settings` can be observed on `device`: observing also uses only descriptors.
///
/// # Errors
/// [`Error::TooLarge`] naming the largest count that can.
pub fn check_observed(device: &DeviceInfo, settings: &Settings) -> Result<()> {
    let observed = OtherMemory { a_boid: row(OBSERVED).element, in_all: 0 };
    Room::on(device, false, observed).check(settings, settings.boids.into(), device, " with order parameters".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flock::Search;
    use crate::flock::buffers::{CELL_COUNTS, CELL_STARTS, SORTED_QUANTIZED, VELOCITY_YZ};
    use crate::vk::Resource;
    use glam::Vec3;

    const GIB: u64 = 1 << 30;

    /// One boid per cubic unit, and a radius of 2.
    fn settings() -> Settings {
        let mut settings = Settings::preset("reynolds").expect("a known preset").with_density(1.0);
        (settings.rules.alignment_radius, settings.rules.cohesion_radius) = (2.0, 2.0);
        settings.rules.separation_radius = 0.6;
        settings
    }

    fn sizes(boids: u32) -> Sizes {
        Sizes::of(&settings().with_boids(boids))
    }

    fn bytes(buffer: Resource, boids: u32) -> u64 {
        let settings = settings().with_boids(boids);
        row(buffer).bytes(&settings, &Counts::of(&settings))
    }

    #[test]
    fn a_flock_of_2_to_the_28_passes_what_32_bits_count() {
        let of = |buffer| bytes(buffer, 1 << 28);
        assert_eq!(of(POSITION_VX), 4 * GIB);
        assert_eq!(of(VELOCITY_YZ), 2 * GIB);
        assert_eq!(of(SORTED_QUANTIZED), GIB + 32);
        // Half a cell a boid, at this density.
        assert!((GIB / 2..GIB * 3 / 5).contains(&of(CELL_COUNTS)), "{}", of(CELL_COUNTS));
        let sizes = sizes(1 << 28);
        assert_eq!(sizes.longest, 4 * GIB);
        assert!((19 * GIB..20 * GIB).contains(&sizes.total), "{}", sizes.total);
    }

    #[test]
    fn a_flock_of_2_to_the_30_has_as_many_cells_for_a_boid() {
        let (sizes, cell_counts) = (sizes(1 << 30), bytes(CELL_COUNTS, 1 << 30));
        assert_eq!(sizes.longest, 16 * GIB);
        assert!((2 * GIB - GIB / 50..=2 * GIB).contains(&cell_counts), "{cell_counts}");
        assert!((76 * GIB..77 * GIB).contains(&sizes.total), "{}", sizes.total);
    }

    #[test]
    fn the_largest_count_is_what_memory_or_a_descriptor_holds() {
        let settings = settings().with_boids(1 << 30);
        let reach = u64::from(u32::MAX);
        let room = |reach, memory| Room { reach, buffer: 1024 * GIB, memory, other: OtherMemory::default() };
        let by_descriptor = room(reach, 139 * GIB);
        assert_eq!(by_descriptor.largest(&settings), (1 << 28) - 1);
        let by_address = room(1024 * GIB, 139 * GIB);
        assert_eq!(by_address.largest(&settings), u64::from(MAX_BOIDS));
        // On a card with 24 GiB the memory is the limit either way round.
        let small = room(1024 * GIB, 24 * GIB);
        let largest = small.largest(&settings);
        assert!(small.holds(&settings, largest) && !small.holds(&settings, largest + 1));
        assert!((296_000_000..299_000_000).contains(&largest), "{largest}");
        // The pairs of a bitonic sort are no longer than the positions.
        let bitonic = Settings { search: Search::BitonicGrid, ..settings };
        assert_eq!(by_descriptor.largest(&bitonic), (1 << 28) - 1);
    }

    #[test]
    fn what_else_takes_memory_is_counted() {
        let settings = settings().with_boids(1 << 20);
        let plain = Sizes::of(&settings).total;
        let influenced = Settings { current: Vec3::X, ..settings.clone() };
        assert_eq!(Sizes::of(&influenced).total - plain, (16 << 20) - 4, "four numbers a boid, not one alone");
        let stepped_here = Settings { engine: EngineKind::Cpu, search: Search::SortedGrid, ..settings.clone() };
        let sizes = Sizes::of(&stepped_here);
        let starts = row(CELL_STARTS).bytes(&stepped_here, &Counts::of(&stepped_here));
        assert_eq!(sizes.upload, (28 << 20) + starts);
        // The state, two parts of the ring, and the staging buffer; there are no other buffers of kernels.
        let wanted = 3 * sizes.upload + (16 << 20);
        assert!((wanted..wanted + 1024).contains(&sizes.total), "{sizes:?}, {wanted}");

        let other = OtherMemory { a_boid: 8, in_all: GIB };
        let memory = 2 * GIB;
        let alone = Room { reach: GIB, buffer: 1024 * GIB, memory, other: OtherMemory::default() };
        let drawn = Room { other, ..alone };
        let (most, most_drawn) = (alone.largest(&settings), drawn.largest(&settings));
        assert!(most_drawn > 0 && drawn.holds(&settings, most_drawn) && !drawn.holds(&settings, most_drawn + 1));
        let left = Sizes::of(&Settings { boids: most_drawn as u32, ..settings.clone() }).total + 8 * most_drawn + GIB;
        assert!(left <= memory && memory - left < 4096, "{left}");
        assert!(most > 2 * most_drawn, "{most} {most_drawn}");
        // A ring that exceeds the largest buffer.
        let short = Room { buffer: 50 << 20, ..alone };
        assert!(short.holds(&settings, 1 << 20) && !short.holds(&stepped_here, 1 << 20));
    }
}
