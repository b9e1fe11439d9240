//! Kinds of boids in one flock: what each feels for the others, how fast it is, and whom it hunts.
//!
//! A boid's kind follows from its identity: each kind has a range of them, as long as its share of the flock. So it
//! takes no memory, and no sort or search changes it.
//!
//! # Weights
//! A boid has three numbers for each kind of neighbor, 1 unless they are set: by them, what the neighbor adds to
//! separation, alignment and cohesion is multiplied, under any law. A mean is over the neighbors whose number in it is
//! not 0. A neighbor for which all three are 0 is none: it is neither counted nor among the nearest.
//!
//! # Hunters
//! A hunter is drawn to the nearest boid of its prey that it sees within its sight:
//! `chase · steer_along(prey - p)`, of equally near ones to that of the lowest identity. Its prey is repelled by it as
//! by a point (`glsl/include/motion.glsl`): by `fear · (1 - d / reach)`, for each hunter at a distance d < reach.

use super::law::Law;
use super::layout::{Kinds, PackedHunt};
use super::settings::tunables::{Unit, number};
use super::settings::{LENGTHS, Settings};
use super::spawn::BoidState;
use crate::error::{Error, Result};
use crate::limits::{MAX_HUNTERS, MAX_KINDS};
use glam::Vec3;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A kind of boids.
#[derive(Clone, Debug, PartialEq)]
pub struct Kind {
    /// Its name: letters, digits and underscores.
    pub name: String,
    /// Its part of the flock, relative to those of the others.
    pub share: f32,
    /// Factor of its speeds.
    pub speed: f32,
    /// Factor of its size in pictures.
    pub size: f32,
    /// Its color, red, green and blue; without one, it has one of its own.
    pub color: Option<[u8; 3]>,
    /// What it hunts.
    pub hunts: Option<Hunt>,
}

/// How a kind hunts another.
#[derive(Clone, Debug, PartialEq)]
pub struct Hunt {
    /// The kind that it hunts.
    pub prey: String,
    /// How far it sees its prey, in world units.
    pub sight: f32,
    /// Strength of the pull towards the nearest.
    pub chase: f32,
    /// How far it is feared, in world units; if absent, twice the search radius.
    pub reach: Option<f32>,
    /// Acceleration of its prey right beside it, in world units per second squared; if absent, twice `max_force`.
    pub fear: Option<f32>,
}

/// What a boid of one kind feels for those of another.
#[derive(Clone, Debug, PartialEq)]
pub struct Feeling {
    /// Who feels.
    pub of: String,
    /// For whom.
    pub toward: String,
    /// Weights of separation, alignment and cohesion.
    pub weights: [f32; 3],
}

/// A factor for the speeds of each boid, by identity.
#[derive(Clone, Debug, PartialEq)]
pub struct Speeds {
    factors: Arc<[f32]>,
    most: f32,
}

/// A boid that others flee.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hunter {
    /// Where it is, in world units.
    pub position: Vec3,
    /// Number of the kind that it hunts.
    pub prey: u32,
    /// How far it is feared, in world units.
    pub reach: f32,
    /// Acceleration of its prey right beside it, in world units per second squared.
    pub fear: f32,
}

/// Number of a kind that there is not: what a kind hunts that hunts none.
pub const NO_KIND: u32 = u32::MAX;

/// The form of a kind as text.
pub const KIND_FORM: &str = "NAME:SHARE[,speed=FACTOR][,size=FACTOR][,color=RRGGBB][,hunts=NAME[,sight=LENGTH]\
                             [,chase=STRENGTH][,reach=LENGTH][,fear=ACCELERATION]]";

/// The form of a feeling as text.
pub const FEELING_FORM: &str = "NAME:NAME:SEPARATION,ALIGNMENT,COHESION";

/// The range of factors of speeds and sizes.
const FACTORS: (f32, f32) = (1e-3, 1e3);

impl Kind {
    /// Reads a kind in [`KIND_FORM`]. Nothing is checked but the form: see [`Settings::validate`].
    pub fn parse(text: &str) -> Option<Kind> {
        let (name, rest) = text.split_once(':')?;
        let mut parts = rest.split(',');
        let share = parts.next()?.trim().parse().ok()?;
        let mut kind = Kind { name: name.trim().into(), share, speed: 1.0, size: 1.0, color: None, hunts: None };
        for part in parts {
            let (key, value) = part.split_once('=')?;
            let value = value.trim();
            let number = || value.parse::<f32>().ok();
            match (key.trim(), &mut kind.hunts) {
                ("speed", _) => kind.speed = number()?,
                ("size", _) => kind.size = number()?,
                ("color", _) => kind.color = Some(color(value)?),
                ("hunts", none @ None) => {
                    let (prey, sight, chase) = (value.to_owned(), LENGTHS.1, 1.0);
                    *none = Some(Hunt { prey, sight, chase, reach: None, fear: None });
                }
                ("sight", Some(hunt)) => hunt.sight = number()?,
                ("chase", Some(hunt)) => hunt.chase = number()?,
                ("reach", Some(hunt)) => hunt.reach = Some(number()?),
                ("fear", Some(hunt)) => hunt.fear = Some(number()?),
                _ => return None,
            }
        }
        Some(kind)
    }
}

/// Six hexadecimal digits.
fn color(text: &str) -> Option<[u8; 3]> {
    let is_one = text.len() == 6 && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    let [_, red, green, blue] = u32::from_str_radix(text, 16).ok().filter(|_| is_one)?.to_be_bytes();
    Some([red, green, blue])
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.name, self.share)?;
        let factor = |name, value| if value == 1.0 { String::new() } else { format!(",{name}={value}") };
        write!(f, "{}{}", factor("speed", self.speed), factor("size", self.size))?;
        if let Some([red, green, blue]) = self.color {
            write!(f, ",color={red:02x}{green:02x}{blue:02x}")?;
        }
        let Some(Hunt { prey, sight, chase, reach, fear }) = &self.hunts else { return Ok(()) };
        write!(f, ",hunts={prey},sight={sight},chase={chase}")?;
        for (name, value) in [("reach", reach), ("fear", fear)] {
            value.map_or(Ok(()), |value| write!(f, ",{name}={value}"))?;
        }
        Ok(())
    }
}

impl Feeling {
    /// Reads a feeling in [`FEELING_FORM`]. Nothing is checked but the form: see [`Settings::validate`].
    pub fn parse(text: &str) -> Option<Feeling> {
        let [of, toward, weights] = text.split(':').collect::<Vec<_>>()[..] else { return None };
        let weights: Vec<f32> = weights.split(',').map(|weight| weight.trim().parse().ok()).collect::<Option<_>>()?;
        Some(Feeling { of: of.trim().into(), toward: toward.trim().into(), weights: weights.try_into().ok()? })
    }
}

impl fmt::Display for Feeling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [separation, alignment, cohesion] = self.weights;
        write!(f, "{}:{}:{separation},{alignment},{cohesion}", self.of, self.toward)
    }
}

impl Speeds {
    /// Factors by identity.
    pub fn new(factors: Arc<[f32]>) -> Speeds {
        let most = factors.iter().copied().fold(0.0, f32::max);
        Speeds { factors, most }
    }

    /// The factors, by identity.
    pub fn factors(&self) -> &[f32] {
        &self.factors
    }
}

impl Settings {
    /// The identities of the boids of each kind.
    pub fn boids_of_kinds(&self) -> impl Iterator<Item = Range<u32>> {
        let all: f64 = self.kinds.iter().map(|kind| f64::from(kind.share)).sum();
        let (mut sum, mut first) = (0.0, 0);
        self.kinds.iter().map(move |kind| {
            sum += f64::from(kind.share);
            let end = (f64::from(self.boids) * (sum / all)).round() as u32;
            std::mem::replace(&mut first, end)..end
        })
    }

    /// Number of the kind of boid `id`; 0 where there are no kinds.
    pub fn kind_of(&self, id: u32) -> usize {
        self.boids_of_kinds().filter(|ids| ids.end <= id).count()
    }

    /// Kinds that kernels tell apart when they steer: 0 where all feel the same for all, and none hunts.
    pub fn kinds_felt(&self) -> u32 {
        let hunts = self.law != Law::Probe && self.kinds.iter().any(|kind| kind.hunts.is_some());
        let equal = self.feelings.iter().all(|feeling| feeling.weights == [1.0; 3]);
        if equal && !hunts { 0 } else { self.kinds.len() as u32 }
    }

    /// Whether a kind hunts another.
    pub fn has_hunters(&self) -> bool {
        self.kinds.iter().any(|kind| kind.hunts.is_some())
    }

    /// Whether boids have speeds of their own.
    pub fn has_own_speeds(&self) -> bool {
        self.speeds.is_some() || self.kinds.iter().any(|kind| kind.speed != 1.0)
    }

    /// The factor of the speeds of boid `id`.
    pub fn own_speed(&self, id: u32) -> f32 {
        let differ = self.kinds.iter().any(|kind| kind.speed != 1.0);
        let kind = if differ { self.kinds[self.kind_of(id)].speed } else { 1.0 };
        kind * self.speeds.as_ref().map_or(1.0, |speeds| speeds.factors[id as usize])
    }

    /// A limit of these factors.
    pub fn largest_own_speed(&self) -> f32 {
        let kinds = self.kinds.iter().map(|kind| kind.speed).reduce(f32::max).unwrap_or(1.0);
        kinds * self.speeds.as_ref().map_or(1.0, |speeds| speeds.most)
    }

    fn number_of_kind(&self, name: &str) -> Option<usize> {
        self.kinds.iter().position(|kind| kind.name == name)
    }

    /// The kinds, as kernels have them.
    ///
    /// # Panics
    /// When there are more than [`MAX_KINDS`], which [`Settings::validate`] refuses.
    pub fn kinds_met(&self) -> Kinds {
        const MOST: usize = MAX_KINDS as usize;
        let mut met = Kinds {
            count: self.kinds_felt(),
            hunters: 0,
            ends: [u32::MAX; MOST],
            felt: [[1.0, 1.0, 1.0, 0.0]; MOST * MOST],
            hunts: [PackedHunt { prey: NO_KIND, ..PackedHunt::default() }; MOST],
        };
        for Feeling { of, toward, weights } in &self.feelings {
            if let (Some(of), Some(toward)) = (self.number_of_kind(of), self.number_of_kind(toward)) {
                met.felt[of * MOST + toward][..3].copy_from_slice(weights);
            }
        }
        for (k, (kind, ids)) in self.kinds.iter().zip(self.boids_of_kinds()).enumerate() {
            met.ends[k] = ids.end;
            let Some(hunt) = &kind.hunts else { continue };
            met.hunts[k] = PackedHunt {
                prey: self.number_of_kind(&hunt.prey).map_or(NO_KIND, |prey| prey as u32),
                sight_squared: hunt.sight * hunt.sight,
                chase: hunt.chase,
                reach: hunt.reach.unwrap_or(2.0 * self.search_radius()),
                fear: hunt.fear.unwrap_or(2.0 * self.rules.max_force),
                place: met.hunters.wrapping_sub(ids.start),
            };
            if met.hunts[k].fear > 0.0 {
                met.hunters += ids.end - ids.start;
            }
        }
        met
    }

    /// Checks kinds, feelings and speeds.
    pub(super) fn check_kinds(&self) -> Result<()> {
        let most = MAX_KINDS as usize;
        if self.kinds.len() > most {
            return Err(Error::setting("kinds", self.kinds.len(), format!("at most {most}")));
        }
        let names = || self.kinds.iter().map(|kind| kind.name.as_str()).collect::<Vec<_>>().join(", ");
        let known = |setting: &str, name: &str| match self.number_of_kind(name) {
            Some(_) => Ok(()),
            None if self.kinds.is_empty() => Err(Error::setting(setting, format!("'{name}'"), "nothing without kinds")),
            None => Err(Error::setting(setting, format!("'{name}'"), format!("one of {}", names()))),
        };
        for (at, Kind { name, share, speed, size, hunts, .. }) in self.kinds.iter().enumerate() {
            let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            if !is_name || self.number_of_kind(name) != Some(at) {
                let accepted = "a name of letters, digits and underscores, another for each kind";
                return Err(Error::setting("kinds (name)", format!("'{name}'"), accepted));
            }
            number("kinds (share)", *share, 1e-6, 1e6, Unit::Plain)?;
            number("kinds (speed)", *speed, FACTORS.0, FACTORS.1, Unit::Plain)?;
            number("kinds (size)", *size, FACTORS.0, FACTORS.1, Unit::Plain)?;
            let Some(Hunt { prey, sight, chase, reach, fear }) = hunts else { continue };
            known("kinds (hunts)", prey)?;
            if prey == name {
                return Err(Error::setting("kinds (hunts)", format!("'{prey}'"), "another kind than the hunter's own"));
            }
            number("kinds (sight)", *sight, LENGTHS.0, LENGTHS.1, Unit::Length)?;
            number("kinds (chase)", *chase, 0.0, 1e6, Unit::Plain)?;
            number("kinds (reach)", reach.unwrap_or(1.0), LENGTHS.0, LENGTHS.1, Unit::Length)?;
            number("kinds (fear)", fear.unwrap_or(0.0), 0.0, 1e6, Unit::Acceleration)?;
        }
        for (at, feeling) in self.feelings.iter().enumerate() {
            known("feelings", &feeling.of)?;
            known("feelings", &feeling.toward)?;
            let same = |other: &Feeling| other.of == feeling.of && other.toward == feeling.toward;
            if self.feelings[..at].iter().any(same) {
                let pair = format!("'{}:{}' twice", feeling.of, feeling.toward);
                return Err(Error::setting("feelings", pair, "each pair once"));
            }
            feeling.weights.iter().try_for_each(|&weight| number("feelings", weight, -1e6, 1e6, Unit::Plain))?;
        }
        let hunters = self.kinds_met().hunters;
        if hunters > MAX_HUNTERS {
            let accepted = format!("at most {MAX_HUNTERS} that are feared from afar: others have fear=0");
            return Err(Error::setting("kinds (hunters)", hunters, accepted));
        }
        if let Some(Speeds { factors, .. }) = &self.speeds {
            let (least, most) = FACTORS;
            if factors.len() != self.boids as usize {
                let accepted = format!("one for each of the {} boids", self.boids);
                return Err(Error::setting("speeds", format!("{} numbers", factors.len()), accepted));
            }
            if let Some(id) = factors.iter().position(|factor| !(least..=most).contains(factor)) {
                let accepted = format!("a number from {least} to {most}");
                return Err(Error::setting(&format!("speeds (boid {id})"), factors[id], accepted));
            }
        }
        Ok(())
    }
}

/// Number of the kind of boid `id` among `count` kinds that end so.
pub(super) fn kind_among(ends: &[u32], count: u32, id: u32) -> u32 {
    ends[..count.saturating_sub(1) as usize].iter().map(|&end| u32::from(id >= end)).sum()
}

impl Kinds {
    /// Number of the kind of boid `id`. Twin of `kind_of` in `glsl/include/kinds.glsl`.
    pub fn of(&self, id: u32) -> u32 {
        kind_among(&self.ends, self.count, id)
    }

    /// The weights of separation, alignment and cohesion that a boid of kind `of` has for one of kind `toward`.
    pub fn weights(&self, of: u32, toward: u32) -> [f32; 3] {
        let [separation, alignment, cohesion, _] = self.felt[(of * MAX_KINDS + toward) as usize];
        [separation, alignment, cohesion]
    }

    /// The hunters of `flock`, which are feared, in the order that their kinds and identities have. Twin of
    /// `find_leader.comp`.
    pub fn hunters(&self, flock: impl Iterator<Item = (u32, Vec3)>) -> Vec<Hunter> {
        let none = Hunter { position: Vec3::ZERO, prey: NO_KIND, reach: 1.0, fear: 0.0 };
        let mut hunters = vec![none; self.hunters as usize];
        if hunters.is_empty() {
            return hunters;
        }
        for (id, position) in flock {
            let PackedHunt { prey, reach, fear, place, .. } = self.hunts[self.of(id) as usize];
            if prey != NO_KIND && fear > 0.0 {
                hunters[place.wrapping_add(id) as usize] = Hunter { position, prey, reach, fear };
            }
        }
        hunters
    }

    /// Those of a state.
    pub fn hunters_of(&self, flock: &BoidState) -> Vec<Hunter> {
        self.hunters(flock.id.iter().copied().zip(flock.position.iter().copied()))
    }
}
