//! The names in a folder, without opening a single file.

use probity_core::codes::Code;
use rustix::fs::FileType;

use super::folder::unreadable;
use super::hashing::Meter;
use super::{PROBLEMS_MAX, Problem, check_depth, too_late, too_many_files};
use crate::beneath::Folder;

/// The relative names of all files, in order, and what is refused by name or type. Opening a device can do things, so
/// what the folder says to be none is never opened; what it says to be a file is looked at again once it is open.
pub(super) fn names(root: &Folder, meter: &Meter) -> (Vec<String>, Vec<Problem>) {
    let mut walk = Walk { meter, seen: 0, names: Vec::new(), folders: vec![String::new()], problems: Vec::new() };
    while let Some(folder) = walk.folders.pop() {
        if let Err(problem) = walk.folder(root, &folder) {
            walk.problems.push(problem);
            break;
        }
    }
    walk.names.sort_unstable();
    walk.problems.sort_by(|a, b| a.file.cmp(&b.file));
    (walk.names, walk.problems)
}

struct Walk<'a> {
    meter: &'a Meter,
    seen: u64,
    names: Vec<String>,
    folders: Vec<String>,
    problems: Vec<Problem>,
}

impl Walk<'_> {
    /// Reads one folder. An error ends the whole walk.
    fn folder(&mut self, root: &Folder, at: &str) -> Result<(), Problem> {
        let held = if at.is_empty() { None } else { Some(root.folder(at)) };
        let folder = match &held {
            None => root,
            Some(Ok(folder)) => folder,
            Some(Err(e)) => return Err(unreadable(at, e)),
        };
        for entry in folder.names().map_err(|e| unreadable(at, &e))? {
            let (bytes, kind) = entry.map_err(|e| unreadable(at, &e))?;
            self.seen += 1;
            if self.seen > self.meter.budget.files {
                return Err(too_many_files(&self.meter.budget));
            }
            if self.seen.is_multiple_of(1024) && self.meter.is_late() {
                return Err(too_late(at, &self.meter.budget));
            }
            self.entry(at, &bytes, kind);
            if self.problems.len() >= PROBLEMS_MAX {
                return Err(Problem::new(
                    Code::OverBudget,
                    "",
                    "there are more such files; the rest was not looked at",
                ));
            }
        }
        Ok(())
    }

    fn entry(&mut self, at: &str, bytes: &[u8], kind: FileType) {
        let under = |name: &str| if at.is_empty() { name.to_owned() } else { format!("{at}/{name}") };
        let Ok(name) = std::str::from_utf8(bytes).map(under) else {
            let name = under(&String::from_utf8_lossy(bytes));
            self.problems.push(Problem::new(Code::UnlistedFile, name, "its name is not UTF-8"));
            return;
        };
        let refused = match kind {
            FileType::Symlink => Some("it is a symbolic link"),
            FileType::Fifo => Some("it is a FIFO"),
            FileType::Socket => Some("it is a socket"),
            FileType::CharacterDevice | FileType::BlockDevice => Some("it is a device"),
            FileType::RegularFile | FileType::Directory | FileType::Unknown => None,
        };
        if let Some(reason) = refused {
            self.problems.push(Problem::new(Code::LinkRefused, name, reason));
        } else if let Err(problem) = check_depth(&name, &self.meter.budget) {
            self.problems.push(problem);
        } else if kind == FileType::Directory {
            self.folders.push(name);
        } else {
            self.names.push(name);
        }
    }
}
