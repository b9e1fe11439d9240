//! Which animation of a file becomes which clip.

use super::super::gltf::json::{Animation, Property};
use super::super::one_line;
use super::{BIRD_CLIPS, FISH_CLIPS, clip_name};
use crate::error::{Error, Result};
use std::collections::HashSet;

/// A clip, and the animations that move in it by their numbers.
pub type Chosen = (&'static str, Vec<usize>);

/// The clips that a file has: `asked` ones, or else by the words in the names of its animations, or else the first one
/// as `flap`. Blender writes an animation for each object that moves; these are one clip.
///
/// # Errors
/// [`Error::Setting`] for clips that are asked for and cannot be.
pub fn choose(all: &[Animation], asked: &[(String, String)]) -> Result<Vec<Chosen>> {
    let mut found: Vec<Chosen> = Vec::new();
    for (clip, name) in asked {
        let value = format!("{clip}={name}");
        let known = [&BIRD_CLIPS[..], &FISH_CLIPS[..]].into_iter().find(|kind| kind.contains(&clip.as_str()));
        let (Some(known), Some(clip)) = (known, clip_name(clip)) else {
            let names: Vec<&str> = BIRD_CLIPS.into_iter().chain(FISH_CLIPS).collect();
            return Err(Error::setting("clip", value, format!("NAME=ANIMATION with a NAME of {}", names.join(", "))));
        };
        let one = |name: &str| {
            let named = all.iter().position(|animation| animation.name.as_deref().unwrap_or_default() == name);
            named.or_else(|| name.parse().ok().filter(|number| *number < all.len()))
        };
        let several = || name.split('+').map(one).collect::<Option<Vec<usize>>>();
        let Some(animations) = one(name).map(|one| vec![one]).or_else(several) else {
            let name = |(at, of): (usize, &Animation)| format!("{at} '{}'", of.name.as_deref().unwrap_or_default());
            let names: Vec<String> = all.iter().enumerate().map(name).collect();
            let names = if names.is_empty() { "nothing: there are no animations".into() } else { names.join(", ") };
            return Err(Error::setting("clip", value, one_line(&names)));
        };
        if found.iter().any(|(other, _)| *other == clip) {
            return Err(Error::setting("clip", value, format!("one animation for {clip}")));
        }
        if found.iter().any(|(other, _)| !known.contains(other)) {
            return Err(Error::setting("clip", value, "clips of a bird or clips of a fish, not both"));
        }
        found.push((clip, animations));
    }
    if found.is_empty() {
        let of = |clip: &&'static str| {
            let named = |animation: &Animation| is_named(animation.name.as_deref().unwrap_or_default(), clip);
            Some((*clip, vec![all.iter().position(named)?]))
        };
        let (bird, fish): (Vec<_>, Vec<_>) =
            (BIRD_CLIPS.iter().filter_map(of).collect(), FISH_CLIPS.iter().filter_map(of).collect());
        found = if fish.len() > bird.len() { fish } else { bird };
    }
    if found.is_empty() {
        let animations = if are_actions(all) { (0..all.len()).collect() } else { vec![0] };
        found.push(if all.is_empty() { ("glide", Vec::new()) } else { ("flap", animations) });
    }
    Ok(found)
}

/// Whether these are Blender's actions, one for each object: so they are called, and none moves what another does.
fn are_actions(all: &[Animation]) -> bool {
    let mut known = HashSet::new();
    let mut is_new = |animation: &Animation| {
        let moved = |path: Property| (path != Property::Other).then_some(path as u8);
        let own: HashSet<(Option<u32>, Option<u8>)> =
            animation.channels.iter().map(|channel| (channel.target.node, moved(channel.target.path))).collect();
        own.into_iter().all(|channel| known.insert(channel))
    };
    all.len() > 1
        && all.iter().all(|animation| {
            let is_action = words(animation.name.as_deref().unwrap_or_default()).iter().any(|word| word == "action");
            is_action && is_new(animation)
        })
}

/// Whether a name has the words of a clip, one after the other or written as one: `FLAP.001`, `Armature|BankLeft`,
/// `flapping`; not `Forest` for `rest`.
fn is_named(name: &str, clip: &str) -> bool {
    let (words, wanted): (_, Vec<&str>) = (words(name), clip.split('-').collect());
    let is_one = words.iter().any(|word| is_form(word, &wanted.concat()));
    is_one || words.windows(wanted.len()).any(|part| part.iter().zip(&wanted).all(|(word, clip)| is_form(word, clip)))
}

/// Whether `word` is a verb, or a form of it: flap, flaps, flapping, flapped; glide, glides, gliding, glided.
fn is_form(word: &str, verb: &str) -> bool {
    let Some(rest) = word.strip_prefix(verb) else {
        return verb.strip_suffix('e').and_then(|stem| word.strip_prefix(stem)).is_some_and(|rest| rest == "ing");
    };
    let doubled = verb.chars().last().and_then(|last| rest.strip_prefix(last)).unwrap_or(rest);
    ["", "s", "d"].contains(&rest) || ["ing", "ed"].contains(&doubled)
}

/// The words of a name, in small letters: letters are parted by all else, by digits, and by capitals.
fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut all = vec![String::new()];
    for (at, &letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| letters[at]);
        let is_after_small = before.is_some_and(char::is_lowercase);
        let is_before_small = letters.get(at + 1).is_some_and(|next| next.is_lowercase());
        let begins = letter.is_uppercase() && (is_after_small || is_before_small);
        if begins || !letter.is_alphabetic() {
            all.push(String::new());
        }
        if let Some(word) = all.last_mut().filter(|_| letter.is_alphabetic()) {
            word.extend(letter.to_lowercase());
        }
    }
    all.retain(|word| !word.is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_by_words() {
        assert_eq!(words("Armature|BANK_LEFTWing.001"), ["armature", "bank", "left", "wing"]);
        assert_eq!(words("ÉtéFlap2x"), ["été", "flap", "x"]);
        for (name, clip) in [
            ("Flap", "flap"),
            ("FLAP.001", "flap"),
            ("BirdFlapping", "flap"),
            ("a gliding bird", "glide"),
            ("wings folded", "fold"),
            ("BANK_LEFT", "bank-left"),
            ("bankleft", "bank-left"),
            ("Banking Left", "bank-left"),
            ("Swim_Loop", "swim"),
            ("rests", "rest"),
        ] {
            assert!(is_named(name, clip), "{name} is {clip}");
        }
        for (name, clip) in [
            ("Forest walk", "rest"),
            ("restart", "rest"),
            ("Scaffold", "fold"),
            ("perching", "rest"),
            ("Bank right", "bank-left"),
            ("", "flap"),
        ] {
            assert!(!is_named(name, clip), "{name} is not {clip}");
        }
    }
}
