//! Reading a folder that lies on a disk.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use probity_core::codes::Code;
use probity_core::ids::Digest;
use rustix::fs::{Mode, OFlags};
use sha2::{Digest as _, Sha256};

use super::hashing::{self, Meter};
use super::{Budget, Held, PROBLEMS_MAX, Problem, Snapshot, check_journal_size, check_lines, check_view_size};
use super::{too_late, walk};
use crate::beneath::{Folder, is_link_error, why_not_single};
use crate::naming::JOURNAL;

/// How much is read at a time: measured, 64 KiB stays in the cache and costs a quarter of the system time of 256 KiB.
pub(super) const CHUNK: usize = 64 << 10;

/// Where bytes come from that are not held.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// Everything is held.
    Memory,
    /// An open folder.
    Folder(Arc<Folder>),
}

impl Source {
    /// Opens a file of a size that is known.
    pub(super) fn open(&self, name: &str, size: u64) -> Result<File, Problem> {
        let Self::Folder(folder) = self else {
            return Err(Problem::new(Code::EvidenceMissing, name, "its bytes are not held"));
        };
        let (file, now) = open(folder, name)?;
        if now != size {
            let message = format!("it had {size} bytes and now has {now}");
            return Err(Problem::new(Code::EvidenceSize, name, message));
        }
        Ok(file)
    }

    /// Reads a file of a size that is known.
    pub(super) fn read(&self, name: &str, size: u64) -> Result<Vec<u8>, Problem> {
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        self.open(name, size)?.take(size + 1).read_to_end(&mut bytes).map_err(|e| unreadable(name, &e))?;
        Ok(bytes)
    }
}

/// Opens a regular file with one name, and tells its size.
pub(super) fn open(folder: &Folder, name: &str) -> Result<(File, u64), Problem> {
    let file = open_quietly(folder, name).map_err(|e| unreadable(name, &e))?;
    let meta = file.metadata().map_err(|e| unreadable(name, &e))?;
    match why_not_single(&meta) {
        Some(reason) => Err(Problem::new(Code::LinkRefused, name, reason)),
        None => Ok((file, meta.len())),
    }
}

/// Leaves the time of last access alone, where the system lets us.
fn open_quietly(folder: &Folder, name: &str) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    match folder.file(name, OFlags::RDONLY | OFlags::NOATIME, Mode::empty()) {
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => {}
        other => return other,
    }
    folder.file(name, OFlags::RDONLY, Mode::empty())
}

pub(super) fn unreadable(name: &str, error: &io::Error) -> Problem {
    if is_link_error(error) {
        return Problem::new(Code::LinkRefused, name, "it is a link, or not what the folder said it is");
    }
    let code = match (name, error.kind()) {
        (JOURNAL, _) => Code::JournalUnreadable,
        (_, io::ErrorKind::NotFound) => Code::EvidenceMissing,
        _ => Code::EvidenceChanged,
    };
    Problem::new(code, name, format!("it cannot be read: {error}"))
}

pub(super) fn changed(name: &str) -> Problem {
    let code = if name == JOURNAL { Code::JournalUnreadable } else { Code::EvidenceChanged };
    Problem::new(code, name, "it changed while it was read")
}

pub(super) fn read(path: &Path, budget: &Budget, expected: Option<(u64, Digest)>) -> Result<Snapshot, Vec<Problem>> {
    let meter = Meter::new(*budget, Instant::now());
    let folder = Folder::open(path)
        .map_err(|e| vec![Problem::new(Code::RunUnknown, "", format!("it is no folder that can be read: {e}"))])?;
    let (names, mut problems) = walk::names(&folder, &meter);
    // With a link among the names, nothing is opened at all.
    if !problems.is_empty() {
        return Err(problems);
    }
    let (views, kept): (Vec<String>, Vec<String>) = names.into_iter().partition(|name| !name.contains('/'));
    let mut journal = None;
    let mut files = BTreeMap::new();
    for name in views {
        let result = if name == JOURNAL {
            read_journal(&folder, &meter, expected).map(|read| journal = Some(read))
        } else {
            note_view(&folder, &name, &meter).map(|held| drop(files.insert(name.into(), held)))
        };
        problems.extend(result.err());
    }
    if journal.is_none() && problems.is_empty() {
        problems.push(Problem::new(Code::JournalUnreadable, JOURNAL, "there is no journal"));
    }
    if problems.is_empty() {
        match hashing::files(&folder, kept, &meter) {
            Ok(found) => files.extend(found.into_iter().map(|(name, file)| (name.into(), file))),
            Err(found) => problems = found,
        }
    }
    problems.truncate(PROBLEMS_MAX);
    match journal {
        Some((journal, expected)) if problems.is_empty() => {
            let source = Source::Folder(Arc::new(folder));
            Ok(Snapshot { journal: Arc::new(journal), expected, files, source, budget: *budget })
        }
        _ => Err(problems),
    }
}

/// The bytes of a journal; or its first line, with size and digest, where it is the one that is expected.
type JournalRead = (Vec<u8>, Option<(u64, Digest)>);

/// Reads the journal piece by piece, so that a giant line is refused at its bound and not at its end.
fn read_journal(folder: &Folder, meter: &Meter, expected: Option<(u64, Digest)>) -> Result<JournalRead, Problem> {
    let (mut file, size) = open(folder, JOURNAL)?;
    check_journal_size(size, &meter.budget)?;
    meter.take(JOURNAL, size)?;
    if let Some(wanted) = expected.filter(|(bytes, _)| *bytes == size) {
        let (mut hasher, mut first, mut line, mut begun) = (Sha256::new(), Vec::new(), 0, true);
        pieces(&file, JOURNAL, size, meter, |piece| {
            hasher.update(piece);
            if begun {
                first.extend(piece.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default());
                begun = !first.ends_with(b"\n");
            }
            check_lines(piece, &mut line, &meter.budget)
        })?;
        if Digest::from_bytes(hasher.finalize().into()) == wanted.1 {
            return Ok((first, Some(wanted)));
        }
        file.rewind().map_err(|e| unreadable(JOURNAL, &e))?;
    }
    // Address space only: pages that are never written to cost nothing.
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    let mut line = 0;
    pieces(&file, JOURNAL, size, meter, |piece| {
        bytes.extend_from_slice(piece);
        check_lines(piece, &mut line, &meter.budget)
    })?;
    Ok((bytes, None))
}

/// Takes note of a view; it is read where it is compared.
fn note_view(folder: &Folder, name: &str, meter: &Meter) -> Result<Held, Problem> {
    let (_, size) = open(folder, name)?;
    check_view_size(name, size, &meter.budget)?;
    meter.take(name, size)?;
    Ok(Held::view(size, Vec::new()))
}

/// Reads a file of a size that is known, a piece at a time.
fn pieces(
    mut file: &File,
    name: &str,
    size: u64,
    meter: &Meter,
    mut take: impl FnMut(&[u8]) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let mut buffer = vec![0; CHUNK];
    let mut read = 0;
    loop {
        let n = match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(unreadable(name, &e)),
        };
        read += n as u64;
        if read > size {
            return Err(changed(name));
        }
        take(&buffer[..n])?;
        if meter.is_late() {
            return Err(too_late(name, &meter.budget));
        }
    }
    if read == size { Ok(()) } else { Err(changed(name)) }
}
