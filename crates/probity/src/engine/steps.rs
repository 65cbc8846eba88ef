//! The steps of a case: whether one may begin, its intent, its action, its commit.

use std::sync::Arc;

use probity_core::codes::Code;
use probity_core::invoke::{Call, idempotency_key};
use probity_core::journal::Kind;
use probity_core::journal::body::{ActionCommit, ActionIntent};
use probity_core::journal::observation::Observation;
use probity_core::journal::witnessed::Witnessed;
use probity_core::json::Json;
use probity_core::judged::drawn_action;
use probity_core::observe::{Failure, FailureKind};
use probity_core::plan::{Scenario, Step};
use probity_core::step::{Judgement, of_failure};
use probity_core::walk::{Next, gone, skipped, without_service};
use probity_store::StoreError;

use super::cases::{self, Case};
use super::desk::{Desk, Run};
use super::{EngineError, Event, act, preflight, services};

/// Goes through the plan, unless the plan check or the target forbids the first step.
pub(super) async fn all(run: &Run<'_>) -> Result<(), EngineError> {
    run.tell(Event::Opened(drawn_environment(run)));
    if !run.checked.is_runnable(&run.opened.options.allow) {
        run.tell(Event::Blocked("the plan check found errors".to_owned()));
        return Ok(());
    }
    let outcome = with_services(run).await;
    // Whatever happened, what was started is ended.
    let ended = services::stop(run).await;
    outcome.and(ended)
}

/// What happens while the services of the run are there.
async fn with_services(run: &Run<'_>) -> Result<(), EngineError> {
    if !services::start(run).await? || !preflight::connect(run).await? {
        return Ok(());
    }
    preflight::identity(run, "before").await?;
    run.at_desk(|desk| desk.recorder.folder.sync())?;
    cases::walk_cases(run).await?;
    // A wish that came during the last step must not cut the question which build answered it.
    run.note_end()?;
    preflight::identity(run, "after").await
}

fn drawn_environment(run: &Run<'_>) -> String {
    let environment = run.checked.environment();
    let url = environment.url.clone().or_else(|| environment.origins.first().map(ToString::to_string));
    let name = environment.name.clone().unwrap_or_default();
    let data = environment.data.as_ref().map_or_else(|| "(undeclared)".to_owned(), |data| format!("({data} data)"));
    let words = [name, url.unwrap_or_default(), data];
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// What comes of a step that is due.
enum Due {
    /// It is not sent, and that stands in the journal.
    Left(Judgement),
    /// Its intent stands in the journal, as this entry.
    Begun(Box<Call>, u64),
}

/// One step: intent, action, commit. What is not sent is written down as well.
pub(super) async fn one(run: &Run<'_>, case: &mut Case<'_>, step: &Step) -> Result<Judgement, EngineError> {
    services::notice(run).await?;
    // Whether it may begin and that it begins are one: nothing can end the run in between.
    let due = run.at_desk(|desk| {
        desk.note_end(&run.request.cancel)?;
        match may_begin(run, desk, case.walk.next(step), step) {
            Next::Leave(judgement) => leave(run, desk, case.scenario, step, &judgement).map(|()| Due::Left(judgement)),
            Next::Run(call) => {
                begin(run, desk, case.scenario, step, Some(&call)).map(|intent| Due::Begun(call, intent))
            }
        }
    })?;
    match due {
        Due::Left(judgement) => Ok(judgement),
        Due::Begun(call, intent) => {
            run.tell(Event::Step(case.scenario.id.as_str(), step.id.as_str(), drawn_action(step)));
            send(run, case, step, &call, intent).await
        }
    }
}

/// What is to be done with a step as the run stands now. A probe is taken for one that may begin.
fn may_begin(run: &Run<'_>, desk: &mut Desk, next: Next, step: &Step) -> Next {
    let Next::Run(call) = next else { return next };
    let cleanup = step.always_run;
    let left = |code, message: &str| Next::Leave(skipped(code, message.to_owned()));
    if let Some(service) = desk.services.lost() {
        return Next::Leave(without_service(gone(service)));
    }
    if !cleanup && desk.cancelled {
        return left(Code::Cancelled, "the run was cancelled before the step");
    }
    if !cleanup && desk.budget.has_ended() {
        return left(Code::BudgetExceeded, "the run's budget was used up before the step");
    }
    if run.lost && !desk.recorder.redactor.knows_all(&drawn(&call)) {
        let message = "it needs a secret that was known to the process that ended, and to nobody else".to_owned();
        return Next::Leave(of_failure(&Failure { kind: FailureKind::CredentialMissing, message }));
    }
    if !desk.budget.take_probe(cleanup) {
        return left(Code::BudgetExceeded, "no probe was left for the step");
    }
    Next::Run(call)
}

/// A call with everything that its variables went into.
fn drawn(call: &Call) -> String {
    let body = match call {
        Call::Http(http) => http.body.as_deref(),
        Call::Command(command) => command.stdin.as_deref(),
        Call::Log(_) => None,
    };
    format!("{} {}", call.to_json(), String::from_utf8_lossy(body.unwrap_or_default()))
}

/// Writes down what is about to happen; without a call, that the step is not sent. Gives the number of the entry.
fn begin(
    run: &Run<'_>,
    desk: &mut Desk,
    scenario: &Scenario,
    step: &Step,
    call: Option<&Call>,
) -> Result<u64, StoreError> {
    let key = |call: &Call| idempotency_key(&run.opened.nonce, &scenario.id, &step.id, &call.digest());
    let intent = ActionIntent {
        scenario: scenario.id.clone(),
        step: step.id.clone(),
        action: step.action_name.to_owned(),
        idempotent: step.idempotent,
        call: call.map_or(Json::Null, Call::to_json),
        idempotency_key: call.map(key),
        timeout_ms: step.timeout_ms,
    };
    let intent = desk.recorder.write(Kind::ActionIntent, &intent)?;
    if call.is_some() && !step.idempotent {
        // On disk before the effect: after a power cut it must still be known that it may have happened.
        desk.recorder.folder.sync()?;
    }
    Ok(intent)
}

/// Writes down a step that is not sent.
fn leave(
    run: &Run<'_>,
    desk: &mut Desk,
    scenario: &Scenario,
    step: &Step,
    judgement: &Judgement,
) -> Result<(), StoreError> {
    let intent = begin(run, desk, scenario, step, None)?;
    let nothing = Seen { observation: None, witnessed: Witnessed::default(), probes: 0, output_bytes: 0 };
    commit(desk, scenario, step, intent, judgement, nothing)
}

async fn send(
    run: &Run<'_>,
    case: &mut Case<'_>,
    step: &Step,
    call: &Call,
    intent: u64,
) -> Result<Judgement, EngineError> {
    let acted = act::act(run, case, step, call, intent).await?;
    let seen = Seen {
        observation: Some(Arc::new(acted.observation)),
        witnessed: acted.witnessed,
        probes: acted.probes,
        output_bytes: acted.output,
    };
    run.at_desk(|desk| commit(desk, case.scenario, step, intent, &acted.judgement, seen))?;
    Ok(acted.judgement)
}

/// What a commit says beside the judgement.
struct Seen {
    observation: Option<Arc<Observation>>,
    witnessed: Witnessed,
    probes: u64,
    output_bytes: u64,
}

fn commit(
    desk: &mut Desk,
    scenario: &Scenario,
    step: &Step,
    intent: u64,
    judgement: &Judgement,
    seen: Seen,
) -> Result<(), StoreError> {
    let reason = judgement.reason.as_ref();
    let message = reason.map(|reason| desk.recorder.redactor.text(&reason.message));
    desk.recorder.write(
        Kind::ActionCommit,
        &ActionCommit {
            intent,
            scenario: scenario.id.clone(),
            step: step.id.clone(),
            status: judgement.status.as_str().to_owned(),
            code: reason.map(|reason| reason.code.as_str().to_owned()),
            message,
            observation: seen.observation,
            witnessed: seen.witnessed,
            probes: seen.probes,
            output_bytes: seen.output_bytes,
        },
    )?;
    Ok(())
}
