//! Carrying out one call, and turning what came back into an observation with its bytes.

use std::time::{Duration, Instant};

use probity_core::invoke::Call;
use probity_core::journal::body::INLINE;
use probity_core::journal::observation::{Observation, Try};
use probity_core::journal::witnessed::Witnessed;
use probity_core::observe::{CommandCall, CommandResult, Exchange, Failure, FailureKind, Field, HttpCall};
use probity_core::plan::{Action, Step};
use probity_core::redact::Redactor;
use probity_core::step::{Judgement, StepStatus};
use probity_core::walk::CaseWalk;
use probity_core::write_policy::Redirected;
use probity_probes::command::{self, Allowance, Surroundings};
use probity_probes::http::Client;

use super::open::Run;
use super::recorder::Captures;
use super::sight::{Live, Onlooker, Sight};
use super::{EngineError, services};

/// What came of a call.
pub(super) struct Acted {
    pub(super) observation: Observation,
    pub(super) judgement: Judgement,
    pub(super) witnessed: Witnessed,
    pub(super) probes: u64,
    pub(super) output: u64,
}

impl Acted {
    pub(super) fn of(sight: Sight, (judgement, witnessed): (Judgement, Witnessed), probes: u64, output: u64) -> Self {
        Self { observation: sight.kept, judgement, witnessed, probes, output }
    }
}

/// Carries out a call; a polling step is asked again until its checks hold.
pub(super) async fn act(
    run: &mut Run<'_>,
    walk: &CaseWalk<'_>,
    client: &mut Client,
    step: &Step,
    call: &Call,
    intent: u64,
) -> Result<Acted, EngineError> {
    let (live, refused) = match Live::of(&run.recorder.redactor, &run.secrets, walk, step) {
        Ok(live) => (live, None),
        // What a variable stands for may not go where its placeholder may: nothing is sent.
        Err(failure) => (None, Some(failure)),
    };
    let secrets = std::sync::Arc::clone(&run.secret_variables);
    let by = Onlooker { walk, step, call, live: live.as_ref(), secrets: &secrets };
    let mut captures = Captures::default();
    match live.as_ref().map_or(call, |live| &live.call) {
        Call::Http(http) => polled(run, &by, client, http, refused, &mut captures, intent).await,
        Call::Log(log) => services::look(run, &by, log, intent).await,
        Call::Command(command) => {
            let result = match refused {
                None => commanded(run, step, command).await,
                Some(failure) => not_started(failure),
            };
            let output = result.stdout.total.saturating_add(result.stderr.total);
            let sight = Sight::of_command(result, &by, &mut run.recorder.redactor, &mut captures);
            captures.write(&mut run.recorder, intent, true)?;
            let judged = sight.judged(&by, &captures, &run.recorder.redactor);
            Ok(Acted::of(sight, judged, 1, output))
        }
    }
}

async fn polled(
    run: &mut Run<'_>,
    by: &Onlooker<'_, '_>,
    client: &mut Client,
    http: &HttpCall,
    mut refused: Option<Failure>,
    captures: &mut Captures,
    intent: u64,
) -> Result<Acted, EngineError> {
    let step = by.step;
    let poll = match &step.action {
        Action::Http(http) => http.poll.filter(|_| refused.is_none()),
        Action::Command(_) | Action::Log(_) => None,
    };
    let deadline = run.budget.deadline(step.always_run);
    let until = poll.map(|poll| Instant::now() + Duration::from_millis(poll.for_ms));
    keep_request(by, &run.recorder.redactor, captures);
    let mut tries: Vec<Try> = Vec::new();
    // What the last try saw that had a complete answer.
    let mut whole: Option<Sight> = None;
    let mut probes = 0;
    loop {
        let exchange = match refused.take() {
            None => {
                let stops = |to: &Redirected<'_>| by.walk.redirect_stopped(step, to, by.vars());
                client.send_where(http, &run.secrets, &run.request.cancel, deadline, &stops).await
            }
            Some(failure) => Exchange { failure: Some(failure), ..Exchange::default() },
        };
        probes += 1;
        let mut sight = Sight::of_http(exchange, by, &mut run.recorder.redactor, captures);
        captures.write(&mut run.recorder, intent, poll.is_none())?;
        if poll.is_some()
            && let Observation::Http(observed) = &sight.kept
        {
            let this = Try::of(observed);
            let (cut, complete) = (this.is_cut(), observed.failure.is_none());
            tries.push(this);
            match &whole {
                Some(whole) if cut => sight = whole.clone(),
                _ => whole = complete.then(|| sight.clone()),
            }
            sight.set_tries(&tries);
        }
        let judged = sight.judged(by, captures, &run.recorder.redactor);
        let (Some(poll), Some(until)) = (poll, until) else { return Ok(Acted::of(sight, judged, probes, 0)) };
        let pause = Duration::from_millis(poll.every_ms);
        let done = judged.0.status == StepStatus::Passed
            || tries.len() as u64 >= u64::from(poll.tries)
            || Instant::now() + pause >= until;
        if done {
            return Ok(Acted::of(sight, judged, probes, 0));
        }
        if let Some(failure) = ended_early(run, step, probes, Instant::now() + pause >= deadline, pause).await {
            // The answer had time left to become right.
            sight.end_early(failure);
            let judged = sight.judged(by, captures, &run.recorder.redactor);
            return Ok(Acted::of(sight, judged, probes, 0));
        }
        captures.next_try(whole.as_ref().map(|whole| &whole.kept));
    }
}

/// Keeps the body that is about to be sent: where the plan asks for it, and where it is too long for the intent.
fn keep_request(by: &Onlooker<'_, '_>, redactor: &Redactor, captures: &mut Captures) {
    let (Action::Http(asked), Call::Http(http)) = (&by.step.action, by.call) else { return };
    if let Some(body) = http.body.as_ref().filter(|body| asked.capture_request || body.len() > INLINE) {
        let (bytes, redactions) = redactor.hide(body.clone(), false);
        let media = http.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        let media = match media {
            Some((_, Field::Text(media))) => media.as_str(),
            _ => "application/octet-stream",
        };
        captures.add("request", media, bytes, redactions);
    }
}

/// Waits for the next try. What stopped the polling from outside before that, if something did.
pub(super) async fn ended_early(
    run: &Run<'_>,
    step: &Step,
    probes: u64,
    late: bool,
    pause: Duration,
) -> Option<Failure> {
    let failure = |kind, message: &str| Some(Failure { kind, message: message.to_owned() });
    if late || !run.budget.probe_left_after(probes, step.always_run) {
        return failure(FailureKind::BudgetExceeded, "the run's budget was used up while the step waited");
    }
    let mut cancel = run.request.cancel.clone();
    tokio::select! {
        biased;
        () = turned(&mut cancel) => failure(FailureKind::Cancelled, "the run was cancelled while the step waited"),
        () = tokio::time::sleep(pause) => None,
    }
}

async fn turned(cancel: &mut tokio::sync::watch::Receiver<bool>) {
    if cancel.wait_for(|cancelled| *cancelled).await.is_err() {
        std::future::pending::<()>().await;
    }
}

async fn commanded(run: &Run<'_>, step: &Step, call: &CommandCall) -> CommandResult {
    match run.programs.get(&step.id) {
        Some(Ok(sealed)) => {
            let left = run.budget.output_left(step.always_run);
            let allowance = Allowance { keep: left, output: left, grace: Allowance::GRACE };
            let mut mark = [0; 12];
            let _ = getrandom::fill(&mut mark);
            let mark: String = mark.iter().map(|b| format!("{b:02x}")).collect();
            let secrets = &run.secrets;
            let around = Surroundings {
                project: &run.request.project.root,
                mark: &mark,
                inherited: &inherited(run),
                secrets: &|name| secrets.get(name).map(str::to_owned),
                isolated: run.isolated.as_ref(),
            };
            let deadline = run.budget.deadline(step.always_run);
            command::run(call, sealed, &around, &allowance, deadline, run.request.cancel.clone()).await
        }
        Some(Err(failure)) => not_started(failure.clone()),
        None => not_started(Failure {
            kind: FailureKind::ProgramMissing,
            message: "the program was not sealed when the run was opened".to_owned(),
        }),
    }
}

/// The inherited environment, with the project's own programs first.
pub(super) fn inherited(run: &Run<'_>) -> Vec<(std::ffi::OsString, std::ffi::OsString)> {
    let mut inherited = command::inherited();
    if run.request.project.programs.is_some() {
        inherited.retain(|(name, _)| name != "PATH");
        inherited.push(("PATH".into(), run.request.project.path_variable()));
    }
    inherited
}

fn not_started(failure: Failure) -> CommandResult {
    CommandResult { termination: "spawn_error".to_owned(), failure: Some(failure), ..CommandResult::default() }
}
