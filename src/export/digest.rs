//! A digest of a flock, to compare runs by.

use crate::flock::{BoidState, Settings};
use glam::Vec3;
use sha2::{Digest, Sha256};

/// The SHA-256, in hexadecimal, of all positions and then all velocities in the order of identities, each as three little-endian
/// floats: the bytes of a sample's `position` and `velocity` in an [archive](super::FlockArchive).
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_of_these_bytes() {
        let settings = Settings::preset("reynolds").expect("a known preset").with_boids(2);
        let vectors = |first: f32| vec![Vec3::new(first, 0.0, -1.0), Vec3::new(0.0, first, 2.0)];
        let state = BoidState { position: vectors(1.0), velocity: vectors(0.5), id: vec![0, 1] };
        // hashlib.sha256(struct.pack('<12f', 1, 0, -1, 0, 1, 2, .5, 0, -1, 0, .5, 2)).hexdigest()
        let wanted = "05af7aae0a4dd671c141b4b9292c8ff69c0ef38ca8ae94a054cd6a0c60329526";
        assert_eq!(digest(&settings, &state), wanted);
        assert_eq!(digest(&settings, &state.in_order(&[1, 0])), wanted, "in another order");
        let turned = BoidState { id: vec![1, 0], ..state };
        assert_ne!(digest(&settings, &turned), wanted, "of other boids");
    }
}
