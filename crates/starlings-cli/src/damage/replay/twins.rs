//! The passes that can be played: the twins of their kernels, on words of memory that may hold anything.
//!
//! Where a kernel checks indices in a frame that is broken on purpose, so does this: an access out of range reads zero
//! or writes nothing.

use super::memory::{packed, state, unpacked};
use super::{BoidOutcome, FlockDamage};
use crate::damage::audit;
use crate::damage::trials::TOLERANCE;
use barrier_proof::Operation;
use barrier_proof::replay::{Element, Memory, Reads, Twins};
use bytemuck::Zeroable;
use starlings::flock::buffers::{
    BLOCK_CROWDING, BLOCK_SUMS, BOID_ID, BUFFERS, CELL_COUNTS, CELL_MEMBERS, CELL_RANK, CELL_STARTS, CROWDING,
    POSITION_VX, SORTED_BOID_ID, SORTED_POSITION_VX, SORTED_QUANTIZED, SORTED_VELOCITY_YZ, VELOCITY_YZ,
};
use starlings::flock::layout::{Chords, Grid};
use starlings::flock::manners::Perception;
use starlings::flock::search::GridKind;
use starlings::flock::{Settings, grid, quanta};
use starlings::limits::{self, CROWDING_REPORTS, DRAW_NEAR};
use starlings::reference::cull::{Fate, cull};
use starlings::reference::grid_count::grid_count;
use starlings::reference::scan_downsweep::scan_downsweep;
use starlings::reference::scan_reduce::{block_crowding, scan_reduce};
use starlings::reference::scan_spine::scan_spine;
use starlings::reference::splat::depths;
use starlings::reference::{Ordered, Quantized, sort_scatter, steer};
use starlings::render::clips::Figure;
use starlings::render::layout::{DrawCommand, SceneParams, VisibleBoid};
use starlings::render::resources::{DRAW_COMMANDS, SAMPLES, VISIBLE_BOIDS};
use starlings::vk::Resource;

/// What the picture's twins need besides the flock.
pub struct Seen {
    pub params: SceneParams,
    pub figure: std::sync::Arc<Figure>,
}

/// A flock's twins.
pub struct FlockTwins {
    settings: Settings,
    seen: Option<Seen>,
    grid: Grid,
    chords: Chords,
}

type Written = Vec<(Resource, Vec<u32>)>;

impl Twins for FlockTwins {
    type Damage = FlockDamage;

    fn play(&self, operation: &Operation, reads: &Reads<'_>) -> Option<Written> {
        self.pass(operation, reads)
    }

    fn element(&self, resource: Resource) -> Element {
        let words = match resource {
            VISIBLE_BOIDS => size_of::<VisibleBoid>() / 4,
            DRAW_COMMANDS => size_of::<DrawCommand>() / 4,
            _ => BUFFERS.iter().find(|row| row.resource == resource).map_or(1, |row| (row.element / 4) as usize),
        };
        let float = ["position_vx", "velocity_yz", "samples"].iter().any(|of| resource.name().ends_with(of));
        Element { words, float }
    }

    fn damage(&self, broken: &Memory, intact: &Memory) -> FlockDamage {
        let mut counts = audit::Counts::default();
        let cells = self.cells();
        let (cell_counts, starts) = (broken.words(CELL_COUNTS), broken.words(CELL_STARTS));
        // Frames without steps count nothing.
        let counted = intact.words(CELL_COUNTS).iter().any(|&count| count > 0);
        if counted && starts.len() > cells {
            counts.grid(&cell_counts[..cells], &starts[..=cells], self.settings.boids);
        }
        let (broken, intact) = (state(broken), state(intact));
        let (there, here) = (counts.state(&broken), audit::Counts::default().state(&intact));
        let reach = self.settings.time_step * self.settings.speed_scale();
        let tolerance = TOLERANCE * self.settings.rules.search_radius;
        counts.difference((&broken, &there), (&intact, &here), reach, tolerance);
        let hurt = audit::hurt((&broken, &there), (&intact, &here), reach, tolerance);
        let outcomes = intact.position.iter().zip(hurt).map(|(&position, hurt)| BoidOutcome { position, hurt });
        FlockDamage { counts, flock: outcomes.collect() }
    }

    fn severity(damage: &FlockDamage) -> u64 {
        damage.counts.certain() + damage.counts.strayed
    }
}

impl FlockTwins {
    pub fn new(settings: &Settings, seen: Option<Seen>) -> FlockTwins {
        let grid = settings.grid();
        let chords = quanta::chords(&grid, settings.search_radius());
        FlockTwins { settings: settings.clone(), seen, grid, chords }
    }

    /// What the pass writes, given what it reads; none for a pass without a twin, or one that reads what has no words.
    fn pass(&self, operation: &Operation, reads: &Reads<'_>) -> Option<Written> {
        match operation.name {
            "grid_clear" => Some(vec![(CELL_COUNTS, vec![0; reads.base(CELL_COUNTS)?.len()])]),
            "grid_count" => self.grid_count(reads),
            "scan_reduce" => self.scan_reduce(reads),
            "scan_spine" => {
                let mut sums = reads.words(BLOCK_SUMS)?.to_vec();
                let blocks = self.blocks();
                scan_spine(&mut sums[..blocks]);
                Some(vec![(BLOCK_SUMS, sums)])
            }
            "scan_downsweep" => self.scan_downsweep(operation, reads),
            "sort_list" => self.sort_list(reads),
            "sort_scatter" => self.sort_scatter(reads),
            "state_copy" => {
                let copied = |(from, to)| Some((to, reads.words(from)?.to_vec()));
                [(POSITION_VX, SORTED[0]), (VELOCITY_YZ, SORTED[1]), (BOID_ID, SORTED[2])]
                    .map(copied)
                    .into_iter()
                    .collect()
            }
            "steer" => self.steer(operation, reads),
            "samples_clear" => {
                let params = &self.seen.as_ref()?.params;
                Some(vec![(SAMPLES, vec![0; (limits::SAMPLES * params.width * params.height) as usize])])
            }
            "draw_reset" => Some(vec![(DRAW_COMMANDS, vec![0; size_of::<DrawCommand>() / 4])]),
            "cull" => self.cull(reads),
            _ => None,
        }
    }

    fn blocks(&self) -> usize {
        self.grid.cell_count.div_ceil(starlings::limits::SCAN_BLOCK) as usize
    }

    fn cells(&self) -> usize {
        self.grid.cell_count as usize
    }

    fn boids(&self) -> usize {
        self.settings.boids as usize
    }

    fn grid_count(&self, reads: &Reads<'_>) -> Option<Written> {
        let positions: Vec<_> = places(reads.words(POSITION_VX)?);
        let before = reads.words(CELL_COUNTS)?;
        let counted = grid_count(&self.grid, &positions);
        // A rank is what the counter held before: where it was not zero, ranks begin higher.
        let rank = |[cell, rank]: [u32; 2]| [cell, rank.wrapping_add(before[cell as usize])];
        let ranks = counted.cell_rank.into_iter().flat_map(rank).collect();
        let mut counts = before.to_vec();
        counts.iter_mut().zip(&counted.cell_counts).for_each(|(sum, count)| *sum = sum.wrapping_add(*count));
        Some(vec![(CELL_COUNTS, counts), (CELL_RANK, ranks)])
    }

    fn scan_reduce(&self, reads: &Reads<'_>) -> Option<Written> {
        let counts = &reads.words(CELL_COUNTS)?[..self.cells()];
        let mut sums = reads.base(BLOCK_SUMS)?;
        sums[..self.blocks()].copy_from_slice(&scan_reduce(counts));
        Some(vec![(BLOCK_SUMS, sums), (BLOCK_CROWDING, bytemuck::cast_slice(&block_crowding(counts)).to_vec())])
    }

    fn scan_downsweep(&self, operation: &Operation, reads: &Reads<'_>) -> Option<Written> {
        let counts = &reads.words(CELL_COUNTS)?[..self.cells()];
        let starts = scan_downsweep(counts, reads.words(BLOCK_SUMS)?, self.settings.boids);
        let mut all = reads.base(CELL_STARTS)?;
        all.fill(self.settings.boids);
        all[..starts.len()].copy_from_slice(&starts);
        let blocks = reads.words(BLOCK_CROWDING)?;
        let fullest = blocks.chunks_exact(2).map(|block| block[0]).max().unwrap_or(0);
        let squares: f32 = blocks.chunks_exact(2).map(|block| f32::from_bits(block[1])).sum();
        let mut reports = reads.base(CROWDING)?;
        let entry = 2 * (operation.frame % CROWDING_REPORTS as usize);
        reports[entry..entry + 2].copy_from_slice(&[fullest, squares.to_bits()]);
        Some(vec![(CELL_STARTS, all), (CROWDING, reports)])
    }

    fn sort_list(&self, reads: &Reads<'_>) -> Option<Written> {
        let starts = reads.words(CELL_STARTS)?;
        let mut members = reads.base(CELL_MEMBERS)?;
        for (found, &id) in reads.words(CELL_RANK)?.chunks_exact(2).zip(reads.words(BOID_ID)?) {
            let place = starts.get(found[0] as usize).map(|start| start.wrapping_add(found[1]) as usize);
            if let Some(place) = place.filter(|&place| place < self.boids()) {
                members[place] = id;
            }
        }
        Some(vec![(CELL_MEMBERS, members)])
    }

    fn sort_scatter(&self, reads: &Reads<'_>) -> Option<Written> {
        let [positions, velocities, ids] =
            [reads.words(POSITION_VX)?, reads.words(VELOCITY_YZ)?, reads.words(BOID_ID)?];
        let (starts, members) = (reads.words(CELL_STARTS)?, reads.words(CELL_MEMBERS)?);
        let ranks = reads.words(CELL_RANK)?;
        let mut written: Written = Vec::new();
        for name in SORTED {
            written.push((name, reads.base(name)?));
        }
        let mut quantized = self.quantized().then(|| reads.base(SORTED_QUANTIZED)).flatten();
        let scale = quanta::quanta(&self.grid, self.settings.search_radius());
        for (boid, position) in places(positions).into_iter().enumerate() {
            let cell = grid::cell_id(&self.grid, grid::cell_of(&self.grid, position)) as usize;
            let (start, end) = (starts[cell] as usize, starts[cell + 1] as usize);
            let place = match members[..self.boids()].get(start..end) {
                Some(listed) => start + listed.iter().filter(|id| **id < ids[boid]).count(),
                None => start.wrapping_add(ranks[2 * boid + 1] as usize),
            };
            if place >= self.boids() {
                continue;
            }
            written[0].1[4 * place..4 * place + 4].copy_from_slice(&positions[4 * boid..4 * boid + 4]);
            written[1].1[2 * place..2 * place + 2].copy_from_slice(&velocities[2 * boid..2 * boid + 2]);
            written[2].1[place] = ids[boid];
            if let Some(quantized) = &mut quantized {
                quantized[place] = sort_scatter::quantized(&self.grid, &scale, &[position])[0];
            }
        }
        written.extend(quantized.map(|quantized| (SORTED_QUANTIZED, quantized)));
        Some(written)
    }

    fn quantized(&self) -> bool {
        self.settings.search.info().quantized
    }

    fn steer(&self, operation: &Operation, reads: &Reads<'_>) -> Option<Written> {
        // The twin finds the leader and hunters itself, instead of reading where find_leader has left them.
        if self.settings.leader.is_some()
            || self.settings.has_hunters()
            || self.settings.search.grid() == GridKind::BitonicSorted
        {
            return None;
        }
        let flock = unpacked([reads.words(SORTED[0])?, reads.words(SORTED[1])?, reads.words(SORTED[2])?]);
        let sorted = self.settings.search.grid() == GridKind::CountingSorted;
        let starts = if sorted { reads.words(CELL_STARTS)? } else { &[] };
        let quantized = match self.quantized() {
            true => Some(Quantized {
                quanta: quanta::quanta(&self.grid, self.settings.search_radius()),
                positions: reads.words(SORTED_QUANTIZED)?.to_vec(),
            }),
            false => None,
        };
        let mut ordered = Ordered {
            search: self.settings.search,
            grid: self.grid,
            radius: self.settings.search_radius(),
            perception: Perception::of(&self.settings.step_params(0)),
            chords: self.chords,
            flock,
            cell_starts: starts.iter().map(|&start| start.min(self.settings.boids)).collect(),
            cell_ranges: Vec::new(),
            quantized,
        };
        let moved = steer::steer(&self.settings, &self.settings.step_params(operation.frame as u32), &ordered);
        steer::store(moved, &mut ordered.flock);
        Some(packed(&ordered.flock).into_iter().collect())
    }

    fn cull(&self, reads: &Reads<'_>) -> Option<Written> {
        let Seen { params, figure } = self.seen.as_ref()?;
        let state = unpacked([reads.words(POSITION_VX)?, reads.words(VELOCITY_YZ)?, reads.words(BOID_ID)?]);
        let starts: Vec<u32> = reads.words(CELL_STARTS)?.iter().map(|&start| start.min(self.settings.boids)).collect();
        let mut draws = reads.words(DRAW_COMMANDS)?.to_vec();
        let mut samples: Vec<u32> = reads.words(SAMPLES)?.to_vec();
        let mut list = reads.base(VISIBLE_BOIDS).unwrap_or_default();
        list.resize(self.boids() * size_of::<VisibleBoid>() / 4, 0);
        let near = &mut draws[(DRAW_NEAR as usize) * size_of::<DrawCommand>() / 4 + 1];
        for (boid, fate) in
            cull((params, &self.settings.obstacles), &figure.far, figure.pose, &state, &starts).into_iter().enumerate()
        {
            let Fate::Near(_) = fate else { continue };
            let entry = VisibleBoid {
                position: state.position[boid],
                id: state.id[boid],
                velocity: state.velocity[boid],
                ..VisibleBoid::zeroed()
            };
            let words: &[u32] = bytemuck::cast_slice(std::slice::from_ref(&entry));
            let at = *near as usize * words.len();
            if let Some(place) = list.get_mut(at..at + words.len()) {
                place.copy_from_slice(words);
            }
            *near = near.wrapping_add(1);
        }
        // The greater depth, as a number, is the nearer one.
        let found = depths((params, &self.settings.obstacles), &figure.far, figure.pose, &state, &starts, &[]);
        for (sample, depth) in samples.iter_mut().zip(found.iter().flatten()) {
            *sample = (*sample).max(depth.to_bits());
        }
        Some(vec![(DRAW_COMMANDS, draws), (SAMPLES, samples), (VISIBLE_BOIDS, list)])
    }
}

const SORTED: [Resource; 3] = [SORTED_POSITION_VX, SORTED_VELOCITY_YZ, SORTED_BOID_ID];

fn places(position_vx: &[u32]) -> Vec<glam::Vec3> {
    let place = |of: &[u32]| glam::Vec3::from_array([of[0], of[1], of[2]].map(f32::from_bits));
    position_vx.chunks_exact(4).map(place).collect()
}
