//! Carrying out one call, and turning what came back into an observation with its bytes.

use std::time::{Duration, Instant};

use probity_core::coding::glimpse;
use probity_core::invoke::Call;
use probity_core::journal::body::INLINE;
use probity_core::journal::observation::{CommandObserved, HopObserved, HttpObserved, Observation, Try};
use probity_core::observe::{CommandCall, CommandResult, Exchange, Failure, FailureKind, Field, Hop, HttpCall};
use probity_core::plan::{Action, Step};
use probity_core::redact::Redactor;
use probity_core::step::{Judgement, StepStatus};
use probity_core::walk::CaseWalk;
use probity_probes::command::{self, Allowance, Surroundings};
use probity_probes::http::Client;

use super::open::Run;
use super::recorder::Captures;
use super::{EngineError, services};

/// What came of a call.
pub(super) struct Acted {
    pub(super) observation: Observation,
    pub(super) judgement: Judgement,
    pub(super) probes: u64,
    pub(super) output: u64,
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
    let mut captures = Captures::default();
    match call {
        Call::Http(http) => polled(run, walk, client, step, call, http, &mut captures, intent).await,
        Call::Log(log) => services::look(run, walk, step, call, log, intent).await,
        Call::Command(command) => {
            let (observation, output) = commanded(run, step, command, &mut captures).await;
            captures.write(&mut run.recorder, intent, true)?;
            let judgement = walk.judge(step, call, &observation, &captures);
            Ok(Acted { observation, judgement, probes: 1, output })
        }
    }
}

#[expect(clippy::too_many_arguments, reason = "one call, its step, its case and where its bytes go")]
async fn polled(
    run: &mut Run<'_>,
    walk: &CaseWalk<'_>,
    client: &mut Client,
    step: &Step,
    call: &Call,
    http: &HttpCall,
    captures: &mut Captures,
    intent: u64,
) -> Result<Acted, EngineError> {
    let poll = match &step.action {
        Action::Http(http) => http.poll,
        Action::Command(_) | Action::Log(_) => None,
    };
    let deadline = run.budget.deadline(step.always_run);
    let until = poll.map(|poll| Instant::now() + Duration::from_millis(poll.for_ms));
    keep_request(step, http, &run.recorder.redactor, captures);
    let mut tries: Vec<Try> = Vec::new();
    // What the last try saw that had a complete answer.
    let mut whole: Option<HttpObserved> = None;
    let mut probes = 0;
    loop {
        let exchange = client.send(http, &run.secrets, &run.request.cancel, deadline).await;
        probes += 1;
        let mut observed = observe_http(exchange, Vec::new(), "body", &run.recorder.redactor, captures);
        captures.write(&mut run.recorder, intent, poll.is_none())?;
        if poll.is_some() {
            let this = Try::of(&observed);
            match &whole {
                Some(whole) if this.is_cut() => observed = whole.clone(),
                _ => whole = observed.failure.is_none().then(|| observed.clone()),
            }
            tries.push(this);
            observed.tries.clone_from(&tries);
        }
        let mut acted = judged(walk, step, call, observed, captures, probes);
        let (Some(poll), Some(until)) = (poll, until) else { return Ok(acted) };
        let pause = Duration::from_millis(poll.every_ms);
        let done = acted.judgement.status == StepStatus::Passed
            || tries.len() as u64 >= u64::from(poll.tries)
            || Instant::now() + pause >= until;
        if done {
            return Ok(acted);
        }
        if let Some(failure) = ended_early(run, step, probes, Instant::now() + pause >= deadline, pause).await {
            // The answer had time left to become right: what came last is no answer to the question.
            if let Observation::Http(observed) = &mut acted.observation {
                observed.failure.get_or_insert(failure);
            }
            let judgement = walk.judge(step, call, &acted.observation, captures);
            return Ok(Acted { judgement, ..acted });
        }
        captures.next_try(whole.as_ref());
    }
}

/// Keeps the body that is about to be sent: where the plan asks for it, and where it is too long for the intent.
fn keep_request(step: &Step, http: &HttpCall, redactor: &Redactor, captures: &mut Captures) {
    let asked = match &step.action {
        Action::Http(http) => http.capture_request,
        Action::Command(_) | Action::Log(_) => false,
    };
    if let Some(body) = http.body.as_ref().filter(|body| asked || body.len() > INLINE) {
        let (bytes, redactions) = redactor.apply(body.clone());
        let media = http.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        let media = match media {
            Some((_, Field::Text(media))) => media.as_str(),
            _ => "application/octet-stream",
        };
        captures.add("request", media, bytes, redactions);
    }
}

fn judged(
    walk: &CaseWalk<'_>,
    step: &Step,
    call: &Call,
    observed: HttpObserved,
    captures: &Captures,
    probes: u64,
) -> Acted {
    let observation = Observation::Http(observed);
    let judgement = walk.judge(step, call, &observation, captures);
    Acted { observation, judgement, probes, output: 0 }
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

/// Takes the bytes of an exchange into captures, secrets replaced, and keeps the facts.
pub(super) fn observe_http(
    exchange: Exchange,
    tries: Vec<Try>,
    role: &str,
    redactor: &Redactor,
    captures: &mut Captures,
) -> HttpObserved {
    let hops = exchange.hops.into_iter().map(|hop| observe_hop(hop, role, redactor, captures)).collect();
    let failure = exchange.failure.map(|failure| Failure { message: redactor.text(&failure.message), ..failure });
    HttpObserved { tries, hops, failure, total_us: exchange.total_us }
}

/// How much of a coded body is searched for secrets, in bytes.
const GLIMPSE: u64 = 64 << 20;

fn observe_hop(mut hop: Hop, role: &str, redactor: &Redactor, captures: &mut Captures) -> HopObserved {
    for (name, value) in hop.headers.iter_mut().chain(&mut hop.trailers).chain(&mut hop.sent_headers) {
        *name = redactor.text(name);
        *value = redactor.text(value);
    }
    hop.url = redactor.text(&hop.url);
    hop.reason = redactor.text(&hop.reason);
    let media = hop
        .headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("content-type"))
        .map_or("application/octet-stream", |(_, value)| value.as_str())
        .to_owned();
    let wire = std::mem::take(&mut hop.wire);
    let (wire, decoded) = match hop.decoded.take() {
        None => {
            // Coded bytes that nobody decoded hide what they hold: what can be read of them stands in their place.
            let (seen, hidden) = redactor.apply(glimpse(&hop.headers, &wire, GLIMPSE));
            let (bytes, redactions) = if hidden > 0 { (seen, hidden) } else { redactor.apply(wire) };
            (captures.add(role, &media, bytes, redactions), None)
        }
        Some(decoded) => {
            let (bytes, redactions) = redactor.apply(decoded);
            let decoded = captures.add(role, &media, bytes, redactions);
            // A coded body would carry the secret that was just replaced in the decoded one.
            let wire = if redactions > 0 { decoded } else { captures.add("wire", "application/octet-stream", wire, 0) };
            (wire, Some(decoded))
        }
    };
    HopObserved { hop, wire, decoded }
}

async fn commanded(run: &mut Run<'_>, step: &Step, call: &CommandCall, captures: &mut Captures) -> (Observation, u64) {
    let result = match run.programs.get(&step.id) {
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
            };
            let deadline = run.budget.deadline(step.always_run);
            command::run(call, sealed, &around, &allowance, deadline, run.request.cancel.clone()).await
        }
        Some(Err(failure)) => not_started(failure.clone()),
        None => not_started(Failure {
            kind: FailureKind::ProgramMissing,
            message: "the program was not sealed when the run was opened".to_owned(),
        }),
    };
    let output = result.stdout.total.saturating_add(result.stderr.total);
    (Observation::Command(Box::new(observe_command(result, &run.recorder.redactor, captures))), output)
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

fn observe_command(mut result: CommandResult, redactor: &Redactor, captures: &mut Captures) -> CommandObserved {
    let mut blobs = Vec::new();
    for (role, captured) in [("stdout", &mut result.stdout), ("stderr", &mut result.stderr)] {
        let (bytes, redactions) = redactor.apply(std::mem::take(&mut captured.kept));
        blobs.push(captures.add(role, "text/plain", bytes, redactions));
    }
    if let Some(failure) = &mut result.failure {
        failure.message = redactor.text(&failure.message);
    }
    CommandObserved { result, stdout: blobs[0], stderr: blobs[1] }
}
