//! The options that describe a flock, shared by all commands that run one.

use super::flags::{EDGES, FlagValues, OF_FLOCK, OnPaths, flag};
use super::weights;
use crate::{Error, Result};
use clap::Args;
use glam::Vec3;
use starlings::flock::influences::WEIGHTED;
use starlings::flock::kinds::Speeds;
use starlings::flock::law::Radii;
use starlings::flock::settings::{LENGTHS, MAX_BOIDS, TUNABLES, Tunable};
use starlings::flock::{EngineKind, Law, NoiseForm, Search, Setting, Settings, SpawnShape, States, Walls};
use std::path::PathBuf;

/// A flock.
#[derive(Args, Debug)]
#[command(next_help_heading = "Flock")]
pub struct FlockArgs {
    /// Read settings from this file, in the format that `starlings config` prints; flags override it [default: none]
    #[arg(long, value_name = "FILE.toml")]
    pub config: Option<PathBuf>,
    /// Read from this file how much leader, current and targets (but those of the law heading) influence each boid: a
    /// factor from 0 on for each, in lines `id,weight` or in an array `weight`; instead of `--heed`. A third column, or
    /// an array, `speed` has factors of the boids' speeds [default: none]
    #[arg(long, value_name = "FILE.csv|FILE.npz", help_heading = "Rules")]
    pub weights: Option<PathBuf>,
    #[command(flatten)]
    pub values: FlagValues<OF_FLOCK>,
}

impl FlockArgs {
    /// `settings`, changed by these flags, with `boids` boids if given, limited to the most that a flock can have.
    pub fn change(&self, mut settings: Settings, boids: Option<u64>) -> Result<Settings> {
        let values = &self.values;
        if let Some(engine) = values.choice("engine", EngineKind::named)? {
            if engine != settings.engine {
                // Engines differ in their searches: the engine's default, unless one is requested.
                settings.search = engine.searches()[0];
            }
            settings.engine = engine;
        }
        settings.search = values.choice("search", Search::named)?.unwrap_or(settings.search);
        settings.engine.check(settings.search)?;
        settings.walls = values.choice("walls", Walls::named)?.unwrap_or(settings.walls);
        settings.spawn = values.choice("spawn", SpawnShape::named)?.unwrap_or(settings.spawn);
        if let Some(plane) = values.get("plane") {
            settings = settings.with_plane(plane);
        }
        settings.leader = values.get("leader").or(settings.leader);
        settings.current = values.get("current").unwrap_or(settings.current);
        settings.targets = values.get("targets").unwrap_or(settings.targets);
        settings.predator = values.get("predator").unwrap_or(settings.predator);
        if let Some(points) = values.get::<OnPaths<_>>("points") {
            (settings.points, settings.paths.points) = points;
        }
        if let Some(obstacles) = values.get::<OnPaths<_>>("obstacle") {
            (settings.obstacles, settings.paths.obstacles) = obstacles;
        }
        settings.read_meshes()?;
        settings.states = values.choice("states", States::named)?.unwrap_or(settings.states);
        settings.nearest = values.get("nearest").unwrap_or(settings.nearest);
        settings.kinds = values.get("kinds").unwrap_or(settings.kinds);
        settings.feelings = values.get("feelings").unwrap_or(settings.feelings);
        settings.noise_form = values.choice("noise-form", NoiseForm::named)?.unwrap_or(settings.noise_form);
        self.check_read(&settings)?;
        if let Some(boids) = boids {
            // A count beyond what any flock can have is refused by `Request::check`, once the device is known.
            let boids = u32::try_from(boids).unwrap_or(MAX_BOIDS).min(MAX_BOIDS);
            if boids != settings.boids {
                settings = settings.with_boids(boids);
            }
        }
        if let Some(density) = values.get("density") {
            settings = at_density(&settings, density)?;
        }
        if let Some(edges) = values.get::<Vec<f32>>("world-size") {
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
        settings.world.center = values.get("world-center").unwrap_or(settings.world.center);
        settings.cursor = values.get("cursor").unwrap_or(settings.cursor);
        settings.seed = values.get("seed").unwrap_or(settings.seed);
        self.change_tunables(&mut settings)?;
        self.note_zones(&settings);
        if values.has("noise-form") && !settings.reads_noise_form() {
            let accepted = "nothing: it has no effect without --noise";
            return Err(Error::flag("noise-form", settings.noise_form.name(), accepted));
        }
        self.change_weights(&mut settings)?;
        settings.validate()?;
        Ok(settings)
    }

    /// The settings given that are one number each.
    fn tunables(&self) -> impl Iterator<Item = (&'static Tunable, f32)> {
        TUNABLES.iter().filter_map(|tunable| Some((tunable, self.values.get(&flag(tunable.setting))?)))
    }

    fn change_tunables(&self, settings: &mut Settings) -> Result<()> {
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

    fn change_weights(&self, settings: &mut Settings) -> Result<()> {
        let Some(path) = &self.weights else { return Ok(()) };
        let refused = |accepted| Err(Error::flag("weights", format!("'{}'", path.display()), accepted));
        if self.values.has("heed") {
            return refused("nothing: --heed says which boids are influenced");
        }
        let read = weights::read(path, settings.boids)?;
        if read.speeds.is_none() && settings.influences() & WEIGHTED == 0 {
            return refused("nothing: it has no effect without --leader, --current or --targets");
        }
        settings.weights = read.weights.map(Into::into);
        settings.speeds = read.speeds.map(|speeds| Speeds::new(speeds.into()));
        Ok(())
    }

    /// Refuses what is said of targets where there are none.
    pub fn check_targets(&self, settings: &Settings) -> Result<()> {
        match self.tunables().find(|(tunable, _)| is_of_targets(tunable.setting) && settings.targets == 0) {
            None => Ok(()),
            Some((tunable, value)) => {
                Err(Error::flag(&flag(tunable.setting), value, "nothing: it has no effect without --targets"))
            }
        }
    }

    /// Refuses a setting that would have no effect.
    fn check_read(&self, settings: &Settings) -> Result<()> {
        let tunables = self.tunables().map(|(tunable, value)| (tunable.setting, value.to_string()));
        let count = |name| self.values.get(name).map(|count: u32| count.to_string());
        let others = [
            (Setting::Targets, count("targets")),
            (Setting::Cursor, self.values.has("cursor").then(|| "given".to_owned())),
            (Setting::Leader, count("leader")),
            (Setting::Current, self.values.get("current").map(|current: Vec3| current.to_string())),
        ];
        let others = others.into_iter().filter_map(|(setting, value)| Some((setting, value?)));
        // Files of earlier versions have these, also without targets.
        let is_read =
            |setting| settings.reads(setting) || is_of_targets(setting) && settings.law.reads(Setting::Targets);
        let Some((setting, value)) = tunables.chain(others).find(|(setting, _)| !is_read(*setting)) else {
            return Ok(());
        };
        let accepted = match settings.law.reads(setting) {
            true if setting == Setting::MinSpeed => {
                format!("nothing: it has no effect, because {} has a constant speed", settings.preset)
            }
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
                format!("nothing: {0} does not read it (`starlings config {0}` prints what it reads)", settings.preset)
            }
        };
        Err(Error::flag(&flag(setting), value, accepted))
    }

    /// Says that boids of [`Law::Zones`] are not attracted, where that was asked for. No error: a slider may lead
    /// there, and what is saved then is opened again.
    fn note_zones(&self, settings: &Settings) {
        let (rules, weight) = (&settings.rules, self.values.get::<f32>("cohesion-weight").unwrap_or(0.0));
        if settings.law == Law::Zones && weight > 0.0 && rules.cohesion_radius <= rules.alignment_radius {
            tracing::warn!(
                "--cohesion-weight {weight} has no effect: this law attracts from --alignment-radius ({}) to \
                 --cohesion-radius ({})",
                rules.alignment_radius,
                rules.cohesion_radius
            );
        }
    }
}

/// Whether `setting` has an effect on targets only.
fn is_of_targets(setting: Setting) -> bool {
    matches!(setting, Setting::TargetWeight | Setting::TargetPeriod | Setting::TargetRadius)
}

fn wrong_edges(edges: &[f32], plane: bool) -> Error {
    let value: Vec<String> = edges.iter().map(f32::to_string).collect();
    let accepted = if plane { "one edge, or two like 40x20: a plane has no height" } else { EDGES };
    Error::flag("world-size", format!("'{}'", value.join("x")), accepted)
}

/// The flock at that density, if its world's size is then accepted.
fn at_density(settings: &Settings, density: f32) -> Result<Settings> {
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
    Err(Error::flag("density", format!("{density:e}"), accepted))
}
