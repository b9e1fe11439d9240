//! The keys of a config file: one for each flag that describes a flock or its look, under the flag's name without its
//! dashes.
//!
//! Rows of [`TUNABLES`] are keys by themselves. A flag that is no plain number has a row in [`ROWS`]. A test walks the
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

/// A key that is not a row of [`TUNABLES`].
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The flag's name without its dashes.
    name: &'static str,
    /// What it is, in one sentence without a full stop.
    about: &'static str,
    /// Its unit, empty for plain numbers and names.
    unit: &'static str,
    kind: Kind,
    /// What is accepted, with its unit.
    accepted: fn() -> String,
    /// Its value as TOML, for a flock and its look; none where the law does not read it, or another key says it
    /// already.
    value: fn(&Settings, &Look) -> Option<String>,
}

/// A key.
#[derive(Clone, Copy, Debug)]
pub enum Key {
    /// One with a row of its own here.
    Own(&'static Row),
    /// A number that the library knows.
    Tunable(&'static Tunable),
}

/// A name, but for all that makes it one of its own.
const NAME: Row = Row { name: "", about: "", unit: "", kind: Kind::Name, accepted: String::new, value: |_, _| None };

/// The same of a number.
const NUMBER: Row = Row { kind: Kind::Number, ..NAME };

/// Flags that are no plain numbers, in the order in which they are printed.
const ROWS: &[Row] = &[
    Row {
        name: "preset",
        about: "Where the settings start from; what is not in this file stays as it is there",
        accepted: || choices::one_of(PRESETS.iter().map(|preset| preset.name)),
        value: |settings, _| Some(quoted(settings.preset)),
        ..NAME
    },
    Row {
        name: "engine",
        about: "Where the flock is stepped; it flies the same by each",
        accepted: || choices::quoted(ENGINES),
        value: |settings, _| Some(quoted(settings.engine.name())),
        ..NAME
    },
    Row {
        name: "search",
        about: "How a boid finds its neighbors; the neighbors are the same",
        accepted: || choices::one_of(SEARCHES.iter().map(|search| search.name)),
        value: |settings, _| Some(quoted(settings.search.name())),
        ..NAME
    },
    Row {
        name: "seed",
        about: "Seed of every random choice: the same seed gives the same start",
        accepted: || format!("a whole number from 0 to {}", u64::MAX),
        value: |settings, _| Some(settings.seed.to_string()),
        ..NUMBER
    },
    Row {
        name: "boids",
        about: "Boids in the flock",
        accepted: || format!("a whole number from 1 to {MAX_BOIDS}"),
        value: |settings, _| Some(settings.boids.to_string()),
        ..NUMBER
    },
    Row {
        name: "plane",
        about: "Whether the flock stays on a plane without height",
        unit: "",
        kind: Kind::Switch,
        accepted: || "true or false".into(),
        value: |settings, _| Some(settings.plane.to_string()),
    },
    Row {
        name: "density",
        about: "Boids at the start in a world that is a cube, or a square on a plane, and follows the count",
        unit: "boids per cubic or square world unit",
        accepted: || "a number above 0, in boids per cubic world unit".into(),
        value: |settings, _| density(settings),
        ..NUMBER
    },
    Row {
        name: "world-size",
        about: "Edge of the world, a cube, or its three edges, in place of a density",
        unit: "world units",
        kind: Kind::NumberOrVector('x'),
        accepted: || {
            format!("one number or three like [40, 20, 40], each from {} to {}, in world units", LENGTHS.0, LENGTHS.1)
        },
        value: |settings, _| match density(settings) {
            Some(_) => None,
            None if settings.plane => Some(vector(&(settings.world.half_size * 2.0).xz().to_array())),
            None => Some(vector(&(settings.world.half_size * 2.0).to_array())),
        },
    },
    Row {
        name: "world-center",
        about: "Middle of the world",
        unit: "world units",
        kind: Kind::Vector(','),
        accepted: || place("world units"),
        value: |settings, _| Some(vector(&settings.world.center.to_array())),
    },
    Row {
        name: "walls",
        about: "What happens at the walls of the world",
        accepted: || choices::quoted(WALLS),
        value: |settings, _| Some(quoted(settings.walls.name())),
        ..NAME
    },
    Row {
        name: "spawn",
        about: "Where boids start",
        accepted: || choices::quoted(SPAWN_SHAPES),
        value: |settings, _| Some(quoted(settings.spawn.name())),
        ..NAME
    },
    Row {
        name: "cursor",
        about: Setting::Cursor.about(),
        accepted: || "\"X,Y,Z\", or places with times like \"0:10,0,0/5:0,0,10\"".into(),
        value: |settings, _| cursor(settings),
        ..NAME
    },
    Row {
        name: "leader",
        about: Setting::Leader.about(),
        accepted: || format!("a whole number from 0 to {}", MAX_BOIDS - 1),
        value: |settings, _| settings.leader.map(|leader| leader.to_string()),
        ..NUMBER
    },
    Row {
        name: "current",
        about: Setting::Current.about(),
        unit: "world units per second",
        kind: Kind::Vector(','),
        accepted: || place("world units per second"),
        value: |settings, _| (settings.current != Vec3::ZERO).then(|| vector(&settings.current.to_array())),
    },
    Row {
        name: "targets",
        about: Setting::Targets.about(),
        accepted: || format!("a whole number from 0 to {MAX_TARGETS}"),
        value: |settings, _| settings.reads(Setting::Targets).then(|| settings.targets.to_string()),
        ..NUMBER
    },
    Row {
        name: "look",
        about: "What a boid is drawn as",
        accepted: || choices::quoted(SHAPES),
        value: |_, look| Some(quoted(look.shape.name())),
        ..NAME
    },
    Row {
        name: "color",
        about: "What a boid's color tells",
        accepted: || choices::quoted(COLORINGS),
        value: |_, look| Some(quoted(look.color.name())),
        ..NAME
    },
    Row {
        name: "backdrop",
        about: "What is behind the flock",
        accepted: || choices::quoted(BACKDROPS),
        value: |_, look| Some(quoted(look.backdrop.name())),
        ..NAME
    },
    Row {
        name: "trail",
        about: "How far back the trail behind each boid reaches, 0 for none",
        unit: "simulated seconds",
        accepted: || format!("a number from 0, for none, to {LONGEST_TRAIL}, in simulated seconds"),
        value: |_, look| Some(look.trail.to_string()),
        ..NUMBER
    },
    Row {
        name: "cell",
        about: "The cell that the color \"cell\" picks out; without, the one in the middle of the world",
        unit: "",
        kind: Kind::Vector(','),
        accepted: || "three whole numbers like [4, 0, 7]: the place of a cell along each axis".into(),
        // The middle moves with the count of boids, a place that is written down does not.
        value: |settings, look| (look.cell != Look::of(settings).cell).then(|| vector(&look.cell.to_array())),
    },
    Row {
        name: "stretch",
        about: "Stretches a boid along its right, up and back",
        unit: "",
        kind: Kind::Vector(','),
        accepted: || format!("three numbers like [1, 1.5, 1], each from {} to {}", STRETCHES.start(), STRETCHES.end()),
        value: |_, look| Some(vector(&look.scale.to_array())),
    },
];

/// Every key, in the order in which they are printed.
pub fn keys() -> impl Iterator<Item = Key> {
    ROWS.iter().map(Key::Own).chain(TUNABLES.iter().map(Key::Tunable))
}

/// The key of that name.
pub fn named(name: &str) -> Option<Key> {
    keys().find(|key| key.name() == name)
}

impl Key {
    /// The flag's name without its dashes.
    pub fn name(&self) -> String {
        match self {
            Key::Own(row) => row.name.to_owned(),
            Key::Tunable(tunable) => flag(tunable.setting),
        }
    }

    /// What it is, in one sentence without a full stop.
    pub fn about(&self) -> &'static str {
        match self {
            Key::Own(row) => row.about,
            Key::Tunable(tunable) => tunable.setting.about(),
        }
    }

    /// Its unit, empty for plain numbers and names.
    pub fn unit(&self) -> &'static str {
        match self {
            Key::Own(row) => row.unit,
            Key::Tunable(tunable) => tunable.unit.name(),
        }
    }

    /// What its value looks like.
    pub fn kind(&self) -> Kind {
        match self {
            Key::Own(row) => row.kind,
            Key::Tunable(_) => Kind::Number,
        }
    }

    /// What is accepted, with its unit.
    pub fn accepted(&self) -> String {
        match self {
            Key::Own(row) => (row.accepted)(),
            Key::Tunable(tunable) => tunable.range(),
        }
    }

    /// Its value as TOML for a flock of `settings` that is drawn like `look`; none where their law does not read it, or
    /// another key says it already.
    pub fn value(&self, settings: &Settings, look: &Look) -> Option<String> {
        match self {
            Key::Own(row) => (row.value)(settings, look),
            // The shortest decimal that gives back the same single-precision number.
            Key::Tunable(tunable) => settings.reads(tunable.setting).then(|| (tunable.value)(settings).to_string()),
        }
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
