//! Obstacles as text: `sphere:0,0,0,5`.

use super::Obstacle::{self, Box, Capsule, Mesh, Plane, Sphere, Torus};
use crate::mesh::Model;
use glam::Vec3;
use std::fmt;

/// The forms of an obstacle as text.
pub const FORMS: &str = "sphere:X,Y,Z,RADIUS, box:X,Y,Z,WIDTH,HEIGHT,DEPTH, capsule:X,Y,Z,X,Y,Z,RADIUS, \
                         torus:X,Y,Z,AXIS,RING,TUBE, plane:X,Y,Z,NORMAL or mesh:X,Y,Z,EDGE,DEGREES,FILE, where AXIS \
                         and NORMAL are directions of three numbers, EDGE is the largest of a mesh, DEGREES turns it \
                         about y, and FILE is .obj, .gltf or .glb";

/// The names of the forms.
const NAMES: [&str; 6] = ["sphere", "box", "capsule", "torus", "plane", "mesh"];

/// The texts of several obstacles, with `/` between them; the names of files may have `/` too.
pub fn list(text: &str) -> Vec<&str> {
    let begins = |at: &usize| {
        NAMES.iter().any(|name| text[at + 1..].strip_prefix(name).is_some_and(|rest| rest.starts_with(':')))
    };
    let mut ends: Vec<usize> = text.match_indices('/').map(|(at, _)| at).filter(begins).collect();
    ends.push(text.len());
    let mut first = 0;
    ends.into_iter().map(|end| &text[std::mem::replace(&mut first, end + 1)..end]).collect()
}

impl Obstacle {
    /// Reads one of the [`FORMS`]. Its numbers are not checked: see
    /// [`Settings::validate`](crate::flock::Settings::validate). The file of a mesh is not read: see
    /// [`Settings::read_meshes`](crate::flock::Settings::read_meshes).
    pub fn parse(text: &str) -> Option<Obstacle> {
        let (name, numbers) = text.split_once(':')?;
        if name.trim() == "mesh" {
            return mesh(numbers);
        }
        let numbers: Vec<f32> = numbers.split(',').map(|number| number.trim().parse().ok()).collect::<Option<_>>()?;
        let v = Vec3::new;
        Some(match (name.trim(), &numbers[..]) {
            ("sphere", &[x, y, z, radius]) => Sphere { center: v(x, y, z), radius },
            ("box", &[x, y, z, a, b, c]) => Box { center: v(x, y, z), size: v(a, b, c) },
            ("capsule", &[x, y, z, a, b, c, radius]) => Capsule { from: v(x, y, z), to: v(a, b, c), radius },
            ("torus", &[x, y, z, a, b, c, ring, tube]) => Torus { center: v(x, y, z), axis: v(a, b, c), ring, tube },
            ("plane", &[x, y, z, a, b, c]) => Plane { point: v(x, y, z), normal: v(a, b, c) },
            _ => return None,
        })
    }
}

/// Five numbers and a file, whose name may have a comma, and at its end the number of its triangles.
fn mesh(text: &str) -> Option<Obstacle> {
    let parts: Vec<&str> = text.splitn(6, ',').collect();
    let [numbers @ .., file] = &parts[..] else { return None };
    let numbers: Vec<f32> = numbers.iter().map(|number| number.trim().parse().ok()).collect::<Option<_>>()?;
    let [x, y, z, size, turn] = numbers[..] else { return None };
    let numbered = file.rsplit_once('#').filter(|(file, number)| file.contains('.') && number.len() == 16);
    let numbered = numbered.and_then(|(file, number)| Some((file, u64::from_str_radix(number, 16).ok()?)));
    let model = match numbered {
        Some((file, number)) => Model::named(file, Some(number)),
        None if file.is_empty() => return None,
        None => Model::named(file, None),
    };
    Some(Mesh { center: Vec3::new(x, y, z), size, turn, model })
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (places, lengths): (&[Vec3], &[f32]) = match self {
            Sphere { center, radius } => (&[*center], &[*radius]),
            Box { center, size } => (&[*center, *size], &[]),
            Capsule { from, to, radius } => (&[*from, *to], &[*radius]),
            Torus { center, axis, ring, tube } => (&[*center, *axis], &[*ring, *tube]),
            Plane { point, normal } => (&[*point, *normal], &[]),
            Mesh { center, size, turn, .. } => (&[*center], &[*size, *turn]),
        };
        let numbers = places.iter().flat_map(|place| place.to_array()).chain(lengths.iter().copied());
        write!(f, "{}:", self.name())?;
        numbers.enumerate().try_for_each(|(i, x)| write!(f, "{}{x}", if i == 0 { "" } else { "," }))?;
        if let Mesh { model, .. } = self { write!(f, ",{model}") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for text in [
            "sphere:0,-2.5,0.1,5",
            "box:1,2,3,4,5,6",
            "capsule:0,0,0,1,1,1,0.25",
            "torus:0,0,0,0,1,0,5,1",
            "plane:0,-3,0,0,1,0",
            "mesh:0,-3,0,2.5,90,a folder/of, rocks/a#b.obj",
            "mesh:0,-3,0,2.5,-0.5,rock.glb#00ff00ff00ff00ff",
        ] {
            assert_eq!(Obstacle::parse(text).map(|obstacle| obstacle.to_string()).as_deref(), Some(text));
        }
        for text in [
            "",
            "sphere",
            "sphere:",
            "sphere:1,2,3",
            "sphere:1,2,3,4,5",
            "ball:1,2,3,4",
            "box:a,b,c,1,1,1",
            "mesh:0,0,0,1,rock.obj",
            "mesh:0,0,0,1,0,",
        ] {
            assert_eq!(Obstacle::parse(text), None, "{text}");
        }
    }

    #[test]
    fn obstacles_are_told_apart_though_files_have_folders() {
        let all =
            ["sphere:0,0,0,1", "mesh:0,0,0,1,0,/a/b/sphere.obj", "mesh:0,0,0,1,0,../mesh/c.glb", "plane:0,0,0,0,1,0"];
        assert_eq!(list(&all.join("/")), all);
        assert_eq!(list("sphere:1/ball:2"), ["sphere:1/ball:2"]);
        assert_eq!(list(""), [""]);
    }
}
