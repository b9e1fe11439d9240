//! `starlings bake`: an animated model becomes frames that a flock can be drawn as.

use super::failure::Failure;
use super::numbers::{self, bytes, grouped};
use super::output::{create, existing, print};
use clap::Args;
use glam::DVec3;
use starlings::mesh::{Animated, BakeOptions, Baked};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Options of `starlings bake`.
#[derive(Args, Debug)]
#[command(after_help = "\
Read are the default scene of glTF 2.0 with its nodes, morph targets, skins and animations, material colors and vertex \
colors, but no textures; of OBJ only triangles. The model becomes as long as a boid in its first frame, unless a wing \
would be farther than 0.75 lengths from the middle.

Clips of a bird are flap, glide, fold, bank-left, bank-right and perch, those of a fish swim and rest. Without any \
--clip, an animation whose name contains that of a clip is that clip; if there is none, the first animation is flap. A \
model without animations is one frame, glide.

Examples:
  starlings bake gull.glb
  starlings bake gull.glb --clip flap=Fly --clip glide=Soar --frames 24 --out birds.npz
  starlings bake carp.gltf --clip swim=0 --front -x --up +z")]
pub struct BakeArgs {
    /// Model: a file .glb, .gltf or .obj
    #[arg(value_name = "FILE")]
    model: PathBuf,
    /// File to write, ending in .npz [default: the model's name with .npz, in the current folder]
    #[arg(long, value_name = "FILE.npz")]
    out: Option<PathBuf>,
    /// Clip, and the name or the number from 0 of its animation; may be repeated [default: by the animations' names]
    #[arg(long, value_name = "NAME=ANIMATION", allow_hyphen_values = true, value_parser = clip)]
    clip: Vec<(String, String)>,
    /// Frames of each clip that moves, from 2 to 128
    #[arg(long, value_name = "COUNT", default_value = "32", allow_hyphen_values = true, value_parser = numbers::count(2, 128u32))]
    frames: u32,
    /// Where the model looks, in its own axes: +x, -x, +y, -y, +z or -z
    #[arg(long, value_name = "AXIS", default_value = "+z", allow_hyphen_values = true, value_parser = axis)]
    front: DVec3,
    /// Where the model's back is, in its own axes
    #[arg(long, value_name = "AXIS", default_value = "+y", allow_hyphen_values = true, value_parser = axis)]
    up: DVec3,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

pub fn run(args: &BakeArgs) -> Result<(), Failure> {
    if args.front.dot(args.up) != 0.0 {
        return Err(Failure::flag(
            "up",
            named(args.up),
            format!("an axis across that of the front, {}", named(args.front)),
        ));
    }
    let path = match &args.out {
        Some(path) => path.clone(),
        None => Path::new(args.model.file_stem().unwrap_or_default()).with_added_extension("npz"),
    };
    let out = create(&path, "out", "npz", existing(args.force))?;
    let options = BakeOptions { clips: args.clip.clone(), frames: args.frames, front: args.front, up: args.up };
    let baked = Animated::bake(&args.model, &options)?;
    if baked.has_textures {
        let name = args.model.display();
        tracing::warn!("{name} has textures, which are not read: its colors are those of materials and vertices");
    }
    let written = baked.animated.write(out)?;
    print(&format!("{}\n{}: {}", table(&baked), written.path.display(), bytes(written.bytes)))
}

/// What the model consists of.
fn table(baked: &Baked) -> String {
    let model = &baked.animated;
    let far = model.coarse.iter().flatten().collect::<HashSet<_>>().len();
    let row = |what: &str, near: usize, far: usize| {
        format!("{what:<12}{:>10}{:>10}\n", grouped(near as u64), grouped(far as u64))
    };
    let mut text = format!("{:<12}{:>10}{:>10}\n", "", "NEAR", "FAR");
    text += &row("vertices", model.vertices(), far);
    text += &row("triangles", model.triangles.len(), model.coarse.len());
    text += &format!("\n{:<12}{:>10}{:>10}\n", "CLIP", "FRAMES", "SECONDS");
    for clip in &model.clips {
        text += &format!("{:<12}{:>10}{:>10.3}\n", clip.name, clip.frames, clip.seconds);
    }
    text + &format!("\n1 unit of the model is {:.4} lengths of a boid", baked.scale)
}

/// `flap=Fly`.
fn clip(text: &str) -> Result<(String, String), &'static str> {
    let clip = text.split_once('=').filter(|(name, animation)| !name.is_empty() && !animation.is_empty());
    let (name, animation) = clip.ok_or("NAME=ANIMATION, such as flap=Fly or flap=0")?;
    Ok((name.to_owned(), animation.to_owned()))
}

/// `+x`, also without its sign.
fn axis(text: &str) -> Result<DVec3, &'static str> {
    let (side, letter) = match text.strip_prefix('-') {
        Some(letter) => (-1.0, letter),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    match letter {
        "x" => Ok(DVec3::X * side),
        "y" => Ok(DVec3::Y * side),
        "z" => Ok(DVec3::Z * side),
        _ => Err("one of +x, -x, +y, -y, +z, -z"),
    }
}

/// The axis of a unit vector.
fn named(axis: DVec3) -> String {
    let at = (0..3).find(|&at| axis[at] != 0.0).unwrap_or(0);
    format!("{}{}", if axis[at] < 0.0 { '-' } else { '+' }, ["x", "y", "z"][at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_read_as_they_are_named() {
        for name in ["+x", "-x", "+y", "-y", "+z", "-z"] {
            assert_eq!(axis(name).map(named), Ok(name.to_owned()));
        }
        assert_eq!(axis("z"), Ok(DVec3::Z));
        for bad in ["", "+", "-", "--x", "+-x", "w", "+xy", " x", "X"] {
            assert!(axis(bad).is_err(), "{bad}");
        }
        assert_eq!(clip("flap=a=b"), Ok(("flap".into(), "a=b".into())));
        for bad in ["", "flap", "flap=", "=Fly"] {
            assert!(clip(bad).is_err(), "{bad}");
        }
    }
}
