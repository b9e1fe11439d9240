//! A digest of a flock, to compare runs by.

use glam::Vec3;
use sha2::{Digest, Sha256};
use starlings::flock::{BoidState, Settings};

/// The SHA-256, in hexadecimal, of all positions and then all velocities in the order of identities, each as three
/// little-endian floats: the bytes of a sample's `position` and `velocity` in an [archive](super::FlockArchive).
pub fn digest(settings: &Settings, state: &BoidState) -> String {
    let state = state.by_id();
    let mut hasher = Sha256::new();
    feed(&mut hasher, &state.position);
    feed(&mut hasher, &state.velocities(settings));
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Adds `vectors`, piece by piece: a flock may be many gigabytes.
fn feed(hasher: &mut Sha256, vectors: &[Vec3]) {
    for piece in vectors.chunks(4_096) {
        let bytes: Vec<u8> = piece.iter().flat_map(|v| v.to_array()).flat_map(f32::to_le_bytes).collect();
        hasher.update(&bytes);
    }
}
