//! What `starlings sync break` prints of the executions that it plays on the host.

use super::names;
use crate::cli::numbers::{counted, grouped};
use crate::damage::replay::{Corruption, FRAMES, FlockReplay, MutantReplay, Replays};
use std::fmt::Write as _;

/// Heads of the table's columns.
const HEADS: [&str; 7] =
    ["dependency", "the specification allows", "wrong there", "lost", "doubled", "astray", "results off"];

/// Plays each of these dependencies left out, and with `bits` without each bit.
pub fn play(replays: &Replays, wanted: &[String], bits: bool) -> Vec<MutantReplay> {
    let mut scenes = Vec::new();
    for dependency in replays.dependencies().iter().filter(|known| wanted.iter().any(|name| name == known.name)) {
        scenes.push(replays.replay(dependency, None));
        if bits {
            scenes.extend(dependency.masks.bits().into_iter().map(|bit| replays.replay(dependency, Some(bit))));
        }
    }
    scenes
}

fn what(scene: &MutantReplay) -> String {
    scene.bit.map_or_else(|| scene.dependency.name.to_owned(), |bit| format!("- {}", names::bit(bit)))
}

fn happens(scene: &MutantReplay) -> &str {
    scene.worst.as_ref().map_or("nothing bad: in these frames, others do its work", |(.., played)| &played.short)
}

/// One page for each scene.
pub fn page(replays: &Replays, scenes: &[MutantReplay]) -> String {
    let mut text = String::new();
    for scene in scenes {
        let missing = scene.bit.map_or_else(|| "left out".to_owned(), |bit| format!("without {}", names::bit(bit)));
        let _ = writeln!(
            text,
            "{} {missing}, played on the host by the specification, {}",
            scene.dependency.name,
            counted(replays.boids, "boid")
        );
        let Some((kind, steps, played)) = &scene.worst else {
            let _ = writeln!(text, "{}\n", happens(scene));
            continue;
        };
        let frames = format!("{FRAMES} {kind} frames of {}, one bad moment in the third", counted(*steps, "step"));
        let _ = writeln!(
            text,
            "{frames}, the worst of {}\n\n  {}",
            counted(played.tried.max(1) as u32, "execution"),
            played.what
        );
        for wrong in &played.corrupt {
            let _ = writeln!(text, "  {}: {}", wrong.resource, of(wrong));
        }
        let _ = writeln!(text, "\nafter the fourth frame{:>30}", "played");
        for (words, number) in numbers(played) {
            let _ = writeln!(text, "{words:<42}{:>10}", grouped(number));
        }
        if !played.untwinned.is_empty() {
            let names: Vec<&str> = played.untwinned.iter().copied().collect();
            let _ = writeln!(text, "Followed by the uses that they declare, not computed: {}", names.join(", "));
        }
        text.push('\n');
    }
    text.trim_end().to_owned()
}

fn of(wrong: &Corruption) -> String {
    let Some((count, all)) = wrong.elements else {
        return "not as it should be; its pass has no twin that says how".to_owned();
    };
    let first =
        wrong.first.as_ref().map(|(index, at, intact)| format!("; the first, [{index}], has {at} instead of {intact}"));
    format!("{} of {} elements wrong{}", grouped(count as u64), grouped(all as u64), first.unwrap_or_default())
}

fn numbers(played: &FlockReplay) -> [(&'static str, u64); 7] {
    let counts = &played.damage.counts;
    [
        ("boids too many or too few in the counts", counts.miscounted),
        ("cells that start after the next one", counts.falling),
        ("cells with a range unlike their count", counts.misfitting),
        ("boids lost", counts.lost),
        ("boids doubled", counts.doubled),
        ("boids astray", counts.strayed),
        ("results off, at the display or the host", played.results as u64),
    ]
}

/// All scenes as a table in Markdown.
pub fn table(replays: &Replays, scenes: &[MutantReplay]) -> String {
    let mut text = format!(
        "Played on the host by the specification: {FRAMES} frames, {}, one bad moment in the third\n\n| {} \
            |\n|---|---|--:|--:|--:|--:|--:|\n",
        counted(replays.boids, "boid"),
        HEADS.join(" | ")
    );
    for scene in scenes {
        let numbers = scene.worst.as_ref().map(|(.., played)| {
            let wrong: usize = played.corrupt.iter().filter_map(|wrong| wrong.elements).map(|(wrong, _)| wrong).sum();
            let unknown = played.corrupt.iter().any(|wrong| wrong.elements.is_none());
            let wrong = if wrong == 0 && unknown { "not known".to_owned() } else { grouped(wrong as u64) };
            let counts = &played.damage.counts;
            let rest = [counts.lost, counts.doubled, counts.strayed, played.results as u64].map(grouped);
            [vec![wrong], rest.to_vec()].concat().join(" | ")
        });
        let name = if scene.bit.is_none() { format!("`{}`", what(scene)) } else { what(scene) };
        let _ =
            writeln!(text, "| {name} | {} | {} |", happens(scene), numbers.unwrap_or_else(|| " | | | |".to_owned()));
    }
    text.trim_end().to_owned()
}
