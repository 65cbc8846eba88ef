//! The journal file: one line a write, a running head and a running digest of the whole file.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use probity_core::ids::Digest;
use probity_core::journal::{Entry, Kind};
use probity_core::json::Json;
use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

use crate::StoreError;
use crate::beneath::{FILE_MODE, Folder, LockedFile, why_not_single};
use crate::naming::JOURNAL;

/// The longest line of a journal, in bytes with its line end. Larger things are evidence.
pub const LINE_MAX: u64 = 64 << 20;
/// The largest journal, in bytes.
pub const JOURNAL_MAX: u64 = 1 << 30;

/// What stands in a journal so far.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) entries: u64,
    pub(super) head: Digest,
    pub(super) bytes: u64,
    pub(super) digest: Sha256,
    pub(super) closed: bool,
}

impl Written {
    pub(super) fn nothing() -> Self {
        Self { entries: 0, head: Digest::zero(), bytes: 0, digest: Sha256::new(), closed: false }
    }

    /// Takes in a whole line.
    pub(super) fn add(&mut self, line: &[u8], id: Digest, kind: Kind) {
        self.entries += 1;
        self.head = id;
        self.bytes += line.len() as u64;
        self.digest.update(line);
        self.closed |= kind == Kind::RunClosed;
    }
}

#[derive(Debug)]
pub(super) struct JournalFile {
    file: LockedFile,
    generation: u64,
    written: Written,
    poisoned: Option<String>,
    /// Lines that go to the kernel together with the next one.
    held: Vec<u8>,
    /// What stood in the file before them.
    before_held: Written,
    /// Whether lines were written since the last sync.
    dirty: bool,
}

impl JournalFile {
    pub(super) fn create(folder: &Folder, path: &Path, run: &str) -> Result<Self, StoreError> {
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::EXCL;
        let file =
            folder.file(JOURNAL, flags, FILE_MODE).map_err(|e| StoreError::unwritable(path.join(JOURNAL), &e))?;
        let file = lock(file, run).inspect_err(|_| {
            let _ = folder.remove(JOURNAL);
        })?;
        Ok(Self {
            file,
            generation: 1,
            written: Written::nothing(),
            poisoned: None,
            held: Vec::new(),
            before_held: Written::nothing(),
            dirty: true,
        })
    }

    /// Goes on after what is there; the file is locked and ends in a whole line.
    pub(super) fn resume(file: LockedFile, generation: u64, written: Written) -> Self {
        let before_held = written.clone();
        Self { file, generation, written, poisoned: None, held: Vec::new(), before_held, dirty: true }
    }

    pub(super) const fn entries(&self) -> u64 {
        self.written.entries
    }

    pub(super) const fn head(&self) -> Digest {
        self.written.head
    }

    pub(super) const fn generation(&self) -> u64 {
        self.generation
    }

    pub(super) fn append(
        &mut self,
        run: &str,
        at: &str,
        mono: u64,
        kind: Kind,
        body: Json,
        hold: bool,
    ) -> Result<(u64, Digest), StoreError> {
        let seq = self.written.entries;
        let what = || format!("entry {seq} ({})", kind.as_str());
        if let Some(reason) = &self.poisoned {
            return Err(StoreError::unrecorded(what(), &format!("an earlier write failed: {reason}")));
        }
        if self.written.closed {
            return Err(StoreError::RunClosed { run: run.to_owned() });
        }
        let entry = Entry {
            run: run.to_owned(),
            generation: self.generation,
            seq,
            at: at.to_owned(),
            mono,
            kind,
            body,
            prev: self.written.head,
        };
        let (line, id) = entry.line().map_err(|e| StoreError::unrecorded(what(), &e))?;
        let length = line.len() as u64;
        if length > LINE_MAX || self.written.bytes + length > JOURNAL_MAX {
            return Err(StoreError::unrecorded(what(), &"the journal cannot be that large"));
        }
        self.held.extend_from_slice(&line);
        self.written.add(&line, id, kind);
        if !hold {
            self.flush().map_err(|e| StoreError::unrecorded(what(), &e))?;
        }
        Ok((seq, id))
    }

    /// Hands the kernel what was held.
    fn flush(&mut self) -> io::Result<()> {
        if self.held.is_empty() {
            return Ok(());
        }
        self.dirty = true;
        let length = self.held.len() as u64;
        let result = write_whole(&self.file, &self.held);
        self.held.clear();
        match &result {
            Ok(()) => self.before_held.clone_from(&self.written),
            Err(e) => {
                self.poison(e);
                self.written.clone_from(&self.before_held);
                self.cut_back(length);
            }
        }
        result
    }

    /// Takes nothing more from now on.
    pub(super) fn poison(&mut self, reason: &dyn std::fmt::Display) {
        self.poisoned.get_or_insert_with(|| reason.to_string());
    }

    /// Removes a piece of the last write of at most `most` bytes; whatever else stands there is not ours to remove.
    fn cut_back(&self, most: u64) {
        let whole = self.written.bytes;
        let length = self.file.metadata().map_or(0, |m| m.len());
        if length > whole && length - whole <= most {
            // If this fails too, the piece is found as a torn tail.
            let _ = self.file.set_len(whole);
        }
    }

    pub(super) fn sync(&mut self) -> io::Result<()> {
        self.flush()?;
        if self.dirty {
            self.file.sync_data()?;
            self.dirty = false;
        }
        Ok(())
    }

    pub(super) fn read_back(&self, folder: &Folder) -> Result<(), StoreError> {
        let differs = |reason: String| StoreError::ReadBackDiffers { reason };
        let io = |e: io::Error| differs(e.to_string());
        let mut disk = folder.file(JOURNAL, OFlags::RDONLY, Mode::empty()).map_err(io)?;
        let (ours, theirs) = (self.file.metadata().map_err(io)?, disk.metadata().map_err(io)?);
        if (ours.dev(), ours.ino()) != (theirs.dev(), theirs.ino()) {
            return Err(differs("another file stands in its place".into()));
        }
        if let Some(reason) = why_not_single(&theirs) {
            return Err(differs(reason.into()));
        }
        if theirs.len() != self.written.bytes {
            return Err(differs(format!("it has {} bytes, {} were written", theirs.len(), self.written.bytes)));
        }
        let mut hasher = Sha256::new();
        let mut buffer = vec![0; 64 << 10];
        // One byte more than expected is enough to see that it grew.
        let mut rest = (&mut disk).take(self.written.bytes + 1);
        loop {
            match rest.read(&mut buffer) {
                Ok(0) => break,
                Ok(n) => hasher.update(&buffer[..n]),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(io(e)),
            }
        }
        if hasher.finalize() != self.written.digest.clone().finalize() {
            return Err(differs("its bytes have another digest".into()));
        }
        Ok(())
    }
}

/// Takes the lock of a journal, or says that a writer lives.
pub(super) fn lock(file: File, run: &str) -> Result<LockedFile, StoreError> {
    LockedFile::take(file, FlockOperation::NonBlockingLockExclusive).map_err(|(_, e)| match e {
        Errno::WOULDBLOCK => StoreError::Locked { what: format!("the run `{run}`") },
        e => StoreError::unwritable(JOURNAL, &e),
    })
}

/// One write of the whole line. A short one is a failure: a second write could be torn from the first by a crash.
pub(crate) fn write_whole(mut file: &File, line: &[u8]) -> io::Result<()> {
    loop {
        match file.write(line) {
            Ok(n) if n == line.len() => return Ok(()),
            Ok(n) => {
                let text = format!("only {n} of {} bytes were taken; the disk may be full", line.len());
                return Err(io::Error::new(io::ErrorKind::WriteZero, text));
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}
