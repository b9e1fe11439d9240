//! Frames that are made up from a seed, with dependencies that are as narrow as they can be: for variants of exercises.

use super::masks;
use crate::sync::{check, widths};
use barrier_proof::{PassEntry, interned};
use starlings::flock::random;
use starlings::vk::{Access, DependencyEntry, Journal, JournalEntry, Layout, Masks, Resource, Stage, Use, stages};
use std::fmt::Write as _;

/// Makes a use of a resource.
type Made = fn(Resource) -> Use;

/// Numbers that a seed determines.
pub struct Random {
    seed: u64,
    drawn: u64,
}

impl Random {
    /// Those of a seed, different for each exercise.
    pub fn new(seed: u64, exercise: usize) -> Self {
        Random { seed: seed.wrapping_mul(101).wrapping_add(exercise as u64), drawn: 0 }
    }

    pub fn below(&mut self, count: usize) -> usize {
        self.drawn += 1;
        (random::bits(self.seed, random::Stream::Noise, 0, self.drawn) % count as u64) as usize
    }

    pub fn of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }

    pub fn shuffled<T: Clone>(&mut self, all: &[T]) -> Vec<T> {
        let mut all = all.to_vec();
        (1..all.len()).rev().for_each(|at| all.swap(at, self.below(at + 1)));
        all
    }
}

/// What the masks that are asked for are like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Like {
    ReadAfterWrite,
    WriteAfterRead,
    AtomicsAfterFill,
    CopyBetweenKernels,
    ThreeReaders,
    HostRead,
}

const THINGS: [&str; 16] = [
    "tiles", "lights", "edges", "heights", "bins", "hits", "roots", "leaves", "knots", "waves", "grains", "sparks",
    "drops", "reeds", "dunes", "stones",
];

const VERBS: [&str; 10] = ["sort", "blur", "pack", "trace", "split", "count", "move", "join", "scan", "mark"];

const COMPUTE: Stage = Stage::COMPUTE_SHADER;

/// Passes of these uses, with names that the seed chooses for them; resources are given by number.
fn passes(random: &mut Random, uses: &[Vec<Made>], of: &[Vec<usize>]) -> Vec<PassEntry> {
    let (things, verbs) = (random.shuffled(&THINGS), random.shuffled(&VERBS));
    let named = |at: usize, uses: Vec<Use>| {
        let verb = match uses[0] {
            first if first.stage == Stage::CLEAR => "clear",
            first if first.stage == Stage::COPY => "copy",
            first if first.stage == COMPUTE => verbs[at],
            _ => "draw",
        };
        let name = interned(&format!("{verb}_{}", things[things.len() - 1 - at]));
        PassEntry { name, uses, dispatches: 1, ..PassEntry::default() }
    };
    let resource = |number: &usize| Resource::named(things[*number]);
    let all = uses.iter().zip(of).map(|(uses, of)| uses.iter().zip(of).map(|(of, on)| of(resource(on))).collect());
    all.enumerate().map(|(at, uses)| named(at, uses)).collect()
}

/// Passes of a frame, and the place of the pass before which the dependency stands that is asked for.
fn like(like: Like, random: &mut Random) -> (Vec<PassEntry>, usize) {
    let (write, read): (Made, Made) = (|of| Use::write(COMPUTE, of), |of| Use::read(COMPUTE, of));
    let atomics: Made = |of| Use::read_write(COMPUTE, of);
    let uniform: Made = |of| Use::uniform(COMPUTE, of);
    let in_draw: [Made; 5] = [
        |of| Use::read(Stage::VERTEX_SHADER, of),
        |of| Use::read(Stage::FRAGMENT_SHADER, of),
        Use::vertices,
        Use::indices,
        Use::indirect,
    ];
    let fill = random.of::<Made>(&[Use::clear, Use::copy_to]);
    let drawn = random.of(&in_draw);
    let (uses, of, asked): (Vec<Vec<Made>>, Vec<Vec<usize>>, usize) = match like {
        Like::ReadAfterWrite => {
            let (writer, reader) = (random.of(&[write, atomics]), random.of(&[read, uniform]));
            (vec![vec![writer], vec![reader, write], vec![drawn]], vec![vec![0], vec![0, 1], vec![1]], 1)
        }
        Like::WriteAfterRead => {
            // A fill, which kernels and a draw read.
            let of_draw = random.of(&[0, 1]);
            (vec![vec![fill], vec![read, write], vec![drawn]], vec![vec![0], vec![0, 1], vec![of_draw]], 0)
        }
        Like::AtomicsAfterFill => {
            let reader = random.of(&[read, uniform, drawn]);
            (vec![vec![fill], vec![atomics], vec![reader]], vec![vec![0], vec![0], vec![0]], random.of(&[1, 2]))
        }
        Like::CopyBetweenKernels => {
            let copy: Vec<Made> = vec![Use::copy_from, Use::copy_to];
            let last = random.of(&[read, uniform, drawn]);
            (vec![vec![write], copy, vec![last]], vec![vec![0], vec![0, 1], vec![1]], random.of(&[1, 2]))
        }
        Like::ThreeReaders => {
            let readers = random.shuffled(&in_draw)[..3].to_vec();
            let writer = random.of::<Made>(&[write, Use::copy_to]);
            (vec![vec![writer; 3], readers], vec![vec![0, 1, 2], vec![0, 1, 2]], 1)
        }
        Like::HostRead => {
            let fragment: Made = |of| Use::write(Stage::FRAGMENT_SHADER, of);
            let writer = random.of::<Made>(&[write, Use::copy_to, fragment, Use::clear]);
            (vec![vec![write], vec![drawn, writer]], vec![vec![0], vec![0, 1]], 2)
        }
    };
    let mut passes = passes(random, &uses, &of);
    if like == Like::HostRead {
        let buffer = passes[1].uses[1].resource;
        passes.push(PassEntry {
            name: "host",
            uses: vec![Use { stage: Stage::HOST, ..Use::copy_from(buffer) }],
            ..PassEntry::default()
        });
    }
    (passes, asked)
}

/// Frames in which the masks of one dependency are asked for, and its name.
pub fn for_masks(kind: Like, random: &mut Random) -> (Vec<Journal>, &'static str) {
    loop {
        let (passes, asked) = like(kind, random);
        let name = between(&passes, asked);
        let frames = synchronized(&passes);
        if frames[0].dependencies().any(|of| of.name == name) {
            return (frames, name);
        }
    }
}

/// Frames of five passes of any kind, and dependencies between them.
pub fn any(random: &mut Random) -> Vec<Journal> {
    let kinds: [Vec<Made>; 6] = [
        vec![Use::clear],
        vec![Use::copy_from, Use::copy_to],
        vec![|of| Use::read(COMPUTE, of), |of| Use::write(COMPUTE, of)],
        vec![|of| Use::uniform(COMPUTE, of), |of| Use::read_write(COMPUTE, of)],
        vec![Use::indirect, |of| Use::read(Stage::VERTEX_SHADER, of)],
        vec![Use::vertices, |of| Use::read_write(Stage::FRAGMENT_SHADER, of)],
    ];
    let uses: Vec<Vec<Made>> = (0..5).map(|_| random.of(&kinds)).collect();
    let of: Vec<Vec<usize>> = (0..5).map(|_| random.shuffled(&[0, 1, 2])).collect();
    synchronized(&passes(random, &uses, &of))
}

/// The name of the dependency before the pass at a place.
fn between(passes: &[PassEntry], at: usize) -> &'static str {
    let before = passes[(at + passes.len() - 1) % passes.len()].name;
    interned(&format!("{before}-to-{}", passes[at].name))
}

/// Three frames of these passes, with dependencies that are exact: before each pass one that orders it after all that
/// it conflicts with, made narrower as long as no conflict appears. The pass `host` is a read by the host.
fn synchronized(passes: &[PassEntry]) -> Vec<Journal> {
    let mut entries = Vec::new();
    for (at, pass) in passes.iter().enumerate() {
        let mut masks = Masks::default();
        for of in &pass.uses {
            // Of this frame and of the one before.
            let others = passes.iter().filter(|other| other.name != "host").flat_map(|other| &other.uses);
            for other in others.filter(|other| other.resource == of.resource) {
                if !other.writes() && !of.writes() {
                    continue;
                }
                (masks.src_stage, masks.dst_stage) = (masks.src_stage | other.stage, masks.dst_stage | of.stage);
                if other.writes() {
                    (masks.src_access, masks.dst_access) =
                        (masks.src_access | other.access, masks.dst_access | of.access);
                }
            }
        }
        let host = pass.name == "host";
        masks.dst_access = if host { Access::HOST_READ } else { masks.dst_access };
        let name = between(passes, at);
        entries.push(JournalEntry::Dependency(DependencyEntry { name, masks, ..DependencyEntry::default() }));
        entries.push(match host {
            true => JournalEntry::HostRead { buffer: pass.uses[0].resource },
            false => JournalEntry::Pass(pass.clone()),
        });
    }
    let mut frames = vec![Journal { entries, ..Journal::default() }; 3];
    debug_assert!(check(&frames).is_empty(), "{:?}", check(&frames));
    while let Some(width) = widths(&[frames.clone()]).into_iter().find(|width| !width.is_exact()) {
        for entry in frames.iter_mut().flat_map(|frame| &mut frame.entries) {
            if let JournalEntry::Dependency(of) = entry
                && of.name == width.name
            {
                of.masks = width.needed;
            }
        }
    }
    let orders =
        |entry: &JournalEntry| !matches!(entry, JournalEntry::Dependency(of) if of.masks.src_stage == Stage::NONE);
    frames.iter_mut().for_each(|frame| frame.entries.retain(orders));
    frames
}

/// What is shown of dependencies.
#[derive(Clone, Copy)]
pub enum Shown {
    Names,
    /// Names and masks, but for those of one.
    Masks(&'static str),
}

/// A frame, line by line.
pub fn listing(frame: &Journal, shown: Shown) -> String {
    let mut text = String::new();
    for entry in &frame.entries {
        let _ = match entry {
            JournalEntry::Pass(pass) => writeln!(text, "  {}: {}", pass.name, told(&pass.uses)),
            JournalEntry::HostRead { buffer } => writeln!(text, "  host: after the fence, the host reads {buffer}"),
            JournalEntry::Dependency(of) => match shown {
                Shown::Masks(asked) if asked == of.name => writeln!(text, "    {}: ?", of.name),
                Shown::Masks(_) => writeln!(text, "    {}: {}", of.name, masks::text(&of.masks)),
                Shown::Names => writeln!(text, "    {}", of.name),
            },
            _ => Ok(()),
        };
    }
    text.trim_end().to_owned()
}

/// What a pass does.
fn told(uses: &[Use]) -> String {
    let one = |of: &Use| {
        let (resource, shader) = (of.resource, format!("{:?}", of.stage).to_lowercase().replace('_', " "));
        match (of.stage, of.access) {
            (Stage::COLOR_ATTACHMENT_OUTPUT, Access::COLOR_ATTACHMENT_WRITE) => {
                format!("a draw covers all of the image {resource}")
            }
            (Stage::COLOR_ATTACHMENT_OUTPUT, _) => format!("a draw is blended over the image {resource}"),
            (_, Access::SHADER_SAMPLED_READ) => format!("a {shader} samples the image {resource}"),
            (_, Access::TRANSFER_READ) if of.layout.is_some() => format!("a copy reads the image {resource}"),
            (_, Access::TRANSFER_WRITE) if of.layout.is_some() => format!("a copy overwrites the image {resource}"),
            (Stage::CLEAR, _) => format!("vkCmdFillBuffer overwrites {resource}"),
            (Stage::COPY, Access::TRANSFER_READ) => format!("a copy reads {resource}"),
            (Stage::COPY, _) => format!("a copy overwrites {resource}"),
            (Stage::DRAW_INDIRECT, _) => format!("its arguments are in {resource}"),
            (Stage::INDEX_INPUT, _) => format!("its indices are in {resource}"),
            (Stage::VERTEX_ATTRIBUTE_INPUT, _) => format!("its vertices are in {resource}"),
            (_, Access::UNIFORM_READ) => format!("a {shader} reads the uniform buffer {resource}"),
            (_, Access::SHADER_STORAGE_READ) => format!("a {shader} reads the storage buffer {resource}"),
            (_, Access::SHADER_STORAGE_WRITE) => format!("a {shader} writes the storage buffer {resource}"),
            _ => format!("a {shader} adds to the storage buffer {resource} by atomics"),
        }
    };
    uses.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// A frame in which each pass reads what one before it has written.
pub fn in_order(random: &mut Random) -> Journal {
    let (write, read): (Made, Made) = (|of| Use::write(COMPUTE, of), |of| Use::read(COMPUTE, of));
    let mut uses: Vec<Vec<Made>> = vec![vec![Use::clear], vec![|of| Use::read_write(COMPUTE, of)]];
    let mut of = vec![vec![0], vec![0]];
    for at in 0..4 {
        // From the last but one, or from the last.
        let second = at > 0 && random.below(2) == 0;
        let copy: Vec<Made> = vec![Use::copy_from, Use::copy_to];
        uses.push(if random.below(3) == 0 { copy } else { vec![read, write] });
        of.push(vec![if second { at - 1 } else { at }, at + 1]);
    }
    let entries = passes(random, &uses, &of).into_iter().map(JournalEntry::Pass);
    Journal { entries: entries.collect(), ..Journal::default() }
}

/// Frames that fill an image and read it, perhaps after something was drawn over it; and the names of the image's
/// barriers, in order. Their layouts are right.
pub fn for_layouts(random: &mut Random) -> (Vec<&'static str>, Vec<Journal>) {
    let blend: Made =
        |of| Use { access: Access::COLOR_ATTACHMENT_READ | Access::COLOR_ATTACHMENT_WRITE, ..Use::color_read(of) };
    let mut uses = vec![vec![random.of::<Made>(&[Use::copy_to_image, Use::color_write])]];
    if uses[0][0](Resource::new("")).stage == Stage::COPY && random.below(2) == 0 {
        uses.push(vec![blend]);
    }
    uses.push(vec![random.of::<Made>(&[Use::sampled_image, Use::copy_from_image])]);
    let passes = passes(random, &uses, &vec![vec![0]; uses.len()]);
    let names: Vec<&'static str> = (0..passes.len()).map(|at| between(&passes, at)).collect();
    let mut entries = Vec::new();
    for (at, pass) in passes.iter().enumerate() {
        let (before, now) = (passes[(at + passes.len() - 1) % passes.len()].uses[0], pass.uses[0]);
        let src_access = if before.writes() {
            Access::from_raw(before.access.as_raw() & stages::writes().as_raw())
        } else {
            Access::NONE
        };
        let masks = Masks { src_stage: before.stage, src_access, dst_stage: now.stage, dst_access: now.access };
        let old = if at == 0 { Layout::UNDEFINED } else { before.layout.unwrap_or_default() };
        let layouts = Some((old, now.layout.unwrap_or_default()));
        let (name, guards) = (names[at], vec![now.resource]);
        entries.push(JournalEntry::Dependency(DependencyEntry {
            name,
            masks,
            guards,
            layouts,
            ..DependencyEntry::default()
        }));
        entries.push(JournalEntry::Pass(pass.clone()));
    }
    (names, vec![Journal { entries, ..Journal::default() }; 3])
}
