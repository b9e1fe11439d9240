//! `starlings replay`: a flight from its start, in a window or as a digest.

use super::simulate::{self, SimulateArgs};
use super::view::{self, ViewArgs};
use crate::Result;
use clap::{Args, Command, FromArgMatches};
use std::ffi::OsString;
use std::path::PathBuf;

/// Options of `starlings replay`.
#[derive(Args, Debug)]
#[command(after_help = "\
Other options are those of `starlings view`, or with --hash those of `starlings simulate`: `starlings replay a.png` is \
`starlings view --from a.png --start-step 0`, and `starlings replay a.png --hash` is `starlings simulate --from a.png \
--hash`, which prints the first and the last step only.")]
pub struct ReplayArgs {
    /// A picture or a video by this program, or a saved flight
    #[arg(value_name = "FILE.png|.mp4|.gif|.toml")]
    file: PathBuf,
    /// Print digests of the flock at the start and at the end of the flight, without a window
    #[arg(long)]
    hash: bool,
    /// Options of `starlings view` or `starlings simulate`
    #[arg(value_name = "OPTIONS", allow_hyphen_values = true, trailing_var_arg = true)]
    more: Vec<OsString>,
}

pub fn run(args: &ReplayArgs) -> Result<()> {
    let file = args.file.clone().into_os_string();
    let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    let given = words(&["--from"]).into_iter().chain([file]);
    match args.hash {
        true => {
            let more = words(&["--hash", "--every", "4294967295"]);
            let all: Vec<OsString> = given.chain(more).chain(args.more.iter().cloned()).collect();
            simulate::run(&parsed::<SimulateArgs>(&all)?)
        }
        false => {
            let all: Vec<OsString> =
                given.chain(words(&["--start-step", "0"])).chain(args.more.iter().cloned()).collect();
            view::run(&parsed::<ViewArgs>(&all)?)
        }
    }
}

fn parsed<A: Args + FromArgMatches>(words: &[OsString]) -> Result<A> {
    let mut command = A::augment_args(Command::new("replay").no_binary_name(true));
    Ok(A::from_arg_matches(&super::parsed(&mut command, words)?)?)
}
