//! When a window measures order parameters, and the results.

use starlings::flock::OrderParameters;
use std::time::{Duration, Instant};

/// Between two measurements that the panel shows.
const SHOWN_EVERY: Duration = Duration::from_millis(100);

/// The measurements taken and scheduled.
#[derive(Debug, Default)]
pub struct Measurements {
    /// Steps between measurements for the report, if requested.
    every: Option<u32>,
    /// The next of those.
    next: u32,
    /// The last of those of this flock whose result has arrived.
    arrived: Option<u32>,
    /// Whether the panel's numbers are due.
    due: bool,
    /// Results for the report.
    pub kept: Vec<OrderParameters>,
    /// When the panel last asked for them.
    asked: Option<Instant>,
}

impl Measurements {
    /// Looks every so many steps, or only for the panel, at a flock that has taken `first` steps.
    pub fn new(every: Option<u32>, first: u32) -> Self {
        let next = every.map_or(0, |every| first.checked_next_multiple_of(every).unwrap_or(u32::MAX));
        Measurements { every, next, due: true, ..Measurements::default() }
    }

    /// The panel shows them: measures them again if they are old. Whether they are.
    pub fn renew_if_old(&mut self) -> bool {
        let is_old = self.asked.is_none_or(|asked| asked.elapsed() >= SHOWN_EVERY);
        if is_old {
            (self.asked, self.due) = (Some(Instant::now()), true);
        }
        is_old
    }

    pub fn restart(&mut self) {
        (self.next, self.arrived, self.due) = (0, None, true);
    }

    /// Goes on with the flock as it was after `step` steps. What is kept of later ones is not measured again.
    pub fn go_on(&mut self, step: u32) {
        let Some(every) = self.every else { return };
        let after = self.arrived.map_or(0, |last| last.saturating_add(every));
        self.next = after.max(step.checked_next_multiple_of(every).unwrap_or(u32::MAX));
    }

    /// The steps that a frame takes of the `steps` it is meant to, after `before` others, and whether the last of them
    /// is observed. A state is measured in the step that follows it, and only in the last of a frame.
    pub fn plan(&mut self, before: u32, steps: u32, panel: bool) -> (u32, bool) {
        let until = self.next.saturating_add(1).saturating_sub(before);
        if let Some(every) = self.every
            && (1..=steps).contains(&until)
        {
            self.next = self.next.saturating_add(every);
            return (until, true);
        }
        let observed = panel && self.due && steps > 0;
        self.due &= !observed;
        (steps, observed)
    }

    /// Takes in what has arrived.
    pub fn see(&mut self, order: Vec<OrderParameters>) {
        let wanted = |order: &OrderParameters| self.every.is_some_and(|every| order.step.is_multiple_of(every));
        for order in order.into_iter().filter(wanted) {
            // Results of a flock before this one may arrive late.
            if order.step < self.next {
                self.arrived = Some(order.step);
            }
            self.kept.push(order);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use starlings::flock::Settings;
    use starlings::flock::order::OrderMeans;

    #[test]
    fn every_so_many_steps_whatever_a_frame_takes() {
        let mut measurements = Measurements::new(Some(5), 0);
        let (mut step, mut seen) = (0, Vec::new());
        for wanted in [0, 1, 4, 2, 0, 4, 4, 1, 3, 4, 4, 4] {
            let (taken, observed) = measurements.plan(step, wanted, false);
            assert!(taken <= wanted && (taken > 0 || wanted == 0));
            step += taken;
            if observed {
                seen.push(step - 1);
            }
        }
        assert_eq!(seen, [0, 5, 10, 15, 20]);
        measurements.restart();
        assert_eq!(measurements.plan(0, 4, false), (1, true));
        let mut measurements = Measurements::new(Some(5), 12);
        assert_eq!((measurements.plan(12, 4, false), measurements.plan(16, 4, false)), ((4, true), (4, false)));
    }

    /// With the result of one of them lost on the way, and with one of a flock before.
    #[test]
    fn what_has_arrived_is_not_measured_again() {
        let settings = Settings::preset("reynolds").expect("a preset");
        let measured = |step| OrderParameters::of(&settings, &OrderMeans { step, ..OrderMeans::default() });
        let mut measurements = Measurements::new(Some(5), 0);
        assert_eq!([0, 1, 6].map(|step| measurements.plan(step, 5, false)), [(1, true), (5, true), (5, true)]);
        measurements.see(vec![measured(0), measured(5)]);
        measurements.go_on(4);
        assert_eq!([4, 8].map(|step| measurements.plan(step, 4, false)), [(4, false), (3, true)], "10 comes next");
        measurements.restart();
        measurements.see(vec![measured(10)]);
        measurements.go_on(2);
        assert_eq!(measurements.plan(2, 4, false), (4, true), "5 comes next");
    }

    #[test]
    fn the_panel_looks_when_it_is_open_and_due() {
        let mut measurements = Measurements::new(None, 0);
        assert_eq!(measurements.plan(0, 2, false), (2, false));
        assert_eq!(measurements.plan(2, 0, true), (0, false));
        assert_eq!(measurements.plan(2, 3, true), (3, true));
        assert_eq!(measurements.plan(5, 1, true), (1, false));
        assert!(measurements.renew_if_old() && !measurements.renew_if_old());
        assert_eq!(measurements.plan(6, 1, true), (1, true));
    }
}
