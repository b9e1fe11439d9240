//! The damage of a missing dependency as the specification allows it, played on the host: the same each time, and
//! without a device.
//!
//! The frames' journals say what may overlap without the dependency, or with a bit less in its masks ([`Overlaps`]). At
//! one moment,
//! in the middle of a few frames, the player then chooses one of the executions that the specification allows ([`Bad`]):
//! a pass that
//! nothing delays runs before what it should wait for, one that nothing waits for runs late, or a pass reads what memory
//! held before
//! a write that is not visible to it. All other passes are lucky. They are played by the [twins](crate::reference) of
//! their kernels, to
//! the end of the frames, and the result is compared with that of the intact order. Of all such executions the worst is reported.
//!
//! A pass without a twin is followed by the uses that it declares: what it writes is a mark of what it has read, and two
//! marks are the
//! same or not. Whole passes are moved; a device may mix their workgroups.

mod company;
mod memory;
mod orders;
mod twins;
mod wrong;

use super::audit::{self, Counts};
use super::trials::TOLERANCE;
use crate::error::Result;
use crate::flock::{BoidState, Flock, Settings, spawn};
use crate::limits::CROWDING_REPORTS;
use crate::render::canvas::PICTURE_FORMAT;
use crate::render::{Camera, Look, Scene, View};
use crate::sync::between::faulty;
use crate::sync::{FrameKind, FrameSpec, HOST, Overlaps, PRESENT, Rehearsal};
use crate::vk::{DependencyEntry, Device, Fault, Hazard, Instance, Journal};
pub use company::{Company, MOST_BOIDS, Scene as PlayedScene};
use glam::Vec3;
use memory::{Content, Memory};
pub use orders::{Bad, Told};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use twins::{Reads, Seen, Twins};
use wrong::differing;
pub use wrong::{PARTS, Part, Wrong};

/// Frames that are played, each with one step.
pub const FRAMES: usize = 4;

/// The frame with the bad moment.
const MOMENT: usize = 2;

/// Pixels of a played picture.
const SIZE: (u32, u32) = (160, 90);

/// Frames of one kind, ready to be played with any fault.
pub struct Player {
    journals: Vec<Journal>,
    twins: Twins,
    /// Memory before the first frame that a bad moment may reach.
    start: Memory,
    intact: Run,
    tolerance: f32,
    reach: f32,
    /// Executions that were played: many faults allow the same.
    known: RefCell<HashMap<Bad, Played>>,
}

/// A boid of the intact frames, after the last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seat {
    /// Where it is.
    pub position: Vec3,
    /// Whether it is lost, doubled, not finite or astray without the dependency.
    pub hurt: bool,
}

/// The worst execution with a fault.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// What happens, in words.
    pub what: String,
    /// The same in short: of several buffers, their number.
    pub short: String,
    /// What was wrong at that moment.
    pub wrong: Vec<Wrong>,
    /// The damage after the last frame.
    pub counts: Counts,
    /// The boids of the intact frames; none if their contents cannot be told.
    pub flock: Vec<Seat>,
    /// Results that the display or the host took, and that differ from the intact ones.
    pub results: usize,
    /// How many executions were played.
    pub tried: usize,
    /// Passes that read something wrong, and have no twin.
    pub untwinned: BTreeSet<&'static str>,
}

/// One execution.
#[derive(Clone, Default)]
struct Run {
    memory: Memory,
    /// What each act found.
    found: BTreeMap<(usize, &'static str), Content>,
    /// What each act left.
    left: BTreeMap<(usize, &'static str), Content>,
    /// What each act wrote over.
    before: BTreeMap<(usize, &'static str), Content>,
    marked: BTreeSet<usize>,
}

impl Player {
    /// Frames of `kind` with so many steps each, of a flock of `settings`, recorded on paper.
    ///
    /// # Errors
    /// [`crate::Error::Allocation`] for a flock that is too large for the host's memory.
    pub fn new(settings: &Settings, kind: FrameKind, steps: u32) -> Result<Player> {
        let device = Device::new(&Instance::paper()?, None, None)?;
        let journals =
            Rehearsal::new(&device, &FrameSpec::new(settings, kind), None)?.journals(&[steps; FRAMES], &[])?;
        let seen = kind.draws().then(|| seen(&device, settings)).transpose()?;
        let twins = Twins::new(settings, seen);
        let overlaps = Overlaps::of(&journals);
        let mut player = Player {
            journals,
            start: Memory::new(settings, &spawn(settings)),
            twins,
            intact: Run::default(),
            tolerance: TOLERANCE * settings.rules.search_radius,
            reach: settings.time_step * settings.speed_scale(),
            known: RefCell::default(),
        };
        let order: Vec<usize> = (0..overlaps.acts.len()).collect();
        let first = order.iter().take_while(|&&at| overlaps.acts[at].frame < MOMENT - 1).count();
        player.start = player.run(&overlaps, &order[..first], None).memory;
        player.intact = player.run(&overlaps, &order[first..], None);
        Ok(player)
    }

    /// Every dependency of these frames, in order, each once.
    pub fn dependencies(&self) -> Vec<&DependencyEntry> {
        let mut known = BTreeSet::new();
        self.journals[MOMENT].dependencies().filter(|dependency| known.insert(dependency.name)).collect()
    }

    /// The frames' journals.
    pub fn journals(&self) -> &[Journal] {
        &self.journals
    }

    /// The flock after the intact frames.
    pub fn state(&self) -> BoidState {
        self.intact.memory.state()
    }

    /// The worst that the specification allows with this fault in every frame; none if nothing is out of order.
    pub fn play(&self, fault: &Fault) -> Option<Played> {
        let frames: Vec<Journal> = self.journals.iter().map(|journal| faulty(journal, fault)).collect();
        let overlaps = Overlaps::of(&frames);
        if overlaps.meetings.is_empty() {
            return None;
        }
        let bad = orders::bad(&overlaps, MOMENT);
        let played = bad.iter().map(|bad| {
            let known = self.known.borrow().get(bad).cloned();
            let played = known.unwrap_or_else(|| self.played(&overlaps, bad));
            self.known.borrow_mut().entry(bad.clone()).or_insert(played).clone()
        });
        let worst = |played: &Played| {
            let wrong: usize = played.wrong.iter().map(|wrong| wrong.elements.map_or(1, |(wrong, _)| wrong)).sum();
            (played.counts.certain() + played.counts.strayed, played.results, wrong)
        };
        // Of several equally bad ones, the first.
        let found = played.reduce(|a, b| if worst(&b) > worst(&a) { b } else { a });
        let found = found.unwrap_or_else(|| undefined(&overlaps));
        Some(Played { tried: bad.len(), ..found })
    }

    fn played(&self, overlaps: &Overlaps, bad: &Bad) -> Played {
        let acts = &overlaps.acts;
        let from = acts.iter().position(|act| act.frame == MOMENT - 1).unwrap_or(0);
        let run = match bad {
            Bad::Stale { .. } | Bad::Ahead { .. } => {
                self.run(overlaps, &(from..acts.len()).collect::<Vec<_>>(), Some(bad))
            }
            Bad::Order { order, .. } => self.run(overlaps, &order[from..], None),
        };
        let mut wrong = Vec::new();
        let mut compare = |pass: usize, resource, at: Option<&Content>, intact: Option<&Content>| {
            if let (Some(at), Some(intact)) = (at, intact)
                && at != intact
            {
                let pass = &acts[pass];
                wrong.push(differing(resource, (pass.name, pass.frame < MOMENT), at, intact));
            }
        };
        match bad {
            Bad::Stale { reader, unseen } => {
                for &resource in unseen.keys() {
                    let key = (*reader, resource);
                    compare(*reader, resource, run.found.get(&key), self.intact.found.get(&key));
                }
            }
            Bad::Ahead { reader, resource, .. } => {
                let key = (*reader, *resource);
                compare(*reader, resource, run.found.get(&key), self.intact.found.get(&key));
            }
            Bad::Order { conflict, moved: (a, b), .. } => {
                let (first, then) = (*a.min(b), *a.max(b));
                let resource = conflict.resource;
                match conflict.hazard {
                    Hazard::Raw => {
                        compare(
                            then,
                            resource,
                            run.found.get(&(then, resource)),
                            self.intact.found.get(&(then, resource)),
                        );
                    }
                    Hazard::War => {
                        compare(
                            first,
                            resource,
                            run.found.get(&(first, resource)),
                            self.intact.found.get(&(first, resource)),
                        );
                    }
                    // The write of the first, which is now the last, remains.
                    _ => compare(
                        first,
                        resource,
                        run.left.get(&(first, resource)),
                        self.intact.left.get(&(then, resource)),
                    ),
                }
            }
        }
        let mut counts = Counts::default();
        let (broken, intact) = (run.memory.state(), self.intact.memory.state());
        let cells = self.twins.grid.cell_count as usize;
        let (cell_counts, starts) = (run.memory.words("cell_counts"), run.memory.words("cell_starts"));
        // Frames without steps count nothing.
        let counted = self.intact.memory.words("cell_counts").iter().any(|&count| count > 0);
        if counted && starts.len() > cells {
            counts.grid(&cell_counts[..cells], &starts[..=cells], self.twins.settings.boids);
        }
        let there = counts.state(&broken);
        let here = Counts::default().state(&intact);
        counts.difference((&broken, &there), (&intact, &here), self.reach, self.tolerance);
        let hurt = audit::hurt((&broken, &there), (&intact, &here), self.reach, self.tolerance);
        let flock = intact.position.iter().zip(hurt).map(|(&position, hurt)| Seat { position, hurt });
        let taken = |at: &usize| [PRESENT, HOST].contains(&acts[*at].name);
        let differs = |at: &usize| {
            let reads = acts[*at].uses.iter().map(|of| (*at, of.resource));
            reads.clone().any(|key| run.found.get(&key) != self.intact.found.get(&key))
        };
        let results = (from..acts.len()).filter(|at| taken(at) && differs(at)).count();
        let followed = run.marked.iter().filter(|at| !taken(at) && differs(at)).map(|&at| acts[at].name);
        Played {
            what: Told(bad, overlaps).to_string(),
            short: format!("{:#}", Told(bad, overlaps)),
            wrong,
            counts,
            flock: flock.collect(),
            results,
            tried: 0,
            untwinned: followed.collect(),
        }
    }

    /// Plays acts in this order.
    fn run(&self, overlaps: &Overlaps, order: &[usize], bad: Option<&Bad>) -> Run {
        let mut run = Run { memory: self.start.clone(), ..Run::default() };
        for &at in order {
            let act = &overlaps.acts[at];
            let mut found = BTreeMap::new();
            for of in &act.uses {
                let other = match bad {
                    Some(Bad::Stale { reader, unseen }) if *reader == at => {
                        unseen.get(of.resource).and_then(|writer| run.before.get(&(*writer, of.resource)))
                    }
                    Some(Bad::Ahead { reader, resource, writer }) if (*reader, *resource) == (at, of.resource) => {
                        self.intact.left.get(&(*writer, of.resource))
                    }
                    _ => None,
                };
                if of.reads() {
                    let content = other.cloned().unwrap_or_else(|| run.memory.get(of.resource));
                    run.found.insert((at, of.resource), content.clone());
                    found.insert(of.resource, content);
                }
            }
            let written: BTreeSet<&'static str> =
                act.uses.iter().filter(|of| of.writes()).map(|of| of.resource).collect();
            for &resource in &written {
                run.before.insert((at, resource), run.memory.get(resource));
            }
            match self.twins.play(act, &Reads { found: &found, memory: &run.memory }) {
                Some(played) => {
                    played.into_iter().for_each(|(name, words)| run.memory.set(name, Content::of(words)));
                }
                None => {
                    run.marked.insert(at);
                    for &resource in &written {
                        let mark = Content::mark((act.name, act.frame, resource, &found));
                        run.memory.set(resource, mark);
                    }
                }
            }
            for &resource in &written {
                run.left.insert((at, resource), run.memory.get(resource));
            }
        }
        run
    }
}

/// Where no pass reads too early and none can run elsewhere: two writes of which the second need not find the first, or
/// an image in
/// the wrong layout, or one whose layout changes too early. No contents can be told.
fn undefined(overlaps: &Overlaps) -> Played {
    let conflicts = overlaps.meetings.iter().map(|meeting| &meeting.conflict);
    let clearest = conflicts.min_by_key(|conflict| (!conflict.direct, conflict.across_frames));
    let of_acts = overlaps.meetings.iter().all(|of| of.from.is_some() && of.to.is_some());
    let then = if of_acts { "in order, not visible" } else { "undefined" };
    let what = clearest.map_or_else(String::new, |conflict| format!("{conflict}: {then}"));
    let images = overlaps.meetings.iter().any(|of| of.from.is_none() || of.to.is_none());
    Played {
        short: what.clone(),
        what,
        wrong: Vec::new(),
        counts: Counts::default(),
        flock: Vec::new(),
        results: usize::from(images),
        tried: 0,
        untwinned: BTreeSet::new(),
    }
}

/// What the twins of the picture read.
fn seen(device: &std::sync::Arc<Device>, settings: &Settings) -> Result<Seen> {
    let mut flock = Flock::new(device, settings, 1)?;
    flock.prepare_steps(0, 1);
    let look = Look::of(settings);
    let figure = look.figure();
    let scene = Scene::with_look(device, &flock, look, PICTURE_FORMAT, 1)?;
    let camera = Camera::fit(&settings.world, SIZE.0 as f32 / SIZE.1 as f32);
    let mut params = scene.params(&flock, &View::of(camera, SIZE.0, SIZE.1));
    // In so small a picture all boids are small. Half of them are drawn as meshes, so that the draw has something to draw.
    let mut away: Vec<f32> = spawn(settings).position.iter().map(|place| place.distance(params.eye)).collect();
    away.sort_unstable_by(f32::total_cmp);
    params.lod_pixels = params.boid_length * params.pixels_per_radian / away[away.len() / 2];
    Ok(Seen { params, figure })
}

const _: () = assert!(FRAMES < CROWDING_REPORTS as usize, "no entry of the crowding is written twice");
