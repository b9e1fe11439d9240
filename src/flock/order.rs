//! Order parameters: a few numbers that measure the order of a flock, so that laws can be compared.
//!
//! | parameter | formula | 0 means | 1 means |
//! |---|---|---|---|
//! | polarization | \|⟨v̂⟩\| | headings in all directions | all boids head the same way |
//! | milling | \|⟨r̂ × v̂⟩\| | no common sense of rotation | all boids circle the center of mass the same way |
//!
//! Both are those of Couzin, Krause, James, Ruxton and Franks, "Collective memory and spatial sorting in animal groups"
//! (2002), with r the position relative to the center of mass; hats are unit vectors, and ⟨⟩ is the mean over all
//! boids. A boid at rest has no heading, and one at the center no direction from it: they add zero.
//!
//! Neighbors are counted, and the nearest is found, within the search radius. A boid without neighbors is *alone*, and
//! is not included in the mean distance. A *non-finite* boid (docs/architecture.md) is counted as such, and is in none
//! of the others: they are those of the flock without it.
//!
//! On a torus, offsets from one boid of the flock are the shortest, so the center, and milling about it, mean something
//! for a flock that is shorter than half of the world.
//!
//! On the device the sums are in single precision, each off by at most some 24 roundings of the sum of its terms'
//! magnitudes (`glsl/include/order.glsl`), and the terms by a few roundings each: [`WITHIN`] in all. Counts are exact.

use super::settings::Settings;
use bytemuck::{Pod, Zeroable};
use glam::Vec3;

/// Upper limit of the error of a device's order parameters: absolute for polarization and milling, relative for means
/// and extremes. 24 roundings of the sum are 1.4e-6; the unit vectors' own roundings are as many again.
pub const WITHIN: f64 = 4e-6;

/// What `observe` writes about a boid, in scalar layout.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Observed {
    /// Other boids within the search radius.
    pub neighbors: u32,
    /// Distance to the nearest of them, in world units; 0 where there are none.
    pub nearest: f32,
}

/// Sums over a part of a flock, in scalar layout.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct OrderSums {
    /// xyz: of places, from that of a reference boid; w: of speeds.
    pub offset_speed: [f32; 4],
    /// xyz: of unit headings; w: of distances to the nearest neighbor.
    pub heading_nearest: [f32; 4],
    /// Of counts of neighbors.
    pub neighbors: f32,
    /// Speed of the slowest boid.
    pub least_speed: f32,
    /// Speed of the fastest.
    pub most_speed: f32,
    /// The largest count of neighbors.
    pub most_neighbors: u32,
    /// Boids without a neighbor.
    pub alone: u32,
    /// Boids whose state is not finite, which no other sum has.
    pub non_finite: u32,
}

/// Means over a flock as the device writes them, in scalar layout. Speeds are those of the velocity slot.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct OrderMeans {
    /// Center of mass, in world units.
    pub center: Vec3,
    /// \|⟨v̂⟩\|.
    pub polarization: f32,
    /// \|⟨r̂ × v̂⟩\|.
    pub milling: f32,
    /// Neighbors of a boid.
    pub neighbors: f32,
    /// Distance to the nearest neighbor, over boids that have one; 0 where none has.
    pub nearest: f32,
    /// Speed.
    pub speed: f32,
    /// Speed of the slowest boid.
    pub least_speed: f32,
    /// Speed of the fastest.
    pub most_speed: f32,
    /// The largest count of neighbors.
    pub most_neighbors: u32,
    /// Boids without a neighbor.
    pub alone: u32,
    /// Boids whose state is not finite, which no mean has.
    pub non_finite: u32,
    /// Steps since the start.
    pub step: u32,
}

/// The order parameters of a flock at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrderParameters {
    /// Steps since the start.
    pub step: u32,
    /// \|⟨v̂⟩\|, from 0 to 1.
    pub polarization: f64,
    /// \|⟨r̂ × v̂⟩\|, from 0 to 1.
    pub milling: f64,
    /// Center of mass, in world units.
    pub center: [f64; 3],
    /// Mean distance to the nearest neighbor, in world units, over the boids that are not alone; none if all are.
    pub nearest: Option<f64>,
    /// Mean count of neighbors.
    pub neighbors: f64,
    /// The largest count of neighbors.
    pub most_neighbors: u32,
    /// Boids without a neighbor within the search radius.
    pub alone: u32,
    /// Boids whose state is not finite, which none of the other numbers has. If there are no others, those are 0.
    pub non_finite: u32,
    /// Mean speed, in world units per second.
    pub speed: f64,
    /// Speed of the slowest boid, in world units per second.
    pub least_speed: f64,
    /// Speed of the fastest boid, in world units per second.
    pub most_speed: f64,
}

impl OrderParameters {
    /// From a device's means over a flock of `settings`.
    pub fn of(settings: &Settings, means: &OrderMeans) -> Self {
        let scale = f64::from(settings.speed_scale());
        OrderParameters {
            step: means.step,
            polarization: means.polarization.into(),
            milling: means.milling.into(),
            center: settings.torus().map_or(means.center, |torus| torus.place(means.center)).as_dvec3().to_array(),
            // Counts may be anything where a dependency was left out.
            nearest: (means.alone.saturating_add(means.non_finite) < settings.boids).then(|| means.nearest.into()),
            neighbors: means.neighbors.into(),
            most_neighbors: means.most_neighbors,
            alone: means.alone,
            non_finite: means.non_finite,
            speed: scale * f64::from(means.speed),
            least_speed: scale * f64::from(means.least_speed),
            most_speed: scale * f64::from(means.most_speed),
        }
    }
}
