//! The flock of a window, stepped by the device in each frame or by a CPU engine one frame ahead, and its order
//! parameters.

use super::ViewerOptions;
use crate::error::Result;
use crate::flight::{Course, Flight};
use starlings::cpu::{Ahead, Engine, Taken};
use starlings::flock::{
    BoidState, Flock, MAX_STEPS_PER_SUBMISSION, Observation, OrderParameters, Settings, Start, StepSlot, Steps,
};
use starlings::frame::{OpenFrame, record_steps};
use starlings::vk::{Device, FrameSlots, RecordOptions};
use std::sync::Arc;

/// Most frames that the host is ahead of the device.
pub const FRAMES_IN_FLIGHT: usize = 2;

pub struct SteppedFlock {
    /// The flock as the device has it: that of a CPU engine is ahead of it.
    pub on_device: Flock,
    /// The CPU engine, if it steps the flock.
    ahead: Option<Ahead>,
    /// Steps that the CPU engine has taken since the start, or is taking.
    coming: u32,
    /// It is known how long steps of the CPU engine take.
    is_timed: bool,
    /// For each frame in flight, the steps that the device takes in it, and whether it leaves order parameters.
    in_flight: [(u32, bool); FRAMES_IN_FLIGHT],
    /// There is room for what observes the flock, as far as that is known.
    can_observe: bool,
    /// Order parameters that have arrived and were not taken yet.
    order: Vec<OrderParameters>,
}

impl SteppedFlock {
    /// Spawns the flock of `settings`, or lets it continue from `start`.
    pub fn new(
        device: &Arc<Device>,
        settings: &Settings,
        options: &ViewerOptions,
        start: Option<&Start<'_>>,
    ) -> Result<Self> {
        let mut flock = match start {
            Some(start) => Flock::starting_from(device, settings, FRAMES_IN_FLIGHT, start)?,
            None => Flock::new(device, settings, FRAMES_IN_FLIGHT)?,
        };
        let mut engine = Engine::of(settings)?;
        if let (Some(engine), Some(start)) = (&mut engine, start) {
            engine.set_state_at(start.state, start.step);
        }
        if options.stats_every.is_some() {
            flock.start_observing(FRAMES_IN_FLIGHT)?;
        }
        options.look.observe(&mut flock, FRAMES_IN_FLIGHT)?;
        Ok(SteppedFlock {
            on_device: flock,
            ahead: engine.map(Ahead::new).transpose()?,
            coming: start.map_or(0, |start| start.step),
            is_timed: false,
            in_flight: [(0, false); FRAMES_IN_FLIGHT],
            // On the CPU this takes longer than a step, so an open panel alone does not cause it.
            can_observe: options.stats_every.is_some() || !settings.engine.is_cpu(),
            order: Vec::new(),
        })
    }

    /// Those of the flock as it is.
    pub fn settings(&self) -> &Settings {
        self.on_device.settings()
    }

    /// Starts the flock over.
    pub fn reset(&mut self) -> Result<()> {
        if let Some(ahead) = &mut self.ahead {
            let engine = ahead.collect()?;
            engine.reset();
            engine.take_order();
            self.coming = 0;
        }
        Ok(self.on_device.reset()?)
    }

    /// Goes on with other settings from the next step on. False, and nothing has changed, where that takes another
    /// flock.
    pub fn adjust(&mut self, settings: &Settings) -> Result<bool> {
        let adjusted = self.on_device.adjust(settings)?;
        if let (true, Some(ahead)) = (adjusted, &mut self.ahead) {
            ahead.collect()?.adjust(settings)?;
        }
        Ok(adjusted)
    }

    /// Another flock of `settings` that goes on with the boids of this one.
    pub fn anew(&mut self, settings: &Settings, options: &ViewerOptions) -> Result<SteppedFlock> {
        let (state, step) = self.newest()?;
        let state = state.carried_over(self.settings(), settings);
        let start = Start { state: &state, step, crowding: None };
        SteppedFlock::new(self.on_device.device(), settings, options, Some(&start))
    }

    /// The newest state of every boid, and the steps that led to it. Waits for the device.
    pub fn newest(&mut self) -> Result<(BoidState, u32)> {
        match &mut self.ahead {
            Some(ahead) => Ok(ahead.collect().map(|engine| (engine.state(), engine.step()))?),
            None => Ok((self.on_device.state()?, self.on_device.step())),
        }
    }

    /// Whether a CPU engine steps the flock.
    pub fn is_on_cpu(&self) -> bool {
        self.ahead.is_some()
    }

    /// The newest state of a CPU engine, and the steps that led to it: the device is not needed for them.
    pub fn on_cpu(&mut self) -> Option<(BoidState, u32)> {
        let engine = self.ahead.as_mut()?.collect().ok()?;
        Some((engine.state(), engine.step()))
    }

    /// Goes on from `state`, which was read after `step` steps.
    fn resume(&mut self, state: &BoidState, step: u32) -> Result<()> {
        if let Some(ahead) = &mut self.ahead {
            ahead.collect()?.resume(state, step);
            self.coming = step;
        }
        Ok(self.on_device.resume(state, step)?)
    }

    /// Goes on from the checkpoint, if there is one, and takes the steps up to [`ViewerOptions::start_step`] without
    /// drawing, as many in a submission as one may have, with the changes of the flight. Ends early once `stops`, which
    /// is told the step that was reached.
    pub fn fast_forward(
        &mut self,
        slots: &mut FrameSlots,
        options: &ViewerOptions,
        mut stops: impl FnMut(u32) -> bool,
    ) -> Result<()> {
        if let Some(checkpoint) = &options.resume {
            self.resume(&checkpoint.state, checkpoint.step)?;
        }
        let mut course = options.flight.as_deref().map(Flight::course);
        loop {
            let step = self.step();
            while let Some(settings) = course.as_mut().and_then(|course| course.due(step)) {
                if !self.adjust(settings)? {
                    *self = self.anew(settings, options)?;
                }
            }
            if step >= options.start_step || options.is_stopped() || stops(step) {
                return Ok(());
            }
            let stop = course.as_ref().and_then(Course::stop).unwrap_or(u32::MAX);
            let left = options.start_step.min(stop) - step;
            if let Some(ahead) = &mut self.ahead {
                let steps = left.min(MAX_STEPS_PER_SUBMISSION);
                ahead.collect()?.advance(steps);
                self.coming += steps;
                continue;
            }
            let flock = &mut self.on_device;
            let mut frame = OpenFrame::begin(slots)?;
            let steps = frame.write(|index| flock.prepare_steps(index, left.min(flock.steps_at_once())));
            frame.record(RecordOptions::default(), |rec| record_steps(rec, flock, &steps))?;
            drop(frame.submit(None)?);
        }
    }

    /// Steps taken, including those that the CPU engine takes for the next frame.
    pub fn step(&self) -> u32 {
        if self.ahead.is_some() { self.coming } else { self.on_device.step() }
    }

    /// Collects the order parameters of the last frame in slot `index`, which is done. Returns the device's steps in
    /// it.
    pub fn arrive(&mut self, index: usize) -> u32 {
        let (steps, observed) = std::mem::take(&mut self.in_flight[index]);
        if observed {
            self.order.extend(self.on_device.order(index));
        }
        steps
    }

    /// The most steps of the next frame: fewer where they take long on the device, and one while nothing is known of a
    /// CPU engine.
    pub fn most(&self) -> u32 {
        match (&self.ahead, self.is_timed) {
            (None, _) => self.on_device.steps_at_once(),
            (Some(_), true) => MAX_STEPS_PER_SUBMISSION,
            (Some(_), false) => 1,
        }
    }

    /// The steps that a CPU engine has taken since the last call, if any, and how long they took.
    pub fn taken_on_cpu(&mut self) -> Option<Taken> {
        let taken = self.ahead.as_mut().and_then(Ahead::taken);
        self.is_timed |= taken.is_some();
        taken
    }

    /// The order parameters that have arrived since the last call. Those of a step arrive some frames later.
    pub fn take_order(&mut self) -> Vec<OrderParameters> {
        std::mem::take(&mut self.order)
    }

    /// The same after all frames are done and collected, including the CPU engine's steps ahead of them.
    pub fn last_order(&mut self) -> Result<Vec<OrderParameters>> {
        if let Some(ahead) = &mut self.ahead {
            self.order.extend(ahead.collect()?.take_order());
        }
        Ok(self.take_order())
    }

    /// Prepares the frame in slot `index` to take so many steps, at most [`SteppedFlock::most`], the last of them
    /// `observed` or not.
    pub fn prepare(&mut self, index: usize, count: u32, observed: bool) -> Result<Steps> {
        if observed && self.can_observe && self.ahead.is_none() {
            match self.on_device.start_observing(FRAMES_IN_FLIGHT) {
                // Without memory for it the flock still runs.
                Err(error) if error.is_out_of_memory() => {
                    tracing::warn!("order parameters are not measured: {error}");
                    self.can_observe = false;
                }
                started => started?,
            }
        }
        let observed = observed && self.can_observe;
        Ok(match &mut self.ahead {
            None if observed && count > 0 => self.on_device.prepare_observed_steps(index, count, Observation::Order),
            None => self.on_device.prepare_steps(index, count),
            Some(ahead) => {
                // The steps of the frame before, which were taken while that one was drawn. Those of this one are taken
                // meanwhile.
                let engine = ahead.collect()?;
                let news = engine.step() != self.on_device.step();
                let flock = &mut self.on_device;
                let arrived = if news { flock.prepare_upload(index, engine.step(), engine) } else { None };
                self.order.extend(engine.take_order());
                ahead.schedule(count, observed)?;
                self.coming += count;
                arrived.into_iter().collect()
            }
        })
    }

    /// The frame in slot `index` was submitted with `steps`.
    pub fn submitted(&mut self, index: usize, steps: &[StepSlot]) {
        let observed = steps.last().is_some_and(|step| step.observation() == Some(Observation::Order));
        let on_device = if self.ahead.is_some() { 0 } else { steps.len() as u32 };
        self.in_flight[index] = (on_device, observed);
    }
}
