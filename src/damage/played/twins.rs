//! The passes that can be played: the twins of their kernels, on words of memory that may hold anything.
//!
//! Where a kernel checks indices in a frame that is broken on purpose, so does this: an access out of range reads zero
//! or writes nothing.

use super::memory::{Content, Memory, packed, unpacked};
use crate::flock::layout::{Chords, Grid};
use crate::flock::search::GridKind;
use crate::flock::{Settings, grid, quanta};
use crate::limits::{CROWDING_REPORTS, DRAW_NEAR, SAMPLES};
use crate::reference::cull::{Fate, cull};
use crate::reference::grid_count::grid_count;
use crate::reference::scan_downsweep::scan_downsweep;
use crate::reference::scan_reduce::{block_crowding, scan_reduce};
use crate::reference::scan_spine::scan_spine;
use crate::reference::splat::depths;
use crate::reference::{Ordered, Quantized, sort_scatter, steer};
use crate::render::clips::Figure;
use crate::render::layout::{DrawCommand, SceneParams, VisibleBoid};
use crate::sync::Act;
use bytemuck::Zeroable;
use std::collections::BTreeMap;

/// What the picture's twins need besides the flock.
pub struct Seen {
    pub params: SceneParams,
    pub figure: std::sync::Arc<Figure>,
}

/// A flock's twins.
pub struct Twins {
    pub settings: Settings,
    pub seen: Option<Seen>,
    pub grid: Grid,
    pub chords: Chords,
}

/// What a pass reads, by name; and the memory that it writes into.
pub struct Reads<'a> {
    pub found: &'a BTreeMap<&'static str, Content>,
    pub memory: &'a Memory,
}

type Written = Vec<(&'static str, Vec<u32>)>;

impl Reads<'_> {
    /// The words of a resource as the pass finds it; without a declared use, as it is.
    fn words(&self, name: &str) -> Option<&[u32]> {
        match self.found.get(name) {
            Some(found) => found.words(),
            None => Some(self.memory.words(name)).filter(|words| !words.is_empty()),
        }
    }

    /// What a resource that is written in part holds before.
    fn base(&self, name: &'static str) -> Option<Vec<u32>> {
        self.memory.get(name).words().map(<[u32]>::to_vec)
    }
}

impl Twins {
    pub fn new(settings: &Settings, seen: Option<Seen>) -> Twins {
        let grid = settings.grid();
        let chords = quanta::chords(&grid, settings.search_radius());
        Twins { settings: settings.clone(), seen, grid, chords }
    }

    /// What the pass writes, given what it reads; none for a pass without a twin, or one that reads what has no words.
    pub fn play(&self, act: &Act, reads: &Reads<'_>) -> Option<Written> {
        match act.name {
            "grid_clear" => Some(vec![("cell_counts", vec![0; reads.base("cell_counts")?.len()])]),
            "grid_count" => self.grid_count(reads),
            "scan_reduce" => self.scan_reduce(reads),
            "scan_spine" => {
                let mut sums = reads.words("block_sums")?.to_vec();
                let blocks = self.blocks();
                scan_spine(&mut sums[..blocks]);
                Some(vec![("block_sums", sums)])
            }
            "scan_downsweep" => self.scan_downsweep(act, reads),
            "sort_list" => self.sort_list(reads),
            "sort_scatter" => self.sort_scatter(reads),
            "state_copy" => {
                let copied = |(from, to)| Some((to, reads.words(from)?.to_vec()));
                [("position_vx", SORTED[0]), ("velocity_yz", SORTED[1]), ("boid_id", SORTED[2])]
                    .map(copied)
                    .into_iter()
                    .collect()
            }
            "steer" => self.steer(act, reads),
            "samples_clear" => {
                let params = &self.seen.as_ref()?.params;
                Some(vec![("samples", vec![0; (SAMPLES * params.width * params.height) as usize])])
            }
            "draw_reset" => Some(vec![("draw_commands", vec![0; size_of::<DrawCommand>() / 4])]),
            "cull" => self.cull(reads),
            _ => None,
        }
    }

    fn blocks(&self) -> usize {
        self.grid.cell_count.div_ceil(crate::limits::SCAN_BLOCK) as usize
    }

    fn cells(&self) -> usize {
        self.grid.cell_count as usize
    }

    fn boids(&self) -> usize {
        self.settings.boids as usize
    }

    fn grid_count(&self, reads: &Reads<'_>) -> Option<Written> {
        let positions: Vec<_> = places(reads.words("position_vx")?);
        let before = reads.words("cell_counts")?;
        let counted = grid_count(&self.grid, &positions);
        // A rank is what the counter held before: where it was not zero, ranks begin higher.
        let rank = |[cell, rank]: [u32; 2]| [cell, rank.wrapping_add(before[cell as usize])];
        let ranks = counted.cell_rank.into_iter().flat_map(rank).collect();
        let mut counts = before.to_vec();
        counts.iter_mut().zip(&counted.cell_counts).for_each(|(sum, count)| *sum = sum.wrapping_add(*count));
        Some(vec![("cell_counts", counts), ("cell_rank", ranks)])
    }

    fn scan_reduce(&self, reads: &Reads<'_>) -> Option<Written> {
        let counts = &reads.words("cell_counts")?[..self.cells()];
        let mut sums = reads.base("block_sums")?;
        sums[..self.blocks()].copy_from_slice(&scan_reduce(counts));
        Some(vec![("block_sums", sums), ("block_crowding", bytemuck::cast_slice(&block_crowding(counts)).to_vec())])
    }

    fn scan_downsweep(&self, act: &Act, reads: &Reads<'_>) -> Option<Written> {
        let counts = &reads.words("cell_counts")?[..self.cells()];
        let starts = scan_downsweep(counts, reads.words("block_sums")?, self.settings.boids);
        let mut all = reads.base("cell_starts")?;
        all.fill(self.settings.boids);
        all[..starts.len()].copy_from_slice(&starts);
        let blocks = reads.words("block_crowding")?;
        let fullest = blocks.chunks_exact(2).map(|block| block[0]).max().unwrap_or(0);
        let squares: f32 = blocks.chunks_exact(2).map(|block| f32::from_bits(block[1])).sum();
        let mut reports = reads.base("crowding")?;
        let entry = 2 * (act.frame % CROWDING_REPORTS as usize);
        reports[entry..entry + 2].copy_from_slice(&[fullest, squares.to_bits()]);
        Some(vec![("cell_starts", all), ("crowding", reports)])
    }

    fn sort_list(&self, reads: &Reads<'_>) -> Option<Written> {
        let starts = reads.words("cell_starts")?;
        let mut members = reads.base("cell_members")?;
        for (found, &id) in reads.words("cell_rank")?.chunks_exact(2).zip(reads.words("boid_id")?) {
            let place = starts.get(found[0] as usize).map(|start| start.wrapping_add(found[1]) as usize);
            if let Some(place) = place.filter(|&place| place < self.boids()) {
                members[place] = id;
            }
        }
        Some(vec![("cell_members", members)])
    }

    fn sort_scatter(&self, reads: &Reads<'_>) -> Option<Written> {
        let [positions, velocities, ids] =
            [reads.words("position_vx")?, reads.words("velocity_yz")?, reads.words("boid_id")?];
        let (starts, members) = (reads.words("cell_starts")?, reads.words("cell_members")?);
        let ranks = reads.words("cell_rank")?;
        let mut written: Written = Vec::new();
        for name in SORTED {
            written.push((name, reads.base(name)?));
        }
        let mut quantized = self.quantized().then(|| reads.base("sorted_quantized")).flatten();
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
        written.extend(quantized.map(|quantized| ("sorted_quantized", quantized)));
        Some(written)
    }

    fn quantized(&self) -> bool {
        self.settings.search.info().quantized
    }

    fn steer(&self, act: &Act, reads: &Reads<'_>) -> Option<Written> {
        // The twin of the leader's pull finds the leader itself, instead of reading where find_leader has left it.
        if self.settings.leader.is_some() || self.settings.search.grid() == GridKind::BitonicSorted {
            return None;
        }
        let flock = unpacked([reads.words(SORTED[0])?, reads.words(SORTED[1])?, reads.words(SORTED[2])?]);
        let sorted = self.settings.search.grid() == GridKind::CountingSorted;
        let starts = if sorted { reads.words("cell_starts")? } else { &[] };
        let quantized = match self.quantized() {
            true => Some(Quantized {
                quanta: quanta::quanta(&self.grid, self.settings.search_radius()),
                positions: reads.words("sorted_quantized")?.to_vec(),
            }),
            false => None,
        };
        let mut ordered = Ordered {
            search: self.settings.search,
            grid: self.grid,
            radius: self.settings.search_radius(),
            chords: self.chords,
            flock,
            cell_starts: starts.iter().map(|&start| start.min(self.settings.boids)).collect(),
            cell_ranges: Vec::new(),
            quantized,
        };
        let moved = steer::steer(&self.settings, &self.settings.step_params(act.frame as u32), &ordered);
        steer::store(moved, &mut ordered.flock);
        Some(packed(&ordered.flock).into_iter().collect())
    }

    fn cull(&self, reads: &Reads<'_>) -> Option<Written> {
        let Seen { params, figure } = self.seen.as_ref()?;
        let state = unpacked([reads.words("position_vx")?, reads.words("velocity_yz")?, reads.words("boid_id")?]);
        let starts: Vec<u32> =
            reads.words("cell_starts")?.iter().map(|&start| start.min(self.settings.boids)).collect();
        let mut draws = reads.words("draw_commands")?.to_vec();
        let mut samples: Vec<u32> = reads.words("samples")?.to_vec();
        let mut list = reads.base("visible_boids").unwrap_or_default();
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
        Some(vec![("draw_commands", draws), ("samples", samples), ("visible_boids", list)])
    }
}

const SORTED: [&str; 3] = ["sorted_position_vx", "sorted_velocity_yz", "sorted_boid_id"];

fn places(position_vx: &[u32]) -> Vec<glam::Vec3> {
    let place = |of: &[u32]| glam::Vec3::from_array([of[0], of[1], of[2]].map(f32::from_bits));
    position_vx.chunks_exact(4).map(place).collect()
}
