//! The section of GPU times: bars for groups of passes and for passes, and the course of the one that was clicked.

use super::Draft;
use super::widgets::{FAINT, bar, heading, plot, row};
use crate::viewer::profile::{FRAMES, Group, Profile};
use egui::{RichText, Ui};
use starlings::vk::Spread;

/// What the time in no pass is.
const BETWEEN: &str = "In no pass: barriers, and what a driver does before it notes the begin of a pass. Mesa's \
                       software driver notes the begin of a compute pass that follows a draw only when that pass is \
                       done: there it is mostly the time of compose.";

pub fn section(ui: &mut Ui, profile: &Profile, draft: &mut Draft) {
    if profile.is_empty() {
        ui.label(RichText::new("this device measures no times").color(FAINT));
        return;
    }
    let mean = profile.mean();
    heading(ui, &format!("Milliseconds a frame, mean of {FRAMES}"));
    let share = |ms: f64| (ms / mean.max(f64::MIN_POSITIVE)) as f32;
    for (group, ms) in profile.groups() {
        let area = ui.scope(|ui| bar(ui, group.name(), &format!("{ms:.3}"), share(ms), false)).response;
        if group == Group::Between {
            area.on_hover_text(BETWEEN);
        }
    }
    row(ui, "whole frame", &format!("{mean:.3}"));

    let times = profile.times(draft.pinned);
    heading(ui, &format!("{}, last {} frames", draft.pinned.unwrap_or("Whole frame"), times.len()));
    let most = times.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let points: Vec<[f64; 2]> = times.iter().enumerate().map(|(frame, ms)| [frame as f64, *ms]).collect();
    plot(ui, &points, 1.1 * most);
    let spread = Spread::of(&times);
    row(ui, "median, 99th percentile", &format!("{:.3}  {:.3}", spread.median, spread.p99));

    heading(ui, "Passes: click to plot one");
    for (name, ms) in profile.passes() {
        let chosen = draft.pinned == Some(name);
        if bar(ui, name, &format!("{ms:.3}"), share(ms), chosen) {
            draft.pinned = (!chosen).then_some(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::widgets::trial::texts;
    use super::*;
    use starlings::flock::Settings;
    use starlings::vk::FrameTimes;

    #[test]
    fn the_pass_that_is_plotted_has_its_median_and_its_99th_percentile() {
        let mut profile = Profile::default();
        let frame = |ms: u32| FrameTimes { passes: vec![("steer", f64::from(ms))], whole: f64::from(2 * ms) };
        profile.see((1..=100).map(frame));
        let settings = Settings::preset("reynolds").expect("a preset");
        for (pinned, expected) in [(None, "101.000  198.000"), (Some("steer"), "50.500  99.000")] {
            let mut draft = Draft { pinned, ..Draft::of(settings.clone()) };
            let shown = texts(|ui| section(ui, &profile, &mut draft));
            let at = shown.iter().position(|text| text == "median, 99th percentile").expect("a row");
            assert_eq!(shown[at + 1], expected, "{pinned:?}");
        }
    }
}
