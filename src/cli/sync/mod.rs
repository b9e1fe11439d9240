//! `starlings sync`: the frame's synchronization, printed, proven and broken.
//!
//! Without a subcommand it prints: [`frame`] is what is recorded, and [`table`], [`graph`] and [`json`] each have a form for
//! it. Each subcommand has a file of its own here, and a row in [`Command`].

mod breaking;
mod frame;
mod graph;
mod json;
mod names;
mod print;
mod prove;
mod table;

use super::failure::Failure;
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
Without a command, the frame is recorded, not run, and printed. Stages are VkPipelineStageFlags2 and accesses \
VkAccessFlags2, without their prefixes.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Show that every dependency, and every bit of its masks, is needed, and that none is missing
    Prove(prove::ProveArgs),
    /// Leave a dependency out on the real device, and count what goes wrong
    Break(Box<breaking::BreakArgs>),
}

/// Runs the command.
pub fn run(args: &SyncArgs) -> Result<(), Failure> {
    match &args.command {
        None => print::run(&args.print),
        Some(Command::Prove(args)) => prove::run(args),
        Some(Command::Break(args)) => breaking::run(args),
    }
}
