//! The CPU engine: the same flock on one core or all of them, without Vulkan.
//!
//! The laws are those of [`laws`](crate::laws) in single precision, with eight lanes for neighbors and sixteen for
//! steering. Grid and cell order are those of the GPU. `docs/performance.md` lists the gain of each optimization.
//!
//! Boids read the state before the step and write a separate state after it. The order of sums depends only on the
//! flock, so every number of threads gives the same bits.

/// `fearless_simd::dispatch`, but SSE2 stands in for SSE4.2. Each instruction set is another copy of every law, and all
/// of them take longer to compile than all tests of the engine take: a build for tests, which is hardly optimized, has
/// one on x86-64. Its functions need no features of their own, so there what all laws share is not inlined into each
/// (`cfg_attr(not(one_instruction_set), inline(always))`): the engine compiles in half of the time.
macro_rules! dispatch {
    ($level:expr, $simd:ident => $work:expr) => {{
        #[cfg(target_arch = "x86_64")]
        {
            match ($level.as_avx512(), $level.as_avx2()) {
                #[cfg(not(one_instruction_set))]
                (Some($simd), _) => $work,
                #[cfg(not(one_instruction_set))]
                (_, Some($simd)) => $work,
                _ => {
                    let $simd = $level.as_sse2().expect("x86-64 has it");
                    $work
                }
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            fearless_simd::dispatch!($level, $simd => $work)
        }
    }};
}

mod ahead;
mod look;
mod rows;
mod sort;
mod state;
mod steer;

pub use ahead::{Ahead, Taken};
pub use sort::SortTimes;
use state::{Boid, State};

use crate::cancel::Cancel;
use crate::error::{Error, Result};
use crate::flock::layout::{MovementWeights, StepParams};
use crate::flock::{
    BoidState, EngineKind, Flock, HostState, Observation, OrderParameters, Search, Settings, Start, Steps, spawn,
};
use crate::host_memory;
use crate::laws::with_law;
use crate::reference::order::order_parameters;
use crate::vk::timeline;
use fearless_simd::Level;
use glam::Vec3;
use rayon::prelude::*;
use sort::Sorter;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};
use steer::{Candidates, Weighted};

/// Bytes of the host's memory that each boid takes: both states and the start, and what was measured while a state is
/// hashed, which takes more than a step or a file. Weights of influences are not counted.
const A_BOID: RangeInclusive<usize> = 2 * size_of::<Boid>() + size_of::<(Vec3, Vec3, u32)>()..=152;

/// Bytes of each thread's stack. Not optimized, as dependencies of another program may be, the steering among obstacles
/// takes over 2 MiB of it; optimized, less than 16 KiB.
const STACK: usize = if cfg!(unoptimized) { 8 << 20 } else { 2 << 20 };

/// How many threads an engine uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// One.
    One,
    /// One for each core, or what the environment variable `RAYON_NUM_THREADS` says.
    All,
}

/// A flock that the CPU steps.
pub struct Engine {
    settings: Settings,
    pool: rayon::ThreadPool,
    level: Level,
    state: State,
    /// The state before a step, in cell order where there are cells.
    before: State,
    sorter: Sorter,
    /// How much each influence counts for each boid, by identity; empty where there are none.
    weights: Vec<MovementWeights>,
    step: u32,
    times: StepTimes,
    /// The order parameters measured last, until they are taken.
    order: Option<OrderParameters>,
    cancel: Cancel,
}

/// How long each pass of a step took.
#[derive(Clone, Copy, Debug, Default)]
pub struct StepTimes {
    /// Sorting into cells; nothing where every boid is tested.
    pub sort: SortTimes,
    /// Visiting the neighbors, and moving.
    pub steer: Duration,
    /// All of it.
    pub step: Duration,
}

impl Engine {
    /// Spawns the flock of `settings`, whose engine is ignored; the search must be available on the CPU.
    ///
    /// # Errors
    /// [`Error::Setting`] for settings out of range and for a search that only the GPU has; [`Error::TooLarge`] for a
    /// flock that the host's memory cannot hold; [`Error::Threads`].
    pub fn new(settings: &Settings, threads: Threads) -> Result<Engine> {
        let mut engine = Self::unplaced(settings, threads)?;
        engine.reset();
        Ok(engine)
    }

    /// The same with the boids in the state `start`.
    ///
    /// # Errors
    /// As [`Engine::new`].
    ///
    /// # Panics
    /// When its state does not have exactly the flock's count of boids.
    pub fn starting_from(settings: &Settings, threads: Threads, start: &Start<'_>) -> Result<Engine> {
        let mut engine = Self::unplaced(settings, threads)?;
        engine.set_state_at(start.state, start.step);
        Ok(engine)
    }

    /// Everything but the boids, which have no places yet.
    fn unplaced(settings: &Settings, threads: Threads) -> Result<Engine> {
        settings.validate()?;
        let kind = if threads == Threads::One { EngineKind::CpuSerial } else { EngineKind::Cpu };
        kind.check(settings.search)?;
        let builder = rayon::ThreadPoolBuilder::new().thread_name(|index| format!("flock {index}")).stack_size(STACK);
        let count = if threads == Threads::One { 1 } else { crate::threads::count()? };
        let pool = builder.num_threads(count).build().map_err(|error| Error::Threads(error.to_string()))?;
        let boids = settings.boids as usize;
        host_memory::check(settings.boids, A_BOID)?;
        let mut engine = Engine {
            settings: settings.clone(),
            pool,
            level: Level::new(),
            state: State::zeros(boids),
            before: State::zeros(boids),
            sorter: Sorter::default(),
            weights: Vec::new(),
            step: 0,
            times: StepTimes::default(),
            order: None,
            cancel: Cancel::default(),
        };
        engine.renew_weights();
        Ok(engine)
    }

    /// Ends a step early once `cancel` is requested: the flock is of no use then.
    #[must_use]
    pub fn cancelled_by(mut self, cancel: &Cancel) -> Engine {
        self.cancel = cancel.clone();
        self
    }

    /// Goes on with other settings from the next step on.
    ///
    /// # Errors
    /// As [`Engine::new`].
    ///
    /// # Panics
    /// When they have another count of boids.
    pub fn adjust(&mut self, settings: &Settings) -> Result<()> {
        settings.validate()?;
        EngineKind::Cpu.check(settings.search)?;
        assert_eq!(settings.boids, self.settings.boids, "the same boids");
        let is_same_world = self.settings.torus() == settings.torus();
        self.settings = settings.clone();
        self.renew_weights();
        if !is_same_world {
            // In another torus, each boid is somewhere between its walls.
            self.set_state_at(&self.state(), self.step);
        }
        Ok(())
    }

    /// Goes on with other settings from the next step on: as [`Engine::adjust`] does, or as another engine that has the
    /// boids of this one, wherever a [`Flock`] that shows it would be another. So both lead to the same bits.
    ///
    /// # Errors
    /// As [`Engine::new`]; then nothing has changed.
    ///
    /// # Panics
    /// When the laws of both settings differ, or they name no engine of the CPU.
    pub fn go_on(&mut self, settings: &Settings) -> Result<()> {
        if self.settings.goes_on_as(settings) {
            return self.adjust(settings);
        }
        let state = self.state().carried_over(&self.settings, settings);
        let start = Start { state: &state, step: self.step, crowding: None };
        let other = Engine::of(settings)?.expect("an engine of the CPU").cancelled_by(&self.cancel);
        *self = other;
        self.set_state_at(start.state, start.step);
        Ok(())
    }

    fn renew_weights(&mut self) {
        let settings = &self.settings;
        let influenced = if settings.has_weights() { settings.boids } else { 0 };
        self.weights = (0..influenced).map(|id| settings.movement_weights(id)).collect();
    }

    /// The engine that `settings` name; none where that is the GPU.
    ///
    /// # Errors
    /// As [`Engine::new`].
    pub fn of(settings: &Settings) -> Result<Option<Engine>> {
        match settings.engine {
            EngineKind::Gpu => Ok(None),
            EngineKind::Cpu => Engine::new(settings, Threads::All).map(Some),
            EngineKind::CpuSerial => Engine::new(settings, Threads::One).map(Some),
        }
    }

    /// Resets to step 0 and the spawned state.
    pub fn reset(&mut self) {
        // By identity, or by cell and identity, which the first sort makes the same.
        self.state.set(&spawn(&self.settings), self.settings.torus());
        self.step = 0;
    }

    /// Replaces the state of every boid, and says how many steps led to it.
    ///
    /// # Panics
    /// When `state` does not have exactly the flock's count of boids.
    pub fn set_state_at(&mut self, state: &BoidState, step: u32) {
        self.state.set(&state.to_start_from(), self.settings.torus());
        self.step = step;
    }

    /// Goes on from `state`, which [`Engine::state`] of an engine with the same settings returned after `step` steps,
    /// with the same bits: unlike [`Engine::set_state_at`], this keeps the order of storage.
    ///
    /// # Panics
    /// When `state` does not have exactly the flock's count of boids.
    pub fn resume(&mut self, state: &BoidState, step: u32) {
        self.state.set(state, None);
        self.step = step;
    }

    /// Sets each boid's weights for the influences; entry `i` is for boid `i`.
    ///
    /// # Panics
    /// When there is not one entry for each boid, or no weights are read ([`Settings::has_weights`]).
    pub fn set_movement_weights(&mut self, weights: &[MovementWeights]) {
        assert!(self.settings.has_weights(), "settings with weights");
        assert_eq!(weights.len(), self.settings.boids as usize, "weights of all boids");
        self.weights.copy_from_slice(weights);
    }

    /// Takes `steps` steps and measures order parameters before the last one, as the kernels do; [`Engine::take_order`]
    /// returns them.
    pub fn advance_observed(&mut self, steps: u32) {
        self.advance(steps.saturating_sub(1));
        self.order = Some(self.order());
        self.advance(steps.min(1));
    }

    /// The order parameters of [`Engine::advance_observed`], once.
    pub fn take_order(&mut self) -> Option<OrderParameters> {
        self.order.take()
    }

    /// The order parameters, by the kernels' twin: in double precision, and slow.
    pub fn order(&self) -> OrderParameters {
        self.pool.install(|| order_parameters(&self.settings, &self.state(), self.step))
    }

    /// Takes `steps` steps.
    pub fn advance(&mut self, steps: u32) {
        for _ in 0..steps {
            let _step = tracing::trace_span!(target: timeline::TARGET, "flock step").entered();
            let params = self.settings.step_params(self.step);
            self.times = self.take_step(&params);
            self.step += 1;
        }
    }

    fn take_step(&mut self, params: &StepParams) -> StepTimes {
        let Engine { settings, pool, level, state, before, sorter, weights, cancel, .. } = self;
        let begun = Instant::now();
        pool.install(|| {
            let sort = match settings.search {
                Search::AllPairs => {
                    std::mem::swap(state, before);
                    SortTimes::default()
                }
                _ => sorter.sort(*level, &params.grid, state, before),
            };
            let candidates = match settings.search {
                Search::AllPairs => Candidates::All,
                _ => Candidates::Rows(sorter.starts()),
            };
            let steering = Instant::now();
            let leader =
                settings.leader.and_then(|leader| before.boids().par_iter().find_any(|boid| boid.id == leader));
            let influences = Weighted {
                bits: settings.influences(),
                weights,
                leader: leader.map(|boid| boid.position),
                obstacles: &settings.obstacles,
                hunters: &params.kinds.hunters(before.boids().iter().map(|boid| (boid.id, boid.position))),
            };
            let flock = (&*before, &mut *state);
            with_law!(settings.law, T => steer::steer::<T>(*level, params, candidates, influences, flock, cancel));
            StepTimes { sort, steer: steering.elapsed(), step: begun.elapsed() }
        })
    }

    /// The flock, in the order of the last sort.
    pub fn state(&self) -> BoidState {
        self.state.get()
    }

    /// Steps taken since the start.
    pub fn step(&self) -> u32 {
        self.step
    }

    /// How long the last step took.
    pub fn times(&self) -> StepTimes {
        self.times
    }

    /// Threads that step it.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// The settings it was made with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The instruction set in use.
    pub fn instructions(&self) -> String {
        // By name, because the variants depend on the target architecture.
        let level = format!("{:?}", self.level);
        match level.split('(').next().unwrap_or_default() {
            "Avx512" => "AVX-512",
            "Avx2" => "AVX2",
            "Sse4_2" | "Sse2" => "SSE2",
            "Neon" => "NEON",
            other => other,
        }
        .to_owned()
    }
}

/// Steps `flock` by `steps` on its engine, for frame slot `slot`, which the device no longer uses: on the CPU now, on
/// the GPU when the recorded commands are submitted. `observed` is what the last step observes; on the CPU only
/// [`Observation::Order`] has an effect.
pub fn prepare(
    engine: Option<&mut Engine>,
    flock: &mut Flock,
    slot: usize,
    steps: u32,
    observed: Option<Observation>,
) -> Steps {
    // A picture between two steps has slots of its own: those of the flock's steps may be in flight.
    if steps == 0 {
        return Steps::new();
    }
    let Some(engine) = engine else {
        return match observed {
            None => flock.prepare_steps(slot, steps),
            Some(what) => flock.prepare_observed_steps(slot, steps, what),
        };
    };
    match observed {
        Some(Observation::Order) => engine.advance_observed(steps),
        _ => engine.advance(steps),
    }
    flock.prepare_upload(slot, engine.step(), engine).into_iter().collect()
}

impl HostState for Engine {
    fn boid(&self, i: usize) -> (Vec3, Vec3, u32) {
        let Boid { position, velocity, id } = self.state.boids()[i];
        (position, velocity, id)
    }

    fn cell_starts(&self) -> &[u32] {
        self.sorter.starts()
    }
}
