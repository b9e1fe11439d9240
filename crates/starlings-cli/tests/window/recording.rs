//! Recordings of the window: whole, whatever ends them.

use super::common::screen::{Screen, Viewer};
use super::{pause, screen};
use std::path::Path;
use std::process::Command;

/// Bytes of a frame of 320x240 pixels in a Y4M.
const FRAME: usize = 6 + 3 * 320 * 240;

/// Begins a recording in a window, and waits until it has some frames. Without `ffmpeg` the program finds none.
fn recording<'a>(screen: &'a Screen, folder: &Path, ffmpeg: bool) -> Viewer<'a> {
    let bin = folder.join("bin");
    std::fs::create_dir(&bin).expect("room");
    std::os::unix::fs::symlink("/usr/bin/env", bin.join("env")).expect("room");
    let path = std::env::var("PATH").unwrap_or_default();
    let path = if ffmpeg { path.as_str() } else { bin.to_str().expect("plain") };
    let line = "view --preset reynolds --boids 300 --size 321x240 --validation";
    let mut viewer = Viewer::with(screen, folder, line, &[("PATH", path)]);
    viewer.until_titled("a window with frames in it", "^starlings:.*fps");
    screen.does(&format!("windowfocus --sync {} key F9", viewer.window));
    viewer.until("recording", |viewer| viewer.title().contains(", recording"));
    if ffmpeg {
        pause(1_500); // What it holds back cannot be seen.
    } else {
        until_more_frames(&mut viewer, folder);
    }
    viewer
}

/// Waits until the video, which may have no name yet, has three more frames.
fn until_more_frames(viewer: &mut Viewer<'_>, folder: &Path) {
    let begun = recorded(viewer, folder);
    viewer.until("three more frames", |viewer| recorded(viewer, folder) >= begun + 3 * FRAME);
}

/// Bytes in the files that it has open in the folder.
fn recorded(viewer: &Viewer<'_>, folder: &Path) -> usize {
    let open = std::fs::read_dir(format!("/proc/{}/fd", viewer.id())).expect("it is running");
    let files = open.flatten().map(|entry| entry.path());
    let within = files.filter(|file| std::fs::read_link(file).is_ok_and(|name| name.starts_with(folder)));
    within.filter_map(|file| std::fs::metadata(file).ok()).map(|file| file.len() as usize).sum()
}

/// The only file of that kind in the folder.
fn file(folder: &Path, end: &str) -> std::path::PathBuf {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|found| found == end)).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files[0].clone()
}

/// The frames of a Y4M of 320x240 pixels, each its planes; it must be whole.
fn frames(path: &Path) -> Vec<Vec<u8>> {
    let bytes = std::fs::read(path).expect("a video");
    let header = b"YUV4MPEG2 W320 H240 F60:1 Ip A1:1 C444 XCOLORRANGE=LIMITED\n";
    let rest = bytes.strip_prefix(header).expect("the header");
    let frames: Vec<_> =
        rest.chunks(FRAME).map(|frame| frame.strip_prefix(b"FRAME\n").expect("a frame").to_vec()).collect();
    assert_eq!(rest.len() % FRAME, 0, "the last frame is cut");
    frames
}

#[test]
fn a_recording_is_whole_however_it_ends() {
    for end in ["key F9", "key ctrl+q", "windowclose", "windowkill", "TERM"] {
        let Some(screen) = screen() else { return };
        let folder = tempfile::tempdir().expect("a folder for a video");
        let mut viewer = recording(&screen, folder.path(), false);
        let window = viewer.window.clone();
        // Neither its size nor its time depends on the window.
        screen.does(&format!("windowsize --sync {window} 200 300"));
        until_more_frames(&mut viewer, folder.path());
        match end {
            "TERM" => viewer.signal(end),
            "windowclose" | "windowkill" => drop(screen.does(&format!("{end} {window}"))),
            key => drop(screen.does(key)),
        }
        if end == "key F9" {
            viewer.until("end of the recording", |viewer| !viewer.title().contains("recording"));
            screen.does("key ctrl+q");
        }
        let (status, said) = viewer.ended();
        assert_eq!(status, Some(if end == "TERM" { 130 } else { 0 }), "{end}: {said}");
        let path = file(folder.path(), "y4m");
        let frames = frames(&path);
        assert!(frames.len() >= 3 && frames[0] != frames[1], "{end}: {} frames", frames.len());
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let wrote = format!("starlings: wrote {name}: {} frames, ", frames.len());
        let seconds = said.split_once(&wrote).and_then(|(_, rest)| rest.split_once(" s of")?.0.parse::<f64>().ok());
        // Rounded to a tenth, a tie either way.
        let apart = seconds.map(|seconds| (seconds - frames.len() as f64 / 60.0).abs());
        assert!(apart.is_some_and(|apart| apart < 0.0501), "{end}: {said}");
        assert!(said.contains("starlings: recording to starlings-"), "{end}: {said}");
        assert!(!said.contains("VUID") && !said.contains("SYNC-HAZARD"), "{end}: {said}");
    }
}

/// Through all that a recording may meet: another preset, another look with trails, a pause, a frame that is broken.
#[test]
fn a_recording_goes_on_through_changes() {
    let Some(screen) = screen() else { return };
    let folder = tempfile::tempdir().expect("a folder for a video");
    let ffmpeg = Command::new("ffmpeg").arg("-version").output().is_ok_and(|output| output.status.success());
    let mut viewer = recording(&screen, folder.path(), ffmpeg);
    for key in ["t", "r", "c", "space", "Right", "space", "v"] {
        screen.does(&format!("key {key}"));
        pause(600);
    }
    assert!(viewer.title().contains(", recording"), "{}", viewer.title());
    screen.does("key b");
    viewer.until("frame to be broken", |viewer| viewer.title().contains("left out"));
    assert!(!viewer.title().contains(", recording"), "{}", viewer.title());
    screen.does("key ctrl+q");
    let (status, said) = viewer.ended();
    assert_eq!(status, Some(0), "{said}");
    assert!(
        said.contains("starlings: wrote starlings-") && !said.contains("VUID") && !said.contains("SYNC-HAZARD"),
        "{said}"
    );
    let path = file(folder.path(), if ffmpeg { "mp4" } else { "y4m" });
    if !ffmpeg {
        return drop(frames(&path));
    }
    let line =
        ["-v", "error", "-count_frames", "-show_entries", "stream=width,height,nb_read_frames", "-of", "csv=p=0"];
    let output = Command::new("ffprobe").args(line).arg(&path).output().expect("it comes with ffmpeg");
    let (found, wrong) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let frames = said.split("wrote starlings-").nth(1).and_then(|rest| rest.split(": ").nth(1)?.split(' ').next());
    assert_eq!((found.trim(), wrong.trim()), (&*format!("320,240,{}", frames.expect("a count")), ""), "{said}");
}
