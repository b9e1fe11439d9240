//! A flock on a device: its state, its stepper, and its observer.

use super::buffers::{Buffers, EACH_PARAMS, OBSTACLE_VOLUMES, Part, STEP_PARAMS, part_of};
use super::crowding;
use super::layout::{Crowding, Grid, StepParams};
use super::many;
use super::memory;
use super::observer::Observer;
use super::obstacles::baking::bake_models;
use super::order::OrderParameters;
use super::settings::Settings;
use super::spawn::{BoidState, Start, position_at_start, starting_order, velocity_at_start};
use super::state::{MAX_STEPS_PER_SUBMISSION, Observation, State, StepSlot, Steps};
use super::steppers::{HostState, Stepper};
use crate::error::Result;
use crate::vk::{Buffer, Device, Resource, timeline};
use glam::Vec3;
use std::borrow::Cow;
use std::sync::Arc;

/// A flock on a device, or several that are stepped at once: [`many`](super::many). What says nothing of several is of
/// the first of them.
pub struct Flock {
    pub(super) stepper: Stepper,
    /// Only if the flock is observed.
    pub(super) observer: Option<Observer>,
    /// Whether the last step of each frame is observed without a request.
    pub(super) shows_neighborhoods: bool,
    pub(super) state: State,
    pub(super) settings: Settings,
    /// Of those that are stepped with it.
    pub(super) others: Vec<Settings>,
    /// Of the last step.
    pub(super) grid: Grid,
    pub(super) step: u32,
    /// A step was taken since the boids were placed, so that cells are known.
    pub(super) stepped: bool,
    pub(super) device: Arc<Device>,
}

impl Flock {
    /// Builds the kernels that `settings` need and spawns the flock. `slots` is the number of frames in flight.
    ///
    /// # Errors
    /// [`crate::Error::Setting`] for settings out of range, [`crate::Error::TooLarge`] naming the largest count that
    /// fits, or the error of creating an object.
    pub fn new(device: &Arc<Device>, settings: &Settings, slots: usize) -> Result<Flock> {
        Self::many(device, std::slice::from_ref(settings), slots)
    }

    /// The same of several flocks that [`batches`](super::many::batches) has put together.
    ///
    /// # Errors
    /// As [`Flock::new`].
    ///
    /// # Panics
    /// When there are none, or some take other kernels.
    pub fn many(device: &Arc<Device>, each: &[Settings], slots: usize) -> Result<Flock> {
        assert!(each[1..].iter().all(|other| many::are_alike(&each[0], other)), "flocks that the same kernels step");
        let mut flock = Self::unplaced(device, each, slots)?;
        flock.reset()?;
        Ok(flock)
    }

    /// The same, starting from `start`.
    ///
    /// # Errors
    /// As [`Flock::new`].
    ///
    /// # Panics
    /// When its state does not have exactly the flock's count of boids.
    pub fn starting_from(device: &Arc<Device>, settings: &Settings, slots: usize, start: &Start<'_>) -> Result<Flock> {
        let mut flock = Self::unplaced(device, std::slice::from_ref(settings), slots)?;
        flock.start_from(start)?;
        Ok(flock)
    }

    /// Everything except the boids, which have no places yet.
    fn unplaced(device: &Arc<Device>, each: &[Settings], slots: usize) -> Result<Flock> {
        let settings = &each[0];
        each.iter().try_for_each(Settings::validate)?;
        memory::check(device.info(), settings, settings.boids.into())?;
        let can_be = each.len() == 1 && settings.can_be_by_address() && device.info().device_addresses;
        let by_address = can_be && (device.is_by_address() || !memory::Sizes::of(settings).in_reach(device.info()));
        if by_address {
            device.instance().messages().ignore_synchronization();
        }
        let state = State::new(device, each, slots, by_address)?;
        let flock = Flock {
            stepper: Stepper::new(device, each, &state, slots, by_address)?,
            observer: None,
            shows_neighborhoods: false,
            state,
            settings: settings.clone(),
            others: each[1..].to_vec(),
            grid: settings.grid(),
            step: 0,
            stepped: false,
            device: device.clone(),
        };
        if Part::Influences.is_needed(settings) {
            flock.upload_weights(|id| settings.movement_weights(id))?;
        }
        if Part::Volumes.is_needed(settings) {
            bake_models(device, &settings.models())?;
            flock.state.buffers[OBSTACLE_VOLUMES].upload(0, &settings.volumes())?;
        }
        if each.len() > 1 {
            let params: Vec<StepParams> = each.iter().map(|settings| settings.step_params(0)).collect();
            flock.state.buffers[EACH_PARAMS].upload(0, &params)?;
        }
        Ok(flock)
    }

    /// Writes the parameters of the next `count` steps for frame slot `slot`, which the device is done with, and counts
    /// them as taken. For a flock that the CPU steps there are none: see [`Flock::prepare_upload`].
    ///
    /// # Panics
    /// When `count` is over [`MAX_STEPS_PER_SUBMISSION`], or the flock was made for fewer slots.
    pub fn prepare_steps(&mut self, slot: usize, count: u32) -> Steps {
        let shown = self.shows_neighborhoods.then_some(Observation::Neighborhoods);
        self.prepare(slot, count, shown)
    }

    /// As [`Flock::prepare_steps`], and the last of the steps, if any, is observed.
    ///
    /// # Panics
    /// As [`Flock::prepare_steps`].
    pub fn prepare_observed_steps(&mut self, slot: usize, count: u32, what: Observation) -> Steps {
        self.prepare(slot, count, Some(what))
    }

    fn prepare(&mut self, slot: usize, count: u32, seen_in_last: Option<Observation>) -> Steps {
        assert!(
            count <= MAX_STEPS_PER_SUBMISSION,
            "{count} steps; at most {MAX_STEPS_PER_SUBMISSION} fit into a submission"
        );
        self.state.check_slot(slot);
        self.trace_count();
        let mut steps = Steps::new();
        if !self.stepper.prepare(&self.settings, slot, self.step, count) {
            return steps;
        }
        if count > 0 {
            (self.grid, self.stepped) = (self.settings.grid(), true);
        }
        for index in 0..count {
            let params = self.settings.step_params(self.step);
            let offset = self.state.ring.write(slot * MAX_STEPS_PER_SUBMISSION as usize + index as usize, &params);
            let observation = seen_in_last.filter(|_| index + 1 == count);
            self.step += 1;
            steps.push(StepSlot { frame_slot: slot, step: self.step, offset, observation });
        }
        steps
    }

    /// Writes the CPU engine's state after `step` steps for frame slot `slot`, which the device is done with. None if
    /// kernels step the flock.
    ///
    /// # Panics
    /// When the state does not have as many boids and cells as the flock, or the flock was made for fewer slots.
    pub fn prepare_upload(&mut self, slot: usize, step: u32, state: &impl HostState) -> Option<StepSlot> {
        self.trace_count();
        let Stepper::Uploaded(uploaded) = &mut self.stepper else { return None };
        self.state.check_slot(slot);
        uploaded.write(slot, state);
        (self.step, self.stepped) = (step, true);
        Some(StepSlot { frame_slot: slot, step, offset: 0, observation: None })
    }

    /// Reports how many boids there are, for a trace.
    fn trace_count(&self) {
        tracing::trace!(target: timeline::TARGET, boids = self.settings.boids);
    }

    /// Resets to step 0, with the boids at their places from the seed.
    ///
    /// # Errors
    /// The error of the upload.
    pub fn reset(&mut self) -> Result<()> {
        let each: Vec<Settings> = self.each().into_iter().cloned().collect();
        let (part, last) = (self.part(), self.settings.boids - 1);
        let order = starting_order(&self.settings);
        // Behind the last boid of a part there may be room, where it is once more.
        let id = |i: usize| order.as_ref().map_or((i % part) as u32, |order| order[i]).min(last);
        let position = |i: usize| position_at_start(&each[i / part], id(i));
        self.place((position, |i| velocity_at_start(&each[i / part], id(i)), id), 0, None)
    }

    /// The settings of each flock.
    fn each(&self) -> Vec<&Settings> {
        std::iter::once(&self.settings).chain(&self.others).collect()
    }

    /// Boids for which each flock's part of an array has room.
    fn part(&self) -> usize {
        part_of(self.settings.boids, 1 + self.others.len()) as usize
    }

    /// The state of every boid of each flock. Waits for the device.
    ///
    /// # Errors
    /// The error of the download.
    pub fn states(&self) -> Result<Vec<BoidState>> {
        self.device.wait_idle()?;
        let (part, boids) = (self.part(), self.settings.boids as usize);
        let all = self.state.download(part * self.each().len())?;
        let of = |first: usize| BoidState {
            position: all.position[first..][..boids].to_vec(),
            velocity: all.velocity[first..][..boids].to_vec(),
            id: all.id[first..][..boids].to_vec(),
        };
        Ok((0..self.each().len()).map(|flock| of(flock * part)).collect())
    }

    /// Replaces the state of every boid. Waits for the device. A boid whose state is not finite is put far away, at
    /// rest ([`BoidState::contained`]).
    ///
    /// # Errors
    /// The error of the upload.
    ///
    /// # Panics
    /// When `state` does not have exactly the flock's count of boids.
    pub fn set_state(&mut self, state: &BoidState) -> Result<()> {
        self.set_state_at(state, self.step)
    }

    /// Replaces the state of every boid and sets the count of steps taken. Waits for the device.
    ///
    /// # Errors
    /// The error of the upload.
    ///
    /// # Panics
    /// When `state` does not have exactly the flock's count of boids.
    pub fn set_state_at(&mut self, state: &BoidState, step: u32) -> Result<()> {
        self.start_from(&Start { state, step, crowding: None })
    }

    /// Sets the state of every boid, and the count of steps taken, from `start`. Waits for the device.
    ///
    /// # Errors
    /// The error of the upload.
    ///
    /// # Panics
    /// When its state does not have exactly the flock's count of boids.
    pub fn start_from(&mut self, start: &Start<'_>) -> Result<()> {
        let Start { state, step, crowding } = *start;
        assert_eq!(state.len(), self.settings.boids as usize, "a state of all boids");
        // A counting sort puts the boids of a cell in order itself, in each step.
        let state = match self.stepper {
            Stepper::CountingSorted(_) => Cow::Borrowed(state),
            _ => state.to_start_from(),
        };
        let torus = self.settings.torus();
        let position = |i| state.placed(i, torus);
        self.place((position, |i| state.contained(i).1, |i| state.id[i]), step, crowding)
    }

    /// Goes on from `state`, which [`Flock::state`] of a flock with the same settings returned after `step` steps, with
    /// the same bits as that flock: unlike [`Flock::start_from`], this keeps the order of storage for every search.
    /// Waits for the device.
    ///
    /// # Errors
    /// The error of the upload.
    ///
    /// # Panics
    /// When `state` does not have exactly the flock's count of boids.
    pub fn resume(&mut self, state: &BoidState, step: u32) -> Result<()> {
        assert_eq!(state.len(), self.settings.boids as usize, "a state of all boids");
        self.place((|i| state.position[i], |i| state.velocity[i], |i| state.id[i]), step, None)
    }

    /// Sets position, velocity slot and identity of each boid `i` by these functions.
    fn place(
        &mut self,
        (position, velocity, id): (
            impl Fn(usize) -> Vec3 + Sync,
            impl Fn(usize) -> Vec3 + Sync,
            impl Fn(usize) -> u32 + Sync,
        ),
        step: u32,
        crowding: Option<Crowding>,
    ) -> Result<()> {
        self.device.wait_idle()?;
        let boids = self.settings.boids as usize;
        self.state.upload(self.part() * self.each().len(), &position, velocity, id)?;
        self.start_behaviors(step)?;
        (self.grid, self.stepped) = (self.settings.grid(), false);
        let count = || crowding.unwrap_or_else(|| crowding::count(&self.grid, boids, &position));
        self.stepper.placed(step, count);
        self.step = step;
        Ok(())
    }

    /// The state of every boid, in the order of the last sort. Waits for the device.
    ///
    /// # Errors
    /// The error of the download.
    pub fn state(&self) -> Result<BoidState> {
        self.device.wait_idle()?;
        self.state.download(self.settings.boids as usize)
    }

    /// The position of every boid in world units, in the order of identities, in one pass over what the device has.
    /// Waits for the device.
    ///
    /// # Errors
    /// The error of the download.
    pub fn positions(&self) -> Result<Vec<Vec3>> {
        self.device.wait_idle()?;
        self.state.download_positions(self.settings.boids as usize)
    }

    /// The velocity of every boid in world units per second, in the order of identities. Waits for the device.
    ///
    /// # Errors
    /// The error of the download.
    pub fn velocities(&self) -> Result<Vec<Vec3>> {
        self.device.wait_idle()?;
        let mut velocities = self.state.download_velocities(self.settings.boids as usize)?;
        let scale = self.settings.speed_scale();
        if scale != 1.0 {
            velocities.iter_mut().for_each(|velocity| *velocity *= scale);
        }
        Ok(velocities)
    }

    /// Position and velocity slot of the boid `id`. Waits for the device.
    ///
    /// # Errors
    /// The error of the download.
    ///
    /// # Panics
    /// When there is no such boid.
    pub fn boid(&self, id: u32) -> Result<(Vec3, Vec3)> {
        assert!(id < self.settings.boids, "one of {} boids", self.settings.boids);
        self.device.wait_idle()?;
        self.state.download_boid(self.settings.boids as usize, id)
    }

    /// Sets the count of steps taken: with [`Flock::set_state`], returns to an earlier state.
    pub fn set_step(&mut self, step: u32) {
        self.step = step;
        self.stepper.set_back(step);
    }

    /// Creates the observer of this flock, for `slots` frames in flight, unless it exists. Waits for the device. A
    /// flock that the CPU steps is not observed here.
    ///
    /// # Errors
    /// [`crate::Error::TooLarge`] for a flock that exceeds a descriptor's range, or the error of creating an object.
    pub fn start_observing(&mut self, slots: usize) -> Result<()> {
        let (None, Some(buffers)) = (&self.observer, self.stepper.buffers()) else { return Ok(()) };
        memory::check_observed(self.device.info(), &self.settings)?;
        self.device.wait_idle()?;
        let each: Vec<Settings> = self.each().into_iter().cloned().collect();
        self.observer = Some(Observer::new(&self.device, &each, &self.state, buffers, slots)?);
        Ok(())
    }

    /// If `shown`, observes each boid's neighborhood in the last step of every frame from now on, for pictures that
    /// show it.
    ///
    /// # Errors
    /// As [`Flock::start_observing`].
    pub fn show_neighborhoods(&mut self, shown: bool, slots: usize) -> Result<()> {
        if shown {
            self.start_observing(slots)?;
        }
        self.shows_neighborhoods = shown;
        Ok(())
    }

    /// Whether a step was taken since [`Flock::show_neighborhoods`] or the last placing, so that neighborhoods are
    /// known.
    pub fn shows_neighborhoods(&self) -> bool {
        self.shows_neighborhoods && self.stepped
    }

    /// The observer of this flock, if it has one.
    pub fn observer(&self) -> Option<&Observer> {
        self.observer.as_ref()
    }

    /// The observer, if it observes this step.
    pub fn observer_in(&self, step: StepSlot) -> Option<&Observer> {
        self.observer.as_ref().filter(|_| step.observation().is_some())
    }

    /// The observer, if it measures order parameters in this step.
    pub fn order_in(&self, step: StepSlot) -> Option<&Observer> {
        self.observer.as_ref().filter(|_| step.observation() == Some(Observation::Order))
    }

    /// The order parameters of the last step observed in frame slot `slot`; none without an observer. The device must
    /// be done with that frame.
    pub fn order(&self, slot: usize) -> Option<OrderParameters> {
        self.observer.as_ref().map(|observer| observer.orders(&[&self.settings], slot)[0])
    }

    /// The same of each flock.
    pub fn orders(&self, slot: usize) -> Vec<OrderParameters> {
        self.observer.as_ref().map_or(Vec::new(), |observer| observer.orders(&self.each(), slot))
    }

    /// Crowding of the cells in the last step that the device has finished; none if the stepper does not measure it.
    /// Waits for the device.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] when it is lost.
    pub fn crowding(&mut self) -> Result<Option<Crowding>> {
        self.device.wait_idle()?;
        if let Stepper::CountingSorted(stepper) = &mut self.stepper {
            stepper.read_all_crowding();
        }
        Ok(self.known_crowding())
    }

    /// Crowding of the cells a few steps ago; none if the stepper does not measure it.
    pub fn known_crowding(&self) -> Option<Crowding> {
        self.stepper.crowding()
    }

    /// Steps for the next submission, at most: few if the flock is crowded, so that the submission is short.
    pub fn steps_at_once(&self) -> u32 {
        match self.others.len() {
            0 => self.stepper.steps_at_once(&self.settings, self.step),
            others => many::steps_at_once(&self.settings, 1 + others),
        }
    }

    /// Sets the most candidates for one dispatch, and one submission, instead of [`crowding::BUDGET`]. For tests.
    pub fn set_budget(&mut self, candidates: f64) {
        self.stepper.set_budget(candidates);
    }

    /// Whether it has taken a step since its boids were placed: only then its cells are those of its boids.
    pub fn has_stepped(&self) -> bool {
        self.stepped
    }

    /// Steps taken since the start.
    pub fn step(&self) -> u32 {
        self.step
    }

    /// Its settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The neighbor grid of its last step.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// How it is stepped.
    pub fn stepper(&self) -> &Stepper {
        &self.stepper
    }

    /// The buffers of its state: `POSITION_VX`, `VELOCITY_YZ`, `BOID_ID` and `CELL_STARTS` of
    /// [`buffers`](super::buffers). Drawing reads them.
    pub fn buffers(&self) -> &Buffers {
        &self.state.buffers
    }

    /// Its state on the device, for the passes of its stepper.
    pub(crate) fn state_on_device(&self) -> &State {
        &self.state
    }

    /// The buffer of this name, if the flock has one.
    pub fn buffer(&self, wanted: Resource) -> Option<&Buffer> {
        self.all_buffers().find_map(|buffers| buffers.get(wanted))
    }

    /// Bytes of this buffer that a pass accesses.
    pub fn bytes_of(&self, wanted: Resource) -> Option<u64> {
        if wanted == STEP_PARAMS {
            return Some(size_of::<super::layout::StepParams>() as u64);
        }
        self.buffer(wanted).map(Buffer::size)
    }

    pub(super) fn all_buffers(&self) -> impl Iterator<Item = &Buffers> {
        let observer = self.observer.as_ref().map(|observer| &observer.buffers);
        std::iter::once(&self.state.buffers).chain(self.stepper.buffers()).chain(observer)
    }

    /// Whether its kernels access arrays by address, because they exceed a descriptor's range.
    pub fn is_by_address(&self) -> bool {
        matches!(&self.stepper, Stepper::CountingSorted(stepper) if stepper.by_address)
    }

    /// Its device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }
}
