//! Reading a checkpoint.

use super::super::npz::read::{Archive, Reason};
use super::{Checkpoint, VERSION};
use glam::Vec3;
use starlings::flock::BoidState;
use starlings::flock::settings::{LENGTHS, MAX_BOIDS};
use std::path::Path;

impl Checkpoint {
    /// Reads the checkpoint at `path`. Whether its config suits its boids is up to the caller.
    pub fn read(path: &Path) -> Result<Checkpoint, Reason> {
        let mut archive = Archive::open(path, "checkpoint")?;
        archive.check_version("checkpoint", VERSION)?;
        let (step, replayable) = (archive.number("step")?, archive.number("replayable")? != 0);
        let config = archive.text("config")?;
        let id = archive.list("id", "<u4", &[None], MAX_BOIDS.into(), |[id]| id)?;
        check_permutation(&id)?;
        let boids = id.len() as u64;
        let mut vectors = |name| {
            let vector = |numbers: [u32; 3]| Vec3::from(numbers.map(f32::from_bits));
            let vectors = archive.list(name, "<f4", &[Some(boids), Some(3)], boids, vector)?;
            match vectors.iter().find(|vector| !vector.is_finite()) {
                Some(vector) => Err(format!("its array '{name}' has {vector}, which is no place or velocity")),
                None => Ok(vectors),
            }
        };
        let (position, velocity) = (vectors("position")?, vectors("velocity_slot")?);
        // As fast as a flock may start: a step from a faster one leads beyond all numbers.
        if let Some(fast) = velocity.iter().find(|velocity| velocity.length() > LENGTHS.1) {
            let most = LENGTHS.1;
            return Err(format!(
                "its array 'velocity_slot' has {fast}, which is faster than {most} world units per second"
            ));
        }
        Ok(Checkpoint { state: BoidState { position, velocity, id }, step, replayable, config })
    }
}

/// Every identity from 0 on is there once.
fn check_permutation(ids: &[u32]) -> Result<(), Reason> {
    let mut seen = vec![false; ids.len()];
    for &id in ids {
        match seen.get_mut(id as usize) {
            Some(seen) if !*seen => *seen = true,
            Some(_) => return Err(format!("its array 'id' has {id} twice")),
            None => return Err(format!("its array 'id' has {id}, and {} boids have lower ones", ids.len())),
        }
    }
    Ok(())
}
