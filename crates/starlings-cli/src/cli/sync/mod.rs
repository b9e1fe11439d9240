//! `starlings sync`: the frame's synchronization, printed, proven and broken.
//!
//! Without a subcommand it prints: [`frame`] records the frame; [`table`], [`graph`] and [`json`] format it.

mod breaking;
mod check;
mod cost;
mod exercise;
mod frame;
mod graph;
mod json;
mod picture;
mod print;
mod prove;
mod replay;
mod table;

pub use check::judged;

use crate::Result;
use crate::sync::names;
use clap::{Args, Subcommand};

/// Options of `starlings sync`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, after_help = AFTER_HELP)]
pub struct SyncArgs {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    print: print::PrintArgs,
}

const AFTER_HELP: &str = "\
Without a command, the frame is recorded and printed, not run; without a Vulkan driver it is recorded with the null \
driver. Stages are VkPipelineStageFlags2 and accesses VkAccessFlags2, without their prefixes.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Test whether every dependency and every bit of its masks is needed, and whether any is missing
    Prove(prove::ProveArgs),
    /// Judge the journal of any program: what is missing, redundant or too wide in it; needs no device
    Check(check::CheckArgs),
    /// Leave a dependency out, by the specification on the host and on the real device, and count what goes wrong
    Break(Box<breaking::BreakArgs>),
    /// Print an exercise of the course, or judge an answer to it; needs no device
    Exercise(exercise::ExerciseArgs),
    /// Time the frame with each dependency as it is, wide, as an event, merged or left out
    Cost(Box<cost::CostArgs>),
}

pub fn run(args: &SyncArgs) -> Result<()> {
    match &args.command {
        None => print::run(&args.print),
        Some(Command::Prove(args)) => prove::run(args),
        Some(Command::Check(args)) => check::run(args),
        Some(Command::Break(args)) => breaking::run(args),
        Some(Command::Exercise(args)) => exercise::run(args),
        Some(Command::Cost(args)) => cost::run(args),
    }
}
