//! Writes a run down: typed bodies become entries, bytes become evidence, secrets are replaced before either.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use probity_core::ids::Digest;
use probity_core::journal::Kind;
use probity_core::journal::body::{Body, Content, EvidenceCaptured, InputSealed, Role};
use probity_core::journal::observation::{Blob, Observation};
use probity_core::redact::Redactor;
use probity_core::step::Evidence;
use probity_store::StoreError;
use probity_store::media::extension_for;
use probity_store::run::RunFolder;

use super::clock::Clock;

/// The writer of one run.
pub(super) struct Recorder {
    pub(super) folder: RunFolder,
    pub(super) redactor: Redactor,
    clock: Clock,
}

impl Recorder {
    pub(super) fn new(folder: RunFolder, redactor: Redactor, after: Option<&str>) -> Self {
        Self { folder, redactor, clock: Clock::begin(after) }
    }

    /// Appends an entry; returns its number.
    pub(super) fn write<B: Body>(&mut self, kind: Kind, body: &B) -> Result<u64, StoreError> {
        let at = self.clock.at();
        let mono = self.clock.mono();
        self.folder.append(&at, mono, kind, body.write()).map(|(seq, _)| seq)
    }

    /// Appends an entry that goes to the kernel with the next one.
    fn write_with_next<B: Body>(&mut self, kind: Kind, body: &B) -> Result<u64, StoreError> {
        let at = self.clock.at();
        let mono = self.clock.mono();
        self.folder.append_with_next(&at, mono, kind, body.write()).map(|(seq, _)| seq)
    }

    /// The time now, as entries carry it.
    pub(super) fn now(&mut self) -> String {
        self.clock.at()
    }

    /// The time of the entry that was written last.
    pub(super) fn last_at(&self) -> &str {
        self.clock.last()
    }

    /// Where bytes are to stand: in the entry, or in a file that is written now.
    fn content(&mut self, bytes: &[u8], media: &str) -> Result<Content, StoreError> {
        if let Some(content) = Content::inline(bytes) {
            return Ok(content);
        }
        let kept = self.folder.keep_evidence(bytes, extension_for(media))?;
        let name = kept.name.strip_prefix("evidence/").unwrap_or(&kept.name).to_owned();
        Ok(Content::File(name))
    }

    /// Seals an input with its bytes.
    pub(super) fn seal(&mut self, role: Role, name: &str, bytes: &[u8], redactions: u64) -> Result<(), StoreError> {
        let media = match name.rsplit_once('.').map(|(_, extension)| extension) {
            Some("json") => "application/json",
            Some("md" | "yaml" | "yml" | "txt" | "py" | "sh" | "js" | "ts" | "rb") => "text/plain",
            _ => "application/octet-stream",
        };
        let content = self.content(bytes, media)?;
        let (sha256, size) = (Digest::of(bytes), bytes.len() as u64);
        self.write(
            Kind::InputSealed,
            &InputSealed { role, name: name.to_owned(), sha256, bytes: size, redactions, content },
        )?;
        Ok(())
    }

    /// Seals a program by its written name and digest; its bytes are not copied.
    pub(super) fn seal_program(&mut self, name: &str, sha256: Digest) -> Result<(), StoreError> {
        let sealed = InputSealed {
            role: Role::Program,
            name: name.to_owned(),
            sha256,
            bytes: 0,
            redactions: 0,
            content: Content::Absent,
        };
        self.write(Kind::InputSealed, &sealed)?;
        Ok(())
    }
}

/// Bytes that were captured for one action, redacted, each written once. In memory stand those of the try at hand, and
/// of the last that had a complete answer.
#[derive(Default)]
pub(super) struct Captures {
    /// What is not written yet, in the order in which it came.
    waiting: Vec<Waiting>,
    /// The bytes in memory.
    held: BTreeMap<Digest, Arc<Vec<u8>>>,
    /// What was taken for the action so far.
    taken: BTreeSet<Digest>,
}

struct Waiting {
    role: String,
    media: String,
    sha256: Digest,
    redactions: u64,
}

impl Captures {
    /// Takes bytes whose secrets were replaced already.
    pub(super) fn add(&mut self, role: &str, media: &str, bytes: Vec<u8>, redactions: u64) -> Blob {
        let blob = Blob::of(&bytes);
        let sha256 = blob.sha256;
        if self.taken.insert(sha256) {
            self.waiting.push(Waiting { role: role.to_owned(), media: media.to_owned(), sha256, redactions });
        }
        self.held.insert(sha256, Arc::new(bytes));
        blob
    }

    /// Writes what was not written yet, for an intent; `with_next` where the next entry follows at once.
    pub(super) fn write(&mut self, recorder: &mut Recorder, intent: u64, with_next: bool) -> Result<(), StoreError> {
        for Waiting { role, media, sha256, redactions } in std::mem::take(&mut self.waiting) {
            let bytes = self.held.get(&sha256).map(|bytes| bytes.as_slice()).unwrap_or_default();
            let content = recorder.content(bytes, &media)?;
            let captured =
                EvidenceCaptured { intent, role, sha256, bytes: bytes.len() as u64, media, redactions, content };
            if with_next {
                recorder.write_with_next(Kind::EvidenceCaptured, &captured)?;
            } else {
                recorder.write(Kind::EvidenceCaptured, &captured)?;
            }
        }
        Ok(())
    }

    /// Lets bytes go, once they are written and another try follows; those stay that `whole` saw.
    pub(super) fn next_try(&mut self, whole: Option<&Observation>) {
        let kept: BTreeSet<Digest> = whole.iter().flat_map(|whole| whole.blobs()).collect();
        self.held.retain(|digest, _| kept.contains(digest));
    }
}

impl Evidence for Captures {
    fn is_at_hand(&self) -> bool {
        true
    }

    fn bytes(&self, digest: &Digest) -> Option<Arc<Vec<u8>>> {
        self.held.get(digest).map(Arc::clone)
    }
}
