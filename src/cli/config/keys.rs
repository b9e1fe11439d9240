//! The keys of a config file: one for each flag that describes a flock or its look, under the flag's name without its
//! dashes.
//!
//! Rows of [`TUNABLES`] are keys by themselves. A flag that is no plain number has a row in [`keys`]. A test walks the
//! flags of every command that reads a config file, and fails for one without a key.

use crate::cli::choices;
use crate::cli::flock::flag;
use crate::cli::look::STRETCHES;
use glam::{Vec3, Vec3Swizzles};
use starlings::flock::engine::ENGINES;
use starlings::flock::search::SEARCHES;
use starlings::flock::settings::{LENGTHS, MAX_BOIDS, TUNABLES, Tunable, Waypoint};
use starlings::flock::walls::WALLS;
use starlings::flock::{PRESETS, SPAWN_SHAPES, Setting, Settings};
use starlings::limits::MAX_TARGETS;
use starlings::render::Look;
use starlings::render::look::{BACKDROPS, COLORINGS, LONGEST_TRAIL, SHAPES};

/// What a key's value looks like in TOML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A string.
    Name,
    /// A boolean.
    Switch,
    /// An integer or a float. Whether it must come out whole is for the flag to say.
    Number,
    /// An array of numbers, which the flag takes with this between them.
    Vector(char),
    /// A number, or an array of numbers, which the flag takes with this between them.
    NumberOrVector(char),
}

/// A key.
#[derive(Clone, Debug)]
pub struct Key {
    /// The flag's name without its dashes.
    pub name: String,
    /// What it is, in one sentence without a full stop.
    pub about: &'static str,
    /// Its unit, empty for plain numbers and names.
    pub unit: &'static str,
    /// What its value looks like.
    pub kind: Kind,
    /// What is accepted, with its unit.
    pub accepted: String,
    /// The row of [`TUNABLES`], if it is one.
    pub tunable: Option<&'static Tunable>,
    value: fn(&Settings, &Look) -> Option<String>,
}

/// Flags that are no plain numbers, in the order in which they are printed: name, kind, unit if there is one, and what it is;
/// what is accepted; and its value as TOML for a flock and its look, none where the law does not read it or another key says
/// it already.
macro_rules! rows {
    ($($name:literal: $kind:expr, $(in $unit:literal,)? $about:expr; $accepted:expr; $value:expr;)*) => {
        [$(Key {
            name: $name.to_owned(),
            about: $about,
            unit: concat!($($unit)?),
            kind: $kind,
            accepted: $accepted,
            tunable: None,
            value: $value,
        }),*]
    };
}

/// Every key, in the order in which they are printed.
#[rustfmt::skip]
pub fn keys() -> impl Iterator<Item = Key> {
    use Kind::{Name, Number, NumberOrVector, Switch, Vector};
    let whole = |least: u64, most: u64| format!("a whole number from {least} to {most}");
    let rows = rows! {
        "preset": Name, "Where the settings start from; what is not in this file stays as it is there";
            choices::one_of(PRESETS.iter().map(|preset| preset.name));
            |settings, _| Some(quoted(settings.preset));
        "engine": Name, "Where the flock is stepped; it flies the same by each";
            choices::quoted(ENGINES);
            |settings, _| Some(quoted(settings.engine.name()));
        "search": Name, "How a boid finds its neighbors; the neighbors are the same";
            choices::one_of(SEARCHES.iter().map(|search| search.name));
            |settings, _| Some(quoted(settings.search.name()));
        "seed": Number, "Seed of every random choice: the same seed gives the same start";
            whole(0, u64::MAX);
            |settings, _| Some(settings.seed.to_string());
        "boids": Number, "Boids in the flock";
            whole(1, MAX_BOIDS.into());
            |settings, _| Some(settings.boids.to_string());
        "plane": Switch, "Whether the flock stays on a plane without height";
            "true or false".into();
            |settings, _| Some(settings.plane.to_string());
        "density": Number, in "boids per cubic or square world unit",
            "Boids at the start in a world that is a cube, or a square on a plane, and follows the count";
            "a number above 0, in boids per cubic world unit".into();
            |settings, _| density(settings);
        "world-size": NumberOrVector('x'), in "world units",
            "Edge of the world, a cube, or its three edges, in place of a density";
            format!("one number or three like [40, 20, 40], each from {} to {}, in world units", LENGTHS.0, LENGTHS.1);
            |settings, _| world_size(settings);
        "world-center": Vector(','), in "world units", "Middle of the world";
            place("world units");
            |settings, _| Some(vector(&settings.world.center.to_array()));
        "walls": Name, "What happens at the walls of the world";
            choices::quoted(WALLS);
            |settings, _| Some(quoted(settings.walls.name()));
        "spawn": Name, "Where boids start";
            choices::quoted(SPAWN_SHAPES);
            |settings, _| Some(quoted(settings.spawn.name()));
        "cursor": Name, Setting::Cursor.about();
            "\"X,Y,Z\", or places with times like \"0:10,0,0/5:0,0,10\"".into();
            |settings, _| cursor(settings);
        "leader": Number, Setting::Leader.about();
            whole(0, (MAX_BOIDS - 1).into());
            |settings, _| settings.leader.map(|leader| leader.to_string());
        "current": Vector(','), in "world units per second", Setting::Current.about();
            place("world units per second");
            |settings, _| (settings.current != Vec3::ZERO).then(|| vector(&settings.current.to_array()));
        "targets": Number, Setting::Targets.about();
            whole(0, MAX_TARGETS.into());
            |settings, _| settings.reads(Setting::Targets).then(|| settings.targets.to_string());
        "look": Name, "What a boid is drawn as";
            choices::quoted(SHAPES);
            |_, look| Some(quoted(look.shape.name()));
        "color": Name, "What a boid's color tells";
            choices::quoted(COLORINGS);
            |_, look| Some(quoted(look.color.name()));
        "backdrop": Name, "What is behind the flock";
            choices::quoted(BACKDROPS);
            |_, look| Some(quoted(look.backdrop.name()));
        "trail": Number, in "simulated seconds", "How far back the trail behind each boid reaches, 0 for none";
            format!("a number from 0, for none, to {LONGEST_TRAIL}, in simulated seconds");
            |_, look| Some(look.trail.to_string());
        "cell": Vector(','), "The cell that the color \"cell\" picks out; without, the one in the middle of the world";
            "three whole numbers like [4, 0, 7]: the place of a cell along each axis".into();
            // The middle moves with the count of boids, a place that is written down does not.
            |settings, look| (look.cell != Look::of(settings).cell).then(|| vector(&look.cell.to_array()));
        "stretch": Vector(','), "Stretches a boid along its right, up and back";
            format!("three numbers like [1, 1.5, 1], each from {} to {}", STRETCHES.start(), STRETCHES.end());
            |_, look| Some(vector(&look.scale.to_array()));
    };
    rows.into_iter().chain(TUNABLES.iter().map(|tunable| Key {
        name: flag(tunable.setting),
        about: tunable.setting.about(),
        unit: tunable.unit.name(),
        kind: Number,
        accepted: tunable.range(),
        tunable: Some(tunable),
        value: |_, _| None,
    }))
}

impl Key {
    /// Its value as TOML for a flock of `settings` that is drawn like `look`; none where their law does not read it, or
    /// another key says it already.
    pub fn value(&self, settings: &Settings, look: &Look) -> Option<String> {
        match self.tunable {
            None => (self.value)(settings, look),
            // The shortest decimal that gives back the same single-precision number.
            Some(tunable) => settings.reads(tunable.setting).then(|| (tunable.value)(settings).to_string()),
        }
    }
}

/// The edges of the world; none where a density says it.
fn world_size(settings: &Settings) -> Option<String> {
    let size = settings.world.half_size * 2.0;
    match density(settings) {
        Some(_) => None,
        None if settings.plane => Some(vector(&size.xz().to_array())),
        None => Some(vector(&size.to_array())),
    }
}

/// The shortest density that leads to the very world of `settings`; none if that is no cube.
fn density(settings: &Settings) -> Option<String> {
    let density = settings.density();
    (0..9)
        .filter_map(|digits| format!("{density:.digits$e}").parse::<f32>().ok())
        .find(|&short| short > 0.0 && settings.clone().with_density(short).world == settings.world)
        .map(|short| short.to_string())
}

/// The cursor's path as its flag takes it; none where it has none.
fn cursor(settings: &Settings) -> Option<String> {
    let place = |point: &Waypoint| point.position.to_array().map(|x| x.to_string()).join(",");
    match &settings.cursor[..] {
        [] => None,
        [point] if point.seconds == 0.0 => Some(quoted(&place(point))),
        path => {
            let points: Vec<String> = path.iter().map(|point| format!("{}:{}", point.seconds, place(point))).collect();
            Some(quoted(&points.join("/")))
        }
    }
}

fn place(unit: &str) -> String {
    format!("three numbers like [0, -5, 2.5], each from {} to {}, in {unit}", -LENGTHS.1, LENGTHS.1)
}

fn vector<T: ToString>(numbers: &[T]) -> String {
    format!("[{}]", numbers.iter().map(T::to_string).collect::<Vec<_>>().join(", "))
}

fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}
