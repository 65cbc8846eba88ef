//! Evidence out of a run folder, by its handle. What is taken was verified, and has its digest.

use std::path::{Path, PathBuf};

use probity_core::audit::Bytes;
use probity_core::codes::Code;
use probity_core::ids::Digest;
use probity_core::journal::observation::Observation;
use probity_core::judged::Judged;
use probity_core::step::Evidence as _;
use probity_core::verify::Verified;
use probity_store::snapshot::{Budget, FileFacts, Snapshot};

use super::Refused;
use crate::answer::show::{Kind, find};

/// A run that evidence is taken from.
#[derive(Clone)]
pub(crate) struct Taken {
    /// Its id.
    pub id: String,
    /// Its seal.
    pub seal: String,
    dir: PathBuf,
}

/// What a run folder is: the digest of its journal, and of every other file what is known of it.
pub(super) type State = Option<(Digest, Vec<(String, FileFacts)>)>;

impl Taken {
    /// From a verified run.
    pub(crate) fn of(verified: &Verified, dir: &Path) -> Self {
        let seal = verified.seal.as_ref().map(ToString::to_string).unwrap_or_default();
        Self { id: verified.run.clone().unwrap_or_default(), seal, dir: dir.to_path_buf() }
    }

    /// What its folder is now; `None` where it cannot be read.
    pub(super) fn state(&self) -> State {
        let snapshot = Snapshot::of_folder(&self.dir, &Budget::default()).ok()?;
        let files = snapshot.files().map(|(name, facts)| (name.to_owned(), facts)).collect();
        Some((Digest::of(snapshot.journal()), files))
    }

    /// What a step saw, by its handle or id: the body of the last answer, the output of a command, lines of a log; with its
    /// media type.
    ///
    /// # Errors
    /// An id that names no step, a step that saw nothing.
    pub(crate) fn evidence(&self, judged: &Judged, id: &str) -> Result<(String, Vec<u8>), Refused> {
        let subject = find(judged, id).map_err(|near| {
            let mut refused = Refused::new(Code::IdUnknown, format!("{id}: the run has no evidence of this id"));
            if let Some(near) = near {
                refused.help = format!("did you mean {near}?");
            }
            refused
        })?;
        let (Kind::Evidence | Kind::Step, Some(step)) = (subject.kind, subject.steps.first()) else {
            return Err(Refused::new(Code::IdUnknown, format!("{id} is no step, and no handle of one")));
        };
        let (media, digest) = match judged.audited().steps()[*step].observation.as_deref() {
            Some(Observation::Http(http)) => match http.hops.last() {
                Some(last) => (last.hop.media().unwrap_or("application/octet-stream").to_owned(), last.body().sha256),
                None => return Err(nothing(id)),
            },
            Some(Observation::Command(command)) => ("text/plain".to_owned(), command.stdout.sha256),
            Some(Observation::Log(log)) => ("text/plain".to_owned(), log.kept.sha256),
            None => return Err(nothing(id)),
        };
        let snapshot = Snapshot::of_folder(&self.dir, &Budget::default()).ok();
        let bytes = snapshot.and_then(|files| {
            let all = Bytes::of(judged.audited().recorded(), &files);
            all.bytes(&digest).map(|bytes| bytes.to_vec())
        });
        bytes.map(|bytes| (media, bytes)).ok_or_else(|| nothing(id))
    }
}

fn nothing(id: &str) -> Refused {
    Refused::new(Code::ExhibitUnreadable, format!("{id} saw nothing that could be shown"))
}
