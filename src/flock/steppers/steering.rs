//! The last pass of every step that kernels take: each boid visits its neighbors and moves.

use super::interface::{Interface, Kernel};
use super::pace::Pace;
use crate::error::{Error, Result};
use crate::flock::buffers::{Buffers, LEADER_POSITION, MOVEMENT_WEIGHTS, OBSTACLE_VOLUMES, POSITION_VX, VELOCITY_YZ};
use crate::flock::settings::Settings;
use crate::flock::state::StepSlot;
use crate::flock::states::Constants;
use crate::limits::{INFLUENCE_HUNTERS, INFLUENCE_LEADER, INFLUENCE_MESHES, WORKGROUP_SIZE};
use crate::vk::{Device, Group, Recorder, Uses, uses};
use std::sync::Arc;

/// `steer`, with the law and the search of a flock.
pub struct Steering {
    steer: Kernel,
    /// Finds the positions of the leader and of hunters; only for a flock with any.
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
        let constants = [
            most_in_range(device, settings),
            settings.walls_met() as u32,
            influences,
            settings.manners(),
            settings.nearest,
            settings.kinds_felt(),
        ];
        let leads = influences & (INFLUENCE_LEADER | INFLUENCE_HUNTERS) != 0;
        let weights = settings.has_weights().then_some(MOVEMENT_WEIGHTS);
        let leader = leads.then_some(LEADER_POSITION);
        let volumes = (influences & INFLUENCE_MESHES != 0).then_some(OBSTACLE_VOLUMES);
        let boid_groups = settings.boids.div_ceil(WORKGROUP_SIZE).into();
        let steer = interface.pipeline_for_slices(&settings.law.kernel(search, settings.nearest > 0), &constants)?;
        let groups = settings.boids.div_ceil(WORKGROUP_SIZE).into();
        let transition = || {
            let constants = Constants::of(settings);
            let moved = Group(&[POSITION_VX, VELOCITY_YZ]);
            let placed = if constants.perches { uses![read_write moved] } else { uses![read moved] };
            let volumes = constants.meshes.then_some(OBSTACLE_VOLUMES);
            let build = if constants.perches { "transition_perching" } else { "transition" };
            let pipeline = interface.pipeline(build, &constants.list())?;
            Ok::<_, Error>(interface.pass("transition", pipeline, boid_groups, placed.and(&uses![read volumes])))
        };
        let find_leader = || {
            let pipeline = interface.pipeline("find_leader", &constants)?;
            Ok::<_, Error>(interface.pass("find_leader", pipeline, boid_groups, Uses::default()))
        };
        Ok(Steering {
            steer: interface.pass("steer", steer, groups, uses![read weights leader volumes]),
            find_leader: leads.then(find_leader).transpose()?,
            transition: settings.states.is_on().then(transition).transpose()?,
            pace: Pace::new(),
            buffers,
        })
    }

    /// Visits the neighbors of every boid, and moves it as the law says.
    pub fn steer(&self, rec: &mut Recorder<'_>, step: StepSlot, uses: Uses) {
        self.steer.record_in_slices(rec, step, self.groups_at_once(), uses);
    }

    /// Workgroups of a search in one dispatch.
    pub fn groups_at_once(&self) -> u64 {
        self.pace.groups_at_once
    }
}

/// Length at which a search cuts a range of candidates on a robust device, so that a step over invalid data ends within
/// about 2^33 visits; 0, for no limit, on others. In an intact flock a range is so long only if the flock has nearly
/// collapsed.
pub(in crate::flock) fn most_in_range(device: &Device, settings: &Settings) -> u32 {
    const ROWS: u64 = 9;
    let boids = settings.boids;
    let most = ((1u64 << 33) / (ROWS * u64::from(boids.max(1)))).clamp(512, 1 << 16).min(u64::from(boids));
    if device.is_robust() { most as u32 } else { 0 }
}
