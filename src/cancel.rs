//! A wish that something long end early.

use crate::error::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A token that whoever waits or works for long looks at. Its copies are one token; once requested, it stays so.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks all who hold it to end.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether they are to end.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The flag itself, which is true once it is requested: a signal handler may set it.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }

    /// For those who end with an error.
    ///
    /// # Errors
    /// [`Error::Cancelled`] once it is requested.
    pub fn check(&self) -> Result<()> {
        if self.is_requested() { Err(Error::Cancelled) } else { Ok(()) }
    }
}
