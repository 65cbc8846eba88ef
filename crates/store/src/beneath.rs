//! A folder held open, and files opened beneath it without following any link (threats.md R11, R21).

use std::fs::{File, Metadata};
use std::io;
use std::ops::Deref;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use crate::naming::why_not_beneath;

/// Mode of folders and of files that are written again; the umask takes its part.
pub(crate) const FOLDER_MODE: Mode = Mode::from_raw_mode(0o755);
pub(crate) const FILE_MODE: Mode = Mode::from_raw_mode(0o644);

/// An open folder. All names are relative to it.
#[derive(Debug)]
pub(crate) struct Folder(OwnedFd);

impl Folder {
    /// Opens a folder that the user named; links on the way to it are the user's business.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self(rustix::fs::openat(CWD, path, flags, Mode::empty())?))
    }

    /// Opens a file beneath. Never follows a link, never waits for a FIFO.
    pub(crate) fn file(&self, name: &str, flags: OFlags, mode: Mode) -> io::Result<File> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        Ok(File::from(open_beneath(&self.0, name, flags, mode)?))
    }

    /// Opens a file beneath that may be anything: what is no regular file is not opened at all, since opening a device
    /// can do things. `Ok(None)` for such a thing.
    pub(crate) fn plain_file(&self, name: &str, flags: OFlags) -> io::Result<Option<File>> {
        check(name)?;
        let facts = rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
        if rustix::fs::FileType::from_raw_mode(facts.st_mode) != rustix::fs::FileType::RegularFile {
            return Ok(None);
        }
        self.file(name, flags, Mode::empty()).map(Some)
    }

    /// Opens a folder beneath.
    pub(crate) fn folder(&self, name: &str) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Self(open_beneath(&self.0, name, flags, Mode::empty())?))
    }

    /// Makes a folder beneath, directly in this one.
    pub(crate) fn make_folder(&self, name: &str) -> io::Result<()> {
        check(name)?;
        Ok(rustix::fs::mkdirat(&self.0, name, FOLDER_MODE)?)
    }

    /// Moves a file inside this folder, over what stands there.
    pub(crate) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        check(from).and(check(to))?;
        Ok(rustix::fs::renameat(&self.0, from, &self.0, to)?)
    }

    /// Removes a file.
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        check(name)?;
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Removes an empty folder.
    pub(crate) fn remove_folder(&self, name: &str) -> io::Result<()> {
        check(name)?;
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    /// Puts the list of names on disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.0)?)
    }

    /// Puts everything of this file system on disk; cheaper than many single files.
    pub(crate) fn sync_everything(&self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        rustix::fs::syncfs(&self.0)?;
        #[cfg(not(target_os = "linux"))]
        rustix::fs::sync();
        Ok(())
    }

    /// The names in this folder, without `.` and `..`, with their types as the folder has them, in no order.
    pub(crate) fn names(&self) -> io::Result<impl Iterator<Item = io::Result<(Vec<u8>, rustix::fs::FileType)>>> {
        let dir = rustix::fs::Dir::read_from(&self.0)?;
        Ok(dir.filter_map(|entry| match entry {
            Ok(entry) if matches!(entry.file_name().to_bytes(), b"." | b"..") => None,
            Ok(entry) => Some(Ok((entry.file_name().to_bytes().to_vec(), entry.file_type()))),
            Err(e) => Some(Err(e.into())),
        }))
    }
}

fn check(name: &str) -> io::Result<()> {
    match why_not_beneath(name) {
        Some(reason) => Err(io::Error::new(io::ErrorKind::InvalidInput, reason)),
        None => Ok(()),
    }
}

fn open_beneath(folder: &OwnedFd, name: &str, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
    check(name)?;
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::ResolveFlags;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        // EAGAIN: something was renamed meanwhile and the kernel could not be sure.
        for _ in 0..16 {
            match rustix::fs::openat2(folder, name, flags, mode, resolve) {
                Err(Errno::AGAIN) => {}
                // Old kernels do not know the call, some sandboxes forbid it.
                Err(Errno::NOSYS | Errno::PERM) => break,
                other => return Ok(other?),
            }
        }
    }
    open_by_parts(folder, name, flags, mode)
}

/// The same with one call for each part of the name, none of which may be a link.
fn open_by_parts(folder: &OwnedFd, name: &str, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
    let on_the_way = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut held: Option<OwnedFd> = None;
    let (way, last) = name.rsplit_once('/').map_or((None, name), |(way, last)| (Some(way), last));
    for part in way.into_iter().flat_map(|way| way.split('/')) {
        let at = held.as_ref().map_or(folder.as_fd(), AsFd::as_fd);
        held = Some(rustix::fs::openat(at, part, on_the_way, Mode::empty())?);
    }
    let at = held.as_ref().map_or(folder.as_fd(), AsFd::as_fd);
    Ok(rustix::fs::openat(at, last, flags | OFlags::NOFOLLOW, mode)?)
}

/// A file whose lock this process holds. The lock is let go of by name when this is dropped: a child that is just
/// being started has the file open for a moment longer.
#[derive(Debug)]
pub(crate) struct LockedFile(File);

impl LockedFile {
    /// Takes the lock without waiting. The system lets go of it when the process ends, however it ends, so a crashed
    /// holder needs no taking over.
    pub(crate) fn take(file: File, how: FlockOperation) -> Result<Self, (File, Errno)> {
        match rustix::fs::flock(&file, how) {
            Ok(()) => Ok(Self(file)),
            Err(e) => Err((file, e)),
        }
    }
}

impl Deref for LockedFile {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        // Nothing can be done about a failure; closing lets go as well.
        let _ = rustix::fs::flock(&self.0, FlockOperation::Unlock);
    }
}

/// Why an open file, by its metadata, is not a plain file with one name, if it is not.
pub(crate) fn why_not_single(meta: &Metadata) -> Option<&'static str> {
    if !meta.is_file() {
        Some("it is no regular file")
    } else if meta.nlink() > 1 {
        Some("it has a second name (hard link)")
    } else {
        None
    }
}

/// Whether a failure to open means that a link or something that is no file stands there.
pub(crate) fn is_link_error(error: &io::Error) -> bool {
    let known = [Errno::LOOP, Errno::XDEV, Errno::NXIO, Errno::ISDIR, Errno::NOTDIR];
    known.iter().any(|e| error.raw_os_error() == Some(e.raw_os_error()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ways of opening, the same rules.
    #[test]
    fn no_way_out_of_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("a/b/plain"), "x").unwrap();
        std::fs::write(dir.path().join("outside"), "secret").unwrap();
        std::os::unix::fs::symlink("../outside", root.join("link")).unwrap();
        std::os::unix::fs::symlink("b", root.join("a/inner")).unwrap();
        let folder = Folder::open(&root).unwrap();
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for open in [open_beneath, open_by_parts] {
            assert!(open(&folder.0, "a/b/plain", flags, Mode::empty()).is_ok());
            for bad in ["link", "a/inner/plain", "a/missing"] {
                assert!(open(&folder.0, bad, flags, Mode::empty()).is_err(), "{bad}");
            }
        }
        for bad in ["../outside", "/etc/hostname", "a/../../outside", ""] {
            assert!(folder.file(bad, OFlags::RDONLY, Mode::empty()).is_err(), "{bad}");
            assert!(folder.remove(bad).is_err() && folder.rename("a", bad).is_err());
        }
        // What is no file is not opened, and nothing is waited for.
        rustix::fs::mknodat(CWD, root.join("fifo"), rustix::fs::FileType::Fifo, Mode::RUSR, 0).unwrap();
        for other in ["a", "link", "fifo"] {
            assert!(folder.plain_file(other, OFlags::RDONLY).unwrap().is_none(), "{other}");
        }
        assert!(folder.plain_file("missing", OFlags::RDONLY).is_err());
        assert!(is_link_error(&folder.file("link", OFlags::RDONLY, Mode::empty()).unwrap_err()));
    }
}
