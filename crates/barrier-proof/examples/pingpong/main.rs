//! A small Vulkan program, and the proof of its synchronization: `cargo run -p barrier-proof --example pingpong`.
//!
//! With a Vulkan driver, it runs: frames in flight, under the validation layer where that is installed. Without one,
//! frames are recorded with the null driver, and the checker alone judges them.

mod program;

use ash::vk;
use barrier_proof::null_driver;
use barrier_proof::prove::{Program, Proof, Scope, prove};
use program::gpu::Gpu;
use program::{Diffusion, EDGE, OneKind, Shaders};

fn main() -> Result<(), vk::Result> {
    // SAFETY: the loader is a system library, and outlives what is made by it.
    let entry = unsafe { ash::Entry::load() }.ok();
    let found = entry.map(Gpu::new).and_then(Result::ok);
    let gpu = found.map_or_else(|| Gpu::new(null_driver::entry()), Ok)?;
    gpu.watch.judge(&[]);
    let picture = Diffusion::new(&gpu)?.show(200)?;
    let warm = picture.chunks_exact(4).filter(|pixel| pixel[0] > 25).count();
    match gpu.runs {
        true => println!("after 200 rounds, {warm} of {} cells are warm", EDGE * EDGE),
        false => println!("no driver was found: nothing runs, and the frames are only recorded"),
    }
    println!("judged as it ran: {}", gpu.watch.seen());
    let rehearse = |_: &OneKind| Diffusion::new(&gpu);
    let program =
        Program { frames: &[OneKind], rehearse: &rehearse, modules: &Shaders, planted: &[], scope: Scope::default() };
    let proof: Proof<OneKind> = prove::<_, vk::Result>(&program, |_| Ok(()))?;
    let layer = if gpu.validating { "with" } else { "without" };
    println!("{proof}\n{}, {layer} the validation layer", if proof.holds() { "proven" } else { "NOT PROVEN" });
    Ok(())
}
