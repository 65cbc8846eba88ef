//! Looking into what a service wrote since the case began.

use std::time::{Duration, Instant};

use probity_core::invoke::Call;
use probity_core::journal::observation::{Blob, LogObserved, Observation};
use probity_core::observe::{Failure, FailureKind, LogCall};
use probity_core::plan::{Action, Step};
use probity_core::step::StepStatus;
use probity_core::walk::CaseWalk;

use crate::engine::EngineError;
use crate::engine::act::{Acted, ended_early};
use crate::engine::open::Run;
use crate::engine::recorder::Captures;

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
    walk: &CaseWalk<'_>,
    step: &Step,
    call: &Call,
    log: &LogCall,
    intent: u64,
) -> Result<Acted, EngineError> {
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
        let mut seen = once(run, log, &mut captures).await;
        (seen.tries, seen.total_us) = (tries, u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX));
        let observation = Observation::Log(seen);
        let judgement = walk.judge(step, call, &observation, &captures);
        let pause = poll.map_or(Duration::ZERO, |poll| Duration::from_millis(poll.every_ms));
        let done = judgement.status == StepStatus::Passed
            || observation.failure().is_some()
            || poll.is_none_or(|poll| tries >= u64::from(poll.tries))
            || until.is_none_or(|until| Instant::now() + pause >= until);
        let stopped =
            if done { None } else { ended_early(run, step, 0, Instant::now() + pause >= deadline, pause).await };
        if !done && stopped.is_none() {
            continue;
        }
        let mut acted = Acted { observation, judgement, probes: 1, output: 0 };
        if let (Some(failure), Observation::Log(seen)) = (stopped, &mut acted.observation) {
            seen.failure = Some(failure);
            acted.judgement = walk.judge(step, call, &acted.observation, &captures);
        }
        if let Observation::Log(seen) = &acted.observation {
            acted.output = seen.kept.bytes;
        }
        captures.write(&mut run.recorder, intent, true)?;
        return Ok(acted);
    }
}

async fn once(run: &Run<'_>, log: &LogCall, captures: &mut Captures) -> LogObserved {
    let nothing = |captures: &mut Captures, message: &str| LogObserved {
        from: 0,
        to: 0,
        kept: captures.add("log", "text/plain", Vec::new(), 0),
        complete: false,
        tries: 0,
        total_us: 0,
        failure: Some(Failure { kind: FailureKind::LogUnavailable, message: message.to_owned() }),
    };
    let Some(running) = run.services.running.iter().find(|running| running.spec.id == log.service) else {
        let why = format!("the run did not start {}, so it has no output of it", log.service);
        return nothing(captures, &why);
    };
    let from = run.services.marks.get(&log.service).copied().unwrap_or(0);
    let window = running.handle.window(from).await;
    let (bytes, redactions) = run.recorder.redactor.apply(window.bytes);
    let kept: Blob = captures.add("log", "text/plain", bytes, redactions);
    LogObserved { from, to: window.to, kept, complete: window.complete, tries: 0, total_us: 0, failure: None }
}
