//! Looking into what a service wrote since the case began.

use std::time::{Duration, Instant};

use probity_core::journal::observation::{Blob, LogObserved, Observation};
use probity_core::observe::{Failure, FailureKind, LogCall};
use probity_core::plan::{Action, Step};
use probity_core::step::StepStatus;

use crate::engine::EngineError;
use crate::engine::act::{Acted, ended_early};
use crate::engine::open::Run;
use crate::engine::recorder::Captures;
use crate::engine::sight::{Onlooker, Sight};

/// Notes how much each service has written as a case begins, where the case has steps that look.
pub(in crate::engine) async fn begin_case(run: &mut Run<'_>, steps: &[Step]) {
    run.services.marks.clear();
    if steps.iter().any(|step| matches!(step.action, Action::Log(_))) {
        for running in &run.services.running {
            let written = running.handle.written().await;
            run.services.marks.insert(running.spec.id.clone(), written);
        }
    }
}

/// Looks into a log; a step that polls looks again until its checks hold.
pub(in crate::engine) async fn look(
    run: &mut Run<'_>,
    by: &Onlooker<'_, '_>,
    log: &LogCall,
    intent: u64,
) -> Result<Acted, EngineError> {
    let step = by.step;
    let poll = match &step.action {
        Action::Log(log) => log.poll,
        Action::Http(_) | Action::Command(_) => None,
    };
    let begun = Instant::now();
    let until = poll.map(|poll| begun + Duration::from_millis(poll.for_ms));
    let deadline = run.budget.deadline(step.always_run);
    let mut tries = 0;
    loop {
        tries += 1;
        let mut captures = Captures::default();
        let (mut seen, bytes) = once(run, log).await;
        (seen.tries, seen.total_us) = (tries, u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX));
        let mut sight = Sight::of_log(seen, bytes, by, &mut run.recorder.redactor, &mut captures);
        let mut judged = sight.judged(by, &captures, &run.recorder.redactor);
        let pause = poll.map_or(Duration::ZERO, |poll| Duration::from_millis(poll.every_ms));
        let done = judged.0.status == StepStatus::Passed
            || sight.kept.failure().is_some()
            || poll.is_none_or(|poll| tries >= u64::from(poll.tries))
            || until.is_none_or(|until| Instant::now() + pause >= until);
        let stopped =
            if done { None } else { ended_early(run, step, 0, Instant::now() + pause >= deadline, pause).await };
        if !done && stopped.is_none() {
            continue;
        }
        if let Some(failure) = stopped {
            sight.end_early(failure);
            judged = sight.judged(by, &captures, &run.recorder.redactor);
        }
        let output = match &sight.kept {
            Observation::Log(seen) => seen.kept.bytes,
            Observation::Http(_) | Observation::Command(_) => 0,
        };
        captures.write(&mut run.recorder, intent, true)?;
        return Ok(Acted::of(sight, judged, 1, output));
    }
}

/// What there is to see, and its bytes.
async fn once(run: &Run<'_>, log: &LogCall) -> (LogObserved, Vec<u8>) {
    let of = |from, to, complete, failure| LogObserved {
        from,
        to,
        kept: Blob::of(&[]),
        complete,
        tries: 0,
        total_us: 0,
        failure,
    };
    let Some(running) = run.services.running.iter().find(|running| running.spec.id == log.service) else {
        let message = format!("the run did not start {}, so it has no output of it", log.service);
        return (of(0, 0, false, Some(Failure { kind: FailureKind::LogUnavailable, message })), Vec::new());
    };
    let from = run.services.marks.get(&log.service).copied().unwrap_or(0);
    let window = running.handle.window(from).await;
    (of(from, window.to, window.complete, None), window.bytes)
}
