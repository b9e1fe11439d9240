//! The draw passes on the device: their buffers and pipelines, and one method for each pass.
//!
//! Each method records one pass and nothing else. The dependencies between passes are in [`crate::frame`], and the uses
//! of each pass in `passes`. The host writes `scene_params` before the submission.

mod drawers;
mod obstacles;
mod params;
mod passes;

pub use obstacles::ObstacleDraw;
pub(super) use obstacles::triangle_bytes;
pub use passes::Picture;

use super::clips::{self, Figure};
use super::layout::{DrawCommand, SceneParams, VisibleBoid};
use super::look::Look;
use super::skin;
use super::texture::Texture;
use super::trails::{Recording, Trails, period};
use super::values::Values;
use super::view::View;
use crate::error::Result;
use crate::flock::buffers::{
    Addresses, BEHAVIOR, BOID_ID, CELL_STARTS, OBSTACLE_VOLUMES, POSITION_VX, VELOCITY_YZ, addresses,
};
use crate::flock::memory::{self, OtherMemory};
use crate::flock::state::UniformRing;
use crate::flock::{Flock, StepSlot};
use crate::limits::{
    BINDING_BEHAVIOR, BINDING_BOID_ID, BINDING_CELL_STARTS, BINDING_DRAW_COMMANDS, BINDING_OBSTACLE_TRIANGLES,
    BINDING_OBSTACLE_VOLUMES, BINDING_POSITION_VX, BINDING_SCENE_PARAMS, BINDING_VELOCITY_YZ, BINDING_VISIBLE_BOIDS,
    CULL_WORKGROUP, MAX_VISIBLE_BOIDS,
};
use crate::render::resources::{DRAW_COMMANDS, SCENE_PARAMS, VISIBLE_BOIDS};
use crate::vk::{
    Buffer, BufferInfo, BufferUsage, Descriptor, DescriptorSet, Device, Format, ImageRef, MemoryLocation, SetLayout,
    ShaderStages,
};
use drawers::Drawers;
use obstacles::{obstacle_draws, upload_triangles};
use std::sync::Arc;

/// Rounds of a picture on a device without 64-bit atomics.
const ROUNDS: usize = 2;

/// What a frame is prepared for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SceneSlot {
    /// Where the parameters of each round lie: dynamic offsets into the ring. They differ on a device without 64-bit
    /// atomics.
    offsets: [u32; 2],
    /// Whether it is the first to sample the texture, which therefore has to be filled before.
    fills_skin: bool,
    /// Of the frame.
    index: usize,
}

/// Everything that draws one flock.
pub struct Scene {
    look: Look,
    drawers: Drawers,
    trails: Option<Trails>,
    /// What fits the range of colors to the flock, if that is to be.
    values: Option<Values>,
    slots: usize,
    /// What the frame prepared last records for its trails.
    recordings: Vec<Recording>,
    /// Whether a frame was prepared that fills the texture.
    skin_filled: bool,
    layout: SetLayout,
    set: DescriptorSet,
    scene_params: UniformRing,
    visible_boids: Buffer,
    draw_commands: Buffer,
    /// Of the obstacles that are meshes.
    _triangles: Buffer,
    /// Of the flock's arrays, for a flock whose kernels access them so.
    addresses: Option<Addresses>,
    boids: u32,
    /// Of boids, for each workgroup of `cull`.
    batches: u32,
    targets: u32,
    /// As the frame prepared last has them.
    obstacles: Vec<ObstacleDraw>,
    color_format: Format,
    device: Arc<Device>,
}

impl Scene {
    /// Builds what draws `flock` as its preset is drawn, into images of `color_format`. `slots` is the number of frames
    /// in flight. The flock's buffers must outlive the scene.
    ///
    /// # Errors
    /// [`crate::Error::TooLarge`] for a flock of which no picture can be drawn, or what the device could not make.
    pub fn new(device: &Arc<Device>, flock: &Flock, color_format: Format, slots: usize) -> Result<Scene> {
        Self::with_look(device, flock, Look::of(flock.settings()), color_format, slots)
    }

    /// The same with another look.
    ///
    /// # Errors
    /// As [`Scene::new`].
    pub fn with_look(
        device: &Arc<Device>,
        flock: &Flock,
        look: Look,
        color_format: Format,
        slots: usize,
    ) -> Result<Scene> {
        Self::build(device, flock, look, (color_format, slots), None)
    }

    /// Draws the same flock once more, with the same look and trails, in frames that take no steps.
    ///
    /// # Errors
    /// What the device could not make.
    pub fn again(&self, flock: &Flock, color_format: Format, slots: usize) -> Result<Scene> {
        Self::build(&self.device, flock, self.look.clone(), (color_format, slots), self.trails.as_ref())
    }

    fn build(
        device: &Arc<Device>,
        flock: &Flock,
        mut look: Look,
        (color_format, slots): (Format, usize),
        shared: Option<&Trails>,
    ) -> Result<Scene> {
        look.read_model()?;
        let boids = flock.settings().boids;
        let list = size_of::<VisibleBoid>() as u64 * u64::from(boids.min(MAX_VISIBLE_BOIDS));
        let in_all = list + triangle_bytes(flock.settings()) + clips::texture::bytes(&look.figure());
        memory::check_drawn(device.info(), flock.settings(), OtherMemory { a_boid: 0, in_all })?;
        let buffer = |name, size, usage| {
            Buffer::new(device, &BufferInfo { name, size, usage, location: MemoryLocation::GpuOnly })
        };
        let scene_params = UniformRing::new(device, SCENE_PARAMS.name(), size_of::<SceneParams>(), ROUNDS * slots)?;
        let visible = BufferUsage::STORAGE_BUFFER | BufferUsage::TRANSFER_SRC;
        let visible_boids = buffer(VISIBLE_BOIDS.name(), list, visible)?;
        let arguments = visible | BufferUsage::INDIRECT_BUFFER | BufferUsage::TRANSFER_DST;
        let draw_commands = buffer(DRAW_COMMANDS.name(), size_of::<[DrawCommand; 2]>() as u64, arguments)?;
        let triangles = upload_triangles(device, flock.settings())?;
        let state = flock.buffers();
        let (compute, vertex) = (ShaderStages::COMPUTE, ShaderStages::VERTEX);
        let (both, all) = (compute | vertex, compute | vertex | ShaderStages::FRAGMENT);
        let mut resources = vec![
            Descriptor::dynamic_uniform::<SceneParams>(BINDING_SCENE_PARAMS, all, &scene_params.buffer),
            Descriptor::storage(BINDING_POSITION_VX, compute, &state[POSITION_VX]),
            Descriptor::storage(BINDING_VELOCITY_YZ, compute, &state[VELOCITY_YZ]),
            Descriptor::storage(BINDING_BOID_ID, compute, &state[BOID_ID]),
            Descriptor::storage(BINDING_CELL_STARTS, compute, &state[CELL_STARTS]),
            Descriptor::storage(BINDING_BEHAVIOR, compute, &state[BEHAVIOR]),
            Descriptor::storage(BINDING_VISIBLE_BOIDS, both, &visible_boids),
            Descriptor::storage(BINDING_OBSTACLE_VOLUMES, compute | ShaderStages::FRAGMENT, &state[OBSTACLE_VOLUMES]),
            Descriptor::storage(BINDING_OBSTACLE_TRIANGLES, vertex, &triangles),
            // Only the draw of boids: cull does not count targets.
            Descriptor {
                range: size_of::<DrawCommand>() as u64,
                ..Descriptor::storage(BINDING_DRAW_COMMANDS, compute, &draw_commands)
            },
        ];
        let layout =
            SetLayout::new(device, "scene", &resources.iter().map(|resource| resource.binding).collect::<Vec<_>>())?;
        // As for steps: arrays beyond a descriptor's range are accessed by address.
        resources.retain(|resource| resource.range <= device.info().reach(false));
        let set = DescriptorSet::new(device, "scene", &layout, &resources)?;
        let trails = match shared {
            Some(shared) => Some(shared.share(device, flock, &scene_params.buffer)?),
            None => trails(device, flock, &look, &scene_params.buffer)?,
        };
        let values = values(device, flock, &look, &layout, slots)?;
        let trails_set = trails.as_ref().map(|trails| &trails.layout);
        Ok(Scene {
            drawers: Drawers::new(device, &look, flock, &layout, trails_set, color_format)?,
            recordings: Vec::new(),
            trails,
            values,
            slots,
            skin_filled: false,
            look,
            layout,
            set,
            scene_params,
            visible_boids,
            draw_commands,
            _triangles: triangles,
            addresses: flock.is_by_address().then(|| addresses([state])),
            boids,
            batches: batches(boids),
            targets: flock.settings().targets,
            obstacles: Vec::new(),
            color_format,
            device: device.clone(),
        })
    }

    /// What the flock is drawn like.
    pub fn look(&self) -> &Look {
        &self.look
    }

    /// Draws `flock` like this from the next frame on. What takes other pipelines or trails waits for the device.
    ///
    /// # Errors
    /// What the device could not make; then the look stays as it was.
    pub fn set_look(&mut self, flock: &Flock, mut look: Look) -> Result<()> {
        look.read_model()?;
        if look.trail != self.look.trail {
            let made = trails(&self.device, flock, &look, &self.scene_params.buffer)?;
            self.device.wait_idle()?;
            self.trails = made;
        }
        if !Drawers::serve(&look, &self.look) {
            let trails = self.trails.as_ref().map(|trails| &trails.layout);
            let made = Drawers::new(&self.device, &look, flock, &self.layout, trails, self.color_format)?;
            self.device.wait_idle()?;
            self.drawers = made;
            self.skin_filled = false;
        }
        let of = |look: &Look| (look.color, look.color_range.is_some());
        if of(&look) != of(&self.look) {
            let made = values(&self.device, flock, &look, &self.layout, self.slots)?;
            self.device.wait_idle()?;
            self.values = made;
        }
        self.look = look;
        Ok(())
    }

    /// Recreates the texture, so that the next frame fills it: for recording such a frame more than once.
    ///
    /// # Errors
    /// What the device could not make.
    pub fn renew(&mut self) -> Result<()> {
        if self.drawers.skin.is_some() {
            self.drawers.skin = Some(skin::texture(&self.device)?);
            self.skin_filled = false;
        }
        Ok(())
    }

    /// Writes the parameters of the next frame, which takes `steps`, for frame slot `slot`, which the device is done
    /// with.
    ///
    /// # Panics
    /// When the scene was made for fewer slots.
    pub fn prepare(&mut self, slot: usize, flock: &Flock, steps: &[StepSlot], view: &View) -> SceneSlot {
        assert!(slot < self.slots, "frame slot {slot} of a scene that was made for {} frames in flight", self.slots);
        if let Some(trails) = &mut self.trails {
            trails.moments.period = period(flock.settings());
        }
        self.recordings = match &mut self.trails {
            Some(trails) if flock.settings().engine.is_cpu() => trails.moments.arrive(flock.step(), steps.len() as u32),
            Some(trails) => trails.moments.advance(flock.step(), steps.len() as u32),
            None => Vec::new(),
        };
        if let Some(values) = &mut self.values {
            values.prepare(slot, flock, view.elapsed);
        }
        let mut params = self.params(flock, view);
        self.obstacles = obstacle_draws(flock.settings());
        let offsets = [0, 1].map(|round| {
            params.round = round;
            self.scene_params.write(ROUNDS * slot + round as usize, &params)
        });
        let fills_skin = self.drawers.skin.is_some() && !self.skin_filled;
        self.skin_filled |= fills_skin;
        SceneSlot { offsets, fills_skin, index: slot }
    }

    /// The values of the first and of the last color of the frame prepared last, if colors stand for amounts.
    pub fn color_range(&self) -> Option<[f32; 2]> {
        let fitted = self.values.as_ref().map(|values| values.fit.range());
        self.look.color_range.filter(|_| self.look.shows_amounts()).or(fitted)
    }

    /// Draws colors in this range from the next frame on, whatever the flock; nothing where they do not stand for
    /// amounts.
    pub fn set_color_range(&mut self, range: Option<[f32; 2]>) {
        if self.look.shows_amounts() && range.is_some() {
            (self.look.color_range, self.values) = (range, None);
        }
    }

    /// What fits the range of colors to the flock, if that is to be.
    pub fn values(&self) -> Option<&Values> {
        self.values.as_ref()
    }

    /// Fits the range of colors to what the last frame of slot `slot` has drawn of `flock`, which the device is done
    /// with. Whether that changed the range.
    pub fn refit(&mut self, slot: usize, flock: &Flock) -> bool {
        self.values.as_mut().is_some_and(|values| values.refit(slot, flock))
    }

    /// The trails, if the look has any.
    pub fn trails(&self) -> Option<&Trails> {
        self.trails.as_ref()
    }

    /// What is recorded for the trails after so many steps of the frame prepared last.
    pub fn recording(&self, after: usize) -> Option<&Recording> {
        self.recordings.iter().find(|recording| recording.after as usize == after)
    }

    /// The texture that the frame of `slot` has to fill, if it is the first to sample it.
    pub fn skin_to_fill(&self, slot: SceneSlot) -> Option<ImageRef> {
        self.drawers.skin.as_ref().filter(|_| slot.fills_skin).map(Texture::image)
    }

    /// The rounds that a picture is drawn in: one, or two on a device without 64-bit atomics. The first finds the
    /// nearest depth of each sample, the second its color.
    pub fn rounds(&self) -> std::ops::Range<usize> {
        0..if self.device.info().wide_atomics { 1 } else { ROUNDS }
    }

    /// Whether it finds the flock's mirror image in a sea.
    pub fn mirrors(&self) -> bool {
        self.drawers.mirror.is_some()
    }

    /// Whether it draws over the composed picture: trails, or a cell.
    pub fn draws_over(&self) -> bool {
        self.trails.is_some() || self.drawers.cell.is_some()
    }

    /// Gives each workgroup of `cull` so many batches of boids from the next frame on. For tests.
    pub fn set_batches(&mut self, batches: u32) {
        self.batches = batches;
    }

    /// Workgroups of `cull`.
    fn groups(&self) -> u64 {
        u64::from(self.boids.div_ceil(CULL_WORKGROUP).div_ceil(self.batches))
    }

    /// Whether it draws targets.
    pub fn has_targets(&self) -> bool {
        self.look.targets && self.targets > 0
    }

    /// The draws of its obstacles. They are put into the same samples, so each is a pass of its own.
    pub fn obstacle_draws(&self) -> impl Iterator<Item = ObstacleDraw> {
        self.drawers.obstacles.iter().flat_map(|_| self.obstacles.iter().copied())
    }

    /// The shape of the boids.
    pub fn figure(&self) -> &Figure {
        &self.drawers.figure
    }

    /// Arguments of the indirect draws, as the last frame left them. For tests.
    pub fn draw_commands(&self) -> &Buffer {
        &self.draw_commands
    }

    /// The boids drawn as meshes, as the last frame left them. For tests.
    pub fn visible_boids(&self) -> &Buffer {
        &self.visible_boids
    }
}

/// Batches of boids for each workgroup of `cull`: as many as leave enough workgroups for a large device, at most 16.
fn batches(boids: u32) -> u32 {
    const ENOUGH: u32 = 16_384;
    (boids / CULL_WORKGROUP / ENOUGH).clamp(1, 16)
}

/// What fits the range of a look's colors to the flock, if that is to be.
fn values(device: &Arc<Device>, flock: &Flock, look: &Look, scene: &SetLayout, slots: usize) -> Result<Option<Values>> {
    let is_fitted = look.shows_amounts() && look.color_range.is_none();
    is_fitted.then(|| Values::new(device, flock, look.color, scene, slots)).transpose()
}

/// The trails of a look, if it has any.
fn trails(device: &Arc<Device>, flock: &Flock, look: &Look, scene_params: &Buffer) -> Result<Option<Trails>> {
    let lengths = (look.trail, flock.settings().full_speed());
    (look.trail > 0.0).then(|| Trails::new(device, flock, lengths, scene_params)).transpose()
}
