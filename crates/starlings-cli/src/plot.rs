//! Plots of what runs cost and of what sweeps measured, as SVG.

use crate::error::{Error, Result};
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

/// One line of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its points, from left to right; on logarithmic axes all numbers above 0.
    pub points: Vec<(f64, f64)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// Above the picture.
    pub title: String,
    /// Under the horizontal axis.
    pub x: String,
    /// Beside the vertical axis.
    pub y: String,
    /// Whether both axes are logarithmic.
    pub logarithmic: bool,
    pub series: Vec<Series>,
}

const SIZE: (u32, u32) = (960, 600);

/// The colors of lines, in turn: those that Okabe and Ito chose to be told apart by all, but the yellow.
const COLORS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    BLACK,
];

impl Plot {
    /// The picture as SVG.
    ///
    /// # Errors
    /// [`Error::Plot`] when there is nothing to draw.
    pub fn svg(&self) -> Result<String> {
        let mut text = String::new();
        self.draw(&mut text).map_err(|reason| Error::Plot(reason.to_string()))?;
        Ok(text)
    }

    fn draw(&self, text: &mut String) -> Result<(), Box<dyn std::error::Error>> {
        let points = || self.series.iter().flat_map(|series| series.points.iter().copied());
        let range = if self.logarithmic { logarithmic } else { linear };
        let x = range(&mut points().map(|(x, _)| x)).ok_or("there is nothing to draw")?;
        let y = range(&mut points().map(|(_, y)| y)).ok_or("there is nothing to draw")?;
        if self.logarithmic {
            // Room for the legend above all lines.
            self.draw_on(text, (x.0..x.1).log_scale(), (y.0..2.5 * y.1).log_scale())
        } else {
            self.draw_on(text, x.0..x.1, y.0..y.1 + 0.3 * (y.1 - y.0))
        }
    }

    fn draw_on<X, Y>(&self, text: &mut String, x: X, y: Y) -> Result<(), Box<dyn std::error::Error>>
    where
        X: AsRangedCoord<Value = f64>,
        Y: AsRangedCoord<Value = f64>,
        X::CoordDescType: ValueFormatter<f64>,
        Y::CoordDescType: ValueFormatter<f64>,
    {
        let root = SVGBackend::with_string(text, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&root)
            .caption(&self.title, ("sans-serif", 22))
            .margin(16)
            .x_label_area_size(48)
            .y_label_area_size(72)
            .build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .x_desc(&self.x)
            .y_desc(&self.y)
            .x_label_formatter(&|value| label(*value))
            .y_label_formatter(&|value| label(*value))
            .bold_line_style(BLACK.mix(0.25))
            .max_light_lines(1)
            .light_line_style(BLACK.mix(0.08))
            .label_style(("sans-serif", 14))
            .axis_desc_style(("sans-serif", 16))
            .draw()?;
        for (index, series) in self.series.iter().enumerate() {
            let color = COLORS[index % COLORS.len()];
            chart
                .draw_series(LineSeries::new(series.points.iter().copied(), color.stroke_width(2)))?
                .label(&series.name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 22, y)], color.stroke_width(2)));
            chart.draw_series(series.points.iter().map(|&point| Circle::new(point, 3, color.filled())))?;
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.3))
            .label_font(("sans-serif", 14))
            .draw()?;
        root.present()?;
        Ok(())
    }
}

/// From a little below the least to a little above the greatest, of those above 0.
fn logarithmic(values: &mut dyn Iterator<Item = f64>) -> Option<(f64, f64)> {
    let (least, most) = extremes(&mut values.filter(|value| *value > 0.0))?;
    Some((least / 1.3, most * 1.3))
}

/// From the least to the greatest, and from 0 where that is near.
fn linear(values: &mut dyn Iterator<Item = f64>) -> Option<(f64, f64)> {
    let (least, most) = extremes(values)?;
    let least = if least > 0.0 && least < 0.5 * most { 0.0 } else { least };
    let margin = if most > least { 0.0 } else { 0.5 * least.abs().max(1.0) };
    Some((least - margin, most + margin))
}

fn extremes(values: &mut dyn Iterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.filter(|value| value.is_finite());
    finite.fold(None, |found: Option<(f64, f64)>, value| {
        Some(found.map_or((value, value), |(least, most)| (least.min(value), most.max(value))))
    })
}

/// `0.05`, `12`, `4,096`, `1.3e7`.
fn label(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{v:.0e}"),
        v if v >= 10.0 => format!("{v:.0}"),
        v if v >= 1.0 => format!("{v:.1}"),
        0.0 => "0".to_owned(),
        v => format!("{v:.1e}").parse::<f64>().map_or_else(|_| v.to_string(), |short| short.to_string()),
    }
}
