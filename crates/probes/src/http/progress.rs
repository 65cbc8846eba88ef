//! How far a call has come. It outlives the call's future, so that a timeout or a cancellation can say what was
//! going on and keep what came.

use probity_core::environment::Origin;
use probity_core::observe::{Failure, FailureKind, Hop};
use tokio::time::Instant;

use crate::net::failed;

/// What a call is busy with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Looking up the name.
    Lookup,
    /// Connecting.
    Connect,
    /// Waiting for a proxy's tunnel.
    Tunnel,
    /// The TLS handshake.
    Handshake,
    /// From sending the request to the end of the answer's head.
    Head,
    /// Reading the body.
    Body,
}

/// The state of a call.
pub(super) struct Progress {
    pub(super) hops: Vec<Hop>,
    /// The answer whose body is being read.
    pub(super) open: Option<Hop>,
    pub(super) until: Instant,
    phase: Phase,
    target: String,
}

impl Progress {
    /// A call that has not begun and must end at `until`.
    pub(super) fn new(until: Instant) -> Self {
        Self { hops: Vec::with_capacity(1), open: None, until, phase: Phase::Lookup, target: String::new() }
    }

    /// Says what is going on now.
    pub(super) fn enter(&mut self, phase: Phase, origin: &Origin) {
        self.phase = phase;
        self.target.clear();
        self.target.push_str(&origin.host);
        self.target.push(':');
        self.target.push_str(&origin.port.to_string());
    }

    /// Says that the head has come.
    pub(super) fn reading(&mut self, hop: Hop) {
        self.phase = Phase::Body;
        self.open = Some(hop);
    }

    /// What went on when the call was stopped.
    fn doing(&self) -> String {
        let target = &self.target;
        match self.phase {
            Phase::Lookup => format!("looking up {target}"),
            Phase::Connect => format!("connecting to {target}"),
            Phase::Tunnel => format!("waiting for a tunnel through the proxy {target}"),
            Phase::Handshake => format!("shaking hands (TLS) with {target}"),
            Phase::Head => format!("waiting for the head of the answer from {target}"),
            Phase::Body => {
                let bytes = self.open.as_ref().map_or(0, |hop| hop.wire.len());
                format!("reading the body of the answer from {target}, after {bytes} bytes")
            }
        }
    }

    /// The failure of a call that ran out of its own time.
    pub(super) fn late(&self, limit_ms: u64) -> Failure {
        let kind = match self.phase {
            Phase::Lookup | Phase::Connect | Phase::Tunnel => FailureKind::TargetUnreachable,
            Phase::Handshake => FailureKind::TlsFailed,
            Phase::Head | Phase::Body => FailureKind::AnswerIncomplete,
        };
        failed(kind, format!("timed out after {limit_ms} ms while {}", self.doing()))
    }

    /// The failure of a call whose run ran out of time.
    pub(super) fn out_of_budget(&self) -> Failure {
        let message = format!("the run's time was used up while {}", self.doing());
        failed(FailureKind::BudgetExceeded, message)
    }

    /// The failure of a call that was cancelled.
    pub(super) fn cancelled(&self) -> Failure {
        failed(FailureKind::Cancelled, format!("cancelled while {}", self.doing()))
    }

    /// All answers, the one that was being read included.
    pub(super) fn into_hops(mut self) -> Vec<Hop> {
        self.hops.extend(self.open.take());
        self.hops
    }
}
