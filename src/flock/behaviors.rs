//! The states of a flock's boids on the device.

use super::buffers::BEHAVIOR;
use super::gpu::Flock;
use super::state::StepSlot;
use super::states::{Behavior, Constants};
use super::steppers::Kernel;
use crate::error::Result;
use crate::vk::Buffer;

impl Flock {
    /// What each boid is doing, by identity; nothing for a flock without states. Waits for the device.
    ///
    /// # Errors
    /// The error of the download.
    pub fn behaviors(&self) -> Result<Vec<Behavior>> {
        self.device.wait_idle()?;
        self.behavior_buffer().map_or(Ok(Vec::new()), |buffer| buffer.download(0, self.settings.boids as usize))
    }

    /// The kernel that changes states and holds birds that perch, if this step has it: in steps in which boids decide,
    /// and where birds may perch in all.
    pub fn transition_in(&self, step: StepSlot) -> Option<&Kernel> {
        let transition = self.stepper.steering()?.transition.as_ref()?;
        let decides = (step.step() - 1).is_multiple_of(self.settings.decision_steps());
        (decides || Constants::of(&self.settings).perches).then_some(transition)
    }

    /// Sets every boid to the state at the start, after `step` steps.
    pub(super) fn start_behaviors(&self, step: u32) -> Result<()> {
        let Some(buffer) = self.behavior_buffer() else { return Ok(()) };
        let start = Behavior::start(self.settings.states, step);
        buffer.upload_with(0, self.settings.boids as usize, |_, piece: &mut [Behavior]| piece.fill(start))
    }

    fn behavior_buffer(&self) -> Option<&Buffer> {
        self.settings.states.is_on().then(|| &self.state.buffers[BEHAVIOR])
    }
}
