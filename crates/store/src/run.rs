//! One run folder: `<runs>/<run id>/` with `journal.jsonl`, `evidence/` and views (design.md section 3).

mod evidence;
mod journal_file;
mod reopen;
mod view;

use std::path::{Path, PathBuf};

use probity_core::ids::{Digest, Id};
use probity_core::journal::{Kind, Seal};
use probity_core::json::Json;

pub use evidence::Kept;
pub(crate) use journal_file::write_whole;
pub use journal_file::{JOURNAL_MAX, LINE_MAX};
pub use reopen::{Reopened, Torn};
pub use view::View;

use crate::StoreError;
use crate::beneath::Folder;
use crate::naming::EVIDENCE;
use crate::root;
use evidence::EvidenceFolder;
use journal_file::JournalFile;

/// The one writer of a run. It holds the lock of the journal until it is dropped or the process ends, however that
/// comes about.
#[derive(Debug)]
pub struct RunFolder {
    run: String,
    path: PathBuf,
    folder: Folder,
    /// The runs root, until its list of names is on disk.
    unsynced_root: Option<Folder>,
    evidence: EvidenceFolder,
    journal: JournalFile,
    failed: bool,
}

impl RunFolder {
    /// Makes the folder of a new run, and the runs root where it is absent, and locks the journal.
    ///
    /// # Errors
    /// `run_exists` where the folder is there, `folder_unwritable` with the reason, `run_locked`.
    pub fn create(runs: &Path, run: &Id) -> Result<Self, StoreError> {
        let root = root::prepare(runs)?;
        let (name, path) = (run.as_str(), runs.join(run.as_str()));
        let unwritable = |e: std::io::Error| StoreError::unwritable(&path, &e);
        root.make_folder(name).map_err(|e| match e.kind() {
            std::io::ErrorKind::AlreadyExists => StoreError::RunExists { run: name.to_owned() },
            _ => unwritable(e),
        })?;
        let made = || -> Result<Self, StoreError> {
            let folder = root.folder(name).map_err(unwritable)?;
            folder.make_folder(EVIDENCE).map_err(unwritable)?;
            let journal = JournalFile::create(&folder, &path, name)?;
            let evidence = EvidenceFolder::open(&folder, &path)?;
            let run = name.to_owned();
            Ok(Self { run, path: path.clone(), folder, unsynced_root: None, evidence, journal, failed: false })
        };
        match made() {
            Ok(made) => Ok(Self { unsynced_root: Some(root), ..made }),
            Err(e) => {
                // An empty folder would stand in the way of the next try; one that holds something stays.
                if let Ok(folder) = root.folder(name) {
                    let _ = folder.remove_folder(EVIDENCE);
                }
                let _ = root.remove_folder(name);
                Err(e)
            }
        }
    }

    /// The run's id.
    #[must_use]
    pub fn run(&self) -> &str {
        &self.run
    }

    /// The folder, for people.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many entries the journal has.
    #[must_use]
    pub const fn entries(&self) -> u64 {
        self.journal.entries()
    }

    /// The id of the last entry; zeros where there is none.
    #[must_use]
    pub const fn head(&self) -> Digest {
        self.journal.head()
    }

    /// The generation that entries are written in: 1, and one more for each resume.
    #[must_use]
    pub const fn generation(&self) -> u64 {
        self.journal.generation()
    }

    /// Entry count and head.
    #[must_use]
    pub fn seal(&self) -> Seal {
        Seal::new(self.entries(), &self.head())
    }

    /// Whether something could not be recorded; such a run cannot pass.
    #[must_use]
    pub const fn recording_failed(&self) -> bool {
        self.failed
    }

    /// Appends an entry in one write and returns its number and id. `at` is RFC 3339 in UTC with milliseconds, `mono`
    /// microseconds since this generation was opened. The entry has reached the kernel on return, and the disk after
    /// [`RunFolder::sync`].
    ///
    /// # Errors
    /// `recording_failed` for this and every later entry once a write failed or was short; `run_exists` after
    /// `run.closed`.
    pub fn append(&mut self, at: &str, mono: u64, kind: Kind, body: Json) -> Result<(u64, Digest), StoreError> {
        let result = self.journal.append(&self.run, at, mono, kind, body, false);
        self.failed |= matches!(result, Err(StoreError::RecordingFailed { .. }));
        result
    }

    /// Appends an entry that goes to the kernel in one write with the next one, at the latest with a sync: for what is
    /// recorded of one step with nothing in between.
    ///
    /// # Errors
    /// As [`RunFolder::append`].
    pub fn append_with_next(
        &mut self,
        at: &str,
        mono: u64,
        kind: Kind,
        body: Json,
    ) -> Result<(u64, Digest), StoreError> {
        let result = self.journal.append(&self.run, at, mono, kind, body, true);
        self.failed |= matches!(result, Err(StoreError::RecordingFailed { .. }));
        result
    }

    /// Puts on disk everything that was recorded: first the evidence, then the journal that names it.
    ///
    /// # Errors
    /// `recording_failed`; what the system holds back once may be lost for good, so the journal takes nothing more.
    pub fn sync(&mut self) -> Result<(), StoreError> {
        let result = self.sync_all();
        if let Err(e) = &result {
            self.failed = true;
            self.journal.poison(e);
        }
        result.map_err(|e| StoreError::unrecorded("what was written", &e))
    }

    fn sync_all(&mut self) -> std::io::Result<()> {
        self.evidence.sync(&self.folder)?;
        self.journal.sync()?;
        if let Some(root) = self.unsynced_root.take() {
            self.folder.sync()?;
            root.sync()?;
        }
        Ok(())
    }

    /// Reads the journal from disk again and compares it with what was written.
    ///
    /// # Errors
    /// `read_back_differs` with the difference.
    pub fn read_back(&self) -> Result<(), StoreError> {
        self.journal.read_back(&self.folder)
    }

    /// Keeps bytes under their digest, read-only and with one name; the same bytes are written once. The extension is
    /// one of [`crate::media::EXTENSIONS`]; bytes that are there keep the one they have.
    ///
    /// # Errors
    /// `recording_failed`, or `path_absolute` for another extension.
    pub fn keep_evidence(&mut self, bytes: &[u8], extension: &str) -> Result<Kept, StoreError> {
        let result = self.evidence.keep(&self.folder, bytes, extension);
        self.failed |= matches!(result, Err(StoreError::RecordingFailed { .. }));
        result
    }

    /// Writes a view: whole or not at all, over an older one.
    ///
    /// # Errors
    /// `path_absolute` for a name that is not plain or is an authority's, `folder_unwritable`.
    pub fn write_view(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.view(name)?.whole(bytes)
    }

    /// Begins a view that is written piece by piece.
    ///
    /// # Errors
    /// As [`RunFolder::write_view`].
    pub fn view(&self, name: &str) -> Result<View<'_>, StoreError> {
        View::begin(&self.folder, &self.path, name)
    }
}

#[cfg(test)]
mod tests;
