//! A window that is starting: it answers and shows a word, while another thread compiles the kernels and takes the steps before the
//! first frame.

use super::controls::{grouped, word};
use super::pane::Pane;
use super::running::Next;
use super::start::{Progress, fast_forward};
use super::stepping::{FRAMES_IN_FLIGHT, Stepping};
use super::{ViewerOptions, thrift};
use crate::error::{Error, Result};
use crate::frame::{ACQUIRE_STAGE, record_starting_frame};
use crate::recording::record;
use crate::render::{Scene, canvas};
use crate::vk::{
    Acquired, Buffer, BufferUsage, Device, DeviceOptions, Format, FrameSlots, Instance, Panels, Presented,
    RecordOptions, Surface, Swapchain, Target,
};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use winit::event::{ElementState, WindowEvent};
use winit::keyboard::{Key, NamedKey};

/// How often it looks whether the work is done.
pub const GLANCE: Duration = Duration::from_millis(15);

/// How long the first frame of the flock waits for the window to be there and to show the word: not every system says that it is.
const PATIENCE: Duration = Duration::from_millis(500);

/// What the thread makes.
pub struct Made {
    /// First, so that the device is done with the others when they are dropped.
    pub slots: FrameSlots,
    pub scene: Scene,
    pub stepping: Stepping,
}

/// The thread. Dropped, it ends as soon as it can.
struct Work {
    thread: Option<JoinHandle<Result<Made>>>,
    /// Made without a thread.
    made: Option<Made>,
    progress: Arc<Progress>,
}

/// A window that is starting. Fields are dropped in this order.
pub struct Opening {
    work: Work,
    slots: FrameSlots,
    pub swapchain: Option<Swapchain>,
    /// The plain picture behind the word, of the swapchain's size.
    pixels: Option<Buffer>,
    pub panels: Panels,
    /// Of the images.
    pub format: Format,
    pub device: Arc<Device>,
    /// None if it was lost: then the first frame of the flock makes another.
    pub surface: Option<Surface>,
    pub instance: Arc<Instance>,
    pub pane: Pane,
    pub window_size: (u32, u32),
    /// Pixels in a point, as the window last said itself.
    pub scale: f64,
    /// Of its frame, as the window last said itself, or as was wanted.
    pub position: Option<(i32, i32)>,
    /// With as many boids as a slow device is given.
    pub options: ViewerOptions,
    since: Instant,
    /// The word that is shown, if one is.
    shown: Option<String>,
    /// Swapchains made.
    pub swapchains: u64,
}

impl Opening {
    /// Opens a device that can present to `pane`, and begins to make the flock of `options`. The panels are those of `like`, if given.
    pub fn begin(
        pane: &Pane,
        window_size: (u32, u32),
        instance: &Arc<Instance>,
        options: &ViewerOptions,
        robust: bool,
        like: Option<&Panels>,
    ) -> Result<Self> {
        let surface = pane.surface(instance)?;
        let wanted = options.gpu.as_deref();
        let device = Device::with_options(
            instance,
            &DeviceOptions { wanted, surface: Some(&surface), robust, ..DeviceOptions::default() },
        )?;
        let mut options = options.clone();
        if !options.full_quality && !options.count_is_given {
            let boids = thrift::boids_at_first(device.info(), options.settings.boids);
            options.settings = options.settings.with_boids(boids);
        }
        canvas::check(device.info(), &options.settings, window_size.0, window_size.1)?;
        let format = Swapchain::format_for(&device, &surface)?;
        let panels = match like {
            Some(panels) => panels.on_device(&device, format)?,
            None => Panels::new(&device, format, FRAMES_IN_FLIGHT)?,
        };
        Ok(Opening {
            slots: FrameSlots::new(&device, "starting", 1, false)?,
            work: Work::begin(&device, &options, format, like.is_none())?,
            swapchain: None,
            pixels: None,
            panels,
            format,
            device,
            surface: Some(surface),
            instance: instance.clone(),
            pane: pane.clone(),
            window_size,
            scale: pane.scale(),
            position: None,
            options,
            since: Instant::now(),
            shown: None,
            swapchains: 0,
        })
    }

    /// Whether the flock can be shown: nothing is to wait for, and the word has been seen.
    pub fn is_done(&self) -> bool {
        let seen = self.shown.is_some() || self.surface.is_none() || self.since.elapsed() >= PATIENCE;
        seen && self.work.is_finished()
    }

    /// Waits for what the thread makes. The device is done with the word then.
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
            WindowEvent::Resized(size) => {
                (self.window_size, self.shown) = ((*size).into(), None);
                self.show()?;
            }
            WindowEvent::Moved(place) => self.position = Some((place.x, place.y)),
            WindowEvent::ScaleFactorChanged { scale_factor, .. } => {
                (self.scale, self.shown) = (*scale_factor, None);
                self.show()?;
            }
            WindowEvent::RedrawRequested => {
                self.shown = None;
                self.show()?;
            }
            _ => {}
        }
        Ok(Next::Go)
    }

    /// Shows another word, if there is one to show.
    pub fn glance(&mut self) -> Result<()> {
        if self.shown.as_ref().is_some_and(|shown| *shown != self.word()) { self.show() } else { Ok(()) }
    }

    /// What it is doing.
    fn word(&self) -> String {
        match self.work.progress.step() {
            0 => "starting: compiling the kernels ...".into(),
            step => {
                let [step, all] = [step, self.options.start_step].map(|step| grouped(step.into()));
                format!("starting: step {step} of {all} ...")
            }
        }
    }

    /// Draws the word. A surface that is lost shows none, and leaves it to the flock to make another.
    fn show(&mut self) -> Result<()> {
        match self.draw() {
            Err(error) if error.is_surface_lost() => {
                tracing::warn!("{error}; recreating the surface");
                self.device.wait_idle()?;
                self.swapchain = None;
                self.surface = None;
                Ok(())
            }
            other => other,
        }
    }

    fn draw(&mut self) -> Result<()> {
        let Some(surface) = &self.surface else { return Ok(()) };
        let word = self.word();
        // The slot's last frame is done then, and what it used can be replaced.
        let slot = self.slots.next()?;
        if self.swapchain.as_ref().is_none_or(|swapchain| swapchain.size() != self.window_size) {
            self.device.wait_idle()?;
            let old = self.swapchain.take();
            let Some(swapchain) = Swapchain::new(&self.device, surface, self.window_size, self.options.vsync, old)?
            else {
                return Ok(());
            };
            self.swapchains += 1;
            self.pixels = Some(plain(&self.device, &self.options, &swapchain)?);
            self.swapchain = Some(swapchain);
        }
        let (Some(swapchain), Some(pixels)) = (&self.swapchain, &self.pixels) else { return Ok(()) };
        let (width, height) = swapchain.size();
        self.panels.set_picture(word::picture(&word, (width, height), self.scale as f32))?;
        self.panels.prepare(0, (width, height))?;
        let Acquired::Image { index, .. } = slot.acquire(swapchain)? else { return self.stale() };
        let target = Target { image: swapchain.image(index), width, height };
        let panels = (&self.panels, 0);
        record(slot, RecordOptions::default(), |rec| record_starting_frame(rec, pixels, &target, panels))?;
        slot.submit(Some((swapchain, index, ACQUIRE_STAGE)))?;
        self.pane.pre_present_notify();
        match swapchain.present(index)? {
            Presented::OutOfDate => return self.stale(),
            Presented::Shown | Presented::Suboptimal => self.shown = Some(word),
        }
        Ok(())
    }

    /// The window has changed under the word: the flock makes a swapchain that fits.
    fn stale(&mut self) -> Result<()> {
        self.device.wait_idle()?;
        self.swapchain = None;
        Ok(())
    }
}

impl Work {
    /// In a thread of its own, or at once where somebody waits for it anyway: what a thread has freed, the C library keeps for others
    /// like it, and each broken frame would take more memory.
    fn begin(device: &Arc<Device>, options: &ViewerOptions, format: Format, in_thread: bool) -> Result<Work> {
        let progress = Arc::<Progress>::default();
        let (device, options, seen) = (device.clone(), options.clone(), progress.clone());
        let work = move || {
            let mut slots = FrameSlots::new(&device, "window", FRAMES_IN_FLIGHT, true)?;
            let mut stepping = Stepping::new(&device, &options, None)?;
            let scene = Scene::with_look(&device, &stepping.flock, options.look.clone(), format, FRAMES_IN_FLIGHT)?;
            fast_forward(&mut stepping, &mut slots, &options, &seen)?;
            Ok(Made { slots, scene, stepping })
        };
        if !in_thread {
            return Ok(Work { thread: None, made: Some(work()?), progress });
        }
        let thread = thread::Builder::new().name("opening".into()).spawn(work);
        let thread = thread.map_err(|error| Error::Threads(error.to_string()))?;
        Ok(Work { thread: Some(thread), made: None, progress })
    }

    fn is_finished(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    fn finish(&mut self) -> Result<Made> {
        if let Some(made) = self.made.take() {
            return Ok(made);
        }
        let thread = self.thread.take().ok_or_else(|| Error::Threads("it has ended".into()))?;
        thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.progress.cancel();
        // What it has made is dropped; how it went, nobody wants to know.
        drop(self.thread.take().map(JoinHandle::join));
    }
}

/// A picture of one color, which goes with the backdrop to come.
fn plain(device: &Arc<Device>, options: &ViewerOptions, swapchain: &Swapchain) -> Result<Buffer> {
    let (width, height) = swapchain.size();
    let count = width as usize * height as usize;
    let mut color = options.look.palette.plain();
    if matches!(swapchain.format(), Format::B8G8R8A8_SRGB | Format::B8G8R8A8_UNORM) {
        color.swap(0, 2);
    }
    Buffer::with_data(device, "starting pixels", BufferUsage::TRANSFER_SRC, &vec![color; count])
}
