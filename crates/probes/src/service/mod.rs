//! Services: programs that run beside the steps, from before the first to after the last.
//!
//! A service is started like a command, by the bytes that were sealed, in a process group of its own; both its streams go
//! through one pipe, so that its log stands in the order in which it was written. A task reads that pipe and waits for the
//! end. What leaves the group is found by a mark in its environment, as for commands.
//!
//! There is no parent-death signal (docs/decisions/0005): if this process is killed outright, a service goes on until it
//! next writes, or for good. Its receipt in the journal says which process it is, and [`stop_recorded`] ends that one and
//! no other.
//!
//! Linux only.

mod family;
mod identity;
mod log;
mod port;
mod ready;
mod recorded;

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use probity_core::journal::service::{Holder, Process};
use probity_core::observe::{CommandCall, Failure, FailureKind};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions};
use tokio::net::unix::pipe;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::command::attend::group_of;
use crate::command::group::Group;
use crate::command::streams::Drain;
use crate::command::{Sealed, Surroundings};

pub use log::{Kept, Window};
pub use port::answers;
pub use ready::look;
pub use recorded::{Recorded, runs, stop_recorded};

/// How long output and helpers of a service that ended may take to end as well.
const SETTLE: Duration = Duration::from_millis(250);

/// A service that was started. Dropping it kills it.
#[derive(Debug)]
pub struct Service {
    leader: Pid,
    mark: String,
    /// Stays readable when the number belongs to somebody else.
    pidfd: Option<OwnedFd>,
    log: Arc<Mutex<log::Log>>,
    waiting: Arc<OwnedFd>,
    order: Option<oneshot::Sender<Duration>>,
    task: JoinHandle<Ended>,
    _listed: Listed,
}

/// How a service ended.
#[derive(Debug, Default)]
pub struct Ended {
    /// Whether it ended before it was told to.
    pub by_itself: bool,
    /// Exit code of its leader.
    pub exit: Option<i32>,
    /// Signal that ended the leader.
    pub signal: Option<i32>,
    /// Whether TERM was sent.
    pub term_sent: bool,
    /// Whether KILL was sent.
    pub kill_sent: bool,
    /// Processes that left the group and were ended.
    pub left_over: u32,
    /// Whether nothing of it is left.
    pub clean: bool,
    /// What it wrote.
    pub log: Kept,
}

/// Starts a service. At most `keep` bytes of what it writes are kept, all are counted. To be called in a Tokio runtime with
/// I/O and time.
///
/// # Errors
/// As a command: the program is missing or changed, a credential is not set.
pub fn start(call: &CommandCall, sealed: &Sealed, around: &Surroundings<'_>, keep: usize) -> Result<Service, Failure> {
    let refused = |error: &io::Error| {
        let message = format!("The service cannot be started: {error}.");
        Failure { kind: FailureKind::ProgramMissing, message }
    };
    let piped = || {
        let (reader, writer) = io::pipe()?;
        Ok((OwnedFd::from(reader), writer.try_clone()?, writer))
    };
    let (reader, out, err) = piped().map_err(|error| refused(&error))?;
    let group = group_of(call, sealed, around, Stdio::from(out), Stdio::from(err))?;
    let leader = group.id();
    let listed = Listed::add(leader);
    let waiting = Arc::new(reader.try_clone().map_err(|error| refused(&error))?);
    let pipe = pipe::Receiver::from_owned_fd(reader).map_err(|error| refused(&error))?;
    let log = Arc::new(Mutex::new(log::Log::new(keep)));
    let (order, ordered) = oneshot::channel();
    let tap = log::Tap::new(pipe, Arc::clone(&log));
    let task = tokio::spawn(attend(group, tap, ordered));
    let pidfd = rustix::process::pidfd_open(leader, PidfdFlags::empty()).ok();
    Ok(Service { leader, mark: around.mark.to_owned(), pidfd, log, waiting, order: Some(order), task, _listed: listed })
}

/// Reads what a service has written.
#[derive(Clone, Debug)]
pub struct Reader {
    log: Arc<Mutex<log::Log>>,
    waiting: Arc<OwnedFd>,
}

impl Reader {
    /// How many bytes were written, once what is under way was read.
    pub async fn written(&self) -> u64 {
        self.drained().await;
        self.lock().total()
    }

    /// What was written from a place on, once what is under way was read.
    pub async fn window(&self, from: u64) -> Window {
        self.drained().await;
        self.lock().window(from)
    }

    fn lock(&self) -> MutexGuard<'_, log::Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nothing stands in the pipe, or for a second: a flood is never read to its end.
    async fn drained(&self) {
        let until = Instant::now() + Duration::from_secs(1);
        while rustix::io::ioctl_fionread(&*self.waiting).is_ok_and(|bytes| bytes > 0) && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        // What was taken from the pipe a moment ago is on its way into the log.
        tokio::task::yield_now().await;
    }
}

impl Service {
    /// Which process it is, as the system shows it now.
    #[must_use]
    pub fn process(&self) -> Process {
        identity::of_started(self.leader)
    }

    /// Whether its leader has ended.
    #[must_use]
    pub fn gone(&self) -> bool {
        if self.task.is_finished() {
            return true;
        }
        let Some(pidfd) = &self.pidfd else { return false };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match rustix::process::waitid(WaitId::PidFd(pidfd.as_fd()), options) {
            Ok(Some(_)) | Err(Errno::CHILD) => true,
            Ok(None) | Err(_) => false,
        }
    }

    /// Who holds a port of this machine, as seen from this service.
    #[must_use]
    pub fn holds(&self, port: u16) -> Holder {
        port::holder(port, &family::of(self.leader, &self.mark))
    }

    /// What reads its log, also while something else is done with the service.
    #[must_use]
    pub fn reader(&self) -> Reader {
        Reader { log: Arc::clone(&self.log), waiting: Arc::clone(&self.waiting) }
    }

    /// The last bytes that it wrote.
    #[must_use]
    pub fn tail(&self) -> Vec<u8> {
        self.lock().tail()
    }

    /// Ends it: TERM to its group, KILL after `grace`. When this returns, nothing of it runs any more, or the answer says
    /// that something does.
    pub async fn stop(mut self, grace: Duration) -> Ended {
        // One that ended already is told nothing: its task is about to see that it ended by itself.
        if !self.gone()
            && let Some(order) = self.order.take()
        {
            let _ = order.send(grace);
        }
        (&mut self.task).await.unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, log::Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // The task holds the group, and dropping that kills it.
        self.task.abort();
    }
}

/// Reads what a service writes, and waits for its end or the order to end it.
async fn attend(mut group: Group, mut tap: log::Tap, mut order: oneshot::Receiver<Duration>) -> Ended {
    let mut grace = Duration::from_secs(2);
    let by_itself = loop {
        tokio::select! {
            biased;
            () = group.leader() => break true,
            told = &mut order => {
                // Nobody is left who could want it to go on.
                grace = told.unwrap_or(Duration::ZERO);
                break false;
            }
            () = tap.step() => {}
        }
    };
    if !by_itself {
        group.end(&mut tap, grace).await;
    }
    let mut left_over = 0;
    if !group.settle(&mut tap, SETTLE).await {
        if group.alive() {
            left_over += group.members();
            group.end(&mut tap, grace).await;
        }
        left_over += group.end_escaped(&mut tap, grace).await;
        group.settle(&mut tap, SETTLE).await;
    }
    let clean = !group.alive() && group.escaped().is_empty();
    let status = group.status();
    let ended = Ended {
        by_itself,
        exit: status.and_then(|status| status.code()),
        signal: status.and_then(|status| status.signal()),
        term_sent: group.term_sent,
        kill_sent: group.kill_sent,
        left_over,
        clean,
        log: tap.finish(),
    };
    group.release();
    ended
}

static RUNNING: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

/// The group of a service that runs, for [`kill_all`].
#[derive(Debug)]
struct Listed(Pid);

impl Listed {
    fn add(leader: Pid) -> Self {
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).push(leader);
        Self(leader)
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).retain(|leader| *leader != self.0);
    }
}

/// Kills the groups of all services that this process started and has not ended yet: for a process that is about to leave
/// without waiting for anything. They are its own children, so their numbers are theirs.
pub fn kill_all() {
    for leader in RUNNING.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        let _ = rustix::process::kill_process_group(*leader, Signal::KILL);
    }
}
