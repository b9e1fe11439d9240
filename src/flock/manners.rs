//! What holds for the motion of boids under any law: noise, limited turns, and a least speed.
//! `glsl/include/manners.glsl` has the formulas.

use super::kinds::kind_among;
use super::law::Law;
use super::layout::{Kinds, Manners, StepParams};
use super::named::choices;
use super::random::{self, Stream};
use super::settings::Settings;
use super::torus::{Torus, way};
use crate::limits::{
    MANNER_ANGULAR, MANNER_LEAST_SPEED, MANNER_NO_RADIUS, MANNER_OWN_SPEED, MANNER_TURN, MANNER_VECTORIAL, MANNER_VIEW,
    MAX_KINDS,
};
use glam::Vec3;
use std::f64::consts::{PI, TAU};

choices! {
    /// What noise does to a boid's direction.
    enum NoiseForm in NOISE_FORMS as "noise_form" {
        Angular, "angular", "turns the direction at random in a cone of the angle `noise`, in radians";
        Vectorial, "vectorial", "adds a random vector of the length `noise` to the direction";
    }
}

impl Settings {
    /// Those that are switched on: `MANNER_` bits of [`limits`](crate::limits). Under [`Law::Probe`] boids do not move,
    /// but they perceive others.
    pub fn manners(&self) -> u32 {
        let bit = |on: bool, bit: u32| if on { bit } else { 0 };
        let perceived = bit(self.view_angle < 180.0, MANNER_VIEW) | bit(self.has_no_radius(), MANNER_NO_RADIUS);
        if self.law == Law::Probe {
            return perceived;
        }
        let noise = match self.noise_form {
            NoiseForm::Angular => MANNER_ANGULAR,
            NoiseForm::Vectorial => MANNER_VECTORIAL,
        };
        bit(self.noise > 0.0, noise)
            | perceived
            | bit(self.max_turn > 0.0, MANNER_TURN)
            | bit(self.has_own_speeds(), MANNER_OWN_SPEED)
            | bit(self.min_speed > 0.0 && !self.law.info().uses_heading, MANNER_LEAST_SPEED)
    }

    /// Whether the form of the noise has an effect: there is some.
    pub fn reads_noise_form(&self) -> bool {
        self.noise > 0.0
    }

    /// The same, as kernels have them.
    pub(super) fn manners_met(&self) -> Manners {
        let seed = random::bits(self.seed, Stream::Noise, 0, 0);
        let noise = f64::from(self.noise);
        let view = f64::from(self.view_angle).to_radians();
        let turn = (f64::from(self.max_turn) * f64::from(self.time_step)).to_radians().min(PI);
        Manners {
            bits: self.manners(),
            seed: [seed as u32, (seed >> 32) as u32],
            noise: self.noise,
            noise_turns: (noise / TAU) as f32,
            // 1 - cos a is 2 sin² (a / 2).
            noise_cap: (2.0 * (0.25 * noise).sin().powi(2)) as f32,
            cos_turn: turn.cos() as f32,
            sin_turn: turn.sin() as f32,
            view: (view.cos() * view.cos().abs()) as f32,
            felt_squared: self.felt_distance * self.felt_distance,
            nearest: self.nearest,
            least_speed: if self.law.info().uses_heading { 0.0 } else { self.min_speed },
        }
    }
}

impl Manners {
    /// Two numbers in [0, 1), uniform and independent, of boid `id` in step number `step`. Twin of `drawn` in
    /// `glsl/include/manners.glsl`: the same bits.
    pub fn drawn(&self, id: u32, step: u32) -> [f32; 2] {
        let [x, y, ..] = mixed([id, step, self.seed[0], self.seed[1]]);
        [x, y].map(|bits| (bits >> 8) as f32 / 16_777_216.0)
    }
}

/// Whom a boid perceives of those within its search radius. Twin of `glsl/include/perception.glsl`: the same boids.
#[derive(Clone, Copy, Debug)]
pub struct Perception {
    torus: Option<Torus>,
    view: Option<f32>,
    felt_squared: f32,
    nearest: usize,
    has_radius: bool,
    kinds: Option<Noticed>,
}

/// Which kinds notice which.
#[derive(Clone, Copy, Debug)]
struct Noticed {
    ends: [u32; MAX_KINDS as usize],
    count: u32,
    /// Bit `of * MAX_KINDS + toward` is set where those of the first notice those of the second.
    pairs: u64,
}

impl Noticed {
    fn of(kinds: &Kinds) -> Noticed {
        let notices = |(k, felt): (usize, &[f32; 4])| u64::from(felt[..3] != [0.0; 3]) << k;
        Noticed { ends: kinds.ends, count: kinds.count, pairs: kinds.felt.iter().enumerate().map(notices).sum() }
    }

    fn kind(&self, id: u32) -> u32 {
        kind_among(&self.ends, self.count, id)
    }
}

/// The closest of which boids is sought.
#[derive(Clone, Copy, Debug)]
pub struct Sought {
    /// Of this kind; or of any that is noticed.
    pub kind: Option<u32>,
    /// At most this squared distance away.
    pub squared: f32,
}

impl Sought {
    /// Anybody who is noticed, within 10^19 world units.
    pub const ANYBODY: Sought = Sought::within(3.0e38);

    /// Anybody who is noticed, at most this squared distance away.
    pub const fn within(squared: f32) -> Sought {
        Sought { kind: None, squared }
    }
}

/// A dot product, each operation rounded.
fn dot(a: Vec3, b: Vec3) -> f32 {
    a.x * b.x + a.y * b.y + a.z * b.z
}

impl Perception {
    /// That of a boid that sees all around: of all in the world.
    pub fn all(torus: Option<Torus>) -> Perception {
        Perception { torus, view: None, felt_squared: 0.0, nearest: 0, has_radius: true, kinds: None }
    }

    /// The torus that the world is, if its walls wrap.
    pub fn torus(&self) -> Option<Torus> {
        self.torus
    }

    /// That in a step with these parameters.
    pub fn of(params: &StepParams) -> Perception {
        let Manners { bits, view, felt_squared, nearest, .. } = params.manners;
        let view = (bits & MANNER_VIEW != 0).then_some(view);
        let kinds = (params.kinds.count > 0).then(|| Noticed::of(&params.kinds));
        let (nearest, has_radius) = (nearest as usize, bits & MANNER_NO_RADIUS == 0);
        Perception { torus: params.torus(), view, felt_squared, nearest, has_radius, kinds }
    }

    /// Whether neighbors are within a radius.
    pub fn has_radius(&self) -> bool {
        self.has_radius
    }

    /// How many neighbors a boid has, at most; 0 for no limit.
    pub fn nearest(&self) -> usize {
        self.nearest
    }

    /// Whether a boid that has found so many within the search radius has all its neighbors.
    pub fn is_enough(&self, found: usize) -> bool {
        self.has_radius || found >= self.nearest
    }

    /// Whether boid `id` notices boid `other`, as their kinds are.
    pub fn notices(&self, id: u32, other: u32) -> bool {
        let noticed = |kinds: Noticed| kinds.pairs >> (kinds.kind(id) * MAX_KINDS + kinds.kind(other)) & 1 == 1;
        self.kinds.is_none_or(noticed)
    }

    /// Whether boid `other` is one of those that boid `id` seeks.
    pub fn seeks(&self, sought: Sought, id: u32, other: u32) -> bool {
        match (sought.kind, self.kinds) {
            (Some(kind), Some(kinds)) => kinds.kind(other) == kind,
            _ => self.notices(id, other),
        }
    }

    /// Whether a boid at `from` that moves with `velocity` perceives one at `to`: within its field of view, or near
    /// enough to feel it.
    pub fn sees(&self, velocity: Vec3, from: Vec3, to: Vec3) -> bool {
        self.view.is_none_or(|view| {
            let offset = way(self.torus, from, to);
            let along = dot(velocity, offset);
            let squared = dot(offset, offset);
            along * along.abs() >= view * (dot(velocity, velocity) * squared) || squared <= self.felt_squared
        })
    }

    /// What boids at `to` are ordered by, as seen from `from`: the squared distance in single precision.
    pub fn squared(&self, from: Vec3, to: Vec3) -> f32 {
        let offset = way(self.torus, from, to);
        dot(offset, offset)
    }

    /// Keeps those that a boid perceives of all that it sees within the radius, in their order: `key` gives the squared
    /// distance of one, and its identity.
    pub fn keep_nearest<T>(&self, seen: &mut Vec<T>, key: impl Fn(&T) -> (f32, u32)) {
        if self.nearest == 0 || seen.len() <= self.nearest {
            return;
        }
        let mut keys: Vec<(f32, u32)> = seen.iter().map(&key).collect();
        keys.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let last = keys[self.nearest - 1];
        seen.retain(|of| {
            let (squared, id) = key(of);
            squared < last.0 || squared == last.0 && id <= last.1
        });
    }
}

/// Four hashes of four numbers: "pcg4d" of Jarzynski and Olano, "Hash Functions for GPU Rendering" (2020).
fn mixed(numbers: [u32; 4]) -> [u32; 4] {
    let mut v = numbers.map(|number| number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    for _ in 0..2 {
        for (to, a, b) in [(0, 1, 3), (1, 2, 0), (2, 0, 1), (3, 1, 2)] {
            v[to] = v[to].wrapping_add(v[a].wrapping_mul(v[b]));
        }
        v = v.map(|number| number ^ number >> 16);
    }
    v
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_boid_draws_anew_in_each_step_and_evenly() {
        let settings = Settings { noise: 1.0, ..Settings::preset("reynolds").expect("a known preset") };
        let manners = settings.manners_met();
        let (mut sums, mut products, mut same) = ([0.0; 2], 0.0, 0.0);
        let draws = (0..100u32).flat_map(|step| (0..1_000u32).map(move |id| (id, step)));
        for (id, step) in draws {
            let [a, b] = manners.drawn(id, step).map(f64::from);
            assert!((0.0..1.0).contains(&a) && (0.0..1.0).contains(&b));
            let [next, _] = manners.drawn(id, step + 1).map(f64::from);
            (sums, products, same) = ([sums[0] + a, sums[1] + b], products + a * b, same + a * next);
        }
        // Means of 100,000: of one number within 0.0009 (one deviation), of products within 0.0007.
        let means = [sums[0], sums[1], products, same].map(|sum| sum / 1e5);
        for (mean, expected) in means.into_iter().zip([0.5, 0.5, 0.25, 0.25]) {
            assert!((mean - expected).abs() < 0.004, "{means:?}");
        }
        let other = Settings { seed: 2, ..settings }.manners_met();
        assert_ne!(other.drawn(0, 0), manners.drawn(0, 0));
    }

    #[test]
    fn only_what_has_an_effect_is_switched_on() {
        let settings = Settings::preset("reynolds").expect("a known preset");
        assert_eq!(settings.manners(), 0);
        let all = Settings { noise: 0.1, min_speed: 1.0, max_turn: 90.0, ..settings };
        assert_eq!(all.manners(), MANNER_ANGULAR | MANNER_LEAST_SPEED | MANNER_TURN);
        let heading = Settings { noise_form: NoiseForm::Vectorial, law: Law::Heading, ..all.clone() };
        assert_eq!(heading.manners(), MANNER_VECTORIAL | MANNER_TURN);
        assert_eq!(Settings { law: Law::Probe, ..all }.manners(), 0);
    }
}
