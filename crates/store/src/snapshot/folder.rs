//! Reading a folder that lies on a disk.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use probity_core::codes::Code;
use rustix::fs::{Mode, OFlags};

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
    /// Reads a file of a size that is known.
    pub(super) fn read(&self, name: &str, size: u64) -> Result<Vec<u8>, Problem> {
        let Self::Folder(folder) = self else {
            return Err(Problem::new(Code::EvidenceMissing, name, "its bytes are not held"));
        };
        let (file, now) = open(folder, name)?;
        if now != size {
            let message = format!("it had {size} bytes and now has {now}");
            return Err(Problem::new(Code::EvidenceSize, name, message));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        file.take(size + 1).read_to_end(&mut bytes).map_err(|e| unreadable(name, &e))?;
        Ok(bytes)
    }
}

impl Source {
    /// Whether a file has exactly these bytes.
    pub(super) fn is(&self, name: &str, bytes: &[u8]) -> bool {
        let Self::Folder(folder) = self else { return false };
        let Ok((mut file, size)) = open(folder, name) else { return false };
        let mut rest = bytes;
        let mut buffer = vec![0; CHUNK];
        while !rest.is_empty() {
            match file.read(&mut buffer) {
                Ok(n) if n > 0 && rest.starts_with(&buffer[..n]) => rest = &rest[n..],
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                _ => return false,
            }
        }
        size == bytes.len() as u64
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

pub(super) fn read(path: &Path, budget: &Budget) -> Result<Snapshot, Vec<Problem>> {
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
            read_journal(&folder, &meter).map(|bytes| journal = Some(Arc::new(bytes)))
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
        Some(journal) if problems.is_empty() => {
            Ok(Snapshot { journal, files, source: Source::Folder(Arc::new(folder)), budget: *budget })
        }
        _ => Err(problems),
    }
}

/// Reads the journal piece by piece, so that a giant line is refused at its bound and not at its end.
fn read_journal(folder: &Folder, meter: &Meter) -> Result<Vec<u8>, Problem> {
    let (file, size) = open(folder, JOURNAL)?;
    check_journal_size(size, &meter.budget)?;
    meter.take(JOURNAL, size)?;
    let mut line = 0;
    read_pieces(&file, JOURNAL, size, meter, |piece| check_lines(piece, &mut line, &meter.budget))
}

/// Takes note of a view; it is read where it is compared.
fn note_view(folder: &Folder, name: &str, meter: &Meter) -> Result<Held, Problem> {
    let (_, size) = open(folder, name)?;
    check_view_size(name, size, &meter.budget)?;
    meter.take(name, size)?;
    Ok(Held::view(size, Vec::new()))
}

fn read_pieces(
    mut file: &File,
    name: &str,
    size: u64,
    meter: &Meter,
    mut check: impl FnMut(&[u8]) -> Result<(), Problem>,
) -> Result<Vec<u8>, Problem> {
    // Address space only: pages that are never written to cost nothing.
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    loop {
        let before = bytes.len();
        (&mut file).take(CHUNK as u64).read_to_end(&mut bytes).map_err(|e| unreadable(name, &e))?;
        if bytes.len() == before {
            break;
        }
        if bytes.len() as u64 > size {
            return Err(changed(name));
        }
        check(&bytes[before..])?;
        if meter.is_late() {
            return Err(too_late(name, &meter.budget));
        }
    }
    if bytes.len() as u64 == size { Ok(bytes) } else { Err(changed(name)) }
}
