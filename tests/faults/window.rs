//! The same in a window.

use super::layer::{Fault, Layer};
use super::results::{OUT_OF_DATE, SURFACE_LOST};
use super::{VIEW, fail_calls};
use crate::common::screen::Screen;

#[test]
fn a_window_survives_each_first_call() {
    let Some((layer, _screen)) = on_screen() else { return };
    fail_calls(&layer, &VIEW, 1);
}

/// The same answer for ever must not keep the program busy.
#[test]
fn a_window_that_never_fits_ends_in_one_line() {
    let Some((layer, _screen)) = on_screen() else { return };
    for call in ["vkAcquireNextImageKHR", "vkQueuePresentKHR"] {
        let outcome = layer.run(&VIEW, Some(&Fault { call, number: "2+".into(), result: OUT_OF_DATE, last: false }));
        assert_eq!(outcome.status, Some(3), "{}", outcome.stderr);
        assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
        assert!(outcome.stderr.contains(&format!("starlings: {call} failed on swapchain")), "{}", outcome.stderr);
        let outcome = layer.run(&VIEW, Some(&Fault { call, number: "1+".into(), result: SURFACE_LOST, last: false }));
        // Somebody else has closed the window, which is no failure.
        assert_eq!(outcome.status, Some(0), "{}", outcome.stderr);
    }
}

#[test]
#[ignore = "takes minutes"]
fn every_call_of_a_window_may_fail() {
    let Some((layer, _screen)) = on_screen() else { return };
    fail_calls(&layer, &VIEW, u32::MAX);
}

fn on_screen() -> Option<(Layer, Screen)> {
    let Some(screen) = Screen::new() else {
        assert!(!crate::common::required("REQUIRE_GPU"), "REQUIRE_GPU=1, but Xvfb is not installed");
        eprintln!("SKIPPED, nothing was tested: Xvfb is not installed");
        return None;
    };
    Some((Layer::new(Some(&screen.display))?, screen))
}
