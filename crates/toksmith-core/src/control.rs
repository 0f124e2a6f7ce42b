//! How a caller follows and stops long work.

use std::num::NonZeroUsize;

use crate::error::{Error, Result};

/// Asked by long work, from the thread that called it, many times a second.
pub trait Control: Sync {
    /// What is done and what there is to do, in the unit of the work at hand (0 where it is not
    /// known); returns false to stop.
    fn go_on(&self, done: u64, total: u64) -> bool;

    /// On how many threads the work may run; its result does not depend on it.
    fn num_threads(&self) -> NonZeroUsize {
        NonZeroUsize::MIN
    }

    /// [`go_on`](Self::go_on) as a result.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    fn check(&self, done: u64, total: u64) -> Result<()> {
        match self.go_on(done, total) {
            true => Ok(()),
            false => Err(Error::Interrupted),
        }
    }
}

/// A control that neither looks nor stops.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoControl;

impl Control for NoControl {
    fn go_on(&self, _done: u64, _total: u64) -> bool {
        true
    }
}
