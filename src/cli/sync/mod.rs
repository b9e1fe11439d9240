//! `starlings sync`: the frame's synchronization.

mod breaking;

use super::failure::Failure;
use clap::{Args, Subcommand};

/// Options of `starlings sync`.
#[derive(Args, Debug)]
pub struct SyncArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Leave a dependency out on the real device, and count what goes wrong
    Break(Box<breaking::BreakArgs>),
}

/// Runs the command.
pub fn run(args: &SyncArgs) -> Result<(), Failure> {
    match &args.command {
        Command::Break(args) => breaking::run(args),
    }
}
