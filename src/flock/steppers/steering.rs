//! The last pass of every step that kernels take: each boid looks at its neighbors and moves.

use super::interface::Interface;
use super::pace::Pace;
use crate::error::Result;
use crate::flock::settings::Settings;
use crate::flock::state::StepSlot;
use crate::limits::{INFLUENCE_LEADER, WORKGROUP_SIZE};
use crate::vk::{ComputePipeline, Device, Pass, Recorder, Stage, Use, uses};

pub(in crate::flock) const COMPUTE: Stage = Stage::COMPUTE_SHADER;
pub(in crate::flock) const PARAMS: &[Use] = &[Use::uniform(COMPUTE, "step_params")];
/// The state before the step, in the order of the last.
pub(super) const STATE_READ: &[Use] =
    &[Use::read(COMPUTE, "position_vx"), Use::read(COMPUTE, "velocity_yz"), Use::read(COMPUTE, "boid_id")];
/// The state before it in the order of this one's sort.
pub(super) const SORTED_WRITTEN: &[Use] = &[
    Use::write(COMPUTE, "sorted_position_vx"),
    Use::write(COMPUTE, "sorted_velocity_yz"),
    Use::write(COMPUTE, "sorted_boid_id"),
];

/// What every `steer` reads besides what its search does.
const READ: &[Use] = uses![
    PARAMS,
    &[
        Use::read(COMPUTE, "sorted_position_vx"),
        Use::read(COMPUTE, "sorted_velocity_yz"),
        Use::read(COMPUTE, "sorted_boid_id"),
    ],
];
/// The state after the step.
const WRITTEN: &[Use] =
    &[Use::write(COMPUTE, "position_vx"), Use::write(COMPUTE, "velocity_yz"), Use::write(COMPUTE, "boid_id")];

/// What a flock with influences reads besides, and one with a leader.
const WEIGHTS_READ: &[Use] = &[Use::read(COMPUTE, "movement_weights")];
const LEADER_READ: &[Use] = &[Use::read(COMPUTE, "leader_position")];

/// `steer`, with the law and the search of a flock.
pub struct Steering {
    steer: ComputePipeline,
    uses: Vec<Use>,
    groups: u64,
    /// Only for a flock with a leader.
    find_leader: Option<ComputePipeline>,
    boid_groups: u64,
    pub(super) pace: Pace,
    /// What its kernels see, and those of its stepper.
    pub(super) interface: Interface,
}

impl Steering {
    /// Builds it.
    ///
    /// # Errors
    /// What the device could not make.
    pub fn new(device: &Device, settings: &Settings, interface: Interface) -> Result<Steering> {
        let (search, influences) = (settings.search.info(), settings.influences());
        let constants = [most_in_range(device, settings), settings.walls_met() as u32, influences];
        let weights = if influences == 0 { &[] } else { WEIGHTS_READ };
        let leader = if influences & INFLUENCE_LEADER == 0 { &[] } else { LEADER_READ };
        Ok(Steering {
            steer: interface.kernel_for_slices(&settings.law.kernel(settings.search), &constants)?,
            uses: [READ, search.reads, weights, leader, WRITTEN].concat(),
            groups: u64::from(settings.boids.div_ceil(settings.search.workgroup())),
            find_leader: (!leader.is_empty()).then(|| interface.kernel("find_leader", &[])).transpose()?,
            boid_groups: u64::from(settings.boids.div_ceil(WORKGROUP_SIZE)),
            pace: Pace::new(),
            interface,
        })
    }

    /// Whether others follow one of the boids, which then has to be found.
    pub fn has_leader(&self) -> bool {
        self.find_leader.is_some()
    }

    /// Finds where the leader is, if there is one.
    pub fn find_leader(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        if let Some(find_leader) = &self.find_leader {
            self.interface.dispatch(rec, &FIND_LEADER, find_leader, step, self.boid_groups);
        }
    }

    /// Visits the neighbors of every boid, and moves it as the law says.
    pub fn steer(&self, rec: &mut Recorder<'_>, step: StepSlot) {
        let pass = Pass { name: "steer", stage: COMPUTE, uses: &self.uses };
        rec.pass(&pass, |rec| {
            self.interface.bind(rec, &self.steer, step);
            rec.dispatch_in_slices(self.groups, self.pace.groups_at_once);
        });
    }

    /// Workgroups of a search that one dispatch takes.
    pub fn groups_at_once(&self) -> u64 {
        self.pace.groups_at_once
    }
}

const FIND_LEADER: Pass<'_> = Pass {
    name: "find_leader",
    stage: COMPUTE,
    uses: &[
        Use::uniform(COMPUTE, "step_params"),
        Use::read(COMPUTE, "sorted_position_vx"),
        Use::read(COMPUTE, "sorted_boid_id"),
        Use::write(COMPUTE, "leader_position"),
    ],
};

/// Candidates after which a search cuts a range of them on a robust device, so that a step over garbage
/// ends within about 2^33 visits; 0, for never, on others. No range of an orderly flock is so long, unless the flock has all
/// but collapsed.
pub(in crate::flock) fn most_in_range(device: &Device, settings: &Settings) -> u32 {
    const ROWS: u64 = 9;
    let boids = settings.boids;
    let most = ((1u64 << 33) / (ROWS * u64::from(boids.max(1)))).clamp(512, 1 << 16).min(u64::from(boids));
    if device.is_robust() { most as u32 } else { 0 }
}
