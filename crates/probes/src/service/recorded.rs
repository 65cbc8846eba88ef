//! Ending a service of a run whose process was lost: what its receipt names and only that (harness-planning.md 7.4).

use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use probity_core::journal::service::{DownStatus, Process};
use rustix::process::{Pid, PidfdFlags, Signal};

use super::{family, identity};
use crate::command::kin::Stat;

/// How long a killed process may take to be gone.
const KILLED_WITHIN: Duration = Duration::from_secs(1);

/// What became of a recorded service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// What became of it.
    pub status: DownStatus,
    /// What is to be said, where it is not plain.
    pub message: Option<String>,
    /// Whether TERM was sent.
    pub term_sent: bool,
    /// Whether KILL was sent.
    pub kill_sent: bool,
    /// Processes beside the leader's group that carried its mark and were ended.
    pub left_over: u32,
}

/// What stands behind a recorded process now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Same,
    Gone,
    Another,
}

/// Whether a recorded process is the one that was started and still runs.
#[must_use]
pub fn runs(recorded: &Process) -> bool {
    pid_of(recorded).is_some_and(|pid| found(pid, recorded) == Found::Same)
}

/// Ends a recorded service: the group of its leader, where pid, group, command line and start are those of the receipt, and
/// then whatever carries its mark. Anything else is left alone. Blocks for at most `grace` and a few seconds.
#[must_use]
pub fn stop_recorded(recorded: Option<&Process>, mark: &str, grace: Duration) -> Recorded {
    let mut end = Recorded {
        status: DownStatus::AlreadyStopped,
        message: None,
        term_sent: false,
        kill_sent: false,
        left_over: 0,
    };
    if let Some(recorded) = recorded {
        leader(recorded, grace, &mut end);
    }
    // Where the leader is another's, nothing at all is signalled.
    if end.status != DownStatus::BlockedBySafety {
        stragglers(mark, grace, &mut end);
    }
    end
}

fn leader(recorded: &Process, grace: Duration, end: &mut Recorded) {
    let Some(pid) = pid_of(recorded) else {
        end.status = DownStatus::BlockedBySafety;
        end.message = Some("its receipt names no process that may be signalled".to_owned());
        return;
    };
    // Opened before the comparison: what is compared then is what the descriptor stands for as long as it can be reached.
    let pidfd = rustix::process::pidfd_open(pid, PidfdFlags::empty()).ok();
    match (found(pid, recorded), pidfd) {
        (Found::Gone, _) => {}
        (Found::Another, _) | (Found::Same, None) => {
            end.status = DownStatus::BlockedBySafety;
            end.message = Some(format!(
                "process {pid} is not the one that was started: it belongs to something else now, and was not signalled",
                pid = recorded.pid
            ));
        }
        (Found::Same, Some(pidfd)) => {
            end.term_sent = true;
            signal(pid, &pidfd, recorded, Signal::TERM);
            signal(pid, &pidfd, recorded, Signal::CONT);
            end.status = DownStatus::Stopped;
            if !gone_within(pid, recorded, grace) {
                end.kill_sent = true;
                signal(pid, &pidfd, recorded, Signal::KILL);
                end.status = if gone_within(pid, recorded, KILLED_WITHIN) {
                    DownStatus::Killed
                } else {
                    end.message = Some(format!("process {} could not be ended", recorded.pid));
                    DownStatus::Failed
                };
            }
        }
    }
}

/// A number that may be signalled: no special one, not this process and nothing of its own group.
fn pid_of(recorded: &Process) -> Option<Pid> {
    let raw = i32::try_from(recorded.pid).ok().filter(|pid| *pid > 1)?;
    let pid = Pid::from_raw(raw)?;
    let own = rustix::process::getpgrp().as_raw_nonzero().get();
    let group = i32::try_from(recorded.pgid).ok()?;
    // A service leads its group; a receipt that says otherwise is none of ours.
    (group == raw && group != own && pid != rustix::process::getpid()).then_some(pid)
}

fn found(pid: Pid, recorded: &Process) -> Found {
    let now = identity::of(pid);
    let ended = now.started_ticks.is_none() || Stat::read(pid).is_none_or(|stat| stat.dead());
    if ended {
        return Found::Gone;
    }
    // Without both a receipt shows nothing: it names a number and nothing else.
    let full = recorded.started_ticks.is_some() && recorded.command_sha256.is_some();
    if full && now == *recorded { Found::Same } else { Found::Another }
}

/// Signals the leader and the members of its group, each by its own descriptor: a number alone may belong to something
/// else a moment later.
fn signal(pid: Pid, leader: &OwnedFd, recorded: &Process, signal: Signal) {
    if found(pid, recorded) != Found::Same {
        return;
    }
    let members: Vec<(Pid, OwnedFd)> = family::of(pid, "")
        .into_iter()
        .filter(|member| *member != pid)
        .filter_map(|member| Some((member, rustix::process::pidfd_open(member, PidfdFlags::empty()).ok()?)))
        .collect();
    // Where the leader is still there, its group is; a member that is in it now is what its descriptor stands for.
    if found(pid, recorded) == Found::Same {
        let group = pid.as_raw_nonzero().get();
        for (member, descriptor) in &members {
            if Stat::read(*member).is_some_and(|stat| stat.group == group) {
                let _ = rustix::process::pidfd_send_signal(descriptor, signal);
            }
        }
        let _ = rustix::process::pidfd_send_signal(leader, signal);
    }
}

fn gone_within(pid: Pid, recorded: &Process, time: Duration) -> bool {
    let until = Instant::now() + time;
    while found(pid, recorded) == Found::Same {
        if Instant::now() >= until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    true
}

/// Ends what carries the mark: nothing else was started with it.
fn stragglers(mark: &str, grace: Duration, end: &mut Recorded) {
    let begun = Instant::now();
    let mut seen: Vec<Pid> = Vec::new();
    loop {
        let left = family::marked(mark);
        if left.is_empty() {
            break;
        }
        if begun.elapsed() > grace + KILLED_WITHIN {
            end.status = DownStatus::Failed;
            end.message = Some("processes that it started could not be ended".to_owned());
            break;
        }
        let late = begun.elapsed() >= grace;
        for pid in left {
            if !seen.contains(&pid) {
                seen.push(pid);
                end.term_sent |= send(pid, mark, Signal::TERM);
            } else if late {
                end.kill_sent |= send(pid, mark, Signal::KILL);
            }
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    end.left_over = u32::try_from(seen.len()).unwrap_or(u32::MAX);
    if !seen.is_empty() && end.status == DownStatus::AlreadyStopped {
        end.status = if end.kill_sent { DownStatus::Killed } else { DownStatus::Stopped };
    }
}

/// Signals a process by descriptor, where it carries the mark once the descriptor is open.
fn send(pid: Pid, mark: &str, signal: Signal) -> bool {
    let Ok(pidfd) = rustix::process::pidfd_open(pid, PidfdFlags::empty()) else { return false };
    family::is_marked(pid, mark) && rustix::process::pidfd_send_signal(&pidfd, signal).is_ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt as _;
    use std::process::{Child, Command};

    use probity_core::ids::Digest;

    use super::*;
    use crate::command::MARK;

    const GRACE: Duration = Duration::from_millis(500);

    fn sleeper(mark: &str) -> (Child, Pid) {
        let child = Command::new("sleep").arg("60").env(MARK, mark).process_group(0).spawn().unwrap();
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        (child, pid)
    }

    #[test]
    fn what_the_receipt_names_is_ended() {
        let (mut child, pid) = sleeper("recorded-a");
        let recorded = identity::of_started(pid);
        assert!(runs(&recorded));
        let end = std::thread::spawn(move || stop_recorded(Some(&recorded), "recorded-other", GRACE));
        // A child of this process stays as a zombie until it is waited for.
        child.wait().unwrap();
        assert_eq!(end.join().unwrap().status, DownStatus::Stopped);
    }

    /// The number of a recorded service belongs to another program now: command and start differ. The reference demands
    /// `blocked_by_safety` and no signal.
    #[test]
    fn vector_408_a_reused_pid_is_refused_and_never_signalled() {
        let (mut child, pid) = sleeper("recorded-b");
        let live = identity::of_started(pid);
        let changes: [fn(&mut Process); 4] = [
            |p| p.started_ticks = p.started_ticks.map(|ticks| ticks - 1),
            |p| p.command_sha256 = Some(Digest::of(b"another program")),
            |p| p.boot_sha256 = Some(Digest::of(b"another boot")),
            |p| p.started_ticks = None,
        ];
        for change in changes {
            let mut recorded = live.clone();
            change(&mut recorded);
            // Not for its mark either.
            let end = stop_recorded(Some(&recorded), "recorded-b", GRACE);
            assert_eq!((end.status, end.term_sent, end.kill_sent), (DownStatus::BlockedBySafety, false, false));
        }
        for (pid, pgid) in [(0, 0), (1, 1), (live.pid, live.pgid + 1), (u64::from(std::process::id()), live.pgid)] {
            let end = stop_recorded(Some(&Process { pid, pgid, ..live.clone() }), "", GRACE);
            assert_eq!((end.status, end.term_sent), (DownStatus::BlockedBySafety, false), "{pid} {pgid}");
        }
        assert!(child.try_wait().unwrap().is_none(), "it still runs");
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(stop_recorded(Some(&live), "", GRACE).status, DownStatus::AlreadyStopped);
    }

    #[test]
    fn what_carries_the_mark_is_ended_too_and_nothing_else() {
        let (mut marked, _) = sleeper("recorded-c");
        let (mut other, _) = sleeper("recorded-d");
        let end = std::thread::spawn(move || stop_recorded(None, "recorded-c", GRACE));
        marked.wait().unwrap();
        let end = end.join().unwrap();
        assert_eq!((end.status, end.left_over, end.term_sent), (DownStatus::Stopped, 1, true));
        assert!(other.try_wait().unwrap().is_none(), "it still runs");
        other.kill().unwrap();
        other.wait().unwrap();
    }
}
