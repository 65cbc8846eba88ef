//! The command probe: runs one program without a shell, keeps what it wrote, and leaves nothing behind.
//!
//! * The program and the files its arguments name are hashed when the run opens ([`seal`]) and again right before the
//!   start ([`run`]); anything else than the sealed bytes is `command_changed` and nothing starts (threats.md C17).
//! * A machine program is executed through the descriptor that was hashed (`/proc/self/fd/N`). A `#!` script has to be
//!   executed by its real path, because its interpreter opens it by name. Both are looked at once more after the start.
//! * The child leads a process group of its own and its environment carries a mark. What leaves the group (`setsid`)
//!   comes back to us as the reaper of orphans ([`kin`]) and is ended too.
//! * Children start by `posix_spawn`, so their cost does not grow with our memory. Measured with `/bin/true`, 1,000 times,
//!   three rounds, CPU seconds: bare C `fork` + `execve` 0.9 to 1.1; `posix_spawn` 0.8 to 1.0 at 2 MiB of ours, 1.0 at 30 MiB,
//!   1.0 to 1.2 at 100 MiB; `fork` for the sake of a `pre_exec` hook 1.2, 2.3 to 2.9, and 7 to 10. A parent-death signal
//!   needs that hook, so there is none: if this process is killed outright, a running child goes on until it ends by itself.
//!   Dropping the future ends it.
//! * Where the system allows it a child starts in a mount namespace in which the run folder is read-only ([`Isolated`]).
//!
//! Linux only.

pub(crate) mod attend;
mod environ;
pub(crate) mod group;
mod isolated;
pub mod kin;
mod seal;
mod stamp;
pub(crate) mod streams;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use probity_core::ids::Digest;
use probity_core::observe::{CommandCall, CommandResult, Failure, FailureKind};
use tokio::sync::watch;

pub use environ::{INHERITED, MARK, inherited};
pub use isolated::Isolated;
pub use seal::{resolve, seal};
pub use stamp::{MAX_SEALED, digest};

/// How much one command may write, and how long it may take to leave.
#[derive(Clone, Copy)]
pub struct Allowance<'a> {
    /// Bytes kept of each stream; the rest is counted and hashed.
    pub keep: u64,
    /// Bytes of both streams together after which the command is stopped.
    pub output: u64,
    /// Time from TERM to KILL.
    pub grace: Duration,
    /// What the command has in common with others that run beside it: told how many bytes it has written so far, it says
    /// whether it may go on.
    pub shared: &'a (dyn Fn(u64) -> bool + Sync),
}

impl std::fmt::Debug for Allowance<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Allowance").field("keep", &self.keep).field("output", &self.output).finish_non_exhaustive()
    }
}

impl Allowance<'_> {
    /// The usual time from TERM to KILL.
    pub const GRACE: Duration = Duration::from_secs(2);

    /// For a command that shares with none.
    #[must_use]
    pub const fn own(keep: u64, output: u64, grace: Duration) -> Self {
        Self { keep, output, grace, shared: &|_| true }
    }

    /// Why a command that has written so much may not go on, if it may not.
    fn exceeded(&self, total: u64) -> Option<Failure> {
        let message = if total > self.output {
            format!("The command wrote more than the {} bytes it may.", self.output)
        } else if (self.shared)(total) {
            return None;
        } else {
            "The commands of the run that were under way wrote more than they may together.".to_owned()
        };
        Some(failure(FailureKind::OutputLimit, message))
    }
}

/// What `input.sealed` holds of a command: the program, its interpreter, and the files that its arguments name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// The real path of the program, every link resolved. Not for records: those hold `argv[0]` as written.
    pub program: PathBuf,
    /// Digest of the program's bytes.
    pub program_digest: Digest,
    /// For a script, the program that its first line names (behind `env`, the one that `env` starts): the name as written,
    /// its real path, its digest.
    pub interpreter: Option<(String, PathBuf, Digest)>,
    /// Each file of the project that an argument names: the name as written, its real path, its digest.
    pub files: Vec<(String, PathBuf, Digest)>,
}

/// What surrounds a command: things that the plan does not say.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The project folder.
    pub project: &'a Path,
    /// Random text that marks the child's environment, fresh for each call: `[A-Za-z0-9._-]`.
    pub mark: &'a str,
    /// Inherited variables, usually [`inherited`]. Names outside [`INHERITED`] are left out.
    pub inherited: &'a [(OsString, OsString)],
    /// Looks a credential up by the name of its variable.
    pub secrets: &'a (dyn Fn(&str) -> Option<String> + Sync),
    /// Where the child starts, if it is kept out of something.
    pub isolated: Option<&'a Isolated>,
}

impl std::fmt::Debug for Surroundings<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Surroundings").field("project", &self.project).field("mark", &self.mark).finish_non_exhaustive()
    }
}

/// Runs a command to its end. When this returns, nothing that it started is running, and nothing is when the future is
/// dropped half way (the drop then blocks for the moment that the kernel needs).
///
/// What a step comes to stands in [`CommandResult::failure`]; `exit` and `signal` are facts beside it: a child that
/// exits 0 after it was told to stop has both an exit and a failure. Must be polled in a Tokio runtime with I/O and time.
pub async fn run(
    call: &CommandCall,
    sealed: &Sealed,
    around: &Surroundings<'_>,
    allowance: &Allowance<'_>,
    deadline: Instant,
    cancel: watch::Receiver<bool>,
) -> CommandResult {
    let begun = Instant::now();
    let mut result = if *cancel.borrow() {
        unstarted("cancelled", failure(FailureKind::Cancelled, "The run was cancelled before the command started."))
    } else if begun >= deadline {
        unstarted("stage_timeout", failure(FailureKind::BudgetExceeded, "No time of the run was left for the command."))
    } else {
        match attend::launch(call, sealed, around, allowance) {
            Ok(started) => {
                let timeout = Duration::from_millis(call.timeout_ms);
                attend::attend(started, allowance, attend::Limits::new(begun, timeout, deadline), cancel).await
            }
            Err(failure) => unstarted("spawn_error", failure),
        }
    };
    result.total_us = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
    result
}

fn unstarted(termination: &str, failure: Failure) -> CommandResult {
    CommandResult { termination: termination.to_owned(), failure: Some(failure), ..CommandResult::default() }
}

fn failure(kind: FailureKind, message: impl Into<String>) -> Failure {
    Failure { kind, message: message.into() }
}
