//! The services of a run: started before the first step, watched between steps, ended after the last one, always
//! (docs/decisions/0010-services.md). Each leaves a receipt in the journal before anything else may happen.

mod logs;
mod npm;
mod recorded;
mod start;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use probity_core::checked::CheckedPlan;
use probity_core::ids::Id;
use probity_core::inert::{inert, shortened};
use probity_core::journal::Kind;
use probity_core::journal::service::{DownCause, DownStatus, Holder, LogKept, ServiceDown};
use probity_core::observe::Failure;
use probity_core::service::{Service, needed};
use probity_probes::command::{Sealed, seal};
use probity_probes::service::{self as probe, Ended};
use probity_store::StoreError;

use super::desk::{Desk, Run};
use super::recorder::{Captures, Recorder};
use super::{EngineError, Event};
use crate::project::Project;

pub(super) use logs::{Marks, look, marks};
pub(super) use recorded::{still_run, stop_recorded};
pub(crate) use start::Check;
pub(super) use start::{checks, start};

/// How much of what a service writes is kept, in bytes; all of it is counted.
const KEEP: usize = 4 << 20;

/// The least time from TERM to KILL, also where the time of the run is used up.
const LEAST_GRACE: Duration = Duration::from_millis(500);

/// The services of a run.
#[derive(Default)]
pub(super) struct Services {
    running: Vec<Running>,
    /// Those that ran already and are used: intent and id.
    adopted: Vec<(u64, Id)>,
    /// The first that was lost after it had been ready.
    lost: Option<Id>,
}

/// A service that this run started.
struct Running {
    spec: Service,
    intent: u64,
    handle: probe::Service,
    /// Whether it was ready: one that was let through may go when it likes.
    ready: bool,
}

impl Services {
    /// The service that was lost, after which nothing is sent any more.
    pub(super) const fn lost(&self) -> Option<&Id> {
        self.lost.as_ref()
    }
}

/// Hashes the programs and scripts of the services that a plan needs.
pub(super) fn sealed(project: &Project, checked: &CheckedPlan) -> BTreeMap<Id, Result<Sealed, Failure>> {
    let path = project.path_variable();
    let services = needed(checked.profile(), checked.environment(), checked.plan());
    services
        .into_iter()
        .map(|service| (service.id.clone(), seal(&service.start, &service.cwd, &project.root, &path)))
        .collect()
}

/// The services that a plan needs.
fn needs(checked: &CheckedPlan) -> Vec<Service> {
    needed(checked.profile(), checked.environment(), checked.plan()).into_iter().cloned().collect()
}

/// Notices a service that ended since the last look, and writes its end down. Whoever comes meanwhile waits until it stands
/// there: no step is left for a reason that the journal does not give yet.
pub(super) async fn notice(run: &Run<'_>) -> Result<(), EngineError> {
    let _looking = run.looking.lock().await;
    let first_gone = |desk: &mut Desk| {
        let running = &mut desk.services.running;
        let at = running.iter().position(|running| running.ready && running.handle.gone())?;
        let running = running.remove(at);
        desk.services.lost.get_or_insert(running.spec.id.clone());
        Some(running)
    };
    while let Some(running) = run.at_desk(first_gone) {
        let (id, intent) = (running.spec.id, running.intent);
        let ended = running.handle.stop(Duration::ZERO).await;
        let message = format!("it ended during the run: {}", how(&ended));
        run.tell(Event::Warning(format!("the service {id} ended")));
        run.at_desk(|desk| down(&mut desk.recorder, &id, intent, DownCause::Died, Some(message), ended))?;
    }
    Ok(())
}

/// Ends every service that runs, the last one first, and writes their ends down. All are ended before an error of the
/// journal is given.
pub(super) async fn stop(run: &Run<'_>) -> Result<(), EngineError> {
    let mut first_error = None;
    while let Some(running) = run.at_desk(|desk| desk.services.running.pop()) {
        let deadline = run.at_desk(|desk| desk.budget.deadline(true));
        let left = deadline.saturating_duration_since(Instant::now());
        let grace = Duration::from_millis(running.spec.grace_ms).min(left.max(LEAST_GRACE));
        let (id, intent, ready) = (running.spec.id.clone(), running.intent, running.ready);
        let foreign = ready && !running.handle.gone() && foreign(&running);
        let ended = running.handle.stop(grace).await;
        let (cause, message) = match (ended.by_itself && ready, foreign) {
            (true, _) => (DownCause::Died, Some(format!("it ended during the run: {}", how(&ended)))),
            (false, true) => (DownCause::Foreign, Some("something else listened on its port at the end".to_owned())),
            (false, false) if !ended.clean => {
                (DownCause::End, Some("processes that it started could not be ended".to_owned()))
            }
            (false, false) => (DownCause::End, None),
        };
        let written = run.at_desk(|desk| down(&mut desk.recorder, &id, intent, cause, message, ended));
        first_error = first_error.or(written.err());
    }
    for (intent, id) in run.at_desk(|desk| std::mem::take(&mut desk.services.adopted)) {
        let written = run.at_desk(|desk| bare(&mut desk.recorder, &id, intent, DownCause::End, None));
        first_error = first_error.or(written.err());
    }
    first_error.map_or(Ok(()), |error| Err(error.into()))
}

/// Whether something else listens on a port of a service that runs.
fn foreign(running: &Running) -> bool {
    running.spec.ports().into_iter().any(|port| running.handle.holds(port) == Holder::Other)
}

/// Writes the end of a service down, with what it wrote.
fn down(
    recorder: &mut Recorder,
    id: &Id,
    intent: u64,
    cause: DownCause,
    message: Option<String>,
    ended: Ended,
) -> Result<(), StoreError> {
    let status = match (&ended, ended.clean) {
        (_, false) => DownStatus::Failed,
        (Ended { by_itself: true, .. }, _) => DownStatus::AlreadyStopped,
        (Ended { kill_sent: true, .. }, _) => DownStatus::Killed,
        _ => DownStatus::Stopped,
    };
    let mut captures = Captures::default();
    recorder.redactor.study_output(&ended.log.bytes);
    let cut = !ended.log.complete || ended.log.whole.is_some();
    let (bytes, redactions) = recorder.redactor.hide(ended.log.bytes, cut);
    let kept = captures.add("log", "text/plain", bytes, redactions);
    captures.write(recorder, intent, true)?;
    let log = LogKept {
        sha256: kept.sha256,
        bytes: kept.bytes,
        total: ended.log.total,
        whole: ended.log.whole,
        complete: ended.log.complete,
    };
    let entry = ServiceDown {
        intent,
        service: id.clone(),
        cause,
        status,
        message: message.map(|message| recorder.redactor.text(&message)),
        exit: ended.exit,
        signal: ended.signal,
        term_sent: ended.term_sent,
        kill_sent: ended.kill_sent,
        left_over: u64::from(ended.left_over),
        log: Some(log),
    };
    recorder.write(Kind::ServiceDown, &entry)?;
    Ok(())
}

/// Writes the end of a service down of which nothing was started.
fn bare(
    recorder: &mut Recorder,
    id: &Id,
    intent: u64,
    cause: DownCause,
    message: Option<String>,
) -> Result<(), StoreError> {
    let message = message.map(|message| recorder.redactor.text(&message));
    let entry = ServiceDown { message, ..ServiceDown::skipped(intent, id, cause) };
    recorder.write(Kind::ServiceDown, &entry)?;
    Ok(())
}

/// How a service ended, with its last lines.
fn how(ended: &Ended) -> String {
    let end = match (ended.exit, ended.signal) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "how is not known".to_owned(),
    };
    format!("{end}; {}", last_lines(&ended.log.tail))
}

/// How many of its last lines a message shows, and how much of each.
const LINES: usize = 4;
const LINE: usize = 160;

/// The last lines of a log, drawn so that they can do nothing.
fn last_lines(tail: &[u8]) -> String {
    let text = String::from_utf8_lossy(tail);
    let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.trim().is_empty()).collect();
    let last: Vec<String> = lines[lines.len().saturating_sub(LINES)..]
        .iter()
        .map(|line| format!("\"{}\"", inert(&shortened(line, LINE))))
        .collect();
    if last.is_empty() { "it wrote nothing".to_owned() } else { format!("its last lines: {}", last.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_shown_and_do_nothing() {
        assert_eq!(last_lines(b""), "it wrote nothing");
        assert_eq!(last_lines(b"\n \n"), "it wrote nothing");
        assert_eq!(last_lines(b"a\nb\nc\nd\ne\n\x1b[31mred\n"), r#"its last lines: "c", "d", "e", "\x1b[31mred""#);
        let long = last_lines("x".repeat(5000).as_bytes());
        assert!(long.len() < 300, "{long}");
    }
}
