//! Kinds, hunters and own speeds on a few boids, with the expected numbers calculated by hand.

use crate::laws_by_hand::{assert_near, first_after, quiet, v};
use glam::Vec3;
use starlings::flock::Settings;
use starlings::flock::kinds::{Feeling, Kind, Speeds};

fn of_kinds(settings: Settings, kinds: &str, feelings: &str) -> Settings {
    let kinds = kinds.split('/').map(|kind| Kind::parse(kind).expect("a kind")).collect();
    let feelings = feelings.split('/').filter_map(Feeling::parse).collect();
    Settings { kinds, feelings, ..settings }
}

/// Two boids of the first kind, then one of the second.
const TWO_OF_A: &str = "a:2/b:1";

/// The first boid, one of its kind above it, and beside it one of the other kind: it repels twice as much, does not
/// align, and drives away half as much as it would attract.
const FEELINGS: &str = "a:b:2,0,-0.5";

fn three_boids() -> [(Vec3, Vec3); 3] {
    [(Vec3::ZERO, Vec3::ZERO), (v(0.0, 2.0, 0.0), v(0.0, 2.0, 0.0)), (v(1.0, 0.0, 0.0), v(0.0, 0.0, 4.0))]
}

/// All rules at once: the law's mean of separation is ((0,-2,0) + 2·(-1,0,0)) / 2, that of alignment (0,2,0), because
/// who has the weight 0 does not count, and that of cohesion ((0,2,0) - 0.5·(1,0,0)) / 2.
const SUM: Vec3 = Vec3::new(-1.25, 2.0, 0.0);

#[test]
fn three_radius_has_weighted_means_over_those_that_count() {
    let mut settings =
        of_kinds(Settings { time_step: 0.5, ..quiet("three-radius") }.with_radius(3.0), TWO_OF_A, FEELINGS);
    let rules = &mut settings.rules;
    (rules.separation_weight, rules.alignment_weight, rules.cohesion_weight) = (1.0, 1.0, 1.0);
    (rules.max_force, rules.max_speed) = (100.0, 100.0);
    assert_near(first_after(&settings, &three_boids()).1, SUM * 0.5);
}

#[test]
fn cursor_has_weighted_means_over_those_that_count_and_of_the_closest() {
    let mut settings = of_kinds(quiet("cursor"), TWO_OF_A, FEELINGS);
    let rules = &mut settings.rules;
    (rules.separation_weight, rules.alignment_weight, rules.cohesion_weight) = (1.0, 1.0, 1.0);
    rules.blend = 1.0;
    assert_near(first_after(&settings, &three_boids()).1, SUM);
    // None of its kind is near: the closest is of the other, 40 away, and drives it away by half of that, but 30 at
    // most.
    let alone = of_kinds(settings, "a:1/b:1", FEELINGS);
    let boids = [(Vec3::ZERO, Vec3::ZERO), (v(40.0, 0.0, 0.0), v(0.0, 0.0, 4.0))];
    assert_near(first_after(&alone, &boids).1, v(-20.0, 0.0, 0.0));
    // Whom it does not notice, it does not follow either.
    let careless = of_kinds(alone, "a:1/b:1", "a:b:0,0,0");
    assert_near(first_after(&careless, &boids).1, Vec3::ZERO);
}

#[test]
fn heading_has_weighted_means_over_those_that_count() {
    let mut settings = of_kinds(quiet("counting-sort").with_radius(2.0), TWO_OF_A, FEELINGS);
    (settings.time_step, settings.rules.turn_rate, settings.rules.move_speed) = (0.25, 1.0, 8.0);
    let rules = &mut settings.rules;
    (rules.separation_weight, rules.alignment_weight, rules.cohesion_weight) = (1.0, 1.0, 1.0);
    rules.own_weight = 0.0;
    let boids = [(Vec3::ZERO, Vec3::Z), (Vec3::Y, Vec3::X), (Vec3::X, Vec3::NEG_Y)];
    // Separation ((0,-0.5,0) + 2·(-0.5,0,0)) / 2, alignment (1,0,0), cohesion ((0,1,0) - 0.5·(1,0,0)) / 2.
    let force = v(-0.5 + 1.0 - 0.25, -0.25 + 0.5, 0.0).normalize();
    assert_near(first_after(&settings, &boids).1, (Vec3::Z * 0.75 + force * 0.25).normalize());
}

#[test]
fn reynolds_steers_along_weighted_sums() {
    let mut settings = of_kinds(quiet("reynolds").with_radius(3.0), TWO_OF_A, FEELINGS);
    (settings.time_step, settings.rules.max_speed, settings.rules.max_force) = (0.5, 3.0, 100.0);
    let along = |rule: fn(&mut Settings) -> &mut f32, direction: Vec3| {
        let mut settings = settings.clone();
        *rule(&mut settings) = 1.0;
        assert_near(first_after(&settings, &three_boids()).1, direction.normalize() * 1.5);
    };
    // (0,-2,0)/4 and twice (-1,0,0)/1.
    along(|settings| &mut settings.rules.separation_weight, v(-2.0, -0.5, 0.0));
    along(|settings| &mut settings.rules.alignment_weight, v(0.0, 2.0, 0.0));
    along(|settings| &mut settings.rules.cohesion_weight, v(-0.5, 2.0, 0.0));
}

#[test]
fn boids_have_speeds_of_their_own() {
    let mut settings = of_kinds(Settings { time_step: 0.5, ..quiet("three-radius") }, "slow:1,speed=0.5", "");
    settings.rules.max_speed = 6.0;
    let one = [(Vec3::ZERO, v(5.0, 0.0, 0.0))];
    assert_eq!(first_after(&settings, &one), (v(1.5, 0.0, 0.0), v(3.0, 0.0, 0.0)));
    // A file's factor goes with that of the kind, and with the least speed.
    settings = Settings { speeds: Some(Speeds::new([1.6].into())), min_speed: 5.0, boids: 1, ..settings };
    assert_near(first_after(&settings, &one).1, v(4.8, 0.0, 0.0));
    assert_near(first_after(&settings, &[(Vec3::ZERO, v(0.5, 0.0, 0.0))]).1, v(4.0, 0.0, 0.0));
    assert!((settings.full_speed() - 4.8).abs() < 1e-5);
    // Under a law with a constant speed, the slot is the heading times the factor, from the first step on.
    for preset in ["counting-sort", "bitonic"] {
        let mut constant = of_kinds(Settings { time_step: 0.25, ..quiet(preset) }, "slow:1,speed=0.5", "");
        constant.rules.move_speed = 8.0;
        for slot in [Vec3::Z, 0.5 * Vec3::Z] {
            let (position, velocity) = first_after(&constant, &[(Vec3::ZERO, slot)]);
            assert_near(position, Vec3::Z);
            assert_near(velocity, 0.5 * Vec3::Z);
        }
    }
}

fn steering() -> Settings {
    let mut settings = Settings { time_step: 0.5, ..quiet("reynolds") };
    (settings.rules.max_speed, settings.rules.max_force) = (3.0, 100.0);
    settings
}

#[test]
fn a_hunter_chases_the_nearest_prey_within_its_sight() {
    let settings = of_kinds(steering(), "wolf:1,hunts=sheep,sight=5,chase=0.5,fear=0/sheep:1/goat:1", "");
    let wolf = (Vec3::ZERO, v(1.0, 0.0, 0.0));
    let after = |sheep: Vec3| first_after(&settings, &[wolf, (sheep, Vec3::ZERO), (v(0.0, 0.1, 0.0), Vec3::ZERO)]).1;
    // Towards (0,3,0) from (1,0,0), by a half, for half a second; the goat is nothing to it.
    assert_near(after(v(0.0, 5.0, 0.0)), v(1.0, 0.0, 0.0) + 0.25 * v(-1.0, 3.0, 0.0));
    assert_near(after(v(0.0, 5.01, 0.0)), v(1.0, 0.0, 0.0));
    // Of two it is the nearer, and of equally near ones that of the lower number.
    let two = of_kinds(settings, "wolf:1,hunts=sheep,chase=0.5,fear=0/sheep:2", "");
    let after = |a, b| first_after(&two, &[wolf, (a, Vec3::ZERO), (b, Vec3::ZERO)]).1;
    assert_near(after(v(0.0, 4.0, 0.0), v(0.0, 0.0, 3.0)), v(1.0, 0.0, 0.0) + 0.25 * v(-1.0, 0.0, 3.0));
    assert_near(after(v(0.0, 3.0, 0.0), v(0.0, 0.0, 3.0)), v(1.0, 0.0, 0.0) + 0.25 * v(-1.0, 3.0, 0.0));
}

#[test]
fn prey_flees_all_hunters_within_their_reach() {
    let settings = of_kinds(steering(), "sheep:1/wolf:2,hunts=sheep,chase=0,reach=4,fear=2", "");
    let after = |a, b| first_after(&settings, &[(Vec3::ZERO, Vec3::ZERO), (a, Vec3::ZERO), (b, Vec3::ZERO)]).1;
    // By (1 - 1/4) · 2 from one, and (1 - 2/4) · 2 from the other, for half a second.
    assert_near(after(Vec3::X, v(0.0, 2.0, 0.0)), v(-0.75, -0.5, 0.0));
    assert_near(after(v(4.0, 0.0, 0.0), v(0.0, 0.0, 9.0)), Vec3::ZERO);
    // Between two it stays.
    assert_near(after(Vec3::X, Vec3::NEG_X), Vec3::ZERO);
    // Who is not hunted is not afraid.
    let goat = of_kinds(settings, "goat:1/wolf:1,hunts=sheep,reach=4,fear=2/sheep:1", "");
    let boids = [(Vec3::ZERO, Vec3::ZERO), (Vec3::X, Vec3::ZERO), (v(0.0, 9.0, 0.0), Vec3::ZERO)];
    assert_near(first_after(&goat, &boids).1, Vec3::ZERO);
}

/// Between two hunters and a ball it comes to rest, or leaves: it does not circle.
#[test]
fn prey_between_hunters_and_an_obstacle_does_not_circle_at_rest() {
    let mut settings = of_kinds(steering(), "sheep:1/wolf:2,hunts=sheep,chase=0,reach=6,fear=3", "");
    settings.obstacles = vec![starlings::flock::obstacles::Obstacle::Sphere { center: v(0.0, 0.0, 3.0), radius: 1.0 }];
    (settings.obstacle_distance, settings.rules.max_force, settings.time_step) = (4.0, 10.0, 0.1);
    let wolves = [(v(2.0, 0.0, -1.0), Vec3::ZERO), (v(-2.0, 0.0, -1.0), Vec3::ZERO)];
    let (mut sheep, mut turned, mut heading) = ((v(0.05, 0.0, 0.0), v(0.0, 0.0, 0.1)), 0.0, Vec3::ZERO);
    for _ in 0..300 {
        sheep = first_after(&settings, &[sheep, wolves[0], wolves[1]]);
        let now = sheep.1.normalize_or_zero();
        turned += heading.cross(now).y.atan2(heading.dot(now));
        heading = now;
    }
    let away = wolves.iter().map(|wolf| wolf.0.distance(sheep.0)).fold(f32::INFINITY, f32::min);
    assert!(turned.abs() < 7.0 && (away > 5.5 || sheep.1.length() < 0.05), "{sheep:?}, turned by {turned}");
}

#[test]
fn kinds_are_written_as_they_are_read_and_refused_by_name() {
    let text = "a:2.5,speed=0.5,size=3,color=ff0080/b:1,hunts=a,sight=9,chase=2,reach=4,fear=0.1/c_3:1";
    let settings = of_kinds(quiet("reynolds"), text, "a:b:1,0,-2.5");
    let written: Vec<String> = settings.kinds.iter().map(Kind::to_string).collect();
    assert_eq!((written.join("/"), settings.feelings[0].to_string()), (text.into(), "a:b:1,0,-2.5".into()));
    assert_eq!(Settings { boids: 9, ..settings.clone() }.boids_of_kinds().collect::<Vec<_>>(), [0..5, 5..7, 7..9]);
    for bad in ["a", "a:", ":x", "a:1,speed", "a:1,speed=x", "a:1,color=12345", "a:1,sight=2", "a:1,hunts=b,hunts=b"] {
        assert_eq!(Kind::parse(bad), None, "{bad}");
    }
    for bad in ["a:b", "a:b:1,2", "a:b:1,2,3,4", "a:b:1,2,x", "a:1,2,3"] {
        assert_eq!(Feeling::parse(bad), None, "{bad}");
    }
    let many = "a:1/".repeat(9);
    for (kinds, feelings, says) in [
        (many.trim_end_matches('/'), "", "kinds is 9; accepted is at most 8"),
        (
            "a b:1",
            "",
            "kinds (name) is 'a b'; accepted is a name of letters, digits and underscores, another for each kind",
        ),
        ("a:1/a:1", "", "kinds (name) is 'a'; accepted is a name of letters"),
        ("a:0", "", "kinds (share) is 0; accepted is a number above 0"),
        ("a:1,speed=0", "", "kinds (speed) is 0; accepted is a number above 0"),
        ("a:1,size=1e4", "", "kinds (size) is 10000; accepted is a number from 0.001 to 1000"),
        ("a:1,hunts=b", "", "kinds (hunts) is 'b'; accepted is one of a"),
        ("a:1,hunts=a", "", "kinds (hunts) is 'a'; accepted is another kind than the hunter's own"),
        ("a:1/b:1,hunts=a,chase=-1", "", "kinds (chase) is -1; accepted is a number from 0 to 1000000"),
        ("a:1/b:1,hunts=a", "", "kinds (hunters) is 500; accepted is at most 256 that are feared from afar"),
        ("a:1", "a:b:1,1,1", "feelings is 'b'; accepted is one of a"),
        ("a:1", "a:a:1,1,1/a:a:0,1,1", "feelings is 'a:a' twice; accepted is each pair once"),
        ("a:1", "a:a:1,inf,1", "feelings is inf; accepted is a number from -1000000 to 1000000"),
    ] {
        let refused = of_kinds(quiet("reynolds"), kinds, feelings);
        let refused = Settings { boids: 1_000, ..refused }.validate().expect_err(says).to_string();
        assert!(refused.starts_with(says), "{refused}");
    }
    let none = Settings { feelings: vec![Feeling::parse("a:a:1,1,2").expect("a pair")], ..quiet("reynolds") };
    assert_eq!(
        none.validate().expect_err("no kinds").to_string(),
        "feelings is 'a'; accepted is nothing without kinds"
    );
}
