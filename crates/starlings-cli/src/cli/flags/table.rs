//! The table of the flags that describe a flock and what it is drawn like.
//!
//! Each row of [`TUNABLES`] is a flag; every other flag has a row here. A test fails if one is missing.

use super::help::{default, defaults, tunable_help, value_name};
use super::values::{
    SEEN, boids, cell, color_range, cursor, degrees, density, eye, feelings, kinds, look_at, model, obstacles, points,
    predator, seconds, stretch, switch, world_size,
};
use super::{CAMERA, FLOCK, Flag, Kind, LOOK, RULES, flag, values};
use crate::cli::choices::{self, explained, listed, one_of};
use crate::cli::numbers::{Accepted, count, grouped, real, short};
use clap::builder::ValueParser;
use glam::{Vec3, Vec3Swizzles};
use starlings::flock::engine::ENGINES;
use starlings::flock::kinds::{FEELING_FORM, KIND_FORM};
use starlings::flock::layout::Point;
use starlings::flock::manners::NOISE_FORMS;
use starlings::flock::named::Named;
use starlings::flock::obstacles::{FORMS, Obstacle};
use starlings::flock::search::SEARCHES;
use starlings::flock::settings::{LENGTHS, MAX_BOIDS, TUNABLES, Tunable, Waypoint, in_unit};
use starlings::flock::states::STATES;
use starlings::flock::walls::WALLS;
use starlings::flock::{PRESETS, SPAWN_SHAPES, Setting, Settings};
use starlings::limits::{MAX_KINDS, MAX_NEAREST, MAX_OBSTACLES, MAX_POINTS, MAX_TARGETS};
use starlings::render::Look;
use starlings::render::camera::FIELDS_OF_VIEW;
use starlings::render::look::{BACKDROPS, COLOR_ENDS, COLORINGS, LONGEST_TRAIL, SHAPES, STRETCHES};
use std::sync::LazyLock;

/// A row of [`FLAGS`]: name, value name, heading, kind and parser; meaning, with its unit if any; the help, or what the
/// help appends to the meaning; what a file accepts; and the value for a flock and its look.
macro_rules! row {
    ($name:expr, $value_name:expr, $heading:expr, $kind:expr, $parser:expr;
     $about:expr $(, in $unit:expr)? $(=> $help:expr)? $(, and $more:expr)?; $accepted:expr; $value:expr) => {{
        let (about, unit): (&str, &str) = ($about, [$($unit, )? ""][0]);
        Flag {
            name: $name.to_owned(),
            value_name: $value_name,
            about: about.to_owned(),
            help: [$($help.to_owned(),)? $(format!("{about}{}{}", in_unit(unit), $more))?].concat(),
            unit,
            kind: $kind,
            accepted: $accepted,
            parser: ValueParser::from($parser),
            value: Box::new($value),
            heading: $heading,
        }
    }};
}

/// Every flag, in the order of the help, where the count of boids goes first.
#[rustfmt::skip]
pub static FLAGS: LazyLock<Vec<Flag>> = LazyLock::new(|| {
    use Kind::{Name, Number, NumberOrVector, Switch, Vector};
    let presets = || PRESETS.iter().map(|preset| preset.name);
    let searches = || SEARCHES.iter().map(|search| search.name);
    let whole = |least: u64, most: u64| format!("a whole number from {least} to {most}");
    let mut flags = vec![
        row! { "preset", "NAME", FLOCK, Name, ValueParser::string();
            "Preset that the settings start from; keys missing in this file keep its values"
            => format!("Preset that the settings start from: {}; `starlings config NAME` prints its settings \
                [default: {}]",
                listed(presets()), PRESETS[0].name);
            one_of(presets());
            |settings, _, _| Some(quoted(settings.preset)) },
        choice("engine", ["Where the flock is stepped", "; results differ by rounding"],
            [explained(ENGINES), choices::quoted(ENGINES)], |settings| settings.engine.name()),
        choice("search", ["How a boid finds its neighbors", "; all find the same neighbors"],
            [listed(searches()), one_of(searches())], |settings| settings.search.name()),
        row! { "seed", "NUMBER", FLOCK, Number, count(0, u64::MAX);
            "Seed of every random choice: the same seed gives the same start", and " [default: 1]";
            whole(0, u64::MAX);
            |settings, _, _| Some(settings.seed.to_string()) },
        row! { "boids", "COUNT", FLOCK, Number, boids;
            "Boids in the flock", and format!(": 200000, 200_000, 200k or 2e5 \
                {}", default(|s| grouped(s.boids.into())));
            whole(1, MAX_BOIDS.into());
            |settings, _, _| Some(settings.boids.to_string()) },
        row! { "density", "NUMBER", FLOCK, Number, density;
            "Boids by the size of the cubic world, or square on a plane, which follows the count",
                in "boids per cubic or square world unit"
            => format!("Boids per cubic unit of the world, or square unit of a plane, whose size follows the count; a \
                flock that starts as a cloud is some ten times denser around a boid {}",
                default(|settings| short(settings.density())));
            "a number above 0, in boids per cubic world unit".into();
            |settings, _, _| cube_density(settings) },
        row! { "plane", "BOOL", FLOCK, Switch, switch;
            "Whether the flock stays on a plane without height"
            => "Keep the flock on the plane y = 0, of x and z: every law in two dimensions [default: false]";
            "true or false".into();
            |settings, _, _| Some(settings.plane.to_string()) },
        row! { "world-size", "EDGE|XxYxZ", FLOCK, NumberOrVector('x'), world_size;
            "Edge of the world, a cube, or its three edges, instead of a density", in "world units"
            => "Edge of the world, a cube, or its three edges like 40x20x40 (two on a plane), in world units [default: \
                as the density requires]";
            format!("one number or three like [40, 20, 40], each from {} to {}, in world units", LENGTHS.0, LENGTHS.1);
            |settings, _, _| edges(settings) },
        row! { "world-center", "X,Y,Z", FLOCK, Vector(','), values::place;
            "Center of the world", in "world units", and " [default: 0,0,0]";
            places("world units");
            |settings, _, _| Some(array(&settings.world.center.to_array())) },
        choice("walls", ["What happens at the walls of the world", ""],
            [explained(WALLS), choices::quoted(WALLS)], |settings| settings.walls.name()),
        choice("spawn", ["Where boids start", ""],
            [explained(SPAWN_SHAPES), choices::quoted(SPAWN_SHAPES)], |settings| settings.spawn.name()),
        row! { "cursor", "X,Y,Z|T:X,Y,Z/...", FLOCK, Name, cursor;
            Setting::Cursor.about()
            => "Position of the cursor, or its path like 0:10,0,0/5:0,0,10: positions with times in seconds, repeated \
                after the last; in a window the mouse controls it [default: a circle around the center of the world]";
            "\"X,Y,Z\", or places with times like \"0:10,0,0/5:0,0,10\"".into();
            |settings, _, _| (!settings.cursor.is_empty()).then(|| quoted(&path(&settings.cursor))) },
        row! { "predator", "X,Y,Z|T:X,Y,Z/...", FLOCK, Name, predator;
            "Position of a predator that boids flee from, or its path with a time in seconds for each place"
            => "Position of a predator that boids flee from, or its path like that of the cursor; P in a window drops \
                one, which hunts [default: none]";
            "\"none\", \"X,Y,Z\", or places with times like \"0:10,0,0/5:0,0,10\"".into();
            |settings, _, _| Some(quoted(&path(&settings.predator))) },
        row! { "leader", "NUMBER", FLOCK, Number, count(0, MAX_BOIDS - 1);
            Setting::Leader.about(), and ", from 0 on [default: none]";
            whole(0, (MAX_BOIDS - 1).into());
            |settings, _, _| settings.leader.map(|leader| leader.to_string()) },
        row! { "points", "X,Y,Z,REACH,STRENGTH/...", FLOCK, Name, points;
            Setting::Points.about()
            => format!("Points that attract the boids within their reach, with this strength at the point and none at \
                the reach, in world units per second squared; below 0 they repel. Behind a point, @T:X,Y,Z is where it \
                is after T seconds, which it flies to straight; after the last it begins again. At most {MAX_POINTS} \
                [default: none]");
            "\"none\", or \"X,Y,Z,REACH,STRENGTH\" for each point, with / between points, and @T:X,Y,Z behind one for \
                a later place".into();
            |settings, _, _| Some(points_of(settings)) },
        row! { "obstacle", "SHAPE:NUMBERS/...", FLOCK, Name, obstacles;
            Setting::Obstacles.about()
            => format!("Solid obstacles, which boids fly around and never end a step inside: {FORMS}. With / between \
                obstacles, at most {MAX_OBSTACLES}. Behind one, @T:X,Y,Z is where its middle is after T seconds, as \
                for points [default: none]");
            "\"none\", or \"SHAPE:NUMBERS\" for each obstacle, with / between obstacles, and @T:X,Y,Z behind one for a \
                later place of its middle".into();
            |settings, _, _| Some(obstacles_of(settings)) },
        row! { "kinds", "NAME:SHARE[,...]/...", FLOCK, Name, kinds;
            "Kinds of boids in the flock, each with its share"
            => format!("Kinds of boids in the flock, each with its share of it: {KIND_FORM}. Factors are for speeds \
                and sizes; a hunter chases the nearest prey within its sight, and is feared within its reach. With / \
                between kinds, at most {MAX_KINDS} [default: none]");
            format!("\"none\", or \"{KIND_FORM}\" for each kind, with / between kinds");
            |settings, _, _| Some(joined(&settings.kinds)) },
        row! { "feelings", "NAME:NAME:S,A,C/...", FLOCK, Name, feelings;
            "What boids of the first kind feel for those of the second: weights of separation, alignment and cohesion"
            => "What boids of the first kind feel for those of the second: weights of separation, alignment and \
                cohesion, below 0 to turn a rule around; with / between pairs [default: 1,1,1 for each pair]";
            format!("\"none\", or \"{FEELING_FORM}\" for each pair of kinds, with / between pairs");
            |settings, _, _| (!settings.kinds.is_empty()).then(|| joined(&settings.feelings)) },
        choice("states", ["Whether each boid has a state, which shows in how it moves wings or tail", "; birds perch \
            on `--obstacle`"],
            [explained(STATES), choices::quoted(STATES)], |settings| settings.states.name()),
        row! { "nearest", "COUNT", FLOCK, Number, count(0, MAX_NEAREST);
            Setting::Nearest.about(), and format!(", at most {MAX_NEAREST} [default: 0]");
            whole(0, MAX_NEAREST.into());
            |settings, _, _| Some(settings.nearest.to_string()) },
        row! { "noise-form", "NAME", FLOCK, Name, ValueParser::string();
            "What the noise in a boid's direction does"
            => format!("What `--noise` does to a boid's direction: {} {}", explained(NOISE_FORMS),
                default(|settings| settings.noise_form.name().to_owned()));
            choices::quoted(NOISE_FORMS);
            |settings, _, _| settings.reads_noise_form().then(|| quoted(settings.noise_form.name())) },
        row! { "current", "X,Y,Z", FLOCK, Vector(','), values::place;
            Setting::Current.about(), in "world units per second", and " [default: 0,0,0]";
            places("world units per second");
            |settings, _, _| (settings.current != Vec3::ZERO).then(|| array(&settings.current.to_array())) },
        row! { "targets", "COUNT", FLOCK, Number, count(0, MAX_TARGETS);
            Setting::Targets.about(),
            and format!(", up to {MAX_TARGETS} {}", defaults(Some(Setting::Targets), |s| s.targets.to_string()));
            whole(0, MAX_TARGETS.into());
            |settings, _, _| settings.reads(Setting::Targets).then(|| settings.targets.to_string()) },
        look("look", "SHAPE", "Shape of a boid", SHAPES, |look| look.shape.name()),
        row! { "mesh", "FILE", LOOK, Name, model;
            "File of a model that boids are drawn as, made by `starlings bake`"
            => "Draw boids as the model in this file, made by `starlings bake`, instead of a shape [default: none]";
            "\"none\", or a file made by `starlings bake`".into();
            |_, look, _| Some(quoted(&look.model.as_ref().map_or("none".into(), |model| escaped(model.file())))) },
        Flag {
            about: "What a boid's color shows".into(),
            ..look("color", "COLORING", "What its color shows", COLORINGS, |look| look.color.name())
        },
        row! { "color-range", "LOW,HIGH|auto", LOOK, Name, color_range;
            "Values of the first color and the last, for the colors \"speed\" and \"neighbors\"; \"auto\" fits them \
                to the flock",
                in "world units per second, or neighbors"
            => "Values of the first color and the last, for `--color speed` in world units per second and for \
                `--color neighbors`; auto fits them to the flock's 5th and 95th percentile [default: auto]";
            format!("\"auto\", or \"LOW,HIGH\": {COLOR_ENDS}");
            |_, look, _| Some(quoted(&look.color_range.map_or("auto".into(), |[low, high]| format!("{low},{high}")))) },
        look("backdrop", "PLACE", "What is behind the flock", BACKDROPS, |look| look.backdrop.name()),
        row! { "trail", "SECONDS", LOOK, Number, seconds;
            "Length of the trail behind each boid, 0 for none", in "simulated seconds"
            => format!("Draw a trail of this many simulated seconds behind each boid, 0 for none {BY_AUTHOR}");
            format!("a number from 0, for none, to {LONGEST_TRAIL}, in simulated seconds");
            |_, look, _| Some(look.trail.to_string()) },
        row! { "show-targets", "BOOL", LOOK, Switch, switch;
            "Whether targets are drawn"
            => "Draw targets, as spheres [default: false]";
            "true or false".into();
            |_, look, _| Some(look.targets.to_string()) },
        row! { "cell", "X,Y,Z", LOOK, Vector(','), cell;
            "The cell that the color \"cell\" highlights; if absent, the one in the middle of the world"
            => "The cell that `--color cell` highlights, counted from 0,0,0 at the world's lower corner: cells are as \
                wide as the search radius [default: the one in the middle]";
            "three whole numbers like [4, 0, 7]: the place of a cell along each axis".into();
            // The middle cell changes with the count of boids; a given cell does not.
            |settings, look, _| (look.cell != Look::of(settings).cell).then(|| array(&look.cell.to_array())) },
        row! { "stretch", "X,Y,Z", LOOK, Vector(','), stretch;
            "Stretch of a boid along its right, up and back axes"
            => "Stretch a boid along its right, up and back [default: 1,1,1]";
            format!("three numbers like [1, 1.5, 1], each from {} to {}", STRETCHES.start(), STRETCHES.end());
            |_, look, _| Some(array(&look.scale.to_array())) },
        row! { "eye", "X,Y,Z", CAMERA, Vector(','), eye;
            "Place of the eye; if absent, as the preset's camera has it", in "world units"
            => "Place of the eye, in world units [default: so that the whole flock is seen]";
            seen_places();
            |_, _, viewpoint| viewpoint.eye.map(|eye| array(&eye.to_array())) },
        row! { "look-at", "X,Y,Z", CAMERA, Vector(','), look_at;
            "Place in the middle of the picture; if absent, as the preset's camera has it", in "world units"
            => "Place in the middle of the picture, in world units [default: the center of the world]";
            seen_places();
            |_, _, viewpoint| viewpoint.look_at.map(|place| array(&place.to_array())) },
        row! { "fov", "DEGREES", CAMERA, Number, degrees;
            "Angle from the bottom to the top of the picture; if absent, as the preset's camera has it", in "degrees"
            => "Angle from the bottom to the top of the picture, in degrees [default: 43]";
            format!("a number from {} to {}, in degrees", FIELDS_OF_VIEW.0, FIELDS_OF_VIEW.1);
            |_, _, viewpoint| viewpoint.fov.map(|fov| fov.to_string()) },
    ];
    flags.extend(TUNABLES.iter().map(number));
    flags
});

/// Every flag, in the order of a config file: the plane precedes the density, whose unit it changes.
pub fn keys() -> Vec<&'static Flag> {
    let mut keys: Vec<_> = FLAGS.iter().collect();
    if let Some(density) = keys.iter().position(|key| key.name == "density") {
        keys.swap(density, density + 1);
    }
    keys
}

const BY_AUTHOR: &str = "[default: as the preset's author drew it, but counting-sort as starlings at dusk]";

/// A flag of a flock that takes a name: its meaning before and after the listed names; the names for the help and a
/// file.
fn choice(
    name: &str,
    [what, more]: [&str; 2],
    [listed, accepted]: [String; 2],
    value: fn(&Settings) -> &'static str,
) -> Flag {
    row! { name, "NAME", FLOCK, Kind::Name, ValueParser::string();
    &format!("{what}{more}") => format!("{what}: {listed}{more} {}", default(|settings| value(settings).to_owned()));
    accepted; move |settings, _, _| Some(quoted(value(settings))) }
}

/// A flag of the look that takes a name.
fn look<T>(
    name: &str,
    value_name: &'static str,
    about: &str,
    rows: &[Named<T>],
    value: fn(&Look) -> &'static str,
) -> Flag {
    row! { name, value_name, LOOK, Kind::Name, ValueParser::string();
    about => format!("{about}: {} {BY_AUTHOR}", explained(rows));
    choices::quoted(rows); move |_, look, _| Some(quoted(value(look))) }
}

fn number(tunable: &'static Tunable) -> Flag {
    let setting = tunable.setting;
    let heading = if matches!(setting, Setting::TimeStep | Setting::SpawnSpeed) { FLOCK } else { RULES };
    let parser = |text: &str| real(text).ok_or_else(|| Accepted(tunable.accepted()));
    row! { flag(setting), value_name(tunable.unit), heading, Kind::Number, parser;
    setting.about(), in tunable.unit.name() => tunable_help(tunable); tunable.range();
    // The shortest decimal that gives back the same single-precision number.
    move |settings, _, _| settings.reads(setting).then(|| (tunable.value)(settings).to_string()) }
}

/// The edges of the world; none where a density says it.
fn edges(settings: &Settings) -> Option<String> {
    let size = settings.world.half_size * 2.0;
    match cube_density(settings) {
        Some(_) => None,
        None if settings.plane => Some(array(&size.xz().to_array())),
        None => Some(array(&size.to_array())),
    }
}

/// The shortest density that gives the world of `settings`; none if that is not a cube.
fn cube_density(settings: &Settings) -> Option<String> {
    let density = settings.density();
    (0..9)
        .filter_map(|digits| format!("{density:.digits$e}").parse::<f32>().ok())
        .find(|&short| short > 0.0 && settings.clone().with_density(short).world == settings.world)
        .map(|short| short.to_string())
}

fn points_of(settings: &Settings) -> String {
    let point = |Point { position: p, reach, strength }: &Point| format!("{},{},{},{reach},{strength}", p.x, p.y, p.z);
    let all = settings.points.iter().map(point).enumerate();
    let all: Vec<String> = all.map(|(at, point)| point + &later(&settings.paths.points, at)).collect();
    if all.is_empty() { quoted("none") } else { quoted(&all.join("/")) }
}

/// Kinds or feelings as their flag takes them.
fn joined<T: ToString>(all: &[T]) -> String {
    let all: Vec<String> = all.iter().map(T::to_string).collect();
    if all.is_empty() { quoted("none") } else { quoted(&all.join("/")) }
}

fn obstacles_of(settings: &Settings) -> String {
    let all = settings.obstacles.iter().map(Obstacle::to_string).enumerate();
    let all: Vec<String> = all.map(|(at, obstacle)| obstacle + &later(&settings.paths.obstacles, at)).collect();
    if all.is_empty() { quoted("none") } else { quoted(&escaped(&all.join("/"))) }
}

/// A text that may have what ends a text, such as the name of a file.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

fn path(path: &[Waypoint]) -> String {
    match path {
        [] => "none".into(),
        [point] if point.seconds == 0.0 => place(point),
        path => path.iter().map(at_time).collect::<Vec<_>>().join("/"),
    }
}

/// The path of number `at`, if there is one, behind what goes along it.
fn later(paths: &[Vec<Waypoint>], at: usize) -> String {
    paths.get(at).into_iter().flatten().map(|point| format!("@{}", at_time(point))).collect()
}

fn at_time(point: &Waypoint) -> String {
    format!("{}:{}", point.seconds, place(point))
}

fn place(point: &Waypoint) -> String {
    point.position.to_array().map(|x| x.to_string()).join(",")
}

/// What is accepted for a place in a file.
fn places(unit: &str) -> String {
    format!("three numbers like [0, -5, 2.5], each from {} to {}, in {unit}", -LENGTHS.1, LENGTHS.1)
}

/// What is accepted for a place of the camera in a file.
fn seen_places() -> String {
    format!("three numbers like [0, -5, 2.5], each from {} to {}, in world units", -SEEN, SEEN)
}

fn array<T: ToString>(numbers: &[T]) -> String {
    format!("[{}]", numbers.iter().map(T::to_string).collect::<Vec<_>>().join(", "))
}

fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}
