//! What somebody would do who wants a failed run to look passed: take a copy and change what was seen.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use probity_store::naming::RUN_LIST;

/// What was changed.
pub(crate) struct Cheated {
    /// The copy of the run folder.
    pub dir: PathBuf,
    /// In how many places.
    pub places: usize,
    /// In how many files.
    pub files: usize,
}

/// Copies a run folder with the run list beside it into a folder, and puts one text for another everywhere in the copy
/// of the run. The run list stays as it is.
///
/// # Errors
/// When something cannot be read or written.
pub(crate) fn cheat(run: &Path, into: &Path, from: &str, to: &str) -> io::Result<Cheated> {
    let (Some(name), Some(root)) = (run.file_name(), run.parent()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let mut cheated = Cheated { dir: into.join(name), places: 0, files: 0 };
    fs::create_dir_all(into)?;
    fs::copy(root.join(RUN_LIST), into.join(RUN_LIST))?;
    copy(run, &cheated.dir.clone(), &mut |bytes| {
        let (changed, places) = replace(&bytes, from.as_bytes(), to.as_bytes());
        cheated.places += places;
        cheated.files += usize::from(places > 0);
        changed
    })?;
    Ok(cheated)
}

fn copy(from: &Path, to: &Path, edit: &mut dyn FnMut(Vec<u8>) -> Vec<u8>) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target, edit)?;
        } else {
            fs::write(&target, edit(fs::read(entry.path())?))?;
            fs::set_permissions(&target, entry.metadata()?.permissions())?;
        }
    }
    Ok(())
}

/// The bytes with every `from` replaced, and how often it stood there.
fn replace(bytes: &[u8], from: &[u8], to: &[u8]) -> (Vec<u8>, usize) {
    let (mut changed, mut places, mut rest) = (Vec::with_capacity(bytes.len()), 0, bytes);
    while let Some(&byte) = rest.first() {
        if !from.is_empty() && rest.starts_with(from) {
            changed.extend_from_slice(to);
            rest = &rest[from.len()..];
            places += 1;
        } else {
            changed.push(byte);
            rest = &rest[1..];
        }
    }
    (changed, places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_changed_and_nothing_else() {
        assert_eq!(replace(b"29.96, 129.961\xff", b"29.96", b"29.97"), (b"29.97, 129.971\xff".to_vec(), 2));
        assert_eq!(replace(b"aaa", b"aa", b"b"), (b"ba".to_vec(), 1));
        assert_eq!(replace(b"x", b"", b"y"), (b"x".to_vec(), 0));
    }
}
