//! Following a boid, its search over the flock, and a predator that follows one: their places come from the device a
//! frame or two late.

use super::common::screen::{Screen, Viewer};
use super::{pause, screen};
use std::time::{Duration, Instant};

#[test]
fn a_followed_boid_stays_in_the_middle_shows_its_search_and_a_predator_moves() {
    for engine in ["gpu", "cpu"] {
        let Some(screen) = screen() else { return };
        let folder = tempfile::tempdir().expect("a folder that nothing is written to");
        // One boid on a light ground, which flies away from where the camera looks at first. Seen from behind it is
        // some pixels.
        let flock =
            "--preset reynolds --boids 1 --seed 1 --backdrop paper --look bird --world-size 3 --spawn box --fov 28";
        let arguments = format!("view --engine {engine} {flock} --size 600x400 --validation --full-quality");
        let mut viewer = Viewer::new(&screen, folder.path(), &arguments);
        screen.does(&format!("windowfocus --sync {}", viewer.window));
        screen.does("key h");
        // Where the boid is: the darkest pixels.
        let place = || {
            let shown = screen.shown();
            let dark = |&(x, y): &(usize, usize)| shown.at(x, y)[0] < 200;
            let found: Vec<_> = (0..340).flat_map(|y| (0..600).map(move |x| (x, y))).filter(dark).collect();
            let mean = |of: &dyn Fn(&(usize, usize)) -> usize| found.iter().map(of).sum::<usize>() / found.len().max(1);
            (found.len(), mean(&|at| at.0), mean(&|at| at.1))
        };
        screen.does("key space");
        viewer.until("pause", |viewer| viewer.title().contains("paused"));
        screen.settled(800, |shown| shown.pixels.clone());
        let middle = |(count, x, y): (usize, usize, usize)| count > 0 && x.abs_diff(300) < 40 && y.abs_diff(200) < 40;
        assert!(place().0 > 2 && !middle(place()), "{engine}: no boid away from the middle");
        // Again where it is then, if on a loaded machine the clicks were too far apart. Not soon: clicked beside it, it
        // is followed no more.
        viewer.until("followed boid", |viewer| {
            let (_, x, y) = place();
            let clicks =
                format!("mousemove --window {} {x} {y} sleep 0.2 click --repeat 2 --delay 80 1", viewer.window);
            screen.does(&clicks);
            let clicked = Instant::now();
            while !middle(place()) && clicked.elapsed() < Duration::from_secs(10) {
                pause(100);
            }
            middle(place())
        });
        screen.does("mousemove_relative 250 0 key space");
        viewer.until("run", |viewer| !viewer.title().contains("paused"));
        pause(1_500);
        for _ in 0..4 {
            pause(300);
            let (count, x, y) = place();
            let off = (x.abs_diff(300), y.abs_diff(200));
            assert!(count > 0 && off.0 < 40 && off.1 < 40, "{engine}: {off:?} from the middle, {count} pixels");
        }
        // The search over the flock: the ring around the boid and its middle, and the rows of cells.
        let marks = |screen: &Screen| {
            let shown = screen.shown();
            [[255, 190, 120], [62, 200, 216]].map(|color| shown.count((0, 0), (600, 340), color))
        };
        assert!(marks(&screen)[0] < 5, "{engine}: marks without a search: {:?}", marks(&screen));
        screen.does("key g");
        viewer.until("boid's search over the flock", |_| marks(&screen)[0] > 15 && marks(&screen)[1] > 5);
        screen.does("key g");
        viewer.until("flock alone", |_| marks(&screen)[0] < 5);
        screen.does("key p");
        pause(1_500);
        screen.does("key r p r ctrl+q");
        let (status, said) = viewer.ended();
        assert_eq!(status, Some(0), "{engine}: {said}");
        assert!(!said.contains("VUID") && !said.contains("SYNC-HAZARD"), "{engine}: {said}");
    }
}
