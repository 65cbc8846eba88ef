//! Captured bytes, once, under their digest: `evidence/ab/<digest>.<ext>`, mode 0444, one name.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::path::Path;

use probity_core::ids::Digest;
use rustix::fs::{Mode, OFlags};

use crate::StoreError;
use crate::beneath::Folder;
use crate::media::EXTENSIONS;
use crate::naming::{EVIDENCE, digest_of_name, evidence_name};

/// Beginning of names under which files are written before they get their own.
const TEMPORARY: &str = ".new-";
/// From how many new files on one sync of the whole file system is cheaper than one for each.
const SYNC_ONE_BY_ONE: usize = 16;

/// Where bytes were kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Their SHA-256.
    pub digest: Digest,
    /// The name relative to the run folder.
    pub name: String,
    /// How many bytes.
    pub size: u64,
    /// Whether they were written now; false when the same bytes were there.
    pub new: bool,
}

#[derive(Debug)]
pub(super) struct EvidenceFolder {
    folder: Folder,
    /// Extension by digest, and whether this process wrote the file.
    kept: BTreeMap<Digest, (&'static str, bool)>,
    unsynced: Vec<String>,
    temporaries: u64,
}

impl EvidenceFolder {
    pub(super) fn open(run: &Folder, path: &Path) -> Result<Self, StoreError> {
        let folder = run.folder(EVIDENCE).map_err(|e| StoreError::unwritable(path.join(EVIDENCE), &e))?;
        Ok(Self { folder, kept: BTreeMap::new(), unsynced: Vec::new(), temporaries: 0 })
    }

    /// Takes note of what an earlier process kept, and removes what it was still writing.
    pub(super) fn take_up(&mut self) -> io::Result<()> {
        for entry in self.folder.names()? {
            let Ok(bucket) = String::from_utf8(entry?.0) else { continue };
            // What is not a bucket is named by `verify`; it is not ours to touch.
            let Ok(folder) = self.folder.folder(&bucket) else { continue };
            for entry in folder.names()? {
                let Ok(name) = String::from_utf8(entry?.0) else { continue };
                if name.starts_with(TEMPORARY) {
                    folder.remove(&name)?;
                } else if let Some(digest) = digest_of_name(&format!("{EVIDENCE}/{bucket}/{name}")) {
                    let extension = name.split_once('.').and_then(|(_, e)| EXTENSIONS.iter().find(|k| **k == e));
                    self.kept.extend(extension.map(|e| (digest, (*e, false))));
                }
            }
        }
        Ok(())
    }

    pub(super) fn keep(&mut self, run: &Folder, bytes: &[u8], extension: &str) -> Result<Kept, StoreError> {
        let Some(extension) = EXTENSIONS.into_iter().find(|known| *known == extension) else {
            let reason = "its extension is not in the table";
            return Err(StoreError::NameRefused { name: extension.to_owned(), reason });
        };
        let digest = Digest::of(bytes);
        let (extension, ours) = self.kept.get(&digest).copied().unwrap_or((extension, false));
        let name = evidence_name(&digest, extension);
        if !ours {
            // A file of an earlier process is written again, over itself: its bytes are not known to be right.
            self.write(run, &name, bytes).map_err(|e| StoreError::unrecorded(&name, &e))?;
            self.kept.insert(digest, (extension, true));
            self.unsynced.push(name.clone());
        }
        Ok(Kept { digest, name, size: bytes.len() as u64, new: !ours })
    }

    fn write(&mut self, run: &Folder, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut parts = name.rsplit('/');
        let (Some(file), Some(bucket)) = (parts.next(), parts.next()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        // Opened anew beneath the run folder, so that a folder put in its place is not followed.
        let folder = self.bucket(run, bucket)?;
        let (temporary, mut out) = self.temporary(&folder)?;
        let done = rustix::fs::fchmod(&out, Mode::from_raw_mode(0o444))
            .map_err(io::Error::from)
            .and_then(|()| out.write_all(bytes))
            .and_then(|()| folder.rename(&temporary, file));
        if done.is_err() {
            let _ = folder.remove(&temporary);
        }
        done
    }

    fn bucket(&self, run: &Folder, bucket: &str) -> io::Result<Folder> {
        let name = format!("{EVIDENCE}/{bucket}");
        match run.folder(&name) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                self.folder.make_folder(bucket)?;
                run.folder(&name)
            }
            other => other,
        }
    }

    fn temporary(&mut self, folder: &Folder) -> io::Result<(String, std::fs::File)> {
        loop {
            self.temporaries += 1;
            let name = format!("{TEMPORARY}{}", self.temporaries);
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
            match folder.file(&name, flags, Mode::from_raw_mode(0o444)) {
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists && self.temporaries < 1 << 20 => {}
                other => return other.map(|file| (name, file)),
            }
        }
    }

    pub(super) fn sync(&mut self, run: &Folder) -> io::Result<()> {
        if self.unsynced.is_empty() {
            return Ok(());
        }
        if self.unsynced.len() > SYNC_ONE_BY_ONE {
            self.folder.sync_everything()?;
        } else {
            let mut buckets = BTreeSet::new();
            for name in &self.unsynced {
                run.file(name, OFlags::RDONLY, Mode::empty())?.sync_data()?;
                buckets.extend(name.rsplit_once('/').map(|(bucket, _)| bucket));
            }
            for bucket in buckets {
                run.folder(bucket)?.sync()?;
            }
            self.folder.sync()?;
        }
        self.unsynced.clear();
        Ok(())
    }
}
