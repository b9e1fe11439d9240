//! The options that describe a flock, shared by all commands that run one.
//!
//! One flag for each row of [`TUNABLES`], made from that row: its meaning, its unit, and its default in each
//! preset.

mod help;
mod tunables;
mod values;

pub use values::boids;

use super::choices::{explained, listed};
use super::failure::Failure;
use super::numbers::{self, grouped, short};
use clap::Args;
use glam::Vec3;
use help::{default, defaults};
use starlings::flock::engine::ENGINES;
use starlings::flock::search::SEARCHES;
use starlings::flock::settings::{LENGTHS, MAX_BOIDS};
use starlings::flock::walls::WALLS;
use starlings::flock::{EngineKind, PRESETS, SPAWN_SHAPES, Search, Setting, Settings, SpawnShape, Walls};
use starlings::limits::MAX_TARGETS;
use std::path::PathBuf;
use tunables::TunableArgs;
use values::{CursorPath, WorldSize, cursor, density, switch, world_center, world_size, wrong_edges};

/// How many boids.
#[derive(Args, Debug)]
#[command(next_help_heading = "Flock")]
pub struct BoidsArg {
    #[arg(long, value_name = "COUNT", help = format!("Boids in the flock: 200000, 200_000, 200k or 2e5 {}", default(|s| grouped(s.boids.into()))), allow_hyphen_values = true, value_parser = boids)]
    pub boids: Option<u64>,
}

/// Everything else about a flock.
#[derive(Args, Debug)]
#[command(next_help_heading = "Flock")]
pub struct FlockArgs {
    /// Take settings from this file, which looks like what `starlings config` prints; flags go before it [default:
    /// none]
    #[arg(long, value_name = "FILE.toml")]
    pub config: Option<PathBuf>,
    #[arg(long, value_name = "NAME", help = format!("Where the settings start from: {}; `starlings presets NAME` lists what it sets [default: {}]", listed(PRESETS.iter().map(|preset| preset.name)), PRESETS[0].name), allow_hyphen_values = true)]
    pub preset: Option<String>,
    #[arg(long, value_name = "NAME", help = format!("Where the flock is stepped: {}; it flies the same by each {}", explained(ENGINES), default(|s| s.engine.to_string())), allow_hyphen_values = true)]
    engine: Option<String>,
    #[arg(long, value_name = "NAME", help = format!("How a boid finds its neighbors: {}; the neighbors are the same {}", listed(SEARCHES.iter().map(|info| info.name)), default(|s| s.search.to_string())), allow_hyphen_values = true)]
    search: Option<String>,
    /// Seed of every random choice: the same seed gives the same start [default: 1]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true, value_parser = numbers::count(0, u64::MAX))]
    seed: Option<u64>,
    #[arg(long, value_name = "NUMBER", help = format!("Boids per cubic world unit at the start, or per square one on a plane: the world follows the count {}", default(|s| short(s.density()))), allow_hyphen_values = true, value_parser = density)]
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
    #[arg(long, value_name = "NAME", help = format!("What happens at the walls of the world: {} {}", explained(WALLS), default(|s| s.walls.to_string())), allow_hyphen_values = true)]
    walls: Option<String>,
    #[arg(long, value_name = "NAME", help = format!("Where boids start: {} {}", explained(SPAWN_SHAPES), default(|s| s.spawn.to_string())), allow_hyphen_values = true)]
    spawn: Option<String>,
    /// Where the cursor is, or its path like 0:10,0,0/5:0,0,10, each place with its time in seconds, which begins again
    /// after the last; in a window the mouse takes over [default: it circles around the middle of the world]
    #[arg(long, value_name = "X,Y,Z|T:X,Y,Z/...", allow_hyphen_values = true, value_parser = cursor)]
    cursor: Option<CursorPath>,
    /// Number of a boid that others follow, from 0 on [default: none]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true, value_parser = numbers::count(0, MAX_BOIDS - 1))]
    leader: Option<u32>,
    /// A current that boids go with, in world units per second [default: 0,0,0]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = world_center)]
    current: Option<Vec3>,
    #[arg(long, value_name = "COUNT", help = format!("Targets that attract the flock, up to {MAX_TARGETS} {}", defaults(Some(Setting::Targets), |s| s.targets.to_string())), allow_hyphen_values = true, value_parser = numbers::count(0, MAX_TARGETS))]
    targets: Option<u32>,
    #[command(flatten)]
    tunables: TunableArgs,
}

impl FlockArgs {
    /// `settings`, changed as these flags say, and with no more boids than a flock can have.
    pub fn change(&self, mut settings: Settings, boids: Option<u64>) -> Result<Settings, Failure> {
        if let Some(engine) = &self.engine {
            let engine = EngineKind::named(engine)?;
            if engine != settings.engine {
                // Another engine has other searches: its own default, unless one is asked for.
                settings.search = engine.searches()[0];
            }
            settings.engine = engine;
        }
        settings.search = self.search.as_deref().map_or(Ok(settings.search), Search::named)?;
        settings.engine.check(settings.search)?;
        settings.walls = self.walls.as_deref().map_or(Ok(settings.walls), Walls::named)?;
        settings.spawn = self.spawn.as_deref().map_or(Ok(settings.spawn), SpawnShape::named)?;
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
            settings = at_density(&settings, density)?;
        }
        if let Some(WorldSize(edges)) = &self.world_size {
            let size = match (&edges[..], settings.plane) {
                ([edge], false) => Vec3::splat(*edge),
                ([edge], true) => Vec3::new(*edge, 0.0, *edge),
                ([x, y, z], false) => Vec3::new(*x, *y, *z),
                ([x, z], true) => Vec3::new(*x, 0.0, *z),
                _ => return Err(wrong_edges(edges, settings.plane)),
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
        Ok(settings)
    }

    /// Refuses a setting that would do nothing.
    fn check_read(&self, settings: &Settings) -> Result<(), Failure> {
        let given = self.tunables.0.iter().map(|(tunable, value)| (tunable.setting, value.to_string()));
        let others = [
            (Setting::Targets, self.targets.map(|count| count.to_string())),
            (Setting::Cursor, self.cursor.as_ref().map(|_| "given".to_owned())),
            (Setting::Leader, self.leader.map(|leader| leader.to_string())),
            (Setting::Current, self.current.map(|current| current.to_string())),
        ];
        let others = others.into_iter().filter_map(|(setting, value)| Some((setting, value?)));
        let Some((setting, value)) = given.chain(others).find(|(setting, _)| !settings.reads(*setting)) else {
            return Ok(());
        };
        let accepted = match settings.law.reads(setting) {
            true if setting == Setting::WallWeight => {
                format!("nothing: with --walls {} nobody reads it", settings.walls)
            }
            // The law itself is drawn by targets.
            true if settings.law.has_own_targets() => {
                "nothing: without --leader or --current nobody reads it".to_owned()
            }
            true => "nothing: without --leader, --current or --targets nobody reads it".to_owned(),
            false => {
                format!("nothing: {0} does not read it (`starlings presets {0}` lists what it reads)", settings.preset)
            }
        };
        Err(Failure::flag(&flag(setting), value, accepted))
    }
}

/// The name of the flag of `setting`, without its dashes.
pub fn flag(setting: Setting) -> String {
    setting.name().replace('_', "-")
}

/// The flock at that density, if its world is then one that there can be.
fn at_density(settings: &Settings, density: f32) -> Result<Settings, Failure> {
    let dense = settings.clone().with_density(density);
    let (least, most) = LENGTHS;
    if (least..=most).contains(&(2.0 * dense.world.half_size.x)) {
        return Ok(dense);
    }
    let (power, unit) = if settings.plane { (2, "square") } else { (3, "cubic") };
    let at = |edge: f32| f64::from(settings.boids) / f64::from(edge).powi(power);
    let (sparse, crowded) = (at(most), at(least));
    let accepted = format!(
        "a number from {sparse:.3e} to {crowded:.3e} for {} boids, in boids per {unit} world unit",
        settings.boids
    );
    Err(Failure::flag("density", format!("{density:e}"), accepted))
}
