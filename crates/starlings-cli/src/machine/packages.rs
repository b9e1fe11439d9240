//! Packages that have what may be missing, by the system's package manager.

use std::fs;

/// What is missing, and its packages for apt (Debian, Ubuntu), dnf (Fedora), pacman (Arch), apk (Alpine) and zypper
/// (openSUSE).
const PACKAGES: [(&str, [&str; 5]); 14] = [
    ("libvulkan.so.1", ["libvulkan1", "vulkan-loader", "vulkan-icd-loader", "vulkan-loader", "libvulkan1"]),
    ("libX11.so.6", ["libx11-6", "libX11", "libx11", "libx11", "libX11-6"]),
    ("libX11-xcb.so.1", ["libx11-xcb1", "libX11-xcb", "libx11", "libx11", "libX11-xcb1"]),
    ("libxcb.so.1", ["libxcb1", "libxcb", "libxcb", "libxcb", "libxcb1"]),
    ("libXcursor.so.1", ["libxcursor1", "libXcursor", "libxcursor", "libxcursor", "libXcursor1"]),
    ("libXi.so.6", ["libxi6", "libXi", "libxi", "libxi", "libXi6"]),
    ("libxkbcommon.so.0", ["libxkbcommon0", "libxkbcommon", "libxkbcommon", "libxkbcommon", "libxkbcommon0"]),
    (
        "libxkbcommon-x11.so.0",
        ["libxkbcommon-x11-0", "libxkbcommon-x11", "libxkbcommon-x11", "libxkbcommon-x11", "libxkbcommon-x11-0"],
    ),
    (
        "libwayland-client.so.0",
        ["libwayland-client0", "libwayland-client", "wayland", "wayland-libs-client", "libwayland-client0"],
    ),
    (
        "a driver",
        ["mesa-vulkan-drivers", "mesa-vulkan-drivers", "vulkan-swrast", "mesa-vulkan-swrast", "libvulkan_lvp"],
    ),
    (
        "the validation layer",
        [
            "vulkan-validationlayers",
            "vulkan-validation-layers",
            "vulkan-validation-layers",
            "vulkan-validation-layers",
            "vulkan-validationlayers",
        ],
    ),
    ("ffmpeg", ["ffmpeg", "ffmpeg-free", "ffmpeg", "ffmpeg", "ffmpeg"]),
    ("an X server", ["xserver-xorg", "xorg-x11-server-Xorg", "xorg-server", "xorg-server", "xorg-x11-server"]),
    ("RenderDoc", ["librenderdoc", "renderdoc", "renderdoc", "renderdoc", "renderdoc"]),
];

/// How each installs packages.
const MANAGERS: [(&str, &[&str]); 5] = [
    ("apt install", &["debian", "ubuntu"]),
    ("dnf install", &["fedora", "rhel", "centos"]),
    ("pacman -S", &["arch"]),
    ("apk add", &["alpine"]),
    ("zypper install", &["suse", "opensuse"]),
];

/// How to install `what` on this system: `apt install libxi6`. None where that is not known.
pub fn install(what: &str) -> Option<String> {
    let release = fs::read_to_string("/etc/os-release").or_else(|_| fs::read_to_string("/usr/lib/os-release"));
    let manager = manager(&release.ok()?)?;
    let (_, packages) = PACKAGES.iter().find(|(name, _)| *name == what)?;
    Some(format!("{} {}", MANAGERS[manager].0, packages[manager]))
}

/// The manager of the system that `/etc/os-release` describes: itself, or one that it is like.
fn manager(release: &str) -> Option<usize> {
    let value = |key: &str| {
        let line = release.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='))?;
        Some(line.trim_matches(['"', '\'']).to_owned())
    };
    let words = [value("ID"), value("ID_LIKE")].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let names = |word: &str, system: &str| word == system || word.starts_with(&format!("{system}-"));
    words
        .split(' ')
        .find_map(|word| MANAGERS.iter().position(|(_, systems)| systems.iter().any(|system| names(word, system))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_are_known_by_themselves_or_by_what_they_are_like() {
        assert_eq!(manager("NAME=\"Debian\"\nID=debian\n"), Some(0));
        assert_eq!(manager("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"), Some(0));
        assert_eq!(manager("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n"), Some(1));
        assert_eq!(manager("ID=\"opensuse-tumbleweed\"\n"), Some(4));
        assert_eq!(manager("ID=nixos\n"), None);
    }

    /// `bootstrap` installs them, too.
    #[test]
    fn the_names_are_those_of_bootstrap() {
        let Ok(bootstrap) = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../bootstrap")) else {
            return eprintln!("SKIPPED, nothing was tested: this is no clone of the repository");
        };
        let mut found = 0;
        for line in bootstrap.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let Some(name) = words.get(1).and_then(|sign| sign.strip_prefix("lib:")) else { continue };
            if let Some((_, packages)) = PACKAGES.iter().find(|(library, _)| *library == name) {
                assert_eq!(words[2..5], packages[..3], "{name}");
                found += 1;
            }
        }
        assert!(found >= 9, "{found} libraries");
    }
}
