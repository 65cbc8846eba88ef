//! Closing a run: read back, derive, write the last entry and the views, verify the folder.

use std::sync::Arc;

use probity_core::checked::CheckedPlan;
use probity_core::ids::Digest;
use probity_core::journal::Kind;
use probity_core::journal::body::{RunCancelled, RunClosed, RuntimeObserved};

use super::desk::{Desk, Run};
use super::recorder::Recorder;
use super::writing::Writing;
use super::{EngineError, Finished, rescan};
use crate::derive;
use probity_store::StoreError;
use probity_store::list::RunList;

/// Closes a run that came to its end.
pub(super) fn close(run: Run<'_>) -> Result<Finished, EngineError> {
    let Desk { mut recorder, budget, cancelled, .. } = run.desk.into_inner();
    if !cancelled && *run.request.cancel.borrow() {
        recorder.write(Kind::RunCancelled, &RunCancelled { by: "interrupt".to_owned() })?;
    }
    budget.settle(run.request.shared);
    seal(recorder, &run.list, Some(&run.checked))
}

/// Writes the last entry of a run, its line in the run list and its views, and verifies what was written.
pub(super) fn seal(
    mut recorder: Recorder,
    list: &RunList,
    plan: Option<&Arc<CheckedPlan>>,
) -> Result<Finished, EngineError> {
    if let Err(error) = recorder.folder.read_back() {
        let message = error.to_string();
        recorder.write(Kind::RuntimeObserved, &RuntimeObserved::RecordingFailed { message })?;
    }
    let places = rescan::places(recorder.folder.path(), &recorder.redactor);
    if !places.is_empty() {
        recorder.write(Kind::RuntimeObserved, &RuntimeObserved::SecretKept { places })?;
    }
    recorder.folder.sync()?;
    let dir = recorder.folder.path().to_path_buf();
    let derived = derive::judge(&dir, plan);
    let (outcome, counts) = match derived.as_ref().map(|derived| &derived.judged) {
        Some(judged) => (judged.status().as_str().to_owned(), judged.counts()),
        // What was written cannot be read again: never a pass.
        None => ("inconclusive".to_owned(), [0; 5]),
    };
    let (entries, head) = (recorder.folder.entries(), recorder.folder.head());
    recorder.write(Kind::RunClosed, &RunClosed { entries, head, outcome, counts })?;
    recorder.folder.sync()?;
    listed(list, recorder.folder.run(), recorder.last_at(), recorder.folder.entries(), recorder.folder.head())?;
    let verified = match derived.and_then(|derived| derived.closed(&dir)) {
        Some(derived) => {
            let mut writing = Writing::new(|name: &str| recorder.folder.view(name));
            derive::views(&derived.judged, &derived.snapshot, &mut writing);
            let written = writing.finish()?;
            drop(recorder);
            derived.verify(&dir, written)
        }
        None => {
            drop(recorder);
            super::verified(&dir)
        }
    };
    Ok(Finished { verified, dir })
}

/// Notes the end of a run in the run list that saw it open. A folder that was moved away from its list has none.
pub(super) fn listed(list: &RunList, run: &str, at: &str, entries: u64, head: Digest) -> Result<(), StoreError> {
    if list.find(run)?.is_empty() { Ok(()) } else { list.close_run(run, at, entries, head) }
}
