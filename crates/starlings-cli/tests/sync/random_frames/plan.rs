//! Random frames: what they do, and how they are made from a seed.

use starlings::vk::{Access, Layout, Masks, Resource, Stage, Use, stages};

/// The buffers.
pub const BUFFERS: [Resource; 3] = [Resource::new("a"), Resource::new("b"), Resource::new("c")];

/// The image.
pub const IMAGE: Resource = Resource::new("image");

/// Names of passes: each is used once in a journal, so that a message of the layer says which it means.
pub const PASSES: [&str; 12] = ["p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11"];

/// Names of dependencies, likewise.
pub const BARRIERS: [&str; 40] = [
    "d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9", "d10", "d11", "d12", "d13", "d14", "d15", "d16", "d17",
    "d18", "d19", "d20", "d21", "d22", "d23", "d24", "d25", "d26", "d27", "d28", "d29", "d30", "d31", "d32", "d33",
    "d34", "d35", "d36", "d37", "d38", "d39",
];

/// What a pass does, to buffers by their numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Command {
    /// Fills a buffer.
    Fill(usize),
    /// Updates a buffer from the commands.
    Update(usize),
    /// Copies the first to the second by a command.
    Copy(usize, usize),
    /// The same by a kernel.
    Kernel(usize, usize),
    /// A kernel with parameters from the first that reads and writes the second.
    InPlace(usize, usize),
    /// Copies a buffer to the image.
    ToImage(usize),
    /// Copies the image to a buffer.
    FromImage(usize),
}

/// One step of the host or of the commands.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// A pass.
    Pass(&'static str, Command),
    /// Dependencies in one command.
    Barriers(Vec<(&'static str, Masks)>),
    /// A dependency that changes the image's layout.
    Transition(&'static str, Masks, Layout, Layout),
    /// The next entry is of another submission.
    Submit,
    /// The same, and the host waits for what was submitted.
    Wait,
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
pub struct Random(pub u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }
}

const COMPUTE: Stage = Stage::COMPUTE_SHADER;

impl Command {
    /// What it accesses.
    pub fn uses(self) -> Vec<Use> {
        let name = |at: usize| BUFFERS[at];
        match self {
            Command::Fill(a) | Command::Update(a) => vec![Use::clear(name(a))],
            Command::Copy(a, b) => vec![Use::copy_from(name(a)), Use::copy_to(name(b))],
            Command::Kernel(a, b) => vec![Use::read(COMPUTE, name(a)), Use::write(COMPUTE, name(b))],
            Command::InPlace(a, b) => vec![Use::uniform(COMPUTE, name(a)), Use::read_write(COMPUTE, name(b))],
            Command::ToImage(a) => vec![Use::copy_from(name(a)), Use::copy_to_image(IMAGE)],
            Command::FromImage(a) => vec![Use::copy_to(name(a)), Use::copy_from_image(IMAGE)],
        }
    }
}

/// Stages, each with accesses of it.
const KINDS: [(Stage, Access); 13] = [
    (COMPUTE, Access::SHADER_STORAGE_READ),
    (COMPUTE, Access::SHADER_STORAGE_WRITE),
    (COMPUTE, Access::UNIFORM_READ),
    (Stage::COPY, Access::TRANSFER_READ),
    (Stage::COPY, Access::TRANSFER_WRITE),
    (Stage::CLEAR, Access::TRANSFER_WRITE),
    (Stage::VERTEX_SHADER, Access::SHADER_STORAGE_READ),
    (Stage::FRAGMENT_SHADER, Access::SHADER_STORAGE_WRITE),
    (Stage::DRAW_INDIRECT, Access::INDIRECT_COMMAND_READ),
    (COMPUTE, Access::SHADER_READ),
    (COMPUTE, Access::SHADER_WRITE),
    (Stage::ALL_TRANSFER, Access::MEMORY_WRITE),
    (Stage::ALL_GRAPHICS, Access::MEMORY_READ),
];

/// The widest dependency.
const EVERYTHING: Masks = Masks {
    src_stage: Stage::ALL_COMMANDS,
    src_access: stages::MEMORY,
    dst_stage: Stage::ALL_COMMANDS,
    dst_access: stages::MEMORY,
};

const LAYOUTS: [Layout; 3] = [Layout::TRANSFER_DST_OPTIMAL, Layout::TRANSFER_SRC_OPTIMAL, Layout::GENERAL];

/// A random journal: up to three submissions in a row, and waits between some.
pub struct Maker {
    random: Random,
    entries: Vec<Entry>,
    before: Vec<Use>,
    layout: Layout,
    passes: usize,
    barriers: usize,
    /// Whether all dependencies are there, and none is wrong.
    correct: bool,
}

/// Submissions in a row without a wait.
const IN_A_ROW: usize = 3;

impl Maker {
    /// The journal of a seed; a correct one, or any.
    pub fn make(seed: u64, correct: bool) -> Vec<Entry> {
        let (random, layout) = (Random(seed), Layout::UNDEFINED);
        let mut maker =
            Maker { random, entries: Vec::new(), before: Vec::new(), layout, passes: 0, barriers: 0, correct };
        let (mut row, count) = (1, 2 + maker.random.below(PASSES.len() - 1));
        let image = maker.random.one_in(3);
        for _ in 0..count {
            let command = maker.command(image);
            maker.dependencies(command);
            maker.entries.push(Entry::Pass(PASSES[maker.passes], command));
            maker.passes += 1;
            maker.before.extend(command.uses());
            match maker.random.below(12) {
                0 => {
                    maker.entries.push(Entry::Wait);
                    maker.layout = Layout::UNDEFINED;
                    row = 1;
                }
                1 | 2 if row < IN_A_ROW => {
                    maker.entries.push(Entry::Submit);
                    row += 1;
                }
                _ => {}
            }
        }
        maker.entries
    }

    fn command(&mut self, image: bool) -> Command {
        let a = self.random.below(BUFFERS.len());
        let b = (a + 1 + self.random.below(BUFFERS.len() - 1)) % BUFFERS.len();
        match self.random.below(if image { 12 } else { 8 }) {
            0 => Command::Fill(a),
            1 => Command::Update(a),
            2 | 3 => Command::Copy(a, b),
            4 | 5 => Command::Kernel(a, b),
            6 | 7 => Command::InPlace(a, b),
            8 | 9 => Command::ToImage(a),
            _ => Command::FromImage(a),
        }
    }

    fn name(&mut self) -> &'static str {
        self.barriers += 1;
        BARRIERS[self.barriers - 1]
    }

    /// Some dependencies before `command`: sufficient, weakened, or any.
    fn dependencies(&mut self, command: Command) {
        let uses = command.uses();
        if let Some(layout) = uses.iter().find_map(|of| of.layout)
            && (self.layout == Layout::UNDEFINED || (self.layout != layout && (self.correct || !self.random.one_in(8))))
        {
            self.transition(layout);
        }
        for Use { resource, stage, access, .. } in uses {
            let earlier: Vec<Use> = self.before.iter().copied().filter(|of| of.resource == resource).collect();
            if earlier.is_empty() || (!self.correct && self.random.one_in(3)) {
                continue;
            }
            let last = &earlier[earlier.len() - 1..];
            let from = if !self.correct && self.random.one_in(3) { last } else { &earlier[..] };
            let (src_stage, src_access) = all(from.iter());
            let exact = Masks { src_stage, src_access, dst_stage: stage, dst_access: access };
            match self.correct {
                true => self.one(exact),
                false => self.in_some_form(exact),
            }
        }
        if !self.correct && self.random.one_in(6) {
            let any = self.any();
            self.one(any);
        }
    }

    /// The dependency, or something like it.
    fn in_some_form(&mut self, exact: Masks) {
        match self.random.below(12) {
            0..=3 => self.one(exact),
            4..=6 => {
                let bit = self.random.of(&exact.bits());
                self.one(exact.without(bit));
            }
            7 => self.one(Masks { src_access: Access::NONE, dst_access: Access::NONE, ..exact }),
            8 => {
                let by =
                    self.random.of(&[Stage::COPY, Stage::CLEAR, COMPUTE, Stage::FRAGMENT_SHADER, Stage::DRAW_INDIRECT]);
                let first = Masks { dst_stage: by, dst_access: Access::NONE, ..exact };
                let second = Masks { src_stage: by, src_access: Access::NONE, ..exact };
                if self.random.one_in(3) {
                    let both = vec![(self.name(), first), (self.name(), second)];
                    self.entries.push(Entry::Barriers(both));
                } else {
                    self.one(first);
                    self.one(second);
                }
            }
            9 => self.one(EVERYTHING),
            10 => {
                let (first, last) = (Stage::TOP_OF_PIPE, Stage::BOTTOM_OF_PIPE);
                let masks = Masks { src_access: Access::NONE, dst_access: Access::NONE, ..exact };
                let masks = match self.random.below(4) {
                    0 => Masks { src_stage: first, ..masks },
                    1 => Masks { src_stage: last, ..masks },
                    2 => Masks { dst_stage: first, ..masks },
                    _ => Masks { dst_stage: last, ..masks },
                };
                self.one(masks);
            }
            _ => {
                let (any, other) = (self.any(), self.any());
                let both = vec![(self.name(), any), (self.name(), other)];
                self.entries.push(Entry::Barriers(both));
            }
        }
    }

    fn any(&mut self) -> Masks {
        let mut side = || {
            let (mut stages, mut accesses) = self.random.of(&KINDS);
            if self.random.one_in(2) {
                let (stage, access) = self.random.of(&KINDS);
                (stages, accesses) = (stages | stage, accesses | access);
            }
            (stages, if self.random.one_in(4) { Access::NONE } else { accesses })
        };
        let ((src_stage, src_access), (dst_stage, dst_access)) = (side(), side());
        Masks { src_stage, src_access, dst_stage, dst_access }
    }

    fn one(&mut self, masks: Masks) {
        let name = self.name();
        self.entries.push(Entry::Barriers(vec![(name, masks)]));
    }

    /// A transition of the image to the layout `wanted`, or something like it.
    fn transition(&mut self, wanted: Layout) {
        let (src_stage, src_access) = all(self.before.iter().filter(|of| of.resource == IMAGE));
        let access = if wanted == LAYOUTS[0] { Access::TRANSFER_WRITE } else { Access::TRANSFER_READ };
        let exact = Masks { src_stage, src_access, dst_stage: Stage::COPY, dst_access: access };
        let masks = match self.random.below(8) {
            _ if self.correct => exact,
            0 => {
                let bit = self.random.of(&exact.bits());
                exact.without(bit)
            }
            1 => self.any(),
            2 => EVERYTHING,
            3 => Masks { src_stage, src_access, ..EVERYTHING },
            _ => exact,
        };
        let first = self.layout == Layout::UNDEFINED;
        let old = match self.random.below(8) {
            _ if self.correct => self.layout,
            0 => Layout::UNDEFINED,
            1 if !first => self.random.of(&LAYOUTS),
            _ => self.layout,
        };
        let new = if !self.correct && self.random.one_in(8) { self.random.of(&LAYOUTS) } else { wanted };
        let name = self.name();
        self.entries.push(Entry::Transition(name, masks, old, new));
        self.layout = new;
    }
}

/// The stages and accesses of uses.
fn all<'a>(uses: impl Iterator<Item = &'a Use>) -> (Stage, Access) {
    uses.fold((Stage::NONE, Access::NONE), |(stage, access), of| (stage | of.stage, access | of.access))
}

/// Every journal with one entry less, in which the image has a layout before it is used.
pub fn smaller(entries: &[Entry]) -> Vec<Vec<Entry>> {
    let less = (0..entries.len()).map(|at| [&entries[..at], &entries[at + 1..]].concat());
    less.filter(|entries| entries.split(|entry| *entry == Entry::Wait).all(starts_with_a_layout)).collect()
}

fn starts_with_a_layout(row: &[Entry]) -> bool {
    let of_image = |entry: &&Entry| {
        matches!(entry, Entry::Transition(..) | Entry::Pass(_, Command::ToImage(_) | Command::FromImage(_)))
    };
    let first = row.iter().find(of_image);
    first.is_none_or(|entry| matches!(entry, Entry::Transition(_, _, Layout::UNDEFINED, _)))
}
