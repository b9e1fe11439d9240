//! Pictures without a window: the same frame as the viewer's, copied to the host instead of shown.

use crate::cpu::{self, Engine};
use crate::error::Result;
use crate::flock::layout::MovementWeights;
use crate::flock::{BoidState, Flock, Observation, OrderParameters, Settings, Start};
use crate::frame::{FrameView, OpenFrame, Output, record_frame, record_steps};
use crate::render::canvas::{self, Canvas, PICTURE_FORMAT, picture, picture_bytes};
use crate::render::resources::PICTURE;
use crate::render::{Camera, Look, Scene, View};
use crate::vk::{Buffer, Device, FrameSlots, Image, Journal, PassTimings, RecordOptions, Target, timeline};
use std::sync::Arc;

/// Draws a flock into pictures on the host, one frame at a time: the host waits for each frame and reads its pixels. A
/// picture with more pixels than the device can access at once is drawn in bands, a frame each.
pub struct Studio {
    slots: FrameSlots,
    scene: Scene,
    /// As large as a band.
    canvas: Canvas,
    picture: Image,
    bytes: Buffer,
    /// Pixels of all bands.
    height: u32,
    observation: Option<Observation>,
    /// Whether colors follow the flock from picture to picture.
    follows: bool,
}

/// Parameters of one picture.
#[derive(Clone, Copy, Debug)]
pub struct Shot<'a> {
    /// The camera.
    pub camera: Camera,
    /// Simulation steps in the same command buffer, before the picture: at most
    /// [`MAX_STEPS_PER_SUBMISSION`](crate::flock::MAX_STEPS_PER_SUBMISSION).
    pub steps: u32,
    /// Options of the recording.
    pub options: RecordOptions<'a>,
}

impl Studio {
    /// A studio for `flock` with `look`, for pictures of `width` by `height` pixels.
    ///
    /// # Errors
    /// [`crate::Error::Setting`] when the device has no images of that size, or the error of creating an object.
    pub fn with_look(device: &Arc<Device>, flock: &Flock, look: Look, width: u32, height: u32) -> Result<Self> {
        Self::with_scene(device, Scene::with_look(device, flock, look, PICTURE_FORMAT, 1)?, width, height)
    }

    /// The same, with the look and the trails of another scene of the flock.
    ///
    /// # Errors
    /// As [`Studio::with_look`].
    pub fn like(device: &Arc<Device>, flock: &Flock, scene: &Scene, width: u32, height: u32) -> Result<Self> {
        Self::with_scene(device, scene.again(flock, PICTURE_FORMAT, 1)?, width, height)
    }

    fn with_scene(device: &Arc<Device>, scene: Scene, width: u32, height: u32) -> Result<Self> {
        let rows = canvas::rows_at_once(device.info(), width, height);
        let canvas = Canvas::new(device, width, rows)?;
        let picture = picture(device, width, rows)?;
        let bytes = picture_bytes(device, width, rows)?;
        let slots = FrameSlots::new(device, "offscreen", 1, true)?;
        Ok(Studio { slots, scene, canvas, picture, bytes, height, observation: None, follows: false })
    }

    /// Runs `shot.steps` steps and draws the flock that this was made for, as one frame. Returns the pixels, row by row
    /// from the top, as red, green, blue and alpha bytes in sRGB; and the journal, if `shot.options` asks for it. With
    /// steps, no other frame of the flock may be in flight. Where colors are fitted to the flock, a second frame, which
    /// takes no step, draws it again in the range that the first has found.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] when the device is lost or out of memory.
    pub fn draw(&mut self, flock: &mut Flock, shot: &Shot<'_>) -> Result<(Vec<u8>, Option<Journal>)> {
        self.draw_by(None, flock, shot)
    }

    /// As [`Offscreen::follow_colors`].
    pub fn follow_colors(&mut self) {
        self.follows = true;
    }

    /// The same, with the steps taken by `engine`, if there is one.
    fn draw_by(
        &mut self,
        engine: Option<&mut Engine>,
        flock: &mut Flock,
        shot: &Shot<'_>,
    ) -> Result<(Vec<u8>, Option<Journal>)> {
        let mut engine = engine;
        let fits = !self.follows || self.scene.values().is_some_and(|values| values.fit.is_new());
        let (mut pixels, journal) = self.draw_band(engine.as_deref_mut(), flock, shot, 0)?;
        // What the frame has counted is known only now.
        if fits && self.scene.refit(0, flock) {
            let again = Shot { steps: 0, options: RecordOptions { journal: false, ..shot.options }, ..*shot };
            (pixels, _) = self.draw_band(engine.as_deref_mut(), flock, &again, 0)?;
        }
        for first in (self.canvas.height..self.height).step_by(self.canvas.height as usize) {
            let still = Shot { steps: 0, options: RecordOptions::default(), ..*shot };
            pixels.extend(self.draw_band(engine.as_deref_mut(), flock, &still, first)?.0);
        }
        Ok((pixels, journal))
    }

    /// The values of the first and of the last color of the last picture, if its colors stand for amounts.
    pub fn color_range(&self) -> Option<[f32; 2]> {
        self.scene.color_range()
    }

    /// Draws in these colors from the next picture on, if they stand for amounts: see [`Look::color_range`].
    pub fn set_color_range(&mut self, range: Option<[f32; 2]>) {
        self.scene.set_color_range(range);
    }

    /// Draws the band of the picture whose first row is `first`. The last one may reach beyond the picture, and is cut.
    fn draw_band(
        &mut self,
        engine: Option<&mut Engine>,
        flock: &mut Flock,
        shot: &Shot<'_>,
        first: u32,
    ) -> Result<(Vec<u8>, Option<Journal>)> {
        let mut frame = OpenFrame::begin(&mut self.slots)?;
        let Canvas { width, height: rows, .. } = self.canvas;
        let (steps, scene_slot) = frame.write(|index| {
            let steps = cpu::prepare(engine, flock, index, shot.steps, self.observation);
            let block = self.canvas.block;
            let elapsed = self.follows.then_some(shot.steps as f32 * flock.settings().time_step);
            let rows = first..first + rows;
            let view = View { rows, block, elapsed, ..View::of(shot.camera, width, self.height) };
            let scene_slot = self.scene.prepare(index, flock, &steps, &view);
            (steps, scene_slot)
        });
        let view = FrameView {
            scene: &self.scene,
            slot: scene_slot,
            canvas: &self.canvas,
            target: Target { image: self.picture.reference(PICTURE), width, height: rows },
            overlay: None,
            boids: None,
            output: Output::Host(&self.bytes),
        };
        let journal = frame.record(shot.options, |rec| record_frame(rec, flock, &steps, &view))?;
        let _frame = frame.submit(None)?;
        self.slots.wait_all()?;
        let _reading = tracing::trace_span!(target: timeline::TARGET, "host read").entered();
        let shown = rows.min(self.height - first);
        Ok((self.bytes.read(0, 4 * width as usize * shown as usize), journal))
    }
}

/// A flock and the studio that draws it.
pub struct Offscreen {
    studio: Studio,
    flock: Flock,
    /// For a flock that the CPU steps.
    engine: Option<Engine>,
}

impl Offscreen {
    /// Spawns the flock of `settings`, for pictures of `width` by `height` pixels.
    ///
    /// # Errors
    /// As [`Flock::new`]; [`crate::Error::Setting`] when the device has no images of that size.
    pub fn new(device: &Arc<Device>, settings: &Settings, width: u32, height: u32) -> Result<Self> {
        Self::with_look(device, settings, Look::of(settings), width, height)
    }

    /// The same, with another look.
    ///
    /// # Errors
    /// As [`Offscreen::new`].
    pub fn with_look(device: &Arc<Device>, settings: &Settings, look: Look, width: u32, height: u32) -> Result<Self> {
        canvas::check(device.info(), settings, width, height)?;
        let mut flock = Flock::new(device, settings, 1)?;
        look.observe(&mut flock, 1)?;
        Ok(Offscreen {
            studio: Studio::with_look(device, &flock, look, width, height)?,
            engine: Engine::of(settings)?,
            flock,
        })
    }

    /// Draws in bands of so many rows from now on. For tests.
    ///
    /// # Errors
    /// What the device could not make.
    pub fn draw_in_bands(&mut self, rows: u32) -> Result<()> {
        let (studio, device) = (&mut self.studio, self.flock.device());
        studio.canvas = Canvas::new(device, studio.canvas.width, rows)?;
        studio.picture = picture(device, studio.canvas.width, rows)?;
        studio.bytes = picture_bytes(device, studio.canvas.width, rows)?;
        Ok(())
    }

    /// Draws blocks of so many pixels along an edge from now on, which share their samples: a cheaper picture.
    ///
    /// # Errors
    /// What the device could not make.
    pub fn draw_in_blocks(&mut self, block: u32) -> Result<()> {
        let canvas = &mut self.studio.canvas;
        *canvas = Canvas::in_blocks(self.flock.device(), canvas.width, canvas.height, block)?;
        Ok(())
    }

    /// Draws a picture: see [`Studio::draw`].
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] when the device is lost or out of memory.
    pub fn draw(&mut self, shot: &Shot<'_>) -> Result<(Vec<u8>, Option<Journal>)> {
        self.studio.draw_by(self.engine.as_mut(), &mut self.flock, shot)
    }

    /// Makes the pictures from the next one on frames of a video: a range of colors that is fitted follows the flock
    /// from one to the next, so that colors do not flicker. It depends on the pictures before. Otherwise each picture
    /// is fitted to its own flock, and drawn twice for that.
    pub fn follow_colors(&mut self) {
        self.studio.follow_colors();
    }

    /// Takes the steps of `shot`, as [`Offscreen::draw`] does, without a picture. (Those of a flock that the CPU steps,
    /// or that leaves trails, take one nevertheless.)
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] when the device is lost or out of memory.
    pub fn advance(&mut self, shot: &Shot<'_>) -> Result<()> {
        let (studio, flock) = (&mut self.studio, &mut self.flock);
        if self.engine.is_some() || studio.scene.trails().is_some() {
            return self.draw(shot).map(drop);
        }
        let mut frame = OpenFrame::begin(&mut studio.slots)?;
        let steps = frame.write(|index| cpu::prepare(None, flock, index, shot.steps, studio.observation));
        frame.record(shot.options, |rec| record_steps(rec, flock, &steps))?;
        let _frame = frame.submit(None)?;
        studio.slots.wait_all()
    }

    /// Replaces the state of every boid and sets the count of steps taken. Waits for the device.
    ///
    /// # Errors
    /// As [`Flock::set_state_at`].
    pub fn set_state_at(&mut self, state: &BoidState, step: u32) -> Result<()> {
        if let Some(engine) = &mut self.engine {
            engine.set_state_at(state, step);
        }
        self.flock.set_state_at(state, step)
    }

    /// Goes on from `state`, which was read after `step` steps: see [`Flock::resume`]. Trails begin anew.
    ///
    /// # Errors
    /// As [`Flock::resume`].
    pub fn resume(&mut self, state: &BoidState, step: u32) -> Result<()> {
        if let Some(engine) = &mut self.engine {
            engine.resume(state, step);
        }
        self.flock.resume(state, step)
    }

    /// Goes on with other settings from the next step on: see [`Flock::go_on`]. Where another flock goes on, it is
    /// drawn like `look`, which has to fit it, and trails begin anew.
    ///
    /// # Errors
    /// As [`Offscreen::with_look`].
    ///
    /// # Panics
    /// When the laws of both settings differ.
    pub fn go_on(&mut self, settings: &Settings, look: Look) -> Result<()> {
        if self.flock.adjust(settings)? {
            return self.engine.as_mut().map_or(Ok(()), |engine| engine.adjust(settings));
        }
        let (state, step) = match &self.engine {
            Some(engine) => (engine.state(), engine.step()),
            None => (self.flock.state()?, self.flock.step()),
        };
        let state = state.carried_over(self.flock.settings(), settings);
        let mut flock =
            Flock::starting_from(self.flock.device(), settings, 1, &Start { state: &state, step, crowding: None })?;
        look.observe(&mut flock, 1)?;
        self.studio.scene = Scene::with_look(flock.device(), &flock, look, PICTURE_FORMAT, 1)?;
        self.engine = Engine::of(settings)?;
        if let Some(engine) = &mut self.engine {
            engine.set_state_at(&state, step);
        }
        self.flock = flock;
        Ok(())
    }

    /// From the next picture on, observes the flock in the last step of each picture; `None` stops this.
    ///
    /// # Errors
    /// The error of creating an object for the first observation.
    pub fn observe(&mut self, what: Option<Observation>) -> Result<()> {
        if what.is_some() && self.engine.is_none() {
            self.flock.start_observing(1)?;
        }
        self.studio.observation = what;
        Ok(())
    }

    /// The order parameters of the flock before the last step observed for them. None without such a step, or, if the
    /// CPU took the step, on a second call.
    pub fn order(&mut self) -> Option<OrderParameters> {
        match &mut self.engine {
            None => self.flock.order(0),
            Some(engine) => engine.take_order(),
        }
    }

    /// Steps that a picture may take, at most: few enough to avoid a device reset, and, if the CPU steps a flock with
    /// trails, the steps between two points of a trail, because a picture uploads one state.
    pub fn steps_at_once(&self) -> u32 {
        let most = self.flock.steps_at_once();
        match self.studio.scene.trails() {
            Some(trails) if self.engine.is_some() => most.min(trails.moments.sampling.stride),
            _ => most,
        }
    }

    /// Sets every boid's weights for the influences on the flock; entry `i` is for boid `i`. Waits for the device.
    ///
    /// # Errors
    /// The error of the upload.
    ///
    /// # Panics
    /// As [`Flock::set_movement_weights`].
    pub fn set_movement_weights(&mut self, weights: &[MovementWeights]) -> Result<()> {
        match &mut self.engine {
            None => self.flock.set_movement_weights(weights),
            Some(engine) => {
                engine.set_movement_weights(weights);
                Ok(())
            }
        }
    }

    /// GPU times of every pass so far.
    pub fn timings(&self) -> &PassTimings {
        self.studio.slots.timings()
    }

    /// Clears all times, for instance after a warm-up.
    pub fn clear_timings(&mut self) {
        self.studio.slots.timings_mut().clear();
    }

    /// The flock.
    pub fn flock(&self) -> &Flock {
        &self.flock
    }

    /// The flock, to replace its state or to run it ahead.
    pub fn flock_mut(&mut self) -> &mut Flock {
        &mut self.flock
    }

    /// The scene that draws it.
    pub fn scene(&self) -> &Scene {
        &self.studio.scene
    }

    /// The scene, to change how it is drawn.
    pub fn scene_mut(&mut self) -> &mut Scene {
        &mut self.studio.scene
    }

    /// Where its pictures are made. For tests.
    pub fn canvas(&self) -> &Canvas {
        &self.studio.canvas
    }
}
