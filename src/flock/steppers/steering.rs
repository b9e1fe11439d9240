//! The last pass of every step that kernels take: each boid visits its neighbors and moves.

use super::interface::{Interface, Kernel, SORTED, STATE, read, read_write, write};
use super::pace::Pace;
use crate::error::{Error, Result};
use crate::flock::buffers::Buffers;
use crate::flock::influences::WEIGHTED;
use crate::flock::settings::Settings;
use crate::flock::state::StepSlot;
use crate::flock::states::Constants;
use crate::limits::{INFLUENCE_LEADER, INFLUENCE_MESHES, WORKGROUP_SIZE};
use crate::vk::{Device, Recorder, Use};
use std::sync::Arc;

/// Further reads of a flock with influences that each boid has a weight for, and of one with a leader.
const WEIGHTS_READ: &[Use] = &[read("movement_weights")];
const LEADER_READ: &[Use] = &[read("leader_position")];
/// Those of one with meshes.
const VOLUMES_READ: &[Use] = &[read("obstacle_volumes")];

/// `steer`, with the law and the search of a flock.
pub struct Steering {
    steer: Kernel,
    /// Finds the leader's position; only for a flock with one.
    pub find_leader: Option<Kernel>,
    /// Changes the state of each boid; only for a flock with states.
    pub transition: Option<Kernel>,
    pub(super) pace: Pace,
    /// The buffers of its stepper.
    pub(super) buffers: Buffers,
}

impl Steering {
    /// Creates it for a stepper whose kernels access these `buffers` through `interface`.
    ///
    /// # Errors
    /// The error of creating an object.
    pub fn new(device: &Device, settings: &Settings, interface: &Arc<Interface>, buffers: Buffers) -> Result<Steering> {
        let (search, influences) = (settings.search, settings.influences());
        let constants = [most_in_range(device, settings), settings.walls_met() as u32, influences];
        let weights = if influences & WEIGHTED == 0 { &[] } else { WEIGHTS_READ };
        let leads = influences & INFLUENCE_LEADER != 0;
        let leader = if leads { LEADER_READ } else { &[] };
        let volumes = if influences & INFLUENCE_MESHES == 0 { &[] } else { VOLUMES_READ };
        let find_leader = || {
            let touch = [read("sorted_position_vx"), read("sorted_boid_id"), write("leader_position")];
            interface.kernel("find_leader", settings.boids.div_ceil(WORKGROUP_SIZE).into(), &[&touch])
        };
        let steer = interface.pipeline_for_slices(&settings.law.kernel(search), &constants)?;
        let groups = settings.boids.div_ceil(search.workgroup()).into();
        let touch = [&SORTED.map(read), search.info().reads, weights, leader, volumes, &STATE.map(write)];
        let transition = || {
            let constants = Constants::of(settings);
            let moved = if constants.perches { read_write } else { read };
            let placed = [read("boid_id"), moved("position_vx"), moved("velocity_yz"), read_write("behavior")];
            let before = [read("sorted_position_vx"), read("sorted_velocity_yz")];
            let volumes = if constants.meshes { VOLUMES_READ } else { &[] };
            let groups = settings.boids.div_ceil(WORKGROUP_SIZE).into();
            let build = if constants.perches { "transition_perching" } else { "transition" };
            let pipeline = interface.pipeline(build, &constants.list())?;
            Ok::<_, Error>(interface.pass("transition", pipeline, groups, &[&placed, &before, volumes]))
        };
        Ok(Steering {
            steer: interface.pass("steer", steer, groups, &touch),
            find_leader: leads.then(find_leader).transpose()?,
            transition: settings.states.is_on().then(transition).transpose()?,
            pace: Pace::new(),
            buffers,
        })
    }

    /// Visits the neighbors of every boid, and moves it as the law says.
    pub fn steer(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        self.steer.record_in_slices(rec, step, self.groups_at_once());
    }

    /// Workgroups of a search in one dispatch.
    pub fn groups_at_once(&self) -> u64 {
        self.pace.groups_at_once
    }
}

/// Length at which a search cuts a range of candidates on a robust device, so that a step over invalid data ends within about 2^33
/// visits; 0, for no limit, on others. In an intact flock a range is so long only if the flock has nearly collapsed.
pub(in crate::flock) fn most_in_range(device: &Device, settings: &Settings) -> u32 {
    const ROWS: u64 = 9;
    let boids = settings.boids;
    let most = ((1u64 << 33) / (ROWS * u64::from(boids.max(1)))).clamp(512, 1 << 16).min(u64::from(boids));
    if device.is_robust() { most as u32 } else { 0 }
}
