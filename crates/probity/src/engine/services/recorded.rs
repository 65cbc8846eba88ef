//! The services of a run whose process was lost: what its receipts name is ended, and only that.

use std::time::Duration;

use probity_core::journal::Kind;
use probity_core::journal::service::{DownCause, DownStatus, ServiceDown, UpState};
use probity_core::recorded::{Recorded, ServiceRecord};
use probity_core::service::{GRACE_MS, Service};
use probity_probes::service as probe;

use crate::engine::EngineError;
use crate::engine::recorder::Recorder;

/// Whether every service that the run had ready is still the process of its receipt. Where one is not, what answers on its
/// port is not what the run started, and no cleanup is sent.
pub(in crate::engine) fn still_run(recorded: &Recorded) -> bool {
    open(recorded).all(|record| record.started.is_none() || record.process().is_some_and(probe::runs))
}

fn open(recorded: &Recorded) -> impl Iterator<Item = &ServiceRecord> {
    recorded.services().iter().filter(|record| record.down.is_none())
}

/// Ends what the receipts name, the last one first, and writes that down. `ours` says whether the run list beside the folder
/// saw this run open: a folder from elsewhere has nothing ended here.
pub(in crate::engine) fn stop_recorded(
    recorder: &mut Recorder,
    recorded: &Recorded,
    needed: &[Service],
    ours: bool,
) -> Result<(), EngineError> {
    let records: Vec<&ServiceRecord> = open(recorded).collect();
    for record in records.into_iter().rev() {
        let id = &record.intent.service;
        let grace = needed.iter().find(|service| service.id == *id).map_or(GRACE_MS, |service| service.grace_ms);
        let adopted = record.state() == Some(UpState::Adopted);
        let mut down = ServiceDown::skipped(record.seq, id, DownCause::Resumed);
        if !adopted && ours {
            let end = probe::stop_recorded(record.process(), &record.intent.mark, Duration::from_millis(grace));
            down = ServiceDown {
                status: end.status,
                message: end.message,
                term_sent: end.term_sent,
                kill_sent: end.kill_sent,
                left_over: u64::from(end.left_over),
                ..down
            };
        } else if !adopted {
            down.status = DownStatus::BlockedBySafety;
            down.message =
                Some("the run list beside this folder did not see the run open; nothing was ended".to_owned());
        }
        recorder.write(Kind::ServiceDown, &down)?;
    }
    Ok(())
}
