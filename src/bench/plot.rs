//! Pictures of what runs cost, on logarithmic axes, as SVG.

use crate::error::{Error, Result};
use plotters::prelude::*;

/// One line of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its points, from left to right; all numbers above 0.
    pub points: Vec<(f64, f64)>,
}

/// What is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// Above the picture.
    pub title: String,
    /// Under the horizontal axis.
    pub x: String,
    /// Beside the vertical axis.
    pub y: String,
    /// The lines.
    pub series: Vec<Series>,
}

const SIZE: (u32, u32) = (960, 600);

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
        let x = range(points().map(|(x, _)| x)).ok_or("there is nothing to draw")?;
        let y = range(points().map(|(_, y)| y)).ok_or("there is nothing to draw")?;
        let root = SVGBackend::with_string(text, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&root)
            .caption(&self.title, ("sans-serif", 22))
            .margin(16)
            .x_label_area_size(48)
            .y_label_area_size(72)
            // Room for the legend above all lines.
            .build_cartesian_2d((x.0..x.1).log_scale(), (y.0..2.5 * y.1).log_scale())?;
        chart
            .configure_mesh()
            .x_desc(&self.x)
            .y_desc(&self.y)
            .x_label_formatter(&|value| label(*value))
            .y_label_formatter(&|value| label(*value))
            .bold_line_style(BLACK.mix(0.25))
            .light_line_style(BLACK.mix(0.08))
            .label_style(("sans-serif", 14))
            .axis_desc_style(("sans-serif", 16))
            .draw()?;
        for (index, series) in self.series.iter().enumerate() {
            let color = Palette99::pick(index).to_rgba();
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

/// From a little below the least to a little above the greatest.
fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let (least, most) = values
        .filter(|value| *value > 0.0 && value.is_finite())
        .fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), value| (least.min(value), most.max(value)));
    (least <= most).then_some((least / 1.3, most * 1.3))
}

/// `0.05`, `12`, `4,096`, `1.3e7`.
fn label(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{v:.0e}"),
        v if v >= 10.0 => format!("{v:.0}"),
        v if v >= 1.0 => format!("{v:.1}"),
        v => format!("{v:.1e}").parse::<f64>().map_or_else(|_| v.to_string(), |short| short.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_series_is_drawn_and_named() {
        let series = |name: &str, factor: f64| Series {
            name: name.into(),
            points: (10..20).map(|k| (f64::from(1 << k), factor * 1e3 / f64::from(k))).collect(),
        };
        let plot = Plot {
            title: "Cost of a step".into(),
            x: "boids".into(),
            y: "nanoseconds a boid".into(),
            series: vec![series("U quantized-grid", 1.0), series("F quantized-grid", 3.0)],
        };
        let svg = plot.svg().expect("there is something to draw");
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 20);
        for text in ["Cost of a step", "boids", "nanoseconds a boid", "U quantized-grid", "F quantized-grid"] {
            assert!(svg.contains(text), "{text}");
        }
        let nothing = Plot { series: Vec::new(), ..plot };
        assert!(nothing.svg().is_err());
    }
}
