//! The command line. Every failure is one line on stderr and an exit status: see [`failure`]. Results go to stdout.

mod bake;
mod bench;
mod choices;
mod config;
mod devices;
mod doctor;
mod documents;
mod failure;
mod flags;
mod flight;
mod flock;
#[doc(hidden)]
pub mod inputs;
mod look;
mod machine;
mod measure;
pub(crate) mod numbers;
mod origin;
mod output;
mod presets;
mod profiling;
mod render;
mod replay;
mod request;
mod sandboxed;
pub mod scripted;
mod simulate;
mod stats;
mod steps;
mod sweep;
mod sync;
mod view;
mod viewpoint;
mod weights;

use crate::error::plain;
use crate::export::Trace;
use crate::interrupt::Kept;
use crate::{Error, Result, interrupt, panics};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use starlings::vk::timeline;
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

/// Flocks of boids, simulated and drawn on the GPU by one Vulkan command buffer per frame.
#[derive(Debug, Parser)]
#[command(name = "starlings", version, max_term_width = 110)]
#[command(after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print more to stderr: once for information, twice for details
    #[arg(short, long, global = true, action = clap::ArgAction::Count, help_heading = "General")]
    verbose: u8,
    /// Open no files but those named here, no connection and no other program, as Linux then ensures (docs/manual.md)
    #[arg(long, global = true, help_heading = "General")]
    sandbox: bool,
}

const AFTER_HELP: &str = "\
Without a command, `starlings` is `starlings view`. `starlings COMMAND --help` lists a command's options, each \
number with its unit and its default.

In the words of other programs: a world that wraps is `--walls wrap`, a plane `--plane`, a vision cone `--view-angle` \
(half of it, in degrees), the K nearest neighbors `--nearest`, noise `--noise`, ticks `simulate --steps`, an \
experiment over ranges of parameters `sweep --vary`. `--preset vicsek` and `--preset couzin` are models of \
the literature.

Exit status: 0 done, 1 failed, 2 wrong usage, 3 the machine lacks something or its device fails, \
4 output cannot be written, 130 interrupted.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Show a flock in a window; without a display, draw a picture
    View(view::ViewArgs),
    /// Draw a flock to PNG files or a video, without a window
    Render(render::RenderArgs),
    /// Write a flock's trajectories (NumPy, CSV, extended XYZ) and order parameters, without drawing
    Simulate(simulate::SimulateArgs),
    /// Fly a flight again, from its start
    Replay(replay::ReplayArgs),
    /// Run a flock with every combination of settings and seeds, and tabulate its order
    Sweep(Box<sweep::SweepArgs>),
    /// Measure a trajectory, of this program or of another
    Stats(measure::MeasureArgs),
    /// Time every pass on the GPU
    Bench(bench::BenchArgs),
    /// List the Vulkan devices and what each lacks
    Devices(devices::DevicesArgs),
    /// Say what this machine has and lacks, and which packages have it
    Doctor,
    /// Print, prove or break the frame's synchronization
    Sync(sync::SyncArgs),
    /// List the presets
    Presets,
    /// Turn an animated model (.glb, .gltf, .obj) into frames that a flock can be drawn as
    Bake(bake::BakeArgs),
    /// Print a preset as a config file, for `--config`
    Config(Box<config::ConfigArgs>),
}

/// Runs the program on the process's arguments, and returns its exit status.
pub fn main() -> ExitCode {
    main_with(std::env::args_os().collect()).into()
}

/// Runs the program on `arguments`, whose first is its name, and returns its exit status. To be called once in a
/// process, on its first thread: it sets up logging, threads and signals, and a window may open.
pub fn main_with(arguments: Vec<OsString>) -> u8 {
    interrupt::survive_file_limit();
    if let Err(error) = check_stack() {
        return failure::report(&error);
    }
    let went = panics::caught(|| run(arguments));
    interrupt::last();
    let code = went.map_or_else(|error| failure::report(&error), |()| 0);
    interrupt::leave(code);
    code
}

/// Refuses a stack on which this program, or a thread of a driver, ends without a word.
fn check_stack() -> Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, getrlimit};
        let limit = getrlimit(Resource::Stack).current.unwrap_or(u64::MAX) >> 10;
        if limit < LEAST_STACK {
            let text =
                format!("the limit of the stack (`ulimit -s`) is {limit} KiB; accepted is {LEAST_STACK} or more");
            return Err(starlings::Error::Threads(text).into());
        }
    }
    Ok(())
}

/// In KiB. Drivers compile shaders on threads with a stack of this limit.
#[cfg(target_os = "linux")]
const LEAST_STACK: u64 = 2048;

fn run(arguments: Vec<OsString>) -> Result<()> {
    let not_text = arguments.iter().find(|argument| argument.to_str().is_none()).cloned();
    let matches = match parsed(&mut Cli::command(), &with_command(arguments)) {
        Err(help) if !help.use_stderr() => return output::print_help(&help),
        Err(error) if error.kind() == ErrorKind::InvalidUtf8 => {
            let argument = not_text.unwrap_or_default().to_string_lossy().into_owned();
            return Err(Error::Input(format!("the argument '{argument}' is not valid UTF-8")));
        }
        matches => matches?,
    };
    let cli = Cli::from_arg_matches(&matches)?;
    if cli.sandbox {
        sandboxed::enter(&matches)?;
    }
    let trace_output = match &cli.command {
        Command::View(args) => args.trace.open(output::existing(args.force))?,
        Command::Render(args) => args.trace.open(args.output.existing())?,
        Command::Simulate(args) => args.trace.open(args.output.existing())?,
        Command::Bench(args) => args.trace.open(output::existing(args.force))?,
        _ => None,
    };
    let trace = log(cli.verbose, trace_output.is_some());
    let traced = trace_output.zip(trace);
    let traced = traced.map(|traced| Kept::new(traced, |(output, trace)| drop(profiling::write(&trace, output))));
    if !matches!(cli.command, Command::Devices(_) | Command::Doctor | Command::Presets | Command::Config(_)) {
        starlings::threads::start()?;
    }
    let went = match cli.command {
        Command::View(args) => view::run(&args),
        Command::Render(args) => render::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Sweep(args) => sweep::run(&args),
        Command::Stats(args) => measure::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Devices(args) => devices::run(&args),
        Command::Doctor => doctor::run(),
        Command::Sync(args) => sync::run(&args),
        Command::Presets => presets::run(),
        Command::Bake(args) => bake::run(&args),
        Command::Config(args) => config::run(&args),
    };
    // What an interrupted run has gathered is kept.
    if let (Ok(()) | Err(Error::Interrupted), Some(traced)) = (&went, traced) {
        let (output, trace) = traced.take();
        profiling::write(&trace, output)?;
    }
    went
}

/// Standard error, without the numbers of the system's errors.
struct Lines;

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        io::stderr().write_all(plain(&String::from_utf8_lossy(line)).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Logs to stderr: warnings, and more with each `-v`; other libraries log one level less. A trace, if wanted, receives
/// the time line of host and device.
fn log(verbose: u8, traced: bool) -> Option<Trace> {
    let levels = [LevelFilter::ERROR, LevelFilter::WARN, LevelFilter::INFO, LevelFilter::DEBUG];
    let at = usize::from(verbose.min(2));
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(|| Lines)
        .with_ansi(io::stderr().is_terminal() && output::may_color())
        .with_target(false)
        .without_time()
        // If stderr is closed, reporting that on stderr would panic.
        .log_internal_errors(false);
    let targets = Targets::new().with_default(levels[at]).with_target("starlings", levels[at + 1]);
    let (trace, listener) = if traced { Some(Trace::new()) } else { None }.unzip();
    let pieces = Targets::new().with_target(timeline::TARGET, LevelFilter::TRACE);
    tracing_subscriber::registry()
        .with(lines.with_filter(targets))
        .with(listener.map(|listener| listener.with_filter(pieces)))
        .init();
    trace
}

/// What the arguments say to `command`, which is that of [`Cli`]. clap names a word that it cannot place before it
/// checks any value: where a flag took the next flag for its value, as in `--size --trace a.json`, the mistake is that
/// value, not the word after it.
fn parsed(command: &mut clap::Command, arguments: &[OsString]) -> Result<ArgMatches, clap::Error> {
    // clap would compare it with all flags of all commands, in seconds for 100 kB, and find that none is similar.
    if let Some(name) =
        arguments.iter().filter_map(|argument| flag_name(argument)).find(|name| name.len() > LONGEST_FLAG)
    {
        let mut unknown = clap::Error::new(ErrorKind::UnknownArgument).with_cmd(command);
        unknown.insert(ContextKind::InvalidArg, ContextValue::String(name.to_owned()));
        return Err(unknown);
    }
    command.try_get_matches_from_mut(arguments).map_err(|error| {
        let word = match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::String(word)) if error.kind() == ErrorKind::UnknownArgument => word.as_str(),
            _ => return error,
        };
        let Some(at) = arguments.iter().rposition(|argument| argument == word) else { return error };
        let rest = arguments[..at].iter().chain(&arguments[at + 1..]);
        match command.try_get_matches_from_mut(rest) {
            Err(refused) if refused.kind() == ErrorKind::ValueValidation => refused,
            _ => error,
        }
    })
}

/// Bytes of a flag's name at most, several times those of the longest.
const LONGEST_FLAG: usize = 100;

/// `--boids=5` → `--boids`; none if it is not like a flag.
fn flag_name(argument: &OsStr) -> Option<&str> {
    argument.to_str()?.split('=').next().filter(|name| name.starts_with("--"))
}

/// Puts `view` in front of arguments that name no command.
fn with_command(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is = |argument: &OsString, names: &[&str]| names.iter().any(|name| argument == name);
    // These may stand before a command.
    let verbose = arguments.iter().skip(1).take_while(|argument| is(argument, &["-v", "-vv", "--verbose"])).count();
    let names_none = arguments.get(1 + verbose).is_none_or(|first| {
        let of_the_program = is(first, &["-h", "--help", "-V", "--version"]);
        first.as_encoded_bytes().starts_with(b"-") && !of_the_program
    });
    if names_none {
        arguments.insert(1.min(arguments.len()), "view".into());
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn view_is_what_no_command_means() {
        let full = |line: &str| {
            let arguments = std::iter::once("starlings").chain(line.split_whitespace()).map(OsString::from);
            with_command(arguments.collect()).join(&OsString::from(" ")).into_string().expect("plain text")
        };
        assert_eq!(full(""), "starlings view");
        assert_eq!(full("--boids 5"), "starlings view --boids 5");
        assert_eq!(full("-v render"), "starlings -v render");
        assert_eq!(full("--help"), "starlings --help");
        assert_eq!(full("flok"), "starlings flok");
        assert_eq!(full("--preset bench"), "starlings view --preset bench");
        assert_eq!(full("-vv --preset bench"), "starlings view -vv --preset bench");
    }

    #[test]
    fn a_flag_far_longer_than_all_is_refused_without_a_search_for_a_similar_one() {
        assert!(
            Cli::command()
                .get_subcommands()
                .flat_map(|command| command.get_arguments())
                .all(|arg| { arg.get_long().is_none_or(|long| 2 + long.len() < LONGEST_FLAG) })
        );
        let line = |last: String| {
            let arguments = ["starlings".into(), "render".into(), last].map(OsString::from);
            parsed(&mut Cli::command(), &arguments).map(drop).map_err(|error| failure::line(&error.into()))
        };
        let begun = std::time::Instant::now();
        let refused = line(format!("--{}", "a".repeat(1_000_000))).expect_err("no such flag");
        assert!(refused.ends_with("a… (1000002 bytes)' is not known here; `--help` lists all options"), "{refused}");
        // The search took 1.7 s for an eighth of these letters, in an unoptimized build.
        assert!(begun.elapsed() < std::time::Duration::from_secs(5), "{:?}", begun.elapsed());
        line(format!("--out={}.png", "a".repeat(200))).expect("a long value is none of a flag's name");
    }
}
