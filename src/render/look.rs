//! The look of a flock: shape, color, backdrop and trail.

use super::clips::{Figure, Model};
use super::layout::Palette;
pub use super::shape::{SHAPES, Shape};
use crate::error::{Error, Result};
use crate::flock::named::choices;
use crate::flock::{Flock, Settings};
use crate::limits::{
    COLORING_CELL, COLORING_HEADING, COLORING_ID, COLORING_KIND, COLORING_NATURAL, COLORING_NEIGHBORS, COLORING_RANDOM,
    COLORING_SILHOUETTE, COLORING_SPEED, COLORING_STATE,
};
use glam::{UVec3, Vec3};
use std::ops::RangeInclusive;
use std::sync::Arc;

choices! {
    /// What a boid's color tells.
    #[repr(u32)]
    enum Coloring in COLORINGS as "color" {
        Natural = COLORING_NATURAL, "natural", "the shape's own color";
        Silhouette = COLORING_SILHOUETTE, "silhouette", "nearly black, with a rim of light";
        Id = COLORING_ID, "id", "one hue per boid";
        Random = COLORING_RANDOM, "random", "red + green + blue at least 1";
        Heading = COLORING_HEADING, "heading", "direction around the vertical, as hue";
        Speed = COLORING_SPEED, "speed", "from slow to fast";
        /// The neighbors are those before the last step.
        Neighbors = COLORING_NEIGHBORS, "neighbors", "from none to many";
        Cell = COLORING_CELL, "cell", "a cell red, those around it cyan";
        State = COLORING_STATE, "state", "what it is doing";
        Kind = COLORING_KIND, "kind", "its kind";
    }
}

choices! {
    /// What is behind the flock, and how it is lit.
    enum Backdrop in BACKDROPS as "backdrop" {
        Dusk, "dusk", "a low sun over a calm sea";
        Day, "day", "a clear morning";
        Water, "water", "under water";
        Paper, "paper", "paper, with unlit colors";
    }
}

/// Longest trail, in seconds.
pub const LONGEST_TRAIL: f32 = 60.0;

/// By how much a boid may be stretched.
pub const STRETCHES: RangeInclusive<f32> = 0.1..=4.0;

/// Width of a trail at the boid and at its end, in lengths of a boid. The cursor's flock narrows to a quarter, too.
const TRAIL_WIDTH: [f32; 2] = [0.16, 0.03];

/// What is accepted as the values of the first and of the last color.
pub const COLOR_ENDS: &str = "two numbers from 0 to 1e9, the second greater";

/// Whether values may be those of the first color and of the last.
pub fn is_color_range([low, high]: [f32; 2]) -> bool {
    // NaN is in no range.
    (0.0..=1e9).contains(&low) && high <= 1e9 && low < high
}

/// The look of a flock. May change from frame to frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// What a boid is drawn as.
    pub shape: Shape,
    /// A model that it is drawn as instead.
    pub model: Option<Model>,
    /// What its color tells.
    pub color: Coloring,
    /// The values of the first and of the last color, for [`Coloring::Speed`] in world units per second and for
    /// [`Coloring::Neighbors`]; none fits them to the flock, to its 5th and 95th [percentile](super::values).
    pub color_range: Option<[f32; 2]>,
    /// What is behind the flock.
    pub backdrop: Backdrop,
    /// The light.
    pub palette: Palette,
    /// World units from beak to tail.
    pub boid_length: f32,
    /// Stretches a boid along its right, up and back.
    pub scale: Vec3,
    /// Boids at least this many pixels long are drawn with the detailed mesh, by the rasterizer.
    pub lod_pixels: f32,
    /// Extinction of the haze across the radius of the world: 0 is clear air.
    pub haze: f32,
    /// How strongly boids shade each other: 0 not at all, 1 as much as their size says.
    pub shadow: f32,
    /// Simulated seconds that a trail is long; 0 for none.
    pub trail: f32,
    /// Width of a trail at the boid and at its end, in world units.
    pub trail_width: [f32; 2],
    /// Whether the flock's targets are drawn, as spheres.
    pub targets: bool,
    /// The cell that [`Coloring::Cell`] picks out, of those as wide as the search radius.
    pub cell: UVec3,
}

impl Look {
    /// How a flock of `settings` is drawn unless the user wants otherwise: as its preset is, with boids three tenths as
    /// long as the distance at which they begin to avoid each other, but no longer than a thirtieth of the world's
    /// edge. On a plane they are darts on paper, and also no shorter than a hundredth of that edge, or three fifths of
    /// their mean distance where they are many.
    pub fn of(settings: &Settings) -> Self {
        let edge = 2.0 * settings.world.half_size.max_element();
        let birds = Look {
            shape: Shape::Bird,
            model: None,
            color: Coloring::Natural,
            color_range: None,
            backdrop: Backdrop::Dusk,
            palette: Palette::dusk(),
            boid_length: 0.0,
            scale: Vec3::ONE,
            lod_pixels: 10.0,
            haze: 0.0,
            shadow: 0.0,
            trail: 0.0,
            trail_width: [0.0; 2],
            targets: false,
            cell: super::cells(settings).dims / 2,
        }
        .of_length((0.3 * settings.rules.separation_radius).min(edge / 30.0));
        // As their authors drew them, but for counting-sort, whose author has one color and balls for targets by day.
        let look = match settings.preset {
            "cursor" => {
                let (shape, color, trail_width) = (Shape::Plane, Coloring::Random, [1.0, 0.25]);
                Look { shape, color, trail: 0.5, trail_width, ..birds.of_length(3.0) }.before(Backdrop::Day)
            }
            _ if settings.plane => {
                let (shape, color) = (Shape::Dart, Coloring::Heading);
                let [width, _, depth] = (2.0 * settings.world.half_size).to_array();
                let mean_distance = (width * depth / settings.boids as f32).sqrt();
                let boid_length = birds.boid_length.max((0.6 * mean_distance).min(edge / 100.0));
                Look { shape, color, ..birds.of_length(boid_length) }.before(Backdrop::Paper)
            }
            "three-radius" => Look { shape: Shape::Fish, ..birds }.of_length(0.7).before(Backdrop::Water),
            "reynolds" => Look { shape: Shape::Fish, ..birds }.before(Backdrop::Water),
            "bitonic" => {
                let (shape, color) = (Shape::Dot, Coloring::Cell);
                Look { shape, color, ..birds.of_length(0.3) }.before(Backdrop::Paper)
            }
            "couzin" => Look { shape: Shape::Fish, ..birds }.of_length(0.7).before(Backdrop::Water),
            _ => Look { color: Coloring::Silhouette, ..birds }.before(Backdrop::Dusk),
        };
        let color = if settings.kinds.is_empty() { look.color } else { Coloring::Kind };
        Look { color, ..look }
    }

    /// Reads the file of its model, if it has one that was not read. A scene does so, too; this is for an earlier word.
    ///
    /// # Errors
    /// [`Error::Input`] with one line that names the file.
    pub fn read_model(&mut self) -> Result<()> {
        self.model.as_mut().map_or(Ok(()), Model::read)
    }

    /// The meshes and clips of a boid.
    ///
    /// # Panics
    /// When its model was not read.
    pub fn figure(&self) -> Arc<Figure> {
        self.model.as_ref().map_or_else(|| Figure::of(self.shape), |model| model.figure().clone())
    }

    /// The same with boids of so many world units, and trails of a width that suits them.
    fn of_length(self, boid_length: f32) -> Self {
        Look { boid_length, trail_width: TRAIL_WIDTH.map(|width| width * boid_length), ..self }
    }

    /// The same with another backdrop and its light and haze.
    #[must_use]
    pub fn before(self, backdrop: Backdrop) -> Self {
        let (palette, haze, shadow) = match backdrop {
            Backdrop::Dusk => (Palette::dusk(), 0.20, 1.5),
            Backdrop::Day => (Palette::day(), 0.14, 1.5),
            Backdrop::Water => (Palette::water(), 0.22, 0.7),
            Backdrop::Paper => (Palette::paper(), 0.0, 0.0),
        };
        Look { backdrop, palette, haze, shadow, ..self }
    }

    /// Whether its colors stand for amounts, from the first to the last of a range.
    pub fn shows_amounts(&self) -> bool {
        matches!(self.color, Coloring::Speed | Coloring::Neighbors)
    }

    /// Makes the flock observed if this look shows neighborhoods. Call it before a scene is created with or changed to
    /// this look. `slots` is the number of frames in flight.
    ///
    /// # Errors
    /// What the device could not make.
    pub fn observe(&self, flock: &mut Flock, slots: usize) -> Result<()> {
        flock.show_neighborhoods(self.color == Coloring::Neighbors, slots)
    }

    /// This look, for a flock of `settings`: its cell may be beyond those of the grid, and its color may show what the
    /// flock does not have.
    #[must_use]
    pub fn fitted(mut self, settings: &Settings) -> Look {
        self.cell = self.cell.min(super::cells(settings).dims - 1);
        if self.check(settings).is_err() {
            self.color = Coloring::Natural;
        }
        self
    }

    /// Checks what can be drawn of a flock of `settings`.
    ///
    /// # Errors
    /// [`Error::Setting`] names what cannot, and what is accepted.
    pub fn check(&self, settings: &Settings) -> Result<()> {
        if self.color == Coloring::Speed && settings.law.info().uses_heading && !settings.has_own_speeds() {
            let accepted = format!("any other: all boids of {} fly at one speed", settings.preset);
            return Err(Error::setting("color", "'speed'", accepted));
        }
        if self.color == Coloring::Neighbors && settings.engine.is_cpu() {
            let accepted = format!("any other: with engine {} no kernel counts neighbors", settings.engine);
            return Err(Error::setting("color", "'neighbors'", accepted));
        }
        if self.color == Coloring::Kind && settings.kinds.is_empty() {
            return Err(Error::setting("color", "'kind'", "any other: without kinds there are none to show"));
        }
        if self.color == Coloring::State && !settings.states.is_on() {
            return Err(Error::setting("color", "'state'", "any other: without states there are none to show"));
        }
        // NaN is in no range.
        if !(0.0..=LONGEST_TRAIL).contains(&self.trail) {
            let accepted = format!("a number from 0, for none, to {LONGEST_TRAIL}, in simulated seconds");
            return Err(Error::setting("trail", self.trail, accepted));
        }
        if let Some([low, high]) = self.color_range
            && !is_color_range([low, high])
        {
            return Err(Error::setting("color_range", format!("{low},{high}"), COLOR_ENDS));
        }
        let dims = super::cells(settings).dims;
        if self.cell.cmpge(dims).any() {
            let [x, y, z] = (dims - 1).to_array();
            let accepted = format!("X,Y,Z from 0,0,0 to {x},{y},{z}: the cells are as wide as the search radius");
            let cell = self.cell.to_array().map(|at| at.to_string()).join(",");
            return Err(Error::setting("cell", cell, accepted));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boids_on_a_plane_can_be_seen() {
        for (boids, share) in [(2, 1.0 / 30.0), (1_000, 1.0 / 100.0), (1_000_000, 0.000_601)] {
            let settings = Settings::preset("vicsek").expect("a known preset").with_boids(boids);
            let look = Look::of(&settings);
            let edge = 2.0 * settings.world.half_size.max_element();
            assert!(look.shape == Shape::Dart && look.backdrop == Backdrop::Paper);
            assert!(look.boid_length <= share * edge && look.boid_length > 0.0, "{boids}: {}", look.boid_length);
        }
        let settings = Settings::preset("reynolds").expect("a known preset").with_boids(500).on_plane();
        let edge = 2.0 * settings.world.half_size.max_element();
        assert!(Look::of(&settings).boid_length >= edge / 100.0);
    }

    #[test]
    fn what_would_show_nothing_is_refused() {
        let settings = Settings::preset("counting-sort").expect("a known preset");
        let look = Look::of(&settings);
        look.check(&settings).expect("the default");
        let message =
            Look { color: Coloring::Speed, ..look.clone() }.check(&settings).expect_err("one speed").to_string();
        assert!(message.starts_with("color is 'speed'; accepted is any other"), "{message}");
        for range in [[1.0, 1.0], [2.0, 1.0], [-1.0, 1.0], [f32::NAN, 1.0], [0.0, f32::NAN], [0.0, f32::INFINITY]] {
            let message = Look { color_range: Some(range), ..look.clone() }.check(&settings).expect_err("no range");
            assert!(message.to_string().contains("accepted is two numbers from 0 to 1e9, the second"), "{message}");
        }
        let outside = Look { cell: super::super::cells(&settings).dims, ..look };
        let message = outside.check(&settings).expect_err("outside").to_string();
        assert!(message.contains("accepted is X,Y,Z from 0,0,0 to "), "{message}");
    }
}
