//! The example's frames are proven, and what is planted into them is found and named.

#[path = "../examples/pingpong/program.rs"]
mod program;

use barrier_proof::kernels::{Kernel, Modules as _};
use barrier_proof::prove::{Program, Proof, Scope, prove};
use barrier_proof::replay::{Content, Element, FRAMES, Memory, Reads, Replayer, Twins};
use barrier_proof::{
    Fault, Hazard, Journal, MaskBit, Masks, Operation, Rehearsal, Resource, Stage, between, dependency, null_driver,
};
use program::gpu::Gpu;
use program::{Diffusion, EDGE, FIELDS, OneKind, PING, PONG, Shaders};
use std::collections::BTreeSet;

fn null() -> Gpu {
    Gpu::new(null_driver::entry()).expect("its calls do not fail")
}

fn proof(gpu: &Gpu, planted: &[Fault]) -> Proof<OneKind> {
    let rehearse = |_: &OneKind| Diffusion::new(gpu);
    let program =
        Program { frames: &[OneKind], rehearse: &rehearse, modules: &Shaders, planted, scope: Scope::default() };
    prove::<_, ash::vk::Result>(&program, |_| Ok(())).expect("the device is not lost")
}

fn journals(gpu: &Gpu, rounds: &[u32]) -> Vec<Journal> {
    Diffusion::new(gpu).and_then(|mut program| program.journals(rounds, &[])).expect("it can be recorded")
}

#[test]
fn the_frames_are_proven_without_a_driver() {
    let proof = proof(&null(), &[]);
    assert!(proof.holds(), "{proof}");
    assert_eq!((proof.mutants.len(), proof.survivors().count(), proof.kernels), (27, 0, 3), "{proof}");
}

/// Where there is a driver: with the validation layer, if that is installed.
#[test]
fn the_frames_are_proven_as_they_run() {
    // SAFETY: the loader is a system library.
    let Some(gpu) = unsafe { ash::Entry::load() }.ok().and_then(|entry| Gpu::new(entry).ok()) else { return };
    let proof = proof(&gpu, &[]);
    assert!(proof.holds() && proof.hosts == 1, "{proof}");
    let by_layer = proof.mutants.iter().filter(|mutant| mutant.layer.is_some()).count();
    assert!(by_layer >= if gpu.validating { 20 } else { 0 }, "{proof}");
    let picture = Diffusion::new(&gpu).and_then(|mut program| program.show(50)).expect("the device is not lost");
    let red = |x: usize, y: usize| picture[4 * (EDGE * y + x)];
    let middle = EDGE / 2;
    assert!(
        red(middle, middle) == 255 && red(middle + 2, middle) > red(middle + 8, middle),
        "heat spreads from the middle"
    );
}

#[test]
fn dependencies_say_what_happens_without_them() {
    let frames = journals(&null(), &[2, 2, 1, 3]);
    for (name, conflicts) in between(&frames) {
        let said = frames[0].dependencies().find(|of| of.name == name).expect("each frame has all");
        let hazards: BTreeSet<Hazard> = said.hazards.iter().copied().collect();
        let guards: BTreeSet<Resource> = said.guards.iter().copied().collect();
        assert_eq!(barrier_proof::between::hazards(&conflicts), hazards, "{name}");
        assert_eq!(conflicts.iter().map(|of| of.resource).collect::<BTreeSet<_>>(), guards, "{name}");
    }
}

#[test]
fn a_missing_barrier_is_found_and_named() {
    for (name, said) in [
        ("draw-to-diffuse", "frame: the checker finds WAR on ping: draw of the previous frame → ping"),
        ("diffuse-to-diffuse", "frame: the checker finds RAW on pong: pong → ping"),
        ("diffuse-to-draw", "frame: the checker finds RAW on ping: ping → draw"),
        ("copy-to-draw", "frame: the checker finds layout on picture: no access → draw"),
        ("draw-to-copy", "frame: the checker finds RAW on picture: draw → copy"),
        ("copy-to-host", "frame: the checker finds RAW on pixels: copy → host"),
    ] {
        let proof = proof(&null(), &[Fault::Omit(name.into())]);
        assert!(!proof.holds() && proof.findings.iter().any(|finding| finding == said), "{name}: {proof}");
    }
}

#[test]
fn a_barrier_that_is_too_wide_is_found_and_named() {
    let wide = dependency!("", [], [], (ALL_COMMANDS, MEMORY_WRITE) => (ALL_COMMANDS, MEMORY_READ), "").masks();
    let exact =
        dependency!("", [], [], (COLOR_ATTACHMENT_OUTPUT, COLOR_ATTACHMENT_WRITE) => (COPY, TRANSFER_READ), "").masks();
    let proof = proof(&null(), &[Fault::Replace("draw-to-copy".into(), wide)]);
    assert!(proof.findings.is_empty() && !proof.holds(), "{proof}");
    let found: Vec<(&str, Masks)> = proof.wide().map(|width| (width.name, width.needed)).collect();
    assert!(found.contains(&("draw-to-copy", exact)), "{proof}");
    // One stage more than needed is one bit whose removal nothing detects.
    let more = Masks { dst_stage: exact.dst_stage | Stage::CLEAR, ..exact };
    let proof = self::proof(&null(), &[Fault::Replace("draw-to-copy".into(), more)]);
    let survivors: Vec<_> = proof.survivors().map(|mutant| (mutant.dependency, mutant.bit)).collect();
    assert_eq!(survivors, [("draw-to-copy", Some(MaskBit::DestinationStage(Stage::CLEAR)))], "{proof}");
}

#[test]
fn a_redundant_barrier_is_found_and_named() {
    let plant = |dependency| proof(&null(), &[Fault::Plant { before: "ping".into(), dependency }]);
    let nothing = plant(dependency!("clear-to-ping", [War], [PING], (CLEAR, NONE) => (COMPUTE_SHADER, NONE), ""));
    assert!(nothing.findings.is_empty() && !nothing.holds(), "{nothing}");
    assert!(
        nothing.survivors().count() == 3 && nothing.survivors().all(|of| of.dependency == "clear-to-ping"),
        "{nothing}"
    );
    assert!(nothing.to_string().contains("redundant: clear-to-ping, the whole of it\n"), "{nothing}");
    // With this one, draw-to-copy makes a chain from the draw: draw-to-diffuse is not needed any more.
    let chain = plant(dependency!("copy-to-ping", [War], [PING], (COPY, NONE) => (COMPUTE_SHADER, NONE), ""));
    let redundant: BTreeSet<&str> = chain.survivors().map(|mutant| mutant.dependency).collect();
    assert_eq!(redundant, BTreeSet::from(["copy-to-ping", "draw-to-diffuse"]), "{chain}");
}

#[test]
fn a_pass_that_does_not_declare_what_its_shader_does_is_found() {
    let mut journal = journals(&null(), &[2]).remove(0);
    let mut kernels = barrier_proof::kernels::Kernels::new(&Shaders);
    kernels.check(&journal);
    assert_eq!(kernels.findings, BTreeSet::new());
    for entry in &mut journal.entries {
        if let barrier_proof::JournalEntry::Pass(pass) = entry {
            pass.uses.retain(|of| (pass.name, of.resource) != ("ping", PONG));
        }
    }
    kernels.check(&journal);
    assert_eq!(
        kernels.findings,
        BTreeSet::from(["diffuse.comp reads pong, which the pass ping does not declare".into()])
    );
}

#[test]
fn a_module_that_is_cut_off_is_refused() {
    let words = Shaders.words("diffuse.comp").expect("it is built in");
    let read = |words: &[u32]| Kernel::read(words, &[], &Shaders).map(|kernel| kernel.uses().len());
    assert_eq!(read(&words), Ok(2));
    assert!((0..words.len()).all(|end| read(&words[..end]).is_err()));
}

/// What the kernel computes, and how many cells are wrong in the end.
struct Cells;

impl Twins for Cells {
    type Damage = usize;

    fn play(&self, pass: &Operation, reads: &Reads<'_>) -> Option<Vec<(Resource, Vec<u32>)>> {
        let [from, to] = match pass.name {
            "pong" => [PING, PONG],
            "ping" => [PONG, PING],
            _ => return None,
        };
        let old: Vec<f32> = reads.words(from)?.iter().map(|&word| f32::from_bits(word)).collect();
        let cell = |x: usize, y: usize| old[y % EDGE * EDGE + x % EDGE];
        let mean = |x, y| 0.25 * (cell(x + 1, y) + cell(x + EDGE - 1, y) + cell(x, y + 1) + cell(x, y + EDGE - 1));
        let heat = |at: usize| {
            let (x, y) = (at % EDGE, at / EDGE);
            if (x, y) == (EDGE / 2, EDGE / 2) { 1.0 } else { mean(x, y) }
        };
        Some(vec![(to, (0..EDGE * EDGE).map(|at| heat(at).to_bits()).collect())])
    }

    fn element(&self, _: Resource) -> Element {
        Element { words: 1, float: true }
    }

    fn damage(&self, broken: &Memory, intact: &Memory) -> usize {
        let wrong = |of: Resource| broken.words(of).iter().zip(intact.words(of)).filter(|(a, b)| a != b).count();
        FIELDS.into_iter().map(wrong).sum()
    }

    fn severity(damage: &usize) -> u64 {
        *damage as u64
    }
}

#[test]
fn what_may_happen_without_a_barrier_is_replayed() {
    let mut start = Memory::default();
    FIELDS.into_iter().for_each(|of| start.set(of, Content::of(vec![0; EDGE * EDGE])));
    let replayer = Replayer::new(journals(&null(), &[2; FRAMES]), start, Cells);
    let replay = |name: &str| replayer.replay(&Fault::Omit(name.into())).expect("something may happen");
    // Heat spreads by two cells a frame: a round that reads what the one before has not written yet loses some of it.
    let lost = replay("diffuse-to-diffuse");
    assert_eq!(lost.what, "ping reads pong as before pong wrote");
    assert!(lost.damage > 0 && lost.corrupt[0].resource == PONG, "{lost:?}");
    // The draw is followed by its uses: the field is intact, the picture is not, and so are the pixels that the host
    // reads.
    let stale = replay("diffuse-to-draw");
    assert_eq!((stale.what.as_str(), stale.damage, stale.results), ("draw reads ping as before ping wrote", 0, 1));
    assert!(stale.untwinned.contains("copy"), "{stale:?}");
    assert_eq!(replay("draw-to-diffuse").what, "ping runs before draw of the previous frame");
    assert_eq!(replayer.replay(&Fault::Omit("none of these".into())), None);
}
