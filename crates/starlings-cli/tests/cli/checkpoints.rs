//! Checkpoints: a run that goes on from one is the run that never stopped.

use super::{assert_refused, names, refused, run, text};
use starlings::flock::{EngineKind, PRESETS, Preset, Search};
use std::fs;
use std::io::{Read, Write};
use std::path::Path;

/// What a run that ends well prints.
fn done(folder: &Path, line: &str) -> String {
    let output = run(folder, line);
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""), "{line}");
    text(&output.stdout)
}

/// 40 steps, and 20 with 20 more from the checkpoint between them, end with the same bits. A fast flock, so that most
/// boids change their cell and the order of storage is another one in each step.
fn assert_goes_on(folder: &Path, flock: &str) {
    let flock = format!("{flock} --time-step 1/15");
    let whole = done(folder, &format!("simulate {flock} --steps 40 --every 20 --hash"));
    let lines: Vec<&str> = whole.lines().collect();
    assert!(lines[1].starts_with("20 ") && lines[2].starts_with("40 ") && lines[0] != lines[2], "{flock}: {whole}");
    done(folder, &format!("simulate {flock} --steps 20 --checkpoint a.npz --force"));
    let rest = done(folder, "simulate --resume a.npz --steps 20 --every 20 --hash");
    assert_eq!(rest.lines().collect::<Vec<_>>(), lines[1..], "{flock}");
}

/// Each of these presets by each of these searches.
fn go_on(presets: &[Preset], searches: &[Search]) {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    for (preset, search) in presets.iter().flat_map(|preset| searches.iter().map(move |search| (preset, search))) {
        let flock = format!("--preset {} --engine gpu --search {search} --boids 400", preset.name);
        assert_goes_on(folder.path(), &flock);
    }
}

#[test]
fn every_preset_and_every_search_goes_on_with_the_same_bits() {
    let searches = EngineKind::Gpu.searches();
    go_on(PRESETS, &searches[..1]);
    go_on(&PRESETS[..1], &searches[1..]);
}

#[test]
#[ignore = "long: every preset by every search"]
fn every_preset_goes_on_with_the_same_bits_by_every_search() {
    go_on(PRESETS, &EngineKind::Gpu.searches());
}

#[test]
fn an_influenced_flock_on_a_plane_goes_on_with_the_same_bits() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    assert_goes_on(
        folder.path(),
        "--preset reynolds --boids 600 --leader 3 --current 1,0,0 --targets 4 --heed 0.5 --plane",
    );
}

/// Everything that acts on a flock, all at once: it goes on with the same bits, and every search leads to the same.
#[test]
fn a_flock_with_everything_switched_on_goes_on_with_the_same_bits_by_every_search() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let lines = (0..500).map(|id| format!("{id},{},{}\n", id as f32 / 250.0, 0.75 + id as f32 / 1e3));
    fs::write(folder.path().join("w.csv"), lines.collect::<String>()).expect("room");
    let everything = "--boids 500 --time-step 1/15 --walls wrap --spawn box --view-angle 130 --felt-distance 0.3 \
        --nearest 7 --alignment-radius inf --noise 0.2 --min-speed 1 --max-turn 300 --leader 3 --current 1,0,0 \
        --targets 3 --kinds a:5,speed=0.8/b:3/c:1,speed=1.7,hunts=a,sight=3,reach=2,fear=3 --points 1,2,0,3,-4 \
        --feelings a:b:0.5,0,-1/b:a:1,-0.5,0/b:c:0,0,0/c:b:2,0,0.25 --predator 0:1,1,1/3:-1,0,2 \
        --obstacle sphere:0,-1,0,1/box:2,2,2,0.5,0.5,0.5@2:-2,2,2";
    for engine in ["gpu", "cpu"] {
        let mut all = Vec::new();
        for search in EngineKind::named(engine).expect("an engine").searches() {
            let flock = format!("--preset reynolds --engine {engine} --search {search} {everything}");
            let lines = "--every 20 --hash --weights w.csv";
            let whole = done(folder.path(), &format!("simulate {flock} --steps 40 {lines}"));
            done(folder.path(), &format!("simulate {flock} --steps 20 --weights w.csv --checkpoint a.npz --force"));
            let rest = done(folder.path(), &format!("simulate --resume a.npz --steps 20 {lines}"));
            assert_eq!(
                rest.lines().collect::<Vec<_>>(),
                whole.lines().skip(1).collect::<Vec<_>>(),
                "{engine} {search}"
            );
            all.push((search, whole));
        }
        for (search, whole) in &all[1..] {
            assert_eq!(*whole, all[0].1, "{engine}: by {search}, and by {}", all[0].0);
        }
    }
}

/// Of each preset by one way, and of so many presets by every way.
fn go_on_the_cpu(by_every_way: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let ways = [("cpu", "sorted-grid"), ("cpu", "all-pairs"), ("cpu-serial", "sorted-grid")];
    for (index, preset) in PRESETS.iter().enumerate() {
        for (engine, search) in &ways[..if index < by_every_way { 3 } else { 1 }] {
            let flock = format!("--preset {} --engine {engine} --search {search} --boids 500", preset.name);
            assert_goes_on(folder.path(), &flock);
        }
    }
}

#[test]
fn every_preset_goes_on_with_the_same_bits_on_the_cpu() {
    go_on_the_cpu(1);
}

#[test]
#[ignore = "long: every preset by every search and engine"]
fn every_preset_goes_on_with_the_same_bits_in_every_way_on_the_cpu() {
    go_on_the_cpu(PRESETS.len());
}

#[test]
fn pictures_leave_and_take_checkpoints() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| fs::read(folder.path().join(name)).expect("a file");
    for flock in ["--preset counting-sort", "--preset reynolds --search bitonic-grid", "--preset reynolds --engine cpu"]
    {
        let picture = format!("{flock} --boids 300 --size 65x36 --eye 1,2,9 --look dart --color id --trail 0");
        let whole = done(folder.path(), &format!("render {picture} --frames 12 --hash --out whole.png --force"));
        done(folder.path(), &format!("render {picture} --frames 5 --checkpoint a.npz --out half.png --force"));
        let rest = done(folder.path(), "render --resume a.npz --size 65x36 --frames 7 --hash --out rest.png --force");
        assert!(rest.starts_with("rest.png: frame 12, 65x36, 300 boids of "), "{rest}");
        assert_eq!(rest.lines().nth(1), whole.lines().nth(1), "{flock}");
        assert!(at("whole.png") == at("rest.png"), "{flock}: another picture, or it remembers another flock");
        // The state that a picture leaves is that of a simulation; other settings lead elsewhere.
        let more = "simulate --resume a.npz --steps 7 --every 7 --hash";
        let hash = |line: &str| done(folder.path(), line).lines().last().map(str::to_owned);
        assert_eq!(hash(more).as_deref(), whole.lines().nth(1), "{flock}");
        assert_ne!(hash(&format!("{more} --separation-weight 0")).as_deref(), whole.lines().nth(1), "{flock}");
        // Without a display, a window is a picture, too.
        let output = run(folder.path(), "view --resume a.npz --frames 7 --size 65x36");
        assert!(text(&output.stdout).starts_with("starlings.png: frame 12, "), "{}", text(&output.stderr));
        assert!(at("whole.png") == at("starlings.png"), "{flock}: another picture by view");
        fs::remove_file(folder.path().join("starlings.png")).expect("our own file");
    }
    // Other settings than before: the picture says that its settings alone do not lead to it, and so does each that
    // follows.
    done(folder.path(), "render --resume a.npz --max-speed 9 --frames 2 --size 65x36 --out b.png --checkpoint b.npz");
    done(folder.path(), "render --resume b.npz --frames 2 --size 65x36 --out c.png");
    for name in ["b.png", "c.png"] {
        let (_, memory) = starlings_cli::export::remembered(&folder.path().join(name)).expect("a picture of our own");
        assert_eq!(memory.step, None, "{name}");
    }
}

#[test]
fn order_parameters_and_samples_of_a_run_that_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let flock = "--preset reynolds --engine cpu --boids 200";
    done(folder.path(), &format!("simulate {flock} --steps 30 --hash --stats whole.csv"));
    done(folder.path(), &format!("simulate {flock} --steps 10 --checkpoint a.npz --stats first.csv"));
    done(folder.path(), "simulate --resume a.npz --steps 20 --hash --stats rest.csv --export rest.npz");
    let rows = |name: &str| -> Vec<String> {
        let text = fs::read_to_string(folder.path().join(name)).expect("a table");
        text.lines().skip(1).map(str::to_owned).collect()
    };
    assert_eq!(rows("rest.csv"), rows("whole.csv")[1..]);
    let mut zip =
        zip::ZipArchive::new(fs::File::open(folder.path().join("rest.npz")).expect("one")).expect("a zip file");
    let steps = npyz::NpyFile::new(zip.by_name("step.npy").expect("steps")).expect("an array").into_vec::<u32>();
    assert_eq!(steps.expect("numbers"), [10, 20, 30]);
}

#[test]
fn flags_that_contradict_a_checkpoint_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    done(folder.path(), "simulate --preset reynolds --engine cpu --boids 50 --steps 2 --checkpoint a.npz");
    for (flag, value) in [
        ("--preset", "bitonic"),
        ("--boids", "50"),
        ("--seed", "2"),
        ("--density", "3"),
        ("--plane", ""),
        ("--spawn", "box"),
        ("--spawn-speed", "2"),
    ] {
        for command in ["simulate --hash", "render", "view"] {
            let line = format!("{command} --resume a.npz {flag} {value}");
            let says = format!("{flag} is given; accepted is nothing with --resume");
            assert_refused(&run(folder.path(), line.trim_end()), 2, &[&says], &line);
        }
    }
    for (line, status, says) in [
        (
            "simulate --hash --resume a.npz --turn-rate 3",
            2,
            "--turn-rate is 3; accepted is nothing: reynolds does not read",
        ),
        (
            "simulate --hash --resume a.npz --steps 4294967294",
            2,
            "--steps is 4294967294; accepted is a whole number up to 4294967293",
        ),
        ("simulate --hash --resume a.npz --config a.toml", 2, "cannot be given together with"),
        ("simulate --resume a.npz --checkpoint a.npz --force", 2, "accepted is a file other than that of --resume"),
        ("simulate --export b.npz --checkpoint ./b.npz", 2, "accepted is a file other than that of --export"),
        ("simulate --resume a.npz --checkpoint a.txt", 2, "--checkpoint is 'a.txt'; accepted is a file ending in .npz"),
        ("simulate --resume a.npz", 2, "--export <FILE.npz|FILE.xyz|FILE.csv>"),
    ] {
        assert_refused(&run(folder.path(), line), status, &[says], line);
    }
    assert_eq!(names(folder.path()), ["a.npz"]);
    refused("simulate --steps 1 --checkpoint no/such/a.npz", 4, &["cannot write no/such/a.npz"]);
}

/// The arrays of an archive, by name.
pub type Arrays = Vec<(String, Vec<u8>)>;

pub fn arrays(path: &Path) -> Arrays {
    let mut zip = zip::ZipArchive::new(fs::File::open(path).expect("one")).expect("a zip file");
    let count = zip.len();
    let read = |at| {
        let mut entry = zip.by_index(at).expect("an entry");
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("its bytes");
        (entry.name().expect("a name").into_owned(), bytes)
    };
    (0..count).map(read).collect()
}

fn write(path: &Path, arrays: &Arrays) {
    let mut zip = zip::ZipWriter::new(fs::File::create(path).expect("room"));
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, bytes) in arrays {
        zip.start_file(name.as_str(), stored).expect("an entry");
        zip.write_all(bytes).expect("room");
    }
    zip.finish().expect("room");
}

/// The array `name` of `arrays`.
pub fn array<'a>(arrays: &'a mut Arrays, name: &str) -> &'a mut Vec<u8> {
    let named = arrays.iter_mut().find(|(known, _)| *known == format!("{name}.npy"));
    &mut named.expect("it is there").1
}

/// Replaces `old`, which is in the header of an array, by as many bytes.
fn replace(bytes: &mut [u8], old: &str, new: &str) {
    let at = bytes.windows(old.len()).position(|window| window == old.as_bytes()).expect("it is there");
    bytes[at..at + old.len()].copy_from_slice(new.as_bytes());
}

#[test]
fn files_that_are_no_checkpoint() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    done(folder.path(), "simulate --preset reynolds --engine cpu --boids 50 --steps 2 --checkpoint good.npz");
    done(folder.path(), "simulate --preset reynolds --engine cpu --boids 50 --steps 2 --export other.npz");
    let good = arrays(&at("good.npz"));
    write(&at("again.npz"), &good);
    done(folder.path(), "simulate --resume again.npz --steps 1 --hash");
    let assert_refused = |what: &str, says: &str| {
        let line = "simulate --hash --resume a.npz";
        let accepted = "; accepted is a file that --checkpoint has written";
        assert_refused(&run(folder.path(), line), 2, &[&format!("cannot open a.npz: {says}"), accepted], what);
    };
    let number = |value: u32| value.to_le_bytes();
    let last = |bytes: &mut Vec<u8>, value: &[u8]| {
        let end = bytes.len() - value.len();
        bytes[end..].copy_from_slice(value);
    };
    type Change<'a> = Box<dyn Fn(&mut Arrays) + 'a>;
    let changes: Vec<(&str, Change<'_>, &str)> = vec![
        (
            "another version",
            Box::new(|all| last(array(all, "checkpoint"), &number(2))),
            "this checkpoint is of version 2",
        ),
        ("NaN", Box::new(|all| last(array(all, "position"), &f32::NAN.to_le_bytes())), "its array 'position' has ["),
        (
            "infinity",
            Box::new(|all| last(array(all, "velocity_slot"), &f32::INFINITY.to_le_bytes())),
            "its array 'velocity_slot' has [",
        ),
        (
            "a boid twice",
            Box::new(|all| last(array(all, "id"), &[number(7), number(7)].concat())),
            "its array 'id' has 7 twice",
        ),
        (
            "a boid of no flock",
            Box::new(|all| last(array(all, "id"), &number(50))),
            "its array 'id' has 50, and 50 boids",
        ),
        (
            "no ids",
            Box::new(|all| all.retain(|(name, _)| name != "id.npy")),
            "this is not a checkpoint: it has no 'id'",
        ),
        (
            "another type",
            Box::new(|all| replace(array(all, "position"), "<f4", "<i4")),
            "its array 'position' has type <i4",
        ),
        (
            "another shape",
            Box::new(|all| replace(array(all, "position"), "(50, 3", "(75, 2")),
            "its array 'position' has type <f4 and shape [75, 2]",
        ),
        (
            "another count",
            Box::new(|all| replace(array(all, "id"), "(50, )", "(49, )")),
            "its array 'id' has type <u4 and shape [49]",
        ),
        (
            "a huge count",
            Box::new(|all| replace(array(all, "id"), "(50, ), }        ", "(1073741824, ), }")),
            "its array 'id' has type <u4",
        ),
        (
            "bytes for a text",
            Box::new(|all| replace(array(all, "config"), "<U", "<V")),
            "its array 'config' is not a text",
        ),
        (
            "a number of 64 bits",
            Box::new(|all| replace(array(all, "step"), "<u4", "<u8")),
            "its array 'step' is not a whole number",
        ),
        (
            "columns first",
            Box::new(|all| replace(array(all, "id"), "False", "True ")),
            "its array 'id' has a header that NumPy",
        ),
        ("no array", Box::new(|all| array(all, "step")[0] = b'x'), "its array 'step' has a header that NumPy"),
        ("a cut array", Box::new(|all| array(all, "position").truncate(300)), "its array 'position' has type"),
        ("a cut header", Box::new(|all| array(all, "position").truncate(20)), "this checkpoint is damaged: "),
        ("an empty array", Box::new(|all| array(all, "position").clear()), "this checkpoint is damaged: "),
        (
            "letters that are none",
            Box::new(|all| last(array(all, "config"), &number(0xd800))),
            "its array 'config' is not a text",
        ),
    ];
    for (what, change, says) in &changes {
        let mut all = good.clone();
        change(&mut all);
        write(&at("a.npz"), &all);
        assert_refused(what, says);
    }
    // Another count of boids than the config says.
    let mut all = good.clone();
    let config = array(&mut all, "config");
    let wide = |text: &str| -> Vec<u8> { text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect() };
    let (old, new) = (wide("boids = 50"), wide("boids = 51"));
    let place = config.windows(old.len()).position(|window| window == old).expect("it is there");
    config.splice(place..place + old.len(), new);
    write(&at("a.npz"), &all);
    assert_refused("another count", "it holds 50 boids, and its config says 51");

    // Not such an archive at all.
    let bytes = fs::read(at("good.npz")).expect("a file");
    let flipped =
        |place: usize| -> Vec<u8> { bytes.iter().enumerate().map(|(i, b)| b ^ u8::from(i == place)).collect() };
    let inside = bytes.windows(12).position(|window| window == b"position.npy").expect("its name") + 300;
    let crowd = {
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for at in 0..1_000 {
            zip.start_file(at.to_string(), zip::write::SimpleFileOptions::default()).expect("an entry");
        }
        zip.finish().expect("room").into_inner()
    };
    for (what, bytes, says) in [
        ("empty", Vec::new(), "this is not a checkpoint, or it is cut off"),
        ("text", b"boids = 50\n".repeat(9), "this is not a checkpoint, or it is cut off"),
        ("cut", bytes[..bytes.len() - 1].to_vec(), "this is not a checkpoint, or it is cut off"),
        ("half", bytes[..bytes.len() / 2].to_vec(), "this is not a checkpoint, or it is cut off"),
        ("a flipped bit", flipped(inside), "this checkpoint is damaged: "),
        ("many entries", crowd, "this is not a checkpoint: it is an archive of 1000 entries"),
        (
            "trajectories",
            fs::read(at("other.npz")).expect("a file"),
            "this is not a checkpoint: it has no 'checkpoint'",
        ),
    ] {
        fs::write(at("a.npz"), bytes).expect("room");
        assert_refused(what, says);
    }
    fs::remove_file(at("a.npz")).expect("our own file");
    assert_refused("no file", "No such file or directory");
    fs::create_dir(at("a.npz")).expect("room");
    assert_refused("a folder", "this is not a regular file");
}
