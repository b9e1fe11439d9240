//! The settings that a step reads: which have an effect, and the parameters of the kernels.

use super::influences::WEIGHTED;
use super::layout::NO_LEADER;
use super::layout::{SquaredRadii, StepParams};
use super::setting::Setting;
use super::settings::Settings;
use super::walls::Walls;
use super::{cursor, quanta, targets};
use crate::limits::INFLUENCE_POINTS;
use glam::Vec3;

impl Settings {
    /// Whether `setting` has an effect in this flock: its law reads it, and what it acts on exists.
    pub fn reads(&self, setting: Setting) -> bool {
        match setting {
            Setting::TimeStep => true,
            // Kept without targets, too: a window may add some.
            Setting::TargetRadius => self.law.reads(Setting::Targets),
            Setting::TargetWeight | Setting::TargetPeriod => self.law.reads(setting) && self.targets > 0,
            Setting::MinSpeed => self.law.reads(setting) && !self.law.info().uses_heading,
            Setting::WallWeight => self.law.reads(setting) && self.walls == Walls::Push,
            Setting::LeaderWeight => self.law.reads(setting) && self.leader.is_some(),
            Setting::CurrentWeight => self.law.reads(setting) && self.current != Vec3::ZERO,
            Setting::ObstacleDistance | Setting::ObstacleWeight => {
                self.law.reads(setting) && !self.obstacles.is_empty()
            }
            Setting::Heed => self.law.reads(setting) && self.influences() & WEIGHTED != 0,
            // Points have no limit.
            Setting::MaxForce => self.law.info().limited_force || self.influences() & !INFLUENCE_POINTS != 0,
            _ => self.law.reads(setting),
        }
    }

    /// What the kernels read in step number `step`, which counts from 0.
    pub fn step_params(&self, step: u32) -> StepParams {
        let rules = self.rules.met(self.search_radius());
        let grid = self.grid();
        StepParams {
            boid_count: self.boids,
            step,
            time_step: self.time_step,
            decision_steps: self.decision_steps(),
            target_count: self.targets,
            grid,
            world: self.world,
            walls: self.walls_met() as u32,
            rules,
            squared_radii: SquaredRadii::of(&rules),
            manners: self.manners_met(),
            quanta: quanta::quanta(&grid, rules.search_radius),
            chords: quanta::chords(&grid, rules.search_radius),
            cursor: cursor::at_step(self, step),
            leader: self.leader.unwrap_or(NO_LEADER),
            current: self.current_met(),
            targets: targets::at_step(self, step),
            point_count: self.count_of_points(),
            points: self.points_met(step),
            obstacle_distance: self.obstacle_distance,
            obstacle_weight: self.obstacle_weight,
            obstacle_gap: self.obstacle_gap(step),
            obstacle_count: self.obstacles.len() as u32,
            obstacles: self.obstacles_met(step),
            kinds: self.kinds_met(),
        }
    }
}
