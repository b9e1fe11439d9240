//! The section of order parameters: each number, and its course.

use super::widgets::{FAINT, plot, row};
use crate::viewer::trends::{TRENDS, Trends};
use egui::{RichText, Ui};

pub fn section(ui: &mut Ui, trends: &Trends) {
    for trend in TRENDS {
        let (newest, points) = trends.of(trend);
        row(ui, trend.name, &newest.map_or("-".to_owned(), |value| format!("{value:.*}", trend.digits)));
        let most = points.iter().map(|[_, value]| *value).fold(f64::MIN_POSITIVE, f64::max);
        plot(ui, &points, trend.most.unwrap_or(1.1 * most));
    }
    ui.label(RichText::new("over the last steps, oldest at the left").size(11.0).color(FAINT));
}
