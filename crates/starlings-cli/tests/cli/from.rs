//! Pictures that are opened again, and the camera.

use super::{assert_refused, names, refused, run, text};
use starlings_cli::export::{Existing, Memory, OutputFile, remembered, write_png};
use std::fs;
use std::path::Path;

fn done(folder: &Path, line: &str) -> String {
    let output = run(folder, line);
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""), "{line}");
    text(&output.stdout)
}

/// Every byte is the same, so that the pixels are, and what a picture remembers.
#[test]
fn a_picture_makes_itself_again() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| fs::read(folder.path().join(name)).expect("a picture");
    for (number, line) in [
        "--preset counting-sort --boids 300 --frames 12",
        "--preset reynolds --boids 300 --frames 7 --seed 18446744073709551615 --eye 3,1/3,-9 --look-at 1,0,0 --fov \
            77.7",
        "--preset reynolds --boids 300 --frames 30 --color neighbors --backdrop day --look dart --stretch 1,2,1",
        "--preset reynolds --boids 300 --frames 30 --color speed",
        "--preset reynolds --boids 300 --frames 30 --color neighbors --color-range 0.5,1e1",
        "--preset reynolds --boids 300 --frames 9 --engine cpu --color speed --color-range auto",
        "--preset cursor --boids 60 --frames 40 --trail 0 --cursor 0:1,0,0/0.3:-9,0,0",
        "--preset bitonic --boids 300 --frames 5 --cell 1,1,0 --eye 0,30,0 --look-at 0,0,0",
        "--preset reynolds --boids 300 --frames 9 --engine cpu --plane",
        // Trails of several boids are blended in the order of the device's atomics, so that even the same line may give
        // other pixels.
        "--preset reynolds --boids 1 --frames 40 --trail 0.5 --eye 0,0,3",
        "--preset cursor --boids 1 --frames 40 --engine cpu --trail 0.5",
        "--preset three-radius --boids 200 --frames 9 --near --fov 20",
        "--preset bitonic --boids 300 --frames 9 --obstacle sphere:0,0,0,2/plane:0,-3,0,0,1,0 --obstacle-distance 5 \
            --max-force 3",
        "--preset reynolds --boids 300 --frames 9 --samples 16",
    ]
    .into_iter()
    .enumerate()
    {
        let stdout = done(folder.path(), &format!("render {line} --size 65x36 --out a.png --force"));
        let again = done(folder.path(), "render --from a.png --out b.png --force");
        let says =
            |text: &str| text.split_once(": ").and_then(|(_, rest)| rest.split_once(", in ")).map(|x| x.0.to_owned());
        assert_eq!(says(&stdout), says(&again), "{line}");
        assert!(at("a.png") == at("b.png"), "{line}: another picture");
        if number % 4 > 0 {
            continue;
        }
        // Without a display, a window is a picture, too.
        fs::remove_file(folder.path().join("b.png")).expect("our own file");
        let output = run(folder.path(), "view --from a.png --size 65x36");
        assert!(text(&output.stdout).starts_with("starlings.png: frame "), "{line}: {}", text(&output.stderr));
        assert!(at("a.png") == at("starlings.png"), "{line}: another picture by view");
        fs::remove_file(folder.path().join("starlings.png")).expect("our own file");
    }
    // There are trails in the pictures above.
    for flock in
        ["--preset reynolds --boids 1 --frames 40 --eye 0,0,3", "--preset cursor --boids 1 --frames 40 --engine cpu"]
    {
        for (trail, name) in [("0.5", "a.png"), ("0", "b.png")] {
            done(folder.path(), &format!("render {flock} --size 65x36 --trail {trail} --out {name} --force"));
        }
        let pixels = |name: &str| super::pixels(&folder.path().join(name));
        assert!(pixels("a.png") != pixels("b.png"), "{flock}: no trail");
    }
    // A frame of a folder, too.
    done(folder.path(), "render --preset reynolds --boids 300 --frames 4 --size 65x36 --color speed --out frames");
    done(folder.path(), "render --from frames/frame_000003.png --out b.png --force");
    assert!(at("frames/frame_000003.png") == at("b.png"));
}

#[test]
fn flags_override_a_picture() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let flock = "--preset reynolds --boids 300 --eye 0,5,-9";
    done(folder.path(), &format!("render {flock} --frames 12 --size 65x36 --out a.png"));
    let stdout = done(folder.path(), "render --from a.png --frames 5 --size 32x18 --boids 200 --look dart --out b.png");
    assert!(stdout.starts_with("b.png: frame 5, 32x18, 200 boids of reynolds, "), "{stdout}");
    let (size, memory) = remembered(&folder.path().join("b.png")).expect("a picture of our own");
    assert_eq!((size, memory.step), ((32, 18), Some(5)));
    for part in
        ["\npreset = \"reynolds\"\n", "\nboids = 200\n", "\nlook = \"dart\"\n", "\neye = [0, 5, -9]\n", "\nfov = 42.97"]
    {
        assert!(memory.config.contains(part), "no {part} in {}", memory.config);
    }
    // What a picture remembers is a config file.
    fs::write(folder.path().join("a.toml"), &memory.config).expect("room");
    for flag in ["--config", "--from"] {
        done(folder.path(), &format!("render {flag} a.toml --frames 5 --size 32x18 --out c.png --force"));
        assert!(
            fs::read(folder.path().join("c.png")).expect("a picture")
                == fs::read(folder.path().join("b.png")).expect("one")
        );
    }
    let config = done(folder.path(), "config --config a.toml");
    assert_eq!(config.trim_end(), memory.config.trim_end());
}

/// A PNG that remembers `config`, in `folder`.
fn picture(folder: &Path, config: &str, step: Option<u32>) {
    let mut out = OutputFile::create(&folder.join("a.png"), Existing::Replace).expect("room");
    let memory = Memory { config: config.to_owned(), step, samples: None };
    write_png(&mut out, (1, 1), &[0; 4], "", Some(&memory)).expect("room");
    out.commit().expect("a name");
}

#[test]
fn what_a_picture_remembers_is_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    for (config, says) in [
        ("boids = 0", "starlings: a.png:1:9: boids is 0; accepted is a whole number from 1 to 1073741824"),
        ("seed = 1\nbods = 5", "starlings: a.png:2:1: there is no key 'bods'; did you mean 'boids'?"),
        ("eye = [0, 1, nan]", "starlings: a.png:1:7: eye is [0, 1, nan] (array); accepted is three numbers like"),
        (
            "eye = [0, 1, 2]\nlook-at = [0, 1, 2]",
            "starlings: a.png:1:7: eye is 0,1,2; accepted is a place from 1e-5 to 1e7",
        ),
        ("fov = 171", "starlings: a.png:1:7: fov is 171; accepted is a number from 1 to 170, in degrees"),
        ("seed = ", "starlings: a.png:1:8: this is not TOML: "),
    ] {
        picture(folder.path(), config, Some(5));
        for line in ["render --from a.png", "view --from a.png"] {
            assert_refused(&run(folder.path(), line), 2, &[says], config);
        }
    }
    assert_eq!(names(folder.path()), ["a.png"]);
    picture(folder.path(), "boids = 50", Some(u32::MAX));
    let says = "--start-step is 4294967295; accepted is a whole number from 0 to 1000000000";
    assert_refused(&run(folder.path(), "view --from a.png"), 2, &[says], "a long way");
    // Steps alone do not lead to its flock.
    if crate::common::device().is_some() {
        picture(folder.path(), "boids = 50", None);
        let output = run(folder.path(), "render --from a.png --frames 2 --out b.png");
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{stderr}");
        assert!(stderr.contains("a.png: its settings alone do not lead to the flock in it"), "{stderr}");
        assert!(text(&output.stdout).starts_with("b.png: frame 2, 1x1, 50 boids"), "{}", text(&output.stdout));
    }
}

#[test]
fn files_that_are_no_picture_of_ours() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    picture(folder.path(), "boids = 50", Some(3));
    let good = fs::read(at("a.png")).expect("a picture");
    let place = |part: &[u8]| good.windows(part.len()).position(|window| window == part).expect("it is there");
    let write = |name: &str, bytes: &[u8]| fs::write(at(name), bytes).expect("room");
    write("cut.png", &good[..good.len() - 5]);
    write("half.png", &good[..good.len() / 2]);
    write("head.png", &good[..8]);
    write("empty.png", b"");
    write("text.png", b"boids = 50\n");
    let mut flipped = good.clone();
    flipped[place(b"boids = 50")] ^= 1;
    write("flipped.png", &flipped);
    // A chunk that says it is longer than the file, and one that is.
    let mut long = good.clone();
    long[place(b"iTXt") - 4..place(b"iTXt")].copy_from_slice(&0x7fff_ffffu32.to_be_bytes());
    write("long.png", &long);
    let mut other = fs::File::create(at("foreign.png")).expect("room");
    let mut encoder = png::Encoder::new(&mut other, 1, 1);
    encoder.add_itxt_chunk("Comment".into(), "starlings".into()).expect("a text");
    encoder.write_header().and_then(|mut writer| writer.write_image_data(&[0])).expect("room");
    drop(other);
    let step = |text: &str| {
        let mut file = fs::File::create(at("step.png")).expect("room");
        let mut encoder = png::Encoder::new(&mut file, 1, 1);
        encoder.add_itxt_chunk("starlings".into(), "boids = 50".into()).expect("a text");
        encoder.add_itxt_chunk("starlings step".into(), text.into()).expect("a text");
        encoder.write_header().and_then(|mut writer| writer.write_image_data(&[0])).expect("room");
    };
    step("-1");
    // A gigabyte of text in a file that takes no room.
    let huge = fs::File::create(at("huge.png")).expect("room");
    std::io::Write::write_all(&mut &huge, &long).expect("room");
    huge.set_len(1 << 31).expect("a sparse file");
    std::io::Seek::seek(&mut &huge, std::io::SeekFrom::End(0)).expect("its end");
    std::io::Write::write_all(&mut &huge, &good[good.len() - 12..]).expect("room");
    fs::create_dir(at("folder")).expect("room");
    for (name, says) in [
        ("none.png", "No such file or directory"),
        ("folder", "this is not a regular file"),
        ("/dev/zero", "this is not a regular file"),
        ("cut.png", "this picture is cut off"),
        ("half.png", "this picture is cut off"),
        ("head.png", "this picture is cut off"),
        ("empty.png", "this is not a PNG picture"),
        ("text.png", "this is not a PNG picture"),
        ("flipped.png", "this picture is damaged: "),
        ("long.png", "this picture is damaged: "),
        ("huge.png", "this picture is damaged: "),
        ("step.png", "this picture is damaged: its step is '-1'"),
        ("foreign.png", "this picture does not hold the settings of a flock"),
    ] {
        for command in ["render --out b.png", "view"] {
            let line = format!("{command} --from {name}");
            let accepted = "accepted is a picture that `render` or F12 has made, a video by them (.mp4, .gif), or a \
                            file ending in .toml";
            assert_refused(&run(folder.path(), &line), 2, &[&format!("cannot open {name}: {says}"), accepted], &line);
        }
    }
    let toml = "--from is 'none.toml'; accepted is a file like the one that `starlings config` prints: No such file";
    assert_refused(&run(folder.path(), "view --from none.toml"), 2, &[toml], "no config file");
    #[cfg(unix)]
    {
        // A pipe without another end would wait for it.
        let made = std::process::Command::new("mkfifo").arg(at("pipe.png")).status().expect("it is everywhere");
        assert!(made.success());
        let line = "view --from pipe.png";
        assert_refused(&run(folder.path(), line), 2, &["cannot open pipe.png: this is not a regular file"], line);
    }
    assert!(!at("b.png").exists());
}

#[test]
fn cameras_that_see_nothing_are_refused() {
    for command in ["render", "view"] {
        let line = |rest: &str| format!("{command} {rest}");
        for value in ["1,2", "1,2,x", "1,2,nan", "0,3e7,0", "inf,0,0"] {
            for flag in ["--eye", "--look-at"] {
                let says = format!("{flag} is '{value}'");
                let accepted =
                    "accepted is three numbers like 0,-5,2.5, each from -20000000 to 20000000, in world units";
                refused(&line(&format!("{flag} {value}")), 2, &[&says, accepted]);
            }
        }
        for value in ["0", "-5", "171", "nan", "wide", "180"] {
            let says = format!("--fov is '{value}'; accepted is a number from 1 to 170, in degrees");
            refused(&line(&format!("--fov {value}")), 2, &[&says]);
        }
        let says = "--eye is 1,2,3; accepted is a place from 1e-5 to 1e7 world units away from what it looks at";
        refused(&line("--eye 1,2,3 --look-at 1,2,3"), 2, &[says]);
        refused(&line("--from a.png --config a.toml"), 2, &["--from", "cannot be given together with"]);
        refused(&line("--from a.png --resume a.npz"), 2, &["--from", "cannot be given together with"]);
    }
    refused("render --near --eye 1,2,3", 2, &["--near", "cannot be given together with"]);
    refused("simulate --hash --eye 1,2,3", 2, &["'--eye' is not known here"]);
}

/// Four times the samples are those of a picture of twice the width and height.
#[test]
fn more_samples_are_a_larger_picture_made_smaller() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let line = "render --preset reynolds --boids 300 --frames 9 --obstacle sphere:0,0,0,2";
    done(folder.path(), &format!("{line} --size 64x36 --samples 16 --out small.png"));
    done(folder.path(), &format!("{line} --size 128x72 --out large.png"));
    let [small, large] = ["small.png", "large.png"].map(|name| super::pixels(&folder.path().join(name)));
    let light = |code: u8| (f64::from(code) / 255.0 + 0.055).max(0.0) / 1.055;
    let light = |code: u8| if code <= 10 { f64::from(code) / 255.0 / 12.92 } else { light(code).powf(2.4) };
    let code = |light: f64| if light <= 0.003_130_8 { 12.92 * light } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 };
    let mut apart = 0.0f64;
    for (at, of) in small.iter().enumerate() {
        let (x, y, part) = (at / 3 % 64, at / (3 * 64), at % 3);
        let around = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(i, j)| large[3 * (128 * (2 * y + j) + 2 * x + i) + part]);
        let mean = around.map(light).iter().sum::<f64>() / 4.0;
        apart = apart.max((f64::from(*of) - 255.0 * code(mean)).abs());
    }
    // Rounding, and noise of half a step.
    assert!(apart <= 1.001, "{apart} steps of a byte");
    assert!(large.iter().max() > large.iter().min(), "there is nothing in the picture");
    refused(
        "render --samples 8",
        2,
        &["--samples is '8'; accepted is 4 times a square: 4, 16, 36, 64, and so on to 1024"],
    );
    refused("render --size 9000x10 --samples 1024 --boids 10", 2, &["--samples is 1024; accepted is at most "]);
}

/// A text that is small in the file and large when it is unpacked is refused before it is whole.
#[test]
fn texts_of_pictures_are_unpacked_within_bounds() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.png");
    let write = |length: usize, is_packed: bool| {
        let mut encoder = png::Encoder::new(fs::File::create(&path).expect("room"), 1, 1);
        encoder.set_color(png::ColorType::Rgb);
        let mut text = png::text_metadata::ITXtChunk::new("starlings", "#".repeat(length));
        text.compressed = is_packed;
        let mut writer = encoder.write_header().expect("room");
        writer.write_text_chunk(&text).expect("room");
        writer.write_image_data(&[0; 3]).expect("room");
    };
    for is_packed in [true, false] {
        write(16 << 20, is_packed);
        assert_eq!(remembered(&path).expect("as much as there may be").1.config.len(), 16 << 20);
        write((16 << 20) + 1, is_packed);
        let refused = run(folder.path(), "render --from a.png --out b.png");
        let says = "its text 'starlings' decodes to more than 16777216 bytes; accepted are at most as many";
        assert_refused(&refused, 2, &["a.png", says], "a long text");
    }
}
