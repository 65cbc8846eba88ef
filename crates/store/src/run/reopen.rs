//! Taking up a run folder again, for `probity run --resume`: to close a run that was never closed, or to write the
//! views of a closed one.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use probity_core::codes::Code;
use probity_core::ids::Digest;
use probity_core::journal::{Entry, EntryFault};
use rustix::fs::OFlags;

use super::evidence::EvidenceFolder;
use super::journal_file::{JOURNAL_MAX, JournalFile, LINE_MAX, Written, lock};
use super::{RunFolder, View};
use crate::StoreError;
use crate::beneath::{Folder, LockedFile, is_link_error, why_not_single};
use crate::naming::{EVIDENCE, JOURNAL};

/// Bytes after the last line end: the process died while it wrote them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Torn {
    /// How many.
    pub bytes: u64,
    /// Their digest, to keep when they are dropped.
    pub digest: Digest,
}

/// A run folder whose journal is locked and was read; nothing has been written.
#[derive(Debug)]
pub struct Reopened {
    run: String,
    path: PathBuf,
    folder: Folder,
    file: LockedFile,
    generation: u64,
    written: Written,
    /// The whole lines.
    journal: Vec<u8>,
    torn: Option<Torn>,
}

impl Reopened {
    /// Locks and reads the journal of a run folder. Every whole line must be an entry that follows the one before.
    ///
    /// # Errors
    /// `run_locked` while a writer lives; `journal_unreadable`, `link_refused`, `over_budget`, or the finding about the
    /// first line that does not fit.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let at = path.join(JOURNAL);
        let run = path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        let folder = Folder::open(path).map_err(|e| StoreError::unreadable(path, &e))?;
        let link = |reason| StoreError::LinkRefused { path: at.clone(), reason };
        let file = folder.plain_file(JOURNAL, OFlags::RDWR | OFlags::APPEND).map_err(|e| match e.kind() {
            std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
                StoreError::unwritable(&at, &e)
            }
            _ if is_link_error(&e) => link("it is a link or no regular file"),
            _ => StoreError::unreadable(&at, &e),
        })?;
        let file = file.ok_or_else(|| link("it is a link or no regular file"))?;
        if let Some(reason) = why_not_single(&file.metadata().map_err(|e| StoreError::unreadable(&at, &e))?) {
            return Err(StoreError::LinkRefused { path: at, reason });
        }
        let file = lock(file, &run)?;
        let mut journal = read_bounded(&file, &at)?;
        let whole = journal.iter().rposition(|b| *b == b'\n').map_or(0, |p| p + 1);
        let tail = &journal[whole..];
        let torn = (!tail.is_empty()).then(|| Torn { bytes: tail.len() as u64, digest: Digest::of(tail) });
        journal.truncate(whole);
        let chain = Chain::read(&journal)?;
        // A copied folder may have another name; what the entries say counts.
        let run = chain.run.unwrap_or(run);
        Ok(Self {
            run,
            path: path.to_owned(),
            folder,
            file,
            generation: chain.generation,
            written: chain.written,
            journal,
            torn,
        })
    }

    /// The run's id, as the journal says it.
    #[must_use]
    pub fn run(&self) -> &str {
        &self.run
    }

    /// The whole lines of the journal, as they were read.
    #[must_use]
    pub fn journal(&self) -> &[u8] {
        &self.journal
    }

    /// How many entries there are.
    #[must_use]
    pub const fn entries(&self) -> u64 {
        self.written.entries
    }

    /// The id of the last entry; zeros where there is none.
    #[must_use]
    pub const fn head(&self) -> Digest {
        self.written.head
    }

    /// The generation of the last entry; 0 where there is none.
    #[must_use]
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    /// Whether the journal ends in `run.closed`.
    #[must_use]
    pub const fn closed(&self) -> bool {
        self.written.closed
    }

    /// The piece of a line at the end, if there is one.
    #[must_use]
    pub const fn torn(&self) -> Option<&Torn> {
        self.torn.as_ref()
    }

    /// Removes the piece of a line at the end, and says what it was; `None` if there was none.
    ///
    /// # Errors
    /// `folder_unwritable`.
    pub fn drop_torn_tail(&mut self) -> Result<Option<Torn>, StoreError> {
        if self.torn.is_some() {
            let cut = self.file.set_len(self.written.bytes).and_then(|()| self.file.sync_data());
            cut.map_err(|e| StoreError::unwritable(self.path.join(JOURNAL), &e))?;
        }
        Ok(self.torn.take())
    }

    /// Writes a view, as [`RunFolder::write_view`] does.
    ///
    /// # Errors
    /// As there.
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

    /// Goes on writing in the next generation. The lock is kept throughout.
    ///
    /// # Errors
    /// `run_exists` for a closed run, `journal_partial_line` while a torn tail is there, `folder_unwritable`.
    pub fn resume(self) -> Result<RunFolder, StoreError> {
        if self.written.closed {
            return Err(StoreError::RunClosed { run: self.run });
        }
        if let Some(torn) = self.torn {
            return Err(StoreError::TornTail { bytes: torn.bytes });
        }
        match self.folder.make_folder(EVIDENCE) {
            Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => {
                return Err(StoreError::unwritable(self.path.join(EVIDENCE), &e));
            }
            _ => {}
        }
        let mut evidence = EvidenceFolder::open(&self.folder, &self.path)?;
        evidence.take_up().map_err(|e| StoreError::unwritable(self.path.join(EVIDENCE), &e))?;
        let journal = JournalFile::resume(self.file, self.generation + 1, self.written);
        Ok(RunFolder {
            run: self.run,
            path: self.path,
            folder: self.folder,
            unsynced_root: None,
            evidence,
            journal,
            failed: false,
        })
    }
}

fn read_bounded(file: &File, at: &Path) -> Result<Vec<u8>, StoreError> {
    let unreadable = |e| StoreError::unreadable(at, &e);
    let over = |reason: String| StoreError::OverBudget { path: at.to_owned(), reason };
    let size = file.metadata().map_err(unreadable)?.len();
    if size > JOURNAL_MAX {
        return Err(over(format!("it has {size} bytes, at most {JOURNAL_MAX} are read")));
    }
    let mut bytes = Vec::new();
    file.take(JOURNAL_MAX + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > JOURNAL_MAX {
        return Err(over(format!("it grew past {JOURNAL_MAX} bytes")));
    }
    Ok(bytes)
}

/// What whole lines come to.
struct Chain {
    run: Option<String>,
    generation: u64,
    written: Written,
}

impl Chain {
    fn read(lines: &[u8]) -> Result<Self, StoreError> {
        let mut chain = Self { run: None, generation: 0, written: Written::nothing() };
        for line in lines.split_inclusive(|b| *b == b'\n') {
            let fault = |code, message: String| {
                Err(StoreError::JournalFault { code, line: chain.written.entries + 1, message })
            };
            if line.len() as u64 > LINE_MAX {
                return fault(Code::OverBudget, format!("it has {} bytes, at most {LINE_MAX} are read", line.len()));
            }
            let (entry, id) = match Entry::read(line.strip_suffix(b"\n").unwrap_or(line)) {
                Ok(read) => read,
                Err(e) => return fault(code_of(&e), e.to_string()),
            };
            if chain.written.closed {
                return fault(Code::EntryAfterClose, "it follows run.closed".into());
            }
            if entry.prev != chain.written.head {
                return fault(Code::ChainBroken, "it does not follow the entry before it".into());
            }
            if entry.seq != chain.written.entries {
                return fault(Code::SequenceGap, format!("its number is {}", entry.seq));
            }
            if chain.run.as_ref().is_some_and(|run| *run != entry.run) || entry.generation < chain.generation.max(1) {
                return fault(Code::RunMixed, format!("it is of run `{}`, generation {}", entry.run, entry.generation));
            }
            chain.generation = entry.generation;
            chain.written.add(line, id, entry.kind);
            chain.run.get_or_insert(entry.run);
        }
        Ok(chain)
    }
}

const fn code_of(fault: &EntryFault) -> Code {
    match fault {
        EntryFault::Kind(_) => Code::EntryUnknownKind,
        EntryFault::Id => Code::ChainBroken,
        EntryFault::Field(_) => Code::EntryBodyInvalid,
        EntryFault::NotJson(_) | EntryFault::NotCanonical => Code::EntryNotCanonical,
    }
}
