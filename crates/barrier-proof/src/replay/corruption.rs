//! What is corrupt in a resource: how many of its elements, and where.

use super::memory::Content;
use crate::Resource;

/// Parts of a resource whose wrong elements are counted apart, at most.
pub const PARTS: usize = 96;

/// How the contents of one resource differ from those of the intact order.
#[derive(Clone, Debug, PartialEq)]
pub struct Corruption {
    /// The resource.
    pub resource: Resource,
    /// The pass that read it, or that found it so after it had written.
    pub pass: &'static str,
    /// Whether that pass belongs to the frame before the one with the bad moment.
    pub is_before: bool,
    /// How many of its elements differ from those of the intact order, of how many; none if they are not known.
    pub elements: Option<(usize, usize)>,
    /// The first of them: its index, and its first word that differs, with that of the intact order.
    pub first: Option<(usize, String, String)>,
    /// How many differ in each of up to [`PARTS`] parts of as many elements, from the first element to the last; empty
    /// if that is not known.
    pub spread: Vec<Part>,
}

/// An element of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// Its words.
    pub words: usize,
    /// Whether they are floating-point numbers.
    pub float: bool,
}

/// A part of a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Its elements.
    pub elements: usize,
    /// Those of them that are wrong.
    pub wrong: usize,
}

/// How the contents of `resource` differ.
pub fn corruption(
    (resource, Element { words, float }): (Resource, Element),
    (pass, is_before): (&'static str, bool),
    at: &Content,
    intact: &Content,
) -> Corruption {
    let (Some(at), Some(intact)) = (at.words(), intact.words()) else {
        return Corruption { resource, pass, is_before, elements: None, first: None, spread: Vec::new() };
    };
    let pairs = at.chunks(words).zip(intact.chunks(words)).enumerate();
    let differ: Vec<_> = pairs.filter(|(_, (a, b))| a != b).collect();
    let text = |&word: &u32| if float { format!("{:.4}", f32::from_bits(word)) } else { word.to_string() };
    let first = differ.first().and_then(|(index, (a, b))| {
        let (a, b) = a.iter().zip(*b).find(|(a, b)| a != b)?;
        Some((*index, text(a), text(b)))
    });
    let elements = intact.len().div_ceil(words);
    let each = elements.div_ceil(PARTS).max(1);
    let part = |at: usize| Part { elements: each.min(elements - at * each), wrong: 0 };
    let mut spread: Vec<Part> = (0..elements.div_ceil(each)).map(part).collect();
    for (index, _) in &differ {
        spread[index / each].wrong += 1;
    }
    Corruption { resource, pass, is_before, elements: Some((differ.len(), elements)), first, spread }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORD: Element = Element { words: 1, float: false };

    #[test]
    fn wrong_elements_are_counted_where_they_are() {
        let intact: Vec<u32> = (0..1_000).collect();
        let mut at = intact.clone();
        (at[0], at[10], at[999]) = (7, 7, 7);
        let [at, intact] = [at, intact].map(Content::of);
        let found = corruption((Resource::new("counts"), WORD), ("reduce", true), &at, &intact);
        assert_eq!(
            (found.elements, found.is_before, found.first),
            (Some((3, 1_000)), true, Some((0, "7".into(), "0".into())))
        );
        // Eleven in each part but the last.
        assert_eq!((found.spread.len(), found.spread[0].elements, found.spread[90].elements), (91, 11, 10));
        let parts: Vec<usize> = (0..found.spread.len()).filter(|&at| found.spread[at].wrong > 0).collect();
        assert_eq!((parts, found.spread[0].wrong), (vec![0, 90], 2));
        assert_eq!(found.spread.iter().map(|part| part.elements).sum::<usize>(), 1_000);
        let mark =
            corruption((Resource::new("samples"), WORD), ("compose", false), &Content::mark(1), &Content::mark(2));
        assert_eq!((mark.elements, mark.spread), (None, Vec::new()));
    }
}
