//! The states of boids and the transitions between them: the one table that host and shaders share.
//!
//! To change how boids behave, change [`TRANSITIONS`], [`LEAST`] and the numbers at the top. `build.rs` includes this
//! file and passes [`macros`] to the shader compiler. In the first step and each `DECISION` after it, a boid that has
//! been in its state for the least time goes through the rows from the first to the last and takes the first one that
//! applies: it is in one of the row's states, meets all of its conditions, and draws the transition, with the
//! probability rate times the time since the last decision.

/// Numbers that GLSL sees as macros of the same names.
macro_rules! numbers {
    ($($(#[$about:meta])* $name:ident = $value:expr;)*) => {
        $($(#[$about])* pub const $name: u32 = $value;)*

        const NUMBERS: &[(&str, u32)] = &[$((stringify!($name), $name)),*];
    };
}

numbers! {
    /// A bird beats its wings.
    STATE_FLAP = 0;
    /// A bird holds its wings still.
    STATE_GLIDE = 1;
    /// A bird flies a turn to its left.
    STATE_BANK_LEFT = 2;
    /// A bird flies a turn to its right.
    STATE_BANK_RIGHT = 3;
    /// A bird sinks.
    STATE_DESCEND = 4;
    /// A bird comes down on an obstacle, and stays there.
    STATE_PERCH = 5;
    /// A bird leaves an obstacle.
    STATE_TAKE_OFF = 6;
    /// A bird flees from a point that repels.
    STATE_FLEE = 7;
    /// A fish swims.
    STATE_CRUISE = 8;
    /// A fish swims hard.
    STATE_BURST = 9;
    /// A fish hardly moves its tail.
    STATE_REST = 10;

    /// Conditions of transitions, as bits. Within the reach of a point that repels.
    WHEN_THREATENED = 1;
    /// Not so.
    WHEN_SAFE = 2;
    /// The velocity points up by more than 10°.
    WHEN_CLIMBING = 4;
    /// The velocity points up by less than 5°, or down.
    WHEN_LEVEL = 8;
    /// The velocity points down by more than 20°.
    WHEN_SINKING = 16;
    /// The velocity points down by less than 8°, or up.
    WHEN_RISING = 32;
    /// The velocity turns by more than `TURN`.
    WHEN_TURNING = 64;
    /// The velocity turns by less than half of `TURN`.
    WHEN_STRAIGHT = 128;
    /// The velocity turns to the left, seen from above.
    WHEN_LEFT = 1_024;
    /// It turns to the right, or neither way.
    WHEN_RIGHT = 2_048;
    /// Within the reach of a surface to land on: its normal is within 37° of straight up, and the boid approaches it at
    /// less than half of the full speed.
    WHEN_LANDABLE = 256;
    /// No surface within reach whose normal is within 60° of straight up.
    WHEN_UNSUPPORTED = 512;

    /// How fast a boid turns that flies a turn, in thousandths of a radian per second.
    TURN = 1_200;
    /// The reach of a boid that lands, in thousandths of the distance at which it sees an obstacle.
    PERCH_REACH = 500;
    /// How high over the surface it then stays, in thousandths of the separation radius.
    PERCH_HEIGHT = 50;
    /// How fast it comes down there, in thousandths of the full speed.
    LANDING_SPEED = 500;
    /// How fast it leaves, in the same unit.
    LAUNCH_SPEED = 500;
    /// Velocity of a boid that stays on an obstacle, in the same unit: only its direction is of use.
    PERCH_SPEED = 1;

    /// Milliseconds from one decision of a boid to the next, rounded to whole steps, of which there is at least one.
    DECISION = 100;
    /// Milliseconds over which the look of one state turns into that of the next.
    BLEND = 300;

    /// A clip of a bird that beats its wings. Clips are described in `src/render/clips`.
    CLIP_FLAP = 0;
    /// Wings held out.
    CLIP_GLIDE = 1;
    /// Wings folded in flight.
    CLIP_FOLD = 2;
    /// Leaning into a turn to the left.
    CLIP_BANK_LEFT = 3;
    /// Leaning into a turn to the right.
    CLIP_BANK_RIGHT = 4;
    /// Sitting.
    CLIP_PERCH = 5;
    /// A clip of a fish that swims as hard as it can.
    CLIP_SWIM = 0;
    /// A straight body.
    CLIP_REST = 1;
    /// Clips of a shape, at most.
    CLIPS = 6;
}

/// Names of the states, by number.
pub const STATES: [&str; 11] =
    ["flap", "glide", "bank left", "bank right", "descend", "perch", "take off", "flee", "cruise", "burst", "rest"];

/// Milliseconds that a boid stays in each state at least.
pub const LEAST: [u32; 11] = [400, 500, 300, 300, 500, 1_000, 600, 1_000, 500, 300, 1_000];

/// The look of a bird in each state: the share of each clip, in hundredths. They add up to 100.
pub const BIRD_SHARES: [[u32; CLIPS as usize]; 11] = [
    [100, 0, 0, 0, 0, 0],
    [0, 100, 0, 0, 0, 0],
    [20, 0, 0, 80, 0, 0],
    [20, 0, 0, 0, 80, 0],
    [0, 70, 30, 0, 0, 0],
    [0, 0, 0, 0, 0, 100],
    [100, 0, 0, 0, 0, 0],
    [100, 0, 0, 0, 0, 0],
    [100, 0, 0, 0, 0, 0],
    [100, 0, 0, 0, 0, 0],
    [0, 100, 0, 0, 0, 0],
];

/// The look of a fish in each state: the share of the clip of a fish that swims as hard as it can, in hundredths, at
/// full speed.
pub const FISH_SWIMS: [u32; 11] = [45, 45, 45, 45, 45, 0, 45, 68, 45, 100, 7];

/// A transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The states from which it is taken: a bit for each.
    pub from: u32,
    /// The state after it.
    pub to: u32,
    /// `WHEN_` bits, of which all are met; 0 for no condition.
    pub when: u32,
    /// How often it is taken where the conditions are met: thousandths per second.
    pub rate: u32,
}

/// A rate with which a transition is taken at once, at any time step from a thousandth of a second on.
const AT_ONCE: u32 = 1_000_000;

/// States as bits.
const fn of<const N: usize>(states: [u32; N]) -> u32 {
    let (mut bits, mut at) = (0, 0);
    while at < N {
        bits |= 1 << states[at];
        at += 1;
    }
    bits
}

const fn row(from: u32, to: u32, when: u32, rate: u32) -> Transition {
    Transition { from, to, when, rate }
}

const BANK: u32 = of([STATE_BANK_LEFT, STATE_BANK_RIGHT]);
const ALOFT: u32 = of([STATE_FLAP, STATE_GLIDE, STATE_DESCEND]) | BANK;

/// Every transition, the more urgent first.
pub const TRANSITIONS: [Transition; 22] = [
    // Birds.
    row(ALOFT | of([STATE_PERCH, STATE_TAKE_OFF]), STATE_FLEE, WHEN_THREATENED, AT_ONCE),
    row(of([STATE_FLEE]), STATE_FLAP, WHEN_SAFE, 1_000),
    row(of([STATE_PERCH]), STATE_TAKE_OFF, WHEN_UNSUPPORTED, AT_ONCE),
    row(of([STATE_PERCH]), STATE_TAKE_OFF, 0, 100),
    row(ALOFT, STATE_PERCH, WHEN_LANDABLE | WHEN_SAFE, 2_000),
    row(of([STATE_TAKE_OFF]), STATE_FLAP, 0, 2_000),
    row(of([STATE_FLAP, STATE_GLIDE]), STATE_BANK_LEFT, WHEN_TURNING | WHEN_LEFT, 4_000),
    row(of([STATE_FLAP, STATE_GLIDE]), STATE_BANK_RIGHT, WHEN_TURNING | WHEN_RIGHT, 4_000),
    row(BANK, STATE_FLAP, WHEN_STRAIGHT, 4_000),
    row(BANK, STATE_FLAP, 0, 300),
    row(of([STATE_FLAP, STATE_GLIDE]), STATE_DESCEND, WHEN_SINKING, 2_000),
    row(of([STATE_DESCEND]), STATE_FLAP, WHEN_RISING, 3_000),
    row(of([STATE_GLIDE]), STATE_FLAP, WHEN_CLIMBING, 3_000),
    row(of([STATE_GLIDE]), STATE_FLAP, 0, 400),
    row(of([STATE_FLAP]), STATE_GLIDE, WHEN_LEVEL, 500),
    // Fish.
    row(of([STATE_CRUISE, STATE_REST]), STATE_BURST, WHEN_THREATENED, AT_ONCE),
    row(of([STATE_CRUISE, STATE_REST]), STATE_BURST, WHEN_TURNING, 1_000),
    row(of([STATE_CRUISE]), STATE_BURST, 0, 50),
    row(of([STATE_CRUISE]), STATE_REST, WHEN_STRAIGHT, 150),
    row(of([STATE_BURST]), STATE_CRUISE, WHEN_SAFE | WHEN_STRAIGHT, 2_000),
    row(of([STATE_BURST]), STATE_CRUISE, WHEN_SAFE, 500),
    row(of([STATE_REST]), STATE_CRUISE, 0, 300),
];

/// The macros that shaders see: the numbers, and the tables as lists of constants.
pub fn macros() -> Vec<(&'static str, String)> {
    let numbers = |list: &[u32]| list.iter().map(|number| format!("{number}u")).collect::<Vec<_>>().join(",");
    let rows =
        TRANSITIONS.map(|Transition { from, to, when, rate }| format!("uvec4({})", numbers(&[from, to, when, rate])));
    let birds = BIRD_SHARES.map(|shares| format!("uint[]({})", numbers(&shares)));
    let lists = [
        ("TRANSITIONS", rows.join(",")),
        ("LEAST", numbers(&LEAST)),
        ("BIRD_SHARES", birds.join(",")),
        ("FISH_SWIMS", numbers(&FISH_SWIMS)),
    ];
    NUMBERS.iter().map(|&(name, number)| (name, format!("{number}u"))).chain(lists).collect()
}
