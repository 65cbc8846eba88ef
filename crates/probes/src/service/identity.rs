//! Which process a number stands for: numbers are used again, so more than the number is recorded.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use probity_core::ids::Digest;
use probity_core::journal::service::Process;
use rustix::process::Pid;

use crate::command::kin::Stat;

/// How long a process that was just started may take to show its command line.
const SHOWN_WITHIN: Duration = Duration::from_millis(200);

/// What the system shows of a process that was just started. The kernel lets us go on when the child has begun to execute,
/// a moment before its command line is there.
pub(super) fn of_started(pid: Pid) -> Process {
    let until = Instant::now() + SHOWN_WITHIN;
    loop {
        let process = of(pid);
        let there = process.command_sha256.is_some() || Stat::read(pid).is_none_or(|stat| stat.dead());
        if there || Instant::now() >= until {
            return process;
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// What the system shows of a process now.
pub(super) fn of(pid: Pid) -> Process {
    let number = pid.as_raw_nonzero().get();
    let stat = Stat::read(pid);
    let unsigned = |n: i32| u64::try_from(n).unwrap_or(0);
    // A dead process has no command line left.
    let line = fs::read(format!("/proc/{number}/cmdline")).ok().filter(|line| !line.is_empty());
    Process {
        pid: unsigned(number),
        pgid: stat.as_ref().map_or(0, |stat| unsigned(stat.group)),
        command_sha256: line.map(|line| Digest::of(&line)),
        started_ticks: stat.and_then(|stat| stat.ticks),
        boot_sha256: boot(),
    }
}

/// Digest of the id of this boot; ticks of another one mean nothing here.
fn boot() -> Option<Digest> {
    fs::read("/proc/sys/kernel/random/boot_id").ok().map(|id| Digest::of(id.trim_ascii()))
}
