//! Files that the program writes, and files that it keeps.

use super::checkpoints::{array, arrays};
use super::{COMMANDS, assert_refused, names, refused, run, starlings, text};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

#[test]
fn existing_outputs_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("frames")).expect("a new folder");
    for name in ["a.png", "a.npz", "a.json", "frames/frame_000001.png"] {
        fs::write(folder.path().join(name), "old").expect("room");
    }
    for line in ["render --out a.png", "simulate --export a.npz", "render --out frames"] {
        assert_refused(&run(folder.path(), line), 4, &["already there; --force replaces it"], line);
    }
    for line in ["view", "render --out new.png", "simulate --export new.npz", "bench"] {
        let line = format!("{line} --trace a.json");
        assert_refused(&run(folder.path(), &line), 4, &["already there; --force replaces it"], &line);
    }
    for line in [
        "render --out frames/a.png/b.png",
        "simulate --export frames/a/b.npz",
        "render --out a.npz/",
        "render --out a.png/",
    ] {
        assert_refused(&run(folder.path(), line), 4, &["cannot write "], line);
    }
    fs::create_dir(folder.path().join("b.png")).expect("a new folder");
    assert_refused(&run(folder.path(), "render --force --out b.png"), 4, &["it is a folder"], "a folder");
    for name in ["a.png", "a.npz", "a.json", "frames/frame_000001.png"] {
        assert_eq!(fs::read(folder.path().join(name)).expect("it is still there"), b"old");
    }
    assert_eq!(names(folder.path()), ["a.json", "a.npz", "a.png", "b.png", "frames"]);
}

#[test]
fn outputs_of_the_wrong_kind_are_refused() {
    refused(
        "render --out a.jpg",
        2,
        &["--out is 'a.jpg'", "accepted is a file ending in .png, .mp4, .webm, .gif or .y4m, or a folder"],
    );
    refused("simulate --export a.txt", 2, &["--export is 'a.txt'", "accepted is a file ending in .npz, .xyz or .csv"]);
    for command in COMMANDS {
        let line = format!("{command} --trace a.txt");
        refused(&line, 2, &["--trace is 'a.txt'", "accepted is a file ending in .json"]);
        refused(&format!("{command} --trace no/such/a.json"), 4, &["cannot write no/such/a.json"]);
    }
}

/// No device of that number exists, so what is refused for another reason is refused before the work.
#[test]
fn outputs_that_cannot_be_written_are_refused_before_the_work() {
    let Some(_) = crate::common::device() else { return };
    refused("render --gpu 999 --out a.png/..", 4, &["cannot write a.png/..: there is no folder a.png"]);
    refused("render --gpu 999 --out a/b/c/", 2, &["--gpu is "]);
    refused("render --gpu 999 --out a/b/c/ --near", 2, &["--near is given with a folder"]);
    refused("render --gpu 999 --out a.png/", 2, &["--gpu is "]);
    refused("simulate --gpu 999 --export a.npz/", 4, &["cannot write a.npz/: it does not name a file"]);
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(folder.path().join("frames/frame_000007.png")).expect("room");
    fs::write(folder.path().join("frames/frame_000009.png"), "old").expect("room");
    let line = |frames: u32| format!("render --gpu 999 --out frames --frames {frames}");
    for (line, status, says) in [
        (line(6), 2, "--gpu is "),
        (line(7), 4, "frames/frame_000007.png: it is a folder"),
        (line(7) + " --force", 4, "frames/frame_000007.png: it is a folder"),
    ] {
        assert_refused(&run(folder.path(), &line), status, &[says], &line);
    }
    fs::remove_dir(folder.path().join("frames/frame_000007.png")).expect("our own folder");
    assert_refused(&run(folder.path(), &line(9)), 4, &["frame_000009.png: it is already there; --force"], "a frame");
    assert_refused(&run(folder.path(), &line(8)), 2, &["--gpu is "], "frames before it");
}

#[cfg(unix)]
#[test]
fn an_unwritable_folder_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o555)).expect("our own folder");
    // Permissions do not restrict root, but /proc does.
    let place = if tempfile::tempfile_in(folder.path()).is_ok() { Path::new("/proc") } else { folder.path() };
    if place.is_dir() {
        for (command, name) in [("render --out", "a.png"), ("simulate --export", "a.npz"), ("render --out", "folder")] {
            let line = format!("{command} {}", place.join(name).display());
            assert_refused(&run(&std::env::temp_dir(), &line), 4, &["cannot write "], &line);
        }
    }
    fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).expect("our own folder");
}

#[test]
fn a_closed_pipe_and_a_full_disk_end_a_run() {
    let folder = tempfile::tempdir().expect("a folder");
    for line in ["presets", "--help", "render --help"] {
        let mut command = starlings(folder.path(), &line.split_whitespace().collect::<Vec<_>>());
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = command.stdout(writer).stderr(Stdio::piped()).output().expect("the program starts");
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""), "{line}");
        if let Ok(full) = fs::File::options().write(true).open("/dev/full") {
            let output = command.stdout(full).output().expect("the program starts");
            assert_refused(&output, 4, &["cannot write standard output"], line);
        }
    }
}

#[test]
fn a_pipeline_cache_that_is_deleted_truncated_foreign_or_in_the_way() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let render = |what: &str| {
        let output = run(folder.path(), "render --boids 100 --size 16x16 --frames 1 --out a.png --force");
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""), "{what}");
    };
    let cache = folder.path().join(".cache/starlings");
    let file = || fs::read_dir(&cache).ok()?.next().map(|entry| entry.expect("an entry").path());
    render("no cache yet");
    // The place of caches depends on the system; the test knows only this one.
    let Some(path) = file() else {
        if cfg!(target_os = "linux") {
            panic!("no cache in {}", cache.display());
        }
        return;
    };
    let good = fs::read(&path).expect("a cache");
    render("a good cache");
    let foreign: Vec<u8> = good.iter().map(|byte| byte ^ 0x55).collect();
    let flipped: Vec<u8> = good.iter().enumerate().map(|(at, byte)| byte ^ u8::from(at == good.len() / 2)).collect();
    for (bytes, what) in [
        (&[][..], "empty"),
        (&good[..10], "cut in its header"),
        (&good[..good.len() / 2], "cut in the middle"),
        (&foreign, "foreign"),
        (&flipped, "one bit off"),
    ] {
        fs::write(&path, bytes).expect("room");
        render(what);
        assert_eq!(fs::read(&path).expect("a new cache").len(), good.len(), "{what}");
    }
    fs::remove_file(&path).expect("our own file");
    render("deleted");
    fs::remove_dir_all(&cache).expect("our own folder");
    fs::write(&cache, "a file where the folder should be").expect("room");
    let output = run(folder.path(), "render --boids 100 --size 16x16 --frames 1 --out a.png --force");
    assert_eq!(output.status.code(), Some(0), "{}: {}", output.status, text(&output.stderr));
}

/// Two runs without an end, that would write everything there is.
#[cfg(unix)]
const ENDLESS: [&str; 2] = [
    "simulate --boids 500 --steps 4e9 --every 4000 --export a.npz",
    "render --boids 500 --size 32x32 --frames 4e9 --out a.png",
];

/// Starts `line` with signals as the shell command `before` leaves them.
#[cfg(unix)]
fn begun(folder: &Path, before: &str, line: &str) -> Child {
    let program = starlings::<&str>(folder, &[]);
    let script = format!("{before} exec {} -v {line}", program.get_program().display());
    let mut command = crate::common::with_default_signals();
    command.args(["sh", "-c", &script]).current_dir(folder).env("XDG_CACHE_HOME", folder.join(".cache"));
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a shell")
}

/// The same, and waits until it handles them.
#[cfg(unix)]
pub fn started(folder: &Path, before: &str, line: &str) -> Child {
    let mut child = begun(folder, before, line);
    // The device is opened afterwards.
    let stderr = child.stderr.as_mut().expect("it was piped");
    let mut said = Vec::new();
    while !text(&said).contains("device ") {
        let mut byte = [0];
        assert_eq!(stderr.read(&mut byte).expect("it speaks"), 1, "{line} ended by itself: {}", text(&said));
        said.push(byte[0]);
    }
    child
}

#[cfg(unix)]
pub fn signal(child: &Child, name: &str) {
    let kill = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status();
    assert!(kill.expect("kill is everywhere").success());
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_what_is_whole_and_leaves_nothing_else() {
    let Some(_) = crate::common::device() else { return };
    for line in ENDLESS {
        for signals in [&["INT"][..], &["TERM"], &["HUP", "HUP"]] {
            let folder = tempfile::tempdir().expect("a folder");
            let line = format!("{line} --stats a.csv --trace a.json");
            let child = started(folder.path(), "", &line);
            signals.iter().for_each(|name| signal(&child, name));
            let output = child.wait_with_output().expect("the program ends");
            assert_eq!(output.status.code(), Some(130), "{line} {signals:?}");
            assert!(text(&output.stderr).ends_with("starlings: interrupted\n"), "{}", text(&output.stderr));
            // If there was time for a sample, it is kept: see below.
            let left: Vec<String> = names(folder.path()).into_iter().filter(|name| name != "a.npz").collect();
            assert_eq!(left, ["a.csv", "a.json"], "{line} {signals:?}");
            let trace = fs::read(folder.path().join("a.json")).expect("a trace");
            serde_json::from_slice::<serde_json::Value>(&trace).expect("a whole one");
        }
        let folder = tempfile::tempdir().expect("a folder");
        let mut child = started(folder.path(), "", line);
        child.kill().expect("our own child");
        child.wait().expect("it ends");
        assert_eq!(names(folder.path()), [""; 0], "{line}, killed");
    }
}

/// The lines that `child` prints on standard output, until `enough` of them.
#[cfg(unix)]
fn lines(child: &mut Child, enough: impl Fn(&[String]) -> bool) -> Vec<String> {
    let mut out = BufReader::new(child.stdout.take().expect("it was piped"));
    let mut lines = Vec::new();
    while !enough(&lines) {
        let mut line = String::new();
        assert!(out.read_line(&mut line).expect("it speaks") > 0, "it ended by itself, after {lines:?}");
        lines.push(line.trim_end().to_owned());
    }
    child.stdout = Some(out.into_inner());
    lines
}

#[cfg(unix)]
#[test]
fn an_interrupted_export_keeps_its_samples() {
    let Some(_) = crate::common::device() else { return };
    for engine in ["gpu", "cpu"] {
        let folder = tempfile::tempdir().expect("a folder");
        let line = format!("simulate --engine {engine} --boids 500 --steps 6e7 --every 7 --export a.npz --hash");
        let mut child = begun(folder.path(), "", &line);
        let hashes = lines(&mut child, |lines| lines.len() == 4);
        signal(&child, "INT");
        let output = child.wait_with_output().expect("the program ends");
        assert_eq!(output.status.code(), Some(130), "{}: {}", output.status, text(&output.stderr));
        let said = text(&output.stdout);
        let kept = said.lines().find_map(|line| line.strip_prefix("a.npz: 500 boids of "));
        let (_, kept) = kept.and_then(|line| line.split_once("the first ")).expect("what was kept");
        let samples: usize = kept.split(' ').next().and_then(|count| count.parse().ok()).expect("a count of samples");
        let mut arrays = arrays(&folder.path().join("a.npz"));
        let step: Vec<u8> = (0..samples as u32).flat_map(|k| (7 * k).to_le_bytes()).collect();
        assert!(samples >= 4 && array(&mut arrays, "step").ends_with(&step), "{samples}");
        let each = 500 * 3 * size_of::<f32>();
        for (k, line) in hashes.iter().enumerate() {
            let mut digest = Sha256::new();
            for name in ["position", "velocity"] {
                let bytes = array(&mut arrays, name);
                let head = bytes.len() - samples * each;
                digest.update(&bytes[head + k * each..][..each]);
            }
            let hex: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(*line, format!("{} {hex}", 7 * k), "{engine}");
        }
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_benchmark_keeps_what_it_has_measured() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let line = "bench --boids 500,20000 --warm-up 1 --repeats 20 --peer --plot a.svg";
    let mut child = started(folder.path(), "", line);
    // Until the first table is whole.
    lines(&mut child, |lines| lines.last().is_some_and(|line| line.contains("recording a step")));
    signal(&child, "TERM");
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(130), "{}: {}", output.status, text(&output.stderr));
    assert!(text(&output.stderr).ends_with("starlings: interrupted\n"), "{}", text(&output.stderr));
    assert!(fs::read_to_string(folder.path().join("a.svg")).expect("a plot").ends_with("</svg>\n"));
}

/// As `nohup` and a script's `&` start a program.
#[cfg(target_os = "linux")]
#[test]
fn ignored_signals_stay_ignored() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let child = started(folder.path(), "trap '' HUP INT;", "simulate --boids 500 --steps 300 --export a.npz");
    ["HUP", "INT"].iter().for_each(|name| signal(&child, name));
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(0), "{}: {}", output.status, text(&output.stderr));
    assert_eq!(names(folder.path()), ["a.npz"]);
}

#[cfg(unix)]
#[test]
fn a_file_beyond_the_limit_of_the_user_ends_a_run() {
    let folder = tempfile::tempdir().expect("a folder");
    // A software driver keeps its memory in a file: `limits.rs`.
    let line = "simulate --engine cpu --boids 5000 --steps 1 --export a.npz";
    // In blocks of 512 bytes or of 1 KiB: less than one sample.
    let child = begun(folder.path(), "ulimit -f 50;", line);
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(4), "{}: {}", output.status, text(&output.stderr));
    let stderr = text(&output.stderr);
    assert!(stderr.contains("cannot write a.npz: ") && stderr.contains("File too large"), "{stderr}");
    assert_eq!(names(folder.path()), [""; 0]);
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_not_read() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = |path: &Path| assert!(Command::new("mkfifo").arg(path).status().expect("it is everywhere").success());
    pipe(&folder.path().join("a.json"));
    let line = "bench --trace a.json --force";
    assert_refused(&run(folder.path(), line), 4, &["not a regular file"], line);
    // In place of the pipeline cache.
    let render = || run(folder.path(), "render --boids 100 --size 16x16 --frames 1 --out a.png --force");
    assert!(render().status.success());
    let cache = folder.path().join(".cache/starlings");
    let Some(Ok(file)) = fs::read_dir(cache).ok().and_then(|mut entries| entries.next()) else { return };
    fs::remove_file(file.path()).expect("our own file");
    pipe(&file.path());
    let output = render();
    assert!(output.status.success() && text(&output.stderr).contains("not a regular file"), "{}", text(&output.stderr));
    assert!(!file.path().is_file(), "the pipe was replaced");
    // A file where its folder would be: in words, without the system's number.
    fs::remove_dir_all(folder.path().join(".cache")).expect("our own folder");
    fs::write(folder.path().join(".cache"), "").expect("room");
    let output = render();
    let said = text(&output.stderr);
    assert!(said.contains("was not stored: ") && !said.contains("os error"), "{said}");
}

/// What a crash of the machine may leave: the bytes of a file are on the disk before it has its name, and its name
/// before the program says that it is there.
#[cfg(target_os = "linux")]
#[test]
fn bytes_and_then_the_name_are_put_on_the_disk() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = env!("CARGO_BIN_EXE_starlings");
    let calls = "trace=fsync,fdatasync,rename,renameat,renameat2,link,linkat";
    let run = Command::new("strace")
        .args(["-f", "-y", "-e", calls, "-o", "calls", program, "simulate", "--engine", "cpu-serial", "--boids", "9"])
        .args(["--steps", "2", "--export", "a.npz"])
        .current_dir(folder.path())
        .output();
    let Ok(output) = run else {
        assert!(!crate::common::required("REQUIRE_GPU"), "REQUIRE_GPU=1, but strace is not installed");
        return eprintln!("SKIPPED, nothing was tested: strace is not installed");
    };
    if !output.status.success() && text(&output.stderr).starts_with("strace: ") {
        return eprintln!("SKIPPED, nothing was tested, this system forbids it: {}", text(&output.stderr));
    }
    assert!(output.status.success(), "{}: {}", output.status, text(&output.stderr));
    assert!(folder.path().join("a.npz").is_file(), "{}", text(&output.stderr));
    let calls = fs::read_to_string(folder.path().join("calls")).expect("strace wrote it");
    let place = |is: &dyn Fn(&str) -> bool| calls.lines().position(is).unwrap_or_else(|| panic!("missing in {calls}"));
    let here = folder.path().to_string_lossy();
    let bytes = place(&|line| line.contains("sync(") && line.contains(&format!("<{here}/")));
    let name = place(&|line| line.contains("a.npz\"") && (line.contains("rename") || line.contains("link")));
    let entry = place(&|line| line.contains("fsync(") && line.contains(&format!("<{here}>")));
    assert!(bytes < name && name < entry, "{calls}");
}
