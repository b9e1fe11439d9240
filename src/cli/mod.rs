//! The command line. Every failure is one line on stderr and an exit status: see [`failure`]. Results go to stdout.

#[cfg(target_os = "linux")]
mod allocator;
mod asked;
mod bake;
mod bench;
mod choices;
mod config;
mod devices;
mod documents;
mod failure;
mod flags;
mod flock;
#[cfg(test)]
mod fuzz;
mod interrupt;
mod look;
mod machine;
mod numbers;
mod origin;
mod output;
mod presets;
mod profiling;
mod progress;
mod render;
mod simulate;
mod stats;
mod steps;
mod sync;
mod view;
mod viewed;
mod viewpoint;
mod weights;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use failure::Failure;
use starlings::export::Trace;
use starlings::vk::timeline;
use std::ffi::{OsStr, OsString};
use std::panic::{UnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

/// Flocks of boids, simulated and drawn on the GPU by one Vulkan command buffer per frame.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 110)]
#[command(after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print more to stderr: once for information, twice for details
    #[arg(short, long, global = true, action = clap::ArgAction::Count, help_heading = "General")]
    verbose: u8,
}

const AFTER_HELP: &str = "\
Without a command, `starlings` is `starlings view`. `starlings COMMAND --help` lists a command's options, each \
number with its unit and its default.

Exit status: 0 done, 1 failed, 2 wrong usage, 3 the machine lacks something or its device fails, \
4 output cannot be written, 130 interrupted.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Show a flock in a window; without a display, draw a picture
    View(view::ViewArgs),
    /// Draw a flock to PNG files or a video, without a window
    Render(render::RenderArgs),
    /// Write a flock's trajectories to a NumPy archive, without drawing
    Simulate(simulate::SimulateArgs),
    /// Time every pass on the GPU
    Bench(bench::BenchArgs),
    /// List the Vulkan devices and what each lacks
    Devices(devices::DevicesArgs),
    /// Print, prove or break the frame's synchronization
    Sync(sync::SyncArgs),
    /// List the presets, or one with all its settings
    Presets(presets::PresetsArgs),
    /// Turn an animated model (.glb, .gltf, .obj) into frames that a flock can be drawn as
    Bake(bake::BakeArgs),
    /// Print a preset as a config file, for `--config`
    Config(Box<config::ConfigArgs>),
}

pub fn main() -> ExitCode {
    interrupt::survive_file_limit();
    match caught(|| run(std::env::args_os().collect())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// What `run` returns. A panic, of this program or of a library, ends in one line as any failure does.
fn caught(run: impl FnOnce() -> Result<(), Failure> + UnwindSafe) -> Result<(), Failure> {
    static FIRST: Mutex<Option<String>> = Mutex::new(None);
    let first = || FIRST.lock().unwrap_or_else(PoisonError::into_inner);
    std::panic::set_hook(Box::new(move |info| {
        first().get_or_insert_with(|| info.to_string());
    }));
    catch_unwind(run).unwrap_or_else(|_| Err(Failure::Panic(first().take().unwrap_or_default())))
}

fn run(arguments: Vec<OsString>) -> Result<(), Failure> {
    let not_text = arguments.iter().find(|argument| argument.to_str().is_none()).cloned();
    let matches = match parsed(&mut Cli::command(), &with_command(arguments)) {
        Err(help) if !help.use_stderr() => return output::print_help(&help),
        Err(error) if error.kind() == ErrorKind::InvalidUtf8 => {
            let argument = not_text.unwrap_or_default().to_string_lossy().into_owned();
            return Err(Failure::Usage(format!("the argument '{argument}' is not valid UTF-8")));
        }
        matches => matches?,
    };
    let cli = Cli::from_arg_matches(&matches)?;
    let wish = match &cli.command {
        Command::View(args) => args.trace.wish(output::existing(args.force))?,
        Command::Render(args) => args.trace.wish(args.output.existing())?,
        Command::Simulate(args) => args.trace.wish(args.output.existing())?,
        Command::Bench(args) => args.trace.wish(output::existing(args.force))?,
        Command::Sync(_) | Command::Devices(_) | Command::Presets(_) | Command::Bake(_) | Command::Config(_) => None,
    };
    let trace = log(cli.verbose, wish.is_some());
    if !matches!(cli.command, Command::Devices(_) | Command::Presets(_) | Command::Config(_)) {
        starlings::threads::start()?;
    }
    let went = match cli.command {
        Command::View(args) => view::run(&args),
        Command::Render(args) => render::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Devices(args) => devices::run(&args),
        Command::Sync(args) => sync::run(&args),
        Command::Presets(args) => presets::run(&args),
        Command::Bake(args) => bake::run(&args),
        Command::Config(args) => config::run(&args),
    };
    // What an interrupted run has gathered is kept.
    if let (Ok(()) | Err(Failure::Interrupted), Some(wish), Some(trace)) = (&went, wish, trace) {
        wish.fulfil(&trace)?;
    }
    went
}

/// Logs to stderr: warnings, and more with each `-v`; other libraries log one level less. A trace, if wanted, receives the
/// time line of host and device.
fn log(verbose: u8, traced: bool) -> Option<Trace> {
    let levels = [LevelFilter::ERROR, LevelFilter::WARN, LevelFilter::INFO, LevelFilter::DEBUG];
    let at = usize::from(verbose.min(2));
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr()))
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

/// What the arguments say to `command`, which is that of [`Cli`]. clap names a word that it cannot place before it checks any
/// value: where a flag took the next flag for its value, as in `--size --trace a.json`, the mistake is that value, not the word
/// after it.
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
    fn a_panic_is_a_failure_that_names_its_place() {
        let panicked = caught(|| panic!("of a test\nin two lines"));
        assert!(
            matches!(panicked, Err(Failure::Panic(text)) if text.contains("mod.rs:") && text.contains("in two lines"))
        );
        assert!(caught(|| Ok(())).is_ok());
        // Other tests speak for themselves.
        drop(std::panic::take_hook());
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
            parsed(&mut Cli::command(), &arguments).map(drop).map_err(|error| Failure::from(error).line())
        };
        let begun = std::time::Instant::now();
        let refused = line(format!("--{}", "a".repeat(1_000_000))).expect_err("no such flag");
        assert!(refused.ends_with("a… (1000002 bytes)' is not known here; `--help` lists all options"), "{refused}");
        // The search took 1.7 s for an eighth of these letters, in an unoptimized build.
        assert!(begun.elapsed() < std::time::Duration::from_secs(5), "{:?}", begun.elapsed());
        line(format!("--out={}.png", "a".repeat(200))).expect("a long value is none of a flag's name");
    }
}
