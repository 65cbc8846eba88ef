//! Which process a number stands for: numbers are used again, so more than the number is recorded.

use std::fs;

use probity_core::ids::Digest;
use probity_core::journal::service::Process;
use rustix::process::Pid;

use crate::command::kin::Stat;

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
