//! The kinds of frames, in one table. The proof, the tests and the check of docs/synchronization.md all iterate over
//! it, so each kind in the table is checked, and a documented dependency that is in none of them is detected.

use clap::ValueEnum;
use glam::Vec3;
use starlings::flock::kinds::Kind;
use starlings::flock::obstacles::Obstacle;
use starlings::flock::search::{GridKind, Search};
use starlings::flock::{EngineKind, Observation, Settings, States};
use starlings::mesh::{Mesh, Model};
use starlings::render::Look;
use starlings::render::look::{Coloring, Shape};
use starlings::transitions::DECISION;
use std::fmt;

/// Where a frame is used. The help of `starlings sync --frame` has these comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum FrameKind {
    /// Steps and a picture, with panels over it, for a display.
    Windowed,
    /// Steps and a picture, for the host.
    Offscreen,
    /// Steps without a picture.
    Step,
    /// Steps in another program's command buffer.
    Embedded,
}

impl FrameKind {
    /// Every kind; those with a whole frame first.
    pub const ALL: [FrameKind; 4] = [FrameKind::Windowed, FrameKind::Offscreen, FrameKind::Step, FrameKind::Embedded];

    /// Whether it has a picture of the flock.
    pub fn draws(self) -> bool {
        matches!(self, FrameKind::Windowed | FrameKind::Offscreen)
    }
}

impl fmt::Display for FrameKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            FrameKind::Windowed => "windowed",
            FrameKind::Offscreen => "offscreen",
            FrameKind::Step => "step",
            FrameKind::Embedded => "embedded",
        })
    }
}

/// One kind of frame: all that determines what is recorded, except the number of steps.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameSpec {
    /// Where it is used.
    pub kind: FrameKind,
    /// The flock: its engine, its search, and what influences it.
    pub settings: Settings,
    /// The look of the flock, if it is drawn.
    pub look: Look,
    /// What of the flock is observed in the last step.
    pub observed: Option<Observation>,
    /// Whether a window looks for boids, which are copied to the host for it.
    pub followed: bool,
    /// Flocks like this one that are stepped at once.
    pub flocks: usize,
}

impl FrameSpec {
    /// A frame of a flock of `settings`, drawn with its preset's look, not observed, and without a boid that is looked
    /// for.
    pub fn new(settings: &Settings, kind: FrameKind) -> FrameSpec {
        let (settings, look) = (settings.clone(), Look::of(settings));
        FrameSpec { kind, settings, look, observed: None, followed: false, flocks: 1 }
    }
}

impl fmt::Display for FrameSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FrameSpec { kind, settings, look, observed, followed, flocks } = self;
        write!(f, "{kind} frame, {}, search {}", settings.engine, settings.search)?;
        let trails = kind.draws() && look.trail > 0.0;
        let influenced = settings.influences() != 0;
        let behaves = settings.states.is_on();
        let parts = [
            (trails, "trails"),
            (influenced, "influenced"),
            (behaves, "states"),
            (*observed == Some(Observation::Order), "observed"),
            (*observed == Some(Observation::Neighborhoods), "neighborhoods"),
            (*followed, "followed"),
            (*flocks > 1, "many flocks"),
        ];
        if kind.draws() {
            write!(f, ", {} by {}", look.shape, look.color.name())?;
        }
        parts.iter().filter(|(has, _)| *has).try_for_each(|(_, name)| write!(f, ", {name}"))
    }
}

/// Optional parts that a flock and its picture add to a frame.
#[derive(Clone, Copy)]
struct Additions {
    look: Option<fn(Look, &Settings) -> Look>,
    influenced: bool,
    observed: Option<Observation>,
    followed: bool,
    behaves: bool,
    /// Of a flock whose boids have different speeds.
    fast: bool,
}

const NOTHING: Additions =
    Additions { look: None, influenced: false, observed: None, followed: false, behaves: false, fast: false };

/// Each addition alone, and all at once.
const ADDITIONS: [Additions; 10] = [
    NOTHING,
    Additions { look: Some(fish), ..NOTHING },
    Additions { look: Some(cell), ..NOTHING },
    Additions { look: Some(speed), fast: true, ..NOTHING },
    Additions { look: Some(targets), influenced: true, ..NOTHING },
    Additions { observed: Some(Observation::Order), ..NOTHING },
    Additions { observed: Some(Observation::Neighborhoods), ..NOTHING },
    Additions { followed: true, ..NOTHING },
    Additions { behaves: true, ..NOTHING },
    Additions {
        look: Some(fish),
        influenced: true,
        observed: Some(Observation::Order),
        followed: true,
        behaves: true,
        fast: false,
    },
];

/// Fish with a texture and with trails that are recorded after every step, colored by neighbors if kernels step the
/// flock.
fn fish(look: Look, settings: &Settings) -> Look {
    let color = if settings.engine.is_cpu() { look.color } else { Coloring::Neighbors };
    Look { shape: Shape::Fish, color, trail: 4.0 * settings.time_step, ..look }
}

/// Colored by speed, in a range that is fitted to the flock.
fn speed(look: Look, _: &Settings) -> Look {
    Look { color: Coloring::Speed, ..look }
}

/// Targets, if the flock has any.
fn targets(look: Look, _: &Settings) -> Look {
    Look { targets: true, ..look }
}

/// A selected cell, with its edges.
fn cell(look: Look, _: &Settings) -> Look {
    Look { color: Coloring::Cell, ..look }
}

/// Every kind of frame, of small flocks whose settings start from `settings`. (The engine `cpu-serial` records what
/// `cpu` does.)
pub fn frames(settings: &Settings) -> Vec<FrameSpec> {
    let mut frames = Vec::new();
    for kind in FrameKind::ALL {
        for engine in [EngineKind::Gpu, EngineKind::Cpu] {
            // A flock that the CPU steps is on the device only to be drawn.
            if engine.is_cpu() && !kind.draws() {
                continue;
            }
            for search in engine.searches() {
                for Additions { look, influenced, observed, followed, behaves, fast } in ADDITIONS {
                    let of_window = followed && kind != FrameKind::Windowed;
                    let all = look.is_some() && influenced;
                    let of_picture = look.is_some() && !kind.draws();
                    let of_kernels = (influenced || observed.is_some() || behaves) && engine.is_cpu();
                    // A picture reads what is observed for it: its look says so.
                    let unread = observed == Some(Observation::Neighborhoods) && kind != FrameKind::Step;
                    if of_kernels || unread || (of_picture && !all) || (of_window && !all) {
                        continue; // There is nothing to add it to.
                    }
                    let settings = if influenced {
                        led()
                    } else if fast {
                        different_speeds(settings)
                    } else {
                        settings.clone()
                    };
                    let settings = Settings { engine, search, ..settings.with_boids(fewest_boids(engine, search)) };
                    let settings = if behaves { deciding(settings) } else { settings };
                    let plain = FrameSpec::new(&settings, kind);
                    let look = look.map_or(plain.look.clone(), |change| change(plain.look.clone(), &settings));
                    frames.push(FrameSpec { look, observed, followed: followed && !of_window, ..plain });
                }
            }
        }
    }
    // Other kernels for the same passes.
    let (engine, search) = (EngineKind::Gpu, Search::QuantizedGrid);
    let many = Settings { engine, search, targets: 0, ..settings.clone().with_boids(300) };
    frames.push(FrameSpec { observed: Some(Observation::Order), flocks: 3, ..FrameSpec::new(&many, FrameKind::Step) });
    frames
}

/// Settings of a flock with a leader, which not all laws support, with targets, with hunters, and with obstacles, one
/// of which is a mesh.
fn led() -> Settings {
    let triangle = Mesh::new(vec![[Vec3::ZERO, Vec3::X, Vec3::Y]]).expect("a triangle is a mesh");
    let model = Model::of("triangle", &triangle, 1).expect("and a model");
    let mesh = Obstacle::Mesh { center: Vec3::X, size: 1.0, turn: 0.0, model };
    let obstacles = vec![Obstacle::Sphere { center: Vec3::ZERO, radius: 1.0 }, mesh];
    let kinds = ["hare:30", "fox:1,speed=2,hunts=hare"].into_iter().filter_map(Kind::parse).collect();
    let settings = Settings::preset("reynolds").expect("a known preset");
    Settings { leader: Some(0), targets: 4, obstacles, kinds, ..settings }
}

/// Settings of a flock with states whose boids decide in each step.
fn deciding(settings: Settings) -> Settings {
    Settings { states: States::Birds, time_step: 1e-3 * DECISION as f32, ..settings }
}

/// Settings like these whose law has boids of different speeds.
fn different_speeds(settings: &Settings) -> Settings {
    match settings.law.info().uses_heading {
        true => Settings::preset("reynolds").expect("a known preset"),
        false => settings.clone(),
    }
}

/// The fewest boids that need every pass: a bitonic sort of few pairs needs only one dispatch, and states that the CPU
/// steps are but uploaded.
pub fn fewest_boids(engine: EngineKind, search: Search) -> u32 {
    match search.grid() {
        _ if engine.is_cpu() => 50,
        GridKind::BitonicSorted => 5_000,
        GridKind::CountingSorted | GridKind::None => 1_000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_rows_are_the_same() {
        let frames = frames(&Settings::preset("counting-sort").expect("a known preset"));
        for (at, frame) in frames.iter().enumerate() {
            assert!(!frames[..at].contains(frame), "{frame} twice");
            frame.look.check(&frame.settings).expect("the look fits the settings");
            frame.settings.engine.check(frame.settings.search).expect("the engine has the search");
        }
    }
}
