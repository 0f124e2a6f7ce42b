//! Progress out, Ctrl-C in: how Python follows and stops the core's long work.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use toksmith_core::control::Control;

use crate::errors::OrRaise;

/// Python is asked this often; far below the second in which Ctrl-C must work.
const INTERVAL: Duration = Duration::from_millis(50);

/// Calls `progress(done, total)` and lets signal handlers run.
pub(crate) struct PyControl {
    progress: Option<Py<PyAny>>,
    last: Mutex<Instant>,
    error: Mutex<Option<PyErr>>,
    num_threads: NonZeroUsize,
}

impl PyControl {
    pub(crate) fn new(progress: Option<Py<PyAny>>) -> Self {
        Self {
            progress,
            last: Mutex::new(Instant::now()),
            error: Mutex::new(None),
            num_threads: NonZeroUsize::MIN,
        }
    }

    /// The same for work that may run on several threads.
    pub(crate) fn on_threads(mut self, num_threads: usize) -> Self {
        self.num_threads = NonZeroUsize::new(num_threads).unwrap_or(NonZeroUsize::MIN);
        self
    }

    /// Does long work without the interpreter's lock; what a signal handler or the callback raised
    /// comes before what the core says of being stopped by it.
    pub(crate) fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&dyn Control) -> toksmith_core::Result<T> + Send,
    ) -> PyResult<T> {
        let done = py.detach(|| work(self));
        match self.error.lock().ok().and_then(|mut error| error.take()) {
            Some(error) => Err(error),
            None => done.or_raise(py),
        }
    }
}

impl Control for PyControl {
    fn num_threads(&self) -> NonZeroUsize {
        self.num_threads
    }

    fn go_on(&self, done: u64, total: u64) -> bool {
        match self.last.lock() {
            Ok(mut last) if last.elapsed() >= INTERVAL => *last = Instant::now(),
            _ => return true,
        }
        let asked = Python::attach(|py| {
            py.check_signals()?;
            match &self.progress {
                Some(progress) => progress.call1(py, (done, total)).map(drop),
                None => Ok(()),
            }
        });
        let Err(error) = asked else {
            return true;
        };
        if let Ok(mut slot) = self.error.lock() {
            *slot = Some(error);
        }
        false
    }
}
