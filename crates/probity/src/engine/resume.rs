//! Taking up a run that was never closed: nothing is tried again; what can be cleaned up is, and the run is closed with
//! what is not known. Of a closed run only the views are written again (design.md section 3).

use std::path::Path;

use probity_core::journal::Kind;
use probity_core::journal::body::RuntimeObserved;
use probity_core::redact::Redactor;
use probity_store::list::RunList;
use probity_store::run::Reopened;

use super::close::seal;
use super::recorder::Recorder;
use super::{EngineError, Finished};
use crate::derive;

/// Takes up a run folder.
pub(crate) fn resume(dir: &Path, runs: &Path) -> Result<Finished, EngineError> {
    let mut reopened = Reopened::open(dir)?;
    if reopened.closed() {
        if let Some(judged) = derive::judge(dir) {
            for (name, bytes) in derive::views(&judged) {
                reopened.write_view(&name, &bytes)?;
            }
        }
        drop(reopened);
        return Ok(Finished { verified: super::verified(dir), dir: dir.to_path_buf() });
    }
    let last_at = derive::last_time(reopened.journal());
    let dropped = reopened.drop_torn_tail()?.map_or(0, |torn| torn.bytes);
    let folder = reopened.resume()?;
    let mut recorder = Recorder::new(folder, Redactor::default(), last_at.as_deref());
    recorder.write(Kind::RuntimeObserved, &RuntimeObserved::Resumed { dropped_bytes: dropped })?;
    seal(recorder, &RunList::of(runs))
}
