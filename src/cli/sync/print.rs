//! `starlings sync`: prints the frame as it is recorded.

use super::{graph, json, table};
use crate::cli::failure::Failure;
use crate::cli::look::LookArgs;
use crate::cli::machine::GpuArg;
use crate::cli::numbers;
use crate::cli::output::print;
use clap::{Args, ValueEnum};
use starlings::flock::engine::ENGINES;
use starlings::flock::search::{SEARCHES, Search};
use starlings::flock::{EngineKind, MAX_STEPS_PER_SUBMISSION, Observation, PRESETS, Settings};
use starlings::render::Look;
use starlings::sync::checker::{HOST, PRESENT};
use starlings::sync::{self, Between, FrameKind, Rehearsal};
use starlings::vk::{Device, Hazard, Journal, JournalEntry, Validation};
use std::sync::Arc;

/// Boids of a flock that is recorded only: what is recorded does not depend on how many there are.
const FEW_BOIDS: u32 = 1_000;

/// Options of printing.
#[derive(Args, Debug)]
pub struct PrintArgs {
    /// Where the frame is used
    #[arg(long, value_name = "KIND", default_value = "windowed", value_enum)]
    frame: Kind,
    /// Simulation steps in the frame
    #[arg(long, value_name = "COUNT", default_value = "1", allow_hyphen_values = true, value_parser = numbers::count(0, MAX_STEPS_PER_SUBMISSION))]
    steps: u32,
    /// How it is printed
    #[arg(long, value_name = "FORMAT", default_value = "table", value_enum)]
    format: Format,
    /// Where the settings start from, as listed by `starlings presets`
    #[arg(long, value_name = "NAME", default_value = PRESETS[0].name, allow_hyphen_values = true)]
    preset: String,
    /// Where the flock is stepped: gpu, cpu or cpu-serial
    #[arg(long, value_name = "NAME", default_value = ENGINES[0].name, allow_hyphen_values = true)]
    engine: String,
    #[arg(long, value_name = "NAME", help = search_help(), allow_hyphen_values = true)]
    search: Option<String>,
    /// Observe the flock in the last step, as `--stats` of other commands does
    #[arg(long)]
    stats: bool,
    #[command(flatten)]
    look: LookArgs,
    #[command(flatten)]
    gpu: GpuArg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Steps and a picture, with panels over it, for a display
    Windowed,
    /// Steps and a picture, for the host
    Offscreen,
    /// Steps without a picture
    Step,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Aligned columns for a terminal
    Table,
    /// A flowchart for Mermaid
    Mermaid,
    /// A graph for Graphviz
    Dot,
    /// Everything, for programs
    Json,
}

/// A frame to print.
pub struct Frame {
    /// The flock's settings.
    pub settings: Settings,
    /// Where it is used.
    pub kind: FrameKind,
    /// Simulation steps in it.
    pub steps: u32,
    /// The frame as recorded.
    pub journal: Journal,
    /// What its dependencies stand between.
    pub between: Between,
}

/// Runs the command.
pub fn run(args: &PrintArgs) -> Result<(), Failure> {
    let engine = EngineKind::named(&args.engine)?;
    let search = args.search.as_deref().map(Search::named).transpose()?.unwrap_or(engine.searches()[0]);
    let settings = Settings { engine, ..small(&args.preset, search)? };
    engine.check(search)?;
    let look = args.look.look(&settings)?;
    let kind = match args.frame {
        Kind::Windowed => FrameKind::Windowed,
        Kind::Offscreen => FrameKind::Offscreen,
        Kind::Step => FrameKind::Step,
    };
    let frame =
        Frame::record(&args.gpu.open(Validation::Off, false)?, (settings, look), kind, (args.steps, args.stats))?;
    print(&match args.format {
        Format::Table => table::table(&frame),
        Format::Mermaid => graph::mermaid(&frame),
        Format::Dot => graph::dot(&frame),
        Format::Json => json::json(&frame),
    })
}

/// From which pass to which a dependency leads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    /// Whether `from` is a pass of the frame before, or of the step before.
    pub from_before: bool,
    /// The producer.
    pub from: &'static str,
    /// The consumer.
    pub to: &'static str,
    /// What would go wrong between the two.
    pub hazards: Vec<Hazard>,
}

impl Frame {
    /// From which passes to which the dependency `name` leads, in the order of the frame.
    pub fn arrows(&self, name: &str) -> Vec<Arrow> {
        let mut arrows: Vec<Arrow> = Vec::new();
        for conflict in self.between.get(name).into_iter().flatten() {
            if conflict.consumer == name {
                continue; // its own change of layout
            }
            let (from, before) = match self.place(conflict.producer) {
                Some(place) => {
                    (conflict.producer, conflict.across_frames || Some(place) >= self.place(conflict.consumer))
                }
                // An image in the wrong layout is nobody's doing: then it leads from who has used the image last.
                None => self.last_user(conflict.resource, name),
            };
            let known =
                |arrow: &&mut Arrow| (arrow.from_before, arrow.from, arrow.to) == (before, from, conflict.consumer);
            match arrows.iter_mut().find(known) {
                Some(arrow) if arrow.hazards.contains(&conflict.hazard) => {}
                Some(arrow) => arrow.hazards.push(conflict.hazard),
                None => {
                    let (to, hazards) = (conflict.consumer, vec![conflict.hazard]);
                    arrows.push(Arrow { from_before: before, from, to, hazards });
                }
            }
        }
        arrows.sort_by_key(|arrow| (!arrow.from_before, self.place(arrow.from), self.place(arrow.to)));
        arrows
    }

    /// What happens in the frame, each pass once.
    pub fn nodes(&self) -> Vec<&'static str> {
        let mut nodes: Vec<&'static str> = Vec::new();
        for entry in &self.journal.entries {
            let node = match entry {
                JournalEntry::Pass(pass) => pass.name,
                JournalEntry::Present { .. } => PRESENT,
                JournalEntry::HostRead { .. } => HOST,
                _ => continue,
            };
            if !nodes.contains(&node) {
                nodes.push(node);
            }
        }
        nodes
    }

    fn place(&self, node: &str) -> Option<usize> {
        self.nodes().iter().position(|known| *known == node)
    }

    /// The pass that has used `resource` last when the dependency `name` is recorded, and whether in the frame before.
    fn last_user(&self, resource: &str, name: &str) -> (&'static str, bool) {
        let here = self
            .journal
            .entries
            .iter()
            .position(|entry| matches!(entry, JournalEntry::Dependency(dependency) if dependency.name == name));
        let (before, after) = self.journal.entries.split_at(here.unwrap_or(0));
        let user = |entries: &[JournalEntry]| {
            entries.iter().rev().find_map(|entry| match entry {
                JournalEntry::Pass(pass) if pass.uses.iter().any(|of| of.resource == resource) => Some(pass.name),
                JournalEntry::Present { image } if *image == resource => Some(PRESENT),
                _ => None,
            })
        };
        match user(before) {
            Some(pass) => (pass, false),
            None => (user(after).unwrap_or(PRESENT), true),
        }
    }

    fn record(
        device: &Arc<Device>,
        (settings, look): (Settings, Look),
        kind: FrameKind,
        (steps, observed): (u32, bool),
    ) -> Result<Frame, Failure> {
        let mut rehearsal = Rehearsal::with_look(device, &settings, look, kind, None)?;
        if observed {
            rehearsal = rehearsal.observing(Observation::Order)?;
        }
        let journal = rehearsal.journals(&[steps], &[])?.remove(0);
        // Some dependencies matter only between two steps of one frame, some only to a frame without steps: what they
        // stand between is told from frames of all sorts.
        let frames = rehearsal.journals(&[2, 0, 1], &[])?;
        Ok(Frame { between: sync::between(&frames), settings, kind, steps, journal })
    }
}

/// The settings of a small flock.
pub fn small(preset: &str, search: Search) -> Result<Settings, Failure> {
    let mut settings = Settings::preset(preset)?.with_boids(FEW_BOIDS);
    (settings.engine, settings.search) = (EngineKind::Gpu, search);
    Ok(settings)
}

fn search_help() -> String {
    let names: Vec<&str> = SEARCHES.iter().map(|search| search.name).collect();
    format!("How a boid finds its neighbors: {} [default: the engine's first]", names.join(", "))
}
