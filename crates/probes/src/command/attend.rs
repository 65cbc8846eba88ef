//! One command from its start to its end: what may stop it, and what its end comes to.

use std::fs::{self, File};
use std::future;
use std::io::{self, Seek, SeekFrom, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use probity_core::observe::{CommandCall, CommandResult, Failure, FailureKind};
use rustix::fs::{MemfdFlags, SealFlags};
use tokio::process::Command;
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::group::Group;
use super::stamp::{Held, Stamp};
use super::streams::{Drain as _, Streams};
use super::{Allowance, Sealed, Surroundings, environ, failure, seal};

/// How long output and helpers of a command that ended may take to end as well. The reference has at least 0.1 s
/// (harness-proof.md 7); a busy machine needs more, and only commands that leave something pay for it.
const SETTLE: Duration = Duration::from_millis(250);

/// Attempts to start a program that somebody holds open for writing at that moment.
const BUSY_TRIES: u32 = 10;

/// A command that runs.
pub(super) struct Started {
    group: Group,
    streams: Streams,
}

/// When a command has to end, and whose limit that is.
pub(super) struct Limits {
    at: Instant,
    failure: Failure,
}

impl Limits {
    pub(super) fn new(begun: Instant, timeout: Duration, deadline: Instant) -> Self {
        match begun.checked_add(timeout) {
            Some(at) if at <= deadline => {
                let message = format!("The command still ran after {}.", written(timeout));
                Self { at, failure: failure(FailureKind::AnswerIncomplete, message) }
            }
            _ => {
                let message = "The time of the run was used up while the command ran.";
                Self { at: deadline, failure: failure(FailureKind::BudgetExceeded, message) }
            }
        }
    }
}

/// Checks everything once more and starts the command. On an error nothing runs.
pub(super) fn launch(
    call: &CommandCall,
    sealed: &Sealed,
    around: &Surroundings<'_>,
    allowance: &Allowance<'_>,
) -> Result<Started, Failure> {
    let mut group = group_of(call, sealed, around, Stdio::piped(), Stdio::piped())?;
    let streams = group.streams(allowance.keep);
    Ok(Started { group, streams })
}

/// The same, with the streams given: the group that runs.
pub(crate) fn group_of(
    call: &CommandCall,
    sealed: &Sealed,
    around: &Surroundings<'_>,
    stdout: Stdio,
    stderr: Stdio,
) -> Result<Group, Failure> {
    let argv0 = call.argv.first().map_or("", String::as_str);
    let folder = seal::folder(&call.cwd, around.project)?;
    let variables = environ::of(call, around)?;
    let stdin = stdin(call.stdin.as_deref()).map_err(|error| no_start(argv0, &error))?;
    let held = seal::unchanged(argv0, sealed, &folder)?;
    let mut command = Command::new(executed_as(&held, &sealed.program));
    command.arg0(shown_as(argv0, around.project)).args(call.argv.iter().skip(1)).current_dir(folder);
    command.env_clear().envs(variables);
    command.stdin(stdin).stdout(stdout).stderr(stderr);
    let group = spawn(command, around).map_err(|error| no_start(argv0, &error))?;
    // From here on the kernel refuses writes to a running machine program, so an unchanged stamp means that the bytes
    // that run are the bytes that were hashed. Dropping the group ends it.
    if !untouched(&held, &sealed.program) {
        return Err(seal::changed(format!("`{argv0}` was changed while it was started.")));
    }
    Ok(group)
}

/// Follows the command to its end.
pub(super) async fn attend(
    started: Started,
    allowance: &Allowance<'_>,
    limits: Limits,
    cancel: watch::Receiver<bool>,
) -> CommandResult {
    let Started { mut group, mut streams } = started;
    let mut stopped = first_end(&mut group, &mut streams, allowance, limits, cancel).await;
    let mut result = CommandResult::default();
    if stopped.is_some() {
        group.end(&mut streams, allowance.grace).await;
    }
    let quiet = group.settle(&mut streams, SETTLE).await;
    if stopped.is_none() {
        stopped = allowance.exceeded(streams.total()).map(|failure| ("output_byte_limit", failure));
    }
    if !quiet {
        if group.alive() {
            result.left_over = group.members();
            group.end(&mut streams, allowance.grace).await;
        }
        result.left_over += group.end_escaped(&mut streams, allowance.grace).await;
        group.settle(&mut streams, SETTLE).await;
    }
    if stopped.is_none() && result.left_over > 0 {
        stopped = Some(("process_group_cleanup", left(result.left_over)));
    }
    if stopped.is_none() && !streams.ended() {
        let message = "The output of the command is still held open by a process that it did not start.";
        stopped = Some(("process_group_cleanup", failure(FailureKind::AnswerIncomplete, message)));
    }
    let status = group.status();
    if stopped.is_none() && status.is_none() {
        let message = "How the command ended could not be seen.";
        stopped = Some(("exited", failure(FailureKind::AnswerIncomplete, message)));
    }
    result.exit = status.and_then(|status| status.code());
    result.signal = status.and_then(|status| status.signal());
    result.term_sent = group.term_sent;
    result.kill_sent = group.kill_sent;
    (result.stdout, result.stderr) = streams.finish(stopped.is_some());
    let (termination, failure) = match stopped {
        Some((termination, failure)) => (termination, Some(failure)),
        None if result.signal.is_some() => ("signalled", None),
        None => ("exited", None),
    };
    result.termination = termination.to_owned();
    result.failure = failure;
    group.release();
    result
}

/// Waits for the leader's own end (`None`) or for the first reason to stop it.
async fn first_end(
    group: &mut Group,
    streams: &mut Streams,
    allowance: &Allowance<'_>,
    limits: Limits,
    cancel: watch::Receiver<bool>,
) -> Option<(&'static str, Failure)> {
    let late = tokio::time::sleep_until(limits.at.into());
    let cancelled = cancelled(cancel);
    tokio::pin!(late, cancelled);
    loop {
        tokio::select! {
            () = group.leader() => return None,
            () = &mut late => return Some(("stage_timeout", limits.failure)),
            () = &mut cancelled => {
                let message = "The run was cancelled while the command ran.";
                return Some(("cancelled", failure(FailureKind::Cancelled, message)));
            }
            () = streams.step() => if let Some(failure) = allowance.exceeded(streams.total()) {
                return Some(("output_byte_limit", failure));
            },
        }
    }
}

async fn cancelled(mut cancel: watch::Receiver<bool>) {
    if cancel.wait_for(|cancelled| *cancelled).await.is_err() {
        // Nobody is left who could cancel.
        future::pending::<()>().await;
    }
}

fn spawn(mut command: Command, around: &Surroundings<'_>) -> io::Result<Group> {
    let Some(isolated) = around.isolated else { return tried(&mut command, around.mark) };
    let (runtime, mark) = (Handle::current(), around.mark.to_owned());
    let start = move || {
        let _inside = runtime.enter();
        tried(&mut command, &mark)
    };
    isolated.run(start).unwrap_or_else(|| Err(io::Error::other("the thread that starts children is gone")))
}

fn tried(command: &mut Command, mark: &str) -> io::Result<Group> {
    let mut tries = 0;
    loop {
        match Group::spawn(command, mark) {
            // A writer's descriptor lives on in any child that is being started elsewhere, until that one executes.
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy && tries < BUSY_TRIES => {
                tries += 1;
                thread::sleep(Duration::from_millis(5));
            }
            other => return other,
        }
    }
}

/// Standard input as a sealed file in memory: there is no writer that could block or be killed by a child that does not
/// read.
fn stdin(bytes: Option<&[u8]>) -> io::Result<Stdio> {
    let Some(bytes) = bytes else { return Ok(Stdio::null()) };
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let mut file = File::from(rustix::fs::memfd_create("stdin", flags)?);
    file.write_all(bytes)?;
    file.seek(SeekFrom::Start(0))?;
    let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    rustix::fs::fcntl_add_seals(&file, seals)?;
    Ok(file.into())
}

/// The name that the kernel executes.
fn executed_as(held: &Held, program: &Path) -> PathBuf {
    let by_descriptor = PathBuf::from(format!("/proc/self/fd/{}", held.file.as_raw_fd()));
    if held.machine && by_descriptor.exists() { by_descriptor } else { program.to_owned() }
}

/// The child's own `argv[0]`: the name as written, made absolute if it has a folder. Never the real path: programs find
/// their surroundings by it (a Python in a virtual environment is a link).
fn shown_as(argv0: &str, project: &Path) -> PathBuf {
    if argv0.contains('/') { project.join(argv0) } else { argv0.into() }
}

fn untouched(held: &Held, program: &Path) -> bool {
    let open = held.file.metadata().map(|meta| Stamp::of(&meta));
    let named = if held.machine { None } else { Some(fs::metadata(program).map(|meta| Stamp::of(&meta))) };
    [Some(open), named].into_iter().flatten().all(|stamp| stamp.is_ok_and(|stamp| stamp == held.stamp))
}

fn no_start(argv0: &str, error: &io::Error) -> Failure {
    let why = match error.kind() {
        // The file itself was read a moment ago.
        io::ErrorKind::NotFound => "the interpreter or loader that it names does not exist".to_owned(),
        _ if error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error()) => {
            "it is neither a program for this machine nor a script that begins with `#!`".to_owned()
        }
        _ => seal::said(error),
    };
    failure(FailureKind::ProgramMissing, format!("`{argv0}` cannot be started: {why}."))
}

fn left(count: u32) -> Failure {
    let (what, it) =
        if count == 1 { ("a process".to_owned(), "it was") } else { (format!("{count} processes"), "they were") };
    failure(FailureKind::GroupLeftover, format!("The command ended and left {what} running; {it} ended."))
}

fn written(time: Duration) -> String {
    let ms = time.as_millis();
    if ms.is_multiple_of(1000) { format!("{} s", ms / 1000) } else { format!("{ms} ms") }
}
