//! `starlings sync break`: the damage of a missing dependency, as played on the host and as counted on this machine's
//! device.

use super::replay;
use crate::cli::flock::FlockArgs;
use crate::cli::machine::GpuArg;
use crate::cli::numbers::{self, counted, duration, grouped};
use crate::cli::output::{print, progress};
use crate::cli::render::size;
use crate::damage::replay::Replays;
use crate::damage::{Breakable, Counts, Damage, MAX_STEPS_PER_TRIAL, Part, TOLERANCE, Trials};
use crate::interrupt;
use crate::{Error, Result};
use clap::Args;
use starlings::flock::Settings;
use starlings::vk::{Device, DeviceOptions, Validation};
use std::sync::Arc;
use std::time::Instant;

/// Options of `starlings sync break`.
#[derive(Args, Debug)]
#[command(after_help = "\
First it is played on the host what the specification allows without the dependency, which needs no device and is the \
same each time: at one moment of four frames, a pass runs too early or too late, or reads what memory held before a \
write that is not visible to it; of all such executions, the worst is shown. Then, if there is a device, it is \
counted what happens there.

On the device, steps run in trials. A trial is one submission in which only the dependency is missing: \
a read in between would need a barrier, which would replace the missing one. After each trial the \
device is idle, everything below is counted, the flock is reset to the start of the trial, the same steps run \
intact, and the two are compared; the next trial continues from there. The same is done once with nothing left out: \
the flocks of two intact runs have the same bits, but their pictures may differ where boids meet, and only what \
exceeds that is damage.

For a dependency of a step only steps are run; for one of the picture each step is a whole frame.")]
pub struct BreakArgs {
    /// Dependency to leave out, as `starlings sync` names it; several are left out in turn and give a table in Markdown
    #[arg(value_name = "NAME", conflicts_with = "all")]
    names: Vec<String>,
    /// Leave out every dependency in turn
    #[arg(long)]
    all: bool,
    /// Steps to run without each dependency
    #[arg(long, value_name = "COUNT", default_value = "100")]
    #[arg(allow_hyphen_values = true, value_parser = numbers::count(1, 1_000_000_u32))]
    steps: u32,
    /// Steps per trial
    #[arg(long, value_name = "COUNT", default_value = "8")]
    #[arg(allow_hyphen_values = true, value_parser = numbers::count(1, MAX_STEPS_PER_TRIAL))]
    trial: u32,
    /// Size of the pictures, in pixels
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "640x360")]
    #[arg(allow_hyphen_values = true, value_parser = size)]
    size: (u32, u32),
    /// Also play each bit of the dependency's masks missing
    #[arg(long)]
    bits: bool,
    /// Do not run anything on a device: only play on the host
    #[arg(long, conflicts_with_all = ["gpu", "trial", "size"])]
    no_device: bool,
    /// No progress bar
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    flock: FlockArgs,
    #[command(flatten)]
    gpu: GpuArg,
}

/// The intact runs, and the damage by each missing dependency.
struct Findings {
    intact: Vec<(Part, Damage)>,
    broken: Vec<(Breakable, Damage)>,
}

pub fn run(args: &BreakArgs) -> Result<()> {
    let asked = args.flock.measured(args.flock.settings()?);
    if asked.settings.engine.is_cpu() {
        let accepted = "gpu: only steps on the GPU can be broken";
        return Err(Error::flag("engine", asked.settings.engine, accepted));
    }
    interrupt::install();
    let device = match self::device(args) {
        Ok(device) => {
            asked.check(&device)?;
            Ok(device)
        }
        Err(Error::Engine(error @ starlings::Error::NoDevice(_))) if args.gpu.gpu.is_none() => Err(error.to_string()),
        Err(other) => return Err(other),
    };
    let replays = Replays::new(&asked.settings)?;
    let mut trials = match (&device, args.no_device) {
        (Ok(device), false) => Some(Trials::new(device, &asked.settings, args.trial, args.size)?),
        _ => None,
    };
    let (names, wanted) = args.wanted(&replays, trials.as_mut())?;
    let scenes = replay::play(&replays, &names, args.bits);
    let several = names.len() > 1 || args.bits;
    let played = match several {
        true => replay::table(&replays, &scenes),
        false => replay::page(&replays, &scenes),
    };
    let (Some(trials), Ok(device)) = (&mut trials, &device) else {
        let nothing = match &device {
            Err(error) if !args.no_device => format!("\n\nNothing was run on a device: {error}"),
            _ => String::new(),
        };
        return print(&(played + &nothing));
    };
    let started = Instant::now();
    let mut findings = Findings { intact: Vec::new(), broken: Vec::new() };
    let ended = args.fly(trials, &wanted, &mut findings);
    if (findings.broken.is_empty() && !wanted.is_empty()) || !matches!(ended, Ok(()) | Err(Error::Interrupted)) {
        return ended;
    }
    let took = duration(started.elapsed());
    let head = format!(
        "{} of {}, {} in trials of {}, in {took}\n{}, {}",
        counted(asked.settings.boids, "boid"),
        asked.settings.preset,
        counted(args.steps, "step"),
        args.trial,
        device.info().name,
        device.info().driver,
    );
    let on_device = match wanted.len() {
        0 => "Not left out on a device: it is a window's display that needs it. A window's B key leaves it out."
            .to_owned(),
        1 => findings.page(&head, &asked.settings),
        _ => findings.table(&head),
    };
    print(&format!("{on_device}\n\n{played}"))?;
    ended
}

/// A robust device, where invalid data is harmless, and no validation layer, which would report the intended faults.
fn device(args: &BreakArgs) -> Result<Arc<Device>> {
    if args.no_device {
        return Err(starlings::Error::NoDevice(String::new()).into());
    }
    args.gpu.open(Validation::Off, false, DeviceOptions { robust: true, ..DeviceOptions::default() })
}

impl BreakArgs {
    /// The dependencies to leave out: all by name, and those that the trials have.
    fn wanted(&self, replays: &Replays, trials: Option<&mut Trials>) -> Result<(Vec<String>, Vec<Breakable>)> {
        let known = trials.map(|trials| trials.dependencies()).transpose()?.unwrap_or_default();
        let mut names: Vec<String> = replays.dependencies().iter().map(|of| of.name.to_owned()).collect();
        for breakable in &known {
            let name = breakable.dependency.name;
            if names.iter().all(|known| known != name) {
                names.push(name.to_owned());
            }
        }
        if self.all {
            return Ok((names, known));
        }
        let unknown =
            |name: &str| Error::Input(format!("NAME is {name}; accepted is --all, or one of {}", names.join(", ")));
        if self.names.is_empty() {
            return Err(unknown("not given"));
        }
        if let Some(name) = self.names.iter().find(|name| !names.contains(name)) {
            return Err(unknown(&format!("'{name}'")));
        }
        names.retain(|name| self.names.contains(name));
        let known = known.into_iter().filter(|known| names.iter().any(|name| name == known.dependency.name));
        Ok((names.clone(), known.collect()))
    }

    /// Fills `findings`, one dependency at a time: an interrupted run keeps the finished ones.
    fn fly(&self, trials: &mut Trials, wanted: &[Breakable], findings: &mut Findings) -> Result<()> {
        let mut parts: Vec<Part> = wanted.iter().map(|known| known.part).collect();
        parts.dedup();
        let runs = (parts.len() + wanted.len()) as u64;
        let progress = progress(runs * u64::from(self.steps), "steps", self.quiet);
        let mut fly = |part, omit| {
            trials.run(part, omit, self.steps, |done| {
                progress.inc(done.into());
                interrupt::check()
            })
        };
        for part in parts {
            let intact: Damage = fly(part, None)?;
            if intact.total().certain() > 0 {
                return Err(Error::Damaged(format!("{:?}", intact.total())));
            }
            findings.intact.push((part, intact));
        }
        for known in wanted {
            findings.broken.push((known.clone(), fly(known.part, Some(known.dependency.name))?));
        }
        Ok(())
    }
}

struct Row {
    /// Its label on the page.
    words: &'static str,
    /// The head of its column in the table.
    head: &'static str,
    text: String,
}

fn rows(counts: &Counts) -> [Row; 11] {
    let row = |words, head, number: u64| Row { words, head, text: grouped(number) };
    let farthest = if counts.farthest > 0.0 { format!("{:.2e}", counts.farthest) } else { "0".to_owned() };
    [
        row("boids too many or too few in the counts", "Σ counts off", counts.miscounted),
        row("cells that start after the next one", "falling starts", counts.falling),
        row("cells whose range is not as long as their count", "misfitting cells", counts.misfitting),
        row("boids that the sort lost", "lost", counts.lost),
        row("boids that the sort doubled", "doubled", counts.doubled),
        row("boids whose state is not finite", "not finite", counts.non_finite),
        row("boids astray", "astray", counts.strayed),
        Row { words: "the farthest of them, in world units", head: "farthest", text: farthest },
        row("wrong entries in the list of visible boids", "mislisted", counts.mislisted),
        row("instances drawn too many or too few", "instances off", counts.instances),
        row("pixels that differ", "pixels off", counts.pixels),
    ]
}

/// Number of rows for runs of `part`: the last three are about pictures.
fn shown(part: Part) -> usize {
    if part == Part::Frame { 11 } else { 8 }
}

impl Findings {
    fn intact(&self, part: Part) -> &Damage {
        let found = self.intact.iter().find(|(known, _)| *known == part);
        &found.expect("the intact run of each part came first").1
    }

    /// The result for each dependency, as text.
    fn page(&self, head: &str, settings: &Settings) -> String {
        let mut text = String::new();
        for (Breakable { dependency, part }, damage) in &self.broken {
            let intact = self.intact(*part);
            let (hurt, trials) = (damage.hurt(intact), damage.trials.len());
            let hazards: Vec<String> = dependency.hazards.iter().map(|hazard| hazard.to_string()).collect();
            text += &format!("{} ({}) left out\n{head}\n\n", dependency.name, hazards.join(", "));
            text += &format!("{}\n\n", dependency.reason);
            text += &format!("{:<52}{:>16}{:>16}\n", "", "left out", "intact twin");
            let of = |hurt: usize| format!("{hurt} of {trials}");
            text += &format!("{:<52}{:>16}{:>16}\n", "trials that show damage", of(hurt), of(intact.hurt(intact)));
            for (row, twin) in rows(&damage.total()).iter().zip(rows(&intact.total())).take(shown(*part)) {
                text += &format!("{:<52}{:>16}{:>16}\n", row.words, row.text, twin.text);
            }
            text += &format!(
                "\nAstray: farther than {:.2e} world units, a thousandth of the search radius, from the place in the \
                    intact run.\n",
                TOLERANCE * settings.rules.search_radius
            );
            text += match hurt {
                0 => {
                    "No damage on this device. The frame is incorrect all the same: without the dependency \
                     the\nspecification guarantees nothing, and another device, driver or size may show damage. \
                     `starlings sync prove` does not\ndepend on timing."
                }
                _ => "Damage.",
            };
        }
        text
    }

    fn table(&self, head: &str) -> String {
        let mut lines = vec![vec!["dependency".to_owned(), "trials damaged".to_owned()]];
        lines[0].extend(rows(&Counts::default()).iter().map(|row| row.head.to_owned()));
        let mut line = |name: String, part, damage: &Damage| {
            let mut cells = vec![name, format!("{} of {}", damage.hurt(self.intact(part)), damage.trials.len())];
            cells.extend(rows(&damage.total()).into_iter().take(shown(part)).map(|row| row.text));
            cells.resize(2 + rows(&Counts::default()).len(), String::new());
            lines.push(cells);
        };
        for (part, damage) in &self.intact {
            let name = if *part == Part::Step { "*none, steps*" } else { "*none, frames*" };
            line(name.to_owned(), *part, damage);
            for (known, damage) in self.broken.iter().filter(|(known, _)| known.part == *part) {
                line(known.dependency.name.to_owned(), *part, damage);
            }
        }
        let mut text = format!("{head}\n\n");
        for (at, line) in lines.iter().enumerate() {
            text += &format!("| {} |\n", line.join(" | "));
            if at == 0 {
                text += &format!("|---|{}\n", "--:|".repeat(line.len() - 1));
            }
        }
        text.trim_end().to_owned()
    }
}
