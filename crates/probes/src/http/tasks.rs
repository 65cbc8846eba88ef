//! The tasks of one connection: none outlives it.

use std::sync::{Arc, Mutex, PoisonError};

use hyper::rt::Executor;
use tokio::task::AbortHandle;

/// Starts tasks and ends them all when its [`Guard`] is dropped.
#[derive(Clone, Default)]
pub(super) struct Tasks(Arc<Mutex<Vec<AbortHandle>>>);

/// Ends the tasks when it is dropped.
pub(super) struct Guard(Tasks);

impl Tasks {
    /// What ends the tasks.
    pub(super) fn guard(&self) -> Guard {
        Guard(self.clone())
    }
}

impl<F> Executor<F> for Tasks
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    fn execute(&self, future: F) {
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|task| !task.is_finished());
        running.push(tokio::spawn(future).abort_handle());
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).drain(..).for_each(|task| task.abort());
    }
}
