//! The memory that a played frame works in: words where twins compute them, else a mark of what was written from what.

use crate::Resource;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// What a resource holds.
#[derive(Clone, Debug, PartialEq, Hash)]
pub enum Content {
    /// The words themselves.
    Words(Arc<Vec<u32>>),
    /// Written by a pass without a twin: the same mark means the same pass, having read the same.
    Mark(u64),
}

impl Content {
    /// These words.
    pub fn of(words: Vec<u32>) -> Content {
        Content::Words(Arc::new(words))
    }

    /// The words, if they are known.
    pub fn words(&self) -> Option<&[u32]> {
        match self {
            Content::Words(words) => Some(words),
            Content::Mark(_) => None,
        }
    }

    /// A mark made from anything.
    pub fn mark(of: impl Hash) -> Content {
        let mut hasher = DefaultHasher::new();
        of.hash(&mut hasher);
        Content::Mark(hasher.finish())
    }
}

/// Every resource by its name.
#[derive(Clone, Debug, Default)]
pub struct Memory(BTreeMap<Resource, Content>);

impl Memory {
    /// What a resource holds: a mark of its own, if nothing was written to it.
    pub fn get(&self, resource: Resource) -> Content {
        self.0.get(&resource).cloned().unwrap_or_else(|| Content::mark(resource))
    }

    /// Sets what a resource holds.
    pub fn set(&mut self, resource: Resource, content: Content) {
        self.0.insert(resource, content);
    }

    /// The words of a resource; none if it has none.
    pub fn words(&self, resource: Resource) -> &[u32] {
        self.0.get(&resource).and_then(Content::words).unwrap_or_default()
    }
}

/// What a pass reads, and the memory that it writes into.
pub struct Reads<'a> {
    pub(crate) found: &'a BTreeMap<Resource, Content>,
    pub(crate) memory: &'a Memory,
}

impl Reads<'_> {
    /// The words of a resource as the pass finds it; without a declared use, as it is.
    pub fn words(&self, resource: Resource) -> Option<&[u32]> {
        match self.found.get(&resource) {
            Some(found) => found.words(),
            None => Some(self.memory.words(resource)).filter(|words| !words.is_empty()),
        }
    }

    /// What a resource that is written in part holds before.
    pub fn base(&self, resource: Resource) -> Option<Vec<u32>> {
        self.memory.get(resource).words().map(<[u32]>::to_vec)
    }
}
