//! From a window to its first frame of the flock: a thread makes the flock and takes the steps before that frame, which
//! may take a while, and the window meanwhile says what it is doing.

use super::ViewerOptions;
use super::controls::{grouped, startup_message};
use super::display::{Display, Outcome};
use super::open_window::Next;
use super::pane::Pane;
use super::stepped_flock::{FRAMES_IN_FLIGHT, SteppedFlock};
use super::throttle;
use crate::cache_folder;
use crate::error::Result;
use crate::panels::Panels;
use starlings::frame::{OpenFrame, Overlay, record_starting_frame};
use starlings::render::{Scene, canvas};
use starlings::vk::{
    Buffer, BufferUsage, Device, DeviceOptions, Format, FrameSlots, Instance, RecordOptions, Swapchain,
};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use winit::event::{ElementState, WindowEvent};
use winit::keyboard::{Key, NamedKey};

/// How often it looks whether the flock is made.
pub const POLL: Duration = Duration::from_millis(15);

/// How long the first frame of the flock waits for the window to be there and to show the message: not every system
/// says that it is.
const PATIENCE: Duration = Duration::from_millis(500);

/// A window that is starting. Fields are dropped in this order.
pub struct Startup {
    work: Work,
    slots: FrameSlots,
    /// The plain picture behind the message, of the swapchain's size.
    pixels: Option<Buffer>,
    pub panels: Panels,
    pub display: Display,
    /// Of the images.
    pub format: Format,
    pub device: Arc<Device>,
    /// Pixels in a point, as the window last said itself.
    pub scale: f64,
    /// Of its frame, as the window last said itself, or as was wanted.
    pub position: Option<(i32, i32)>,
    /// With as many boids as a slow device is given.
    pub options: ViewerOptions,
    since: Instant,
    shown: Option<String>,
}

impl Startup {
    /// Opens a device that can present to `pane`, and begins to make the flock of `options`. The panels are those of
    /// `like`, if given.
    pub fn begin(
        pane: &Pane,
        window_size: (u32, u32),
        instance: &Arc<Instance>,
        options: &ViewerOptions,
        robust: bool,
        like: Option<&Panels>,
    ) -> Result<Self> {
        let surface = pane.surface(instance)?;
        let (wanted, folder) = (options.gpu.as_deref(), cache_folder());
        let device = Device::with_options(
            instance,
            &DeviceOptions {
                wanted,
                surface: Some(&surface),
                pipeline_cache: folder.as_deref(),
                robust,
                watch: options.watch.as_deref(),
                ..DeviceOptions::default()
            },
        )?;
        let mut options = options.clone();
        if !options.full_quality && !options.count_is_given {
            let boids = throttle::boids_at_first(device.info(), options.settings.boids);
            options.settings = options.settings.with_boids(boids);
        }
        canvas::check(device.info(), &options.settings, window_size.0, window_size.1)?;
        let format = Swapchain::format_for(&device, &surface)?;
        let panels = match like {
            Some(panels) => panels.on_device(&device, format)?,
            None => Panels::new(&device, format, FRAMES_IN_FLIGHT)?,
        };
        Ok(Startup {
            slots: FrameSlots::new(&device, "starting", 1, false)?,
            work: Work::begin(&device, &options, format, like.is_none())?,
            pixels: None,
            panels,
            display: Display::new(&device, (instance, surface), (pane, window_size), options.vsync),
            format,
            device,
            scale: pane.scale(),
            position: None,
            options,
            since: Instant::now(),
            shown: None,
        })
    }

    /// Whether the flock can be shown: nothing is to wait for, and the message has been seen.
    pub fn is_done(&self) -> bool {
        (self.shown.is_some() || self.since.elapsed() >= PATIENCE) && self.work.is_finished()
    }

    /// Waits for what the thread makes. The device is done with the message then.
    pub fn finish(&mut self) -> Result<Made> {
        let made = self.work.finish()?;
        self.slots.wait_all()?;
        Ok(made)
    }

    /// What a window that is starting does about an event.
    pub fn on_event(&mut self, event: &WindowEvent) -> Result<Next> {
        match event {
            WindowEvent::CloseRequested | WindowEvent::Destroyed => return Ok(Next::Quit),
            WindowEvent::KeyboardInput { event, .. }
                if event.state == ElementState::Pressed && event.logical_key == Key::Named(NamedKey::Escape) =>
            {
                return Ok(Next::Quit);
            }
            WindowEvent::Moved(place) => self.position = Some((place.x, place.y)),
            WindowEvent::Resized(size) => {
                self.display.resized((*size).into());
                self.show()?;
            }
            WindowEvent::ScaleFactorChanged { scale_factor, .. } => {
                self.scale = *scale_factor;
                self.show()?;
            }
            WindowEvent::RedrawRequested => self.show()?,
            _ => {}
        }
        Ok(Next::Go)
    }

    /// Shows another message, if there is one to show.
    pub fn poll(&mut self) -> Result<()> {
        if self.shown.as_ref().is_some_and(|shown| *shown != self.message()) { self.show() } else { Ok(()) }
    }

    /// What it is doing.
    fn message(&self) -> String {
        match self.work.progress.step.load(Ordering::Relaxed) {
            0 => "starting: compiling the kernels ...".into(),
            step => {
                let [step, all] = [step, self.options.start_step].map(|step| grouped(step.into()));
                format!("starting: step {step} of {all} ...")
            }
        }
    }

    /// Draws the message, if the window has an area.
    fn show(&mut self) -> Result<()> {
        self.shown = None;
        let message = self.message();
        match self.draw(&message) {
            Ok(Outcome::Shown) => self.shown = Some(message),
            Ok(Outcome::Again | Outcome::Hidden) => {}
            Err(error) => self.display.recover(error)?,
        }
        Ok(())
    }

    fn draw(&mut self, message: &str) -> Result<Outcome> {
        let swapchains = self.display.swapchains;
        if !self.display.prepare()? {
            return Ok(Outcome::Hidden);
        }
        let (Some(size), Some(format)) = (self.display.size(), self.display.format()) else {
            return Ok(Outcome::Hidden);
        };
        // The slot's last frame is done then, and what it used can be replaced.
        let mut frame = OpenFrame::begin(&mut self.slots)?;
        if swapchains != self.display.swapchains {
            self.pixels = Some(plain(&self.device, &self.options, size, format)?);
        }
        let Some(pixels) = &self.pixels else { return Ok(Outcome::Hidden) };
        self.panels.set_picture(startup_message(message, size, self.scale as f32))?;
        self.panels.prepare(0, size)?;
        let acquired = match self.display.acquire(&frame)? {
            Ok(acquired) => acquired,
            Err(outcome) => return Ok(outcome),
        };
        let panels: (&dyn Overlay, usize) = (&self.panels, 0);
        frame.record(RecordOptions::default(), |rec| record_starting_frame(rec, pixels, &acquired.target, panels))?;
        let _frame = self.display.submit(frame, &acquired)?;
        self.display.present(&acquired)
    }
}

/// What the thread makes.
pub struct Made {
    /// First, so that the device is done with the others when they are dropped.
    pub slots: FrameSlots,
    pub scene: Scene,
    pub flock: SteppedFlock,
}

/// How far the thread is, and whether it is to end.
#[derive(Debug, Default)]
struct Progress {
    /// The step that was reached; 0 before the first.
    step: AtomicU32,
    cancelled: AtomicBool,
}

/// The thread. Dropped, it ends as soon as it can.
struct Work {
    thread: Option<JoinHandle<Result<Made>>>,
    /// Made without a thread.
    made: Option<Made>,
    progress: Arc<Progress>,
}

impl Work {
    /// In a thread of its own, or at once where somebody waits for it anyway: what a thread has freed, the C library
    /// keeps for others like it, and each broken frame would take more memory.
    fn begin(device: &Arc<Device>, options: &ViewerOptions, format: Format, in_thread: bool) -> Result<Work> {
        let progress = Arc::<Progress>::default();
        let (device, options, seen) = (device.clone(), options.clone(), progress.clone());
        let work = move || {
            let mut slots = FrameSlots::new(&device, "window", FRAMES_IN_FLIGHT, true)?;
            let mut flock = SteppedFlock::new(&device, options.first(), &options, None)?;
            flock.fast_forward(&mut slots, &options, |step| {
                seen.step.store(step, Ordering::Relaxed);
                seen.cancelled.load(Ordering::Relaxed)
            })?;
            let look = options.look.clone().fitted(flock.settings());
            let scene = Scene::with_look(&device, &flock.on_device, look, format, FRAMES_IN_FLIGHT)?;
            Ok(Made { slots, scene, flock })
        };
        if !in_thread {
            return Ok(Work { thread: None, made: Some(work()?), progress });
        }
        let thread = thread::Builder::new().name("startup".into()).spawn(work);
        let thread = thread.map_err(|error| starlings::Error::Threads(error.to_string()))?;
        Ok(Work { thread: Some(thread), made: None, progress })
    }

    fn is_finished(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    fn finish(&mut self) -> Result<Made> {
        if let Some(made) = self.made.take() {
            return Ok(made);
        }
        let thread = self.thread.take().ok_or_else(|| starlings::Error::Threads("it has ended".into()))?;
        thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.progress.cancelled.store(true, Ordering::Relaxed);
        // What it has made is dropped; how it went, nobody wants to know.
        drop(self.thread.take().map(JoinHandle::join));
    }
}

/// A picture of one color, which goes with the backdrop to come.
fn plain(device: &Arc<Device>, options: &ViewerOptions, (width, height): (u32, u32), format: Format) -> Result<Buffer> {
    let count = width as usize * height as usize;
    let mut color = options.look.palette.plain();
    if matches!(format, Format::B8G8R8A8_SRGB | Format::B8G8R8A8_UNORM) {
        color.swap(0, 2);
    }
    Ok(Buffer::with_data(device, "starting pixels", BufferUsage::TRANSFER_SRC, &vec![color; count])?)
}
