//! States of boids on the device: against the twin, that all are reached and left, and that birds sit on an obstacle.

use crate::common;
use glam::Vec3;
use starlings::flock::layout::Point;
use starlings::flock::obstacles::Obstacle;
use starlings::flock::search::SEARCHES;
use starlings::flock::states::Behavior;
use starlings::flock::{BoidState, EngineKind, Settings, States};
use starlings::reference::steer::boid;
use starlings::reference::transition::transition;
use starlings::simulation::Simulation;
use starlings::transitions::{LEAST, STATE_PERCH, STATES};

/// The top of the box in [`scene`], in world units.
const TOP: f32 = 0.0;

/// A flock over a box whose top attracts it, with a place beside the box that repels.
fn scene(preset: &str, states: States, boids: u32) -> Settings {
    let mut settings = Settings::preset(preset).expect("a preset of ours").with_boids(boids.max(200));
    settings.boids = boids;
    let edge = settings.world.half_size.x;
    let center = Vec3::new(0.0, TOP - 0.5 * edge, 0.0);
    let size = Vec3::new(1.2 * edge, edge, 1.2 * edge);
    settings.obstacles = vec![
        Obstacle::parse(&format!("box:{},{},{},{},{},{}", center.x, center.y, center.z, size.x, size.y, size.z))
            .expect("a box"),
    ];
    let force = settings.full_speed();
    settings.points = vec![
        Point { position: Vec3::new(0.0, TOP, 0.0), reach: 2.0 * edge, strength: force },
        Point { position: Vec3::new(0.8 * edge, 0.6 * edge, 0.0), reach: 0.7 * edge, strength: -2.0 * force },
    ];
    // A preset may have another engine.
    (settings.engine, settings.states) = (EngineKind::Gpu, states);
    settings.validate().expect("settings in range");
    settings
}

/// What is known of a flock after a step, by identity.
struct Moment {
    state: BoidState,
    behaviors: Vec<Behavior>,
}

impl Moment {
    fn of(simulation: &Simulation) -> Moment {
        let flock = simulation.flock();
        let behaviors = flock.behaviors().expect("the states come back");
        Moment { state: flock.state().expect("the state comes back").by_id(), behaviors }
    }

    fn next(simulation: &mut Simulation) -> Moment {
        simulation.advance(1).and_then(|()| simulation.wait()).expect("the step runs");
        Moment::of(simulation)
    }
}

/// Compares a step with the twin; how many boids changed their state, and how many were held.
fn compare(settings: &Settings, step: u32, before: &Moment, after: &Moment, case: &str) -> (u32, u32) {
    let params = settings.step_params(step);
    let (mut changed, mut held) = (0, 0);
    for id in 0..settings.boids {
        let i = id as usize;
        let (was, is) = (boid(&before.state, i), boid(&after.state, i));
        let (behavior, put) = transition(settings, &params, id, before.behaviors[i], was, is.velocity);
        assert_eq!(after.behaviors[i], behavior, "{case}: boid {id} in step {step}, from {:?}", before.behaviors[i]);
        changed += u32::from(behavior != before.behaviors[i]);
        if let Some(put) = put {
            let scale = f64::from(settings.world.half_size.x);
            let off = (put.position - is.position).length() / scale;
            let turned = (put.velocity - is.velocity).length() / f64::from(settings.full_speed());
            assert!(off < 1e-6 && turned < 1e-5, "{case}: boid {id} in step {step} is {off:e} and {turned:e} off");
            held += 1;
        }
    }
    (changed, held)
}

#[test]
fn states_change_as_the_twins_do() {
    let Some(device) = common::device() else { return };
    for boids in [1, 63, 64, 65, 1_237] {
        for (preset, states) in
            [("reynolds", States::Birds), ("counting-sort", States::Birds), ("cursor", States::Fish)]
        {
            let settings = scene(preset, states, boids);
            let mut simulation = common::simulation(&device, &settings, None);
            let (mut before, mut all, case) =
                (Moment::of(&simulation), (0, 0), format!("{boids} {states} of {preset}"));
            assert!(before.behaviors.iter().all(|&behavior| behavior == Behavior::start(states, 0)), "{case}");
            for step in 0..180 {
                let after = Moment::next(&mut simulation);
                let (changed, held) = compare(&settings, step, &before, &after, &case);
                (all, before) = ((all.0 + changed, all.1 + held), after);
            }
            println!("{case}: {} transitions, {} times held", all.0, all.1);
            assert!(all.0 >= boids / 2 && (boids < 63 || states == States::Fish || all.1 > 0), "{case}: {all:?}");
        }
    }
}

#[test]
fn every_search_changes_states_as_the_twins_do() {
    let Some(device) = common::device() else { return };
    for info in SEARCHES {
        let settings = Settings { search: info.search, ..scene("reynolds", States::Birds, 301) };
        let mut simulation = common::simulation(&device, &settings, None);
        let (mut before, mut all) = (Moment::of(&simulation), 0);
        for step in 0..60 {
            let after = Moment::next(&mut simulation);
            all += compare(&settings, step, &before, &after, info.name).0;
            before = after;
        }
        assert!(all > 100, "{}: {all} transitions", info.name);
    }
}

#[test]
fn birds_that_perch_sit_on_the_box() {
    let Some(device) = common::device() else { return };
    let settings = scene("reynolds", States::Birds, 300);
    let mut simulation = common::simulation(&device, &settings, None);
    let mut sat = 0;
    let mut before = Moment::of(&simulation);
    for _ in 0..20 {
        simulation.advance(59).and_then(|()| simulation.wait()).expect("the steps run");
        before = Moment::of(&simulation);
        let after = Moment::next(&mut simulation);
        for i in 0..settings.boids as usize {
            // After a second it has come down.
            let stays = [&before, &after].iter().all(|moment| moment.behaviors[i].state() == STATE_PERCH);
            if stays && before.behaviors[i].age(simulation.flock().step() - 1) > 60 {
                let (was, is) = (before.state.position[i], after.state.position[i]);
                let height = is.y - TOP;
                let most = 0.1 * settings.rules.separation_radius;
                assert!(height > 0.0 && height < most, "boid {i} sits {height} above the top");
                assert_eq!(was, is, "boid {i} stays where it is");
                sat += 1;
            }
        }
    }
    drop(before);
    println!("{sat} times a boid sat on the box");
    assert!(sat > 100, "{sat}");
    let plain = Settings { states: States::None, ..settings };
    let mut simulation = common::simulation(&device, &plain, None);
    simulation.advance(1).and_then(|()| simulation.wait()).expect("the step runs");
    assert!(
        simulation.flock().behaviors().expect("nothing to come back").is_empty(),
        "a flock without states has none"
    );
}

/// Many steps of whole flocks: one driver takes them.
mod long {
    use super::*;

    /// In 40 simulated seconds every state is reached and left, none within its least time, and the same run gives the
    /// same bits.
    #[test]
    #[ignore = "long: a flight of thousands of steps"]
    fn every_state_is_reached_and_left_and_kept_for_its_time() {
        let Some(device) = common::device() else { return };
        for states in [States::Birds, States::Fish] {
            let settings = scene("reynolds", states, 150);
            let mut simulation = common::simulation(&device, &settings, None);
            let (mut before, mut reached, mut left) =
                (Moment::of(&simulation), [0u32; STATES.len()], [0u32; STATES.len()]);
            for step in 1..=2_400 {
                let after = Moment::next(&mut simulation);
                for (was, is) in before.behaviors.iter().zip(&after.behaviors).filter(|(was, is)| was != is) {
                    let stayed = was.age(step) as f32 * settings.time_step * 1000.0;
                    assert!(
                        stayed >= LEAST[was.state() as usize] as f32,
                        "{} for {stayed} ms",
                        STATES[was.state() as usize]
                    );
                    (left[was.state() as usize], reached[is.state() as usize]) =
                        (left[was.state() as usize] + 1, reached[is.state() as usize] + 1);
                }
                before = after;
            }
            println!("reached {reached:?}, left {left:?}");
            for state in states.numbers().map(|state| state as usize) {
                assert!(reached[state] > 0 && left[state] > 0, "{}: {reached:?} {left:?}", STATES[state]);
            }
            let mut again = common::simulation(&device, &settings, None);
            again.advance(2_400).and_then(|()| again.wait()).expect("the steps run");
            let again = Moment::of(&again);
            assert!(
                again.behaviors == before.behaviors && again.state == before.state,
                "the same run gives the same bits"
            );
        }
    }
}
