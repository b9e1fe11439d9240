//! The count of the values that colors show against its twin, at awkward sizes, by descriptors and by address.

use crate::{all, common};
use glam::{Vec3, vec3};
use starlings::flock::order::Observed;
use starlings::flock::random::{self, Stream};
use starlings::flock::{BoidState, EngineKind, Search, Settings, spawn};
use starlings::limits::{VALUE_BINS, VALUE_GROUPS, WORKGROUP_SIZE};
use starlings::offscreen::{Offscreen, Shot};
use starlings::reference::value_histogram::{bin_of, value_histogram};
use starlings::render::look::Coloring;
use starlings::render::values::{Counts, values_per_unit};
use starlings::render::{Camera, Look};
use starlings::vk::{Device, RecordOptions};
use std::sync::Arc;

/// Around a workgroup, more than all workgroups take at once, and a number without small factors.
const SIZES: &[u32] = &[1, 255, 256, 257, VALUE_GROUPS * WORKGROUP_SIZE + 1, 100_003];

/// Relative error of a speed in single precision: of the square root, and of the sum below it.
const BORDER: f64 = 1.0 / (1u32 << 20) as f64;

/// What a picture has counted of `state`, after `steps` steps of a flock at rest.
fn counted(
    device: &Arc<Device>,
    settings: &Settings,
    color: Coloring,
    state: &BoidState,
    steps: u32,
) -> (Offscreen, Counts) {
    let look = Look { color, ..Look::of(settings) };
    let mut offscreen = Offscreen::with_look(device, settings, look, 16, 16).expect("a small picture fits");
    offscreen.set_state_at(state, 0).expect("a state of all boids");
    let camera = Camera::of(settings, 1.0);
    offscreen.draw(&Shot { camera, steps, options: RecordOptions::default() }).expect("a frame");
    let per_unit = values_per_unit(color, settings);
    let counts = offscreen.scene().values().expect("colors that are fitted").counts(0, per_unit);
    (offscreen, counts)
}

fn settings(boids: u32) -> Settings {
    Settings::preset("reynolds").expect("a known preset").with_boids(boids)
}

/// A flock whose boids have these speeds, some along an axis and some not; all at one place.
fn flying(speeds: impl Iterator<Item = f32>) -> BoidState {
    let mut state = BoidState::default();
    for (id, speed) in speeds.enumerate() {
        let way = [Vec3::X, -Vec3::Z, vec3(0.6, 0.0, -0.8), vec3(0.1, 0.7, 0.2).normalize()][id % 4];
        state.position.push(Vec3::ZERO);
        state.velocity.push(way * speed);
        state.id.push(id as u32);
    }
    state
}

/// Boids in the bins below each, when every value is scaled by this factor.
fn below(values: &[f64], factor: f64, per_unit: f32) -> Vec<u64> {
    let mut sums = vec![0; VALUE_BINS as usize + 1];
    for value in values {
        sums[bin_of((value * factor) as f32, per_unit) + 1] += 1;
    }
    (1..sums.len()).for_each(|bin| sums[bin] += sums[bin - 1]);
    sums
}

/// Fails unless `counts` are those of these speeds, each of which may be off by [`BORDER`].
fn check(what: &str, counts: &Counts, speeds: &[f64], per_unit: f32) {
    let (fewest, most) = (below(speeds, 1.0 + BORDER, per_unit), below(speeds, 1.0 - BORDER, per_unit));
    let mut sum = 0;
    for (bin, count) in counts.bins.iter().enumerate() {
        assert!((fewest[bin]..=most[bin]).contains(&sum), "{what}: {sum} boids below bin {bin}");
        sum += count;
    }
    assert_eq!(sum, speeds.len() as u64, "{what}: every boid once");
    let ends = speeds.iter().fold([f64::INFINITY, 0.0], |[low, high]: [f64; 2], &v| [low.min(v), high.max(v)]);
    for (got, want) in counts.ends.expect("there are boids").into_iter().zip(ends) {
        assert!((f64::from(got) - want).abs() <= BORDER * want, "{what}: {got}, not {want}");
    }
}

fn speeds(state: &BoidState) -> Vec<f64> {
    state.velocity.iter().map(|velocity| velocity.as_dvec3().length()).collect()
}

fn speeds_are_counted_on(device: &Arc<Device>) {
    for &boids in SIZES {
        let settings = settings(boids);
        let (per_unit, full) = (values_per_unit(Coloring::Speed, &settings), settings.full_speed());
        // Over fourteen octaves, from below the first bin's end on; some at rest.
        let random = |id: u32| {
            let x = random::in_cube(7, Stream::Position, id.into(), 0).x;
            if id.is_multiple_of(11) { 0.0 } else { full * (7.0 * (x - 1.0)).exp2() }
        };
        let state = flying((0..boids).map(random));
        let (_, counts) = counted(device, &settings, Coloring::Speed, &state, 0);
        check(&format!("{boids} boids"), &counts, &speeds(&state), per_unit);
    }
    assert_eq!(device.instance().messages().count(), 0, "validation has nothing to say");
}

#[test]
fn speeds_are_counted_as_the_twin_counts_them() {
    let Some(device) = common::device() else { return };
    speeds_are_counted_on(&device);
}

mod by_address {
    #[test]
    fn speeds_are_counted_as_the_twin_counts_them() {
        let Some(device) = super::common::by_address_device() else { return };
        super::speeds_are_counted_on(&device);
    }
}

#[test]
fn boids_of_one_speed_are_in_one_bin_and_non_finite_ones_in_none() {
    let Some(device) = common::device() else { return };
    for boids in [1, 257, 100_003] {
        let settings = settings(boids);
        let per_unit = values_per_unit(Coloring::Speed, &settings);
        for speed in [0.0, 1e-3, 1.0, 1e4] {
            let mut state = flying(std::iter::repeat_n(speed, boids as usize));
            state.velocity.fill(Vec3::Y * speed);
            let (_, counts) = counted(&device, &settings, Coloring::Speed, &state, 0);
            assert_eq!(
                counts,
                Counts::of_parts(&value_histogram(std::iter::repeat_n(speed, boids as usize), per_unit), per_unit)
            );
        }
        // Lost boids are put far away, at rest.
        let mut state = flying(std::iter::repeat_n(1.0, boids as usize));
        for id in (0..boids as usize).step_by(3) {
            state.velocity[id].x = f32::NAN;
        }
        let (_, counts) = counted(&device, &settings, Coloring::Speed, &state, 0);
        let non_finite = u64::from(boids.div_ceil(3));
        assert_eq!(counts.bins.iter().sum::<u64>(), u64::from(boids) - non_finite, "{boids} boids");
        assert_eq!(counts.ends.is_some(), boids > 1, "none is left of one");
    }
}

#[test]
fn neighbors_are_counted_as_they_were_observed() {
    let Some(device) = common::device() else { return };
    for &boids in SIZES {
        for search in [Search::QuantizedGrid, Search::BitonicGrid] {
            // About as many neighbors as in the preset, few, and none.
            for density in [1.0, 0.01, 1e-9] {
                let settings = settings(boids);
                let settings = Settings { search, ..settings.clone().with_density(density * settings.density()) };
                let state = spawn(&settings);
                let (offscreen, counts) = counted(&device, &settings, Coloring::Neighbors, &state, 1);
                let observer = offscreen.flock().observer().expect("colors show neighbors");
                let observed: Vec<Observed> = all(observer.observed());
                let values = observed.iter().map(|boid| boid.neighbors as f32);
                assert_eq!(counts, Counts::of_parts(&value_histogram(values, 1.0), 1.0), "{boids} boids, {search}");
                if density < 1e-6 {
                    assert_eq!(counts.ends, Some([0.0, 0.0]), "{boids} boids far apart");
                }
            }
        }
    }
    assert_eq!(device.instance().messages().count(), 0, "validation has nothing to say");
}

/// Their states are uploaded.
#[test]
fn flocks_that_the_cpu_steps_are_counted() {
    let Some(device) = common::device() else { return };
    let settings = settings(1_025);
    let settings = Settings { engine: EngineKind::Cpu, search: Search::SortedGrid, ..settings };
    let state = spawn(&settings);
    let (offscreen, counts) = counted(&device, &settings, Coloring::Speed, &state, 3);
    let after = offscreen.flock().state().expect("the state comes back");
    check("after three steps", &counts, &speeds(&after), values_per_unit(Coloring::Speed, &settings));
}
