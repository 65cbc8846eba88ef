//! Some lines of a run's journal, without reading the run (design.md section 2: attempts of a subject).

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use rustix::fs::OFlags;

use crate::StoreError;
use crate::beneath::{Folder, why_not_single};
use crate::naming::JOURNAL;

/// The first line of the journal of a run in a runs root, and those after it that are `wanted`, without their line
/// ends. A torn last line is left out. What was read is taken from `budget`, in bytes.
///
/// # Errors
/// `journal_unreadable`, `link_refused` for anything but a plain file, `over_budget`.
pub fn lines(
    root: &Path,
    run: &str,
    budget: &mut u64,
    wanted: &dyn Fn(&[u8]) -> bool,
) -> Result<Vec<Vec<u8>>, StoreError> {
    let path = root.join(run).join(JOURNAL);
    let unreadable = |e: std::io::Error| StoreError::unreadable(&path, &e);
    let open = |root: &Path| -> std::io::Result<(File, u64, Option<&'static str>)> {
        let file = Folder::open(root)?.folder(run)?.plain_file(JOURNAL, OFlags::RDONLY)?;
        let file = file.ok_or_else(|| std::io::Error::other("it is no regular file"))?;
        let facts = file.metadata()?;
        Ok((file, facts.len(), why_not_single(&facts)))
    };
    let (file, size, refused) = open(root).map_err(unreadable)?;
    if let Some(reason) = refused {
        return Err(StoreError::LinkRefused { path, reason });
    }
    let Some(left) = budget.checked_sub(size) else {
        return Err(StoreError::OverBudget { path, reason: format!("more than the {budget} bytes that may be read") });
    };
    *budget = left;
    let mut reader = BufReader::with_capacity(1 << 16, file.take(size));
    let mut found = Vec::new();
    let mut line = Vec::new();
    let mut first = true;
    while reader.read_until(b'\n', &mut line).map_err(unreadable)? > 0 {
        if line.pop() == Some(b'\n') && (std::mem::take(&mut first) || wanted(&line)) {
            found.push(std::mem::take(&mut line));
        }
        line.clear();
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_and_those_that_are_wanted() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("run")).unwrap();
        let journal = root.path().join("run").join(JOURNAL);
        std::fs::write(&journal, "first\nb\nca\n\nb\na-torn").unwrap();
        let mut budget = 40;
        let wanted = |line: &[u8]| line.contains(&b'a');
        let found = lines(root.path(), "run", &mut budget, &wanted).unwrap();
        assert_eq!(found, [b"first".to_vec(), b"ca".to_vec()]);
        assert_eq!(budget, 40 - 20);
        let mut little = 19;
        assert!(matches!(lines(root.path(), "run", &mut little, &wanted), Err(StoreError::OverBudget { .. })));
        assert_eq!(little, 19);
    }

    #[test]
    fn nothing_but_a_plain_file_of_this_root_is_read() {
        let root = tempfile::tempdir().unwrap();
        for run in ["linked", "twice", "fifo", "folder"] {
            std::fs::create_dir(root.path().join(run)).unwrap();
        }
        let other = root.path().join("other");
        std::fs::write(&other, "a\n").unwrap();
        std::os::unix::fs::symlink(&other, root.path().join("linked").join(JOURNAL)).unwrap();
        std::fs::hard_link(&other, root.path().join("twice").join(JOURNAL)).unwrap();
        std::fs::create_dir(root.path().join("folder").join(JOURNAL)).unwrap();
        let fifo = root.path().join("fifo").join(JOURNAL);
        assert!(std::process::Command::new("mkfifo").arg(fifo).status().unwrap().success());
        std::os::unix::fs::symlink(root.path().join("folder"), root.path().join("away")).unwrap();
        for run in ["linked", "twice", "fifo", "folder", "away", "absent", "..", "../x", ""] {
            assert!(lines(root.path(), run, &mut 1000, &|_| true).is_err(), "{run}");
        }
    }
}
