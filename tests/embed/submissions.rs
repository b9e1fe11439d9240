//! Which public functions submit to a host's queue or wait for it: those that the documentation of `Device::adopt`
//! lists, and no others.

use super::{Host, adopt, host_with};
use ash::vk;
use starlings::cpu::{Engine, Threads};
use starlings::flock::buffers::BOID_ID;
use starlings::flock::layout::MovementWeights;
use starlings::flock::{BoidState, EngineKind, Observation, Search, Start, States, StepSlot, Stepper};
use starlings::render::{Camera, Look, Scene, View, canvas::PICTURE_FORMAT};
use starlings::vk::{Buffer, BufferInfo, BufferUsage, MemoryLocation};
use starlings::{Device, Flock, HostDevice, Requirements, Settings};
use std::collections::BTreeSet;
use std::ffi::{CStr, c_void};
use std::mem::transmute;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Calls that submit to a queue or wait for it, so far.
static CALLS: AtomicU64 = AtomicU64::new(0);

/// The driver's functions.
static SUBMIT: AtomicUsize = AtomicUsize::new(0);
static SUBMIT2: AtomicUsize = AtomicUsize::new(0);
static QUEUE_WAIT: AtomicUsize = AtomicUsize::new(0);
static DEVICE_WAIT: AtomicUsize = AtomicUsize::new(0);

fn called(function: &AtomicUsize) -> usize {
    CALLS.fetch_add(1, Ordering::Relaxed);
    function.load(Ordering::Relaxed)
}

unsafe extern "system" fn submit(
    queue: vk::Queue,
    count: u32,
    submits: *const vk::SubmitInfo<'_>,
    fence: vk::Fence,
) -> vk::Result {
    // SAFETY: the driver's function of this type, called as the caller does.
    unsafe { transmute::<usize, vk::PFN_vkQueueSubmit>(called(&SUBMIT))(queue, count, submits, fence) }
}

unsafe extern "system" fn submit2(
    queue: vk::Queue,
    count: u32,
    submits: *const vk::SubmitInfo2<'_>,
    fence: vk::Fence,
) -> vk::Result {
    // SAFETY: as above.
    unsafe { transmute::<usize, vk::PFN_vkQueueSubmit2>(called(&SUBMIT2))(queue, count, submits, fence) }
}

unsafe extern "system" fn queue_wait(queue: vk::Queue) -> vk::Result {
    // SAFETY: as above.
    unsafe { transmute::<usize, vk::PFN_vkQueueWaitIdle>(called(&QUEUE_WAIT))(queue) }
}

unsafe extern "system" fn device_wait(device: vk::Device) -> vk::Result {
    // SAFETY: as above.
    unsafe { transmute::<usize, vk::PFN_vkDeviceWaitIdle>(called(&DEVICE_WAIT))(device) }
}

/// The host's device with these functions in place of the driver's.
fn counting(handles: &HostDevice<'_>) -> ash::Device {
    let device = handles.device.handle();
    let load = |name: &CStr| {
        // SAFETY: the instance and its device are alive.
        let found = unsafe { (handles.instance.fp_v1_0().get_device_proc_addr)(device, name.as_ptr()) };
        let found = found.map_or(std::ptr::null(), |function| function as *const c_void);
        let (of_driver, ours): (_, *const c_void) = match name.to_bytes() {
            b"vkQueueSubmit" => (&SUBMIT, submit as *const c_void),
            b"vkQueueSubmit2" => (&SUBMIT2, submit2 as *const c_void),
            b"vkQueueWaitIdle" => (&QUEUE_WAIT, queue_wait as *const c_void),
            b"vkDeviceWaitIdle" => (&DEVICE_WAIT, device_wait as *const c_void),
            _ => return found,
        };
        of_driver.store(found as usize, Ordering::Relaxed);
        ours
    };
    // SAFETY: each function is of the type that its name says.
    unsafe { ash::Device::load_with(load, device) }
}

/// Functions of a type, in the order of their calls, and whether each submits.
#[derive(Default)]
struct Tried(Vec<(&'static str, bool)>);

impl Tried {
    fn call<T>(&mut self, name: &'static str, function: impl FnOnce() -> T) -> T {
        let before = CALLS.load(Ordering::Relaxed);
        let result = function();
        self.0.push((name, CALLS.load(Ordering::Relaxed) > before));
        result
    }

    /// Compares them with the public functions in `sources`, and those that submit with the line of the documentation
    /// that begins with `begin`.
    fn compare(&self, sources: &[&str], begin: &str) {
        let all: BTreeSet<&str> = self.0.iter().map(|(name, _)| *name).collect();
        let public: BTreeSet<&str> = sources.iter().flat_map(|source| public_functions(source)).collect();
        assert_eq!(all, public, "{begin}: functions that are tried here, and those that there are");
        let submits: BTreeSet<&str> = self.0.iter().filter(|(_, submits)| *submits).map(|(name, _)| *name).collect();
        assert_eq!(submits, listed(begin), "{begin}: functions that submit, and those that are listed");
    }
}

/// Names of the public methods in a source, except those that record a pass.
fn public_functions(source: &str) -> impl Iterator<Item = &str> {
    let functions = source.split("\n    pub fn ").skip(1);
    let functions =
        functions.filter(|text| !text[..text.find(" {\n").unwrap_or(text.len())].contains("rec: &mut Recorder<"));
    functions.filter_map(|text| text.split(['(', '<']).next())
}

/// The part of a file that implements a type: from `impl NAME {` to the end of that block.
fn methods<'a>(source: &'a str, of: &str) -> &'a str {
    let from = source.find(&format!("\nimpl {of} {{")).expect("the type has methods");
    let to = source[from..].find("\n}\n").expect("the block ends");
    &source[from..from + to]
}

/// The names in the item of the documentation of `Device::adopt` that begins so.
fn listed(begin: &str) -> BTreeSet<&'static str> {
    const TEXT: &str = include_str!("../../src/vk/adopt.rs");
    let from = TEXT.find(begin).expect("an item of the list");
    let item = &TEXT[from + begin.len()..];
    let item = ["    /// *", "    ///\n"].into_iter().filter_map(|end| item.split_once(end)).map(|(item, _)| item);
    let item = item.min_by_key(|item| item.len()).expect("the list ends");
    item.split('`').skip(1).step_by(2).collect()
}

fn handles(host: &Host, with: impl FnOnce(&HostDevice<'_>)) {
    let handles = host.handles();
    let device = counting(&handles);
    with(&HostDevice { device: &device, ..handles });
}

#[test]
fn only_the_functions_that_are_listed_submit() {
    let Some(host) = host_with(Requirements::for_pictures()) else { return };
    handles(&host, |handles| {
        let device = adopt(handles).expect("the device has all");
        assert_eq!(CALLS.load(Ordering::Relaxed), 0, "adopting submits nothing");
        flocks(&device);
        scenes(&device);
        buffers(&device);
        devices(&device);
    });
    assert_eq!(host.close(), [""; 0]);
}

fn flocks(device: &Arc<Device>) {
    let mut tried = Tried::default();
    // With influences that have weights, and with states.
    let mut settings = Settings::preset("counting-sort").expect("a known preset").with_boids(500);
    settings.leader = Some(0);
    settings.states = States::Birds;
    let mut flock = tried.call("new", || Flock::new(device, &settings, 1)).expect("a small flock fits");
    tried.call("many", || Flock::many(device, std::slice::from_ref(&settings), 1)).expect("a small flock fits");
    let state: BoidState = tried.call("state", || flock.state()).expect("the device lives");
    assert_eq!(tried.call("states", || flock.states()).expect("the device lives"), std::slice::from_ref(&state));
    let start = Start { state: &state, step: 3, crowding: None };
    tried.call("starting_from", || Flock::starting_from(device, &settings, 1, &start)).expect("a small flock fits");
    tried.call("reset", || flock.reset()).expect("the device lives");
    tried.call("start_from", || flock.start_from(&start)).expect("the device lives");
    tried.call("resume", || flock.resume(&state, 3)).expect("the device lives");
    tried.call("set_state", || flock.set_state(&state)).expect("the device lives");
    tried.call("set_state_at", || flock.set_state_at(&state, 3)).expect("the device lives");
    tried.call("boid", || flock.boid(7)).expect("the device lives");
    tried.call("positions", || flock.positions()).expect("the device lives");
    tried.call("velocities", || flock.velocities()).expect("the device lives");
    tried.call("behaviors", || flock.behaviors()).expect("the device lives");
    let other = Settings { leader_weight: 0.5, ..settings.clone() };
    assert!(tried.call("adjust", || flock.adjust(&other)).expect("the device lives"));
    assert!(!tried.call("go_on", || flock.go_on(&settings)).expect("the device lives"));
    let weights = vec![MovementWeights { target: 1.0, leader: 0.5, current: 0.0, speed: 1.0 }; 500];
    tried.call("set_movement_weights", || flock.set_movement_weights(&weights)).expect("the device lives");
    tried.call("crowding", || flock.crowding()).expect("the device lives");
    tried.call("show_neighborhoods", || flock.show_neighborhoods(true, 1)).expect("a small flock fits");
    tried.call("shows_neighborhoods", || flock.shows_neighborhoods());
    let mut another = Flock::new(device, &settings, 1).expect("a small flock fits");
    tried.call("start_observing", || another.start_observing(1)).expect("a small flock fits");
    let step: StepSlot = tried.call("prepare_steps", || flock.prepare_steps(0, 1))[0];
    tried.call("prepare_observed_steps", || flock.prepare_observed_steps(0, 1, Observation::Order));
    tried.call("set_step", || flock.set_step(2));
    tried.call("set_budget", || flock.set_budget(1e9));
    tried.call("observer", || flock.observer().is_some());
    tried.call("observer_in", || flock.observer_in(step).is_some());
    tried.call("order_in", || flock.order_in(step).is_some());
    tried.call("order", || flock.order(0));
    tried.call("orders", || flock.orders(0));
    tried.call("transition_in", || flock.transition_in(step).is_some());
    tried.call("known_crowding", || flock.known_crowding());
    tried.call("steps_at_once", || flock.steps_at_once());
    tried.call("has_stepped", || flock.has_stepped());
    tried.call("step", || flock.step());
    tried.call("settings", || flock.settings().boids);
    tried.call("grid", || flock.grid().cell_count);
    tried.call("stepper", || matches!(flock.stepper(), Stepper::CountingSorted(_)));
    tried.call("buffers", || flock.buffers().iter().count());
    tried.call("buffer", || flock.buffer(BOID_ID).is_some());
    tried.call("bytes_of", || flock.bytes_of(BOID_ID));
    tried.call("is_by_address", || flock.is_by_address());
    tried.call("device", || flock.device().info().index);
    let mut cpu = Settings::preset("reynolds").expect("a known preset").with_boids(100);
    (cpu.engine, cpu.search) = (EngineKind::Cpu, Search::AllPairs);
    let mut uploaded = Flock::new(device, &cpu, 1).expect("a small flock fits");
    let engine = Engine::new(&cpu, Threads::One).expect("a thread");
    assert!(tried.call("prepare_upload", || uploaded.prepare_upload(0, 1, &engine)).is_some());
    let sources = [
        methods(include_str!("../../src/flock/gpu.rs"), "Flock"),
        methods(include_str!("../../src/flock/adjust.rs"), "Flock"),
        methods(include_str!("../../src/flock/behaviors.rs"), "Flock"),
    ];
    tried.compare(&sources, "/// * of [`Flock`](crate::flock::Flock):");
}

fn scenes(device: &Arc<Device>) {
    let mut tried = Tried::default();
    let settings = Settings::preset("reynolds").expect("a known preset").with_boids(500);
    let flock = Flock::new(device, &settings, 1).expect("a small flock fits");
    let (look, format) = (Look { trail: 0.5, ..Look::of(&settings) }, PICTURE_FORMAT);
    tried.call("new", || Scene::new(device, &flock, format, 1)).expect("a small scene");
    let mut scene =
        tried.call("with_look", || Scene::with_look(device, &flock, look.clone(), format, 1)).expect("a small scene");
    tried.call("again", || scene.again(&flock, format, 1)).expect("a small scene");
    let other = Look { trail: 0.0, lod_pixels: 1.0, ..look };
    tried.call("set_look", || scene.set_look(&flock, other)).expect("a small scene");
    tried.call("renew", || scene.renew()).expect("a small scene");
    let view = View::of(Camera::of(&settings, 1.0), 64, 64);
    let slot = tried.call("prepare", || scene.prepare(0, &flock, &[], &view));
    tried.call("params", || scene.params(&flock, &view));
    tried.call("look", || scene.look().targets);
    tried.call("color_range", || scene.color_range());
    tried.call("set_color_range", || scene.set_color_range(None));
    tried.call("values", || scene.values().is_some());
    tried.call("refit", || scene.refit(0, &flock));
    tried.call("trails", || scene.trails().is_some());
    tried.call("recording", || scene.recording(0).is_some());
    tried.call("skin_to_fill", || scene.skin_to_fill(slot).is_some());
    tried.call("rounds", || scene.rounds());
    tried.call("mirrors", || scene.mirrors());
    tried.call("draws_over", || scene.draws_over());
    tried.call("set_batches", || scene.set_batches(1));
    tried.call("has_targets", || scene.has_targets());
    tried.call("obstacle_draws", || scene.obstacle_draws().count());
    tried.call("figure", || scene.figure().rows);
    tried.call("draw_commands", || scene.draw_commands().size());
    tried.call("visible_boids", || scene.visible_boids().size());
    let sources = [
        methods(include_str!("../../src/render/scene/mod.rs"), "Scene"),
        methods(include_str!("../../src/render/scene/params.rs"), "Scene"),
        methods(include_str!("../../src/render/scene/passes.rs"), "Scene"),
    ];
    tried.compare(&sources, "/// * of [`Scene`](crate::render::Scene):");
}

fn buffers(device: &Arc<Device>) {
    let mut tried = Tried::default();
    let usage = BufferUsage::STORAGE_BUFFER | BufferUsage::TRANSFER_SRC | BufferUsage::TRANSFER_DST;
    let info = BufferInfo { name: "mapped", size: 16, usage, location: MemoryLocation::GpuToCpu };
    let mut mapped = tried.call("new", || Buffer::new(device, &info)).expect("a small buffer");
    tried.call("write", || mapped.write(0, &[1u32; 4]));
    tried.call("read", || mapped.read::<u32>(0, 4));
    tried.call("read_with", || mapped.read_with(|_: &[u32]| ()));
    tried.call("read_one", || mapped.read_one::<u32>(0));
    let buffer = tried.call("with_data", || Buffer::with_data(device, "data", usage, &[1u32; 4])).expect("room");
    tried.call("upload", || buffer.upload(0, &[2u32; 4])).expect("room");
    tried.call("upload_with", || buffer.upload_with(0, 4, |_, piece: &mut [u32]| piece.fill(3))).expect("room");
    tried.call("download", || buffer.download::<u32>(0, 4)).expect("room");
    tried.call("download_with", || buffer.download_with(0, 4, |_: &[u32]| ())).expect("room");
    tried.call("download_at", || buffer.download_at::<u32>(&[1])).expect("room");
    let shared = BufferInfo { name: "shared", size: 16, usage, location: MemoryLocation::GpuOnly };
    let shared = tried.call("shared", || Buffer::shared(device, &shared)).expect("a small buffer");
    tried.call("share", || shared.share()).expect("a device that shares nothing");
    tried.call("size", || buffer.size());
    tried.call("handle", || buffer.handle());
    tried.call("name", || buffer.name().len());
    if device.info().device_addresses {
        let usage = BufferUsage::SHADER_DEVICE_ADDRESS;
        let info = BufferInfo { name: "addressed", size: 16, usage, location: MemoryLocation::GpuOnly };
        let addressed = Buffer::new(device, &info).expect("a small buffer");
        tried.call("address", || addressed.address());
    } else {
        tried.call("address", || ());
    }
    let sources = [
        methods(include_str!("../../src/vk/buffer.rs"), "Buffer"),
        methods(include_str!("../../src/vk/transfers.rs"), "Buffer"),
    ];
    tried.compare(&sources, "/// * of [`Buffer`](super::Buffer):");
}

fn devices(device: &Arc<Device>) {
    let mut tried = Tried::default();
    tried.call("run_once", || device.run_once("nothing", |_| {})).expect("the device lives");
    tried.call("wait_idle", || device.wait_idle()).expect("the device lives");
    tried.call("info", || device.info().index);
    tried.call("is_robust", || device.is_robust());
    tried.call("has_witnesses", || device.has_witnesses());
    tried.call("is_by_address", || device.is_by_address());
    tried.call("state_usage", || device.state_usage());
    tried.call("verdict", || device.verdict()).expect("nothing is judged");
    tried.call("watch", || device.watch().is_on());
    tried.call("instance", || device.instance().validating());
    let sources = [
        methods(include_str!("../../src/vk/device.rs"), "Device"),
        methods(include_str!("../../src/vk/submit.rs"), "Device"),
    ];
    tried.compare(&sources, "/// * of the device:");
}
