//! Kinds and hunters, by all pairs in double precision and without any code of the program.
#![allow(dead_code, reason = "each test binary uses its own part")]

use super::torus::{self, Lie};
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use starlings::flock::kinds::{Feeling, Kind};
use starlings::flock::{BoidState, Law, Preset, Settings, Walls};

fn kinds(text: &str) -> Vec<Kind> {
    text.split('/').map(|kind| Kind::parse(kind).expect("a kind")).collect()
}

fn feelings(text: &str) -> Vec<Feeling> {
    text.split('/').map(|feeling| Feeling::parse(feeling).expect("a feeling")).collect()
}

/// Three kinds that feel whole numbers for each other, some of them below zero, and some nothing at all.
pub fn three(settings: Settings) -> Settings {
    let kinds = kinds("a:5/b:3,speed=0.5/c:1");
    let feelings = feelings("a:b:0,-1,2/a:c:0,0,0/b:a:3,0,0/b:b:1,2,-3/c:a:-2,1,0/c:c:0,0,0");
    Settings { kinds, feelings, ..settings }
}

/// One preset with kinds that differ in everything, hunters among them.
pub fn all(row: &Preset, settings: Settings) -> Settings {
    let radius = settings.search_radius();
    let hunter = format!("c:1,speed=1.7,hunts=a,sight={},chase=0.6,reach={},fear=3", 3.0 * radius, 1.5 * radius);
    let kinds = kinds(&format!("a:5,speed=0.8/b:3/{hunter}"));
    let feelings = feelings("a:b:0.5,0,-1/b:a:1,-0.5,0/b:c:0,0,0/c:b:2,0,0.25");
    let min_speed = if row.settings().law.info().uses_heading { 0.0 } else { 0.3 * settings.rules.max_speed };
    Settings { kinds, feelings, min_speed, ..settings }
}

/// Number of the kind of boid `id`.
pub fn kind_of(settings: &Settings, id: u32) -> usize {
    let all: f64 = settings.kinds.iter().map(|kind| f64::from(kind.share)).sum();
    let mut sum = 0.0;
    let ends = settings.kinds.iter().map(|kind| {
        sum += f64::from(kind.share);
        (f64::from(settings.boids) * (sum / all)).round() as u32
    });
    ends.filter(|&end| id >= end).count()
}

/// What boids feel for each other.
pub struct Felt {
    /// Number of the kind of each boid, by identity.
    kinds: Vec<usize>,
    /// Weights of separation, alignment and cohesion, of the kind in the row for that in the column.
    weights: Vec<Vec<[f32; 3]>>,
}

impl Felt {
    pub fn of(settings: &Settings) -> Felt {
        let all = settings.kinds.len().max(1);
        let mut weights = vec![vec![[1.0; 3]; all]; all];
        let number = |name: &str| settings.kinds.iter().position(|kind| kind.name == name).expect("a kind");
        for feeling in &settings.feelings {
            weights[number(&feeling.of)][number(&feeling.toward)] = feeling.weights;
        }
        Felt { kinds: (0..settings.boids).map(|id| kind_of(settings, id)).collect(), weights }
    }

    /// The weights that boid `id` has for boid `other`.
    pub fn weights(&self, id: u32, other: u32) -> [f32; 3] {
        self.weights[self.kinds[id as usize]][self.kinds[other as usize]]
    }
}

/// A flock on a torus in which some hunt, and nothing else moves a boid: but for the walls, its law has no rule.
pub fn hunt(boids: u32, lie: Lie) -> (Settings, BoidState) {
    let (settings, state) = torus::flock(boids, 4.3, lie);
    let mut settings = Settings { law: Law::Reynolds, walls: Walls::Wrap, ..settings };
    let rules = &mut settings.rules;
    (rules.separation_weight, rules.alignment_weight, rules.cohesion_weight) = (0.0, 0.0, 0.0);
    let radius = settings.search_radius();
    // At most 256 are feared.
    let wolves = (0.1 * boids as f32).clamp(1.0, 200.0);
    let wolf =
        format!("wolf:{wolves},speed=1.5,hunts=sheep,sight={},chase=2,reach={},fear=9", 1.3 * radius, 0.9 * radius);
    let (goats, sheep) = (0.2 * boids as f32, 0.7 * boids as f32);
    settings.kinds = kinds(&format!("goat:{goats}/sheep:{sheep},speed=0.7/{wolf}/fox:{wolves},hunts=goat,fear=0"));
    (settings, state)
}

/// The shortest way on the torus, each operation rounded in single precision: it decides who is the nearest.
fn way(settings: &Settings, from: Vec3, to: Vec3) -> Vec3 {
    let (low, high) =
        (settings.world.center - settings.world.half_size, settings.world.center + settings.world.half_size);
    let half = (high - low) * 0.5;
    let axis = |k: usize| {
        let offset = to[k] - from[k];
        let (up, down) = ((to[k] - low[k]) + (high[k] - from[k]), (high[k] - to[k]) + (from[k] - low[k]));
        if offset > half[k] {
            -down
        } else if offset < -half[k] {
            up
        } else {
            offset
        }
    };
    Vec3::new(axis(0), axis(1), axis(2))
}

/// Compares the velocities of `after` with what hunting does to the boids of `before`, at each `stride`-th place.
pub fn check_hunt(case: &str, settings: &Settings, before: &BoidState, after: &BoidState, stride: usize) {
    let after = after.by_id();
    let kinds: Vec<usize> = before.id.iter().map(|&id| kind_of(settings, id)).collect();
    let number = |name: &str| settings.kinds.iter().position(|kind| kind.name == name);
    let hunted: Vec<Option<usize>> =
        settings.kinds.iter().map(|kind| kind.hunts.as_ref().and_then(|hunt| number(&hunt.prey))).collect();
    let hunters: Vec<usize> = (0..before.len()).filter(|&j| hunted[kinds[j]].is_some()).collect();
    let unit = |v: DVec3| v.try_normalize().unwrap_or(DVec3::ZERO);
    let limit = |v: DVec3, most: f64| if v.length() > most { unit(v) * most } else { v };
    let (chasing, fleeing): (Vec<bool>, Vec<bool>) = (0..before.len())
        .into_par_iter()
        .step_by(stride)
        .map(|i| {
            let (place, velocity) = (before.position[i], before.velocity[i].as_dvec3());
            let kind = &settings.kinds[kinds[i]];
            let full_speed = f64::from(settings.rules.max_speed * kind.speed);
            let mut force = DVec3::ZERO;
            if let Some(hunt) = &kind.hunts {
                let key = |j: usize| {
                    let way = way(settings, place, before.position[j]);
                    ((way.x * way.x + way.y * way.y) + way.z * way.z, before.id[j], j)
                };
                let prey = (0..before.len()).filter(|&j| Some(kinds[j]) == hunted[kinds[i]]).map(key);
                let prey = prey.filter(|key| key.0 <= hunt.sight * hunt.sight);
                if let Some((.., j)) = prey.min_by(|a, b| a.partial_cmp(b).expect("numbers")) {
                    let toward = unit(way(settings, place, before.position[j]).as_dvec3());
                    let steer = limit(toward * full_speed - velocity, settings.rules.max_force.into());
                    force += if toward == DVec3::ZERO { toward } else { f64::from(hunt.chase) * steer };
                }
            }
            let chases = force != DVec3::ZERO;
            let mut fear = DVec3::ZERO;
            for &j in hunters.iter().filter(|&&j| hunted[kinds[j]] == Some(kinds[i])) {
                let hunt = settings.kinds[kinds[j]].hunts.as_ref().expect("a hunter");
                let (to, reach) = (way(settings, place, before.position[j]).as_dvec3(), hunt.reach.unwrap_or(1.0));
                let share = (1.0 - to.length() / f64::from(reach)).max(0.0);
                fear -= unit(to) * share * f64::from(hunt.fear.unwrap_or(1.0));
            }
            let flees = fear != DVec3::ZERO;
            let want = limit(velocity + (force + fear) * f64::from(settings.time_step), full_speed);
            let got = after.velocity[before.id[i] as usize].as_dvec3();
            let off = got.distance(want) / full_speed;
            assert!(off < 2e-5, "{case}: boid {i} of {}: {got} is not {want}", kind.name);
            (chases, flees)
        })
        .unzip();
    if before.len() > 500 {
        let (chasing, fleeing) = [chasing, fleeing].map(|all| all.into_iter().filter(|some| *some).count()).into();
        assert!(chasing > 0 && fleeing > 0, "{case}: {chasing} chase and {fleeing} flee");
    }
}
