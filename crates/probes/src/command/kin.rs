//! Children that belong to nobody: what left its process group and came back to us as the reaper of orphans.
//!
//! Looking is one system call as long as this process has no child but the known ones. Only when a stranger shows up are
//! `/proc/<pid>/environ` files searched for the mark of the call.
//!
//! Code of this process that starts children in process groups of their own must start them through [`start`], or they
//! are taken for strangers.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, WaitOptions};

use super::environ::MARK;

static KNOWN: Mutex<Known> = Mutex::new(Known { next: 0, children: BTreeMap::new() });

struct Known {
    next: u64,
    children: BTreeMap<i32, u64>,
}

/// A child that this process started itself. It counts as known until this is dropped.
#[derive(Debug)]
pub struct Kin {
    pid: i32,
    entry: u64,
}

impl Drop for Kin {
    fn drop(&mut self) {
        let mut known = known();
        // The number may already have gone to a newer child.
        if known.children.get(&self.pid) == Some(&self.entry) {
            known.children.remove(&self.pid);
        }
    }
}

/// Starts a child so that it is known from its first moment. `id` reads its process id from what `spawn` gives.
///
/// # Errors
/// Those of `spawn`.
pub fn start<T>(spawn: impl FnOnce() -> io::Result<T>, id: impl FnOnce(&T) -> Option<u32>) -> io::Result<(T, Kin)> {
    become_reaper();
    let mut known = known();
    let child = spawn()?;
    let pid = id(&child).and_then(|id| i32::try_from(id).ok()).unwrap_or(0);
    let entry = known.next;
    known.next += 1;
    known.children.insert(pid, entry);
    Ok((child, Kin { pid, entry }))
}

fn known() -> MutexGuard<'static, Known> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes orphans of our descendants our own children, once for this process.
fn become_reaper() {
    static DONE: OnceLock<()> = OnceLock::new();
    DONE.get_or_init(|| {
        // Refused only by kernels before 3.4; orphans then go to pid 1, and only the group is ended.
        let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    });
}

/// Running processes outside every known group that carry `mark`, or that are our children and carry none (a program can
/// wipe its environment). `before` are strangers that were here before the call. Dead strangers are reaped on the way.
pub(crate) fn escaped(mark: &str, before: &[Pid]) -> Vec<Pid> {
    let mut found = Vec::new();
    for pid in strangers() {
        if before.contains(&pid) {
            continue;
        }
        if Stat::read(pid).is_none_or(|stat| stat.dead()) {
            let _ = rustix::process::waitpid(Some(pid), WaitOptions::NOHANG);
            continue;
        }
        match marked(pid, mark) {
            Marked::Ours | Marked::Not => found.push(pid),
            Marked::Other => {}
        }
    }
    if !found.is_empty() {
        // Their descendants carry the mark as well, but are not our children yet.
        let more = all().filter(|pid| !found.contains(pid) && marked(*pid, mark) == Marked::Ours);
        let more: Vec<Pid> = more.filter(|pid| Stat::read(*pid).is_some_and(|stat| !stat.dead())).collect();
        found.extend(more);
    }
    found
}

/// Children of ours that are neither known nor in a known group, nor in the group of this process itself.
pub(crate) fn strangers() -> Vec<Pid> {
    let known = known();
    if !any_child() {
        return Vec::new();
    }
    let own = rustix::process::getpgrp();
    let known_group = |pid: Pid| match Stat::read(pid) {
        Some(stat) => stat.group == own.as_raw_nonzero().get() || known.children.contains_key(&stat.group),
        None => true,
    };
    let unknown = children().into_iter().filter(|pid| !known.children.contains_key(&pid.as_raw_nonzero().get()));
    unknown.filter(|pid| !known_group(*pid)).collect()
}

/// How many running processes a group has.
pub(crate) fn members(group: Pid) -> u32 {
    let group = group.as_raw_nonzero().get();
    let count = all().filter_map(Stat::read).filter(|stat| stat.group == group && !stat.dead()).count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn any_child() -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(rustix::process::waitid(WaitId::All, options), Err(Errno::CHILD))
}

/// Our children, from the kernel's own lists where it keeps them.
fn children() -> Vec<Pid> {
    let mut found = Vec::new();
    let mut listed = false;
    for task in fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
        if let Ok(text) = fs::read_to_string(task.path().join("children")) {
            listed = true;
            found.extend(text.split_ascii_whitespace().filter_map(pid));
        }
    }
    if !listed {
        let own = rustix::process::getpid().as_raw_nonzero().get();
        found.extend(all().filter(|pid| Stat::read(*pid).is_some_and(|stat| stat.parent == own)));
    }
    found
}

pub(crate) fn all() -> impl Iterator<Item = Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| pid(entry.file_name().to_str()?))
}

fn pid(text: &str) -> Option<Pid> {
    Pid::from_raw(text.parse().ok()?)
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marked {
    /// By this mark.
    Ours,
    /// By another.
    Other,
    /// By none.
    Not,
}

pub(crate) fn marked(pid: Pid, mark: &str) -> Marked {
    let environ = fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero())).unwrap_or_default();
    let value = |line: &[u8]| Some(line.strip_prefix(MARK.as_bytes())?.strip_prefix(b"=")?.to_vec());
    match environ.split(|byte| *byte == 0).find_map(value) {
        Some(value) if value == mark.as_bytes() => Marked::Ours,
        Some(_) => Marked::Other,
        None => Marked::Not,
    }
}

/// The fields of `/proc/<pid>/stat` that matter here.
pub(crate) struct Stat {
    state: char,
    parent: i32,
    pub(crate) group: i32,
    /// When it started, in the system's ticks since it booted.
    pub(crate) ticks: Option<u64>,
}

impl Stat {
    pub(crate) fn read(pid: Pid) -> Option<Self> {
        Self::parse(&String::from_utf8_lossy(&fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?))
    }

    /// The name in parentheses may hold anything, so reading starts behind the last one.
    fn parse(text: &str) -> Option<Self> {
        let mut fields = text.rsplit_once(')')?.1.split_ascii_whitespace();
        let state = fields.next()?.chars().next()?;
        let (parent, group) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        // The start stands in field 22; the group was field 5.
        let ticks = fields.nth(16).and_then(|ticks| ticks.parse().ok());
        Some(Self { state, parent, group, ticks })
    }

    pub(crate) fn dead(&self) -> bool {
        matches!(self.state, 'Z' | 'X')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_forge_the_fields_behind_it() {
        let stat = Stat::parse("12 (a) Z 1 2 3) S 40 50 50 0").unwrap();
        assert_eq!((stat.state, stat.parent, stat.group), ('S', 40, 50));
        assert!(!stat.dead());
        assert!(Stat::parse("12 (a").is_none());
    }

    #[test]
    fn both_ways_to_list_children_see_a_child() {
        let mut child = std::process::Command::new("sleep").arg("5").spawn().unwrap();
        let id = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        assert!(any_child());
        assert!(children().contains(&id));
        let own = rustix::process::getpid().as_raw_nonzero().get();
        assert_eq!(Stat::read(id).unwrap().parent, own);
        // It is in our own group, so it is no stranger.
        assert!(!strangers().contains(&id));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!children().contains(&id));
    }
}
