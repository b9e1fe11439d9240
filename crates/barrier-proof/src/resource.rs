//! Names of buffers and images, as values.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// A buffer or an image, by its name in journals, labels and messages of the validation layer. Two of the same name are
/// the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Resource(&'static str);

impl Resource {
    /// The resource of this name.
    pub const fn new(name: &'static str) -> Resource {
        Resource(name)
    }

    /// The resource of a name that is known only at run time.
    pub fn named(name: &str) -> Resource {
        Resource(interned(name))
    }

    /// This one alone.
    pub const fn as_slice(&'static self) -> &'static [Resource] {
        std::slice::from_ref(self)
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        self.0
    }
}

/// Some resources, which stand together wherever one may.
#[derive(Clone, Copy, Debug)]
pub struct Group(pub &'static [Resource]);

impl Group {
    /// Its resources.
    pub const fn as_slice(&self) -> &'static [Resource] {
        self.0
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

impl fmt::Debug for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.0, f)
    }
}

impl PartialEq<str> for Resource {
    fn eq(&self, name: &str) -> bool {
        self.0 == name
    }
}

impl PartialEq<&str> for Resource {
    fn eq(&self, name: &&str) -> bool {
        self.0 == *name
    }
}

/// A name that is known only at run time, for as long as the program runs: for passes and dependencies of a journal
/// that was read from somewhere. Each name is stored once.
pub fn interned(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    // A panic while inserting cannot leave a set half changed, so a poisoned lock is still usable.
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return known;
    }
    let name: &'static str = Box::leak(name.into());
    names.insert(name);
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_run_time_is_the_same_resource_and_is_stored_once() {
        const COUNTS: Resource = Resource::new("counts");
        let read = String::from("counts");
        assert_eq!((Resource::named(&read), Resource::named(&read).name()), (COUNTS, "counts"));
        assert!(std::ptr::eq(interned(&read), interned("counts")));
        assert!(COUNTS == "counts" && format!("{COUNTS:>8} {COUNTS:?}") == "  counts \"counts\"");
    }
}
