//! A run that is under way, and what of it changes. Cases go on side by side in one thread; each does its work on the run at
//! the [`Desk`], in one go, and holds nothing of it while it waits (docs/decisions/0009).

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use probity_core::checked::CheckedPlan;
use probity_core::ids::Id;
use probity_core::journal::Kind;
use probity_core::journal::body::RunCancelled;
use probity_core::journal::opened::RunOpened;
use probity_core::observe::Failure;
use probity_probes::command::{Isolated, Sealed};
use probity_probes::http::Secrets;
use probity_store::StoreError;
use probity_store::list::RunList;
use tokio::sync::watch;

use super::budget::Budget;
use super::recorder::Recorder;
use super::services::Services;
use super::{Event, Request};
use crate::read_plan::Files;

/// A run that is under way. What stands here itself stays as it was when the run was opened.
pub(super) struct Run<'a> {
    pub(super) request: Request<'a>,
    pub(super) checked: Arc<CheckedPlan>,
    pub(super) list: RunList,
    pub(super) secrets: Secrets,
    /// Names of variables that hold secrets.
    pub(super) secret_variables: Arc<BTreeSet<String>>,
    /// Programs and scripts by step, hashed when the run was opened.
    pub(super) programs: BTreeMap<Id, Result<Sealed, Failure>>,
    /// The same of its services.
    pub(super) service_programs: BTreeMap<Id, Result<Sealed, Failure>>,
    /// Files that the plan names, with the bytes that were sealed.
    pub(super) files: Files,
    pub(super) opened: RunOpened,
    pub(super) opened_at: String,
    /// Where children start, if they are kept out of the run folder.
    pub(super) isolated: Option<Isolated>,
    /// Whether another process began the run: what it held in memory is gone.
    pub(super) lost: bool,
    /// Taken by whoever looks for services that ended: while one is being ended, no step begins.
    pub(super) looking: tokio::sync::Mutex<()>,
    pub(super) desk: RefCell<Desk>,
}

/// What changes while a run goes on.
pub(super) struct Desk {
    /// The one writer.
    pub(super) recorder: Recorder,
    pub(super) budget: Budget,
    /// The services that it started.
    pub(super) services: Services,
    /// Whether it stands in the journal that the run was cancelled.
    pub(super) cancelled: bool,
}

impl Run<'_> {
    /// Does something at the desk. It cannot be waited in there, so whoever comes finds the desk free; and what is done
    /// in one go is written in one go: no entry of another case comes between.
    pub(super) fn at_desk<T>(&self, work: impl FnOnce(&mut Desk) -> T) -> T {
        work(&mut self.desk.borrow_mut())
    }

    /// Tells what happens.
    pub(super) fn tell(&self, event: Event<'_>) {
        (self.request.progress)(event);
    }

    /// The wish that stops an action half way. Cleanup is stopped by none, nor is anything after a wish was noted.
    pub(super) fn wish(&self, cleanup: bool) -> watch::Receiver<bool> {
        if cleanup || self.at_desk(|desk| desk.cancelled) {
            // Nobody can turn it.
            return watch::channel(false).1;
        }
        self.request.cancel.clone()
    }

    /// Writes down, once, that the run was cancelled or is out of its budget.
    pub(super) fn note_end(&self) -> Result<(), StoreError> {
        self.at_desk(|desk| desk.note_end(&self.request.cancel))
    }
}

impl Desk {
    /// The same, for who is at the desk already.
    pub(super) fn note_end(&mut self, cancel: &watch::Receiver<bool>) -> Result<(), StoreError> {
        if !self.cancelled && *cancel.borrow() {
            self.cancelled = true;
            self.recorder.write(Kind::RunCancelled, &RunCancelled { by: "interrupt".to_owned() })?;
        }
        if let Some(ended) = self.budget.exceeded() {
            self.recorder.write(Kind::BudgetExceeded, &ended)?;
        }
        Ok(())
    }
}
