//! `starlings bake`: files, messages, and what numpy makes of the result.

use super::{assert_refused, names, run, text};
use crate::common::meshes::{as_obj, rock};
use crate::common::python_with_numpy;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A folder with the models of the fuzzer.
fn with_models() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/model");
    for name in ["skin.glb", "morph.glb"] {
        fs::copy(corpus.join(name), folder.path().join(name)).expect("it is there");
    }
    fs::write(folder.path().join("rock.obj"), as_obj(&rock(true))).expect("room");
    folder
}

#[test]
fn models_are_baked_to_the_current_folder() {
    let folder = with_models();
    fs::create_dir(folder.path().join("a")).expect("room");
    fs::rename(folder.path().join("skin.glb"), folder.path().join("a/skin.v2.glb")).expect("our own file");
    for (line, file, clips, says) in [
        ("bake a/skin.v2.glb", "skin.v2.npz", "flap glide", "flap                32     1.000"),
        ("bake a/skin.v2.glb --frames 5 --force", "skin.v2.npz", "flap glide", "flap                 5     1.000"),
        ("bake morph.glb --front -x --up +z --out b.NPZ", "b.NPZ", "swim", "vertices            11"),
        (
            "bake morph.glb --clip glide=0 --clip bank-left=swim --out c.npz",
            "c.npz",
            "glide bank-left",
            "bank-left           32",
        ),
        ("bake rock.obj", "rock.npz", "glide", "glide                1     0.000"),
    ] {
        let output = run(folder.path(), line);
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{line}: {stderr}");
        let is_hint = |line: &str| line.contains("the far mesh, for boids of few pixels, is more than 5 % off: in ");
        assert!(stderr.lines().all(is_hint), "{line}: {stderr}");
        assert!(stdout.contains(says) && stdout.contains(&format!("\n{file}: ")), "{line}: {stdout}");
        assert!(stdout.lines().all(|line| line.len() <= 100), "{stdout}");
        let preview = Path::new(file).with_extension("preview.png");
        assert!(stdout.contains(&format!("\n{}: ", preview.display())), "{line}: {stdout}");
        assert_eq!(super::pixels(&folder.path().join(&preview)).len(), 3 * 960 * 480, "{line}");
        let model = starlings_cli::export::read_model(&folder.path().join(file)).expect("our own file");
        assert_eq!(model.clips.iter().map(|clip| clip.name).collect::<Vec<_>>().join(" "), clips, "{line}");
    }
    let kept = run(folder.path(), "bake rock.obj");
    assert_refused(&kept, 4, &["cannot write rock.npz: it is already there; --force replaces it"], "kept");
    assert_eq!(
        names(folder.path()),
        [
            "a",
            "b.NPZ",
            "b.preview.png",
            "c.npz",
            "c.preview.png",
            "morph.glb",
            "rock.npz",
            "rock.obj",
            "rock.preview.png",
            "skin.v2.npz",
            "skin.v2.preview.png"
        ]
    );
}

/// What is not read is passed over, as a model and as an obstacle.
#[test]
fn files_as_others_write_them_are_baked_and_are_obstacles() {
    let folder = tempfile::tempdir().expect("a folder");
    let obj = b"\xef\xbb\xbfv 0 0 0 0.5\nv 1 0 0 1 0 0 # tip\nv 0 1 0\nv 0 0 1\nusemtl \x92\xb9\x5c\nl 1 2 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    fs::write(folder.path().join("a.obj"), obj).expect("room");
    let output = run(folder.path(), "bake a.obj");
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
    assert!(text(&output.stdout).contains("triangles            4         4"), "{}", text(&output.stdout));
    let output = run(folder.path(), "-v config reynolds --obstacle mesh:0,0,0,4,0,a.obj");
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    let says = "the mesh a.obj is closed, 1 part of 4 triangles, a box of 1 x 1 x 1 units of its file";
    assert!(stderr.contains(says), "{stderr}");
    fs::write(folder.path().join("b.obj"), obj.strip_suffix(b"f 2 3 4\n").expect("its end")).expect("room");
    let stderr = text(&run(folder.path(), "config reynolds --obstacle mesh:0,0,0,4,0,b.obj").stderr);
    let says = "the mesh b.obj is open, a thin shell without an inside, 1 hole of 3 edges, 1 part of 3 triangles";
    assert!(stderr.contains(says), "{stderr}");
}

#[test]
fn what_cannot_be_baked_is_refused() {
    let folder = with_models();
    let whole = fs::read(folder.path().join("skin.glb")).expect("it is there");
    fs::write(folder.path().join("cut.glb"), &whole[..99]).expect("room");
    let before = names(folder.path());
    for (line, status, says) in [
        ("bake", 2, "<FILE> is missing"),
        ("bake none.glb", 2, "none.glb: No such file"),
        ("bake cut.glb", 2, "cut.glb has 99 bytes, and its header says"),
        ("bake rock.stl", 2, "rock.stl is no mesh; accepted is a file .obj, .gltf or .glb"),
        ("bake rock.obj --out a.bin", 2, "--out is 'a.bin'; accepted is a file ending in .npz"),
        ("bake rock.obj --out none/a.npz", 4, "cannot write none/a.npz: there is no folder none"),
        ("bake rock.obj --clip flap=0", 2, "--clip is flap=0; accepted is nothing: an OBJ file has no animations"),
        ("bake skin.glb --clip flap", 2, "--clip is 'flap'; accepted is NAME=ANIMATION, such as flap=Fly or flap=0"),
        ("bake skin.glb --clip flap=Fly", 2, "--clip is flap=Fly; accepted is 0 'Flap', 1 'Glide'"),
        (
            "bake skin.glb --clip soar=Flap",
            2,
            "--clip is soar=Flap; accepted is NAME=ANIMATION with a NAME of flap, glide",
        ),
        ("bake skin.glb --clip swim=0 --clip flap=0", 2, "accepted is clips of a bird or clips of a fish, not both"),
        ("bake skin.glb --frames 1", 2, "--frames is '1'; accepted is a whole number from 2 to 128"),
        ("bake skin.glb --front w", 2, "--front is 'w'; accepted is one of +x, -x, +y, -y, +z, -z"),
        ("bake skin.glb --front -y", 2, "--up is +y; accepted is an axis across that of the front, -y"),
        ("bake skin.glb morph.glb", 2, "'morph.glb' is not known here"),
    ] {
        assert_refused(&run(folder.path(), line), status, &[says], line);
    }
    assert_eq!(names(folder.path()), before);
}

#[test]
fn numpy_opens_a_baked_model() {
    let Some(python) = python_with_numpy() else { return };
    let folder = with_models();
    assert!(run(folder.path(), "bake skin.glb --frames 7").status.success());
    let script = "
import numpy as np
a = np.load('skin.npz', allow_pickle=False)
names = 'albedo animated clip_frames clip_seconds clips coarse normals places triangles'
assert sorted(a.files) == names.split(), a.files
assert a['animated'] == 1 and str(a['clips']) == 'flap,glide'
assert a['clip_frames'].tolist() == [7, 7] and a['clip_seconds'].tolist() == [1, 1]
p, n = a['places'], a['normals']
assert p.shape == n.shape == (14, 21, 3) and p.dtype == np.float32
assert abs(np.linalg.norm(n, axis=-1) - 1).max() < 1e-5 and np.linalg.norm(p, axis=-1).max() <= 0.75
assert a['triangles'].shape == (24, 3) and a['triangles'].max() == 20 and a['coarse'].max() <= 20
assert a['albedo'].shape == (21, 3) and np.allclose(a['albedo'][0], [0, 0.6 * 200 / 255, 0.4])
";
    let mut python = Command::new(python);
    let output = python.args(["-c", script]).current_dir(folder.path()).output().expect("python runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn boids_are_drawn_as_a_baked_model_and_pictures_of_them_are_drawn_again() {
    let folder = with_models();
    assert!(run(folder.path(), "bake skin.glb").status.success());
    assert!(run(folder.path(), "bake morph.glb --front -x --up +z").status.success());
    let line = "render --boids 100 --near --size 160x90 --frames 5 --color natural";
    let picture = |more: &str, file: &str| {
        let output = run(folder.path(), &format!("{line} {more} --out {file}"));
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""), "{more}");
        fs::read(folder.path().join(file)).expect("a picture")
    };
    let [bird, skin, morph] = [("", "a.png"), ("--mesh skin.npz", "b.png"), ("--mesh morph.npz", "c.png")]
        .map(|(more, file)| picture(more, file));
    assert!(bird != skin && skin != morph && bird != morph, "they look alike");
    let again = run(folder.path(), "render --from b.png --out d.png");
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    assert!(fs::read(folder.path().join("d.png")).expect("a picture") == skin, "another picture");
    assert!(picture("--from b.png --mesh none", "e.png") == bird, "not the bird");
    // What draws nothing does not need the file.
    let config = run(folder.path(), "config --mesh away.npz");
    assert!(text(&config.stdout).contains("\nmesh = \"away.npz\"\n"), "{}", text(&config.stdout));
    fs::write(folder.path().join("away.toml"), &config.stdout).expect("room");
    for line in [
        "simulate --config away.toml --boids 9 --steps 1 --hash",
        "render --config away.toml --mesh none --out g.png --boids 9",
    ] {
        let output = run(folder.path(), line);
        assert_eq!(output.status.code(), Some(0), "{line}: {}", text(&output.stderr));
    }
    for (line, says) in [
        (
            "render --mesh skin.glb --out f.png",
            "skin.glb: this is not a baked model, or it is cut off; `starlings bake skin.glb` makes one of it",
        ),
        ("render --mesh nothing.npz --out f.png", "nothing.npz: No such file or directory"),
        ("render --mesh a.png --out f.png", "a.png: this is not a baked model, or it is cut off"),
        ("render --config away.toml --out f.png", "away.npz: No such file or directory"),
        ("config --mesh=", "--mesh is ''; accepted is a file made by `starlings bake`, or none"),
    ] {
        assert_refused(&run(folder.path(), line), 2, &[says], line);
    }
}

/// By the commands of docs/manual.md.
#[test]
fn the_gull_of_the_examples_is_baked() {
    let Some(python) = python_with_numpy() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/gull.py");
    let made = Command::new(python).arg(script).arg("gull.glb").current_dir(folder.path()).output().expect("it runs");
    assert!(made.status.success(), "{}", text(&made.stderr));
    let output = run(folder.path(), "bake gull.glb --clip flap=Fly --clip glide=Soar");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let stdout = text(&output.stdout);
    assert!(stdout.contains("flap        0 'Fly'\nglide       1 'Soar'\n"), "{stdout}");
    let model = starlings_cli::export::read_model(&folder.path().join("gull.npz")).expect("our own file");
    assert_eq!((model.vertices(), model.frames(), model.coarse.len() <= 64), (151, 33, true));
    // Its wings beat, and it looks along -z: the beak is in front, and the tips of the wings move the most.
    let first = &model.places[..151];
    let swing = |vertex: usize| {
        let heights: Vec<f32> = (0..32).map(|frame| model.places[frame * 151 + vertex].y).collect();
        heights.iter().copied().fold(f32::MIN, f32::max) - heights.iter().copied().fold(f32::MAX, f32::min)
    };
    let foremost = (0..151).min_by(|&a, &b| first[a].z.total_cmp(&first[b].z)).expect("there are 151");
    let rightmost = (0..151).max_by(|&a, &b| first[a].x.total_cmp(&first[b].x)).expect("there are 151");
    assert!(swing(rightmost) > 0.5 && swing(foremost) < 0.01, "{} and {}", swing(rightmost), swing(foremost));
}
