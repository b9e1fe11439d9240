//! The options that describe a flock, shared by all commands that run one.

use super::failure::Failure;
use super::flags::{EDGES, Given, OF_FLOCK, flag};
use super::weights;
use clap::Args;
use glam::Vec3;
use starlings::flock::influences::WEIGHTED;
use starlings::flock::law::Radii;
use starlings::flock::settings::{LENGTHS, MAX_BOIDS, TUNABLES, Tunable};
use starlings::flock::{EngineKind, Search, Setting, Settings, SpawnShape, States, Walls};
use std::path::PathBuf;

/// A flock.
#[derive(Args, Debug)]
#[command(next_help_heading = "Flock")]
pub struct FlockArgs {
    /// Read settings from this file, in the format that `starlings config` prints; flags override it [default: none]
    #[arg(long, value_name = "FILE.toml")]
    pub config: Option<PathBuf>,
    /// Read from this file how much targets, leader and current influence each boid: a factor from 0 on for each, in lines `id,weight` or in
    /// an array `weight`; instead of `--heed` [default: none]
    #[arg(long, value_name = "FILE.csv|FILE.npz", help_heading = "Rules")]
    pub weights: Option<PathBuf>,
    #[command(flatten)]
    pub given: Given<OF_FLOCK>,
}

impl FlockArgs {
    /// `settings`, changed by these flags, with `boids` boids if given, limited to the most that a flock can have.
    pub fn change(&self, mut settings: Settings, boids: Option<u64>) -> Result<Settings, Failure> {
        let given = &self.given;
        if let Some(engine) = given.choice("engine", EngineKind::named)? {
            if engine != settings.engine {
                // Engines differ in their searches: the engine's default, unless one is requested.
                settings.search = engine.searches()[0];
            }
            settings.engine = engine;
        }
        settings.search = given.choice("search", Search::named)?.unwrap_or(settings.search);
        settings.engine.check(settings.search)?;
        settings.walls = given.choice("walls", Walls::named)?.unwrap_or(settings.walls);
        settings.spawn = given.choice("spawn", SpawnShape::named)?.unwrap_or(settings.spawn);
        if let Some(plane) = given.get("plane") {
            settings = settings.with_plane(plane);
        }
        settings.leader = given.get("leader").or(settings.leader);
        settings.current = given.get("current").unwrap_or(settings.current);
        settings.targets = given.get("targets").unwrap_or(settings.targets);
        settings.points = given.get("points").unwrap_or(settings.points);
        settings.obstacles = given.get("obstacle").unwrap_or(settings.obstacles);
        settings.read_meshes()?;
        settings.states = given.choice("states", States::named)?.unwrap_or(settings.states);
        self.check_read(&settings)?;
        if let Some(boids) = boids {
            // A count beyond what any flock can have is refused by `Asked::check`, once the device is known.
            let boids = u32::try_from(boids).unwrap_or(MAX_BOIDS).min(MAX_BOIDS);
            if boids != settings.boids {
                settings = settings.with_boids(boids);
            }
        }
        if let Some(density) = given.get("density") {
            settings = at_density(&settings, density)?;
        }
        if let Some(edges) = given.get::<Vec<f32>>("world-size") {
            let size = match (&edges[..], settings.plane) {
                ([edge], false) => Vec3::splat(*edge),
                ([edge], true) => Vec3::new(*edge, 0.0, *edge),
                ([x, y, z], false) => Vec3::new(*x, *y, *z),
                ([x, z], true) => Vec3::new(*x, 0.0, *z),
                _ => return Err(wrong_edges(&edges, settings.plane)),
            };
            settings = settings.with_world_size(size.max_element());
            settings.world.half_size = size * 0.5;
        }
        settings.world.center = given.get("world-center").unwrap_or(settings.world.center);
        settings.cursor = given.get("cursor").unwrap_or(settings.cursor);
        settings.seed = given.get("seed").unwrap_or(settings.seed);
        self.change_tunables(&mut settings)?;
        self.change_weights(&mut settings)?;
        settings.validate()?;
        Ok(settings)
    }

    /// The settings given that are one number each.
    fn tunables(&self) -> impl Iterator<Item = (&'static Tunable, f32)> {
        TUNABLES.iter().filter_map(|tunable| Some((tunable, self.given.get(&flag(tunable.setting))?)))
    }

    fn change_tunables(&self, settings: &mut Settings) -> Result<(), Failure> {
        // Before one radius becomes three, so that the message names the one that was given.
        self.tunables().try_for_each(|(tunable, value)| tunable.check_value(value))?;
        // A radius that rules share is given once.
        let given =
            |radii: &[Setting]| self.tunables().find(|(tunable, _)| radii.contains(&tunable.setting)).map(|row| row.1);
        let shared = [Setting::AlignmentRadius, Setting::CohesionRadius, Setting::SeparationRadius];
        match settings.law.info().radii {
            Radii::One => *settings = settings.clone().with_radius(given(&shared).unwrap_or(settings.search_radius())),
            Radii::Two => {
                let radius = given(&shared[..2]).unwrap_or(settings.rules.alignment_radius);
                (settings.rules.alignment_radius, settings.rules.cohesion_radius) = (radius, radius);
            }
            Radii::Three => {}
        }
        for (tunable, value) in self.tunables() {
            *(tunable.field)(settings) = value;
        }
        Ok(())
    }

    fn change_weights(&self, settings: &mut Settings) -> Result<(), Failure> {
        let Some(path) = &self.weights else { return Ok(()) };
        let refused = |accepted| Err(Failure::flag("weights", format!("'{}'", path.display()), accepted));
        if self.given.has("heed") {
            return refused("nothing: --heed says which boids are influenced");
        }
        if settings.influences() & WEIGHTED == 0 {
            return refused("nothing: it has no effect without --leader, --current or --targets");
        }
        settings.weights = Some(weights::read(path, settings.boids)?);
        Ok(())
    }

    /// Refuses a setting that would have no effect.
    fn check_read(&self, settings: &Settings) -> Result<(), Failure> {
        let tunables = self.tunables().map(|(tunable, value)| (tunable.setting, value.to_string()));
        let count = |name| self.given.get(name).map(|count: u32| count.to_string());
        let others = [
            (Setting::Targets, count("targets")),
            (Setting::Cursor, self.given.has("cursor").then(|| "given".to_owned())),
            (Setting::Leader, count("leader")),
            (Setting::Current, self.given.get("current").map(|current: Vec3| current.to_string())),
        ];
        let others = others.into_iter().filter_map(|(setting, value)| Some((setting, value?)));
        let Some((setting, value)) = tunables.chain(others).find(|(setting, _)| !settings.reads(*setting)) else {
            return Ok(());
        };
        let accepted = match settings.law.reads(setting) {
            true if setting == Setting::WallWeight => {
                format!("nothing: it has no effect with --walls {}", settings.walls)
            }
            true if matches!(setting, Setting::ObstacleDistance | Setting::ObstacleWeight) => {
                "nothing: it has no effect without --obstacle".to_owned()
            }
            true if setting == Setting::MaxForce => {
                let targets = if settings.law.has_own_targets() { "" } else { ", --targets" };
                format!("nothing: it has no effect without --leader, --current{targets} or --obstacle")
            }
            // This law has its own targets.
            true if settings.law.has_own_targets() => {
                "nothing: it has no effect without --leader or --current".to_owned()
            }
            true => "nothing: it has no effect without --leader, --current or --targets".to_owned(),
            false => {
                format!("nothing: {0} does not read it (`starlings presets {0}` lists what it reads)", settings.preset)
            }
        };
        Err(Failure::flag(&flag(setting), value, accepted))
    }
}

/// The error for a wrong number of edges.
fn wrong_edges(edges: &[f32], plane: bool) -> Failure {
    let value: Vec<String> = edges.iter().map(f32::to_string).collect();
    let accepted = if plane { "one edge, or two like 40x20: a plane has no height" } else { EDGES };
    Failure::flag("world-size", format!("'{}'", value.join("x")), accepted)
}

/// The flock at that density, if its world's size is then accepted.
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
