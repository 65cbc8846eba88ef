//! Looking into what a service wrote since the case began.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use probity_core::ids::Id;
use probity_core::journal::observation::{Blob, LogObserved, Observation};
use probity_core::journal::witnessed::Witnessed;
use probity_core::observe::{Failure, FailureKind, LogCall};
use probity_core::plan::{Action, Scenario, Step};
use probity_core::step::{Judgement, StepStatus};
use probity_core::walk::is_alone;

use crate::engine::EngineError;
use crate::engine::act::{Acted, ended_early};
use crate::engine::desk::{Desk, Run};
use crate::engine::recorder::Captures;
use crate::engine::sight::{Onlooker, Sight};

/// How much each service had written when a case began.
pub(in crate::engine) type Marks = BTreeMap<Id, u64>;

/// Notes how much each service has written as a case begins, where the case has steps that look. Nothing else is under way
/// then, nor until it ends, so that what is written from here on is what the case made it write.
pub(in crate::engine) async fn marks(run: &Run<'_>, case: &Scenario) -> Marks {
    let mut marks = Marks::new();
    if is_alone(case) {
        let running = |desk: &mut Desk| {
            let running = desk.services.running.iter();
            running.map(|running| (running.spec.id.clone(), running.handle.reader())).collect::<Vec<_>>()
        };
        for (id, reader) in run.at_desk(running) {
            marks.insert(id, reader.written().await);
        }
    }
    marks
}

/// Looks into a log; a step that polls looks again until its checks hold.
pub(in crate::engine) async fn look(
    run: &Run<'_>,
    by: &Onlooker<'_, '_>,
    log: &LogCall,
    marks: &Marks,
    intent: u64,
) -> Result<Acted, EngineError> {
    let step = by.step;
    let poll = match &step.action {
        Action::Log(log) => log.poll,
        Action::Http(_) | Action::Command(_) => None,
    };
    let begun = Instant::now();
    let until = poll.map(|poll| begun + Duration::from_millis(poll.for_ms));
    let deadline = run.at_desk(|desk| desk.budget.deadline(step.always_run));
    let mut tries = 0;
    loop {
        tries += 1;
        let (mut seen, bytes) = once(run, log, marks, step).await;
        (seen.tries, seen.total_us) = (tries, u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX));
        let mut look = run.at_desk(|desk| Look::of(desk, by, seen, bytes));
        let pause = poll.map_or(Duration::ZERO, |poll| Duration::from_millis(poll.every_ms));
        let done = look.judged.0.status == StepStatus::Passed
            || look.sight.kept.failure().is_some()
            || poll.is_none_or(|poll| tries >= u64::from(poll.tries))
            || until.is_none_or(|until| Instant::now() + pause >= until);
        let stopped =
            if done { None } else { ended_early(run, step, false, Instant::now() + pause >= deadline, pause).await };
        if !done && stopped.is_none() {
            continue;
        }
        return run.at_desk(|desk| {
            if let Some(failure) = stopped {
                look.sight.end_early(failure);
                look.judged = look.sight.judged(by, &look.captures, &desk.recorder.redactor);
            }
            let output = match &look.sight.kept {
                Observation::Log(seen) => seen.kept.bytes,
                Observation::Http(_) | Observation::Command(_) => 0,
            };
            desk.budget.meter(step.always_run).at(output);
            look.captures.write(&mut desk.recorder, intent, true)?;
            Ok(Acted::of(look.sight, look.judged, 1, output))
        });
    }
}

/// What one look came to. Nothing of it is written before the last: no other case is under way that could learn a secret
/// meanwhile.
struct Look {
    captures: Captures,
    sight: Sight,
    judged: (Judgement, Witnessed),
}

impl Look {
    fn of(desk: &mut Desk, by: &Onlooker<'_, '_>, seen: LogObserved, bytes: Vec<u8>) -> Self {
        let mut captures = Captures::default();
        let sight = Sight::of_log(seen, bytes, by, &mut desk.recorder.redactor, &mut captures);
        let judged = sight.judged(by, &captures, &desk.recorder.redactor);
        Self { captures, sight, judged }
    }
}

/// What there is to see, and its bytes: no more of them than the run has output left.
async fn once(run: &Run<'_>, log: &LogCall, marks: &Marks, step: &Step) -> (LogObserved, Vec<u8>) {
    let of = |from, to, complete, failure| LogObserved {
        from,
        to,
        kept: Blob::of(&[]),
        complete,
        tries: 0,
        total_us: 0,
        failure,
    };
    let reader = run.at_desk(|desk| {
        let running = desk.services.running.iter().find(|running| running.spec.id == log.service);
        running.map(|running| running.handle.reader())
    });
    let Some(reader) = reader else {
        let message = format!("the run did not start {}, so it has no output of it", log.service);
        return (of(0, 0, false, Some(Failure { kind: FailureKind::LogUnavailable, message })), Vec::new());
    };
    let from = marks.get(&log.service).copied().unwrap_or(0);
    let mut window = reader.window(from).await;
    let left = run.at_desk(|desk| desk.budget.output_left(step.always_run));
    let left = usize::try_from(left).unwrap_or(usize::MAX);
    if window.bytes.len() > left {
        window.bytes.truncate(left);
        (window.to, window.complete) = (from.saturating_add(left as u64), false);
    }
    (of(from, window.to, window.complete, None), window.bytes)
}
