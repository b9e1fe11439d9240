//! Twin of `find_leader.comp`.

use crate::flock::BoidState;
use glam::Vec3;

/// Where the boid is that others follow, if there is one of that identity.
pub fn find_leader(leader: u32, flock: &BoidState) -> Option<Vec3> {
    flock.id.iter().position(|&id| id == leader).map(|place| flock.position[place])
}
