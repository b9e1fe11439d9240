//! Files and folders that are written: complete or absent, and what is there is kept.

use glam::Vec3;
use starlings::flock::{BoidState, Settings, States};
use starlings::reference::order::order_parameters;
use starlings_cli::Result;
use starlings_cli::export::{Existing, OrderFile, OutputFile, OutputFolder, Written};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

fn entries(folder: &Path) -> usize {
    fs::read_dir(folder).expect("a folder").count()
}

/// Writes `text` to the file `path`.
fn write(path: &Path, text: &str, existing: Existing) -> Result<Written> {
    let mut file = OutputFile::create(path, existing)?;
    file.file().write_all(text.as_bytes()).expect("room");
    file.commit()
}

#[test]
fn a_file_is_whole_or_not_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.bin");
    let mut file = OutputFile::create(&path, Existing::Keep).expect("a new file");
    file.file().write_all(b"half").expect("room");
    // Not even under a hidden name, which a killed program would leave behind.
    assert_eq!(entries(folder.path()), 0);
    drop(file);
    assert_eq!(entries(folder.path()), 0);
    let written = write(&path, "whole", Existing::Keep).expect("a name");
    assert_eq!(written, Written { path: path.clone(), bytes: 5 });
    assert_eq!(fs::read(&path).expect("a file"), b"whole");
    assert_eq!(entries(folder.path()), 1);
}

#[test]
fn what_is_there_is_kept_unless_told_otherwise() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.bin");
    let late = OutputFile::create(&path, Existing::Keep).expect("nothing there yet");
    fs::write(&path, "old").expect("room");
    let message = OutputFile::create(&path, Existing::Keep).expect_err("it is there").to_string();
    assert_eq!(message, format!("cannot write {}: it is already there; --force replaces it", path.display()));
    assert_eq!(late.commit().expect_err("it came in between").to_string(), message);
    assert_eq!(fs::read(&path).expect("a file"), b"old");
    write(&path, "", Existing::Replace).expect("allowed");
    assert_eq!(fs::read(&path).expect("a file"), b"");
    assert_eq!(entries(folder.path()), 1);
}

#[test]
fn files_of_one_name_at_once_are_numbered() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.b.png");
    let files: Vec<_> = (0..3).map(|_| OutputFile::create(&path, Existing::Number).expect("room")).collect();
    let names: Vec<_> = files.into_iter().map(|file| file.commit().expect("a name").path).collect();
    assert_eq!(names, ["a.b.png", "a.b-2.png", "a.b-3.png"].map(|name| folder.path().join(name)));
}

#[test]
fn places_that_cannot_be_written_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, reason) in [
        (folder.path().join("no/such/a.bin"), "there is no folder"),
        (folder.path().to_owned(), "it is a folder"),
        (folder.path().join("a.bin/"), "it does not name a file"),
        (PathBuf::from("/"), "it does not name a file"),
    ] {
        let message = OutputFile::create(&path, Existing::Replace).expect_err("no place").to_string();
        assert!(message.contains(reason), "{message}");
    }
    #[cfg(unix)]
    OutputFile::create(Path::new("/dev/null"), Existing::Replace).expect_err("a device is not replaced");
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_also_to_nothing() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    symlink("second", at("first")).expect("a link");
    symlink(at("target"), at("second")).expect("a link");
    OutputFile::create(&at("first"), Existing::Keep).expect_err("the link is there");
    for text in ["new", "newer"] {
        write(&at("first"), text, Existing::Replace).expect("allowed");
        assert!(at("first").is_symlink() && at("second").is_symlink());
        assert_eq!(fs::read_to_string(at("target")).expect("a file"), text);
    }
    symlink("round", at("round")).expect("a link");
    let message = OutputFile::create(&at("round"), Existing::Replace).expect_err("no end").to_string();
    assert!(message.contains("a link that leads back to itself"), "{message}");
}

/// In a folder of all users, such as `/tmp`, which Linux protects by `fs.protected_symlinks`.
#[cfg(target_os = "linux")]
#[test]
fn a_link_of_a_stranger_is_not_followed() {
    use std::os::unix::fs::{PermissionsExt, lchown, symlink};
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let open_to = |mode| fs::set_permissions(folder.path(), PermissionsExt::from_mode(mode)).expect("our own folder");
    open_to(0o1777);
    symlink(at("victim.png"), at("a.png")).expect("a link");
    if lchown(at("a.png"), Some(65_534), Some(65_534)).is_err() {
        return eprintln!("SKIPPED, nothing was tested: only root can give a link away");
    }
    let message = write(&at("a.png"), "new", Existing::Replace).expect_err("a stranger's").to_string();
    assert!(message.ends_with("a link that another user has put into a folder of all users"), "{message}");
    let message = write(&at("a.png"), "new", Existing::Keep).expect_err("it is there").to_string();
    assert!(message.ends_with("it is already there; --force replaces it"), "{message}");
    assert_eq!(write(&at("a.png"), "new", Existing::Number).expect("another name").path, at("a-2.png"));
    assert!(!at("victim.png").exists() && at("a.png").is_symlink());
    // One's own link, and that of a stranger in a folder that is not of all users.
    symlink("mine.png", at("b.png")).expect("a link");
    write(&at("b.png"), "new", Existing::Replace).expect("allowed");
    assert_eq!(fs::read_to_string(at("mine.png")).expect("a file"), "new");
    open_to(0o755);
    write(&at("a.png"), "newer", Existing::Replace).expect("allowed");
    assert_eq!(fs::read_to_string(at("victim.png")).expect("a file"), "newer");
}

#[cfg(unix)]
#[test]
fn a_replaced_file_leaves_its_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.bin");
    for mode in [0o600, 0o664] {
        fs::write(&path, "old").expect("room");
        fs::set_permissions(&path, PermissionsExt::from_mode(mode)).expect("our own file");
        write(&path, "new", Existing::Replace).expect("allowed");
        let permissions = fs::metadata(&path).expect("a file").permissions();
        assert_eq!(permissions.mode() & 0o777, mode);
    }
}

#[test]
fn folders_that_stayed_empty_go_again() {
    let outer = tempfile::tempdir().expect("a folder");
    let path = outer.path().join("a/b/frames/");
    let create = |existing| OutputFolder::create(&path, |name| ["0.png", "7.png"].contains(&name), existing);
    drop(create(Existing::Keep).expect("a new folder"));
    assert_eq!(entries(outer.path()), 0);
    let folder = create(Existing::Keep).expect("a new folder");
    folder.file("7.png").expect("a new file").commit().expect("a name");
    drop(folder);
    assert_eq!(entries(&path), 1);
    let message = create(Existing::Keep).expect_err("it has a frame already").to_string();
    assert!(message.ends_with("7.png: it is already there; --force replaces it"), "{message}");
    create(Existing::Replace).expect("allowed");
    fs::create_dir(path.join("0.png")).expect("room");
    let message = create(Existing::Replace).expect_err("a folder in the way of a frame").to_string();
    assert!(message.ends_with("0.png: it is a folder"), "{message}");
}

#[test]
fn a_way_back_makes_no_folder() {
    let outer = tempfile::tempdir().expect("a folder");
    let path = outer.path().join("a.png/..");
    let message = OutputFolder::create(&path, |_| true, Existing::Keep).expect_err("no way").to_string();
    assert!(message.ends_with(&format!("there is no folder {}", outer.path().join("a.png").display())), "{message}");
    assert_eq!(entries(outer.path()), 0);
    fs::create_dir(outer.path().join("b")).expect("room");
    OutputFolder::create(&outer.path().join("b/.."), |_| false, Existing::Keep).expect("it is there");
}

#[test]
fn a_row_has_a_number_for_each_column() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.csv");
    let settings = Settings::preset("reynolds").expect("a known preset").with_boids(2);
    let mut file = OrderFile::new(OutputFile::create(&path, Existing::Keep).expect("room"), &settings, States::None);
    let mut state = BoidState {
        position: vec![Vec3::ZERO, Vec3::new(0.5, 0.0, 0.0)],
        velocity: vec![Vec3::X, Vec3::X * 2.0],
        id: vec![0, 1],
    };
    file.push(&order_parameters(&settings, &state, 60), &[]).expect("room");
    state.position[1].x = 5.0;
    file.push(&order_parameters(&settings, &state, 90), &[]).expect("room");
    assert!(!path.exists());
    file.finish().expect("a name");
    let text = std::fs::read_to_string(&path).expect("it is there");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("step,time [s],polarization,"), "{}", lines[0]);
    assert_eq!(lines[1], "60,1.00000,1,0,0.5,1,1,0,1.5,1,2,0.25,0,0,0");
    assert_eq!(lines[2], "90,1.50000,1,0,,0,0,2,1.5,1,2,2.5,0,0,0");
    assert_eq!(lines[0].split(',').count(), lines[1].split(',').count());
}
