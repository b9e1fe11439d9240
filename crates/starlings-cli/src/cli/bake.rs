//! `starlings bake`: an animated model becomes frames that a flock can be drawn as.

mod preview;

use super::numbers::{self, bytes, grouped};
use super::output::{create, existing, print};
use crate::export::{write_model, write_png};
use crate::{Error, Result, interrupt};
use clap::Args;
use glam::DVec3;
use starlings::mesh::{Animated, BakeOptions, Baked, Clip, Likeness};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Options of `starlings bake`.
#[derive(Args, Debug)]
#[command(after_help = "\
Read are the default scene of glTF 2.0 with its nodes, morph targets, skins and animations, and colors of materials, \
textures (PNG, JPEG, WebP) and vertices; of OBJ only triangles. The model becomes as long as a boid in its first \
frame, unless a wing would be farther than 0.75 lengths from the middle. A picture NAME.preview.png shows the near and \
the far mesh, and where the model looks.

Clips of a bird are flap, glide, fold, bank-left, bank-right and perch, those of a fish swim and rest. Without any \
--clip, an animation with the words of a clip in its name is that clip; if there is none, the first animation is flap, \
or all together if they are Blender's actions, one for each object. A model without animations is one frame, glide.

Examples:
  starlings bake gull.glb
  starlings bake gull.glb --clip flap=Fly --clip glide=Soar --frames 24 --out birds.npz
  starlings bake crow.glb --clip flap=LeftWing+RightWing
  starlings bake carp.gltf --clip swim=0 --front -x --up +z")]
pub struct BakeArgs {
    /// Model: a file .glb, .gltf or .obj
    #[arg(value_name = "FILE")]
    model: PathBuf,
    /// File to write, ending in .npz [default: the model's name with .npz, in the current folder]
    #[arg(long, value_name = "FILE.npz")]
    out: Option<PathBuf>,
    /// Clip, and the name or the number from 0 of its animation, or of several with + between; may be repeated
    /// [default: by the animations' names]
    #[arg(long, value_name = "NAME=ANIMATION", allow_hyphen_values = true, value_parser = clip)]
    clip: Vec<(String, String)>,
    /// Frames of each clip that moves, from 2 to 128
    #[arg(long, value_name = "COUNT", default_value = "32")]
    #[arg(allow_hyphen_values = true, value_parser = numbers::count(2, 128u32))]
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

pub fn run(args: &BakeArgs) -> Result<()> {
    if args.front.dot(args.up) != 0.0 {
        return Err(Error::flag(
            "up",
            named(args.up),
            format!("an axis across that of the front, {}", named(args.front)),
        ));
    }
    interrupt::install();
    let path = match &args.out {
        Some(path) => path.clone(),
        None => Path::new(args.model.file_stem().unwrap_or_default()).with_added_extension("npz"),
    };
    let out = create(&path, "out", "npz", existing(args.force))?;
    let mut picture = create(&path.with_extension("preview.png"), "out", "png", existing(args.force))?;
    let (clips, cancel) = (args.clip.clone(), interrupt::token().clone());
    let options = BakeOptions { clips, frames: args.frames, front: args.front, up: args.up, cancel };
    let baked = Animated::bake(&args.model, &options)?;
    let likeness = |clip: &Clip| interrupt::check().map(|()| baked.animated.likeness(*clip));
    let likeness: Vec<Likeness> = baked.animated.clips.iter().map(likeness).collect::<Result<_>>()?;
    for note in &baked.notes {
        tracing::warn!("{}: {note}: its color is that of the material and the vertices", args.model.display());
    }
    let named = baked.animated.clips.iter().zip(&likeness);
    if let Some((clip, worst)) = named.max_by(|a, b| a.1.off().total_cmp(&b.1.off())).filter(|of| of.1.off() > 0.05) {
        tracing::warn!(
            "the far mesh, for boids of few pixels, is more than 5 % off: in {} it has {} of the extent, {} of the \
             silhouette and {} of the area",
            clip.name,
            percent(worst.extent),
            percent(worst.silhouette),
            percent(worst.area)
        );
    }
    let (size, rgba) = preview::picture(&baked.animated);
    write_png(&mut picture, size, &rgba, "near mesh, far mesh, and an arrow where the model looks", None)?;
    let written = write_model(&baked.animated, out)?;
    let picture = picture.commit()?;
    let files = [written, picture].map(|file| format!("{}: {}", file.path.display(), bytes(file.bytes)));
    print(&format!("{}\n{}", table(&baked, &likeness), files.join("\n")))
}

fn percent(share: f32) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// What the model consists of.
fn table(baked: &Baked, likeness: &[Likeness]) -> String {
    let model = &baked.animated;
    let far = model.coarse.iter().flatten().collect::<HashSet<_>>().len();
    let row = |what: &str, near: usize, far: usize| {
        format!("{what:<12}{:>10}{:>10}\n", grouped(near as u64), grouped(far as u64))
    };
    let mut text = format!("{:<12}{:>10}{:>10}\n", "", "NEAR", "FAR");
    text += &row("vertices", model.vertices(), far);
    text += &row("triangles", model.triangles.len(), model.coarse.len());
    text += &format!("\n{:<12}{:>10}{:>10}", "CLIP", "FRAMES", "SECONDS");
    text += &format!("{:>10}{:>12}{:>8}  (far of near)\n", "EXTENT", "SILHOUETTE", "AREA");
    for (clip, Likeness { extent, silhouette, area }) in model.clips.iter().zip(likeness) {
        text += &format!("{:<12}{:>10}{:>10.3}", clip.name, clip.frames, clip.seconds);
        text += &format!("{:>10}{:>12}{:>8}\n", percent(*extent), percent(*silhouette), percent(*area));
    }
    if !baked.animations.is_empty() {
        text += &format!("\n{:<12}ANIMATION\n", "CLIP");
    }
    for (number, (name, clip)) in baked.animations.iter().enumerate() {
        text += &format!("{:<12}{number} '{:.60}'\n", clip.unwrap_or("-"), name);
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
