//! Time as the journal wants it: wall-clock times that never go back, and microseconds of a steady clock.

use std::time::Instant;

/// The clock of one generation of a run.
pub(super) struct Clock {
    started: Instant,
    last: String,
}

impl Clock {
    /// Begins; `after` is the last time that the journal holds, if it goes on.
    pub(super) fn begin(after: Option<&str>) -> Self {
        Self { started: Instant::now(), last: after.unwrap_or_default().to_owned() }
    }

    /// The time now, or the last one where the wall clock went back.
    pub(super) fn at(&mut self) -> String {
        let now = now();
        if now > self.last {
            self.last.clone_from(&now);
        }
        self.last.clone()
    }

    /// The time that was given last.
    pub(super) fn last(&self) -> &str {
        &self.last
    }

    /// Microseconds since this generation began.
    pub(super) fn mono(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

/// The time now: `2026-11-30T14:24:02.123Z`.
pub(crate) fn now() -> String {
    let now = jiff::Timestamp::now();
    now.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

/// The time now as run ids begin: `20261130T142402Z`.
pub(super) fn stamp() -> String {
    jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string()
}
