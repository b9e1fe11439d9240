//! Where the last window was and how large: kept in a small file between runs. A file that is damaged, or that names a
//! place which no display has any more, is as good as none.

use crate::error::{Error, Result};
use crate::export::{Existing, OutputFile};
use starlings::input;
use std::io::Write;
use std::path::{Path, PathBuf};
use winit::dpi::{PhysicalPosition, PhysicalSize};

/// Bytes that are read at most.
const MOST_BYTES: u64 = 4096;

/// Edges of a window that is worth coming back to, in points.
const EDGES: std::ops::RangeInclusive<i64> = 64..=8192;

/// A window's size in points, and the place of its frame in pixels where the window system tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    pub size: (u32, u32),
    pub position: Option<(i32, i32)>,
}

/// `$XDG_STATE_HOME/starlings/window.toml`, or the equivalent on other systems.
pub fn state_file() -> Option<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", "starlings")?;
    Some(folders.state_dir().unwrap_or(folders.data_local_dir()).join("window.toml"))
}

impl Placement {
    /// What the file says, if it can be used.
    pub fn read(path: &Path) -> Option<Placement> {
        let bytes = input::read(path, MOST_BYTES).inspect_err(|error| tracing::debug!("no placement: {error}")).ok()?;
        Self::parse(std::str::from_utf8(&bytes).ok()?)
    }

    fn parse(text: &str) -> Option<Placement> {
        let pair = |key: &str| -> Option<[i64; 2]> {
            let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = ["))?;
            let (first, second) = line.strip_suffix(']')?.split_once(", ")?;
            Some([first.parse().ok()?, second.parse().ok()?])
        };
        let [width, height] = pair("size")?;
        let place = |[x, y]: [i64; 2]| Some((i32::try_from(x).ok()?, i32::try_from(y).ok()?));
        (EDGES.contains(&width) && EDGES.contains(&height))
            .then(|| Placement { size: (width as u32, height as u32), position: pair("position").and_then(place) })
    }

    /// Replaces the file.
    pub fn write(&self, path: &Path) -> Result<()> {
        let failed = |error: std::io::Error| Error::Output { path: path.to_owned(), reason: error.to_string() };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let mut file = OutputFile::create(path, Existing::Replace)?;
        file.file().write_all(self.text().as_bytes()).map_err(failed)?;
        file.commit().map(drop)
    }

    fn text(&self) -> String {
        let (width, height) = self.size;
        let mut text = format!("# The last window of starlings: points, and pixels.\nsize = [{width}, {height}]\n");
        if let Some((x, y)) = self.position {
            text += &format!("position = [{x}, {y}]\n");
        }
        text
    }

    /// The same as far as it is seen on these displays, each a corner and a size in pixels: without a place of which
    /// less than half is on one of them.
    pub fn seen_on(self, displays: &[(PhysicalPosition<i32>, PhysicalSize<u32>)]) -> Placement {
        let middle =
            |(x, y): (i32, i32)| (i64::from(x) + i64::from(self.size.0) / 2, i64::from(y) + i64::from(self.size.1) / 2);
        let on = |place: &(i32, i32)| {
            let (x, y) = middle(*place);
            displays.iter().any(|(corner, size)| {
                (i64::from(corner.x)..i64::from(corner.x) + i64::from(size.width)).contains(&x)
                    && (i64::from(corner.y)..i64::from(corner.y) + i64::from(size.height)).contains(&y)
            })
        };
        Placement { position: self.position.filter(on), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_anything_else_is_ignored() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("deep/er/window.toml");
        assert_eq!(Placement::read(&path), None);
        for position in [None, Some((-1920, 35))] {
            let placement = Placement { size: (800, 450), position };
            placement.write(&path).expect("room");
            assert_eq!(Placement::read(&path), Some(placement));
        }
        for bad in [
            "",
            "size",
            "size = 3",
            "size = [1]",
            "size = [800, 450, 3]",
            "size = [0, 450]",
            "size = [800, 99999999999999999999]",
            "size = [\"800\", 450]",
            "size = [8e2, 450]",
        ] {
            assert_eq!(Placement::parse(bad), None, "{bad}");
        }
        let odd = Placement::parse("size = [800, 450]\nposition = [1, 9999999999]\nother = 3");
        assert_eq!(odd, Some(Placement { size: (800, 450), position: None }));
        std::fs::write(&path, [0xff; 9]).expect("room");
        assert_eq!(Placement::read(&path), None);
    }

    #[test]
    fn a_place_that_no_display_has_is_forgotten() {
        let displays = [(PhysicalPosition::new(0, 0), PhysicalSize::new(1920, 1080))];
        let at = |x, y| Placement { size: (800, 450), position: Some((x, y)) };
        for (x, y) in [(0, 0), (-399, 100), (1500, 800)] {
            assert_eq!(at(x, y).seen_on(&displays), at(x, y));
        }
        for (x, y) in [(1920, 0), (-500, 0), (0, 1000), (i32::MAX, i32::MIN)] {
            assert_eq!(at(x, y).seen_on(&displays).position, None, "{x} {y}");
        }
        assert_eq!(at(0, 0).seen_on(&[]), Placement { position: None, ..at(0, 0) });
    }
}
