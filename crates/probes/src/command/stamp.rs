//! Files held open while they are hashed and used, and digests remembered for files that did not change.

use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use probity_core::ids::Digest;
use rustix::fs::{Mode, OFlags};
use sha2::{Digest as _, Sha256};

/// The largest file that can be sealed, in bytes (harness-proof.md 6.6).
pub const MAX_SEALED: u64 = 256 << 20;

/// A digest is remembered only for a file whose last change is older than the coarsest clock of a file system. A file
/// that is changed twice within one tick would else keep its stamp.
const SETTLED: Duration = Duration::from_secs(2);

/// How many digests are remembered.
const REMEMBERED: usize = 4096;

static DIGESTS: Mutex<Option<HashMap<Stamp, Digest>>> = Mutex::new(None);

/// What the file system says of a file's bytes: the same stamp means the same bytes. The change time cannot be set by
/// a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    pub(super) fn of(meta: &Metadata) -> Self {
        Self {
            device: meta.dev(),
            inode: meta.ino(),
            size: meta.size(),
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
        }
    }

    fn settled(&self) -> bool {
        let (Ok(secs), Ok(nanos)) = (u64::try_from(self.changed.0), u32::try_from(self.changed.1)) else {
            return false;
        };
        let changed = UNIX_EPOCH + Duration::new(secs, nanos);
        SystemTime::now().duration_since(changed).is_ok_and(|age| age > SETTLED)
    }
}

/// A file that stays open from its hashing to its use.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) file: File,
    pub(super) stamp: Stamp,
    pub(super) digest: Digest,
    /// Whether the kernel loads the bytes itself (ELF), instead of handing the name to an interpreter.
    pub(super) machine: bool,
}

/// Opens and hashes a regular file; `path` is a real path, so a link in its last place is refused.
pub(super) fn hold(path: &Path) -> io::Result<Held> {
    // NONBLOCK: a FIFO that took the file's place must not hold us up.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    if meta.len() > MAX_SEALED {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than the 256 MiB that can be sealed"));
    }
    let stamp = Stamp::of(&meta);
    let digest = match remembered(&stamp) {
        Some(digest) => digest,
        None => {
            let digest = hash(&file)?;
            if Stamp::of(&file.metadata()?) != stamp {
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, "it was changed while it was read"));
            }
            remember(stamp, digest);
            digest
        }
    };
    let mut head = [0; 4];
    let machine = file.read_at(&mut head, 0)? == head.len() && head == *b"\x7fELF";
    Ok(Held { file, stamp, digest, machine })
}

/// The digest of a regular file, as it is remembered or read now.
///
/// # Errors
/// A file that cannot be read, or is over [`MAX_SEALED`]; a link in the last place of the path.
pub fn digest(path: &Path) -> io::Result<Digest> {
    hold(path).map(|held| held.digest)
}

fn hash(file: &File) -> io::Result<Digest> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    let mut at = 0;
    loop {
        match file.read_at(&mut buffer, at) {
            Ok(0) => return Ok(Digest::from_bytes(hasher.finalize().into())),
            Ok(n) => {
                hasher.update(&buffer[..n]);
                at += n as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if at > MAX_SEALED {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it grows beyond what can be sealed"));
        }
    }
}

fn remembered(stamp: &Stamp) -> Option<Digest> {
    DIGESTS.lock().unwrap_or_else(PoisonError::into_inner).as_ref()?.get(stamp).copied()
}

fn remember(stamp: Stamp, digest: Digest) {
    if !stamp.settled() {
        return;
    }
    let mut digests = DIGESTS.lock().unwrap_or_else(PoisonError::into_inner);
    let digests = digests.get_or_insert_with(HashMap::new);
    if digests.len() >= REMEMBERED {
        digests.clear();
    }
    digests.insert(stamp, digest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_the_same_size_is_noticed_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tool");
        std::fs::write(&path, "one").unwrap();
        let first = hold(&path).unwrap();
        std::fs::write(&path, "two").unwrap();
        assert_eq!(hold(&path).unwrap().digest, Digest::of(b"two"));
        assert_eq!(first.digest, Digest::of(b"one"));
    }

    #[test]
    fn an_old_file_is_remembered_and_a_new_one_is_not() {
        let old = hold(&std::fs::canonicalize("/bin/sh").unwrap()).unwrap();
        assert_eq!(remembered(&old.stamp), Some(old.digest));
        assert!(old.machine);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tool");
        std::fs::write(&path, "#!/bin/sh\n").unwrap();
        let new = hold(&path).unwrap();
        assert_eq!(remembered(&new.stamp), None);
        assert!(!new.machine);
    }

    #[test]
    fn links_folders_and_giants_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/bin/sh", &link).unwrap();
        hold(&link).unwrap_err();
        hold(folder.path()).unwrap_err();
        let giant = folder.path().join("giant");
        File::create(&giant).unwrap().set_len(MAX_SEALED + 1).unwrap();
        assert!(hold(&giant).unwrap_err().to_string().contains("256 MiB"));
    }
}
