//! A file of a run folder that is no authority, written piece by piece: whole or not at all.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use rustix::fs::{Mode, OFlags};

use crate::StoreError;
use crate::beneath::{FILE_MODE, Folder};
use crate::naming::{EVIDENCE, JOURNAL, RUN_LIST, why_not_plain};

/// A view that is being written, under a temporary name in the same folder. Dropped before [`View::finish`], it is gone.
#[derive(Debug)]
pub struct View<'a> {
    folder: &'a Folder,
    path: &'a Path,
    name: String,
    temporary: String,
    file: File,
    finished: bool,
}

impl<'a> View<'a> {
    pub(super) fn begin(folder: &'a Folder, path: &'a Path, name: &str) -> Result<Self, StoreError> {
        let taken = [JOURNAL, EVIDENCE, RUN_LIST].contains(&name).then_some("it belongs to an authority");
        if let Some(reason) = why_not_plain(name).or(taken) {
            return Err(StoreError::NameRefused { name: name.to_owned(), reason });
        }
        // The leading dot keeps it from ever being the name of a view; whoever holds the lock may clear a left-over one.
        let temporary = format!(".{name}.tmp");
        let _ = folder.remove(&temporary);
        let unwritable = |e: io::Error| StoreError::unwritable(path.join(name), &e);
        let file =
            folder.file(&temporary, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL, FILE_MODE).map_err(unwritable)?;
        let view = Self { folder, path, name: name.to_owned(), temporary, file, finished: false };
        rustix::fs::fchmod(&view.file, Mode::from_raw_mode(0o644)).map_err(|e| unwritable(e.into()))?;
        Ok(view)
    }

    /// Writes the next bytes.
    ///
    /// # Errors
    /// `folder_unwritable`.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.file.write_all(bytes).map_err(|e| self.unwritable(&e))
    }

    /// Writes it in one go.
    pub(super) fn whole(mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.write(bytes)?;
        self.finish()
    }

    /// Gives it its name, over an older one.
    ///
    /// # Errors
    /// `folder_unwritable`.
    pub fn finish(mut self) -> Result<(), StoreError> {
        self.folder.rename(&self.temporary, &self.name).map_err(|e| self.unwritable(&e))?;
        self.finished = true;
        Ok(())
    }

    fn unwritable(&self, error: &io::Error) -> StoreError {
        StoreError::unwritable(self.path.join(&self.name), error)
    }
}

impl Drop for View<'_> {
    fn drop(&mut self) {
        if !self.finished {
            let _ = self.folder.remove(&self.temporary);
        }
    }
}
