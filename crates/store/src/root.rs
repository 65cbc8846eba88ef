//! The runs root: the folder that holds all runs of a project.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use rustix::fs::OFlags;

use crate::StoreError;
use crate::beneath::{FILE_MODE, Folder};

/// Runs are kept out of commits unless somebody wants them there, and git never converts their line ends.
const OWN_FILES: [(&str, &str); 2] = [(".gitignore", "*\n"), (".gitattributes", "* -text\n")];

/// Opens the runs root, making it and its own files where they are absent.
pub(crate) fn prepare(runs: &Path) -> Result<Folder, StoreError> {
    fs::create_dir_all(runs).map_err(|e| StoreError::unwritable(runs, &e))?;
    let folder = Folder::open(runs).map_err(|e| StoreError::unwritable(runs, &e))?;
    for (name, text) in OWN_FILES {
        let created = folder.file(name, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL, FILE_MODE);
        match created.and_then(|mut file| file.write_all(text.as_bytes())) {
            Ok(()) => {}
            // What the project wrote there stays, a link too.
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(StoreError::unwritable(runs.join(name), &e)),
        }
    }
    Ok(folder)
}
