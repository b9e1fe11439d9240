//! Order parameters over time.

use starlings::flock::OrderParameters;
use std::collections::VecDeque;

/// Samples that are kept.
const SAMPLES: usize = 240;

/// A number that order parameters have.
pub struct Trend {
    pub name: &'static str,
    pub value: fn(&OrderParameters) -> Option<f64>,
    /// Its greatest value, the least being 0; without one, the greatest that has occurred.
    pub most: Option<f64>,
    /// Digits after the point.
    pub digits: usize,
}

/// The numbers shown.
pub const TRENDS: &[Trend] = &[
    Trend { name: "polarization", value: |o| Some(o.polarization), most: Some(1.0), digits: 3 },
    Trend { name: "milling", value: |o| Some(o.milling), most: Some(1.0), digits: 3 },
    Trend { name: "neighbors, mean", value: |o| Some(o.neighbors), most: None, digits: 1 },
    Trend { name: "neighbors, most", value: |o| Some(o.most_neighbors.into()), most: None, digits: 0 },
    Trend { name: "nearest neighbor", value: |o| o.nearest, most: None, digits: 3 },
    Trend { name: "speed", value: |o| Some(o.speed), most: None, digits: 2 },
    Trend { name: "lost boids", value: |o| Some(o.non_finite.into()), most: None, digits: 0 },
];

/// The last order parameters measured.
#[derive(Debug, Default)]
pub struct Trends {
    samples: VecDeque<OrderParameters>,
}

impl Trends {
    /// Takes in newer ones.
    pub fn see(&mut self, order: &[OrderParameters]) {
        for &sample in order {
            if self.samples.len() == SAMPLES {
                self.samples.pop_front();
            }
            self.samples.push_back(sample);
        }
    }

    /// The flock starts over.
    pub fn clear(&mut self) {
        self.samples.clear();
    }

    /// The newest value of a trend, and all of them with their steps, oldest first.
    pub fn of(&self, trend: &Trend) -> (Option<f64>, Vec<[f64; 2]>) {
        let point = |order: &OrderParameters| (trend.value)(order).map(|value| [f64::from(order.step), value]);
        (self.samples.back().and_then(trend.value), self.samples.iter().filter_map(point).collect())
    }
}
