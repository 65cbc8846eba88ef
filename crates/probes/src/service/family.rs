//! The processes of a service: its group, and whatever carries its mark.

use rustix::process::Pid;

use crate::command::kin::{self, Marked, Stat};

/// Every running process of the group of a leader, or with its mark.
pub(super) fn of(leader: Pid, mark: &str) -> Vec<Pid> {
    let group = leader.as_raw_nonzero().get();
    let ours =
        |pid: &Pid| Stat::read(*pid).is_some_and(|stat| !stat.dead() && stat.group == group) || is_marked(*pid, mark);
    kin::all().filter(ours).collect()
}

/// Every running process with a mark.
pub(super) fn marked(mark: &str) -> Vec<Pid> {
    kin::all().filter(|pid| is_marked(*pid, mark) && Stat::read(*pid).is_some_and(|stat| !stat.dead())).collect()
}

/// Whether a process carries a mark in the environment that it was started with.
pub(super) fn is_marked(pid: Pid, mark: &str) -> bool {
    !mark.is_empty() && kin::marked(pid, mark) == Marked::Ours
}
