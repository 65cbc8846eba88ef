//! The steps of the selected cases, one after another.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use probity_core::codes::Code;
use probity_core::ids::Id;
use probity_core::invoke::{Call, idempotency_key};
use probity_core::journal::Kind;
use probity_core::journal::body::{ActionCommit, ActionIntent, RunCancelled};
use probity_core::journal::observation::Observation;
use probity_core::journal::witnessed::Witnessed;
use probity_core::json::Json;
use probity_core::judged::drawn_action;
use probity_core::observe::{Failure, FailureKind};
use probity_core::plan::{Scenario, Step};
use probity_core::step::{Judgement, StepStatus, of_failure};
use probity_core::walk::{self, CaseWalk, EngineValues, Next, Walked, gone, skipped, without_service};
use probity_probes::http::{Client, Jar, Settings};

use super::open::Run;
use super::{CaseDone, EngineError, Event, act, preflight, services};

/// Goes through the plan, unless the plan check or the target forbids the first step.
pub(super) async fn all(run: &mut Run<'_>) -> Result<(), EngineError> {
    let target = drawn_environment(run);
    (run.request.progress)(Event::Opened(target));
    if !run.checked.is_runnable(&run.opened.options.allow) {
        (run.request.progress)(Event::Blocked("the plan check found errors".to_owned()));
        return Ok(());
    }
    let outcome = with_services(run).await;
    // Whatever happened, what was started is ended.
    let ended = services::stop(run).await;
    outcome.and(ended)
}

/// What happens while the services of the run are there.
async fn with_services(run: &mut Run<'_>) -> Result<(), EngineError> {
    if !services::start(run).await? || !preflight::connect(run).await? {
        return Ok(());
    }
    preflight::identity(run, "before").await?;
    run.recorder.folder.sync()?;
    walk_cases(run).await?;
    // A wish that came during the last step must not cut the question which build answered it.
    note_end(run)?;
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

/// Goes through the selected cases.
async fn walk_cases(run: &mut Run<'_>) -> Result<(), EngineError> {
    let checked = Arc::clone(&run.checked);
    let files = run.files.clone();
    let file = |name: &str| files.get(name).cloned();
    let engine = EngineValues::of(run.recorder.folder.run(), &run.opened, &run.opened_at);
    let only = run.opened.options.only.clone();
    let settings = Settings::within(run.request.project.root.clone());
    let mut walked = Walked::new(checked.plan());
    let mut jars: BTreeMap<&Id, Jar> = BTreeMap::new();
    for scenario in walk::selected(checked.plan(), checked.matrix(), &only).unwrap_or_default() {
        let begun = Instant::now();
        let mut case = CaseWalk::begin(&checked, scenario, &engine, &walked, &file);
        let used = walked.lineage(&scenario.id).into_iter().filter_map(|other| checked.plan().scenarios.get(other));
        let mut client = Client::with(&settings, Jar::of(used.filter_map(|other| jars.get(&other.id))));
        services::begin_case(run, &scenario.steps).await;
        let mut stopped = None;
        for (position, step) in scenario.steps.iter().enumerate() {
            let judgement = one(run, &case, &mut client, scenario, step).await?;
            case.settle(step, &judgement);
            if judgement.status != StepStatus::Passed && stopped.is_none() && !step.always_run {
                stopped = Some((position + 1, judgement.status.as_str()));
            }
        }
        walked.take(case);
        jars.insert(&scenario.id, client.into_jar());
        (run.request.progress)(Event::Case(CaseDone {
            id: scenario.id.as_str(),
            title: &scenario.title,
            steps: scenario.steps.len(),
            ms: begun.elapsed().as_millis(),
            stopped,
        }));
    }
    Ok(())
}

/// One step: intent, action, commit. What is not sent is written down as well.
pub(super) async fn one(
    run: &mut Run<'_>,
    case: &CaseWalk<'_>,
    client: &mut Client,
    scenario: &Scenario,
    step: &Step,
) -> Result<Judgement, EngineError> {
    note_end(run)?;
    services::notice(run).await?;
    let next = match case.next(step) {
        Next::Run(_) if run.services.lost().is_some() => {
            Next::Leave(without_service(run.services.lost().map(gone).unwrap_or_default()))
        }
        Next::Run(_) if !step.always_run && run.cancelled => {
            Next::Leave(skipped(Code::Cancelled, "the run was cancelled before the step".to_owned()))
        }
        Next::Run(_) if !step.always_run && run.budget.has_ended() => {
            Next::Leave(skipped(Code::BudgetExceeded, "the run's budget was used up before the step".to_owned()))
        }
        Next::Run(_) if !run.budget.probe_left(step.always_run) => {
            Next::Leave(skipped(Code::BudgetExceeded, "no probe was left for the step".to_owned()))
        }
        Next::Run(call) if run.lost && !run.recorder.redactor.knows_all(&drawn(&call)) => {
            let message = "it needs a secret that was known to the process that ended, and to nobody else".to_owned();
            Next::Leave(of_failure(&Failure { kind: FailureKind::CredentialMissing, message }))
        }
        next => next,
    };
    match next {
        Next::Leave(judgement) => {
            leave(run, scenario, step, &judgement)?;
            Ok(judgement)
        }
        Next::Run(call) => {
            (run.request.progress)(Event::Step(scenario.id.as_str(), step.id.as_str(), drawn_action(step)));
            send(run, case, client, scenario, step, &call).await
        }
    }
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

/// Writes down, once, that the run was cancelled or is out of its budget.
fn note_end(run: &mut Run<'_>) -> Result<(), EngineError> {
    if !run.cancelled && *run.request.cancel.borrow() {
        run.cancelled = true;
        run.recorder.write(Kind::RunCancelled, &RunCancelled { by: "interrupt".to_owned() })?;
        run.request.cancel = never();
    }
    if let Some(ended) = run.budget.exceeded() {
        run.recorder.write(Kind::BudgetExceeded, &ended)?;
    }
    Ok(())
}

/// After a cancellation cleanup goes on: what it does is not cancelled by the same wish.
fn never() -> tokio::sync::watch::Receiver<bool> {
    tokio::sync::watch::channel(false).1
}

/// Writes down what is about to happen; without a call, that the step is not sent. Gives the number of the entry.
fn begin(run: &mut Run<'_>, scenario: &Scenario, step: &Step, call: Option<&Call>) -> Result<u64, EngineError> {
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
    Ok(run.recorder.write(Kind::ActionIntent, &intent)?)
}

/// Writes down a step that is not sent.
pub(super) fn leave(
    run: &mut Run<'_>,
    scenario: &Scenario,
    step: &Step,
    judgement: &Judgement,
) -> Result<(), EngineError> {
    let intent = begin(run, scenario, step, None)?;
    let nothing = Seen { observation: None, witnessed: Witnessed::default(), probes: 0, output_bytes: 0 };
    commit(run, scenario, step, intent, judgement, nothing)
}

async fn send(
    run: &mut Run<'_>,
    case: &CaseWalk<'_>,
    client: &mut Client,
    scenario: &Scenario,
    step: &Step,
    call: &Call,
) -> Result<Judgement, EngineError> {
    let intent = begin(run, scenario, step, Some(call))?;
    if !step.idempotent {
        // On disk before the effect: after a power cut it must still be known that it may have happened.
        run.recorder.folder.sync()?;
    }
    let acted = act::act(run, case, client, step, call, intent).await?;
    run.budget.spend(acted.probes, acted.output);
    let seen = Seen {
        observation: Some(Arc::new(acted.observation)),
        witnessed: acted.witnessed,
        probes: acted.probes,
        output_bytes: acted.output,
    };
    commit(run, scenario, step, intent, &acted.judgement, seen)?;
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
    run: &mut Run<'_>,
    scenario: &Scenario,
    step: &Step,
    intent: u64,
    judgement: &Judgement,
    seen: Seen,
) -> Result<(), EngineError> {
    let reason = judgement.reason.as_ref();
    let message = reason.map(|reason| run.recorder.redactor.text(&reason.message));
    run.recorder.write(
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
