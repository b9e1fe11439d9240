//! The clips of a bird, in the order of `CLIP_FLAP`, …

use super::{Corner, FRAMES, Moves};
use crate::transitions::CLIPS;
use glam::{DVec2, DVec3, dvec2};
use std::f64::consts::TAU;

/// Distance of a wing's joint from the middle, in lengths of the bird.
const SHOULDER: f64 = 0.06;

/// Where the neck begins and where the tail does, back from the middle.
const NECK: f64 = -0.22;
const TAIL: f64 = 0.20;

/// How far the bird leans into a turn, and how far it sits up, in radians.
const BANK: f64 = 0.85;
const UPRIGHT: f64 = 0.70;

/// A starling beats its wings about three times a second here, slower than a real one, so that the beats can be seen.
pub const BIRD: [Moves; CLIPS as usize] = [
    Moves { frames: FRAMES, rate: 3.1, vary: 0.26, place: flap },
    Moves::pose(|corner, _| wing(corner, 0.10 * corner.wing, 0.0)),
    Moves::pose(|corner, _| folded(corner)),
    Moves::pose(|corner, _| bank(corner, 1.0)),
    Moves::pose(|corner, _| bank(corner, -1.0)),
    Moves { frames: FRAMES, rate: 0.25, vary: 0.6, place: perch },
];

/// Wings go down and up, the tip later and farther than the wrist. On the way up they are drawn in. The body goes
/// against them.
fn flap(corner: Corner, phase: f64) -> DVec3 {
    let beat = TAU * phase - 0.7 * corner.wing;
    let drawn_in = 0.16 * (0.5 + 0.5 * (TAU * phase).cos());
    let place = wing(corner, corner.wing * (0.12 + 0.55 * beat.sin()), drawn_in);
    place - DVec3::Y * 0.012 * (TAU * phase).sin()
}

/// The corner after its wing was turned about the shoulder by `angle` upward, and drawn in by this share of its span.
fn wing(corner: Corner, angle: f64, drawn_in: f64) -> DVec3 {
    if corner.wing <= 0.0 {
        return corner.place;
    }
    let side = corner.place.x.signum();
    let out = (corner.place.x.abs() - SHOULDER) * (1.0 - drawn_in);
    let turned = DVec2::from_angle(angle).rotate(dvec2(out, corner.place.y));
    // What is drawn in sweeps back.
    let back = corner.place.z + 0.35 * drawn_in * corner.wing;
    DVec3::new(side * (SHOULDER + turned.x), turned.y, back)
}

/// Wings along the body, the wrists in front and the tips behind.
fn folded(corner: Corner) -> DVec3 {
    if corner.wing <= 0.0 {
        return corner.place;
    }
    let hand = (corner.wing - 1.0).max(0.0) / 0.35;
    let place = wing(corner, -0.45 * corner.wing.min(1.0), 0.80);
    // Each feather lies over the next one, nearly along the body.
    let back = -0.16 + 0.75 * (corner.place.z + 0.16) + 0.10 * corner.wing.min(1.0) + 0.30 * hand;
    DVec3::new(place.x, place.y, back)
}

/// A turn to the left (`side` 1) or to the right (-1): the wing of that side is down.
fn bank(corner: Corner, side: f64) -> DVec3 {
    let place = wing(corner, 0.16 * corner.wing, 0.04);
    let leaned = DVec2::from_angle(side * BANK).rotate(place.truncate());
    leaned.extend(place.z)
}

/// Sits up with folded wings, turns its head and moves its tail.
fn perch(corner: Corner, phase: f64) -> DVec3 {
    let mut place = folded(corner);
    let slow = |loops: f64, from: f64| (TAU * (loops * phase + from)).sin();
    if place.z > TAIL && corner.wing <= 0.0 {
        let bent = DVec2::from_angle(0.20 + 0.05 * slow(2.0, 0.1)).rotate(dvec2(place.z - TAIL, place.y));
        place = DVec3::new(place.x, bent.y, TAIL + bent.x);
    }
    // From the neck on, the farther the more, up to the head.
    let head = ((NECK - place.z) / 0.09).clamp(0.0, 1.0);
    if head > 0.0 {
        // It looks to one side, then to the other, and keeps the beak level.
        let yaw = head * (0.75 * slow(1.0, 0.0) + 0.12 * slow(3.0, 0.0));
        let turned = DVec2::from_angle(yaw).rotate(dvec2(place.z - NECK, place.x));
        let level = DVec2::from_angle(head * 0.8 * UPRIGHT).rotate(dvec2(turned.x, place.y));
        place = DVec3::new(turned.y, level.y, NECK + level.x);
    }
    // Nose up: what is in front rises.
    let up = DVec2::from_angle(-UPRIGHT).rotate(dvec2(place.z, place.y));
    DVec3::new(place.x, up.y + 0.10, up.x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transitions::{CLIP_BANK_LEFT, CLIP_FLAP, CLIP_PERCH};

    fn at(clip: u32, [x, y, z]: [f64; 3], wing: f64, phase: f64) -> DVec3 {
        (BIRD[clip as usize].place)(Corner { place: DVec3::new(x, y, z), wing }, phase)
    }

    #[test]
    fn wings_beat_alike_on_both_sides_and_the_tip_the_most() {
        let heights =
            |x: f64, wing: f64| (0..32).map(move |k| at(CLIP_FLAP, [x, 0.03, 0.0], wing, f64::from(k) / 32.0));
        for (right, left) in heights(0.5, 1.2).zip(heights(-0.5, 1.2)) {
            assert!((right * DVec3::new(-1.0, 1.0, 1.0)).abs_diff_eq(left, 1e-12));
        }
        let swing = |x: f64, wing: f64| {
            let height = |best: fn(f64, f64) -> f64, from: f64| {
                heights(x, wing).fold(from, |so_far, place| best(so_far, place.y))
            };
            height(f64::max, -1.0) - height(f64::min, 1.0)
        };
        let swings = [(0.7, 1.35), (0.28, 1.0), (0.0, 0.0)].map(|(x, wing)| swing(x, wing));
        assert!(swings[0] > 0.7 && (0.1..0.4).contains(&swings[1]) && swings[2] < 0.03, "{swings:?}");
    }

    #[test]
    fn a_turn_to_the_left_lowers_the_left_wing_and_a_perched_bird_sits_up() {
        assert!(at(CLIP_BANK_LEFT, [-0.5, 0.03, 0.0], 1.2, 0.0).y < -0.2);
        assert!(at(CLIP_BANK_LEFT, [0.5, 0.03, 0.0], 1.2, 0.0).y > 0.2);
        for k in 0..32 {
            let [breast, tail, tip] = [([0.0, 0.0, -0.2], 0.0), ([0.0, 0.0, 0.45], 0.0), ([0.7, 0.03, 0.07], 1.35)]
                .map(|(place, wing)| at(CLIP_PERCH, place, wing, f64::from(k) / 32.0));
            assert!(breast.y > tail.y + 0.3 && tip.x < 0.25 && tip.z > breast.z, "{breast} {tail} {tip}");
        }
    }
}
