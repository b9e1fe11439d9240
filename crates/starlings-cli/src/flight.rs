//! A flight: the settings that a flock began with, and those that it went on with, from which step on. The same steps
//! with the same changes lead to the same flock, bit for bit.

use starlings::flock::Settings;
use starlings::flock::layout::Point;
use starlings::flock::settings::Waypoint;
use std::ops::Deref;

/// Changes of a flight at most: an hour of a predator, which is somewhere else in each frame.
pub const MOST_CHANGES: usize = 1 << 18;

/// What changes in every frame while somebody leads the flock.
#[derive(Clone, Debug, PartialEq)]
struct Leads {
    points: Vec<Point>,
    predator: Vec<Waypoint>,
    cursor: Vec<Waypoint>,
}

impl Leads {
    fn of(settings: &Settings) -> Leads {
        let Settings { points, predator, cursor, .. } = settings.clone();
        Leads { points, predator, cursor }
    }

    /// `settings` with these.
    fn over(self, settings: &Settings) -> Settings {
        let Leads { points, predator, cursor } = self;
        Settings { points, predator, cursor, ..settings.clone() }
    }
}

/// What a flock went on with.
#[derive(Clone, Debug, PartialEq)]
enum With {
    Settings(Box<Settings>),
    Leads(Leads),
}

#[derive(Clone, Debug, PartialEq)]
struct Change {
    /// Steps that were taken before.
    step: u32,
    with: With,
    /// The flock went on as it was, not as another one.
    in_place: bool,
}

/// How a flock began, and what was changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Flight {
    first: Settings,
    changes: Vec<Change>,
    last: Settings,
}

impl Flight {
    /// A flight that begins with these settings.
    pub fn new(first: Settings) -> Flight {
        Flight { last: first.clone(), first, changes: Vec::new() }
    }

    /// The settings that it began with.
    pub fn first(&self) -> &Settings {
        &self.first
    }

    /// Those of now.
    pub fn last(&self) -> &Settings {
        &self.last
    }

    /// Whether anything was changed.
    pub fn is_changed(&self) -> bool {
        !self.changes.is_empty()
    }

    /// The step of the last change; 0 without one.
    pub fn step(&self) -> u32 {
        self.changes.last().map_or(0, |change| change.step)
    }

    /// After `step` steps, the flock went on with these settings, as it was or as another one. Several changes before
    /// the same step, as while the flock stands still, count as one where that is the same. False, and nothing is
    /// noted, after [`MOST_CHANGES`].
    pub fn note(&mut self, step: u32, settings: &Settings, in_place: bool) -> bool {
        if self.last == *settings {
            return true;
        }
        let leads = Leads::of(settings);
        let is_led = leads.clone().over(&self.last) == *settings;
        let with = if is_led { With::Leads(leads) } else { With::Settings(Box::new(settings.clone())) };
        let is_full = self.changes.len() == MOST_CHANGES;
        let before = self.changes.last_mut().filter(|last| last.step == step && last.in_place && in_place);
        match before {
            Some(Change { with: With::Settings(before), .. }) => **before = settings.clone(),
            Some(Change { with: before, .. }) => *before = with,
            None if is_full => return false,
            None => self.changes.push(Change { step, with, in_place }),
        }
        self.last = settings.clone();
        true
    }

    /// The same flight as far as `step`, whose changes are those before a later one.
    #[must_use]
    pub fn up_to(&self, step: u32) -> Flight {
        let taken = self.changes.partition_point(|change| change.step <= step);
        let mut course = self.course();
        while course.due(step).is_some() {}
        Flight { first: self.first.clone(), changes: self.changes[..taken].to_vec(), last: course.settings }
    }

    /// Whether all settings in it are so.
    pub fn all(&self, are: impl Fn(&Settings) -> bool) -> bool {
        let mut course = self.course();
        are(&self.first) && std::iter::from_fn(|| course.due(u32::MAX).map(&are)).all(|is| is)
    }

    /// From its start on.
    pub fn course(&self) -> Course<&Flight> {
        Course::of(self)
    }
}

/// A flight that is flown again.
#[derive(Clone, Debug)]
pub struct Course<F> {
    flight: F,
    /// Changes so far.
    taken: usize,
    settings: Settings,
    is_led: bool,
}

impl<F: Deref<Target = Flight>> Course<F> {
    /// From the start of `flight` on.
    pub fn of(flight: F) -> Course<F> {
        Course { settings: flight.first.clone(), flight, taken: 0, is_led: false }
    }

    /// The settings that a flock goes on with which has taken `step` steps, one after the other; none once it goes on
    /// to [`Course::stop`] as it is.
    pub fn due(&mut self, step: u32) -> Option<&Settings> {
        let change = self.flight.changes.get(self.taken).filter(|change| change.step <= step)?;
        self.settings = match &change.with {
            With::Settings(settings) => (**settings).clone(),
            With::Leads(leads) => leads.clone().over(&self.settings),
        };
        (self.taken, self.is_led) = (self.taken + 1, matches!(change.with, With::Leads(_)));
        Some(&self.settings)
    }

    /// The step before which the next change is due; none if there is no other.
    pub fn stop(&self) -> Option<u32> {
        self.flight.changes.get(self.taken).map(|change| change.step)
    }

    /// The settings of now.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether the last change was only of where the cursor, the predator and points are.
    pub fn is_led(&self) -> bool {
        self.is_led
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    fn settings() -> Settings {
        Settings::preset("cursor").expect("a known preset").with_boids(50)
    }

    fn faster(speed: f32) -> Settings {
        let mut settings = settings();
        settings.rules.max_speed = speed;
        settings
    }

    fn led(settings: Settings, x: f32) -> Settings {
        Settings { cursor: vec![Waypoint { seconds: 0.0, position: Vec3::X * x }], ..settings }
    }

    /// What a flock goes on with, and when.
    fn changes(flight: &Flight) -> Vec<(u32, Settings)> {
        let (mut course, mut all) = (flight.course(), Vec::new());
        while let Some(step) = course.stop() {
            all.push((step, course.due(step).expect("one is due").clone()));
        }
        assert_eq!(course.settings(), flight.last());
        all
    }

    #[test]
    fn a_flock_goes_on_with_what_it_went_on_with() {
        let mut flight = Flight::new(settings());
        assert!(!flight.is_changed() && flight.note(3, &settings(), true) && !flight.is_changed(), "the same");
        let all =
            [(3, faster(7.0)), (5, led(faster(7.0), 1.0)), (6, led(faster(7.0), 2.0)), (6, led(faster(8.0), 2.0))];
        for (step, settings) in &all {
            assert!(flight.note(*step, settings, false));
        }
        assert_eq!(changes(&flight), all);
        let half = flight.up_to(5);
        assert_eq!((changes(&half), half.last()), (all[..2].to_vec(), &all[1].1));
        let mut course = flight.course();
        assert_eq!((course.due(2).cloned(), course.stop()), (None, Some(3)));
    }

    #[test]
    fn what_changes_while_the_flock_stands_still_is_one_change() {
        let mut flight = Flight::new(settings());
        for x in 0..100 {
            flight.note(9, &led(settings(), x as f32), true);
        }
        flight.note(9, &led(faster(3.0), 99.0), true);
        flight.note(9, &led(faster(3.0), 7.0), true);
        assert_eq!(changes(&flight), [(9, led(faster(3.0), 7.0))]);
        // As another flock: its boids may be others.
        flight.note(9, &faster(4.0).with_boids(20), false);
        flight.note(9, &faster(4.0).with_boids(50), false);
        assert_eq!(changes(&flight).len(), 3);
    }

    #[test]
    fn a_flight_has_an_end() {
        let mut flight = Flight::new(settings());
        assert!((0..MOST_CHANGES as u32).all(|step| flight.note(step, &led(settings(), step as f32), true)));
        assert!(!flight.note(u32::MAX, &faster(1.0), true));
        assert_eq!(flight.last().cursor[0].position.x, (MOST_CHANGES - 1) as f32);
    }
}
