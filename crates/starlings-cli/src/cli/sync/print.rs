//! `starlings sync`: prints the frame as it is recorded.

use super::frame::Frame;
use super::{graph, json, picture, table};
use crate::cli::choices::listed;
use crate::cli::look::LookArgs;
use crate::cli::machine::GpuArg;
use crate::cli::numbers;
use crate::cli::output::print;
use crate::sync::frames::fewest_boids;
use crate::sync::{FrameKind, FrameSpec};
use crate::{Error, Result};
use clap::{Args, ValueEnum};
use starlings::flock::engine::ENGINES;
use starlings::flock::search::{SEARCHES, Search};
use starlings::flock::{EngineKind, MAX_STEPS_PER_SUBMISSION, Observation, PRESETS, Settings};

/// Options of printing.
#[derive(Args, Debug)]
pub struct PrintArgs {
    /// Kind of frame
    #[arg(long, value_name = "KIND", default_value = "windowed", value_enum)]
    frame: FrameKind,
    /// Simulation steps in the frame
    #[arg(long, value_name = "COUNT", default_value = "1")]
    #[arg(allow_hyphen_values = true, value_parser = numbers::count(0, MAX_STEPS_PER_SUBMISSION))]
    steps: u32,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "table", value_enum)]
    format: Format,
    /// For --format svg: only what lies between two passes that this dependency orders, and what its absence allows
    #[arg(long, value_name = "NAME", conflicts_with_all = ["from", "to"])]
    dependency: Option<String>,
    /// For --format svg: only what lies between this pass and --to
    #[arg(long, value_name = "PASS", requires = "to")]
    from: Option<String>,
    /// For --format svg: see --from
    #[arg(long, value_name = "PASS", requires = "from")]
    to: Option<String>,
    /// Preset that the settings start from, as listed by `starlings presets`
    #[arg(long, value_name = "NAME", default_value = PRESETS[0].name, allow_hyphen_values = true)]
    preset: String,
    /// Where the flock is stepped: gpu, cpu or cpu-serial
    #[arg(long, value_name = "NAME", default_value = ENGINES[0].name, allow_hyphen_values = true)]
    engine: String,
    #[arg(long, value_name = "NAME", help = format!("How a boid finds its neighbors: {} [default: the engine's \
        first]", listed(SEARCHES.iter().map(|search| search.name))), allow_hyphen_values = true)]
    search: Option<String>,
    /// Observe the flock in the last step, as `--stats` of other commands does
    #[arg(long)]
    stats: bool,
    /// Copy the boids for the host, as a window does that follows one, and any window in one of 60 frames
    #[arg(long)]
    followed: bool,
    #[command(flatten)]
    look: LookArgs,
    #[command(flatten)]
    gpu: GpuArg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Aligned columns for a terminal
    Table,
    /// A flowchart for Mermaid
    Mermaid,
    /// A graph for Graphviz
    Dot,
    /// A picture over time: stages as lanes, with the scopes of barriers
    Svg,
    /// Everything, for programs
    Json,
}

pub fn run(args: &PrintArgs) -> Result<()> {
    let shown =
        picture::Shown { dependency: args.dependency.as_deref(), from: args.from.as_deref(), to: args.to.as_deref() };
    if args.format != Format::Svg && (shown.dependency.is_some() || shown.from.is_some()) {
        let flag = if shown.dependency.is_some() { "dependency" } else { "from" };
        return Err(Error::flag(flag, "given", "nothing without --format svg"));
    }
    let engine = EngineKind::named(&args.engine)?;
    let search = args.search.as_deref().map(Search::named).transpose()?.unwrap_or(engine.searches()[0]);
    let settings =
        Settings { engine, search, ..Settings::preset(&args.preset)?.with_boids(fewest_boids(engine, search)) };
    engine.check(search)?;
    let mut look = args.look.look(&settings)?;
    look.read_model()?;
    let kind = args.frame;
    if args.followed && kind != FrameKind::Windowed {
        return Err(Error::flag("followed", "given", "nothing but with --frame windowed"));
    }
    let observed = args.stats.then_some(Observation::Order);
    let spec = FrameSpec { kind, settings, look, observed, followed: args.followed, flocks: 1 };
    let frame = Frame::record(&args.gpu.open_or_null()?, spec, args.steps)?;
    print(&match args.format {
        Format::Table => table::table(&frame),
        Format::Mermaid => graph::mermaid(&frame),
        Format::Dot => graph::dot(&frame),
        Format::Svg => picture::svg(&frame, &shown)?,
        Format::Json => json::json(&frame),
    })
}
