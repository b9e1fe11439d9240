//! The options that describe a flock, shared by all commands that run one.
//!
//! One flag for each row of [`TUNABLES`], made from that row: its meaning, its unit, and its default in each
//! preset.

use super::config::ConfigFile;
use super::failure::Failure;
use super::numbers::{self, Accepted, grouped, real, short, whole};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use glam::Vec3;
use starlings::Error;
use starlings::flock::cursor::Waypoint;
use starlings::flock::engine::ENGINES;
use starlings::flock::law::Radii;
use starlings::flock::search::SEARCHES;
use starlings::flock::settings::{MAX_BOIDS, TUNABLES, Tunable};
use starlings::flock::spawn::SPAWN_SHAPES;
use starlings::flock::walls::WALLS;
use starlings::flock::{EngineKind, PRESETS, Search, Settings, SpawnShape, Walls, memory};
use starlings::limits::MAX_TARGETS;
use starlings::render::Look;
use starlings::vk::Device;
use std::path::PathBuf;

/// How many boids.
#[derive(Args, Debug)]
#[command(next_help_heading = "Flock")]
pub struct BoidsArg {
    #[arg(long, value_name = "COUNT", help = boids_help(), allow_hyphen_values = true, value_parser = boids)]
    pub boids: Option<u64>,
}

/// Everything else about a flock.
#[derive(Args, Debug)]
#[command(next_help_heading = "Flock")]
pub struct FlockArgs {
    /// Take settings from this file, which looks like what `starlings config` prints; flags go before it [default:
    /// none]
    #[arg(long, value_name = "FILE.toml")]
    config: Option<PathBuf>,
    #[arg(long, value_name = "NAME", help = preset_help(), allow_hyphen_values = true)]
    preset: Option<String>,
    #[arg(long, value_name = "NAME", help = engine_help(), allow_hyphen_values = true)]
    engine: Option<String>,
    #[arg(long, value_name = "NAME", help = search_help(), allow_hyphen_values = true)]
    search: Option<String>,
    /// Seed of every random choice: the same seed gives the same start [default: 1]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true, value_parser = seed)]
    seed: Option<u64>,
    #[arg(long, value_name = "NUMBER", help = density_help(), allow_hyphen_values = true, value_parser = density)]
    density: Option<f32>,
    /// Keep the flock on a plane without height: every law in two dimensions [default: false]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = switch)]
    plane: Option<bool>,
    /// Edge of the world, a cube, or its three edges like 40x20x40 (two on a plane), in world units [default: what the
    /// density asks for]
    #[arg(long, value_name = "EDGE|XxYxZ", conflicts_with = "density", allow_hyphen_values = true, value_parser = world_size)]
    world_size: Option<WorldSize>,
    /// Middle of the world, in world units [default: 0,0,0]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = world_center)]
    world_center: Option<Vec3>,
    #[arg(long, value_name = "NAME", help = walls_help(), allow_hyphen_values = true)]
    walls: Option<String>,
    #[arg(long, value_name = "NAME", help = spawn_help(), allow_hyphen_values = true)]
    spawn: Option<String>,
    /// Where the cursor is, or its path like 0:10,0,0/5:0,0,10, each place with its time in seconds, which begins again
    /// after the last; in a window the mouse takes over [default: it circles around the middle of the world]
    #[arg(long, value_name = "X,Y,Z|T:X,Y,Z/...", allow_hyphen_values = true, value_parser = cursor)]
    cursor: Option<CursorPath>,
    /// Number of a boid that others follow, from 0 on; for laws with a limited force [default: none]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true, value_parser = numbers::count(0, MAX_BOIDS - 1))]
    leader: Option<u32>,
    /// A current that boids go with, in world units per second; for laws with a limited force [default: 0,0,0]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = world_center)]
    current: Option<Vec3>,
    #[arg(long, value_name = "COUNT", help = targets_help(), allow_hyphen_values = true, value_parser = numbers::count(0, MAX_TARGETS))]
    targets: Option<u32>,
    #[command(flatten)]
    tunables: TunableArgs,
}

/// The values given for rows of [`TUNABLES`].
#[derive(Debug)]
struct TunableArgs(Vec<(&'static Tunable, f32)>);

/// What the user asked for.
#[derive(Debug)]
pub struct Asked {
    /// The settings, with no more boids than a flock can have.
    pub settings: Settings,
    /// The config file that they come from, if there is one.
    pub file: Option<ConfigFile>,
    boids: u64,
}

impl Asked {
    fn of(settings: Settings) -> Asked {
        Asked { boids: settings.boids.into(), settings, file: None }
    }

    /// Whether it is more boids than any flock can have, so that [`Asked::check`] fails on every device.
    pub fn is_impossible(&self) -> bool {
        self.boids > u64::from(MAX_BOIDS)
    }

    /// Checks that it is not more boids than any flock can have.
    pub fn check_count(&self) -> Result<(), Failure> {
        if self.is_impossible() {
            let accepted = format!("a whole number from 1 to {MAX_BOIDS}");
            return Err(Error::Setting { name: "--boids".into(), value: self.boids.to_string(), accepted }.into());
        }
        Ok(())
    }

    /// Checks that a picture of the flock can be drawn on `device`.
    pub fn check_drawn(&self, device: &Device) -> Result<(), Failure> {
        self.check(device)?;
        Ok(memory::check_drawn(device.info(), &self.settings)?)
    }

    /// Checks that the flock fits on `device`.
    pub fn check(&self, device: &Device) -> Result<(), Failure> {
        Ok(memory::check(device.info(), &self.settings, self.boids)?)
    }
}

impl FlockArgs {
    /// The settings of a flock of `boids` boids, or as many as the config file or the preset has.
    pub fn settings(&self, boids: Option<u64>) -> Result<Asked, Failure> {
        self.settings_of(None, boids)
    }

    /// The same, of the preset of that name if there is one.
    pub fn settings_of(&self, preset: Option<&str>, boids: Option<u64>) -> Result<Asked, Failure> {
        let file = self.config.as_deref().map(ConfigFile::read).transpose()?;
        let preset = preset.or(self.preset.as_deref());
        let layers = |file: &ConfigFile| {
            let named = preset.or(file.values.flock.preset.as_deref());
            let asked = file.values.flock.change(Asked::of(start(named)?), file.values.boids.boids)?;
            // A command that draws nothing leaves the look alone; but a name that is none should not wait for a picture.
            file.values.look.change(Look::of(&asked.settings))?;
            Ok(asked)
        };
        let below = match &file {
            Some(file) => layers(file).map_err(|failure| file.place(failure))?,
            None => Asked::of(start(preset)?),
        };
        Ok(Asked { file, ..self.change(below, boids)? })
    }

    /// The same, with `settings` in place of the preset's, and without a config file.
    pub fn settings_from(&self, settings: Settings, boids: Option<u64>) -> Result<Asked, Failure> {
        self.change(Asked::of(settings), boids)
    }

    /// What was asked for below, changed as these flags say. A config file changes a preset as flags do, and flags
    /// change what has come of the two.
    fn change(&self, below: Asked, boids: Option<u64>) -> Result<Asked, Failure> {
        let Asked { mut settings, file, boids: before } = below;
        if let Some(engine) = &self.engine {
            let engine = EngineKind::named(engine)?;
            if engine != settings.engine {
                // Another engine has other searches: its own default, unless one is asked for.
                settings.search = engine.searches()[0];
            }
            settings.engine = engine;
        }
        if let Some(search) = &self.search {
            settings.search = Search::named(search)?;
        }
        settings.engine.check(&settings)?;
        if let Some(walls) = &self.walls {
            settings.walls = Walls::named(walls)?;
        }
        if let Some(spawn) = &self.spawn {
            settings.spawn = SpawnShape::named(spawn)?;
        }
        if let Some(plane) = self.plane {
            settings = settings.with_plane(plane);
        }
        settings.leader = self.leader.or(settings.leader);
        settings.current = self.current.unwrap_or(settings.current);
        settings.targets = self.targets.unwrap_or(settings.targets);
        self.check_read(&settings)?;
        if let Some(boids) = boids {
            // A count beyond what any flock can have is refused by `Asked::check`, once the device is known.
            let boids = u32::try_from(boids).unwrap_or(MAX_BOIDS).min(MAX_BOIDS);
            if boids != settings.boids {
                settings = settings.with_boids(boids);
            }
        }
        if let Some(density) = self.density {
            settings = settings.with_density(density);
        }
        if let Some(WorldSize(edges)) = &self.world_size {
            let size = match (&edges[..], settings.plane) {
                ([edge], false) => Vec3::splat(*edge),
                ([edge], true) => Vec3::new(*edge, 0.0, *edge),
                ([x, y, z], false) => Vec3::new(*x, *y, *z),
                ([x, z], true) => Vec3::new(*x, 0.0, *z),
                _ => return Err(wrong_edges(edges, settings.plane).into()),
            };
            settings = settings.with_world_size(size.max_element());
            settings.world.half_size = size * 0.5;
        }
        settings.world.center = self.world_center.unwrap_or(settings.world.center);
        if let Some(CursorPath(path)) = &self.cursor {
            settings.cursor.clone_from(path);
        }
        settings.seed = self.seed.unwrap_or(settings.seed);
        self.tunables.apply(&mut settings);
        settings.validate()?;
        Ok(Asked { settings, file, boids: boids.unwrap_or(before) })
    }

    /// Refuses a setting that would do nothing.
    fn check_read(&self, settings: &Settings) -> Result<(), Failure> {
        let targets = self.targets.map(|count| ("--targets", count.to_string()));
        let given = self.tunables.0.iter().map(|(tunable, value)| (tunable.name, value.to_string()));
        let cursor = self.cursor.as_ref().map(|_| ("--cursor", "given".to_owned()));
        let leader = self.leader.map(|leader| ("--leader", leader.to_string()));
        let current = self.current.map(|current| ("--current", current.to_string()));
        for (name, value) in given.chain(targets).chain(cursor).chain(leader).chain(current) {
            if !is_read(settings, name) {
                let accepted = match settings.law.info().reads.contains(&name) {
                    true if name == "--wall-weight" => {
                        format!("nothing: with --walls {} nobody reads it", settings.walls)
                    }
                    true => "nothing: without --leader, --current or --targets nobody reads it".to_owned(),
                    false => format!(
                        "nothing: {0} does not read it (`starlings presets {0}` lists what it reads)",
                        settings.preset
                    ),
                };
                return Err(Error::Setting { name: name.into(), value, accepted }.into());
            }
        }
        Ok(())
    }
}

impl TunableArgs {
    fn apply(&self, settings: &mut Settings) {
        // A radius that rules share is given once.
        let given = |names: &[&str]| self.0.iter().find(|(tunable, _)| names.contains(&tunable.name)).map(|row| row.1);
        let shared = ["--alignment-radius", "--cohesion-radius", "--separation-radius"];
        match settings.law.info().radii {
            Radii::One => *settings = settings.clone().with_radius(given(&shared).unwrap_or(settings.search_radius())),
            Radii::Two => {
                let radius = given(&shared[..2]).unwrap_or(settings.rules.alignment_radius);
                (settings.rules.alignment_radius, settings.rules.cohesion_radius) = (radius, radius);
            }
            Radii::Three => {}
        }
        for (tunable, value) in &self.0 {
            *(tunable.field)(settings) = *value;
        }
    }
}

/// The settings of the preset of that name, or of the first.
fn start(preset: Option<&str>) -> Result<Settings, Failure> {
    Ok(Settings::preset(preset.unwrap_or(PRESETS[0].name))?)
}

/// Whether the setting `name` does anything in a flock of these settings.
pub fn is_read(settings: &Settings, name: &str) -> bool {
    let reads = settings.law.info().reads;
    match name {
        // Read by every law, or by none: targets are drawn where they attract.
        "--boids" | "--density" | "--search" | "--walls" | "--spawn" | "--time-step" => true,
        "--target-radius" => reads.contains(&"--targets"),
        "--wall-weight" => reads.contains(&name) && settings.walls == Walls::Push,
        "--leader-weight" => reads.contains(&name) && settings.leader.is_some(),
        "--current-weight" => reads.contains(&name) && settings.current != Vec3::ZERO,
        "--heed" => reads.contains(&name) && settings.heeds(),
        _ => reads.contains(&name),
    }
}

impl Args for TunableArgs {
    fn augment_args(command: Command) -> Command {
        TUNABLES.iter().fold(command, |command, tunable| {
            let parser = |text: &str| real(text).ok_or_else(|| Accepted(tunable.accepted()));
            let flag = tunable.name.trim_start_matches("--");
            let arg = Arg::new(flag).long(flag).value_name(value_name(tunable.unit)).help(tunable_help(tunable));
            let heading = if matches!(tunable.name, "--time-step" | "--spawn-speed") { "Flock" } else { "Rules" };
            command.arg(arg.help_heading(heading).allow_hyphen_values(true).value_parser(parser))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for TunableArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let value = |tunable: &'static Tunable| matches.get_one(tunable.name.trim_start_matches("--")).copied();
        Ok(TunableArgs(TUNABLES.iter().filter_map(|tunable| Some((tunable, value(tunable)?))).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn value_name(unit: &str) -> &'static str {
    match unit {
        "world units" => "LENGTH",
        "world units per second" => "SPEED",
        "world units per second squared" => "ACCELERATION",
        "seconds" => "SECONDS",
        "per second" => "RATE",
        _ => "NUMBER",
    }
}

fn tunable_help(tunable: &Tunable) -> String {
    let unit = match tunable.unit {
        "" => String::new(),
        rate if rate.starts_with("per ") => format!(", {rate}"),
        unit => format!(", in {unit}"),
    };
    let default = if tunable.name == "--target-weight" {
        "[default: follows the size of the world (counting-sort), 1 (three-radius, reynolds)]".to_owned()
    } else {
        defaults(tunable.name, |settings| short((tunable.value)(settings)))
    };
    format!("{}{unit} {default}", tunable.about)
}

/// `[default: 1.75]`, or `[default: 1.75 (counting-sort), 1 (reynolds)]` where presets differ.
fn defaults(name: &str, value: impl Fn(&Settings) -> String) -> String {
    let mut values: Vec<(String, Vec<&str>)> = Vec::new();
    for preset in PRESETS {
        let settings = preset.settings();
        if !is_read(&settings, name) && !settings.law.info().reads.contains(&name) {
            continue;
        }
        let value = value(&settings);
        match values.iter_mut().find(|(known, _)| *known == value) {
            Some((_, presets)) => presets.push(preset.name),
            None => values.push((value, vec![preset.name])),
        }
    }
    match &values[..] {
        [(value, _)] => format!("[default: {value}]"),
        _ => {
            let each: Vec<String> = values.iter().map(|(v, presets)| format!("{v} ({})", presets.join(", "))).collect();
            format!("[default: {}]", each.join(", "))
        }
    }
}

fn preset_help() -> String {
    let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
    format!(
        "Where the settings start from: {}; `starlings presets NAME` lists what it sets [default: {}]",
        names.join(", "),
        PRESETS[0].name
    )
}

fn engine_help() -> String {
    let engines: Vec<String> = ENGINES.iter().map(|(_, name, about)| format!("{name} ({about})")).collect();
    let default = defaults("--engine", |settings| settings.engine.to_string());
    format!("Where the flock is stepped: {}; it flies the same by each {default}", engines.join(", "))
}

fn search_help() -> String {
    let names: Vec<&str> = SEARCHES.iter().map(|info| info.name).collect();
    let default = defaults("--search", |settings| settings.search.to_string());
    format!("How a boid finds its neighbors: {}; the neighbors are the same {default}", names.join(", "))
}

fn walls_help() -> String {
    let kinds: Vec<String> = WALLS.iter().map(|(_, name, about)| format!("{name} ({about})")).collect();
    let default = defaults("--walls", |settings| settings.walls.to_string());
    format!("What happens at the walls of the world: {} {default}", kinds.join(", "))
}

fn spawn_help() -> String {
    let kinds: Vec<String> = SPAWN_SHAPES.iter().map(|(_, name, about)| format!("{name} ({about})")).collect();
    let default = defaults("--spawn", |settings| settings.spawn.name().to_owned());
    format!("Where boids start: {} {default}", kinds.join(", "))
}

fn boids_help() -> String {
    let default = defaults("--boids", |settings| grouped(settings.boids.into()));
    format!("Boids in the flock: 200000, 200_000, 200k or 2e5 {default}")
}

fn density_help() -> String {
    let default = defaults("--density", |settings| short(settings.density()));
    format!(
        "Boids per cubic world unit at the start, or per square one on a plane: the world follows the count {default}"
    )
}

fn targets_help() -> String {
    let default = defaults("--targets", |settings| settings.targets.to_string());
    format!("Targets that attract the flock, up to {MAX_TARGETS} {default}")
}

/// A count of boids of any size: what fits depends on the device.
pub fn boids(text: &str) -> Result<u64, Accepted> {
    let accepted = || Accepted(format!("a whole number from 1 to {MAX_BOIDS}"));
    whole(text).filter(|&count| count > 0).ok_or_else(accepted)
}

fn seed(text: &str) -> Result<u64, Accepted> {
    whole(text).ok_or_else(|| Accepted(format!("a whole number from 0 to {}", u64::MAX)))
}

fn density(text: &str) -> Result<f32, Accepted> {
    let accepted = || Accepted("a number above 0, in boids per cubic world unit".into());
    real(text).filter(|&density| density > 0.0 && density.is_finite()).ok_or_else(accepted)
}

/// One edge, two or three.
#[derive(Clone, Debug)]
struct WorldSize(Vec<f32>);

fn world_size(text: &str) -> Result<WorldSize, Accepted> {
    let edges: Option<Vec<f32>> = text.split('x').map(real).collect();
    edges
        .filter(|edges| edges.len() <= 3 && edges.iter().all(|&edge| edge > 0.0 && edge.is_finite()))
        .map(WorldSize)
        .ok_or_else(|| Accepted("one edge, or three like 40x20x40, each above 0, in world units".into()))
}

/// A world with an edge too few, or too many for a plane.
fn wrong_edges(edges: &[f32], plane: bool) -> Error {
    let value: Vec<String> = edges.iter().map(f32::to_string).collect();
    let accepted = match plane {
        true => "one edge, or two like 40x20: a plane has no height",
        false => "one edge, or three like 40x20x40, each above 0, in world units",
    };
    Error::Setting { name: "--world-size".into(), value: format!("'{}'", value.join("x")), accepted: accepted.into() }
}

/// Where the cursor goes.
#[derive(Clone, Debug)]
struct CursorPath(Vec<Waypoint>);

fn cursor(text: &str) -> Result<CursorPath, Accepted> {
    let accepted = || Accepted("three numbers like 0,-5,2.5, or such places with times like 0:10,0,0/5:0,0,10".into());
    if !text.contains(':') {
        let position = world_center(text).map_err(|_| accepted())?;
        return Ok(CursorPath(vec![Waypoint { seconds: 0.0, position }]));
    }
    let waypoint = |part: &str| {
        let (seconds, position) = part.split_once(':')?;
        Some(Waypoint { seconds: real(seconds)?, position: world_center(position).ok()? })
    };
    text.split('/').map(waypoint).collect::<Option<_>>().map(CursorPath).ok_or_else(accepted)
}

fn switch(text: &str) -> Result<bool, Accepted> {
    text.parse().map_err(|_| Accepted("true or false".into()))
}

fn world_center(text: &str) -> Result<Vec3, Accepted> {
    let place: Option<Vec<f32>> = text.split(',').map(real).collect();
    match place.as_deref() {
        Some([x, y, z]) => Ok(Vec3::new(*x, *y, *z)),
        _ => Err(Accepted("three numbers like 0,-5,2.5, in world units".into())),
    }
}
