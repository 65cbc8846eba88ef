//! One child and everything that comes from it: signals, waiting, and the promise that nothing is left.

use std::io;
use std::process::ExitStatus;
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions};
use tokio::process::{Child, Command};

use super::kin::{self, Kin};
use super::streams::{Drain, Streams};

/// How long killed processes may take to be gone; longer only in the kernel's own waits, which nobody can end.
const KILLED_WITHIN: Duration = Duration::from_secs(5);

/// Pauses between looks at processes that give no notice of their end.
const PAUSE: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));

/// A child that leads a process group.
pub(crate) struct Group {
    child: Child,
    id: Pid,
    mark: String,
    before: Vec<Pid>,
    ended: bool,
    status: Option<ExitStatus>,
    pub(crate) term_sent: bool,
    pub(crate) kill_sent: bool,
    released: bool,
    _kin: Kin,
}

impl Group {
    pub(crate) fn spawn(command: &mut Command, mark: &str) -> io::Result<Self> {
        let before = kin::strangers();
        let (child, kin) = kin::start(|| command.process_group(0).spawn(), Child::id)?;
        let id = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        let id = id.ok_or_else(|| io::Error::other("it has no process id"))?;
        Ok(Self {
            child,
            id,
            mark: mark.to_owned(),
            before,
            ended: false,
            status: None,
            term_sent: false,
            kill_sent: false,
            released: false,
            _kin: kin,
        })
    }

    /// The id of the leader, and of the group.
    pub(crate) const fn id(&self) -> Pid {
        self.id
    }

    /// Takes the child's ends of its output.
    pub(crate) fn streams(&mut self, keep: u64) -> Streams {
        Streams::new(self.child.stdout.take(), self.child.stderr.take(), keep)
    }

    /// Waits for the leader. May be cancelled at any time.
    pub(crate) async fn leader(&mut self) {
        if !self.ended {
            // An error means that somebody else reaped it: it is gone, and nothing is known of how.
            self.status = self.child.wait().await.ok();
            self.ended = true;
        }
    }

    /// How the leader ended; `None` while it runs, or if its end was not seen.
    pub(crate) fn status(&self) -> Option<ExitStatus> {
        self.status
    }

    /// Whether the leader or anything in its group is there.
    pub(crate) fn alive(&self) -> bool {
        if !self.ended {
            return true;
        }
        // Members whose parents ended are our children now and stay in the group until they are reaped.
        while let Ok(Some(_)) = rustix::process::waitpgid(self.id, WaitOptions::NOHANG) {}
        !matches!(rustix::process::test_kill_process_group(self.id), Err(Errno::SRCH))
    }

    /// Running processes of the group; dear, for records of what was left over.
    pub(crate) fn members(&self) -> u32 {
        kin::members(self.id)
    }

    /// Processes that left the group and still run.
    pub(crate) fn escaped(&self) -> Vec<Pid> {
        kin::escaped(&self.mark, &self.before)
    }

    /// Ends the group: TERM, then KILL after `grace`. Output is read meanwhile, so that a writer can react.
    pub(crate) async fn end(&mut self, streams: &mut impl Drain, grace: Duration) {
        self.term_sent = true;
        self.signal(Signal::TERM);
        // A stopped process takes its TERM only when it goes on.
        self.signal(Signal::CONT);
        if !self.gone_within(streams, grace).await {
            self.kill_sent = true;
            self.signal(Signal::KILL);
            self.gone_within(streams, KILLED_WITHIN).await;
        }
    }

    async fn gone_within(&mut self, streams: &mut impl Drain, time: Duration) -> bool {
        let until = Instant::now() + time;
        let mut pause = PAUSE.0;
        let mut look = Instant::now();
        while self.alive() {
            if Instant::now() >= until {
                return false;
            }
            look += pause;
            pause = (pause * 2).min(PAUSE.1);
            let running = !self.ended;
            self.wait_until(streams, look.min(until), running).await;
        }
        true
    }

    /// Reads output until `time`, or until the leader ends if that is awaited.
    async fn wait_until(&mut self, streams: &mut impl Drain, time: Instant, leader: bool) {
        let sleep = tokio::time::sleep_until(time.into());
        tokio::pin!(sleep);
        loop {
            tokio::select! {
                () = &mut sleep => return,
                () = self.leader(), if leader => return,
                () = streams.step() => {}
            }
        }
    }

    /// Gives what is on its way out the time to go: waits until both streams ended and nothing is left, or `time` is over.
    pub(crate) async fn settle(&mut self, streams: &mut impl Drain, time: Duration) -> bool {
        let until = Instant::now() + time;
        let mut pause = PAUSE.0;
        loop {
            if streams.ended() && !self.alive() && self.escaped().is_empty() {
                return true;
            }
            let now = Instant::now();
            if now >= until {
                return false;
            }
            let look = tokio::time::sleep_until((now + pause).min(until).into());
            tokio::pin!(look);
            loop {
                tokio::select! {
                    biased;
                    // A flood from a process that got away must not keep us here.
                    () = streams.step() => if streams.ended() || Instant::now() >= until { break },
                    () = &mut look => break,
                }
            }
            pause = (pause * 2).min(PAUSE.1);
        }
    }

    /// Ends processes that left the group and gives how many there were.
    pub(crate) async fn end_escaped(&mut self, streams: &mut impl Drain, grace: Duration) -> u32 {
        let mut seen: Vec<Pid> = Vec::new();
        let begun = Instant::now();
        let mut pause = PAUSE.0;
        loop {
            let escaped = self.escaped();
            if escaped.is_empty() || begun.elapsed() > grace + KILLED_WITHIN {
                return u32::try_from(seen.len()).unwrap_or(u32::MAX);
            }
            let late = begun.elapsed() >= grace;
            for pid in escaped {
                let new = !seen.contains(&pid);
                if new {
                    seen.push(pid);
                }
                if late {
                    self.kill_sent = true;
                    let _ = rustix::process::kill_process(pid, Signal::KILL);
                } else if new {
                    self.term_sent = true;
                    let _ = rustix::process::kill_process(pid, Signal::TERM);
                    let _ = rustix::process::kill_process(pid, Signal::CONT);
                }
            }
            self.wait_until(streams, Instant::now() + pause, false).await;
            pause = (pause * 2).min(PAUSE.1);
        }
    }

    /// Says that nothing is left to end.
    pub(crate) fn release(mut self) {
        self.released = true;
    }

    fn signal(&self, signal: Signal) {
        let _ = rustix::process::kill_process_group(self.id, signal);
    }
}

impl Drop for Group {
    /// Nobody waits any more, so there is no grace.
    fn drop(&mut self) {
        if self.released {
            return;
        }
        let until = Instant::now() + Duration::from_secs(1);
        loop {
            if !self.ended {
                self.signal(Signal::KILL);
                self.ended = !matches!(self.child.try_wait(), Ok(None));
            } else if self.alive() {
                self.signal(Signal::KILL);
            } else {
                let escaped = self.escaped();
                if escaped.is_empty() {
                    return;
                }
                for pid in escaped {
                    let _ = rustix::process::kill_process(pid, Signal::KILL);
                }
            }
            if Instant::now() >= until {
                return;
            }
            thread::sleep(PAUSE.0);
        }
    }
}
