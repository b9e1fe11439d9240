//! Environment variables that the libraries of a window read, checked first: they would panic, or wait without end.

use crate::error::Result;
#[cfg(all(unix, not(target_os = "macos")))]
use crate::{error::Error, machine::display};
use std::path::Path;

/// Factors from points to pixels, from which winit and egui calculate without overflow, and beyond which nothing is
/// legible.
const SCALES: std::ops::RangeInclusive<f64> = 0.1..=20.0;

/// Checks the variables that windows under X11 depend on.
///
/// # Errors
/// [`starlings::Error::Environment`] names the first that cannot be used.
pub fn check() -> Result<()> {
    let value = |name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    let refused = |name, value, accepted: String| Err(starlings::Error::Environment { name, value, accepted }.into());
    if let Some(value) = value("XAUTHORITY").filter(|value| is_endless(Path::new(value))) {
        return refused("XAUTHORITY", value, "a regular file".into());
    }
    let name = "WINIT_X11_SCALE_FACTOR";
    match value(name) {
        Some(value) if !is_scale(&value) => {
            refused(name, value, format!("a number from {} to {}, or randr", SCALES.start(), SCALES.end()))
        }
        _ => Ok(()),
    }
}

/// Dots in an inch that are a point each, as desktops count.
#[cfg(all(unix, not(target_os = "macos")))]
const DOTS: f64 = 96.0;

/// Asks the X server for what winit would panic without.
///
/// # Errors
/// [`Error::NoDisplay`] if it does not answer, or lacks an extension; [`starlings::Error::Environment`] where its
/// resources scale windows to nothing; [`Error::Interrupted`].
#[cfg(all(unix, not(target_os = "macos")))]
pub fn check_server() -> Result<()> {
    // winit says in its own words that there is none.
    let Ok(server) = display::ask_x()? else { return Ok(()) };
    if !server.lacks.is_empty() {
        return Err(Error::NoDisplay(format!("the X server lacks the extensions {}", server.lacks.join(", "))));
    }
    let scaled = std::env::var_os("WINIT_X11_SCALE_FACTOR").is_some_and(|value| !value.is_empty());
    match server.dpi {
        // What is no number, winit passes over.
        Some(dpi) if !scaled && dpi.parse::<f64>().is_ok_and(|dots| !SCALES.contains(&(dots / DOTS))) => {
            let [least, most] = [SCALES.start(), SCALES.end()].map(|scale| (scale * DOTS) as f32);
            let accepted = format!(
                "a number from {least} to {most}; it is an X resource (`xrdb -query`), which the variable \
                 WINIT_X11_SCALE_FACTOR overrides"
            );
            Err(starlings::Error::Environment { name: "Xft.dpi", value: dpi, accepted }.into())
        }
        _ => Ok(()),
    }
}

/// Whether `path` is a pipe or a device, which Xlib would read to its end.
fn is_endless(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| !file.is_file() && !file.is_dir())
}

fn is_scale(value: &str) -> bool {
    let number = || value.parse().is_ok_and(|scale: f64| SCALES.contains(&scale));
    value.is_empty() || value.eq_ignore_ascii_case("randr") || number()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_legible_numbers_or_the_displays_own() {
        for good in ["", "randr", "RandR", "1", "2.5", "0.1", "20"] {
            assert!(is_scale(good), "{good}");
        }
        for bad in ["x", "nan", "inf", "0", "-1", "1e9", "1e-9", " 1"] {
            assert!(!is_scale(bad), "{bad}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn devices_have_no_end() {
        assert!(is_endless(Path::new("/dev/zero")));
        assert!(!is_endless(Path::new("/dev/null/nothing")) && !is_endless(Path::new(".")));
    }
}
