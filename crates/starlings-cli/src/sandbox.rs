//! `--sandbox`: from before its first input is read, the program opens no other files than it was told of, no
//! connection and no other program. The kernel holds all of it to that, libraries and drivers too: Landlock for files,
//! seccomp for system calls.
//!
//! Both hold the thread that asks for them and those that it starts, so this comes before the first other thread.
//! Nothing undoes it.

use crate::{Error, Result};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

static CLOSED: AtomicBool = AtomicBool::new(false);

/// What a command line names.
#[derive(Debug, Default)]
pub struct Files {
    /// Files, and folders with all in them, that are read.
    pub read: Vec<PathBuf>,
    /// Folders in which files are made, replaced and removed.
    pub written: Vec<PathBuf>,
}

/// Closes the sandbox around this process. What is open stays so.
///
/// # Errors
/// [`Error::NoSandbox`] where the system has none, or only a part of it.
pub fn enter(files: &Files) -> Result<()> {
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    let entered = linux::enter(files);
    #[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
    let entered = Err(format!("Linux on x86-64 or AArch64 has one, and {files:?} would be free here"));
    entered.map_err(Error::NoSandbox)?;
    CLOSED.store(true, Ordering::Relaxed);
    Ok(())
}

/// Whether this process is in one.
pub fn is_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod calls;

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod linux {
    use super::{Files, calls};
    use crate::machine::drivers;
    use landlock::{
        ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr,
        RulesetError, path_beneath_rules,
    };
    use std::env;
    use std::fs;
    use std::path::{Path, PathBuf};

    /// What programs and drivers are read from, and what they ask about themselves and the system; nothing of other
    /// processes.
    const SYSTEM: [&str; 22] = [
        "/usr",
        "/lib",
        "/lib32",
        "/lib64",
        "/opt",
        "/nix/store",
        "/gnu/store",
        "/run/opengl-driver",
        "/etc/vulkan",
        "/etc/ld.so.cache",
        "/etc/drirc",
        "/etc/nvidia",
        OWN,
        "/proc/bus",
        "/proc/cpuinfo",
        "/proc/devices",
        "/proc/driver",
        "/proc/meminfo",
        "/proc/modules",
        "/proc/stat",
        "/proc/sys",
        "/sys",
    ];

    /// What the system says about this process.
    const OWN: &str = "/proc/self";

    /// Devices that compute, and those that are none. The names of more begin with [`NVIDIA`].
    const DEVICES: [&str; 9] = [
        "/dev/null",
        "/dev/zero",
        "/dev/random",
        "/dev/urandom",
        "/dev/dri",
        "/dev/kfd",
        "/dev/dxg",
        "/dev/udmabuf",
        "/dev/dma_heap",
    ];
    const NVIDIA: &str = "nvidia";

    /// Variables with files and folders that the Vulkan loader and the dynamic linker are told of.
    const LISTS: [&str; 5] = [
        "VK_LAYER_PATH",
        "VK_ADD_LAYER_PATH",
        "VK_IMPLICIT_LAYER_PATH",
        "VK_ADD_IMPLICIT_LAYER_PATH",
        "LD_LIBRARY_PATH",
    ];

    /// Where drivers keep what they have compiled, if the user says where. A program outside runs what is in a cache,
    /// so that of all programs is not written, and drivers do not read what they cannot write.
    const CACHES: [&str; 2] = ["MESA_SHADER_CACHE_DIR", "__GL_SHADER_DISK_CACHE_PATH"];

    pub fn enter(files: &Files) -> Result<(), String> {
        check_alone()?;
        close(files)
    }

    pub fn check_alone() -> Result<(), String> {
        let threads = fs::read_dir("/proc/self/task").map_err(|error| format!("/proc/self/task: {error}"))?.count();
        match threads {
            1 => Ok(()),
            _ => Err(format!("this process has {threads} threads already, and it would hold one of them")),
        }
    }

    /// Closes the sandbox around this thread, and those that it starts.
    pub fn close(files: &Files) -> Result<(), String> {
        allow_files(files).map_err(|error| format!("this system has no Landlock of version 3 (Linux 6.2): {error}"))?;
        calls::allow()
    }

    fn allow_files(files: &Files) -> Result<(), RulesetError> {
        // Open from now on, because the system could forget it, and make another to which no rule applies.
        std::mem::forget(fs::File::open(OWN));
        let read = AccessFs::ReadFile | AccessFs::ReadDir;
        let in_folder = AccessFs::MakeReg | AccessFs::MakeDir | AccessFs::RemoveFile | AccessFs::RemoveDir;
        let written = read | AccessFs::WriteFile | AccessFs::Truncate | in_folder;
        let rule = |paths: &[PathBuf], access: BitFlags<AccessFs>| path_beneath_rules(paths.to_vec(), access);
        // All or nothing: what an older Landlock lacks would be left open.
        Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(ABI::V3))?
            .create()?
            .add_rules(path_beneath_rules(SYSTEM, read))?
            .add_rules(rule(&drivers(), read))?
            .add_rules(rule(&files.read, read))?
            .add_rules(rule(&devices(), read | AccessFs::WriteFile))?
            .add_rules(rule(&files.written, written))?
            .add_rules(rule(&listed(&CACHES), written))?
            .restrict_self()?;
        Ok(())
    }

    /// Folders of drivers and layers that are not the system's.
    fn drivers() -> Vec<PathBuf> {
        let folder = |path: &Path| path.parent().map(Path::to_owned);
        let mut all = listed(&LISTS);
        for manifest in drivers::manifests() {
            all.extend(folder(&manifest.path));
            all.extend(manifest.library.ok().filter(|library| library.is_absolute()).as_deref().and_then(folder));
        }
        all.extend(starlings::vk::bundled().and_then(folder));
        all
    }

    /// The files and folders that these variables list.
    fn listed(variables: &[&str]) -> Vec<PathBuf> {
        let lists = variables.iter().filter_map(env::var_os);
        lists.flat_map(|list| env::split_paths(&list).collect::<Vec<_>>()).collect()
    }

    fn devices() -> Vec<PathBuf> {
        let named = fs::read_dir("/dev").into_iter().flatten().flatten();
        let nvidia = named.filter(|entry| entry.file_name().to_string_lossy().starts_with(NVIDIA));
        DEVICES.iter().map(PathBuf::from).chain(nvidia.map(|entry| entry.path())).collect()
    }
}

#[cfg(all(test, target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use super::*;
    use std::env;
    use std::fs::{self, File};
    use std::io::{Read, Result, Write};
    use std::net::{TcpListener, TcpStream};
    use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
    use std::path::Path;
    use std::process::Command;

    /// Given to a process that is to enter a sandbox: its folder, and a port that is listened on.
    const FOLDER: &str = "STARLINGS_TEST_SANDBOX";
    const PORT: &str = "STARLINGS_TEST_PORT";

    type Act<'a> = (&'static str, Box<dyn Fn() -> Result<()> + 'a>);

    /// What nobody outside a sandbox is denied, and a program in one is.
    fn forbidden(folder: &Path, port: u16) -> [Act<'_>; 14] {
        let parent = std::os::unix::process::parent_id();
        [
            ("read a file that was not named", Box::new(move || fs::read(folder.join("other")).map(drop))),
            ("list a folder that was not named", Box::new(move || fs::read_dir(folder).map(drop))),
            ("read the system's files", Box::new(|| fs::read("/etc/passwd").map(drop))),
            (
                "write into a file that is to be read",
                Box::new(move || File::options().append(true).open(folder.join("in")).map(drop)),
            ),
            ("make a file elsewhere", Box::new(move || File::create(folder.join("new")).map(drop))),
            (
                "move a file out",
                Box::new(move || {
                    fs::write(folder.join("out/a"), "a")?;
                    fs::rename(folder.join("out/a"), folder.join("a"))
                }),
            ),
            (
                "remove a file elsewhere",
                Box::new(move || {
                    fs::remove_file(folder.join("gone")).and_then(|()| fs::write(folder.join("gone"), ""))
                }),
            ),
            ("connect to a port", Box::new(move || TcpStream::connect(("127.0.0.1", port)).map(drop))),
            ("listen", Box::new(|| TcpListener::bind("127.0.0.1:0").map(drop))),
            (
                "connect to a socket of the file system",
                Box::new(move || UnixStream::connect(folder.join("socket")).map(drop)),
            ),
            (
                "send to an address by a socket that is open",
                Box::new(move || {
                    let (one, _other) = UnixDatagram::pair()?;
                    one.send_to(b"x", folder.join("datagrams")).map(drop)
                }),
            ),
            ("start a program", Box::new(|| Command::new("/bin/true").status().map(drop))),
            (
                "signal another process",
                Box::new(move || {
                    let parent = rustix::process::Pid::from_raw(parent as i32).expect("a process");
                    Ok(rustix::process::test_kill_process(parent)?)
                }),
            ),
            (
                "read another process's environment",
                Box::new(move || fs::read(format!("/proc/{parent}/environ")).map(drop)),
            ),
        ]
    }

    /// In a process of its own, whose other thread waits for the end of this one.
    fn in_a_sandbox(folder: &Path) {
        linux::close(&Files { read: vec![folder.join("in")], written: vec![folder.join("out")] }).expect("a sandbox");
        let port = env::var(PORT).ok().and_then(|port| port.parse().ok()).expect("a port");
        let all_are_denied = || {
            for (name, act) in forbidden(folder, port) {
                let denied = act().expect_err(name).raw_os_error();
                assert!(matches!(denied, Some(libc::EACCES | libc::EXDEV | libc::ENOSYS)), "{name}: {denied:?}");
            }
        };
        all_are_denied();
        std::thread::scope(|scope| scope.spawn(all_are_denied).join().expect("no panic"));
        // What is allowed.
        assert_eq!(fs::read(folder.join("in")).expect("it was named"), b"in");
        fs::write(folder.join("out/b"), "b").expect("this folder was named");
        fs::rename(folder.join("out/b"), folder.join("out/c")).expect("within it");
        let (mut one, mut other) = UnixStream::pair().expect("connected to each other");
        one.write_all(b"x").and_then(|()| other.read_exact(&mut [0])).expect("they are");
    }

    #[test]
    fn a_process_of_several_threads_is_not_held_by_halves() {
        std::thread::scope(|scope| {
            let other = scope.spawn(std::thread::park);
            let refused = enter(&Files::default()).expect_err("two threads").to_string();
            assert!(refused.ends_with(" threads already, and it would hold one of them"), "{refused}");
            other.thread().unpark();
        });
        assert!(!is_closed() && fs::read("/etc/passwd").is_ok());
    }

    #[test]
    fn a_program_in_a_sandbox_and_its_threads_open_what_was_named_and_nothing_else() {
        if let Some(folder) = env::var_os(FOLDER) {
            return in_a_sandbox(Path::new(&folder));
        }
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path();
        fs::create_dir(path.join("out")).expect("room");
        for name in ["in", "other", "gone"] {
            fs::write(path.join(name), name).expect("room");
        }
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let _socket = UnixListener::bind(path.join("socket")).expect("room");
        let _datagrams = UnixDatagram::bind(path.join("datagrams")).expect("room");
        let port = listener.local_addr().expect("a port").port();
        for (name, act) in forbidden(path, port) {
            act().unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        let mut inside = Command::new(env::current_exe().expect("this test"));
        let own = "sandbox::tests::a_program_in_a_sandbox_and_its_threads_open_what_was_named_and_nothing_else";
        inside.args(["--exact", own, "--nocapture"]).env(FOLDER, path).env(PORT, port.to_string());
        let output = inside.output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        if said.contains("this system has no ") {
            return eprintln!("SKIPPED, nothing was tested: {said}");
        }
        assert!(output.status.success(), "{said}");
        let names = ["a", "new"].map(|name| path.join(name).exists());
        assert_eq!(names, [true; 2], "made outside the sandbox, by the acts that are denied in it");
    }
}
