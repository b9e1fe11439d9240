//! Flocks that the CPU steps are drawn by the same passes from the same buffers.

use crate::common;
use starlings::cpu::{Ahead, Engine, Threads};
use starlings::flock::{EngineKind, Search, Settings, spawn};
use starlings::offscreen::{Offscreen, Shot};
use starlings::render::{Camera, Look};
use starlings::vk::RecordOptions;

const SIZE: (u32, u32) = (320, 180);

fn settings(engine: EngineKind, search: Search) -> Settings {
    let settings = Settings::preset("reynolds").expect("a known preset").with_boids(3_000);
    Settings { engine, search, ..settings }
}

/// The picture after `steps` steps, and again without another step.
fn pictures(device: &std::sync::Arc<starlings::vk::Device>, settings: &Settings, steps: u32) -> [Vec<u8>; 2] {
    let mut offscreen = Offscreen::new(device, settings, SIZE.0, SIZE.1).expect("a small picture fits");
    // So near that one step moves boids by pixels.
    let fit = Camera::fit(&settings.world, SIZE.0 as f32 / SIZE.1 as f32);
    let camera = Camera { distance: 0.4 * fit.distance, ..fit };
    [steps, 0].map(|steps| {
        let shot = Shot { camera, steps, options: RecordOptions::default() };
        offscreen.draw(&shot).expect("a frame").0
    })
}

/// Bytes that differ by more than an eighth of their range.
fn differing(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).filter(|(a, b)| a.abs_diff(**b) > 32).count()
}

#[test]
fn the_picture_is_the_same_whoever_took_the_step() {
    let Some(device) = common::validated_device() else { return };
    for (search, peer) in [(Search::SortedGrid, Search::SortedGrid), (Search::AllPairs, Search::AllPairs)] {
        let [on_gpu, _] = pictures(&device, &settings(EngineKind::Gpu, peer), 1);
        for engine in [EngineKind::Cpu, EngineKind::CpuSerial] {
            let [start, _] = pictures(&device, &settings(engine, search), 0);
            let [moved, again] = pictures(&device, &settings(engine, search), 1);
            let bytes = moved.len();
            assert!(differing(&moved, &on_gpu) * 1_000 < bytes, "{engine} {search}: {}", differing(&moved, &on_gpu));
            assert!(differing(&moved, &again) * 1_000 < bytes, "{engine} {search}: another picture without a step");
            assert!(differing(&moved, &start) * 1_000 > bytes, "{engine} {search}: nothing has moved");
        }
        let messages = device.instance().messages().all();
        assert!(messages.is_empty(), "{search}: {messages:#?}");
    }
}

/// Trails are the same with both engines: for the CPU engine, a state is uploaded for each of their corners.
#[test]
fn trails_are_the_same_whoever_took_the_steps() {
    let Some(device) = common::validated_device() else { return };
    let picture = |engine, trail| {
        let settings = Settings::preset("cursor").expect("a known preset").with_boids(200);
        let settings = Settings { engine, search: Search::SortedGrid, ..settings };
        let look = Look { trail, ..Look::of(&settings) };
        let mut offscreen = Offscreen::with_look(&device, &settings, look, SIZE.0, SIZE.1).expect("a small picture");
        let camera = Camera::of(&settings, SIZE.0 as f32 / SIZE.1 as f32);
        let mut pixels = Vec::new();
        while offscreen.flock().step() < 24 {
            let steps = offscreen.steps_at_once().min(24 - offscreen.flock().step());
            pixels = offscreen.draw(&Shot { camera, steps, options: RecordOptions::default() }).expect("a frame").0;
        }
        pixels
    };
    let (on_gpu, without) = (picture(EngineKind::Gpu, 0.3), picture(EngineKind::Gpu, 0.0));
    let trails = differing(&on_gpu, &without);
    let off = differing(&on_gpu, &picture(EngineKind::Cpu, 0.3));
    assert!(trails > 200 && 20 * off < trails, "{off} bytes differ, and {trails} without trails");
    let messages = device.instance().messages().all();
    assert!(messages.is_empty(), "{messages:#?}");
}

/// Steps that are started early and collected later give the same states.
#[test]
fn steps_taken_ahead_are_steps() {
    let settings = settings(EngineKind::Cpu, Search::SortedGrid);
    let mut at_once = Engine::new(&settings, Threads::All).expect("valid settings");
    at_once.advance(6);
    let mut ahead = Ahead::new(Engine::new(&settings, Threads::All).expect("valid settings")).expect("a thread");
    for steps in [1, 0, 3, 2] {
        ahead.schedule(steps, steps == 2).expect("the thread lives");
    }
    let engine = ahead.collect().expect("the thread lives");
    assert_eq!((engine.step(), engine.state()), (6, at_once.state()));
    // The last two were observed: the flock after the fifth.
    assert_eq!(engine.take_order().map(|order| order.step), Some(5));
    assert_eq!(engine.take_order(), None);
    engine.reset();
    assert_eq!((engine.step(), engine.state()), (0, spawn(&settings)));
}
